//! What variables, globals and attributes are called in the source.

use crate::hash::{HashMap, HashSet};
use crate::index::{Index, make_room, part};
use std::borrow::Cow;
use std::sync::{Arc, LazyLock};

use depyf_bytecode::{CodeObject, Const, Function, NameId, Op, VarId, Variable, VariableKind};
use depyf_syntax::ast::{CompareOp, Expr, ExprKind, Ident, Literal, Origin, UnaryOp};
use depyf_value::PyStr;
use smallvec::SmallVec;

/// The cell of the class itself, which nested scopes find in a class though it does not bind that; so are those below
/// (CPython `Python/symtable.c`, `drop_class_free`).
pub(crate) const CLASS_CELL: &str = "__class__";
/// The namespace of a class.
pub(crate) const CLASS_NAMESPACE: &str = "__classdict__";
/// The set of the annotations that were reached (3.14 on).
pub(crate) const CONDITIONAL_ANNOTATIONS: &str = "__conditional_annotations__";

/// The names of one function.
#[derive(Debug)]
pub(crate) struct Names<'a> {
    variables: Vec<Ident>,
    names: &'a [PyStr],
    /// Whether the names are identifiers, as those of all code that was compiled from source.
    are_identifiers: bool,
    /// The class around, with the `_` that its mangled names start with; see [`Names::unmangled`].
    private: Option<String>,
}

/// The names of a function that were chosen, see [`Names::into_chosen`].
#[derive(Debug)]
pub(crate) struct Chosen {
    variables: Vec<Ident>,
    are_identifiers: bool,
    private: Option<String>,
}

impl Chosen {
    /// The names of the code object that they were chosen for.
    pub(crate) fn of(self, code: &CodeObject) -> Names<'_> {
        let Self { variables, are_identifiers, private } = self;
        Names { variables, names: &code.names, are_identifiers, private }
    }
}

impl<'a> Names<'a> {
    /// Chooses a name for every variable.
    ///
    /// Establishes: names are identifiers, no two variables share one, and none hides a global that the
    /// code uses (that of a comprehension may be one of the code around). A free variable takes the name that the
    /// enclosing function gave it (`outer`, in the order of `co_freevars`; empty keeps their own). Private names of
    /// `class` are written as in its body.
    pub(crate) fn choose(
        code: &'a CodeObject,
        function: &Function,
        outer: &[Ident],
        class: Option<&PyStr>,
    ) -> Self {
        let private = class.and_then(mangling_prefix);
        let are_identifiers = code.names.iter().all(is_identifier);
        let variables = if are_called_as_they_are(code, function, outer, private.as_deref()) {
            function.variables.iter().map(|variable| variable.name.clone()).collect()
        } else {
            Self::choose_variables(code, function, outer, private.as_deref())
        };
        Self { variables, names: &code.names, are_identifiers, private }
    }

    fn choose_variables(
        code: &CodeObject,
        function: &Function,
        outer: &[Ident],
        private: Option<&str>,
    ) -> Vec<Ident> {
        let mut taken = Taken::default();
        // In a comprehension of its own a variable may be called as a global is around it.
        let mut own: HashSet<VarId> = HashSet::default();
        if !function.variables.is_empty() {
            // Most names are seen once: what was added already is found quicker than a list of flags is made.
            for instruction in &function.instructions {
                if let Some(name) = global(code, instruction.op) {
                    taken.add(Cow::Borrowed(name));
                } else if let Op::LoadLocalAndClear(variable) = instruction.op {
                    own.insert(variable);
                }
            }
            let values = nested_code(code, function).into_iter().filter(|(_, role)| *role == Role::Value);
            values.for_each(|(nested, _)| {
                taken.add(Cow::Borrowed(&nested.name));
            });
        }
        let own_name = |variable: &Variable| variable.name.clone();
        let mut variables: Vec<Ident> = function.variables.iter().map(own_name).collect();
        let first_free = function.variables.len() - code.freevars.len().min(function.variables.len());
        let keyword_only = code.argcount as usize..code.argcount.saturating_add(code.kwonlyargcount) as usize;
        // Names that callers use come first, then the rest in order.
        let fixed =
            |at: usize| function.variables[at].kind == VariableKind::Free || keyword_only.contains(&at);
        let order =
            (0..variables.len()).filter(|&at| fixed(at)).chain((0..variables.len()).filter(|&at| !fixed(at)));
        let mut numbers = HashMap::default();
        for at in order {
            let variable = &function.variables[at];
            // Nearly all names are taken as they are.
            let is_own = outer.is_empty() || variable.kind != VariableKind::Free;
            if is_own && is_plain_identifier(&variable.name) && taken.add(Cow::Borrowed(&variable.name)) {
                continue;
            }
            let name = match outer.get(at.wrapping_sub(first_free)) {
                // A class in between mangles private names in its own way.
                Some(name) if variable.kind == VariableKind::Free && !is_private(name) => name.clone(),
                _ if (fixed(at) || own.contains(&(at as VarId))) && is_identifier(&variable.name) => {
                    unmangled(private, &variable.name)
                }
                _ => {
                    let name = unmangled(private, &identifier(&variable.name));
                    unused(&name, &taken, &mut numbers)
                }
            };
            if name == variable.name {
                taken.add(Cow::Borrowed(&variable.name));
            } else {
                taken.add(Cow::Owned(name.clone()));
                variables[at] = name;
            }
        }
        variables
    }

    /// The names without the code object that they are of.
    pub(crate) fn into_chosen(self) -> Chosen {
        let Self { variables, are_identifiers, private, .. } = self;
        Chosen { variables, are_identifiers, private }
    }

    /// The name as the class body around writes it: `__x` for `_A__x`.
    pub(crate) fn unmangled(&self, name: &PyStr) -> Ident {
        unmangled(self.private.as_deref(), name)
    }

    /// The name of a variable.
    pub(crate) fn variable(&self, variable: VarId) -> Ident {
        self.variables.get(variable as usize).cloned().unwrap_or_else(|| Ident::new("_"))
    }

    /// All variables' names.
    pub(crate) fn variables(&self) -> &[Ident] {
        &self.variables
    }

    /// The entry of `co_names` as it is.
    pub(crate) fn raw(&self, name: NameId) -> &Ident {
        static MISSING: LazyLock<Ident> = LazyLock::new(|| Ident::new("_"));
        self.names.get(name as usize).unwrap_or_else(|| &MISSING)
    }

    /// The attribute of that name.
    pub(crate) fn attribute(&self, name: NameId) -> Ident {
        self.unmangled(self.raw(name))
    }

    /// A read of [`Names::attribute`], as [`attribute`] spells it.
    pub(crate) fn read(&self, value: Expr, name: Ident) -> ExprKind {
        if self.are_identifiers {
            return ExprKind::Attribute { value: Box::new(value), attr: name };
        }
        attribute(value, name)
    }

    /// A target that stores or deletes [`Names::attribute`]; one that is no identifier is an item of the object's `__dict__`.
    pub(crate) fn place(&self, value: Expr, name: Ident) -> ExprKind {
        if self.are_identifiers || is_identifier(&name) {
            return ExprKind::Attribute { value: Box::new(value), attr: name };
        }
        item(ExprKind::call(Expr::name("vars"), vec![value], Vec::new()), name)
    }

    /// A read of a global, which goes through `globals()` where its name is no identifier.
    pub(crate) fn global(&self, name: NameId) -> ExprKind {
        let name = self.unmangled(self.raw(name));
        if self.are_identifiers || is_identifier(&name) {
            return ExprKind::Name(name);
        }
        item(ExprKind::call(Expr::name("globals"), Vec::new(), Vec::new()), name)
    }
}

/// `value['name']`.
fn item(value: ExprKind, name: Ident) -> ExprKind {
    let index = Expr::new(Origin::NONE, ExprKind::Literal(Literal::Str(name)));
    ExprKind::Subscript { value: Box::new(Expr::new(Origin::NONE, value)), index: Box::new(index) }
}

/// Functions with more variables are looked at in the long way.
const FEW_VARIABLES: usize = 16;

/// Whether it is plain that all variables are called in source as they are: those of nearly all functions.
///
/// Names are compared by a part of each, so that it may say no without cause.
fn are_called_as_they_are(
    code: &CodeObject,
    function: &Function,
    outer: &[Ident],
    private: Option<&str>,
) -> bool {
    let variables = &function.variables;
    if variables.is_empty() {
        return true;
    }
    if variables.len() > FEW_VARIABLES {
        return false;
    }
    let is_mangled = |name: &PyStr| {
        private.is_some_and(|prefix| name.as_str().is_some_and(|name| name.starts_with(prefix)))
    };
    let mut parts = SmallVec::<[u64; FEW_VARIABLES]>::new();
    for Variable { name, .. } in variables {
        let part = part(name);
        if !is_identifier(name) || is_mangled(name) || parts.contains(&part) {
            return false;
        }
        parts.push(part);
    }
    let free = variables.iter().rev().take(code.freevars.len()).rev().map(|variable| &variable.name);
    let is_taken = |name: &PyStr| parts.contains(&part(name));
    // Attributes may be called as variables are, and so are functions that variables hold.
    let is_global = |op: Op| global(code, op).is_some_and(is_taken);
    let is_called = |value: &Const| matches!(value, Const::Code(nested) if is_taken(&nested.name));
    let is_value = |(nested, role): (&Arc<CodeObject>, Role)| role == Role::Value && is_taken(&nested.name);
    (outer.is_empty() || free.eq(outer))
        && !(code.names.iter().any(is_taken) && function.instructions.iter().any(|found| is_global(found.op)))
        && !(code.consts.iter().any(is_called) && nested_code(code, function).into_iter().any(is_value))
}

/// An annotation under `from __future__ import annotations`: the compiler keeps the text of the expression.
///
/// A text that cannot be that of an expression stays a string.
pub(crate) fn verbatim(annotation: Expr) -> Expr {
    match annotation.kind {
        ExprKind::Literal(Literal::Str(text)) if is_expression_text(&text) => {
            Expr::new(annotation.origin, ExprKind::Verbatim(text))
        }
        kind => Expr::new(annotation.origin, kind),
    }
}

/// Whether a text has the outside of an expression: something on one line, in which all brackets and quotes
/// are closed.
fn is_expression_text(text: &PyStr) -> bool {
    let Some(text) = text.as_str() else { return false };
    let mut open = Vec::new();
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '(' | '[' | '{' => open.push(letter),
            ')' | ']' | '}' => {
                let opening = match letter {
                    ')' => '(',
                    ']' => '[',
                    _ => '{',
                };
                if open.pop() != Some(opening) {
                    return false;
                }
            }
            '\'' | '"' => loop {
                match letters.next() {
                    Some('\\') => {
                        letters.next();
                    }
                    Some(end) if end == letter => break,
                    Some(_) => {}
                    None => return false,
                }
            },
            '\n' | '\r' | '#' | ';' | '\\' => return false,
            _ => {}
        }
    }
    open.is_empty() && !text.trim().is_empty()
}

/// What mangled private names of a class start with (CPython `_Py_Mangle`); None where it mangles nothing.
fn mangling_prefix(class: &PyStr) -> Option<String> {
    let class = class.as_str()?.trim_start_matches('_');
    (!class.is_empty()).then(|| ["_", class].concat())
}

/// Whether a class body mangles the name.
fn is_private(name: &PyStr) -> bool {
    name.as_str().is_some_and(|text| text.starts_with("__") && !text.ends_with("__") && !text.contains('.'))
}

fn unmangled(prefix: Option<&str>, name: &PyStr) -> Ident {
    // Nearly all names begin otherwise than a prefix.
    let Some(prefix) = prefix.filter(|_| name.as_wtf8().first() == Some(&b'_')) else { return name.clone() };
    let private = name.as_str().and_then(|text| text.strip_prefix(prefix)).map(Ident::new);
    private.filter(is_private).unwrap_or_else(|| name.clone())
}

/// `value.name`, or `getattr(value, "name")` where the name is no identifier.
pub(crate) fn attribute(value: Expr, name: Ident) -> ExprKind {
    if is_identifier(&name) {
        return ExprKind::Attribute { value: Box::new(value), attr: name };
    }
    let name = Expr::new(Origin::NONE, ExprKind::Literal(Literal::Str(name)));
    ExprKind::call(Expr::name("getattr"), vec![value, name], Vec::new())
}

/// The asynchronous iterator of a value; `aiter` is a builtin from 3.10 on only.
pub(crate) fn async_iterator(value: Expr) -> Expr {
    let origin = value.origin;
    let func = Expr::new(origin, attribute(value, "__aiter__".into()));
    Expr::new(origin, ExprKind::call(func, Vec::new(), Vec::new()))
}

/// The iterator of a value: `iter(value)`, or without a name that could mean something else where the
/// value's type is known.
pub(crate) fn iterator(value: Expr) -> Expr {
    let origin = value.origin;
    let known =
        matches!(value.kind, ExprKind::Tuple(_) | ExprKind::List(_) | ExprKind::Set(_) | ExprKind::Dict(_));
    let (func, args) = if known {
        (ExprKind::Attribute { value: Box::new(value), attr: "__iter__".into() }, Vec::new())
    } else {
        (ExprKind::Name("iter".into()), vec![value])
    };
    Expr::new(origin, ExprKind::call(Expr::new(origin, func), args, Vec::new()))
}

/// `op operand`; `not` turns a comparison with None round, which the instructions test in one way.
pub(crate) fn unary(op: UnaryOp, operand: Expr) -> ExprKind {
    if op == UnaryOp::Not
        && let ExprKind::Compare { left, rest } = &operand.kind
        && let [(compare, right)] = &rest[..]
        && right.kind == ExprKind::Literal(Literal::None)
        && let (CompareOp::Is | CompareOp::IsNot, Some(turned)) = (compare, compare.negated())
    {
        return ExprKind::Compare { left: left.clone(), rest: vec![(turned, right.clone())] };
    }
    ExprKind::Unary { op, operand: Box::new(operand) }
}

/// Whether a comparison whose operator has a negation, so that the compiler may turn it, is one with None. Nothing if
/// the expression is no such comparison.
pub(crate) fn compares_with_none(expr: &Expr) -> Option<bool> {
    let ExprKind::Compare { rest, .. } = &expr.kind else { return None };
    let [(op, right)] = &rest[..] else { return None };
    op.negated()?;
    let is_identity = matches!(op, CompareOp::Is | CompareOp::IsNot);
    Some(is_identity && right.kind == ExprKind::Literal(Literal::None))
}

/// The negation of a condition: `not` before another `not` takes it away.
pub(crate) fn negated(test: Expr) -> Expr {
    let origin = test.origin;
    let is_not = |value: &&Expr| matches!(value.kind, ExprKind::Unary { op: UnaryOp::Not, .. });
    match test.kind {
        ExprKind::Unary { op: UnaryOp::Not, operand } => *operand,
        // De Morgan, where it takes more `not`s away than it makes. The same tests and jumps compute both.
        ExprKind::Bool { op, values } if 2 * values.iter().filter(is_not).count() + 1 > values.len() => {
            let values = values.into_iter().map(negated).collect();
            Expr::new(origin, ExprKind::Bool { op: op.other(), values })
        }
        kind => Expr::new(origin, unary(UnaryOp::Not, Expr::new(origin, kind))),
    }
}

/// What the instructions do with a nested code object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// They make a function of it.
    Function,
    /// They use the code object itself.
    Value,
    /// Nothing: Dynamo keeps the constants of the function that it rewrites.
    Unused,
}

/// The nested code objects and what becomes of each.
pub(crate) fn nested_code<'a>(code: &'a CodeObject, function: &Function) -> Vec<(&'a Arc<CodeObject>, Role)> {
    if !code.consts.iter().any(Const::is_code) {
        return Vec::new();
    }
    let mut roles = vec![Role::Unused; code.consts.len()];
    for (at, instruction) in function.instructions.iter().enumerate() {
        let Op::Const(index) = instruction.op else { continue };
        if !code.consts.get(index as usize).is_some_and(Const::is_code) {
            continue;
        }
        // To 3.10 the function's name lies between the code object and MAKE_FUNCTION.
        let mut next = function.instructions[at + 1..].iter().take(3).map(|next| next.op);
        let made = next.any(|op| matches!(op, Op::MakeFunction(_)));
        if let Some(role) = roles.get_mut(index as usize) {
            *role = if made { Role::Function } else { Role::Value };
        }
    }
    let code = code.consts.iter().zip(roles);
    code.filter_map(|(value, role)| match value {
        Const::Code(nested) => Some((nested, role)),
        _ => None,
    })
    .collect()
}

/// Globals (and names of module scope) that the code, or code nested in it, refers to.
pub(crate) fn globals_used<'a>(code: &'a CodeObject, function: &Function) -> HashSet<&'a PyStr> {
    let mut used = HashSet::default();
    used.extend(function.instructions.iter().filter_map(|instruction| global(code, instruction.op)));
    used
}

/// The global that an operation refers to.
fn global(code: &CodeObject, op: Op) -> Option<&PyStr> {
    match op {
        Op::LoadGlobal(name) | Op::StoreGlobal(name) | Op::DeleteGlobal(name) => {
            code.names.get(name as usize)
        }
        _ => None,
    }
}

/// Names that are taken.
#[derive(Default)]
struct Taken<'a> {
    names: Vec<Cow<'a, PyStr>>,
    index: Index,
}

impl<'a> Taken<'a> {
    fn holds(&self, name: &PyStr) -> bool {
        self.index.find(name, |at| &self.names[at as usize]).is_some()
    }

    /// Says whether the name was free.
    fn add(&mut self, name: Cow<'a, PyStr>) -> bool {
        let at = self.names.len() as u32;
        let is_free = self.index.find_or_insert(&name, at, |at| &self.names[at as usize]).is_none();
        if is_free {
            make_room(&mut self.names);
            self.names.push(name);
        }
        is_free
    }
}

/// The name itself where it is an identifier, else the nearest one: `.0` becomes `_0`.
fn identifier(name: &PyStr) -> Ident {
    if is_identifier(name) {
        return name.clone();
    }
    let mut text: String = name
        .to_lossy()
        .chars()
        .map(|letter| if letter == '_' || letter.is_alphanumeric() { letter } else { '_' })
        .collect();
    if text.is_empty() || text.starts_with(|first: char| first.is_ascii_digit()) {
        text.insert(0, '_');
    }
    if !is_identifier(&PyStr::new(&text)) {
        text.push('_');
    }
    Ident::new(&text)
}

/// The name, with a number behind it where it is taken. `numbers` has the last number of each name.
fn unused(name: &Ident, taken: &Taken<'_>, numbers: &mut HashMap<Ident, u32>) -> Ident {
    if !taken.holds(name) {
        return name.clone();
    }
    let base = name.to_lossy();
    let number = numbers.entry(name.clone()).or_default();
    loop {
        *number += 1;
        let candidate = Ident::new(&format!("{base}_{number}"));
        if !taken.holds(&candidate) {
            return candidate;
        }
    }
}

/// What a byte may be in an ASCII name: a part of it, and a part of one that is a keyword.
const CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let mut byte = 0_u8;
    while byte.is_ascii() {
        if byte.is_ascii_alphabetic() {
            classes[byte as usize] = IN_NAMES | IN_KEYWORDS;
        } else if byte == b'_' || byte.is_ascii_digit() {
            classes[byte as usize] = IN_NAMES;
        }
        byte += 1;
    }
    classes
};
const IN_NAMES: u8 = 1;
const IN_KEYWORDS: u8 = 2;

/// Whether the text can stand as a name in source.
pub(crate) fn is_identifier(name: &PyStr) -> bool {
    let Some(text) = name.as_str() else { return false };
    let bytes = text.as_bytes();
    let Some(first) = bytes.first() else { return false };
    // Nearly all names are ASCII.
    let class = bytes.iter().fold(IN_NAMES | IN_KEYWORDS, |class, &byte| class & CLASSES[usize::from(byte)]);
    if class & IN_NAMES == 0 {
        return !text.is_ascii() && is_word_of_letters(text);
    }
    !first.is_ascii_digit() && (class & IN_KEYWORDS == 0 || !is_keyword(text))
}

/// Whether a name is an identifier that no class mangles.
fn is_plain_identifier(name: &PyStr) -> bool {
    name.as_wtf8().first() != Some(&b'_') && is_identifier(name)
}

/// Whether the text looks as a name does, in any script: marks that combine with letters are part of it
/// (`Parser/tokenizer.c` asks `str.isidentifier`, which goes by XID_Start and XID_Continue).
fn is_word_of_letters(text: &str) -> bool {
    let mut letters = text.chars();
    letters.next().is_some_and(|first| first == '_' || unicode_ident::is_xid_start(first))
        && letters.all(unicode_ident::is_xid_continue)
}

/// Whether the text is a keyword. Its length tells which ones it may be.
pub(crate) fn is_keyword(text: &str) -> bool {
    match text.len() {
        2 => matches!(text, "as" | "if" | "in" | "is" | "or"),
        3 => matches!(text, "and" | "def" | "del" | "for" | "not" | "try"),
        4 => matches!(text, "None" | "True" | "elif" | "else" | "from" | "pass" | "with"),
        5 => matches!(text, "False" | "async" | "await" | "break" | "class" | "raise" | "while" | "yield"),
        6 => matches!(text, "assert" | "except" | "global" | "import" | "lambda" | "return"),
        7 => text == "finally",
        8 => matches!(text, "continue" | "nonlocal"),
        _ => false,
    }
}
