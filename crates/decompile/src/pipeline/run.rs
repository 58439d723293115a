//! Runs the passes.

use depyf_syntax::ast::Block;

use super::{PASSES, Run};
use crate::flow::{Contents, Copies, Graph};
use crate::lift::{Context, LiftResult, Temporaries};
use crate::steps::Stage;

/// Sees the function after each pass: the pass's name, the reason for its place, and what there is now.
pub(crate) type Observe<'a> = dyn FnMut(&'static str, &'static str, &Context<'_>, Stage<'_>) + 'a;

/// Runs the list.
pub(crate) fn run(context: &Context<'_>, mut observe: Option<&mut Observe<'_>>) -> LiftResult<Block> {
    let mut temporaries = Temporaries::default();
    let mut graph = Graph::build(context.function);
    graph.contents.add(Contents::of_code(context.code));
    graph.contents.note_surroundings(context.scope.bound_around().is_some());
    graph.copies = Copies::asked(context.scope.is_of_outermost());
    if let Some(observe) = &mut observe {
        let place = "what every version's bytecode becomes, cut into blocks";
        observe("decode", place, context, Stage::Graph(&graph));
    }
    let mut lifted = None;
    let mut block = Block::new();
    for pass in PASSES {
        let is_needed = pass.needs.meets(graph.contents);
        match &pass.run {
            _ if !is_needed && observe.is_none() => continue,
            _ if !is_needed => {}
            Run::Graph(run) => run(&mut graph, context, &mut temporaries),
            Run::Lift(run) => {
                lifted = Some(run(context, &graph, &mut temporaries)?);
                graph.contents.note_temporaries(context.function, &temporaries);
                graph.blocks = Vec::new(); // Nothing takes more memory, and nobody asks for them any more.
            }
            Run::Structure(run) => {
                if let Some(mut lifted) = lifted.take() {
                    block = run(&mut lifted, &mut graph.contents)?;
                }
            }
            Run::Tree(run) => run(&mut block, context),
            Run::Knowing(run) => run(&mut block, context, graph.contents),
            Run::Temporaries(run) => {
                if !run(&mut block, context, graph.contents) {
                    graph.contents.note_no_temporaries();
                }
            }
        }
        if let Some(observe) = &mut observe {
            let stage = match (&pass.run, &lifted) {
                (Run::Graph(_), _) | (Run::Lift(_), None) => Stage::Graph(&graph),
                (Run::Lift(_), Some(lifted)) => Stage::Lifted(lifted),
                _ => Stage::Tree(&block),
            };
            observe(pass.name, pass.place, context, stage);
        }
    }
    context.scope.keep_copies(graph.copies);
    Ok(block)
}

/// Runs the passes on the graph that the list leaves out for what the function holds: they must do nothing.
#[cfg(test)]
pub(crate) fn run_passes_that_are_not_needed(
    graph: &mut Graph,
    context: &Context<'_>,
    temporaries: &mut Temporaries,
) {
    graph.contents.add(Contents::of_code(context.code));
    for pass in PASSES {
        if let (false, Run::Graph(run)) = (pass.needs.meets(graph.contents), &pass.run) {
            run(graph, context, temporaries);
        }
    }
}
