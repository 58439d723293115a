//! Constants of the code object as literals of the source.

use depyf_bytecode::Const;
use depyf_syntax::ast::{Expr, ExprKind, Literal, Origin};

/// Nested constants are expanded to this many items; a deeply shared one would have no end.
const MOST_ITEMS: usize = 1 << 20;

/// The literal, or `None` where the constant holds an object without one.
pub(crate) fn literal(value: &Const) -> Option<Literal> {
    let mut left = MOST_ITEMS;
    convert(value, &mut left)
}

fn convert(value: &Const, left: &mut usize) -> Option<Literal> {
    *left = left.checked_sub(1)?;
    let mut many = |items: &[Const]| {
        let mut found = Vec::with_capacity(items.len().min(*left));
        for item in items {
            found.push(convert(item, left)?);
        }
        Some(found)
    };
    Some(match value {
        Const::None => Literal::None,
        Const::Bool(value) => Literal::Bool(*value),
        Const::Ellipsis => Literal::Ellipsis,
        Const::Int(value) => Literal::Int(value.clone()),
        Const::Float(value) => Literal::Float(*value),
        Const::Complex(real, imag) => Literal::Complex { real: *real, imag: *imag },
        Const::Str(text) => Literal::Str(text.clone()),
        Const::Bytes(bytes) => Literal::Bytes(bytes.to_vec()),
        Const::Tuple(items) => Literal::Tuple(many(items)?),
        Const::FrozenSet(items) => Literal::FrozenSet(many(items)?),
        Const::Slice(parts) => {
            let [start, stop, step] = parts.as_ref();
            Literal::Slice(Box::new([convert(start, left)?, convert(stop, left)?, convert(step, left)?]))
        }
        Const::Code(_) | Const::Opaque(_) => return None,
    })
}

/// Why no expression gives a constant, if none does.
pub(super) fn fault(value: &Const) -> Option<&'static str> {
    match value {
        value if !is_shallow(value, DEEPEST_CONSTANT) => {
            Some("a constant is nested deeper than a display may be")
        }
        value => holds_odd_nan(value).then_some("no expression gives this NaN"),
    }
}

/// So deep may a constant be nested: the parser of 3.8 takes no hundred brackets one in another.
const DEEPEST_CONSTANT: u32 = 85;

/// Whether a constant is nested at most so deep.
fn is_shallow(value: &Const, depth: u32) -> bool {
    let inner = |items: &[Const]| {
        depth.checked_sub(1).is_some_and(|depth| items.iter().all(|item| is_shallow(item, depth)))
    };
    match value {
        Const::Tuple(items) | Const::FrozenSet(items) => inner(items),
        Const::Slice(items) => inner(&items[..]),
        _ => true,
    }
}

/// Whether a constant is or holds a NaN that no expression gives.
fn holds_odd_nan(value: &Const) -> bool {
    let odd = |number: f64| number.is_nan() && !depyf_syntax::is_plain_nan(number);
    match value {
        Const::Float(number) => odd(*number),
        Const::Complex(real, imaginary) => odd(*real) || odd(*imaginary),
        Const::Tuple(items) | Const::FrozenSet(items) => items.iter().any(holds_odd_nan),
        Const::Slice(items) => items.iter().any(holds_odd_nan),
        _ => false,
    }
}

/// A constant tuple or frozenset that holds objects without a literal: a display of their names.
pub(super) fn display(value: &Const) -> ExprKind {
    let origin = Origin::NONE;
    match value {
        Const::Tuple(items) => {
            ExprKind::Tuple(items.iter().map(|item| Expr::new(origin, display(item))).collect())
        }
        Const::FrozenSet(items) => {
            let items = items.iter().map(|item| Expr::new(origin, display(item))).collect();
            let set = Expr::new(origin, ExprKind::Set(items));
            ExprKind::call(Expr::name("frozenset"), vec![set], Vec::new())
        }
        Const::Opaque(opaque) => ExprKind::Name(opaque.name.as_str().into()),
        value => literal(value).map_or(ExprKind::Literal(Literal::Ellipsis), ExprKind::Literal),
    }
}
