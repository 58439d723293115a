//! Decision trees and the patterns that they are.

use depyf_bytecode::{CompareOp, JumpCondition, Op};
use depyf_syntax::ast::{Expr, MatchCase, Origin, Stmt, StmtKind};

use super::*;

/// The graph, and what its cases look like in the source.
fn matched(ops: &[Op]) -> (Vec<String>, Vec<String>) {
    let graph = with_context(&function(ops, &[]), find_matches);
    let pattern = |case: &super::super::matches::Case| {
        let cases = vec![MatchCase { pattern: case.pattern.clone(), guard: None, body: Vec::new() }];
        let statement = Stmt::new(Origin::NONE, StmtKind::Match { subject: Expr::name("s"), cases });
        let printed = depyf_syntax::print(&[statement], &depyf_syntax::PrintOptions::default()).text;
        printed.lines().nth(1).expect("a case").trim().to_owned()
    };
    (text(&graph), graph.cases.iter().map(pattern).collect())
}

/// `match a` with one case that tests for a sequence of so many items and stores two of them.
fn sequence(length: i32) -> Vec<Op> {
    let mut ops = vec![Op::LoadLocal(0), Op::MatchSequence, Op::JumpIf(JumpCondition::False, 12)];
    ops.extend([Op::GetLen, Op::SmallInt(length), Op::Compare(CompareOp::Equal)]);
    ops.push(Op::JumpIf(JumpCondition::False, 12));
    ops.extend([Op::Unpack(2), Op::StoreLocal(1), Op::StoreLocal(2), RETURN[0], RETURN[1]]);
    ops.extend([Op::Pop, RETURN[0], RETURN[1]]);
    ops
}

#[test]
fn the_tests_of_a_sequence_are_its_pattern() {
    let (graph, cases) = matched(&sequence(2));
    assert_eq!(cases, ["case [b, c]:"]);
    assert_eq!(graph[0], "0: LoadLocal(0); Case { case: 0, yes: 5, no: Some(6) }");
}

#[test]
fn tests_that_no_pattern_makes_stay() {
    // Three items are asked for, and two are taken.
    let ops = sequence(3);
    let (after, cases) = matched(&ops);
    assert!(cases.is_empty(), "{cases:?}");
    assert_eq!(after, text(&graph(&ops, &[])));
}

#[test]
fn a_copied_subject_has_another_case() {
    let mut ops = vec![Op::LoadLocal(0)];
    ops.extend([Op::Copy(1), Op::SmallInt(1), Op::Compare(CompareOp::Equal)]);
    ops.extend([Op::JumpIf(JumpCondition::False, 8), Op::Pop, Op::LoadLocal(1), Op::Return]);
    ops.extend([Op::SmallInt(2), Op::Compare(CompareOp::Equal), Op::JumpIf(JumpCondition::False, 13)]);
    ops.extend([Op::LoadLocal(2), Op::Return, RETURN[0], RETURN[1]]);
    let (after, cases) = matched(&ops);
    assert_eq!(cases, ["case 1:", "case 2:"]);
    assert!(after[0].starts_with("0: LoadLocal(0); Copy(1); Case { case: 0, "), "{after:?}");
}

#[test]
fn a_copy_that_the_pattern_does_not_need_is_dropped_in_front_of_a_guard() {
    // `case [b, c]: ..`, `case _ if d: ..`, `case _: ..`: the second one takes the subject.
    let mut ops =
        vec![Op::LoadLocal(0), Op::Copy(1), Op::MatchSequence, Op::JumpIf(JumpCondition::False, 14)];
    ops.extend([Op::GetLen, Op::SmallInt(2), Op::Compare(CompareOp::Equal)]);
    ops.push(Op::JumpIf(JumpCondition::False, 14));
    ops.extend([Op::Unpack(2), Op::StoreLocal(1), Op::StoreLocal(2), Op::Pop, RETURN[0], RETURN[1]]);
    ops.extend([Op::Pop, Op::Pop, Op::LoadLocal(3), Op::JumpIf(JumpCondition::False, 20)]);
    ops.extend([Op::LoadLocal(4), Op::Return, RETURN[0], RETURN[1]]);
    assert_eq!(matched(&ops).1, ["case [b, c]:", "case _:"]);
}

#[test]
fn a_guard_above_the_subject_is_that_of_a_first_case() {
    // `match a: case _ if b: ..`, `case [b, c]: ..`, and the same without a subject below the test.
    let first = |subject: &[Op]| {
        let start = subject.len() as u32 + 5;
        let mut ops = subject.to_vec();
        ops.extend([Op::LoadLocal(1), Op::JumpIf(JumpCondition::False, start)]);
        ops.extend([Op::Pop, Op::LoadLocal(3), Op::Return]);
        ops.extend(sequence(2)[1..].iter().map(|&op| match op {
            Op::JumpIf(condition, to) => Op::JumpIf(condition, to + start - 1),
            op => op,
        }));
        matched(&ops).1
    };
    assert_eq!(first(&[Op::LoadLocal(0)]), ["case _:", "case [b, c]:"]);
    assert_eq!(first(&[]).len(), 1);
}

#[test]
fn where_a_guard_of_two_tests_fails_the_last_case_drops_the_subject() {
    // `match a: case _ if b and c: ..`, `case _ if d: ..`, `case _: ..`.
    let mut ops = vec![Op::LoadLocal(0), Op::Copy(1), Op::Pop];
    ops.extend([Op::LoadLocal(1), Op::JumpIf(JumpCondition::False, 10)]);
    ops.extend([Op::LoadLocal(2), Op::JumpIf(JumpCondition::False, 10)]);
    ops.extend([Op::Pop, Op::LoadLocal(2), Op::Return]);
    ops.extend([Op::Pop, Op::LoadLocal(3), Op::JumpIf(JumpCondition::False, 15)]);
    ops.extend([Op::LoadLocal(3), Op::Return, RETURN[0], RETURN[1]]);
    let (after, cases) = matched(&ops);
    assert_eq!(cases, ["case _:", "case _:"]);
    assert!(after.contains(&"3: Case { case: 1, yes: 8, no: None }".to_owned()), "{after:?}");
}

#[test]
fn a_test_that_takes_the_value_is_no_guard() {
    // `if (b := a) is not None: return b` and `if (a and (b := c)) is not None: return b`.
    let mut ops = vec![Op::LoadLocal(0), Op::Copy(1), Op::StoreLocal(1), Op::JumpIf(JumpCondition::None, 6)];
    ops.extend([Op::LoadLocal(1), Op::Return]);
    ops.extend([Op::LoadLocal(0), Op::Copy(1), Op::JumpIf(JumpCondition::False, 13), Op::Pop]);
    ops.extend([Op::LoadLocal(2), Op::Copy(1), Op::StoreLocal(1), Op::JumpIf(JumpCondition::None, 16)]);
    ops.extend([Op::LoadLocal(1), Op::Return, RETURN[0], RETURN[1]]);
    let (_, cases) = matched(&ops);
    assert!(cases.is_empty(), "{cases:?}");
}

#[test]
fn right_behind_a_store_there_is_no_subject() {
    // The iterator of a `for` lies on the stack: `b = a`, `if b: break`, and then what takes it as a pattern would.
    let mut ops = vec![Op::LoadLocal(0), Op::StoreLocal(1)];
    ops.extend([Op::LoadLocal(1), Op::JumpIf(JumpCondition::False, 7)]);
    ops.extend([Op::Pop, Op::LoadLocal(3), Op::Return]);
    ops.extend([Op::LoadLocal(2), Op::JumpIf(JumpCondition::False, 12), Op::Pop]);
    ops.extend([RETURN[0], RETURN[1], Op::Pop, RETURN[0], RETURN[1]]);
    let (_, cases) = matched(&ops);
    assert!(cases.is_empty(), "{cases:?}");
}

#[test]
fn the_last_two_cases_drop_the_subject_on_both_ways() {
    // `match a: case _ if b: ..`, `case _ if c: ..`, `case _: ..`, and the same without a subject below the test.
    let first = |subject: &[Op]| {
        let start = subject.len() as u32 + 5;
        let mut ops = subject.to_vec();
        ops.extend([Op::LoadLocal(1), Op::JumpIf(JumpCondition::False, start)]);
        ops.extend([Op::Pop, Op::LoadLocal(3), Op::Return]);
        ops.extend([Op::Pop, Op::LoadLocal(2), Op::JumpIf(JumpCondition::False, start + 5)]);
        ops.extend([RETURN[0], RETURN[1], Op::LoadLocal(3), Op::Return]);
        matched(&ops).1
    };
    assert_eq!(first(&[Op::LoadLocal(0)]), ["case _:", "case _:"]);
    assert!(first(&[]).is_empty());
}

#[test]
fn a_guard_of_two_tests_fails_where_the_first_one_leads() {
    // `match a: case _ if b and not c: ..`, `case _ if c: ..`, `case _: ..`: both ways of the first guard drop the subject.
    let mut ops = vec![Op::LoadLocal(0), Op::LoadLocal(1), Op::JumpIf(JumpCondition::False, 8)];
    ops.extend([Op::LoadLocal(2), Op::JumpIf(JumpCondition::True, 8), Op::Pop, Op::LoadLocal(3), Op::Return]);
    ops.extend([Op::Pop, Op::LoadLocal(2), Op::JumpIf(JumpCondition::False, 13)]);
    ops.extend([RETURN[0], RETURN[1], Op::LoadLocal(3), Op::Return]);
    let (after, cases) = matched(&ops);
    assert_eq!(cases, ["case _:", "case _:"]);
    // The second one begins where that fails, in front of the test of its own guard.
    let second = after.iter().find(|block| block.contains("Case { case: 1")).expect("a second case");
    assert!(second.starts_with("3: "), "{after:?}");
}

#[test]
fn the_body_of_a_case_is_copied_to_the_ways_through_its_guard() {
    // `case 1 if c if b else d: pass`, in front of `case 2: pass`.
    let mut ops = vec![Op::LoadLocal(0), Op::Copy(1), Op::SmallInt(1), Op::Compare(CompareOp::Equal)];
    ops.extend([
        Op::JumpIf(JumpCondition::False, 15),
        Op::LoadLocal(1),
        Op::JumpIf(JumpCondition::False, 11),
    ]);
    ops.extend([Op::LoadLocal(2), Op::JumpIf(JumpCondition::False, 15), Op::Pop, Op::Jump(19)]);
    ops.extend([Op::LoadLocal(3), Op::JumpIf(JumpCondition::False, 15), Op::Pop, Op::Jump(19)]);
    ops.extend([
        Op::SmallInt(2),
        Op::Compare(CompareOp::Equal),
        Op::JumpIf(JumpCondition::False, 19),
        Op::Nop,
    ]);
    ops.extend(RETURN);
    let after = with_context(&function(&ops, &[]), |graph, context, temporaries| {
        find_matches(graph, context, temporaries);
        join_case_bodies(graph, context.function);
    });
    let tests: Vec<String> = text(&after).into_iter().filter(|block| block.contains("Branch")).collect();
    assert_eq!(
        tests,
        [
            "1: LoadLocal(1); Branch { yes: 2, no: 4 }",
            "2: LoadLocal(2); Branch { yes: 3, no: 6 }",
            "4: LoadLocal(3); Branch { yes: 3, no: 6 }"
        ]
    );
}
