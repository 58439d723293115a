//! Comprehensions: functions of their own, or inlined in the function around (3.12 and later).

use depyf_bytecode::{CallLayout, FunctionParts, Op};
use depyf_syntax::ast::{Clause, ComprehensionKind, Expr, ExprKind};
use depyf_value::PyStr;

use super::generator::{Done, Generator};
use super::scope::Role;
use super::strings::is_constant;
use super::unit::Signature;

impl<'a> Generator<'a> {
    pub(super) fn comprehension(
        &mut self,
        expr: &'a Expr,
        kind: ComprehensionKind,
        element: &'a Expr,
        clauses: &'a [Clause],
    ) -> Done {
        let Some(first) = clauses.first() else { return self.error("a comprehension without a loop") };
        let scope = self.scope_of(expr, Role::Comprehension)?;
        if self.scopes.all[scope].inlined {
            return self.inlined_comprehension(scope, kind, element, clauses);
        }
        let outer = self.scope;
        let name = match kind {
            ComprehensionKind::List => "<listcomp>",
            ComprehensionKind::Set => "<setcomp>",
            ComprehensionKind::Dict => "<dictcomp>",
            ComprehensionKind::Generator => "<genexpr>",
        };
        let iterates = self.compiler().generator_calls_iter;
        self.enter_unit(PyStr::new(name), scope, Signature { argcount: 1, ..Signature::default() });
        let container = self.unit.assembler.height();
        if kind != ComprehensionKind::Generator {
            self.emit(empty(kind));
        }
        self.load(&".0".into());
        if iterates {
            self.get_iter(first);
        }
        self.clauses(kind, element, clauses, 0, container)?;
        if kind == ComprehensionKind::Generator {
            self.none();
        }
        self.emit(Op::Return);
        let is_async = self.scopes.all[scope].is_async && kind != ComprehensionKind::Generator;
        let lowered = self.leave_unit(outer);
        self.make_function(lowered, FunctionParts::default());
        self.expr(&first.iter)?;
        if !iterates {
            self.get_iter(first);
        }
        self.emit(Op::Call { positional: 1, layout: CallLayout::Plain });
        if is_async {
            self.delegate();
        }
        Ok(())
    }

    fn get_iter(&mut self, clause: &Clause) {
        self.emit(if clause.is_async { Op::GetAiter } else { Op::GetIter });
    }

    /// The comprehension's variables take the places of those of the same name, which come back behind it.
    fn inlined_comprehension(
        &mut self,
        scope: usize,
        kind: ComprehensionKind,
        element: &'a Expr,
        clauses: &'a [Clause],
    ) -> Done {
        let Some(first) = clauses.first() else { return Ok(()) };
        self.expr(&first.iter)?;
        let iterates = self.compiler().generator_calls_iter;
        if !iterates {
            self.get_iter(first);
        }
        let own = self.scopes.inlined_variables(scope);
        let variables: Vec<u32> = own.iter().map(|(name, cell)| self.unit.variable(name, *cell)).collect();
        for (&id, (_, is_cell)) in variables.iter().zip(&own) {
            self.emit(Op::LoadLocalAndClear(id));
            if *is_cell {
                self.emit(Op::MakeCell(id));
            }
        }
        let count = variables.len() as u32;
        self.emit(Op::Swap(count + 1));
        let cleanup = self.unit.assembler.label();
        let end = self.unit.assembler.label();
        let height = self.unit.assembler.height();
        self.unit.assembler.protect(cleanup, height);
        self.emit_all([empty(kind), Op::Swap(2)]);
        if iterates {
            self.get_iter(first);
        }
        let outer = std::mem::replace(&mut self.scope, scope);
        self.clauses(kind, element, clauses, 0, height - 1)?;
        self.scope = outer;
        self.unit.assembler.unprotect();
        self.give_back(&variables);
        self.emit(Op::Jump(end.target()));
        self.unit.assembler.place(cleanup);
        // The iterator's slot lies below the exception.
        self.emit_all([Op::Swap(2), Op::Pop]);
        self.give_back(&variables);
        self.emit(Op::Reraise(false));
        self.unit.assembler.place(end);
        Ok(())
    }

    fn give_back(&mut self, variables: &[u32]) {
        self.emit(Op::Swap(variables.len() as u32 + 1));
        for &id in variables.iter().rev() {
            self.emit(Op::StoreLocal(id));
        }
    }

    /// The loops from `at` on; the iterator of the first is on the stack. `container` is the height of
    /// the stack below the collection.
    fn clauses(
        &mut self,
        kind: ComprehensionKind,
        element: &'a Expr,
        clauses: &'a [Clause],
        at: usize,
        container: u32,
    ) -> Done {
        self.deeper()?;
        let Some(clause) = clauses.get(at) else { return Ok(()) };
        let start = self.unit.assembler.label();
        let exhausted = self.unit.assembler.label();
        let single = match &clause.iter.kind {
            ExprKind::List(items) | ExprKind::Tuple(items) => match &items[..] {
                [item] if !matches!(item.kind, ExprKind::Starred(_)) => Some(item),
                _ => None,
            },
            _ => None,
        };
        // What was folded to a constant is no display any more.
        let is_display = |item: &&Expr| !(self.compiler().folds_on_tree && is_constant(item));
        let may_assign = at > 0 && !clause.is_async && self.compiler().assigns_single_items;
        let single = single.filter(|item| may_assign && is_display(item));
        let assigned = single.is_some();
        if let Some(item) = single {
            self.expr(item)?;
        } else {
            if at > 0 {
                self.expr(&clause.iter)?;
                self.get_iter(clause);
            }
            self.unit.assembler.place(start);
            if clause.is_async {
                self.next_item(exhausted);
            } else {
                self.emit(Op::ForIter { exhausted: exhausted.target(), slots: 1, pops: true });
            }
        }
        self.assign(&clause.target)?;
        let next = if assigned { exhausted } else { start };
        for condition in &clause.conditions {
            self.jump_if(condition, false, next)?;
        }
        if at + 1 < clauses.len() {
            self.clauses(kind, element, clauses, at + 1, container)?;
        } else {
            self.element(kind, element, container)?;
        }
        if !assigned {
            self.emit(Op::Jump(start.target()));
        }
        self.unit.assembler.place(exhausted);
        if clause.is_async {
            self.emit(Op::EndAsyncFor);
        }
        self.shallower();
        Ok(())
    }

    fn element(&mut self, kind: ComprehensionKind, element: &'a Expr, container: u32) -> Done {
        if let (ComprehensionKind::Dict, ExprKind::Tuple(pair)) = (kind, &element.kind) {
            pair.iter().try_for_each(|part| self.expr(part))?;
            let depth = self.unit.assembler.height().saturating_sub(2 + container);
            self.emit(Op::MapAdd(depth));
            return Ok(());
        }
        if let ExprKind::Starred(value) = &element.kind {
            return self.unpacked_element(kind, value, container);
        }
        self.expr(element)?;
        let depth = self.unit.assembler.height().saturating_sub(1 + container);
        match kind {
            ComprehensionKind::List => self.emit(Op::ListAppend(depth)),
            ComprehensionKind::Set => self.emit(Op::SetAdd(depth)),
            ComprehensionKind::Generator => self.emit_all([Op::Yield, Op::Pop]),
            ComprehensionKind::Dict => return self.error("a dict comprehension without key and value"),
        }
        Ok(())
    }

    /// `[*items for items in x]`, `{**mapping for mapping in x}` (3.15)
    fn unpacked_element(&mut self, kind: ComprehensionKind, value: &'a Expr, container: u32) -> Done {
        self.expr(value)?;
        let depth = self.unit.assembler.height().saturating_sub(1 + container);
        match kind {
            ComprehensionKind::List => self.emit(Op::ListExtend(depth)),
            ComprehensionKind::Set => self.emit(Op::SetUpdate(depth)),
            ComprehensionKind::Dict => self.emit(Op::DictUpdate(depth)),
            ComprehensionKind::Generator => {
                let start = self.unit.assembler.label();
                let end = self.unit.assembler.label();
                self.emit(Op::GetIter);
                self.unit.assembler.place(start);
                self.emit(Op::ForIter { exhausted: end.target(), slots: 1, pops: true });
                self.emit_all([Op::Yield, Op::Pop, Op::Jump(start.target())]);
                self.unit.assembler.place(end);
            }
        }
        Ok(())
    }
}

fn empty(kind: ComprehensionKind) -> Op {
    match kind {
        ComprehensionKind::Set => Op::BuildSet(0),
        ComprehensionKind::Dict => Op::BuildMap(0),
        ComprehensionKind::List | ComprehensionKind::Generator => Op::BuildList(0),
    }
}
