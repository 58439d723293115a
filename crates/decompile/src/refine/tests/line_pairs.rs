//! Which locals stand on one line with the one in front of them.

use depyf_syntax::ast::Pairing;

use super::*;

/// A function of `LOAD_FAST`, at these offsets and lines, the first one of local 0.
fn loads(places: &[(u32, u32)]) -> Function {
    let mut function = decode(&CodeObject::empty(PyVersion(13))).expect("an empty function");
    let load = |(local, &(offset, line)): (usize, &(u32, u32))| Instruction {
        op: Op::LoadLocal(local as u32),
        offset,
        line: Some(line),
        column: None,
        width: 0,
    };
    function.instructions = places.iter().enumerate().map(load).collect();
    function
}

/// What `pair_lines` finds of the items in `[...]`, which are loaded at these offsets and lines; and whether any line breaks.
fn paired(places: &[(u32, u32)], kind: Contents) -> (Vec<Pairing>, bool) {
    let items = places.iter().map(|&(offset, _)| Expr::new(Origin(offset), ExprKind::Name("a".into())));
    let mut block =
        vec![Stmt::new(Origin(90), StmtKind::Expr(Expr::new(Origin(80), ExprKind::List(items.collect()))))];
    let breaks = pair_lines(&mut block, &loads(places), kind, false);
    let StmtKind::Expr(Expr { kind: ExprKind::List(items), .. }) = &block[0].kind else { panic!("no list") };
    (items.iter().map(|item| item.pairing).collect(), breaks)
}

#[test]
fn locals_on_two_lines_stand_apart_and_those_of_one_instruction_together() {
    use Pairing::{Apart, First, Joined, None};
    let anything = Contents::ANYTHING;
    assert_eq!(paired(&[(2, 1), (4, 2)], anything), (vec![First, Apart], true));
    assert_eq!(
        paired(&[(2, 1), (2, 1), (4, 2), (4, 2)], anything),
        (vec![First, Joined, Apart, Joined], true)
    );
    // Two instructions on one line, which something else kept apart.
    assert_eq!(paired(&[(2, 1), (4, 1)], anything), (vec![None, None], false));
    // Where no line breaks nobody asks, unless one of a nested function does.
    assert_eq!(paired(&[(2, 1), (2, 1)], anything), (vec![None, None], false));
    assert_eq!(paired(&[(2, 1), (2, 1)], Contents::NESTED_CODE), (vec![First, Joined], false));
}

#[test]
fn locals_beyond_the_sixteenth_are_never_one_instruction() {
    let places: Vec<(u32, u32)> = (0..18).map(|at| (2 * at, at)).collect();
    let (found, _) = paired(&places, Contents::ANYTHING);
    let expected =
        |at| [Pairing::First, Pairing::Apart, Pairing::None][usize::from(at > 0) + usize::from(at > 15)];
    assert_eq!(found, (0..18).map(expected).collect::<Vec<_>>());
}

#[test]
fn the_element_of_a_comprehension_comes_first_in_the_text() {
    // `[x for x in y]`, of a store to x on line 2 and a load on line 1.
    let name = |offset, text: &str| Expr::new(Origin(offset), ExprKind::Name(text.into()));
    let clause = Clause { target: name(4, "x"), iter: name(2, "y"), conditions: Vec::new(), is_async: false };
    let kind = ExprKind::Comprehension {
        kind: ComprehensionKind::List,
        element: Box::new(name(6, "x")),
        clauses: vec![clause],
    };
    let mut block = vec![Stmt::new(Origin(90), StmtKind::Expr(Expr::new(Origin(80), kind)))];
    let mut function = loads(&[(2, 3), (4, 2), (6, 1)]);
    function.instructions[1].op = Op::StoreLocal(1);
    assert!(pair_lines(&mut block, &function, Contents::ANYTHING, false));
    let StmtKind::Expr(Expr { kind: ExprKind::Comprehension { element, clauses, .. }, .. }) = &block[0].kind
    else {
        panic!("no comprehension");
    };
    assert_eq!((element.pairing, clauses[0].target.pairing), (Pairing::First, Pairing::Apart));
}
