//! Single passes on small graphs, compared as printed text.
//!
//! Operations stand two bytes apart. A region is written from its first operation to behind its last one; the
//! text names the region of a block behind an `@`.

mod bodies;
mod comprehensions;
mod conditions;
mod contents;
mod copies;
mod finally_subroutines;
mod handlers;
mod jumps;
mod patterns;
mod templates;
mod ways_out;

use std::cell::OnceCell;

use depyf_bytecode::{
    CodeObject, CommonConst, Features, Function, Instruction, Op, Region, Unreached, decode,
};
use depyf_value::{PyStr, PyVersion};

use super::*;
use crate::Options;
use crate::lift::{Context, Temporaries};
use crate::names::Names;
use crate::scope::Scope;

const RETURN: [Op; 2] = [Op::Common(CommonConst::None), Op::Return];

/// A function of some operations, with locals `a` to `e`.
fn function(ops: &[Op], regions: &[Region]) -> (CodeObject, Function) {
    let varnames = ["a", "b", "c", "d", "e"].map(PyStr::new).to_vec();
    let code = CodeObject { varnames, ..CodeObject::empty(PyVersion(12)) };
    let mut function = decode(&code).expect("an empty function");
    function.instructions = ops
        .iter()
        .enumerate()
        .map(|(at, &op)| Instruction { op, offset: 2 * at as u32, line: None, column: None, width: 0 })
        .collect();
    function.regions = regions.to_vec();
    (code, function)
}

/// What a version does that tests each loop once.
fn features() -> Features {
    Features { tests_loops_twice: false, ..function(&[], &[]).1.features }
}

/// A function of a version that does so, of which no more is asked.
fn bare(features: Features) -> Function {
    Function { features, ..function(&[], &[]).1 }
}

/// The graph of a function.
fn graph(ops: &[Op], regions: &[Region]) -> Graph {
    Graph::build(&function(ops, regions).1)
}

/// A region whose handler finds as many values on the stack.
fn region(start: u32, end: u32, handler: u32, depth: u32) -> Region {
    Region { start, end, handler, depth, lasti: false }
}

/// The names of global number 0, 1, and so on, and the lines of the operations, for passes that ask for them.
fn described(
    (code, mut function): (CodeObject, Function),
    names: &[&str],
    lines: &[u32],
) -> (CodeObject, Function) {
    for (instruction, &line) in function.instructions.iter_mut().zip(lines) {
        instruction.line = Some(line);
    }
    (CodeObject { names: names.iter().map(|name| PyStr::new(name)).collect(), ..code }, function)
}

/// What a pass that asks for the context makes of a function.
fn with_context(
    function: &(CodeObject, Function),
    pass: impl FnOnce(&mut Graph, &Context<'_>, &mut Temporaries),
) -> Graph {
    with_unreached(function, &[], pass)
}

/// The same, with code that nothing reaches.
fn with_unreached(
    (code, function): &(CodeObject, Function),
    unreached: &[Unreached],
    pass: impl FnOnce(&mut Graph, &Context<'_>, &mut Temporaries),
) -> Graph {
    let options = Options::default();
    let (names, scope) = (Names::choose(code, function, &[], None), Scope::new(&options));
    let mut graph = Graph::build(function);
    graph.contents.add(Contents::of_code(code));
    let context = Context {
        code,
        function,
        names: &names,
        scope: &scope,
        packs_values: crate::dynamo::packs_values(code),
        unreached,
        words: OnceCell::new(),
        names_in_use: OnceCell::new(),
        first_handler: OnceCell::new(),
        borrowing_loads: OnceCell::new(),
    };
    pass(&mut graph, &context, &mut Temporaries::default());
    graph
}

/// A line for each block that is reached: its number, its region, its steps, how it ends.
fn text(graph: &Graph) -> Vec<String> {
    let mut reached = graph.reverse_postorder().to_vec();
    reached.sort_unstable();
    let line = |&block: &BlockId| {
        let Block { steps, end, region, .. } = &graph.blocks[block];
        let region = region.map_or_else(String::new, |region| format!("@{region}"));
        let mut words = vec![format!("{block}{region}:")];
        for step in steps {
            words.push(match &step.kind {
                StepKind::Op(op) => format!("{op:?};"),
                other => format!("{other:?};"),
            });
        }
        words.push(format!("{end:?}"));
        words.join(" ")
    };
    reached.iter().map(line).collect()
}
