//! Compares .pyc files with sources: `verify LIST`, each line of LIST a .pyc file and a source.
//!
//! Prints each code object that is not verified, and figures at the end.

#![allow(clippy::print_stdout, reason = "a program")]

use depyf_decompile::Verdict;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let list = std::env::args().nth(1).ok_or("usage: verify LIST")?;
    let (mut verified, mut all, mut files, mut spent) = (0, 0, 0, std::time::Duration::ZERO);
    for line in std::fs::read_to_string(list)?.lines() {
        let mut paths = line.split_whitespace();
        let (Some(pyc), Some(source)) = (paths.next(), paths.next()) else { continue };
        let code = depyf_bytecode::read_pyc(&std::fs::read(pyc)?)?.code;
        let Ok(text) = String::from_utf8(std::fs::read(source)?) else { continue };
        let block = match depyf_parse::parse_module(text.trim_start_matches('\u{feff}')) {
            Ok(block) => block,
            Err(error) => {
                println!("{pyc}: {error}");
                continue;
            }
        };
        let start = std::time::Instant::now();
        let reports = depyf_decompile::verify(&code, &block, &Default::default());
        spent += start.elapsed();
        files += 1;
        match reports {
            Ok(reports) => {
                for report in reports {
                    all += 1;
                    match report.verdict {
                        Verdict::Unverified(found) => println!(
                            "{source}:{}: {} [{} at {}] in {} of {pyc}",
                            found.line.unwrap_or(report.line),
                            found.message,
                            found.opcode,
                            found.offset,
                            report.qualname
                        ),
                        _ => verified += 1,
                    }
                }
            }
            Err(error) => println!("{pyc}: {error}"),
        }
    }
    println!("{verified} of {all} code objects of {files} files are verified, in {spent:?}");
    Ok(())
}
