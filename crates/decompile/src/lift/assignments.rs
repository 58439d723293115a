//! Assignments with several targets: `a = b = v` and `a, b = x, y`.
//!
//! The compiler copies the value for all targets but the last, and exchanges two or three values in place
//! where a tuple would only be built to be unpacked (CPython `Python/codegen.c`, `codegen_visit_stmt`, and the
//! swap of `Python/flowgraph.c`). A read of another variable in between would be another program, so both
//! are recognized by what consumes the values: one store each, at once.

use depyf_bytecode::{Op, VarId, stack_effect};
use depyf_syntax::ast::{Expr, ExprKind, Origin, StmtKind};

use super::naming::temporary;
use super::{Effects, LiftResult, Lifter, Special, Value};
use crate::flow::{Piece, Step, StepKind};

impl Lifter<'_> {
    /// A value of which a copy was just asked for, if stores consume both: it gets a temporary, and
    /// `refine/chains.rs` joins the stores. Returns whether it did.
    pub(super) fn chained_assignment(&mut self, rest: &[Step]) -> LiftResult<bool> {
        if self.expression_only || !self.is_assignable(1) {
            return Ok(false);
        }
        match self.consuming_stores(rest, 2) {
            Some(used) if !self.stores_below(&rest[used..], 1) => {}
            _ => return Ok(false),
        }
        let value = self.pop()?;
        let value = match value {
            value if self.is_temporary(value) => value,
            value => {
                let (value, effects) = self.take_one(value)?;
                let number = self.temporaries.fresh();
                self.print(StmtKind::Assign { targets: vec![temporary(number)], value }, &effects)?;
                Value::Temp(number, Origin::NONE.0)
            }
        };
        self.push(value);
        self.push(value);
        Ok(true)
    }

    /// `a, b = x, y` at the exchange of the two values (or of three); `rest` follows the first exchange.
    /// Returns how many steps of `rest` it used up.
    pub(super) fn exchanged_assignment(&mut self, op: Op, rest: &[Step]) -> LiftResult<Option<usize>> {
        let next = rest.first().map(|step| &step.kind);
        let (count, used) = match (op, next) {
            (Op::Rot(3), Some(StepKind::Op(Op::Swap(2)))) => (3, 1),
            (Op::Swap(count @ (2 | 3)), _) => (count as usize, 0),
            _ => return Ok(None),
        };
        let fits = !self.expression_only && self.is_assignable(count);
        if !fits || !self.stores_consume(&rest[used..], count) {
            return Ok(None);
        }
        let (value, effects) = self.pop_as_tuple(count)?;
        self.unpack_expr(value, effects, count, None)?;
        Ok(Some(used))
    }

    /// The values that `x, y` lists. They never were a tuple, which the compiler would have folded if all are constant.
    fn pop_as_tuple(&mut self, count: usize) -> LiftResult<(Expr, Effects)> {
        let values = self.pop_many(count)?;
        let (values, effects) = self.take(&values)?;
        Ok((self.expr(ExprKind::Tuple(values)), effects))
    }

    /// `a, b = x, y` where the exchange was compiled away: two or three locals are stored last to first
    /// (`apply_static_swaps` of `Python/flowgraph.c`, 3.11 and later). `first` is stored now, `rest` follows.
    /// What the next target of the source gets again is dropped (3.13 and later): `_, _ = x, y` stores once.
    /// Returns how many steps of `rest` it used up.
    pub(super) fn reversed_assignment(&mut self, first: VarId, rest: &[Step]) -> LiftResult<Option<usize>> {
        let follows =
            matches!(rest.first(), Some(Step { kind: StepKind::Op(Op::StoreLocal(_) | Op::Pop), .. }));
        if self.expression_only || !follows {
            return Ok(None);
        }
        // What a comprehension gives back to its variables may lie between the values, and is no target.
        let mut targets: Vec<VarId> = Vec::new();
        let (mut given_back, mut used) = (Vec::new(), 0);
        let more = rest.iter().map_while(|step| match step.kind {
            StepKind::Op(Op::StoreLocal(local)) => Some(Some(local)),
            StepKind::Op(Op::Pop) => Some(None),
            _ => None,
        });
        let mut between = Vec::new();
        for (depth, local) in std::iter::once(Some(first)).chain(more).enumerate() {
            let Some(at) = self.stack.len().checked_sub(depth + 1) else { break };
            if self.stack[at] == Value::Saved {
                between.push(at);
                continue;
            }
            let again = targets.last().copied().filter(|_| local.is_none() && self.is_computed(at));
            let stored = local.filter(|local| !targets.contains(local));
            let Some(local) = stored.or(again).filter(|_| targets.len() < 3) else { break };
            let reaches = self.stack[at..].iter().filter(|&value| *value != Value::Saved).count();
            if reaches > 1 && !self.is_assignable_above(at) {
                break;
            }
            targets.push(local);
            given_back.append(&mut between);
            used = depth;
        }
        let count = targets.len();
        if count < 2 {
            return Ok(None);
        }
        // What an unpacking left is stored first to last.
        let unpacked = |lifter: &Self| {
            lifter.stack[lifter.stack.len() - used - 1..]
                .iter()
                .all(|&value| value == Value::Saved || lifter.is_temporary(lifter.resolve(value)))
        };
        if unpacked(self) {
            return Ok(None);
        }
        for at in given_back {
            self.stack.remove(at);
        }
        let (value, mut effects) = self.pop_as_tuple(count)?;
        targets.reverse();
        for &target in &targets {
            self.name_local(target)?;
            effects.stores.push(target);
        }
        let names = targets.iter().map(|&target| self.expr(ExprKind::Name(self.context.variable(target))));
        let target = Expr::new(self.place_of_last(&rest[..used]), ExprKind::Tuple(names.collect()));
        self.print(StmtKind::Assign { targets: vec![target], value }, &effects)?;
        Ok(Some(used))
    }

    /// The place of the last of several stores, the target of which the source has first; that of a superinstruction is where
    /// its first half stands.
    fn place_of_last(&self, rest: &[Step]) -> Origin {
        match rest {
            [last] if last.offset != self.offset => Origin(last.offset),
            [.., before, last] if last.offset != before.offset => Origin(last.offset),
            _ => Origin::NONE,
        }
    }

    /// Whether a value is a temporary.
    fn is_temporary(&self, value: Value) -> bool {
        match value {
            Value::Temp(..) => true,
            Value::Named(id) => {
                matches!(self.pending[id].expr, Some(Expr { kind: ExprKind::Temp(_), .. }))
            }
            _ => false,
        }
    }

    /// Whether the value of a slot was computed for the statement, and does not wait there for a loop or a `match`.
    fn is_computed(&self, at: usize) -> bool {
        match self.resolve(self.stack[at]) {
            Value::Local(..) | Value::Pending(_) => true,
            Value::Fresh(id) => id >= self.carried,
            _ => false,
        }
    }

    /// Whether the top values are ordinary ones, which a statement can take.
    fn is_assignable(&self, count: usize) -> bool {
        self.stack.len().checked_sub(count).is_some_and(|start| {
            self.stack[start..].iter().all(|value| *value != Value::Saved) && self.is_assignable_above(start)
        })
    }

    /// The same for all values from a slot on, but for what a comprehension gives back.
    fn is_assignable_above(&self, start: usize) -> bool {
        self.stack[start..].iter().all(|&value| match self.resolve(value) {
            Value::Atom(_) | Value::Temp(..) | Value::Named(_) => true,
            Value::Local(..) | Value::Fresh(_) | Value::Saved => true,
            Value::Pending(id) => {
                matches!(self.pending[id].special, Special::None) && self.pending[id].references == 1
            }
            _ => false,
        })
    }

    /// Whether the first step stores what lies below the top `count` values. An exchange of values that was compiled
    /// away does, and what the top was copied for is an assignment expression among its items:
    /// `a, b = 1, (c := x)`.
    pub(super) fn stores_below(&self, rest: &[Step], count: usize) -> bool {
        matches!(rest.first(), Some(Step { kind: StepKind::Op(Op::StoreLocal(_)), .. }))
            && self.stack.len().checked_sub(count + 1).is_some_and(|at| self.stack[at] != Value::Saved)
            && self.is_assignable(count + 1)
    }

    /// Whether the top `count` values are consumed by stores, one after the other, the top first, with nothing
    /// in between but what computes the places to store to.
    pub(super) fn stores_consume(&self, rest: &[Step], count: usize) -> bool {
        self.consuming_stores(rest, count).is_some()
    }

    /// How many steps these stores are.
    fn consuming_stores(&self, rest: &[Step], count: usize) -> Option<usize> {
        // How many values wait below, and how many lie above the next one to be stored.
        let (mut waiting, mut above) = (count, 0_i64);
        // Of those above, the values of locals that a comprehension will give back.
        let mut saved = 0;
        for (at, step) in rest.iter().enumerate() {
            if waiting == 0 {
                return Some(at);
            }
            let (pops, pushes) = match &step.kind {
                StepKind::Op(op) => match *op {
                    _ if above == 0 && stores_variable(step) => {
                        waiting -= 1;
                        continue;
                    }
                    Op::Pop if above == 0 && waiting > 1 && is_stored_over(&rest[at..]) => {
                        waiting -= 1;
                        continue;
                    }
                    Op::StoreAttr(_) if above == 1 => {
                        (waiting, above) = (waiting - 1, 0);
                        continue;
                    }
                    Op::StoreSubscript if above == 2 => {
                        (waiting, above) = (waiting - 1, 0);
                        continue;
                    }
                    Op::StoreSlice if above == 3 => {
                        (waiting, above) = (waiting - 1, 0);
                        continue;
                    }
                    Op::Unpack(count) if above == 0 => {
                        waiting += count as usize;
                        waiting -= 1;
                        continue;
                    }
                    Op::UnpackEx { before, after } if above == 0 => {
                        waiting += usize::from(before) + after as usize;
                        continue;
                    }
                    Op::Copy(1) if above == 0 => {
                        waiting += 1;
                        continue;
                    }
                    Op::LoadLocalAndClear(_) => {
                        saved += 1;
                        (0, 1)
                    }
                    Op::MakeCell(_) => (0, 0),
                    Op::Swap(depth) if saved > 0 && i64::from(depth) <= above => (0, 0),
                    Op::StoreLocal(_) if saved > 0 => {
                        saved -= 1;
                        (1, 0)
                    }
                    // An assignment expression in the place of a store.
                    Op::Copy(1) if rest.get(at + 1).is_some_and(stores_variable) => (1, 2),
                    _ if stores_variable(step) && at > 0 && copies(&rest[at - 1]) => (1, 0),
                    op => match computes(op) {
                        Some(pops) => {
                            let effect = stack_effect(op, false, &self.context.function.features);
                            (pops, effect + pops)
                        }
                        None => return None,
                    },
                },
                StepKind::Piece(piece) if matches!(**piece, Piece::Chain { .. }) => (2, 1),
                StepKind::Piece(_) | StepKind::IsNone { .. } => (1, 1),
                StepKind::Iterable => (0, 1),
                StepKind::WithExit
                | StepKind::Annotation(_)
                | StepKind::AnnotationMark(_)
                | StepKind::Never
                | StepKind::Comment => return None,
            };
            if pops > above {
                return None;
            }
            above += pushes - pops;
        }
        (waiting == 0).then_some(rest.len())
    }
}

fn stores_variable(step: &Step) -> bool {
    matches!(step.kind, StepKind::Op(op) if op.stores_variable())
}

fn copies(step: &Step) -> bool {
    matches!(step.kind, StepKind::Op(Op::Copy(1)))
}

/// Whether what is dropped was a store, to the local that the next store gives something else (3.13 and later).
fn is_stored_over(rest: &[Step]) -> bool {
    let next = rest.iter().find(|step| !step.drops());
    matches!(next, Some(Step { kind: StepKind::Op(Op::StoreLocal(_)), .. }))
}

/// How many values an operation takes that may compute the place of a store; None for any other.
fn computes(op: Op) -> Option<i64> {
    Some(match op {
        Op::Const(_)
        | Op::SmallInt(_)
        | Op::Common(_)
        | Op::PushNull
        | Op::LoadLocal(_)
        | Op::LoadDeref(_)
        | Op::LoadClosure(_)
        | Op::LoadClassDeref(_)
        | Op::LoadGlobal(_)
        | Op::LoadName(_) => 0,
        Op::LoadAttr(_)
        | Op::Unary(_)
        | Op::Convert(_)
        | Op::ListToTuple
        | Op::Intrinsic1(_)
        | Op::GetIter
        // The name of a function that is made (to 3.10).
        | Op::Pop => 1,
        Op::Binary(_) | Op::Subscript | Op::Compare(_) | Op::Is { .. } | Op::Contains { .. } => 2,
        Op::BinarySlice => 3,
        // Below a method lies the slot of what it is called on.
        Op::Swap(depth) => i64::from(depth),
        Op::BuildTuple(count)
        | Op::BuildList(count)
        | Op::BuildSet(count)
        | Op::BuildSlice(count)
        | Op::BuildString(count)
        | Op::BuildUnpack(_, count) => i64::from(count),
        Op::BuildMap(pairs) => 2 * i64::from(pairs),
        Op::BuildConstKeyMap(values) => 1 + i64::from(values),
        Op::ListAppend(depth)
        | Op::ListExtend(depth)
        | Op::SetAdd(depth)
        | Op::SetUpdate(depth)
        | Op::DictUpdate(depth)
        | Op::DictMerge(depth) => 1 + i64::from(depth),
        Op::MapAdd(depth) => 2 + i64::from(depth),
        Op::MakeFunction(parts) => 1 + i64::from((parts.0 & 15).count_ones()),
        Op::SetFunctionAttribute(_) => 2,
        Op::Format { spec, .. } => 1 + i64::from(spec),
        Op::Call { positional, layout } => i64::from(positional) + slots(layout),
        Op::CallKeywords { arguments, layout } => 1 + i64::from(arguments) + slots(layout),
        Op::CallEx { keywords, layout } => 1 + i64::from(keywords) + slots(layout),
        _ => return None,
    })
}

fn slots(layout: depyf_bytecode::CallLayout) -> i64 {
    if layout == depyf_bytecode::CallLayout::Plain { 1 } else { 2 }
}
