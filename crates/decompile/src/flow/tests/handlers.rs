//! Passes on protected regions and their handlers, and what they ask.

use depyf_bytecode::{Intrinsic2, JumpCondition, Op};

use super::super::handling::Handling;
use super::*;

/// `try: m`, `except: pass`, with some values on the stack around it.
fn handled(depth: u32) -> (CodeObject, Function) {
    let mut ops = vec![Op::LoadGlobal(0), Op::Pop, RETURN[0], RETURN[1]];
    ops.extend([Op::PushExcInfo, Op::Pop, Op::PopExcept, Op::Jump(2)]);
    function(&ops, &[region(0, 2, 4, depth)])
}

#[test]
fn a_handler_ends_where_it_pops_its_exception() {
    let (_, function) = handled(0);
    let graph = Graph::build(&function);
    let handling = Handling::of(&graph, &function.features);
    let [body, behind, handler, left] = [0, 1, 2, 3].map(|block| handling.at(block).expect("reached"));
    assert_eq!((behind, left), (body, body));
    assert!(handler != body && handling.is_within(handler, body) && !handling.is_within(body, handler));
}

#[test]
fn a_handler_starts_above_what_its_region_keeps() {
    let (_, mut function) = handled(2);
    let height = |function: &Function| Handling::of(&Graph::build(function), &function.features).height(2);
    assert_eq!(height(&function), Some(3));
    function.regions[0].lasti = true;
    assert_eq!(height(&function), Some(4));
    function.regions[0].lasti = false;
    function.features.six_value_handlers = true;
    assert_eq!(height(&function), Some(8));
}

#[test]
fn an_exception_in_a_handler_leaves_it_for_the_one_around() {
    let mut ops = vec![Op::LoadGlobal(0), Op::Pop, RETURN[0], RETURN[1]];
    for _ in 0..2 {
        ops.extend([Op::PushExcInfo, Op::Pop, Op::PopExcept, Op::Jump(2)]);
    }
    let (_, function) = function(&ops, &[region(0, 2, 4, 0), region(4, 6, 8, 0)]);
    let graph = Graph::build(&function);
    let handling = Handling::of(&graph, &function.features);
    let at = |region: usize| handling.at(graph.regions[region].handler).expect("reached");
    assert!(at(0) != at(1) && !handling.is_within(at(1), at(0)));
}

#[test]
fn where_no_path_leads_nothing_is_known() {
    let ops = [RETURN[0], RETURN[1], RETURN[0], RETURN[1]];
    let (_, function) = function(&ops, &[]);
    let handling = Handling::of(&Graph::build(&function), &function.features);
    assert_eq!((handling.at(0), handling.height(0)), (Some(0), Some(0)));
    assert_eq!((handling.at(1), handling.height(1)), (None, None));
}

#[test]
fn a_test_that_the_table_leaves_out_is_in_the_region_and_one_block() {
    let ops = [
        Op::LoadLocal(0),
        Op::ToBool,
        Op::JumpIf(JumpCondition::False, 5),
        Op::LoadLocal(1),
        Op::Return,
        Op::LoadLocal(2),
        Op::Return,
        Op::Reraise(false),
    ];
    let mut graph = graph(&ops, &[region(0, 2, 7, 0)]);
    assert_eq!(text(&graph)[1], "1: Branch { yes: 2, no: 3 }");
    fill_region_holes(&mut graph, &features());
    assert_eq!(text(&graph)[0], "0@0: LoadLocal(0); Branch { yes: 2, no: 3 }");
}

#[test]
fn a_test_that_is_also_reached_from_outside_stays_there() {
    let ops = [
        Op::LoadLocal(1),
        Op::Copy(1),
        Op::JumpIf(JumpCondition::True, 5),
        Op::LoadLocal(0),
        Op::ToBool,
        Op::JumpIf(JumpCondition::False, 8),
        Op::LoadLocal(1),
        Op::Return,
        Op::LoadLocal(2),
        Op::Return,
        Op::Reraise(false),
    ];
    let regions = [region(3, 5, 10, 0)];
    let mut after = graph(&ops, &regions);
    fill_region_holes(&mut after, &features());
    assert_eq!(text(&after), text(&graph(&ops, &regions)));
}

#[test]
fn the_jump_of_an_operand_that_the_table_leaves_out_passes_another_test() {
    let ops = [
        Op::LoadLocal(0),
        Op::Copy(1),
        Op::ToBool,
        Op::JumpIf(JumpCondition::False, 6),
        Op::Pop,
        Op::LoadLocal(1),
        Op::Return,
        Op::Reraise(false),
    ];
    let mut graph = graph(&ops, &[region(0, 1, 7, 0), region(4, 7, 7, 0)]);
    assert_eq!(text(&graph)[1], "1: Copy(1); Branch { yes: 2, no: 3 }");
    let mut as_before = graph.clone();
    fill_region_holes(&mut as_before, &features());
    assert_eq!((text(&as_before), as_before.threaded.len()), (text(&graph), 0));
    fill_region_holes(&mut graph, &Features { threads_operands: true, ..features() });
    assert_eq!(text(&graph)[0], "0@0: LoadLocal(0); Copy(1); Branch { yes: 2, no: 3 }");
    assert!(graph.threaded.contains(&6));
}

/// `try: m`, `finally: n`, `return a`; the body of the normal way is global `copy`.
fn finally(copy: u32) -> (CodeObject, Function) {
    let mut ops = vec![Op::LoadGlobal(0), Op::Pop];
    ops.extend([Op::LoadGlobal(copy), Op::Pop, Op::LoadLocal(0), Op::Return]);
    ops.extend([Op::PushExcInfo, Op::LoadGlobal(1), Op::Pop, Op::Reraise(false)]);
    function(&ops, &[region(0, 2, 6, 0)])
}

#[test]
fn the_copies_of_a_finally_body_are_one() {
    let after = with_context(&finally(1), |graph, context, _| join_finally_bodies(graph, context));
    assert_eq!(after.regions[0].kind, RegionKind::Finally);
    assert_eq!(
        text(&after),
        [
            "0@0: LoadGlobal(0); Pop; Jump(7)",
            "2: PushExcInfo; LoadGlobal(1); Pop; Jump(4)",
            "4: Done",
            "5: LoadLocal(0); Return",
            "6: Jump(5)",
            "7@0: Jump(6)"
        ]
    );
}

#[test]
fn copies_that_lead_back_to_one_head_end_in_a_continue_but_the_last() {
    let body = [Op::LoadGlobal(1), Op::Pop];
    let copies = |second: u32| {
        let mut ops = vec![Op::LoadGlobal(0), Op::JumpIf(JumpCondition::False, second)];
        ops.extend([body[0], body[1], Op::Jump(0), body[0], body[1], Op::Jump(0)]);
        ops.extend([Op::PushExcInfo, body[0], body[1], Op::Reraise(false)]);
        let function = function(&ops, &[region(0, 2, 8, 0)]);
        let after = with_context(&function, |graph, context, _| join_finally_bodies(graph, context));
        after.blocks.iter().filter(|block| block.written.is_some()).count()
    };
    // All that falls off the end has one copy, the last.
    assert_eq!(copies(5), 1);
    assert_eq!(copies(2), 0);
}

#[test]
fn of_copies_that_end_the_function_all_but_the_last_were_written() {
    let copy = [Op::LoadGlobal(1), Op::Pop, Op::Const(0), Op::Return];
    let mut ops = vec![Op::LoadGlobal(0), Op::JumpIf(JumpCondition::False, 6)];
    ops.extend(copy.into_iter().chain(copy));
    ops.extend([Op::PushExcInfo, copy[0], copy[1], Op::Reraise(false)]);
    let (code, found) = function(&ops, &[region(0, 2, 10, 0)]);
    let written = |copies_implicit_end: bool| {
        let features = Features { copies_implicit_end, source_order: true, ..features() };
        let function = Function { features, ..found.clone() };
        let code = CodeObject { consts: vec![depyf_bytecode::Const::None], ..code.clone() };
        let after = with_context(&(code, function), |graph, context, _| join_finally_bodies(graph, context));
        after.written_returns.into_iter().collect::<Vec<u32>>()
    };
    assert_eq!(written(true), [found.instructions[5].offset]);
    assert_eq!(written(false), []);
}

#[test]
fn a_way_out_that_does_something_else_has_no_finally_body() {
    let after = with_context(&finally(2), |graph, context, _| join_finally_bodies(graph, context));
    assert_eq!(after.regions[0].kind, RegionKind::Try);
    assert_eq!(text(&after), text(&Graph::build(&finally(2).1)));
}

/// `try: return m`, `finally: raise n`, or what leaves the function instead.
fn leaving_finally(copy: &[Op], handler: &[Op]) -> Vec<String> {
    let mut ops = vec![Op::LoadGlobal(0)];
    ops.extend(copy);
    let start = ops.len() as u32;
    ops.push(Op::PushExcInfo);
    ops.extend(handler);
    let described = function(&ops, &[region(0, 1, start, 0)]);
    text(&with_context(&described, |graph, context, _| join_finally_bodies(graph, context)))
}

#[test]
fn a_finally_body_that_raises_lies_behind_the_return_that_it_undoes() {
    let raise = [Op::LoadGlobal(1), Op::Raise(1)];
    let after = leaving_finally(&raise, &raise);
    assert_eq!(after[0], "0@0: LoadGlobal(0); Jump(6)");
    assert_eq!(after[2..], ["5: Return", "6@0: Jump(5)"]);
}

#[test]
fn a_finally_body_that_returns_drops_the_value_of_the_return_before() {
    let returns = [Op::LoadGlobal(1), Op::Swap(2), Op::Pop];
    let copy = [&returns[..], &[Op::Return]].concat();
    let handler = [&returns[..], &[Op::Swap(2), Op::PopExcept, Op::Return]].concat();
    assert_eq!(leaving_finally(&copy, &handler)[3..], ["6: Return", "7@0: Jump(6)"]);
    // Without a value to drop it is a handler of everything, with an `else`.
    let copy = [Op::LoadGlobal(1), Op::Return];
    assert!(leaving_finally(&copy, &handler)[0].ends_with("Jump(1)"));
}

/// `async for b in a: pass`, where the item is awaited by these steps.
fn async_loop(awaits: &[Op]) -> Graph {
    let mut ops = vec![Op::LoadLocal(0), Op::GetAiter, Op::GetAnext];
    ops.extend(awaits);
    let behind = ops.len() as u32;
    ops.extend([Op::StoreLocal(1), Op::Jump(2), Op::EndAsyncFor, RETURN[0], RETURN[1]]);
    graph(&ops, &[region(2, behind, behind + 2, 1)])
}

#[test]
fn an_awaited_item_is_the_head_of_an_async_loop() {
    let mut graph = async_loop(&[RETURN[0], Op::YieldFrom]);
    fold_async_loops(&mut graph);
    assert_eq!(
        text(&graph),
        [
            "0: LoadLocal(0); GetAiter; Jump(1)",
            "1: AsyncFor { body: 2, exhausted: 4 }",
            "2: StoreLocal(1); Jump(1)",
            "4: Common(None); Return"
        ]
    );
}

#[test]
fn what_does_more_than_await_its_item_is_no_async_loop() {
    let more = [RETURN[0], Op::YieldFrom, Op::LoadGlobal(0), Op::Pop];
    let mut after = async_loop(&more);
    fold_async_loops(&mut after);
    assert_eq!(text(&after), text(&async_loop(&more)));
}

/// `try: m`, `except* n: x`. What is left of the group is dropped, and these steps stand before that.
fn exception_group(before_drop: &[Op]) -> Graph {
    let mut ops = vec![Op::LoadGlobal(0), Op::Pop, RETURN[0], RETURN[1]];
    ops.extend([Op::PushExcInfo, Op::Copy(1), Op::BuildList(0), Op::Swap(2)]);
    ops.extend([Op::LoadGlobal(1), Op::ExceptionGroupMatch, Op::Copy(1)]);
    ops.push(Op::JumpIf(JumpCondition::None, 19));
    // The body, in a region that collects what it raises.
    ops.extend([Op::Pop, Op::LoadGlobal(2), Op::Pop]);
    let next = 21 + before_drop.len() as u32;
    ops.push(Op::Jump(next));
    ops.extend([Op::ListAppend(3), Op::Pop, Op::Jump(next)]);
    ops.extend(before_drop);
    ops.extend([Op::Pop, Op::ListAppend(1)]);
    ops.extend([Op::Intrinsic2(Intrinsic2::PrepReraiseStar), Op::Copy(1)]);
    ops.push(Op::JumpIf(JumpCondition::NotNone, next + 6));
    ops.extend([Op::Pop, Op::PopExcept, Op::Jump(2)]);
    ops.extend([Op::Swap(2), Op::PopExcept, Op::Reraise(false)]);
    let mut graph = graph(&ops, &[region(0, 2, 4, 0), region(13, 15, 16, 4)]);
    thread_jumps(&mut graph, &bare(features()));
    graph
}

#[test]
fn a_handler_of_groups_has_the_shape_of_others() {
    let mut graph = exception_group(&[]);
    find_exception_groups(&mut graph, &bare(features()));
    assert_eq!(graph.regions[0].kind, RegionKind::TryStar { follow: 1 });
    assert_eq!(
        text(&graph)[2..],
        [
            "2: PushExcInfo; LoadGlobal(1); ExceptionMatch; Branch { yes: 3, no: 14 }",
            "3: Pop; Jump(4)",
            "4: LoadGlobal(2); Pop; Jump(15)",
            "14: Reraise",
            "15: PopExcept; Jump(1)"
        ]
    );
}

#[test]
fn a_handler_that_does_more_between_its_types_stays() {
    let more = [Op::LoadGlobal(3), Op::Pop];
    let mut after = exception_group(&more);
    find_exception_groups(&mut after, &bare(features()));
    assert_eq!(after.regions[0].kind, RegionKind::Try);
    assert_eq!(text(&after), text(&exception_group(&more)));
}
