//! What a pass is, and how the list of them is run.

use depyf_bytecode::CompilerFeatures;
use depyf_syntax::ast::Block;

use super::PASSES;
use crate::flow::{Blocks, Contents, Copies, Graph};
use crate::lift::{Context, LiftError, LiftResult, Lifted, Temporaries};
use crate::refine;
use crate::steps::Stage;
use crate::structure::{DEEPEST, TOO_DEEP};

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
    /// The same; notes what temporaries have become, and whether the tree may still hold some.
    Temporaries(fn(&mut Block, &Context<'_>, &mut Contents)),
}

/// What the compiler that made the code does.
pub(super) fn compiler(context: &Context<'_>) -> Option<CompilerFeatures> {
    CompilerFeatures::of(context.code.version)
}

/// Whether the compiler looks into the values of assignment expressions when it folds.
pub(super) fn folds_named_values(context: &Context<'_>) -> bool {
    compiler(context).is_none_or(|compiler| compiler.folds_named_values)
}

/// Inlines temporaries, where there may be any.
pub(super) fn inline(block: &mut Block, context: &Context<'_>, contents: &mut Contents) {
    if !contents.meets(Contents::TEMPORARIES) {
        return;
    }
    let inlined = refine::inline_temporaries(block, context.names);
    if inlined.makes_conditionals {
        contents.add(Contents::CONDITIONALS);
    }
    if !inlined.leaves_temporaries {
        contents.note_no_temporaries();
    }
}

/// Sees the function after each pass: the pass's name, the reason for its place, and what there is now.
pub(crate) type Observe<'a> = dyn FnMut(&'static str, &'static str, &Context<'_>, Stage<'_>) + 'a;

/// A function on its way through the list.
struct Work<'a> {
    context: &'a Context<'a>,
    graph: Graph,
    temporaries: Temporaries,
    lifted: Option<Lifted<'a>>,
    block: Block,
}

impl<'a> Work<'a> {
    /// # Errors
    /// Where regions are nested deeper than statements may be, which only damaged code has (CPython allows some tens of
    /// blocks, `CO_MAXBLOCKS`): the passes ask for the regions around each block.
    fn new(context: &'a Context<'a>) -> LiftResult<Self> {
        let mut graph = Graph::build(context.function);
        if let Some(handler) = graph.handler_deeper_than(DEEPEST as usize) {
            let (message, offset) = (TOO_DEEP.to_owned(), graph.blocks[handler].start);
            return Err(Box::new(LiftError { message, offset, nested: None }));
        }
        graph.contents.add(Contents::of_context(context));
        graph.copies = Copies::asked(context.scope.is_of_outermost());
        Ok(Self { context, graph, temporaries: Temporaries::default(), lifted: None, block: Block::new() })
    }

    /// Whether the function holds anything that a pass is for.
    fn needs(&self, pass: &Pass) -> bool {
        pass.needs.meets(self.graph.contents)
    }

    fn run(&mut self, pass: &Pass) -> LiftResult<()> {
        let Self { context, graph, temporaries, lifted, block } = self;
        match &pass.run {
            Run::Graph(run) => run(graph, context, temporaries),
            Run::Lift(run) => {
                *lifted = Some(run(context, graph, temporaries)?);
                graph.contents.note_temporaries(context.function, temporaries);
                graph.blocks = Blocks::default(); // Nothing takes more memory, and nobody asks for them any more.
            }
            Run::Structure(run) => {
                if let Some(mut lifted) = lifted.take() {
                    *block = run(&mut lifted, &mut graph.contents)?;
                }
            }
            Run::Tree(run) => run(block, context),
            Run::Knowing(run) => run(block, context, graph.contents),
            Run::Temporaries(run) => run(block, context, &mut graph.contents),
        }
        Ok(())
    }

    fn finish(self) -> Block {
        self.context.scope.keep_copies(self.graph.copies);
        self.block
    }
}

/// Runs the list on functions that do not ask for each other: every pass on all of them, then the next pass.
///
/// The instructions of all passes together are many times what the processor's first cache holds: a pass that has just
/// run is there yet, and takes half the time.
pub(crate) fn run(contexts: &[Context<'_>]) -> Vec<LiftResult<Block>> {
    let mut all: Vec<LiftResult<Work<'_>>> = contexts.iter().map(Work::new).collect();
    for pass in PASSES {
        for slot in &mut all {
            if let Ok(work) = slot
                && work.needs(pass)
                && let Err(error) = work.run(pass)
            {
                *slot = Err(error);
            }
        }
    }
    all.into_iter().map(|work| work.map(Work::finish)).collect()
}

/// Runs the list on one function, and shows what each pass makes of it.
pub(crate) fn run_observed(context: &Context<'_>, observe: &mut Observe<'_>) -> LiftResult<Block> {
    let mut work = Work::new(context)?;
    let place = "what every version's bytecode becomes, cut into blocks";
    observe("decode", place, context, Stage::Graph(&work.graph));
    for pass in PASSES {
        if work.needs(pass) {
            work.run(pass)?;
        }
        let stage = match (&pass.run, &work.lifted) {
            (Run::Graph(_), _) | (Run::Lift(_), None) => Stage::Graph(&work.graph),
            (Run::Lift(_), Some(lifted)) => Stage::Lifted(lifted),
            _ => Stage::Tree(&work.block),
        };
        observe(pass.name, pass.place, context, stage);
    }
    Ok(work.finish())
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
