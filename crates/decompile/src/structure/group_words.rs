//! What no compiler accepts in the body of an `except*`.

use depyf_syntax::ast::{Handler, Origin, Stmt, StmtKind};

use crate::visit::blocks;

/// The first `return`, `break` or `continue` that leaves the body of an `except*` (CPython `Python/codegen.c`,
/// `COMPILE_FBLOCK_EXCEPTION_GROUP_HANDLER`): where it stands.
///
/// A file with one cannot be compiled at all, so the function around is no candidate for anything.
pub(crate) fn word_out_of_group(body: &[Stmt]) -> Option<Origin> {
    body.iter().find_map(|statement| {
        let left = match &statement.kind {
            StmtKind::Try(inner) if inner.is_star => {
                inner.handlers.iter().find_map(|Handler { body, .. }| leaving_word(body, false))
            }
            _ => None,
        };
        left.or_else(|| blocks(statement).find_map(|inner| word_out_of_group(inner)))
    })
}

/// The first word that leaves statements, which may stand in a loop.
fn leaving_word(body: &[Stmt], in_loop: bool) -> Option<Origin> {
    body.iter().find_map(|statement| match &statement.kind {
        StmtKind::Return(_) => Some(statement.origin),
        StmtKind::Break | StmtKind::Continue if !in_loop => Some(statement.origin),
        // The `else` of a loop is outside of it.
        StmtKind::While { body, orelse, .. } | StmtKind::For { body, orelse, .. } => {
            leaving_word(body, true).or_else(|| leaving_word(orelse, in_loop))
        }
        _ => blocks(statement).find_map(|inner| leaving_word(inner, in_loop)),
    })
}

#[cfg(test)]
mod tests {
    use depyf_syntax::ast::{Expr, Try};

    use super::*;

    fn group(body: Vec<Stmt>) -> Vec<Stmt> {
        let handler = Handler { origin: Origin::NONE, kind: Some(Expr::name("E")), name: None, body };
        let inner = Try {
            body: vec![Stmt::new(Origin(1), StmtKind::Return(None))],
            handlers: vec![handler],
            orelse: Vec::new(),
            finalbody: Vec::new(),
            is_star: true,
        };
        vec![Stmt::new(Origin::NONE, StmtKind::Try(Box::new(inner)))]
    }

    fn looped(body: Vec<Stmt>) -> Vec<Stmt> {
        let test = Expr::name("a");
        vec![Stmt::new(Origin::NONE, StmtKind::While { test, body, orelse: Vec::new() })]
    }

    #[test]
    fn only_the_words_of_loops_inside_may_stand_there() {
        let word = |kind: StmtKind| vec![Stmt::new(Origin(7), kind)];
        assert_eq!(word_out_of_group(&group(word(StmtKind::Pass))), None);
        assert_eq!(word_out_of_group(&group(looped(word(StmtKind::Break)))), None);
        assert_eq!(word_out_of_group(&looped(group(word(StmtKind::Continue)))), Some(Origin(7)));
        assert_eq!(word_out_of_group(&group(looped(word(StmtKind::Return(None))))), Some(Origin(7)));
    }
}
