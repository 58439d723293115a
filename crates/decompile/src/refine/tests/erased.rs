//! Passes on what the compilers of 3.8 and 3.9 erase.

use depyf_bytecode::JumpCondition;

use super::*;

/// A code object of 3.9 that returns a constant: LOAD_CONST 0, RETURN_VALUE.
fn returning(value: Const) -> CodeObject {
    CodeObject { code: vec![100, 0, 83, 0], consts: vec![value], ..CodeObject::empty(PyVersion(9)) }
}

/// A function of 3.9 of some operations, two bytes apart.
fn function(ops: &[Op]) -> (CodeObject, Function) {
    let code = returning(Const::None);
    let mut function = decode(&code).expect("a function that returns");
    let instruction =
        |(at, &op): (usize, &Op)| Instruction { op, offset: 2 * at as u32, line: None, column: None };
    function.instructions = ops.iter().enumerate().map(instruction).collect();
    (code, function)
}

/// A statement that an instruction was made of.
fn at(instruction: u32, kind: StmtKind) -> Stmt {
    Stmt::new(Origin(2 * instruction), kind)
}

#[test]
fn instructions_that_nothing_leads_to_show_an_else() {
    let ops = [
        Op::LoadLocal(0),
        Op::JumpIf(JumpCondition::False, 4),
        Op::LoadLocal(1),
        Op::Return,
        Op::LoadLocal(2),
        Op::Return,
        Op::Nop,
    ];
    let inner = vec![at(3, StmtKind::Return(Some(name("b"))))];
    let block = vec![if_(name("a"), inner, Vec::new()), at(5, StmtKind::Return(Some(name("c"))))];
    let restored = |ops: &[Op]| {
        let (code, function) = function(ops);
        after(|block| restore_erased_else(block, &code, &function), block.clone())
    };
    assert_eq!(restored(&ops), ["if a:", "    return b", "else:", "    return c"]);
    assert_eq!(restored(&ops[..6]), text(&block));
}

#[test]
fn a_jump_that_a_test_is_threaded_past_stands_behind_its_if() {
    let ops = [
        Op::LoadLocal(0),
        Op::JumpIf(JumpCondition::False, 6),
        Op::LoadLocal(1),
        Op::Pop,
        Op::Jump(6),
        Op::Nop,
        Op::Common(depyf_bytecode::CommonConst::None),
        Op::Return,
    ];
    let (_, function) = function(&ops);
    let joined = |next: StmtKind| {
        let body = vec![at(2, StmtKind::Expr(name("b"))), at(4, StmtKind::Break)];
        let test = at(1, StmtKind::If { test: name("a"), body, orelse: Vec::new() });
        after(|block| join_skipped_jumps(block, &function), vec![test, stmt(next)])
    };
    assert_eq!(joined(StmtKind::Break), ["if a:", "    b", "break"]);
    assert_eq!(joined(StmtKind::Continue), ["if a:", "    b", "    break", "continue"]);
}

#[test]
fn a_return_of_a_constant_that_nothing_reaches_was_written() {
    let (_, function) = function(&[Op::Raise(0), Op::Nop, Op::Nop]);
    let restored = |value: Const| {
        let code = returning(value);
        let raise = stmt(StmtKind::Raise { exc: None, cause: None });
        after(|block| restore_dead_return(block, &code, &function), vec![raise])
    };
    assert_eq!(restored(Const::Bool(true)), ["raise", "return True"]);
    assert_eq!(restored(Const::None), ["raise"]);
}
