//! Calls the engine on a stack that is deep enough, and turns its failures into Python exceptions.

use std::panic::{AssertUnwindSafe, catch_unwind};

use depyf_bytecode::{CodeObject, Const};
use depyf_decompile::{Decompiled, Error, FunctionReport, Options, SourceMapEntry, VerifyOptions};
use pyo3::exceptions::PySyntaxError;
use pyo3::prelude::*;

/// Bytes of bytecode up to which a caller's stack is deep enough. Each level of nesting takes at least
/// one instruction, and starting a thread costs more than all the work on a function of this size.
const SMALL: usize = 4096;

/// Stack for everything larger: recursion must not depend on the thread that Python happens to be on.
const STACK_BYTES: usize = 64 << 20;

/// Decompiles, off the interpreter lock where that is worth it.
///
/// # Errors
/// `depyf.DecompilationError`; a panic of the engine becomes one as well, because it must never get
/// into a program that is only being looked at.
pub(crate) fn decompile(py: Python<'_>, code: &CodeObject, options: &Options) -> PyResult<Decompiled> {
    let run = || depyf_decompile::decompile(code, options);
    let outcome =
        if bytecode_size(code) <= SMALL { guarded(code, run) } else { py.detach(|| on_big_stack(code, run)) };
    outcome.map_err(|error| to_python(py, error))
}

/// Compares source with a code object, see [`depyf_decompile::verify`].
///
/// # Errors
/// `SyntaxError` where the text is no Python, else as [`decompile`].
pub(crate) fn verify(
    py: Python<'_>,
    code: &CodeObject,
    source: &str,
    function_name: Option<String>,
) -> PyResult<Vec<FunctionReport>> {
    let options = VerifyOptions { function_name };
    let run = || match depyf_parse::parse_module(source) {
        Ok(block) => depyf_decompile::verify(code, &block, &options).map(Ok),
        Err(error) => Ok(Err(error)),
    };
    let outcome = if bytecode_size(code) <= SMALL && source.len() <= SMALL {
        guarded(code, run)
    } else {
        py.detach(|| on_big_stack(code, run))
    };
    match outcome {
        Ok(Ok(reports)) => Ok(reports),
        Ok(Err(error)) => Err(PySyntaxError::new_err((
            error.message,
            ("<source>", error.line, error.column + 1, None::<String>),
        ))),
        Err(error) => Err(to_python(py, error)),
    }
}

/// Makes a line table, see [`depyf_decompile::link`].
///
/// # Errors
/// As [`decompile`].
pub(crate) fn link(
    py: Python<'_>,
    code: &CodeObject,
    source: &str,
    map: &[SourceMapEntry],
    first_line: u32,
) -> PyResult<Vec<u8>> {
    catch_unwind(AssertUnwindSafe(|| depyf_decompile::link(code, source, map, first_line)))
        .unwrap_or_else(|_| Err(internal(code, "linking failed on it; please report this")))
        .map_err(|error| to_python(py, error))
}

fn bytecode_size(code: &CodeObject) -> usize {
    let nested = code.consts.iter().map(|value| match value {
        Const::Code(inner) => bytecode_size(inner),
        _ => 0,
    });
    code.code.len() + nested.sum::<usize>()
}

fn on_big_stack<T: Send>(
    code: &CodeObject,
    run: impl FnOnce() -> Result<T, Error> + Send,
) -> Result<T, Error> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new()
            .name("depyf".to_owned())
            .stack_size(STACK_BYTES)
            .spawn_scoped(scope, || guarded(code, run));
        match thread {
            Ok(handle) => handle.join().unwrap_or_else(|_| Err(internal(code, "the engine's thread died"))),
            Err(error) => Err(internal(code, &format!("no thread could be started: {error}"))),
        }
    })
}

fn guarded<T>(code: &CodeObject, run: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    // Nothing that a panic could leave half-done is seen again: the arguments are only read.
    catch_unwind(AssertUnwindSafe(run))
        .unwrap_or_else(|_| Err(internal(code, "the engine failed on it; please report this")))
}

fn internal(code: &CodeObject, message: &str) -> Error {
    Error {
        message: message.to_owned(),
        offset: 0,
        opcode: String::new(),
        function: code.qualname.to_lossy(),
    }
}

/// The exception is a Python class, so that it has typed attributes under every interpreter.
fn to_python(py: Python<'_>, error: Error) -> PyErr {
    let raised = py
        .import("depyf.errors")
        .and_then(|module| module.getattr("DecompilationError"))
        .and_then(|class| class.call1((error.message, error.offset, error.opcode, error.function)));
    match raised {
        Ok(exception) => PyErr::from_value(exception),
        Err(failure) => failure,
    }
}
