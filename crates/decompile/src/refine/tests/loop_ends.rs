//! What stands in an endless loop, by its column.

use super::indentation::placed;
use super::*;

/// What `stand_in_loops` makes of `while True: if a: break` with statements behind it. The loop, `a`, and the origins 2 and 3 begin
/// at these columns.
fn in_loop(columns: [u32; 4], behind: Block) -> Vec<String> {
    let code = CodeObject::empty(PyVersion(13));
    let mut function = decode(&code).expect("an empty function");
    let [head, test, first, second] = columns;
    let places = [(1, head + 6, 4), (2, test + 3, 1), (3, first, 1), (4, second, 1)];
    let instruction = |(offset, (line, column, width)): (u32, (u32, u32, u8))| Instruction {
        op: Op::Nop,
        offset,
        line: Some(line),
        column: Some(column),
        width,
    };
    function.instructions = (0..).zip(places).map(instruction).collect();
    let test = Expr::new(Origin(1), ExprKind::Name("a".into()));
    let body = vec![if_(test, vec![stmt(StmtKind::Break)], Vec::new())];
    let endless = expr(ExprKind::Literal(Literal::Bool(true)));
    let mut block = vec![Stmt::new(Origin(0), StmtKind::While { test: endless, body, orelse: Vec::new() })];
    block.extend(behind);
    after(|block| stand_in_loops(block, &function), block)
}

#[test]
fn what_is_deeper_than_a_loop_stands_in_front_of_its_break() {
    let text = |columns| in_loop(columns, vec![placed(2, "b"), placed(3, "c")]);
    let behind = ["while True:", "    if a:", "        break", "b", "c"];
    assert_eq!(text([4, 8, 4, 4]), behind);
    assert_eq!(text([4, 8, 12, 4]), ["while True:", "    if a:", "        b", "        break", "c"]);
    assert_eq!(text([4, 8, 12, 12]), ["while True:", "    if a:", "        b", "        c", "        break"]);
    // As deep as the test is not behind it, and what is behind a statement that is not in the loop is not in it.
    assert_eq!(text([4, 8, 8, 4]), behind);
    assert_eq!(text([4, 8, 4, 12]), behind);
}

#[test]
fn what_leaves_stands_in_the_place_of_the_break() {
    let value = Expr::new(Origin(2), ExprKind::Name("d".into()));
    let returned =
        |columns| in_loop(columns, vec![Stmt::new(Origin(2), StmtKind::Return(Some(value.clone())))]);
    // Its value is behind its word.
    assert_eq!(returned([4, 8, 19, 0]), ["while True:", "    if a:", "        return d"]);
    assert_eq!(returned([4, 8, 11, 0]), ["while True:", "    if a:", "        break", "return d"]);
}

#[test]
fn a_word_of_the_loop_around_stays_there() {
    let behind = ["while True:", "    if a:", "        break", "continue"];
    let word = vec![Stmt::new(Origin(2), StmtKind::Continue)];
    assert_eq!(in_loop([4, 8, 12, 0], word), behind);
}
