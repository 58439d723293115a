//! Pass: what the compiler adds to a class body is gone.
//!
//! A class body starts with stores of `__module__`, `__qualname__` and, by version, `__firstlineno__`,
//! `__type_params__`, the cell `__classdict__` and the set `__conditional_annotations__`; it ends with
//! `__annotate_func__`, `__static_attributes__`, `__classdictcell__` and `__classcell__`, and returns the class's cell
//! (CPython `Python/codegen.c`, `codegen_class_body`). The compiler adds all of it again.
//!
//! Needs: the plain graph of a class body. Establishes: the entry starts with the user's first statement, and
//! every end returns None.
//!
//! Example: `LoadClosure(__class__) Copy(1) StoreName(__classcell__)` before a return becomes `None`.

use depyf_bytecode::{
    CodeObject, CommonConst, CompilerFeatures, Const, ConstId, Function, NameId, Op, VarId, flags,
};

use smallvec::SmallVec;

use super::{Graph, Step, StepKind, Terminator};
use crate::names::{CLASS_NAMESPACE, CONDITIONAL_ANNOTATIONS};

/// See the module.
pub(crate) fn erase_class_bookkeeping(graph: &mut Graph, code: &CodeObject, function: &Function) {
    if !is_class_body(code) {
        return;
    }
    let class = ClassBody { code, function };
    let entry = &mut graph.blocks[0];
    entry.steps.drain(..class.prologue(&entry.steps));
    // What asks where the source of the block stands is told nothing by the line of `class`.
    entry.start = entry.steps.first().map_or(entry.end_offset, |step| step.offset);
    for block in graph.blocks.iter_mut() {
        if block.end == Terminator::Return {
            class.erase_epilogue(&mut block.steps);
            block.end_offset = block.steps.last().map_or(block.end_offset, |step| step.offset);
        }
    }
}

/// Whether a code object is the body of a class: the only unoptimized one that is no module.
///
/// A module is called `<module>`; so is nothing that a `class` statement can make.
pub(crate) fn is_class_body(code: &CodeObject) -> bool {
    code.flags & flags::OPTIMIZED == 0 && !code.name.as_wtf8().starts_with(b"<")
}

/// Whether the compiler stores in a code object on which line its class stands.
pub(crate) fn stores_first_line(code: &CodeObject) -> bool {
    is_class_body(code) && CompilerFeatures::of(code.version).is_some_and(|compiler| compiler.class_facts)
}

struct ClassBody<'a> {
    code: &'a CodeObject,
    function: &'a Function,
}

impl ClassBody<'_> {
    fn name(&self, name: NameId) -> &str {
        self.code.names.get(name as usize).and_then(|name| name.as_str()).unwrap_or("")
    }

    fn variable(&self, variable: VarId) -> &str {
        self.function.variables.get(variable as usize).and_then(|found| found.name.as_str()).unwrap_or("")
    }

    fn constant(&self, constant: ConstId) -> Option<&Const> {
        self.code.consts.get(constant as usize)
    }

    /// How many steps the compiler put in front of the body. It stores each part once: what stores one again is
    /// a statement of the user.
    fn prologue(&self, steps: &[Step]) -> usize {
        let mut at = 0;
        let mut seen: SmallVec<[Op; 8]> = SmallVec::new();
        while let Some(length) = self.prologue_part(&steps[at..]) {
            let Some(store) = operation(steps, at + length - 1).filter(|store| !seen.contains(store)) else {
                break;
            };
            seen.push(store);
            at += length;
        }
        at
    }

    /// How many steps store the next part. The last of them is the store.
    fn prologue_part(&self, steps: &[Step]) -> Option<usize> {
        Some(match (operation(steps, 0)?, operation(steps, 1)?, operation(steps, 2)) {
            (value, store, _) if self.loads_module(value) && self.stores(store, "__module__") => 2,
            (Op::LoadLocals, value, Some(store))
                if self.loads_module(value) && self.stores(store, "__module__") =>
            {
                3
            }
            (Op::Const(value), store, _) if self.stores(store, "__qualname__") && self.is_qualname(value) => {
                2
            }
            (Op::Const(_) | Op::SmallInt(_), store, _)
                if self.stores(store, "__firstlineno__") && stores_first_line(self.code) =>
            {
                2
            }
            (Op::LoadLocals, Op::LoadFromDictOrDeref(_), Some(store))
                if self.stores(store, "__type_params__") =>
            {
                3
            }
            (Op::LoadDeref(_) | Op::LoadClassDeref(_), store, _) if self.stores(store, "__type_params__") => {
                2
            }
            (Op::LoadLocals, Op::StoreDeref(cell), _) if self.variable(cell) == CLASS_NAMESPACE => 2,
            (Op::BuildSet(0), Op::StoreDeref(cell), _) if self.variable(cell) == CONDITIONAL_ANNOTATIONS => 2,
            _ => return None,
        })
    }

    /// Whether an operation loads the name of the module, which the body may mention, and say whose it is.
    fn loads_module(&self, load: Op) -> bool {
        match load {
            Op::LoadName(name) | Op::LoadGlobal(name) => self.name(name) == "__name__",
            Op::LoadDeref(cell) | Op::LoadClassDeref(cell) | Op::LoadFromDictOrDeref(cell) => {
                self.variable(cell) == "__name__"
            }
            _ => false,
        }
    }

    /// Whether an operation stores a name, of which the body may say that it is global or that of a function around.
    fn stores(&self, store: Op, name: &str) -> bool {
        match store {
            Op::StoreName(stored) | Op::StoreGlobal(stored) => self.name(stored) == name,
            Op::StoreDeref(cell) => self.variable(cell) == name,
            _ => false,
        }
    }

    /// Whether the constant is the name that the compiler gives the class: it ends in the code's own.
    fn is_qualname(&self, constant: ConstId) -> bool {
        match self.constant(constant) {
            Some(Const::Str(text)) => text.as_wtf8().ends_with(self.code.name.as_wtf8()),
            _ => false,
        }
    }

    /// Erases what stands before a return, from its end on.
    fn erase_epilogue(&self, steps: &mut Vec<Step>) {
        let result = self.length_of_end(steps, &["__classcell__"]).or_else(|| {
            let count = steps.len();
            match operation(steps, count.checked_sub(1)?)? {
                Op::Const(constant) if self.constant(constant) == Some(&Const::None) => Some(1),
                Op::Common(CommonConst::None) => Some(1),
                _ => None,
            }
        });
        let Some(result) = result else { return };
        // The end stands where what is erased begins: the rest has the place of what the user wrote last.
        let mut offset = steps[steps.len() - result].offset;
        steps.truncate(steps.len() - result);
        while let Some(length) = self.length_of_end(steps, &["__classdictcell__", "__static_attributes__"]) {
            offset = steps[steps.len() - length].offset;
            steps.truncate(steps.len() - length);
        }
        // The annotations themselves are told by `flow/annotations.rs`.
        let names = super::annotations::Names { code: self.code, function: self.function };
        if let Some((length, _)) = names.class_annotate(steps) {
            offset = steps[steps.len() - length].offset;
            steps.truncate(steps.len() - length);
        }
        steps.push(Step { offset, kind: StepKind::Op(Op::Common(CommonConst::None)) });
    }

    /// How many steps at the end store one of the names as the compiler does it.
    fn length_of_end(&self, steps: &[Step], names: &[&str]) -> Option<usize> {
        let last = steps.len().checked_sub(1)?;
        let store = operation(steps, last)?;
        if !names.iter().any(|name| self.stores(store, name)) {
            return None;
        }
        match (
            operation(steps, last.checked_sub(1)?)?,
            last.checked_sub(2).and_then(|at| operation(steps, at)),
        ) {
            (Op::Copy(1), Some(Op::LoadClosure(_))) => Some(3),
            (Op::LoadClosure(_), _) => Some(2),
            (Op::Const(constant), _) if matches!(self.constant(constant), Some(Const::Tuple(_))) => Some(2),
            _ => None,
        }
    }
}

fn operation(steps: &[Step], at: usize) -> Option<Op> {
    steps.get(at)?.op()
}
