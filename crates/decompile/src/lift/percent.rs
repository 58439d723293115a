//! `'%s and %r' % (a, b)`, of which the compiler makes an f-string (3.11 on, CPython `Python/ast_opt.c`,
//! `optimize_format`).
//!
//! The columns tell which of both was written: what formats a value has the place of that value here, and lies around it
//! in an f-string.

use depyf_bytecode::Function;
use depyf_syntax::ast::{BinaryOp, Expr, ExprKind, Literal, Origin, StringPart};
use depyf_value::PyStr;

use crate::flow::instruction_at;
use crate::refine::visit_origins;

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
