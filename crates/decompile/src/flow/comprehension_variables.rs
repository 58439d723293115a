//! The variables of an inlined comprehension that only a part of it binds or shares which was never compiled.
//!
//! The compiler sets them aside all the same: they are those of the comprehension's scope, whatever is left of it.
//!
//! Example: of `[x for x in y if False for z in lambda: x]` the first loop is left, which sets aside `x`, as a cell, and
//! `z`. It is `[lambda: (x,) for x in y if False for z in ()]`.

use depyf_bytecode::{CompilerFeatures, Op, VarId};
use depyf_syntax::ast::{ComprehensionKind, Expr, ExprKind, Ident, Literal, Origin};

use super::comprehensions::ITERABLE;
use super::{BlockId, Graph, Lists, Step, StepKind, Terminator};
use crate::lift::Context;
use crate::lower::inlined_variables;
use crate::names::is_identifier;
use crate::never_run::{choose, loop_of, sharing, true_or};

/// The variables that are set aside in front of a comprehension, in order, and whether each becomes a cell.
pub(super) fn set_aside(graph: &Graph, predecessors: &Lists, start: (BlockId, usize)) -> Vec<(VarId, bool)> {
    let mut own = Vec::new();
    let steps = match (start, &predecessors[start.0]) {
        // What gives the variables back where an exception ends the loop protects it from here on.
        ((block, 0), &[before]) if graph.blocks[before].end == Terminator::Jump(block) => {
            &graph.blocks[before].steps[..]
        }
        ((block, at), _) => &graph.blocks[block].steps[..at],
    };
    let Some((Step { kind: StepKind::Op(Op::Swap(_)), .. }, before)) = steps.split_last() else { return own };
    let mut is_cell = false;
    for step in before.iter().rev() {
        match step.kind {
            StepKind::Op(Op::MakeCell(_)) => is_cell = true,
            StepKind::Op(Op::LoadLocalAndClear(variable)) => {
                own.push((variable, std::mem::take(&mut is_cell)))
            }
            _ => break,
        }
    }
    own.reverse();
    own
}

/// Whether the part of the graph that is a comprehension stores its only variable, which is no cell, and holds no other
/// comprehension: then it has this variable without more.
pub(super) fn has_all(part: &Graph, own: &[(VarId, bool)]) -> bool {
    let &[(variable, false)] = own else { return false };
    let mut stores = false;
    for step in part.blocks.iter().flat_map(|block| &block.steps) {
        match &step.kind {
            StepKind::Op(Op::StoreLocal(stored)) => stores |= *stored == variable,
            StepKind::Op(_) => {}
            _ => return false,
        }
    }
    stores
}

/// Mentions in a comprehension what it takes to set aside the variables of the bytecode.
pub(super) fn restore_variables(expr: &mut Expr, own: &[(VarId, bool)], context: &Context<'_>) {
    let Some(compiler) = CompilerFeatures::of(context.code.version) else { return };
    // In a class the parameter that the comprehension would have is set aside as well.
    let is_parameter = |variable: VarId| {
        context.function.variables.get(variable as usize).is_some_and(|found| found.name == ITERABLE)
    };
    let own = own.iter().filter(|&&(variable, _)| !is_parameter(variable));
    let name = |&(variable, is_cell): &(VarId, bool)| (context.names.variable(variable), is_cell);
    let wanted: Vec<(Ident, bool)> = own.map(name).collect();
    let has = |expr: &Expr| inlined_variables(expr, &compiler).is_some_and(|made| made == wanted);
    let Some(made) = inlined_variables(expr, &compiler) else { return };
    if made == wanted || !wanted.iter().all(|(name, _)| is_identifier(name)) {
        return;
    }
    let missing = Missing {
        bound: wanted
            .iter()
            .filter(|(name, _)| !made.iter().any(|(other, _)| other == name))
            .cloned()
            .collect(),
        shared: wanted
            .iter()
            .filter(|found| found.1 && made.contains(&(found.0.clone(), false)))
            .cloned()
            .collect(),
        read: made
            .iter()
            .filter(|(name, _)| !wanted.iter().any(|(other, _)| other == name))
            .cloned()
            .collect(),
    };
    let found = missing.spellings(expr).find(|spelling| has(spelling));
    if let Some(found) = found {
        *expr = found;
    }
}

/// What a comprehension does not mention.
struct Missing {
    /// Variables that it or a comprehension in it binds; and whether a function inside shares them.
    bound: Vec<(Ident, bool)>,
    /// Variables that it binds, and that a function inside shares.
    shared: Vec<(Ident, bool)>,
    /// Variables of comprehensions inside that are others than those around of the same name.
    read: Vec<(Ident, bool)>,
}

/// More variables than these are not parted between the comprehension and one inside.
const MOST_PARTED: usize = 8;

impl Missing {
    /// The ways to mention all that, the more likely ones first.
    fn spellings<'a>(&'a self, expr: &'a Expr) -> impl Iterator<Item = Expr> {
        let count = self.bound.len();
        let parted = move |from: usize| (count <= MOST_PARTED || from == 0 || from == count).then_some(from);
        let dead = (0..=count).rev().filter_map(parted).filter_map(|own| self.behind_last_test(expr, own));
        dead.chain(
            [Place::LastTest, Place::FirstTest, Place::Element]
                .into_iter()
                .filter_map(|place| self.beside(expr, place)),
        )
    }

    /// Where the last test never holds: the first so many bound variables are those of a loop of the comprehension.
    fn behind_last_test(&self, expr: &Expr, own: usize) -> Option<Expr> {
        let mut expr = expr.clone();
        let ExprKind::Comprehension { kind, element, clauses } = &mut expr.kind else { return None };
        let last = clauses.last()?.conditions.last()?;
        if last.kind != ExprKind::Literal(Literal::Bool(false)) {
            return None;
        }
        let (outer, inner) = self.bound.split_at(own);
        clauses.extend((!outer.is_empty()).then(|| loop_of(names(outer))));
        let shared: Vec<(Ident, bool)> =
            self.shared.iter().chain(outer.iter().filter(|found| found.1)).cloned().collect();
        let value = self.mentions(&shared, inner);
        **element = match kind {
            ComprehensionKind::Dict => new(ExprKind::Tuple(vec![none(), value])),
            _ => value,
        };
        Some(expr)
    }

    /// Beside what runs, where it never does.
    fn beside(&self, expr: &Expr, place: Place) -> Option<Expr> {
        let mut expr = expr.clone();
        let ExprKind::Comprehension { kind, element, clauses } = &mut expr.kind else { return None };
        let value = self.mentions(&self.shared, &self.bound);
        match place {
            Place::LastTest => clauses.last_mut()?.conditions.push(true_or(value)),
            Place::FirstTest => clauses.first_mut()?.conditions.insert(0, true_or(value)),
            Place::Element => {
                let place = match (&mut element.kind, kind) {
                    (ExprKind::Tuple(pair), ComprehensionKind::Dict) => pair.first_mut()?,
                    (ExprKind::Starred(value), _) => &mut **value,
                    _ => &mut **element,
                };
                choose(place, vec![value]);
            }
        }
        Some(expr)
    }

    /// What mentions the variables of the comprehension, and those that one inside binds.
    fn mentions(&self, shared: &[(Ident, bool)], inner: &[(Ident, bool)]) -> Expr {
        let mut all: Vec<Expr> = self.read.iter().map(|(name, _)| Expr::name(name.clone())).collect();
        all.extend((!shared.is_empty()).then(|| sharing(names(shared))));
        if !inner.is_empty() {
            let cells = || inner.iter().filter(|found| found.1).map(|(name, _)| name.clone());
            let element = if cells().next().is_none() { none() } else { sharing(cells()) };
            let (kind, element) = (ComprehensionKind::List, Box::new(element));
            all.push(new(ExprKind::Comprehension { kind, element, clauses: vec![loop_of(names(inner))] }));
        }
        if all.len() > 1 { new(ExprKind::Tuple(all)) } else { all.pop().unwrap_or_else(none) }
    }
}

/// Where what never runs stands.
#[derive(Clone, Copy)]
enum Place {
    LastTest,
    FirstTest,
    Element,
}

fn new(kind: ExprKind) -> Expr {
    Expr::new(Origin::NONE, kind)
}

fn none() -> Expr {
    new(ExprKind::Literal(Literal::None))
}

fn names(found: &[(Ident, bool)]) -> impl Iterator<Item = Ident> + '_ {
    found.iter().map(|(name, _)| name.clone())
}
