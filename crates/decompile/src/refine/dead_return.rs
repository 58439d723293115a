//! Pass: a `return` at the end of the function that nothing reaches was written all the same.
//!
//! To 3.9 the compiler erases no block: behind a `try` whose body and handlers all leave, what was written stays (CPython
//! `Python/compile.c`). Of that only the value of a last `return` can be told from the end that the compiler adds.
//!
//! Needs: implied ends are dropped. Establishes: a function ends as its bytecode does; no other body has a `return`.
//!
//! Example: `try: return a` `except E: return b` with `True` and a return behind gets a `return True` at its end, and
//! `lambda: 2` with `3` and a return behind becomes `lambda: 2 if True else 3`.

use depyf_bytecode::{CodeObject, Const, Function, Op, decode, flags};
use depyf_syntax::ast::{Block, Expr, ExprKind, Origin, Stmt, StmtKind};

use crate::lift::literal;
use crate::never_run::choose;
use crate::structure::leaves;

/// See the module.
pub(crate) fn restore_dead_return(block: &mut Block, code: &CodeObject, function: &Function) {
    let is_dead = function.instructions.last().is_some_and(|last| last.op == Op::Nop);
    if code.flags & flags::OPTIMIZED == 0 || !is_dead || !leaves(block) {
        return;
    }
    let Ok(whole) = decode(code) else { return };
    if let [.., value, last] = &whole.instructions[..]
        && let (Op::Const(id), Op::Return) = (value.op, last.op)
        && let Some(value) = code.consts.get(id as usize).filter(|value| !matches!(value, Const::None))
        && let Some(value) = literal(value)
    {
        let value = Expr::new(Origin::NONE, ExprKind::Literal(value));
        // A lambda has no statements: what nothing reaches is the other arm of a constant test.
        if code.name == "<lambda>"
            && let [Stmt { kind: StmtKind::Return(Some(reached)), .. }] = &mut block[..]
        {
            choose(reached, vec![value]);
            return;
        }
        block.push(Stmt::new(Origin(last.offset), StmtKind::Return(Some(value))));
    }
}
