//! What source lowers to, on printed text: one small source a construct.

use depyf_value::PyVersion;

/// The listing of a source.
fn listing(source: &str, minor: u8) -> String {
    let block = depyf_parse::parse_module(source).unwrap_or_else(|error| panic!("{source}: {error}"));
    depyf_decompile::lowering(&block, PyVersion(minor)).unwrap_or_else(|error| panic!("{source}: {error}"))
}

/// The operations of one code object, numbers left out.
fn operations(source: &str, minor: u8, path: &str) -> Vec<String> {
    let text = listing(source, minor);
    let head = format!("code {path} (");
    let start = text.find(&head).unwrap_or_else(|| panic!("no {path} in\n{text}"));
    let lines = text[start..].lines().skip(1).take_while(|line| !line.starts_with("code "));
    let numbered =
        lines.filter(|line| line.starts_with(' ') || line.starts_with(|c: char| c.is_ascii_digit()));
    numbered
        .filter_map(|line| line.trim_start().split_once(' '))
        .filter(|(_, rest)| !rest.starts_with("to "))
        .map(|(_, operation)| operation.to_owned())
        .collect()
}

/// Checks that operations follow each other directly somewhere in a code object.
#[track_caller]
fn assert_has(source: &str, minor: u8, path: &str, expected: &[&str]) {
    let found = operations(source, minor, path);
    assert!(found.windows(expected.len()).any(|window| window == expected), "{expected:?} not in {found:#?}");
}

#[test]
fn a_name_is_found_in_the_scope_that_binds_it() {
    let source = "def f(a):\n    b = 1\n    def g():\n        nonlocal b\n        b = a\n        global c\n        c = d\n";
    let inner = ["LoadDeref(a)", "StoreDeref(b)", "LoadGlobal(d)", "StoreGlobal(c)"];
    for minor in 8..=15 {
        assert_has(source, minor, "/<module>/f/g", &inner);
        assert_has(source, minor, "/<module>/f", &["Const(1)", "StoreDeref(b)"]);
        assert_has(source, minor, "/<module>/f", &["LoadClosure(a)", "LoadClosure(b)", "BuildTuple(2)"]);
    }
}

#[test]
fn a_class_reads_its_own_namespace_first() {
    let source = "def f(a):\n    class C:\n        b = a\n        c = b\n        def m(self): return b\n";
    assert_has(
        source,
        11,
        "/<module>/f/C",
        &["LoadClassDeref(a)", "StoreName(b)", "LoadName(b)", "StoreName(c)"],
    );
    assert_has(source, 12, "/<module>/f/C", &["LoadLocals", "LoadFromDictOrDeref(a)", "StoreName(b)"]);
    // A class does not bind names for the functions in it.
    assert_has(source, 12, "/<module>/f/C/m", &["LoadGlobal(b)", "Return"]);
}

#[test]
fn private_names_are_mangled_and_the_class_cell_is_kept() {
    let source = "class _C:\n    def m(self):\n        self.__x = __class__\n";
    assert_has(source, 8, "/<module>/_C/m", &["LoadDeref(__class__)", "LoadLocal(self)", "StoreAttr(_C__x)"]);
    let end = ["LoadClosure(__class__)", "Copy(1)", "StoreName(__classcell__)", "Return"];
    assert_has(source, 8, "/<module>/_C", &end);
    let attributes = ["Const(Tuple([Str(\"__x\")]))", "StoreName(__static_attributes__)"];
    assert_has(source, 13, "/<module>/_C", &attributes);
}

#[test]
fn every_way_out_runs_the_finally_body_once() {
    let source = "def f():\n    for x in y:\n        try:\n            if a: return b()\n            if c: break\n            continue\n        finally:\n            d()\n";
    let found = operations(source, 12, "/<module>/f");
    let copies = found.iter().filter(|operation| *operation == "LoadGlobal(d)").count();
    // return, break, continue, the end of the body, an exception.
    assert_eq!(copies, 5, "{found:#?}");
    // The value to be returned is computed before, and the iterator below it is dropped after.
    let returns = ["LoadGlobal(b)", "Call { positional: 0, layout: Plain }", "LoadGlobal(d)"];
    assert_has(source, 12, "/<module>/f", &returns);
    assert_has(source, 12, "/<module>/f", &["Pop", "Swap(2)", "Pop", "Return"]);
}

#[test]
fn a_handler_unbinds_its_name_on_both_ways() {
    let source = "try: a()\nexcept B as c: d()\n";
    let unbound = ["PopExcept", "Const(None)", "StoreName(c)", "DeleteName(c)"];
    assert_has(source, 8, "/<module>", &unbound);
    assert_has(source, 8, "/<module>", &["Const(None)", "StoreName(c)", "DeleteName(c)", "Reraise(false)"]);
    let text = listing(source, 8);
    assert!(text.contains("0 to 3 -> 4 [0]\n"), "{text}");
    assert!(text.contains(" [1]\n"), "the handler's own region keeps the previous exception: {text}");
}

#[test]
fn with_calls_exit_behind_its_region() {
    let source = "with a as b: c()\n";
    let enter = ["LoadName(a)", "BeforeWith { slots: 1, is_async: false }", "StoreName(b)"];
    assert_has(source, 14, "/<module>", &enter);
    let exit = ["Const(None)", "Const(None)", "Const(None)", "Call { positional: 3, layout: Plain }", "Pop"];
    assert_has(source, 14, "/<module>", &exit);
    assert!(listing(source, 14).contains("2 to 6 -> 12 [1]\n"), "{}", listing(source, 14));
}

#[test]
fn a_condition_tests_each_part_once() {
    let found = operations("if a and (b or not c): d\n", 12, "/<module>");
    let jumps = found.iter().filter(|operation| operation.starts_with("JumpIf")).count();
    assert_eq!(jumps, 3, "{found:#?}");
    assert!(!found.iter().any(|operation| operation.starts_with("Copy")), "{found:#?}");
    assert_has("x = a and b\n", 12, "/<module>", &["LoadName(a)", "Copy(1)", "JumpIf(False) -> 5", "Pop"]);
}

#[test]
fn comprehensions_run_where_the_version_runs_them() {
    let source = "def f(x): return [y for y in x if y]\n";
    assert_has(source, 11, "/<module>/f", &["GetIter", "Call { positional: 1, layout: Plain }", "Return"]);
    assert_has(source, 11, "/<module>/f/<listcomp>", &["BuildList(0)", "LoadLocal(.0)"]);
    assert_has(source, 12, "/<module>/f", &["LoadLocalAndClear(y)", "Swap(2)", "BuildList(0)", "Swap(2)"]);
    // A class is no scope for what is in it, inlined or not.
    let source = "class C:\n    a = 1\n    b = [a for _ in c]\n";
    assert_has(source, 12, "/<module>/C", &["StoreLocal(_)", "LoadGlobal(a)", "ListAppend(2)"]);
}

#[test]
fn parts_are_unpacked_in_turn_or_at_once() {
    assert_has("[*a, b]\n", 8, "/<module>", &["LoadName(b)", "BuildTuple(1)", "BuildUnpack(List, 2)"]);
    let turn = ["BuildList(0)", "LoadName(a)", "ListExtend(1)", "LoadName(b)", "ListAppend(1)"];
    assert_has("[*a, b]\n", 9, "/<module>", &turn);
    assert_has("f(**a)\n", 8, "/<module>", &["BuildTuple(0)", "LoadName(a)"]);
    assert_has("f(**a)\n", 9, "/<module>", &["BuildTuple(0)", "BuildMap(0)", "LoadName(a)", "DictMerge(1)"]);
}

#[test]
fn annotations_are_values_text_or_functions() {
    let source = "def f(a: int): pass\n";
    assert_has(source, 9, "/<module>", &["Const(\"a\")", "LoadName(int)", "BuildMap(1)"]);
    assert_has(source, 10, "/<module>", &["Const(\"a\")", "LoadName(int)", "BuildTuple(2)"]);
    assert_has(
        source,
        14,
        "/<module>/__annotate__",
        &["Const(\"a\")", "LoadGlobal(int)", "BuildMap(1)", "Return"],
    );
    let source = format!("from __future__ import annotations\n{source}");
    assert_has(&source, 13, "/<module>", &["Const(\"a\")", "Const(\"int\")", "BuildTuple(2)"]);
    let text = ["Const(\"a\")", "Const(\"int\")", "BuildMap(1)", "Return"];
    assert_has(&source, 14, "/<module>/__annotate__", &text);
}

#[test]
fn patterns_bind_names_when_all_has_matched() {
    let source = "match a:\n    case [b, 1]: pass\n";
    let found = operations(source, 12, "/<module>");
    let (compared, bound) = (
        found.iter().rposition(|operation| operation == "Compare(Equal)"),
        found.iter().position(|operation| operation == "StoreName(b)"),
    );
    assert!(compared.is_some() && compared < bound, "{found:#?}");
}

#[test]
fn strings_are_formatted_in_the_order_of_the_version() {
    let old = ["LoadName(a)", "LoadName(w)", "Format { conversion: None, spec: false }"];
    assert_has("f'{a!r:{w}}'\n", 12, "/<module>", &old);
    assert_has("f'{a!r:{w}}'\n", 13, "/<module>", &["LoadName(a)", "Convert(Repr)", "LoadName(w)"]);
    assert_has(
        "'%s!' % (a,)\n",
        11,
        "/<module>",
        &["Format { conversion: Str, spec: false }", "Const(\"!\")"],
    );
    assert_has(
        "('%s' + '!') % (a,)\n",
        13,
        "/<module>",
        &["Convert(Str)", "Format { conversion: None, spec: false }"],
    );
    assert_has("('%s' + '!') % (a,)\n", 14, "/<module>", &["BuildTuple(1)", "Binary(Remainder)"]);
    assert_has("'%s!' % (a,)\n", 10, "/<module>", &["BuildTuple(1)", "Binary(Remainder)"]);
}

#[test]
fn what_no_compiler_accepts_is_an_error() {
    let deep = format!("x = {}1{}\n", "(".repeat(150), ")".repeat(150));
    assert!(depyf_parse::parse_module(&deep).is_ok(), "brackets alone make no tree");
    let deep = format!("x = {}1\n", "-".repeat(100_000));
    assert!(depyf_parse::parse_module(&deep).is_err());
    let block = depyf_parse::parse_module("def f():\n    if a:\n        continue\n");
    if let Ok(block) = block {
        assert!(depyf_decompile::lowering(&block, PyVersion(12)).is_err());
    }
}

#[test]
fn surrogates_and_large_integers_survive_the_parser() {
    let found = operations("x = '\\ud800\\N{EM DASH}\\x41'\ny = 0x1_0000_0000_0000_0000\n", 12, "/<module>");
    assert!(found.iter().any(|operation| operation.contains("10000000000000000")), "{found:#?}");
    let block = depyf_parse::parse_module("x = '\\ud800a'\n").expect("it is Python");
    let text = depyf_syntax::print(&block, &Default::default()).text;
    assert_eq!(text, "x = '\\ud800a'\n");
}
