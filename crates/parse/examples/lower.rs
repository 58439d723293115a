//! `lower MINOR FILE...`: lists what Python source means to the compiler of 3.MINOR.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "it is a program")]

use depyf_value::PyVersion;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let minor = arguments.next().and_then(|minor| minor.parse().ok()).unwrap_or(12);
    let paths: Vec<String> = arguments.collect();
    let work = move || {
        for path in paths {
            let bytes = std::fs::read(&path).unwrap_or_default();
            let text = String::from_utf8_lossy(&bytes);
            println!("file {path}");
            match depyf_parse::parse_module(text.trim_start_matches('\u{feff}')) {
                Err(error) => println!("no source: {error}"),
                Ok(block) => match depyf_decompile::lowering(&block, PyVersion(minor)) {
                    Ok(listing) => print!("{listing}"),
                    Err(error) => println!("not lowered: {error}"),
                },
            }
        }
    };
    let thread = std::thread::Builder::new().stack_size(64 << 20).spawn(work);
    if let Ok(thread) = thread {
        let _ = thread.join();
    }
}
