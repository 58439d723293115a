//! Pass: what stands on a line below all cases of a `match` stands behind it.
//!
//! Where all other cases leave, the end of a case and what follows the statement are the same to the bytecode.
//!
//! Needs: the structure, with all `return` and `continue` that may be implied; a line table. Establishes: in front of
//! another case no statement stands in one that has a greater line than the statements of all cases behind it.
//!
//! Example: of `case 1: a()`, `b()`, `case _: return` with `b` on the line below the `return`, the last is `b()`.

use depyf_bytecode::Function;
use depyf_syntax::ast::{Block, MatchCase, Pattern, Stmt, StmtKind};

use crate::flow::line_of;
use crate::structure::leaves;
use crate::visit::{blocks, each_block, walk_pattern};

/// See the module.
pub(crate) fn stand_behind_cases(block: &mut Block, function: &Function) {
    let mut at = 0;
    while at < block.len() {
        each_block(&mut block[at], |inner| stand_behind_cases(inner, function));
        at += 1;
        let is_in_front_of_last = at + 1 == block.len();
        let Stmt { kind: StmtKind::Match { cases, .. }, origin } = &mut block[at - 1] else { continue };
        let Some(head) = line_of(function, origin.0) else { continue };
        if cases.last().is_some_and(MatchCase::always_matches) {
            if let Some(below) = below_cases(cases, head, function) {
                block.splice(at..at, below);
            }
        } else if is_in_front_of_last && cases.iter().all(|case| leaves(&case.body)) {
            // What leaves may stand behind the statement or in `case _`.
            let last = block.pop_if(|last| leaves(std::slice::from_ref(last)));
            below_default(block, last, head, function);
        }
    }
}

/// Makes the last case, `_`, of what stands behind cases that all leave, if something in them stands below that.
fn below_default(block: &mut Block, last: Option<Stmt>, head: u32, function: &Function) {
    let (Some(Stmt { kind: StmtKind::Match { cases, .. }, .. }), Some(last)) = (block.last_mut(), last)
    else {
        return;
    };
    // The end of the function has the line of the last pattern, below which a `case _` would stand.
    let pattern = cases.last_mut().map_or(0, |case| last_line_of_pattern(case, function));
    if line(&last, function).is_some_and(|line| line <= pattern) {
        block.push(last);
        return;
    }
    cases.push(MatchCase { pattern: Pattern::WILDCARD, guard: None, body: vec![last] });
    let below = below_cases(cases, head, function);
    let behind = below.or_else(|| cases.pop().map(|default| default.body));
    block.extend(behind.into_iter().flatten());
}

/// Takes what stands below all cases, the last of which takes all, out of the one that does not leave, or of any where all
/// do. `head` is the line of the statement.
fn below_cases(cases: &mut [MatchCase], head: u32, function: &Function) -> Option<Block> {
    let mut going_on = (0..cases.len()).filter(|&case| !leaves(&cases[case].body));
    let open = match (going_on.next(), going_on.next()) {
        (Some(open), None) => open..open + 1,
        (None, _) => 0..cases.len(),
        _ => return None,
    };
    // What seems to stand in front of the statement has the place of one around it.
    let mut below = 0;
    // From the last case on, so that each is looked at once.
    for case in (open.start..cases.len()).rev() {
        let body = &mut cases[case].body;
        if below > 0 && open.contains(&case) {
            let is_below = |stmt: &Stmt| first_line(stmt, function).is_none_or(|line| line > below);
            let inside = body.iter().rposition(|stmt| !is_below(stmt)).map_or(0, |last| last + 1);
            // The first that is moved is known to stand there.
            let is_known = |stmt: &Stmt| first_line(stmt, function).is_some();
            if let Some(first) = (inside..body.len()).find(|&at| is_known(&body[at])) {
                return Some(body.split_off(first));
            }
        }
        let last = last_line(body, function);
        below = below.max(if last > head { last } else { 0 });
    }
    None
}

/// The last line on which a value stands that a pattern asks for, 0 where none is known.
fn last_line_of_pattern(case: &mut MatchCase, function: &Function) -> u32 {
    let mut last = 0;
    walk_pattern(&mut case.pattern, &mut |expr| {
        last = last.max(line_of(function, expr.origin.0).unwrap_or(0))
    });
    last
}

/// The line of a statement. A `return` of a value may end in the place of a `with` around it.
fn line(stmt: &Stmt, function: &Function) -> Option<u32> {
    let value = match &stmt.kind {
        StmtKind::Return(Some(value)) => line_of(function, value.origin.0),
        _ => None,
    };
    value.or_else(|| line_of(function, stmt.origin.0))
}

/// The first line on which something of a statement stands.
fn first_line(stmt: &Stmt, function: &Function) -> Option<u32> {
    let inner = blocks(stmt).flatten().filter_map(|inner| first_line(inner, function));
    line(stmt, function).into_iter().chain(inner).min()
}

/// The last line on which a statement of a block begins, 0 where none is known.
fn last_line(block: &[Stmt], function: &Function) -> u32 {
    let last = |stmt: &Stmt| {
        let own = line(stmt, function).unwrap_or(0);
        blocks(stmt).map(|inner| last_line(inner, function)).fold(own, u32::max)
    };
    block.iter().map(last).max().unwrap_or(0)
}
