//! Which constants the functions are that a code object makes.
//!
//! The compiler makes one constant of equal code objects. Where of all places only the first line tells them apart
//! (`lines_tell_code_apart`), functions of one constant stood on one line, and those of two that are equal did not (CPython
//! `Objects/codeobject.c`, `code_richcompare`).

use depyf_bytecode::{CodeObject, Const, Function, Op, stack_effect};
use depyf_syntax::ast::Origin;

use crate::flow::target_of;
use crate::hash::HashMap;

/// Whether a code object makes functions of one constant in several places.
pub(crate) fn makes_one_twice(code: &CodeObject, function: &Function) -> bool {
    let made = function.instructions.iter().filter(|found| matches!(found.op, Op::MakeFunction(_)));
    made.count() > code.consts.iter().filter(|value| value.is_code()).count()
}

/// Which constants the functions of one expression are that a code object makes, by the instructions that make them and
/// that call them.
pub(crate) fn constants_of_functions(code: &CodeObject, function: &Function) -> Vec<(Origin, usize)> {
    let mut found = Vec::new();
    // The functions that may be called yet: the constants, and the heights of the stack with them.
    let mut open: Vec<(usize, i64)> = Vec::new();
    let (mut height, mut loaded) = (0, None);
    // How high the stack is where the arms of an expression meet.
    let mut heights: HashMap<usize, i64> = HashMap::default();
    for (at, instruction) in function.instructions.iter().enumerate() {
        height = heights.remove(&at).unwrap_or(height);
        if let Some(target) = target_of(instruction.op) {
            let jumped = height + stack_effect(instruction.op, true, &function.features);
            heights.insert(target as usize, jumped);
        }
        height += stack_effect(instruction.op, false, &function.features);
        // What was taken off the stack is called no more.
        while open.pop_if(|&mut (_, made)| made > height).is_some() {}
        match instruction.op {
            Op::Const(index) if matches!(code.consts.get(index as usize), Some(Const::Code(_))) => {
                loaded = Some(index as usize);
            }
            Op::MakeFunction(_) => {
                if let Some(constant) = loaded.take() {
                    found.push((Origin(instruction.offset), constant));
                    open.push((constant, height));
                }
            }
            Op::Call { .. } => {
                if let Some((constant, _)) = open.pop_if(|&mut (_, made)| made == height) {
                    found.push((Origin(instruction.offset), constant));
                }
            }
            _ => {}
        }
    }
    found
}
