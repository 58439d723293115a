//! From one function to all that is nested in it.

use std::collections::VecDeque;
use std::ptr;
use std::rc::Rc;

use crate::hash::{HashMap, HashSet, RandomState};

use depyf_bytecode::{CodeObject, CompilerFeatures, Const, Function, VariableKind};
use depyf_syntax::ast::{self, Origin, Stmt, StmtKind};

use depyf_value::PyStr;

use super::side::Nested;
use super::{Memory, Verified, header_difference, verify};
use crate::decoded::Decoded;
use crate::lower::{
    self, LowerError, LowerOptions, LowerResult, Lowered, LoweredConst, Optional, Surroundings,
};
use crate::names::Names;
use crate::{Divergence, Error, FunctionReport, Verdict, VerifyOptions, flow, visit};

/// See [`crate::verify`].
pub(crate) fn verify_tree(
    code: &CodeObject,
    block: &[Stmt],
    options: &VerifyOptions,
) -> Result<Vec<FunctionReport>, Error> {
    let mut best: Option<Vec<FunctionReport>> = None;
    // A code object does not say with which `-O` it was compiled; and where annotations became strings, the
    // source of a function may spell them so already.
    let ways =
        (0..=2).flat_map(|optimize| [(optimize, Annotations::Compiled), (optimize, Annotations::Spelled)]);
    let mut optional = Optional { assertions: true, docstrings: true };
    for (optimize, annotations) in ways {
        // What would give the same operations again is left out.
        let changes = match optimize {
            0 => true,
            1 => optional.assertions,
            _ => optional.docstrings,
        };
        if !changes || annotations == Annotations::Spelled && !has_annotation_texts(code) {
            continue;
        }
        let lowered = lowered(code, block, options.function_name.as_deref(), optimize, annotations).map_err(
            |error| Error {
                message: match line(error.origin) {
                    Some(line) => format!("{} (line {line})", error.message),
                    None => error.message,
                },
                offset: 0,
                opcode: String::new(),
                function: code.qualname.to_lossy(),
            },
        )?;
        if optimize == 0 {
            optional = lowered.optional;
        }
        let checked = verify_all(code, &lowered, &Decoded::default(), &line);
        let reports: Vec<FunctionReport> = checked
            .into_iter()
            .map(|found| FunctionReport {
                line: line(found.lowered.origin).unwrap_or(1),
                qualname: found.around.qualname(found.code),
                verdict: found.verdict,
            })
            .collect();
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

/// Whether the annotations of a function became strings.
fn has_annotation_texts(code: &CodeObject) -> bool {
    code.name != "<module>" && code.has_annotation_texts()
}

/// What the annotations of a function mean that stands by itself, without the `from __future__ import
/// annotations` of its module. A module has its own.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Annotations {
    /// They are turned into strings if those of the code object were.
    Compiled,
    /// They are evaluated: what became a string is spelled as one.
    Spelled,
    /// The same, and the tree is yet to be printed: no source has given the fields of its t-strings their texts.
    Printed,
}

/// The line of a parsed statement.
fn line(origin: Origin) -> Option<u32> {
    (origin != Origin::NONE).then_some(origin.0)
}

/// The module, or the function of it that stands for the code object, as operations.
pub(super) fn lowered(
    code: &CodeObject,
    block: &[Stmt],
    function_name: Option<&str>,
    optimize: u8,
    annotations: Annotations,
) -> LowerResult<Box<Lowered>> {
    let fail = |message: String| Box::new(LowerError { message, origin: Origin::NONE });
    let compiler = CompilerFeatures::of(code.version)
        .ok_or_else(|| fail(format!("Python {} is not supported", code.version)))?;
    let future_annotations = has_annotation_texts(code) && annotations == Annotations::Compiled;
    let is_unprinted = annotations == Annotations::Printed;
    let lower = LowerOptions { compiler, optimize, future_annotations, is_unprinted };
    if code.name == "<module>" {
        return lower::lower_module(block, &lower);
    }
    let functions: Vec<&ast::Function> = block
        .iter()
        .filter_map(|statement| match &statement.kind {
            StmtKind::Function(function) => Some(&**function),
            _ => None,
        })
        .collect();
    let found = match (function_name, &functions[..]) {
        (Some(name), _) => functions.iter().rfind(|function| function.name == *name),
        (None, [only]) => Some(only),
        (None, _) => functions.iter().rfind(|function| function.name == code.name),
    };
    let function =
        found.ok_or_else(|| fail("the source has no such function at its top level".to_owned()))?;
    let is_it = |kind: &StmtKind| matches!(kind, StmtKind::Function(other) if ptr::eq(&**other, *function));
    let before = block.iter().take_while(|statement| !is_it(&statement.kind));
    let surroundings = Surroundings {
        free: code.freevars.clone(),
        definitions: before.map(definitions).sum(),
        ..Surroundings::default()
    };
    let mut lowered = lower::lower_function(function, &surroundings, &lower)?;
    // The source may give the function a name of its own.
    lowered.name = code.name.clone();
    Ok(lowered)
}

/// How many functions and classes a statement defines.
fn definitions(statement: &Stmt) -> u32 {
    let all = |block: &[Stmt]| block.iter().map(definitions).sum::<u32>();
    match &statement.kind {
        StmtKind::Function(function) => 1 + all(&function.body),
        StmtKind::Class(class) => 1 + all(&class.body),
        _ => visit::blocks(statement).map(|block| all(block)).sum(),
    }
}

/// What was found out about one code object.
pub(super) struct Checked<'c, 'l> {
    code: &'c CodeObject,
    around: Rc<Around>,
    pub(super) lowered: &'l Lowered,
    pub(super) verdict: Verdict,
}

/// What surrounds a nested code object.
#[derive(Default)]
struct Around {
    /// What stands before its name in `__qualname__`.
    prefix: String,
    /// The names of variables that the source calls something else.
    renamed: Vec<(PyStr, PyStr)>,
    /// The class whose private names it mangles.
    class: Option<PyStr>,
}

impl Around {
    fn qualname(&self, code: &CodeObject) -> String {
        [&*self.prefix, &*code.name.to_lossy()].concat()
    }

    /// The same for a nested code object that is called with cells of other functions, or passed on as it is: what the
    /// source calls as the code does has no other name.
    fn of_closure(self: Rc<Self>, code: &CodeObject, lowered: &Lowered) -> Rc<Self> {
        let free = |code| Nested::free_variables(code);
        if self.renamed.is_empty() || free(Nested::Code(code)) != free(Nested::Lowered(lowered)) {
            return self;
        }
        Rc::new(Self { prefix: self.prefix.clone(), renamed: Vec::new(), class: self.class.clone() })
    }

    /// What stands before the names of what is nested in a code object.
    fn inner_prefix(&self, code: &CodeObject) -> String {
        match &code.name {
            name if *name == "<module>" => String::new(),
            _ if code.flags & depyf_bytecode::flags::OPTIMIZED == 0 => self.qualname(code) + ".",
            _ => self.qualname(code) + ".<locals>.",
        }
    }
}

/// Compares a code object and everything nested in it; the first result is its own.
pub(super) fn verify_all<'c, 'l>(
    code: &'c CodeObject,
    lowered: &'l Lowered,
    decoded: &Decoded,
    line_of: &dyn Fn(Origin) -> Option<u32>,
) -> Vec<Checked<'c, 'l>> {
    // Nearly all code objects that were decoded are met once.
    let mut checked = Vec::with_capacity(decoded.len());
    let mut seen = HashSet::with_capacity_and_hasher(decoded.len(), RandomState::default());
    let mut memory = Memory::default();
    let mut work = vec![(code, lowered, Rc::new(Around::default()))];
    while let Some((code, lowered, around)) = work.pop() {
        if !seen.insert((std::ptr::from_ref(code), std::ptr::from_ref(lowered))) {
            continue;
        }
        let around = around.of_closure(code, lowered);
        let class = if flow::is_class_body(code) { Some(&code.name) } else { around.class.as_ref() };
        let mut inner_names = None;
        let found = match prepared(code, decoded) {
            Ok(function) => {
                let mut found = verify(
                    code,
                    &function,
                    &renamed(&function, &around.renamed),
                    lowered,
                    line_of,
                    &mut memory,
                );
                if found.verdict != Verdict::Verified {
                    // Names that the source cannot use, or that would hide others, were replaced.
                    let (names, changed) = chosen(code, &function, &around, class);
                    if changed != around.renamed {
                        let again = verify(code, &function, &names, lowered, line_of, &mut memory);
                        if again.verdict == Verdict::Verified {
                            found = again;
                            inner_names = Some(changed);
                        }
                    }
                }
                found
            }
            Err(divergence) => Verified { verdict: Verdict::Unverified(divergence), nested: Vec::new() },
        };
        let mut pairs = found.nested;
        pair_the_rest(code, lowered, &mut pairs);
        if !pairs.is_empty() {
            let inner = Rc::new(Around {
                prefix: around.inner_prefix(code),
                renamed: inner_names.unwrap_or_else(|| around.renamed.clone()),
                class: class.cloned(),
            });
            // The first that was met comes first.
            work.extend(pairs.into_iter().rev().map(|(code, lowered)| (code, lowered, Rc::clone(&inner))));
        }
        checked.push(Checked { code, around, lowered, verdict: found.verdict });
    }
    checked
}

/// The names of a function's variables, of which some are called something else.
fn renamed(function: &Function, changed: &[(PyStr, PyStr)]) -> Vec<PyStr> {
    let name = |name: &PyStr| {
        changed.iter().find(|(old, _)| old == name).map_or_else(|| name.clone(), |(_, new)| new.clone())
    };
    if changed.is_empty() {
        return Vec::new();
    }
    function
        .variables
        .iter()
        .map(|variable| match variable.kind {
            VariableKind::Free => name(&variable.name),
            _ => variable.name.clone(),
        })
        .collect()
}

/// The names that the decompiler chooses for a function's variables, and which of them are new.
fn chosen(
    code: &CodeObject,
    function: &Function,
    around: &Around,
    class: Option<&PyStr>,
) -> (Vec<PyStr>, Vec<(PyStr, PyStr)>) {
    let known = renamed(function, &around.renamed);
    let outer: Vec<PyStr> = match known.len().checked_sub(code.freevars.len()) {
        Some(first) if !known.is_empty() => known[first..].to_vec(),
        _ => Vec::new(),
    };
    let names = Names::choose(code, function, &outer, class);
    let mut changed = Vec::new();
    let names = function.variables.iter().zip(names.variables()).map(|(variable, chosen)| {
        // What only looks different in the source, the compiler mangles back.
        let mangled =
            chosen.as_wtf8().starts_with(b"__") && variable.name.as_wtf8().ends_with(chosen.as_wtf8());
        if *chosen == variable.name || mangled {
            return variable.name.clone();
        }
        changed.push((variable.name.clone(), chosen.clone()));
        chosen.clone()
    });
    (names.collect(), changed)
}

/// The operations of a code object as the verifier takes them.
fn prepared(code: &CodeObject, decoded: &Decoded) -> Result<Rc<Function>, Divergence> {
    decoded.of(code).map_err(|error| Divergence {
        message: error.message.clone(),
        offset: error.offset as u32,
        opcode: String::new(),
        line: None,
    })
}

/// Lists of so many pairs are searched; longer ones are hashed.
const FEW: usize = 8;
/// A partner of the same name and parameters is looked for among so many.
const NEAR: usize = 64;

/// Nested code that no way led to, or that lies behind the place where the function diverges, is paired by
/// name, in order: first with what has the same parameters and free variables.
fn pair_the_rest<'c, 'l>(
    code: &'c CodeObject,
    lowered: &'l Lowered,
    pairs: &mut Vec<(&'c CodeObject, &'l Lowered)>,
) {
    // Nearly always each has its partner, and few are nested.
    let is_paired = |value: &LoweredConst| match value {
        LoweredConst::Code(nested) => pairs.iter().any(|&(_, known)| ptr::eq(known, &**nested)),
        LoweredConst::Value(_) => true,
    };
    if pairs.len() <= FEW && lowered.consts.iter().all(is_paired) {
        return;
    }
    let known: HashSet<*const Lowered> = pairs.iter().map(|&(_, lowered)| ptr::from_ref(lowered)).collect();
    let mut rest: HashMap<&PyStr, VecDeque<&'l Lowered>> = HashMap::default();
    for value in &lowered.consts {
        if let LoweredConst::Code(nested) = value
            && !known.contains(&ptr::from_ref(&**nested))
        {
            rest.entry(&nested.name).or_default().push_back(nested);
        }
    }
    if rest.is_empty() {
        return;
    }
    let mut known: HashSet<*const CodeObject> = pairs.iter().map(|&(code, _)| ptr::from_ref(code)).collect();
    // Code that never runs may stand on one side only, and must not take the partner of what does run.
    for alike in [true, false] {
        for value in &code.consts {
            let Const::Code(nested) = value else { continue };
            if known.contains(&ptr::from_ref(&**nested)) {
                continue;
            }
            let Some(partners) = rest.get_mut(&nested.name) else { continue };
            let is_partner = |partner: &&'l Lowered| {
                let (a, b) = (Nested::Code(nested), Nested::Lowered(partner));
                !alike || header_difference(a, b).is_none() && a.free_variables() == b.free_variables()
            };
            if let Some(found) =
                partners.iter().take(NEAR).position(is_partner).and_then(|at| partners.remove(at))
            {
                known.insert(ptr::from_ref(&**nested));
                pairs.push((nested, found));
            }
        }
    }
}
