//! Passes on what the compiler adds to bodies of classes and modules, and on `assert`.

use depyf_bytecode::{Const, JumpCondition, Op, flags};

use super::*;

const CLASS_NAMES: [&str; 5] = ["__name__", "__module__", "__qualname__", "__classcell__", "x"];

/// The body of `class C: x = 1`, with these operations in front.
fn class_body(first: &[Op]) -> (CodeObject, Function) {
    let mut ops = first.to_vec();
    ops.extend([Op::LoadName(0), Op::StoreName(1), Op::Const(0), Op::StoreName(2)]);
    ops.extend([Op::SmallInt(1), Op::StoreName(4)]);
    ops.extend([Op::LoadClosure(0), Op::Copy(1), Op::StoreName(3), Op::Return]);
    let (code, function) = described(function(&ops, &[]), &CLASS_NAMES, &[]);
    let consts = vec![Const::Str(PyStr::new("f.<locals>.C"))];
    (CodeObject { name: PyStr::new("C"), consts, ..code }, function)
}

fn without_bookkeeping((code, function): &(CodeObject, Function)) -> Vec<String> {
    let mut graph = Graph::build(function);
    erase_class_bookkeeping(&mut graph, code, function);
    text(&graph)
}

#[test]
fn what_the_compiler_adds_to_a_class_is_gone() {
    assert_eq!(without_bookkeeping(&class_body(&[])), ["0: SmallInt(1); StoreName(4); Common(None); Return"]);
}

#[test]
fn behind_the_first_statement_names_are_the_users() {
    assert_eq!(
        without_bookkeeping(&class_body(&[Op::SmallInt(2), Op::StoreName(4)])),
        ["0: SmallInt(2); StoreName(4); LoadName(0); StoreName(1); Const(0); StoreName(2); \
             SmallInt(1); StoreName(4); Common(None); Return"]
    );
}

#[test]
fn what_is_stored_again_is_the_users() {
    let first = [Op::LoadName(0), Op::StoreName(1), Op::Const(0), Op::StoreName(2)];
    assert_eq!(
        without_bookkeeping(&class_body(&first)),
        [
            "0: LoadName(0); StoreName(1); Const(0); StoreName(2); SmallInt(1); StoreName(4); Common(None); Return"
        ]
    );
}

#[test]
fn a_function_has_no_bookkeeping() {
    let (code, function) = class_body(&[]);
    let source = (CodeObject { flags: flags::OPTIMIZED, ..code }, function);
    assert_eq!(without_bookkeeping(&source), text(&Graph::build(&source.1)));
}

/// A function `name(format)` that raises something for other formats, and returns `{'x': int}`.
fn annotate(name: &str, refusal: Op) -> (CodeObject, Function) {
    let ops = [
        Op::LoadLocal(0),
        Op::JumpIf(JumpCondition::False, 4),
        refusal,
        Op::Raise(1),
        Op::BuildMap(0),
        Op::LoadGlobal(0),
        Op::Copy(2),
        Op::Const(0),
        Op::StoreSubscript,
        Op::Return,
    ];
    let (code, function) = described(function(&ops, &[]), &["int"], &[]);
    let code = CodeObject {
        name: PyStr::new(name),
        argcount: 1,
        posonlyargcount: 1,
        varnames: vec![PyStr::new("format")],
        consts: vec![Const::Str(PyStr::new("x"))],
        ..code
    };
    (code, function)
}

#[test]
fn a_display_of_annotations_stays() {
    let ops = [
        Op::LoadLocal(0),
        Op::JumpIf(JumpCondition::False, 4),
        Op::Common(CommonConst::NotImplementedError),
        Op::Raise(1),
        Op::Const(0),
        Op::BuildMap(0),
        Op::BuildMap(1),
        Op::Return,
    ];
    let (code, _) = annotate("__annotate__", Op::Common(CommonConst::NotImplementedError));
    let (_, displayed) = described(function(&ops, &[]), &[], &[]);
    let mut graph = Graph::build(&displayed);
    let before = text(&graph);
    spell_annotations(&mut graph, &code);
    assert_eq!(text(&graph), before);
}

#[test]
fn an_annotate_function_annotates_names() {
    let (code, function) = annotate("__annotate__", Op::Common(CommonConst::NotImplementedError));
    let mut graph = Graph::build(&function);
    spell_annotations(&mut graph, &code);
    assert_eq!(text(&graph)[2], "2: LoadGlobal(0); Annotation(0); Common(None); Return");
}

#[test]
fn another_function_makes_a_dict() {
    // A function that somebody wrote looks the exception up.
    let refusals = [Op::Common(CommonConst::NotImplementedError), Op::LoadGlobal(0)];
    for (name, refusal) in ["annotations", "__annotate__"].into_iter().zip(refusals) {
        let (code, function) = annotate(name, refusal);
        let mut graph = Graph::build(&function);
        spell_annotations(&mut graph, &code);
        assert_eq!(text(&graph), text(&Graph::build(&function)));
    }
}

/// A body that adds 3 to the set of a name.
fn adds_to(name: &str) -> Vec<String> {
    let ops = [Op::LoadName(0), Op::SmallInt(3), Op::SetAdd(1), Op::Pop, RETURN[0], RETURN[1]];
    let (code, function) = described(function(&ops, &[]), &[name], &[]);
    let mut graph = Graph::build(&function);
    mark_annotations(&mut graph, &code, &function);
    text(&graph)
}

#[test]
fn the_set_of_annotations_is_filled_by_marks() {
    assert_eq!(adds_to("__conditional_annotations__"), ["0: AnnotationMark(3); Common(None); Return"]);
    assert_eq!(adds_to("s"), ["0: LoadName(0); SmallInt(3); SetAdd(1); Pop; Common(None); Return"]);
}

/// `if not a: raise` of a global that 3.8 reads, with the line of the `raise`; the test is on line 1. In a function, or
/// in the body of a module.
fn raise_of(name: &str, line: u32, is_function: bool) -> String {
    let mut ops = vec![Op::LoadLocal(0), Op::JumpIf(JumpCondition::True, 4)];
    ops.extend([Op::LoadGlobal(0), Op::Raise(1), RETURN[0], RETURN[1]]);
    let (code, function) = described(function(&ops, &[]), &[name], &[1, 1, line, line, 3, 3]);
    let code = CodeObject { flags: if is_function { flags::OPTIMIZED } else { 0 }, ..code };
    let mut graph = Graph::build(&function);
    find_assertions(&mut graph, &code, &function);
    text(&graph).swap_remove(1)
}

#[test]
fn a_raise_on_the_line_of_its_test_is_an_assertion() {
    assert_eq!(raise_of("AssertionError", 1, true), "1: Common(AssertionError); Raise(1)");
}

#[test]
fn a_raise_on_a_later_line_or_of_another_name_is_none() {
    assert_eq!(raise_of("AssertionError", 2, true), "1: LoadGlobal(0); Raise(1)");
    assert_eq!(raise_of("ValueError", 1, true), "1: LoadGlobal(0); Raise(1)");
}

#[test]
fn only_assertions_read_the_global_in_a_body_that_is_no_function() {
    assert_eq!(raise_of("AssertionError", 2, false), "1: Common(AssertionError); Raise(1)");
    assert_eq!(raise_of("ValueError", 1, false), "1: LoadGlobal(0); Raise(1)");
}
