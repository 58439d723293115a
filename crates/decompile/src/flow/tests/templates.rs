//! What Dynamo's templates leave in code that goes on behind a graph break.

use super::*;

/// A function of Dynamo's with two parameters.
fn resumed(ops: &[Op], regions: &[Region]) -> (CodeObject, Function) {
    let (code, function) = function(ops, regions);
    let name = "torch_dynamo_resume_in_f_at_1".into();
    (CodeObject { name, argcount: 2, ..code }, function)
}

#[test]
fn a_constant_that_all_ways_pass_on_to_be_dropped_is_none() {
    let test = [Op::LoadLocal(0), Op::JumpIf(depyf_bytecode::JumpCondition::False, 4)];
    let passes = [Op::SmallInt(1), Op::Jump(5), Op::SmallInt(2), Op::Pop];
    let ops = [test.as_slice(), &passes, &RETURN].concat();
    let undo = |function: &(CodeObject, Function)| {
        let graph = with_context(function, |graph, context, _| undo_templates(graph, context));
        graph.blocks.iter().map(|block| block.steps.len()).collect::<Vec<_>>()
    };
    assert_eq!(undo(&resumed(&ops, &[])), [1, 0, 0, 1, 0]);
    // In code of the user's both are arms of a conditional expression.
    assert_eq!(undo(&function(&ops, &[])), [1, 1, 1, 2, 0]);
    // What one way has evaluated is dropped by all.
    let mut evaluated = ops;
    evaluated[4] = Op::LoadGlobal(0);
    assert_eq!(undo(&resumed(&evaluated, &[])), [1, 1, 1, 2, 0]);
}

#[test]
fn what_never_raises_is_in_the_region_of_what_does() {
    let depths = |first: Op, depth: u32| {
        let ops = [
            first,
            Op::Pop,
            Op::Jump(3),
            Op::LoadGlobal(0),
            Op::Pop,
            RETURN[0],
            RETURN[1],
            Op::Reraise(false),
        ];
        let regions = [region(0, 3, 7, depth), region(3, 5, 7, 2)];
        let resumed = resumed(&ops, &regions);
        let graph = with_context(&resumed, |graph, context, _| undo_templates(graph, context));
        let depth = |block: usize| graph.blocks[block].region.map(|region| graph.regions[region].depth);
        [depth(0), depth(1)]
    };
    assert_eq!(depths(Op::LoadLocal(1), 3), [Some(2), Some(2)]);
    assert_eq!(depths(Op::LoadLocal(1), 1), [Some(2), Some(2)]);
    // The third local is no parameter, and may have no value: both raise, and the depth of one is wrong.
    assert_eq!(depths(Op::LoadLocal(2), 3), [Some(2), Some(2)]);
    assert_eq!(depths(Op::LoadLocal(2), 1), [Some(1), Some(1)]);
}

#[test]
fn locals_that_are_unbound_are_not_unbound_again() {
    let unbinds = |variable: u32| {
        let ops = [[Op::PushNull, Op::StoreLocal(variable)], RETURN].concat();
        let graph = with_context(&resumed(&ops, &[]), |graph, context, _| undo_templates(graph, context));
        graph.blocks[0].steps.len() - 1
    };
    assert_eq!(unbinds(2), 0);
    // A parameter has a value.
    assert_eq!(unbinds(1), 2);
}
