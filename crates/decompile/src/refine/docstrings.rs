//! Pass: the docstring of a module or class.
//!
//! Needs: the body of a module or class without what the compiler adds. Establishes: a store of a string to
//! `__doc__` that comes first is a docstring. From 3.13 on the compiler takes the indentation out of docstrings,
//! so there only a text that stays as it is becomes one. From 3.11 on the columns tell what was written: the compiler stores
//! a docstring where it loads it, and a statement stores at its target.
//!
//! Example: `__doc__ = "text"` becomes `"text"`.

use depyf_bytecode::Function;
use depyf_syntax::ast::{Block, Expr, ExprKind, Literal, Stmt, StmtKind};
use depyf_value::PyStr;

use crate::flow::instruction_at;

/// See the module. `cleaned` says that the compiler takes indentation out.
pub(crate) fn restore_docstring(block: &mut Block, function: &Function, cleaned: bool) {
    let Some(Stmt { kind, .. }) = block.first_mut() else { return };
    let StmtKind::Assign { targets, value } = kind else { return };
    let [target @ Expr { kind: ExprKind::Name(name), .. }] = targets.as_slice() else { return };
    let ExprKind::Literal(Literal::Str(text)) = &value.kind else { return };
    if is_assignment(target, value, function) {
        return;
    }
    if *name == "__doc__" && (!cleaned || is_clean(text)) {
        *kind = StmtKind::Expr(std::mem::replace(value, Expr::name("_")));
    }
}

/// Whether the columns tell that a name was assigned to: nothing but a docstring is stored where it is loaded (CPython
/// `Python/compile.c`, `compiler_body`).
fn is_assignment(target: &Expr, value: &Expr, function: &Function) -> bool {
    let place = |of: &Expr| {
        let found = instruction_at(function, of.origin.0)?;
        Some((found.line, found.column?))
    };
    place(target).zip(place(value)).is_some_and(|(target, value)| target != value)
}

/// Whether taking the indentation out leaves the text as it is (CPython `Python/compile.c`,
/// `_PyCompile_CleanDoc`): no tab, no blank at the start, and a later line without a margin if any has text.
fn is_clean(text: &PyStr) -> bool {
    let bytes = text.as_wtf8();
    let mut later = bytes.split(|&byte| byte == b'\n').skip(1);
    let blank = |line: &[u8]| line.iter().all(|&byte| byte == b' ');
    let plain = !bytes.starts_with(b" ") && !bytes.contains(&b'\t');
    plain && (later.clone().all(blank) || later.any(|line| !blank(line) && !line.starts_with(b" ")))
}
