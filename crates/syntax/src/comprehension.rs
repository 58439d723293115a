//! Comprehensions and generator expressions.

use crate::ast::{Clause, ComprehensionKind, Expr, ExprKind};
use crate::line::GroupStyle;
use crate::precedence::Level;
use crate::printer::Printer;

impl Printer<'_> {
    pub(crate) fn comprehension(&mut self, kind: ComprehensionKind, element: &Expr, clauses: &[Clause]) {
        let (open, close) = match kind {
            ComprehensionKind::List => ("[", "]"),
            ComprehensionKind::Set | ComprehensionKind::Dict => ("{", "}"),
            ComprehensionKind::Generator => ("(", ")"),
        };
        self.open(open, GroupStyle::Plain);
        match (kind, &element.kind) {
            (ComprehensionKind::Dict, ExprKind::Tuple(pair)) => {
                if let [key, value] = pair.as_slice() {
                    self.node(element.origin, |printer| {
                        printer.expr(key, Level::Test);
                        printer.punctuation(":");
                        printer.space();
                        printer.expr(value, Level::Test);
                    });
                }
                self.clauses(clauses);
            }
            (ComprehensionKind::Set, _) => {
                self.expr(element, Level::Test);
                self.clauses(clauses);
            }
            _ => self.comprehension_body(element, clauses),
        }
        self.close(close);
    }

    /// `element for ...`, without brackets.
    pub(crate) fn comprehension_body(&mut self, element: &Expr, clauses: &[Clause]) {
        self.named(element);
        self.clauses(clauses);
    }

    fn clauses(&mut self, clauses: &[Clause]) {
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
            self.expr(&clause.iter, Level::Or);
            for condition in &clause.conditions {
                self.may_break();
                self.space();
                self.keyword_space("if");
                self.expr(condition, Level::Or);
            }
        }
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
