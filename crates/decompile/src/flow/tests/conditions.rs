//! Conditions and conditional expressions, with the value that a folded step stands for as source.

use depyf_bytecode::{BinaryOp, CallLayout, Const, JumpCondition, Op, UnaryOp};
use depyf_syntax::PrintOptions;
use depyf_syntax::ast::{BoolOp, Expr, ExprKind, Origin};

use super::super::de_morgan::{first_not, negate_condition, nots, removable_not};
use super::*;

const CALL: Op = Op::Call { positional: 0, layout: CallLayout::NullBelow };

fn source(expr: &Expr) -> String {
    depyf_syntax::print_expr(expr, &PrintOptions::default())
}

/// The steps of the first block that reducing makes of a function, folded ones as source.
fn reduced(described: &(CodeObject, Function)) -> Vec<String> {
    let graph = with_context(described, reduce);
    let step = |step: &Step| match &step.kind {
        StepKind::Op(op) => format!("{op:?}"),
        other => match other.as_piece() {
            Some(Piece::Bool { and, values, .. }) => {
                let values: Vec<String> = values.iter().rev().map(|value| source(&value.expr)).collect();
                format!("{} {}", if *and { "and" } else { "or" }, values.join(" "))
            }
            Some(Piece::Conditional { body, orelse }) => {
                format!("if {} else {}", source(&body.expr), source(&orelse.expr))
            }
            _ => format!("{other:?}"),
        },
    };
    graph.blocks[0].steps.iter().map(step).collect()
}

/// `a`, whether it is true, and then two arms: each its operations, and how they end.
fn test_of_a(yes: &[Op], no: &[Op], rest: &[Op]) -> Vec<Op> {
    let otherwise = 2 + yes.len() as u32;
    let mut ops = vec![Op::LoadLocal(0), Op::JumpIf(JumpCondition::False, otherwise)];
    ops.extend_from_slice(yes);
    ops.extend_from_slice(no);
    ops.extend_from_slice(rest);
    ops
}

#[test]
fn two_values_that_meet_are_a_conditional_expression() {
    let ops = test_of_a(&[Op::LoadLocal(1), Op::Jump(5)], &[Op::LoadLocal(2)], &[Op::Return]);
    assert_eq!(reduced(&function(&ops, &[])), ["LoadLocal(0)", "if b else c"]);
}

#[test]
fn tests_that_all_lead_to_one_place_are_one_condition() {
    // `if a or b: pass`, and `if a and b or c: pass`.
    let jump = |condition, to: u32| Op::JumpIf(condition, to);
    let (falls, jumps) = (JumpCondition::False, JumpCondition::True);
    let ops = [Op::LoadLocal(0), jump(jumps, 4), Op::LoadLocal(1), jump(falls, 4), RETURN[0], RETURN[1]];
    assert_eq!(reduced(&function(&ops, &[]))[..2], ["LoadLocal(0)", "or b"]);
    let ops = [
        [Op::LoadLocal(0), jump(falls, 4)],
        [Op::LoadLocal(1), jump(jumps, 6)],
        [Op::LoadLocal(2), jump(falls, 6)],
        RETURN,
    ];
    assert_eq!(reduced(&function(ops.as_flattened(), &[]))[..3], ["LoadLocal(0)", "and b", "or c"]);
    // A test on a line of its own is that of a statement in the body.
    let ops = [Op::LoadLocal(0), jump(falls, 4), Op::LoadLocal(1), jump(falls, 4), RETURN[0], RETURN[1]];
    let described = described(function(&ops, &[]), &[], &[1, 1, 2, 2, 3, 3]);
    assert_eq!(reduced(&described), ["LoadLocal(0)"]);
}

#[test]
fn what_lies_right_behind_the_test_is_the_body() {
    // `b if not a else c`: the test jumps where it is true.
    let mut ops = test_of_a(&[Op::LoadLocal(1), Op::Jump(5)], &[Op::LoadLocal(2)], &[Op::Return]);
    ops[1] = Op::JumpIf(JumpCondition::True, 4);
    assert_eq!(reduced(&function(&ops, &[])), ["LoadLocal(0)", "Unary(Not)", "if b else c"]);
}

#[test]
fn returns_on_two_lines_are_statements_and_on_one_an_expression() {
    let ops = test_of_a(&[Op::LoadLocal(1), Op::Return], &[Op::LoadLocal(2), Op::Return], &[]);
    let on = |lines: &[u32]| reduced(&described(function(&ops, &[]), &[], lines));
    assert_eq!(on(&[1; 6]), ["LoadLocal(0)", "if b else c"]);
    assert_eq!(on(&[1, 1, 2, 2, 3, 3]), ["LoadLocal(0)"]);
    // A lambda has no statements, whatever its lines.
    let (code, function) = described(function(&ops, &[]), &[], &[1, 1, 2, 2, 3, 3]);
    let lambda = (CodeObject { name: "<lambda>".into(), ..code }, function);
    assert_eq!(reduced(&lambda), ["LoadLocal(0)", "if b else c"]);
}

#[test]
fn an_operation_that_one_arm_was_folded_with_stands_behind_the_expression() {
    let arms = |folded: Const, first: &str, operation: &[Op]| {
        let other = [&[Op::Const(1)], operation, &[Op::Return]].concat();
        let ops = test_of_a(&[Op::Const(0), Op::Return], &other, &[]);
        let (mut code, function) = described(function(&ops, &[]), &[], &vec![1; ops.len()]);
        code.consts = vec![folded, Const::Str(first.into()), Const::Str("z".into())];
        reduced(&(code, function))
    };
    let texts = |texts: &[&str]| Const::Tuple(texts.iter().map(|&text| Const::Str(text.into())).collect());
    let unfolded = arms(texts(&["x", "z"]), "y", &[Op::Const(2), Op::BuildTuple(2)]);
    assert_eq!(unfolded, ["LoadLocal(0)", "if 'x' else 'y'", "Const(2)", "BuildTuple(2)"]);
    let unfolded = arms(Const::Str("xz".into()), "", &[Op::Const(2), Op::Binary(BinaryOp::Add)]);
    assert_eq!(unfolded, ["LoadLocal(0)", "if 'x' else ''", "Const(2)", "Binary(Add)"]);
    // The first item alone stands before all others.
    let other = arms(texts(&["x", "y"]), "y", &[Op::Const(2), Op::BuildTuple(2)]);
    assert_eq!(other, ["LoadLocal(0)", "if ('x', 'y') else ('y', 1 and 'z')"]);
}

#[test]
fn a_test_that_leads_past_a_continue_is_that_of_another_statement() {
    // `if a: if b: continue`, and then `c`: without `a` the loop goes on, but not by that statement.
    let ops = [
        Op::LoadLocal(0),
        Op::JumpIf(JumpCondition::False, 7),
        Op::LoadLocal(1),
        Op::JumpIf(JumpCondition::False, 5),
        Op::Jump(7),
        Op::LoadLocal(2),
        Op::Pop,
        RETURN[0],
        RETURN[1],
    ];
    let tests = |passes: bool| {
        let (code, mut function) = function(&ops, &[]);
        function.features.jumps_back_over = !passes;
        let after = with_context(&(code, function), |graph, context, temporaries| {
            let jump = graph.blocks.iter_mut().find(|block| block.start == 8);
            jump.expect("the jump").written = Some(8);
            reduce(graph, context, temporaries);
        });
        let reached = after.reverse_postorder();
        reached.iter().filter(|&&id| matches!(after.blocks[id].end, Terminator::Branch { .. })).count()
    };
    assert_eq!((tests(false), tests(true)), (2, 1));
}

#[test]
fn an_arm_with_a_way_in_from_elsewhere_is_no_expression() {
    // `d` goes past the test to the arm.
    let ops = [
        Op::LoadLocal(3),
        Op::JumpIf(JumpCondition::True, 6),
        Op::LoadLocal(0),
        Op::JumpIf(JumpCondition::False, 6),
        Op::LoadLocal(1),
        Op::Return,
        Op::LoadLocal(2),
        Op::PushNull,
        CALL,
        Op::Return,
    ];
    let found = reduced(&described(function(&ops, &[]), &[], &[1, 1, 2, 2, 3, 3, 4, 4, 4, 4]));
    assert!(found.iter().all(|step| !step.starts_with("if ")), "{found:?}");
}

/// Steps `not`, and then one of a condition that reducing found: `(x and y)` with both negated where `negated`.
fn negated_condition(and: bool, negated: &[bool]) -> Vec<Step> {
    let value = |(at, &negated): (usize, &bool)| {
        let name = Expr::new(Origin::NONE, ExprKind::Name(["a", "b", "c"][at].into()));
        let expr = if negated { crate::names::negated(name) } else { name };
        Folded { expr, effects: crate::lift::Effects::default() }
    };
    let values = negated.iter().enumerate().map(value).collect();
    let kinds =
        [StepKind::Op(Op::Unary(UnaryOp::Not)), StepKind::piece(Piece::Bool { and, values, grouped: false })];
    kinds.into_iter().map(|kind| Step { offset: 0, kind }).collect()
}

#[test]
fn a_condition_loses_the_not_that_each_of_its_values_has() {
    let mut steps = negated_condition(true, &[true, true]);
    let not = removable_not(&steps).expect("both are negated");
    negate_condition(&mut steps, not);
    let [Step { kind, .. }] = &steps[..] else { panic!("{steps:?}") };
    let Some(Piece::Bool { and: false, values, .. }) = kind.as_piece() else { panic!("{steps:?}") };
    assert_eq!(values.iter().map(|value| source(&value.expr)).collect::<Vec<_>>(), ["a", "b"]);
}

#[test]
fn a_condition_with_one_plain_value_keeps_its_not() {
    assert_eq!(removable_not(&negated_condition(true, &[true, false])), None);
    assert_eq!(removable_not(&negated_condition(false, &[true, true])[1..]), None);
    assert_eq!(removable_not(&[]), None);
}

#[test]
fn a_value_that_was_read_the_wrong_way_round_is_all_turned_back() {
    let mut steps = negated_condition(false, &[true, false]);
    let not = first_not(&steps).expect("the first operand is negated");
    negate_condition(&mut steps, not);
    let [Step { kind, .. }] = &steps[..] else { panic!("{steps:?}") };
    let Some(Piece::Bool { and: true, values, .. }) = kind.as_piece() else { panic!("{steps:?}") };
    assert_eq!(values.iter().map(|value| source(&value.expr)).collect::<Vec<_>>(), ["a", "not b"]);
    assert_eq!(first_not(&negated_condition(false, &[true])[1..]), None);
}

#[test]
fn the_reading_with_the_fewest_nots_is_counted_after_de_morgan() {
    let name = |name: &str| Expr::new(Origin::NONE, ExprKind::Name(name.into()));
    let both = ExprKind::Bool {
        op: BoolOp::And,
        values: vec![crate::names::negated(name("a")), crate::names::negated(name("b"))],
    };
    let both = Expr::new(Origin::NONE, both);
    assert_eq!((nots(&both, false), nots(&both, true)), (2, 0));
}

#[test]
fn the_test_of_an_arm_that_is_negated_falls_the_other_way() {
    // `if b if a else not c: d`: the last test falls into the body where `c` does not hold.
    let ops = [
        Op::LoadLocal(0),
        Op::JumpIf(JumpCondition::False, 5),
        Op::LoadLocal(1),
        Op::JumpIf(JumpCondition::False, 9),
        Op::Jump(7),
        Op::LoadLocal(2),
        Op::JumpIf(JumpCondition::True, 9),
        Op::LoadLocal(3),
        Op::Pop,
        RETURN[0],
        RETURN[1],
    ];
    let after = with_context(&function(&ops, &[]), |graph, context, temporaries| {
        super::super::thread_jumps(graph, context.function);
        reduce(graph, context, temporaries);
    });
    let Terminator::Branch { yes, .. } = after.blocks[0].end else { panic!("no test") };
    assert_eq!((after.blocks[0].layout.falls, after.blocks[yes].start), (Some(true), 14));
}

#[test]
fn tests_of_none_that_were_parted_are_those_of_a_jump() {
    let joined = |condition| {
        let ops = [Op::LoadLocal(0), Op::JumpIf(condition, 4), RETURN[0], RETURN[1], RETURN[0], RETURN[1]];
        let graph = graph(&ops, &[]);
        (text(&graph), graph.blocks[0].layout.falls)
    };
    for (negated, condition) in [(false, JumpCondition::None), (true, JumpCondition::NotNone)] {
        for (constant, is_joined) in [(0, true), (1, false)] {
            let test = [Op::LoadLocal(0), Op::Const(constant), Op::Is { negated }];
            let mut ops = test.to_vec();
            ops.extend([Op::JumpIf(JumpCondition::True, 6), RETURN[0], RETURN[1], RETURN[0], RETURN[1]]);
            let (code, function) = function(&ops, &[]);
            let code = CodeObject { consts: vec![Const::None, Const::Bool(true)], ..code };
            let graph = with_context(&(code, function), |graph, context, _| join_none_tests(graph, context));
            let found = (text(&graph), graph.blocks[0].layout.falls);
            assert_eq!(found == joined(condition), is_joined, "{found:?}");
        }
    }
}
