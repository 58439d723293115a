//! Stores, deletions, unpacking, and values that are dropped.

use depyf_bytecode::{CodeObject, Const, NameId, Op, VarId, flags};
use depyf_syntax::ast::{Expr, ExprKind, Literal, Origin, StmtKind};

use smallvec::smallvec;

use depyf_value::PyStr;

use crate::flow::{Step, StepKind};

use super::keys::Few;
use super::naming::temporary;
use super::value::Inplace;
use super::{Effects, FreshKind, LiftResult, Lifter, PendingId, Special, Value};

impl Lifter<'_> {
    /// Counts one more holder of the value.
    pub(super) fn refer(&mut self, value: &Value) {
        match *value {
            Value::Pending(id) => self.pending[id].references += 1,
            Value::Fresh(id) => self.fresh[id].references += 1,
            _ => {}
        }
    }

    /// Counts one holder less. A value that nobody holds any more is still evaluated: it stays live and
    /// prints as a statement of its own, in its place.
    pub(super) fn release(&mut self, value: &Value) {
        match *value {
            Value::Pending(id) => self.pending[id].references = self.pending[id].references.saturating_sub(1),
            Value::Fresh(id) => {
                self.fresh[id].references = self.fresh[id].references.saturating_sub(1);
                if self.fresh[id].references == 0 && self.fresh[id].named.is_none() {
                    for item in std::mem::take(&mut self.fresh[id].items) {
                        self.release(&item);
                    }
                }
            }
            _ => {}
        }
    }

    /// Drops the top of the stack, which is known to have no effect worth a statement.
    pub(super) fn discard_quietly(&mut self) -> LiftResult<()> {
        let value = self.pop()?;
        self.release(&value);
        if let Value::Pending(id) = value
            && self.pending[id].references == 0
        {
            self.forget(id);
        }
        Ok(())
    }

    /// Stores the top of the stack into a local.
    pub(super) fn store_variable(&mut self, local: VarId) -> LiftResult<()> {
        let name = self.context.variable(local);
        let value = self.pop()?;
        if self.stores_type_params(local, &value) {
            return Ok(());
        }
        if matches!(
            value,
            Value::Saved
                | Value::Exception(super::ExceptionPart::Internal | super::ExceptionPart::Previous(_))
        ) {
            return Ok(());
        }
        let target = self.expr(ExprKind::Name(name));
        let effects = Effects::storing(local);
        let shared = match value {
            Value::Pending(id) => self.pending[id].references > 1,
            Value::Fresh(id) => self.fresh[id].references > 1,
            _ => false,
        };
        if !shared {
            return self.store(target, value, effects, Some(local));
        }
        // The stack holds the value too: from now on the local stands for it there.
        if self.expression_only {
            return self.named_expression(Some(local), target, value);
        }
        self.name_local(local)?;
        match value {
            Value::Pending(id) => self.pending[id].references = 1,
            Value::Fresh(id) => self.fresh[id].references = 1,
            _ => {}
        }
        self.store(target, value, effects, None)?;
        self.replace(value, Value::Local(local, self.offset));
        Ok(())
    }

    /// `(name := value)`: the value stays on the stack.
    fn named_expression(&mut self, local: Option<VarId>, target: Expr, value: Value) -> LiftResult<()> {
        let Value::Pending(id) = value else {
            return self.error("a container is stored inside an expression");
        };
        if self.pending[id].references != 2 {
            return self.error("a value is stored inside an expression and used twice");
        }
        self.pending[id].references = 1;
        let (expr, mut effects) = self.take_one(value)?;
        match local {
            Some(local) => {
                self.name_local(local)?;
                effects.stores.push(local);
            }
            None => effects.acts = true,
        }
        let ExprKind::Name(name) = target.kind else { return self.error("a target is no name") };
        let kind = ExprKind::Named { target: name, value: Box::new(expr) };
        let expr = self.expr(kind);
        let named = self.defer(expr, effects, Special::None);
        self.replace(Value::Pending(id), named);
        Ok(())
    }

    /// Prints `target = value`, or the statement that the value stands for.
    pub(super) fn store(
        &mut self,
        target: Expr,
        value: Value,
        mut effects: Effects,
        local: Option<VarId>,
    ) -> LiftResult<()> {
        if let Value::Pending(id) = value
            && self.is_live(id)
            && let Some(kind) = self.defining_statement(id, &target)
        {
            let before = self.live.iter().position(|&live| live == id).unwrap_or(0);
            if before > 0 {
                let last = self.live[before - 1];
                self.name_until(last)?;
            }
            self.forget(id);
            effects.add(&self.pending[id].effects.clone());
            if let Some(local) = local {
                self.name_local(local)?;
            }
            return self.print(kind, &effects);
        }
        let value = self.take_into(value, &mut effects)?;
        if let Some(local) = local {
            self.name_local(local)?;
        }
        self.print(StmtKind::Assign { targets: vec![target], value }, &effects)
    }

    /// `def`, `class` and `x += y` for pending values that the target fits.
    fn defining_statement(&mut self, id: PendingId, target: &Expr) -> Option<StmtKind> {
        let fits = match (&self.pending[id].special, &target.kind) {
            (Special::Function(function), ExprKind::Name(name)) => &function.name == name,
            (Special::Class(class), ExprKind::Name(name)) => &class.name == name,
            (Special::TypeAlias(alias), ExprKind::Name(name)) => &alias.name == name,
            (Special::Inplace(inplace), _) => same_target(&inplace.left, target),
            _ => false,
        };
        if !fits {
            return None;
        }
        Some(match std::mem::replace(&mut self.pending[id].special, Special::None) {
            Special::Function(function) => StmtKind::Function(function),
            Special::Class(class) => StmtKind::Class(class),
            Special::TypeAlias(alias) => {
                let super::type_params::TypeAlias { name, type_params, value } = *alias;
                StmtKind::TypeAlias { name, type_params, value }
            }
            Special::Inplace(inplace) => {
                let Inplace { op, right, .. } = *inplace;
                StmtKind::AugAssign { target: target.clone(), op, value: right }
            }
            _ => return None,
        })
    }

    /// Stores the top of the stack where anything that acts may see it: a global, a name, a cell.
    pub(super) fn store_shared(&mut self, target: Expr) -> LiftResult<()> {
        let value = self.pop()?;
        if self.expression_only {
            return self.named_expression(None, target, value);
        }
        // `x += y` and `def x` are statements already; anything else that is shared gets a name first.
        let defines = match value {
            Value::Pending(id) => {
                self.pending[id].references == 1 && self.pending[id].special.needs_statement()
            }
            _ => false,
        };
        if !defines {
            self.name_shared(&value)?;
        }
        self.store(target, value, Effects::acting(), None)
    }

    /// `value object -> ` with `object.name = value`.
    pub(super) fn store_attribute(&mut self, name: NameId) -> LiftResult<()> {
        let [value, object] = self.pop_array()?;
        let attribute = self.context.names.attribute(name);
        let names = self.context.names;
        self.store_into(&[object], value, |operands| {
            operands.into_iter().next().map(|object| names.place(object, attribute))
        })
    }

    /// `value object key ->` with `object[key] = value`; on a fresh list it is computed now.
    pub(super) fn store_subscript(&mut self) -> LiftResult<()> {
        let [value, object, key] = self.pop_array()?;
        if self.store_fresh(object, key, value)? {
            return Ok(());
        }
        self.store_into(&[object, key], value, |operands| {
            let mut operands = operands.into_iter();
            let (value, index) = (Box::new(operands.next()?), Box::new(operands.next()?));
            Some(ExprKind::Subscript { value, index })
        })
    }

    /// Prints a store into an attribute or item. The source evaluates the value before the target.
    fn store_into(
        &mut self,
        place: &[Value],
        value: Value,
        target: impl FnOnce(Few<Expr>) -> Option<ExprKind>,
    ) -> LiftResult<()> {
        let inplace = match value {
            Value::Pending(id) if self.is_live(id) && self.pending[id].references == 1 => {
                matches!(self.pending[id].special, Special::Inplace(_)).then_some(id)
            }
            _ => None,
        };
        if let Some(id) = inplace
            && place.iter().all(|&part| self.may_be_read_again(part))
        {
            let (operands, more) = self.take_for_index(place)?;
            let Some(kind) = target(operands) else { return self.error("a target lacks operands") };
            let target = self.expr(kind);
            let mut effects = Effects::acting();
            effects.add(&more);
            return self.store(target, Value::Pending(id), effects, None);
        }
        let mut values: Few<Value> = smallvec![value];
        values.extend_from_slice(place);
        let (mut exprs, mut effects) = self.take_for_index(&values)?;
        effects.acts = true;
        let value = exprs.remove(0);
        match target(exprs) {
            Some(kind) => {
                let target = self.expr(kind);
                self.print(StmtKind::Assign { targets: vec![target], value }, &effects)
            }
            None => self.error("a target lacks operands"),
        }
    }

    /// `object key ->` with `del object[key]`.
    pub(super) fn delete_subscript(&mut self) -> LiftResult<()> {
        let [object, key] = self.pop_array()?;
        if self.delete_fresh(object, key)? {
            return Ok(());
        }
        let (operands, mut effects) = self.take_for_index(&[object, key])?;
        effects.acts = true;
        let mut operands = operands.into_iter();
        match (operands.next(), operands.next()) {
            (Some(object), Some(key)) => {
                let kind = ExprKind::Subscript { value: Box::new(object), index: Box::new(key) };
                let target = self.expr(kind);
                self.print(StmtKind::Delete(vec![target]), &effects)
            }
            _ => self.error("a deletion lacks operands"),
        }
    }

    /// `a, b = value`: a fresh sequence gives its items, anything else is unpacked into temporaries.
    ///
    /// Where stores follow at once it is the user's own `a, b = x, y`, which stays.
    pub(super) fn unpack(&mut self, count: usize, rest: &[Step]) -> LiftResult<()> {
        let value = self.pop()?;
        if count == 1 && self.is_starred(rest) {
            let (value, mut effects) = self.take_one(value)?;
            effects.acts = true;
            self.push_expr(ExprKind::Starred(Box::new(value)), effects);
            return Ok(());
        }
        if let Value::Fresh(id) = value
            && (self.expression_only || !self.stores_consume(rest, count))
        {
            let fresh = &self.fresh[id];
            let plain = matches!(fresh.kind, FreshKind::List | FreshKind::Tuple)
                && fresh.named.is_none()
                && !fresh.items.iter().any(|&item| self.is_star(item));
            if plain && fresh.items.len() == count {
                for at in (0..count).rev() {
                    let item = self.duplicate(self.fresh[id].items[at]);
                    self.push(item);
                }
                self.release(&value);
                return Ok(());
            }
        }
        self.keep_packed(value);
        self.unpack_into(value, count, None)
    }

    /// Whether the one item that is unpacked is all that `*Ts` stands for: the annotation of `*args: *Ts`, or the default
    /// of a type parameter, `[*Ts = *tuple[int]]`, which is no function by itself. Else stores would follow.
    fn is_starred(&self, rest: &[Step]) -> bool {
        let code = self.context.code;
        match self.stack.last() {
            None => {
                let is_value = rest.is_empty() && code.argcount == code.posonlyargcount;
                is_value && !self.context.scope.is_of_outermost()
            }
            Some(&below) => {
                let Some(name) = self.string_of(below) else { return false };
                let annotates = |step: &Step| match step.kind {
                    StepKind::Op(Op::Const(made)) => match code.consts.get(made as usize) {
                        Some(Const::Code(made)) => self.is_star_parameter(made, name),
                        _ => false,
                    },
                    _ => false,
                };
                crate::flow::is_annotate(code) || rest.iter().any(annotates)
            }
        }
    }

    /// Whether a function has the parameter `*name`.
    fn is_star_parameter(&self, code: &CodeObject, name: &PyStr) -> bool {
        let at = code.argcount.saturating_add(code.kwonlyargcount) as usize;
        code.flags & flags::VARARGS != 0 && code.varnames.get(at) == Some(name)
    }

    /// `a, *b, c = value`
    pub(super) fn unpack_ex(&mut self, before: usize, after: usize) -> LiftResult<()> {
        let value = self.pop()?;
        self.unpack_into(value, before + 1 + after, Some(before))
    }

    /// Prints the unpacking into temporaries, which `refine/targets.rs` replaces by the real targets.
    pub(super) fn unpack_into(&mut self, value: Value, count: usize, star: Option<usize>) -> LiftResult<()> {
        let (value, effects) = self.take_one(value)?;
        self.unpack_expr(value, effects, count, star)
    }

    /// The same of an expression.
    pub(super) fn unpack_expr(
        &mut self,
        value: Expr,
        mut effects: Effects,
        count: usize,
        star: Option<usize>,
    ) -> LiftResult<()> {
        effects.acts = true;
        let start = self.stack.len();
        let mut targets = Vec::with_capacity(count);
        for at in 0..count {
            let number = self.temporaries.fresh();
            let name = temporary(number);
            targets.push(match star {
                Some(star) if star == at => self.expr(ExprKind::Starred(Box::new(name))),
                _ => name,
            });
            self.stack.push(Value::Temp(number, Origin::NONE.0));
        }
        self.stack[start..].reverse();
        let target = self.expr(ExprKind::Tuple(targets));
        self.print(StmtKind::Assign { targets: vec![target], value }, &effects)
    }
}

/// Whether `left op= right` may be spelled with `target`: storing to it is storing where `left` was read.
fn same_target(left: &Expr, target: &Expr) -> bool {
    match (&left.kind, &target.kind) {
        (ExprKind::Name(a), ExprKind::Name(b)) => a == b,
        (ExprKind::Attribute { value: a, attr: x }, ExprKind::Attribute { value: b, attr: y }) => {
            x == y && same_atom(a, b)
        }
        (ExprKind::Subscript { value: a, index: x }, ExprKind::Subscript { value: b, index: y }) => {
            same_atom(a, b) && same_atom(x, y)
        }
        _ => false,
    }
}

/// Whether both are the same name, temporary or literal, or a key that is made of such.
fn same_atom(a: &Expr, b: &Expr) -> bool {
    let same_bound = |a: &Option<Box<Expr>>, b: &Option<Box<Expr>>| match (a, b) {
        (Some(a), Some(b)) => same_atom(a, b),
        (a, b) => a.is_none() && b.is_none(),
    };
    match (&a.kind, &b.kind) {
        (
            ExprKind::Slice { lower: a, upper: b, step: c },
            ExprKind::Slice { lower: x, upper: y, step: z },
        ) => same_bound(a, x) && same_bound(b, y) && same_bound(c, z),
        (ExprKind::Tuple(a), ExprKind::Tuple(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same_atom(a, b))
        }
        (ExprKind::Starred(a), ExprKind::Starred(b)) => same_atom(a, b),
        (ExprKind::Name(a), ExprKind::Name(b)) => a == b,
        (ExprKind::Temp(a), ExprKind::Temp(b)) => a == b,
        (ExprKind::Literal(a), ExprKind::Literal(b)) => same_literal(a, b),
        _ => false,
    }
}

fn same_literal(a: &Literal, b: &Literal) -> bool {
    match (a, b) {
        (Literal::Float(a), Literal::Float(b)) => a.to_bits() == b.to_bits(),
        (a, b) => a == b,
    }
}
