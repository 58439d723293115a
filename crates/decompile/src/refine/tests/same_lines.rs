//! Statements that stand on one line because functions in them are one constant.

use std::sync::Arc;

use depyf_bytecode::FunctionParts;

use super::*;

/// Code that makes a function of a constant at each of these offsets.
fn making(constants: &[u32]) -> (CodeObject, Function) {
    let nested = || Const::Code(Arc::new(CodeObject::empty(PyVersion(12))));
    let count = constants.iter().max().map_or(0, |last| last + 1);
    let code =
        CodeObject { consts: (0..count).map(|_| nested()).collect(), ..CodeObject::empty(PyVersion(12)) };
    let mut function = decode(&code).expect("an empty function");
    let made = (0..).zip(constants).flat_map(|(offset, &constant)| {
        [Op::Const(constant), Op::MakeFunction(FunctionParts::default()), Op::Pop].map(|op| Instruction {
            op,
            offset,
            line: None,
            column: None,
            width: 0,
        })
    });
    function.instructions = made.collect();
    (code, function)
}

fn lambda(origin: u32) -> Expr {
    Expr::new(Origin(origin), ExprKind::Lambda { params: Box::default(), body: Box::new(name("a")) })
}

fn uses(origin: u32) -> Stmt {
    stmt(StmtKind::Expr(call(name("f"), vec![lambda(origin)])))
}

fn shared(constants: &[u32], block: Block) -> Vec<String> {
    let (code, function) = making(constants);
    after(|block| share_lines(block, &code, &function), block)
}

#[test]
fn a_body_stands_on_the_line_of_its_header() {
    let block = || vec![if_(lambda(0), vec![uses(1), stmt(StmtKind::Break)], vec![uses(2)])];
    let on_one_line = ["if lambda: a: f(lambda: a); break", "else:", "    f(lambda: a)"];
    assert_eq!(shared(&[0, 0, 1], block()), on_one_line);
    // What is another constant may stand anywhere.
    assert_eq!(shared(&[0, 1, 1], block()), text(&block()));
}

#[test]
fn statements_in_between_stand_on_the_line_as_well() {
    let block = || vec![uses(0), stmt(StmtKind::Pass), uses(1), uses(2)];
    assert_eq!(shared(&[0, 0, 1], block()), ["f(lambda: a); pass; f(lambda: a)", "f(lambda: a)"]);
    let parted = || vec![uses(0), if_(name("b"), vec![stmt(StmtKind::Pass)], Vec::new()), uses(1)];
    assert_eq!(shared(&[0, 0], parted()), text(&parted()));
}
