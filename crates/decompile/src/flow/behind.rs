//! Pass: each `try` knows what the bytecode has right behind its handlers.
//!
//! To 3.10 the compiler puts the `else` behind the handlers, or, where there is none, what follows the statement
//! (CPython `Python/compile.c`, `compiler_try_except`). A `return`, `break` or `continue` may stand inside the `try`
//! and do the same; what lies behind the handlers tells which was written. Where only code that is never reached
//! lies there, nothing that is reached was written behind.
//!
//! Needs: the copies of `finally` bodies are in the graph. Establishes: `Protection::behind`. Later versions put
//! a handler there that only restores state, and nothing becomes known.
//!
//! Example: `region: x -> a; handler: match -> b or c; c: Reraise; a: Return` has `a` behind.

use crate::hash::HashMap;

use depyf_bytecode::{Function, Op};

use super::{Behind, BlockId, Graph, RegionId, Terminator};

/// See the module.
pub(crate) fn note_what_lies_behind(graph: &mut Graph, function: &Function) {
    let order = graph.reverse_postorder();
    // A block that was copied has no place of its own.
    let mut starts: HashMap<u32, Option<BlockId>> = HashMap::default();
    for &block in &order {
        starts.entry(graph.blocks[block].start).and_modify(|known| *known = None).or_insert(Some(block));
    }
    let handlers: Vec<u32> = graph.regions.iter().map(|region| graph.blocks[region.handler].start).collect();
    for region in 0..graph.regions.len() {
        let Some(end) = last_reraise(graph, region) else { continue };
        let at = function.instructions.partition_point(|instruction| instruction.offset <= end);
        let Some(next) = function.instructions.get(at) else { continue };
        if handlers.contains(&next.offset) {
            continue;
        }
        graph.regions[region].behind = match starts.get(&next.offset) {
            Some(&Some(block)) => match graph.blocks[block].end {
                Terminator::Jump(to) if graph.blocks[block].steps.is_empty() => Behind::Jump(to),
                _ => Behind::Block(block),
            },
            None if matches!(next.op, Op::Nop) => Behind::Nothing,
            _ => Behind::Unknown,
        };
    }
}

/// Where the exception is raised again that none of a statement's handlers matched.
fn last_reraise(graph: &Graph, region: RegionId) -> Option<u32> {
    let mut block = graph.regions[region].handler;
    for _ in 0..graph.blocks.len() {
        let found = &graph.blocks[block];
        match found.end {
            Terminator::Branch { no, .. } => block = no,
            Terminator::Reraise if found.steps.is_empty() => return Some(found.end_offset),
            _ => return None,
        }
    }
    None
}
