//! Calls in all their forms.

use depyf_bytecode::{CallLayout, CompilerFeatures, NameId};
use depyf_syntax::ast::{Class, Expr, ExprKind, Keyword, Literal};

use crate::View;

use super::fresh::names_argument;
use super::value::Body;
use super::{Effects, HOLE, LiftResult, Lifter, PendingId, Special, Value, Values};

/// What a mapping of keywords may be in the source.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mapping {
    /// A display, or keywords behind an unpacked iterable.
    Names,
    /// A display that unpacks another mapping.
    Display,
}

impl Lifter<'_> {
    /// `[callee slots] a_1 .. a_n -> result`
    pub(super) fn call(&mut self, positional: u32, layout: CallLayout) -> LiftResult<()> {
        let start = self.call_operands(positional as usize, layout)?;
        self.finish_call(start, Vec::new())
    }

    /// `[callee slots] a_1 .. a_n names -> result`
    pub(super) fn call_keywords(&mut self, arguments: u32, layout: CallLayout) -> LiftResult<()> {
        let names = self.pop()?;
        let Some(names) = self.constant_items(names) else {
            return self.error("the keywords of a call are no constant tuple");
        };
        if (arguments as usize) < names.len() {
            return self.error("a call has more keywords than arguments");
        }
        let start = self.call_operands(arguments as usize, layout)?;
        self.finish_call(start, names)
    }

    /// Leaves the callee and so many arguments behind it on the stack; returns where they begin. Where neither of the
    /// callee's two slots is NULL the upper one is another argument, the first.
    fn call_operands(&mut self, arguments: usize, layout: CallLayout) -> LiftResult<usize> {
        if layout == CallLayout::Plain {
            return self.top(arguments + 1);
        }
        let start = self.top(arguments + 2)?;
        match self.stack[start..] {
            [Value::Null, ..] => {
                self.stack.remove(start);
            }
            [_, Value::Null, ..] => {
                self.stack.remove(start + 1);
            }
            _ => {}
        }
        Ok(start)
    }

    /// Calls the value at an index of the stack with all that lie above it, the last of which have the names.
    fn finish_call(&mut self, start: usize, names: Vec<Expr>) -> LiftResult<()> {
        let is_special = match self.stack[start..] {
            [Value::BuildClass, ..] => true,
            [Value::Pending(callee), ..] if !matches!(self.pending[callee].special, Special::None) => true,
            [_, Value::Pending(only)] => !matches!(self.pending[only].special, Special::None),
            _ => false,
        };
        if is_special && let Some(called) = self.special_call(start, &names) {
            return called;
        }
        let only_binds = self.binds_cells(start);
        self.put_top_in_place(start)?;
        let mut effects = Effects::NONE;
        let func = self.operand(self.stack[start], &mut effects)?;
        let (first, end) = (start + 1, self.stack.len());
        let named = end - names.len();
        let mut positional = Vec::with_capacity(named - first);
        for at in first..named {
            positional.push(self.operand(self.stack[at], &mut effects)?);
        }
        let mut keywords = Vec::with_capacity(names.len());
        for (name, at) in names.into_iter().zip(named..end) {
            keywords.push(keyword(name, self.operand(self.stack[at], &mut effects)?));
        }
        self.stack.truncate(start);
        effects.acts |= !only_binds;
        self.push_expr(ExprKind::call(func, positional, keywords), effects);
        Ok(())
    }

    /// A call that makes a definition or a comprehension, if it is one. Few are: the others are not to read what makes it.
    #[inline(never)]
    fn special_call(&mut self, start: usize, names: &[Expr]) -> Option<LiftResult<()>> {
        let [callee, ref args @ ..] = self.stack[start..] else { return None };
        if callee == Value::BuildClass {
            let operands = self.pop_from(start);
            return Some(self.build_class(&operands[1..], names.to_vec(), None));
        }
        if !names.is_empty() {
            return None;
        }
        if let Value::Pending(id) = callee {
            match (&self.pending[id].special, args) {
                (Special::Comprehension(_), [_]) => {
                    let operands = self.pop_from(start);
                    return Some(self.call_comprehension(id, operands[1]));
                }
                (Special::Generic(_), _) => {
                    let operands = self.pop_from(start);
                    self.live.retain(|&live| live != id);
                    return Some(match std::mem::replace(&mut self.pending[id].special, Special::None) {
                        Special::Generic(generic) => self.call_generic(*generic, &operands[1..]),
                        _ => self.error("type parameters of no definition"),
                    });
                }
                _ => {}
            }
        }
        match *args {
            [Value::Pending(id)]
                if matches!(self.pending[id].special, Special::Function(_) | Special::Class(_))
                    && self.pending[id].references == 1
                    && self.is_live(id) =>
            {
                self.stack.truncate(start);
                Some(self.decorate(self.resolve(callee), id))
            }
            _ => None,
        }
    }

    /// Calls the body of a comprehension with its first iterator.
    fn call_comprehension(&mut self, id: PendingId, iterator: Value) -> LiftResult<()> {
        let Special::Comprehension(body) = &self.pending[id].special else {
            return self.error("no comprehension");
        };
        let Body { expr, awaited } = Body::clone(body);
        self.forget(id);
        self.comprehension(expr, &Effects::acting(), iterator)?;
        if let (Some(Value::Pending(id)), true) = (self.stack.last(), awaited) {
            self.pending[*id].special = Special::Coroutine;
        }
        Ok(())
    }

    /// The expression of a value that is in place, without forms that only stand in subscripts. Called rather than copied
    /// to each caller: lifting a block reads more instructions than the processor's first cache holds.
    #[inline(never)]
    fn operand(&mut self, value: Value, effects: &mut Effects) -> LiftResult<Expr> {
        let mut expr = self.convert(value, effects)?;
        super::keys::spell_in_place(&mut expr);
        Ok(expr)
    }

    /// Whether the call only gives a resume function its cells, in the view that may rely on it.
    fn binds_cells(&self, start: usize) -> bool {
        if self.context.scope.options.view != View::Readable {
            return false;
        }
        let [callee, Value::Fresh(id)] = self.stack[start..] else { return false };
        let Some(Expr { kind: ExprKind::Name(name), .. }) = self.atom_of(callee) else { return false };
        crate::dynamo::is_resume_function(name)
            && !self.fresh[id].items.is_empty()
            && self.fresh[id].items.iter().all(|item| matches!(item, Value::Cell(..)))
    }

    /// `callee(function)` for a function that was just made: a decorator, if a store to its name follows.
    fn decorate(&mut self, callee: Value, id: usize) -> LiftResult<()> {
        // The decorator is evaluated before the function is made, so the function must be the last.
        let (decorator, mut effects) = {
            self.forget(id);
            self.take_one(callee)?
        };
        effects.add(&self.pending[id].effects.clone());
        effects.acts = true;
        let mut special = std::mem::replace(&mut self.pending[id].special, Special::None);
        match &mut special {
            Special::Function(function) => function.decorators.insert(0, decorator),
            Special::Class(class) => class.decorators.insert(0, decorator),
            _ => return self.error("a decorator without a definition"),
        }
        let value = self.defer_special(special, effects);
        self.push(value);
        Ok(())
    }

    /// A pending value that is more than an expression.
    pub(super) fn defer_special(&mut self, special: Special, effects: Effects) -> Value {
        self.defer_pending(None, effects, special)
    }

    /// `f(*args, **kwargs)`
    pub(super) fn call_ex(&mut self, keywords: bool, layout: CallLayout) -> LiftResult<()> {
        let kwargs = if keywords { Some(self.pop()?) } else { None };
        let kwargs = kwargs.filter(|value| *value != Value::Null);
        let start = self.call_operands(1, layout)?;
        let operands = self.pop_from(start);
        let [callee, args] = operands[..] else {
            return self.error("a call with unpacked arguments has a bound first argument");
        };
        if let (Value::BuildClass, Value::Fresh(id)) = (callee, args) {
            let items = self.fresh[id].items.clone();
            return self.build_class(&items, Vec::new(), kwargs);
        }
        // A display with stars that was not built for the call is one argument: `f(*(a, *b))`.
        let is_display =
            matches!(args, Value::Pending(id) if matches!(self.pending[id].special, Special::None));
        let written = kwargs.and_then(|kwargs| self.written_mapping(kwargs));
        let mut values = operands;
        values.extend(kwargs);
        let (exprs, mut effects) = self.take(&values)?;
        effects.acts = true;
        let mut exprs = exprs.into_iter();
        let (Some(func), Some(args)) = (exprs.next(), exprs.next()) else {
            return self.error("a call lacks operands");
        };
        // Without keywords, what the compiler makes of single arguments is no tuple. An empty one is one of the source's,
        // unless the compiler makes a constant of its own.
        let starred = |items: &[Expr]| items.iter().any(|item| matches!(item.kind, ExprKind::Starred(_)));
        let packs = self.context.packs_values;
        let no_keywords = |kwargs: &Expr| matches!(&kwargs.kind, ExprKind::Dict(pairs) if pairs.is_empty());
        let kwargs = exprs.next();
        // With names of keywords alone, single arguments are no tuple either, unless they are many.
        let count = match &args.kind {
            ExprKind::Tuple(items) => items.len(),
            ExprKind::Literal(Literal::Tuple(items)) => items.len(),
            _ => 0,
        };
        let are_names = |kwargs: &Expr| match &kwargs.kind {
            ExprKind::Dict(pairs) => {
                written.is_none()
                    && pairs.iter().all(|(key, _)| key.is_some())
                    && count + 2 * pairs.len() <= CompilerFeatures::MOST_ON_THE_STACK
            }
            _ => false,
        };
        let compiler = CompilerFeatures::of(self.context.code.version);
        // So many single arguments are a tuple even without keywords.
        let are_many = compiler.is_some_and(|compiler| compiler.fills_in_steps(count));
        let single =
            packs || kwargs.as_ref().map_or(are_many, |kwargs| no_keywords(kwargs) || !are_names(kwargs));
        let folds = packs || compiler.is_some_and(|compiler| compiler.folds_empty_tuples);
        let are_arguments = |items: &[Expr]| if starred(items) { !is_display } else { single };
        let args: Vec<Expr> = match args.kind {
            ExprKind::Tuple(items) if are_arguments(&items) => items,
            ExprKind::List(items) if packs => items,
            ExprKind::Literal(Literal::Tuple(items)) if single && (folds || !items.is_empty()) => {
                items.into_iter().map(|item| Expr::new(args.origin, ExprKind::Literal(item))).collect()
            }
            kind => {
                let iterable = Box::new(Expr::new(args.origin, kind));
                vec![self.expr(ExprKind::Starred(iterable))]
            }
        };
        let keywords = match kwargs {
            // It was unpacked: an empty dict of keywords would be none.
            Some(kwargs) if !packs && no_keywords(&kwargs) => vec![Keyword { name: None, value: kwargs }],
            Some(kwargs)
                if written == Some(Mapping::Display)
                    || written.is_some() && (!starred(&args) || !all_are_names(&kwargs)) =>
            {
                vec![Keyword { name: None, value: kwargs }]
            }
            Some(kwargs) => self.keywords_of(kwargs),
            None => Vec::new(),
        };
        self.push_expr(ExprKind::call(func, args, keywords), effects);
        Ok(())
    }

    /// Whether the keywords of a call were written as a mapping, where they are handed over as they are (3.8). The
    /// compiler makes one operation of keywords and a mapping, and another of a display that unpacks one.
    fn written_mapping(&self, kwargs: Value) -> Option<Mapping> {
        let at_once = CompilerFeatures::of(self.context.code.version)?.unpacks_at_once;
        if self.context.packs_values || !at_once {
            return None;
        }
        match kwargs {
            Value::Fresh(_) => Some(Mapping::Names),
            Value::Pending(id) if matches!(self.pending[id].special, Special::None) => Some(Mapping::Display),
            _ => None,
        }
    }

    /// `super class self -> super().name`
    pub(super) fn load_super(&mut self, name: NameId, two_arguments: bool) -> LiftResult<()> {
        let mut values = self.pop_many(3)?;
        if !two_arguments {
            for &value in values[1..].iter().rev() {
                self.push(value);
                self.discard_quietly()?;
            }
            values.truncate(1);
        }
        let name = self.context.names.attribute(name);
        let (exprs, mut effects) = self.take(&values)?;
        effects.acts = true;
        let mut exprs = exprs.into_iter();
        let Some(func) = exprs.next() else { return self.error("`super` is missing") };
        let call = ExprKind::call(func, exprs.collect(), Vec::new());
        let call = self.expr(call);
        self.push_expr(crate::names::attribute(call, name), effects);
        Ok(())
    }

    /// Fills the iterable into a comprehension.
    pub(super) fn comprehension(
        &mut self,
        mut expr: Expr,
        effects: &Effects,
        iterator: Value,
    ) -> LiftResult<()> {
        let (iterable, mut all) = self.take_iterable(iterator)?;
        all.add(effects);
        all.acts = true;
        let ExprKind::Comprehension { clauses, .. } = &mut expr.kind else {
            return self.error("no comprehension");
        };
        match clauses.first_mut() {
            Some(clause) if clause.iter.kind == ExprKind::Temp(HOLE) => clause.iter = iterable,
            _ => return self.error("a comprehension without a loop"),
        }
        let kind = expr.kind;
        self.push_expr(kind, all);
        Ok(())
    }

    /// The iterable behind an iterator that only a loop will use.
    pub(super) fn take_iterable(&mut self, value: Value) -> LiftResult<(Expr, Effects)> {
        if let Value::Pending(id) = value
            && matches!(self.pending[id].special, Special::Iterator | Special::AsyncIterator)
            && self.pending[id].references == 1
        {
            self.pending[id].special = Special::None;
        }
        self.take_one(value)
    }

    /// `__build_class__(function, name, *bases, **keywords)`, with more keywords in a dict
    fn build_class(&mut self, args: &[Value], names: Vec<Expr>, mapping: Option<Value>) -> LiftResult<()> {
        let &[Value::Pending(id), name, ref bases @ ..] = args else {
            return self.error("a class without a body or a name");
        };
        let positional = bases.len().checked_sub(names.len());
        let Some((bases, values)) = positional.map(|positional| bases.split_at(positional)) else {
            return self.error("a class without a body or a name");
        };
        let Some(name) = self.string_of(name).cloned() else {
            return self.error("the name of a class is no constant");
        };
        let Special::Function(function) = std::mem::replace(&mut self.pending[id].special, Special::None)
        else {
            return self.error("the body of a class is no function");
        };
        self.forget(id);
        let shown = |base: &&Value| !self.is_hidden(base, ".generic_base");
        let mut operands: Values = bases.iter().filter(shown).copied().collect();
        let positional = operands.len();
        operands.extend_from_slice(values);
        operands.extend(mapping);
        let (mut bases, mut effects) = self.take(&operands)?;
        effects.acts = true;
        let mut values = bases.split_off(positional);
        let mapping = values.split_off(names.len()).pop();
        let mut keywords: Vec<Keyword> =
            names.into_iter().zip(values).map(|(name, value)| keyword(name, value)).collect();
        keywords.extend(mapping.map(|mapping| self.keywords_of(mapping)).unwrap_or_default());
        let class = Class {
            name,
            decorators: Vec::new(),
            type_params: std::mem::take(&mut self.type_params),
            bases,
            keywords,
            body: function.body,
        };
        let value = self.defer_special(Special::Class(Box::new(class)), effects);
        self.push(value);
        Ok(())
    }
}

/// Whether each key of a dict may be the name of a keyword.
fn all_are_names(dict: &Expr) -> bool {
    matches!(&dict.kind, ExprKind::Dict(pairs)
        if pairs.iter().all(|(key, _)| key.as_ref().is_none_or(names_argument)))
}

/// `name=value`; a name that cannot be spelled goes through `**{..}`.
fn keyword(name: Expr, value: Expr) -> Keyword {
    match name.kind {
        ExprKind::Literal(Literal::Str(text)) if crate::names::is_identifier(&text) => {
            Keyword { name: Some(text), value }
        }
        kind => {
            let origin = name.origin;
            let pair = (Some(Expr::new(origin, kind)), value);
            Keyword { name: None, value: Expr::new(origin, ExprKind::Dict(vec![pair])) }
        }
    }
}
