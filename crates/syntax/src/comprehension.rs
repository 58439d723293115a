//! Comprehensions and generator expressions.

use crate::ast::{Clause, ComprehensionKind, Expr, ExprKind};
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

    /// What a loop or an assignment binds: tuples go without parentheses.
    pub(crate) fn target(&mut self, target: &Expr) {
        match &target.kind {
            ExprKind::Tuple(items) if !items.is_empty() => self.node(target.origin, |printer| {
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
            _ => self.expr(target, Level::BitOr),
        }
    }
}
