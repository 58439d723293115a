//! What a function does with a name outside of the comprehensions that have a variable of that name. Inlined, these store
//! it in the function's own variable (3.12 and later).

use depyf_syntax::ast::{Block, ComprehensionKind, Expr, ExprKind, Ident, Pattern, Stmt, StmtKind};

use crate::visit::{each_block, each_child, each_expr};

/// See the module.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Uses {
    /// The name is assigned, or bound or deleted in another way.
    pub(super) binds: bool,
    /// The name is read, and not in a comprehension: what that reads is another one's variable.
    pub(super) reads: bool,
}

/// How the statements use a name, nested functions excluded.
pub(super) fn uses(block: &mut Block, name: &Ident) -> Uses {
    let mut found = Uses::default();
    look(block, name, &mut found);
    found
}

fn look(block: &mut Block, name: &Ident, found: &mut Uses) {
    for statement in block {
        found.binds |= binds(statement, name);
        each_expr(statement, |expr| look_in(expr, name, found, false));
        each_block(statement, |inner| look(inner, name, found));
    }
}

fn look_in(expr: &mut Expr, name: &Ident, found: &mut Uses, is_inside: bool) {
    match &mut expr.kind {
        ExprKind::Name(other) => found.reads |= !is_inside && other == name,
        ExprKind::Named { target, .. } => found.binds |= target == name,
        // It has names of its own.
        ExprKind::Lambda { .. } => return,
        // So has a generator expression, which is never inlined.
        ExprKind::Comprehension { kind, clauses, .. }
            if *kind == ComprehensionKind::Generator
                || clauses.iter().any(|clause| targets(&clause.target, name)) =>
        {
            return clauses.first_mut().map_or((), |first| look_in(&mut first.iter, name, found, is_inside));
        }
        ExprKind::Comprehension { element, clauses, .. } => {
            look_in(element, name, found, true);
            for (at, clause) in clauses.iter_mut().enumerate() {
                look_in(&mut clause.iter, name, found, is_inside || at > 0);
                let inside = std::iter::once(&mut clause.target).chain(&mut clause.conditions);
                inside.for_each(|part| look_in(part, name, found, true));
            }
            return;
        }
        _ => {}
    }
    each_child(expr, |child| look_in(child, name, found, is_inside));
}

/// Whether the statement itself binds the name.
fn binds(statement: &Stmt, name: &Ident) -> bool {
    match &statement.kind {
        StmtKind::Assign { targets: all, .. } | StmtKind::Delete(all) => {
            all.iter().any(|target| targets(target, name))
        }
        StmtKind::AugAssign { target, .. } => targets(target, name),
        StmtKind::AnnAssign { target, .. } | StmtKind::For { target, .. } => targets(target, name),
        StmtKind::With { items, .. } => {
            items.iter().filter_map(|item| item.target.as_ref()).any(|target| targets(target, name))
        }
        StmtKind::Import { names, .. } | StmtKind::ImportFrom { names, .. } => names.iter().any(|alias| {
            // Of `import a.b` the first part is bound.
            let first = |path: &Ident| path.as_str().and_then(|path| path.split('.').next()) == name.as_str();
            alias.asname.as_ref().map_or_else(|| first(&alias.name), |asname| asname == name)
        }),
        StmtKind::Function(function) => function.name == *name,
        StmtKind::Class(class) => class.name == *name,
        StmtKind::TypeAlias { name: own, .. } => own == name,
        StmtKind::Try(inner) => inner.handlers.iter().any(|handler| handler.name.as_ref() == Some(name)),
        StmtKind::Match { cases, .. } => cases.iter().any(|case| captures(&case.pattern, name)),
        _ => false,
    }
}

/// Whether a target stores the name.
fn targets(target: &Expr, name: &Ident) -> bool {
    match &target.kind {
        ExprKind::Name(own) => own == name,
        ExprKind::Starred(inner) => targets(inner, name),
        ExprKind::Tuple(items) | ExprKind::List(items) => items.iter().any(|item| targets(item, name)),
        _ => false,
    }
}

fn captures(pattern: &Pattern, name: &Ident) -> bool {
    match pattern {
        Pattern::Value(_) | Pattern::Singleton(_) => false,
        Pattern::Sequence(all) | Pattern::Or(all) => all.iter().any(|inner| captures(inner, name)),
        Pattern::Mapping { entries, rest } => {
            rest.as_ref() == Some(name) || entries.iter().any(|(_, inner)| captures(inner, name))
        }
        Pattern::Class { positional, keywords, .. } => {
            let mut inner = positional.iter().chain(keywords.iter().map(|(_, inner)| inner));
            inner.any(|inner| captures(inner, name))
        }
        Pattern::Star(own) => own.as_ref() == Some(name),
        Pattern::As { pattern, name: own } => {
            own.as_ref() == Some(name) || pattern.as_ref().is_some_and(|inner| captures(inner, name))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether `x` is bound, and whether it is read.
    fn of_x(source: &str) -> (bool, bool) {
        let mut block = depyf_parse::parse_module(source).expect("source");
        let found = uses(&mut block, &Ident::new("x"));
        (found.binds, found.reads)
    }

    #[test]
    fn what_a_comprehension_binds_is_its_own() {
        assert_eq!(of_x("[x for x in a]"), (false, false));
        assert_eq!(of_x("[x for x in x]"), (false, true));
        assert_eq!(of_x("[x for y in a]"), (false, false));
        assert_eq!(of_x("[y for y in x]"), (false, true));
        assert_eq!(of_x("(x for y in a)"), (false, false));
        assert_eq!(of_x("(y for y in x)"), (false, true));
        assert_eq!(of_x("[(x := y) for y in a]"), (true, false));
    }
}
