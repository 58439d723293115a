//! How deep statements stand, by the columns of their instructions.

use super::*;

/// What `indent_by_columns` makes of a tree, where the statement whose name has the origin `n` begins at the column
/// `columns[n]` of line `n`.
fn indented(block: Block, columns: &[u32]) -> Vec<String> {
    let lines: Vec<u32> = (0..columns.len() as u32).collect();
    indented_on(block, columns, &lines)
}

/// As [`indented`], where the origin `n` is on line `lines[n]`.
fn indented_on(mut block: Block, columns: &[u32], lines: &[u32]) -> Vec<String> {
    let code = CodeObject::empty(PyVersion(12));
    let mut function = decode(&code).expect("an empty function");
    function.instructions = placed_at(columns, lines);
    indent_by_columns(&mut block, &code, &function);
    text(&block)
}

/// Instructions at these places, whose offsets are their numbers.
pub(super) fn placed_at(columns: &[u32], lines: &[u32]) -> Vec<Instruction> {
    let instruction = |(at, (&column, &line)): (usize, (&u32, &u32))| Instruction {
        op: Op::Nop,
        offset: at as u32,
        line: Some(line),
        column: Some(column),
        width: 0,
    };
    columns.iter().zip(lines).enumerate().map(instruction).collect()
}

/// A statement that is a name.
pub(super) fn placed(origin: u32, text: &str) -> Stmt {
    run(Expr::new(Origin(origin), ExprKind::Name(text.into())))
}

pub(super) fn returned(origin: u32) -> Stmt {
    Stmt::new(Origin(origin), StmtKind::Return(None))
}

pub(super) fn try_(body: Block, handler: Block, orelse: Block) -> Stmt {
    let handler = Handler { origin: Origin::NONE, kind: None, name: None, body: handler };
    let parts = Try { body, handlers: vec![handler], orelse, finalbody: Vec::new(), is_star: false };
    stmt(StmtKind::Try(Box::new(parts)))
}

#[test]
fn what_stands_as_deep_as_a_body_goes_into_the_else() {
    let block =
        |handler| vec![try_(vec![placed(0, "a")], vec![handler], Vec::new()), placed(2, "b"), placed(3, "c")];
    let expected = ["try:", "    a", "except:", "    return", "else:", "    b", "c"];
    assert_eq!(indented(block(returned(1)), &[8, 8, 8, 4]), expected);
    // Behind a handler that goes on it would not run in an `else`.
    let plain = text(&block(placed(1, "d")));
    assert_eq!(indented(block(placed(1, "d")), &[8, 8, 8, 4]), plain);
}

#[test]
fn what_stands_as_deep_as_the_statement_goes_behind_it() {
    let orelse = vec![placed(2, "b"), placed(3, "c")];
    let statement = try_(vec![placed(0, "a")], vec![returned(1)], orelse);
    let block = vec![placed(5, "e"), statement, placed(4, "d")];
    let expected = ["e", "try:", "    a", "except:", "    return", "else:", "    b", "c", "d"];
    assert_eq!(indented(block, &[8, 8, 8, 4, 4, 4]), expected);
}

#[test]
fn what_has_no_column_stands_as_deep_as_its_arms_tell() {
    let block = |columns: &[u32]| {
        let inner = try_(vec![placed(2, "b")], vec![placed(3, "c")], Vec::new());
        let block = [placed(4, "e"), try_(vec![placed(0, "a")], vec![returned(1)], vec![inner])];
        indented(block.to_vec(), columns)
    };
    let behind = ["e", "try:", "    a", "except:", "    return", "try:", "    b", "except:", "    c"];
    assert_eq!(block(&[8, 8, 8, 8, 4]), behind);
    assert_eq!(block(&[8, 8, 12, 12, 4])[5..7], ["else:", "    try:"]);
}

#[test]
fn the_body_of_a_negated_test_tells_how_deep_it_stands() {
    let block = |columns: &[u32], lines: &[u32]| {
        let operand = Box::new(Expr::new(Origin(2), ExprKind::Name("q".into())));
        let test = Expr::new(Origin::NONE, ExprKind::Unary { op: UnaryOp::Not, operand });
        let inner = if_(test, vec![placed(3, "b")], Vec::new());
        let block = vec![try_(vec![placed(0, "a")], vec![returned(1)], Vec::new()), inner];
        indented_on(block, columns, lines)[4..].to_vec()
    };
    let lines = [0, 1, 2, 3];
    assert_eq!(block(&[8, 8, 15, 12], &lines), ["else:", "    if not q:", "        b"]);
    assert_eq!(block(&[8, 8, 11, 8], &lines), ["if not q:", "    b"]);
    // On the line of its test a body stands behind that.
    assert_eq!(block(&[8, 8, 11, 14], &[0, 1, 2, 2]), ["if not q:", "    b"]);
}

#[test]
fn what_begins_in_front_of_a_body_goes_behind_where_no_other_column_is_known() {
    let block = |columns: &[u32]| {
        let unknown = Stmt::new(Origin::NONE, StmtKind::Pass);
        let orelse = vec![placed(2, "b"), placed(3, "c"), unknown, placed(4, "d")];
        indented(vec![try_(vec![placed(0, "a")], vec![returned(1)], orelse)], columns)
    };
    assert_eq!(block(&[8, 8, 8, 4, 4])[5..], ["    b", "c", "pass", "d"]);
    // In front of what stands in the body nothing is behind it.
    assert_eq!(block(&[8, 8, 8, 4, 8])[5..], ["    b", "    c", "    pass", "    d"]);
}

#[test]
fn the_jump_behind_an_operand_may_have_the_place_of_the_statement() {
    let block = |columns: &[u32]| {
        let operands = vec![Expr::new(Origin(2), ExprKind::Name("p".into())), name("q")];
        let test = Expr::new(Origin(3), ExprKind::Bool { op: BoolOp::Or, values: operands });
        let inner = if_(test, vec![returned(1)], Vec::new());
        let block = vec![placed(4, "e"), try_(vec![placed(0, "a")], vec![returned(1)], vec![inner])];
        // All of the test is on one line.
        indented_on(block, columns, &[0, 1, 2, 2, 3])
    };
    assert_eq!(block(&[8, 8, 7, 4, 4])[5], "if p or q:");
    assert_eq!(block(&[8, 8, 7, 7, 4])[5], "if p or q:");
    assert_eq!(block(&[8, 8, 11, 8, 4])[5..7], ["else:", "    if p or q:"]);
}

#[test]
fn an_elif_is_no_statement_of_its_own() {
    let test = |origin, text: &str| Expr::new(Origin(origin), ExprKind::Name(text.into()));
    let chain = |tests: [u32; 2]| {
        let inner = if_(test(2, "q"), vec![placed(3, "b"), returned(4)], Vec::new());
        let outer = if_(test(0, "p"), vec![returned(1)], vec![inner]);
        let columns = [4 + tests[0], 8, 4 + tests[1], 8, 8, 8, 4];
        indented(vec![outer, placed(5, "c"), placed(6, "d")], &columns)
    };
    let elif = ["if p:", "    return", "elif q:", "    b", "    return", "else:", "    c", "d"];
    assert_eq!(chain([3, 5]), elif);
    let apart = ["if p:", "    return", "if q:", "    b", "    return", "else:", "    c", "d"];
    assert_eq!(chain([3, 3]), apart);
}

#[test]
fn a_loop_without_break_may_have_an_else() {
    let block = |last| vec![for_(name("x"), name("y"), vec![placed(0, "a"), last]), placed(1, "b")];
    assert_eq!(indented(block(placed(0, "a")), &[8, 8]), ["for x in y:", "    a", "    a", "else:", "    b"]);
    assert_eq!(indented(block(stmt(StmtKind::Break)), &[8, 8])[2..], ["    break", "b"]);
}

#[test]
fn an_elif_stands_in_the_else_of_what_is_before() {
    // `if a: return`, then two tests, of which one or both begin behind `elif`.
    let block = |columns: &[u32]| {
        let test = |origin, text: &str| Expr::new(Origin(origin), ExprKind::Name(text.into()));
        let arms = |origin, text| if_(test(origin, text), vec![returned(origin + 1)], Vec::new());
        indented(vec![arms(0, "a"), arms(2, "b"), arms(4, "c"), placed(6, "d")], columns)
    };
    let chain = ["if a:", "    return", "elif b:", "    return", "elif c:", "    return", "d"];
    assert_eq!(block(&[7, 8, 9, 8, 9, 8, 4]), chain);
    let statements = ["if a:", "    return", "if b:", "    return", "if c:", "    return", "d"];
    assert_eq!(block(&[7, 8, 7, 8, 7, 8, 4]), statements);
    // One that does not tell stands as the others do.
    assert_eq!(block(&[7, 8, 30, 8, 9, 8, 4]), chain);
}

#[test]
fn a_return_stands_in_the_handler_or_behind() {
    let handled = |handler: Block, rest: Block| {
        let mut block = vec![placed(3, "c"), try_(vec![returned(0)], handler, Vec::new())];
        block.extend(rest);
        block
    };
    let inside = ["c", "try:", "    return", "except:", "    a", "    return"];
    let behind = ["c", "try:", "    return", "except:", "    a", "return"];
    let apart = || handled(vec![placed(1, "a")], vec![returned(2)]);
    let joined = || handled(vec![placed(1, "a"), returned(2)], Vec::new());
    assert_eq!(indented(apart(), &[8, 8, 8, 4]), inside);
    assert_eq!(indented(apart(), &[8, 8, 4, 4]), behind);
    assert_eq!(indented(joined(), &[8, 8, 4, 4]), behind);
    assert_eq!(indented(joined(), &[8, 8, 8, 4]), inside);
    // Anything else runs while the exception is handled, or does not.
    let other = handled(vec![placed(1, "a"), placed(2, "b")], Vec::new());
    assert_eq!(indented(other.clone(), &[8, 8, 4, 4]), text(&other));
}

#[test]
fn what_returns_behind_the_handlers_stands_in_the_else() {
    let block = |lines: &[u32]| {
        let body = vec![placed(0, "a"), returned(2)];
        indented_on(vec![try_(body, vec![placed(1, "b")], Vec::new())], &[8, 8, 8], lines)
    };
    assert_eq!(block(&[1, 3, 5]), ["try:", "    a", "except:", "    b", "else:", "    return"]);
    assert_eq!(block(&[1, 3, 2]), ["try:", "    a", "    return", "except:", "    b"]);
}

#[test]
fn what_stands_deeper_than_a_statement_stands_in_it() {
    // What the body of the first test does has no place: a jump that leads on at once.
    let block = |columns: &[u32]| {
        let test = |origin: u32, text: &str| Expr::new(Origin(origin), ExprKind::Name(text.into()));
        let jump = || Stmt::new(Origin::NONE, StmtKind::Break);
        let first = if_(test(0, "b"), vec![jump()], Vec::new());
        let second = if_(test(1, "c"), vec![jump()], Vec::new());
        let body = vec![placed(3, "a"), first, second, placed(2, "d")];
        indented(vec![for_(name("x"), name("y"), body)], columns)
    };
    let chain = ["    elif c:", "        break", "    else:", "        d"];
    assert_eq!(block(&[11, 13, 12, 8])[4..], chain);
    assert_eq!(block(&[11, 13, 8, 8])[4..], ["    elif c:", "        break", "    d"]);
    assert_eq!(block(&[11, 11, 8, 8])[4..], ["    if c:", "        break", "    d"]);
}

#[test]
fn an_elif_may_negate() {
    let negation = Expr::new(
        Origin::NONE,
        ExprKind::Unary {
            op: UnaryOp::Not,
            operand: Box::new(Expr::new(Origin(4), ExprKind::Name("d".into()))),
        },
    );
    let test = |origin: u32, text: &str| Expr::new(Origin(origin), ExprKind::Name(text.into()));
    let arms = || {
        vec![
            if_(test(2, "b"), vec![placed(3, "c"), stmt(StmtKind::Return(None))], Vec::new()),
            if_(negation.clone(), vec![placed(5, "e")], Vec::new()),
        ]
    };
    let block = |columns: &[u32]| {
        indented(vec![placed(6, "f"), if_(test(0, "a"), vec![placed(1, "x")], arms())], columns)
    };
    let as_elif = ["f", "if a:", "    x", "elif b:", "    c", "    return", "elif not d:", "    e"];
    assert_eq!(block(&[7, 8, 9, 8, 13, 8, 4]), as_elif);
    let inside = block(&[7, 8, 11, 12, 15, 12, 4]);
    assert_eq!(inside[3], "else:");
}

#[test]
fn what_stands_as_deep_as_the_cases_is_a_default() {
    let case = |pattern: Pattern, body: Block| MatchCase { pattern, guard: None, body };
    let block = |leaving: Block| {
        let value = Pattern::Value(name("x"));
        let subject = Expr::new(Origin(0), ExprKind::Name("s".into()));
        vec![
            stmt(StmtKind::Match { subject, cases: vec![case(value, leaving)] }),
            placed(3, "b"),
            placed(4, "c"),
        ]
    };
    let expected =
        ["match s:", "    case x:", "        a", "        return", "    case _:", "        b", "c"];
    let leaving = || vec![placed(1, "a"), returned(2)];
    assert_eq!(indented(block(leaving()), &[10, 12, 12, 12, 4]), expected);
    // As deep as the statement it stands behind it, and so does what others lead to.
    assert_eq!(indented(block(leaving()), &[10, 12, 12, 4, 4]), text(&block(leaving())));
    let plain = || vec![placed(1, "a")];
    assert_eq!(indented(block(plain()), &[10, 12, 12, 12, 4]), text(&block(plain())));
}

#[test]
fn what_ends_a_case_stands_behind_the_match() {
    let case = |pattern: Pattern, body: Block| MatchCase { pattern, guard: None, body };
    let block = |end: Block, last: Block| {
        let subject = Expr::new(Origin(0), ExprKind::Name("s".into()));
        let mut first = vec![placed(1, "a")];
        first.extend(end);
        let cases = vec![case(Pattern::Value(name("x")), first), case(Pattern::WILDCARD, last)];
        vec![placed(4, "f"), stmt(StmtKind::Match { subject, cases })]
    };
    let columns = [10, 12, 12, 4, 4];
    let expected = ["f", "match s:", "    case x:", "        a", "    case _:", "        return", "b"];
    assert_eq!(indented(block(vec![placed(3, "b")], vec![returned(2)]), &columns), expected);
    // So does what leaves where all cases do.
    let all_leave = indented(block(vec![returned(3)], vec![returned(2)]), &columns);
    assert_eq!(all_leave[4..], ["    case _:", "        return", "return"]);
    // Where another case goes on, it would run behind that, too.
    let plain = || block(vec![placed(3, "b")], vec![placed(2, "c")]);
    assert_eq!(indented(plain(), &columns), text(&plain()));
}

#[test]
fn what_ends_a_body_stands_behind_an_if_whose_arms_leave() {
    let jump = |origin: u32| Stmt::new(Origin(origin), StmtKind::Break);
    let block = || {
        let body = vec![placed(1, "a"), jump(3)];
        vec![placed(4, "f"), if_(Expr::new(Origin(0), ExprKind::Name("x".into())), body, vec![returned(2)])]
    };
    let expected = ["f", "if x:", "    a", "else:", "    return", "break"];
    assert_eq!(indented(block(), &[7, 8, 8, 4, 4]), expected);
    assert_eq!(indented(block(), &[7, 8, 8, 8, 4]), text(&block()));
}

/// What `stand_behind_cases` makes of `case x` that does `a` and `b`, and `case _`, behind the head on the first line.
fn behind_cases(lines: &[u32]) -> Vec<String> {
    let at = |origin, name: &str| {
        Stmt::new(Origin(origin), StmtKind::Expr(Expr::new(Origin(origin), ExprKind::Name(name.into()))))
    };
    let case = |pattern: Pattern, body: Block| MatchCase { pattern, guard: None, body };
    let value = Pattern::Value(Expr::name("x"));
    let cases = vec![case(value, vec![at(1, "a"), at(2, "b")]), case(Pattern::WILDCARD, vec![returned(3)])];
    let mut block = vec![Stmt::new(Origin(0), StmtKind::Match { subject: Expr::name("m"), cases })];
    let mut function = decode(&CodeObject::empty(PyVersion(12))).expect("an empty function");
    function.instructions = placed_at(&vec![0; lines.len()], lines);
    stand_behind_cases(&mut block, &function);
    text(&block)
}

#[test]
fn what_stands_below_all_cases_stands_behind_them() {
    let expected = ["match m:", "    case x:", "        a", "    case _:", "        return", "b"];
    assert_eq!(behind_cases(&[1, 2, 5, 4]), expected);
    let stays = ["match m:", "    case x:", "        a", "        b", "    case _:", "        return"];
    assert_eq!(behind_cases(&[1, 2, 3, 5]), stays);
    // A line in front of the head is that of a statement around it.
    assert_eq!(behind_cases(&[2, 3, 4, 1]), stays);
}
