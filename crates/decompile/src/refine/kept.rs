//! Pass: nested code objects that no instruction loads are kept, and names that nested code needs exist.
//!
//! Dynamo leaves the constants of the function that it rewrites in place, code objects included, and makes
//! functions from code objects whose free variables are no variables of this function any more. A generator
//! may have lost all its `yield`s to a branch that never runs.
//!
//! Needs: temporaries have names. Establishes: the source holds every nested code object (exact view), each
//! with its free variables, under a test that never holds.
//!
//! Example: `if []: def g(): return a + 1`. The compiler does not evaluate `[]`, so it keeps the definition; where it
//! keeps the constants of what it drops (3.10 and 3.11, if one behind them is used), `if False:` does without a test, in
//! 3.11 maybe in a `try` whose handler is kept though nothing reaches it. From 3.12 on such a handler has the definition.
//! To 3.9 it stands behind a `return`, in a module behind an endless loop, `break` or `continue`, where the compiler erases
//! it again, and from 3.14 on if it is the first constant.
//! A lost `yield` is `if False: yield`, which the compiler drops again.

use std::collections::BTreeSet;
use std::sync::Arc;

use depyf_bytecode::{CodeObject, CompilerFeatures, Const, Function, Op, VariableKind, flags};
use depyf_syntax::ast::{
    self, Block, Expr, ExprKind, Handler, Ident, Literal, Origin, Param, Stmt, StmtKind, Try,
};
use depyf_value::PyStr;

use super::kept_inside::keep_in_lambda;
use super::kept_places::{
    Border, Inside, first_left, keep_beside_value, list_that_goes_elsewhere, never_goes_on, put_behind,
    put_behind_return, put_first,
};
use crate::View;
use crate::flow::is_class_body;
use crate::hash::{HashMap, HashSet};
use crate::lift::{Context, lambda_body, over_nothing, unused_generic};
use crate::names::{Role, globals_used, is_identifier, nested_code};
use crate::never_run::{bind, choose, holder, under_false};
use crate::scope::is_comprehension;
use crate::visit::{blocks_mut, walk};

/// See the module.
pub(crate) fn keep_nested_code(block: &mut Block, context: &Context<'_>) {
    // A comprehension holds expressions only, see [`super::Dropped`].
    if is_comprehension(context.code) {
        return;
    }
    let keeping = Keeping::of(context);
    let (mut groups, mut needed) = keeping.groups();
    if yields_nothing(block, context) {
        restore_yield(block, context);
    }
    if groups.is_empty() && !needed.is_empty() {
        groups.push(Group::default());
    }
    let loads = if groups.is_empty() { Vec::new() } else { loads_of_any_code(context) };
    // From the last one on: none moves the place of another.
    while let Some(group) = groups.pop() {
        let needed = if groups.is_empty() { std::mem::take(&mut needed) } else { BTreeSet::new() };
        keeping.keep(block, group, needed, &loads);
    }
}

/// Code objects that are kept in one place.
#[derive(Default)]
struct Group {
    /// The offset of the instruction that loads the code object before them; `None` at the head of the function.
    behind: Option<u32>,
    /// That of the one up to which a constant that follows them is loaded.
    ahead: Option<u32>,
    /// That of the last one that loads a code object before them that is called as one of them.
    namesake: Option<u32>,
    kept: Block,
    /// Whether a constant that follows them is used: the compiler cuts off the last ones that are not.
    is_used_behind: bool,
}

/// How the compiler keeps what never runs of a function.
struct Keeping<'c, 'a> {
    context: &'c Context<'a>,
    /// Whether it keeps the constants of what it drops, up to the last one that is used (3.10, 3.11).
    keeps_dropped: bool,
    /// Whether what stands behind a `return` is erased when its constants are there (to 3.9).
    erases_unreached: bool,
}

impl<'c, 'a> Keeping<'c, 'a> {
    fn of(context: &'c Context<'a>) -> Self {
        let compiler = CompilerFeatures::of(context.code.version);
        Self {
            context,
            keeps_dropped: compiler.is_some_and(|compiler| compiler.keeps_constants_of_dropped_code),
            erases_unreached: !context.function.features.copies_implicit_end,
        }
    }

    /// Whether the function may have a `return`, with what is erased behind it.
    fn erases_behind_return(&self) -> bool {
        self.erases_unreached && self.context.code.flags & flags::OPTIMIZED != 0
    }

    /// The code objects that no instruction loads, in the order of the constants, and the names that nested code needs though
    /// the function has no such variable.
    fn groups(&self) -> (Vec<Group>, BTreeSet<PyStr>) {
        let context = self.context;
        let nested = nested_code(context.code, context.function);
        let is_exact = context.scope.options.view == View::Exact;
        let may_keep = nested.iter().any(|(_, role)| *role != Role::Function);
        let loads = if may_keep { loads_of_code(context) } else { HashMap::default() };
        let mut needed: BTreeSet<PyStr> = BTreeSet::new();
        let mut groups: Vec<Group> = Vec::new();
        // What the compiler found to be dropped stands behind what it had compiled before: so the constants lie.
        let mut behind = None;
        // Where the last code object of each name is loaded.
        let mut alike: HashMap<&PyStr, u32> = HashMap::default();
        for (code, role) in nested {
            let found = loads.get(&Arc::as_ptr(code)).copied().unwrap_or_default();
            behind = found.last.max(behind);
            if let Some(load) = found.last {
                alike.insert(&code.name, load);
            }
            if role == Role::Function || role == Role::Unused && !is_exact {
                continue;
            }
            let clashes = !code.freevars.is_empty() && context.names_in_use().clash_with(code);
            if !clashes {
                needed.extend(code.freevars.iter().filter(|name| is_identifier(name)).cloned());
            }
            // As a value, a comprehension's code object is spelled as a constant of a function around it.
            let is_deeper = is_exact && is_comprehension(code) && code.name != "<genexpr>" && !clashes;
            if role != Role::Unused && !is_deeper {
                continue;
            }
            if groups.last().is_none_or(|group| group.behind != behind) {
                let ahead = found.ahead.filter(|_| self.keeps_dropped);
                groups.push(Group { behind, ahead, ..Group::default() });
            }
            if let Some(group) = groups.last_mut() {
                let kept = unused(code, context);
                group.kept.extend(if clashes { kept.map(|kept| held(code, context, kept)) } else { kept });
                // What Dynamo packs values with is not printed, and so no constant of the source.
                let is_printed = !context.packs_values;
                group.is_used_behind = found.is_followed && self.keeps_dropped && is_printed;
                group.namesake = alike.get(&code.name).copied().max(group.namesake);
            }
        }
        groups.retain(|group| !group.kept.is_empty());
        if !needed.is_empty() {
            let globals = globals_used(context.code, context.function);
            let bound = bound_variables(context);
            needed.retain(|name| !bound.contains(name) && !globals.contains(name));
        }
        (groups, needed)
    }

    /// Puts a group where the compiler keeps it, with names that it binds.
    fn keep(&self, block: &mut Block, group: Group, needed: BTreeSet<PyStr>, loads: &[u32]) {
        let Group { behind, ahead, namesake, kept, is_used_behind } = group;
        let mut hidden = foreign_names(&kept, self.context);
        let declares = !hidden.is_empty();
        // Expressions may stand inside of one.
        let is_alone = hidden.is_empty() && needed.is_empty();
        let inside = (is_alone && ahead.is_some()).then(|| expressions(&kept)).flatten();
        hidden.extend(kept);
        // Behind the code objects: the first constant of all is kept, whoever loads it (3.14 on).
        if !needed.is_empty() {
            hidden.push(bind(needed.into_iter().map(Expr::name).collect()));
        }
        // A lambda is one expression.
        if self.context.code.name == "<lambda>"
            && let [statement @ Stmt { kind: StmtKind::Return(Some(_)), .. }] = &mut block[..]
            && let Some(kept) = expressions(&hidden)
        {
            let followed = loads.len() - loads.partition_point(|&load| Some(load) <= behind);
            keep_in_lambda(statement, kept, namesake.is_none() && !self.erases_unreached, followed);
            return;
        }
        if !declares && self.keep_without_test(block, behind, &mut hidden) {
            return;
        }
        let statements = vec![comment(), self.under_test(hidden, is_used_behind)];
        match behind {
            Some(load) => {
                let inside = inside.map(|kept| Inside { kept, loads });
                put_behind(block, Border { load, ahead, namesake, begins: None }, statements, inside);
            }
            None => put_first(block, statements),
        }
    }

    /// Puts statements where they need no test to never run: behind a statement that control never passes, or beside a
    /// value. Says whether there is such a place, and leaves them if there is none.
    fn keep_without_test(&self, block: &mut Block, behind: Option<u32>, hidden: &mut Block) -> bool {
        if self.erases_behind_return() {
            hidden.insert(0, comment());
            put_behind_return(block, behind, hidden);
            return true;
        }
        // A module or class has no `return`.
        if self.erases_unreached
            && let Some(list) = list_that_goes_elsewhere(block, behind)
        {
            list.push(comment());
            list.append(hidden);
            return true;
        }
        if is_first_constant(self.context)
            && let Some(list) = first_left(block, first_load(self.context))
        {
            list.push(comment());
            list.append(hidden);
            return true;
        }
        self.erases_unreached
            && expressions(hidden).is_some_and(|kept| keep_beside_value(block, behind, kept))
    }

    /// Statements under a test that never holds, or with a handler that nothing reaches.
    fn under_test(&self, hidden: Block, is_used_behind: bool) -> Stmt {
        if is_used_behind {
            under_false(hidden)
        } else if !keeps_handlers(self.context) {
            under_empty_list(hidden)
        } else if self.keeps_dropped {
            with_handler(under_false(hidden))
        } else {
            in_handler(hidden)
        }
    }
}

/// What is said of all that is kept.
fn comment() -> Stmt {
    let text = "never runs: constants that the bytecode keeps, names that nested code needs";
    Stmt::new(Origin::NONE, StmtKind::Comment(text.to_owned()))
}

/// The list of statements in which [`keep_nested_code`] has put code behind a statement that control never passes.
pub(super) fn kept_behind_end(block: &mut Block) -> Option<&mut Block> {
    let is_comment = |statement: &Stmt| statement.kind == comment().kind;
    let last = block.iter().rposition(is_comment);
    if last.and_then(|at| at.checked_sub(1)).is_some_and(|before| never_goes_on(&block[before])) {
        return Some(block);
    }
    block.iter_mut().flat_map(blocks_mut).find_map(kept_behind_end)
}

/// Gives a generator a `yield` that never runs. This test the compiler does evaluate, and compiles nothing for the `yield`.
fn restore_yield(block: &mut Block, context: &Context<'_>) {
    let nothing = Expr::new(Origin::NONE, ExprKind::Yield(None));
    // A lambda is one expression.
    if context.code.name == "<lambda>"
        && let [Stmt { kind: StmtKind::Return(Some(value)), .. }] = &mut block[..]
    {
        choose(value, vec![nothing]);
    } else {
        block.insert(0, under_false(vec![Stmt::new(Origin::NONE, StmtKind::Expr(nothing))]));
    }
}

/// The expressions that statements are, if they are such.
fn expressions(block: &[Stmt]) -> Option<Vec<Expr>> {
    let expressions = block.iter().map(|statement| match &statement.kind {
        StmtKind::Expr(expr) => Some(expr.clone()),
        _ => None,
    });
    expressions.collect()
}

/// Whether the bytecode has operations that nothing reaches and that load constants: handlers of statements whose bodies
/// do nothing, which the compiler keeps from 3.11 on.
fn keeps_handlers(context: &Context<'_>) -> bool {
    let loads = |function: &Function| {
        function.instructions.iter().filter(|found| matches!(found.op, Op::Const(_))).count()
    };
    depyf_bytecode::decode(context.code).is_ok_and(|whole| loads(&whole) > loads(context.function))
}

/// Statements under a test that never holds, though the compiler does not know: `if []: body`.
fn under_empty_list(body: Block) -> Stmt {
    let test = Expr::new(Origin::NONE, ExprKind::List(Vec::new()));
    Stmt::new(Origin::NONE, StmtKind::If { test, body, orelse: Block::new() })
}

/// A `try` around a statement that is not compiled, and a handler that nothing reaches. The compiler keeps that, and with
/// the constant of it all those in front.
fn with_handler(statement: Stmt) -> Stmt {
    let unused = PyStr::new("never raised");
    let kind = Expr::new(Origin::NONE, ExprKind::Literal(Literal::Str(unused)));
    let pass = Stmt::new(Origin::NONE, StmtKind::Pass);
    tried(statement, Some(kind), vec![pass])
}

/// Statements in a handler of a `try` that does nothing: the compiler keeps them, though nothing reaches them (3.12 on).
fn in_handler(statements: Block) -> Stmt {
    tried(Stmt::new(Origin::NONE, StmtKind::Pass), None, statements)
}

fn tried(statement: Stmt, kind: Option<Expr>, body: Block) -> Stmt {
    let handler = Handler { origin: Origin::NONE, kind, name: None, body };
    let (orelse, finalbody, is_star) = (Block::new(), Block::new(), false);
    let inner = Try { body: vec![statement], handlers: vec![handler], orelse, finalbody, is_star };
    Stmt::new(Origin::NONE, StmtKind::Try(Box::new(inner)))
}

/// Whether a code object is the first constant. The compiler keeps that one even if it has erased what loads it: it might
/// be a docstring (CPython `Python/flowgraph.c`, `remove_unused_consts`).
pub(super) fn is_first_constant(context: &Context<'_>) -> bool {
    matches!(context.code.consts.first(), Some(Const::Code(_)))
}

/// The offsets of all instructions that load a code object.
fn loads_of_any_code(context: &Context<'_>) -> Vec<u32> {
    let loads = context.function.instructions.iter().filter(|instruction| match instruction.op {
        Op::Const(index) => context.code.consts.get(index as usize).is_some_and(Const::is_code),
        _ => false,
    });
    loads.map(|load| load.offset).collect()
}

/// Where a code object and the constants that follow it are loaded.
#[derive(Clone, Copy, Default)]
struct Loads {
    /// The offset of the last instruction that loads it.
    last: Option<u32>,
    /// The offset up to which a constant that follows it is loaded: the first of these (`trim_unused_consts` of
    /// `Python/compile.c` keeps all constants up to such a one). That of a tuple may stand in front of what was dropped:
    /// tuples are folded last.
    ahead: Option<u32>,
    /// Whether one of these is loaded at all.
    is_followed: bool,
}

/// The offset of the first instruction that loads a constant.
fn first_load(context: &Context<'_>) -> u32 {
    let mut loads = context.function.instructions.iter().filter(|found| matches!(found.op, Op::Const(_)));
    loads.next().map_or(u32::MAX, |load| load.offset)
}

/// The loads of each code object.
fn loads_of_code(context: &Context<'_>) -> HashMap<*const CodeObject, Loads> {
    let consts = &context.code.consts;
    let mut last: Vec<Option<u32>> = vec![None; consts.len()];
    for instruction in &context.function.instructions {
        if let Op::Const(index) = instruction.op
            && let Some(last) = last.get_mut(index as usize)
        {
            *last = Some(instruction.offset);
        }
    }
    let mut found = HashMap::default();
    let mut ahead: Option<u32> = None;
    // The last tuples may be those that were folded last: where they are loaded tells nothing of what is in front of them.
    let (mut is_folded, mut is_followed) = (true, false);
    for (value, last) in consts.iter().zip(last).rev() {
        if let Const::Code(code) = value {
            found.insert(Arc::as_ptr(code), Loads { last, ahead, is_followed });
        }
        is_followed |= last.is_some();
        is_folded &= matches!(value, Const::Tuple(_));
        if !is_folded {
            ahead = ahead.into_iter().chain(last).min();
        }
    }
    found
}

/// Whether the function is a generator whose every `yield` was unreachable.
fn yields_nothing(block: &mut Block, context: &Context<'_>) -> bool {
    if context.code.flags & flags::ASYNC_GENERATOR != 0 {
        // `await` yields as well, so the operations do not tell.
        let mut yields = false;
        walk(block, &mut |expr| yields |= matches!(expr.kind, ExprKind::Yield(_)));
        return !yields;
    }
    context.code.flags & flags::GENERATOR != 0
        && !context
            .function
            .instructions
            .iter()
            .any(|instruction| matches!(instruction.op, Op::Yield | Op::YieldFrom | Op::Send(_)))
}

/// The variables that the function has in the source: parameters, those of an enclosing function, and those that it
/// stores. Of several of one name the first counts.
pub(super) fn bound_variables<'a>(context: &Context<'a>) -> HashSet<&'a PyStr> {
    let (code, function) = (context.code, context.function);
    let parameters = code.parameter_count();
    let mut is_bound: Vec<bool> = (function.variables.iter().enumerate())
        .map(|(at, variable)| at < parameters || variable.kind == VariableKind::Free)
        .collect();
    for instruction in &function.instructions {
        if let Op::StoreLocal(variable) | Op::StoreDeref(variable) = instruction.op
            && let Some(slot) = is_bound.get_mut(variable as usize)
        {
            *slot = true;
        }
    }
    let mut met = HashSet::default();
    let first = context.names.variables().iter().zip(is_bound).filter(|(name, _)| met.insert(*name));
    first.filter(|(_, is_bound)| *is_bound).map(|(name, _)| name).collect()
}

/// The statement that makes the compiler keep a code object: a definition, or a lambda or comprehension
/// alone. One that cannot be decompiled is left out: nothing runs it.
pub(super) fn unused(code: &CodeObject, context: &Context<'_>) -> Option<Stmt> {
    let scope = context.scope;
    let kind = if is_comprehension(code) {
        StmtKind::Expr(over_nothing(scope.comprehension(code, &[]).ok()?))
    } else if is_class_body(code) {
        StmtKind::Class(Box::new(scope.class(code).ok()?))
    } else {
        let function = scope.function(code, &[]).ok()?;
        match (code.name == "<lambda>").then(|| lambda_body(&function.body)).flatten() {
            Some(body) => {
                let kind = ExprKind::Lambda { params: Box::new(function.params), body: Box::new(body) };
                StmtKind::Expr(Expr::new(Origin::NONE, kind))
            }
            None => unused_generic(code, &function)
                .or_else(|| annotated(code, &function, context))
                .unwrap_or_else(|| StmtKind::Function(Box::new(function))),
        }
    };
    Some(Stmt::new(Origin::NONE, kind))
}

/// The definition whose annotations an `__annotate__` function gives (3.14 on), by its qualified name: it is compiled before the
/// function itself, and may be all that is left of that.
fn annotated(code: &CodeObject, annotate: &ast::Function, context: &Context<'_>) -> Option<StmtKind> {
    let qualified = code.qualname.as_str().filter(|_| code.name == "__annotate__")?;
    let (_, owner) = qualified.strip_suffix(".__annotate__")?.rsplit_once('.')?;
    // In 3.14 the qualified name is that of the function around: a local that nothing else binds is the definition's.
    let name = match is_identifier(&owner.into()) {
        true => Ident::new(owner),
        false => {
            let bound = bound_variables(context);
            let is_free = |name: &&Ident| is_identifier(name) && !bound.contains(&**name);
            context.names.variables().iter().find(is_free)?.clone()
        }
    };
    let Some(StmtKind::Return(Some(annotations))) = annotate.body.last().map(|last| &last.kind) else {
        return None;
    };
    let ExprKind::Dict(pairs) = &annotations.kind else { return None };
    let body = vec![Stmt::new(Origin::NONE, StmtKind::Pass)];
    let mut function = ast::Function::plain(name, body);
    for (key, value) in pairs {
        let ExprKind::Literal(Literal::Str(key)) = &key.as_ref()?.kind else { return None };
        let annotation = Some(value.clone());
        if *key == "return" {
            function.returns = annotation;
        } else {
            let name = Ident::new(key.as_str().filter(|_| is_identifier(key))?);
            function.params.regular.push(Param { name, annotation, default: None });
        }
    }
    Some(StmtKind::Function(Box::new(function)))
}

/// What keeps a code object, in a function of its own, whose parameters are the variables that are none of the function's around.
fn held(code: &CodeObject, context: &Context<'_>, kept: Stmt) -> Stmt {
    let hidden = context.names_in_use().foreign(code).cloned().collect();
    Stmt::new(Origin::NONE, StmtKind::Function(Box::new(holder(code, hidden, vec![kept]))))
}

/// `global` and `nonlocal` for definitions whose name is not the function's own.
fn foreign_names(kept: &[Stmt], context: &Context<'_>) -> Vec<Stmt> {
    let globals = globals_used(context.code, context.function);
    let mut statements = Vec::new();
    for statement in kept {
        let name = match &statement.kind {
            StmtKind::Function(function) => function.name.clone(),
            StmtKind::Class(class) => class.name.clone(),
            StmtKind::TypeAlias { name, .. } => name.clone(),
            _ => continue,
        };
        let free = context.names.variables().iter().zip(&context.function.variables);
        let free =
            free.filter(|(_, variable)| variable.kind == VariableKind::Free).any(|(other, _)| *other == name);
        if free {
            statements.push(Stmt::new(Origin::NONE, StmtKind::Nonlocal(vec![name])));
        } else if globals.contains(&name) {
            statements.push(Stmt::new(Origin::NONE, StmtKind::Global(vec![name])));
        }
    }
    statements
}
