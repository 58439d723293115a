//! Pass: the condition behind a pattern becomes its guard.
//!
//! Needs: `find_matches`, `reduce`. Establishes: where what follows a matched pattern is one condition that leads
//! to the next case if it is false, it is the guard of the case. Behind the last case that may as well be an `if` in
//! its body, which is on a line of its own.
//!
//! Example: `a: Case([x]) -> g, c; g: x.y -> Branch(b, c)` becomes `a: Case([x] if x.y) -> b, c`.

use depyf_bytecode::{Function, Op};

use super::skip_jumps;
use crate::flow::places::{instruction_at, instructions_before, line_of};
use crate::flow::step::are_same;
use crate::flow::{BlockId, Graph, Lists, Step, StepKind, Terminator};
use crate::lift::{Context, Lifter, Temporaries};

/// See the module.
pub(crate) fn fold_guards(graph: &mut Graph, context: &Context<'_>, temporaries: &mut Temporaries) {
    if graph.cases.is_empty() {
        return;
    }
    let order = graph.reverse_postorder();
    let predecessors = graph.predecessors();
    let drops = |graph: &Graph, block: usize| {
        matches!(graph.blocks[block].steps.first().map(|step| &step.kind), Some(StepKind::Op(Op::Pop)))
    };
    for &block in order.iter() {
        let Terminator::Case { case, yes: guard, no } = graph.blocks[block].end else { continue };
        let Terminator::Branch { yes, no: otherwise } = graph.blocks[guard].end else { continue };
        let alone = predecessors[guard].len() == 1
            && graph.blocks[guard].region == graph.blocks[block].region
            && (yes != otherwise || !begins_line(graph, context.function, block, guard));
        let place = |way: BlockId| (goes_back(graph, way, block), graph.blocks[way].start);
        let (holds, fails) = match no {
            // A body that does nothing leads on as the guard does; the test falls into it.
            Some(no) if yes == otherwise && same_end(graph, context.function, no, yes) => {
                (graph.blocks[guard].layout.falls.unwrap_or(true), no)
            }
            Some(no) if same_end(graph, context.function, no, otherwise) => (true, no),
            Some(no) if same_end(graph, context.function, no, yes) => (false, no),
            Some(_) => continue,
            // Only the way on which the guard holds drops the subject.
            None if drops(graph, otherwise) != drops(graph, yes) => {
                let holds = drops(graph, yes);
                (holds, if holds { otherwise } else { yes })
            }
            // Where none does, the body lies in front of the next case; what leads back to a loop leads to neither.
            None if place(otherwise) < place(yes) => (false, yes),
            None => (true, otherwise),
        };
        let is_behind_all = || match no {
            None => !is_case(graph, fails),
            Some(_) => {
                is_behind_bodies(graph, &predecessors, guard, fails)
                    || !is_case(graph, fails)
                        && begins_default(graph, context.function, guard, fails) == Some(false)
            }
        };
        if !alone || begins_line(graph, context.function, block, guard) && is_behind_all() {
            continue;
        }
        let Some(mut folded) = Lifter::fold(context, temporaries, &graph.blocks[guard].steps) else {
            continue;
        };
        if !holds {
            folded.expr = crate::names::negated(folded.expr);
        }
        let matched = if holds { yes } else { otherwise };
        graph.pattern_stores.extend(folded.effects.stores.iter().map(|local| local as usize));
        graph.cases[case].guard = Some(folded);
        graph.blocks[block].end = Terminator::Case { case, yes: matched, no: Some(fails) };
        // A `continue` that is all of the body stands behind the guard.
        let jump = graph.blocks[guard].layout.jump;
        graph.blocks[block].layout.jump = jump.or(graph.blocks[block].layout.jump);
        graph.blocks[guard].steps.clear();
        graph.blocks[guard].end = Terminator::Nowhere;
    }
}

/// Whether what is behind the pattern of a block's case starts on a line of its own, as the statements of a body do.
fn begins_line(graph: &Graph, function: &Function, block: BlockId, behind: BlockId) -> bool {
    let end = graph.blocks[behind].start;
    let tests = &function.instructions[instructions_before(function, graph.blocks[block].end_offset)..];
    let last = tests.iter().take_while(|found| found.offset < end).filter_map(|found| found.line).max();
    last.is_some_and(|last| line_of(function, end).is_some_and(|line| line > last))
}

/// Whether a way leads back in front of a block.
fn goes_back(graph: &Graph, way: BlockId, block: BlockId) -> bool {
    let (way, _) = skip_jumps(graph, (way, 0), |_, _| true);
    graph.blocks[way].start <= graph.blocks[block].start
}

/// Whether a block tests another pattern of the same subject: another statement would compute its own.
fn is_case(graph: &Graph, block: BlockId) -> bool {
    let (block, _) = skip_jumps(graph, (block, 0), |_, _| true);
    let keeps = |step: &Step| matches!(step.kind, StepKind::Op(Op::Copy(1) | Op::Pop));
    matches!(graph.blocks[block].end, Terminator::Case { .. }) && graph.blocks[block].steps.iter().all(keeps)
}

/// Whether a block begins with what the compiler leaves of `case _` below a guard: an instruction that does nothing and
/// is as wide as that. So may be what is left of a jump that was threaded, which has the place of the test. `None` where
/// no columns tell.
fn begins_default(graph: &Graph, function: &Function, guard: BlockId, block: BlockId) -> Option<bool> {
    let first = instruction_at(function, graph.blocks[block].start)?;
    first.column?;
    let is_below = || first.line > line_of(function, graph.blocks[guard].end_offset);
    Some(first.op == Op::Nop && first.width == 1 && is_below())
}

/// Whether a way out of the body of a case leads to where the condition fails: that lies behind the whole statement.
fn is_behind_bodies(graph: &Graph, predecessors: &Lists, guard: BlockId, fails: BlockId) -> bool {
    let is_body =
        |&before: &BlockId| before != guard && !matches!(graph.blocks[before].end, Terminator::Case { .. });
    predecessors[fails].iter().any(is_body)
}

/// Whether two blocks are the same, or copies of one end of the function, which have its line: of the end that no `return`
/// was written for there are none any more.
fn same_end(graph: &Graph, function: &Function, a: BlockId, b: BlockId) -> bool {
    let [(a, _), (b, _)] = [a, b].map(|block| skip_jumps(graph, (block, 0), |_, _| true));
    let (one, two) = (&graph.blocks[a], &graph.blocks[b]);
    a == b
        || matches!(one.end, Terminator::Return | Terminator::Raise(_))
            && one.end == two.end
            && line_of(function, one.end_offset) == line_of(function, two.end_offset)
            && one.region == two.region
            && are_same(&one.steps, &two.steps)
}
