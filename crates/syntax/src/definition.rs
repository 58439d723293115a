//! `def`, `class`, and what their heads hold: parameters, decorators, type parameters.

use crate::ast::{Class, Expr, Function, Origin, Param, Params, TypeParam, TypeParamKind};
use crate::line::GroupStyle;
use crate::original::LineKind;
use crate::precedence::Level;
use crate::printer::Printer;
use crate::sink::TokenKind;

impl Printer<'_> {
    pub(crate) fn function(&mut self, function: &Function, origin: Origin) {
        self.decorators(&function.decorators, origin);
        if function.is_async {
            self.keyword_space("async");
        }
        self.keyword_space("def");
        self.ident(TokenKind::Definition, &function.name);
        self.type_params(&function.type_params);
        if is_empty(&function.params) {
            self.punctuation("()");
        } else {
            self.open("(", GroupStyle::Comma);
            self.params(&function.params, true);
            self.close(")");
        }
        if let Some(returns) = &function.returns {
            self.infix("->");
            self.expr(returns, Level::Test);
        }
        self.definition(&function.name, |printer| printer.indented(&function.body, 0));
    }

    pub(crate) fn class(&mut self, class: &Class, origin: Origin) {
        self.decorators(&class.decorators, origin);
        self.keyword_space("class");
        self.ident(TokenKind::Definition, &class.name);
        self.type_params(&class.type_params);
        if !class.bases.is_empty() || !class.keywords.is_empty() {
            self.argument_list(&class.bases, &class.keywords);
        }
        self.definition(&class.name, |printer| printer.indented(&class.body, 1));
    }

    /// The decorators of what was made at `origin`, which began before them.
    fn decorators(&mut self, decorators: &[Expr], origin: Origin) {
        for decorator in decorators {
            self.operator("@");
            self.named(decorator);
            self.end_line_of(LineKind::Alone);
        }
        if self.keeps_lines() && !decorators.is_empty() {
            // The line of a definition is that of its `def`.
            self.origin(origin);
        }
    }

    pub(crate) fn type_params(&mut self, params: &[TypeParam]) {
        if params.is_empty() {
            return;
        }
        self.open("[", GroupStyle::Comma);
        self.separated(params, |printer, param| {
            match param.kind {
                TypeParamKind::TypeVar => {}
                TypeParamKind::TypeVarTuple => printer.operator("*"),
                TypeParamKind::ParamSpec => printer.operator("**"),
            }
            printer.name(&param.name);
            if let Some(bound) = &param.bound {
                printer.punctuation(":");
                printer.space();
                printer.expr(bound, Level::Test);
            }
            if let Some(default) = &param.default {
                printer.infix("=");
                printer.expr(default, Level::Test);
            }
        });
        self.close("]");
    }

    /// Prints the parameters of a lambda, with the blank that goes before them, and gives the places of their defaults.
    pub(crate) fn lambda_params(&mut self, params: &Params) -> Vec<(u32, u32)> {
        if is_empty(params) {
            return Vec::new();
        }
        self.space();
        // Line breaks would need brackets around.
        let marks = self.line.marks.len();
        let defaults = self.params(params, false);
        self.line.marks.truncate(marks);
        defaults
    }

    /// Prints parameters, and gives the places of their defaults.
    fn params(&mut self, params: &Params, annotated: bool) -> Vec<(u32, u32)> {
        let mut first = true;
        let mut defaults = Vec::new();
        for param in &params.posonly {
            defaults.extend(self.param("", param, annotated, &mut first));
        }
        if !params.posonly.is_empty() {
            self.separator(&mut first);
            self.operator("/");
        }
        for param in &params.regular {
            defaults.extend(self.param("", param, annotated, &mut first));
        }
        match &params.vararg {
            Some(vararg) => defaults.extend(self.param("*", vararg, annotated, &mut first)),
            None if !params.kwonly.is_empty() => {
                self.separator(&mut first);
                self.operator("*");
            }
            None => {}
        }
        for param in &params.kwonly {
            defaults.extend(self.param("", param, annotated, &mut first));
        }
        if let Some(kwarg) = &params.kwarg {
            defaults.extend(self.param("**", kwarg, annotated, &mut first));
        }
        defaults
    }

    fn separator(&mut self, first: &mut bool) {
        if !std::mem::take(first) {
            self.comma();
        }
    }

    /// Prints one parameter, and gives the place of its default.
    fn param(&mut self, stars: &str, param: &Param, annotated: bool, first: &mut bool) -> Option<(u32, u32)> {
        self.separator(first);
        if !stars.is_empty() {
            self.operator(stars);
        }
        self.name(&param.name);
        let annotation = param.annotation.as_ref().filter(|_| annotated);
        if let Some(annotation) = annotation {
            self.punctuation(":");
            self.space();
            self.expr(annotation, Level::Test);
        }
        let default = param.default.as_ref()?;
        if annotation.is_some() {
            self.infix("=");
        } else {
            self.operator("=");
        }
        let start = self.line.position();
        self.expr(default, Level::Test);
        Some((start, self.line.position()))
    }
}

fn is_empty(params: &Params) -> bool {
    let Params { posonly, regular, vararg, kwonly, kwarg } = params;
    posonly.is_empty() && regular.is_empty() && kwonly.is_empty() && vararg.is_none() && kwarg.is_none()
}
