//! What one function looks like after each pass: `depyf steps`.
//!
//! The graph is listed block by block, in reverse postorder; from `structure` on the tree prints as
//! (pseudo-)Python.

use std::fmt::Write;

use depyf_bytecode::{CodeObject, Op};
use depyf_syntax::ast::{Block, Expr, Literal, Origin};
use depyf_syntax::{Grammar, PrintOptions};

use crate::flow::{self, Graph, Piece, RegionId, Step as GraphStep, StepKind};
use crate::lift::{self, Context, Lifted, LiftedEnd};
use crate::{Error, Options, scope};

/// All that happened to one function.
#[derive(Clone, Debug)]
pub struct Steps {
    /// The decoded function, then what each pass made of it.
    pub steps: Vec<Step>,
    /// Why there is no source, where the last step was not reached.
    pub error: Option<Error>,
}

/// What one pass made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The pass.
    pub name: &'static str,
    /// Why the pass stands where it stands.
    pub place: &'static str,
    /// The function behind it.
    pub text: String,
}

/// The form of a function between two passes.
pub(crate) enum Stage<'a> {
    /// Blocks of operations.
    Graph(&'a Graph),
    /// Blocks of statements.
    Lifted(&'a Lifted<'a>),
    /// The tree.
    Tree(&'a Block),
}

/// Runs the passes on one code object alone, and keeps what each makes.
///
/// Functions inside of it appear as in [`crate::decompile()`], decompiled; what happens to them is found by
/// asking for their own steps.
///
/// # Examples
/// ```
/// use depyf_bytecode::{CodeObject, Const};
/// use depyf_decompile::{Options, steps};
/// use depyf_value::PyVersion;
///
/// // LOAD_CONST 0, RETURN_VALUE
/// let code = CodeObject { code: vec![100, 0, 83, 0], consts: vec![Const::None], ..CodeObject::empty(PyVersion(10)) };
/// let found = steps(&code, &Options::default());
/// assert!(found.error.is_none());
/// assert_eq!(found.steps[0].name, "decode");
/// ```
#[must_use]
pub fn steps(code: &CodeObject, options: &Options) -> Steps {
    let mut steps = Vec::new();
    let outcome = scope::Scope::new(options).observed(code, &mut |name, place, context, stage| {
        let text = match stage {
            Stage::Graph(graph) => graph_text(graph, context),
            Stage::Lifted(lifted) => lifted_text(lifted, context),
            Stage::Tree(block) => tree_text(block, context),
        };
        steps.push(Step { name, place, text });
    });
    Steps { steps, error: outcome.err() }
}

fn print_options(context: &Context<'_>) -> PrintOptions {
    PrintOptions { grammar: Grammar::of(context.code.version), width: None, ..PrintOptions::default() }
}

fn tree_text(block: &Block, context: &Context<'_>) -> String {
    depyf_syntax::print(block, &print_options(context)).text
}

fn expr_text(expr: &Expr, context: &Context<'_>) -> String {
    depyf_syntax::print_expr(expr, &print_options(context))
}

fn graph_text(graph: &Graph, context: &Context<'_>) -> String {
    let mut text = String::new();
    for &id in graph.reverse_postorder().iter() {
        let block = &graph.blocks[id];
        head(&mut text, id, block.region);
        for step in &block.steps {
            line(&mut text, Some(step.offset), &step_text(step, context));
        }
        line(&mut text, Some(block.end_offset), &format!("{:?}", block.end));
    }
    for (id, region) in graph.regions.iter().enumerate() {
        // Writing into a string does not fail.
        let _ = writeln!(
            text,
            "region {id}: {:?}, handler block {}, keeps {} values",
            region.kind, region.handler, region.depth
        );
    }
    text
}

fn head(text: &mut String, block: usize, region: Option<RegionId>) {
    let region = region.map_or_else(String::new, |region| format!(" in region {region}"));
    let _ = writeln!(text, "block {block}{region}:");
}

fn line(text: &mut String, offset: Option<u32>, content: &str) {
    let offset = offset.map_or_else(String::new, |offset| offset.to_string());
    let _ = writeln!(text, "  {offset:>6}  {content}");
}

fn step_text(step: &GraphStep, context: &Context<'_>) -> String {
    let expr = |expr: &Expr| expr_text(expr, context);
    match &step.kind {
        StepKind::Op(op) => match meaning(*op, context) {
            Some(meaning) => format!("{op:?}  # {meaning}"),
            None => format!("{op:?}"),
        },
        StepKind::Piece(piece) => match &**piece {
            Piece::Bool { and, values, grouped } => {
                let op = if *and { "and" } else { "or" };
                let values = values.iter().rev().map(|value| format!("{op} {}", expr(&value.expr)));
                let text = values.collect::<Vec<_>>().join(" ");
                if *grouped { format!("{text}, a group") } else { text }
            }
            Piece::Conditional { body, orelse } => {
                format!("{} if .. else {}", expr(&body.expr), expr(&orelse.expr))
            }
            Piece::Chain { first, rest } => {
                let rest = rest.iter().map(|(op, value)| format!("{op:?} {}", expr(&value.expr)));
                format!("chain {first:?}, {}", rest.collect::<Vec<_>>().join(", "))
            }
            Piece::Comprehension(value) => expr(&value.expr),
        },
        StepKind::IsNone { negated } => format!("is {}None", if *negated { "not " } else { "" }),
        StepKind::WithExit => "call of the exit function".to_owned(),
        StepKind::Comment => format!("# {}", flow::PROFILER_COMMENT),
        #[allow(unreachable_patterns, reason = "a kind without a text of its own shows as it is")]
        other => format!("{other:?}"),
    }
}

/// What the number in an operation stands for.
fn meaning(op: Op, context: &Context<'_>) -> Option<String> {
    let raw = |name: u32| context.names.raw(name).to_lossy();
    Some(match op {
        Op::Const(at) => {
            let value: Literal = lift::literal(context.code.consts.get(at as usize)?)?;
            let kind = depyf_syntax::ast::ExprKind::Literal(value);
            shortened(expr_text(&Expr::new(Origin::NONE, kind), context))
        }
        Op::LoadLocal(at)
        | Op::LoadLocalAndClear(at)
        | Op::MakeCell(at)
        | Op::StoreLocal(at)
        | Op::DeleteLocal(at)
        | Op::LoadDeref(at)
        | Op::StoreDeref(at)
        | Op::DeleteDeref(at)
        | Op::LoadClosure(at)
        | Op::LoadClassDeref(at)
        | Op::LoadFromDictOrDeref(at) => context.names.variable(at).to_lossy(),
        Op::LoadFromDictOrGlobals(at)
        | Op::LoadGlobal(at)
        | Op::StoreGlobal(at)
        | Op::DeleteGlobal(at)
        | Op::LoadName(at)
        | Op::StoreName(at)
        | Op::DeleteName(at)
        | Op::LoadAttr(at)
        | Op::StoreAttr(at)
        | Op::DeleteAttr(at)
        | Op::ImportFrom(at) => raw(at),
        _ => return None,
    })
}

/// The first characters of a long constant.
fn shortened(text: String) -> String {
    const SHOWN: usize = 60;
    match text.char_indices().nth(SHOWN) {
        Some((at, _)) => format!("{}..", &text[..at]),
        None => text,
    }
}

fn lifted_text(lifted: &Lifted<'_>, context: &Context<'_>) -> String {
    let mut text = String::new();
    for (id, block) in lifted.blocks.iter().enumerate() {
        if matches!(block.end, LiftedEnd::Nowhere) && block.statements.is_empty() {
            continue;
        }
        head(&mut text, id, block.region);
        for statement in tree_text(&block.statements, context).lines() {
            line(&mut text, None, statement);
        }
        line(&mut text, Some(block.end_offset), &end_text(&block.end, context));
    }
    text
}

fn end_text(end: &LiftedEnd, context: &Context<'_>) -> String {
    let expr = |expr: &Expr| expr_text(expr, context);
    match end {
        LiftedEnd::Branch { test, yes, no } => format!("if {}: block {yes} else block {no}", expr(test)),
        LiftedEnd::ExceptMatch { kind, yes, no } => {
            format!("if the exception is {}: block {yes} else block {no}", expr(kind))
        }
        LiftedEnd::For { iter, item, body, exhausted, .. } => {
            format!("for temporary {item} in {}: block {body}, then block {exhausted}", expr(iter))
        }
        LiftedEnd::Return(value) => format!("return {}", expr(value)),
        LiftedEnd::Jump(to) => format!("go to block {to}"),
        other => format!("{other:?}"),
    }
}

#[cfg(test)]
mod tests {
    use depyf_bytecode::{CodeObject, Const};
    use depyf_value::PyVersion;

    use super::*;

    #[test]
    fn every_stage_has_a_text() {
        // 3.10: LOAD_FAST a, POP_JUMP_IF_FALSE 4, LOAD_CONST 1, RETURN_VALUE, LOAD_CONST 0, RETURN_VALUE
        let code = CodeObject {
            name: "f".into(),
            flags: 0x43,
            argcount: 1,
            varnames: vec!["a".into()],
            code: vec![124, 0, 114, 4, 100, 1, 83, 0, 100, 0, 83, 0],
            consts: vec![Const::None, Const::Str("yes".into())],
            ..CodeObject::empty(PyVersion(10))
        };
        let Steps { steps, error } = steps(&code, &Options::default());
        assert_eq!(error, None);
        let find = |name: &str| &steps.iter().find(|step| step.name == name).expect("the pass").text;
        assert!(find("decode").contains("LoadLocal(0)  # a\n"), "{}", find("decode"));
        assert!(find("lift").contains("if a: block"), "{}", find("lift"));
        assert_eq!(steps.last().map(|step| &*step.text), Some("if a:\n    return 'yes'\n"));
    }

    #[test]
    fn a_failure_leaves_the_steps_before_it() {
        // 3.12: RESUME 0, POP_TOP from an empty stack, RETURN_CONST 0.
        let code = CodeObject {
            flags: 3,
            code: vec![151, 0, 1, 0, 121, 0],
            consts: vec![Const::None],
            ..CodeObject::empty(PyVersion(12))
        };
        let Steps { steps, error } = steps(&code, &Options::default());
        assert_eq!(error.map(|error| error.offset), Some(2));
        assert!(steps.iter().any(|step| step.name == "reduce"));
        assert!(steps.iter().all(|step| step.name != "lift"));
    }
}
