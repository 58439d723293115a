//! Pass: a module or class that had annotations has one.
//!
//! The annotation of an attribute, an item or a name in parentheses is kept nowhere, and need not even be evaluated.
//! But the body prepares for annotations as if it were a name's: to 3.13 by `SETUP_ANNOTATIONS`, later by the set
//! `__conditional_annotations__`, or by the cell that a class provides for its `__annotate__` (CPython
//! `Python/symtable.c`, `symtable_visit_annotation`).
//!
//! Needs: annotations are statements. Establishes: where the body prepares for annotations and none is left, it ends
//! with one that does nothing.
//!
//! Example: `SETUP_ANNOTATIONS` in a module without annotations becomes `if False: (_): 0`.

use depyf_bytecode::{CodeObject, Const, Op, VarId};
use depyf_syntax::ast::{Block, Expr, ExprKind, Literal, Origin, Stmt, StmtKind};

use crate::flow::Contents;
use crate::lift::Context;
use crate::names::{CLASS_NAMESPACE, CONDITIONAL_ANNOTATIONS};
use crate::never_run::under_false;
use crate::visit::blocks;

/// What annotations a body prepares for, or has.
#[derive(Clone, Copy, Default)]
struct Annotations {
    /// Any at all.
    any: bool,
    /// Some that the body might not come to (3.14 on): for the compiler, all of a module.
    conditional: bool,
    /// A class provides its namespace, for its own or for those that any function in its body might have (3.14 on).
    namespace: bool,
}

/// See the module.
pub(crate) fn restore_lost_annotations(block: &mut Block, context: &Context<'_>, contents: Contents) {
    let prepared = prepared(context, contents);
    if !prepared.any && !prepared.namespace {
        return;
    }
    let mut found = Annotations::default();
    note(block, false, &mut found);
    let deferred = context.function.features.deferred_annotations;
    let is_class = context.code.name != "<module>";
    let are_texts = context.code.has_annotation_texts();
    let missing = prepared.any && !found.any
        || deferred && is_class && prepared.conditional && !found.conditional
        || prepared.namespace && !found.any && (are_texts || !found.namespace);
    if !missing {
        return;
    }
    let zero = Expr::new(Origin::NONE, ExprKind::Literal(Literal::Int(0.into())));
    let (target, annotation) = (Box::new(Expr::name("_")), Box::new(zero));
    let lost = StmtKind::AnnAssign { target, annotation, value: None, simple: false };
    let mut lost = Stmt::new(Origin::NONE, lost);
    if !deferred || prepared.conditional {
        lost = under_false(vec![lost]);
    }
    block.push(lost);
}

/// What the body prepares for.
fn prepared(context: &Context<'_>, contents: Contents) -> Annotations {
    let (code, function) = (context.code, context.function);
    let variable = |cell: VarId| function.variables.get(cell as usize).map(|variable| &variable.name);
    let mut found = Annotations::default();
    let may_prepare = function.features.deferred_annotations || contents.meets(Contents::ANNOTATIONS);
    let instructions = if may_prepare { &function.instructions[..] } else { &[] };
    for pair in instructions.windows(2) {
        let set = match (pair[0].op, pair[1].op) {
            (Op::SetupAnnotations, _) | (_, Op::SetupAnnotations) => {
                found.any = true;
                continue;
            }
            (Op::BuildSet(0), Op::StoreName(name)) => code.names.get(name as usize),
            (Op::BuildSet(0), Op::StoreDeref(cell)) => variable(cell),
            _ => continue,
        };
        found.conditional |= set.is_some_and(|name| *name == CONDITIONAL_ANNOTATIONS);
    }
    let taken_by = |name: &str, may_take: fn(&CodeObject) -> bool| {
        let mut nested = code.consts.iter().filter_map(|value| match value {
            Const::Code(nested) => Some(nested),
            _ => None,
        });
        nested.any(|nested| may_take(nested) && nested.freevars.iter().any(|free| *free == name))
    };
    // Where a class in this one has such annotations, this one provides the set as well, though its own never is asked for.
    found.conditional &= !taken_by(CONDITIONAL_ANNOTATIONS, |nested| nested.name != "__annotate__");
    let provides = function.features.deferred_annotations
        && code.cellvars.iter().any(|name| *name == CLASS_NAMESPACE)
        && !taken_by(CLASS_NAMESPACE, |_| true);
    found.any |= found.conditional;
    found.namespace = provides;
    found
}

/// Notes the annotations in a body, which are not those of its functions and classes.
fn note(block: &[Stmt], conditional: bool, found: &mut Annotations) {
    for statement in block {
        if matches!(statement.kind, StmtKind::AnnAssign { .. }) {
            found.any = true;
            found.conditional |= conditional;
        }
        found.namespace |= matches!(statement.kind, StmtKind::Function(_));
        blocks(statement).for_each(|inner| note(inner, true, found));
    }
}
