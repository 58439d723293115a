//! A pass that is not run would have done nothing.

use depyf_bytecode::{CallLayout, JumpCondition, Op};

use super::*;
use crate::pipeline::run_passes_that_are_not_needed;

/// Functions of which each holds something else that passes look for.
fn functions() -> Vec<(Vec<Op>, Vec<Region>)> {
    let call = Op::Call { positional: 0, layout: CallLayout::Plain };
    let for_iter = Op::ForIter { exhausted: 7, slots: 1, pops: true };
    vec![
        (RETURN.to_vec(), vec![]),
        (vec![Op::LoadLocal(0), call, Op::Pop, RETURN[0], RETURN[1]], vec![]),
        (
            vec![Op::LoadLocal(0), Op::Copy(1), Op::StoreLocal(1), Op::StoreLocal(2), RETURN[0], RETURN[1]],
            vec![],
        ),
        (
            vec![
                Op::LoadLocal(0),
                Op::JumpIf(JumpCondition::False, 4),
                RETURN[0],
                RETURN[1],
                RETURN[0],
                RETURN[1],
            ],
            vec![],
        ),
        (
            vec![
                Op::LoadLocal(0),
                Op::GetIter,
                for_iter,
                Op::Pop,
                Op::LoadLocal(1),
                Op::Pop,
                Op::Jump(2),
                RETURN[0],
                RETURN[1],
            ],
            vec![],
        ),
        (
            vec![
                Op::LoadLocal(0),
                call,
                Op::Pop,
                RETURN[0],
                RETURN[1],
                Op::PushExcInfo,
                Op::Pop,
                Op::PopExcept,
                RETURN[0],
                RETURN[1],
            ],
            vec![region(0, 3, 5, 0)],
        ),
    ]
}

#[test]
fn what_a_function_does_not_hold_no_pass_finds() {
    for (ops, regions) in functions() {
        let before = graph(&ops, &regions);
        let after = with_context(&function(&ops, &regions), |graph, context, temporaries| {
            run_passes_that_are_not_needed(graph, context, temporaries);
        });
        assert_eq!(text(&after), text(&before));
    }
}
