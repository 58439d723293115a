//! Passes on jumps and on deletions of locals.

use depyf_bytecode::{JumpCondition, Op, Region};

use super::*;

#[test]
fn jumps_to_jumps_go_to_the_end() {
    let mut graph = graph(&[Op::Jump(2), Op::Nop, Op::Jump(3), RETURN[0], RETURN[1]], &[]);
    thread_jumps(&mut graph, &bare(features()));
    let lines = text(&graph);
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert!(lines[0].starts_with("0: Jump("), "{lines:?}");
    assert!(lines[1].ends_with("Common(None); Return"), "{lines:?}");
}

#[test]
fn an_endless_chain_of_jumps_stays() {
    let mut graph = graph(&[Op::Jump(1), Op::Jump(0)], &[]);
    thread_jumps(&mut graph, &bare(features()));
    assert!(text(&graph).iter().all(|line| line.contains("Jump(")));
}

#[test]
fn the_head_of_a_loop_that_starts_with_a_loop_stays() {
    let ops = [
        Op::Nop,
        Op::LoadLocal(0),
        Op::JumpIf(JumpCondition::False, 4),
        Op::Jump(1),
        Op::LoadLocal(1),
        Op::Pop,
        Op::Jump(0),
    ];
    let mut graph = graph(&ops, &[]);
    thread_jumps(&mut graph, &bare(features()));
    let lines = text(&graph);
    assert_eq!(lines[0], "0: Jump(1)");
    assert!(lines[2].ends_with("Pop; Jump(0)"), "{lines:?}");
}

#[test]
fn a_break_tells_that_two_endless_loops_start_at_one_place() {
    // `while True: while True: if a: break; b`, and `c`.
    let ops = [
        Op::LoadLocal(0),
        Op::JumpIf(JumpCondition::False, 3),
        Op::Jump(6),
        Op::LoadLocal(1),
        Op::Pop,
        Op::Jump(0),
        Op::LoadLocal(2),
        Op::Pop,
        Op::Jump(0),
    ];
    let split = |jump: u8| {
        let (code, mut function) = described(function(&ops, &[]), &[], &[1, 1, 2, 3, 3, 3, 4, 4, 4]);
        function.features.copies_implicit_end = false;
        let bytes = vec![0, 0, 0, 0, jump, 12];
        let code = CodeObject { version: PyVersion(9), code: bytes, ..code };
        let mut graph = Graph::build(&function);
        note_dead_jumps(&mut graph, &function);
        split_shared_heads(&mut graph, &code, &function);
        text(&graph)
    };
    let (jump_forward, jump_absolute) = (110, 113);
    let lines = split(jump_absolute);
    assert_eq!(lines[0], "0: Jump(5)");
    assert!(lines[2].ends_with("Pop; Jump(5)"), "{lines:?}");
    assert!(lines[3].ends_with("Pop; Jump(0)"), "{lines:?}");
    // The way over an `else`.
    assert_eq!(split(jump_forward).len(), lines.len() - 1);
}

/// `while True: try: while a: pass`, and a handler for what is around both.
const LOOP_IN_A_TRY: [Op; 9] = [
    Op::LoadLocal(0),
    Op::Nop,
    Op::LoadLocal(1),
    Op::JumpIf(JumpCondition::False, 2),
    Op::Jump(1),
    Op::Pop,
    Op::Jump(1),
    RETURN[0],
    RETURN[1],
];

/// The blocks that the threading of jumps leaves where loops are tested twice.
fn threaded(regions: &[Region]) -> Vec<String> {
    let mut graph = graph(&LOOP_IN_A_TRY, regions);
    thread_jumps(&mut graph, &bare(Features { tests_loops_twice: true, ..features() }));
    text(&graph)
}

#[test]
fn a_try_tells_the_head_of_a_loop_from_that_of_one_inside() {
    let lines = threaded(&[region(2, 4, 5, 0)]);
    assert_eq!(lines[1], "1: Jump(2)", "{lines:?}");
    // One loop may have two heads, also where a `try` around it leaves out the first.
    for regions in [&[][..], &[region(2, 4, 7, 0)]] {
        let lines = threaded(regions);
        assert!(!lines[1].starts_with("1:"), "{lines:?}");
    }
}

#[test]
fn a_way_back_that_was_split_off_a_test_passes_the_head_in_front_of_a_try() {
    // `while True: try: if a: break`, and `try: while True: if a: break`.
    let again = |start: u32| {
        let mut ops = vec![Op::Nop, Op::LoadLocal(0), Op::JumpIf(JumpCondition::True, 4), Op::Jump(0)];
        ops.extend([RETURN[0], RETURN[1], Op::PushExcInfo, Op::Reraise(false)]);
        let mut graph = graph(&ops, &[region(start, 3, 6, 0)]);
        thread_jumps(&mut graph, &bare(features()));
        graph.regions[0].entered_again
    };
    assert!(again(1) && !again(0));
}

#[test]
fn the_head_of_a_loop_is_in_the_region_that_it_lies_in() {
    let lines = threaded(&[region(0, 1, 7, 0), region(2, 4, 5, 0), region(5, 6, 7, 0)]);
    assert!(lines[0].starts_with("0@0:") && lines[1] == "1@0: Jump(2)", "{lines:?}");
}

#[test]
fn a_copied_truth_is_a_short_circuit() {
    let ops = [
        Op::LoadLocal(0),
        Op::Copy(1),
        Op::JumpIf(JumpCondition::False, 5),
        Op::Pop,
        Op::LoadLocal(1),
        Op::Return,
    ];
    let mut graph = graph(&ops, &[]);
    restore_or_pop(&mut graph);
    assert_eq!(
        text(&graph),
        [
            "0: LoadLocal(0); OrPop { when: false, keep: 2, other: 1 }",
            "1: LoadLocal(1); Jump(2)",
            "2: Return"
        ]
    );
}

#[test]
fn a_copied_truth_that_both_sides_keep_is_none() {
    let ops = [Op::LoadLocal(0), Op::Copy(1), Op::JumpIf(JumpCondition::False, 4), Op::Return, Op::Return];
    let mut after = graph(&ops, &[]);
    restore_or_pop(&mut after);
    assert_eq!(text(&after), text(&graph(&ops, &[])));
}

#[test]
fn a_deletion_that_nobody_sees_goes() {
    let ops = [Op::DeleteLocal(0), Op::LoadLocal(1), Op::Pop, RETURN[0], RETURN[1]];
    let mut graph = graph(&ops, &[]);
    erase_dead_deletions(&mut graph);
    assert_eq!(text(&graph), ["0: LoadLocal(1); Pop; Common(None); Return"]);
}

#[test]
fn a_deletion_before_a_read_stays() {
    // The read is behind a branch: one way that sees the deletion is enough.
    let ops = [
        Op::DeleteLocal(0),
        Op::LoadLocal(1),
        Op::JumpIf(JumpCondition::False, 5),
        Op::LoadLocal(0),
        Op::Return,
        RETURN[0],
        RETURN[1],
    ];
    let mut after = graph(&ops, &[]);
    erase_dead_deletions(&mut after);
    assert_eq!(text(&after), text(&graph(&ops, &[])));
}

#[test]
fn a_deletion_that_a_handler_sees_stays() {
    let ops = [Op::DeleteLocal(0), Op::LoadLocal(1), Op::Return, Op::LoadLocal(0), Op::Return];
    let regions = [Region { start: 1, end: 3, handler: 3, depth: 0, lasti: false }];
    let mut after = graph(&ops, &regions);
    erase_dead_deletions(&mut after);
    assert_eq!(text(&after), text(&graph(&ops, &regions)));
}

#[test]
fn an_awaited_item_under_its_handler_is_an_async_for() {
    let ops = [
        Op::LoadLocal(0),
        Op::GetAiter,
        Op::GetAnext,
        Op::Common(CommonConst::None),
        Op::YieldFrom,
        Op::StoreLocal(1),
        Op::Jump(2),
        Op::EndAsyncFor,
        RETURN[0],
        RETURN[1],
    ];
    let regions = [Region { start: 2, end: 5, handler: 7, depth: 1, lasti: false }];
    let mut graph = graph(&ops, &regions);
    thread_jumps(&mut graph, &bare(features()));
    fold_async_loops(&mut graph);
    let lines = text(&graph);
    assert!(lines[0].ends_with("GetAiter; Jump(1)"), "{lines:?}");
    assert_eq!(lines[1], "1: AsyncFor { body: 2, exhausted: 4 }");
    assert_eq!(lines[2], "2: StoreLocal(1); Jump(1)");
    assert!(graph.blocks[1].region.is_none());
}

#[test]
fn an_item_that_nothing_awaits_is_no_async_for() {
    let ops =
        [Op::LoadLocal(0), Op::GetAiter, Op::GetAnext, Op::Jump(2), Op::EndAsyncFor, RETURN[0], RETURN[1]];
    let regions = [Region { start: 2, end: 3, handler: 4, depth: 1, lasti: false }];
    let mut graph = graph(&ops, &regions);
    let before = text(&graph);
    fold_async_loops(&mut graph);
    assert_eq!(text(&graph), before);
}

#[test]
fn a_group_handler_is_a_chain_of_matches() {
    // try: pop local 0; except* local 1: del local 2
    let ops = [
        Op::LoadLocal(0),
        Op::Pop,
        Op::Jump(18),
        Op::PushExcInfo,
        Op::BuildList(0),
        Op::Copy(2),
        Op::LoadLocal(1),
        Op::ExceptionGroupMatch,
        Op::Copy(1),
        Op::JumpIf(JumpCondition::None, 13),
        Op::Pop,
        Op::DeleteLocal(2),
        Op::Jump(14),
        Op::Pop,
        Op::ListAppend(1),
        Op::Intrinsic2(depyf_bytecode::Intrinsic2::PrepReraiseStar),
        Op::Copy(1),
        Op::JumpIf(JumpCondition::NotNone, 23),
        RETURN[0],
        RETURN[1],
        Op::Nop,
        Op::Nop,
        Op::Nop,
        Op::Swap(2),
        Op::PopExcept,
        Op::Reraise(false),
    ];
    // The way on which nothing is left drops the None and the handled exception.
    let mut ops = ops.to_vec();
    ops.splice(18..23, [Op::Pop, Op::PopExcept, RETURN[0], RETURN[1], Op::Nop]);
    ops[2] = Op::Jump(20);
    let mut graph = graph(&ops, &[Region { start: 0, end: 2, handler: 3, depth: 0, lasti: false }]);
    thread_jumps(&mut graph, &bare(features()));
    find_exception_groups(&mut graph, &bare(features()));
    let lines = text(&graph);
    assert!(matches!(graph.regions[0].kind, RegionKind::TryStar { .. }), "{lines:?}");
    assert!(
        lines.iter().any(|line| line.contains("PushExcInfo; LoadLocal(1); ExceptionMatch; Branch")),
        "{lines:?}"
    );
    assert!(
        lines.iter().all(|line| !line.contains("ListAppend") && !line.contains("PrepReraise")),
        "{lines:?}"
    );
}
