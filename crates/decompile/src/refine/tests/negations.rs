//! Where a `not` stands, by how much is between operands.

use super::*;

/// What `negate_by_columns` makes of a test, where the name with the origin `n` begins at `columns[n]`.
fn negated(test: Expr, columns: &[u32]) -> String {
    negated_on(test, columns, |_| 1)
}

/// As [`negated`], where each origin has a line.
fn negated_on(test: Expr, columns: &[u32], line: fn(u32) -> u32) -> String {
    let code = CodeObject::empty(PyVersion(12));
    let mut function = decode(&code).expect("an empty function");
    let instruction = |(offset, &column): (u32, &u32)| Instruction {
        op: Op::LoadLocal(0),
        offset,
        line: Some(line(offset)),
        column: Some(column),
        width: 1,
    };
    function.instructions = (0..).zip(columns).map(instruction).collect();
    after(
        |block| negate_by_columns(block, &function, Contents::EVERYTHING),
        vec![if_(test, vec![run(name("x"))], Vec::new())],
    )[0]
    .clone()
}

fn at(origin: u32, text: &str) -> Expr {
    Expr::new(Origin(origin), ExprKind::Name(text.into()))
}

fn not(operand: Expr) -> Expr {
    expr(ExprKind::Unary { op: UnaryOp::Not, operand: Box::new(operand) })
}

fn joined(op: BoolOp, values: Vec<Expr>) -> Expr {
    expr(ExprKind::Bool { op, values })
}

#[test]
fn what_is_between_operands_tells_what_joins_them() {
    let none = || joined(BoolOp::And, vec![not(at(0, "a")), not(at(1, "b"))]);
    assert_eq!(negated(none(), &[7, 17]), "if not a and not b:");
    assert_eq!(negated(none(), &[8, 13]), "if not (a or b):");
    // What is neither tells nothing.
    assert_eq!(negated(none(), &[8, 40]), "if not a and not b:");
    let any = || not(joined(BoolOp::And, vec![at(0, "a"), at(1, "b")]));
    assert_eq!(negated(any(), &[8, 14]), "if not (a and b):");
    assert_eq!(negated(any(), &[7, 16]), "if not a or not b:");
}

#[test]
fn a_not_stands_in_front_of_those_that_it_was_written_for() {
    let all = || joined(BoolOp::And, vec![not(at(0, "a")), not(at(1, "b")), at(2, "c")]);
    // `not (a or b) and c`, `not a and not b and c`, `not (a or b or not c)`.
    assert_eq!(negated(all(), &[8, 13, 20]), "if not (a or b) and c:");
    assert_eq!(negated(all(), &[7, 17, 23]), "if not a and not b and c:");
    assert_eq!(negated(all(), &[8, 13, 22]), "if not (a or b or not c):");
    let inner = joined(BoolOp::Or, vec![at(1, "b"), at(2, "c")]);
    let nested = joined(BoolOp::And, vec![at(0, "a"), inner]);
    // `a and not (not b and not c)`: parentheses belong to what is between.
    assert_eq!(negated(nested, &[3, 17, 27]), "if a and not (not b and not c):");
}

#[test]
fn operands_below_each_other_tell_what_joins_them() {
    let none = || joined(BoolOp::Or, vec![not(at(0, "a")), not(at(1, "b"))]);
    let below = |columns: &[u32]| negated_on(none(), columns, |origin| 1 + origin);
    // The word in front of the second, or behind the first.
    assert_eq!(below(&[12, 15]), "if not a or not b:");
    assert_eq!(below(&[8, 12]), "if not (a and b):");
    assert_eq!(below(&[8, 8]), "if not (a and b):");
    assert_eq!(below(&[7, 7]), "if not a or not b:");
    // Lines between them tell of a parenthesis, which is not known of.
    assert_eq!(negated_on(none(), &[8, 8], |origin| 1 + 2 * origin), "if not a or not b:");
    // Where another operand has no `not`, each has its own.
    let mixed = joined(BoolOp::Or, vec![not(at(0, "a")), not(at(1, "b")), at(2, "c")]);
    assert_eq!(negated_on(mixed, &[8, 8, 4], |origin| 1 + origin), "if not a or not b or c:");
}
