//! Imports: several operations make one statement, so they are read together.

use depyf_bytecode::{Intrinsic1, NameId, Op};
use depyf_syntax::ast::{Alias, Expr, ExprKind, Ident, Literal, StmtKind};
use depyf_value::PyInt;

use super::{Effects, LiftResult, Lifter};
use crate::flow::Step;
use crate::names::{attribute, is_identifier};

/// The level of an import becomes as many dots; more than these occur in damaged files only.
const MOST_DOTS: u32 = 1000;

fn op_at(steps: &[Step], at: usize) -> Option<Op> {
    steps.get(at)?.op()
}

impl Lifter<'_> {
    /// Reads a whole import statement that starts at IMPORT_NAME. Returns how many steps of `rest` it took.
    pub(super) fn import(&mut self, name: NameId, lazy: bool, rest: &[Step]) -> LiftResult<usize> {
        let [level, names] = self.pop_array()?;
        let level = match self.literal_of(level) {
            Some(Literal::Int(level)) => level.to_i64().and_then(|level| u32::try_from(level).ok()),
            _ => None,
        };
        let Some(level) = level else { return self.error("the level of an import is no constant") };
        if level > MOST_DOTS {
            return self.error("an import goes up through more packages than can be nested");
        }
        let module = self.context.names.attribute(name);
        if self.constant_items(names).is_none() {
            return self.import_module(module, lazy, rest);
        }
        let used = match op_at(rest, 0) {
            Some(Op::ImportStar) => 1,
            Some(Op::Intrinsic1(Intrinsic1::ImportStar)) => 2,
            _ => return self.import_names(&module, level, lazy, rest),
        };
        let names = vec![Alias { name: "*".into(), asname: None }];
        self.print_from(module, names, level, lazy)?;
        Ok(used)
    }

    /// Reads the stores of `from module import a, b as c`.
    fn import_names(&mut self, module: &Ident, level: u32, lazy: bool, rest: &[Step]) -> LiftResult<usize> {
        let (mut names, mut unspelled) = (Vec::new(), Vec::new());
        let mut at = 0;
        while let (Some(Op::ImportFrom(name)), Some(store)) = (op_at(rest, at), op_at(rest, at + 1))
            && let Some(stored) = self.stored(store)
        {
            let name = self.context.names.attribute(name);
            if is_path(module) && is_identifier(&name) && is_identifier(&stored) {
                let asname = (stored != name).then_some(stored);
                names.push(Alias { name, asname });
            } else {
                unspelled.push((store, name));
            }
            at += 2;
        }
        if op_at(rest, at) != Some(Op::Pop) || at == 0 {
            return self.error("an import from a module is not followed by its stores");
        }
        if !names.is_empty() {
            self.print_from(module.clone(), names, level, lazy)?;
        }
        for (store, name) in unspelled {
            let value = attribute(self.imported(module.clone(), Some((&name, level))), name);
            self.print_unspelled(store, value)?;
        }
        Ok(at + 1)
    }

    /// Reads the store of `import a.b.c as d`, which walks down from `a`: IMPORT_FROM b, SWAP, POP_TOP, ...
    fn import_module(&mut self, module: Ident, lazy: bool, rest: &[Step]) -> LiftResult<usize> {
        let mut at = 0;
        let mut path = Vec::new();
        while let (Some(Op::ImportFrom(name)), Some(Op::Swap(2)), Some(Op::Pop)) =
            (op_at(rest, at), op_at(rest, at + 1), op_at(rest, at + 2))
        {
            path.push(name);
            at += 3;
        }
        let last = match op_at(rest, at) {
            Some(Op::ImportFrom(name)) => Some(name),
            _ => None,
        };
        let walked = last.is_some();
        path.extend(last);
        at += usize::from(walked);
        let Some((store, stored)) = op_at(rest, at).and_then(|op| Some((op, self.stored(op)?))) else {
            return self.error("an import is not followed by a store");
        };
        at += 1;
        if walked && op_at(rest, at) == Some(Op::Pop) {
            at += 1;
        }
        if !is_path(&module) || !is_identifier(&stored) {
            let step = |value, name| self.expr(attribute(value, self.context.names.attribute(name)));
            let value = path.into_iter().fold(self.imported(module, None), step);
            self.print_unspelled(store, value.kind)?;
            return Ok(at);
        }
        let first = module.as_str().and_then(|text| text.split('.').next());
        let plain = !walked && first.is_some_and(|first| stored == first);
        let names = vec![Alias { name: module, asname: (!plain).then_some(stored) }];
        self.print(StmtKind::Import { names, lazy }, &Effects::acting())?;
        Ok(at)
    }

    fn print_from(&mut self, module: Ident, names: Vec<Alias>, level: u32, lazy: bool) -> LiftResult<()> {
        let module = (!module.is_empty()).then_some(module);
        self.print(StmtKind::ImportFrom { module, names, level, lazy }, &Effects::acting())
    }

    /// A call of `__import__`, for what no `import` spells; of an `import` from a module, with what is taken from there and
    /// the level.
    fn imported(&self, module: Ident, from: Option<(&Ident, u32)>) -> Expr {
        let literal = |value| self.expr(ExprKind::Literal(value));
        let mut arguments = vec![literal(Literal::Str(module))];
        if let Some((name, level)) = from {
            let globals = ExprKind::call(Expr::name("globals"), Vec::new(), Vec::new());
            let taken = vec![literal(Literal::Str(name.clone()))];
            arguments.extend([
                self.expr(globals),
                literal(Literal::None),
                self.expr(ExprKind::List(taken)),
                literal(Literal::Int(PyInt::from(i64::from(level)))),
            ]);
        }
        self.expr(ExprKind::call(Expr::name("__import__"), arguments, Vec::new()))
    }

    /// An assignment in the place of an import that has no spelling: a program that compiles trees may bind any name.
    fn print_unspelled(&mut self, store: Op, value: ExprKind) -> LiftResult<()> {
        let Some(target) = self.variable_stored(store) else {
            return self.error("an import is not followed by a store");
        };
        let value = self.expr(value);
        self.print(StmtKind::Assign { targets: vec![target], value }, &Effects::acting())
    }

    /// The name that a store binds.
    fn stored(&self, op: Op) -> Option<Ident> {
        match op {
            Op::StoreLocal(variable) | Op::StoreDeref(variable) => Some(self.context.variable(variable)),
            Op::StoreGlobal(name) | Op::StoreName(name) => Some(self.context.names.attribute(name)),
            _ => None,
        }
    }
}

/// Whether a module's name can stand in an import: identifiers with dots between them, or nothing behind those of a level.
fn is_path(module: &Ident) -> bool {
    is_identifier(module)
        || module.is_empty()
        || module.as_str().is_some_and(|text| text.split('.').all(|part| is_identifier(&part.into())))
}
