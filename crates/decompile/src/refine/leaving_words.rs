//! Pass: what leaves a last loop, or does nothing at the end of the function, is the word that the source has.
//!
//! Behind a last loop comes the end of the function: `break` and `return` lead to one place, and where the compiler copied
//! that, each is a return of None. So is a `pass` or `...` that nothing follows.
//!
//! Needs: each `return` that names None does; columns (3.11 and later), without which nothing changes. Establishes: a `return`
//! of None is none where the source has `break`, `pass` or `...`, nor is a `break` where it has `return`, also out of a `with`.
//!
//! Example: of `for a in b: if a: return`, 5 wide, the last becomes `break`.

use depyf_syntax::ast::{Block, Expr, ExprKind, Literal, Stmt, StmtKind};

use super::returns::{Implied, trim};
use super::words::{Word, Words};
use crate::visit::{each_block, holds_blocks};

/// See the module.
pub(crate) fn spell_leaving_words(block: &mut Block, words: &Words<'_>) {
    let may_leave = |stmt: &Stmt| matches!(stmt.kind, StmtKind::Return(None)) || holds_blocks(stmt);
    if !block.iter().any(may_leave) || !words.are_told() {
        return;
    }
    spell(block, true, false, words);
    trim(block, &|found| match (&found.kind, words.at(found.origin)) {
        (StmtKind::Return(None), Some(Word::PassOrNone)) => Implied::Pass,
        (StmtKind::Return(None), Some(Word::Ellipsis)) => Implied::Ellipsis,
        _ => Implied::No,
    });
}

/// Spells what leaves the loop around a block, where the end of the function comes behind that. `is_last` says that it comes
/// behind the block.
fn spell(block: &mut Block, is_last: bool, leaves_last: bool, words: &Words<'_>) {
    let count = block.len();
    for (at, stmt) in block.iter_mut().enumerate() {
        let is_last = is_last && at + 1 == count;
        match &mut stmt.kind {
            StmtKind::Return(None) if leaves_last && words.leaving(stmt.origin) == Some(Word::Break) => {
                stmt.kind = StmtKind::Break;
            }
            StmtKind::Break if leaves_last => match words.leaving(stmt.origin) {
                Some(Word::Return) => stmt.kind = StmtKind::Return(None),
                // A `pass` leaves no loop.
                Some(Word::PassOrNone) => {
                    let none = Expr::new(stmt.origin, ExprKind::Literal(Literal::None));
                    stmt.kind = StmtKind::Return(Some(none));
                }
                _ => {}
            },
            StmtKind::While { body, orelse, .. } | StmtKind::For { body, orelse, .. } => {
                spell(body, false, is_last, words);
                spell(orelse, is_last, leaves_last, words);
            }
            StmtKind::Try(parts) if !parts.orelse.is_empty() => {
                spell(&mut parts.body, false, leaves_last, words);
                parts
                    .handlers
                    .iter_mut()
                    .for_each(|handler| spell(&mut handler.body, is_last, leaves_last, words));
                spell(&mut parts.orelse, is_last, leaves_last, words);
                spell(&mut parts.finalbody, is_last, leaves_last, words);
            }
            _ => each_block(stmt, |inner| spell(inner, is_last, leaves_last, words)),
        }
    }
}
