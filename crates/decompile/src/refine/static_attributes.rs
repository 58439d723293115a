//! Pass: attributes that a class lists, and that no method of it stores, are stored where that never runs.
//!
//! The compiler notes which attributes of `self` the methods store (CPython `Python/codegen.c`, `__static_attributes__`),
//! also in a branch that it drops.
//!
//! Needs: the final statements of the body, methods included. Establishes: the compiler lists the same attributes again
//! (exact view, and no code of Dynamo's). Where no method has a parameter `self` nothing changes.
//!
//! Example: `if False: self.x = self` in the first method, where `('x',)` is stored as `__static_attributes__`.

use depyf_bytecode::{CodeObject, Const, Function, Op};
use depyf_syntax::ast::{self, Block, Expr, ExprKind, Literal, Origin, Params, Stmt, StmtKind};
use depyf_value::PyStr;

use crate::View;
use crate::lift::Context;
use crate::never_run::under_false;
use crate::visit::blocks;

/// See the module.
pub(crate) fn restore_static_attributes(block: &mut Block, context: &Context<'_>) {
    if context.scope.options.view != View::Exact || context.packs_values {
        return;
    }
    let mut lost = listed(context.code, context.function);
    if !lost.is_empty() {
        without_stored(block, &mut lost);
        store(block, &lost);
    }
}

/// The attributes that a class body stores the list of.
fn listed<'a>(code: &'a CodeObject, function: &Function) -> Vec<&'a PyStr> {
    let is_list =
        |name: u32| code.names.get(name as usize).is_some_and(|name| *name == "__static_attributes__");
    let list = function.instructions.windows(2).find_map(|pair| match (pair[0].op, pair[1].op) {
        (Op::Const(constant), Op::StoreName(name)) if is_list(name) => code.consts.get(constant as usize),
        _ => None,
    });
    let Some(Const::Tuple(names)) = list else { return Vec::new() };
    names.iter().filter_map(|name| if let Const::Str(name) = name { Some(name) } else { None }).collect()
}

/// Leaves out of the names those that the statements store, methods included. A class inside has a list of its own.
fn without_stored(block: &Block, names: &mut Vec<&PyStr>) {
    for statement in block {
        match &statement.kind {
            _ if names.is_empty() => return,
            StmtKind::Function(function) => without_stored(&function.body, names),
            StmtKind::Assign { targets, .. } => {
                targets.iter().for_each(|target| without_targets(target, names));
            }
            StmtKind::AnnAssign { target, .. } | StmtKind::For { target, .. } => {
                without_targets(target, names);
            }
            StmtKind::With { items, .. } => {
                let targets = items.iter().filter_map(|item| item.target.as_ref());
                targets.for_each(|target| without_targets(target, names));
            }
            _ => {}
        }
        blocks(statement).for_each(|inner| without_stored(inner, names));
    }
}

fn without_targets(target: &Expr, names: &mut Vec<&PyStr>) {
    match &target.kind {
        ExprKind::Attribute { value, attr } if is_self(value) => names.retain(|name| *name != attr),
        ExprKind::Starred(inner) => without_targets(inner, names),
        ExprKind::Tuple(items) | ExprKind::List(items) => {
            items.iter().for_each(|item| without_targets(item, names));
        }
        _ => {}
    }
}

fn is_self(expr: &Expr) -> bool {
    matches!(&expr.kind, ExprKind::Name(name) if *name == SELF)
}

/// Stores the attributes in the first method that may, under a test that never holds.
fn store(block: &mut Block, names: &[&PyStr]) {
    let method = block.iter_mut().find_map(|statement| match &mut statement.kind {
        StmtKind::Function(function) if has_self(function) => Some(function),
        _ => None,
    });
    let (Some(method), false) = (method, names.is_empty()) else { return };
    let expr = |kind: ExprKind| Expr::new(Origin::NONE, kind);
    let own = || expr(ExprKind::Name(SELF.into()));
    let attribute =
        |name: &&PyStr| expr(ExprKind::Attribute { value: Box::new(own()), attr: (*name).clone() });
    let kind = StmtKind::Assign { targets: names.iter().map(attribute).collect(), value: own() };
    let is_text = |expr: &Expr| matches!(expr.kind, ExprKind::Literal(Literal::Str(_)));
    let documented =
        method.body.first().is_some_and(|first| matches!(&first.kind, StmtKind::Expr(text) if is_text(text)));
    method.body.insert(usize::from(documented), under_false(vec![Stmt::new(Origin::NONE, kind)]));
}

/// Whether a function has a parameter that the attributes may be those of.
fn has_self(function: &ast::Function) -> bool {
    let Params { posonly, regular, .. } = &function.params;
    posonly.iter().chain(regular).any(|param| param.name == *SELF)
}

/// What the compiler takes for the object.
const SELF: &str = "self";

#[cfg(test)]
mod tests {
    use super::*;

    /// A class body with the attributes that it lists.
    fn restored(body: &str, listed: &[&str]) -> String {
        let mut block = depyf_parse::parse_module(body).expect("source");
        let listed: Vec<PyStr> = listed.iter().map(|&name| name.into()).collect();
        let mut lost = listed.iter().collect();
        without_stored(&block, &mut lost);
        store(&mut block, &lost);
        depyf_syntax::print(&block, &depyf_syntax::PrintOptions::default()).text
    }

    #[test]
    fn what_no_method_stores_is_stored_where_that_never_runs() {
        let found = restored("def f(a): pass\ndef g(self):\n    'text'\n    self.a = 1", &["a", "b", "c"]);
        let method = "    \"\"\"text\"\"\"\n    if False:\n        self.b = self.c = self\n    self.a = 1\n";
        assert!(found.ends_with(method), "{found}");
    }

    #[test]
    fn what_a_method_stores_is_not_stored_once_more() {
        let body =
            "def f(self):\n    for self.a, (*self.b,) in x:\n        with y as self.c:\n            pass";
        assert_eq!(restored(body, &["a", "b", "c"]).trim_end(), body);
        let inner = "class A:\n    def f(self):\n        self.a = 1\n\n\ndef f(self):\n    pass";
        assert!(restored(inner, &["a"]).ends_with("if False:\n        self.a = self\n    pass\n"));
    }
}
