//! Pass: `global` and `nonlocal`.
//!
//! Needs: names are final. Establishes: a name that the function stores and that is not its own is declared
//! at its head.

use depyf_bytecode::{CodeObject, Function, Op, VariableKind, flags};
use depyf_syntax::ast::{Block, Ident, Origin, Stmt, StmtKind};

use crate::names::Names;

/// See the module.
pub(crate) fn declare(body: &mut Block, code: &CodeObject, function: &Function, names: &Names) {
    let mut globals: Vec<Ident> = Vec::new();
    let mut nonlocals: Vec<Ident> = Vec::new();
    for instruction in &function.instructions {
        let (list, name) = match instruction.op {
            Op::StoreGlobal(name) | Op::DeleteGlobal(name) => {
                (&mut globals, names.unmangled(&names.raw(name)))
            }
            Op::StoreDeref(variable) | Op::DeleteDeref(variable)
                if function.variables[variable as usize].kind == VariableKind::Free =>
            {
                (&mut nonlocals, names.variable(variable))
            }
            _ => continue,
        };
        if crate::names::is_identifier(&name) && !list.contains(&name) {
            list.push(name);
        }
    }
    if code.flags & flags::OPTIMIZED == 0 && code.name == "<module>" {
        globals.clear();
    }
    let heads = [(globals, true), (nonlocals, false)];
    let declarations = heads.into_iter().filter(|(names, _)| !names.is_empty()).map(|(names, global)| {
        let kind = if global { StmtKind::Global(names) } else { StmtKind::Nonlocal(names) };
        Stmt::new(Origin::NONE, kind)
    });
    body.splice(0..0, declarations.collect::<Vec<_>>());
}
