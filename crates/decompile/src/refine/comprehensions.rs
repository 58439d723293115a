//! Pass: loops that only fill a new container become comprehensions.
//!
//! Needs: `restore_targets`. Establishes: `t = []; for x in y: if c: t.append(e)` is `t = [e for x in y if c]`.
//! The container is a temporary, so no code of the user's can see it half filled. The temporary of an inner
//! comprehension is inlined, so that the outer one holds nothing but it. Of what the compiler found never to add anything
//! the loop is left: `t = []; for x in y: pass` is `t = [None for x in y if False]`.

use depyf_syntax::Grammar;
use depyf_syntax::ast::{
    Block, BoolOp, Clause, ComprehensionKind, Expr, ExprKind, Literal, Origin, Stmt, StmtKind,
};

use super::inline::inline_temporaries;
use super::mentions::Mentions;
use crate::names::{Names, negated};
use crate::visit::{blocks_mut, walk};

/// See the module.
pub(crate) fn restore_comprehensions(block: &mut Block, names: &Names, grammar: Grammar) {
    // One inside another is an expression first, and then in its place.
    while restore_innermost(block, grammar) {
        inline_temporaries(block, names);
    }
}

/// The same for loops that hold no other such loop. Returns whether there was one.
pub(super) fn restore_innermost(block: &mut Block, grammar: Grammar) -> bool {
    let mentions = Mentions::of(block);
    !mentions.is_empty() && restore(block, &mentions, grammar)
}

fn restore(block: &mut Block, mentions: &Mentions, grammar: Grammar) -> bool {
    let mut found = false;
    for statement in block.iter_mut() {
        for inner in blocks_mut(statement) {
            found |= restore(inner, mentions, grammar);
        }
    }
    // Loops that are expressions now; they are taken out all at once.
    let mut gone = Vec::new();
    for at in 0..block.len().saturating_sub(1) {
        if gone.get(at) == Some(&true) {
            continue;
        }
        let Some(Filled { container, mentioned, value }) = comprehension(&block[at], &block[at + 1], grammar)
        else {
            continue;
        };
        found = true;
        gone.resize(block.len(), false);
        gone[at + 1] = true;
        // Where nothing but the loop mentioned the container, the value is dropped.
        let dropped = mentions.get(container) == 1 + mentioned;
        match &mut block[at].kind {
            kind if dropped => *kind = StmtKind::Expr(value),
            StmtKind::Assign { value: filled, .. } => *filled = value,
            _ => {}
        }
    }
    if !gone.is_empty() {
        let mut gone = gone.into_iter();
        block.retain(|_| gone.next() != Some(true));
    }
    found
}

/// A comprehension that two statements make.
struct Filled {
    /// The temporary of the container.
    container: u32,
    /// How often the loop mentions it.
    mentioned: u32,
    value: Expr,
}

/// The comprehension that an empty container and the loop behind it make.
fn comprehension(first: &Stmt, second: &Stmt, grammar: Grammar) -> Option<Filled> {
    let StmtKind::Assign { targets, value } = &first.kind else { return None };
    let [Expr { kind: ExprKind::Temp(container), .. }] = &targets[..] else { return None };
    let kind = match &value.kind {
        ExprKind::List(items) if items.is_empty() => ComprehensionKind::List,
        ExprKind::Dict(items) if items.is_empty() => ComprehensionKind::Dict,
        ExprKind::Set(items) if is_empty_set(items) => ComprehensionKind::Set,
        _ => return None,
    };
    let (clauses, last) = clauses(second)?;
    let element = match last {
        Some(last) => element(last, *container, kind)?,
        None => no_element(kind),
    };
    if matches!(element.kind, ExprKind::Starred(_)) && !grammar.star_in_comprehension {
        return None;
    }
    let mut mentioned = 0;
    walk(&mut [second.clone()], &mut |expr| {
        mentioned += u32::from(expr.kind == ExprKind::Temp(*container));
    });
    (mentioned == u32::from(last.is_some())).then(|| {
        let kind = ExprKind::Comprehension { kind, element: Box::new(element), clauses };
        Filled { container: *container, mentioned, value: Expr::new(value.origin, kind) }
    })
}

/// The `for`s and `if`s of nested single statements, and the innermost statement, if there is one: where the compiler
/// dropped it, its test never holds. The compiler makes an assignment of a loop over one item, `for x in [y]` (3.9 and
/// later).
pub(crate) fn clauses(statement: &Stmt) -> Option<(Vec<Clause>, Option<&Stmt>)> {
    let mut found: Vec<Clause> = Vec::new();
    let mut inner = std::slice::from_ref(statement);
    loop {
        // Nothing is left of the innermost statement.
        let [first, rest @ ..] = inner else { return never_adds(found, statement.origin) };
        if goes_on(inner) {
            return never_adds(found, statement.origin);
        }
        match &first.kind {
            StmtKind::Assign { targets, value }
                if !found.is_empty() && (!rest.is_empty() || !adds(&targets[..])) =>
            {
                let [target] = &targets[..] else { return None };
                if matches!(target.kind, ExprKind::Temp(_)) {
                    return None;
                }
                let iter = Expr::new(value.origin, ExprKind::List(vec![value.clone()]));
                let target = target.clone();
                found.push(Clause { is_async: false, target, iter, conditions: Vec::new() });
                inner = rest;
            }
            StmtKind::If { .. } if !rest.is_empty() => {
                let Way::If(test) = way_of(first)? else { return None };
                found.last_mut()?.conditions.push(test);
                inner = rest;
            }
            _ if !rest.is_empty() => return None,
            // Behind a loop in a loop nothing is left but the next round of the outer one.
            StmtKind::For { target, iter, body, orelse, is_async }
                if orelse.is_empty() || !found.is_empty() && goes_on(orelse) =>
            {
                let (target, iter) = ((**target).clone(), (**iter).clone());
                found.push(Clause { is_async: *is_async, target, iter, conditions: Vec::new() });
                inner = body;
            }
            StmtKind::If { .. } if !found.is_empty() && does_nothing(first) => {
                found.last_mut()?.conditions.extend(tests_of(first));
                return never_adds(found, statement.origin);
            }
            StmtKind::If { test, body, orelse } if orelse.is_empty() => {
                found.last_mut()?.conditions.push(test.clone());
                inner = body;
            }
            _ => return (!found.is_empty()).then_some((found, Some(first))),
        }
    }
}

/// Whether targets are an item of a container that is filled.
fn adds(targets: &[Expr]) -> bool {
    let is_filled = |target: &Expr| match &target.kind {
        ExprKind::Subscript { value, .. } => matches!(value.kind, ExprKind::Temp(_)),
        _ => false,
    };
    targets.iter().any(is_filled)
}

/// What becomes of a round of the loop behind a statement.
enum Way {
    GoesOn,
    Ends,
    /// It goes on if the test holds.
    If(Expr),
}

/// The way behind an `if` of nothing but `if`, `pass` and `continue`: a test with constants in it, which the compiler
/// folded away (`x if y else True`).
fn way_of(statement: &Stmt) -> Option<Way> {
    let (test, body, orelse) = match &statement.kind {
        StmtKind::If { test, body, orelse } => (test, way_behind(body)?, way_behind(orelse)?),
        StmtKind::Pass => return Some(Way::GoesOn),
        StmtKind::Continue => return Some(Way::Ends),
        _ => return None,
    };
    let new = |kind: ExprKind| Expr::new(test.origin, kind);
    let constant = |value: bool| new(ExprKind::Literal(Literal::Bool(value)));
    let chain = |op: BoolOp, values: [Expr; 2]| new(ExprKind::Bool { op, values: values.into() });
    let holds = || test.clone();
    let fails = || negated(test.clone());
    Some(Way::If(match (body, orelse) {
        (Way::GoesOn, Way::Ends) => holds(),
        (Way::Ends, Way::GoesOn) => fails(),
        (Way::GoesOn, Way::GoesOn) => chain(BoolOp::Or, [holds(), constant(true)]),
        (Way::Ends, Way::Ends) => chain(BoolOp::And, [holds(), constant(false)]),
        (Way::GoesOn, Way::If(other)) => chain(BoolOp::Or, [holds(), other]),
        (Way::If(other), Way::GoesOn) => chain(BoolOp::Or, [fails(), other]),
        (Way::If(other), Way::Ends) => chain(BoolOp::And, [holds(), other]),
        (Way::Ends, Way::If(other)) => chain(BoolOp::And, [fails(), other]),
        (Way::If(body), Way::If(orelse)) => {
            let (test, body, orelse) = (Box::new(holds()), Box::new(body), Box::new(orelse));
            new(ExprKind::IfExp { test, body, orelse })
        }
    }))
}

/// Whether a statement only tests: the next round of the loop follows, whatever comes of that.
fn does_nothing(statement: &Stmt) -> bool {
    match &statement.kind {
        StmtKind::If { body, orelse, .. } => [body, orelse].into_iter().all(|arm| match &arm[..] {
            [] => true,
            [statement] => does_nothing(statement),
            _ => false,
        }),
        kind => matches!(kind, StmtKind::Pass | StmtKind::Continue),
    }
}

/// What a statement that only tests computes, as one test.
fn tests_of(statement: &Stmt) -> Option<Expr> {
    let StmtKind::If { test, body, orelse } = &statement.kind else { return None };
    let new = |kind: ExprKind| Expr::new(test.origin, kind);
    let chain = |op: BoolOp, last: Expr| new(ExprKind::Bool { op, values: vec![test.clone(), last] });
    Some(match (body.first().and_then(tests_of), orelse.first().and_then(tests_of)) {
        (None, None) => test.clone(),
        (Some(body), None) => chain(BoolOp::And, body),
        (None, Some(orelse)) => chain(BoolOp::Or, orelse),
        (Some(body), Some(orelse)) => {
            let (test, body, orelse) = (Box::new(test.clone()), Box::new(body), Box::new(orelse));
            new(ExprKind::IfExp { test, body, orelse })
        }
    })
}

fn way_behind(block: &[Stmt]) -> Option<Way> {
    match block {
        [] => Some(Way::GoesOn),
        [statement] => way_of(statement),
        _ => None,
    }
}

/// The clauses of a loop that adds nothing: the test of the last one never holds.
fn never_adds<'a>(mut clauses: Vec<Clause>, origin: Origin) -> Option<(Vec<Clause>, Option<&'a Stmt>)> {
    let never = Expr::new(origin, ExprKind::Literal(Literal::Bool(false)));
    clauses.last_mut()?.conditions.push(never);
    Some((clauses, None))
}

/// What stands for an element that is never computed.
pub(crate) fn no_element(kind: ComprehensionKind) -> Expr {
    let none = Expr::new(Origin::NONE, ExprKind::Literal(Literal::None));
    match kind {
        ComprehensionKind::Dict => Expr::new(Origin::NONE, ExprKind::Tuple(vec![none.clone(), none])),
        _ => none,
    }
}

/// What the innermost statement adds to the container.
fn element(statement: &Stmt, container: u32, kind: ComprehensionKind) -> Option<Expr> {
    let is_container = |expr: &Expr| expr.kind == ExprKind::Temp(container);
    match (&statement.kind, kind) {
        (StmtKind::Assign { targets, value }, ComprehensionKind::Dict) => match &targets[..] {
            [Expr { kind: ExprKind::Subscript { value: dict, index }, origin, .. }] if is_container(dict) => {
                Some(Expr::new(*origin, ExprKind::Tuple(vec![index.as_ref().clone(), value.clone()])))
            }
            _ => None,
        },
        (StmtKind::Expr(Expr { kind: ExprKind::Call(call), .. }), _) => {
            let ExprKind::Attribute { value, attr } = &call.func.kind else { return None };
            let (one, all) = match kind {
                ComprehensionKind::List => ("append", "extend"),
                ComprehensionKind::Dict => ("", "update"),
                _ => ("add", "update"),
            };
            match &call.args[..] {
                [element] if is_container(value) && attr == one => Some(element.clone()),
                [items] if is_container(value) && attr == all => {
                    Some(Expr::new(items.origin, ExprKind::Starred(Box::new(items.clone()))))
                }
                _ => None,
            }
        }
        _ => None,
    }
}

fn goes_on(block: &[Stmt]) -> bool {
    matches!(block, [Stmt { kind: StmtKind::Continue, .. }])
}

/// Pass: a generator expression that yields all items of its element says so (3.15).
///
/// Needs: `restore_targets`, and iterables inlined. Establishes: the innermost loop of such an expression is no loop,
/// but the yield of `*x`, which [`crate::scope::Scope::comprehension`] makes the element of.
///
/// Example: `for y in z: for t in y: yield t`, where nothing but the loop knows `t`, is `for y in z: yield *y`.
pub(crate) fn restore_unpacked_items(block: &mut Block) {
    let [Stmt { kind, .. }] = &mut block[..] else { return };
    match kind {
        StmtKind::For { target, iter, body, orelse, is_async: false }
            if matches!(target.kind, ExprKind::Temp(_)) && orelse.is_empty() =>
        {
            let [Stmt { kind: StmtKind::Expr(Expr { kind: ExprKind::Yield(Some(value)), .. }), .. }] =
                &body[..]
            else {
                return;
            };
            if value.kind == target.kind {
                let items = Box::new(Expr::new(iter.origin, ExprKind::Starred(iter.clone())));
                *kind = StmtKind::Expr(Expr::new(value.origin, ExprKind::Yield(Some(items))));
            }
        }
        StmtKind::For { body, orelse, .. } => {
            if goes_on(orelse) {
                orelse.clear();
            }
            restore_unpacked_items(body);
        }
        StmtKind::If { body, orelse, .. } if orelse.is_empty() => restore_unpacked_items(body),
        _ => {}
    }
}

/// `{*()}`
fn is_empty_set(items: &[Expr]) -> bool {
    match items {
        [Expr { kind: ExprKind::Starred(inner), .. }] => {
            matches!(&inner.kind, ExprKind::Tuple(items) if items.is_empty())
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> Expr {
        Expr::name(text)
    }

    fn branch(test: &str, body: Block, orelse: Block) -> Stmt {
        Stmt::new(Origin::NONE, StmtKind::If { test: name(test), body, orelse })
    }

    fn word(kind: StmtKind) -> Block {
        vec![Stmt::new(Origin::NONE, kind)]
    }

    /// What the test in front of the rest of a round is, as it prints.
    fn condition(statement: &Stmt) -> Option<String> {
        let Way::If(test) = way_of(statement)? else { return None };
        let printed = vec![Stmt::new(Origin::NONE, StmtKind::Expr(test))];
        Some(depyf_syntax::print(&printed, &depyf_syntax::PrintOptions::default()).text.trim().to_owned())
    }

    #[test]
    fn constants_in_the_test_of_a_round_leave_arms_that_do_nothing() {
        let (goes_on, ends) = (|| word(StmtKind::Pass), || word(StmtKind::Continue));
        let is =
            |statement: &Stmt, expected: &str| assert_eq!(condition(statement).as_deref(), Some(expected));
        is(&branch("a", goes_on(), ends()), "a");
        is(&branch("a", ends(), Block::new()), "not a");
        is(&branch("a", goes_on(), Block::new()), "a or True");
        is(&branch("a", ends(), ends()), "a and False");
        let inner = || vec![branch("b", goes_on(), ends())];
        is(&branch("a", inner(), Block::new()), "not a or b");
        is(&branch("a", inner(), ends()), "a and b");
        is(&branch("a", goes_on(), inner()), "a or b");
        is(&branch("a", ends(), inner()), "not a and b");
        is(&branch("a", inner(), vec![branch("c", goes_on(), ends())]), "b if a else c");
    }

    #[test]
    fn a_round_that_does_something_has_no_such_test() {
        let runs = word(StmtKind::Expr(name("b")));
        assert_eq!(condition(&branch("a", runs, Block::new())), None);
    }
}
