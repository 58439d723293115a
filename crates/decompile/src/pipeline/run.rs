//! What a pass is, and how the list of them is run.

use depyf_bytecode::CompilerFeatures;
use depyf_syntax::ast::{Block, Origin};

use super::PASSES;
use crate::flow::{Blocks, Contents, Copies, Graph, RegionKind};
use crate::lift::{Context, LiftError, LiftResult, Lifted, Temporaries};
use crate::refine;
use crate::steps::Stage;
use crate::structure::{DEEPEST, TOO_DEEP, word_out_of_group};

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
    /// Why it goes no further.
    error: Option<Box<LiftError>>,
}

impl<'a> Work<'a> {
    /// Where regions are nested deeper than statements may be, which only damaged code has (CPython allows some tens of
    /// blocks, `CO_MAXBLOCKS`), no pass is to run: they ask for the regions around each block.
    fn new(context: &'a Context<'a>) -> Self {
        let mut graph = Graph::build(context.function);
        let error = graph.handler_deeper_than(DEEPEST as usize).map(|handler| {
            let (message, offset) = (TOO_DEEP.to_owned(), graph.blocks[handler].start);
            Box::new(LiftError { message, offset, nested: None })
        });
        graph.contents.add(Contents::of_context(context));
        graph.copies = Copies::asked(context.scope.is_of_outermost());
        Self { context, graph, temporaries: Temporaries::default(), lifted: None, block: Block::new(), error }
    }

    /// What tells which passes it needs.
    fn contents(&self) -> Contents {
        if self.error.is_some() { Contents::NOTHING } else { self.graph.contents }
    }

    fn run(&mut self, pass: &Pass) -> LiftResult<()> {
        let Self { context, graph, temporaries, lifted, block, .. } = self;
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

    /// What the passes made; it is taken out of the work, which is too large to be moved for it.
    fn finish(&mut self) -> LiftResult<Block> {
        if let Some(error) = self.error.take() {
            return Err(error);
        }
        let has_groups =
            self.graph.regions.iter().any(|region| matches!(region.kind, RegionKind::TryStar { .. }));
        if has_groups && let Some(Origin(offset)) = word_out_of_group(&self.block) {
            let message = "`return`, `break` or `continue` out of an `except*`".to_owned();
            return Err(Box::new(LiftError { message, offset, nested: None }));
        }
        self.context.scope.keep_copies(std::mem::take(&mut self.graph.copies));
        Ok(std::mem::take(&mut self.block))
    }
}

/// Runs the list on functions that do not ask for each other: every pass on all of them, then the next pass.
///
/// The instructions of all passes together are many times what the processor's first cache holds: a pass that has just
/// run is there yet, and takes half the time.
pub(crate) fn run(contexts: &[Context<'_>]) -> Vec<LiftResult<Block>> {
    let mut all: Vec<Work<'_>> = contexts.iter().map(Work::new).collect();
    // Most passes are for few functions. What these hold lies side by side here: the works lie far from one another.
    let mut contents: Vec<Contents> = all.iter().map(Work::contents).collect();
    for pass in PASSES {
        for (work, contents) in all.iter_mut().zip(&mut contents) {
            if pass.needs.meets(*contents) {
                work.error = work.run(pass).err();
                *contents = work.contents();
            }
        }
    }
    all.iter_mut().map(Work::finish).collect()
}

/// Runs the list on one function, and shows what each pass makes of it.
pub(crate) fn run_observed(context: &Context<'_>, observe: &mut Observe<'_>) -> LiftResult<Block> {
    let mut work = Work::new(context);
    work.error.take().map_or(Ok(()), Err)?;
    let place = "what every version's bytecode becomes, cut into blocks";
    observe("decode", place, context, Stage::Graph(&work.graph));
    for pass in PASSES {
        if pass.needs.meets(work.contents()) {
            work.run(pass)?;
        }
        let stage = match (&pass.run, &work.lifted) {
            (Run::Graph(_), _) | (Run::Lift(_), None) => Stage::Graph(&work.graph),
            (Run::Lift(_), Some(lifted)) => Stage::Lifted(lifted),
            _ => Stage::Tree(&work.block),
        };
        observe(pass.name, pass.place, context, stage);
    }
    work.finish()
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
