//! Comprehensions that are code objects of their own.

use depyf_bytecode::CodeObject;
use depyf_syntax::ast::{ComprehensionKind, Expr, ExprKind, Ident, Origin, Stmt, StmtKind};

use super::Scope;
use crate::lift::HOLE;
use crate::{Error, refine};

impl Scope<'_> {
    /// The comprehension that a code object computes; its first iterable is a hole.
    pub(crate) fn comprehension(&self, code: &CodeObject, outer: &[Ident]) -> Result<Expr, Error> {
        let (mut body, function, names) = self.body(code, outer)?;
        // The function around declares what the body stores.
        body.retain(|statement| !matches!(statement.kind, StmtKind::Global(_) | StmtKind::Nonlocal(_)));
        let wrong = |message: &str| Error {
            message: message.to_owned(),
            offset: 0,
            opcode: String::new(),
            function: code.qualname.to_lossy(),
        };
        let mut expr = match &body[..] {
            [Stmt { kind: StmtKind::Return(Some(value)), .. }] => value.clone(),
            [statement] => {
                let Some((clauses, last)) = refine::clauses(statement) else {
                    return Err(wrong("a generator expression is no loop"));
                };
                let none = || Box::new(refine::no_element(ComprehensionKind::Generator));
                let element = match last.map(|last| &last.kind) {
                    Some(StmtKind::Expr(Expr { kind: ExprKind::Yield(value), .. })) => {
                        value.clone().unwrap_or_else(none)
                    }
                    Some(_) => return Err(wrong("a generator expression yields nothing")),
                    None => none(),
                };
                Expr::new(
                    last.map_or(Origin::NONE, |last| last.origin),
                    ExprKind::Comprehension { kind: ComprehensionKind::Generator, element, clauses },
                )
            }
            _ => return Err(wrong("a comprehension is no single loop")),
        };
        match &mut expr.kind {
            ExprKind::Comprehension { clauses, .. } => match clauses.first_mut() {
                Some(first)
                    if names
                        .variables()
                        .first()
                        .is_some_and(|name| first.iter.kind == ExprKind::Name(name.clone())) =>
                {
                    first.iter.kind = ExprKind::Temp(HOLE);
                }
                _ => return Err(wrong("a comprehension does not loop over its argument")),
            },
            _ => return Err(wrong("a comprehension is no loop")),
        }
        if let Some(dropped) = refine::Dropped::of(code, &function, &names) {
            dropped.restore(&mut expr, &self.frame(code, function, outer).context(&[]));
        }
        Ok(self.adopted(expr))
    }
}
