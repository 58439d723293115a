//! `'%s and %r' % (a, b)`, of which the compiler makes an f-string (3.11 on, CPython `Python/ast_opt.c`,
//! `optimize_format`).
//!
//! The columns tell which of both was written: what formats a value has the place of that value here, and lies around it
//! in an f-string.

use depyf_bytecode::Function;
use depyf_syntax::ast::{BinaryOp, Expr, ExprKind, Literal, Origin, StringPart};
use depyf_value::PyStr;

use crate::flow::instruction_at;
use crate::visit::visit_origins;

/// Whether the instruction at an offset, which formats a value, has the place of that value.
pub(super) fn formats_in_place(function: &Function, offset: u32, value: &mut Expr) -> bool {
    let place = |offset: u32| {
        let found = instruction_at(function, offset)?;
        Some((found.line?, found.column?))
    };
    let Some(whole) = place(offset) else { return false };
    let mut first = None;
    visit_origins(value, &mut |origin: Origin| {
        first = [first, place(origin.0)].into_iter().flatten().min();
    });
    first == Some(whole)
}

/// `'%s' % (value,)`, if a format has this conversion and this specification.
pub(super) fn formatted(
    value: Expr,
    conversion: char,
    spec: Option<&[StringPart]>,
) -> Result<ExprKind, Expr> {
    let Some(flags) = flags(spec) else { return Err(value) };
    let text = PyStr::new(&format!("%{flags}{conversion}"));
    Ok(remainder(text, vec![value]))
}

/// One format of formats and the texts between them, if one of them is such a format: then all are, also the fields whose
/// value was loaded together with another, at the place of that one.
pub(super) fn joined(parts: &mut [Expr]) -> Option<ExprKind> {
    if !parts.iter().any(|part| operands(part).is_some()) {
        return None;
    }
    for part in &mut *parts {
        if let Some((value, conversion, spec)) = field(part) {
            match formatted(std::mem::replace(value, Expr::name("_")), conversion, spec) {
                Ok(kind) => part.kind = kind,
                Err(kept) => *value = kept,
            }
        }
    }
    let is_text = |part: &Expr| matches!(part.kind, ExprKind::Literal(Literal::Str(_)));
    if !parts.iter().all(|part| is_text(part) || operands(part).is_some()) {
        // A field that no format stands for shows that it is an f-string, whatever the places of the others are.
        parts.iter_mut().for_each(make_field);
        return None;
    }
    let (mut text, mut values) = (Vec::new(), Vec::new());
    for part in parts {
        if let Some((format, _)) = operands(part) {
            text.extend_from_slice(format.as_wtf8());
            if let ExprKind::Binary { right, .. } = &mut part.kind
                && let ExprKind::Tuple(items) = &mut right.kind
            {
                values.append(items);
            }
        } else if let ExprKind::Literal(Literal::Str(literal)) = &part.kind {
            for &byte in literal.as_wtf8() {
                text.extend((byte == b'%').then_some(byte));
                text.push(byte);
            }
        }
    }
    Some(remainder(PyStr::from_wtf8(&text)?, values))
}

/// What the only field of an f-string formats, with a conversion.
fn field(part: &mut Expr) -> Option<(&mut Expr, char, Option<&[StringPart]>)> {
    let ExprKind::Joined(parts) = &mut part.kind else { return None };
    match &mut parts[..] {
        [StringPart::Field { value, conversion: Some(letter), spec, .. }] => {
            Some((value, *letter, spec.as_deref()))
        }
        _ => None,
    }
}

/// Turns what [`formatted`] made into the field that it was.
fn make_field(part: &mut Expr) {
    let Some(found) = operands(part).and_then(|(format, _)| conversion(format)) else { return };
    let ExprKind::Binary { right, .. } = &mut part.kind else { return };
    if let ExprKind::Tuple(items) = &mut right.kind
        && let Some(value) = items.pop()
    {
        let (letter, spec) = found;
        let spec = spec.map(|text| vec![StringPart::Literal(text)]);
        let field = StringPart::Field { value: Box::new(value), conversion: Some(letter), spec, text: None };
        part.kind = ExprKind::Joined(vec![field]);
    }
}

fn remainder(format: PyStr, values: Vec<Expr>) -> ExprKind {
    let left = Expr::new(Origin::NONE, ExprKind::Literal(Literal::Str(format)));
    let right = Expr::new(Origin::NONE, ExprKind::Tuple(values));
    ExprKind::Binary { op: BinaryOp::Remainder, left: Box::new(left), right: Box::new(right) }
}

/// The format and the values of what [`formatted`] made.
fn operands(expr: &Expr) -> Option<(&PyStr, &[Expr])> {
    let ExprKind::Binary { op: BinaryOp::Remainder, left, right } = &expr.kind else { return None };
    match (&left.kind, &right.kind) {
        (ExprKind::Literal(Literal::Str(format)), ExprKind::Tuple(values)) => Some((format, values)),
        _ => None,
    }
}

/// The letter of a format, and the specification that [`flags`] gives it for.
fn conversion(format: &PyStr) -> Option<(char, Option<PyStr>)> {
    let mut flags = format.as_str()?.strip_prefix('%')?.chars();
    let letter = flags.next_back()?;
    let flags = flags.as_str();
    let spec = match flags.strip_prefix('-') {
        Some(left) => left.to_owned(),
        None if flags.starts_with('.') || flags.is_empty() => flags.to_owned(),
        None => [">", flags].concat(),
    };
    Some((letter, (!spec.is_empty()).then(|| PyStr::new(&spec))))
}

/// What stands between `%` and the letter for a specification: `5` for `>5`, `-5` for `5`, `.3` for `.3`.
fn flags(spec: Option<&[StringPart]>) -> Option<String> {
    let text = match spec {
        None => return Some(String::new()),
        Some([StringPart::Literal(text)]) => text.as_str()?,
        Some(_) => return None,
    };
    let (side, size) = text.strip_prefix('>').map_or(("-", text), |size| ("", size));
    let (width, precision) = size.split_once('.').map_or((size, None), |(width, rest)| (width, Some(rest)));
    let is_number = |text: &str, most: usize| {
        text.len() <= most
            && text.bytes().all(|byte| byte.is_ascii_digit())
            && (text == "0" || !text.starts_with('0'))
    };
    let is_right = match width {
        "" => size.len() == text.len() && precision.is_some(),
        width => width != "0" && is_number(width, 2),
    };
    let is_precise = precision.is_none_or(|digits| !digits.is_empty() && is_number(digits, 2));
    let side = if width.is_empty() { "" } else { side };
    (is_right && is_precise).then(|| format!("{side}{size}"))
}

#[cfg(test)]
mod tests {
    use depyf_syntax::ast::StringPart;
    use depyf_value::PyStr;

    use super::{conversion, flags};

    #[test]
    fn a_format_gives_the_specification_that_it_was_made_of() {
        for spec in ["", ">5", "5", ".3", ">5.3", "12.34"] {
            let text = (!spec.is_empty()).then(|| PyStr::new(spec));
            let parts = text.clone().map(|text| [StringPart::Literal(text)]);
            let flags = flags(parts.as_ref().map(|parts| &parts[..])).expect(spec);
            assert_eq!(conversion(&PyStr::new(&format!("%{flags}r"))), Some(('r', text)), "{spec}");
        }
    }
}
