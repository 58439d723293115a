//! Passes on the jumps that lead out of a body.

use depyf_bytecode::{JumpCondition, Op};

use super::*;

/// `try: (if a: leave for one place, else for another)`.
fn ways_out(places: [u32; 2]) -> Graph {
    let ops = [
        Op::LoadLocal(0),
        Op::JumpIf(JumpCondition::False, 4),
        Op::PopBlock,
        Op::Jump(places[0]),
        Op::PopBlock,
        Op::Jump(places[1]),
        RETURN[0],
        RETURN[1],
        Op::LoadLocal(1),
        Op::Return,
        Op::Raise(0),
    ];
    let (_, function) = function(&ops, &[region(0, 6, 10, 0)]);
    let mut graph = Graph::build(&function);
    join_body_exits(&mut graph, &function);
    graph
}

#[test]
fn ways_out_of_a_body_to_one_place_are_one() {
    let lines = text(&ways_out([6, 6]));
    assert_eq!(
        lines,
        [
            "0@0: LoadLocal(0); Branch { yes: 2, no: 2 }",
            "2@0: Jump(3)",
            "3: Common(None); Return",
            "5: Raise(0)"
        ]
    );
}

#[test]
fn what_drops_a_value_leaves_a_body_by_the_same_way() {
    let ops = [
        Op::LoadLocal(0),
        Op::JumpIfOrPop(false, 5),
        Op::JumpIf(JumpCondition::False, 6),
        RETURN[0],
        Op::Return,
        Op::Pop,
        Op::PopBlock,
        Op::Jump(8),
        RETURN[0],
        RETURN[1],
        Op::Raise(0),
    ];
    let (_, function) = function(&ops, &[region(0, 8, 10, 0)]);
    let mut graph = Graph::build(&function);
    // The drop has a copy of the way out.
    let (drop, exit) = (3, 4);
    assert_eq!(text(&graph)[drop], "3@0: Pop; Jump(4)");
    (graph.blocks[drop].end, graph.blocks[drop].pops_block) = (graph.blocks[exit].end, true);
    join_body_exits(&mut graph, &function);
    assert_eq!(text(&graph)[drop], "3@0: Pop; Jump(4)");
}

#[test]
fn ways_out_of_a_body_to_two_places_are_two() {
    let lines = text(&ways_out([6, 8]));
    assert_eq!(lines[0], "0@0: LoadLocal(0); Branch { yes: 1, no: 2 }");
}

#[test]
fn ways_out_of_a_handler_to_one_return_are_one() {
    let ops = [
        Op::LoadLocal(0),
        Op::Pop,
        Op::Jump(11),
        Op::PushExcInfo,
        Op::Pop,
        Op::LoadLocal(1),
        Op::JumpIf(JumpCondition::False, 10),
        Op::LoadLocal(2),
        Op::Pop,
        Op::Nop,
        Op::PopExcept,
        RETURN[0],
        RETURN[1],
    ];
    let (_, function) = function(&ops, &[region(0, 2, 3, 0)]);
    let mut graph = Graph::build(&function);
    let (leaving, copy) = (4, graph.blocks.len());
    assert_eq!(text(&graph)[4], "4: PopExcept; Jump(5)");
    let copied = graph.blocks[leaving].clone();
    graph.blocks.push(copied);
    graph.blocks[3].end = Terminator::Jump(copy);
    join_body_exits(&mut graph, &function);
    let lines = text(&graph);
    assert_eq!(lines[2], "2: PushExcInfo; Pop; LoadLocal(1); Branch { yes: 3, no: 8 }");
    assert_eq!(lines[3], "3: LoadLocal(2); Pop; Jump(8)");
    assert!(lines.contains(&"8: PopExcept; Jump(5)".to_string()));
}

#[test]
fn ways_out_of_a_handler_in_a_handler_are_one() {
    let ops = [
        Op::LoadLocal(0),
        Op::Pop,
        Op::Jump(20),
        Op::PushExcInfo,
        Op::Pop,
        Op::LoadLocal(1),
        Op::Pop,
        Op::Jump(16),
        Op::PushExcInfo,
        Op::Pop,
        Op::LoadLocal(2),
        Op::JumpIf(JumpCondition::False, 14),
        Op::PopExcept,
        Op::Jump(16),
        Op::PopExcept,
        Op::Jump(18),
        // Two copies of the way out of the outer handler.
        Op::PopExcept,
        Op::Jump(20),
        Op::PopExcept,
        Op::Jump(20),
        RETURN[0],
        RETURN[1],
    ];
    let (_, mut function) = function(&ops, &[region(0, 2, 3, 0), region(5, 7, 8, 1)]);
    function.features.copies_jumps = true;
    let mut graph = Graph::build(&function);
    join_body_exits(&mut graph, &function);
    let test = "5: PushExcInfo; Pop; LoadLocal(2); Branch { yes: 17, no: 17 }";
    assert!(text(&graph).contains(&test.to_string()));
}

/// What is known of the jumps beside each block.
fn dead(ops: &[Op]) -> Vec<DeadJumps> {
    let (_, mut function) = function(ops, &[]);
    function.features.source_order = true;
    let mut graph = Graph::build(&function);
    note_dead_jumps(&mut graph, &function);
    graph.blocks.iter().map(|block| block.dead).collect()
}

#[test]
fn a_jump_that_nothing_reaches_tells_where_the_statement_ends() {
    let ops = |behind_raise: Op| {
        [
            Op::LoadLocal(0),
            Op::JumpIf(JumpCondition::False, 4),
            Op::Raise(0),
            behind_raise,
            Op::LoadLocal(1),
            Op::Pop,
            RETURN[0],
            RETURN[1],
        ]
    };
    let found = dead(&ops(Op::Jump(6)));
    let landing = Some(Landing::At(12));
    assert_eq!(found[1], DeadJumps { behind: landing, ..DeadJumps::default() });
    assert_eq!(found[3], DeadJumps { in_front: landing, ..DeadJumps::default() });
    // What is no jump tells nothing.
    assert!(dead(&ops(Op::Raise(0))).iter().all(|&block| block == DeadJumps::default()));
}

#[test]
fn a_jump_to_the_end_of_a_body_goes_on_behind_its_finally() {
    // `if a: raise`, `else: return b` in a `try` whose `finally` is entered by exceptions alone.
    let ops = [
        Op::SetupBlock(8),
        Op::LoadLocal(0),
        Op::JumpIf(JumpCondition::False, 5),
        Op::Raise(0),
        Op::Jump(7),
        Op::LoadLocal(1),
        Op::Return,
        Op::Nop,
        Op::LoadLocal(2),
        Op::Pop,
        Op::Reraise(false),
        Op::Nop,
    ];
    let landing = |is_subroutine| {
        let (_, mut function) = function(&ops, &[region(1, 7, 8, 0)]);
        (function.features.source_order, function.features.finally_subroutines) = (true, is_subroutine);
        let mut graph = Graph::build(&function);
        note_dead_jumps(&mut graph, &function);
        graph
            .blocks
            .iter()
            .find(|block| block.end == Terminator::Raise(0))
            .and_then(|block| block.dead.behind)
    };
    assert_eq!(landing(true), Some(Landing::End));
    assert_eq!(landing(false), Some(Landing::Unreached));
}

#[test]
fn a_jump_back_tells_where_a_loop_ends() {
    let found = dead(&[Op::LoadLocal(0), Op::JumpIf(JumpCondition::False, 3), Op::Raise(0), Op::Jump(0)]);
    assert_eq!(found[0].back, Some(6));
}

/// The written jumps of `while a: b`, whose jump back is on a line.
fn written(line: u32) -> Vec<u32> {
    let ops = [
        Op::LoadLocal(0),
        Op::JumpIf(JumpCondition::False, 5),
        Op::LoadLocal(1),
        Op::Pop,
        Op::Jump(0),
        RETURN[0],
        RETURN[1],
    ];
    let (code, function) = described(function(&ops, &[]), &[], &[1, 1, 2, 2, line, 1, 1]);
    let mut graph = Graph::build(&function);
    note_written_jumps(&mut graph, &code, &function);
    graph.blocks.iter().filter_map(|block| block.written).collect()
}

#[test]
fn a_jump_in_a_place_of_its_own_was_written() {
    assert_eq!(written(3), [8]);
}

#[test]
fn a_jump_in_the_place_of_the_statement_before_it_was_not_written() {
    assert_eq!(written(2), []);
}

#[test]
fn a_break_out_of_a_body_stays_in_its_region() {
    // `while True: if a: break`, with an empty `if` in front of the `break`.
    let ops = [
        Op::LoadLocal(0),
        Op::JumpIf(JumpCondition::False, 5),
        Op::LoadLocal(1),
        Op::JumpIf(JumpCondition::False, 4),
        Op::Jump(6),
        Op::Jump(0),
        RETURN[0],
        RETURN[1],
        Op::Raise(0),
        Op::Raise(0),
    ];
    let regions = [region(0, 8, 9, 0), region(0, 6, 8, 0)];
    let (code, function) = described(function(&ops, &regions), &[], &[2, 2, 3, 3, 4, 1, 5, 5, 6, 7]);
    let mut graph = Graph::build(&function);
    let lines = text(&graph);
    note_written_jumps(&mut graph, &code, &function);
    assert_eq!(graph.blocks.iter().filter_map(|block| block.written).collect::<Vec<_>>(), [8]);
    assert_eq!(text(&graph), lines);
}

#[test]
fn a_jump_out_of_a_region_stays_in_it() {
    // `while True: if a or b: break`, with the loop in a region: two ways lead to the `break`.
    let ops = [
        Op::LoadLocal(0),
        Op::JumpIf(JumpCondition::True, 4),
        Op::LoadLocal(1),
        Op::JumpIf(JumpCondition::False, 5),
        Op::Jump(8),
        Op::LoadLocal(2),
        Op::Pop,
        Op::Jump(0),
        RETURN[0],
        RETURN[1],
        Op::PushExcInfo,
        Op::Reraise(false),
    ];
    let lines = [2, 2, 2, 2, 3, 4, 4, 4, 5, 5, 1, 1];
    let (code, function) = described(function(&ops, &[region(0, 8, 10, 0)]), &[], &lines);
    let mut graph = Graph::build(&function);
    note_written_jumps(&mut graph, &code, &function);
    let found = graph.blocks.iter().find(|block| block.written == Some(8));
    assert_eq!(found.map(|block| block.region), Some(Some(0)));
}

#[test]
fn what_drops_the_iterator_was_written_with_a_jump_out_of_its_region() {
    // `while True: try: for c in a: if c: break`: the region of the `try` covers the drop and not the jump.
    let ops = [
        Op::LoadLocal(0),
        Op::JumpIf(JumpCondition::False, 4),
        Op::Pop,
        Op::Jump(0),
        RETURN[0],
        RETURN[1],
        Op::PushExcInfo,
        Op::Reraise(false),
    ];
    let lines = [2, 2, 3, 3, 1, 1, 4, 4];
    let (code, function) = described(function(&ops, &[region(0, 3, 6, 0)]), &[], &lines);
    let mut graph = Graph::build(&function);
    note_written_jumps(&mut graph, &code, &function);
    let found = graph.blocks.iter().filter(|block| block.written == Some(6));
    assert_eq!(found.map(|block| block.start).collect::<Vec<_>>(), [4, 6]);
}

/// The `break` that is known in `while a: if b: break`, where it stands on a line and nothing lies between it and the end.
fn last_break(line: u32) -> Option<u32> {
    let ops = [
        Op::LoadLocal(0),
        Op::JumpIf(JumpCondition::False, 6),
        Op::LoadLocal(1),
        Op::JumpIf(JumpCondition::True, 5),
        Op::Jump(0),
        Op::Nop,
        RETURN[0],
        RETURN[1],
    ];
    let (code, function) = described(function(&ops, &[]), &[], &[1, 1, 2, 2, 2, line, 4, 4]);
    let mut graph = Graph::build(&function);
    graph.blocks.iter_mut().for_each(|block| block.layout.jump = None);
    note_written_jumps(&mut graph, &code, &function);
    graph.blocks.iter().find_map(|block| block.layout.jump)
}

#[test]
fn a_break_at_the_end_of_a_loop_does_nothing() {
    assert_eq!(last_break(3), Some(10));
    assert_eq!(last_break(2), None);
}

/// The block at which a function ends whose operations 0 and 1 are a test.
fn end_of(ops: &[Op]) -> Option<usize> {
    let (code, mut function) = function(ops, &[]);
    function.features.copies_implicit_end = false;
    let mut graph = Graph::build(&function);
    find_function_end(&mut graph, &code, &function);
    graph.end
}

#[test]
fn a_function_ends_where_nothing_is_done_but_to_return_none() {
    let test = [Op::LoadLocal(0), Op::JumpIf(JumpCondition::False, 4)];
    let written = [test.as_slice(), &[Op::LoadLocal(1), Op::Return], &RETURN].concat();
    assert_eq!(end_of(&written), Some(2));
    let other = [test.as_slice(), &RETURN, &[Op::LoadLocal(1), Op::Return]].concat();
    assert_eq!(end_of(&other), None);
    let more = [test.as_slice(), &RETURN, &[Op::LoadLocal(1), Op::Pop], &RETURN].concat();
    assert_eq!(end_of(&more), None);
}

/// `for ..: try: return local 0`, where the `return` drops so many values of the loop.
fn returns_a_name(dropped: &[Op]) -> Vec<String> {
    let mut ops = vec![Op::LoadLocal(0), Op::Jump(2)];
    ops.extend_from_slice(dropped);
    ops.push(Op::Return);
    let handler = ops.len() as u32;
    ops.push(Op::Reraise(false));
    let function = function(&ops, &[region(0, 1, handler, 1)]);
    text(&with_context(&function, |graph, context, _| return_inside_regions(graph, context)))
}

#[test]
fn a_name_is_returned_inside_the_region_without_what_the_way_drops() {
    for dropped in [
        &[Op::Swap(2), Op::Pop][..],
        &[Op::Swap(3), Op::Pop, Op::Pop],
        &[Op::Swap(2), Op::PopExcept, Op::Swap(2), Op::Pop],
        &[Op::Rot(4), Op::PopExcept],
    ] {
        let lines = returns_a_name(dropped);
        assert!(lines.iter().any(|line| line.ends_with("@0: LoadLocal(0); Return")), "{lines:?}");
    }
}

#[test]
fn a_value_that_is_dropped_itself_is_not_returned() {
    for dropped in [&[Op::Pop][..], &[Op::Swap(2), Op::Pop, Op::Pop], &[Op::Swap(3), Op::Pop, Op::Swap(2)]] {
        let lines = returns_a_name(dropped);
        assert!(!lines.iter().any(|line| line.contains("@0: ") && line.ends_with("Return")), "{lines:?}");
    }
}

#[test]
fn what_stands_behind_a_statement_that_is_never_left_is_reached() {
    let ops = [
        Op::SetupBlock(2),
        Op::Raise(0),
        Op::Copy(1),
        Op::LoadGlobal(0),
        Op::ExceptionMatch,
        Op::JumpIf(JumpCondition::False, 10),
        Op::Pop,
        Op::Pop,
        Op::Pop,
        Op::Jump(12),
        Op::Reraise(false),
        Op::LoadLocal(0),
        RETURN[0],
        RETURN[1],
    ];
    let unreached = [Unreached { setup: 0, start: 11, is_end: false }];
    let graph = with_unreached(&function(&ops, &[region(1, 2, 2, 0)]), &unreached, |graph, context, _| {
        reach_unreached_code(graph, context);
    });
    let lines = text(&graph);
    assert!(lines.contains(&"8@0: Never; Branch { yes: 5, no: 1 }".to_string()), "{lines:#?}");
    assert!(lines.contains(&"5: LoadLocal(0); Jump(6)".to_string()), "{lines:#?}");
}

#[test]
fn a_test_leads_past_a_body_that_is_called_and_always_leaves() {
    // try: return local 0; finally: return local 1
    let ops = [
        Op::SetupBlock(5),
        Op::LoadLocal(0),
        Op::PopBlock,
        Op::CallFinally(5),
        Op::Return,
        Op::PopFinally(false),
        Op::LoadLocal(1),
        Op::Return,
        Op::EndFinally { falls: false },
    ];
    let unreached = [Unreached { setup: 0, start: 8, is_end: true }];
    let graph = with_unreached(&function(&ops, &[region(1, 3, 5, 0)]), &unreached, |graph, context, _| {
        reach_unreached_code(graph, context);
    });
    let lines = text(&graph);
    assert!(lines.contains(&"4: Never; Branch { yes: 5, no: 7 }".to_string()), "{lines:#?}");
    assert!(lines.contains(&"7: PopFinally(false); LoadLocal(1); Return".to_string()), "{lines:#?}");
}

#[test]
fn a_continue_out_of_a_handler_is_in_the_region_that_all_ways_to_it_come_from() {
    // `for ..` at 0, whose body enters the region 1..4; both ways out of its test leave a handler and go on with the loop.
    let regions_of_continue = |protected: u32| {
        let ops = [
            Op::ForIter { exhausted: 6, slots: 1, pops: true },
            Op::LoadLocal(0),
            Op::JumpIf(JumpCondition::True, 4),
            Op::Nop,
            Op::PopExcept,
            Op::Jump(0),
            Op::LoadLocal(0),
            Op::Return,
            Op::Reraise(false),
        ];
        let function = function(&ops, &[region(1, protected, 8, 1)]);
        let after = with_context(&function, |graph, _, _| continue_inside_regions(graph));
        let found =
            after.blocks.iter().find(|block| block.steps.iter().any(|step| step.op() == Some(Op::PopExcept)));
        found.map(|block| block.region)
    };
    assert_eq!(regions_of_continue(4), Some(Some(0)));
    // The way behind the test is not in the region.
    assert_eq!(regions_of_continue(2), Some(None));
}
