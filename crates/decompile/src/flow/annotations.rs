//! Passes: deferred annotations (3.14 and later) as steps of their own.
//!
//! The compiler collects the annotations of a module or class body in a function `__annotate__` that makes a
//! dict of them. Where a body might not come to an annotation, it puts the annotation's number into the set
//! `__conditional_annotations__`, which the function asks (CPython `Python/codegen.c`,
//! `codegen_process_deferred_annotations`).

use depyf_bytecode::{CodeObject, CommonConst, Const, ConstId, Function, JumpCondition, NameId, Op, VarId};

use crate::hash::{HashMap, HashSet};
use crate::names::CONDITIONAL_ANNOTATIONS;

use super::{Block, BlockId, Graph, Step, StepKind, Terminator};

/// Pass: an `__annotate__` function stores no items into a dict, it annotates names.
///
/// Needs: the plain graph. Establishes: the dict is gone, and the function returns None. A function whose
/// annotations are one display (that of a `def`) stays as it is.
///
/// Example: `int Copy(2) 'x' StoreSubscript` becomes `int Annotation(x)`.
pub(crate) fn spell_annotations(graph: &mut Graph, code: &CodeObject) {
    let empty = |step: &Step| matches!(step.kind, StepKind::Op(Op::BuildMap(0)));
    if !is_annotate(code) {
        return;
    }
    // Behind the test of the format the dict comes first; behind a name, or in a comprehension, one is of an annotation.
    let Some(block) =
        behind_format(graph).filter(|&block| graph.blocks[block].steps.first().is_some_and(empty))
    else {
        return;
    };
    graph.blocks[block].steps.remove(0);
    join_last_annotation(graph);
    for block in graph.blocks.iter_mut() {
        let mut steps = Vec::with_capacity(block.steps.len());
        for step in std::mem::take(&mut block.steps) {
            steps.push(step);
            if let Some(name) = annotated(&steps) {
                let offset = steps[steps.len() - 2].offset;
                steps.truncate(steps.len() - 3);
                steps.push(Step { offset, kind: StepKind::Annotation(name) });
            }
        }
        block.steps = steps;
        if block.end == Terminator::Return {
            let none = StepKind::Op(Op::Common(CommonConst::None));
            block.steps.push(Step { offset: block.end_offset, kind: none });
        }
    }
}

/// Where a format is taken that the function knows.
fn behind_format(graph: &Graph) -> Option<BlockId> {
    graph.blocks.iter().find_map(|block| match block.end {
        Terminator::Branch { yes, no } if refuses_format(&graph.blocks[yes]) => Some(no),
        Terminator::Branch { yes, no } if refuses_format(&graph.blocks[no]) => Some(yes),
        _ => None,
    })
}

/// The name that the last of some steps put into the dict.
fn annotated(steps: &[Step]) -> Option<ConstId> {
    let [.., copy, name, store] = steps else { return None };
    match (&copy.kind, &name.kind, &store.kind) {
        (StepKind::Op(Op::Copy(2)), StepKind::Op(Op::Const(name)), StepKind::Op(Op::StoreSubscript)) => {
            Some(*name)
        }
        _ => None,
    }
}

/// The last annotation is short, so the compiler copies it and the `return` to the jump behind each arm of its value.
fn join_last_annotation(graph: &mut Graph) {
    let last = |block: &Block| annotated(&block.steps).filter(|_| block.end == Terminator::Return);
    let mut copies: Vec<(ConstId, BlockId)> = Vec::new();
    copies.extend(graph.blocks.iter().enumerate().filter_map(|(id, block)| Some((last(block)?, id))));
    let Some(&(name, kept)) = copies.last() else { return };
    if copies.len() == 1 || copies.iter().any(|&(other, _)| other != name) {
        return;
    }
    let shared = graph.blocks.len();
    let Block { end, end_offset, region, .. } = graph.blocks[kept];
    let mut steps = Vec::new();
    for (_, copy) in copies {
        let block = &mut graph.blocks[copy];
        steps = block.steps.split_off(block.steps.len() - 3);
        block.end = Terminator::Jump(shared);
        block.end_offset = steps[0].offset;
    }
    let start = steps[0].offset;
    graph.blocks.push(Block { steps, start, end_offset, ..Block::empty(start, end, region) });
}

/// Whether a block raises NotImplementedError as the compiler does for a format that it knows nothing of: it loads the
/// exception by itself. A function that somebody wrote under the same name looks a name up.
fn refuses_format(block: &Block) -> bool {
    let [Step { kind: StepKind::Op(Op::Common(CommonConst::NotImplementedError)), .. }] = block.steps[..]
    else {
        return false;
    };
    block.end == Terminator::Raise(1)
}

/// Pass: the body of a module or class says by one step that it comes to an annotation, and the compiler's own
/// names `__annotate__` and `__conditional_annotations__` of a module are gone.
///
/// Needs: `erase_class_bookkeeping`, which does the latter for a class. Establishes: an annotation that a test
/// decides on is an `AnnotationMark`. Each copy of a `finally` body has a number of its own, so annotations that say
/// the same of one name on one line have the number of the first.
///
/// Example: `LoadName(__conditional_annotations__) 3 SetAdd(1) Pop` becomes `AnnotationMark(3)`.
pub(crate) fn mark_annotations(graph: &mut Graph, code: &CodeObject, function: &Function) {
    let names = Names { code, function };
    let mut alike = None;
    let entry = &mut graph.blocks[0].steps;
    if let Some((length, _)) = names.module_annotate(entry) {
        entry.drain(..length);
    }
    let set = matches!(operations(entry, 0), (Some(Op::BuildSet(0)), Some(Op::StoreName(name))) if names.is_set(name));
    if set {
        entry.drain(..2);
    }
    for block in graph.blocks.iter_mut() {
        let mut steps = Vec::with_capacity(block.steps.len());
        for step in std::mem::take(&mut block.steps) {
            steps.push(step);
            let [.., set, number, add, pop] = &steps[..] else { continue };
            let is_set = match set.kind {
                StepKind::Op(Op::LoadName(name) | Op::LoadGlobal(name)) => names.is_set(name),
                StepKind::Op(Op::LoadDeref(cell) | Op::LoadClassDeref(cell)) => names.is_set_cell(cell),
                _ => false,
            };
            let adds = matches!((&add.kind, &pop.kind), (StepKind::Op(Op::SetAdd(1)), StepKind::Op(Op::Pop)));
            if let (true, true, Some(number)) = (is_set, adds, names.number(number)) {
                let offset = pop.offset;
                steps.truncate(steps.len() - 4);
                let alike = alike.get_or_insert_with(|| copied_annotations(code, function));
                let number = alike.get(&number).copied().unwrap_or(number);
                steps.push(Step { offset, kind: StepKind::AnnotationMark(number) });
            }
        }
        block.steps = steps;
    }
}

/// The number of the first annotation that says the same of the same name on the same line, for those that are not the
/// first and that the body comes to.
pub(crate) fn copied_annotations(code: &CodeObject, function: &Function) -> HashMap<u32, u32> {
    let mut found = HashMap::default();
    let own = Names { code, function };
    let reached: HashSet<u32> = function
        .instructions
        .windows(2)
        .filter_map(|pair| {
            let number = Step { offset: 0, kind: StepKind::Op(pair[0].op) };
            own.number(&number).filter(|_| pair[1].op == Op::SetAdd(1))
        })
        .collect();
    let Some(annotate) = own_annotations(code, function) else { return found };
    let Ok(function) = depyf_bytecode::decode(annotate) else { return found };
    let names = Names { code: annotate, function: &function };
    let operations: Vec<Op> = function.instructions.iter().map(|instruction| instruction.op).collect();
    // What was written twice stands on two lines.
    let mut first: HashMap<(Option<u32>, Vec<Op>), u32> = HashMap::default();
    for (at, test) in operations.windows(4).enumerate() {
        let [number, set, Op::Contains { negated: false }, Op::JumpIf(JumpCondition::False, next)] = *test
        else {
            continue;
        };
        let is_set = match set {
            Op::LoadName(name) | Op::LoadGlobal(name) => names.is_set(name),
            Op::LoadDeref(cell) => names.is_set_cell(cell),
            _ => false,
        };
        let number = names.number(&Step { offset: 0, kind: StepKind::Op(number) });
        let annotation = operations.get(at + 4..next as usize);
        let number = number.filter(|number| reached.contains(number));
        if let (true, Some(number), Some(annotation)) = (is_set, number, annotation) {
            let line = function.instructions[at].line;
            // Jumps inside of an annotation lead as far on in each copy.
            let from_here = |op: &Op| op.target().map_or(*op, |to| op.with_target(to.wrapping_sub(next)));
            let annotation = annotation.iter().map(from_here).collect();
            let known = *first.entry((line, annotation)).or_insert(number);
            if known != number {
                found.insert(number, known);
            }
        }
    }
    found
}

/// The code of the `__annotate__` function that a module or class body makes for its own annotations.
pub(crate) fn own_annotations<'a>(code: &'a CodeObject, function: &Function) -> Option<&'a CodeObject> {
    let graph_steps = |ops: &mut dyn Iterator<Item = &depyf_bytecode::Instruction>| -> Vec<Step> {
        ops.map(|found| Step { offset: found.offset, kind: StepKind::Op(found.op) }).collect()
    };
    let names = Names { code, function };
    let constant = if super::is_class_body(code) {
        let store = function.instructions.iter().rposition(
            |found| matches!(found.op, Op::StoreName(name) if names.is(name, "__annotate_func__")),
        )?;
        let steps = graph_steps(&mut function.instructions[..=store].iter());
        names.class_annotate(&steps)?.1
    } else {
        let first = function.instructions.iter().filter(|found| found.op != Op::Nop).take(3);
        names.module_annotate(&graph_steps(&mut first.into_iter()))?.1
    };
    match code.consts.get(constant as usize) {
        Some(Const::Code(found)) => Some(found),
        _ => None,
    }
}

/// Whether the compiler made the code object to give annotations.
pub(crate) fn is_annotate(code: &CodeObject) -> bool {
    code.name == "__annotate__"
        && (code.argcount, code.posonlyargcount) == (1, 1)
        && code.varnames.first().is_some_and(|name| *name == "format" || *name == ".format")
}

/// Looks names up for the patterns of this file.
pub(super) struct Names<'a> {
    pub(super) code: &'a CodeObject,
    pub(super) function: &'a Function,
}

impl Names<'_> {
    fn is(&self, name: NameId, text: &str) -> bool {
        self.code.names.get(name as usize).is_some_and(|name| *name == text)
    }

    fn is_set(&self, name: NameId) -> bool {
        self.is(name, CONDITIONAL_ANNOTATIONS)
    }

    fn is_set_cell(&self, cell: VarId) -> bool {
        let found = self.function.variables.get(cell as usize);
        found.is_some_and(|found| found.name == CONDITIONAL_ANNOTATIONS)
    }

    fn number(&self, step: &Step) -> Option<u32> {
        match step.kind {
            StepKind::Op(Op::SmallInt(number)) => u32::try_from(number).ok(),
            StepKind::Op(Op::Const(constant)) => match self.code.consts.get(constant as usize)? {
                Const::Int(number) => number.to_i64().and_then(|number| u32::try_from(number).ok()),
                _ => None,
            },
            _ => None,
        }
    }

    fn annotate(&self, constant: ConstId) -> Option<ConstId> {
        match self.code.consts.get(constant as usize) {
            Some(Const::Code(found)) if is_annotate(found) => Some(constant),
            _ => None,
        }
    }

    /// How many steps at the start of a module store its `__annotate__`, and the code of that.
    fn module_annotate(&self, steps: &[Step]) -> Option<(usize, ConstId)> {
        match (operations(steps, 0), operations(steps, 1).1?) {
            ((Some(Op::Const(constant)), Some(Op::MakeFunction(_))), Op::StoreName(name))
                if self.is(name, "__annotate__") =>
            {
                Some((3, self.annotate(constant)?))
            }
            _ => None,
        }
    }

    /// How many steps at the end store the `__annotate_func__` of a class, and the code of that.
    pub(super) fn class_annotate(&self, steps: &[Step]) -> Option<(usize, ConstId)> {
        let mut ops = steps.iter().rev().map(Step::op);
        let mut next = || ops.next().flatten();
        match next()? {
            Op::StoreName(name) if self.is(name, "__annotate_func__") => {}
            _ => return None,
        }
        let mut length = 3;
        let mut closure = false;
        let mut op = next()?;
        if let Op::SetFunctionAttribute(_) = op {
            (closure, length, op) = (true, length + 1, next()?);
        }
        let (Op::MakeFunction(_), Op::Const(constant)) = (op, next()?) else { return None };
        if closure {
            let Op::BuildTuple(count) = next()? else { return None };
            for _ in 0..count {
                let Op::LoadClosure(_) = next()? else { return None };
            }
            length += 1 + count as usize;
        }
        Some((length, self.annotate(constant)?))
    }
}

/// The operations at a place and behind it.
fn operations(steps: &[Step], at: usize) -> (Option<Op>, Option<Op>) {
    let op = |at: usize| steps.get(at)?.op();
    (op(at), op(at + 1))
}
