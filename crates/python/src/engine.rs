//! Calls the engine on a stack that is deep enough, and turns its failures into Python exceptions.

use std::panic::{AssertUnwindSafe, catch_unwind};

use depyf_bytecode::{CodeObject, Const};
use depyf_decompile::{Decompiled, Error, Options, SourceMapEntry};
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
    let outcome = if bytecode_size(code) <= SMALL {
        guarded(code, options)
    } else {
        py.detach(|| on_big_stack(code, options))
    };
    outcome.map_err(|error| to_python(py, error))
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

fn on_big_stack(code: &CodeObject, options: &Options) -> Result<Decompiled, Error> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new()
            .name("depyf".to_owned())
            .stack_size(STACK_BYTES)
            .spawn_scoped(scope, || guarded(code, options));
        match thread {
            Ok(handle) => handle.join().unwrap_or_else(|_| Err(internal(code, "the engine's thread died"))),
            Err(error) => Err(internal(code, &format!("no thread could be started: {error}"))),
        }
    })
}

fn guarded(code: &CodeObject, options: &Options) -> Result<Decompiled, Error> {
    // Nothing that a panic could leave half-done is seen again: both arguments are only read.
    catch_unwind(AssertUnwindSafe(|| depyf_decompile::decompile(code, options)))
        .unwrap_or_else(|_| Err(internal(code, "the decompiler failed on it; please report this")))
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
