//! `depyf verify`.

use std::fs;
use std::io;

use depyf_decompile::{FunctionReport, Verdict};
use depyf_value::PyVersion;

use crate::arguments::VerifyArgs;
use crate::console::Console;
use crate::inputs::Input;
use crate::row::Row;

/// Compares a file of bytecode with a source, function by function.
///
/// # Errors
/// Where standard output takes no more.
pub(crate) fn run(args: &VerifyArgs, console: &mut Console) -> io::Result<()> {
    let compared = compare(args);
    if args.json {
        let found = compared.as_ref().map(|(version, reports)| (*version, &reports[..]));
        let shown = args.path.display().to_string();
        console.print(&Row::compared(&shown, found.map_err(String::as_str)).line()?)?;
    }
    let reports = match compared {
        Ok((_, reports)) => reports,
        Err(sentence) => {
            console.fail(&sentence);
            return Ok(());
        }
    };
    let source = args.source.display();
    for report in &reports {
        match &report.verdict {
            Verdict::Unverified(divergence) => {
                let line = divergence.line.unwrap_or(report.line);
                console.fail(&format!("{source}:{line}: {} is unverified: {divergence}", report.qualname));
            }
            Verdict::Unchecked => {
                console.fail(&format!("{source}:{}: {} was not compared", report.line, report.qualname));
            }
            Verdict::Verified => {}
        }
    }
    if args.json {
        return Ok(());
    }
    let verified = reports.iter().filter(|report| report.verdict == Verdict::Verified).count();
    console.print(&format!("{source}: {verified} of {} code objects verified\n", reports.len()))
}

fn compare(args: &VerifyArgs) -> Result<(PyVersion, Vec<FunctionReport>), String> {
    let input = Input::new(&args.path, args.python);
    let found = input.read()?;
    let source = args.source.display();
    let text = fs::read_to_string(&args.source).map_err(|error| format!("{source}: {error}"))?;
    let block = depyf_parse::parse_module(text.trim_start_matches('\u{feff}'))
        .map_err(|error| format!("{source}: {error}"))?;
    let reports = depyf_decompile::verify(&found.code, &block, &depyf_decompile::VerifyOptions::default())
        .map_err(|error| format!("{source}: {error}"))?;
    Ok((found.code.version, reports))
}
