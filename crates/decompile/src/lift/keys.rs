//! Keys of subscripts: slices keep the colon there, and have another spelling everywhere else.

use depyf_bytecode::CompilerFeatures;
use depyf_syntax::ast::{CompareOp, Expr, ExprKind, Literal, Origin, Param, Params, UnaryOp};
use smallvec::SmallVec;

use super::value::FreshId;
use super::{Effects, Fresh, FreshKind, LiftResult, Lifter, Value};

/// The operands of a subscript, and what is stored there.
pub(super) type Few<T> = SmallVec<[T; 3]>;

impl Lifter<'_> {
    /// As [`Lifter::take`] for an object and its key: slices in the key keep the colon.
    pub(super) fn take_for_index(&mut self, values: &[Value]) -> LiftResult<(Few<Expr>, Effects)> {
        if let Some((&Value::Fresh(key), others)) = values.split_last() {
            self.name_parts_of_shared_key(key, others)?;
        }
        self.put_in_place(values)?;
        let mut effects = Effects::NONE;
        let mut exprs = Few::new();
        for &value in values {
            exprs.push(self.convert(value, &mut effects)?);
        }
        if let Some(key) = exprs.pop() {
            exprs.iter_mut().for_each(spell_in_place);
            exprs.push(index_of(key));
        }
        Ok((exprs, effects))
    }

    /// From 3.14 on a slice of constants is a constant. Where it was built all the same, a bound was no constant of the
    /// source, but folded later: `+3` is the shortest.
    pub(super) fn keep_operations(&mut self, bounds: &[Value]) {
        if self.context.packs_values || !self.folds_late() {
            return;
        }
        let mut last = None;
        for &bound in bounds {
            match bound {
                Value::Atom(id) if self.atoms[id].as_ref().is_some_and(is_constant_of_source) => {
                    if self.literal_of(bound) != Some(&Literal::None) {
                        last = Some(id);
                    }
                }
                _ => return,
            }
        }
        if let Some(id) = last
            && let Some(mut bound) = self.atoms[id].take()
        {
            self.spell_operation(&mut bound);
            self.atoms[id] = Some(bound);
        }
    }

    /// The same of numbers and truth values in a test: that of one that was written is none for the compiler.
    pub(super) fn keep_tested_operations(&self, test: &mut Expr) {
        if self.context.packs_values || !self.folds_late() {
            return;
        }
        let mut work = vec![test];
        while let Some(test) = work.pop() {
            if is_number(test) {
                as_operation(test);
                continue;
            }
            match &mut test.kind {
                kind @ ExprKind::Literal(Literal::Bool(_)) => {
                    let other =
                        ExprKind::Literal(Literal::Bool(*kind == ExprKind::Literal(Literal::Bool(false))));
                    let operand = Box::new(Expr::new(test.origin, other));
                    *kind = ExprKind::Unary { op: UnaryOp::Not, operand };
                }
                ExprKind::IfExp { body, orelse, .. } => work.extend([&mut **body, &mut **orelse]),
                ExprKind::Bool { values, .. } => work.extend(values),
                _ => {}
            }
        }
    }

    fn folds_late(&self) -> bool {
        let compiler = CompilerFeatures::of(self.context.code.version);
        compiler.is_some_and(|compiler| !compiler.folds_on_tree)
    }

    /// Whether the value is one without effect, which may be read again.
    pub(super) fn is_atom(&self, value: Value) -> bool {
        let value = self.resolve(value);
        value.is_atom() || matches!(value, Value::Local(..))
    }

    /// Whether the value may stand in a place that is read and then stored to: a name, or a key of such.
    pub(super) fn may_be_read_again(&self, value: Value) -> bool {
        match self.resolve(value) {
            Value::Fresh(id) => self.is_constant_tuple(id),
            value => self.is_atom(value),
        }
    }

    /// A key that holds a slice and is used again, as that of `x[f():] += y`: its parts are named, not the slice,
    /// which only has a spelling in the brackets. What they are the key of came before them.
    fn name_parts_of_shared_key(&mut self, id: FreshId, others: &[Value]) -> LiftResult<()> {
        if self.fresh[id].references < 2 {
            return Ok(());
        }
        let is_slice = |fresh: &Fresh| fresh.kind == FreshKind::Slice && fresh.named.is_none();
        let inner = |item: &Value| match item {
            Value::Fresh(inner) if is_slice(&self.fresh[*inner]) => Some(*inner),
            _ => None,
        };
        let is_constant_slice = |&item: &Value| matches!(self.literal_of(item), Some(Literal::Slice(_)));
        let fresh = &self.fresh[id];
        let holds = is_slice(fresh)
            || fresh.kind == FreshKind::Tuple
                && fresh.named.is_none()
                && fresh.items.iter().any(|item| inner(item).is_some() || is_constant_slice(item));
        if !holds {
            return Ok(());
        }
        let parts: Vec<Value> = fresh
            .items
            .iter()
            .flat_map(|item| match inner(item) {
                Some(inner) => self.fresh[inner].items.clone(),
                None => vec![*item],
            })
            .collect();
        for other in others {
            if let Value::Pending(other) = *other
                && self.pending[other].references > 1
            {
                self.name_until(other)?;
            }
        }
        for part in parts {
            match part {
                Value::Pending(part) => self.name_until(part)?,
                Value::Fresh(part) if self.fresh[part].named.is_none() => self.name_fresh(part)?,
                _ => {}
            }
        }
        Ok(())
    }
}

/// Whether source spells an expression as one constant, without an operator or a display.
pub(super) fn is_constant_of_source(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Literal(Literal::Int(value)) => !value.is_negative(),
        ExprKind::Literal(Literal::Float(value)) => value.is_sign_positive() && !value.is_nan(),
        ExprKind::Literal(Literal::Complex { real, imag }) => {
            real.to_bits() == 0 && imag.is_sign_positive() && !imag.is_nan()
        }
        ExprKind::Literal(Literal::Tuple(_) | Literal::FrozenSet(_) | Literal::Slice(_)) => false,
        ExprKind::Literal(_) => true,
        _ => false,
    }
}

/// Whether an expression is an integer that source spells without an operator.
fn is_number(expr: &Expr) -> bool {
    matches!(&expr.kind, ExprKind::Literal(Literal::Int(value)) if !value.is_negative())
}

/// Writes a number with an operator that does not change it.
pub(super) fn as_operation(number: &mut Expr) {
    let operand = Box::new(number.clone());
    number.kind = ExprKind::Unary { op: UnaryOp::Positive, operand };
}

/// `a:b` or `a:b:c`. A step of None was written if an operation takes it (`keeps_step`); bounds need not be.
pub(super) fn slice_of(mut parts: impl Iterator<Item = Expr>, keeps_step: bool) -> ExprKind {
    let is_none = |part: &Expr| matches!(part.kind, ExprKind::Literal(Literal::None));
    let mut bound = |keeps: bool| parts.next().filter(|part| keeps || !is_none(part)).map(Box::new);
    ExprKind::Slice { lower: bound(false), upper: bound(false), step: bound(keeps_step) }
}

/// An expression in the place of a subscript's key.
fn index_of(expr: Expr) -> Expr {
    let kind = match expr.kind {
        ExprKind::Literal(Literal::Slice(parts)) => slice_of(literals(parts.to_vec(), expr.origin), false),
        ExprKind::Literal(Literal::Tuple(items))
            if items.iter().any(|item| matches!(item, Literal::Slice(_))) =>
        {
            ExprKind::Tuple(literals(items, expr.origin).map(index_of).collect())
        }
        ExprKind::Tuple(items) => ExprKind::Tuple(
            items
                .into_iter()
                .map(|item| match item.kind {
                    ExprKind::Tuple(_) => spell_bare(item),
                    _ => index_of(item),
                })
                .collect(),
        ),
        kind => kind,
    };
    Expr::new(expr.origin, kind)
}

fn literals(items: Vec<Literal>, origin: Origin) -> impl Iterator<Item = Expr> {
    items.into_iter().map(move |item| Expr::new(origin, ExprKind::Literal(item)))
}

/// Slices and frozensets anywhere but in the places that have a syntax for them.
///
/// Both are spelled without a name that the user's module may have given another meaning:
/// `().__class__[a:b].__args__[0]` (`tuple[x]` keeps `x` among its arguments) and
/// `(lambda x: x in {1, 2}).__code__.co_consts[-1]` (the compiler folds the set).
pub(super) fn spell_bare(mut expr: Expr) -> Expr {
    spell_in_place(&mut expr);
    expr
}

/// The same where the expression stands.
#[inline(always)]
pub(super) fn spell_in_place(expr: &mut Expr) {
    // Most are something else.
    if let ExprKind::Slice { .. }
    | ExprKind::Literal(Literal::Tuple(_) | Literal::FrozenSet(_) | Literal::Slice(_))
    | ExprKind::Tuple(_) = expr.kind
    {
        spell_display(expr);
    }
}

#[cold]
fn spell_display(expr: &mut Expr) {
    if !is_spelled(expr) {
        let bare = std::mem::replace(expr, Expr::new(Origin::NONE, ExprKind::Temp(0)));
        *expr = spelled(bare);
    }
}

/// Whether the expression is nothing that only stands in a subscript, and no constant without a display.
fn is_spelled(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Slice { .. } => false,
        ExprKind::Literal(literal) => !has_no_display(literal),
        ExprKind::Tuple(items) => items.iter().all(is_spelled),
        _ => true,
    }
}

fn spelled(expr: Expr) -> Expr {
    let origin = expr.origin;
    let node = |kind: ExprKind| Box::new(Expr::new(origin, kind));
    let attribute = |value, attr: &str| ExprKind::Attribute { value, attr: attr.into() };
    let item = |value, at: i64| ExprKind::Subscript {
        value,
        index: node(ExprKind::Literal(Literal::Int(at.into()))),
    };
    let kind = match expr.kind {
        kind @ ExprKind::Slice { .. } => {
            let tuple = attribute(node(ExprKind::Tuple(Vec::new())), "__class__");
            let alias = ExprKind::Subscript { value: node(tuple), index: node(kind) };
            item(node(attribute(node(alias), "__args__")), 0)
        }
        ExprKind::Literal(literal) if has_no_display(&literal) => match literal {
            Literal::Slice(parts) => {
                return spell_bare(Expr::new(origin, slice_of(literals(parts.to_vec(), origin), false)));
            }
            Literal::FrozenSet(items) if !items.is_empty() => {
                let set = Expr::new(origin, ExprKind::Literal(Literal::FrozenSet(items)));
                let param = Param { name: "x".into(), annotation: None, default: None };
                let params = Box::new(Params { regular: vec![param], ..Params::default() });
                let left = Box::new(Expr::name("x"));
                let body = node(ExprKind::Compare { left, rest: vec![(CompareOp::In, set)] });
                let code = attribute(node(ExprKind::Lambda { params, body }), "__code__");
                item(node(attribute(node(code), "co_consts")), -1)
            }
            Literal::Tuple(items) => ExprKind::Tuple(literals(items, origin).map(spell_bare).collect()),
            literal => ExprKind::Literal(literal),
        },
        ExprKind::Tuple(items) => ExprKind::Tuple(items.into_iter().map(spell_bare).collect()),
        kind => kind,
    };
    Expr::new(origin, kind)
}

/// Whether the literal is, or holds, a constant that no display makes.
fn has_no_display(literal: &Literal) -> bool {
    match literal {
        Literal::Slice(_) => true,
        Literal::FrozenSet(items) => !items.is_empty(),
        Literal::Tuple(items) => items.iter().any(has_no_display),
        _ => false,
    }
}
