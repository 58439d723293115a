//! Lines of a line table: what stands where, and what happens to lines that make no sense.

use depyf_syntax::ast::*;
use depyf_syntax::{Grammar, MapSink, Place, Places, PrintOptions, TextSink, print_original};
use depyf_value::PyVersion;

/// Each origin is the line itself.
struct Lines;

impl Places for Lines {
    fn place(&self, origin: Origin) -> Option<Place> {
        (origin != Origin::NONE).then_some(Place { line: origin.0, end_line: None })
    }
}

fn name(line: u32, text: &str) -> Expr {
    Expr::new(Origin(line), ExprKind::Name(text.into()))
}

fn assign(line: u32, value: Expr) -> Stmt {
    Stmt::new(Origin(line), StmtKind::Assign { targets: vec![name(line, "x")], value })
}

fn unknown(kind: StmtKind) -> Stmt {
    Stmt::new(Origin::NONE, kind)
}

fn add(left: Expr, right: Expr) -> Expr {
    let (left, right) = (Box::new(left), Box::new(right));
    Expr::new(left.origin, ExprKind::Binary { op: BinaryOp::Add, left, right })
}

fn call(line: u32, args: Vec<Expr>) -> Expr {
    let func = Box::new(name(line, "f"));
    Expr::new(Origin(line), ExprKind::Call { func, args, keywords: Vec::new() })
}

fn printed(block: &[Stmt], version: u8) -> String {
    let options = PrintOptions { grammar: Grammar::of(PyVersion(version)), ..PrintOptions::default() };
    let mut sink = TextSink::default();
    print_original(block, &options, &Lines, &mut sink);
    sink.text
}

#[test]
fn statements_stand_on_their_lines() {
    let block = [assign(2, name(2, "a")), assign(2, name(2, "b")), assign(4, name(4, "c"))];
    assert_eq!(printed(&block, 12), "\nx = a; x = b\n\nx = c\n");
}

#[test]
fn expressions_break_in_brackets_or_in_parentheses_of_their_own() {
    let block =
        [assign(1, call(1, vec![name(1, "a"), name(3, "b")])), assign(4, add(name(4, "a"), name(5, "b")))];
    assert_eq!(printed(&block, 12), "x = f(a,\n\n    b)\nx = (a +\n    b)\n");
    let with = StmtKind::With {
        items: vec![
            WithItem { context: name(1, "a"), target: None },
            WithItem { context: name(3, "b"), target: None },
        ],
        body: vec![assign(4, name(4, "c"))],
        is_async: false,
    };
    // No parentheses may stand there before 3.10.
    assert_eq!(printed(&[unknown(with)], 8), "with a, \\\n \\\n    b:\n    x = c\n");
}

#[test]
fn a_block_stands_behind_its_colon_where_it_did() {
    let test = |line, body, orelse| unknown(StmtKind::If { test: name(line, "t"), body, orelse });
    let block = [
        test(1, vec![assign(1, name(1, "a")), unknown(StmtKind::Break)], vec![assign(2, name(2, "b"))]),
        test(3, vec![unknown(StmtKind::Pass)], vec![assign(6, name(6, "c"))]),
    ];
    let expected = "if t: x = a; break\nelse: x = b\nif t:\n    pass\nelse:\n    x = c\n";
    assert_eq!(printed(&block, 12), expected);
}

#[test]
fn what_comes_late_keeps_its_distances_and_catches_up() {
    let comment = unknown(StmtKind::Comment("one\ntwo".to_owned()));
    let late = assign(1, add(name(1, "a"), name(2, "b")));
    let block = [comment, late, assign(3, name(3, "c")), assign(9, name(9, "d"))];
    assert_eq!(printed(&block, 12), "# one\n# two\nx = (a +\n    b)\nx = c\n\n\n\nx = d\n");
}

#[test]
fn no_f_string_breaks_and_no_line_is_believed_that_is_absurd() {
    let field = StringPart::Field { value: Box::new(name(5, "b")), conversion: None, spec: None, text: None };
    let string = Expr::new(Origin(1), ExprKind::Joined(vec![field]));
    let absurd = assign(3, call(3, vec![name(1, "a"), name(u32::MAX - 1, "b")]));
    let text = printed(&[assign(1, string), absurd], 12);
    assert_eq!(text, "x = f'{b}'\n\nx = f(a, b)\n");
}

#[test]
fn the_map_says_where_it_went() {
    let options = PrintOptions::default();
    let mut sink = MapSink::with_room();
    let block = [assign(2, add(name(2, "a"), name(3, "b"))), assign(3, name(3, "c"))];
    print_original(&block, &options, &Lines, &mut sink);
    let (text, map, _) = sink.finish();
    assert_eq!(text, "\nx = (a +\n    b); x = c\n");
    let places: Vec<(u32, u32, u32)> = map.iter().map(|at| (at.offset, at.line, at.column)).collect();
    assert_eq!(places, [(2, 2, 0), (3, 3, 4)]);
}
