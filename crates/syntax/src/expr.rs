//! Expressions.

use crate::annotation_text::with_ellipses;
use crate::ast::{
    BinaryOp, BoolOp, CompareOp, ComprehensionKind, Expr, ExprKind, Ident, Keyword, Literal, UnaryOp,
};
use crate::line::GroupStyle;
use crate::precedence::{self, Level};
use crate::printer::Printer;
use crate::sink::TokenKind;
use std::fmt::Write;

impl Printer<'_> {
    /// An expression in a context that takes `min` and all that binds tighter without parentheses.
    pub(crate) fn expr(&mut self, expr: &Expr, min: Level) {
        match &expr.kind {
            ExprKind::Name(name) => {
                self.line.pair(expr.pairing);
                self.node(expr.origin, |printer| printer.name(name));
            }
            _ if precedence::of(expr) < min.max(Level::Yield) => {
                self.open("(", GroupStyle::Plain);
                self.bare(expr);
                self.close(")");
            }
            _ => self.bare(expr),
        }
    }

    /// An expression in a context that also takes `:=` without parentheses.
    pub(crate) fn named(&mut self, expr: &Expr) {
        if matches!(expr.kind, ExprKind::Named { .. }) {
            self.bare(expr)
        } else {
            self.expr(expr, Level::Test)
        }
    }

    /// The value of a statement: long chains of operators break inside parentheses.
    pub(crate) fn statement_value(&mut self, expr: &Expr, min: Level) {
        let soft = precedence::of(expr) >= min
            && (self.keeps_lines()
                || matches!(
                    expr.kind,
                    ExprKind::Binary { .. }
                        | ExprKind::Bool { .. }
                        | ExprKind::Compare { .. }
                        | ExprKind::IfExp { .. }
                ));
        if soft {
            self.open_group(GroupStyle::Soft);
            self.expr(expr, min);
            self.close_group();
        } else {
            self.expr(expr, min);
        }
    }

    /// A tuple without parentheses where it has items: `return a, b`.
    pub(crate) fn bare_tuple(&mut self, expr: &Expr, min: Level) {
        match &expr.kind {
            ExprKind::Tuple(items) if !items.is_empty() => {
                let style = if items.len() == 1 { GroupStyle::Soft } else { GroupStyle::SoftComma };
                self.node(expr.origin, |printer| {
                    printer.open_group(style);
                    printer.separated(items, |printer, item| printer.expr(item, Level::Test));
                    if items.len() == 1 {
                        printer.punctuation(",");
                    }
                    printer.close_group();
                });
            }
            _ => self.statement_value(expr, min),
        }
    }

    fn bare(&mut self, expr: &Expr) {
        self.node(expr.origin, |printer| printer.kind(expr));
    }

    fn kind(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Name(name) => self.name(name),
            ExprKind::Temp(number) => {
                self.line.begin(TokenKind::Name);
                // Writing to a string cannot fail.
                let _ = write!(self.line.text, "__temp_{number}");
            }
            ExprKind::Literal(literal) => self.literal(literal, Level::Yield),
            ExprKind::Attribute { value, attr } => self.attribute(value, attr),
            ExprKind::Subscript { value, index } => {
                self.expr(value, Level::Atom);
                self.open("[", GroupStyle::Plain);
                self.index(index);
                self.close("]");
            }
            ExprKind::Slice { .. } => self.index_item(expr),
            ExprKind::Call(call) => {
                self.expr(&call.func, Level::Atom);
                self.arguments(&call.args, &call.keywords);
            }
            ExprKind::Unary { op, operand } => self.unary(*op, operand),
            ExprKind::Binary { op, left, right } => self.binary(*op, left, right),
            ExprKind::Bool { op, values } => self.bool_op(*op, values),
            ExprKind::Compare { left, rest } => self.compare(left, rest),
            ExprKind::IfExp { test, body, orelse } => self.if_exp(test, body, orelse),
            ExprKind::Named { target, value } => {
                self.name(target);
                self.infix(":=");
                self.expr(value, Level::Test);
            }
            ExprKind::Lambda { params, body } => self.function_expr(|printer| {
                printer.keyword("lambda");
                let defaults = printer.lambda_params(params);
                printer.punctuation(":");
                printer.space();
                printer.expr(body, Level::Test);
                defaults
            }),
            ExprKind::Tuple(items) => self.tuple(items),
            ExprKind::List(items) => self.display("[", items, "]"),
            ExprKind::Set(items) => self.set(items),
            ExprKind::Dict(pairs) => self.dict(pairs),
            ExprKind::Comprehension { kind, element, clauses } => {
                self.function_expr(|printer| printer.comprehension(*kind, element, clauses));
            }
            ExprKind::Joined(parts) => self.interpolated("f", parts),
            ExprKind::Template(parts) => self.interpolated("t", parts),
            ExprKind::Await(value) => {
                self.keyword_space("await");
                self.expr(value, Level::Atom);
            }
            ExprKind::Yield(None) => self.keyword("yield"),
            ExprKind::Yield(Some(value)) => {
                self.keyword_space("yield");
                self.bare_tuple(value, Level::Test);
            }
            ExprKind::Verbatim(text) => match text.as_str() {
                Some(text) if self.grammar.annotation_texts_hold_reprs => {
                    let source = with_ellipses(text).into_owned();
                    self.line.token(TokenKind::Name, &source);
                }
                _ => self.name(text),
            },
            ExprKind::YieldFrom(value) => {
                self.keyword_space("yield");
                self.keyword_space("from");
                self.expr(value, Level::Test);
            }
            ExprKind::Starred(value) => {
                self.operator("*");
                self.expr(value, Level::BitOr);
            }
        }
    }

    fn attribute(&mut self, value: &Expr, attr: &Ident) {
        // `1.real` would read as a float.
        if matches!(value.kind, ExprKind::Literal(Literal::Int(_))) {
            self.punctuation("(");
            self.expr(value, Level::Test);
            self.punctuation(")");
        } else {
            self.expr(value, Level::Atom);
        }
        self.punctuation(".");
        self.name(attr);
    }

    /// What stands between the brackets of a subscript.
    fn index(&mut self, index: &Expr) {
        match &index.kind {
            ExprKind::Literal(literal) => {
                self.node(index.origin, |printer| printer.literal_index(literal));
            }
            ExprKind::Tuple(items) if self.is_bare_index(items) => self.node(index.origin, |printer| {
                printer.separated(items, |printer, item| printer.index_item(item));
                if items.len() == 1 {
                    printer.punctuation(",");
                }
            }),
            _ => self.index_item(index),
        }
    }

    /// Whether an index tuple goes without parentheses: slices must, a star before 3.11 must not.
    fn is_bare_index(&self, items: &[Expr]) -> bool {
        let star = items.iter().any(|item| matches!(item.kind, ExprKind::Starred(_)));
        !items.is_empty() && (self.grammar.star_in_index || !star)
    }

    fn index_item(&mut self, item: &Expr) {
        match &item.kind {
            ExprKind::Slice { lower, upper, step } => {
                self.node(item.origin, |printer| {
                    if let Some(lower) = lower {
                        printer.expr(lower, Level::Test);
                    }
                    printer.punctuation(":");
                    if let Some(upper) = upper {
                        printer.expr(upper, Level::Test);
                    }
                    if let Some(step) = step {
                        printer.punctuation(":");
                        printer.expr(step, Level::Test);
                    }
                });
            }
            ExprKind::Literal(literal @ Literal::Slice(_)) => {
                self.node(item.origin, |printer| printer.literal_index(literal));
            }
            _ => self.expr(item, Level::Test),
        }
    }

    /// The arguments of a call, brackets included.
    pub(crate) fn arguments(&mut self, args: &[Expr], keywords: &[Keyword]) {
        match (args, keywords) {
            ([], []) => self.punctuation("()"),
            // The brackets of the call do for those of a generator, which begins with them.
            ([Expr { origin, kind: ExprKind::Comprehension { kind, element, clauses }, .. }], [])
                if *kind == ComprehensionKind::Generator =>
            {
                self.origin = *origin;
                self.function_expr(|printer| {
                    printer.open("(", GroupStyle::Plain);
                    let mut argument = None;
                    printer.node(*origin, |printer| {
                        argument = match &element.kind {
                            // 3.8 takes `f(a := x for x in y)` for a keyword argument.
                            ExprKind::Named { .. } => {
                                printer.expr(element, Level::Test);
                                printer.clauses(clauses)
                            }
                            _ => printer.comprehension_body(element, clauses),
                        };
                    });
                    printer.close(")");
                    argument
                });
            }
            _ => self.argument_list(args, keywords),
        }
    }

    /// The arguments of a call or the bases of a class, brackets included; there are some.
    pub(crate) fn argument_list(&mut self, args: &[Expr], keywords: &[Keyword]) {
        self.open("(", GroupStyle::Comma);
        self.separated(args, |printer, arg| printer.named(arg));
        if !args.is_empty() && !keywords.is_empty() {
            self.comma();
        }
        self.separated(keywords, |printer, keyword| printer.keyword_argument(keyword));
        self.close(")");
    }

    fn keyword_argument(&mut self, keyword: &Keyword) {
        match &keyword.name {
            Some(name) => {
                self.name(name);
                self.operator("=");
            }
            None => self.operator("**"),
        }
        self.expr(&keyword.value, Level::Test);
    }

    fn unary(&mut self, op: UnaryOp, operand: &Expr) {
        match op {
            UnaryOp::Not => {
                self.keyword_space("not");
                return self.expr(operand, Level::Not);
            }
            UnaryOp::Negative => self.operator("-"),
            UnaryOp::Positive => self.operator("+"),
            UnaryOp::Invert => self.operator("~"),
        }
        // `-1` would be a literal where the tree says an operator on a literal.
        self.expr(operand, Level::Unary);
    }

    fn binary(&mut self, op: BinaryOp, left: &Expr, right: &Expr) {
        if op == BinaryOp::Power {
            self.expr(left, Level::Await);
            self.infix("**");
            return self.expr(right, Level::Unary);
        }
        self.open_group(GroupStyle::Chain);
        self.binary_chain(op, left, right);
        self.close_group();
    }

    /// `a + b - c` is one chain: it breaks before each of its operators.
    fn binary_chain(&mut self, op: BinaryOp, left: &Expr, right: &Expr) {
        let level = precedence::of_binary(op);
        match &left.kind {
            ExprKind::Binary { op: inner, left: first, right: second }
                if precedence::of_binary(*inner) == level =>
            {
                self.node(left.origin, |printer| printer.binary_chain(*inner, first, second));
            }
            _ => self.expr(left, level),
        }
        self.may_break();
        self.infix(binary_text(op));
        self.expr(right, level.tighter());
    }

    fn bool_op(&mut self, op: BoolOp, values: &[Expr]) {
        let (word, level) = match op {
            BoolOp::And => ("and", Level::Not),
            BoolOp::Or => ("or", Level::And),
        };
        self.open_group(GroupStyle::Chain);
        for (index, value) in values.iter().enumerate() {
            if index > 0 {
                self.may_break();
                self.space();
                self.keyword_space(word);
            }
            self.expr(value, level);
        }
        self.close_group();
    }

    fn compare(&mut self, left: &Expr, rest: &[(CompareOp, Expr)]) {
        self.open_group(GroupStyle::Chain);
        self.expr(left, Level::BitOr);
        for (op, right) in rest {
            self.may_break();
            self.compare_op(*op);
            match (op, &right.kind) {
                (CompareOp::In | CompareOp::NotIn, ExprKind::Literal(Literal::FrozenSet(items))) => {
                    self.node(right.origin, |printer| printer.set_of_literals(items));
                }
                _ => self.expr(right, Level::BitOr),
            }
        }
        self.close_group();
    }

    fn compare_op(&mut self, op: CompareOp) {
        let words: &[&str] = match op {
            CompareOp::Less => return self.infix("<"),
            CompareOp::LessEqual => return self.infix("<="),
            CompareOp::Equal => return self.infix("=="),
            CompareOp::NotEqual => return self.infix("!="),
            CompareOp::Greater => return self.infix(">"),
            CompareOp::GreaterEqual => return self.infix(">="),
            CompareOp::Is => &["is"],
            CompareOp::IsNot => &["is", "not"],
            CompareOp::In => &["in"],
            CompareOp::NotIn => &["not", "in"],
        };
        self.space();
        for word in words {
            self.keyword_space(word);
        }
    }

    fn if_exp(&mut self, test: &Expr, body: &Expr, orelse: &Expr) {
        self.open_group(GroupStyle::Chain);
        self.expr(body, Level::Or);
        self.may_break();
        self.space();
        self.keyword_space("if");
        self.expr(test, Level::Or);
        self.may_break();
        self.space();
        self.keyword_space("else");
        self.expr(orelse, Level::Test);
        self.close_group();
    }

    fn tuple(&mut self, items: &[Expr]) {
        if let [only] = items {
            self.open("(", GroupStyle::Plain);
            self.named(only);
            self.punctuation(",");
            self.close(")");
        } else {
            self.display("(", items, ")");
        }
    }

    fn display(&mut self, open: &str, items: &[Expr], close: &str) {
        if items.is_empty() {
            self.punctuation(open);
            return self.punctuation(close);
        }
        self.open(open, GroupStyle::Comma);
        self.separated(items, |printer, item| printer.named(item));
        self.close(close);
    }

    fn set(&mut self, items: &[Expr]) {
        if items.is_empty() {
            // There is no literal; this one needs no name.
            return self.punctuation("{*()}");
        }
        self.open("{", GroupStyle::Comma);
        // `:=` without parentheses only since 3.9; they read well anyway.
        self.separated(items, |printer, item| printer.expr(item, Level::Test));
        self.close("}");
    }

    fn dict(&mut self, pairs: &[(Option<Expr>, Expr)]) {
        if pairs.is_empty() {
            return self.punctuation("{}");
        }
        self.open("{", GroupStyle::Comma);
        self.separated(pairs, |printer, (key, value)| match key {
            Some(key) => {
                printer.expr(key, Level::Test);
                printer.punctuation(":");
                printer.space();
                printer.expr(value, Level::Test);
            }
            None => {
                printer.operator("**");
                printer.expr(value, Level::BitOr);
            }
        });
        self.close("}");
    }
}

/// The operator's spelling.
pub(crate) fn binary_text(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add => "+",
        BinaryOp::Subtract => "-",
        BinaryOp::Multiply => "*",
        BinaryOp::MatrixMultiply => "@",
        BinaryOp::TrueDivide => "/",
        BinaryOp::FloorDivide => "//",
        BinaryOp::Remainder => "%",
        BinaryOp::Power => "**",
        BinaryOp::LeftShift => "<<",
        BinaryOp::RightShift => ">>",
        BinaryOp::And => "&",
        BinaryOp::Or => "|",
        BinaryOp::Xor => "^",
    }
}
