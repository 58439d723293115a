//! Pass: each `try` knows what the bytecode has right behind its handlers.
//!
//! To 3.10 the compiler puts the `else` behind the handlers, or, where there is none, what follows the statement
//! (CPython `Python/compile.c`, `compiler_try_except`). A `return`, `break` or `continue` may stand inside the `try`
//! and do the same; what lies behind the handlers tells which was written. Where only code that is never reached
//! lies there, nothing that is reached was written behind.
//!
//! Needs: the copies of `finally` bodies are in the graph. Establishes: `Protection::behind` and, to 3.10,
//! `Protection::end`. Later versions put
//! a handler there that only restores state, and nothing becomes known.
//!
//! Example: `region: x -> a; handler: match -> b or c; c: Reraise; a: Return` has `a` behind.

use crate::hash::{HashMap, HashSet};

use depyf_bytecode::{Function, Instruction, Op};

use super::{Behind, BlockId, Graph, RegionId, Terminator};

/// See the module.
pub(crate) fn note_what_lies_behind(graph: &mut Graph, function: &Function) {
    let handlers: Vec<u32> = graph.regions.iter().map(|region| graph.blocks[region.handler].start).collect();
    let closings = closings(graph, function);
    let behind = |(region, first): (RegionId, &u32)| {
        let end = last_reraise(graph, region).or_else(|| closings.get(first).copied())?;
        let at = function.instructions.partition_point(|instruction| instruction.offset <= end);
        let next = function.instructions.get(at).filter(|next| !handlers.contains(&next.offset))?;
        Some((region, next))
    };
    let found: Vec<(RegionId, &Instruction)> = handlers.iter().enumerate().filter_map(behind).collect();
    if found.is_empty() {
        return;
    }
    // A block that was copied has no place of its own.
    let mut starts: HashMap<u32, Option<BlockId>> = HashMap::default();
    for block in graph.reverse_postorder() {
        starts.entry(graph.blocks[block].start).and_modify(|known| *known = None).or_insert(Some(block));
    }
    for (region, next) in found {
        if function.features.source_order {
            graph.regions[region].end = next.offset;
        }
        graph.regions[region].behind = match starts.get(&next.offset) {
            Some(&Some(block)) => match graph.blocks[block].end {
                Terminator::Jump(to) if graph.blocks[block].steps.is_empty() => Behind::Jump(to),
                _ => Behind::Block(block),
            },
            None if let Op::Jump(to) = next.op
                && let Some(&Some(block)) =
                    function.instructions.get(to as usize).and_then(|to| starts.get(&to.offset)) =>
            {
                Behind::Jump(block)
            }
            None if matches!(next.op, Op::Nop | Op::Jump(_) | Op::EndFinally { .. } | Op::Reraise(_)) => {
                Behind::Nothing
            }
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

/// Where the last handler of a statement ends if it takes all exceptions, by the offset of its first handler. To 3.9
/// the compiler puts the instruction that ends the other handlers there too, and nothing reaches it. Each statement
/// has one; in 3.10 those that nothing reaches are erased.
fn closings(graph: &Graph, function: &Function) -> HashMap<u32, u32> {
    let mut found = HashMap::default();
    if !function.features.source_order {
        return found;
    }
    let order = graph.reverse_postorder();
    let reached: HashSet<u32> = order.into_iter().map(|block| graph.blocks[block].end_offset).collect();
    let mut open = Vec::new();
    for instruction in &function.instructions {
        match instruction.op {
            Op::SetupBlock(handler) => open.push(handler),
            Op::EndAsyncFor => drop(open.pop()),
            Op::EndFinally { .. } | Op::Reraise(_) => {
                let handler = open.pop().and_then(|handler| function.instructions.get(handler as usize));
                if let Some(handler) = handler.filter(|_| !reached.contains(&instruction.offset)) {
                    found.insert(handler.offset, instruction.offset);
                }
            }
            _ => {}
        }
    }
    found
}
