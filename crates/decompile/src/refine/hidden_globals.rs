//! Which global names a function around would hide: a part of [`declare`](super::declare).
//!
//! A name that a function only reads is that of a global without a word, unless a function around binds a variable of
//! the name. Then it says `global`, whatever it does with the name.

use std::rc::Rc;

use depyf_bytecode::{CodeObject, Const, Function, Op, VariableKind, flags};
use depyf_syntax::ast::Ident;
use depyf_value::PyStr;

use crate::flow::end_of_loop;
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
        let lent = lent_to_comprehensions(code, function);
        let own = function.variables.iter().enumerate().filter(|(at, variable)| {
            variable.kind != VariableKind::Free && !lent.get(*at).is_some_and(|&is_lent| is_lent)
        });
        let names = own.map(|(_, variable)| variable.name.clone()).collect();
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

/// Which variables of a function only its comprehensions bind, which are part of it from 3.12 on: those hide nothing from
/// the other functions in it. Empty where there is none.
///
/// Each comprehension sets the variable aside, and gives it back in two places: behind the loop, and where an exception
/// ends it (CPython `Python/codegen.c`, `pop_inlined_comprehension_locals`). Whatever else binds it is a statement.
fn lent_to_comprehensions(code: &CodeObject, function: &Function) -> Vec<bool> {
    let instructions = &function.instructions;
    if !instructions.iter().any(|instruction| matches!(instruction.op, Op::LoadLocalAndClear(_))) {
        return Vec::new();
    }
    let mut set_aside = vec![0_usize; function.variables.len()];
    let mut bound = vec![0_usize; function.variables.len()];
    // Where the comprehension that holds an instruction and sets a variable aside ends.
    let mut ends = vec![0_usize; function.variables.len()];
    for (at, instruction) in instructions.iter().enumerate() {
        match instruction.op {
            Op::LoadLocalAndClear(id) => {
                let Some(end) = end_of_loop(instructions, at) else { return Vec::new() };
                let id = id as usize;
                if let (Some(count), Some(border)) = (set_aside.get_mut(id), ends.get_mut(id)) {
                    *count += 1;
                    *border = (*border).max(end);
                }
            }
            Op::StoreLocal(id) | Op::StoreDeref(id) | Op::DeleteLocal(id) | Op::DeleteDeref(id) => {
                let id = id as usize;
                if let (Some(count), Some(&end)) = (bound.get_mut(id), ends.get(id)) {
                    *count += usize::from(at >= end);
                }
            }
            _ => {}
        }
    }
    let is_lent = |id: usize| set_aside[id] > 0 && bound[id] <= 2 * set_aside[id];
    let parameters = code.parameter_count();
    (0..function.variables.len()).map(|id| id >= parameters && is_lent(id)).collect()
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

#[cfg(test)]
mod tests {
    use depyf_bytecode::{Instruction, decode};
    use depyf_value::PyVersion;

    use super::*;

    /// Which of two variables are lent, where a comprehension of the first runs and these instructions stand behind it.
    fn lent(argcount: u32, behind: &[Op]) -> Vec<bool> {
        let mut ops = vec![
            Op::LoadLocalAndClear(0),
            Op::ForIter { exhausted: 4, slots: 1, pops: true },
            Op::StoreLocal(0),
            Op::Jump(1),
            // Behind the loop, and where an exception ends it.
            Op::StoreLocal(0),
            Op::StoreLocal(0),
        ];
        ops.extend(behind);
        let varnames = ["a", "b"].map(PyStr::new).to_vec();
        let code = CodeObject { argcount, varnames, ..CodeObject::empty(PyVersion(13)) };
        let instruction = |op| Instruction { op, offset: 0, line: None, column: None, width: 0 };
        let mut function = decode(&code).expect("an empty function");
        function.instructions = ops.into_iter().map(instruction).collect();
        lent_to_comprehensions(&code, &function)
    }

    #[test]
    fn a_variable_is_lent_unless_a_statement_binds_it() {
        assert_eq!(lent(0, &[Op::StoreLocal(1)]), [true, false]);
        assert_eq!(lent(0, &[Op::StoreLocal(0)]), [false, false]);
        assert_eq!(lent(0, &[Op::DeleteLocal(0)]), [false, false]);
        assert_eq!(lent(1, &[]), [false, false]);
    }
}
