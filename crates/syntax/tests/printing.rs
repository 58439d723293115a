//! What the printer promises beside meaning: layout, depth, and what is no Python.

mod support;

use depyf_syntax::ast::*;
use depyf_syntax::{
    ColorSink, Grammar, LineBreaks, Parted, PrintOptions, SourceMapEntry, TextSink, print, print_expr,
    print_parted, print_to,
};
use depyf_value::{PyStr, PyVersion};
use support::on_deep_stack;

fn name(name: &str) -> Expr {
    Expr::name(name)
}

fn kind(kind: ExprKind) -> Expr {
    Expr::new(Origin::NONE, kind)
}

fn string(text: &str) -> Expr {
    kind(ExprKind::Literal(Literal::Str(PyStr::new(text))))
}

fn call(func: Expr, args: Vec<Expr>) -> Expr {
    kind(ExprKind::call(func, args, Vec::new()))
}

fn add(left: Expr, right: Expr) -> Expr {
    kind(ExprKind::Binary { op: BinaryOp::Add, left: Box::new(left), right: Box::new(right) })
}

fn stmt(kind: StmtKind) -> Stmt {
    Stmt::new(Origin::NONE, kind)
}

fn assign(target: &str, value: Expr) -> Stmt {
    stmt(StmtKind::Assign { targets: vec![name(target)], value })
}

fn function(body: Block) -> Stmt {
    stmt(StmtKind::Function(Box::new(Function {
        name: "f".into(),
        decorators: Vec::new(),
        type_params: Vec::new(),
        params: Params::default(),
        returns: None,
        body,
        is_async: false,
    })))
}

fn at_width(width: usize, block: &[Stmt]) -> String {
    print(block, &PrintOptions { width: Some(width), ..PrintOptions::default() }).text
}

fn flat(block: &[Stmt]) -> String {
    print(block, &PrintOptions { width: None, ..PrintOptions::default() }).text
}

#[test]
fn calls_break_behind_their_bracket_then_item_by_item() {
    let block = [assign("x", call(name("f"), ["aaaa", "bbbb", "cccc"].map(name).to_vec()))];
    assert_eq!(at_width(23, &block), "x = f(aaaa, bbbb, cccc)\n");
    assert_eq!(at_width(22, &block), "x = f(\n    aaaa, bbbb, cccc\n)\n");
    assert_eq!(at_width(19, &block), "x = f(\n    aaaa,\n    bbbb,\n    cccc,\n)\n");
    assert_eq!(flat(&block), "x = f(aaaa, bbbb, cccc)\n");
}

#[test]
fn to_3_9_a_line_of_much_code_is_broken() {
    let item = |at: u32| Expr::new(Origin(2 * at), ExprKind::Name("x".into()));
    let block = vec![assign("a", kind(ExprKind::List((0..70).map(item).collect())))];
    let text = |minor: u8| {
        let grammar = Grammar::of(PyVersion(minor));
        print(&block, &PrintOptions { grammar, width: None, ..PrintOptions::default() }).text
    };
    let old = text(9);
    assert_eq!(old.lines().count(), 72);
    assert!(old.lines().all(|line| !line.is_empty()), "{old}");
    assert_eq!(text(10).lines().count(), 1);
}

#[test]
fn operators_break_inside_parentheses_that_appear() {
    let sum = add(add(name("aaaa"), name("bbbb")), name("cccc"));
    let block = [assign("x", sum)];
    assert_eq!(at_width(22, &block), "x = aaaa + bbbb + cccc\n");
    assert_eq!(at_width(21, &block), "x = (\n    aaaa\n    + bbbb\n    + cccc\n)\n");
}

#[test]
fn only_the_outermost_groups_that_do_not_fit_break() {
    let inner = call(name("g"), ["a", "b"].map(name).to_vec());
    let block = [stmt(StmtKind::Return(Some(call(name("f"), vec![inner, name("cccccccc")]))))];
    assert_eq!(at_width(20, &block), "return f(\n    g(a, b),\n    cccccccc,\n)\n");
}

/// Printed where names say how they go with the one in front of them.
fn paired(block: &[Stmt]) -> String {
    let mut sink = TextSink::default();
    let breaks = LineBreaks { pairs: true, ..LineBreaks::default() };
    print_parted(block, &PrintOptions { width: None, ..PrintOptions::default() }, &breaks, &mut sink);
    sink.text
}

fn pair(pairing: Pairing, text: &str) -> Expr {
    Expr { pairing, ..name(text) }
}

#[test]
fn a_line_breaks_between_names_that_stand_apart_only() {
    use Pairing::{Apart, First, Joined};
    let call_of = |args| [assign("x", call(name("f"), args))];
    let apart = call_of(vec![pair(First, "a"), pair(Apart, "b"), name("c")]);
    assert_eq!(paired(&apart), "x = f(\n    a,\n    b,\n    c,\n)\n");
    let joined = call_of(vec![pair(First, "a"), pair(Joined, "b"), pair(Apart, "c"), pair(Joined, "d")]);
    assert_eq!(paired(&joined), "x = f(\n    a, b,\n    c, d,\n)\n");
    assert_eq!(paired(&call_of(vec![pair(First, "a"), pair(Joined, "b")])), "x = f(a, b)\n");
    // Groups around break as well, and one whose bracket must not end its line hangs.
    let inner = call(name("g"), vec![pair(First, "a"), pair(Apart, "b")]);
    assert_eq!(paired(&call_of(vec![inner])), "x = f(\n    g(\n        a,\n        b,\n    ),\n)\n");
    let hanging = Expr::new(Origin::NONE, ExprKind::List(vec![pair(Joined, "b"), pair(Apart, "c")]));
    assert_eq!(paired(&call_of(vec![pair(First, "a"), hanging])), "x = f(\n    a, [b,\n        c],\n)\n");
    let tuple = Expr::new(Origin::NONE, ExprKind::Tuple(vec![pair(First, "a"), pair(Apart, "b")]));
    assert_eq!(paired(&[stmt(StmtKind::Return(Some(tuple.clone())))]), "return (\n    a,\n    b,\n)\n");
    let unpacked = StmtKind::Assign { targets: vec![tuple], value: name("x") };
    assert_eq!(paired(&[stmt(unpacked)]), "(\n    a,\n    b,\n) = x\n");
}

#[test]
fn columns_count_characters() {
    let block = [assign("\u{e9}\u{e9}", call(name("f"), vec![name("\u{4e2d}"), name("b")]))];
    let text = "\u{e9}\u{e9} = f(\u{4e2d}, b)\n";
    assert_eq!(at_width(text.chars().count() - 1, &block), text);
    let mut value = name("x");
    value.origin = Origin(8);
    let printed = print(&[assign("\u{e9}", value)], &PrintOptions::default());
    assert_eq!(printed.map, [SourceMapEntry { offset: 8, line: 1, column: 4, end_line: 1, end_column: 5 }]);
}

#[test]
fn the_map_has_the_first_expression_of_each_offset_in_order() {
    let located = |offset, text: &str| Expr { origin: Origin(offset), ..name(text) };
    let first = Stmt::new(Origin(20), StmtKind::Expr(call(located(4, "f"), vec![located(20, "x")])));
    let body = vec![first, Stmt::new(Origin(2), StmtKind::Return(Some(located(0, "y"))))];
    let printed = print(&[function(body)], &PrintOptions::default());
    assert_eq!(printed.text, "def f():\n    f(x)\n    return y\n");
    let places: Vec<_> = printed.map.iter().map(|entry| (entry.offset, entry.line, entry.column)).collect();
    assert_eq!(places, [(0, 3, 11), (2, 3, 4), (4, 2, 4), (20, 2, 6)]);
}

#[test]
fn blocks_without_statements_pass() {
    let comment = || stmt(StmtKind::Comment("why\n\nnot".to_owned()));
    let test = || name("x");
    let block = [
        stmt(StmtKind::If { test: test(), body: Vec::new(), orelse: vec![comment()] }),
        stmt(StmtKind::While { test: test(), body: vec![stmt(StmtKind::Goto(3))], orelse: Vec::new() }),
        stmt(StmtKind::Label(3)),
    ];
    let expected = "if x:\n    pass\nelse:\n    # why\n    #\n    # not\n    pass\n\
                    while x:\n    # goto label_3\n    pass\n# label_3:\n";
    assert_eq!(flat(&block), expected);
    assert_eq!(flat(&[]), "");
}

#[test]
fn an_if_alone_in_an_else_is_an_elif() {
    let choice = |orelse| stmt(StmtKind::If { test: name("x"), body: Vec::new(), orelse });
    let block = [choice(vec![choice(vec![stmt(StmtKind::Pass), stmt(StmtKind::Pass)])])];
    assert_eq!(flat(&block), "if x:\n    pass\nelif x:\n    pass\nelse:\n    pass\n    pass\n");
}

#[test]
fn docstrings_are_readable_and_equal_in_value() {
    let mut oracles = support::oracle::all();
    for text in [
        "One line.",
        "Two\n\n    lines.\n    ",
        "ends in \"",
        "\"\"\"",
        "'''\"\"\"\"",
        "\\n\\\n",
        "\r\0\t\u{ad}",
        "",
    ] {
        let printed = flat(&[function(vec![stmt(StmtKind::Expr(string(text)))])]);
        let literal = printed.strip_prefix("def f():\n    ").expect("a function").trim_end_matches('\n');
        assert!(literal.starts_with("\"\"\"") || literal.starts_with("'''"), "{literal}");
        assert!(!literal.contains("\\n") || text.contains("\\n"), "{literal}");
        for oracle in &mut oracles {
            let value = oracle.ask("value", &[literal]).expect("a string");
            assert_eq!(value, format!("s{}", support::oracle::encode(text.as_bytes())), "{literal}");
        }
    }
}

#[test]
fn surrogates_and_names_that_are_none_do_not_fail() {
    let odd = PyStr::from_wtf8(b"a\xed\xa0\x80").expect("surrogatepass");
    assert_eq!(flat(&[stmt(StmtKind::Global(vec![odd]))]), "global a\u{fffd}\n");
    assert_eq!(flat(&[assign("x", kind(ExprKind::Temp(3)))]), "x = __temp_3\n");
}

#[test]
fn frozen_sets_are_displays_behind_in_only() {
    let set = || kind(ExprKind::Literal(Literal::FrozenSet(vec![Literal::None, Literal::Bool(true)])));
    let rest = vec![(CompareOp::NotIn, set())];
    let compare = kind(ExprKind::Compare { left: Box::new(name("x")), rest });
    let options = PrintOptions::default();
    assert_eq!(print_expr(&compare, &options), "x not in {None, True}");
    assert_eq!(print_expr(&set(), &options), "frozenset({None, True})");
}

#[test]
fn constant_slices_are_spelled_with_colons_in_an_index() {
    let slice = Literal::Slice(Box::new([Literal::None, Literal::Bool(true), Literal::None]));
    let subscript = |index| {
        let index = Box::new(kind(ExprKind::Literal(index)));
        kind(ExprKind::Subscript { value: Box::new(name("x")), index })
    };
    let options = PrintOptions::default();
    assert_eq!(print_expr(&subscript(slice.clone()), &options), "x[:True]");
    assert_eq!(print_expr(&subscript(Literal::Tuple(vec![slice.clone()])), &options), "x[:True,]");
    assert_eq!(print_expr(&kind(ExprKind::Literal(slice)), &options), "slice(None, True, None)");
}

#[test]
fn a_star_in_an_index_takes_parentheses_before_3_11() {
    let star = kind(ExprKind::Starred(Box::new(name("a"))));
    let index = Box::new(kind(ExprKind::Tuple(vec![star, name("b")])));
    let subscript = kind(ExprKind::Subscript { value: Box::new(name("x")), index });
    for (minor, expected) in [(10, "x[(*a, b)]"), (11, "x[*a, b]")] {
        let grammar = Grammar::of(PyVersion(minor));
        assert_eq!(print_expr(&subscript, &PrintOptions { grammar, ..PrintOptions::default() }), expected);
    }
}

#[test]
fn all_sinks_see_the_same_text() {
    let value = call(name("f"), vec![string("a"), add(name("bbbbbbbbbb"), name("c")), string("d\u{e9}")]);
    let block = [function(vec![assign("x", value), stmt(StmtKind::Comment("why".to_owned()))])];
    for width in [1, 20, 100] {
        let options = PrintOptions { width: Some(width), ..PrintOptions::default() };
        let (mut plain, mut color) = (TextSink::default(), ColorSink::default());
        print_to(&block, &options, &mut plain);
        print_to(&block, &options, &mut color);
        assert_eq!(plain.text, print(&block, &options).text);
        assert!(color.text.contains("\x1b[35mdef\x1b[0m"));
        let mut uncolored = String::new();
        for (index, piece) in color.text.split('\x1b').enumerate() {
            let visible = if index == 0 { Some(piece) } else { piece.split_once('m').map(|(_, rest)| rest) };
            uncolored.push_str(visible.expect("the end of a colour"));
        }
        assert_eq!(uncolored, plain.text);
    }
}

fn nested(depth: usize, wrap: impl Fn(Expr) -> Expr) -> Expr {
    (0..depth).fold(name("x"), |inner, _| wrap(inner))
}

#[test]
fn deep_trees_need_no_more_stack_than_callers_have() {
    on_deep_stack(|| {
        let depth = 3_000;
        let deep: Vec<Expr> = vec![
            nested(depth, |inner| call(name("f"), vec![inner])),
            nested(depth, |inner| add(inner, name("y"))),
            nested(depth, |inner| add(name("y"), inner)),
            nested(depth, |inner| kind(ExprKind::Unary { op: UnaryOp::Not, operand: Box::new(inner) })),
            nested(depth, |inner| kind(ExprKind::Attribute { value: Box::new(inner), attr: "a".into() })),
            nested(depth, |inner| kind(ExprKind::Tuple(vec![inner]))),
            nested(depth, |inner| kind(ExprKind::Dict(vec![(None, inner)]))),
            nested(depth, |inner| {
                joined(vec![StringPart::Field {
                    value: Box::new(inner),
                    conversion: None,
                    spec: None,
                    text: None,
                }])
            }),
            nested(depth, |inner| kind(ExprKind::Lambda { params: Box::default(), body: Box::new(inner) })),
        ];
        for (index, expr) in deep.into_iter().enumerate() {
            let text = at_width(100, &[assign("z", expr)]);
            assert!(text.len() > depth, "tree {index}");
        }
        let blocks = (0..depth).fold(Vec::new(), |body, _| {
            vec![stmt(StmtKind::While { test: name("x"), body, orelse: Vec::new() })]
        });
        assert_eq!(flat(&blocks).lines().count(), depth + 1);
    });
}

fn joined(parts: Vec<StringPart>) -> Expr {
    kind(ExprKind::Joined(parts))
}

#[test]
fn stores_of_one_name_that_were_compiled_stand_on_two_lines() {
    let target = |offsets: [u32; 2]| {
        let stored = offsets.map(|offset| Expr::new(Origin(offset), ExprKind::Name("_".into())));
        kind(ExprKind::Tuple(stored.to_vec()))
    };
    let printed = |offsets: [u32; 2], minor: u8| {
        let assigned = stmt(StmtKind::Assign { targets: vec![target(offsets)], value: name("x") });
        let options = PrintOptions { grammar: Grammar::of(PyVersion(minor)), ..PrintOptions::default() };
        print(&[assigned], &options).text
    };
    assert_eq!(printed([2, 4], 13), "(_,\n    _) = x\n");
    assert_eq!(printed([2, 4], 12), "_, _ = x\n");
    assert_eq!(printed([u32::MAX, 4], 13), "_, _ = x\n");
}

#[test]
fn what_no_field_can_hold_is_formatted_with_percent_where_that_is_the_same() {
    let field =
        |value| StringPart::Field { value: Box::new(value), conversion: Some('s'), spec: None, text: None };
    let expr = joined(vec![field(call(name("f"), vec![string("\\")])), StringPart::Literal(PyStr::new("%"))]);
    let printed = |minor: u8| {
        let options = PrintOptions { grammar: Grammar::of(PyVersion(minor)), ..PrintOptions::default() };
        print_expr(&expr, &options)
    };
    assert_eq!(printed(11), r"('%s%%' % (f('\\'),))");
    assert_eq!(printed(10), r#"f"""{f((chr(92)))!s}%""""#);
    assert_eq!(printed(12), r#"f'{f("\\")!s}%'"#);
}

#[test]
fn a_line_breaks_behind_a_name_without_text() {
    let clause = Clause { target: name("a"), iter: name("b"), conditions: Vec::new(), is_async: true };
    let comprehension = kind(ExprKind::Comprehension {
        kind: ComprehensionKind::List,
        element: Box::new(name("")),
        clauses: vec![clause],
    });
    let options = PrintOptions { width: Some(10), ..PrintOptions::default() };
    let mut sink = ColorSink::default();
    print_to(&[stmt(StmtKind::Expr(comprehension))], &options, &mut sink);
    assert!(sink.text.contains("\n    "), "{}", sink.text);
}

/// Functions of one expression that are two constants, in one statement.
fn print_two_constants(value: Expr) -> String {
    let parted = vec![Parted { parts_nested: true, ..Parted::default() }];
    let breaks = LineBreaks { parted, ..LineBreaks::default() };
    let options =
        PrintOptions { grammar: Grammar::of(PyVersion(10)), width: None, ..PrintOptions::default() };
    let mut sink = TextSink::default();
    print_parted(&[assign("x", value)], &options, &breaks, &mut sink);
    sink.text
}

#[test]
fn defaults_make_no_other_function() {
    let function = |default: &str| {
        let param = Param { name: "a".into(), annotation: None, default: Some(name(default)) };
        let params = Params { regular: vec![param], ..Params::default() };
        kind(ExprKind::Lambda { params: Box::new(params), body: Box::new(name("a")) })
    };
    let text = print_two_constants(kind(ExprKind::List(vec![function("b"), function("c")])));
    assert_eq!(text, "x = [\n    lambda a=b: a,\n    lambda a=c: a,\n]\n");
}

#[test]
fn functions_in_one_string_are_parted() {
    let field = |iter: &str| {
        let clause = Clause { target: name("a"), iter: name(iter), conditions: Vec::new(), is_async: false };
        let comprehension = kind(ExprKind::Comprehension {
            kind: ComprehensionKind::List,
            element: Box::new(name("a")),
            clauses: vec![clause],
        });
        StringPart::Field { value: Box::new(comprehension), conversion: None, spec: None, text: None }
    };
    let joined = |between: &str| {
        let between = StringPart::Literal(PyStr::new(between));
        kind(ExprKind::Joined(vec![field("b"), between, field("c")]))
    };
    let text = print_two_constants(joined(" "));
    assert_eq!(text, "x = f'{[a for a in b]} ' \\\n    f'{[a for a in c]}'\n");
    let text = print_two_constants(call(name("f"), vec![joined(" ")]));
    assert_eq!(text, "x = f(f'{[a for a in b]} '\n    f'{[a for a in c]}')\n");
    // The line break of the text is enough.
    let text = print_two_constants(joined("\n"));
    assert_eq!(text, "x = f\"\"\"{[a for a in b]}\n{[a for a in c]}\"\"\"\n");
}

#[test]
fn strings_of_much_code_are_parted() {
    let field = || StringPart::Field { value: Box::new(name("a")), conversion: None, spec: None, text: None };
    let joined = |between: &str| {
        let parts = (0..40).flat_map(|_| [field(), StringPart::Literal(PyStr::new(between))]);
        kind(ExprKind::Joined(parts.collect()))
    };
    let text = |between: &str, long: &[Vec<PyStr>]| {
        let options =
            PrintOptions { grammar: Grammar::of(PyVersion(9)), width: None, ..PrintOptions::default() };
        let mut sink = TextSink::default();
        let breaks = LineBreaks { long: long.to_vec(), ..LineBreaks::default() };
        print_parted(&[assign("x", joined(between))], &options, &breaks, &mut sink);
        sink.text
    };
    let (part, rest) = ("{a}-".repeat(16), "{a}-".repeat(8));
    assert_eq!(text("-", &[]), format!("x = f'{part}' \\\n    f'{part}' \\\n    f'{rest}'\n"));
    assert_eq!(text("-", &[Vec::new()]).lines().count(), 1);
    // The line breaks of the text are enough.
    assert_eq!(text("\n", &[]), format!("x = f\"\"\"{}\"\"\"\n", "{a}\n".repeat(40)));
}

#[test]
fn lines_of_much_code_are_broken_where_the_compiler_looks_at_them() {
    // A name, an operator, a constant and a jump each.
    let test = || {
        let none = kind(ExprKind::Literal(Literal::None));
        kind(ExprKind::Compare { left: Box::new(name("a")), rest: vec![(CompareOp::Is, none)] })
    };
    let lines = |version: u8, tests: usize| {
        let value = ExprKind::Bool { op: BoolOp::And, values: (0..tests).map(|_| test()).collect() };
        let options =
            PrintOptions { grammar: Grammar::of(PyVersion(version)), width: None, ..Default::default() };
        let mut sink = TextSink::default();
        print_to(&[assign("x", kind(value))], &options, &mut sink);
        sink.text.lines().count()
    };
    assert_eq!(lines(9, 8), 1);
    assert!(lines(9, 25) > 2);
    assert_eq!(lines(10, 25), 1);
}

#[test]
fn functions_that_are_one_constant_stand_on_one_line() {
    let function = |origin: u32| {
        let lambda = ExprKind::Lambda { params: Box::default(), body: Box::new(name("a")) };
        Expr::new(Origin(origin), lambda)
    };
    let pair = kind(ExprKind::List(vec![function(2), function(3)]));
    let block = [stmt(StmtKind::Expr(kind(ExprKind::List(vec![function(1), pair]))))];
    let text = |constants: &[(u32, usize)], parts_nested: bool, width: Option<usize>| {
        let constants = constants.iter().map(|&(origin, constant)| (Origin(origin), constant)).collect();
        let parted = vec![Parted { constants, parts_nested, ..Parted::default() }];
        let breaks = LineBreaks { parted, ..LineBreaks::default() };
        let mut sink = TextSink::default();
        print_parted(&block, &PrintOptions { width, ..PrintOptions::default() }, &breaks, &mut sink);
        sink.text
    };
    let parted = "[\n    lambda: a,\n    [lambda: a, lambda: a],\n]\n";
    assert_eq!(text(&[(1, 0), (2, 1), (3, 1)], false, None), parted);
    assert_eq!(text(&[(1, 0), (2, 1), (3, 1)], false, Some(10)), parted);
    let joined = "[lambda: a, [lambda: a, lambda: a]]\n";
    assert_eq!(text(&[(1, 0), (2, 0), (3, 0)], true, None), joined);
    assert_eq!(text(&[(1, 0), (2, 0), (3, 0)], true, Some(10)), joined);
    // Of those in nested code no constants are known.
    assert_eq!(text(&[], false, Some(10)), joined);
    assert_eq!(text(&[], true, Some(10)).lines().count(), 7);
}

#[test]
fn functions_in_different_functions_are_no_one_constant() {
    let lambda = |origin: u32, body: Expr| {
        Expr::new(Origin(origin), ExprKind::Lambda { params: Box::default(), body: Box::new(body) })
    };
    let around = |origin: u32| lambda(origin, lambda(1, name("a")));
    let block = [stmt(StmtKind::Expr(kind(ExprKind::List(vec![around(1), around(2)]))))];
    // What makes the inner functions stands where the outer code makes its own.
    let table = |constants: &[(u32, usize)], is_nested: bool| Parted {
        constants: constants.iter().map(|&(origin, constant)| (Origin(origin), constant)).collect(),
        is_nested,
        ..Parted::default()
    };
    let parted = vec![table(&[(1, 0), (2, 1)], false), table(&[(1, 0), (2, 0)], true)];
    let breaks = LineBreaks { parted, ..LineBreaks::default() };
    let mut sink = TextSink::default();
    print_parted(&block, &PrintOptions { width: None, ..PrintOptions::default() }, &breaks, &mut sink);
    assert_eq!(sink.text, "[\n    lambda: lambda: a,\n    lambda: lambda: a,\n]\n");
}

#[test]
fn equal_functions_in_different_functions_may_be_told_apart_by_their_lines() {
    let lambda = |body: Expr| kind(ExprKind::Lambda { params: Box::default(), body: Box::new(body) });
    let list = kind(ExprKind::List(vec![lambda(lambda(name("a"))), lambda(name("a"))]));
    let text = |parts_holders: bool| {
        let breaks = LineBreaks {
            parted: vec![Parted { parts_holders, ..Parted::default() }],
            ..LineBreaks::default()
        };
        let mut sink = TextSink::default();
        let options = PrintOptions { width: None, ..PrintOptions::default() };
        print_parted(&[stmt(StmtKind::Expr(list.clone()))], &options, &breaks, &mut sink);
        sink.text
    };
    assert_eq!(text(false), "[lambda: lambda: a, lambda: a]\n");
    assert_eq!(text(true), "[\n    lambda: lambda: a,\n    lambda: a,\n]\n");
}

#[test]
fn statements_may_stand_on_the_line_of_those_in_front_of_them() {
    let call = |function: &str| stmt(StmtKind::Expr(name(function)));
    let same_line = || stmt(StmtKind::SameLine);
    let while_ = |body: Vec<Stmt>| stmt(StmtKind::While { test: name("a"), body, orelse: vec![call("e")] });
    let block = [
        while_(vec![same_line(), call("b"), same_line(), call("c")]),
        call("f"),
        same_line(),
        call("g"),
        call("h"),
    ];
    let text = print(&block, &PrintOptions::default()).text;
    assert_eq!(text, "while a: b; c\nelse:\n    e\nf; g\nh\n");
}
