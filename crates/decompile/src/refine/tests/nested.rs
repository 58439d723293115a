//! Which tests are statements of their own, by the columns of their operands.

use super::indentation::{placed, placed_at};
use super::*;

/// What `nest_tests` makes of `if a and b: c`, where these begin at columns of lines below each other.
fn nested(columns: [u32; 3], lines: [u32; 3]) -> Vec<String> {
    let code = CodeObject::empty(PyVersion(12));
    let mut function = decode(&code).expect("an empty function");
    function.instructions = placed_at(&columns, &lines);
    let operand = |origin: u32, text: &str| Expr::new(Origin(origin), ExprKind::Name(text.into()));
    let values = vec![operand(0, "a"), operand(1, "b")];
    let test = Expr::new(Origin(1), ExprKind::Bool { op: BoolOp::And, values });
    after(|block| nest_tests(block, &function), vec![if_(test, vec![placed(2, "c")], Vec::new())])
}

#[test]
fn a_test_between_a_statement_and_its_body_is_one_of_its_own() {
    let joined = ["if a and b:", "    c"];
    assert_eq!(nested([7, 11, 12], [1, 2, 3]), ["if a:", "    if b:", "        c"]);
    // On one line, or as deep as the body, or as the first operand, or deeper by another amount.
    assert_eq!(nested([7, 11, 12], [1, 1, 2]), joined);
    assert_eq!(nested([7, 8, 8], [1, 2, 3]), joined);
    assert_eq!(nested([7, 7, 8], [1, 2, 3]), joined);
    assert_eq!(nested([7, 11, 16], [1, 2, 3]), joined);
}

/// What `nest_tests` makes of `case x: d`, which stands at the last of the columns, and `case y if a and b: c` below.
fn nested_in_case(columns: [u32; 4]) -> Vec<String> {
    let code = CodeObject::empty(PyVersion(12));
    let mut function = decode(&code).expect("an empty function");
    function.instructions = placed_at(&columns, &[3, 4, 5, 2]);
    let operand = |origin: u32, text: &str| Expr::new(Origin(origin), ExprKind::Name(text.into()));
    let values = vec![operand(0, "a"), operand(1, "b")];
    let guard = Some(Expr::new(Origin(1), ExprKind::Bool { op: BoolOp::And, values }));
    let pattern = |name: &str| Pattern::As { pattern: None, name: Some(name.into()) };
    let first = MatchCase { pattern: pattern("x"), guard: None, body: vec![placed(3, "d")] };
    let last = MatchCase { pattern: pattern("y"), guard, body: vec![placed(2, "c")] };
    let statement = stmt(StmtKind::Match { subject: name("s"), cases: vec![first, last] });
    after(|block| nest_tests(block, &function), vec![statement]).split_off(3)
}

#[test]
fn a_test_as_deep_as_the_bodies_of_other_cases_is_one_of_its_own() {
    let joined = ["    case y if a and b:", "        c"];
    let nested = ["    case y if a:", "        if b:", "            c"];
    assert_eq!(nested_in_case([14, 11, 12, 8]), nested);
    assert_eq!(nested_in_case([14, 14, 8, 8]), joined);
    assert_eq!(nested_in_case([14, 12, 12, 8]), joined);
}
