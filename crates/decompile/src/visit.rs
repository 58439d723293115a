//! Walks over the tree that all stages share.

use depyf_syntax::ast::{
    Block, Clause, Expr, ExprKind, Handler, MatchCase, Origin, Params, Pattern, Stmt, StmtKind, StringPart,
};

/// The statement lists directly inside a statement; not those of definitions, which are code of their own.
pub(crate) fn blocks_mut(statement: &mut Stmt) -> impl Iterator<Item = &mut Block> {
    let (mut first, mut last): ([Option<&mut Block>; 2], [Option<&mut Block>; 2]) = Default::default();
    let (mut handlers, mut cases): (&mut [Handler], &mut [MatchCase]) = Default::default();
    match &mut statement.kind {
        StmtKind::If { body, orelse, .. }
        | StmtKind::While { body, orelse, .. }
        | StmtKind::For { body, orelse, .. } => first = [Some(body), Some(orelse)],
        StmtKind::With { body, .. } => first[0] = Some(body),
        StmtKind::Try(inner) => {
            first[0] = Some(&mut inner.body);
            handlers = &mut inner.handlers;
            last = [Some(&mut inner.orelse), Some(&mut inner.finalbody)];
        }
        StmtKind::Match { cases: inner, .. } => cases = inner,
        _ => {}
    }
    let handlers = handlers.iter_mut().map(|handler| &mut handler.body);
    let cases = cases.iter_mut().map(|case| &mut case.body);
    first.into_iter().flatten().chain(handlers).chain(cases).chain(last.into_iter().flatten())
}

/// Calls `visit` for the statement lists directly inside a statement.
pub(crate) fn each_block<'a>(statement: &'a mut Stmt, mut visit: impl FnMut(&'a mut Block)) {
    match &mut statement.kind {
        StmtKind::If { body, orelse, .. }
        | StmtKind::While { body, orelse, .. }
        | StmtKind::For { body, orelse, .. } => {
            visit(body);
            visit(orelse);
        }
        StmtKind::With { body, .. } => visit(body),
        StmtKind::Try(inner) => {
            visit(&mut inner.body);
            inner.handlers.iter_mut().for_each(|handler| visit(&mut handler.body));
            visit(&mut inner.orelse);
            visit(&mut inner.finalbody);
        }
        StmtKind::Match { cases, .. } => cases.iter_mut().for_each(|case| visit(&mut case.body)),
        _ => {}
    }
}

/// Whether a statement has statement lists in it, which most have not.
pub(crate) fn holds_blocks(statement: &Stmt) -> bool {
    matches!(
        statement.kind,
        StmtKind::If { .. }
            | StmtKind::While { .. }
            | StmtKind::For { .. }
            | StmtKind::With { .. }
            | StmtKind::Try(_)
            | StmtKind::Match { .. }
    )
}

/// The statement lists directly inside a statement; not those of definitions, which are code of their own.
pub(crate) fn blocks(statement: &Stmt) -> impl Iterator<Item = &Block> {
    let (mut first, mut last): ([Option<&Block>; 2], [Option<&Block>; 2]) = Default::default();
    let (mut handlers, mut cases): (&[Handler], &[MatchCase]) = Default::default();
    match &statement.kind {
        StmtKind::If { body, orelse, .. }
        | StmtKind::While { body, orelse, .. }
        | StmtKind::For { body, orelse, .. } => first = [Some(body), Some(orelse)],
        StmtKind::With { body, .. } => first[0] = Some(body),
        StmtKind::Try(inner) => {
            first[0] = Some(&inner.body);
            handlers = &inner.handlers;
            last = [Some(&inner.orelse), Some(&inner.finalbody)];
        }
        StmtKind::Match { cases: inner, .. } => cases = inner,
        _ => {}
    }
    let handlers = handlers.iter().map(|handler| &handler.body);
    let cases = cases.iter().map(|case| &case.body);
    first.into_iter().flatten().chain(handlers).chain(cases).chain(last.into_iter().flatten())
}

/// The expressions directly inside a statement, see [`each_expr`].
pub(crate) fn exprs_mut(statement: &mut Stmt) -> Vec<&mut Expr> {
    let mut found = Vec::new();
    each_expr(statement, |expr| found.push(expr));
    found
}

/// Calls `visit` for the expressions directly inside a statement, those of nested blocks not included, in the
/// order in which they are evaluated. The body of a nested function is not visited: it has its own temporaries.
pub(crate) fn each_expr<'a>(statement: &'a mut Stmt, mut visit: impl FnMut(&'a mut Expr)) {
    match &mut statement.kind {
        StmtKind::Expr(value) | StmtKind::TypeAlias { value, .. } => visit(value),
        StmtKind::Assign { targets, value } => {
            visit(value);
            targets.iter_mut().for_each(visit);
        }
        StmtKind::AugAssign { target, value, .. } => {
            visit(target);
            visit(value);
        }
        StmtKind::AnnAssign { target, annotation, value, .. } => {
            value.iter_mut().for_each(&mut visit);
            visit(target);
            visit(annotation);
        }
        StmtKind::Delete(targets) => targets.iter_mut().for_each(visit),
        StmtKind::Return(value) => value.iter_mut().for_each(visit),
        StmtKind::Raise { exc, cause } => exc.iter_mut().chain(cause).for_each(visit),
        StmtKind::Assert { test, message } => {
            visit(test);
            message.iter_mut().for_each(visit);
        }
        StmtKind::If { test, .. } | StmtKind::While { test, .. } => visit(test),
        StmtKind::For { target, iter, .. } => {
            visit(iter);
            visit(target);
        }
        StmtKind::With { items, .. } => {
            for item in items {
                visit(&mut item.context);
                item.target.iter_mut().for_each(&mut visit);
            }
        }
        StmtKind::Try(inner) => {
            inner.handlers.iter_mut().filter_map(|handler| handler.kind.as_mut()).for_each(visit);
        }
        StmtKind::Match { subject, cases } => {
            visit(subject);
            cases.iter_mut().filter_map(|case| case.guard.as_mut()).for_each(visit);
        }
        StmtKind::Function(function) => {
            function.decorators.iter_mut().for_each(&mut visit);
            params_mut(&mut function.params).for_each(&mut visit);
            function.returns.iter_mut().for_each(visit);
        }
        StmtKind::Class(class) => {
            class.decorators.iter_mut().for_each(&mut visit);
            class.bases.iter_mut().for_each(&mut visit);
            class.keywords.iter_mut().for_each(|keyword| visit(&mut keyword.value));
        }
        StmtKind::Pass
        | StmtKind::Import { .. }
        | StmtKind::ImportFrom { .. }
        | StmtKind::Global(_)
        | StmtKind::Nonlocal(_)
        | StmtKind::Break
        | StmtKind::Continue
        | StmtKind::Comment(_)
        | StmtKind::SameLine
        | StmtKind::Goto(_)
        | StmtKind::Label(_) => {}
    }
}

fn params_mut(params: &mut Params) -> impl Iterator<Item = &mut Expr> {
    let Params { posonly, regular, vararg, kwonly, kwarg } = params;
    let all = posonly
        .iter_mut()
        .chain(regular)
        .chain(vararg.as_deref_mut())
        .chain(kwonly)
        .chain(kwarg.as_deref_mut());
    all.flat_map(|param| param.default.iter_mut().chain(&mut param.annotation))
}

/// Calls `visit` for the default values of parameters.
pub(crate) fn each_default(params: &mut Params, visit: impl FnMut(&mut Expr)) {
    params_mut(params).for_each(visit);
}

/// The expressions directly inside an expression, in the order in which they are evaluated.
pub(crate) fn children_mut(expr: &mut Expr) -> Vec<&mut Expr> {
    let mut found = Vec::new();
    each_child(expr, |child| found.push(child));
    found
}

/// Calls `visit` for the expressions directly inside an expression, in the order in which they are evaluated.
pub(crate) fn each_child<'a>(expr: &'a mut Expr, mut visit: impl FnMut(&'a mut Expr)) {
    match &mut expr.kind {
        ExprKind::Name(_) | ExprKind::Temp(_) | ExprKind::Literal(_) | ExprKind::Verbatim(_) => {}
        ExprKind::Attribute { value, .. }
        | ExprKind::Unary { operand: value, .. }
        | ExprKind::Named { value, .. }
        | ExprKind::Await(value)
        | ExprKind::YieldFrom(value)
        | ExprKind::Starred(value) => visit(value),
        ExprKind::Subscript { value, index } => {
            visit(value);
            visit(index);
        }
        ExprKind::Slice { lower, upper, step } => {
            [lower, upper, step].into_iter().flatten().for_each(|part| visit(part));
        }
        ExprKind::Call(call) => {
            visit(&mut call.func);
            call.args.iter_mut().for_each(&mut visit);
            call.keywords.iter_mut().for_each(|keyword| visit(&mut keyword.value));
        }
        ExprKind::Binary { left, right, .. } => {
            visit(left);
            visit(right);
        }
        ExprKind::Compare { left, rest } => {
            visit(left);
            rest.iter_mut().for_each(|(_, operand)| visit(operand));
        }
        ExprKind::IfExp { test, body, orelse } => {
            visit(test);
            visit(body);
            visit(orelse);
        }
        ExprKind::Lambda { params, body } => {
            params_mut(params).for_each(&mut visit);
            visit(body);
        }
        ExprKind::Bool { values: items, .. }
        | ExprKind::Tuple(items)
        | ExprKind::List(items)
        | ExprKind::Set(items) => items.iter_mut().for_each(visit),
        ExprKind::Dict(items) => {
            for (key, value) in items {
                key.iter_mut().for_each(&mut visit);
                visit(value);
            }
        }
        ExprKind::Comprehension { element, clauses, .. } => {
            clauses.iter_mut().flat_map(clause_mut).for_each(&mut visit);
            visit(element);
        }
        ExprKind::Joined(parts) | ExprKind::Template(parts) => {
            parts.iter_mut().flat_map(part_mut).for_each(visit);
        }
        ExprKind::Yield(value) => value.iter_mut().for_each(|value| visit(value)),
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
pub(crate) fn walk_expr(expr: &mut Expr, visit: &mut impl FnMut(&mut Expr)) {
    visit(expr);
    // Half of all expressions are names and constants.
    if !matches!(expr.kind, ExprKind::Name(_) | ExprKind::Literal(_)) {
        each_child(expr, |child| walk_expr(child, visit));
    }
}

/// Calls `visit` for every expression of a statement; those of blocks in it, and of nested functions' bodies, excluded.
pub(crate) fn walk_exprs(statement: &mut Stmt, visit: &mut impl FnMut(&mut Expr)) {
    each_expr(statement, |expr| walk_expr(expr, visit));
    if let StmtKind::Match { cases, .. } = &mut statement.kind {
        cases.iter_mut().for_each(|case| walk_pattern(&mut case.pattern, visit));
    }
}

/// Calls `visit` for every expression of the statements, nested functions' bodies excluded.
pub(crate) fn walk(block: &mut [Stmt], visit: &mut impl FnMut(&mut Expr)) {
    for statement in block {
        walk_exprs(statement, visit);
        each_block(statement, |inner| walk(inner, visit));
    }
}

/// Calls `visit` for every expression of a pattern.
pub(crate) fn walk_pattern(pattern: &mut Pattern, visit: &mut impl FnMut(&mut Expr)) {
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
    renumber_origins(block, &|_| Origin::NONE);
}

/// Gives every node of the statements another origin; bodies of nested functions are left out.
pub(crate) fn renumber_origins(block: &mut [Stmt], number: &impl Fn(Origin) -> Origin) {
    walk(block, &mut |expr| expr.origin = number(expr.origin));
    renumber_statements(block, number);
}

/// The expression without origins.
pub(crate) fn without_origins(mut expr: Expr) -> Expr {
    walk_expr(&mut expr, &mut |expr| expr.origin = Origin::NONE);
    expr
}

fn renumber_statements(block: &mut [Stmt], number: &impl Fn(Origin) -> Origin) {
    for statement in block {
        statement.origin = number(statement.origin);
        if let StmtKind::Try(parts) = &mut statement.kind {
            parts.handlers.iter_mut().for_each(|handler| handler.origin = number(handler.origin));
        }
        each_block(statement, |inner| renumber_statements(inner, number));
    }
}

/// Whether `break` in the statement leaves a loop around it.
pub(crate) fn breaks(statement: &Stmt) -> bool {
    match &statement.kind {
        StmtKind::Break => true,
        StmtKind::While { orelse, .. } | StmtKind::For { orelse, .. } => orelse.iter().any(breaks),
        _ => blocks(statement).flatten().any(breaks),
    }
}

/// Whether `break` or `continue` in the statement leaves it for a loop around it.
pub(crate) fn leaves_loop(statement: &Stmt) -> bool {
    match &statement.kind {
        StmtKind::Break | StmtKind::Continue => true,
        StmtKind::While { orelse, .. } | StmtKind::For { orelse, .. } => orelse.iter().any(leaves_loop),
        _ => blocks(statement).flatten().any(leaves_loop),
    }
}

/// Whether the statement is a loop without `else` that no `break` leaves: what stands behind it may stand in an `else`.
pub(crate) fn never_breaks(statement: &Stmt) -> bool {
    match &statement.kind {
        StmtKind::For { body, orelse, .. } | StmtKind::While { body, orelse, .. } => {
            orelse.is_empty() && !body.iter().any(breaks)
        }
        _ => false,
    }
}
