//! Values that are dropped.

use depyf_bytecode::{CompilerFeatures, Instruction, Op, flags};
use depyf_syntax::ast::{Expr, ExprKind, Literal, Origin, Stmt, StmtKind, StringPart};

use crate::flow::{Step, instructions_before, line_of};

use super::value::AtomId;
use super::{Effects, LiftResult, Lifter, PendingId, Value};

impl Lifter<'_> {
    /// Drops the top of the stack. A value that nothing else holds becomes a statement.
    pub(super) fn discard(&mut self, rest: &[Step]) -> LiftResult<()> {
        let value = self.pop()?;
        if let Value::Fresh(id) = value
            && self.fresh[id].references == 1
            && !self.context.packs_values
            && id >= self.carried
        {
            // A display that the user wrote as a statement; the subject of a `match` comes from another block.
            let (expr, effects) = self.take_one(value)?;
            return self.print(StmtKind::Expr(expr), &effects);
        }
        self.release(&value);
        match value {
            Value::Pending(id) if self.pending[id].references == 0 => self.discard_pending(id),
            Value::Local(local, offset)
                if self.offset.saturating_sub(offset) <= 2 || self.is_left_of_arms(offset) =>
            {
                // A read on its own: a statement that the user wrote, such as `x` alone on a line.
                let name = Expr::new(Origin(offset), ExprKind::Name(self.context.variable(local)));
                self.print(StmtKind::Expr(name), &Effects::reading_local(local))
            }
            Value::Atom(id) => self.discard_atom(id, rest),
            _ => Ok(()),
        }
    }

    /// Whether nothing but a jump lies between what is loaded and the instruction at hand: it is an arm of a conditional
    /// expression whose test is a constant, and is dropped behind the other one, which nothing reaches.
    fn is_left_of_arms(&self, loaded: u32) -> bool {
        let function = self.context.function;
        let at = instructions_before(function, loaded);
        match function.instructions.get(at..at + 2) {
            Some([_, Instruction { op: Op::Jump(to), .. }]) => {
                function.instructions.get(*to as usize).is_some_and(|behind| behind.offset == self.offset)
            }
            _ => false,
        }
    }

    /// Spells a constant that is loaded to be dropped.
    fn discard_atom(&mut self, id: AtomId, rest: &[Step]) -> LiftResult<()> {
        match self.atoms[id].take() {
            Some(constant @ Expr { kind: ExprKind::Literal(_), .. })
                if self.is_dropped_at_once(constant.origin, rest) =>
            {
                let compiler = CompilerFeatures::of(self.context.code.version);
                let keeps = compiler.is_some_and(|compiler| !compiler.parses_plain_fstrings);
                let (origin, text) = match constant {
                    Expr { origin, kind: ExprKind::Literal(Literal::Str(text)), .. }
                        if keeps && !text.is_empty() =>
                    {
                        (origin, text)
                    }
                    constant => return self.discard_constant(constant),
                };
                // The compiler leaves out a string that is a statement, but not an f-string without fields (to 3.11).
                let text = ExprKind::Joined(vec![StringPart::Literal(text)]);
                self.print(StmtKind::Expr(Expr::new(origin, text)), &Effects::NONE)
            }
            _ => Ok(()),
        }
    }

    /// Spells a constant that is loaded to be dropped; as a statement the compiler would leave it out. It keeps the
    /// index of an item that is only annotated (to 3.11), and what its test has chosen of a conditional expression.
    fn discard_constant(&mut self, constant: Expr) -> LiftResult<()> {
        let loaded = constant.origin.0;
        if self.drops_on_line_before(loaded)
            && let Some(Stmt { kind: StmtKind::Expr(_), .. }) = self.statements.last()
            && let Some(Stmt { kind: StmtKind::Expr(value), .. }) = self.statements.pop()
        {
            let target = ExprKind::Subscript { value: Box::new(value), index: Box::new(constant) };
            let target = Box::new(self.expr(target));
            // What the annotation was is kept nowhere.
            let annotation = Box::new(self.expr(ExprKind::Literal(Literal::Ellipsis)));
            let kind = StmtKind::AnnAssign { target, annotation, value: None, simple: false };
            return self.print(kind, &Effects::NONE);
        }
        // Where a constant decides the jumps, the first arm may come to stand in front of what drops it, which leaves
        // nothing of both; the second one lies where the two meet.
        let compiler = CompilerFeatures::of(self.context.code.version);
        let chosen = compiler.is_none_or(|compiler| !compiler.decides_constant_jumps);
        let test = Box::new(self.expr(ExprKind::Literal(Literal::Bool(chosen))));
        let (body, orelse) = (Box::new(constant.clone()), Box::new(constant));
        let chosen = self.expr(ExprKind::IfExp { test, body, orelse });
        self.print(StmtKind::Expr(chosen), &Effects::NONE)
    }

    /// Whether the instruction in front of one drops a value on the same line, in a function.
    fn drops_on_line_before(&self, loaded: u32) -> bool {
        let function = self.context.function;
        let before = instructions_before(function, loaded).checked_sub(1);
        let before = before.and_then(|at| function.instructions.get(at));
        self.context.code.flags & flags::OPTIMIZED != 0
            && before.is_some_and(|before| before.op == Op::Pop && before.line == line_of(function, loaded))
    }

    /// Whether a constant is loaded only to be dropped by the instruction at hand.
    /// The instruction does nothing else: one that makes a function drops its name first (to 3.10).
    fn is_dropped_at_once(&self, loaded: Origin, rest: &[Step]) -> bool {
        let at_once = loaded.0 < self.offset
            && (self.offset - loaded.0 <= 2 || self.is_left_of_arms(loaded.0))
            && rest.first().is_none_or(|next| next.offset != self.offset);
        at_once && !self.context.packs_values && !self.expression_only
    }

    fn discard_pending(&mut self, id: PendingId) -> LiftResult<()> {
        if self.pending[id].special.needs_statement() {
            return self.name_until(id);
        }
        let effects = &self.pending[id].effects;
        let idle = !effects.acts && !effects.reads && effects.stores.is_empty();
        // Where nothing is packed, even what does nothing was written: `lambda: x` alone on a line.
        if idle && (self.context.packs_values || self.expression_only) {
            self.forget(id);
            return Ok(());
        }
        // In expressions a value cannot be dropped; elsewhere it prints behind what must come first.
        let value = Value::Pending(id);
        self.pending[id].references = 1;
        let (expr, effects) = self.take_one(value)?;
        self.print(StmtKind::Expr(expr), &effects)
    }
}
