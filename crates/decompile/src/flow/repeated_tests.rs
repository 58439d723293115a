//! The tests of `while` loops that the code has twice: before the body and behind it (3.10 to 3.13).

use std::mem::discriminant;
use std::ops::Range;

use depyf_bytecode::{Function, Instruction, Op};

use super::target_of;
use crate::hash::{HashMap, HashSet};

/// No test takes more instructions.
const LONGEST: usize = 1024;

/// The offsets of tests in a range of which the code has several for one place in the source: those of a `while` are
/// compiled twice.
pub(super) fn repeated_tests(function: &Function, range: Range<usize>) -> HashSet<u32> {
    let instructions = &function.instructions;
    if instructions[range.clone()].iter().any(|found| found.column.is_some()) {
        repeated_places(&instructions[range])
    } else {
        repeated_runs(instructions, range)
    }
}

/// Where a test stands, and which instruction it is.
type Test = (Option<u32>, Option<u32>, usize);

/// As [`repeated_tests`], where columns are known.
fn repeated_places(instructions: &[Instruction]) -> HashSet<u32> {
    // All jumps of `a and b and c`, and of `a < b < c`, have the place of the whole: what is tested tells them apart, and
    // that all but the last comparison of a chain keep a copy.
    let place = |found: &Instruction| (found.line, found.column);
    let is_test = |test: &Instruction| is_test(test) && test.column.is_some();
    // The truth of an operand has the place of the whole as well.
    let tested = |at: usize| {
        let is_tested = |&before: &usize| !matches!(instructions[before].op, Op::ToBool | Op::Copy(_));
        (at.saturating_sub(3)..at).rev().find(is_tested)
    };
    let local = |tested: usize| match instructions[tested].op {
        Op::LoadLocal(local) => Some(local),
        _ => None,
    };
    // A load in one instruction with the store in front of it, on one line, has the place of that.
    let is_joined = |tested: usize| {
        let before = &instructions[tested.saturating_sub(1)];
        matches!(before.op, Op::StoreLocal(_)) && before.offset == instructions[tested].offset
    };
    // Hardly any two tests of a function have one place, and only those are looked at.
    let tests = instructions.iter().enumerate().filter(|(_, test)| is_test(test));
    let mut places: Vec<_> = tests.map(|(at, test)| (test.line, test.column, at)).collect();
    places.sort_unstable();
    let is_one_place = |a: &Test, b: &Test| (a.0, a.1) == (b.0, b.1);
    let several = places.chunk_by(is_one_place).filter(|equal| equal.len() > 1);
    let several: Vec<usize> = several.flatten().map(|&(.., at)| at).collect();
    // By the place of a test and the local that it tests, a load that has a place of its own.
    let mut loads = HashMap::default();
    for &at in &several {
        if let Some(load) = tested(at).filter(|&load| !is_joined(load))
            && let Some(local) = local(load)
        {
            loads.entry((place(&instructions[at]), local)).or_insert(load);
        }
    }
    let key = |at: usize| {
        let before = &instructions[at.saturating_sub(3)..at];
        let is_link = before.iter().any(|found| matches!(found.op, Op::Copy(_) | Op::Rot(_)));
        let place_of = |load: usize| {
            let known = local(load).filter(|_| is_joined(load));
            let known = known.and_then(|local| loads.get(&(place(&instructions[at]), local)));
            place(&instructions[known.copied().unwrap_or(load)])
        };
        let tested = tested(at).map(place_of);
        (place(&instructions[at]), tested, is_link)
    };
    let mut tests: Vec<_> = several.into_iter().map(|at| (key(at), instructions[at].offset)).collect();
    tests.sort_unstable();
    let several = tests.chunk_by(|a, b| a.0 == b.0).filter(|equal| equal.len() > 1);
    several.flatten().map(|&(_, offset)| offset).collect()
}

/// As [`repeated_tests`], where only lines are known. The test behind the body jumps back to right behind the one before
/// the body; both are the same instructions on the same lines.
fn repeated_runs(instructions: &[Instruction], range: Range<usize>) -> HashSet<u32> {
    let mut found = HashSet::default();
    for (below, test) in range.clone().zip(&instructions[range]) {
        let Op::JumpIf(_, body) = test.op else { continue };
        let above = body as usize;
        if test.line.is_none() || above == 0 || above > below {
            continue;
        }
        let runs =
            instructions[..above].iter().rev().zip(instructions[above..=below].iter().rev()).take(LONGEST);
        // Where they jump to inside of the test is not the same place.
        let jumps = |a: &Instruction, b: &Instruction| {
            target_of(a.op).is_some() && discriminant(&a.op) == discriminant(&b.op)
        };
        let is_same = |a: &Instruction, b: &Instruction| a.line == b.line && (a.op == b.op || jumps(a, b));
        for (a, b) in runs.take_while(|(a, b)| is_same(a, b)).filter(|(a, _)| is_test(a)) {
            found.extend([a.offset, b.offset]);
        }
    }
    found
}

fn is_test(instruction: &Instruction) -> bool {
    matches!(instruction.op, Op::JumpIf(..))
}

#[cfg(test)]
mod tests {
    use depyf_bytecode::JumpCondition::{False, True};
    use depyf_bytecode::decode;
    use depyf_value::PyVersion;

    use super::*;

    /// The tests of `if a: while b and c: d`, of which the second is on a line.
    fn repeated(line: u32) -> Vec<u32> {
        let (test, load) = (|condition, to| Op::JumpIf(condition, to), Op::LoadLocal);
        let ops = [
            (load(0), 1),
            (test(False, 12), 1),
            (load(1), line),
            (test(False, 12), line),
            (load(2), line),
            (test(False, 12), line),
            (load(3), 3),
            (Op::Pop, 3),
            (load(1), 2),
            (test(False, 12), 2),
            (load(2), 2),
            (test(True, 6), 2),
            (Op::Const(0), 4),
            (Op::Return, 4),
        ];
        let code = depyf_bytecode::CodeObject::empty(PyVersion(12));
        let mut function = decode(&code).expect("an empty function");
        let at = |(at, &(op, line)): (usize, &(Op, u32))| Instruction {
            op,
            offset: 2 * at as u32,
            line: Some(line),
            column: None,
            width: 0,
        };
        function.instructions = ops.iter().enumerate().map(at).collect();
        let mut found: Vec<u32> =
            repeated_tests(&function, 0..function.instructions.len()).into_iter().collect();
        found.sort_unstable();
        found
    }

    #[test]
    fn the_tests_of_a_while_are_there_twice() {
        assert_eq!(repeated(2), [6, 10, 18, 22]);
    }

    #[test]
    fn tests_of_other_lines_are_others() {
        assert_eq!(repeated(1), []);
    }
}
