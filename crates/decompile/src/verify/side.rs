//! One side of a comparison: a function's operations with what never changes while they run.

use std::borrow::Cow;

use depyf_bytecode::{
    CodeObject, Const, Features, Function, Instruction, Op, Region, VarId, VariableKind, flags,
};
use depyf_value::PyStr;

use super::held::{Held, Item, held_constants};
use super::own_variables::OwnVariables;
use super::program::{Program, ways};
use super::state::State;
use super::terms::{Atom, Kind, NONE, Name, Term, Terms};
use crate::lower::{Lowered, LoweredConst, is_match_value};

/// A nested code object of either side.
#[derive(Clone, Copy)]
pub(super) enum Nested<'a> {
    /// Of the bytecode.
    Code(&'a CodeObject),
    /// Of the source.
    Lowered(&'a Lowered),
}

/// What callers see of a code object.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Header<'a> {
    pub(super) name: &'a PyStr,
    pub(super) argcount: u32,
    pub(super) posonlyargcount: u32,
    pub(super) kwonlyargcount: u32,
    pub(super) flags: u32,
    pub(super) docstring: Option<&'a PyStr>,
}

/// The flags that the interpreter acts on.
const FLAGS: u32 = flags::OPTIMIZED
    | flags::NEWLOCALS
    | flags::VARARGS
    | flags::VARKEYWORDS
    | flags::GENERATOR
    | flags::COROUTINE
    | flags::ASYNC_GENERATOR;

impl<'a> Nested<'a> {
    /// The names of its free variables, in the order of its closure.
    pub(super) fn free_variables(self) -> Vec<&'a PyStr> {
        match self {
            Self::Code(code) => code.freevars.iter().collect(),
            Self::Lowered(lowered) => {
                let variables = lowered.variables.iter();
                let free = variables.filter(|variable| variable.kind == VariableKind::Free);
                free.map(|variable| &variable.name).collect()
            }
        }
    }

    pub(super) fn header(self) -> Header<'a> {
        match self {
            Self::Code(code) => Header {
                name: &code.name,
                argcount: code.argcount,
                posonlyargcount: code.posonlyargcount,
                kwonlyargcount: code.kwonlyargcount,
                flags: code.flags & FLAGS,
                docstring: docstring(code),
            },
            Self::Lowered(lowered) => Header {
                name: &lowered.name,
                argcount: lowered.argcount,
                posonlyargcount: lowered.posonlyargcount,
                kwonlyargcount: lowered.kwonlyargcount,
                flags: lowered.flags & FLAGS,
                docstring: lowered.docstring.as_ref(),
            },
        }
    }
}

/// The free variables that no instruction in reach reads, stores, deletes or passes on.
pub(super) fn unused_free_variables(code: &CodeObject) -> Vec<PyStr> {
    let Ok(mut function) = depyf_bytecode::decode(code) else { return Vec::new() };
    crate::flow::erase_unreachable(&mut function);
    let used = |id: VarId| {
        function.instructions.iter().any(|instruction| {
            matches!(
                instruction.op,
                Op::LoadDeref(found)
                    | Op::StoreDeref(found)
                    | Op::DeleteDeref(found)
                    | Op::LoadClosure(found)
                    | Op::LoadClassDeref(found)
                    | Op::LoadFromDictOrDeref(found) if found == id
            )
        })
    };
    let variables = function.variables.iter().enumerate();
    let free = variables.filter(|(_, variable)| variable.kind == VariableKind::Free);
    free.filter(|&(id, _)| !used(id as VarId)).map(|(_, variable)| variable.name.clone()).collect()
}

/// The docstring of a function: its first constant, from 3.14 on only if a flag says so.
fn docstring(code: &CodeObject) -> Option<&PyStr> {
    let by_flag = depyf_bytecode::CompilerFeatures::of(code.version)?.features.docstring_by_flag;
    let marked = code.flags & flags::HAS_DOCSTRING != 0 || !by_flag;
    let is_function = code.flags & flags::OPTIMIZED != 0 && !code.name.as_wtf8().starts_with(b"<");
    match code.consts.first() {
        Some(Const::Str(text)) if marked && is_function => Some(text),
        _ => None,
    }
}

/// A variable.
#[derive(Clone, Copy)]
pub(super) struct Variable {
    pub(super) name: Name,
    pub(super) is_local: bool,
}

/// Which of the two sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Which {
    /// What was decoded from the bytecode.
    Original = 0,
    /// What the source was lowered to.
    Source = 1,
}

/// One side.
pub(super) struct Side<'a> {
    pub(super) which: Which,
    pub(super) code: Cow<'a, [Instruction]>,
    pub(super) features: Features,
    regions: Cow<'a, [Region]>,
    /// Whether several ways lead to an instruction; an exception's way counts as many.
    joins: Vec<bool>,
    pub(super) names: Vec<Name>,
    pub(super) variables: Vec<Variable>,
    /// Names of globals that Dynamo bound once: when they are read makes no difference.
    installed: Vec<Name>,
    consts: Vec<Term>,
    /// By index of a constant; behind those lie the code objects that nested functions hold.
    pub(super) nested: Vec<Option<Nested<'a>>>,
    /// What nested functions hold: index of the function's code, index into its `co_consts`, the constant.
    held: Vec<(u32, i64, Term)>,
    pub(super) parameters: usize,
    pub(super) flags: u32,
    /// Variables that the user knows nothing of.
    pub(super) own: OwnVariables,
}

impl<'a> Side<'a> {
    /// The side of the bytecode. `rename` gives its variables the names that the source uses.
    pub(super) fn original(
        terms: &mut Terms,
        code: &'a CodeObject,
        function: &'a Function,
        rename: &[PyStr],
    ) -> Result<Self, String> {
        let consts = code.consts.iter().map(|value| match value {
            Const::Code(nested) => Constant::Code(Nested::Code(nested)),
            value => Constant::Value(value),
        });
        let header = Nested::Code(code).header();
        let (function, consts) = (Cow::Borrowed(function), consts.collect::<Vec<_>>());
        Self::new(terms, Which::Original, function, rename, &code.names, &consts, &header)
    }

    /// The side of the source.
    pub(super) fn source(terms: &mut Terms, lowered: &'a Lowered) -> Result<Self, String> {
        Self::lowered(terms, lowered, Which::Source)
    }

    /// A side of operations that were made from source.
    pub(super) fn lowered(terms: &mut Terms, lowered: &'a Lowered, which: Which) -> Result<Self, String> {
        let consts = lowered.consts.iter().map(|value| match value {
            LoweredConst::Code(nested) => Constant::Code(Nested::Lowered(nested)),
            LoweredConst::Value(value) => Constant::Value(value),
        });
        let header = Nested::Lowered(lowered).header();
        let consts = consts.collect::<Vec<_>>();
        let function = Cow::Owned(lowered.to_function());
        let mut side = Self::new(terms, which, function, &[], &lowered.names, &consts, &header)?;
        let variables = lowered.variables.iter().zip(0..);
        let own = variables.filter(|(variable, _)| is_match_value(&variable.name)).map(|(_, id)| id);
        side.own = OwnVariables::of(&side.code, own.collect());
        for (function, index, held) in held_constants(lowered) {
            let term = match held {
                Held::Code(code) => {
                    let number = side.nested.len() as u32;
                    side.nested.push(Some(Nested::Lowered(code)));
                    terms.make(Kind::Code, number << 1 | side.which as u32, &[])
                }
                Held::Value(value) => match terms.constant(value) {
                    Some(term) => term,
                    None => continue,
                },
                Held::FrozenSet(items) => {
                    let items = items.into_iter().map(|item| match item {
                        Item::Int(value) => Some(terms.atom(Atom::Int(value.into()))),
                        Item::Value(value) => terms.constant(value),
                    });
                    let Some(mut items) = items.collect::<Option<Vec<Term>>>() else { continue };
                    items.sort_unstable();
                    items.dedup();
                    terms.make(Kind::FrozenSet, 0, &items)
                }
            };
            side.held.push((function, index, term));
        }
        Ok(side)
    }

    fn new(
        terms: &mut Terms,
        which: Which,
        function: Cow<'a, Function>,
        rename: &[PyStr],
        names: &[PyStr],
        consts: &[Constant<'a>],
        header: &Header<'_>,
    ) -> Result<Self, String> {
        let variables = function.variables.iter().enumerate().map(|(at, variable)| Variable {
            name: terms.name(rename.get(at).unwrap_or(&variable.name)),
            is_local: variable.kind == VariableKind::Local,
        });
        let variables = variables.collect::<Vec<_>>();
        let parameters = header.argcount as usize
            + header.kwonlyargcount as usize
            + usize::from(header.flags & flags::VARARGS != 0)
            + usize::from(header.flags & flags::VARKEYWORDS != 0);
        let (features, installed) = (function.features, installed(terms, names, &function));
        let (code, regions) = match function {
            Cow::Borrowed(function) => {
                (Cow::Borrowed(&function.instructions[..]), Cow::Borrowed(&function.regions[..]))
            }
            Cow::Owned(function) => (Cow::Owned(function.instructions), Cow::Owned(function.regions)),
        };
        let mut side = Self {
            which,
            joins: joins(&code, &regions),
            code,
            features,
            regions,
            names: names.iter().map(|name| terms.name(name)).collect(),
            parameters: parameters.min(variables.len()),
            variables,
            installed,
            consts: Vec::new(),
            nested: Vec::new(),
            held: Vec::new(),
            flags: header.flags,
            own: OwnVariables::default(),
        };
        side.load_constants(terms, consts)?;
        Ok(side)
    }

    /// Makes terms of the constants that an instruction loads.
    fn load_constants(&mut self, terms: &mut Terms, consts: &[Constant<'a>]) -> Result<(), String> {
        self.consts = vec![NONE; consts.len()];
        self.nested = vec![None; consts.len()];
        for instruction in self.code.iter() {
            let Op::Const(index) = instruction.op else { continue };
            let at = index as usize;
            match consts.get(at) {
                _ if self.consts.get(at).is_some_and(|&known| known != NONE) => {}
                None => return Err("a constant is missing".to_owned()),
                Some(Constant::Code(nested)) => {
                    self.nested[at] = Some(*nested);
                    self.consts[at] = terms.make(Kind::Code, index << 1 | self.which as u32, &[]);
                }
                Some(Constant::Value(value)) => {
                    let term = terms.constant(value);
                    self.consts[at] = term.ok_or_else(|| "a constant is nested too deeply".to_owned())?;
                }
            }
        }
        Ok(())
    }

    pub(super) fn constant(&self, index: u32) -> Option<Term> {
        self.consts.get(index as usize).copied().filter(|&term| term != NONE)
    }

    /// What a nested function's code holds: the index into its `co_consts`, and the constant. `code` is the
    /// payload of its term.
    pub(super) fn held(&self, code: u32) -> Option<(i64, Term)> {
        let found = self.held.iter().find(|(function, ..)| *function == code >> 1);
        found.map(|&(_, index, term)| (index, term))
    }

    /// Where the bytecode itself asks code for its constants, and nothing is known of its code, the source asks
    /// in the same places: there the attribute is an effect on both sides.
    pub(super) fn forget_what_code_holds(&mut self, original: &Self, code_constants: Name) {
        if original.held.is_empty() && original.names.contains(&code_constants) {
            self.held.clear();
        }
    }

    pub(super) fn is_installed(&self, name: Name) -> bool {
        self.installed.contains(&name)
    }

    pub(super) fn is_join(&self, at: u32) -> bool {
        self.joins.get(at as usize).copied().unwrap_or(false)
    }

    pub(super) fn program(&self) -> Program<'_> {
        Program { code: &self.code, regions: &self.regions }
    }

    /// Whether calling the function makes something that is resumed.
    pub(super) fn is_generator(&self) -> bool {
        self.flags & (flags::GENERATOR | flags::COROUTINE | flags::ASYNC_GENERATOR) != 0
    }

    /// Whether no instruction before does the same.
    pub(super) fn is_first_of_its_kind(&self, at: u32) -> bool {
        self.code.iter().position(|instruction| Some(instruction.op) == self.op(at)) == Some(at as usize)
    }

    pub(super) fn op(&self, at: u32) -> Option<Op> {
        self.program().op(at)
    }

    /// Whether the instruction has a copy of the value below it.
    pub(super) fn copies_before(&self, at: u32) -> bool {
        at > 0 && self.op(at - 1) == Some(Op::Copy(1))
    }

    /// Whether a test leaves the value that it tests on the stack.
    pub(super) fn keeps_tested(&self, at: u32) -> bool {
        matches!(self.op(at), Some(Op::JumpIfOrPop(..))) || self.copies_before(at)
    }

    /// Whether the test that a state stands before is one of the value that was tested last: of that on the stack or of
    /// a copy, not of the same value that was loaded anew.
    pub(super) fn asks_again(&self, state: &State) -> bool {
        let Some(tested) = state.tested else { return false };
        let copies = usize::from(self.copies_before(state.at));
        let values = state.stack.get(tested.height - 1..).unwrap_or_default();
        values.len() == 1 + copies && values.iter().all(|&value| value == tested.value)
    }

    pub(super) fn variable(&self, id: VarId) -> Option<Variable> {
        self.variables.get(id as usize).copied()
    }
}

/// The names of globals that Dynamo bound once. Code that binds one itself is no code of Dynamo.
fn installed(terms: &mut Terms, names: &[PyStr], function: &Function) -> Vec<Name> {
    let binds = |name: u32| {
        let mut ops = function.instructions.iter().map(|instruction| instruction.op);
        ops.any(|op| op == Op::StoreGlobal(name) || op == Op::DeleteGlobal(name))
    };
    let installed = names
        .iter()
        .enumerate()
        .filter(|(at, name)| crate::dynamo::is_installed_global(name) && !binds(*at as u32));
    installed.map(|(_, name)| terms.name(name)).collect()
}

/// A constant of either side.
enum Constant<'a> {
    Value(&'a Const),
    Code(Nested<'a>),
}

/// Which instructions several ways lead to.
fn joins(code: &[Instruction], regions: &[Region]) -> Vec<bool> {
    let mut counts = vec![0_u8; code.len() + 1];
    let mut come = |to: usize, count: u8| {
        if let Some(known) = counts.get_mut(to) {
            *known = known.saturating_add(count);
        }
    };
    come(0, 1);
    ways(code).for_each(|(_, to)| come(to, 1));
    for region in regions {
        come(region.handler as usize, 2);
    }
    counts.into_iter().map(|count| count > 1).collect()
}
