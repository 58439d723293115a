//! The loops of inlined comprehensions.

use depyf_bytecode::{JumpCondition, Op};
use depyf_syntax::ast::ExprKind;

use super::*;

/// `a; [x for x in b if x]`, with `x` local 2: the container lies below the iterator.
fn filtered() -> [Op; 16] {
    [
        Op::LoadLocal(0),
        Op::LoadLocal(1),
        Op::GetIter,
        Op::LoadLocalAndClear(2),
        Op::Swap(2),
        Op::BuildList(0),
        Op::Swap(2),
        Op::ForIter { exhausted: 13, slots: 1, pops: true },
        Op::StoreLocal(2),
        Op::LoadLocal(2),
        Op::JumpIf(JumpCondition::False, 7),
        Op::LoadLocal(2),
        Op::ListAppend(2),
        Op::Swap(2),
        Op::StoreLocal(2),
        Op::BuildTuple(2),
    ]
}

fn folded(ops: &[Op]) -> Graph {
    with_context(&function(ops, &[]), fold_comprehensions)
}

#[test]
fn a_loop_that_fills_a_list_is_one_step() {
    let mut ops = filtered().to_vec();
    ops.insert(13, Op::Jump(7));
    ops[7] = Op::ForIter { exhausted: 14, slots: 1, pops: true };
    ops.push(Op::Return);
    let after = folded(&ops);
    assert!(after.blocks.iter().all(|block| !matches!(block.end, Terminator::ForIter { .. })));
    let found: Vec<&Folded> = after
        .blocks
        .iter()
        .flat_map(|block| &block.steps)
        .filter_map(|step| match step.kind.as_piece() {
            Some(Piece::Comprehension(value)) => Some(value),
            _ => None,
        })
        .collect();
    let [value] = found[..] else { panic!("{:?}", text(&after)) };
    let ExprKind::Comprehension { clauses, .. } = &value.expr.kind else { panic!("{value:?}") };
    assert_eq!(clauses.len(), 1);
    assert_eq!(clauses[0].conditions.len(), 1);
    assert!(value.effects.acts && value.effects.stores.is_empty());
}

#[test]
fn a_comprehension_with_another_one_in_it_is_one_step() {
    // `a; [[y for y in x] for x in b]`, with `x` and `y` locals 2 and 3.
    let ops = [
        Op::LoadLocal(0),
        Op::LoadLocal(1),
        Op::GetIter,
        Op::LoadLocalAndClear(2),
        Op::Swap(2),
        Op::BuildList(0),
        Op::Swap(2),
        Op::ForIter { exhausted: 24, slots: 1, pops: true },
        Op::StoreLocal(2),
        Op::LoadLocal(2),
        Op::GetIter,
        Op::LoadLocalAndClear(3),
        Op::Swap(2),
        Op::BuildList(0),
        Op::Swap(2),
        Op::ForIter { exhausted: 20, slots: 1, pops: true },
        Op::StoreLocal(3),
        Op::LoadLocal(3),
        Op::ListAppend(2),
        Op::Jump(15),
        Op::Swap(2),
        Op::StoreLocal(3),
        Op::ListAppend(2),
        Op::Jump(7),
        Op::Swap(2),
        Op::StoreLocal(2),
        Op::BuildTuple(2),
        Op::Return,
    ];
    let after = folded(&ops);
    assert!(after.blocks.iter().all(|block| !matches!(block.end, Terminator::ForIter { .. })));
}

#[test]
fn a_loop_that_is_left_early_stays() {
    // The filter goes on behind the loop instead of with the next item.
    let mut ops = filtered().to_vec();
    ops.insert(13, Op::Jump(7));
    ops[7] = Op::ForIter { exhausted: 14, slots: 1, pops: true };
    ops[10] = Op::JumpIf(JumpCondition::False, 14);
    ops.push(Op::Return);
    let graph = graph(&ops, &[]);
    assert_eq!(text(&folded(&ops)), text(&graph));
}

/// A value that a local gets behind a comprehension which has set aside another, in front of an end.
fn stored_behind_a_comprehension(end: Op) -> Graph {
    let mut ops = vec![Op::LoadLocalAndClear(3), Op::LoadGlobal(0), Op::Jump(4), Op::Nop];
    ops.extend([Op::StoreLocal(2), Op::StoreLocal(3), end]);
    graph(&ops, &[])
}

#[test]
fn a_handler_gives_variables_back_before_it_stores_a_value() {
    let mut ending = stored_behind_a_comprehension(Op::Reraise(false));
    restore_variables_first(&mut ending);
    assert_eq!(text(&ending)[1], "2: Swap(2); StoreLocal(3); StoreLocal(2); Reraise");
    // Elsewhere the stores stay as they are.
    let mut other = stored_behind_a_comprehension(Op::Return);
    restore_variables_first(&mut other);
    assert_eq!(text(&other), text(&stored_behind_a_comprehension(Op::Return)));
}
