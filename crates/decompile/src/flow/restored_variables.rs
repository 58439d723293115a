//! Pass: what an inlined comprehension set aside is given back before its value is stored.
//!
//! The compiler does so in this order, with a SWAP in front that static swaps take away where a local gets the value
//! (CPython `Python/flowgraph.c`, `apply_static_swaps`). That happens in each copy of a `finally` body for itself, and not
//! where a jump lies between, so that copies have the stores in another order.
//!
//! Needs: nothing but the operations. Establishes: where a handler ends behind the store of such a value, all blocks of the
//! function that begin with one begin with the stores of what was set aside.
//!
//! Example: `StoreLocal(c), StoreLocal(i), Reraise` becomes `Swap(2), StoreLocal(i), StoreLocal(c), Reraise` where
//! `LoadLocalAndClear(i)` is in the function.

use depyf_bytecode::{Op, VarId};

use super::{Block, Graph, Step, StepKind, Terminator};
use crate::hash::HashSet;

/// See the module.
pub(crate) fn restore_variables_first(graph: &mut Graph) {
    let set_aside = |step: &Step| match step.op() {
        Some(Op::LoadLocalAndClear(variable)) => Some(variable),
        _ => None,
    };
    let all = graph.blocks.iter().flat_map(|block| &block.steps);
    let variables: HashSet<VarId> = all.filter_map(set_aside).collect();
    let is_end = |block: &Block| block.end == Terminator::Reraise && restored_behind(block, &variables) > 0;
    if !graph.blocks.iter().any(is_end) {
        return;
    }
    for block in graph.blocks.iter_mut() {
        let restored = restored_behind(block, &variables);
        if restored > 0 {
            let swap = StepKind::Op(Op::Swap(restored as u32 + 1));
            let swap = Step { offset: block.steps[0].offset, kind: swap };
            block.steps.swap(0, restored);
            block.steps.insert(0, swap);
        }
    }
}

/// How many variables that were set aside are restored behind the store of a value, with which a block begins.
fn restored_behind(block: &Block, variables: &HashSet<VarId>) -> usize {
    let is_restored = |step: &Step| match step.op() {
        Some(Op::StoreLocal(stored)) => Some(variables.contains(&stored)),
        _ => None,
    };
    match block.steps.split_first() {
        Some((first, rest)) if is_restored(first) == Some(false) => {
            rest.iter().take_while(|step| is_restored(step) == Some(true)).count()
        }
        _ => 0,
    }
}
