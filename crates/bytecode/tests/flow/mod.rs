//! The height of the stack on all ways through a decoded function.

use depyf_bytecode::{CodeObject, Function, Op, stack_effect};

/// All ways to an instruction agree about the height of the stack, and a function returns with nothing
/// left but its result.
pub(crate) fn check_flow(place: &str, code: &CodeObject, function: &Function) {
    // How high the stack is in a `finally` body of 3.8 depends on the way into it.
    if function.features.finally_subroutines {
        return;
    }
    let features = &function.features;
    let mut depths: Vec<Option<i64>> = vec![None; function.instructions.len()];
    let mut region_of = vec![None; function.instructions.len()];
    for region in &function.regions {
        region_of[region.start as usize..region.end as usize].fill(Some(*region));
    }
    let mut ways = vec![(0_u32, 0_i64)];
    while let Some((at, depth)) = ways.pop() {
        let op = function.instructions[at as usize].op;
        let place = || format!("{place}: operation {at}, {op:?}");
        if let Some(known) = depths[at as usize].replace(depth) {
            assert_eq!(known, depth, "{}: ways disagree", place());
            continue;
        }
        assert!(depth <= i64::from(code.stacksize) + 1, "{}: {depth} of {}", place(), code.stacksize);
        if let Some(region) = region_of[at as usize] {
            // The way out of a generator expression of 3.15 is in the region of its loop, whose iterator is
            // gone by then; nothing there raises.
            let cannot_raise = matches!(op, Op::Pop | Op::Const(_) | Op::Common(_) | Op::Return);
            let fits = i64::from(region.depth) <= depth;
            assert!(fits || cannot_raise, "{}: region {region:?} at {depth}", place());
            let pushed = if features.six_value_handlers { 6 } else { 1 + i64::from(region.lasti) };
            ways.push((region.handler, i64::from(region.depth) + pushed));
        }
        let after = depth + stack_effect(op, false, features);
        assert!(after >= 0, "{}: underflow", place());
        match op {
            Op::Return => assert_eq!(after, 0, "{}: values left", place()),
            Op::Raise(_) | Op::Reraise(_) => {}
            Op::Jump(to) => ways.push((to, after)),
            Op::ForIter { exhausted: to, .. } | Op::JumpIf(_, to) | Op::JumpIfOrPop(_, to) | Op::Send(to) => {
                ways.push((to, depth + stack_effect(op, true, features)));
                ways.push((at + 1, after));
            }
            _ => ways.push((at + 1, after)),
        }
    }
}
