//! Damaged bytecode gives source or an error with its place: no panic, and soon.

#[path = "../../../tests/support/random.rs"]
mod random;

use std::path::Path;
use std::time::{Duration, Instant};

use depyf_bytecode::{CodeObject, Const, read_pyc};
use depyf_decompile::{OnFailure, Options, decompile};
use random::Random;

/// Damaged copies of each code object.
const ROUNDS: usize = 60;
/// What one small function may take, also in a debug build on a busy machine.
const PATIENCE: Duration = Duration::from_secs(5);

impl Random {
    fn damage(&mut self, bytes: &mut [u8]) {
        for _ in 0..=self.next() % 3 {
            let value = self.next();
            if let Some(at) = (value as usize).checked_rem(bytes.len()) {
                bytes[at] = (value >> 32) as u8;
            }
        }
    }
}

/// All code objects of all versions' fixtures.
fn fixtures() -> Vec<CodeObject> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../bytecode/tests/data");
    let mut paths: Vec<_> = std::fs::read_dir(folder)
        .expect("the folder of fixtures")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "pyc"))
        .collect();
    paths.sort();
    assert_eq!(paths.len(), 8, "one fixture for each of 3.8 to 3.15");
    let mut found = Vec::new();
    for path in paths {
        let pyc = read_pyc(&std::fs::read(path).expect("a fixture")).expect("a .pyc file");
        collect(&pyc.code, &mut found);
    }
    found
}

fn collect(code: &CodeObject, found: &mut Vec<CodeObject>) {
    found.push(code.clone());
    for constant in &code.consts {
        if let Const::Code(inner) = constant {
            collect(inner, found);
        }
    }
}

/// Whether there is source.
fn attempt(code: &CodeObject) -> bool {
    let start = Instant::now();
    let outcome = decompile(code, &Options::default());
    assert!(start.elapsed() < PATIENCE, "{} took too long", code.qualname.to_lossy());
    if let Err(error) = &outcome {
        assert!(!error.message.is_empty() && !error.function.is_empty(), "{error:?}");
    }
    outcome.is_ok()
}

#[test]
fn damaged_code_is_source_or_error() {
    let mut random = Random(1);
    let mut outcomes = [0_usize; 2];
    for code in fixtures() {
        for _ in 0..ROUNDS {
            let mut damaged = code.clone();
            match random.below(4) {
                0 => random.damage(&mut damaged.exceptiontable),
                1 => damaged.code.truncate(random.below(code.code.len())),
                _ => random.damage(&mut damaged.code),
            }
            outcomes[usize::from(attempt(&damaged))] += 1;
        }
    }
    assert!(outcomes.iter().all(|&count| count > 100), "hardly anything was tested: {outcomes:?}");
}

#[test]
fn fields_that_contradict_the_code() {
    let changes: [fn(&mut CodeObject); 10] = [
        |code| code.argcount = u32::MAX,
        |code| code.kwonlyargcount = u32::MAX,
        |code| code.posonlyargcount = u32::MAX,
        |code| code.flags = u32::MAX,
        |code| code.names.clear(),
        |code| code.consts.clear(),
        |code| code.varnames.clear(),
        |code| code.freevars.clear(),
        |code| code.cellvars.clear(),
        |code| code.linetable.clear(),
    ];
    for code in fixtures() {
        for change in changes {
            let mut damaged = code.clone();
            change(&mut damaged);
            attempt(&damaged);
        }
    }
}

/// Decompiles and verifies a module of 3.10 that may name `x` and None, marked or not.
fn verify_soon(bytes: Vec<u8>) {
    let code = CodeObject {
        name: "<module>".into(),
        qualname: "<module>".into(),
        code: bytes,
        consts: vec![Const::None],
        names: vec!["x".into()],
        ..CodeObject::empty(depyf_value::PyVersion(10))
    };
    let start = Instant::now();
    let options = Options { verify: true, on_failure: OnFailure::Mark, ..Options::default() };
    decompile(&code, &options).unwrap_or_else(|error| panic!("{error}"));
    assert!(start.elapsed() < PATIENCE, "{:?}", code.code);
}

#[test]
fn containers_that_hold_themselves_or_double() {
    const DUP_TOP: u8 = 4;
    const LIST_APPEND: u8 = 145;
    const LIST_EXTEND: u8 = 162;
    // LOAD_NAME 0, BUILD_LIST 1; at the end POP_TOP, LOAD_CONST 0, RETURN_VALUE, as 3.10 has them.
    let (start, end) = ([101, 0, 103, 1], [1, 0, 100, 0, 83, 0]);
    // BUILD_LIST 0, ROT_THREE: an empty list below the two.
    let into_another = [DUP_TOP, 0, 103, 0, 3, 0, LIST_EXTEND, 2, LIST_EXTEND, 1];
    let cases: [(&[u8], usize); 3] =
        [(&[DUP_TOP, 0, LIST_APPEND, 1], 3), (&[DUP_TOP, 0, LIST_EXTEND, 1], 40), (&into_another, 40)];
    for (round, count) in cases {
        verify_soon([&start[..], &round.repeat(count), &end].concat());
    }
}

#[test]
fn numbers_of_values_that_are_not_there() {
    // 3.10: EXTENDED_ARG three times before an instruction that unpacks; then POP_TOP, LOAD_CONST, RETURN_VALUE.
    let unpacking = |opcode| vec![101, 0, 144, 255, 144, 255, 144, 255, opcode, 255, 1, 0, 100, 0, 83, 0];
    let module = |minor, code, exceptiontable| CodeObject {
        name: "<module>".into(),
        qualname: "<module>".into(),
        code,
        consts: vec![Const::None],
        names: vec!["x".into()],
        exceptiontable,
        ..CodeObject::empty(depyf_value::PyVersion(minor))
    };
    for opcode in [92, 94] {
        assert!(!attempt(&module(10, unpacking(opcode), Vec::new())), "nobody stores so many");
    }
    // 3.11: RESUME, then `x` under a handler that keeps 2^28 values below the exception.
    let code = vec![151, 0, 101, 0, 1, 0, 100, 0, 83, 0, 35, 0, 1, 0, 89, 0, 100, 0, 83, 0];
    let table = vec![0x81, 2, 5, 0x60, 0x40, 0x40, 0x40, 0x40, 0];
    assert!(!attempt(&module(11, code, table)), "nobody pushed so many");
}

#[test]
fn a_handler_that_leads_back_to_itself() {
    // 3.11: `x` in a region; its handler tests the exception, and goes back to the test where it is another.
    let code = CodeObject {
        name: "<module>".into(),
        qualname: "<module>".into(),
        code: vec![
            151, 0, 101, 0, 1, 0, 100, 0, 83, 0, // RESUME, LOAD_NAME, POP_TOP, LOAD_CONST, RETURN_VALUE
            35, 0, 101, 0, 36, 0, 175,
            3, // PUSH_EXC_INFO, LOAD_NAME, CHECK_EXC_MATCH, backwards if false
            1, 0, 89, 0, 100, 0, 83, 0, // POP_TOP, POP_EXCEPT, LOAD_CONST, RETURN_VALUE
        ],
        consts: vec![Const::None],
        names: vec!["x".into()],
        exceptiontable: vec![0x81, 2, 5, 0],
        ..CodeObject::empty(depyf_value::PyVersion(11))
    };
    assert!(!attempt(&code), "no source has such a handler");
}

#[test]
fn tests_of_a_pattern_that_lead_back_to_themselves() {
    // 3.10: MATCH_SEQUENCE and POP_JUMP_IF_FALSE, in a loop that starts with the function; then POP_TOP, LOAD_CONST,
    // RETURN_VALUE.
    let code = CodeObject {
        name: "<module>".into(),
        qualname: "<module>".into(),
        code: vec![32, 0, 114, 3, 113, 0, 1, 0, 100, 0, 83, 0],
        consts: vec![Const::None],
        ..CodeObject::empty(depyf_value::PyVersion(10))
    };
    assert!(!attempt(&code), "there is no subject");
}

#[test]
fn a_loop_whose_body_leads_to_its_head_from_behind_a_try() {
    let code = CodeObject {
        name: "f".into(),
        qualname: "f".into(),
        argcount: 1,
        flags: 3,
        #[rustfmt::skip]
        code: vec![
            124, 0, 68, 0, 93, 37, 125, 1, // `for x in a`
            9, 0, 124, 0, 160, 0, 124, 1, 161, 1, 1, 0, // a loop that starts here
            124, 0, 106, 1, 114, 38, // a test that leaves it
            122, 6, 124, 0, 160, 2, 161, 0, 125, 1, 87, 0, 110, 18, // a `try` that goes back behind that test
            4, 0, 124, 0, 106, 3, 121, 33, 1, 0, 1, 0, 1, 0, 124, 0, 160, 4, 161, 0, 1, 0, 89, 0, 110, 1, 119, 0,
            124, 0, 106, 1, 115, 13, 110, 1, 113, 5, 113, 2, // the test again, and both ways back
            124, 0, 83, 0,
        ],
        consts: vec![Const::None],
        names: ["push", "stack", "pop", "Stop", "drop"].map(Into::into).into(),
        varnames: vec!["a".into(), "x".into()],
        linetable: vec![
            8, 1, 2, 1, 10, 1, 6, 1, 2, 1, 8, 1, 4, 1, 14, 1, 12, 1, 2, 255, 6, 252, 2, 6, 2, 247, 2, 2, 4, 1,
        ],
        ..CodeObject::empty(depyf_value::PyVersion(10))
    };
    assert!(!attempt(&code), "the statements have no end");
}

#[test]
fn a_test_that_jumps_to_itself_with_its_value() {
    // 3.10: LOAD_NAME, JUMP_IF_TRUE_OR_POP to itself; then LOAD_CONST, RETURN_VALUE.
    verify_soon(vec![101, 0, 112, 1, 100, 0, 83, 0]);
}

#[test]
fn an_error_says_where() {
    // Python 3.12: RESUME 0, POP_TOP from an empty stack, RETURN_CONST 0.
    let code = CodeObject {
        name: "f".into(),
        qualname: "outer.f".into(),
        flags: 3,
        code: vec![151, 0, 1, 0, 121, 0],
        consts: vec![Const::None],
        ..CodeObject::empty(depyf_value::PyVersion(12))
    };
    let error = decompile(&code, &Options::default()).expect_err("there is nothing to pop");
    assert_eq!((error.offset, error.opcode.as_str(), error.function.as_str()), (2, "Pop", "outer.f"));
}
