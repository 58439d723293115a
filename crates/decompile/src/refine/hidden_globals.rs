//! Which global names a function around would hide: a part of [`declare`](super::declare).
//!
//! A name that a function only reads is that of a global without a word, unless a function around binds a variable of
//! the name. Then it says `global`, whatever it does with the name.

use std::rc::Rc;

use depyf_bytecode::{CodeObject, Const, Function, Op, VariableKind, flags};
use depyf_syntax::ast::Ident;
use depyf_value::PyStr;

use crate::hash::HashSet;
use crate::lift::Context;

/// The variables that the functions around a code object bind.
pub(crate) struct BoundAround {
    /// Those of the innermost function.
    names: HashSet<PyStr>,
    /// Those of the functions around that one.
    around: Option<Rc<BoundAround>>,
}

impl BoundAround {
    /// What the code in a code object finds around it; of a class body, nothing more than that body did.
    pub(crate) fn inside(
        code: &CodeObject,
        function: &Function,
        around: Option<Rc<Self>>,
    ) -> Option<Rc<Self>> {
        let holds_code = code.consts.iter().any(Const::is_code);
        if code.flags & flags::OPTIMIZED == 0 || !holds_code {
            return around;
        }
        let own = function.variables.iter().filter(|variable| variable.kind != VariableKind::Free);
        let names = own.map(|variable| variable.name.clone()).collect();
        Some(Rc::new(Self { names, around }))
    }

    fn holds(&self, name: &PyStr) -> bool {
        let mut bound = Some(self);
        while let Some(found) = bound {
            if found.names.contains(name) {
                return true;
            }
            bound = found.around.as_deref();
        }
        false
    }
}

/// The global names that a definition reads and a function around it would hide, in the order in which it reads them.
/// Lambdas and comprehensions in it cannot declare theirs, so they count.
pub(super) fn hidden_globals(context: &Context<'_>) -> Vec<Ident> {
    let mut hidden = Vec::new();
    let Some(around) = context.scope.bound_around() else { return hidden };
    if !crate::names::is_identifier(&context.code.name) || context.code.name == "__annotate__" {
        return hidden;
    }
    read_globals(context.code, context.function, around, &mut hidden, 0);
    hidden.iter().map(|name| context.names.unmangled(name)).collect()
}

/// Functions of one expression that are nested deeper in each other are not looked at.
const DEEPEST: usize = 20;

fn read_globals(
    code: &CodeObject,
    function: &Function,
    around: &BoundAround,
    hidden: &mut Vec<PyStr>,
    depth: usize,
) {
    for instruction in &function.instructions {
        if let Op::LoadGlobal(name) = instruction.op
            && let Some(name) = code.names.get(name as usize)
            && around.holds(name)
            && !hidden.contains(name)
        {
            hidden.push(name.clone());
        }
    }
    for value in &code.consts {
        if let Const::Code(nested) = value
            && nested.name.as_wtf8().starts_with(b"<")
            && depth < DEEPEST
            && nested.names.iter().any(|name| around.holds(name))
            && let Ok(function) = crate::decoded::in_reach(nested)
        {
            read_globals(nested, &function, around, hidden, depth + 1);
        }
    }
}
