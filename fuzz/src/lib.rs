//! The fuzz targets, as functions of bytes: [`marshal`], [`decode`], [`decompile`] and [`print`].
//!
//! None may panic, run for more than a second per begun 100 kB, or need more than 1 GiB. `cargo fuzz run TARGET`
//! calls them under libFuzzer, `examples/random.rs` with seeded damage and without any of its tools:
//!
//! ```text
//! cargo +nightly fuzz run decompile --sanitizer none -- -timeout=1 -rss_limit_mb=1024 -max_total_time=600
//! cargo run --release --no-default-features --example random -- decompile --seconds 600 SEED...
//! ```

mod code;
mod input;
mod tree;

use std::panic::resume_unwind;

use depyf_bytecode::{CodeObject, Const, read_line_table, recognize, versions, write_line_table};
use depyf_decompile::{Layout, OnFailure, Options, View};
use depyf_syntax::ast::Origin;
use depyf_syntax::{
    ColorSink, Grammar, LineBreaks, Place, Places, PrintOptions, TextSink, print_original, print_parted,
};
use depyf_value::PyVersion;

use crate::input::Input;

/// A target, by its name.
pub type Target = fn(&[u8]);

/// All targets.
pub const TARGETS: [(&str, Target); 4] =
    [("marshal", marshal), ("decode", decode), ("decompile", decompile), ("print", print)];

/// Stack of the thread that works, as the command has it.
const STACK_BYTES: usize = 64 << 20;

/// Reads bytes as a `.pyc` file, as marshalled code of unknown version, and as marshalled objects of each.
pub fn marshal(data: &[u8]) {
    on_deep_stack(|| {
        let _ = recognize(data, None);
        for version in versions() {
            let _ = depyf_bytecode::read_marshal(data, version);
            let _ = recognize(data, Some(version));
        }
    });
}

/// Decodes and lists a code object whose fields the bytes give, and reads and writes its line table.
pub fn decode(data: &[u8]) {
    on_deep_stack(|| {
        for code in all_code(&code::from(&mut Input::new(data))) {
            let _ = depyf_bytecode::decode(code);
            let _ = depyf_bytecode::listing(code);
            let _ = depyf_bytecode::without_instructions(code);
            let rows = read_line_table(code).expect("the version is supported");
            let written = write_line_table(code.version, code.first_line, &rows);
            assert!(written.is_ok(), "the version is supported");
        }
    });
}

/// Decompiles and verifies: a `.pyc` file if the bytes are one, else a code object whose fields they give.
pub fn decompile(data: &[u8]) {
    on_deep_stack(|| {
        let code = match recognize(data, None) {
            Ok(found) => found.code,
            Err(_) => code::from(&mut Input::new(data)),
        };
        // The last byte says how, so that what a file begins with stays what it is.
        let how = data.last().copied().unwrap_or(0);
        let options = Options {
            view: if how & 1 == 0 { View::Exact } else { View::Readable },
            layout: if how & 2 == 0 { Layout::Plain } else { Layout::Original },
            on_failure: if how & 4 == 0 { OnFailure::Mark } else { OnFailure::Error },
            width: (how & 8 != 0).then_some(60),
            color: how & 16 != 0,
            verify: how & 32 == 0,
            ..Options::default()
        };
        let outcome = depyf_decompile::decompile(&code, &options);
        if how & 192 == 192 {
            let _ = depyf_decompile::steps(&code, &options);
        }
        let Ok(done) = outcome else { return };
        assert!(done.map.is_sorted_by_key(|entry| entry.offset), "the map is not sorted");
        let Ok(block) = depyf_parse::parse_module(&done.text) else { return };
        let _ = depyf_decompile::verify(&code, &block, &Default::default());
    });
}

/// Prints a tree in every version's grammar, to every sink: the tree of a source if the bytes are one, else
/// one that they give. What is printed of a source is a source again, which is printed alike.
pub fn print(data: &[u8]) {
    on_deep_stack(|| {
        let source = std::str::from_utf8(data).ok().and_then(|text| depyf_parse::parse_module(text).ok());
        let is_source = source.is_some();
        let block = source.unwrap_or_else(|| tree::block(&mut Input::new(data)));
        for version in versions() {
            let options = PrintOptions { grammar: Grammar::of(version), ..PrintOptions::default() };
            let narrow = PrintOptions { width: Some(20), ..options };
            let printed = depyf_syntax::print(&block, &options);
            let _ = depyf_syntax::print(&block, &narrow);
            depyf_syntax::print_to(&block, &narrow, &mut ColorSink::default());
            for width in [None, Some(20)] {
                let breaks = LineBreaks { pairs: true, ..LineBreaks::default() };
                let options = PrintOptions { width, ..options };
                print_parted(&block, &options, &breaks, &mut TextSink::default());
            }
            let mut sink = TextSink::default();
            print_original(&block, &options, &Damaged(data), &mut sink);
            if is_source && version == PyVersion::NEWEST {
                assert_again(&printed.text, &options);
                assert_again(&sink.text, &options);
            }
        }
    });
}

/// A printed source must be one, and be printed alike when it is read.
fn assert_again(text: &str, options: &PrintOptions) {
    let block = depyf_parse::parse_module(text).unwrap_or_else(|error| panic!("{error}:\n{text}"));
    let again = depyf_syntax::print(&block, options).text;
    let block = depyf_parse::parse_module(&again).unwrap_or_else(|error| panic!("{error}:\n{again}"));
    assert_eq!(depyf_syntax::print(&block, options).text, again);
}

/// Lines that make no sense.
struct Damaged<'a>(&'a [u8]);

impl Places for Damaged<'_> {
    fn place(&self, origin: Origin) -> Option<Place> {
        let byte = *self.0.get(origin.0 as usize % self.0.len().max(1))?;
        let line = match byte {
            0..=3 => return None,
            255 => u32::MAX,
            _ => u32::from(byte) + origin.0 % 64,
        };
        Some(Place { line, end_line: (byte % 2 == 0).then(|| line.wrapping_add(u32::from(byte) % 7)) })
    }
}

fn all_code(code: &CodeObject) -> Vec<&CodeObject> {
    let mut found = vec![code];
    for constant in &code.consts {
        if let Const::Code(inner) = constant {
            found.extend(all_code(inner));
        }
    }
    found
}

fn on_deep_stack(run: impl FnOnce() + Send) {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, run);
        if let Err(panic) = thread.expect("a thread").join() {
            resume_unwind(panic);
        }
    });
}
