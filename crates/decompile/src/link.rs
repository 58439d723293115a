//! From a source map to a line table, by which debuggers show the source while the bytecode runs.

use crate::hash::{HashMap, HashSet};
use std::collections::BTreeMap;

use depyf_bytecode::{CodeObject, Function, Op, Position, decode, place_instructions};
use depyf_syntax::SourceMapEntry;

use crate::Error;
use crate::flow::target_of;

/// Makes the line table by which a code object stands in the source that it was decompiled to.
///
/// `source` is what was printed and `map` its map; `first_line` is the line of the file at which `source`
/// starts, and that is `co_firstlineno` too. Nothing but the outermost code object is looked at.
///
/// Not every instruction was printed, and what was printed at one place may run at several times. So that
/// lines come in the order in which things happen, instructions that act decide; those that only load or
/// build a value stand where they were printed if that keeps the order, and else with what they are loaded
/// for. A block in which nothing was printed goes on where it was entered from.
///
/// # Errors
/// Where the code cannot be decoded.
pub fn link(
    code: &CodeObject,
    source: &str,
    map: &[SourceMapEntry],
    first_line: u32,
) -> Result<Vec<u8>, Error> {
    let wrong = |error: depyf_bytecode::Error| Error {
        message: error.message.clone(),
        offset: error.offset as u32,
        opcode: String::new(),
        function: code.qualname.to_lossy(),
    };
    let function = decode(code).map_err(wrong)?;
    let lines = Lines::new(source, first_line);
    let printed: HashMap<u32, Position> =
        map.iter().filter_map(|entry| Some((entry.offset, lines.position(entry)?))).collect();
    let head = Position::of_line(Some(first_line));
    let places = places(&function, &printed, head);
    let body = function.instructions.first().map_or(0, |first| first.offset);
    let operations: HashSet<u32> = function.instructions.iter().map(|each| each.offset).collect();
    // What comes before the first operation belongs to the head. An instruction that is no operation, as PRECALL
    // of 3.11, belongs to the next that is: without a line it would make that one begin its line once more. Where
    // control does not come from above it is the END_FOR of a loop, which an exhausted loop jumps over (3.12 and
    // 3.13): it must not begin the line of what follows, because nothing would tell that line.
    let is_jumped_over = |offset: u32| {
        let next = function.instructions.partition_point(|each| each.offset < offset);
        next > 0 && !function.instructions[next - 1].op.falls_through()
    };
    place_instructions(code, first_line, |offset| match places.get(&offset) {
        Some(place) => Some(*place),
        None if offset < body => Some(head),
        None if operations.contains(&offset) || is_jumped_over(offset) => None,
        None => places.range(offset..).next().map(|(_, place)| *place),
    })
    .map_err(wrong)
}

/// The lines of a source, for columns: the map counts characters, a line table bytes.
struct Lines<'a> {
    /// The lines that are not ASCII, by number from 1.
    wide: HashMap<u32, &'a str>,
    count: u32,
    shift: u32,
}

impl<'a> Lines<'a> {
    fn new(source: &'a str, first_line: u32) -> Self {
        let lines = (1_u32..).zip(source.split('\n'));
        let wide = lines.filter(|(_, line)| !line.is_ascii()).collect();
        let count = u32::try_from(source.split('\n').count()).unwrap_or(u32::MAX);
        Self { wide, count, shift: first_line.saturating_sub(1) }
    }

    /// The place of a node in the file; `None` where the map is that of another source.
    fn position(&self, entry: &SourceMapEntry) -> Option<Position> {
        let is_inside = (1..=self.count).contains(&entry.line) && entry.end_line <= self.count;
        is_inside.then(|| Position {
            line: Some(entry.line.saturating_add(self.shift)),
            end_line: Some(entry.end_line.saturating_add(self.shift)),
            column: Some(self.bytes(entry.line, entry.column)),
            end_column: Some(self.bytes(entry.end_line, entry.end_column)),
        })
    }

    fn bytes(&self, line: u32, column: u32) -> u32 {
        let Some(text) = self.wide.get(&line) else { return column };
        text.chars().take(column as usize).map(|letter| letter.len_utf8() as u32).sum()
    }
}

/// How much the place of an operation says about when its line runs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Weight {
    /// It acts, and was printed in the order of what acts.
    Acts,
    /// It computes a value in a way that others may see. In the readable view such values may be printed
    /// behind what acts later.
    Computes,
    /// It keeps a value in a local, which nobody else sees: values computed before may be printed behind it.
    Keeps,
    /// It loads or builds a value that may be printed anywhere behind.
    Loads,
    /// It belongs to what was printed before it.
    Trails,
}

fn weight(op: Op) -> Weight {
    match op {
        Op::Pop | Op::PopBlock | Op::PopExcept | Op::EndSend => Weight::Trails,
        Op::StoreLocal(_) | Op::DeleteLocal(_) => Weight::Keeps,
        Op::LoadAttr(_)
        | Op::Subscript
        | Op::BinarySlice
        | Op::LoadName(_)
        | Op::LoadClassDeref(_)
        | Op::LoadFromDictOrDeref(_)
        | Op::LoadFromDictOrGlobals(_)
        | Op::MakeFunction(_)
        | Op::SetFunctionAttribute(_) => Weight::Computes,
        Op::Nop
        | Op::Copy(_)
        | Op::Swap(_)
        | Op::Rot(_)
        | Op::PushNull
        | Op::Const(_)
        | Op::SmallInt(_)
        | Op::Common(_)
        | Op::LoadLocal(_)
        | Op::LoadLocalAndClear(_)
        | Op::MakeCell(_)
        | Op::LoadDeref(_)
        | Op::LoadClosure(_)
        | Op::LoadGlobal(_)
        | Op::LoadLocals
        | Op::LoadBuildClass
        | Op::Is { .. }
        | Op::ToBool
        | Op::BuildSlice(_)
        | Op::BuildTuple(_)
        | Op::BuildList(_)
        | Op::BuildSet(_)
        | Op::BuildMap(_)
        | Op::BuildConstKeyMap(_)
        | Op::BuildString(_)
        | Op::ListToTuple
        | Op::Jump(_)
        | Op::SetupBlock(_)
        | Op::PushExcInfo
        | Op::BeginFinally => Weight::Loads,
        _ => Weight::Acts,
    }
}

/// Where each operation stands, by offset.
fn places(function: &Function, printed: &HashMap<u32, Position>, head: Position) -> BTreeMap<u32, Position> {
    let instructions = &function.instructions;
    let blocks = blocks(function);
    let mut found: Vec<Option<Position>> = vec![None; instructions.len()];
    let managers = managers(function, printed);
    for block in &blocks {
        place_block(function, printed, &managers, block.clone(), &mut found);
    }
    // What drops an exhausted iterator belongs to its loop. The interpreter skips the first of it, and would
    // miss a line that began there.
    for (at, instruction) in instructions.iter().enumerate() {
        let Op::ForIter { exhausted, .. } = instruction.op else { continue };
        let behind =
            instructions.iter().skip(exhausted as usize).take(2).take_while(|next| next.op == Op::Pop);
        let end = exhausted as usize + behind.count();
        let place = found[at];
        found[exhausted as usize..end].fill(place);
    }
    // For the same reason, what ends an `async for` belongs to its head: what comes next begins its own line.
    for region in &function.regions {
        let is_end = instructions.get(region.handler as usize).is_some_and(|end| end.op == Op::EndAsyncFor);
        if let Some(head) = found.get(region.start as usize).copied().filter(|_| is_end) {
            found[region.handler as usize] = head;
        }
    }
    // Blocks without a place go on where they were entered from; their order is that of control.
    let mut seen = vec![false; blocks.len()];
    let block_at = |at: usize| blocks.partition_point(|block| block.start <= at).saturating_sub(1);
    let mut work = vec![(0, Some(head))];
    work.extend(function.regions.iter().map(|region| (block_at(region.handler as usize), None)));
    work.reverse();
    while let Some((block, entered)) = work.pop() {
        let Some(range) = blocks.get(block).cloned() else { continue };
        if std::mem::replace(&mut seen[block], true) {
            continue;
        }
        if found[range.clone()].iter().all(Option::is_none) {
            found[range.clone()].fill(entered);
        }
        let Some(last) = range.end.checked_sub(1) else { continue };
        let leaving = found[last].or(entered);
        if let Some(target) = target_of(instructions[last].op) {
            work.push((block_at(target as usize), leaving));
        }
        if instructions[last].op.falls_through() && range.end < instructions.len() {
            work.push((block + 1, leaving));
        }
    }
    let mut places = BTreeMap::new();
    for (instruction, place) in instructions.iter().zip(found) {
        // Of what one instruction was split into, the first that has a place.
        if let Some(place) = place {
            places.entry(instruction.offset).or_insert(place);
        }
    }
    places
}

/// Where the `with` statements stand. Their managers are entered and left there.
fn managers(function: &Function, printed: &HashMap<u32, Position>) -> HashSet<Position> {
    let entered = function.instructions.iter().filter(|each| matches!(each.op, Op::BeforeWith { .. }));
    entered.filter_map(|each| printed.get(&each.offset).copied()).collect()
}

/// Gives places to the operations of a block in which anything was printed.
fn place_block(
    function: &Function,
    printed: &HashMap<u32, Position>,
    managers: &HashSet<Position>,
    block: std::ops::Range<usize>,
    found: &mut [Option<Position>],
) {
    let line = |place: &Position| place.line.unwrap_or(0);
    let instructions = &function.instructions;
    // The lines up to which what comes next lets values, and what they are made of, stand.
    let (mut limit, mut next) = (u32::MAX, u32::MAX);
    for at in block.clone().rev() {
        let Some(place) = printed.get(&instructions[at].offset) else { continue };
        match weight(instructions[at].op) {
            // A manager is left where it was entered, above what was computed in its body.
            Weight::Acts if managers.contains(place) => {}
            Weight::Acts => (limit, next) = (line(place), line(place)),
            Weight::Keeps => {}
            Weight::Computes if line(place) > limit => continue,
            Weight::Computes => next = line(place),
            Weight::Loads | Weight::Trails if line(place) > next => continue,
            Weight::Loads | Weight::Trails => {}
        }
        found[at] = Some(*place);
    }
    let mut before = 0;
    for at in block.clone() {
        let Some(place) = found[at] else { continue };
        match weight(instructions[at].op) {
            Weight::Acts => before = line(&place),
            Weight::Keeps => {}
            _ if line(&place) < before => found[at] = None,
            Weight::Computes => before = line(&place),
            Weight::Loads | Weight::Trails => {}
        }
    }
    let mut previous: Option<Position> = None;
    for at in block.clone() {
        if found[at].is_none() && weight(instructions[at].op) == Weight::Trails {
            found[at] = previous;
        }
        previous = found[at].or(previous);
    }
    let mut next = None;
    for at in block.clone().rev() {
        found[at] = found[at].or(next);
        next = found[at];
    }
    for at in block {
        found[at] = found[at].or(previous);
    }
}

/// The basic blocks, as ranges of operations.
fn blocks(function: &Function) -> Vec<std::ops::Range<usize>> {
    let count = function.instructions.len();
    let mut leaders = vec![0, count];
    for (at, instruction) in function.instructions.iter().enumerate() {
        leaders.extend(target_of(instruction.op).map(|target| target as usize));
        if target_of(instruction.op).is_some() || !instruction.op.falls_through() {
            leaders.push(at + 1);
        }
    }
    leaders.extend(function.regions.iter().map(|region| region.handler as usize));
    leaders.retain(|&at| at <= count);
    leaders.sort_unstable();
    leaders.dedup();
    leaders.windows(2).map(|pair| pair[0]..pair[1]).collect()
}
