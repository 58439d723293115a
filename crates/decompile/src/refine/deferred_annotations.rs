//! Pass: deferred annotations (3.14 and later) stand where they were written.
//!
//! Needs: the body of a module or class with `AnnotationMark`s, and the annotations that its `__annotate__` holds.
//! Establishes: each annotation is a statement. A mark says where; an annotation without one left no trace in
//! the body but perhaps a store, so the order of the annotations and the lines decide, where there are lines. One that
//! has a number but no mark stands where nothing ever runs, in the order of the numbers. Only what a test decides on has
//! a number in a class: what the compiler decided stands in the `else` of the loop before it, or below `if True:`.
//!
//! Example: `x = 1` and `{'x': int}` become `x: int = 1`.

use crate::hash::{HashMap, HashSet};

use depyf_bytecode::Function;
use depyf_syntax::ast::{Block, CompareOp, Expr, ExprKind, Ident, Literal, Origin, Stmt, StmtKind};

use crate::flow::{copied_annotations, is_class_body, own_annotations};
use crate::lift::{Context, annotation_number};
use crate::marks;
use crate::never_run::{under_false, under_true};
use crate::visit::{blocks, blocks_mut, never_breaks, without_origins};

/// One annotation of a body.
#[derive(Clone)]
pub(crate) struct Deferred {
    /// The number under which the body says that it came to it.
    number: Option<u32>,
    name: Ident,
    annotation: Expr,
    line: Option<u32>,
}

/// The annotations that an `__annotate__` function gives, in order; None where it does anything else.
pub(crate) fn deferred_annotations(body: &Block, function: &Function) -> Option<Vec<Deferred>> {
    let lines = Lines::of(function);
    let mut found = Vec::new();
    for statement in body {
        match &statement.kind {
            // The test of the format.
            StmtKind::If { body, orelse, .. } if raises(body) && orelse.is_empty() => {}
            StmtKind::If { test, body, orelse } if orelse.is_empty() => {
                let number = membership(test)?;
                for inner in body {
                    found.push(Deferred { number: Some(number), ..annotation(inner, &lines)? });
                }
            }
            StmtKind::Return(_) => {}
            _ => found.push(annotation(statement, &lines)?),
        }
    }
    Some(found)
}

fn raises(body: &Block) -> bool {
    matches!(&body[..], [Stmt { kind: StmtKind::Raise { .. }, .. }])
}

/// The number in `number in __conditional_annotations__`.
fn membership(test: &Expr) -> Option<u32> {
    let ExprKind::Compare { left, rest } = &test.kind else { return None };
    match (&left.kind, &rest[..]) {
        (ExprKind::Literal(Literal::Int(number)), [(CompareOp::In, _)]) => {
            number.to_i64().and_then(|number| u32::try_from(number).ok())
        }
        _ => None,
    }
}

fn annotation(statement: &Stmt, lines: &Lines) -> Option<Deferred> {
    let StmtKind::AnnAssign { target, annotation, value: None, .. } = &statement.kind else { return None };
    let ExprKind::Name(name) = &target.kind else { return None };
    Some(Deferred {
        number: None,
        name: name.clone(),
        annotation: without_origins((**annotation).clone()),
        line: lines.get(statement.origin),
    })
}

/// See the module. Annotations that cannot be read are a failure of the body, whose source would lack them.
pub(crate) fn place_annotations(block: &mut Block, context: &Context<'_>) {
    if !context.function.features.deferred_annotations {
        return;
    }
    let Some(annotate) = own_annotations(context.code, context.function) else { return };
    match context.scope.annotations(annotate) {
        Ok(annotations) => place(block, annotations, context),
        Err(error) => {
            block.splice(0..0, marks::failed(annotate, &error));
            context.scope.note_failure(error);
        }
    }
}

fn place(block: &mut Block, annotations: Vec<Deferred>, context: &Context<'_>) {
    let lines = Lines::of(context.function);
    let mut reached = HashSet::default();
    note_marks(block, &mut reached);
    let (mut marked, mut free) = (HashMap::default(), Vec::new());
    let mut never = Vec::new();
    let are_numbered = annotations.iter().any(|found| found.number.is_some());
    let copies =
        if are_numbered { copied_annotations(context.code, context.function) } else { HashMap::default() };
    for found in annotations {
        match found.number {
            // The mark of the first stands for it.
            Some(number) if copies.contains_key(&number) => {}
            Some(number) if !reached.contains(&number) => never.push(found),
            Some(number) => drop(marked.insert(number, Placed { before: std::mem::take(&mut never), found })),
            None => free.push(Placed { before: std::mem::take(&mut never), found }),
        }
    }
    place_marked(block, &mut marked, &lines, is_class_body(context.code));
    let mut from = usize::from(matches!(
        block.first(),
        Some(Stmt { kind: StmtKind::Expr(Expr { kind: ExprKind::Literal(Literal::Str(_)), .. }), .. })
    ));
    for Placed { before, found } in free {
        let line = |statement: &Stmt| lines.get(statement.origin);
        let fits = |statement: &Stmt| match (line(statement), found.line) {
            (Some(a), Some(b)) => a == b,
            _ => true,
        };
        let store = (from..block.len()).find(|&at| stores(&block[at], &found.name) && fits(&block[at]));
        let at = match store {
            Some(at) => {
                annotate(&mut block[at], found);
                at
            }
            None => {
                let behind = |statement: &Stmt| match (line(statement), found.line) {
                    (Some(a), Some(b)) => a > b,
                    (_, None) => true,
                    (None, _) => false,
                };
                let at = (from..block.len()).find(|&at| behind(&block[at])).unwrap_or(block.len());
                block.insert(at, bare(found));
                at
            }
        };
        from = at + before.len() + 1;
        block.splice(at..at, before.into_iter().map(never_reached));
    }
    block.extend(never.into_iter().map(never_reached));
}

/// An annotation, and those in front of it that the body never comes to.
struct Placed {
    before: Vec<Deferred>,
    found: Deferred,
}

/// Notes the numbers of all marks.
fn note_marks(block: &Block, found: &mut HashSet<u32>) {
    for statement in block {
        found.extend(mark(statement));
        blocks(statement).for_each(|inner| note_marks(inner, found));
    }
}

/// The number of a mark.
fn mark(statement: &Stmt) -> Option<u32> {
    match &statement.kind {
        StmtKind::AnnAssign { target, .. } => annotation_number(target),
        _ => None,
    }
}

/// An annotation under a test that never holds.
fn never_reached(found: Deferred) -> Stmt {
    under_false(vec![bare(found)])
}

/// Puts annotations where their marks stand, into the store before a mark where there is one. `always` is for the
/// statements of a class that run always.
fn place_marked(block: &mut Block, marked: &mut HashMap<u32, Placed>, lines: &Lines, always: bool) {
    let mut done = Block::with_capacity(block.len());
    for mut statement in std::mem::take(block) {
        for inner in blocks_mut(&mut statement) {
            place_marked(inner, marked, lines, false);
        }
        let number = mark(&statement);
        let Some(placed) = number.and_then(|number| marked.get_mut(&number)) else {
            done.push(statement);
            continue;
        };
        let (before, found) = (std::mem::take(&mut placed.before), placed.found.clone());
        let same_line = |before: &Stmt| match (lines.get(before.origin), found.line) {
            (Some(a), Some(b)) => a == b,
            _ => true,
        };
        let placed = match done.pop_if(|before| stores(before, &found.name) && same_line(before)) {
            Some(mut store) => {
                annotate(&mut store, found);
                store
            }
            None => bare(found),
        };
        done.extend(before.into_iter().map(never_reached));
        if always {
            push_below_test(&mut done, placed);
        } else {
            done.push(placed);
        }
    }
    *block = done;
}

/// Puts a statement where a test decides on it that always holds.
fn push_below_test(block: &mut Block, statement: Stmt) {
    if let Some(last) = block.last_mut()
        && never_breaks(last)
        && let StmtKind::For { orelse, .. } | StmtKind::While { orelse, .. } = &mut last.kind
    {
        orelse.push(statement);
    } else {
        block.push(under_true(vec![statement]));
    }
}

/// Whether the statement is `name = value`.
fn stores(statement: &Stmt, name: &Ident) -> bool {
    match &statement.kind {
        StmtKind::Assign { targets, .. } => {
            matches!(&targets[..], [Expr { kind: ExprKind::Name(stored), .. }] if stored == name)
        }
        _ => false,
    }
}

fn annotate(statement: &mut Stmt, found: Deferred) {
    if let StmtKind::Assign { targets, value } = &mut statement.kind
        && let Some(target) = targets.pop()
    {
        let value = Some(std::mem::replace(value, Expr::name("_")));
        let (target, annotation) = (Box::new(target), Box::new(found.annotation));
        statement.kind = StmtKind::AnnAssign { target, annotation, value, simple: true };
    }
}

fn bare(found: Deferred) -> Stmt {
    let target = Expr::name(found.name);
    let (target, annotation) = (Box::new(target), Box::new(found.annotation));
    let kind = StmtKind::AnnAssign { target, annotation, value: None, simple: true };
    Stmt::new(Origin::NONE, kind)
}

/// The lines of a function's instructions, by offset.
struct Lines(HashMap<u32, u32>);

impl Lines {
    fn of(function: &Function) -> Self {
        let known = function.instructions.iter();
        Self(known.filter_map(|instruction| Some((instruction.offset, instruction.line?))).collect())
    }

    fn get(&self, origin: Origin) -> Option<u32> {
        self.0.get(&origin.0).copied()
    }
}
