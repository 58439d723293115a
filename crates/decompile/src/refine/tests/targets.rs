//! Targets and iterables that go straight to their statements.

use super::*;
use crate::lift::HOLE;

#[test]
fn a_loop_takes_the_name_that_its_item_is_stored_to() {
    let body = vec![assign(attribute(name("a"), "b"), temp(0)), run(name("c"))];
    let block = vec![for_(temp(0), name("x"), body)];
    assert_eq!(after(|block| restore_targets(block, &[]), block), ["for a.b in x:", "    c"]);
}

#[test]
fn a_loop_takes_the_iterable_of_an_iterator_that_is_its_own() {
    let iterator = || assign(temp(1), call(temp(HOLE), vec![name("x")]));
    let over = || for_(temp(0), temp(1), vec![assign(name("a"), temp(0))]);
    let mut block = vec![iterator(), over()];
    assert!(!restore_targets(&mut block, &[]));
    assert_eq!(text(&block), ["for a in x:", "    pass"]);
    // What another one takes items of, too, is made once.
    assert!(restore_targets(&mut vec![iterator(), over(), over()], &[]));
}

#[test]
fn unpacked_items_take_their_targets_nested_ones_too() {
    let pair = |first, second| expr(ExprKind::Tuple(vec![temp(first), temp(second)]));
    let block = vec![
        assign(pair(0, 1), name("x")),
        assign(name("a"), temp(0)),
        assign(pair(2, 3), temp(1)),
        assign(name("b"), temp(2)),
        assign(name("c"), temp(3)),
    ];
    assert_eq!(after(|block| restore_targets(block, &[]), block), ["a, (b, c) = x"]);
}

#[test]
fn an_item_that_nothing_reads_belonged_to_the_next_local() {
    let pair = expr(ExprKind::Tuple(vec![temp(0), temp(1)]));
    let block = vec![assign(pair, name("x")), assign(name("a"), temp(1))];
    let locals = [Ident::new("a")];
    assert_eq!(after(|block| restore_targets(block, &locals), block.clone()), ["a, a = x"]);
    // A store to a global can be seen, so it would not have been dropped.
    assert_eq!(after(|block| restore_targets(block, &[]), block), ["__temp_0, a = x"]);
}

#[test]
fn an_item_that_nothing_reads_belonged_to_the_next_local_of_the_tuple_around() {
    let pair = |first, second| expr(ExprKind::Tuple(vec![temp(first), temp(second)]));
    let block = vec![
        assign(pair(0, 1), name("x")),
        assign(pair(2, 3), temp(0)),
        assign(name("a"), temp(2)),
        assign(name("b"), temp(1)),
    ];
    let locals = [Ident::new("a"), Ident::new("b")];
    assert_eq!(after(|block| restore_targets(block, &locals), block), ["(a, b), b = x"]);
}

#[test]
fn an_item_that_nothing_reads_belonged_to_the_next_target_of_the_chain() {
    let pair = expr(ExprKind::Tuple(vec![name("a"), temp(1)]));
    let block = vec![assign(temp(0), name("x")), assign(pair, temp(0)), assign(name("b"), temp(0))];
    let locals = [Ident::new("a"), Ident::new("b")];
    assert_eq!(after(|block| join_chained_assignments(block, &locals), block.clone()), ["a, b = b = x"]);
    assert_eq!(after(|block| join_chained_assignments(block, &[]), block), ["a, __temp_1 = b = x"]);
}

#[test]
fn whether_temporaries_are_left_is_known_behind_the_targets() {
    let pair = || expr(ExprKind::Tuple(vec![temp(0), temp(1)]));
    let unpacking =
        |first: Expr| vec![assign(pair(), name("x")), assign(name("a"), first), assign(name("b"), temp(1))];
    assert!(!restore_targets(&mut unpacking(temp(0)), &[]));
    assert!(restore_targets(&mut unpacking(name("y")), &[]));
    let loop_of = |body: Vec<Stmt>| vec![for_(temp(0), name("x"), body)];
    assert!(!restore_targets(&mut loop_of(vec![assign(name("a"), temp(0))]), &[]));
    assert!(restore_targets(&mut loop_of(vec![assign(name("a"), temp(0)), run(temp(0))]), &[]));
    // What lies outside of loops and unpackings is not looked at.
    assert!(restore_targets(&mut vec![run(name("a"))], &[]));
}

#[test]
fn items_stored_in_another_order_keep_their_temporaries() {
    let pair = expr(ExprKind::Tuple(vec![temp(0), temp(1)]));
    let block = vec![
        assign(pair, name("x")),
        assign(attribute(name("a"), "y"), temp(1)),
        assign(attribute(name("b"), "y"), temp(0)),
    ];
    assert_eq!(after(|block| restore_targets(block, &[]), block.clone()), text(&block));
}
