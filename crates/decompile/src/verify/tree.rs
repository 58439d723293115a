//! From one function to all that is nested in it.

use std::collections::HashSet;

use depyf_bytecode::{CodeObject, CompilerFeatures, Const, Function, Op};
use depyf_syntax::ast::{self, Origin, Stmt, StmtKind};

use super::{Verified, verify};
use crate::lower::{self, LowerError, LowerOptions, Lowered, LoweredConst, Surroundings};
use crate::{Divergence, Error, FunctionReport, Verdict, VerifyOptions, flow};

/// See [`crate::verify`].
pub(crate) fn verify_tree(
    code: &CodeObject,
    block: &[Stmt],
    options: &VerifyOptions,
) -> Result<Vec<FunctionReport>, Error> {
    let mut best: Option<Vec<FunctionReport>> = None;
    // A code object does not say with which `-O` it was compiled.
    for optimize in 0..=2 {
        let lowered = lowered(code, block, options, optimize).map_err(|error| Error {
            message: match line(error.origin) {
                Some(line) => format!("{} (line {line})", error.message),
                None => error.message,
            },
            offset: 0,
            opcode: String::new(),
            function: code.qualname.to_lossy(),
        })?;
        let reports = verify_all(code, &lowered, &line);
        let verified = |reports: &[FunctionReport]| {
            reports.iter().filter(|report| report.verdict == Verdict::Verified).count()
        };
        let done = verified(&reports) == reports.len();
        if best.as_ref().is_none_or(|best| verified(best) < verified(&reports)) {
            best = Some(reports);
        }
        if done {
            break;
        }
    }
    Ok(best.unwrap_or_default())
}

/// The line of a parsed statement.
fn line(origin: Origin) -> Option<u32> {
    (origin != Origin::NONE).then_some(origin.0)
}

/// The module, or the function of it that stands for the code object, as operations.
fn lowered(
    code: &CodeObject,
    block: &[Stmt],
    options: &VerifyOptions,
    optimize: u8,
) -> Result<Lowered, LowerError> {
    let fail = |message: String| LowerError { message, origin: Origin::NONE };
    let compiler = CompilerFeatures::of(code.version)
        .ok_or_else(|| fail(format!("Python {} is not supported", code.version)))?;
    let future_annotations = code.flags & compiler.future_annotations_flag != 0;
    let lower = LowerOptions { compiler, optimize, future_annotations };
    if code.name == "<module>" {
        return lower::lower_module(&block.to_vec(), &lower);
    }
    let functions: Vec<&ast::Function> = block
        .iter()
        .filter_map(|statement| match &statement.kind {
            StmtKind::Function(function) => Some(&**function),
            _ => None,
        })
        .collect();
    let found = match (&options.function_name, &functions[..]) {
        (Some(name), _) => functions.iter().rfind(|function| function.name == name.as_str()),
        (None, [only]) => Some(only),
        (None, _) => functions.iter().rfind(|function| function.name == code.name),
    };
    let function =
        found.ok_or_else(|| fail("the source has no such function at its top level".to_owned()))?;
    let surroundings = Surroundings { free: code.freevars.clone(), ..Surroundings::default() };
    let mut lowered = lower::lower_function(function, &surroundings, &lower)?;
    // The source may give the function a name of its own.
    lowered.name = code.name.clone();
    Ok(lowered)
}

/// Compares a code object and everything nested in it; the first report is its own.
fn verify_all(
    code: &CodeObject,
    lowered: &Lowered,
    line_of: &dyn Fn(Origin) -> Option<u32>,
) -> Vec<FunctionReport> {
    let mut reports = Vec::new();
    let mut seen = HashSet::new();
    let mut work = vec![(code, lowered, String::new())];
    while let Some((code, lowered, prefix)) = work.pop() {
        if !seen.insert((std::ptr::from_ref(code), std::ptr::from_ref(lowered))) {
            continue;
        }
        let qualname = format!("{prefix}{}", code.name.to_lossy());
        let line = lowered.locations.iter().find_map(|&origin| line_of(origin)).unwrap_or(1);
        let (function, found) = match prepared(code) {
            Ok(function) => {
                let found = verify(code, &function, &[], lowered, line_of);
                (Some(function), found)
            }
            Err(divergence) => {
                (None, Verified { verdict: Verdict::Unverified(divergence), nested: Vec::new() })
            }
        };
        let inner = match &code.name {
            name if *name == "<module>" => String::new(),
            _ if code.flags & depyf_bytecode::flags::OPTIMIZED == 0 => format!("{qualname}."),
            _ => format!("{qualname}.<locals>."),
        };
        let mut pairs = found.nested;
        if found.verdict != Verdict::Verified
            && let Some(function) = &function
        {
            pair_the_rest(code, function, lowered, &mut pairs);
        }
        // The first that was met comes first.
        work.extend(pairs.into_iter().rev().map(|(code, lowered)| (code, lowered, inner.clone())));
        reports.push(FunctionReport { qualname, line, verdict: found.verdict });
    }
    reports
}

/// The operations of a code object as the verifier takes them.
fn prepared(code: &CodeObject) -> Result<Function, Divergence> {
    let mut function = depyf_bytecode::decode(code).map_err(|error| Divergence {
        message: error.message.clone(),
        offset: error.offset as u32,
        opcode: String::new(),
        line: None,
    })?;
    flow::erase_unreachable(&mut function);
    flow::separate_comprehension_locals(&mut function);
    Ok(function)
}

/// Behind the place where a function diverges its nested code is paired by name, in order.
fn pair_the_rest<'c, 'l>(
    code: &'c CodeObject,
    function: &Function,
    lowered: &'l Lowered,
    pairs: &mut Vec<(&'c CodeObject, &'l Lowered)>,
) {
    let mut rest: Vec<&'l Lowered> = lowered
        .consts
        .iter()
        .filter_map(|value| match value {
            LoweredConst::Code(nested) => Some(&**nested),
            LoweredConst::Value(_) => None,
        })
        .filter(|nested| !pairs.iter().any(|(_, known)| std::ptr::eq(*known, *nested)))
        .collect();
    for (at, value) in code.consts.iter().enumerate() {
        let Const::Code(nested) = value else { continue };
        let loaded = function.instructions.iter().any(|instruction| instruction.op == Op::Const(at as u32));
        if !loaded || pairs.iter().any(|(known, _)| std::ptr::eq(*known, &**nested)) {
            continue;
        }
        if let Some(found) = rest.iter().position(|lowered| lowered.name == nested.name) {
            pairs.push((nested, rest.remove(found)));
        }
    }
}
