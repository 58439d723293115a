//! Pass: temporaries that are used once go back to where they are used.
//!
//! Needs: the structured tree. Establishes: a temporary that is assigned once and read once, by the next
//! statement, before that statement does anything else, is gone; and so is one that is only returned, each time right behind
//! an assignment.
//!
//! Example: `t0 = f(x); return t0 + 1` becomes `return f(x) + 1`.

use std::cell::Cell;

use crate::hash::{HashMap, HashSet};

use depyf_syntax::ast::{Block, Expr, ExprKind, Origin, Stmt, StmtKind};

use super::mentions::Mentions;
use crate::lift::{ASYNC_ITERATOR, HOLE};
use crate::names::Names;
use crate::visit::{children_mut, each_block, exprs_mut};

/// What is in a tree whose temporaries were inlined.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Inlined {
    /// Temporaries may be left: most functions have no others.
    pub(crate) leaves_temporaries: bool,
    /// Two assignments became one of a conditional expression.
    pub(crate) makes_conditionals: bool,
}

/// See the module.
pub(crate) fn inline_temporaries(block: &mut Block, names: &Names) -> Inlined {
    let mut found = Assigned::default();
    found.find(block);
    let Assigned { mut containers, others, mut lists, returned } = found;
    if containers.is_empty() && others.is_empty() {
        return Inlined { leaves_temporaries: true, makes_conditionals: false };
    }
    let mentions = Mentions::of(block);
    containers.retain(|temporary| !others.contains(temporary));
    // One is its assignment.
    lists.retain(|&temporary| mentions.get(temporary) == 2);
    let (gone, makes_conditionals) = (Cell::new(0), false);
    let mut inliner = Inliner { mentions, containers, lists, returned, names, gone, makes_conditionals };
    inliner.block(block);
    let leaves_temporaries = inliner.mentions.exceed(inliner.gone.get());
    Inlined { leaves_temporaries, makes_conditionals: inliner.makes_conditionals }
}

/// What temporaries are assigned.
#[derive(Default)]
struct Assigned {
    /// Those that hold a new container.
    containers: HashSet<u32>,
    /// Those that are assigned anything else.
    others: HashSet<u32>,
    /// Those of them that are assigned the items of something, unpacked into a list.
    lists: HashSet<u32>,
    /// How often each is returned right behind an assignment.
    returned: HashMap<u32, u32>,
}

impl Assigned {
    fn find(&mut self, block: &mut Block) {
        for pair in block.windows(2) {
            if let (Some((temporary, _)), StmtKind::Return(Some(value))) =
                (candidate(&pair[0]), &pair[1].kind)
                && value.kind == ExprKind::Temp(temporary)
            {
                *self.returned.entry(temporary).or_default() += 1;
            }
        }
        for statement in block {
            if let Some((temporary, value)) = candidate(statement) {
                let holds = if makes_empty(statement) { &mut self.containers } else { &mut self.others };
                holds.insert(temporary);
                if unpacked(value).is_some() {
                    self.lists.insert(temporary);
                }
            }
            each_block(statement, |inner| self.find(inner));
        }
    }
}

struct Inliner<'a> {
    mentions: Mentions,
    /// Lists, sets and dicts that were made empty: reading a method of theirs does nothing.
    containers: HashSet<u32>,
    /// Lists that are read once: nobody sees them, so unpacking them does nothing.
    lists: HashSet<u32>,
    /// How often each is returned right behind an assignment.
    returned: HashMap<u32, u32>,
    names: &'a Names<'a>,
    /// How many of the mentions are gone, at least.
    gone: Cell<u32>,
    makes_conditionals: bool,
}

/// What evaluating a part of a statement means for a temporary that is to move into it.
enum Place {
    /// The temporary was there, first of all; now its value is.
    Filled,
    /// Nothing happened yet.
    Before,
    /// Something that must stay behind the value happened.
    Behind,
}

impl Inliner<'_> {
    fn block(&mut self, block: &mut Block) {
        // How many statements in front are done; what lies between them and the one at hand has moved.
        let mut kept = 0;
        for at in 0..block.len() {
            let (done, rest) = block.split_at_mut(at);
            let statement = &mut rest[0];
            each_block(statement, |inner| self.block(inner));
            if let Some(folded) = self.conditional(statement) {
                *statement = folded;
            }
            while let Some(at) = done[..kept].iter().rposition(|before| !makes_empty(before)) {
                let Some((temporary, value)) = candidate(&done[at]) else { break };
                if !self.is_read_once(temporary) || !self.fill(statement, temporary, value) {
                    break;
                }
                self.note_gone(2 + u32::from(is_iterator(value)));
                done[at..kept].rotate_left(1);
                kept -= 1;
            }
            kept = self.fill_empty(done, kept, statement);
            if kept < at {
                block.swap(kept, at);
            }
            kept += 1;
        }
        block.truncate(kept);
    }

    /// Whether each assignment to a temporary is read once: there is one, or what reads it returns right behind.
    fn is_read_once(&self, temporary: u32) -> bool {
        let mentions = self.mentions.get(temporary);
        mentions == 2 || self.returned.get(&temporary).is_some_and(|pairs| mentions == 2 * pairs)
    }

    /// Puts the empty containers that were made right in front where the statement reads them, if nothing else does: when
    /// one is made makes no difference. Returns how many statements in front are left.
    fn fill_empty(&self, done: &mut [Stmt], kept: usize, statement: &mut Stmt) -> usize {
        if takes_nothing(statement) || makes_empty(statement) {
            return kept;
        }
        let first = done[..kept].iter().rposition(|before| !makes_empty(before)).map_or(0, |last| last + 1);
        let read_once = |before: &Stmt| {
            candidate(before)
                .filter(|(temporary, _)| self.mentions.get(*temporary) == 2)
                .map(|(temporary, value)| (temporary, value.clone()))
        };
        let mut made: HashMap<u32, Expr> = done[first..kept].iter().filter_map(read_once).collect();
        if made.is_empty() {
            return kept;
        }
        exprs_mut(statement).into_iter().for_each(|expr| put(expr, &mut made));
        let mut left = first;
        for at in first..kept {
            if read_once(&done[at]).is_none_or(|(temporary, _)| made.contains_key(&temporary)) {
                done.swap(left, at);
                left += 1;
            } else {
                self.note_gone(2);
            }
        }
        left
    }

    fn note_gone(&self, mentions: u32) {
        self.gone.set(self.gone.get() + mentions);
    }

    /// `if c: t = a else: t = b` as one assignment.
    fn conditional(&mut self, statement: &mut Stmt) -> Option<Stmt> {
        let StmtKind::If { test, body, orelse } = &mut statement.kind else { return None };
        let ([first], [second]) = (&body[..], &orelse[..]) else { return None };
        let ((temporary, _), (other, _)) = (candidate(first)?, candidate(second)?);
        if temporary != other {
            return None;
        }
        let value = |block: &mut Block| match block.pop()?.kind {
            StmtKind::Assign { value, .. } => Some(Box::new(value)),
            _ => None,
        };
        let (body, orelse) = (value(body)?, value(orelse)?);
        self.mentions.take_one(temporary);
        self.makes_conditionals = true;
        let test = Box::new(std::mem::replace(test, Expr::name("_")));
        let value = Expr::new(statement.origin, ExprKind::IfExp { test, body, orelse });
        let target = Expr::new(Origin::NONE, ExprKind::Temp(temporary));
        Some(Stmt::new(statement.origin, StmtKind::Assign { targets: vec![target], value }))
    }

    /// Puts the value where the statement reads the temporary, if that is the first thing it does.
    fn fill(&self, statement: &mut Stmt, temporary: u32, value: &Expr) -> bool {
        if let StmtKind::For { iter, .. } = &mut statement.kind
            && iter.kind == ExprKind::Temp(temporary)
        {
            **iter = iterable(value.clone());
            return true;
        }
        if takes_nothing(statement) {
            return false;
        }
        let first_only = match &statement.kind {
            StmtKind::AugAssign { target, .. } => !matches!(target.kind, ExprKind::Name(_)),
            _ => false,
        };
        for expr in exprs_mut(statement) {
            match self.place(expr, temporary, value) {
                Place::Filled => return true,
                Place::Before if !first_only => {}
                _ => return false,
            }
        }
        false
    }

    fn place(&self, expr: &mut Expr, temporary: u32, value: &Expr) -> Place {
        match &mut expr.kind {
            ExprKind::Comprehension { clauses, .. }
                if clauses.first().is_some_and(|first| first.iter.kind == ExprKind::Temp(temporary)) =>
            {
                clauses[0].iter = iterable(value.clone());
                return Place::Filled;
            }
            // Unpacked into a list first, which was needed only to keep the items.
            ExprKind::Starred(list)
                if list.kind == ExprKind::Temp(temporary) && unpacked(value).is_some() =>
            {
                if let Some(items) = unpacked(value) {
                    *expr = items.clone();
                }
                return Place::Filled;
            }
            ExprKind::Starred(list) if matches!(list.kind, ExprKind::Temp(held) if self.lists.contains(&held)) =>
            {
                return Place::Before;
            }
            ExprKind::Temp(found) if *found == temporary && !is_iterator(value) => {
                *expr = value.clone();
                return Place::Filled;
            }
            ExprKind::Temp(_) | ExprKind::Literal(_) => return Place::Before,
            ExprKind::Attribute { value: container, .. } if matches!(container.kind, ExprKind::Temp(held) if self.containers.contains(&held)) =>
            {
                return Place::Before;
            }
            ExprKind::Name(name) if self.names.variables().contains(&*name) => return Place::Before,
            ExprKind::Name(_) => return Place::Behind,
            _ => {}
        }
        // Only the first of these is evaluated in any case.
        let first_only = matches!(
            expr.kind,
            ExprKind::Bool { .. }
                | ExprKind::IfExp { .. }
                | ExprKind::Comprehension { .. }
                | ExprKind::Compare { .. }
        );
        let binary = matches!(&expr.kind, ExprKind::Compare { rest, .. } if rest.len() == 1);
        if matches!(expr.kind, ExprKind::Lambda { .. }) {
            return Place::Behind;
        }
        // A `__hash__` that does something is not told apart: what was lifted in front of a display was evaluated in it.
        let builds = match &expr.kind {
            ExprKind::Tuple(_)
            | ExprKind::List(_)
            | ExprKind::Set(_)
            | ExprKind::Slice { .. }
            | ExprKind::Starred(_) => true,
            ExprKind::Dict(items) => items.iter().all(|(key, _)| key.is_some()),
            _ => false,
        };
        let starred = matches!(expr.kind, ExprKind::Starred(_));
        for child in children_mut(expr) {
            match self.place(child, temporary, value) {
                Place::Filled => return Place::Filled,
                Place::Before if !first_only || binary => {}
                _ => return Place::Behind,
            }
        }
        if builds && !starred { Place::Before } else { Place::Behind }
    }
}

/// Whether no value goes into the expressions of the statement itself: the test of a `while` is asked again on each round.
fn takes_nothing(statement: &Stmt) -> bool {
    matches!(
        statement.kind,
        StmtKind::While { .. } | StmtKind::Try(_) | StmtKind::Function(_) | StmtKind::Class(_)
    )
}

/// Puts values where an expression reads temporaries, and takes them out.
fn put(expr: &mut Expr, values: &mut HashMap<u32, Expr>) {
    match &mut expr.kind {
        ExprKind::Temp(found) => {
            if let Some(value) = values.remove(found) {
                *expr = value;
            }
        }
        // Evaluated more often, or later.
        ExprKind::Comprehension { .. } | ExprKind::Lambda { .. } => {}
        _ => children_mut(expr).into_iter().for_each(|child| put(child, values)),
    }
}

/// `temporary = []`, which may as well happen later: nothing sees the new container.
fn makes_empty(statement: &Stmt) -> bool {
    candidate(statement).is_some_and(|(_, value)| match &value.kind {
        ExprKind::List(items) => items.is_empty(),
        ExprKind::Dict(items) => items.is_empty(),
        ExprKind::Set(items) => matches!(&items[..], [Expr { kind: ExprKind::Starred(_), .. }]),
        _ => false,
    })
}

/// The `*items` of `[*items]`.
fn unpacked(value: &Expr) -> Option<&Expr> {
    match &value.kind {
        ExprKind::List(items) => match &items[..] {
            [only @ Expr { kind: ExprKind::Starred(_), .. }] => Some(only),
            _ => None,
        },
        _ => None,
    }
}

/// `temporary = value`
fn candidate(statement: &Stmt) -> Option<(u32, &Expr)> {
    match &statement.kind {
        StmtKind::Assign { targets, value } => match &targets[..] {
            [Expr { kind: ExprKind::Temp(temporary), .. }] => Some((*temporary, value)),
            _ => None,
        },
        _ => None,
    }
}

/// Whether the value is the marked iterator that a `for` is going to take, of one iterable.
pub(super) fn is_iterator(value: &Expr) -> bool {
    matches!(&value.kind, ExprKind::Call(call) if matches!(call.func.kind, ExprKind::Temp(HOLE | ASYNC_ITERATOR)) && call.args.len() == 1)
}

/// The iterable of a marked iterator.
pub(super) fn iterable(value: Expr) -> Expr {
    if !is_iterator(&value) {
        return value;
    }
    match value.kind {
        ExprKind::Call(mut call) if call.args.len() == 1 => call.args.remove(0),
        kind => Expr::new(value.origin, kind),
    }
}
