//! What is decoded, against what each interpreter that is here says of the same code.

mod common;
mod flow;

use std::collections::HashMap;
use std::path::Path;
use std::process::Command;

use common::{all_code, ask_library, interpreters, read};
use depyf_bytecode::{Function, Op, decode, listing, stack_effect};
use flow::check_flow;

#[test]
fn opcode_tables_are_those_of_the_interpreters() {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tools/opcodes.py");
    for (minor, python) in interpreters() {
        let status =
            Command::new(&python).arg(&script).arg("--check").status().expect("the interpreter runs");
        assert!(status.success(), "the table of 3.{minor} is not what its interpreter says");
    }
}

#[test]
fn decoded_code_agrees_with_dis() {
    for (minor, python) in interpreters() {
        let said = ask_library(&python, "oracle.py", &format!("stdlib_3_{minor}"));
        let compared: usize = said.iter().map(|(path, text)| compare_file(path, text)).sum();
        // Debian has the tests of the library in a package of their own, which may not be here.
        assert!(compared > 500, "3.{minor}: only {compared} code objects were compared");
    }
}

/// What the oracle says of one code object.
#[derive(Default)]
struct Facts<'a> {
    instructions: Vec<Raw<'a>>,
    rows: Vec<[u32; 5]>,
    variables: Vec<&'a str>,
}

struct Raw<'a> {
    offset: u32,
    name: &'a str,
    effect: i64,
    jump_effect: i64,
    target: Option<u32>,
    line: Option<u32>,
}

fn parse(text: &str) -> Vec<Facts<'_>> {
    let mut found: Vec<Facts> = Vec::new();
    for line in text.lines() {
        if line == "code" {
            found.push(Facts::default());
            continue;
        }
        let facts = found.last_mut().expect("a code line first");
        let fields: Vec<&str> = line.split(' ').collect();
        match fields.as_slice() {
            ["i", offset, name, effect, jump_effect, target, line] => facts.instructions.push(Raw {
                offset: offset.parse().expect("an offset"),
                name,
                effect: effect.parse().expect("an effect"),
                jump_effect: jump_effect.parse().expect("an effect"),
                target: target.parse().ok(),
                line: line.parse().ok(),
            }),
            ["x", row @ ..] => {
                let row: Vec<u32> = row.iter().map(|field| field.parse().expect("a number")).collect();
                facts.rows.push(row.try_into().expect("five numbers"));
            }
            ["v", name] => facts.variables.push(name),
            _ => panic!("the oracle says {line:?}"),
        }
    }
    found
}

fn compare_file(path: &Path, text: &str) -> usize {
    let facts = parse(text);
    let module = read(path);
    let codes = all_code(&module);
    assert_eq!(codes.len(), facts.len(), "{}: number of code objects", path.display());
    for (code, facts) in codes.iter().zip(&facts) {
        let place =
            format!("{} in {} ({}) line {}", code.qualname, path.display(), code.filename, code.first_line);
        let function = decode(code).unwrap_or_else(|error| panic!("{place}: {error}"));
        for instruction in &function.instructions {
            assert!(!matches!(instruction.op, Op::Unknown(_)), "{place}: {instruction:?}");
        }
        compare_effects(&place, &function, facts);
        compare_targets(&place, &function, facts);
        compare_lines(&place, &function, facts);
        compare_regions(&place, &function, facts);
        compare_variables(&place, &function, facts);
        check_flow(&place, code, &function);
        assert!(listing(code).lines().count() >= facts.instructions.len(), "{place}: listing");
    }
    codes.len()
}

/// Instructions whose effect in `dis` is not that of what they are decoded to, and why.
fn has_other_effect(name: &str, before: Option<&str>) -> bool {
    match name {
        // The way into a generator, and the end of a loop: erased.
        "GEN_START" | "RETURN_GENERATOR" | "END_FOR" => true,
        "POP_TOP" => matches!(before, Some("RETURN_GENERATOR" | "END_FOR")),
        // From 3.14 `dis` counts the result as pushed again, for the caller.
        "RETURN_VALUE" => true,
        // `dis` gives the largest effect of these of 3.8, not that of the normal way.
        "BEGIN_FINALLY" | "END_FINALLY" | "POP_FINALLY" | "WITH_CLEANUP_START" | "WITH_CLEANUP_FINISH" => {
            true
        }
        _ => false,
    }
}

/// The sum of the neutral effects is that of `dis.stack_effect`, instruction by instruction.
fn compare_effects(place: &str, function: &Function, facts: &Facts) {
    let mut by_offset: HashMap<u32, Vec<Op>> = HashMap::new();
    for instruction in &function.instructions {
        by_offset.entry(instruction.offset).or_default().push(instruction.op);
    }
    // How far the two sums are apart; only inside of a sequence that is decoded as a whole.
    let mut apart = 0;
    let mut before = None;
    for raw in &facts.instructions {
        let ops = by_offset.get(&raw.offset).map_or(&[][..], Vec::as_slice);
        let name_before = before.replace(raw.name);
        if has_other_effect(raw.name, name_before) {
            continue;
        }
        let mut sum = 0;
        for &op in ops {
            let is_jump = matches!(
                op,
                Op::Jump(_) | Op::JumpIf(..) | Op::JumpIfOrPop(..) | Op::Send(_) | Op::CallFinally(_)
            );
            if is_jump {
                let jump = sum + stack_effect(op, true, &function.features);
                assert_eq!(jump, raw.jump_effect, "{place}: jump of {} at {}: {ops:?}", raw.name, raw.offset);
            }
            sum += stack_effect(op, false, &function.features);
        }
        apart += raw.effect - sum;
        if !matches!(raw.name, "PRECALL" | "COPY" | "SWAP" | "LOAD_SPECIAL") {
            assert_eq!(apart, 0, "{place}: {} at {}: {ops:?}", raw.name, raw.offset);
        }
    }
}

/// The first operation at or behind an offset.
fn index_at(function: &Function, offset: u32) -> usize {
    function.instructions.partition_point(|instruction| instruction.offset < offset)
}

fn compare_targets(place: &str, function: &Function, facts: &Facts) {
    for raw in &facts.instructions {
        // A loop's exhaustion skips instructions, and END_ASYNC_FOR does not jump.
        let Some(target) = raw.target.filter(|_| !matches!(raw.name, "FOR_ITER" | "END_ASYNC_FOR")) else {
            continue;
        };
        let from = index_at(function, raw.offset);
        let found = function.instructions[from..]
            .iter()
            .take_while(|instruction| instruction.offset == raw.offset)
            .find_map(|instruction| match instruction.op {
                Op::Jump(to) | Op::JumpIf(_, to) | Op::JumpIfOrPop(_, to) => Some(to),
                Op::Send(to) | Op::CallFinally(to) | Op::SetupBlock(to) => Some(to),
                _ => None,
            });
        assert_eq!(found, Some(index_at(function, target) as u32), "{place}: {} at {}", raw.name, raw.offset);
    }
}

fn compare_lines(place: &str, function: &Function, facts: &Facts) {
    let lines: HashMap<u32, Option<u32>> =
        facts.instructions.iter().map(|raw| (raw.offset, raw.line)).collect();
    for instruction in &function.instructions {
        assert_eq!(lines.get(&instruction.offset), Some(&instruction.line), "{place}: {instruction:?}");
    }
}

fn compare_regions(place: &str, function: &Function, facts: &Facts) {
    for pair in function.regions.windows(2) {
        assert!(pair[0].end <= pair[1].start, "{place}: {pair:?}");
    }
    if function.features.six_value_handlers {
        return;
    }
    for (index, instruction) in function.instructions.iter().enumerate() {
        let row = facts.rows.iter().find(|row| (row[0]..row[1]).contains(&instruction.offset));
        let expected = row.map(|row| (index_at(function, row[2]) as u32, row[3], row[4] != 0));
        let region =
            function.regions.iter().find(|region| (region.start..region.end).contains(&(index as u32)));
        let found = region.map(|region| (region.handler, region.depth, region.lasti));
        assert_eq!(found, expected, "{place}: {instruction:?}");
    }
}

fn compare_variables(place: &str, function: &Function, facts: &Facts) {
    if !facts.variables.is_empty() {
        let names: Vec<String> = function.variables.iter().map(|variable| variable.name.to_lossy()).collect();
        assert_eq!(names, facts.variables, "{place}");
    }
}
