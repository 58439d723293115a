//! Pass: the condition behind a pattern becomes its guard.
//!
//! Needs: `find_matches`, `reduce`. Establishes: where what follows a matched pattern is one condition that leads
//! to the next case if it is false, it is the guard of the case.
//!
//! Example: `a: Case([x]) -> g, c; g: x.y -> Branch(b, c)` becomes `a: Case([x] if x.y) -> b, c`.

use depyf_bytecode::Op;

use crate::flow::{BlockId, Graph, StepKind, Terminator};
use crate::lift::{Context, Lifter, Temporaries};

/// See the module.
pub(crate) fn fold_guards(graph: &mut Graph, context: &Context<'_>, temporaries: &mut Temporaries) {
    if graph.cases.is_empty() {
        return;
    }
    let order = graph.reverse_postorder();
    let predecessors = graph.predecessors(&order);
    let drops = |graph: &Graph, block: usize| {
        matches!(graph.blocks[block].steps.first().map(|step| &step.kind), Some(StepKind::Op(Op::Pop)))
    };
    for &block in &order {
        let Terminator::Case { case, yes: guard, no } = graph.blocks[block].end else { continue };
        let Terminator::Branch { yes, no: otherwise } = graph.blocks[guard].end else { continue };
        let alone = predecessors[guard].len() == 1
            && graph.blocks[guard].region == graph.blocks[block].region
            && yes != otherwise;
        let (holds, fails) = match no {
            Some(no) if same_end(graph, no, otherwise) => (true, no),
            Some(no) if same_end(graph, no, yes) => (false, no),
            Some(_) => continue,
            // Only the way on which the guard holds drops the subject.
            None if drops(graph, otherwise) && !drops(graph, yes) => (false, yes),
            None => (true, otherwise),
        };
        if !alone {
            continue;
        }
        let Some(mut folded) = Lifter::fold(context, temporaries, Vec::new(), &graph.blocks[guard].steps)
        else {
            continue;
        };
        if !holds {
            folded.expr = crate::names::negated(folded.expr);
        }
        let matched = if holds { yes } else { otherwise };
        graph.pattern_stores.extend(folded.effects.stores.iter().map(|&local| local as usize));
        graph.cases[case].guard = Some(folded);
        graph.blocks[block].end = Terminator::Case { case, yes: matched, no: Some(fails) };
        graph.blocks[guard].steps.clear();
        graph.blocks[guard].end = Terminator::Nowhere;
    }
}

/// Whether two blocks are the same, or copies of one end of the function.
fn same_end(graph: &Graph, a: BlockId, b: BlockId) -> bool {
    let (one, two) = (&graph.blocks[a], &graph.blocks[b]);
    let ends = matches!(one.end, Terminator::Return | Terminator::Raise(_));
    a == b
        || ends
            && one.end == two.end
            && one.region == two.region
            && one.steps.len() == two.steps.len()
            && one.steps.iter().zip(&two.steps).all(|(a, b)| a.same(b))
}
