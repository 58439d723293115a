//! Passes on what the compilers of 3.8 and 3.9 erase.

use depyf_bytecode::JumpCondition;

use super::*;

/// A code object of 3.9 that returns a constant: LOAD_CONST 0, RETURN_VALUE.
fn returning(value: Const) -> CodeObject {
    let flags = depyf_bytecode::flags::OPTIMIZED;
    CodeObject { code: vec![100, 0, 83, 0], consts: vec![value], flags, ..CodeObject::empty(PyVersion(9)) }
}

/// A function of 3.9 of some operations, two bytes apart.
fn function(ops: &[Op]) -> (CodeObject, Function) {
    let code = returning(Const::None);
    let mut function = decode(&code).expect("a function that returns");
    let instruction = |(at, &op): (usize, &Op)| Instruction {
        op,
        offset: 2 * at as u32,
        line: None,
        column: None,
        width: 0,
    };
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

/// Operations of a test, a body and so many jumps behind it, each to the next instruction.
fn test_and_jumps(jumps: u32) -> Vec<Op> {
    let test = [Op::LoadLocal(0), Op::JumpIf(JumpCondition::False, 4 + jumps), Op::LoadLocal(1), Op::Pop];
    let jumps = (0..jumps).map(|jump| Op::Jump(5 + jump));
    test.into_iter().chain(jumps).chain([Op::LoadLocal(2), Op::Return]).collect()
}

#[test]
fn one_jump_more_than_the_statements_make_is_that_over_an_else() {
    let counted = |jumps: u32| {
        let (_, function) = function(&test_and_jumps(jumps));
        let test = at(1, if_(name("a"), vec![at(3, StmtKind::Expr(name("b")))], Vec::new()).kind);
        after(|block| count_jumps(block, &function), vec![test, at(5 + jumps, StmtKind::Return(None))])
    };
    assert_eq!(counted(0), ["if a:", "    b", "return"]);
    assert_eq!(counted(1), ["if a:", "    b", "else:", "    pass", "return"]);
}

#[test]
fn one_jump_less_than_the_statements_make_is_none_over_an_else() {
    let ops = |back: u32| {
        let test = [Op::LoadLocal(0), Op::JumpIf(JumpCondition::False, 4 + back), Op::LoadLocal(1), Op::Pop];
        let jumps = [Op::Jump(2), Op::Jump(6)].into_iter().take(back as usize);
        test.into_iter().chain(jumps).chain([Op::LoadLocal(2), Op::Return]).collect::<Vec<Op>>()
    };
    let counted = |back: u32| {
        let (_, function) = function(&ops(back));
        let body = vec![while_true(vec![at(3, StmtKind::Expr(name("b")))])];
        let other = vec![at(5 + back, StmtKind::Return(Some(name("c"))))];
        let test = at(1, if_(name("a"), body, other).kind);
        after(|block| count_jumps(block, &function), vec![test])
    };
    assert_eq!(counted(2), ["if a:", "    while True:", "        b", "else:", "    return c"]);
    assert_eq!(counted(1), ["if a:", "    while True:", "        b", "return c"]);
}

#[test]
fn a_jump_over_a_break_tells_that_it_is_an_else() {
    // while a: (if b: c else: break), with a jump from elsewhere to the end of the test or of the loop.
    let counted = |to: u32| {
        let ops = [
            Op::LoadLocal(0),
            Op::JumpIf(JumpCondition::False, 9),
            Op::LoadLocal(1),
            Op::JumpIf(JumpCondition::False, 9),
            Op::LoadLocal(2),
            Op::Pop,
            Op::Jump(0),
            Op::Jump(9),
            Op::Jump(0),
            Op::LoadLocal(0),
            Op::Jump(to),
            Op::Return,
        ];
        let (_, function) = function(&ops);
        let body = vec![at(5, StmtKind::Expr(name("c"))), at(6, StmtKind::Continue)];
        let test = at(3, if_(name("b"), body, vec![stmt(StmtKind::Break)]).kind);
        let repeated = StmtKind::While { test: name("a"), body: vec![test], orelse: Vec::new() };
        after(|block| count_jumps(block, &function), vec![at(1, repeated)])
    };
    assert_eq!(counted(8), ["while a:", "    if b:", "        c", "    else:", "        break"]);
    assert_eq!(counted(11), ["while a:", "    if b:", "        c", "        continue", "    break"]);
}
