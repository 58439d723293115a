//! Pass (readable view only): Dynamo's profiler prologue becomes one comment.
//!
//! Since 2.8 Dynamo wraps the call of each compiled graph in calls of
//! `torch._dynamo.utils.record_pregraph_bytecode_enter` and `_exit`; from 2.15 on only while a profiler runs
//! (torch `_dynamo/output_graph.py`). They measure and have no other effect.
//!
//! Needs: the plain graph. Establishes: the branches on whether a profiler runs are taken as "no", and the
//! steps that only serve them are a comment.

use depyf_bytecode::{CodeObject, Op};

use super::{Graph, Step, StepKind, Terminator};

/// The comment in place of the prologue.
/// What is left of it.
pub(crate) const COMMENT: &str = "(torch profiler prologue: record_pregraph_bytecode_enter/exit)";

/// See the module.
pub(crate) fn fold_profiler(graph: &mut Graph, code: &CodeObject) {
    let named = |op: Option<Op>, wanted: &str| match op {
        Some(Op::LoadGlobal(name) | Op::LoadAttr(name)) => {
            code.names.get(name as usize).is_some_and(|name| *name == wanted)
        }
        _ => false,
    };
    fold_conditional(graph, &named);
    fold_unconditional(graph, &named);
}

fn op(steps: &[Step], at: usize) -> Option<Op> {
    steps.get(at)?.op()
}

/// 2.15: `t3 = profiler._is_profiler_enabled; t2 = utils; t1 = None; if t3: t1 = t2.enter()` and later
/// `if t1 is not None: t2.exit(t1)`.
fn fold_conditional(graph: &mut Graph, named: &impl Fn(Option<Op>, &str) -> bool) {
    for id in 0..graph.blocks.len() {
        let Terminator::Branch { no, yes } = graph.blocks[id].end else { continue };
        let steps = &graph.blocks[id].steps;
        let Some(start) = (0..steps.len()).find(|&at| named(op(steps, at), "_is_profiler_enabled")) else {
            continue;
        };
        let Some(begin) = start.checked_sub(1) else { continue };
        let enters = graph.blocks[yes].steps.iter().enumerate();
        let enters = enters.map(|(at, _)| op(&graph.blocks[yes].steps, at));
        if !enters.into_iter().any(|op| named(op, "record_pregraph_bytecode_enter")) {
            continue;
        }
        // global, attribute, store; global, store; None, store; load
        let stored: Vec<Op> =
            [start + 1, start + 3, start + 5].iter().filter_map(|&at| op(steps, at)).collect();
        let [Op::StoreLocal(enabled), Op::StoreLocal(utils), Op::StoreLocal(record)] = stored[..] else {
            continue;
        };
        if op(steps, start + 6) != Some(Op::LoadLocal(enabled)) || steps.len() != start + 7 {
            continue;
        }
        let offset = steps[begin].offset;
        let kind = StepKind::Comment;
        graph.blocks[id].steps.splice(begin.., [Step { offset, kind }]);
        graph.blocks[id].end = Terminator::Jump(no);
        fold_exit(graph, id, record, utils);
    }
}

/// Takes the branch on the profiler's record as "there is none", from block `from` on.
fn fold_exit(graph: &mut Graph, from: usize, record: u32, utils: u32) {
    let mut at = from;
    for _ in 0..8 {
        let steps = &graph.blocks[at].steps;
        let length = steps.len();
        if let Terminator::Branch { yes, no } = graph.blocks[at].end
            && length >= 3
            && op(steps, length - 3) == Some(Op::LoadLocal(record))
            && matches!(op(steps, length - 1), Some(Op::Is { .. }))
        {
            let loads_utils = |block: usize| op(&graph.blocks[block].steps, 0) == Some(Op::LoadLocal(utils));
            let skip = match (loads_utils(yes), loads_utils(no)) {
                (true, false) => no,
                (false, true) => yes,
                _ => return,
            };
            graph.blocks[at].steps.truncate(length - 3);
            graph.blocks[at].end = Terminator::Jump(skip);
            return;
        }
        if let Terminator::Branch { yes, no } = graph.blocks[at].end
            && length >= 2
            && op(steps, length - 2) == Some(Op::LoadLocal(record))
            && matches!(steps[length - 1].kind, StepKind::IsNone { .. })
        {
            let loads_utils = |block: usize| op(&graph.blocks[block].steps, 0) == Some(Op::LoadLocal(utils));
            let skip = match (loads_utils(yes), loads_utils(no)) {
                (true, false) => no,
                (false, true) => yes,
                _ => return,
            };
            graph.blocks[at].steps.truncate(length - 2);
            graph.blocks[at].end = Terminator::Jump(skip);
            return;
        }
        match graph.blocks[at].end {
            Terminator::Jump(next) => at = next,
            _ => return,
        }
    }
}

/// 2.8 to 2.14: `t1 = utils.enter; t2 = t1()` and `t3 = utils.exit; t3(t2)`, without a branch.
fn fold_unconditional(graph: &mut Graph, named: &impl Fn(Option<Op>, &str) -> bool) {
    for block in graph.blocks.iter_mut() {
        let mut at = 1;
        while at < block.steps.len() {
            let here = op(&block.steps, at);
            let enters = named(here, "record_pregraph_bytecode_enter");
            let exits = named(here, "record_pregraph_bytecode_exit");
            if !(enters || exits) || !named(op(&block.steps, at - 1), "__import_torch_dot__dynamo_dot_utils")
            {
                at += 1;
                continue;
            }
            let begin = at - 1;
            let last = |op: Option<Op>| {
                if enters { matches!(op, Some(Op::StoreLocal(_))) } else { op == Some(Op::Pop) }
            };
            let Some(call) = (at..block.steps.len().min(at + 9)).find(|&call| {
                matches!(op(&block.steps, call), Some(Op::Call { .. })) && last(op(&block.steps, call + 1))
            }) else {
                at += 1;
                continue;
            };
            let offset = block.steps[begin].offset;
            let comment = enters.then_some(Step { offset, kind: StepKind::Comment });
            block.steps.splice(begin..call + 2, comment);
            at = begin + 1;
        }
    }
}
