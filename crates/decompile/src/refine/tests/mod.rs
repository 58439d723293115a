//! Single passes on small trees, compared as printed text.
//!
//! Temporaries print as `__temp_0`, `__temp_1`, ..., before they are named as well.

mod erased;
mod indentation;
mod line_pairs;
mod loop_ends;
mod lost;
mod negations;
mod nested;
mod same_lines;
mod targets;
mod words;

use std::cell::OnceCell;

use depyf_bytecode::{
    CodeObject, Const, Function, Instruction, JumpCondition, Op, UnaryOp as Negation, decode, flags,
};
use depyf_syntax::Grammar;
use depyf_syntax::ast::{
    Alias, Block, BoolOp, Clause, CompareOp, ComprehensionKind, Expr, ExprKind, Handler, Ident, Literal,
    MatchCase, Origin, Pattern, Stmt, StmtKind, Try, UnaryOp, WithItem,
};
use depyf_value::PyVersion;

use super::comprehensions::restore_innermost;
use super::*;
use crate::flow::Contents;
use crate::names::Names;

fn expr(kind: ExprKind) -> Expr {
    Expr::new(Origin::NONE, kind)
}

fn stmt(kind: StmtKind) -> Stmt {
    Stmt::new(Origin::NONE, kind)
}

fn name(text: &str) -> Expr {
    Expr::name(text)
}

fn temp(number: u32) -> Expr {
    expr(ExprKind::Temp(number))
}

fn call(func: Expr, args: Vec<Expr>) -> Expr {
    expr(ExprKind::call(func, args, Vec::new()))
}

fn attribute(value: Expr, attr: &str) -> Expr {
    expr(ExprKind::Attribute { value: Box::new(value), attr: attr.into() })
}

fn assign(target: Expr, value: Expr) -> Stmt {
    stmt(StmtKind::Assign { targets: vec![target], value })
}

fn run(value: Expr) -> Stmt {
    stmt(StmtKind::Expr(value))
}

fn if_(test: Expr, body: Block, orelse: Block) -> Stmt {
    stmt(StmtKind::If { test, body, orelse })
}

fn while_true(body: Block) -> Stmt {
    let test = expr(ExprKind::Literal(Literal::Bool(true)));
    stmt(StmtKind::While { test, body, orelse: Vec::new() })
}

fn for_(target: Expr, iter: Expr, body: Block) -> Stmt {
    let (target, iter) = (Box::new(target), Box::new(iter));
    stmt(StmtKind::For { target, iter, body, orelse: Vec::new(), is_async: false })
}

fn return_(value: Expr) -> Stmt {
    stmt(StmtKind::Return(Some(value)))
}

/// The tree as lines.
fn text(block: &Block) -> Vec<String> {
    let printed = depyf_syntax::print(block, &depyf_syntax::PrintOptions::default());
    printed.text.lines().map(str::to_owned).collect()
}

/// What a pass makes of a tree.
fn after<T>(pass: impl Fn(&mut Block) -> T, mut block: Block) -> Vec<String> {
    pass(&mut block);
    text(&block)
}

/// What passes that ask where words stand make of a tree.
fn after_words(
    passes: &[fn(&mut Block, &Words<'_>)],
    code: &CodeObject,
    function: &Function,
    mut block: Block,
) -> Vec<String> {
    let places = OnceCell::new();
    let words = Words::of(code, function, &places);
    passes.iter().for_each(|pass| pass(&mut block, &words));
    text(&block)
}

fn inlined(block: Block) -> Vec<String> {
    let code = CodeObject::empty(PyVersion(12));
    let function = decode(&code).expect("an empty function");
    let names = Names::choose(&code, &function, &[], None);
    after(|block| inline_temporaries(block, &names), block)
}

#[test]
fn a_temporary_goes_to_its_only_use() {
    let block = vec![assign(temp(0), call(name("f"), vec![name("x")])), return_(attribute(temp(0), "y"))];
    assert_eq!(inlined(block), ["return f(x).y"]);
}

#[test]
fn a_temporary_does_not_pass_an_earlier_effect() {
    // The callee `g` is read first; reading a global can fail, so `f()` must stay in front of it.
    let block = vec![assign(temp(0), call(name("f"), Vec::new())), run(call(name("g"), vec![temp(0)]))];
    assert_eq!(inlined(block.clone()), text(&block));
}

#[test]
fn a_temporary_that_is_read_twice_stays() {
    let block = vec![
        assign(temp(0), call(name("f"), Vec::new())),
        return_(expr(ExprKind::Tuple(vec![temp(0), temp(0)]))),
    ];
    assert_eq!(inlined(block.clone()), text(&block));
}

#[test]
fn two_arms_that_set_one_temporary_are_a_conditional_expression() {
    let block = vec![
        if_(name("c"), vec![assign(temp(0), name("a"))], vec![assign(temp(0), name("b"))]),
        return_(temp(0)),
    ];
    assert_eq!(inlined(block), ["return a if c else b"]);
}

#[test]
fn the_condition_of_a_while_is_not_filled() {
    // It is tested again on each round, `f()` is called once.
    let test = temp(0);
    let block = vec![
        assign(temp(0), call(name("f"), Vec::new())),
        stmt(StmtKind::While { test, body: vec![run(name("x"))], orelse: Vec::new() }),
    ];
    assert_eq!(inlined(block.clone()), text(&block));
}

#[test]
fn a_not_that_the_compiler_would_turn_stands_around_the_whole_test() {
    let contains = |op| expr(ExprKind::Compare { left: Box::new(name("a")), rest: vec![(op, name("b"))] });
    let not = |operand| expr(ExprKind::Unary { op: UnaryOp::Not, operand: Box::new(operand) });
    let test = |values| expr(ExprKind::Bool { op: BoolOp::And, values });
    let spelled = |test| {
        after(|block| turn_comparisons(block, true), vec![if_(test, vec![run(name("x"))], Vec::new())])[0]
            .clone()
    };
    let both = test(vec![not(contains(CompareOp::In)), not(name("c"))]);
    assert_eq!(spelled(both), "if not (a in b or c):");
    let one = test(vec![contains(CompareOp::NotIn), not(name("c"))]);
    assert_eq!(spelled(one), "if a not in b and not c:");
    assert_eq!(spelled(not(contains(CompareOp::Is))), "if a is not b:");
}

#[test]
fn what_an_assignment_expression_holds_is_not_folded() {
    let number = |value: i64| expr(ExprKind::Literal(Literal::Int(value.into())));
    let late = expr(ExprKind::IfExp {
        test: Box::new(number(1)),
        body: Box::new(number(2)),
        orelse: Box::new(expr(ExprKind::Literal(Literal::None))),
    });
    let unary = |op, operand| expr(ExprKind::Unary { op, operand: Box::new(operand) });
    let named = |value| expr(ExprKind::Named { target: "a".into(), value: Box::new(value) });
    let negative = || unary(UnaryOp::Negative, late.clone());
    let both = run(call(name("f"), vec![named(negative()), negative()]));
    assert_eq!(after(spell_named_values, vec![both]), ["f(a := -2, -(2 if 1 else None))"]);
    let rest = vec![(CompareOp::In, name("c"))];
    let contains = expr(ExprKind::Compare { left: Box::new(name("b")), rest });
    let test = run(named(unary(UnaryOp::Not, contains)));
    assert_eq!(after(|block| turn_comparisons(block, false), vec![test.clone()]), ["(a := not b in c)"]);
    assert_eq!(after(|block| turn_comparisons(block, true), vec![test]), ["(a := b not in c)"]);
}

#[test]
fn tests_for_none_need_no_not() {
    let is_none = |text: &str| {
        let rest = vec![(CompareOp::Is, expr(ExprKind::Literal(Literal::None)))];
        expr(ExprKind::Compare { left: Box::new(name(text)), rest })
    };
    let not = |operand: Expr| expr(ExprKind::Unary { op: UnaryOp::Not, operand: Box::new(operand) });
    let all = |values: Vec<Expr>| expr(ExprKind::Bool { op: BoolOp::And, values });
    let spelled = |test| {
        after(
            |block| spell_none_tests(block, Contents::EVERYTHING),
            vec![if_(test, vec![run(name("x"))], Vec::new())],
        )[0]
        .clone()
    };
    assert_eq!(spelled(not(is_none("a"))), "if a is not None:");
    let both = not(all(vec![is_none("b"), not(name("c"))]));
    assert_eq!(spelled(all(vec![name("a"), both])), "if a and (b is not None or c):");
    let mixed = not(all(vec![is_none("b"), name("c")]));
    assert_eq!(spelled(mixed), "if b is not None or not c:");
    let more = not(all(vec![is_none("b"), name("c"), name("d")]));
    assert_eq!(spelled(more), "if not (b is None and c and d):");
    let without = not(all(vec![not(name("b")), not(name("c"))]));
    assert_eq!(spelled(without), "if b or c:");
    let function = decode(&CodeObject::empty(PyVersion(12))).expect("an empty function");
    let pass = |block: &mut Block| spell_negated_tests(block, &function, Contents::EVERYTHING);
    let spelled = |test| after(pass, vec![if_(test, vec![run(name("x"))], Vec::new())])[0].clone();
    let or = expr(ExprKind::Bool { op: BoolOp::Or, values: vec![not(name("b")), not(name("c"))] });
    assert_eq!(spelled(all(vec![name("a"), not(or)])), "if a and (b and c):");
    assert_eq!(spelled(not(all(vec![is_none("b"), not(name("c"))]))), "if not (b is None and not c):");
    // As a value, the negation is an operation.
    let value = run(not(all(vec![is_none("a"), is_none("b")])));
    assert_eq!(
        after(|block| spell_none_tests(block, Contents::EVERYTHING), vec![value]),
        ["not (a is None and b is None)"]
    );
}

#[test]
fn operands_of_values_are_negated_by_instructions() {
    let mut function = decode(&CodeObject::empty(PyVersion(12))).expect("an empty function");
    let at = |offset: u32, op| Instruction { op, offset, line: None, column: None, width: 0 };
    function.instructions = vec![at(0, Op::JumpIf(JumpCondition::False, 0)), at(2, Op::Unary(Negation::Not))];
    let not = |offset: u32, operand: Expr| {
        Expr::new(Origin(offset), ExprKind::Unary { op: UnaryOp::Not, operand: Box::new(operand) })
    };
    let bool = |op, values: Vec<Expr>| expr(ExprKind::Bool { op, values });
    let value = |offset: u32| {
        let group = bool(BoolOp::Or, vec![not(0, name("a")), not(0, name("b"))]);
        run(bool(BoolOp::And, vec![bool(BoolOp::Or, vec![not(offset, group), name("c")]), name("d")]))
    };
    let spelled = |offset| {
        after(
            |block: &mut Block| spell_negated_tests(block, &function, Contents::EVERYTHING),
            vec![value(offset)],
        )
    };
    assert_eq!(spelled(0), ["(a and b or c) and d"]);
    assert_eq!(spelled(2), ["(not (not a or not b) or c) and d"]);
}

fn whiles(block: &mut Block) {
    restore_while(block, &on_lines(&[]).features);
}

#[test]
fn a_continue_that_was_written_stays_at_the_end() {
    let last = |offset| {
        let mut last = stmt(StmtKind::Continue);
        last.origin = offset;
        let body = vec![run(name("a")), last];
        vec![while_true(vec![if_(name("c"), body, Vec::new()), stmt(StmtKind::Break)])]
    };
    let none = depyf_syntax::ast::Origin::NONE;
    assert_eq!(after(whiles, last(none)), ["while c:", "    a"]);
    assert_eq!(after(whiles, last(depyf_syntax::ast::Origin(8))), ["while c:", "    a", "    continue"]);
}

#[test]
fn a_leading_break_is_the_condition() {
    let negated = crate::names::unary(depyf_syntax::ast::UnaryOp::Not, name("c"));
    let block = vec![while_true(vec![
        if_(expr(negated), vec![stmt(StmtKind::Break)], Vec::new()),
        run(call(name("f"), Vec::new())),
    ])];
    assert_eq!(after(whiles, block), ["while c:", "    f()"]);
}

#[test]
fn an_endless_loop_that_was_written_stays() {
    let mut block = vec![while_true(vec![if_(name("c"), vec![stmt(StmtKind::Break)], Vec::new())])];
    block[0].origin = depyf_syntax::ast::Origin(0);
    assert_eq!(after(whiles, block.clone()), text(&block));
}

#[test]
fn code_that_nothing_reaches_stands_behind_what_leaves() {
    let never = || temp(crate::lift::NEVER);
    let leaves = || vec![run(name("a")), return_(name("b"))];
    let block = vec![if_(never(), vec![run(name("c"))], leaves())];
    assert_eq!(after(place_unreached_code, block), ["a", "return b", "c"]);
    let always = expr(ExprKind::Unary { op: UnaryOp::Not, operand: Box::new(never()) });
    let block = vec![while_true(vec![if_(always, leaves(), Vec::new()), run(name("c"))])];
    assert_eq!(after(place_unreached_code, block), ["while True:", "    a", "    return b", "    c"]);
}

#[test]
fn a_loop_with_an_else_keeps_its_breaks() {
    // With a condition, the break would become an end that runs the `else`.
    let mut block = vec![while_true(vec![if_(name("c"), vec![stmt(StmtKind::Break)], Vec::new())])];
    if let StmtKind::While { orelse, .. } = &mut block[0].kind {
        orelse.push(run(name("x")));
    }
    assert_eq!(after(whiles, block.clone()), text(&block));
}

#[test]
fn ends_that_come_anyway_are_dropped() {
    let block = vec![
        for_(name("x"), name("y"), vec![run(name("x")), stmt(StmtKind::Continue)]),
        if_(name("c"), vec![run(name("a")), stmt(StmtKind::Return(None))], vec![return_(name("b"))]),
    ];
    assert_eq!(dropped(block, 12), ["for x in y:", "    x", "if c:", "    a", "else:", "    return b"]);
}

/// What dropping what is implied makes of the body of a function that ends with `LOAD_CONST 0; RETURN_VALUE`.
fn dropped(block: Block, minor: u8) -> Vec<String> {
    let code = CodeObject {
        code: vec![100, 0, 83, 0],
        consts: vec![Const::None],
        ..CodeObject::empty(PyVersion(minor))
    };
    let function = decode(&code).expect("two instructions");
    after_words(&[drop_implied_returns, drop_implied_continues], &code, &function, block)
}

#[test]
fn an_asynchronous_generator_returns_no_value() {
    let none = || Expr::new(Origin::NONE, ExprKind::Literal(Literal::None));
    let spelled = |flags| {
        let code = CodeObject { flags, ..CodeObject::empty(PyVersion(12)) };
        let block = vec![if_(name("a"), vec![return_(none())], Vec::new()), run(name("b"))];
        after(|block| spell_bare_returns(block, &code), block)
    };
    assert_eq!(spelled(flags::ASYNC_GENERATOR), ["if a:", "    return", "b"]);
    assert_eq!(spelled(flags::GENERATOR), ["if a:", "    return None", "b"]);
}

#[test]
fn a_return_that_is_not_the_last_instruction_was_written() {
    let returned = |offset| Stmt::new(Origin(offset), StmtKind::Return(None));
    let block = |offset| vec![if_(name("c"), vec![run(name("a")), returned(offset)], Vec::new())];
    assert_eq!(dropped(block(0), 9), ["if c:", "    a", "    return"]);
    assert_eq!(dropped(block(2), 9), ["if c:", "    a"]);
    assert_eq!(dropped(block(0), 10), ["if c:", "    a"]);
}

#[test]
fn a_return_before_other_statements_stays() {
    let block = vec![if_(name("c"), vec![stmt(StmtKind::Return(None))], Vec::new()), run(name("a"))];
    assert_eq!(dropped(block, 12), ["if c:", "    return", "a"]);
}

#[test]
fn a_loop_that_fills_a_new_list_is_a_comprehension() {
    let append = run(call(attribute(temp(0), "append"), vec![attribute(name("x"), "y")]));
    let block = vec![
        assign(temp(0), expr(ExprKind::List(Vec::new()))),
        for_(name("x"), name("z"), vec![if_(name("x"), vec![append], Vec::new())]),
        run(temp(0)),
    ];
    let comprehension = expr(ExprKind::Comprehension {
        kind: ComprehensionKind::List,
        element: Box::new(attribute(name("x"), "y")),
        clauses: vec![Clause {
            is_async: false,
            target: name("x"),
            iter: name("z"),
            conditions: vec![name("x")],
        }],
    });
    let expected = text(&vec![assign(temp(0), comprehension.clone()), run(temp(0))]);
    assert_eq!(
        after(
            |block| {
                restore_innermost(block, Grammar::of(PyVersion(15)));
            },
            block.clone()
        ),
        expected
    );
    let alone = block[..2].to_vec();
    assert_eq!(
        after(
            |block| {
                restore_innermost(block, Grammar::of(PyVersion(15)));
            },
            alone
        ),
        text(&vec![run(comprehension)])
    );
}

#[test]
fn a_loop_that_never_fills_the_list_behind_it_is_a_comprehension() {
    let block = vec![
        assign(temp(0), expr(ExprKind::List(Vec::new()))),
        for_(name("x"), name("z"), vec![Stmt::new(Origin::NONE, StmtKind::Continue)]),
        run(temp(0)),
    ];
    let comprehension = expr(ExprKind::Comprehension {
        kind: ComprehensionKind::List,
        element: Box::new(expr(ExprKind::Literal(Literal::None))),
        clauses: vec![Clause {
            is_async: false,
            target: name("x"),
            iter: name("z"),
            conditions: vec![expr(ExprKind::Literal(Literal::Bool(false)))],
        }],
    });
    assert_eq!(
        after(
            |block| {
                restore_innermost(block, Grammar::of(PyVersion(15)));
            },
            block
        ),
        text(&vec![assign(temp(0), comprehension), run(temp(0))])
    );
}

#[test]
fn a_list_that_its_own_loop_reads_is_none() {
    let append = run(call(attribute(temp(0), "append"), vec![temp(0)]));
    let block =
        vec![assign(temp(0), expr(ExprKind::List(Vec::new()))), for_(name("x"), name("z"), vec![append])];
    assert_eq!(
        after(
            |block| {
                restore_innermost(block, Grammar::of(PyVersion(15)));
            },
            block.clone()
        ),
        text(&block)
    );
}

#[test]
fn a_list_that_a_loop_extends_is_a_comprehension_where_the_version_has_stars_in_one() {
    let extend = run(call(attribute(temp(0), "extend"), vec![name("x")]));
    let empty = assign(temp(0), expr(ExprKind::List(Vec::new())));
    let block = vec![empty, for_(name("x"), name("z"), vec![extend]), run(temp(0))];
    let restored = |minor| {
        let pass = |block: &mut Block| {
            restore_innermost(block, Grammar::of(PyVersion(minor)));
        };
        after(pass, block.clone())
    };
    assert_eq!(restored(15), ["__temp_0 = [*x for x in z]", "__temp_0"]);
    assert_eq!(restored(14), text(&block));
}

#[test]
fn a_generator_that_yields_each_item_of_its_element_yields_all_of_them() {
    let yields = |value: Expr| run(expr(ExprKind::Yield(Some(Box::new(value)))));
    let generator = |target: Expr, yielded: Expr| {
        vec![for_(name("x"), name("z"), vec![for_(target, name("x"), vec![yields(yielded)])])]
    };
    assert_eq!(after(restore_unpacked_items, generator(temp(0), temp(0))), ["for x in z:", "    yield *x"]);
    let named = generator(name("y"), name("y"));
    assert_eq!(after(restore_unpacked_items, named.clone()), text(&named));
    let other = generator(temp(0), temp(1));
    assert_eq!(after(restore_unpacked_items, other.clone()), text(&other));
}

#[test]
fn temporaries_count_up_and_clash_with_nothing() {
    let block = vec![assign(temp(7), name("x")), assign(temp(3), temp(7)), run(temp(3))];
    assert_eq!(
        after(|block| name_temporaries(block, "", |name| name == "__temp_1"), block),
        ["__temp_0 = x", "__temp_2 = __temp_0", "__temp_2"]
    );
}

#[test]
fn passes_reach_into_with_statements() {
    let items = vec![WithItem { context: name("m"), target: None }];
    let inner = vec![for_(name("x"), name("y"), vec![stmt(StmtKind::Continue)])];
    let block = vec![stmt(StmtKind::With { items, body: inner, is_async: false })];
    assert_eq!(dropped(block, 12), ["with m:", "    for x in y:", "        pass"]);
}

/// A function whose instruction at offset `n` stands on line `lines[n]`.
fn on_lines(lines: &[u32]) -> Function {
    let mut function = decode(&CodeObject::empty(PyVersion(12))).expect("an empty function");
    let instruction = |(at, &line): (usize, &u32)| Instruction {
        op: Op::Nop,
        offset: at as u32,
        line: Some(line),
        column: None,
        width: 0,
    };
    function.instructions = lines.iter().enumerate().map(instruction).collect();
    function
}

#[test]
fn an_assert_stands_where_what_it_tests_does() {
    let at = |origin: u32, text: &str| Expr::new(Origin(origin), ExprKind::Name(text.into()));
    let failed = || {
        let exc = Some(temp(crate::lift::ASSERTION_ERROR));
        vec![Stmt::new(Origin(2), StmtKind::Raise { exc, cause: None })]
    };
    let both = || expr(ExprKind::Bool { op: BoolOp::And, values: vec![at(0, "a"), at(1, "b")] });
    let restored = |test: Expr, lines: &[u32]| {
        let mut block = vec![if_(test, failed(), Vec::new())];
        restore_asserts(&mut block, &on_lines(lines));
        text(&block)
    };
    assert_eq!(restored(at(0, "a"), &[1, 1, 1]), ["assert not a"]);
    assert_eq!(restored(at(0, "a"), &[1, 1, 2]), ["if a:", "    assert False"]);
    assert_eq!(restored(both(), &[1, 2, 2]), ["if a:", "    assert not b"]);
    assert_eq!(restored(both(), &[1, 2, 1]), ["assert not (a and b)"]);
}

#[test]
fn heads_on_one_line_are_one_with_statement() {
    let with = |origin: u32, text: &str, body: Block| {
        let items = vec![WithItem { context: name(text), target: None }];
        Stmt::new(Origin(origin), StmtKind::With { items, body, is_async: false })
    };
    let joined = |lines: &[u32]| {
        let inner = with(1, "b", vec![with(2, "c", vec![run(name("d"))])]);
        let mut block = vec![with(0, "a", vec![inner])];
        join_with_items(&mut block, &on_lines(lines));
        text(&block)
    };
    assert_eq!(joined(&[1, 1, 1]), ["with a, b, c:", "    d"]);
    assert_eq!(joined(&[1, 1, 2]), ["with a, b:", "    with c:", "        d"]);
}

#[test]
fn heads_on_several_lines_are_one_unless_they_stand_in_each_other() {
    let with = |origin: u32, body: Block| {
        let context = Expr::new(Origin(origin), ExprKind::Name(format!("a{origin}").as_str().into()));
        let items = vec![WithItem { context, target: None }];
        Stmt::new(Origin(origin), StmtKind::With { items, body, is_async: false })
    };
    // The items and the body begin at these columns of lines below each other.
    let joined = |columns: &[u32]| {
        let code = CodeObject::empty(PyVersion(13));
        let mut function = decode(&code).expect("an empty function");
        function.instructions = indentation::placed_at(columns, &[1, 2, 3]);
        let mut block = vec![with(0, vec![with(1, vec![indentation::placed(2, "b")])])];
        join_with_items(&mut block, &function);
        text(&block)
    };
    let one = ["with a0, a1:", "    b"];
    let two = ["with a0:", "    with a1:", "        b"];
    assert_eq!(joined(&[9, 13, 12]), two);
    assert_eq!(joined(&[9, 9, 8]), one);
    assert_eq!(joined(&[8, 8, 8]), one);
    assert_eq!(joined(&[9, 12, 8]), one);
    // A parenthesis in front of an item.
    assert_eq!(joined(&[9, 14, 12]), two);
}
