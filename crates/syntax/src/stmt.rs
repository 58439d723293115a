//! Statements.

use crate::ast::{Alias, Expr, ExprKind, Handler, Ident, Literal, Stmt, StmtKind, Try, WithItem};
use crate::expr::binary_text;
use crate::line::GroupStyle;
use crate::original::LineKind;
use crate::precedence::Level;
use crate::printer::Printer;
use crate::sink::TokenKind;

impl Printer<'_> {
    /// The outermost block. Definitions stand apart by blank lines.
    pub(crate) fn module(&mut self, block: &[Stmt]) {
        self.block(block, 2);
    }

    /// The colon, and the block that it begins.
    pub(crate) fn body(&mut self, block: &[Stmt]) {
        if self.goes_on(block) {
            self.punctuation(":");
            self.space();
            return self.block(block, 0);
        }
        self.end_header();
        self.indented(block, 0);
    }

    /// The colon and the end of the line in front of a body.
    pub(crate) fn end_header(&mut self) {
        self.punctuation(":");
        self.end_line_of(LineKind::Header);
    }

    /// A body behind its header, with so many blank lines around its functions and classes.
    pub(crate) fn indented(&mut self, block: &[Stmt], blank_lines: usize) {
        self.depth += 1;
        self.block(block, blank_lines);
        if block.iter().all(|stmt| is_pseudo(&stmt.kind)) {
            self.keyword("pass");
            self.end_line();
        }
        self.depth -= 1;
    }

    fn block(&mut self, block: &[Stmt], blank_lines: usize) {
        let first = block.iter().position(|stmt| !is_pseudo(&stmt.kind));
        for (index, stmt) in block.iter().enumerate() {
            let apart = |stmt: &Stmt| matches!(stmt.kind, StmtKind::Function(_) | StmtKind::Class(_));
            if index > 0 && (apart(stmt) || apart(&block[index - 1])) {
                for _ in 0..blank_lines {
                    self.blank_line();
                }
            }
            match &stmt.kind {
                StmtKind::Expr(Expr { origin, kind: ExprKind::Literal(Literal::Str(text)), .. })
                    if first == Some(index) =>
                {
                    self.origin(stmt.origin);
                    self.origin(*origin);
                    self.docstring(text);
                    self.end_line();
                }
                StmtKind::SameLine => {}
                _ => self.statement(stmt, &block[index + 1..]),
            }
        }
    }

    /// Whether what comes next stands on the line at hand. Where each line is that of the source, that tells it.
    fn goes_on(&self, next: &[Stmt]) -> bool {
        !self.keeps_lines() && matches!(next, [Stmt { kind: StmtKind::SameLine, .. }, ..])
    }

    fn statement(&mut self, stmt: &Stmt, next: &[Stmt]) {
        // Nothing runs on the line of a comment, whatever it stands for.
        if !is_pseudo(&stmt.kind) {
            self.origin(stmt.origin);
        }
        match &stmt.kind {
            StmtKind::If { test, body, orelse } => return self.if_chain(test, body, orelse),
            StmtKind::While { test, body, orelse } => {
                self.keyword_space("while");
                self.condition(test);
                self.body(body);
                return self.else_block(orelse);
            }
            StmtKind::For { target, iter, body, orelse, is_async } => {
                self.async_keyword(*is_async);
                self.keyword_space("for");
                self.target(target);
                self.space();
                self.keyword_space("in");
                self.expr(iter, Level::Test);
                self.body(body);
                return self.else_block(orelse);
            }
            StmtKind::With { items, body, is_async } => {
                self.async_keyword(*is_async);
                self.with_items(items);
                return self.body(body);
            }
            StmtKind::Try(parts) => return self.try_statement(parts),
            StmtKind::Match { subject, cases } => return self.match_statement(subject, cases),
            StmtKind::Function(function) => return self.function(function, stmt.origin),
            StmtKind::Class(class) => return self.class(class, stmt.origin),
            StmtKind::Comment(text) => return self.comment(text),
            StmtKind::Goto(_) | StmtKind::Label(_) => {
                self.simple(&stmt.kind);
                return self.end_line_of(LineKind::Alone);
            }
            simple => self.simple(simple),
        }
        if self.goes_on(next) {
            self.punctuation(";");
            return self.space();
        }
        self.end_line();
    }

    fn simple(&mut self, kind: &StmtKind) {
        match kind {
            StmtKind::Expr(value) => self.bare_tuple(value, Level::Yield),
            StmtKind::Assign { targets, value } => self.assign(targets, value),
            StmtKind::AugAssign { target, op, value } => {
                self.expr(target, Level::BitOr);
                self.space();
                self.operator(binary_text(*op));
                self.operator("=");
                self.space();
                self.statement_value(value, Level::Yield);
            }
            StmtKind::AnnAssign { target, annotation, value, simple } => {
                let in_parentheses = !simple && matches!(target.kind, ExprKind::Name(_));
                if in_parentheses {
                    self.punctuation("(");
                }
                self.expr(target, Level::BitOr);
                if in_parentheses {
                    self.punctuation(")");
                }
                self.punctuation(":");
                self.space();
                self.expr(annotation, Level::Test);
                if let Some(value) = value {
                    self.infix("=");
                    self.statement_value(value, Level::Yield);
                }
            }
            StmtKind::Delete(targets) => {
                self.keyword_space("del");
                self.separated(targets, |printer, target| printer.expr(target, Level::BitOr));
            }
            StmtKind::Return(value) => {
                self.keyword("return");
                if let Some(value) = value {
                    self.space();
                    self.bare_tuple(value, Level::Test);
                }
            }
            StmtKind::Raise { exc, cause } => {
                self.keyword("raise");
                if let Some(exc) = exc {
                    self.space();
                    self.expr(exc, Level::Test);
                    if let Some(cause) = cause {
                        self.space();
                        self.keyword_space("from");
                        self.expr(cause, Level::Test);
                    }
                }
            }
            StmtKind::Assert { test, message } => {
                self.keyword_space("assert");
                self.statement_value(test, Level::Test);
                if let Some(message) = message {
                    self.punctuation(",");
                    self.space();
                    self.statement_value(message, Level::Test);
                }
            }
            StmtKind::Import { names, lazy } => {
                self.lazy_keyword(*lazy);
                self.keyword_space("import");
                self.separated(names, |printer, alias| printer.alias(alias));
            }
            StmtKind::ImportFrom { module, names, level, lazy } => {
                self.import_from(module.as_ref(), names, *level, *lazy);
            }
            StmtKind::Global(names) => self.names("global", names),
            StmtKind::Nonlocal(names) => self.names("nonlocal", names),
            StmtKind::TypeAlias { name, type_params, value } => {
                self.keyword_space("type");
                self.name(name);
                self.type_params(type_params);
                self.infix("=");
                self.statement_value(value, Level::Test);
            }
            StmtKind::Break => self.keyword("break"),
            StmtKind::Continue => self.keyword("continue"),
            StmtKind::Goto(label) => self.token(TokenKind::Comment, &format!("# goto label_{label}")),
            StmtKind::Label(label) => self.token(TokenKind::Comment, &format!("# label_{label}:")),
            // All others are compound and were printed by `statement`.
            _ => self.keyword("pass"),
        }
    }

    fn assign(&mut self, targets: &[Expr], value: &Expr) {
        for target in targets {
            self.target(target);
            self.infix("=");
        }
        // `a, b = b, a`, but `a = (b, c)`.
        if matches!(targets.last().map(|target| &target.kind), Some(ExprKind::Tuple(_))) {
            self.bare_tuple(value, Level::Yield);
        } else {
            self.statement_value(value, Level::Yield);
        }
    }

    fn if_chain(&mut self, test: &Expr, body: &[Stmt], orelse: &[Stmt]) {
        let (mut test, mut body, mut orelse) = (test, body, orelse);
        self.keyword_space("if");
        loop {
            self.condition(test);
            self.body(body);
            match orelse {
                [Stmt { origin, kind: StmtKind::If { test: next, body: inner, orelse: rest } }] => {
                    self.origin(*origin);
                    self.keyword_space("elif");
                    (test, body, orelse) = (next, inner, rest);
                }
                _ => return self.else_block(orelse),
            }
        }
    }

    /// The test of an `if` or `while`.
    fn condition(&mut self, test: &Expr) {
        if matches!(test.kind, ExprKind::Named { .. }) {
            self.named(test);
        } else {
            self.statement_value(test, Level::Test);
        }
    }

    fn else_block(&mut self, orelse: &[Stmt]) {
        if !orelse.is_empty() {
            self.keyword("else");
            self.body(orelse);
        }
    }

    fn async_keyword(&mut self, is_async: bool) {
        if is_async {
            self.keyword_space("async");
        }
    }

    fn with_items(&mut self, items: &[WithItem]) {
        self.keyword_space("with");
        let grouped = self.grammar.parenthesized_with && items.len() > 1;
        if grouped {
            self.open_group(GroupStyle::SoftComma);
        }
        // `with (a, b):` has two items; one tuple takes another pair of parentheses.
        let double = match items {
            [WithItem { context, target: None }] => {
                matches!(context.kind, ExprKind::Tuple(_) | ExprKind::Literal(Literal::Tuple(_)))
            }
            _ => false,
        };
        if double {
            self.punctuation("(");
        }
        self.separated(items, |printer, item| {
            printer.expr(&item.context, Level::Test);
            if let Some(target) = &item.target {
                printer.space();
                printer.keyword_space("as");
                printer.target_in_parentheses(target);
            }
        });
        if double {
            self.punctuation(")");
        }
        if grouped {
            self.close_group();
        }
    }

    fn try_statement(&mut self, parts: &Try) {
        self.keyword("try");
        self.body(&parts.body);
        for handler in &parts.handlers {
            self.handler(handler, parts.is_star);
        }
        self.else_block(&parts.orelse);
        if !parts.finalbody.is_empty() || parts.handlers.is_empty() {
            self.keyword("finally");
            self.body(&parts.finalbody);
        }
    }

    fn handler(&mut self, handler: &Handler, is_star: bool) {
        self.origin(handler.origin);
        self.keyword("except");
        if is_star {
            self.operator("*");
        }
        if let Some(kind) = &handler.kind {
            self.space();
            self.expr(kind, Level::Test);
            if let Some(name) = &handler.name {
                self.space();
                self.keyword_space("as");
                self.name(name);
            }
        }
        self.body(&handler.body);
    }

    fn lazy_keyword(&mut self, lazy: bool) {
        if lazy {
            self.keyword_space("lazy");
        }
    }

    fn import_from(&mut self, module: Option<&Ident>, names: &[Alias], level: u32, lazy: bool) {
        self.lazy_keyword(lazy);
        self.keyword_space("from");
        for _ in 0..level {
            self.punctuation(".");
        }
        if let Some(module) = module {
            self.name(module);
        }
        self.space();
        self.keyword_space("import");
        if let [Alias { name, asname: None }] = names
            && *name == "*"
        {
            return self.operator("*");
        }
        self.open_group(GroupStyle::SoftComma);
        self.separated(names, |printer, alias| printer.alias(alias));
        self.close_group();
    }

    fn alias(&mut self, alias: &Alias) {
        self.name(&alias.name);
        if let Some(asname) = &alias.asname {
            self.space();
            self.keyword_space("as");
            self.name(asname);
        }
    }

    fn names(&mut self, keyword: &str, names: &[Ident]) {
        self.keyword_space(keyword);
        self.separated(names, |printer, name| printer.name(name));
    }

    fn comment(&mut self, text: &str) {
        for line in text.split('\n') {
            let line = line.trim_end();
            self.line.begin(TokenKind::Comment);
            self.line.text.push_str(if line.is_empty() { "#" } else { "# " });
            // A carriage return would end the comment, and a null byte is no source at all.
            self.line.text.extend(line.chars().map(|char| if char.is_control() { ' ' } else { char }));
            self.end_line_of(LineKind::Alone);
        }
    }
}

/// Whether the statement is no statement to Python.
fn is_pseudo(kind: &StmtKind) -> bool {
    matches!(kind, StmtKind::Comment(_) | StmtKind::SameLine | StmtKind::Goto(_) | StmtKind::Label(_))
}
