//! The `finally` subroutines of 3.8 as copies, in a list of operations.

use depyf_bytecode::{Function, Instruction, JumpCondition, Offsets, Op, Region};

use crate::flow::{self, Graph, StepKind, Terminator};
use crate::structure::DEEPEST;

/// A function whose `finally` bodies are subroutines, with a copy for each way that runs one; `None` for one that has
/// none. What cannot be copied stays, and is an operation that the verifier does not know.
pub(super) fn without_subroutines(function: &Function) -> Option<Function> {
    // An end that only exceptions reach raises them again, but what leaves such a body is still there.
    let is_of_a_body =
        |instruction: &Instruction| matches!(instruction.op, Op::EndFinally { .. } | Op::PopFinally(_));
    if !function.features.finally_subroutines || !function.instructions.iter().any(is_of_a_body) {
        return None;
    }
    let mut graph = Graph::build(function);
    // No statement is nested so deep, and copying asks for the regions around each block.
    if graph.handler_deeper_than(DEEPEST as usize).is_some() {
        return None;
    }
    flow::copy_finally_bodies(&mut graph, function);
    let (instructions, starts) = instructions(&graph);
    let regions = regions(&graph, &starts, instructions.len() as u32);
    Some(Function {
        variables: function.variables.clone(),
        instructions,
        regions,
        features: function.features,
        offsets: Offsets::default(),
    })
}

/// The blocks as instructions, one behind the other, and where each begins.
fn instructions(graph: &Graph) -> (Vec<Instruction>, Vec<u32>) {
    let mut code = Vec::new();
    let mut starts = Vec::with_capacity(graph.blocks.len());
    for block in graph.blocks.iter() {
        starts.push(code.len() as u32);
        let mut emit =
            |op: Op, offset: u32| code.push(Instruction { op, offset, line: None, column: None, width: 0 });
        for step in &block.steps {
            emit(if let StepKind::Op(op) = step.kind { op } else { Op::Unknown(0) }, step.offset);
        }
        let offset = block.end_offset;
        match block.end {
            Terminator::Jump(to) => emit(Op::Jump(to as u32), offset),
            Terminator::Branch { yes, no } => {
                emit(Op::JumpIf(JumpCondition::True, yes as u32), offset);
                emit(Op::Jump(no as u32), offset);
            }
            Terminator::OrPop { when, keep, other } => {
                emit(Op::JumpIfOrPop(when, keep as u32), offset);
                emit(Op::Jump(other as u32), offset);
            }
            Terminator::ForIter { body, exhausted, slots, pops } => {
                emit(Op::ForIter { exhausted: exhausted as u32, slots: slots as u8, pops }, offset);
                emit(Op::Jump(body as u32), offset);
            }
            Terminator::EndAsyncFor(to) => {
                emit(Op::EndAsyncFor, offset);
                emit(Op::Jump(to as u32), offset);
            }
            Terminator::Return => emit(Op::Return, offset),
            Terminator::Raise(operands) => emit(Op::Raise(operands), offset),
            Terminator::Reraise => emit(Op::Reraise(false), offset),
            Terminator::EndFinally
            | Terminator::Send { .. }
            | Terminator::AsyncFor { .. }
            | Terminator::Case { .. }
            | Terminator::Done
            | Terminator::Nowhere => {
                emit(Op::Unknown(0), offset);
            }
        }
    }
    let end = code.len() as u32;
    let start = |block: u32| starts.get(block as usize).copied().unwrap_or(end);
    for instruction in &mut code {
        match &mut instruction.op {
            Op::Jump(to) | Op::JumpIf(_, to) | Op::JumpIfOrPop(_, to) | Op::ForIter { exhausted: to, .. } => {
                *to = start(*to);
            }
            _ => {}
        }
    }
    (code, starts)
}

/// The protected regions of the instructions.
fn regions(graph: &Graph, starts: &[u32], end: u32) -> Vec<Region> {
    let mut regions = Vec::new();
    for (at, block) in graph.blocks.iter().enumerate() {
        let Some(region) = block.region else { continue };
        let protection = graph.regions[region];
        let (start, end) = (starts[at], starts.get(at + 1).copied().unwrap_or(end));
        if start < end {
            let handler = starts[protection.handler];
            regions.push(Region { start, end, handler, depth: protection.depth, lasti: protection.lasti });
        }
    }
    regions
}
