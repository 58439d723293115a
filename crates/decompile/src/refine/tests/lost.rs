//! What a class body prepares for.

use depyf_bytecode::CompilerFeatures;
use depyf_value::PyStr;

use super::*;
use crate::Options;
use crate::lift::Context;
use crate::scope::Scope;

/// What becomes of the body of a class of 3.14 that provides its namespace.
fn providing(mut block: Block, flags: u32) -> Vec<String> {
    let cellvars = vec![PyStr::new("__classdict__")];
    let code = CodeObject { cellvars, flags, name: PyStr::new("C"), ..CodeObject::empty(PyVersion(14)) };
    let function = decode(&code).expect("an empty body");
    let options = Options::default();
    let (names, scope) = (Names::choose(&code, &function, &[], None), Scope::new(&options));
    let (code, function, names, scope) = (&code, &function, &names, &scope);
    let context = Context {
        code,
        function,
        names,
        scope,
        packs_values: false,
        unreached: &[],
        words: OnceCell::new(),
        names_in_use: OnceCell::new(),
        first_handler: OnceCell::new(),
        borrowing_loads: OnceCell::new(),
    };
    restore_lost_annotations(&mut block, &context, Contents::EVERYTHING);
    text(&block)
}

#[test]
fn a_namespace_is_there_for_functions_or_for_an_annotation() {
    let method = || {
        let body = vec![stmt(StmtKind::Pass)];
        let params = depyf_syntax::ast::Params::default();
        stmt(StmtKind::Function(Box::new(depyf_syntax::ast::Function {
            name: "f".into(),
            decorators: Vec::new(),
            type_params: Vec::new(),
            params,
            returns: None,
            body,
            is_async: false,
        })))
    };
    let features = CompilerFeatures::of(PyVersion(14)).expect("a known version");
    assert_eq!(providing(vec![method()], 0), ["def f():", "    pass"]);
    let lost = providing(vec![method()], features.future_annotations_flags);
    assert_eq!(lost.last().map(String::as_str), Some("(_): 0"));
    assert_eq!(providing(vec![run(name("a"))], 0), ["a", "(_): 0"]);
}
