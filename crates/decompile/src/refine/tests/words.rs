//! Words that mean the same, told apart by the places of their instructions.

use depyf_bytecode::{CallLayout, CommonConst};

use super::indentation::{placed, returned, try_};
use super::*;

/// A function whose instruction `n` does nothing, at the column and of the width `places[n]`, on line `n`.
fn at(places: &[(u32, u8)]) -> (CodeObject, Function) {
    let code = CodeObject { flags: flags::OPTIMIZED, ..CodeObject::empty(PyVersion(12)) };
    let mut function = decode(&code).expect("an empty function");
    let instruction = |(line, &(column, width)): (u32, &(u32, u8))| Instruction {
        op: Op::Nop,
        offset: line,
        line: Some(line),
        column: Some(column),
        width,
    };
    function.instructions = (0..).zip(places).map(instruction).collect();
    (code, function)
}

fn kept(origin: u32, kind: StmtKind) -> Stmt {
    Stmt::new(Origin(origin), kind)
}

fn named(origin: u32, text: &str) -> Expr {
    Expr::new(Origin(origin), ExprKind::Name(text.into()))
}

#[test]
fn none_is_named_where_the_columns_say_so() {
    let returns = |inner: (u32, u8), last: (u32, u8)| {
        let (code, function) = at(&[(4, 1), (7, 1), inner, last]);
        let block = vec![placed(0, "a"), if_(named(1, "b"), vec![returned(2)], Vec::new()), returned(3)];
        after_words(&[name_returned_none], &code, &function, block)
    };
    let with =
        |inner: &str, last: &str| vec!["a".to_owned(), "if b:".into(), format!("    {inner}"), last.into()];
    assert_eq!(returns((8, 6), (4, 6)), with("return", "return"));
    assert_eq!(returns((15, 4), (11, 4)), with("return None", "return None"));
    // What is at neither tells nothing, nor does what is no word.
    assert_eq!(returns((12, 4), (9, 4)), with("return", "return"));
    assert_eq!(returns((15, 9), (11, 9)), with("return", "return"));
}

#[test]
fn none_is_named_beside_values_unless_the_word_is_told() {
    let returns = |inner: (u32, u8), value: Option<Expr>, code_flags: u32| {
        let (mut code, function) = at(&[(4, 1), (7, 1), inner, (4, 8)]);
        code.flags |= code_flags;
        let last = kept(3, StmtKind::Return(value));
        let block = vec![if_(named(1, "b"), vec![returned(2)], Vec::new()), last];
        after_words(&[name_none_beside_values], &code, &function, block)
    };
    let value = || Some(named(3, "c"));
    assert_eq!(returns((9, 9), value(), 0), ["if b:", "    return None", "return c"]);
    assert_eq!(returns((8, 6), value(), 0), ["if b:", "    return", "return c"]);
    assert_eq!(returns((9, 9), None, 0), ["if b:", "    return", "return"]);
    assert_eq!(returns((9, 9), value(), flags::GENERATOR), ["if b:", "    return", "return c"]);
}

#[test]
fn a_place_that_something_else_has_is_no_word() {
    let (code, mut function) = at(&[(4, 4)]);
    let named = |function: &Function| {
        let block = vec![if_(named(9, "b"), vec![returned(0)], Vec::new())];
        after_words(&[spell_leaving_words], &code, function, block)
    };
    assert_eq!(named(&function), ["if b:", "    pass"]);
    let other = Instruction { op: Op::LoadLocal(0), offset: 1, ..function.instructions[0] };
    function.instructions.push(other);
    assert_eq!(named(&function), ["if b:", "    return"]);
}

#[test]
fn a_last_loop_is_left_by_the_word_that_was_written() {
    let spelled = |leaving: StmtKind, width: u8, behind: Block| {
        let (code, function) = at(&[(8, width)]);
        let mut block = vec![for_(name("a"), name("b"), vec![kept(0, leaving)])];
        block.extend(behind);
        after_words(&[spell_leaving_words], &code, &function, block)
    };
    assert_eq!(spelled(StmtKind::Return(None), 5, Vec::new()), ["for a in b:", "    break"]);
    assert_eq!(spelled(StmtKind::Break, 6, Vec::new()), ["for a in b:", "    return"]);
    assert_eq!(spelled(StmtKind::Break, 4, Vec::new()), ["for a in b:", "    return None"]);
    assert_eq!(spelled(StmtKind::Break, 5, Vec::new()), ["for a in b:", "    break"]);
    // Behind another loop there is more than the end of the function.
    let more = || vec![run(name("c"))];
    assert_eq!(spelled(StmtKind::Return(None), 5, more()), ["for a in b:", "    return", "c"]);
}

#[test]
fn a_manager_that_is_left_hides_the_word_in_front() {
    // A word, which does nothing, then the call of the exit function and the end of the function, in the place of the `with`.
    let spelled = |between: Op, leaving: StmtKind, width: u8| {
        let (code, mut function) = at(&[(12, width), (8, 0), (8, 0), (8, 0), (8, 0)]);
        let exit = Op::Call { positional: 3, layout: CallLayout::Plain };
        let none = Op::Common(CommonConst::None);
        for (found, op) in function.instructions[1..].iter_mut().zip([between, none, exit, Op::Return]) {
            found.op = op;
        }
        let block = vec![for_(name("a"), name("b"), vec![kept(4, leaving)])];
        after_words(&[spell_leaving_words], &code, &function, block)
    };
    let none = Op::Common(CommonConst::None);
    assert_eq!(spelled(none, StmtKind::Return(None), 5), ["for a in b:", "    break"]);
    assert_eq!(spelled(none, StmtKind::Break, 6), ["for a in b:", "    return"]);
    // The body of the `with` may end with `pass`, and with what is no word.
    assert_eq!(spelled(none, StmtKind::Break, 4), ["for a in b:", "    break"]);
    assert_eq!(spelled(Op::LoadLocal(0), StmtKind::Return(None), 5), ["for a in b:", "    return"]);
}

#[test]
fn implied_ends_stay_where_they_were_written() {
    let dropped = |width: u8, last: Stmt| {
        let (code, function) = at(&[(4, width)]);
        let passes = [spell_leaving_words, drop_implied_returns, drop_implied_continues];
        after_words(&passes, &code, &function, vec![last])
    };
    assert_eq!(dropped(6, returned(0)), ["return"]);
    assert_eq!(dropped(4, returned(0)), ["pass"]);
    assert_eq!(dropped(3, returned(0)), ["..."]);
    let looped = || for_(name("a"), name("b"), vec![run(name("c")), kept(0, StmtKind::Continue)]);
    assert_eq!(dropped(8, looped()), ["for a in b:", "    c", "    continue"]);
    assert_eq!(dropped(4, looped()), ["for a in b:", "    c", "    pass"]);
    // What no width is known of was an instruction, but nobody writes it alone.
    assert_eq!(dropped(0, looped()), ["for a in b:", "    c", "    continue"]);
    let alone = for_(name("a"), name("b"), vec![kept(0, StmtKind::Continue)]);
    assert_eq!(dropped(0, alone), ["for a in b:", "    pass"]);
}

#[test]
fn a_word_that_was_left_out_stands_where_its_place_is() {
    let with_word = |word: (u32, u8), block: Block| {
        let (code, function) = at(&[(8, 1), word, (4, 1)]);
        after_words(&[place_words], &code, &function, block)
    };
    let handled = || vec![try_(vec![placed(0, "a")], Vec::new(), Vec::new())];
    // Of what would end the body no instruction would be left.
    assert_eq!(with_word((8, 6), handled()), ["try:", "    a", "except:", "    return"]);
    let handler = |last: Option<Stmt>| {
        let body = vec![placed(0, "a")];
        vec![try_(vec![run(name("b"))], body.into_iter().chain(last).collect(), Vec::new())]
    };
    let expected = |last: &[&'static str]| [&["try:", "    b", "except:", "    a"], last].concat();
    assert_eq!(with_word((8, 6), handler(None)), expected(&["    return"]));
    assert_eq!(with_word((15, 4), handler(None)), expected(&["    return None"]));
    assert_eq!(with_word((8, 4), handler(None)), expected(&[]));
    // Only what is there has an end, and a `finally` would drop the exception.
    let with = |orelse: Block, finalbody: Block| {
        let handler =
            Handler { origin: Origin::NONE, kind: None, name: None, body: vec![kept(9, StmtKind::Break)] };
        let parts =
            Try { body: vec![placed(0, "a")], handlers: vec![handler], orelse, finalbody, is_star: false };
        let body = vec![stmt(StmtKind::Try(Box::new(parts)))];
        let with = StmtKind::With { items: Vec::new(), body, is_async: false };
        with_word((8, 6), vec![stmt(with)])[1..].iter().map(|line| line.trim().to_owned()).collect::<Vec<_>>()
    };
    let c = || vec![run(name("c"))];
    assert_eq!(with(Vec::new(), Vec::new()), ["try:", "a", "return", "except:", "break"]);
    assert_eq!(with(c(), Vec::new()), ["try:", "a", "except:", "break", "else:", "c", "return"]);
    assert_eq!(with(c(), c())[5..], ["c", "return", "finally:", "c"]);
    // What is less deep stands behind it, and what has no column is a copy of it.
    assert_eq!(with_word((4, 6), handler(None)), expected(&[]));
    assert_eq!(with_word((8, 6), handler(Some(returned(9)))), expected(&["    return"]));
    assert_eq!(with_word((15, 4), handler(Some(returned(9)))), expected(&["    return None"]));
}

#[test]
fn an_endless_loop_tests_one_where_that_is_how_wide_the_test_was() {
    let tested = |width: u8, written: Option<u32>| {
        let (_, function) = at(&[(10, width), (8, 3)]);
        let test = expr(ExprKind::Literal(Literal::Bool(true)));
        let looped = StmtKind::While { test, body: vec![placed(1, "a")], orelse: Vec::new() };
        let origin = written.map_or(Origin::NONE, Origin);
        after(|block| spell_endless_tests(block, &function, Contents::NOPS), vec![Stmt::new(origin, looped)])
    };
    // The jump back leads behind what is left of the test, or to that.
    assert_eq!(tested(1, None), ["while 1:", "    a"]);
    assert_eq!(tested(1, Some(0)), ["while 1:", "    a"]);
    assert_eq!(tested(4, None), ["while True:", "    a"]);
}

#[test]
fn what_stands_on_one_line_is_one_statement() {
    let import = |origin: u32, module: &str| {
        let names = vec![Alias { name: module.into(), asname: None }];
        kept(origin, StmtKind::Import { names, lazy: false })
    };
    let delete = |origin: u32, target: &str| kept(origin, StmtKind::Delete(vec![named(origin, target)]));
    // Origins 0 and 1 are on one line.
    let joined = |block: Block, places: &[(u32, u8)]| {
        let (_, mut function) = at(places);
        function.instructions[1].line = function.instructions[0].line;
        after(|block| join_statements(block, &function), block)
    };
    let imports = || vec![import(0, "a"), import(1, "b"), import(2, "c")];
    assert_eq!(joined(imports(), &[(4, 11), (4, 11), (4, 11)]), ["import a, b", "import c"]);
    assert_eq!(joined(imports(), &[(4, 8), (14, 8), (4, 8)]), ["import a", "import b", "import c"]);
    let deletions = || vec![delete(0, "a"), delete(1, "b"), delete(2, "c")];
    assert_eq!(joined(deletions(), &[(8, 1), (11, 1), (8, 1)]), ["del a, b", "del c"]);
    assert_eq!(joined(deletions(), &[(8, 1), (15, 1), (8, 1)]), ["del a", "del b", "del c"]);
}
