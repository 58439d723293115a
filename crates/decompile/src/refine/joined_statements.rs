//! Pass: imports on one line are one statement, and so are deletions.
//!
//! `import a, b` is compiled as `import a` and `import b` are, `del a, b` as `del a` and `del b`. People seldom write two
//! statements on a line.
//!
//! Needs: the final statements, with their origins. Establishes: `import` statements at one place, and `del` statements of
//! which one ends where the next begins, are one. Where no columns are known (to 3.10), the line tells.
//!
//! Example: `import a` and `import b`, both 11 wide at column 0 of line 1, become `import a, b`.

use depyf_bytecode::{Function, Instruction};
use depyf_syntax::ast::{Block, Expr, Origin, Stmt, StmtKind};

use crate::flow::instruction_at;
use crate::visit::each_block;

/// What stands between two targets of one `del`, at most: a comma and a few blanks.
const MOST_BETWEEN: u32 = 3;

/// See the module.
pub(crate) fn join_statements(block: &mut Block, function: &Function) {
    join(block, function);
}

fn join(block: &mut Block, function: &Function) {
    let may_join = |pair: &[Stmt]| match (&pair[0].kind, &pair[1].kind) {
        (StmtKind::Import { lazy: one, .. }, StmtKind::Import { lazy: two, .. }) => one == two,
        (StmtKind::Delete(_), StmtKind::Delete(_)) => true,
        _ => false,
    };
    if block.windows(2).any(may_join) {
        let mut joined: Block = Vec::with_capacity(block.len());
        // Where the last of the statements that have been joined stands.
        let mut last = None;
        for stmt in std::mem::take(block) {
            let (first, end) = places(&stmt, function);
            let before = std::mem::replace(&mut last, end);
            match (joined.last_mut().map(|last| &mut last.kind), stmt.kind) {
                (
                    Some(StmtKind::Import { names, lazy }),
                    StmtKind::Import { names: mut more, lazy: other },
                ) if *lazy == other && is_one(before, first) => {
                    names.append(&mut more);
                }
                (Some(StmtKind::Delete(targets)), StmtKind::Delete(mut more)) if is_next(before, first) => {
                    targets.append(&mut more);
                }
                (_, kind) => joined.push(Stmt::new(stmt.origin, kind)),
            }
        }
        *block = joined;
    }
    for stmt in block {
        each_block(stmt, |inner| join(inner, function));
    }
}

/// The first and the last instruction that tell where a statement stands.
fn places<'a>(stmt: &Stmt, function: &'a Function) -> (Option<&'a Instruction>, Option<&'a Instruction>) {
    let at = |origin: Origin| instruction_at(function, origin.0);
    match &stmt.kind {
        StmtKind::Import { .. } => (at(stmt.origin), at(stmt.origin)),
        StmtKind::Delete(targets) => {
            let place = |target: Option<&Expr>| target.and_then(|target| at(target.origin));
            (place(targets.first()), place(targets.last()))
        }
        _ => (None, None),
    }
}

/// Whether two instructions stand for one statement.
fn is_one(before: Option<&Instruction>, first: Option<&Instruction>) -> bool {
    let place = |found: &Instruction| (found.line, found.column, found.width);
    before.zip(first).is_some_and(|(one, two)| one.line.is_some() && place(one) == place(two))
}

/// Whether one target of a `del` stands right behind another.
fn is_next(before: Option<&Instruction>, first: Option<&Instruction>) -> bool {
    before.zip(first).is_some_and(|(one, two)| match (one.column, two.column) {
        (Some(from), Some(to)) => {
            let end = from + u32::from(one.width);
            one.line == two.line && one.width > 0 && (end..=end + MOST_BETWEEN).contains(&to)
        }
        _ => one.line.is_some() && one.line == two.line,
    })
}
