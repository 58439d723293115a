//! Lines of a line table: what stands where, and what happens to lines that make no sense.

use depyf_syntax::ast::*;
use depyf_syntax::{Grammar, MapSink, Place, Places, PrintOptions, TextSink, print_original};
use depyf_value::PyVersion;

/// The lower half of each origin is the line; the upper half tells instructions of one line apart.
struct Lines;

impl Places for Lines {
    fn place(&self, origin: Origin) -> Option<Place> {
        let line = if origin.0 < 1 << 24 { origin.0 & 0xFFFF } else { origin.0 };
        (origin != Origin::NONE).then_some(Place { line, end_line: None })
    }
}

fn name(line: u32, text: &str) -> Expr {
    let name = u32::from(text.as_bytes()[0]) << 16;
    let origin = if line <= 0xFFFF { line | name } else { line };
    Expr::new(Origin(origin), ExprKind::Name(text.into()))
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
    Expr::new(Origin(line), ExprKind::call(name(line, "f"), args, Vec::new()))
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
fn no_format_breaks_and_no_line_is_believed_that_is_absurd() {
    let field = |line, spec| StringPart::Field {
        value: Box::new(name(line, "b")),
        conversion: None,
        spec,
        text: None,
    };
    let string = Expr::new(Origin(1), ExprKind::Joined(vec![field(1, Some(vec![field(5, None)]))]));
    let absurd = assign(3, call(3, vec![name(1, "a"), name(u32::MAX - 1, "b")]));
    let text = printed(&[assign(1, string), absurd], 12);
    assert_eq!(text, "x = f'{b:{b}}'\n\nx = f(a, b)\n");
}

#[test]
fn the_map_says_where_it_went() {
    let options = PrintOptions::default();
    let mut sink = MapSink::default();
    let block = [assign(2, add(name(2, "a"), name(3, "b"))), assign(3, name(3, "c"))];
    print_original(&block, &options, &Lines, &mut sink);
    let (text, map, _) = sink.finish();
    assert_eq!(text, "\nx = (a +\n    b); x = c\n");
    let name_of = |offset: u32| char::from_u32(offset >> 16).filter(|char| char.is_alphabetic());
    let names = map.iter().filter_map(|at| Some((name_of(at.offset)?, at.line, at.column)));
    let names: Vec<(char, u32, u32)> = names.collect();
    assert_eq!(names, [('a', 2, 5), ('b', 3, 4), ('c', 3, 12), ('x', 2, 0), ('x', 3, 8)]);
}

#[test]
fn an_f_string_is_parted_before_a_field_that_stands_on_another_line() {
    let field = |line, text: &str| StringPart::Field {
        value: Box::new(name(line, text)),
        conversion: None,
        spec: None,
        text: None,
    };
    let text = |text: &str| StringPart::Literal(text.into());
    let string = |parts| Expr::new(Origin(1), ExprKind::Joined(parts));
    let block = [
        assign(1, string(vec![text("it's "), field(2, "b"), text(" and "), field(2, "c"), field(3, "d")])),
        assign(4, call(4, vec![string(vec![field(5, "b")])])),
    ];
    let expected = "x = (f\"it's \"\n    f\"{b} and {c}\"\n    f\"{d}\")\nx = f(f''\n    f'{b}')\n";
    assert_eq!(printed(&block, 8), expected);
}

#[test]
fn one_line_far_off_moves_nothing() {
    let block = [
        assign(1, name(1, "a")),
        assign(40, name(40, "b")),
        assign(3, name(3, "c")),
        assign(4, name(4, "d")),
    ];
    assert_eq!(printed(&block, 12), "x = a\nx = b\nx = c\nx = d\n");
}

#[test]
fn what_has_no_line_shares_one_where_there_is_none_left() {
    let global = unknown(StmtKind::Global(vec!["g".into()]));
    let function = Function {
        name: "f".into(),
        type_params: Vec::new(),
        params: Params::default(),
        returns: None,
        body: vec![global.clone(), assign(2, name(2, "a")), global, assign(4, name(4, "b"))],
        decorators: Vec::new(),
        is_async: false,
    };
    let block = [Stmt::new(Origin(1), StmtKind::Function(Box::new(function)))];
    let expected = "def f():\n    global g; x = a\n    global g\n    x = b\n";
    assert_eq!(printed(&block, 12), expected);
}

#[test]
fn keys_that_one_instruction_loads_do_not_hold_their_values_back() {
    let key = |text: &str| Expr::new(Origin(1), ExprKind::Literal(Literal::Str(text.into())));
    let pairs = vec![(Some(key("a")), name(2, "b")), (Some(key("c")), name(3, "d"))];
    let dict = Expr::new(Origin(1), ExprKind::Dict(pairs));
    assert_eq!(printed(&[assign(1, dict)], 12), "x = {\n    'a': b,\n    'c': d}\n");
}

#[test]
fn heads_that_hold_heads_leave_them_lines() {
    let endless = StmtKind::While {
        test: Expr::new(Origin::NONE, ExprKind::Literal(Literal::Bool(true))),
        body: vec![assign(4, name(4, "a"))],
        orelse: Vec::new(),
    };
    let parts = Try {
        // The loop begins with its body, and the region with an instruction of the loop.
        body: vec![Stmt::new(Origin(4), endless)],
        handlers: vec![Handler {
            origin: Origin(5),
            kind: None,
            name: None,
            body: vec![assign(6, name(6, "b"))],
        }],
        orelse: Vec::new(),
        finalbody: Vec::new(),
        is_star: false,
    };
    let block = [assign(1, name(1, "c")), Stmt::new(Origin(3), StmtKind::Try(Box::new(parts)))];
    let expected = "x = c\ntry:\n    while True:\n        x = a\nexcept:\n    x = b\n";
    assert_eq!(printed(&block, 12), expected);
}

#[test]
fn the_line_of_a_statement_alone_gives_way_to_those_of_tokens() {
    // A `return` inside of `with` ends where the table has the `with`.
    let returned = Stmt::new(Origin(1), StmtKind::Return(None));
    let block = [assign(1, name(1, "a")), assign(2, name(2, "b")), returned];
    assert_eq!(printed(&block, 12), "x = a\nx = b\nreturn\n");
}
