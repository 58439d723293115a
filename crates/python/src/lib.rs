//! `depyf._native`: the decompiler as a Python module.
//!
//! Thin on purpose: it turns live code objects into [`depyf_bytecode::CodeObject`], calls the engine and
//! raises its errors. What users see, with its defaults and its documentation, is in `python/depyf`.

mod constants;
mod engine;
mod reader;

use std::ffi::OsString;

use depyf_decompile::{FunctionReport, Layout, OnFailure, Options, SourceMapEntry, Verdict, View};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCode, PyDict};

use crate::reader::Reader;

/// Where an instruction went: offset, line (from 1) and column (from 0) of the start, then of the end.
type Place = (u32, u32, u32, u32, u32);
/// Why a function is not verified: the reason, with offset, operation and line of the source.
type Why = (String, u32, String, Option<u32>);
/// What is known about one code object: its name, and if it is not verified why.
type Found = (String, Option<Why>);
/// A function that was printed: its name, its line, whether it was checked, and if it is not verified why.
type Report = (String, u32, bool, Option<Why>);
/// Source, and where each instruction went with what is known about each function.
type Source = (String, Option<(Vec<Place>, Vec<Report>)>);

/// The module's functions.
#[pymodule(gil_used = false)]
mod _native {
    #[pymodule_export]
    use super::{cli_main, constants_of, decompile, link, listing, verify};

    /// The version that `Cargo.toml` gives, for `depyf.__version__`.
    #[pymodule_export]
    #[allow(non_upper_case_globals)] // the name that Python sees
    const __version__: &str = env!("CARGO_PKG_VERSION");
}

/// Decompiles a code object; with `source_map`, says where each instruction went and what was verified.
#[pyfunction]
#[pyo3(signature = (
    code, view, source_map=false, function_name=None, width=None, indent=4, temp_prefix=None, verify=true,
    on_failure="error", layout="plain"
))]
#[allow(clippy::too_many_arguments)] // one parameter for each keyword that Python passes
fn decompile(
    code: &Bound<'_, PyCode>,
    view: &str,
    source_map: bool,
    function_name: Option<String>,
    width: Option<usize>,
    indent: usize,
    temp_prefix: Option<String>,
    verify: bool,
    on_failure: &str,
    layout: &str,
) -> PyResult<Source> {
    let view = match view {
        "exact" => View::Exact,
        "readable" => View::Readable,
        other => {
            return Err(PyValueError::new_err(format!("view must be 'exact' or 'readable', not {other:?}")));
        }
    };
    let on_failure = match on_failure {
        "error" => OnFailure::Error,
        "mark" => OnFailure::Mark,
        other => {
            return Err(PyValueError::new_err(format!(
                "on_failure must be 'error' or 'mark', not {other:?}"
            )));
        }
    };
    let layout = match layout {
        "plain" => Layout::Plain,
        "original" => Layout::Original,
        other => {
            return Err(PyValueError::new_err(format!(
                "layout must be 'plain' or 'original', not {other:?}"
            )));
        }
    };
    let py = code.py();
    let options = Options {
        view,
        layout,
        function_name,
        width,
        indent,
        temp_prefix: temp_prefix.unwrap_or_default(),
        on_failure,
        verify,
        optimization: py.import("sys")?.getattr("flags")?.getattr("optimize")?.extract().unwrap_or(2),
        ..Options::default()
    };
    let code = Reader::new(code)?.read()?;
    let done = engine::decompile(py, &code, &options)?;
    let place = |at: &SourceMapEntry| (at.offset, at.line, at.column, at.end_line, at.end_column);
    let found = source_map.then(|| {
        let functions = done.functions.into_iter().map(|report| {
            let checked = report.verdict != Verdict::Unchecked;
            (report.qualname, report.line, checked, why(report.verdict))
        });
        (done.map.iter().map(place).collect(), functions.collect())
    });
    Ok((done.text, found))
}

/// Why a function is not verified.
fn why(verdict: Verdict) -> Option<Why> {
    match verdict {
        Verdict::Verified => None,
        Verdict::Unverified(found) => Some((found.message, found.offset, found.opcode, found.line)),
        Verdict::Unchecked => Some(("nobody looked".to_owned(), 0, String::new(), None)),
    }
}

/// Compares source with a code object; the first result is its own, those of nested ones follow.
#[pyfunction]
#[pyo3(signature = (code, source, function_name=None))]
fn verify(code: &Bound<'_, PyCode>, source: &str, function_name: Option<String>) -> PyResult<Vec<Found>> {
    let py = code.py();
    let code = Reader::new(code)?.read()?;
    let reports = engine::verify(py, &code, source, function_name)?;
    let found = reports.into_iter().map(|FunctionReport { qualname, verdict, .. }| (qualname, why(verdict)));
    Ok(found.collect())
}

/// The line table by which a code object stands in a file whose line `first_line` is the first of `source`.
#[pyfunction]
fn link<'py>(
    code: &Bound<'py, PyCode>,
    source: &str,
    places: Vec<Place>,
    first_line: u32,
) -> PyResult<Bound<'py, PyBytes>> {
    let py = code.py();
    let code = Reader::new(code)?.read()?;
    let map: Vec<SourceMapEntry> = places
        .into_iter()
        .map(|(offset, line, column, end_line, end_column)| SourceMapEntry {
            offset,
            line,
            column,
            end_line,
            end_column,
        })
        .collect();
    Ok(PyBytes::new(py, &engine::link(py, &code, source, &map, first_line)?))
}

/// The objects that stand in the source as `__const_N`, by name.
#[pyfunction]
fn constants_of<'py>(code: &Bound<'py, PyCode>) -> PyResult<Bound<'py, PyDict>> {
    let mut reader = Reader::new(code)?;
    reader.read()?;
    let names = PyDict::new(code.py());
    for (name, value) in reader.into_opaque() {
        names.set_item(name, value)?;
    }
    Ok(names)
}

/// The bytecode of one code object as text, the same in every run.
#[pyfunction]
fn listing(code: &Bound<'_, PyCode>) -> PyResult<String> {
    Ok(depyf_bytecode::listing(&Reader::new(code)?.read()?))
}

/// The `depyf` command: takes `sys.argv`, returns the exit code.
#[pyfunction]
fn cli_main(py: Python<'_>, argv: Vec<OsString>) -> u8 {
    py.detach(|| depyf_cli::run(argv))
}
