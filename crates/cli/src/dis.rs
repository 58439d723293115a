//! `depyf dis`.

use std::io;

use depyf_bytecode::{CodeObject, Const, listing};

use crate::console::Console;
use crate::{DisArgs, inputs};

/// Prints the listing of each input, nested code behind what holds it.
///
/// # Errors
/// Where standard output takes no more.
pub(crate) fn run(args: &DisArgs, console: &mut Console) -> io::Result<()> {
    let inputs = inputs::expand(&args.paths);
    let many = inputs.len() > 1;
    for input in inputs {
        let listed = input.and_then(|input| Ok((inputs::read(&input.path)?, input)));
        match listed {
            Ok((code, input)) => {
                if many {
                    console.heading(&input.path.display().to_string())?;
                }
                list(&code, console)?;
            }
            Err(sentence) => console.fail(&sentence),
        }
    }
    Ok(())
}

fn list(code: &CodeObject, console: &mut Console) -> io::Result<()> {
    console.heading(&format!("{}, line {}, Python {}", code.qualname, code.first_line, code.version))?;
    console.print(&listing(code))?;
    console.print("\n")?;
    for constant in &code.consts {
        if let Const::Code(inner) = constant {
            list(inner, console)?;
        }
    }
    Ok(())
}
