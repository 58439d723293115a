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
use depyf_syntax::ast::{Block, Expr, ExprKind, Handler, Literal, Origin, Stmt, StmtKind, Try};
use depyf_value::PyStr;

use super::declarations::stays_first;
use super::kept_inside::{choose, keep_beside, keep_in_head, keep_in_lambda, keep_inside};
use super::visit::{blocks, blocks_mut, walk};
use crate::View;
use crate::flow::is_class_body;
use crate::hash::{HashMap, HashSet};
use crate::lift::{Context, lambda_body, over_nothing};
use crate::names::{Role, globals_used, is_identifier, nested_code};
use crate::scope::is_comprehension;

/// See the module.
pub(crate) fn keep_nested_code(block: &mut Block, context: &Context<'_>) {
    // A comprehension holds expressions only, see [`super::Dropped`].
    if is_comprehension(context.code) {
        return;
    }
    let nested = nested_code(context.code, context.function);
    let exact = context.scope.options.view == View::Exact;
    let mut needed: BTreeSet<PyStr> = BTreeSet::new();
    let compiled_anyway = CompilerFeatures::of(context.code.version)
        .is_some_and(|compiler| compiler.keeps_constants_of_dropped_code);
    // What the compiler found to be dropped stands behind what it had compiled before: so the constants lie.
    let mut groups: Vec<Group> = Vec::new();
    let mut behind = None;
    // Where the last code object of each name is loaded.
    let mut alike: HashMap<&PyStr, u32> = HashMap::default();
    // To 3.9 what stands behind a `return` is erased when its constants are there.
    let erases_unreached = !context.function.features.copies_implicit_end;
    let erases = erases_unreached && context.code.flags & flags::OPTIMIZED != 0;
    let may_keep = nested.iter().any(|(_, role)| *role != Role::Function);
    let loads =
        if may_keep && (compiled_anyway || erases) { loads_of_code(context) } else { HashMap::default() };
    for (code, role) in nested {
        let Loads { last, ahead, is_followed } = loads.get(&Arc::as_ptr(code)).copied().unwrap_or_default();
        behind = last.max(behind);
        if let Some(load) = last {
            alike.insert(&code.name, load);
        }
        if role == Role::Function || role == Role::Unused && !exact {
            continue;
        }
        needed.extend(code.freevars.iter().filter(|name| is_identifier(name)).cloned());
        // As a value, a comprehension's code object is spelled as a constant of a function around it.
        let deeper = exact && is_comprehension(code) && code.name != "<genexpr>";
        if role == Role::Unused || deeper {
            let ahead = ahead.filter(|_| compiled_anyway);
            let is_used_behind = is_followed && compiled_anyway;
            let namesake = alike.get(&code.name).copied();
            match groups.last_mut() {
                Some(group) if group.behind == behind => {
                    group.kept.extend(unused(code, context));
                    group.is_used_behind = is_used_behind;
                    group.namesake = namesake.max(group.namesake);
                }
                _ => {
                    let kept = unused(code, context).into_iter().collect();
                    groups.push(Group { behind, ahead, namesake, kept, is_used_behind });
                }
            }
        }
    }
    if !needed.is_empty() {
        let globals = globals_used(context.code, context.function);
        let bound = bound_variables(context);
        needed.retain(|name| !bound.contains(name) && !globals.contains(name));
    }
    if yields_nothing(block, context) {
        let nothing = Expr::new(Origin::NONE, ExprKind::Yield(None));
        // A lambda is one expression.
        if context.code.name == "<lambda>"
            && let [Stmt { kind: StmtKind::Return(Some(value)), .. }] = &mut block[..]
        {
            choose(value, vec![nothing]);
        } else {
            // This test the compiler does evaluate, and compiles nothing for the `yield`.
            let body = vec![Stmt::new(Origin::NONE, StmtKind::Expr(nothing))];
            let test = Expr::new(Origin::NONE, ExprKind::Literal(Literal::Bool(false)));
            block.insert(0, Stmt::new(Origin::NONE, StmtKind::If { test, body, orelse: Block::new() }));
        }
    }
    groups.retain(|group| !group.kept.is_empty());
    if groups.is_empty() && !needed.is_empty() {
        groups.push(Group::default());
    }
    let starts = if groups.is_empty() { Vec::new() } else { loads_of_any_code(context) };
    let head = block.iter().take_while(|statement| stays_first(statement)).count();
    // From the last one on: none moves the place of another.
    while let Some(Group { behind, ahead, namesake, kept, is_used_behind }) = groups.pop() {
        let mut hidden = foreign_names(&kept, context);
        if groups.is_empty() && !needed.is_empty() {
            let targets = std::mem::take(&mut needed).into_iter().map(Expr::name).collect();
            let value = Expr::new(Origin::NONE, ExprKind::Literal(Literal::None));
            hidden.push(Stmt::new(Origin::NONE, StmtKind::Assign { targets, value }));
        }
        let declares = hidden.iter().any(|statement| !matches!(statement.kind, StmtKind::Assign { .. }));
        // Expressions may stand inside of one.
        let inside = (hidden.is_empty() && ahead.is_some()).then(|| expressions(&kept)).flatten();
        hidden.extend(kept);
        let comment = "never runs: constants that the bytecode keeps, names that nested code needs";
        let comment = Stmt::new(Origin::NONE, StmtKind::Comment(comment.to_owned()));
        // A lambda is one expression.
        if context.code.name == "<lambda>"
            && let [statement @ Stmt { kind: StmtKind::Return(Some(_)), .. }] = &mut block[..]
            && let Some(kept) = expressions(&hidden)
        {
            let followed = starts.len() - starts.partition_point(|&at| Some(at) <= behind);
            keep_in_lambda(statement, kept, namesake.is_none() && !erases_unreached, followed);
            continue;
        }
        if erases && !declares {
            hidden.insert(0, comment);
            put_behind_return(block, behind, hidden);
            continue;
        }
        // A module or class has no `return`.
        if erases_unreached
            && !declares
            && let Some(list) = list_that_goes_elsewhere(block, behind)
        {
            list.push(comment);
            list.extend(hidden);
            continue;
        }
        if !declares
            && is_first_constant(context)
            && let Some(list) = first_left(block, context)
        {
            list.push(comment);
            list.extend(hidden);
            continue;
        }
        if erases_unreached
            && !declares
            && let Some(kept) = expressions(&hidden)
        {
            let mut kept = Some(kept);
            keep_beside_value(block, behind, &mut kept);
            if kept.is_none() {
                continue;
            }
        }
        let handles = !is_used_behind && keeps_handlers(context);
        let statement = match handles {
            true if compiled_anyway => with_handler(never(false, hidden)),
            true => in_handler(hidden),
            false => never(!is_used_behind, hidden),
        };
        let statements = vec![comment, statement];
        match behind {
            Some(load) => {
                let inside = inside.map(|kept| (kept, &starts[..]));
                put_behind(block, Border { load, ahead, namesake, begins: None }, statements, inside);
            }
            None => drop(block.splice(head..head, statements)),
        }
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

/// Statements under a test that never holds; one that the compiler does not evaluate if it `is_compiled`.
fn never(is_compiled: bool, body: Block) -> Stmt {
    let test = if is_compiled { ExprKind::List(Vec::new()) } else { ExprKind::Literal(Literal::Bool(false)) };
    let test = Expr::new(Origin::NONE, test);
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

/// Puts statements behind the first `return` that follows an instruction, or else one at the end of the function.
fn put_behind_return(block: &mut Block, load: Option<u32>, hidden: Block) {
    match first_end(block, load, is_return) {
        Some(list) => list.extend(hidden),
        None => {
            if !crate::structure::leaves(block) {
                block.push(Stmt::new(Origin::NONE, StmtKind::Return(None)));
            }
            block.extend(hidden);
        }
    }
}

/// Whether a code object is the first constant. The compiler keeps that one even if it has erased what loads it: it might
/// be a docstring (CPython `Python/flowgraph.c`, `remove_unused_consts`).
fn is_first_constant(context: &Context<'_>) -> bool {
    matches!(context.code.consts.first(), Some(Const::Code(_)))
}

/// The list of statements that ends with the first `return`, `raise` or jump, if no constant is loaded up to it.
fn first_left<'b>(block: &'b mut Block, context: &Context<'_>) -> Option<&'b mut Block> {
    let mut loads = context.function.instructions.iter().filter(|found| matches!(found.op, Op::Const(_)));
    let limit = loads.next().map_or(u32::MAX, |load| load.offset);
    let first = ends_behind(block, None, never_goes_on).into_iter().min()?;
    if first < limit { list_with_end(block, first, never_goes_on) } else { None }
}

/// The list that the first statement of a kind ends, of those behind an instruction.
fn first_end(block: &mut Block, load: Option<u32>, is_end: fn(&Stmt) -> bool) -> Option<&mut Block> {
    let first = ends_behind(block, load, is_end).into_iter().min()?;
    list_with_end(block, first, is_end)
}

/// A list that ends with a jump which is always taken: the first behind an instruction, if one is known to be behind it.
fn list_that_goes_elsewhere(block: &mut Block, load: Option<u32>) -> Option<&mut Block> {
    match ends_behind(block, load, goes_elsewhere).into_iter().min() {
        Some(first) => list_with_end(block, first, goes_elsewhere),
        None => any_list_that_goes_elsewhere(block),
    }
}

/// An endless loop need not have an instruction of its own.
fn any_list_that_goes_elsewhere(block: &mut Block) -> Option<&mut Block> {
    if block.last().is_some_and(goes_elsewhere) {
        return Some(block);
    }
    block.iter_mut().flat_map(blocks_mut).find_map(any_list_that_goes_elsewhere)
}

/// Whether a statement is compiled to end with a jump that is always taken.
fn goes_elsewhere(stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::Break | StmtKind::Continue => true,
        StmtKind::While { .. } => crate::structure::leaves(std::slice::from_ref(stmt)),
        _ => false,
    }
}

fn is_return(stmt: &Stmt) -> bool {
    matches!(stmt.kind, StmtKind::Return(_))
}

fn never_goes_on(stmt: &Stmt) -> bool {
    matches!(stmt.kind, StmtKind::Return(_) | StmtKind::Raise { .. }) || goes_elsewhere(stmt)
}

/// The offsets of the statements of a kind that end a list, behind an instruction.
fn ends_behind(block: &[Stmt], load: Option<u32>, is_end: fn(&Stmt) -> bool) -> Vec<u32> {
    let inner = block.iter().flat_map(blocks);
    let mut found: Vec<u32> = inner.flat_map(|inner| ends_behind(inner, load, is_end)).collect();
    if let Some(last) = block.last()
        && is_end(last)
        && last.origin != Origin::NONE
        && Some(last.origin.0) > load
    {
        found.push(last.origin.0);
    }
    found
}

/// The list of statements that the one of a kind at an offset ends.
fn list_with_end(block: &mut Block, offset: u32, is_end: fn(&Stmt) -> bool) -> Option<&mut Block> {
    if block.last().is_some_and(|last| is_end(last) && last.origin == Origin(offset)) {
        return Some(block);
    }
    block.iter_mut().flat_map(blocks_mut).find_map(|inner| list_with_end(inner, offset, is_end))
}

/// Puts what never runs beside the value of a statement: that of the first one behind an instruction, if there is one.
fn keep_beside_value(block: &mut Block, load: Option<u32>, kept: &mut Option<Vec<Expr>>) {
    for statement in block {
        if statement.origin != Origin::NONE && Some(statement.origin.0) >= load {
            keep_beside(statement, kept);
        }
        if !matches!(statement.kind, StmtKind::Function(_) | StmtKind::Class(_)) {
            blocks_mut(statement).for_each(|inner| keep_beside_value(inner, load, kept));
        }
        if kept.is_none() {
            return;
        }
    }
}

/// Between which instructions code objects are kept, see [`Group`].
#[derive(Clone, Copy)]
struct Border {
    load: u32,
    ahead: Option<u32>,
    namesake: Option<u32>,
    /// Where the statement around begins.
    begins: Option<u32>,
}

/// What is kept if it is expressions, and where all code objects are loaded.
type Inside<'a> = (Vec<Expr>, &'a [u32]);

/// Puts statements behind the one that an instruction belongs to, and behind those that stay first. The origin of a
/// statement with a body of its own is where it begins, that of all others where it ends. If constants that follow are of
/// the same statement, only what is called alike need be in front.
fn put_behind(block: &mut Block, border: Border, hidden: Block, inside: Option<Inside<'_>>) {
    let load = border.load;
    let at = block.iter().position(|statement| is_reached(statement, load)).unwrap_or(block.len());
    let begins = match at.checked_sub(2).map(|before| &block[before]) {
        Some(before) => Some(before.origin.0).filter(|_| blocks(before).next().is_none()),
        None => border.begins.or(Some(0)),
    };
    if let (Some((kept, loads)), Some(begins)) = (&inside, begins)
        && let Some(before) = at.checked_sub(1).map(|before| &mut block[before])
        && matches!(before.kind, StmtKind::If { .. })
    {
        // The head of a statement begins with it, and may go on behind that.
        let loaded_to = |offset: u32| loads.partition_point(|&load| load <= offset);
        if keep_in_head(before, loaded_to(load).saturating_sub(loaded_to(begins)), kept) {
            return;
        }
    }
    if let Some(before) = at.checked_sub(1).map(|before| &mut block[before])
        && !matches!(before.kind, StmtKind::Function(_) | StmtKind::Class(_))
    {
        // Else the instruction belongs to the head of the last statement in one of the lists.
        let begins = |inner: &[Stmt]| {
            let first = inner.first().map(|statement| statement.origin);
            first.is_some_and(|origin| origin != Origin::NONE && origin.0 <= load)
        };
        let found = blocks(before).position(|inner| reaches(inner, load)).or_else(|| {
            blocks(before).enumerate().filter(|(_, inner)| begins(inner)).last().map(|(at, _)| at)
        });
        let begins = Some(before.origin.0);
        if let Some(inner) = found.and_then(|at| blocks_mut(before).nth(at)) {
            return put_behind(inner, Border { begins, ..border }, hidden, inside);
        }
    }
    // A `try` has no head: it begins with the statement that the instruction belongs to.
    if let Some(Stmt { kind: StmtKind::Try(inner), .. }) = block.get_mut(at) {
        return put_behind(&mut inner.body, border, hidden, inside);
    }
    let head = block.iter().take_while(|statement| stays_first(statement)).count();
    let begins = at.checked_sub(1).map_or(border.begins, |before| Some(block[before].origin.0));
    let is_inside =
        block.get(at).is_some_and(|statement| border.ahead.is_some_and(|ahead| ahead <= statement.origin.0));
    let is_in_front = is_inside && border.namesake <= begins;
    if is_inside
        && !is_in_front
        && let Some((kept, loads)) = inside
        && let Some(statement) = block.get_mut(at)
    {
        let loaded_to = |offset: u32| loads.partition_point(|&load| load <= offset);
        let followed = loaded_to(statement.origin.0).saturating_sub(loaded_to(load));
        if keep_inside(statement, followed, kept) {
            return;
        }
    }
    let at = if is_in_front { at } else { at + 1 };
    let at = at.min(block.len()).max(head);
    block.splice(at..at, hidden);
}

fn is_reached(statement: &Stmt, load: u32) -> bool {
    statement.origin != Origin::NONE && statement.origin.0 >= load
}

/// Whether statements, or those in them, end behind an instruction.
fn reaches(block: &[Stmt], load: u32) -> bool {
    block
        .iter()
        .any(|statement| is_reached(statement, load) || blocks(statement).any(|inner| reaches(inner, load)))
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
    let parameters = parameter_count(code);
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

/// How many variables of a function are parameters, `*args` and `**kwargs` included.
pub(super) fn parameter_count(code: &CodeObject) -> usize {
    let stars = [flags::VARARGS, flags::VARKEYWORDS].map(|flag| usize::from(code.flags & flag != 0));
    code.argcount.saturating_add(code.kwonlyargcount) as usize + stars[0] + stars[1]
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
            None => StmtKind::Function(Box::new(function)),
        }
    };
    Some(Stmt::new(Origin::NONE, kind))
}

/// `global` and `nonlocal` for definitions whose name is not the function's own.
fn foreign_names(kept: &[Stmt], context: &Context<'_>) -> Vec<Stmt> {
    let globals = globals_used(context.code, context.function);
    let mut statements = Vec::new();
    for statement in kept {
        let name = match &statement.kind {
            StmtKind::Function(function) => function.name.clone(),
            StmtKind::Class(class) => class.name.clone(),
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
