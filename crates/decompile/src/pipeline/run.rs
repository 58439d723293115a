//! What a pass is, and how the list of them is run.

use depyf_syntax::ast::Block;

use super::PASSES;
use crate::flow::{Blocks, Contents, Copies, Graph};
use crate::lift::{Context, LiftResult, Lifted, Temporaries};
use crate::steps::Stage;

/// One pass.
pub(super) struct Pass {
    /// What `depyf steps` calls it.
    pub(super) name: &'static str,
    /// A function that holds nothing of these is as the pass would leave it.
    pub(super) needs: Contents,
    /// Why it stands where it stands.
    pub(super) place: &'static str,
    /// What it does.
    pub(super) run: Run,
}

/// What a pass works on.
pub(super) enum Run {
    /// The graph of neutral operations.
    Graph(fn(&mut Graph, &Context<'_>, &mut Temporaries)),
    /// From operations to statements in blocks.
    Lift(for<'a> fn(&'a Context<'a>, &Graph, &mut Temporaries) -> LiftResult<Lifted<'a>>),
    /// From blocks to a tree; adds what that holds.
    Structure(fn(&mut Lifted<'_>, &mut Contents) -> LiftResult<Block>),
    /// The tree.
    Tree(fn(&mut Block, &Context<'_>)),
    /// The tree, where what the function holds spares a part of the work.
    Knowing(fn(&mut Block, &Context<'_>, Contents)),
    /// The same; says whether the tree may still hold temporaries.
    Temporaries(fn(&mut Block, &Context<'_>, Contents) -> bool),
}

/// Sees the function after each pass: the pass's name, the reason for its place, and what there is now.
pub(crate) type Observe<'a> = dyn FnMut(&'static str, &'static str, &Context<'_>, Stage<'_>) + 'a;

/// Runs the list.
pub(crate) fn run(context: &Context<'_>, mut observe: Option<&mut Observe<'_>>) -> LiftResult<Block> {
    let mut temporaries = Temporaries::default();
    let mut graph = Graph::build(context.function);
    graph.contents.add(Contents::of_context(context));
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
                graph.blocks = Blocks::default(); // Nothing takes more memory, and nobody asks for them any more.
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

/// Runs the passes on the graph that the list leaves out for what the function's operations hold: they must do nothing.
#[cfg(test)]
pub(crate) fn run_passes_that_are_not_needed(
    graph: &mut Graph,
    context: &Context<'_>,
    temporaries: &mut Temporaries,
) {
    graph.contents.add(Contents::of_context(context));
    for pass in PASSES.iter().filter(|pass| !pass.needs.meets(Contents::GIVEN)) {
        if let (false, Run::Graph(run)) = (pass.needs.meets(graph.contents), &pass.run) {
            run(graph, context, temporaries);
        }
    }
}
