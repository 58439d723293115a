//! Passes that join what the compiler has copied, and what they ask.

use std::sync::Arc;

use depyf_bytecode::{Const, FunctionParts, JumpCondition, Op};

use super::super::same_ends::same_ends;
use super::*;

/// `if a: return b`, `return b`, with the line of each operation.
fn two_returns() -> [Op; 6] {
    [
        Op::LoadLocal(0),
        Op::JumpIf(JumpCondition::False, 4),
        Op::LoadLocal(1),
        Op::Return,
        Op::LoadLocal(1),
        Op::Return,
    ]
}

#[test]
fn equal_ends_are_the_same() {
    // The last block is what lies behind the bytecode.
    assert_eq!(same_ends(&graph(&two_returns(), &[])), [0, 1, 1, 3]);
}

#[test]
fn ends_under_other_handlers_are_not_the_same() {
    let ops: Vec<Op> = two_returns().into_iter().chain([Op::Reraise(false)]).collect();
    let found = same_ends(&graph(&ops, &[region(4, 6, 6, 0)]));
    assert_eq!(found[..3], [0, 1, 2]);
}

/// `try: m`, `except: pass`, and the end behind it once for either way.
fn end_behind_a_try(end: [Op; 2]) -> Vec<Op> {
    let mut ops = vec![Op::LoadGlobal(0), Op::Pop, end[0], end[1], Op::Return];
    ops.extend([Op::PushExcInfo, Op::Pop, Op::PopExcept, end[0], end[1], Op::Return]);
    ops
}

#[test]
fn the_end_behind_a_try_is_one() {
    let ops = end_behind_a_try([Op::LoadLocal(0), Op::LoadAttr(1)]);
    let after = with_context(&function(&ops, &[region(0, 2, 5, 0)]), |graph, context, _| {
        join_copied_ends(graph, context);
    });
    assert_eq!(
        text(&after),
        [
            "0@0: LoadGlobal(0); Pop; Jump(1)",
            "1: LoadLocal(0); LoadAttr(1); Return",
            "2: PushExcInfo; Pop; PopExcept; Jump(1)"
        ]
    );
}

#[test]
fn ends_that_begin_on_other_lines_were_written_twice() {
    let ops = end_behind_a_try([Op::LoadLocal(0), Op::LoadAttr(1)]);
    for (first, joined) in [(3, true), (2, false)] {
        let lines = [1, 1, first, 3, 3, 2, 2, 2, 3, 3, 3];
        let source = described(function(&ops, &[region(0, 2, 5, 0)]), &[], &lines);
        let after = with_context(&source, |graph, context, _| join_copied_ends(graph, context));
        let returns = text(&after).iter().filter(|block| block.ends_with("Return")).count();
        assert_eq!(returns == 1, joined, "{:?}", text(&after));
    }
}

#[test]
fn what_stands_for_a_joined_end_is_known() {
    let ops = end_behind_a_try([Op::LoadLocal(0), Op::LoadAttr(1)]);
    let after = with_context(&function(&ops, &[region(0, 2, 5, 0)]), |graph, context, _| {
        join_copied_ends(graph, context);
    });
    let mut map =
        vec![depyf_syntax::SourceMapEntry { offset: 4, line: 7, column: 1, end_line: 7, end_column: 2 }];
    after.copies.complete(&mut map);
    assert_eq!(map.iter().map(|entry| (entry.offset, entry.line)).collect::<Vec<_>>(), [(4, 7), (16, 7)]);
}

#[test]
fn an_end_that_takes_from_the_stack_stays() {
    // The value below was pushed before; each copy returns another one.
    let ops = end_behind_a_try([Op::LoadLocal(0), Op::Subscript]);
    let source = function(&ops, &[region(0, 2, 5, 0)]);
    let after = with_context(&source, |graph, context, _| join_copied_ends(graph, context));
    assert_eq!(text(&after), text(&Graph::build(&source.1)));
}

#[test]
fn equal_arms_of_a_test_stay() {
    let mut ops = vec![Op::LoadLocal(0), Op::JumpIf(JumpCondition::False, 5)];
    ops.extend([Op::LoadLocal(1), Op::LoadAttr(0), Op::Return].repeat(2));
    let source = function(&ops, &[]);
    let after = with_context(&source, |graph, context, _| join_copied_ends(graph, context));
    assert_eq!(text(&after), text(&Graph::build(&source.1)));
}

#[test]
fn what_two_arms_define_alike_stands_behind_them() {
    // `if b: c = 1`, `else: c = 2`, and `x = lambda: ..` once behind both, or in each of them.
    let definition = [Op::Const(1), Op::MakeFunction(FunctionParts::default()), Op::StoreGlobal(0)];
    let arm = |value: i32| -> Vec<Op> {
        let assign = [Op::SmallInt(value), Op::StoreLocal(2)];
        assign.into_iter().chain(definition).chain(RETURN).collect()
    };
    let mut ops = vec![Op::LoadLocal(1), Op::JumpIf(JumpCondition::False, 9)];
    ops.extend(arm(1).into_iter().chain(arm(2)));
    for (lines, joined) in [([3, 3, 3, 3, 3], true), ([1, 1, 1, 1, 1], false)] {
        let lines: Vec<u32> =
            [1, 1, 1, 1].into_iter().chain(lines).chain([2, 2]).chain([3, 3, 3, 3, 3]).collect();
        let (code, function) = described(function(&ops, &[]), &["x"], &lines);
        let nested = Const::Code(Arc::new(CodeObject::empty(PyVersion(12))));
        let code = CodeObject { consts: vec![Const::None, nested], ..code };
        let graph = with_context(&(code, function), |graph, context, _| join_copied_ends(graph, context));
        let jumps = graph.blocks.iter().filter(|block| matches!(block.end, Terminator::Jump(_)));
        assert_eq!(jumps.count() == 2, joined, "{:?}", text(&graph));
    }
}

/// A handler that raises its exception again, directly and, in another way, behind an inner handler.
fn raises(behind_inner: Op) -> Graph {
    let mut ops = vec![Op::LoadGlobal(0), Op::Pop, RETURN[0], RETURN[1]];
    ops.extend([Op::PushExcInfo, Op::LoadGlobal(1), Op::Pop, Op::Reraise(false)]);
    ops.extend([Op::PushExcInfo, Op::Pop, Op::PopExcept, behind_inner]);
    graph(&ops, &[region(0, 2, 4, 0), region(5, 7, 8, 1)])
}

#[test]
fn behind_an_inner_handler_the_exception_is_raised_by_the_outer_one() {
    let mut graph = raises(Op::Reraise(false));
    join_copied_raises(&mut graph, &function(&[], &[]).1);
    assert_eq!(
        text(&graph)[2..],
        [
            "2: PushExcInfo; Jump(3)",
            "3@1: LoadGlobal(1); Pop; Jump(4)",
            "4: Reraise",
            "5: PushExcInfo; Pop; PopExcept; Jump(4)"
        ]
    );
}

#[test]
fn handlers_inside_of_regions_are_counted() {
    // The first handler is protected by the second region, that of which nothing protects.
    let mut ops = vec![Op::LoadGlobal(0), Op::Pop, RETURN[0], RETURN[1]];
    ops.extend([Op::PushExcInfo, Op::LoadGlobal(1), Op::Pop, Op::Reraise(false)]);
    ops.extend([Op::PushExcInfo, Op::LoadGlobal(2), Op::Pop, Op::Reraise(false)]);
    let nested = graph(&ops, &[region(0, 2, 4, 0), region(4, 8, 8, 1)]);
    assert_eq!(nested.handler_deeper_than(0), Some(nested.regions[0].handler));
    assert_eq!(nested.handler_deeper_than(1), None);
}

#[test]
fn another_raise_behind_an_inner_handler_stays() {
    let mut after = raises(Op::Raise(0));
    join_copied_raises(&mut after, &function(&[], &[]).1);
    assert_eq!(text(&after), text(&raises(Op::Raise(0))));
}

#[test]
fn what_leaves_two_handlers_raises_the_exception_around_both() {
    // The handler in the handler leaves that and its own exception before it raises.
    let mut ops = vec![Op::LoadGlobal(0), Op::Pop, RETURN[0], RETURN[1]];
    ops.extend([Op::PushExcInfo, Op::LoadGlobal(1), Op::Pop, Op::Reraise(false)]);
    ops.extend([Op::PushExcInfo, Op::LoadGlobal(2), Op::Pop, Op::Reraise(false)]);
    ops.extend([Op::PushExcInfo, Op::Pop, Op::PopExcept, Op::PopExcept, Op::Reraise(false)]);
    let regions = [region(0, 2, 4, 0), region(5, 7, 8, 1), region(9, 11, 12, 2)];
    let mut graph = graph(&ops, &regions);
    join_copied_raises(&mut graph, &function(&[], &[]).1);
    assert_eq!(text(&graph)[8..], ["8: PushExcInfo; Pop; PopExcept; Jump(9)", "9: PopExcept; Jump(4)"]);
}

/// `if a: m`, `else: n`, and `return b` behind both, on the lines given.
fn exits(lines: [u32; 2]) -> (CodeObject, Function) {
    let ops = [
        Op::LoadLocal(0),
        Op::JumpIf(JumpCondition::False, 6),
        Op::LoadGlobal(0),
        Op::Pop,
        Op::LoadLocal(1),
        Op::Return,
        Op::LoadGlobal(1),
        Op::Pop,
        Op::LoadLocal(1),
        Op::Return,
    ];
    let [first, second] = lines;
    described(function(&ops, &[]), &[], &[1, 1, 2, 2, first, first, 3, 3, second, second])
}

fn with_shared_exits(source: &(CodeObject, Function)) -> Vec<String> {
    let mut graph = Graph::build(&source.1);
    join_shared_exits(&mut graph, &source.0, &source.1);
    text(&graph)
}

#[test]
fn exits_of_one_line_are_one() {
    assert_eq!(
        with_shared_exits(&exits([4, 4])),
        [
            "0: LoadLocal(0); Branch { yes: 1, no: 2 }",
            "1: LoadGlobal(0); Pop; Jump(4)",
            "2: LoadGlobal(1); Pop; Jump(4)",
            "4: LoadLocal(1); Return"
        ]
    );
}

#[test]
fn exits_of_two_lines_are_two() {
    let source = exits([4, 5]);
    assert_eq!(with_shared_exits(&source), text(&Graph::build(&source.1)));
}

#[test]
fn without_lines_no_exits_are_joined() {
    let (code, mut function) = exits([4, 4]);
    function.instructions.iter_mut().for_each(|instruction| instruction.line = None);
    let before = text(&Graph::build(&function));
    assert_eq!(with_shared_exits(&(code, function)), before);
}

/// Where a function ends whose first `try` has a handler with nothing but an end; the body goes to an operation.
fn end_beside_a_handler(to: u32) -> Option<usize> {
    let mut ops = vec![Op::LoadLocal(0), Op::JumpIf(JumpCondition::False, 5)];
    ops.extend([Op::LoadGlobal(0), Op::Pop, Op::Jump(to), Op::LoadLocal(1), Op::Return]);
    ops.extend([Op::PushExcInfo, Op::Pop, Op::PopExcept, RETURN[0], RETURN[1]]);
    let lines = [1, 1, 2, 2, 2, 5, 5, 3, 3, 4, 4, 4];
    let (code, function) = described(function(&ops, &[region(2, 4, 7, 0)]), &[], &lines);
    let mut graph = Graph::build(&function);
    join_shared_exits(&mut graph, &code, &function);
    graph.end
}

#[test]
fn what_ends_in_a_handler_in_a_loop_was_written() {
    assert_eq!(end_beside_a_handler(0), None);
    assert!(end_beside_a_handler(5).is_some());
}

#[test]
fn a_break_at_the_end_has_one_place_with_what_it_drops() {
    // A jump leads to what drops a value and returns None: at the end of a pattern, a `return` on its own line.
    let ends = |line: u32| {
        let mut ops =
            vec![Op::LoadLocal(0), Op::LoadLocal(1), Op::JumpIf(JumpCondition::False, 4), Op::Jump(5)];
        ops.extend([Op::Nop, Op::Pop, RETURN[0], RETURN[1]]);
        let (code, function) = described(function(&ops, &[]), &[], &[1, 1, 1, 1, 2, 3, line, line]);
        let mut graph = Graph::build(&function);
        join_shared_exits(&mut graph, &code, &function);
        graph.end.is_some()
    };
    assert_eq!((ends(3), ends(4)), (true, false));
}

#[test]
fn what_drops_the_iterator_for_one_return_is_one() {
    let pop = [Op::Pop, RETURN[0], RETURN[1]];
    let mut ops = vec![Op::LoadLocal(0), Op::LoadLocal(1), Op::JumpIf(JumpCondition::False, 8)];
    ops.extend([Op::LoadLocal(2), Op::JumpIf(JumpCondition::False, 11)]);
    ops.extend([pop, pop, pop].concat());
    let source = described(function(&ops, &[]), &[], &[1, 2, 2, 3, 3, 4, 4, 4, 4, 4, 4, 5, 5, 5]);
    let joined = |first: Option<u32>, column: Option<u32>| {
        let (code, mut function) = source.clone();
        function.instructions.iter_mut().for_each(|found| found.column = column);
        function.instructions[0].column = first;
        with_shared_exits(&(code, function)).iter().filter(|line| line.contains(": Pop")).count()
    };
    // Where there are columns, what has none tells nothing.
    assert_eq!([joined(Some(0), Some(0)), joined(Some(0), None), joined(None, None)], [2, 3, 2]);
}

/// Whether reducing makes one block of a function, but for the exit that it shares, with a step of some kind.
fn reduces_to_one(ops: &[Op], kind: fn(&StepKind) -> bool) {
    let after = with_context(&function(ops, &[]), reduce);
    let reached = after.reverse_postorder();
    let steps = &after.blocks[0].steps;
    assert!(reached.len() <= 2 && steps.iter().any(|step| kind(&step.kind)), "{:?}", text(&after));
}

#[test]
fn the_end_of_a_conditional_argument_is_one_behind_a_shared_exit() {
    // `a.append(b if c else d)`, `return e`, whose exit was found to be shared before.
    let call =
        [Op::Call { positional: 1, layout: depyf_bytecode::CallLayout::NullBelow }, Op::Pop, Op::Jump(12)];
    let mut ops = vec![Op::PushNull, Op::LoadLocal(0), Op::LoadLocal(2), Op::JumpIf(JumpCondition::False, 8)];
    ops.push(Op::LoadLocal(1));
    ops.extend(call);
    ops.push(Op::LoadLocal(3));
    ops.extend(call);
    ops.extend([Op::LoadLocal(4), Op::Return]);
    reduces_to_one(&ops, |kind| matches!(kind.as_piece(), Some(Piece::Conditional { .. })));
}

#[test]
fn what_adds_a_keyword_is_copied_with_all_that_follows() {
    // `c = f(.., e=a if b else d)`: MAP_ADD has no line, so an end of any length behind it is copied.
    let mut end =
        vec![Op::MapAdd(1), Op::CallEx { keywords: true, layout: depyf_bytecode::CallLayout::Plain }];
    end.extend([Op::StoreLocal(3), Op::LoadLocal(3), Op::StoreLocal(4), RETURN[0], RETURN[1]]);
    let mut ops = vec![Op::LoadLocal(0), Op::Const(1), Op::BuildMap(0), Op::Const(2)];
    ops.extend([Op::LoadLocal(1), Op::JumpIf(JumpCondition::False, 14), Op::LoadLocal(0)]);
    ops.extend(&end);
    ops.push(Op::LoadLocal(2));
    ops.extend(&end);
    reduces_to_one(&ops, |kind| matches!(kind.as_piece(), Some(Piece::Conditional { .. })));
}

#[test]
fn a_chain_of_three_comparisons_is_one_though_its_end_was_copied() {
    // `del a[b < c < d < e]` and the copy of its end behind the cleanup.
    let compare = Op::Compare(depyf_bytecode::CompareOp::Less);
    let link = |local| [Op::LoadLocal(local), Op::Swap(2), Op::Copy(2), compare, Op::JumpIfOrPop(false, 17)];
    let end = [Op::DeleteSubscript, RETURN[0], RETURN[1]];
    let mut ops = vec![Op::LoadLocal(0), Op::LoadLocal(1)];
    ops.extend(link(2));
    ops.extend(link(3));
    ops.extend([Op::LoadLocal(4), compare]);
    ops.extend(end);
    ops.extend([Op::Swap(2), Op::Pop]);
    ops.extend(end);
    reduces_to_one(
        &ops,
        |kind| matches!(kind.as_piece(), Some(Piece::Chain { rest, .. }) if rest.len() == 2),
    );
}

/// `a and m`, `return b`, whose end was copied behind `m`, on the lines given.
fn dropped_value(lines: [u32; 2]) -> Vec<String> {
    let ops = [
        Op::LoadLocal(0),
        Op::JumpIfOrPop(false, 6),
        Op::LoadGlobal(0),
        Op::Pop,
        Op::LoadLocal(1),
        Op::Return,
        Op::Pop,
        Op::LoadLocal(1),
        Op::Return,
    ];
    let [arm, end] = lines;
    let (_, function) = described(function(&ops, &[]), &[], &[1, 1, 1, arm, 2, 2, end, 2, 2]);
    let mut graph = Graph::build(&function);
    join_expression_ends(&mut graph, &function);
    text(&graph)
}

#[test]
fn a_value_that_is_dropped_on_one_line_is_that_of_one_expression() {
    assert_eq!(dropped_value([1, 1])[1..], ["1: LoadGlobal(0); Jump(2)", "2: Pop; LoadLocal(1); Return"]);
}

#[test]
fn values_that_are_dropped_on_two_lines_are_those_of_two_statements() {
    assert_eq!(dropped_value([3, 1])[1], "1: LoadGlobal(0); Pop; LoadLocal(1); Return");
}

/// `a and m`, whose last value is dropped in one of two ways; the lines are those of an expression on two lines.
fn dropped_operand(ops: [Op; 2]) -> Vec<String> {
    let ops = [
        Op::LoadLocal(0),
        Op::JumpIfOrPop(false, 5),
        Op::LoadGlobal(0),
        ops[0],
        ops[1],
        Op::Pop,
        Op::Jump(0),
    ];
    let (_, function) = described(function(&ops, &[]), &[], &[1, 1, 2, 2, 2, 1, 1]);
    let mut graph = Graph::build(&function);
    join_expression_ends(&mut graph, &function);
    text(&graph)
}

#[test]
fn the_value_of_an_operand_is_dropped_where_that_of_the_others_is() {
    assert_eq!(
        dropped_operand([Op::Pop, Op::Jump(0)])[1..],
        ["1: LoadGlobal(0); Jump(2)", "2: Pop; Jump(0)"]
    );
    assert_eq!(
        dropped_operand([Op::StoreLocal(1), Op::Jump(0)])[1],
        "1: LoadGlobal(0); StoreLocal(1); Jump(0)"
    );
}

/// `raise a from b if c else b`, whose end was copied behind the first arm.
fn copied_raise(arm: &[Op], lines: &[u32]) -> Vec<String> {
    let mut ops =
        vec![Op::LoadLocal(0), Op::LoadLocal(2), Op::JumpIf(JumpCondition::False, 4 + arm.len() as u32)];
    ops.extend(arm);
    ops.push(Op::Raise(2));
    ops.extend(arm);
    ops.push(Op::Raise(2));
    let (_, function) = described(function(&ops, &[]), &[], lines);
    let mut graph = Graph::build(&function);
    join_expression_ends(&mut graph, &function);
    text(&graph)
}

#[test]
fn a_raise_whose_arms_bring_one_operand_is_one() {
    let one = [Op::LoadLocal(1)];
    let joined = copied_raise(&one, &[1; 7]);
    assert_eq!(joined[1..], ["1: LoadLocal(1); Jump(4)", "2: LoadLocal(1); Jump(4)", "4: Raise(2)"]);
    let two_lines = copied_raise(&one, &[1, 1, 1, 2, 2, 3, 3]);
    assert_eq!(two_lines[1..], ["1: LoadLocal(1); Raise(2)", "2: LoadLocal(1); Raise(2)"]);
    let own = copied_raise(&[Op::LoadLocal(1); 2], &[1; 9]);
    assert_eq!(own.len(), 3);
}

#[test]
fn what_goes_on_elsewhere_has_no_copies() {
    // `b(a) if a else c(d or e)`, whose calls stand on one line, in a loop.
    let call = Op::Call { positional: 1, layout: depyf_bytecode::CallLayout::Plain };
    let mut ops = vec![Op::LoadLocal(0), Op::JumpIf(JumpCondition::False, 6)];
    ops.extend([Op::LoadLocal(1), Op::LoadLocal(0), call, Op::Jump(11)]);
    ops.extend([Op::LoadLocal(2), Op::LoadLocal(3), Op::JumpIfOrPop(true, 10), Op::LoadLocal(4), call]);
    ops.extend([
        Op::StoreLocal(3),
        Op::LoadLocal(3),
        Op::JumpIf(JumpCondition::True, 0),
        RETURN[0],
        RETURN[1],
    ]);
    let (_, function) = described(function(&ops, &[]), &[], &[1; 16]);
    let mut graph = Graph::build(&function);
    let lines = text(&graph);
    join_expression_ends(&mut graph, &function);
    assert_eq!(text(&graph), lines);
}

/// `for c in a: if b: break`, `else:` with the body given, `x = b`, with the end copied behind the `break`. Where the
/// blocks start that end the function.
fn ends_behind_a_loop(body: &[Op]) -> Vec<u32> {
    let mut ops = vec![Op::LoadLocal(0), Op::GetIter];
    ops.push(Op::ForIter { exhausted: 11, slots: 1, pops: true });
    ops.extend([Op::StoreLocal(2), Op::LoadLocal(1), Op::JumpIf(JumpCondition::False, 2), Op::Pop]);
    let end = [Op::LoadLocal(1), Op::StoreGlobal(0), RETURN[0], RETURN[1]];
    ops.extend(end);
    ops.extend(body);
    ops.extend(end);
    let mut lines = vec![1, 1, 1, 1, 2, 2, 3, 5, 5, 5, 5];
    lines.extend(body.iter().map(|_| 4));
    lines.extend([5; 4]);
    let function = described(function(&ops, &[]), &["x"], &lines);
    let graph = with_context(&function, |graph, context, _| join_copied_ends(graph, context));
    let reached = graph.reverse_postorder();
    let ends = reached.iter().filter(|&&block| graph.blocks[block].end == Terminator::Return);
    ends.map(|&block| graph.blocks[block].start).collect()
}

#[test]
fn what_a_break_was_copied_from_lies_behind_its_loop() {
    assert_eq!(ends_behind_a_loop(&[]), [22]);
}

#[test]
fn what_a_break_was_copied_from_lies_behind_the_else_that_falls_into_it() {
    assert_eq!(ends_behind_a_loop(&[Op::LoadLocal(0), Op::StoreLocal(1)]), [26]);
}

/// `if a: c`, `else: d`, and `b` behind it, copied to both arms: on these lines, at these columns.
fn copied_statement(places: [(u32, u32); 2]) -> Vec<String> {
    let end = [Op::LoadLocal(1), Op::Pop, Op::Common(CommonConst::None), Op::Return];
    let mut ops = vec![Op::LoadLocal(0), Op::JumpIf(JumpCondition::False, 8), Op::LoadLocal(2), Op::Pop];
    ops.extend(end);
    ops.extend([Op::LoadLocal(3), Op::Pop]);
    ops.extend(end);
    let (code, mut function) = described(function(&ops, &[]), &[], &[1, 1, 2, 2]);
    for (start, (line, column)) in [4, 10].into_iter().zip(places) {
        for instruction in &mut function.instructions[start..start + end.len()] {
            (instruction.line, instruction.column) = (Some(line), Some(column));
        }
    }
    text(&with_context(&(code, function), |graph, context, _| join_copied_statements(graph, context)))
}

#[test]
fn a_statement_that_was_copied_to_both_arms_is_one() {
    let returns = |places| copied_statement(places).iter().filter(|block| block.ends_with("Return")).count();
    assert_eq!(returns([(5, 4), (5, 4)]), 1);
    // Two statements on one line, and two that begin at one column, are two.
    assert_eq!(returns([(5, 4), (5, 8)]), 2);
    assert_eq!(returns([(5, 4), (6, 4)]), 2);
}

#[test]
fn a_statement_in_front_of_a_copied_end_is_copied_with_it() {
    // `if a: b` `else: d`, `c = 1`, `try: raise`: the end is in a region, the assignment is not.
    let arm = |variable| [Op::LoadLocal(variable), Op::Pop, Op::SmallInt(1), Op::StoreLocal(2), Op::Raise(0)];
    let mut ops = vec![Op::LoadLocal(0), Op::JumpIf(JumpCondition::False, 7)];
    ops.extend(arm(1).into_iter().chain(arm(3)));
    ops.extend([Op::PushExcInfo, Op::Pop, Op::PopExcept, RETURN[0], RETURN[1]]);
    let after = |assigned: u32| {
        let lines = [1, 1, 2, 2, 5, 5, 6, 4, 4, assigned, assigned, 6, 7, 7, 7, 7, 7];
        let regions = [region(6, 7, 12, 0), region(11, 12, 12, 0)];
        let source = described(function(&ops, &regions), &[], &lines);
        text(&with_context(&source, |graph, context, _| join_copied_ends(graph, context)))
    };
    let assigns = |blocks: &[String]| blocks.iter().filter(|block| block.contains("StoreLocal(2)")).count();
    assert_eq!(assigns(&after(5)), 1);
    assert_eq!(assigns(&after(8)), 2);
}
