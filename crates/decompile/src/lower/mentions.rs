//! Fills the scopes from expressions and patterns.

use depyf_syntax::ast::{Clause, ComprehensionKind, Expr, ExprKind, Origin, Pattern, StringPart};
use depyf_value::PyStr;

use crate::names::is_keyword;

use super::expressions::first_operand;
use super::scope::{Role, ScopeKind, mangle, mention};
use super::symbols::{Builder, Done, address};
use crate::names::CLASS_CELL;

/// Whether an expression is read, or bound or deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Context {
    Load,
    Store,
}

impl Builder<'_> {
    pub(super) fn load(&mut self, expr: &Expr) -> Done {
        self.expr(expr, Context::Load)
    }

    pub(super) fn store(&mut self, expr: &Expr) -> Done {
        self.expr(expr, Context::Store)
    }

    pub(super) fn maybe(&mut self, expr: Option<&Expr>) -> Done {
        expr.map_or(Ok(()), |expr| self.load(expr))
    }

    fn expr(&mut self, expr: &Expr, context: Context) -> Done {
        // Most expressions hold no other.
        match &expr.kind {
            ExprKind::Name(name) => {
                self.name(name, context);
                return Ok(());
            }
            ExprKind::Literal(_) => return Ok(()),
            _ => {}
        }
        self.deeper(expr.origin)?;
        // Long chains lean to the left; most are short.
        let (mut expr, mut context) = (expr, context);
        let (mut near, mut count, mut others) = ([expr; 4], 0, Vec::new());
        while let Some(first) = first_operand(expr) {
            if has_later_operands(expr) {
                match near.get_mut(count) {
                    Some(place) => *place = expr,
                    None => others.push(expr),
                }
                count += 1;
            }
            expr = first;
            context = Context::Load;
        }
        self.expr_kind(expr, context)?;
        let near = near.iter().take(count).rev();
        others.iter().rev().chain(near).try_for_each(|around| self.later_operands(around))?;
        self.depth -= 1;
        Ok(())
    }

    /// What [`first_operand`] leaves of an expression.
    fn later_operands(&mut self, expr: &Expr) -> Done {
        match &expr.kind {
            ExprKind::Subscript { index, .. } => self.load(index),
            ExprKind::Call(call) => {
                call.args.iter().try_for_each(|arg| self.load(arg))?;
                call.keywords.iter().try_for_each(|keyword| self.load(&keyword.value))
            }
            ExprKind::Binary { right, .. } => self.load(right),
            _ => Ok(()),
        }
    }

    fn expr_kind(&mut self, expr: &Expr, context: Context) -> Done {
        match &expr.kind {
            ExprKind::Name(name) => {
                self.name(name, context);
                Ok(())
            }
            ExprKind::Temp(_) | ExprKind::Literal(_) => Ok(()),
            ExprKind::Attribute { .. } | ExprKind::Subscript { .. } => Ok(()),
            ExprKind::Call(_) | ExprKind::Binary { .. } => Ok(()),
            ExprKind::Slice { lower, upper, step } => {
                self.maybe(lower.as_deref())?;
                self.maybe(upper.as_deref())?;
                self.maybe(step.as_deref())
            }
            ExprKind::Unary { operand, .. } => self.load(operand),
            ExprKind::Bool { values, .. } => values.iter().try_for_each(|value| self.load(value)),
            ExprKind::Compare { left, rest } => {
                self.load(left)?;
                rest.iter().try_for_each(|(_, value)| self.load(value))
            }
            ExprKind::IfExp { test, body, orelse } => {
                self.load(test)?;
                self.load(body)?;
                self.load(orelse)
            }
            ExprKind::Named { target, value } => {
                self.walrus(target);
                self.load(value)
            }
            ExprKind::Lambda { params, body } => {
                self.defaults(params)?;
                let class_name = self.class_name();
                self.within(address(expr), Role::Lambda, ScopeKind::Function, class_name, |builder| {
                    builder.params(params);
                    builder.load(body)
                })
            }
            ExprKind::Tuple(items) | ExprKind::List(items) | ExprKind::Set(items) => {
                items.iter().try_for_each(|item| self.expr(item, context))
            }
            ExprKind::Starred(value) => self.expr(value, context),
            ExprKind::Dict(pairs) => pairs.iter().try_for_each(|(key, value)| {
                self.maybe(key.as_ref())?;
                self.load(value)
            }),
            ExprKind::Comprehension { kind, element, clauses } => {
                self.comprehension(expr, *kind, element, clauses)
            }
            ExprKind::Joined(parts) | ExprKind::Template(parts) => self.parts(parts),
            ExprKind::Await(value) => {
                self.scope().is_async = true;
                self.load(value)
            }
            ExprKind::Yield(value) => {
                self.scope().is_generator = true;
                self.maybe(value.as_deref())
            }
            ExprKind::Verbatim(text) => {
                if let Some(text) = text.as_str() {
                    names_in(text).for_each(|name| self.mention(&PyStr::new(name), mention::USED));
                }
                Ok(())
            }
            ExprKind::YieldFrom(value) => {
                self.scope().is_generator = true;
                self.load(value)
            }
        }
    }

    fn name(&mut self, name: &PyStr, context: Context) {
        match context {
            Context::Store => self.mention(name, mention::ASSIGNED),
            Context::Load => {
                self.mention(name, mention::USED);
                if *name == "super" && self.scope().kind == ScopeKind::Function {
                    self.mention(&CLASS_CELL.into(), mention::USED);
                }
            }
        }
    }

    fn parts(&mut self, parts: &[StringPart]) -> Done {
        for part in parts {
            if let StringPart::Field { value, spec, .. } = part {
                self.deeper(value.origin)?;
                self.load(value)?;
                self.parts(spec.as_deref().unwrap_or_default())?;
                self.depth -= 1;
            }
        }
        Ok(())
    }

    /// The target of `:=` in a comprehension belongs to the function around it.
    fn walrus(&mut self, target: &PyStr) {
        let target = mangle(self.class_name().as_ref(), target);
        let mut owner = self.current;
        while let Some(parent) =
            self.scopes.all[owner].parent.filter(|_| self.scopes.all[owner].is_comprehension)
        {
            owner = parent;
        }
        let scope = &mut self.scopes.all[owner];
        let is_global = owner != self.current
            && (scope.kind == ScopeKind::Module || scope.mentions(&target) & mention::GLOBAL != 0);
        let here = if is_global { mention::GLOBAL } else { mention::ASSIGNED };
        let nonlocal = scope.mentions(&target) & mention::NONLOCAL != 0;
        scope.symbol_mut(&target).mentions |= if nonlocal { mention::USED } else { here };
        if is_global {
            self.mention(&target, mention::GLOBAL);
            return;
        }
        let mut at = self.current;
        while at != owner {
            self.scopes.all[at].symbol_mut(&target).mentions |= mention::NONLOCAL;
            at = self.scopes.all[at].parent.unwrap_or(owner);
        }
    }

    fn comprehension(
        &mut self,
        expr: &Expr,
        kind: ComprehensionKind,
        element: &Expr,
        clauses: &[Clause],
    ) -> Done {
        let Some((first, rest)) = clauses.split_first() else { return Ok(()) };
        self.load(&first.iter)?;
        let generator = kind == ComprehensionKind::Generator;
        let inlined =
            self.compiler.features.inlined_comprehensions && !generator && self.scope().sees_class.is_none();
        let class_name = self.class_name();
        let outer = self.current;
        self.within(address(expr), Role::Comprehension, ScopeKind::Function, class_name, |builder| {
            let scope = builder.scope();
            scope.is_comprehension = true;
            scope.inlined = inlined;
            scope.is_generator = generator;
            scope.is_async = clauses.iter().any(|clause| clause.is_async);
            if !inlined {
                builder.mention(&".0".into(), mention::PARAMETER);
            }
            builder.store(&first.target)?;
            first.conditions.iter().try_for_each(|condition| builder.load(condition))?;
            for clause in rest {
                builder.store(&clause.target)?;
                builder.load(&clause.iter)?;
                clause.conditions.iter().try_for_each(|condition| builder.load(condition))?;
            }
            match (&element.kind, kind) {
                // The value comes before the key here, as it did before 3.8 (CPython `symtable_handle_comprehension`).
                (ExprKind::Tuple(pair), ComprehensionKind::Dict) => {
                    pair.iter().rev().try_for_each(|part| builder.load(part))?;
                }
                _ => builder.load(element)?,
            }
            if builder.scope().is_async && !generator {
                builder.scopes.all[outer].is_async = true;
            }
            Ok(())
        })
    }

    pub(super) fn pattern(&mut self, pattern: &Pattern, origin: Origin) -> Done {
        self.deeper(origin)?;
        match pattern {
            Pattern::Value(value) => self.load(value)?,
            Pattern::Singleton(_) => {}
            Pattern::Sequence(items) | Pattern::Or(items) => {
                items.iter().try_for_each(|item| self.pattern(item, origin))?;
            }
            Pattern::Mapping { entries, rest } => {
                for (key, value) in entries {
                    self.load(key)?;
                    self.pattern(value, origin)?;
                }
                rest.iter().for_each(|name| self.mention(name, mention::ASSIGNED));
            }
            Pattern::Class { class, positional, keywords } => {
                self.load(class)?;
                positional.iter().try_for_each(|item| self.pattern(item, origin))?;
                keywords.iter().try_for_each(|(_, item)| self.pattern(item, origin))?;
            }
            Pattern::Star(name) => name.iter().for_each(|name| self.mention(name, mention::ASSIGNED)),
            Pattern::As { pattern, name } => {
                if let Some(pattern) = pattern {
                    self.pattern(pattern, origin)?;
                }
                name.iter().for_each(|name| self.mention(name, mention::ASSIGNED));
            }
        }
        self.depth -= 1;
        Ok(())
    }
}

/// Whether [`Builder::later_operands`] finds anything in the expression.
fn has_later_operands(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Call(call) => !call.args.is_empty() || !call.keywords.is_empty(),
        kind => matches!(kind, ExprKind::Subscript { .. } | ExprKind::Binary { .. }),
    }
}

/// The variables that the text of an expression reads: its words, but for attributes, arguments' names, strings and
/// keywords.
fn names_in(text: &str) -> impl Iterator<Item = &str> {
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    let mut left = text;
    let mut behind_dot = false;
    std::iter::from_fn(move || {
        loop {
            let first = left.chars().next()?;
            if first == '\'' || first == '"' {
                left = behind_string(&left[1..], first);
                continue;
            }
            let end = left.find(|letter| !is_word(letter)).unwrap_or(left.len());
            if end == 0 {
                behind_dot = first == '.' || behind_dot && first == ' ';
                left = &left[first.len_utf8()..];
                continue;
            }
            let (word, rest) = left.split_at(end);
            left = rest;
            let next = rest.trim_start();
            let is_argument = next.starts_with('=') && !next.starts_with("==");
            let is_prefix = rest.starts_with(['\'', '"']);
            let is_name = !first.is_numeric() && !is_keyword(word);
            if !std::mem::take(&mut behind_dot) && is_name && !is_argument && !is_prefix {
                return Some(word);
            }
        }
    })
}

/// What follows a string whose first quote was read.
fn behind_string(text: &str, quote: char) -> &str {
    let mut letters = text.char_indices();
    while let Some((at, letter)) = letters.next() {
        if letter == '\\' {
            letters.next();
        } else if letter == quote {
            return &text[at + 1..];
        }
    }
    ""
}

#[cfg(test)]
mod tests {
    use super::names_in;

    #[test]
    fn texts_of_annotations_mention_their_variables() {
        let names = |text: &'static str| names_in(text).collect::<Vec<_>>();
        assert_eq!(names("a.b[c, 'd.e', d.f . g]"), ["a", "c", "d"]);
        assert_eq!(names(r"f(x=y, *z)[rb'\'q' == r, 1e5]"), ["f", "y", "z", "r"]);
        assert_eq!(names("None or not ä"), ["ä"]);
    }
}
