//! `depyf steps`.

use std::io;

use depyf_bytecode::CodeObject;
use depyf_decompile::{Options, Steps};

use crate::arguments::StepsArgs;
use crate::console::Console;
use crate::dis::all_code;
use crate::inputs::Input;

/// Prints one function after each pass.
///
/// # Errors
/// Where standard output takes no more.
pub(crate) fn run(args: &StepsArgs, console: &mut Console) -> io::Result<()> {
    let input = Input::new(&args.path, args.python);
    let found = match input.read() {
        Ok(found) => found,
        Err(sentence) => {
            console.fail(&sentence);
            return Ok(());
        }
    };
    let code = match choose(&found.code, &args.function) {
        Ok(code) => code,
        Err(sentence) => {
            console.fail(&format!("{}: {sentence}", input.shown()));
            return Ok(());
        }
    };
    let options =
        Options { view: args.view.into(), optimization: input.optimization(), ..Options::default() };
    let Steps { steps, error } = depyf_decompile::steps(code, &options);
    let mut before = "";
    let mut printed = false;
    for (at, step) in steps.iter().enumerate() {
        let changed = step.text != before;
        before = &step.text;
        if args.pass.as_ref().is_some_and(|pass| pass != step.name) || args.changes && !changed {
            continue;
        }
        printed = true;
        console.heading(&format!("{at}. {}: {}", step.name, step.place))?;
        if changed || args.pass.is_some() {
            console.print(&step.text)?;
        } else {
            console.print("(no change)\n")?;
        }
        console.print("\n")?;
    }
    if let (Some(pass), false) = (&args.pass, printed) {
        let known: Vec<&str> = steps.iter().map(|step| step.name).collect();
        console.fail(&format!("no pass is called {pass}; those that ran: {}", known.join(", ")));
    }
    if let Some(error) = error {
        console.fail(&format!("{}: the next pass fails: {error}", input.shown()));
    }
    Ok(())
}

/// The code object of that qualified name, or the only one of that name.
fn choose<'a>(module: &'a CodeObject, name: &str) -> Result<&'a CodeObject, String> {
    let all = all_code(module);
    // To 3.10 code objects know their own names only.
    let own = |code: &&CodeObject| code.qualname == *name || code.name == *name;
    if let Some(code) = all.iter().copied().find(|code| code.qualname == *name) {
        return Ok(code);
    }
    let matching: Vec<&CodeObject> = all.iter().copied().filter(own).collect();
    match &matching[..] {
        [code] => Ok(code),
        [] => {
            let mut known: Vec<String> = all.iter().map(|code| code.qualname.to_lossy()).collect();
            known.dedup();
            known.truncate(20);
            Err(format!("there is no function {name}; it has {}", known.join(", ")))
        }
        several => {
            let names: Vec<String> =
                several.iter().map(|code| format!("{} (line {})", code.qualname, code.first_line)).collect();
            Err(format!("{name} is ambiguous; choose one of {}", names.join(", ")))
        }
    }
}
