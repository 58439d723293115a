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
