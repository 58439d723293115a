//! Comprehensions and generator expressions.

use crate::ast::{Clause, ComprehensionKind, Expr, ExprKind, Ident, Origin, Pairing};
use crate::line::GroupStyle;
use crate::precedence::Level;
use crate::printer::Printer;

impl Printer<'_> {
    /// Prints a comprehension, and gives the place of its first iterable.
    pub(crate) fn comprehension(
        &mut self,
        kind: ComprehensionKind,
        element: &Expr,
        clauses: &[Clause],
    ) -> Option<(u32, u32)> {
        let (open, close) = match kind {
            ComprehensionKind::List => ("[", "]"),
            ComprehensionKind::Set | ComprehensionKind::Dict => ("{", "}"),
            ComprehensionKind::Generator => ("(", ")"),
        };
        self.open(open, GroupStyle::Plain);
        let argument = match (kind, &element.kind) {
            (ComprehensionKind::Dict, ExprKind::Tuple(pair)) => {
                if let [key, value] = pair.as_slice() {
                    self.node(element.origin, |printer| {
                        printer.expr(key, Level::Test);
                        printer.punctuation(":");
                        printer.space();
                        printer.expr(value, Level::Test);
                    });
                }
                self.clauses(clauses)
            }
            (ComprehensionKind::Dict, ExprKind::Starred(mapping)) => {
                self.node(element.origin, |printer| {
                    printer.operator("**");
                    printer.expr(mapping, Level::BitOr);
                });
                self.clauses(clauses)
            }
            (ComprehensionKind::Set, _) => {
                self.expr(element, Level::Test);
                self.clauses(clauses)
            }
            _ => self.comprehension_body(element, clauses),
        };
        self.close(close);
        argument
    }

    /// `element for ...`, without brackets.
    pub(crate) fn comprehension_body(&mut self, element: &Expr, clauses: &[Clause]) -> Option<(u32, u32)> {
        self.named(element);
        self.clauses(clauses)
    }

    pub(crate) fn clauses(&mut self, clauses: &[Clause]) -> Option<(u32, u32)> {
        let mut first = None;
        for clause in clauses {
            self.may_break();
            self.space();
            if clause.is_async {
                self.keyword_space("async");
            }
            self.keyword_space("for");
            self.target(&clause.target);
            self.space();
            self.keyword_space("in");
            let start = self.line.position();
            self.expr(&clause.iter, Level::Or);
            first.get_or_insert((start, self.line.position()));
            for condition in &clause.conditions {
                self.may_break();
                self.space();
                self.keyword_space("if");
                self.expr(condition, Level::Or);
            }
        }
        first
    }

    /// What a loop or an assignment binds: tuples go without parentheses, unless lines have to begin in them.
    pub(crate) fn target(&mut self, target: &Expr) {
        match &target.kind {
            ExprKind::Tuple(items) if items.is_empty() || self.needs_lines(target) => {
                self.target_in_parentheses(target);
            }
            ExprKind::Tuple(items) if items.iter().any(|item| item.pairing == Pairing::Apart) => {
                self.bare_tuple(target, Level::BitOr);
            }
            ExprKind::Tuple(items) => self.node(target.origin, |printer| {
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        printer.punctuation(",");
                        printer.space();
                    }
                    printer.expr(item, Level::BitOr);
                }
                if items.len() == 1 {
                    printer.punctuation(",");
                }
            }),
            _ => self.target_in_parentheses(target),
        }
    }

    /// The target of a `with`, in which tuples have parentheses.
    pub(crate) fn target_in_parentheses(&mut self, target: &Expr) {
        // Where lines are kept, each store comes to its own by itself.
        if self.needs_lines(target) && !self.keeps_lines() {
            self.parted_target(target);
        } else {
            self.expr(target, Level::BitOr);
        }
    }

    /// Whether the compiler would drop a store of the target if all stood on one line, which may not even be that of
    /// what unpacks the value.
    fn needs_lines(&self, target: &Expr) -> bool {
        self.grammar.drops_repeated_stores && stores_twice(target)
    }

    /// A target in parentheses, in which stores to one local stand on two lines where both were compiled, and on one line
    /// where the compiler dropped the first.
    fn parted_target(&mut self, target: &Expr) {
        self.parted_item(target, &mut None);
    }

    /// An item of it, behind the store of another one.
    fn parted_item<'e>(&mut self, item: &'e Expr, before: &mut Option<Stored<'e>>) {
        let ExprKind::Tuple(items) = &item.kind else {
            *before = stored(item);
            return self.expr(item, Level::BitOr);
        };
        *before = None;
        self.node(item.origin, |printer| {
            printer.punctuation("(");
            for (index, inner) in items.iter().enumerate() {
                if index > 0 && is_again(*before, stored(inner)) {
                    printer.break_inside();
                } else if index > 0 {
                    printer.space();
                }
                printer.parted_item(inner, before);
                if index + 1 < items.len() || items.len() == 1 {
                    printer.punctuation(",");
                }
            }
            printer.punctuation(")");
        });
    }
}

/// Whether a target holds two stores to one name, one right behind the other.
fn stores_twice(target: &Expr) -> bool {
    fn visit<'e>(item: &'e Expr, before: &mut Option<Stored<'e>>) -> bool {
        let ExprKind::Tuple(items) = &item.kind else {
            let own = stored(item);
            return is_again(std::mem::replace(before, own), own);
        };
        *before = None;
        items.iter().any(|inner| visit(inner, before))
    }
    visit(target, &mut None)
}

/// A name, and what stores to it.
type Stored<'e> = (&'e Ident, Origin);

/// Whether two targets, one right behind the other, are one name, and an instruction stores to the first that does not
/// store to the second.
fn is_again(before: Option<Stored<'_>>, own: Option<Stored<'_>>) -> bool {
    match (before, own) {
        (Some((a, from)), Some((b, to))) => a == b && from != to && from != Origin::NONE,
        _ => false,
    }
}

/// The name that a target is, and what stores to it.
fn stored(target: &Expr) -> Option<Stored<'_>> {
    match &target.kind {
        ExprKind::Name(name) => Some((name, target.origin)),
        ExprKind::Starred(inner) => stored(inner),
        _ => None,
    }
}
