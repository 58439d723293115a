//! `depyf coverage`: every opcode, what becomes of it, and the tests that hold it.
//!
//! The opcodes come from the tables that the decoder reads. What becomes of them, and where, was measured:
//! `tests/coverage.rs` compiles the constructs under every Python, decodes them, and writes `evidence.tsv`
//! or compares it.

use std::collections::BTreeMap;
use std::io;

use depyf_bytecode::{Maker, Opcode, opcodes, versions};
use depyf_value::PyVersion;
use serde::Serialize;

use crate::arguments::CoverageArgs;
use crate::console::Console;

/// One line a way in which an opcode is decoded: version, opcode, operations, tests, between tabs.
const EVIDENCE: &str = include_str!("evidence.tsv");

/// Prints the table of each version.
///
/// # Errors
/// Where standard output takes no more.
pub(crate) fn run(args: &CoverageArgs, console: &mut Console) -> io::Result<()> {
    let evidence = evidence();
    for version in versions().filter(|version| args.python.is_none_or(|wanted| wanted == *version)) {
        let rows: Vec<Row<'_>> =
            opcodes(version).into_iter().map(|opcode| Row::of(version, opcode, &evidence)).collect();
        if args.json {
            for row in &rows {
                console.print(&(serde_json::to_string(row)? + "\n"))?;
            }
        } else {
            print_table(version, &rows, console)?;
        }
    }
    Ok(())
}

/// Opcodes of versions, and the ways in which they are decoded.
type Evidence = BTreeMap<(String, &'static str), Vec<Way>>;

/// One way in which an opcode is decoded.
#[derive(Clone, Debug, Serialize)]
struct Way {
    /// The neutral operations, in order; none where the instruction says nothing of the source, or where
    /// one before it stands for both.
    operations: Vec<&'static str>,
    /// Tests whose code has it: a file of `tests/decompile/constructs` with a function, or an assembled
    /// code object.
    tests: Vec<&'static str>,
}

fn evidence() -> Evidence {
    let mut found = Evidence::new();
    for line in EVIDENCE.lines() {
        let mut fields = line.split('\t');
        let (Some(version), Some(opcode), Some(operations), Some(tests)) =
            (fields.next(), fields.next(), fields.next(), fields.next())
        else {
            continue;
        };
        let words = |text: &'static str| text.split(' ').filter(|word| !word.is_empty()).collect();
        let way = Way { operations: words(operations), tests: words(tests) };
        found.entry((version.to_owned(), opcode)).or_default().push(way);
    }
    found
}

/// One opcode of one version, as `--json` prints it.
#[derive(Serialize)]
struct Row<'a> {
    python: String,
    number: u8,
    opcode: &'static str,
    /// `compiler`, or who else writes it; what the compiler does not write is in no `.pyc` file.
    made_by: &'static str,
    ways: &'a [Way],
}

impl<'a> Row<'a> {
    fn of(version: PyVersion, opcode: Opcode, evidence: &'a Evidence) -> Self {
        let key = (version.to_string(), opcode.name);
        let ways = evidence.get(&key).map_or(&[][..], Vec::as_slice);
        Row { python: key.0, number: opcode.number, opcode: key.1, made_by: made_by(opcode.maker), ways }
    }
}

fn made_by(maker: Maker) -> &'static str {
    match maker {
        Maker::Compiler => "compiler",
        Maker::Specializer => "specializer",
        Maker::Monitoring => "monitoring",
        Maker::Interpreter => "interpreter",
    }
}

fn print_table(version: PyVersion, rows: &[Row<'_>], console: &mut Console) -> io::Result<()> {
    let compiled = rows.iter().filter(|row| row.made_by == "compiler").count();
    let runtime = rows.len() - compiled;
    console
        .heading(&format!("Python {version}: {compiled} opcodes, and {runtime} of a running interpreter"))?;
    for row in rows {
        if row.made_by != "compiler" {
            let handling = match row.made_by {
                "specializer" => "made only by the specialising interpreter",
                "monitoring" => "made only by sys.monitoring and tracing",
                _ => "made only by the interpreter for itself",
            };
            line(console, row, handling, "")?;
        } else if row.ways.is_empty() {
            line(console, row, "not known", "no test has it")?;
        }
        for way in row.ways {
            let operations = way.operations.join(" ");
            let handling = if operations.is_empty() { "no operation of its own" } else { &operations };
            line(console, row, handling, &way.tests.join(", "))?;
        }
    }
    console.print("\n")
}

fn line(console: &mut Console, row: &Row<'_>, handling: &str, tests: &str) -> io::Result<()> {
    let text = format!("{:>3}  {:<34} {handling:<34} {tests}", row.number, row.opcode);
    console.print(text.trim_end())?;
    console.print("\n")
}
