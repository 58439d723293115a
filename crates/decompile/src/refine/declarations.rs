//! Pass: `global` and `nonlocal`.
//!
//! Needs: names are final. Establishes: a name that the function stores and that is not its own is declared
//! at its head. So is a global name that it only reads where a function around would hide it. What an assignment
//! expression in a comprehension stores counts: it belongs to the function. A module declares nothing that a function in
//! it does.

use depyf_bytecode::{
    CodeObject, CompilerFeatures, Const, Function, Instruction, Op, VarId, Variable, VariableKind, flags,
};
use depyf_syntax::ast::{Block, Expr, ExprKind, Ident, Literal, Origin, Stmt, StmtKind};

use super::hidden_globals::hidden_globals;
use super::outer_names::uses;
use crate::flow::{Contents, end_of_loop, fills_container};
use crate::hash::{HashMap, HashSet};
use crate::lift::Context;
use crate::scope::is_comprehension;
use crate::visit::{blocks, each_block, each_child, each_expr};

/// See the module.
pub(crate) fn declare(body: &mut Block, context: &Context<'_>, contents: Contents) {
    let code = context.code;
    let mut declared = Declared::default();
    declared.add_stored(body, context, contents);
    let mut assigned = HashSet::default();
    if may_assign_in_comprehensions(code, context.function, contents) {
        assigned = declared.add_assigned(assigned_in_comprehensions(body), context);
    }
    for name in hidden_globals(context) {
        declared.add_global(name);
    }
    let is_body = code.flags & flags::OPTIMIZED == 0;
    let is_module = is_body && code.name == "<module>";
    if is_body {
        for name in read_globals(context, is_module) {
            declared.add_global(name);
        }
    }
    if is_module && !declared.globals.is_empty() {
        declared.drop_own(context, &assigned);
        declared.drop_declared_inside(body);
    }
    let Declared { globals, nonlocals, .. } = declared;
    let globals = (!globals.is_empty()).then_some(StmtKind::Global(globals));
    let nonlocals = (!nonlocals.is_empty()).then_some(StmtKind::Nonlocal(nonlocals));
    let declarations: Block =
        globals.into_iter().chain(nonlocals).map(|kind| Stmt::new(Origin::NONE, kind)).collect();
    if !declarations.is_empty() {
        let head = body.iter().take_while(|statement| stays_first(statement)).count();
        body.splice(head..head, declarations);
    }
}

/// The names that are declared, each once.
#[derive(Default)]
struct Declared {
    globals: Vec<Ident>,
    nonlocals: Vec<Ident>,
    /// All of them, and whether they are global.
    known: HashSet<(bool, Ident)>,
}

impl Declared {
    fn add_global(&mut self, name: Ident) {
        if self.known.insert((true, name.clone())) {
            self.globals.push(name);
        }
    }

    fn add_nonlocal(&mut self, name: Ident) {
        if self.known.insert((false, name.clone())) {
            self.nonlocals.push(name);
        }
    }

    /// Adds what instructions store or delete that is no variable of the function.
    fn add_stored(&mut self, body: &mut Block, context: &Context<'_>, contents: Contents) {
        let Context { function, names, .. } = *context;
        if !contents.meets(Contents::SHARED_STORES) {
            return;
        }
        for instruction in &function.instructions {
            match instruction.op {
                Op::StoreGlobal(name) | Op::DeleteGlobal(name) => {
                    let name = names.unmangled(names.raw(name));
                    if crate::names::is_identifier(&name) {
                        self.add_global(name);
                    }
                }
                Op::StoreDeref(variable) | Op::DeleteDeref(variable)
                    if function.variables[variable as usize].kind == VariableKind::Free
                        && !is_of_comprehensions(body, variable, context) =>
                {
                    let name = names.variable(variable);
                    if crate::names::is_identifier(&name) {
                        self.add_nonlocal(name);
                    }
                }
                _ => {}
            }
        }
    }

    /// Adds those of the names that assignment expressions in comprehensions store which are no variables of the function;
    /// gives them all.
    fn add_assigned(&mut self, stored: Vec<Ident>, context: &Context<'_>) -> HashSet<Ident> {
        let Context { code, function, names, .. } = *context;
        let mut met = HashSet::default();
        // Of several variables of a name the first one counts.
        let places = names.variables().iter().enumerate().rev().filter(|_| !stored.is_empty());
        let places: HashMap<&Ident, usize> = places.map(|(at, name)| (name, at)).collect();
        for name in stored {
            match places.get(&name) {
                Some(&at) if function.variables[at].kind == VariableKind::Free => {
                    self.add_nonlocal(name.clone());
                }
                None if code.flags & flags::OPTIMIZED != 0 => self.add_global(name.clone()),
                _ => {}
            }
            met.insert(name);
        }
        met
    }

    /// Drops what a module need not declare. All its names are global. Where it says so, no instruction takes one for a name of
    /// the body, but what runs in a comprehension, from 3.13 on. What is `assigned` in a comprehension needs no saying.
    fn drop_own(&mut self, context: &Context<'_>, assigned: &HashSet<Ident>) {
        let Context { code, function, names, .. } = *context;
        let compiler = CompilerFeatures::of(code.version);
        let says_all = compiler.is_some_and(|compiler| compiler.comprehensions_see_declarations);
        let own = function.instructions.iter().filter_map(|instruction| match instruction.op {
            Op::LoadName(_) if !says_all => None,
            Op::LoadName(name) | Op::StoreName(name) | Op::DeleteName(name) => {
                Some(names.unmangled(names.raw(name)))
            }
            _ => None,
        });
        let own: HashSet<Ident> = own.collect();
        self.globals.retain(|name| !own.contains(name) && !assigned.contains(name));
    }

    /// Drops what a function or class in a module declares: then the name is global in the module itself, too (CPython
    /// `Python/symtable.c`, `symtable_add_def`). What stays, a function declared that has no use for it, or only reads it.
    fn drop_declared_inside(&mut self, body: &[Stmt]) {
        let mut found = HashSet::default();
        declared_inside(body, &mut found);
        self.globals.retain(|name| !found.contains(name));
    }
}

/// The names that a module or class reads as global ones. A failed `assert` of 3.8 reads one, too.
fn read_globals(context: &Context<'_>, is_module: bool) -> Vec<Ident> {
    let (names, instructions) = (context.names, &context.function.instructions[..]);
    let mut found: Vec<Ident> = Vec::new();
    // Where the comprehension at hand ends: one in a class does not see the names of that (3.12 and later).
    let mut behind = 0;
    for (at, instruction) in instructions.iter().enumerate() {
        match instruction.op {
            Op::LoadLocalAndClear(_) if !is_module && at >= behind => {
                behind = end_of_loop(instructions, at).unwrap_or(instructions.len());
            }
            Op::LoadGlobal(name) if at >= behind => found.push(names.unmangled(names.raw(name))),
            _ => {}
        }
    }
    found.retain(|name| crate::names::is_identifier(name) && name != "AssertionError");
    found
}

/// The names that the functions and classes in a block declare as global ones.
fn declared_inside(block: &[Stmt], found: &mut HashSet<Ident>) {
    for statement in block {
        match &statement.kind {
            StmtKind::Global(names) => found.extend(names.iter().cloned()),
            StmtKind::Function(function) => declared_inside(&function.body, found),
            StmtKind::Class(class) => declared_inside(&class.body, found),
            _ => blocks(statement).for_each(|inner| declared_inside(inner, found)),
        }
    }
}

/// Whether only inlined comprehensions store a free variable. They have one of their own of that name, in the place of it.
fn is_of_comprehensions(body: &mut Block, variable: VarId, context: &Context<'_>) -> bool {
    let (variables, name) = (&context.function.variables, context.names.variable(variable));
    let raw = &variables[variable as usize].name;
    let is_other = |(at, other): (usize, &Variable)| at != variable as usize && other.name == *raw;
    variables.iter().enumerate().any(is_other) && !uses(body, &name).binds
}

/// Whether nothing may stand before the statement: a docstring, or what the module takes from `__future__`.
pub(super) fn stays_first(statement: &Stmt) -> bool {
    match &statement.kind {
        StmtKind::Expr(Expr { kind: ExprKind::Literal(Literal::Str(_)), .. }) => true,
        StmtKind::ImportFrom { module: Some(module), level: 0, .. } => *module == "__future__",
        _ => false,
    }
}

/// Whether the function may have an assignment expression in a comprehension: in one that is code of its own, or in one
/// that fills its container here. What an assignment expression stores is copied right before.
fn may_assign_in_comprehensions(code: &CodeObject, function: &Function, contents: Contents) -> bool {
    let is_stored_copy =
        |pair: &[Instruction]| pair[1].op.stores_variable() && matches!(pair[0].op, Op::Copy(_));
    code.consts.iter().any(|value| matches!(value, Const::Code(nested) if is_comprehension(nested)))
        || contents.meets(Contents::COPIES)
            && contents.meets(Contents::ADDITIONS)
            && function.instructions.windows(2).any(is_stored_copy)
            && function.instructions.iter().any(|instruction| fills_container(instruction.op))
}

/// The names that assignment expressions in comprehensions store: those of the function around.
pub(super) fn assigned_in_comprehensions(block: &mut Block) -> Vec<Ident> {
    let mut found = Vec::new();
    for_each_expr(block, &mut |expr| stored_in_comprehensions(expr, false, &mut found));
    found
}

fn for_each_expr(block: &mut Block, visit: &mut impl FnMut(&mut Expr)) {
    for statement in block {
        each_expr(statement, &mut *visit);
        each_block(statement, |inner| for_each_expr(inner, visit));
    }
}

/// The targets of assignment expressions in comprehensions. A lambda has its own.
fn stored_in_comprehensions(expr: &mut Expr, inside: bool, found: &mut Vec<Ident>) {
    let inside = match &expr.kind {
        ExprKind::Lambda { .. } => return,
        ExprKind::Comprehension { .. } => true,
        ExprKind::Named { target, .. } => {
            found.extend(inside.then(|| target.clone()));
            inside
        }
        _ => inside,
    };
    each_child(expr, |child| stored_in_comprehensions(child, inside, found));
}
