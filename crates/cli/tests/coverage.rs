//! Every opcode of every table has a row in `depyf coverage`, and the row is true.
//!
//! What the rows say is measured here: DEPYF_UPDATE_COVERAGE=1 writes `src/evidence.tsv` anew for the
//! interpreters that are here, and keeps the lines of the others.

mod assembled;
#[path = "../../bytecode/tests/common/mod.rs"]
mod common;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use common::{all_code, interpreters, read, scratch};
use depyf_bytecode::{CodeObject, Const, Maker, decode, opcodes, versions};
use depyf_decompile::{OnFailure, Options, Verdict, decompile};
use depyf_value::PyVersion;

/// So many tests are named for each way in which an opcode is decoded.
const NAMED: usize = 2;
/// What a test is called whose code is not a construct.
const ASSEMBLED: &str = "assembled";
/// Compiles the constructs that this version has: `PYTHON -c COMPILE FOLDER OUT`.
const COMPILE: &str = r#"
import pathlib, py_compile, re, sys
for path in pathlib.Path(sys.argv[1]).glob("*.py"):
    first = re.search(r"^# python: 3\.(\d+)\+", path.read_text(encoding="utf-8"), re.MULTILINE)
    if first is None or sys.version_info[1] >= int(first.group(1)):
        py_compile.compile(str(path), cfile=str(pathlib.Path(sys.argv[2], path.stem + ".pyc")), doraise=True)
"#;

/// The operations that one instruction becomes, and how often in which test.
type Ways = BTreeMap<(String, String), BTreeMap<String, usize>>;

/// What is measured of one version.
#[derive(Default)]
struct Measured {
    ways: Ways,
    /// Instructions of each test, so that tests can be told by how much an opcode is in them.
    sizes: BTreeMap<String, usize>,
}

impl Measured {
    /// Notes each instruction of one code object.
    fn add(&mut self, code: &CodeObject, test: &str) {
        let table: BTreeMap<u8, _> =
            opcodes(code.version).into_iter().map(|opcode| (opcode.number, opcode)).collect();
        let function = decode(code).unwrap_or_else(|error| panic!("{test}: {error}"));
        let mut at = 0;
        while at < code.code.len() {
            let opcode = table[&code.code[at]];
            let names: Vec<String> = function
                .instructions
                .iter()
                .filter(|instruction| instruction.offset as usize == at)
                .map(|instruction| operation(&format!("{:?}", instruction.op)))
                .collect();
            self.note(opcode.name, &names.join(" "), test);
            for _ in 0..opcode.caches {
                self.note("CACHE", "", test);
            }
            at += 2 * (1 + usize::from(opcode.caches));
        }
    }

    fn note(&mut self, opcode: &str, operations: &str, test: &str) {
        let way = self.ways.entry((opcode.to_owned(), operations.to_owned())).or_default();
        *way.entry(test.to_owned()).or_default() += 1;
        *self.sizes.entry(test.to_owned()).or_default() += 1;
    }

    /// The lines of the evidence: the tests that are most about an opcode stand for the others.
    fn lines(&self, version: PyVersion) -> Vec<String> {
        let line = |((opcode, operations), tests): (&(String, String), &BTreeMap<String, usize>)| {
            let mut ranked: Vec<(&String, usize)> =
                tests.iter().map(|(test, count)| (test, count * 100_000 / self.sizes[test])).collect();
            ranked.sort_by_key(|&(test, share)| (Reverse(share), test.clone()));
            let named: Vec<&str> = ranked.iter().take(NAMED).map(|(test, _)| test.as_str()).collect();
            format!("{version}\t{opcode}\t{operations}\t{}", named.join(" "))
        };
        self.ways.iter().map(line).collect()
    }
}

/// The name of an operation, without its operands.
fn operation(shown: &str) -> String {
    shown.chars().take_while(char::is_ascii_alphanumeric).collect()
}

/// Measures the constructs under one interpreter.
fn measure(minor: u8, python: &Path) -> Measured {
    let folder = scratch(&format!("coverage_3_{minor}"));
    let constructs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/decompile/constructs");
    let status = Command::new(python)
        .args(["-W", "ignore", "-c", COMPILE])
        .args([&constructs, &folder])
        .status()
        .expect("the interpreter runs");
    assert!(status.success(), "the constructs do not compile under 3.{minor}");
    let mut measured = Measured::default();
    let mut paths: Vec<PathBuf> = std::fs::read_dir(&folder)
        .expect("the folder")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    paths.sort();
    for path in paths {
        let file = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let module = read(&path);
        let whole = CodeObject { consts: without_code(&module.consts), ..module.clone() };
        measured.add(&whole, &format!("{file}.py"));
        for constant in &module.consts {
            let Const::Code(function) = constant else { continue };
            let test = format!("{file}.py::{}", function.name.to_lossy());
            all_code(function).into_iter().for_each(|code| measured.add(code, &test));
        }
    }
    for case in assembled::cases().iter().filter(|case| case.code.version == PyVersion(minor)) {
        measured.add(&case.code, &format!("{ASSEMBLED}::{}", case.name));
    }
    measured
}

fn without_code(consts: &[Const]) -> Vec<Const> {
    let replace = |constant: &Const| match constant {
        Const::Code(_) => Const::None,
        other => other.clone(),
    };
    consts.iter().map(replace).collect()
}

fn evidence_path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src/evidence.tsv")
}

/// Each line of the evidence: version, opcode, operations, tests.
fn evidence() -> Vec<[String; 4]> {
    let text = std::fs::read_to_string(evidence_path()).expect("the evidence");
    text.lines()
        .map(|line| {
            let fields: Vec<String> = line.split('\t').map(str::to_owned).collect();
            fields.try_into().unwrap_or_else(|_| panic!("four fields: {line}"))
        })
        .collect()
}

#[test]
fn every_opcode_has_a_row_with_a_test() {
    let output = Command::new(env!("CARGO_BIN_EXE_depyf")).args(["coverage", "--json"]).output();
    let output = output.expect("the command runs");
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let rows: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).expect("an object")).collect();
    let mut count = 0;
    for version in versions() {
        for opcode in opcodes(version) {
            let place = format!("{version} {}", opcode.name);
            let row = rows
                .iter()
                .find(|row| row["python"] == version.to_string() && row["opcode"] == opcode.name)
                .unwrap_or_else(|| panic!("{place} has no row"));
            assert_eq!(row["number"], opcode.number, "{place}");
            let ways = row["ways"].as_array().expect("a list");
            let tests = ways.iter().flat_map(|way| way["tests"].as_array().expect("a list"));
            if opcode.maker == Maker::Compiler {
                assert!(tests.count() > 0, "{place}: no test holds it");
                assert_eq!(row["made_by"], "compiler", "{place}");
            } else {
                assert_eq!(tests.count(), 0, "{place} is in no code object");
                assert_ne!(row["made_by"], "compiler", "{place}");
            }
            count += 1;
        }
    }
    assert_eq!(count, rows.len(), "a row is of no opcode");
}

#[test]
fn the_named_tests_hold_the_opcodes() {
    let update = std::env::var_os("DEPYF_UPDATE_COVERAGE").is_some();
    let mut lines: BTreeMap<u8, Vec<String>> = BTreeMap::new();
    for (minor, python) in interpreters() {
        let version = PyVersion(minor);
        let measured = measure(minor, &python);
        if update {
            lines.insert(minor, measured.lines(version));
            continue;
        }
        for [_, opcode, operations, tests] in
            evidence().into_iter().filter(|line| line[0] == version.to_string())
        {
            let place = format!("{version} {opcode} as {operations:?}");
            let found = measured.ways.get(&(opcode, operations));
            let found = found.unwrap_or_else(|| panic!("{place}: no test has that any more"));
            for test in tests.split(' ') {
                assert!(found.contains_key(test), "{place}: {test} does not have it");
            }
        }
        let known: BTreeSet<String> = evidence().into_iter().map(|[_, opcode, ..]| opcode).collect();
        let unknown = measured.ways.keys().find(|(opcode, _)| !known.contains(opcode));
        assert_eq!(unknown, None, "{version}: an opcode of the constructs has no row");
    }
    if update {
        for [version, opcode, operations, tests] in evidence() {
            let minor = versions().find(|known| known.to_string() == version).expect("a version").0;
            if !interpreters().iter().any(|(here, _)| *here == minor) {
                lines.entry(minor).or_default().push([version, opcode, operations, tests].join("\t"));
            }
        }
        let text: String = lines.values().flatten().map(|line| format!("{line}\n")).collect();
        std::fs::write(evidence_path(), text).expect("the evidence is written");
    }
}

#[test]
fn assembled_code_comes_back_or_is_marked() {
    let options = Options { verify: true, on_failure: OnFailure::Mark, ..Options::default() };
    for case in assembled::cases() {
        let place = format!("{} of {}", case.name, case.code.version);
        let done = decompile(&case.code, &options).unwrap_or_else(|error| panic!("{place}: {error}"));
        let is_verified = done.functions.iter().all(|report| report.verdict == Verdict::Verified);
        match case.source {
            Some(source) => assert_eq!((done.text.as_str(), is_verified), (source, true), "{place}"),
            None => {
                assert!(done.text.starts_with("# unverified: ") && !is_verified, "{place}: {}", done.text)
            }
        }
    }
}
