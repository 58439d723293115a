//! Whether two conditions are one, however their negations are written.

use depyf_syntax::ast::{Expr, ExprKind, UnaryOp};

/// A condition, and whether it is negated.
type Signed<'a> = (&'a Expr, bool);

/// Whether the tests and jumps of both conditions are the same: `not (not a or b)` is `a and not b`, `not a is b` is
/// `a is not b`, and `not (a if b else c)` is `not a if b else not c`. Gives the parts that are tested, in pairs.
pub(super) fn same_condition<'a, 'b>(
    first: Signed<'a>,
    second: Signed<'b>,
) -> Option<Vec<(&'a Expr, &'b Expr)>> {
    let mut pairs = Vec::new();
    is_same_condition(first, second, &mut pairs).then_some(pairs)
}

fn is_same_condition<'a, 'b>(
    first: Signed<'a>,
    second: Signed<'b>,
    pairs: &mut Vec<(&'a Expr, &'b Expr)>,
) -> bool {
    let (a, b) = (stripped(first), stripped(second));
    if !matches!(a.0.kind, ExprKind::Bool { .. } | ExprKind::IfExp { .. }) {
        pairs.push((a.0, b.0));
    }
    match (&a.0.kind, &b.0.kind) {
        (ExprKind::Bool { op: x, .. }, ExprKind::Bool { op: y, .. }) => {
            let (mut left, mut right) = (Vec::new(), Vec::new());
            operands(a, &mut left);
            operands(b, &mut right);
            ((x == y) == (a.1 == b.1))
                && left.len() == right.len()
                && left.into_iter().zip(right).all(|(left, right)| is_same_condition(left, right, pairs))
        }
        (
            ExprKind::IfExp { test: x, body: x_yes, orelse: x_no },
            ExprKind::IfExp { test: y, body: y_yes, orelse: y_no },
        ) => {
            let (x, y) = (stripped((x, false)), stripped((y, false)));
            let (y_yes, y_no) = if x.1 == y.1 { (y_yes, y_no) } else { (y_no, y_yes) };
            is_same_condition((x.0, false), (y.0, false), pairs)
                && is_same_condition((x_yes, a.1), (y_yes, b.1), pairs)
                && is_same_condition((x_no, a.1), (y_no, b.1), pairs)
        }
        (ExprKind::Compare { left: x, rest: r }, ExprKind::Compare { left: y, rest: s }) => {
            match (&r[..], &s[..]) {
                ([(p, r)], [(q, s)]) => {
                    let op = if a.1 == b.1 { Some(*p) } else { p.negated() };
                    op == Some(*q) && is_same(x, y) && is_same(r, s)
                }
                _ => a.1 == b.1 && is_same(a.0, b.0),
            }
        }
        _ => a.1 == b.1 && is_same(a.0, b.0),
    }
}

/// The condition without the `not`s in front of it.
fn stripped<'a>((mut expr, mut negated): Signed<'a>) -> Signed<'a> {
    while let ExprKind::Unary { op: UnaryOp::Not, operand } = &expr.kind {
        (expr, negated) = (operand, !negated);
    }
    (expr, negated)
}

/// The operands of `and` or `or`, those of the same operator inside of it among them.
fn operands<'a>((expr, negated): Signed<'a>, found: &mut Vec<Signed<'a>>) {
    let ExprKind::Bool { op, values } = &expr.kind else { return };
    for value in values {
        let value = stripped((value, negated));
        match &value.0.kind {
            ExprKind::Bool { op: inner, .. } if (inner == op) == (value.1 == negated) => {
                operands(value, found)
            }
            _ => found.push(value),
        }
    }
}

fn is_same(a: &Expr, b: &Expr) -> bool {
    let bare = |expr: &Expr| crate::visit::without_origins(expr.clone());
    std::mem::discriminant(&a.kind) == std::mem::discriminant(&b.kind) && bare(a) == bare(b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use depyf_syntax::ast::{BoolOp, CompareOp, Origin};

    fn is_same(first: Signed<'_>, second: Signed<'_>) -> bool {
        same_condition(first, second).is_some()
    }

    fn bool_of(op: BoolOp, values: Vec<Expr>) -> Expr {
        Expr::new(Origin::NONE, ExprKind::Bool { op, values })
    }

    fn not(value: Expr) -> Expr {
        Expr::new(Origin::NONE, ExprKind::Unary { op: UnaryOp::Not, operand: Box::new(value) })
    }

    fn compare(op: CompareOp) -> Expr {
        let (left, right) = (Box::new(Expr::name("a")), Expr::name("b"));
        Expr::new(Origin::NONE, ExprKind::Compare { left, rest: vec![(op, right)] })
    }

    #[test]
    fn de_morgan_changes_nothing() {
        let (a, b) = (|| Expr::name("a"), || Expr::name("b"));
        let and = bool_of(BoolOp::And, vec![a(), not(b())]);
        let or = bool_of(BoolOp::Or, vec![not(a()), b()]);
        assert!(is_same((&and, true), (&or, false)));
        assert!(!is_same((&and, false), (&or, false)));
        let other = bool_of(BoolOp::Or, vec![not(a()), not(b())]);
        assert!(!is_same((&and, true), (&other, false)));
    }

    #[test]
    fn nested_operands_of_one_operator_are_one_list() {
        let name = Expr::name;
        let inner = bool_of(BoolOp::And, vec![name("b"), name("c")]);
        let flat = bool_of(BoolOp::And, vec![name("a"), name("b"), name("c")]);
        let nested = bool_of(BoolOp::And, vec![name("a"), inner.clone()]);
        assert!(is_same((&flat, false), (&nested, false)));
        let mixed = bool_of(BoolOp::Or, vec![name("a"), inner]);
        assert!(!is_same((&flat, false), (&mixed, false)));
    }

    #[test]
    fn arms_of_a_conditional_turn() {
        let conditional = |test, body, orelse| {
            let [test, body, orelse] = [test, body, orelse].map(Box::new);
            Expr::new(Origin::NONE, ExprKind::IfExp { test, body, orelse })
        };
        let name = Expr::name;
        let plain = conditional(name("a"), name("b"), not(name("c")));
        assert!(is_same((&plain, true), (&conditional(name("a"), not(name("b")), name("c")), false)));
        assert!(is_same((&plain, false), (&conditional(not(name("a")), not(name("c")), name("b")), false)));
        assert!(!is_same((&plain, true), (&conditional(name("a"), name("b"), name("c")), false)));
        assert!(!is_same((&plain, false), (&conditional(not(name("a")), name("b"), not(name("c"))), false)));
    }

    #[test]
    fn only_identity_and_membership_turn() {
        assert!(is_same((&compare(CompareOp::Is), true), (&compare(CompareOp::IsNot), false)));
        assert!(is_same((&not(compare(CompareOp::In)), false), (&compare(CompareOp::NotIn), false)));
        assert!(!is_same((&compare(CompareOp::Less), true), (&compare(CompareOp::GreaterEqual), false)));
        assert!(!is_same((&compare(CompareOp::Less), true), (&compare(CompareOp::Less), false)));
        assert!(is_same((&compare(CompareOp::Less), true), (&not(compare(CompareOp::Less)), false)));
    }
}
