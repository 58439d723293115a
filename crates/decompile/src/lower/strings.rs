//! f-strings, t-strings, and `%` where the compiler makes an f-string of it.

use depyf_bytecode::{CompilerFeatures, Const, Conversion, Op};
use depyf_syntax::ast::{BinaryOp, Expr, ExprKind, Literal, StringPart};
use depyf_value::PyStr;

use super::expressions::constant;
use super::generator::{Done, Generator};

fn conversion(letter: Option<char>) -> Conversion {
    match letter {
        Some('s') => Conversion::Str,
        Some('r') => Conversion::Repr,
        Some('a') => Conversion::Ascii,
        _ => Conversion::None,
    }
}

impl<'a> Generator<'a> {
    pub(super) fn joined(&mut self, parts: &'a [StringPart]) -> Done {
        if parts.is_empty() && self.compiler().folds_empty_strings {
            self.string(&PyStr::new(""));
            return Ok(());
        }
        self.deeper()?;
        for part in parts {
            match part {
                StringPart::Literal(text) => self.string(text),
                StringPart::Field { value, conversion, spec, .. } => {
                    self.field(value, *conversion, spec.as_deref())?;
                }
            }
        }
        if parts.len() != 1 {
            self.emit(Op::BuildString(parts.len() as u32));
        }
        self.shallower();
        Ok(())
    }

    fn field(&mut self, value: &'a Expr, letter: Option<char>, spec: Option<&'a [StringPart]>) -> Done {
        self.expr(value)?;
        let mut conversion = conversion(letter);
        if self.compiler().converts_first && conversion != Conversion::None {
            self.emit(Op::Convert(conversion));
            conversion = Conversion::None;
        }
        if let Some(spec) = spec {
            self.joined(spec)?;
        }
        self.emit(Op::Format { conversion, spec: spec.is_some() });
        Ok(())
    }

    /// The strings of a template are those before, between and behind its fields.
    pub(super) fn template(&mut self, parts: &'a [StringPart]) -> Done {
        let mut text: Vec<u8> = Vec::new();
        let mut strings = Vec::new();
        let mut fields = 0;
        let string = |text: &mut Vec<u8>| {
            Const::Str(PyStr::from_wtf8(&std::mem::take(text)).unwrap_or_else(|| PyStr::new("")))
        };
        for part in parts {
            match part {
                StringPart::Literal(more) => text.extend_from_slice(more.as_wtf8()),
                StringPart::Field { .. } => strings.push(string(&mut text)),
            }
        }
        strings.push(string(&mut text));
        self.constant(Const::Tuple(strings.into()));
        for part in parts {
            let StringPart::Field { value, conversion: letter, spec, text } = part else { continue };
            self.expr(value)?;
            let shown = |text: &&PyStr| !self.options.is_unprinted || depyf_syntax::shows_text(value, text);
            self.string(text.as_ref().filter(shown).unwrap_or(&PyStr::new("")));
            if let Some(spec) = spec {
                self.joined(spec)?;
            }
            self.emit(Op::BuildInterpolation { conversion: conversion(*letter), spec: spec.is_some() });
            fields += 1;
        }
        self.emit_all([Op::BuildTuple(fields), Op::BuildTemplate]);
        Ok(())
    }

    /// `"%s and %r" % (a, b)` where the compiler makes an f-string of it; says whether it did.
    pub(super) fn percent_format(&mut self, expr: &'a Expr) -> super::LowerResult<bool> {
        let ExprKind::Binary { op: BinaryOp::Remainder, left, right } = &expr.kind else { return Ok(false) };
        let Some((pieces, values)) = format_pieces(left, right, self.compiler()) else { return Ok(false) };
        let mut at = 0..values.len();
        for piece in &pieces {
            match piece {
                Piece::Text(text) => self.string(text),
                Piece::Field { letter, spec } => {
                    let Some(at) = at.next() else { continue };
                    match values {
                        Values::Display(values) => self.expr(&values[at])?,
                        Values::Constant(values) => self.constant(constant(&values[at])),
                    }
                    let mut conversion = conversion(Some(*letter));
                    if self.compiler().converts_first {
                        self.emit(Op::Convert(conversion));
                        conversion = Conversion::None;
                    }
                    if let Some(spec) = spec {
                        self.string(spec);
                    }
                    self.emit(Op::Format { conversion, spec: spec.is_some() });
                }
            }
        }
        match pieces.len() {
            0 => self.string(&PyStr::new("")),
            1 => {}
            count => self.emit(Op::BuildString(count as u32)),
        }
        Ok(true)
    }
}

/// Whether the compiler makes an f-string of `left % right`.
pub(crate) fn is_formatting(left: &Expr, right: &Expr, compiler: &CompilerFeatures) -> bool {
    format_pieces(left, right, compiler).is_some()
}

/// The parts of the f-string that the compiler makes of `left % right`, if it does (CPython `Python/ast_opt.c`),
/// and the values of its fields.
fn format_pieces<'a>(
    left: &Expr,
    right: &'a Expr,
    compiler: &CompilerFeatures,
) -> Option<(Vec<Piece>, Values<'a>)> {
    let (values, is_folded, starred) = match &right.kind {
        ExprKind::Tuple(values) => {
            let starred = values.iter().any(|value| matches!(value.kind, ExprKind::Starred(_)));
            (Values::Display(values), values.iter().all(is_constant), starred)
        }
        ExprKind::Literal(Literal::Tuple(values)) => (Values::Constant(values), true, false),
        _ => return None,
    };
    let folds = compiler.folds_on_tree;
    // What is folded to a constant tuple is no tuple display any more.
    if !compiler.percent_is_formatting || folds && is_folded {
        return None;
    }
    let pieces = percent_pieces(&constant_text(left, folds)?)?;
    let fields = pieces.iter().filter(|piece| matches!(piece, Piece::Field { .. })).count();
    (!starred && fields == values.len()).then_some((pieces, values))
}

/// The values of the fields of a format: those of a tuple display, or of a constant tuple, which prints like one.
#[derive(Clone, Copy)]
enum Values<'a> {
    Display(&'a [Expr]),
    Constant(&'a [Literal]),
}

impl Values<'_> {
    fn len(&self) -> usize {
        match self {
            Self::Display(values) => values.len(),
            Self::Constant(values) => values.len(),
        }
    }
}

/// Whether the compiler may fold an expression to a constant.
pub(crate) fn is_constant(expr: &Expr) -> bool {
    let mut next = expr;
    // Long chains lean to the left.
    while let ExprKind::Binary { left, right, .. } = &next.kind {
        if !is_constant(right) {
            return false;
        }
        next = left;
    }
    match &next.kind {
        ExprKind::Literal(_) => true,
        ExprKind::Unary { operand, .. } => is_constant(operand),
        ExprKind::Tuple(items) => items.iter().all(is_constant),
        _ => false,
    }
}

/// The text of a string literal, or, if `folds`, of a sum of such, each of them repeated or not.
fn constant_text(expr: &Expr, folds: bool) -> Option<PyStr> {
    if let ExprKind::Literal(Literal::Str(text)) = &expr.kind {
        return Some(text.clone());
    }
    let mut parts = Vec::new();
    let mut next = expr;
    while let ExprKind::Binary { op: BinaryOp::Add, left, right } = &next.kind {
        parts.push(repeated_text(right)?);
        next = left;
    }
    parts.push(repeated_text(next)?);
    parts.reverse();
    PyStr::from_wtf8(&parts.concat()).filter(|_| folds)
}

/// The text of a string literal, repeated or not, up to what compilers compute (`MAX_STR_SIZE` of CPython
/// `Python/ast_opt.c`).
fn repeated_text(expr: &Expr) -> Option<Vec<u8>> {
    const LONGEST: usize = 4096;
    match &expr.kind {
        ExprKind::Literal(Literal::Str(text)) => Some(text.as_wtf8().to_vec()),
        ExprKind::Binary { op: BinaryOp::Multiply, left, right } => {
            let (text, count) = match (&left.kind, &right.kind) {
                (ExprKind::Literal(Literal::Str(text)), ExprKind::Literal(Literal::Int(count)))
                | (ExprKind::Literal(Literal::Int(count)), ExprKind::Literal(Literal::Str(text))) => {
                    (text, count)
                }
                _ => return None,
            };
            let count = usize::try_from(count.to_i64()?.max(0)).ok()?;
            let fits = text.code_points().count().checked_mul(count).is_some_and(|length| length <= LONGEST);
            fits.then(|| text.as_wtf8().repeat(count))
        }
        _ => None,
    }
}

/// A part of a `%` format.
enum Piece {
    Text(PyStr),
    Field { letter: char, spec: Option<PyStr> },
}

/// The parts of a format that has only `%s`, `%r`, `%a` and `%%`, with an optional `-`, width and precision.
fn percent_pieces(format: &PyStr) -> Option<Vec<Piece>> {
    let bytes = format.as_wtf8();
    let mut pieces = Vec::new();
    let mut text = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] != b'%' {
            text.push(bytes[at]);
            at += 1;
            continue;
        }
        at += 1;
        if bytes.get(at) == Some(&b'%') {
            text.push(b'%');
            at += 1;
            continue;
        }
        let mut left = false;
        // The others do nothing to a string.
        while let Some(flag) = bytes.get(at).filter(|flag| b"-+ #0".contains(flag)) {
            left |= *flag == b'-';
            at += 1;
        }
        let digits = |at: &mut usize| {
            let start = *at;
            while bytes.get(*at).is_some_and(u8::is_ascii_digit) {
                *at += 1;
            }
            String::from_utf8_lossy(&bytes[start..*at]).into_owned()
        };
        let number = |digits: &str| digits.parse::<u32>().unwrap_or(0).to_string();
        let width = digits(&mut at);
        let mut spec = String::new();
        if !width.is_empty() && number(&width) != "0" {
            if !left {
                spec.push('>');
            }
            spec.push_str(&number(&width));
        }
        // A width of three digits is one too many (`MAXDIGITS`), as of a precision.
        if width.len() > 2 {
            return None;
        }
        if bytes.get(at) == Some(&b'.') {
            at += 1;
            let precision = digits(&mut at);
            if precision.len() > 2 {
                return None;
            }
            spec.push('.');
            spec.push_str(&number(&precision));
        }
        let letter = char::from(*bytes.get(at)?);
        if !matches!(letter, 's' | 'r' | 'a') {
            return None;
        }
        at += 1;
        if !text.is_empty() {
            pieces.push(Piece::Text(PyStr::from_wtf8(&std::mem::take(&mut text))?));
        }
        let spec = (!spec.is_empty()).then(|| PyStr::new(&spec));
        pieces.push(Piece::Field { letter, spec });
    }
    if !text.is_empty() {
        pieces.push(Piece::Text(PyStr::from_wtf8(&text)?));
    }
    Some(pieces)
}
