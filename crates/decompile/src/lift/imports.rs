//! Imports: several operations make one statement, so they are read together.

use depyf_bytecode::{Intrinsic1, NameId, Op};
use depyf_syntax::ast::{Alias, Ident, Literal, StmtKind};

use super::{Effects, LiftResult, Lifter};
use crate::flow::{Step, StepKind};

/// The level of an import becomes as many dots; more than these occur in damaged files only.
const MOST_DOTS: u32 = 1000;

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
        let from = self.constant_items(names).is_some();
        let module = self.context.names.attribute(name);
        let op = |at: usize| match rest.get(at).map(|step| &step.kind) {
            Some(StepKind::Op(op)) => Some(*op),
            _ => None,
        };
        if from {
            if matches!(op(0), Some(Op::ImportStar | Op::Intrinsic1(Intrinsic1::ImportStar))) {
                let used = if op(0) == Some(Op::ImportStar) { 1 } else { 2 };
                let names = vec![Alias { name: "*".into(), asname: None }];
                self.print_from(module, names, level, lazy)?;
                return Ok(used);
            }
            let mut names = Vec::new();
            let mut at = 0;
            while let (Some(Op::ImportFrom(name)), Some(stored)) =
                (op(at), op(at + 1).and_then(|op| self.stored(op)))
            {
                let name = self.context.names.attribute(name);
                let asname = (stored != name).then_some(stored);
                names.push(Alias { name, asname });
                at += 2;
            }
            if op(at) != Some(Op::Pop) || names.is_empty() {
                return self.error("an import from a module is not followed by its stores");
            }
            self.print_from(module, names, level, lazy)?;
            return Ok(at + 1);
        }
        // `import a.b.c as d` walks down from `a`: IMPORT_FROM b, SWAP, POP_TOP, ...
        let mut at = 0;
        while let (Some(Op::ImportFrom(_)), Some(Op::Swap(2)), Some(Op::Pop)) =
            (op(at), op(at + 1), op(at + 2))
        {
            at += 3;
        }
        let walked = matches!(op(at), Some(Op::ImportFrom(_)));
        at += usize::from(walked);
        let Some(stored) = op(at).and_then(|op| self.stored(op)) else {
            return self.error("an import is not followed by a store");
        };
        at += 1;
        if walked && op(at) == Some(Op::Pop) {
            at += 1;
        }
        let first = module.as_str().map(|text| text.split('.').next().unwrap_or(text).to_owned());
        let plain = !walked && first.as_deref().is_some_and(|first| stored == first);
        let names = vec![Alias { name: module, asname: (!plain).then_some(stored) }];
        self.print(StmtKind::Import { names, lazy }, &Effects::acting())?;
        Ok(at)
    }

    fn print_from(&mut self, module: Ident, names: Vec<Alias>, level: u32, lazy: bool) -> LiftResult<()> {
        let module = (!module.is_empty()).then_some(module);
        self.print(StmtKind::ImportFrom { module, names, level, lazy }, &Effects::acting())
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
