//! What the compiler dropped of a comprehension, behind a condition that never holds.
//!
//! From 3.10 on no operation is left of what stands behind `if False`. But it still tells which variables are the
//! comprehension's own, which it shares with the code around and in it, whether it is asynchronous, and which code
//! objects are in it (3.10 and 3.11).
//!
//! Needs: the comprehension is an expression. Establishes: it has the variables of the bytecode and is of the same kind.
//!
//! Example: `[None for x in y if False]`, whose own variable `z` is read and never bound, is
//! `[None for x in y if z if False for z in ()]`. Where no condition says so, `if True or (z, lambda: x)` mentions
//! what is shared: no operation is left of that, either.

use depyf_bytecode::{CodeObject, Const, Function, NameId, Op, VariableKind, flags};
use depyf_syntax::ast::{Clause, ComprehensionKind, Expr, ExprKind, Ident, Literal, Origin, StmtKind};
use depyf_value::PyStr;

use super::kept::unused;
use super::kept_inside::keep_behind;
use crate::hash::{HashMap, HashSet};
use crate::lift::Context;
use crate::names::{CLASS_CELL, CLASS_NAMESPACE, Names, Role, is_identifier, nested_code};
use crate::never_run::{choose, sharing, true_or};

/// What a comprehension has though no operation of it says so.
pub(crate) struct Dropped {
    /// Its own variables that nothing binds.
    unbound: Vec<Ident>,
    /// Its own variables that a function in it shares, though none that is left does.
    cells: Vec<Ident>,
    /// Those of the functions around.
    free: Vec<Ident>,
    keeps_code: bool,
    is_async: bool,
}

/// What the operations of a comprehension do.
struct Used {
    /// By variable.
    is_bound: Vec<bool>,
    is_read: Vec<bool>,
    is_shared: Vec<bool>,
    /// Whether it waits for something.
    waits: bool,
    /// The name `super` is a mention of `__class__`.
    names_super: bool,
}

impl Used {
    fn of(code: &CodeObject, function: &Function) -> Self {
        let none = vec![false; function.variables.len()];
        let (is_bound, is_read) = (none.clone(), none.clone());
        let mut used = Self { is_bound, is_read, is_shared: none, waits: false, names_super: false };
        let is_super = |name: NameId| code.names.get(name as usize).is_some_and(|name| *name == "super");
        for instruction in &function.instructions {
            let (list, variable) = match instruction.op {
                Op::StoreLocal(variable) | Op::StoreDeref(variable) | Op::LoadLocalAndClear(variable) => {
                    (&mut used.is_bound, variable)
                }
                Op::LoadLocal(variable) | Op::LoadDeref(variable) => (&mut used.is_read, variable),
                Op::LoadClosure(variable) => (&mut used.is_shared, variable),
                Op::GetAnext | Op::GetAwaitable => {
                    used.waits = true;
                    continue;
                }
                Op::LoadGlobal(name) => {
                    used.names_super |= is_super(name);
                    continue;
                }
                _ => continue,
            };
            if let Some(slot) = list.get_mut(variable as usize) {
                *slot = true;
            }
        }
        used
    }
}

impl Dropped {
    /// What was dropped, if anything was.
    pub(crate) fn of(code: &CodeObject, function: &Function, names: &Names<'_>) -> Option<Self> {
        let used = Used::of(code, function);
        let is_async = !used.waits && code.flags & (flags::COROUTINE | flags::ASYNC_GENERATOR) != 0;
        let nested = || {
            code.consts.iter().filter_map(|value| match value {
                Const::Code(nested) => Some(nested),
                _ => None,
            })
        };
        let keeps_code = nested().next().is_some()
            && nested_code(code, function).iter().any(|(_, role)| *role == Role::Unused);
        let mut dropped =
            Self { unbound: Vec::new(), cells: Vec::new(), free: Vec::new(), keeps_code, is_async };
        let mentioned: HashSet<&PyStr> = nested().flat_map(|nested| &nested.freevars).collect();
        let parameters = code.parameter_count();
        for (at, variable) in function.variables.iter().enumerate() {
            let is_mentioned = used.is_shared[at] || mentioned.contains(&variable.name);
            let name = &names.variables()[at];
            if !is_identifier(name) {
                continue;
            }
            match variable.kind {
                VariableKind::Free => {
                    let implied = used.names_super && *name == CLASS_CELL || *name == CLASS_NAMESPACE;
                    if !(is_mentioned || used.is_read[at] || used.is_bound[at] || implied) {
                        dropped.free.push(name.clone());
                    }
                }
                _ if at < parameters => {}
                kind => {
                    if !used.is_bound[at] && (is_mentioned || used.is_read[at] || kind == VariableKind::Cell)
                    {
                        dropped.unbound.push(name.clone());
                    }
                    if kind == VariableKind::Cell && !is_mentioned {
                        dropped.cells.push(name.clone());
                    }
                }
            }
        }
        let Self { unbound, cells, free, .. } = &dropped;
        let found = keeps_code || is_async || !(unbound.is_empty() && cells.is_empty() && free.is_empty());
        found.then_some(dropped)
    }

    /// See the module. `context` is that of the comprehension.
    pub(crate) fn restore(self, expr: &mut Expr, context: &Context<'_>) {
        let ExprKind::Comprehension { kind, element, clauses } = &mut expr.kind else { return };
        let Some(last) = clauses.last() else { return };
        let new = |kind: ExprKind| Expr::new(Origin::NONE, kind);
        let is_dropped = last
            .conditions
            .last()
            .is_some_and(|condition| condition.kind == ExprKind::Literal(Literal::Bool(false)));
        let Kept { first, inside, last: mut mentions } =
            if self.keeps_code { kept_code(context, is_dropped) } else { Kept::default() };
        // From the last one on: none changes the number of another.
        for (number, kept) in inside.into_iter().rev() {
            let (mut number, mut kept) = (number, Some(kept));
            let mut visit = |part: &mut Expr| keep_behind(part, &mut number, &mut kept);
            for (at, clause) in clauses.iter_mut().enumerate() {
                // The first iterable belongs to the code around.
                if at > 0 {
                    visit(&mut clause.iter);
                }
                visit(&mut clause.target);
                clause.conditions.iter_mut().for_each(&mut visit);
            }
            visit(element);
            mentions.extend(kept.into_iter().flatten());
        }
        mentions.extend(self.free.into_iter().map(Expr::name));
        // The code of a lambda is a constant of its own, unless no other one follows.
        let lambda = (!self.cells.is_empty()).then(|| sharing(self.cells.into_iter()));
        if !is_dropped {
            if let Some(last) = clauses.last_mut()
                && !mentions.is_empty()
            {
                last.conditions.push(true_or(new(ExprKind::Tuple(mentions))));
            }
            if let Some(lambda) = lambda {
                change_value(*kind, element, |value| choose(value, vec![lambda]));
            }
            put_first(clauses, first);
            return;
        }
        // A tuple that a call unpacks nothing into is a constant that is added last. But where a test is the same one, it
        // comes in front of the lambda, which goes then.
        let is_empty = |value: &Const| matches!(value, Const::Tuple(items) if items.is_empty());
        if lambda.is_some()
            && context.code.consts.iter().any(is_empty)
            && let Some(condition) = clauses.last_mut().and_then(|last| last.conditions.last_mut())
        {
            condition.kind = ExprKind::Literal(Literal::Tuple(Vec::new()));
        }
        if self.is_async || !self.unbound.is_empty() {
            // An asynchronous loop loads a constant: what is kept stands in front of that.
            let targets = self.unbound.into_iter().map(Expr::name).collect();
            let target = new(ExprKind::Tuple(targets));
            let iter = new(ExprKind::Tuple(std::mem::take(&mut mentions)));
            clauses.push(Clause { is_async: self.is_async, target, iter, conditions: Vec::new() });
        }
        mentions.extend(lambda);
        if !mentions.is_empty() {
            change_value(*kind, element, |value| *value = new(ExprKind::Tuple(mentions)));
        }
        put_first(clauses, first);
    }
}

/// Puts what never runs in front of all else.
fn put_first(clauses: &mut [Clause], kept: Vec<Expr>) {
    if let Some(first) = clauses.first_mut()
        && !kept.is_empty()
    {
        first.conditions.insert(0, true_or(Expr::new(Origin::NONE, ExprKind::Tuple(kept))));
    }
}

/// Changes what is computed last for an item.
fn change_value(kind: ComprehensionKind, element: &mut Expr, change: impl FnOnce(&mut Expr)) {
    match (kind, &mut element.kind) {
        (ComprehensionKind::Dict, ExprKind::Tuple(pair)) if pair.len() == 2 => change(&mut pair[1]),
        _ => change(element),
    }
}

/// The code objects that nothing loads.
#[derive(Default)]
struct Kept {
    /// Those in front of all else.
    first: Vec<Expr>,
    /// Those behind a number of others.
    inside: Vec<(usize, Vec<Expr>)>,
    /// Those behind all else.
    last: Vec<Expr>,
}

/// Which of the code objects that nothing loads are called alike, and which of the others are, tells where they lie among
/// the constants.
fn kept_code(context: &Context<'_>, is_dropped: bool) -> Kept {
    let mut found = Kept::default();
    let nested = nested_code(context.code, context.function);
    let mut follow: HashMap<&PyStr, usize> = HashMap::default();
    for (code, role) in &nested {
        if *role != Role::Unused {
            *follow.entry(&code.name).or_default() += 1;
        }
    }
    let mut met: HashSet<&PyStr> = HashSet::default();
    let mut count = 0;
    for (code, role) in &nested {
        if *role != Role::Unused {
            met.insert(&code.name);
            count += 1;
            if let Some(count) = follow.get_mut(&code.name) {
                *count -= 1;
            }
            continue;
        }
        let Some(StmtKind::Expr(kept)) = unused(code, context).map(|kept| kept.kind) else { continue };
        let is_followed = follow.get(&code.name).is_some_and(|count| *count > 0);
        match (met.contains(&code.name), &mut found.inside.last_mut()) {
            (_, _) if is_dropped && !is_followed => found.last.push(kept),
            (false, _) => found.first.push(kept),
            (true, Some((number, list))) if *number == count => list.push(kept),
            (true, _) => found.inside.push((count, vec![kept])),
        }
    }
    found
}
