//! Decoding of short, hand-written bytecode: one peculiarity of a version each.

mod common;
mod flow;

use common::{all_code, fixtures};
use depyf_bytecode::{
    BinaryOp, CallLayout, CodeObject, CompareOp, Const, JumpCondition, Op, Region, Unreached, VariableKind,
    decode, decode_unreached, read_pyc,
};
use depyf_value::{PyStr, PyVersion};
use flow::check_flow;

fn code(minor: u8, bytes: &[u8]) -> CodeObject {
    CodeObject {
        code: bytes.to_vec(),
        consts: vec![Const::None, Const::Bool(true)],
        names: vec![PyStr::new("a"), PyStr::new("b")],
        varnames: vec![PyStr::new("x"), PyStr::new("y")],
        ..CodeObject::empty(PyVersion(minor))
    }
}

fn ops(code: &CodeObject) -> Vec<Op> {
    let function = decode(code).unwrap_or_else(|error| panic!("{error}"));
    function.instructions.iter().map(|instruction| instruction.op).collect()
}

fn message(code: &CodeObject) -> String {
    decode(code).expect_err("an error").message
}

#[test]
fn fixtures_have_one_height_on_all_ways() {
    for (name, bytes) in fixtures() {
        let pyc = read_pyc(&bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
        for code in all_code(&pyc.code) {
            let function = decode(code).unwrap_or_else(|error| panic!("{name}: {error}"));
            check_flow(&name, code, &function);
            assert!(
                !function.instructions.iter().any(|instruction| matches!(instruction.op, Op::Unknown(_))),
                "{name}: {}",
                code.qualname
            );
        }
    }
}

#[test]
fn jumps_count_bytes_to_3_9_and_code_units_later() {
    // LOAD_FAST 0, POP_JUMP_IF_TRUE, LOAD_CONST 0, RETURN_VALUE
    let bytes = |target| [124, 0, 115, target, 100, 0, 83, 0];
    let expected = [Op::LoadLocal(0), Op::JumpIf(JumpCondition::True, 3), Op::Const(0), Op::Return];
    assert_eq!(ops(&code(9, &bytes(6))), expected);
    assert_eq!(ops(&code(10, &bytes(3))), expected);
}

#[test]
fn jumps_lead_to_the_first_extended_arg_and_nowhere_else_inside() {
    // JUMP_ABSOLUTE, EXTENDED_ARG 0, LOAD_CONST 1, RETURN_VALUE
    let bytes = |target| [113, target, 144, 0, 100, 1, 83, 0];
    assert_eq!(ops(&code(10, &bytes(1))), [Op::Jump(1), Op::Const(1), Op::Return]);
    assert_eq!(message(&code(10, &bytes(2))), "a jump leads into the middle of an instruction");
    assert_eq!(message(&code(10, &bytes(4))), "a jump leads outside of the code");
}

#[test]
fn indexes_outside_of_their_tables_are_errors() {
    assert_eq!(message(&code(10, &[100, 2, 83, 0])), "there is no constant 2");
    assert_eq!(message(&code(10, &[116, 2, 83, 0])), "there is no name 2");
    assert_eq!(message(&code(10, &[124, 2, 83, 0])), "there is no local variable 2");
    assert_eq!(message(&code(10, &[136, 0, 83, 0])), "there is no cell 0");
    assert_eq!(message(&code(7, &[83, 0])), "Python 3.7 is not supported");
}

#[test]
fn keyword_names_of_3_11_come_right_before_the_call() {
    // PUSH_NULL, LOAD_FAST 0, LOAD_FAST 1, KW_NAMES 1, PRECALL 1 and cache, CALL 1 and caches, RETURN_VALUE
    let mut bytes = vec![2, 0, 124, 0, 124, 1, 172, 1, 166, 1, 0, 0, 171, 1];
    bytes.extend([0; 8]);
    bytes.extend([83, 0]);
    let layout = CallLayout::NullBelow;
    let call = Op::CallKeywords { arguments: 1, layout };
    let expected = [Op::PushNull, Op::LoadLocal(0), Op::LoadLocal(1), Op::Const(1), call, Op::Return];
    assert_eq!(ops(&code(11, &bytes)), expected);
}

#[test]
fn null_lies_below_the_callee_to_3_12_and_above_it_later() {
    // LOAD_GLOBAL b + NULL, four caches, RETURN_VALUE
    let bytes = |load, ret| [&[load, 3][..], &[0; 8], &[ret, 0]].concat();
    assert_eq!(ops(&code(12, &bytes(116, 83))), [Op::PushNull, Op::LoadGlobal(1), Op::Return]);
    assert_eq!(ops(&code(13, &bytes(91, 36))), [Op::LoadGlobal(1), Op::PushNull, Op::Return]);
}

#[test]
fn superinstructions_are_split_and_cells_are_loaded_as_cells() {
    // LOAD_FAST_LOAD_FAST 0, 1 of 3.13, where `y` is a cell too
    let mut code = code(13, &[88, 1, 36, 0]);
    code.cellvars = vec![PyStr::new("y")];
    assert_eq!(ops(&code), [Op::LoadLocal(0), Op::LoadClosure(1), Op::Return]);
    let kinds: Vec<VariableKind> =
        decode(&code).expect("decodes").variables.iter().map(|variable| variable.kind).collect();
    assert_eq!(kinds, [VariableKind::Local, VariableKind::Cell]);
}

#[test]
fn cells_have_one_number_in_all_versions() {
    let cells = |minor, bytes: &[u8]| CodeObject {
        cellvars: vec![PyStr::new("z"), PyStr::new("x")],
        freevars: vec![PyStr::new("w")],
        ..code(minor, bytes)
    };
    // LOAD_DEREF three times: cells, then free variables; from 3.11 all variables. RETURN_VALUE.
    let expected = [Op::LoadDeref(2), Op::LoadDeref(0), Op::LoadDeref(3), Op::Return];
    assert_eq!(ops(&cells(10, &[136, 0, 136, 1, 136, 2, 83, 0])), expected);
    assert_eq!(ops(&cells(11, &[137, 2, 137, 0, 137, 3, 83, 0])), expected);
}

#[test]
fn comparisons_of_3_8_include_identity_membership_and_exceptions() {
    let compare = |minor, arg| ops(&code(minor, &[124, 0, 124, 1, 107, arg, 83, 0]))[2..3].to_vec();
    assert_eq!(compare(8, 1), [Op::Compare(CompareOp::LessEqual)]);
    assert_eq!(compare(8, 7), [Op::Contains { negated: true }]);
    assert_eq!(compare(8, 8), [Op::Is { negated: false }]);
    assert_eq!(compare(8, 10), [Op::ExceptionMatch]);
    assert_eq!(compare(9, 10), [Op::Unknown(107)]);
    // From 3.13 a flag asks for a bool; the operator lies above it.
    assert_eq!(ops(&code(13, &[58, 4 << 5 | 16, 0, 0])), [Op::Compare(CompareOp::Greater), Op::ToBool]);
}

#[test]
fn binary_operators_of_3_14_include_subscripts() {
    let binary = |arg| ops(&code(14, &[&[44, arg][..], &[0; 10]].concat()));
    assert_eq!(binary(12), [Op::Binary(BinaryOp::Xor)]);
    assert_eq!(binary(13), [Op::Inplace(BinaryOp::Add)]);
    assert_eq!(binary(26), [Op::Subscript]);
    assert_eq!(binary(27), [Op::Unknown(44)]);
}

#[test]
fn the_with_sequence_of_3_14_is_one_operation() {
    // COPY 1, LOAD_SPECIAL __exit__, SWAP 2, SWAP 3, LOAD_SPECIAL __enter__, CALL 0 and caches
    let bytes = [&[59, 1, 95, 1, 117, 2, 117, 3, 95, 0, 52, 0][..], &[0; 6]].concat();
    assert_eq!(ops(&code(14, &bytes)), [Op::BeforeWith { slots: 2, is_async: false }]);
}

#[test]
fn exhausted_loops_go_behind_their_end() {
    // LOAD_FAST 0, GET_ITER, FOR_ITER, STORE_FAST 1, JUMP_BACKWARD, the end, LOAD_CONST 0, RETURN_VALUE
    let v3_12 = [124, 0, 68, 0, 93, 2, 0, 0, 125, 1, 140, 4, 4, 0, 100, 0, 83, 0];
    let v3_14 = [84, 0, 16, 0, 70, 3, 0, 0, 112, 1, 75, 5, 0, 0, 9, 0, 30, 0, 82, 0, 35, 0];
    let head = |exhausted, pops| {
        [
            Op::LoadLocal(0),
            Op::GetIter,
            Op::ForIter { exhausted, slots: 1, pops },
            Op::StoreLocal(1),
            Op::Jump(2),
        ]
    };
    assert_eq!(ops(&code(12, &v3_12)), [&head(5, true)[..], &[Op::Const(0), Op::Return]].concat());
    assert_eq!(ops(&code(14, &v3_14)), [&head(5, false)[..], &[Op::Pop, Op::Const(0), Op::Return]].concat());
}

#[test]
fn set_up_blocks_become_regions() {
    // SETUP_FINALLY to 4, LOAD_FAST 0, POP_BLOCK, RETURN_VALUE, RERAISE of 3.9
    let function = decode(&code(9, &[122, 6, 124, 0, 87, 0, 83, 0, 48, 0])).expect("decodes");
    let ops: Vec<Op> = function.instructions.iter().map(|instruction| instruction.op).collect();
    assert_eq!(ops, [Op::SetupBlock(4), Op::LoadLocal(0), Op::PopBlock, Op::Return, Op::Reraise(false)]);
    assert_eq!(function.regions, [Region { start: 1, end: 3, handler: 4, depth: 0, lasti: false }]);
}

#[test]
fn the_end_of_a_called_body_that_always_leaves_is_told() {
    // try: return True; finally: return None, in 3.8: the body is called, and begins with POP_FINALLY.
    let bytes = [122, 8, 87, 0, 162, 4, 100, 1, 83, 0, 163, 0, 100, 0, 83, 0, 88, 0];
    let (function, unreached) = decode_unreached(&code(8, &bytes)).expect("decodes");
    assert_eq!(unreached, [Unreached { setup: 0, start: 8, is_end: true }]);
    assert_eq!(function.instructions[8].op, Op::EndFinally { falls: false });
    // The same with a body that ends.
    let ends = [122, 8, 87, 0, 162, 4, 100, 1, 83, 0, 100, 0, 1, 0, 88, 0];
    assert_eq!(decode_unreached(&code(8, &ends)).expect("decodes").1, []);
}

#[test]
fn lines_are_read_from_each_kind_of_table() {
    let lines = |minor, table: &[u8]| {
        // LOAD_CONST 0 twice, RETURN_VALUE
        let bytes = [100, 0, 100, 0, 83, 0];
        let code = CodeObject { linetable: table.to_vec(), first_line: 5, ..code(minor, &bytes) };
        let function = decode(&code).unwrap_or_else(|error| panic!("{error}"));
        function.instructions.iter().map(|instruction| instruction.line).collect::<Vec<_>>()
    };
    // A number of bytes, and how the line changes: behind them to 3.9, for them in 3.10.
    assert_eq!(lines(9, &[2, 1, 2, 0xff]), [Some(5), Some(6), Some(5)]);
    assert_eq!(lines(10, &[2, 0, 2, 3, 2, 0x80]), [Some(5), Some(8), None]);
    // One unit each: +3 without columns, no location, +1 with columns.
    assert_eq!(lines(12, &[0xe8, 6, 0xf8, 0xd8, 0, 1]), [Some(8), None, Some(9)]);
}
