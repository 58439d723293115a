//! Source -> the interpreter's tree -> ours -> print -> the interpreter's tree: the same as before.
//!
//! Each version that has an interpreter here judges what is printed for it. `DEPYF_LIBRARY_FILES=5000`
//! takes all of its standard library rather than a sample.

mod support;

use depyf_syntax::{Grammar, PrintOptions, Printed, print};
use std::path::Path;
use support::build::Builder;
use support::on_deep_stack;
use support::oracle::{self, Oracle};
use support::sexp::Sexp;

/// Never broken, the usual width, and so narrow that everything that can break does.
const WIDTHS: [Option<usize>; 4] = [None, Some(100), Some(40), Some(1)];

fn printed(tree: &Sexp, oracle: &Oracle, width: Option<usize>) -> Printed {
    let block = Builder::default().module(tree);
    print(&block, &PrintOptions { grammar: Grammar::of(oracle.version), width, ..PrintOptions::default() })
}

/// What is wrong with the print of `source`, if anything. Sources that this version does not parse pass.
fn check(oracle: &mut Oracle, source: &str, widths: &[Option<usize>]) -> Result<bool, String> {
    let Ok(answer) = oracle.ask("tree", &[source]) else { return Ok(false) };
    let tree = Sexp::parse(&answer);
    for width in widths {
        let text = printed(&tree, oracle, *width).text;
        oracle.ask("compare", &[source, &text]).map_err(|message| {
            let shown: String = text.chars().take(2_000).collect();
            format!("Python {}, width {width:?}: {message}\n{shown}", oracle.version)
        })?;
    }
    Ok(true)
}

#[test]
fn snippets_survive_in_every_version() {
    on_deep_stack(|| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/printer_snippets.jsonl");
        let path = path.to_str().expect("a path of Unicode");
        let mut failures = Vec::new();
        for mut oracle in oracle::all() {
            let snippets = oracle.list("snippets", path);
            let mut parsed = 0;
            for snippet in &snippets {
                match check(&mut oracle, snippet, &WIDTHS) {
                    Ok(known) => parsed += usize::from(known),
                    Err(message) => failures.push(format!("{snippet}{message}")),
                }
            }
            assert!(parsed * 10 > snippets.len() * 7, "Python {} parses only {parsed}", oracle.version);
        }
        assert!(failures.is_empty(), "{} failures\n{}", failures.len(), failures.join("\n\n"));
    });
}

#[test]
fn library_files_survive_in_every_version() {
    on_deep_stack(|| {
        let count = std::env::var("DEPYF_LIBRARY_FILES").unwrap_or_else(|_| "50".to_owned());
        let mut failures = Vec::new();
        for mut oracle in oracle::all() {
            let mut parsed = 0;
            for path in oracle.list("library", &count) {
                // Files in other encodings, and those that are wrong on purpose.
                let Ok(answer) = oracle.ask("file", &[&path]) else { continue };
                let source = oracle::decode_text(&answer);
                match check(&mut oracle, &source, &[Some(40)]) {
                    Ok(known) => parsed += usize::from(known),
                    Err(message) => failures.push(format!("{path}\n{message}")),
                }
            }
            assert!(parsed >= 40, "Python {} parses only {parsed}", oracle.version);
        }
        assert!(failures.is_empty(), "{} failures\n{}", failures.len(), failures.join("\n\n"));
    });
}

/// Positions of f-strings' fields are wrong in the interpreters before 3.12, so newer ones judge.
#[test]
fn source_map_holds_where_each_expression_begins_and_ends() {
    on_deep_stack(|| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/printer_snippets.jsonl");
        let path = path.to_str().expect("a path of Unicode");
        for mut oracle in oracle::all() {
            if !Grammar::of(oracle.version).nested_quotes {
                continue;
            }
            let mut checked = 0;
            for snippet in oracle.list("snippets", path) {
                let Ok(answer) = oracle.ask("tree", &[&snippet]) else { continue };
                let tree = Sexp::parse(&answer);
                for width in WIDTHS {
                    let printed = printed(&tree, &oracle, width);
                    let places = oracle.ask("places", &[&printed.text]).expect("it parses");
                    checked += check_map(&printed, &places, width.is_none());
                }
            }
            assert!(checked > 2_000, "only {checked} positions");
        }
    });
}

/// How many positions agree; one that does not is a failure.
fn check_map(printed: &Printed, places: &str, with_ends: bool) -> usize {
    let places: Vec<_> = places.split(' ').collect();
    let mut checked = 0;
    for entry in &printed.map {
        let mut parts = places[entry.offset as usize].split(':');
        let kind = parts.next().expect("a kind");
        // The only argument of a call begins, for the interpreter, at the bracket of the call.
        if kind == "GeneratorExp" {
            continue;
        }
        let expected: Vec<u32> = parts.map(|part| part.parse().expect("a number")).collect();
        let place = [entry.line, entry.column, entry.end_line, entry.end_column];
        // Parentheses that a line break asks for may belong to a tuple or not; it ends before them.
        let compared = if with_ends { 4 } else { 2 };
        assert_eq!(
            place[..compared],
            expected[..compared],
            "{kind}, expression {} of\n{}",
            entry.offset,
            printed.text
        );
        checked += 1;
    }
    checked
}
