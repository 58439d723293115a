//! Passes: jumps that falling off the end makes anyway are dropped.
//!
//! One that the source is known to have stays (`words.rs`); where it has `pass` or `...`, nothing is left but that.
//!
//! Needs: the structured tree. Establishes: no `return` of None at the end of the function (`drop_implied_returns`); no
//! `continue` at the end of a loop's body (`drop_implied_continues`). In the readable view the function does not end in a
//! bare `return`, be it that one was written (`drop_last_return`). An asynchronous generator, which may return no value, names
//! none (`spell_bare_returns`).
//!
//! Where ends are not copied (to 3.9), the compiler adds one `return` alone, the last instruction: any other was
//! written, and stays. So does a `continue` that is known to be an instruction of its own.
//!
//! Example: `if a: return` loses its `return` if that is the function's last instruction.

use depyf_bytecode::{CodeObject, flags};
use depyf_syntax::ast::{Block, Expr, ExprKind, Literal, Origin, Stmt, StmtKind};

use super::words::{Word, Words};
use crate::structure::{is_none, with_finally};
use crate::visit::{blocks, each_block, holds_blocks};

/// Whether falling off the end of a block does what its last statement does.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Implied {
    Yes,
    /// It does, and what was written is `pass`.
    Pass,
    /// It does, and what was written is `...`.
    Ellipsis,
    No,
}

impl Implied {
    fn of(is_implied: bool) -> Self {
        if is_implied { Self::Yes } else { Self::No }
    }
}

/// See the module.
pub(crate) fn drop_implied_returns(body: &mut Block, words: &Words<'_>) {
    let function = words.function;
    let last = function.instructions.last().filter(|_| !function.features.copies_implicit_end);
    let last = last.map(|last| Origin(last.offset));
    let was_added = |origin: Origin| origin == Origin::NONE || last.is_none_or(|last| origin == last);
    let implied = |found: &Stmt| {
        if !matches!(found.kind, StmtKind::Return(None)) || !was_added(found.origin) {
            return Implied::No;
        }
        Implied::of(words.at(found.origin) != Some(Word::Return))
    };
    trim(body, &implied);
}

/// See the module.
pub(crate) fn drop_last_return(body: &mut Block) {
    trim(body, &|found| Implied::of(matches!(found.kind, StmtKind::Return(None))));
}

/// See the module.
pub(crate) fn spell_bare_returns(body: &mut Block, code: &CodeObject) {
    if code.flags & flags::ASYNC_GENERATOR != 0 {
        spell_bare(body);
    }
}

fn spell_bare(block: &mut Block) {
    for statement in block {
        match &mut statement.kind {
            StmtKind::Return(value) => value.take_if(|value| is_none(value)),
            _ => None,
        };
        each_block(statement, spell_bare);
    }
}

/// See the module.
pub(crate) fn drop_implied_continues(block: &mut Block, words: &Words<'_>) {
    drop_continues(block, words);
}

fn drop_continues(block: &mut Block, words: &Words<'_>) {
    for statement in block {
        if let StmtKind::While { body, .. } | StmtKind::For { body, .. } = &mut statement.kind {
            let is_alone = matches!(&body[..], [Stmt { kind: StmtKind::Continue, .. }]);
            let implied = |last: &Stmt| match words.at(last.origin) {
                _ if !matches!(last.kind, StmtKind::Continue) => Implied::No,
                // A jump with an origin is an instruction that was written.
                _ if last.origin == Origin::NONE => Implied::Yes,
                Some(Word::PassOrNone) => Implied::Pass,
                Some(Word::Ellipsis) => Implied::Ellipsis,
                // As the only statement of a body it would be `pass`.
                None if is_alone => Implied::Pass,
                _ => Implied::No,
            };
            trim(body, &implied);
        }
        each_block(statement, |inner| drop_continues(inner, words));
    }
}

/// Whether a `return` stands anywhere in the statements, nested functions excluded.
pub(crate) fn returns(block: &[Stmt]) -> bool {
    block.iter().any(|statement| {
        matches!(statement.kind, StmtKind::Return(_))
            || holds_blocks(statement) && blocks(statement).any(|inner| returns(inner))
    })
}

/// Removes the statement from every place whose next step is the end of `block`.
pub(super) fn trim(block: &mut Block, implied: &impl Fn(&Stmt) -> Implied) {
    if let Some(last) = block.last_mut() {
        match implied(last) {
            Implied::Yes => drop(block.pop()),
            Implied::Pass => last.kind = StmtKind::Pass,
            Implied::Ellipsis => {
                last.kind = StmtKind::Expr(Expr::new(last.origin, ExprKind::Literal(Literal::Ellipsis)));
            }
            Implied::No => {}
        }
    }
    match block.last_mut() {
        Some(Stmt { kind: StmtKind::If { body, orelse, .. }, .. }) => {
            trim(body, implied);
            trim(orelse, implied);
        }
        Some(Stmt { kind: StmtKind::Match { cases, .. }, .. }) => {
            cases.iter_mut().for_each(|case| trim(&mut case.body, implied));
        }
        // Leaving a `with` statement by its end runs the same exit.
        Some(Stmt { kind: StmtKind::With { body, .. }, .. }) => trim(body, implied),
        Some(Stmt { kind: StmtKind::Try(inner), .. }) => {
            // Behind the end of either comes the `finally` body, as behind what is dropped.
            let last = if inner.orelse.is_empty() { &mut inner.body } else { &mut inner.orelse };
            trim(last, implied);
            let handlers = inner.handlers.iter_mut().map(|handler| &mut handler.body);
            match inner.is_star {
                // No jump can have been written there.
                true => handlers.for_each(|body| trim(body, &is_jump)),
                false => handlers.for_each(|body| trim(body, implied)),
            }
            // What stood behind an inner statement may have been all that kept both apart.
            if inner.handlers.is_empty() && inner.orelse.is_empty() {
                let (body, finalbody) =
                    (std::mem::take(&mut inner.body), std::mem::take(&mut inner.finalbody));
                **inner = with_finally(body, finalbody);
            }
        }
        _ => {}
    }
}

fn is_jump(statement: &Stmt) -> Implied {
    Implied::of(matches!(statement.kind, StmtKind::Continue | StmtKind::Return(None)))
}
