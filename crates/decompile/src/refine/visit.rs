//! Walks over the tree that the passes share.

use depyf_syntax::ast::{Block, Clause, Expr, ExprKind, Origin, Params, Pattern, Stmt, StmtKind, StringPart};

/// The statement lists directly inside a statement.
pub(crate) fn blocks_mut(statement: &mut Stmt) -> Vec<&mut Block> {
    match &mut statement.kind {
        StmtKind::If { body, orelse, .. }
        | StmtKind::While { body, orelse, .. }
        | StmtKind::For { body, orelse, .. } => {
            vec![body, orelse]
        }
        StmtKind::With { body, .. } => vec![body],
        StmtKind::Try(inner) => {
            let mut found = vec![&mut inner.body];
            found.extend(inner.handlers.iter_mut().map(|handler| &mut handler.body));
            found.push(&mut inner.orelse);
            found.push(&mut inner.finalbody);
            found
        }
        StmtKind::Match { cases, .. } => cases.iter_mut().map(|case| &mut case.body).collect(),
        _ => Vec::new(),
    }
}

/// The statement lists directly inside a statement.
pub(crate) fn blocks(statement: &Stmt) -> Vec<&Block> {
    match &statement.kind {
        StmtKind::If { body, orelse, .. }
        | StmtKind::While { body, orelse, .. }
        | StmtKind::For { body, orelse, .. } => vec![body, orelse],
        StmtKind::With { body, .. } => vec![body],
        StmtKind::Try(inner) => {
            let handlers = inner.handlers.iter().map(|handler| &handler.body);
            std::iter::once(&inner.body).chain(handlers).chain([&inner.orelse, &inner.finalbody]).collect()
        }
        StmtKind::Match { cases, .. } => cases.iter().map(|case| &case.body).collect(),
        _ => Vec::new(),
    }
}

/// The expressions directly inside a statement, those of nested blocks not included, in the order in which
/// they are evaluated. The body of a nested function is not visited: it has its own temporaries.
pub(super) fn exprs_mut(statement: &mut Stmt) -> Vec<&mut Expr> {
    match &mut statement.kind {
        StmtKind::Expr(value) => vec![value],
        StmtKind::Assign { targets, value } => {
            let mut found = vec![value];
            found.extend(targets);
            found
        }
        StmtKind::AugAssign { target, value, .. } => vec![target, value],
        StmtKind::AnnAssign { target, annotation, value } => {
            let mut found: Vec<&mut Expr> = value.iter_mut().collect();
            found.extend([target, annotation]);
            found
        }
        StmtKind::Delete(targets) => targets.iter_mut().collect(),
        StmtKind::Return(value) => value.iter_mut().collect(),
        StmtKind::Raise { exc, cause } => exc.iter_mut().chain(cause).collect(),
        StmtKind::Assert { test, message } => std::iter::once(test).chain(message).collect(),
        StmtKind::If { test, .. } | StmtKind::While { test, .. } => vec![test],
        StmtKind::For { target, iter, .. } => vec![iter, target],
        StmtKind::With { items, .. } => items
            .iter_mut()
            .flat_map(|item| std::iter::once(&mut item.context).chain(&mut item.target))
            .collect(),
        StmtKind::Try(inner) => {
            inner.handlers.iter_mut().filter_map(|handler| handler.kind.as_mut()).collect()
        }
        StmtKind::Match { subject, cases } => {
            let mut found = vec![subject];
            found.extend(cases.iter_mut().filter_map(|case| case.guard.as_mut()));
            found
        }
        StmtKind::Function(function) => {
            let mut found: Vec<&mut Expr> = function.decorators.iter_mut().collect();
            found.extend(params_mut(&mut function.params));
            found.extend(&mut function.returns);
            found
        }
        StmtKind::Class(class) => {
            let mut found: Vec<&mut Expr> = class.decorators.iter_mut().collect();
            found.extend(&mut class.bases);
            found.extend(class.keywords.iter_mut().map(|keyword| &mut keyword.value));
            found
        }
        StmtKind::TypeAlias { value, .. } => vec![value],
        StmtKind::Pass
        | StmtKind::Import { .. }
        | StmtKind::ImportFrom { .. }
        | StmtKind::Global(_)
        | StmtKind::Nonlocal(_)
        | StmtKind::Break
        | StmtKind::Continue
        | StmtKind::Comment(_)
        | StmtKind::Goto(_)
        | StmtKind::Label(_) => Vec::new(),
    }
}

fn params_mut(params: &mut Params) -> impl Iterator<Item = &mut Expr> {
    let Params { posonly, regular, vararg, kwonly, kwarg } = params;
    let all = posonly.iter_mut().chain(regular).chain(vararg).chain(kwonly).chain(kwarg);
    all.flat_map(|param| param.default.iter_mut().chain(&mut param.annotation))
}

/// The expressions directly inside an expression, in the order in which they are evaluated.
pub(super) fn children_mut(expr: &mut Expr) -> Vec<&mut Expr> {
    match &mut expr.kind {
        ExprKind::Name(_) | ExprKind::Temp(_) | ExprKind::Literal(_) | ExprKind::Verbatim(_) => Vec::new(),
        ExprKind::Attribute { value, .. }
        | ExprKind::Unary { operand: value, .. }
        | ExprKind::Named { value, .. }
        | ExprKind::Await(value)
        | ExprKind::YieldFrom(value)
        | ExprKind::Starred(value) => vec![value],
        ExprKind::Subscript { value, index } => vec![value, index],
        ExprKind::Slice { lower, upper, step } => {
            [lower, upper, step].into_iter().flatten().map(Box::as_mut).collect()
        }
        ExprKind::Call { func, args, keywords } => {
            let mut found = vec![func.as_mut()];
            found.extend(args);
            found.extend(keywords.iter_mut().map(|keyword| &mut keyword.value));
            found
        }
        ExprKind::Binary { left, right, .. } => vec![left, right],
        ExprKind::Bool { values, .. } => values.iter_mut().collect(),
        ExprKind::Compare { left, rest } => {
            std::iter::once(left.as_mut()).chain(rest.iter_mut().map(|(_, operand)| operand)).collect()
        }
        ExprKind::IfExp { test, body, orelse } => vec![test, body, orelse],
        ExprKind::Lambda { params, body } => {
            let mut found: Vec<&mut Expr> = params_mut(params).collect();
            found.push(body);
            found
        }
        ExprKind::Tuple(items) | ExprKind::List(items) | ExprKind::Set(items) => items.iter_mut().collect(),
        ExprKind::Dict(items) => {
            items.iter_mut().flat_map(|(key, value)| key.iter_mut().chain([value])).collect()
        }
        ExprKind::Comprehension { element, clauses, .. } => {
            let mut found: Vec<&mut Expr> = clauses.iter_mut().flat_map(clause_mut).collect();
            found.push(element);
            found
        }
        ExprKind::Joined(parts) | ExprKind::Template(parts) => parts.iter_mut().flat_map(part_mut).collect(),
        ExprKind::Yield(value) => value.iter_mut().map(Box::as_mut).collect(),
    }
}

fn clause_mut(clause: &mut Clause) -> impl Iterator<Item = &mut Expr> {
    [&mut clause.iter, &mut clause.target].into_iter().chain(&mut clause.conditions)
}

fn part_mut(part: &mut StringPart) -> Vec<&mut Expr> {
    match part {
        StringPart::Literal(_) => Vec::new(),
        StringPart::Field { value, spec, .. } => {
            let mut found = vec![value.as_mut()];
            found.extend(spec.iter_mut().flatten().flat_map(part_mut));
            found
        }
    }
}

/// Shows the origin of an expression and of those in it, the outer ones first.
pub(crate) fn visit_origins(expr: &mut Expr, visit: &mut impl FnMut(Origin)) {
    walk_expr(expr, &mut |expr| visit(expr.origin));
}

/// Calls `visit` for the expression and everything inside it, outer ones first.
pub(super) fn walk_expr(expr: &mut Expr, visit: &mut impl FnMut(&mut Expr)) {
    visit(expr);
    for child in children_mut(expr) {
        walk_expr(child, visit);
    }
}

/// Calls `visit` for every expression of the statements, nested functions' bodies excluded.
pub(super) fn walk(block: &mut [Stmt], visit: &mut impl FnMut(&mut Expr)) {
    for statement in block {
        for expr in exprs_mut(statement) {
            walk_expr(expr, visit);
        }
        if let StmtKind::Match { cases, .. } = &mut statement.kind {
            cases.iter_mut().for_each(|case| walk_pattern(&mut case.pattern, visit));
        }
        for inner in blocks_mut(statement) {
            walk(inner, visit);
        }
    }
}

fn walk_pattern(pattern: &mut Pattern, visit: &mut impl FnMut(&mut Expr)) {
    match pattern {
        Pattern::Value(value) => walk_expr(value, visit),
        Pattern::Sequence(patterns) | Pattern::Or(patterns) => {
            patterns.iter_mut().for_each(|pattern| walk_pattern(pattern, visit));
        }
        Pattern::Mapping { entries, .. } => {
            for (key, pattern) in entries {
                walk_expr(key, visit);
                walk_pattern(pattern, visit);
            }
        }
        Pattern::Class { class, positional, keywords } => {
            walk_expr(class, visit);
            positional.iter_mut().for_each(|pattern| walk_pattern(pattern, visit));
            keywords.iter_mut().for_each(|(_, pattern)| walk_pattern(pattern, visit));
        }
        Pattern::As { pattern: Some(pattern), .. } => walk_pattern(pattern, visit),
        Pattern::As { pattern: None, .. } | Pattern::Singleton(_) | Pattern::Star(_) => {}
    }
}

/// Clears the origins: offsets of a nested code object mean nothing in the bytecode around it.
pub(crate) fn forget_origins(block: &mut [Stmt]) {
    walk(block, &mut |expr| expr.origin = Origin::NONE);
    clear_statements(block);
}

/// The expression without origins.
pub(crate) fn without_origins(mut expr: Expr) -> Expr {
    walk_expr(&mut expr, &mut |expr| expr.origin = Origin::NONE);
    expr
}

fn clear_statements(block: &mut [Stmt]) {
    for statement in block {
        statement.origin = Origin::NONE;
        for inner in blocks_mut(statement) {
            clear_statements(inner);
        }
    }
}
