//! f-strings and t-strings.

use depyf_bytecode::{CompilerFeatures, Conversion};
use depyf_syntax::ast::{BinaryOp, Expr, ExprKind, Literal, StringPart};

use crate::lower;

use super::{LiftResult, Lifter, Special, Value, percent};

impl Lifter<'_> {
    /// `s_1 .. s_n -> str`
    pub(super) fn join(&mut self, count: usize) -> LiftResult<()> {
        self.combine(count, false, |parts| {
            let mut parts = parts.collect::<Vec<Expr>>();
            percent::joined(&mut parts).or_else(|| Some(ExprKind::Joined(join(parts))))
        })
    }

    /// `x y -> x % y`. Where the compiler would make an f-string of that, `x` was none that it looks into: an
    /// f-string without fields.
    pub(super) fn remainder(&mut self) -> LiftResult<()> {
        let compiler = CompilerFeatures::of(self.context.code.version);
        self.combine(2, true, |mut operands| {
            let (mut left, right) = (operands.next()?, operands.next()?);
            if let (Some(compiler), ExprKind::Literal(Literal::Str(text))) = (compiler, &left.kind)
                && lower::is_formatting(&left, &right, &compiler)
            {
                left.kind = ExprKind::Joined(vec![StringPart::Literal(text.clone())]);
            }
            let (left, right) = (Box::new(left), Box::new(right));
            Some(ExprKind::Binary { op: BinaryOp::Remainder, left, right })
        })
    }

    /// `value -> str`: FORMAT_SIMPLE or FORMAT_WITH_SPEC follows, in 3.13 and later.
    pub(super) fn convert_value(&mut self, conversion: Conversion) -> LiftResult<()> {
        let conversion = conversion_char(conversion);
        self.combine(1, true, |mut operands| {
            let value = Box::new(operands.next()?);
            Some(ExprKind::Joined(vec![StringPart::Field { value, conversion, spec: None, text: None }]))
        })?;
        if let Some(Value::Pending(id)) = self.stack.last() {
            self.pending[*id].special = Special::Converted;
        }
        Ok(())
    }

    /// `value [spec] -> str`
    pub(super) fn format(&mut self, conversion: Conversion, spec: bool) -> LiftResult<()> {
        let conversion = conversion_char(conversion);
        let (context, offset) = (self.context, self.offset);
        let count = 1 + usize::from(spec);
        let is_converted = match self.stack.len().checked_sub(count).map(|at| self.stack[at]) {
            Some(Value::Pending(id)) => matches!(self.pending[id].special, Special::Converted),
            _ => false,
        };
        self.combine(count, true, |mut operands| {
            let mut value = operands.next()?;
            let mut conversion = conversion;
            // CONVERT_VALUE came before: its conversion belongs to this field.
            if let ExprKind::Joined(parts) = &mut value.kind
                && let [StringPart::Field { value: inner, conversion: Some(before), spec: None, .. }] =
                    &mut parts[..]
                && is_converted
            {
                conversion = Some(*before);
                let inner = std::mem::replace(inner.as_mut(), Expr::name("_"));
                value = inner;
            }
            let spec = operands.next().map(|spec| join(vec![spec]));
            if let Some(letter) = conversion
                && CompilerFeatures::of(context.code.version).is_some_and(|by| by.percent_is_formatting)
                && !lower::is_constant(&value)
                && percent::formats_in_place(context.function, offset, &mut value)
            {
                match percent::formatted(value, letter, spec.as_deref()) {
                    Ok(kind) => return Some(kind),
                    Err(kept) => value = kept,
                }
            }
            let value = Box::new(value);
            Some(ExprKind::Joined(vec![StringPart::Field { value, conversion, spec, text: None }]))
        })
    }

    /// `value text [spec] -> interpolation`: a field of the t-string that BUILD_TEMPLATE is going to make.
    pub(super) fn interpolation(&mut self, conversion: Conversion, spec: bool) -> LiftResult<()> {
        let conversion = conversion_char(conversion);
        self.combine(2 + usize::from(spec), false, |mut operands| {
            let value = Box::new(operands.next()?);
            let ExprKind::Literal(Literal::Str(text)) = operands.next()?.kind else { return None };
            let spec = operands.next().map(|spec| join(vec![spec]));
            Some(ExprKind::Template(vec![StringPart::Field { value, conversion, spec, text: Some(text) }]))
        })?;
        if let Some(Value::Pending(id)) = self.stack.last() {
            self.pending[*id].special = Special::Interpolation;
        }
        Ok(())
    }

    /// `strings interpolations -> template`: there is one string more than interpolations.
    pub(super) fn template(&mut self) -> LiftResult<()> {
        if let Some(Value::Fresh(id)) = self.stack.last() {
            for &item in &self.fresh[*id].items {
                if let Value::Pending(item) = item
                    && matches!(self.pending[item].special, Special::Interpolation)
                {
                    self.pending[item].special = Special::None;
                }
            }
        }
        self.combine(2, false, |mut operands| {
            let (strings, fields) = (operands.next()?, operands.next()?);
            let ExprKind::Literal(Literal::Tuple(strings)) = strings.kind else { return None };
            let mut fields = match fields.kind {
                ExprKind::Tuple(fields) => fields.into_iter(),
                ExprKind::Literal(Literal::Tuple(none)) if none.is_empty() => Vec::new().into_iter(),
                _ => return None,
            };
            let mut parts = Vec::new();
            for (at, string) in strings.into_iter().enumerate() {
                if at > 0 {
                    let ExprKind::Template(field) = fields.next()?.kind else { return None };
                    parts.extend(field);
                }
                match string {
                    Literal::Str(text) if text.is_empty() => {}
                    Literal::Str(text) => parts.push(StringPart::Literal(text)),
                    _ => return None,
                }
            }
            fields.next().is_none().then_some(ExprKind::Template(parts))
        })
    }
}

/// Parts of an f-string from the values that BUILD_STRING joins.
fn join(values: Vec<Expr>) -> Vec<StringPart> {
    let mut parts = Vec::with_capacity(values.len());
    for value in values {
        match value.kind {
            ExprKind::Joined(inner) => parts.extend(inner),
            ExprKind::Literal(Literal::Str(text)) => parts.push(StringPart::Literal(text)),
            kind => parts.push(StringPart::Field {
                value: Box::new(Expr::new(value.origin, kind)),
                conversion: None,
                spec: None,
                text: None,
            }),
        }
    }
    parts
}

fn conversion_char(conversion: Conversion) -> Option<char> {
    match conversion {
        Conversion::None => None,
        Conversion::Str => Some('s'),
        Conversion::Repr => Some('r'),
        Conversion::Ascii => Some('a'),
    }
}
