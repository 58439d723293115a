//! `copy_finally_bodies`: a copy of a body for each way into it.

use depyf_bytecode::{
    CodeObject, CommonConst, Const, Function, Instruction, JumpCondition, Op, Region, decode,
};
use depyf_value::PyVersion;

use crate::flow::*;

const RETURN_NONE: [Op; 2] = [Op::Common(CommonConst::None), Op::Return];

fn region(start: u32, end: u32, handler: u32, depth: u32) -> Region {
    Region { start, end, handler, depth, lasti: false }
}

/// What the pass makes of a function of 3.8.
fn copies(ops: &[Op], regions: &[Region]) -> (Graph, Function) {
    let instruction = |(at, &op): (usize, &Op)| Instruction {
        op,
        offset: 2 * at as u32,
        line: Some(1),
        column: None,
        width: 0,
    };
    // `LOAD_CONST None; RETURN_VALUE`: what says which features 3.8 has.
    let (code, consts) = (vec![100, 0, 83, 0], vec![Const::None]);
    let code = CodeObject { code, consts, ..CodeObject::empty(PyVersion(8)) };
    let mut function = decode(&code).expect("a function that returns");
    function.instructions = ops.iter().enumerate().map(instruction).collect();
    function.regions = regions.to_vec();
    let mut graph = Graph::build(&function);
    note_dead_jumps(&mut graph, &function);
    copy_finally_bodies(&mut graph, &function);
    (graph, function)
}

/// The same: a line for each block that is reached.
fn copied(ops: &[Op], regions: &[Region]) -> Vec<String> {
    let (mut graph, function) = copies(ops, regions);
    thread_jumps(&mut graph, &function);
    let mut reached = graph.reverse_postorder().to_vec();
    reached.sort_unstable();
    let number = |block: BlockId| reached.iter().position(|&other| other == block).unwrap_or(usize::MAX);
    let line = |&block: &BlockId| {
        let Block { steps, mut end, region, .. } = graph.blocks[block].clone();
        end.retarget(number);
        let steps: Vec<String> = steps
            .iter()
            .map(|step| if let StepKind::Op(op) = step.kind { format!("{op:?}") } else { String::new() })
            .collect();
        let handler = region.map(|region| {
            let Protection { handler, depth, .. } = graph.regions[region];
            format!(" except {} keeping {depth}", number(handler))
        });
        format!("{} {end:?}{}", steps.join(" "), handler.unwrap_or_default())
    };
    reached.iter().map(line).collect()
}

#[test]
fn each_way_into_a_body_gets_a_copy() {
    // try: return 1 if 2 else ..; finally: del local 0
    let ops = [
        Op::SetupBlock(9),
        Op::SmallInt(2),
        Op::JumpIf(JumpCondition::False, 7),
        Op::SmallInt(1),
        Op::PopBlock,
        Op::CallFinally(9),
        Op::Return,
        Op::PopBlock,
        Op::BeginFinally,
        Op::DeleteLocal(0),
        Op::EndFinally { falls: true },
        RETURN_NONE[0],
        RETURN_NONE[1],
    ];
    assert_eq!(
        copied(&ops, &[region(1, 5, 9, 0), region(7, 8, 9, 0)]),
        [
            " Jump(1)",
            "SmallInt(2) Branch { yes: 2, no: 4 } except 5 keeping 0",
            "SmallInt(1) Jump(7) except 5 keeping 0",
            " Return",
            " Jump(6) except 5 keeping 0",
            "DeleteLocal(0) Reraise",
            "DeleteLocal(0) Jump(8)",
            "DeleteLocal(0) Jump(3)",
            "Common(None) Return",
        ]
    );
}

#[test]
fn a_return_in_a_body_drops_what_each_copy_was_entered_with() {
    // try: del local 0; finally: return 1
    let ops = [
        Op::SetupBlock(4),
        Op::DeleteLocal(0),
        Op::PopBlock,
        Op::BeginFinally,
        Op::PopFinally(false),
        Op::SmallInt(1),
        Op::Return,
    ];
    assert_eq!(
        copied(&ops, &[region(1, 3, 4, 0)]),
        [
            " Jump(1)",
            "DeleteLocal(0) Jump(3) except 2 keeping 0",
            "Pop Pop Pop PopExcept Jump(4)",
            "SmallInt(1) Return",
            "SmallInt(1) Return",
        ]
    );
}

#[test]
fn what_follows_a_return_in_a_body_is_not_shared() {
    // The body of the test above, in a region that the `return` leaves.
    let ops = [
        Op::SetupBlock(4),
        Op::DeleteLocal(0),
        Op::PopBlock,
        Op::BeginFinally,
        Op::SmallInt(1),
        Op::PopFinally(true),
        Op::PopBlock,
        Op::Return,
        Op::Reraise(false),
    ];
    let lines = copied(&ops, &[region(1, 3, 4, 0), region(3, 7, 8, 0)]);
    assert_eq!(lines.iter().filter(|line| line.ends_with(" Return")).count(), 2, "{lines:#?}");
}

#[test]
fn with_calls_its_exit_as_later_compilers_do() {
    // with 7: del local 0
    let ops = [
        Op::SmallInt(7),
        Op::BeforeWith { slots: 1, is_async: false },
        Op::SetupBlock(7),
        Op::Pop,
        Op::DeleteLocal(0),
        Op::PopBlock,
        Op::BeginFinally,
        Op::WithCleanupStart,
        Op::WithCleanupFinish,
        Op::EndFinally { falls: true },
        RETURN_NONE[0],
        RETURN_NONE[1],
    ];
    assert_eq!(
        copied(&ops, &[region(3, 6, 7, 1)]),
        [
            "SmallInt(7) BeforeWith { slots: 1, is_async: false } Jump(1)",
            "Pop DeleteLocal(0) Jump(3) except 2 keeping 1",
            "WithExceptStart Branch { yes: 5, no: 6 }",
            "Common(None) Copy(1) Copy(1) Call { positional: 3, layout: Plain } Pop Jump(7)",
            "Pop Jump(7)",
            "Pop Pop Pop PopExcept Jump(4)",
            " Reraise",
            "Common(None) Return",
        ]
    );
}

#[test]
fn a_try_in_a_body_keeps_the_exception_that_entered_it() {
    // try: del local 0; finally: { try: del local 1; finally: del local 2 }
    let ops = [
        Op::SetupBlock(4),
        Op::DeleteLocal(0),
        Op::PopBlock,
        Op::BeginFinally,
        Op::SetupBlock(8),
        Op::DeleteLocal(1),
        Op::PopBlock,
        Op::BeginFinally,
        Op::DeleteLocal(2),
        Op::EndFinally { falls: true },
        Op::EndFinally { falls: true },
        RETURN_NONE[0],
        RETURN_NONE[1],
    ];
    let lines = copied(&ops, &[region(1, 3, 4, 0), region(5, 7, 8, 1)]);
    let kept = |depth: u32| lines.iter().filter(|line| line.ends_with(&format!("keeping {depth}"))).count();
    assert_eq!((kept(0), kept(6)), (2, 1), "{lines:#?}");
    assert_eq!(lines.iter().filter(|line| line.starts_with("DeleteLocal(2)")).count(), 4, "{lines:#?}");
}

#[test]
fn what_no_compiler_writes_is_left_alone() {
    // The body ends with a value that it was not entered with.
    let ops = [Op::BeginFinally, Op::PopFinally(true), RETURN_NONE[0], RETURN_NONE[1]];
    assert_eq!(copied(&ops, &[]), ["BeginFinally PopFinally(true) Common(None) Return"]);
}

#[test]
fn a_jump_behind_a_call_is_written_whatever_lies_behind_it() {
    // while local 0: (try: continue; finally: del local 0), with a jump that nothing reaches behind the `continue`.
    let ops = [
        Op::LoadLocal(0),
        Op::JumpIf(JumpCondition::False, 12),
        Op::SetupBlock(9),
        Op::PopBlock,
        Op::CallFinally(9),
        Op::Jump(0),
        Op::Jump(7),
        Op::PopBlock,
        Op::BeginFinally,
        Op::DeleteLocal(0),
        Op::EndFinally { falls: true },
        Op::Jump(0),
        RETURN_NONE[0],
        RETURN_NONE[1],
    ];
    let (graph, _) = copies(&ops, &[region(3, 4, 9, 0)]);
    let left: Vec<u32> =
        graph.blocks.iter().filter(|block| block.left_body).map(|block| block.end_offset).collect();
    assert_eq!(left, [10]);
}

#[test]
fn what_lies_behind_a_try_is_known_in_each_copy() {
    // try: del local 0; finally: (try: del local 1; except: pass; else: break), in front of the end of the body.
    let ops = [
        Op::SetupBlock(4),
        Op::DeleteLocal(0),
        Op::PopBlock,
        Op::BeginFinally,
        Op::SetupBlock(8),
        Op::DeleteLocal(1),
        Op::PopBlock,
        Op::Jump(15),
        Op::Pop,
        Op::Pop,
        Op::Pop,
        Op::PopExcept,
        Op::Jump(15),
        Op::EndFinally { falls: false },
        Op::Jump(15),
        Op::EndFinally { falls: true },
        RETURN_NONE[0],
        RETURN_NONE[1],
    ];
    let (mut graph, function) = copies(&ops, &[region(1, 3, 4, 0), region(5, 7, 8, 0)]);
    note_what_lies_behind(&mut graph, &function);
    let inner = graph.regions.iter().filter(|region| graph.blocks[region.handler].start == 16);
    let behind: Vec<Behind> = inner.map(|region| region.behind).collect();
    let ends = |found: &Behind| matches!(found, Behind::Jump(block) if graph.blocks[*block].start == 30);
    assert!(behind.len() == 2 && behind.iter().all(ends) && behind[0] != behind[1], "{behind:?}");
}
