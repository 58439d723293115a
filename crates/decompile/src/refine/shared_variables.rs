//! Pass: variables that a function shares with another one are mentioned, though no operation of it does.
//!
//! What mentioned them was never compiled: a branch that never runs, the annotation of an attribute, a `nonlocal`
//! alone. But the mention makes a cell of the variable, in this function and in those between.
//!
//! So it is with a variable that the function only reads, or that only functions inside bind: what bound it was never
//! compiled.
//!
//! Needs: temporaries have names. Establishes: the compiler makes the cells and free variables of the bytecode again
//! (exact view, and no code of Dynamo's, which leaves the variables of the code that it rewrites in place).
//!
//! Example: `if False: x` in a function whose free variable `x` nothing reads, `if False: lambda: (x,)` where nothing
//! takes the cell of `x`. The compiler drops both.

use depyf_bytecode::{CompilerFeatures, Const, Instruction, NameId, Op, VariableKind, flags};
use depyf_syntax::ast::{Block, Expr, ExprKind, Ident, Origin, Stmt, StmtKind};
use depyf_value::PyStr;

use super::declarations::{assigned_in_comprehensions, stays_first};
use super::kept::{bound_variables, is_first_constant, kept_behind_end};
use super::outer_names::{Uses, uses};
use crate::View;
use crate::flow::is_class_body;
use crate::hash::HashSet;
use crate::lift::Context;
use crate::names::{CLASS_CELL, CLASS_NAMESPACE, CONDITIONAL_ANNOTATIONS, is_identifier};
use crate::never_run::{bind, choose, comprehension_of_cells, sharing, under_false};

/// See the module.
pub(crate) fn restore_mentions(block: &mut Block, context: &Context<'_>) {
    let (code, function) = (context.code, context.function);
    let options = context.scope.options;
    // What is shared shows in closures only; a local that nothing binds is another variable without the mention.
    let shares = options.view == View::Exact
        && function.variables.iter().any(|variable| variable.kind != VariableKind::Local);
    if !shares && function.variables.len() <= code.parameter_count() {
        return;
    }
    // A class or module has no variables of its own, but those of comprehensions that run in it.
    let is_body = is_class_body(code) || code.name == "<module>";
    let is_lambda = code.name == "<lambda>";
    let is_function = code.flags & flags::OPTIMIZED != 0 && (is_identifier(&code.name) || is_lambda);
    let left_out = context.packs_values || code.name == "__annotate__";
    if !is_function && !is_body || left_out {
        return;
    }
    let unbound = if is_body { Vec::new() } else { unbound_variables(block, context) };
    if !shares && unbound.is_empty() {
        return;
    }
    let Lost { free, cells } = if shares { lost_variables(context, is_body) } else { Lost::default() };
    let mention = |expr: Expr| Stmt::new(Origin::NONE, StmtKind::Expr(expr));
    let mut first: Block = free.into_iter().map(|name| mention(Expr::name(name))).collect();
    first.extend((!unbound.is_empty()).then(|| bind(unbound)));
    let mut last = None;
    if !cells.is_empty() {
        let (mentioned, is_last) = if is_body {
            (comprehension_of_cells(&cells), follow_comprehension(&cells, context))
        } else {
            let bound = bound_variables(context);
            let unbound = cells.iter().filter(|name| !bound.contains(name)).cloned().map(Expr::name);
            let unbound: Vec<Expr> = unbound.collect();
            first.extend((!unbound.is_empty()).then(|| bind(unbound)));
            (sharing(cells.into_iter()), drops_last_constants(block, context))
        };
        if is_last { last = Some(mention(mentioned)) } else { first.push(mention(mentioned)) }
    }
    if is_lambda {
        keep_in_value(block, first.into_iter().chain(last));
        return;
    }
    // The first constant is kept (3.14 on): a test in front of it would be another.
    if is_first_constant(context)
        && let Some(list) = kept_behind_end(block)
    {
        list.append(&mut first);
    }
    if !first.is_empty() {
        let head = if is_body { block.iter().take_while(|first| stays_first(first)).count() } else { 0 };
        block.insert(head, under_false(first));
    }
    block.extend(last.map(|last| under_false(vec![last])));
}

/// The variables that the bytecode shares with other functions, and that none of its operations mentions.
#[derive(Default)]
struct Lost {
    free: Vec<Ident>,
    cells: Vec<Ident>,
}

fn lost_variables(context: &Context<'_>, is_body: bool) -> Lost {
    let (mentioned, names_super) = mentioned_variables(context);
    // Code objects that no instruction loads are kept, and mention what they share.
    let nested = context.code.consts.iter().filter_map(|value| match value {
        Const::Code(nested) => Some(&nested.freevars),
        _ => None,
    });
    let nested: HashSet<&PyStr> = nested.flatten().collect();
    let variables = context.function.variables.iter().zip(mentioned);
    let mut lost = Lost::default();
    for ((variable, is_mentioned), name) in variables.zip(context.names.variables()) {
        // The set of the annotations that were reached is a cell of a class, and comes from the class around as well: it has
        // two names here.
        let is_set = is_body && variable.name == CONDITIONAL_ANNOTATIONS;
        let is_class = names_super || is_body && variable.kind == VariableKind::Cell;
        let is_implied = name == CLASS_NAMESPACE || is_set || is_class && name == CLASS_CELL;
        if is_mentioned || is_implied || nested.contains(&variable.name) || !is_identifier(name) {
            continue;
        }
        match variable.kind {
            VariableKind::Free => lost.free.push(name.clone()),
            VariableKind::Cell => lost.cells.push(name.clone()),
            VariableKind::Local => {}
        }
    }
    lost
}

/// Which variables operations mention, a cell where it is shared; and whether one names `super`, which mentions `__class__`
/// (CPython `Python/symtable.c`).
fn mentioned_variables(context: &Context<'_>) -> (Vec<bool>, bool) {
    let (code, function) = (context.code, context.function);
    let is_super = |name: NameId| code.names.get(name as usize).is_some_and(|name| *name == "super");
    let mut mentioned = vec![false; function.variables.len()];
    let mut names_super = false;
    for instruction in &function.instructions {
        let (variable, shares) = match instruction.op {
            Op::LoadClosure(variable) | Op::MakeCell(variable) => (variable, true),
            Op::LoadDeref(variable)
            | Op::StoreDeref(variable)
            | Op::DeleteDeref(variable)
            | Op::LoadClassDeref(variable)
            | Op::LoadFromDictOrDeref(variable) => (variable, false),
            Op::LoadGlobal(name) => {
                names_super = names_super || is_super(name);
                continue;
            }
            _ => continue,
        };
        if let Some(slot) = mentioned.get_mut(variable as usize) {
            *slot |= shares || function.variables[variable as usize].kind == VariableKind::Free;
        }
    }
    (mentioned, names_super)
}

/// Whether the variables of a comprehension lie in front of cells of a class or module: they are in the order of the text.
fn follow_comprehension(cells: &[Ident], context: &Context<'_>) -> bool {
    let number = |cell: &Ident| context.names.variables().iter().position(|name| name == cell);
    let first = cells.iter().filter_map(number).min();
    context.function.instructions.iter().any(|instruction| match instruction.op {
        Op::LoadLocalAndClear(variable) => first.is_some_and(|first| (variable as usize) < first),
        _ => false,
    })
}

/// Puts mentions beside the value of a lambda.
fn keep_in_value(block: &mut Block, statements: impl Iterator<Item = Stmt>) {
    if let [Stmt { kind: StmtKind::Return(Some(value)), .. }] = &mut block[..] {
        let kept: Vec<Expr> = statements.flat_map(mentions).collect();
        if !kept.is_empty() {
            choose(value, kept);
        }
    }
}

/// The same mentions as expressions.
fn mentions(statement: Stmt) -> Vec<Expr> {
    match statement.kind {
        StmtKind::Expr(expr) => vec![expr],
        StmtKind::Assign { targets, value } => {
            let named = |target: Expr| match target.kind {
                ExprKind::Name(target) => {
                    let value = Box::new(value.clone());
                    Some(Expr::new(Origin::NONE, ExprKind::Named { target, value }))
                }
                _ => None,
            };
            targets.into_iter().filter_map(named).collect()
        }
        _ => Vec::new(),
    }
}

/// Whether the code object of what is dropped goes as well if it stands at the end of the function, and only there: the
/// compiler keeps all constants in front of one that is used. The None of the end is such, unless it comes first or the
/// end is not reached.
fn drops_last_constants(block: &[Stmt], context: &Context<'_>) -> bool {
    let keeps = CompilerFeatures::of(context.code.version)
        .is_some_and(|compiler| compiler.keeps_constants_of_dropped_code);
    keeps && (context.code.consts.first() == Some(&Const::None) || crate::structure::leaves(block))
}

/// The variables of the function that it reads, or shares with those inside, and never binds.
fn unbound_variables(block: &mut Block, context: &Context<'_>) -> Vec<Expr> {
    let (code, function) = (context.code, context.function);
    let parameters = code.parameter_count();
    if function.variables.len() <= parameters {
        return Vec::new();
    }
    let Some(bound) = bound_by_operations(block, context, parameters) else { return Vec::new() };
    let mut read = vec![false; function.variables.len()];
    for instruction in &function.instructions {
        if let Op::LoadLocal(variable) | Op::LoadDeref(variable) | Op::LoadClosure(variable) = instruction.op
            && let Some(read) = read.get_mut(variable as usize)
        {
            *read = true;
        }
    }
    let (own, others) = function.variables.split_at(parameters);
    let unbound = others.iter().enumerate().map(|(at, variable)| (parameters + at, variable));
    let unbound =
        unbound.filter(|&(at, variable)| read[at] && !bound[at] && variable.kind != VariableKind::Free);
    let names = unbound.filter_map(|(at, variable)| {
        // To 3.10 the cell of a parameter is another variable.
        let is_parameter =
            variable.kind == VariableKind::Cell && own.iter().any(|own| own.name == variable.name);
        let name = &context.names.variables()[at];
        (!is_parameter && is_identifier(name)).then(|| name.clone())
    });
    let mut names: Vec<Ident> = names.collect();
    if !names.is_empty() {
        let assigned: HashSet<Ident> = assigned_in_comprehensions(block).into_iter().collect();
        names.retain(|name| !assigned.contains(name));
    }
    names.into_iter().map(Expr::name).collect()
}

/// Which variables the operations of a function bind. None where they bind all but its parameters: so nearly all functions
/// do, and mostly in front of the first read.
fn bound_by_operations(block: &mut Block, context: &Context<'_>, parameters: usize) -> Option<Vec<bool>> {
    let function = context.function;
    let mut left = function.variables.len() - parameters;
    let mut bound = vec![false; function.variables.len()];
    // Bound for an inlined comprehension at least.
    let mut set_aside: Vec<usize> = Vec::new();
    for instruction in &function.instructions {
        let (variable, is_set_aside) = match instruction.op {
            Op::StoreLocal(variable)
            | Op::DeleteLocal(variable)
            | Op::StoreDeref(variable)
            | Op::DeleteDeref(variable) => (variable, false),
            Op::LoadLocalAndClear(variable) => (variable, true),
            _ => continue,
        };
        if let Some(bound @ false) = bound.get_mut(variable as usize) {
            *bound = true;
            set_aside.extend(is_set_aside.then_some(variable as usize));
            left -= usize::from(variable as usize >= parameters);
            if left == 0 {
                break;
            }
        }
    }
    set_aside.retain(|&variable| variable >= parameters && is_only_read(variable, block, context));
    set_aside.iter().for_each(|&variable| bound[variable] = false);
    (left > 0 || !set_aside.is_empty()).then_some(bound)
}

/// Whether the statements read a variable that is set aside for a comprehension, and never bind it.
fn is_only_read(variable: usize, block: &mut Block, context: &Context<'_>) -> bool {
    let (code, function) = (context.code, context.function);
    let (own, name) = (&function.variables[variable], &context.names.variables()[variable]);
    let is_alone = || function.variables.iter().filter(|other| other.name == own.name).nth(1).is_none();
    let is_global = |instruction: &Instruction| match instruction.op {
        Op::LoadGlobal(global) => code.names.get(global as usize) == Some(&own.name),
        _ => false,
    };
    own.kind != VariableKind::Free
        && is_alone()
        && matches!(uses(block, name), Uses { binds: false, reads: true })
        && !function.instructions.iter().any(is_global)
}
