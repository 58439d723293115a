//! One line of `depyf decompile --json`, and what `depyf verify --json` prints.

use std::io;

use depyf_decompile::{FunctionReport, Verdict};
use depyf_value::PyVersion;
use serde::Serialize;

use crate::decompile::{Done, Failure};

/// A file: its source and what is known about it, or why there is none.
#[derive(Serialize)]
pub(crate) struct Row<'a> {
    path: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    python: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<&'a str>,
    /// The worst of the functions' verdicts.
    #[serde(skip_serializing_if = "Option::is_none")]
    verdict: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    functions: Option<Vec<FunctionRow<'a>>>,
    /// Offset in the module's bytecode, line from 1, column from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    map: Option<Vec<(u32, u32, u32)>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<ErrorRow<'a>>,
}

#[derive(Serialize)]
struct FunctionRow<'a> {
    qualname: &'a str,
    line: u32,
    verdict: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    divergence: Option<ErrorRow<'a>>,
}

#[derive(Default, Serialize)]
struct ErrorRow<'a> {
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    function: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    offset: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    opcode: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
}

impl<'a> Row<'a> {
    fn empty(path: &'a str) -> Self {
        Row { path, python: None, source: None, verdict: None, functions: None, map: None, error: None }
    }

    pub(crate) fn of(path: &'a str, outcome: &'a Result<Done, Failure>) -> Self {
        let empty = Self::empty(path);
        match outcome {
            Ok(Done { version, decompiled, .. }) => Row {
                python: Some(version.to_string()),
                source: Some(&decompiled.text),
                verdict: Some(worst(&decompiled.functions)),
                functions: Some(decompiled.functions.iter().map(function).collect()),
                map: Some(decompiled.map.iter().map(|at| (at.offset, at.line, at.column)).collect()),
                ..empty
            },
            Err(Failure::Unreadable(message)) => {
                Row { error: Some(ErrorRow { message, ..ErrorRow::default() }), ..empty }
            }
            Err(Failure::Undecompilable(error)) => {
                let error = ErrorRow {
                    message: &error.message,
                    function: Some(&error.function),
                    offset: Some(error.offset),
                    opcode: Some(&error.opcode),
                    line: None,
                };
                Row { error: Some(error), ..empty }
            }
            Err(Failure::Internal) => {
                Row { error: Some(ErrorRow { message: "internal error", ..ErrorRow::default() }), ..empty }
            }
        }
    }

    /// What a file's functions do, compared with a source; or why they were not.
    pub(crate) fn compared(
        path: &'a str,
        compared: Result<(PyVersion, &'a [FunctionReport]), &'a str>,
    ) -> Self {
        let empty = Self::empty(path);
        match compared {
            Ok((version, functions)) => Row {
                python: Some(version.to_string()),
                verdict: Some(worst(functions)),
                functions: Some(functions.iter().map(function).collect()),
                ..empty
            },
            Err(message) => Row { error: Some(ErrorRow { message, ..ErrorRow::default() }), ..empty },
        }
    }

    /// The object and a line break.
    pub(crate) fn line(&self) -> io::Result<String> {
        Ok(serde_json::to_string(self)? + "\n")
    }
}

fn function(report: &FunctionReport) -> FunctionRow<'_> {
    let divergence = match &report.verdict {
        Verdict::Unverified(divergence) => Some(ErrorRow {
            message: &divergence.message,
            function: None,
            offset: Some(divergence.offset),
            opcode: Some(&divergence.opcode),
            line: divergence.line,
        }),
        Verdict::Verified | Verdict::Unchecked => None,
    };
    FunctionRow { qualname: &report.qualname, line: report.line, verdict: name(&report.verdict), divergence }
}

fn name(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Verified => "verified",
        Verdict::Unverified(_) => "unverified",
        Verdict::Unchecked => "unchecked",
    }
}

fn worst(functions: &[FunctionReport]) -> &'static str {
    let has = |wanted: &str| functions.iter().any(|report| name(&report.verdict) == wanted);
    ["unverified", "unchecked"].into_iter().find(|verdict| has(verdict)).unwrap_or("verified")
}
