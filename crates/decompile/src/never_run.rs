//! How code is spelled that never runs, beside code that does: the compiler keeps what it mentions.

use depyf_bytecode::CodeObject;
use depyf_syntax::ast::{
    Block, BoolOp, Clause, ComprehensionKind, Expr, ExprKind, Function, Ident, Literal, Origin, Param, Stmt,
    StmtKind,
};

fn new(kind: ExprKind) -> Expr {
    Expr::new(Origin::NONE, kind)
}

fn truth(value: bool) -> Expr {
    new(ExprKind::Literal(Literal::Bool(value)))
}

/// `if False: body`. The compiler evaluates the test, and compiles nothing.
pub(crate) fn under_false(body: Block) -> Stmt {
    Stmt::new(Origin::NONE, StmtKind::If { test: truth(false), body, orelse: Block::new() })
}

/// `if True: body`. The compiler evaluates the test, and compiles the body alone.
pub(crate) fn under_true(body: Block) -> Stmt {
    Stmt::new(Origin::NONE, StmtKind::If { test: truth(true), body, orelse: Block::new() })
}

/// Makes an expression the one that is always chosen, beside what never runs: `expr if True else kept`.
pub(crate) fn choose(expr: &mut Expr, kept: Vec<Expr>) {
    let orelse = Box::new(together(kept));
    let nothing = Expr::new(expr.origin, ExprKind::Literal(Literal::None));
    let body = Box::new(std::mem::replace(expr, nothing));
    expr.kind = ExprKind::IfExp { test: Box::new(truth(true)), body, orelse };
}

/// Several expressions as one.
fn together(mut kept: Vec<Expr>) -> Expr {
    match kept.pop() {
        Some(only) if kept.is_empty() => only,
        last => {
            kept.extend(last);
            new(ExprKind::Tuple(kept))
        }
    }
}

/// A test that always holds, with what never runs behind it: `True or kept`.
pub(crate) fn true_or(kept: Expr) -> Expr {
    new(ExprKind::Bool { op: BoolOp::Or, values: vec![truth(true), kept] })
}

/// What binds names, with the least that can be: `a = b = None`.
pub(crate) fn bind(targets: Vec<Expr>) -> Stmt {
    Stmt::new(Origin::NONE, StmtKind::Assign { targets, value: new(ExprKind::Literal(Literal::None)) })
}

/// A function that holds a code object, which has variables of the function's parameters: `def __code_f(a): def f(): ..`.
pub(crate) fn holder(code: &CodeObject, hidden: Vec<Ident>, body: Block) -> Function {
    let inner = match code.name.as_str() {
        Some(name) if crate::names::is_identifier(&code.name) => name.to_owned(),
        _ => code.name.to_lossy().chars().filter(|letter| letter.is_alphanumeric()).collect(),
    };
    let mut function = Function::plain(Ident::new(&format!("__code_{inner}")), body);
    let parameter = |name| Param { name, annotation: None, default: None };
    function.params.regular = hidden.into_iter().map(parameter).collect();
    function
}

/// A function that shares variables: `lambda: (a, b)`.
pub(crate) fn sharing(names: impl Iterator<Item = Ident>) -> Expr {
    let body = Box::new(new(ExprKind::Tuple(names.map(Expr::name).collect())));
    new(ExprKind::Lambda { params: Box::default(), body })
}

/// `for a, b in ()`
pub(crate) fn loop_of(names: impl Iterator<Item = Ident>) -> Clause {
    let target = together(names.map(Expr::name).collect());
    Clause { is_async: false, target, iter: new(ExprKind::Tuple(Vec::new())), conditions: Vec::new() }
}

/// A comprehension whose variables are cells: the only thing that makes cells of a class or module.
pub(crate) fn comprehension_of_cells(names: &[Ident]) -> Expr {
    let names = || names.iter().cloned();
    let (kind, element) = (ComprehensionKind::List, Box::new(sharing(names())));
    new(ExprKind::Comprehension { kind, element, clauses: vec![loop_of(names())] })
}
