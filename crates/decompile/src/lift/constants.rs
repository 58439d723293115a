//! Constants of the code object as literals of the source.

use depyf_bytecode::Const;
use depyf_syntax::ast::Literal;

/// Nested constants are expanded to this many items; a deeply shared one would have no end.
const MOST_ITEMS: usize = 1 << 20;

/// The literal, or `None` where the constant holds an object without one.
pub(crate) fn literal(value: &Const) -> Option<Literal> {
    let mut left = MOST_ITEMS;
    convert(value, &mut left)
}

fn convert(value: &Const, left: &mut usize) -> Option<Literal> {
    *left = left.checked_sub(1)?;
    let mut many = |items: &[Const]| items.iter().map(|item| convert(item, left)).collect::<Option<Vec<_>>>();
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
