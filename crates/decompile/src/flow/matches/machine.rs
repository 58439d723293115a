//! Executes the tests of a pattern on a symbolic subject.

use std::cell::Cell;

use crate::hash::HashSet;

use depyf_bytecode::{BinaryOp, CompareOp, Op, UnaryOp, VarId};
use depyf_syntax::ast::{Expr, ExprKind, Ident, Literal, Pattern};

use super::checks::{Alternative, Check, Place, PlaceId};
use super::tree::Builder;
use super::{Position, loads, skip_jumps, skip_jumps_in_order, takes_below};
use crate::flow::places::line_of;
use crate::flow::{BlockId, Graph, Step, StepKind, Terminator};
use crate::lift::{Context, Lifter, Temporaries};

/// Patterns nested deeper than this are left alone.
const DEEPEST: usize = 60;

/// What the stack of the machine holds.
#[derive(Clone, Debug)]
enum Item {
    Place(PlaceId),
    /// What MATCH_KEYS or MATCH_CLASS took from a place, or None.
    Group(PlaceId, Box<Check>),
    /// A value that has nothing to do with the subject.
    Code(Vec<Step>),
    /// `len(place)`, less a number.
    Length(PlaceId, i64),
    /// The outcome of a test; `expected` means that it holds.
    Test {
        place: PlaceId,
        check: Box<Check>,
        expected: bool,
    },
    /// An empty dict that is going to hold the rest of a mapping.
    Empty,
    /// A key of a mapping's pattern.
    Key,
}

/// What became of a case or an alternative.
#[derive(Debug)]
pub(super) struct Run {
    pub(super) root: PlaceId,
    pub(super) checks: Vec<(PlaceId, Check)>,
    pub(super) end: Position,
    pub(super) fails: Option<Position>,
    /// Blocks that only the tests lead to.
    pub(super) tested: Vec<BlockId>,
    /// Parts that are still on the stack.
    slots: Vec<PlaceId>,
    /// Whether a name has been stored: that is the last thing that a pattern does.
    stored: bool,
}

/// Several patterns for one place.
struct Meeting {
    alternatives: Vec<Alternative>,
    /// Where they meet.
    end: Position,
    /// Where the last one goes if it fails; the place is still on the stack.
    fails: Option<Position>,
    tested: Vec<BlockId>,
}

/// The machine; one for each case.
pub(super) struct Machine<'a> {
    graph: &'a Graph,
    context: &'a Context<'a>,
    ways_in: &'a [usize],
    pub(super) places: Vec<Place>,
    pub(super) stores: Vec<VarId>,
    /// Copies that were found to start no alternatives.
    plain_copies: HashSet<Position>,
    depth: usize,
    /// The block that the case starts in.
    start: BlockId,
    /// How many more steps and ends of blocks the machines of this function may execute. The tests of a pattern
    /// are looked at a few times; only damaged code leads back into them.
    budget: &'a Cell<usize>,
}

impl<'a> Machine<'a> {
    pub(super) fn new(
        graph: &'a Graph,
        context: &'a Context<'a>,
        ways_in: &'a [usize],
        budget: &'a Cell<usize>,
    ) -> Self {
        Self {
            graph,
            context,
            ways_in,
            places: Vec::new(),
            stores: Vec::new(),
            plain_copies: HashSet::default(),
            depth: 0,
            start: 0,
            budget,
        }
    }

    /// Runs the tests of a case whose subject is on top of the stack, until the subject is gone.
    pub(super) fn case(&mut self, start: Position) -> Option<Run> {
        self.start = start.0;
        self.run(start, false)
    }

    /// Whether a case that tests or captures something starts at a position.
    pub(super) fn follows(&mut self, (block, at): Position) -> bool {
        let copies = match self.graph.blocks[block].steps.get(at).map(|step| &step.kind) {
            Some(StepKind::Op(Op::Copy(1))) => 1,
            _ => 0,
        };
        (0..=copies).any(|skip| {
            let run = self.case((block, at + skip));
            run.is_some_and(|run| !run.checks.is_empty() || run.stored)
        })
    }

    /// The pattern that makes the tests of a case.
    pub(super) fn pattern(&mut self, run: Run, temporaries: &mut Temporaries) -> Option<Pattern> {
        let context = self.context;
        let mut fold =
            |steps: &[Step]| -> Option<Expr> { Some(Lifter::fold(context, temporaries, steps)?.expr) };
        Builder { places: &mut self.places, fold: &mut fold }.root(run.root, run.checks)
    }

    fn place(&mut self) -> PlaceId {
        self.places.push(Place::default());
        self.places.len() - 1
    }

    /// Runs from a position with a place on the stack: to the end of the pattern, or, for an alternative, to
    /// the block where all of them meet.
    fn run(&mut self, start: Position, alternative: bool) -> Option<Run> {
        if self.depth > DEEPEST {
            return None;
        }
        let root = self.place();
        let mut stack = vec![Item::Place(root)];
        let mut run = Run {
            root,
            checks: Vec::new(),
            end: start,
            fails: None,
            tested: Vec::new(),
            slots: Vec::new(),
            stored: false,
        };
        let (mut block, mut at) = start;
        let region = self.graph.blocks[block].region;
        loop {
            self.budget.set(self.budget.get().checked_sub(1)?);
            if stack.is_empty() && !alternative {
                run.end = self.settled_in_order((block, at));
                return Some(run);
            }
            let Some(step) = self.graph.blocks[block].steps.get(at) else {
                let next = match self.graph.blocks[block].end {
                    Terminator::Jump(next) => next,
                    Terminator::Branch { yes, no } => self.branch(&mut stack, &mut run, yes, no)?,
                    _ => return None,
                };
                // Only alternatives meet on the way to a match.
                if self.ways_in[next] > 1 {
                    run.end = (next, 0);
                    run.slots = places(&stack)?;
                    return (alternative || stack.is_empty()).then_some(run);
                }
                if self.graph.blocks[next].region != region && !stack.is_empty() {
                    return None;
                }
                run.tested.extend((!stack.is_empty()).then_some(next));
                (block, at) = (next, 0);
                continue;
            };
            let is = |op: Op, at: usize| match self.graph.blocks[block].steps.get(at).map(|step| &step.kind) {
                Some(StepKind::Op(found)) => *found == op,
                _ => false,
            };
            let starts_alternatives = is(Op::Copy(1), at)
                && matches!(stack.last(), Some(Item::Place(_)))
                && !self.plain_copies.contains(&(block, at));
            if starts_alternatives {
                if let Some(end) = self.alternatives((block, at), &mut stack, &mut run) {
                    (block, at) = end;
                    continue;
                }
                self.plain_copies.insert((block, at));
            }
            // The pattern `_` copies what it is about only to drop it (to 3.11).
            if let Some(&Item::Place(place)) = stack.last()
                && is(Op::Copy(1), at)
                && is(Op::Pop, at + 1)
            {
                self.places[place].is_any = true;
                at += 2;
                continue;
            }
            if alternative && takes_below(step, stack.len()) {
                // What follows the alternatives is short: each may have its copy.
                run.end = (block, at);
                run.slots = places(&stack)?;
                return Some(run);
            }
            run.stored |= self.step(step, &mut stack)?;
            at += 1;
        }
    }

    /// Takes the test at the end of a block. Returns where it goes on if the test holds.
    fn branch(&self, stack: &mut Vec<Item>, run: &mut Run, yes: BlockId, no: BlockId) -> Option<BlockId> {
        let (place, check, expected) = match stack.last()? {
            // To 3.10 a flag lies above what was taken from the place.
            Item::Group(place, check) => (*place, check.clone(), true),
            Item::Test { .. } => match stack.pop()? {
                Item::Test { place, check, expected } => (place, check, expected),
                _ => return None,
            },
            _ => return None,
        };
        let (next, other) = if expected { (yes, no) } else { (no, yes) };
        self.add(run, place, *check, (other, 0), stack.len())?;
        Some(next)
    }

    /// Adds a test that goes to a position if it fails, where so many values have to be dropped. All tests of a
    /// case end up at the same place then.
    fn add(&self, run: &mut Run, place: PlaceId, check: Check, fails: Position, drops: usize) -> Option<()> {
        if run.stored {
            return None;
        }
        let fails = self.dropped(fails, drops)?;
        match run.fails {
            Some(known) if known != fails && !self.same_end(known, fails) => return None,
            Some(_) => {}
            None => run.fails = Some(fails),
        }
        run.checks.push((place, check));
        Some(())
    }

    /// The position behind so many `Pop`.
    fn dropped(&self, mut at: Position, drops: usize) -> Option<Position> {
        for _ in 0..drops {
            at = self.settled(at);
            if !matches!(self.graph.blocks[at.0].steps.get(at.1)?.kind, StepKind::Op(Op::Pop)) {
                return None;
            }
            at.1 += 1;
        }
        Some(self.settled_in_order(at))
    }

    /// The position in the block that does what comes next.
    fn settled(&self, at: Position) -> Position {
        skip_jumps(self.graph, at, |_, _| true)
    }

    /// The same, or what comes before it that tells more.
    fn settled_in_order(&self, at: Position) -> Position {
        skip_jumps_in_order(self.graph, at, self.start)
    }

    /// Whether two positions are copies: they do the same and go on at the same place, if anywhere.
    fn same_end(&self, mut a: Position, mut b: Position) -> bool {
        while let Some(left) = self.budget.get().checked_sub(1) {
            self.budget.set(left);
            (a, b) = (self.settled(a), self.settled(b));
            if a == b {
                return true;
            }
            let (one, two) = (&self.graph.blocks[a.0], &self.graph.blocks[b.0]);
            match (one.steps.get(a.1), two.steps.get(b.1)) {
                _ if one.region != two.region => return false,
                (Some(first), Some(second)) if first.same(second) => (a.1, b.1) = (a.1 + 1, b.1 + 1),
                (None, None) => {
                    return one.end == two.end
                        && matches!(one.end, Terminator::Return | Terminator::Raise(_));
                }
                _ => return false,
            }
        }
        false
    }

    /// Whether the steps at two positions stand on one line, as copies of one step do. What another case does there
    /// may be the same, but its pattern stands on another line.
    fn same_line(&self, a: Position, b: Position) -> bool {
        let line = |at: Position| {
            let (block, at) = self.settled(at);
            let step = self.graph.blocks[block].steps.get(at)?;
            line_of(self.context.function, step.offset)
        };
        line(a) == line(b)
    }

    /// Runs the alternatives that start with a copy of the place on top, if there are several: the first one
    /// leads to another copy if it fails. Returns where they meet.
    fn alternatives(&mut self, start: Position, stack: &mut Vec<Item>, run: &mut Run) -> Option<Position> {
        let Some(&Item::Place(place)) = stack.last() else { return None };
        let (known, stored) = (self.places.len(), self.stores.len());
        self.depth += 1;
        let found = self.meet(start);
        self.depth -= 1;
        let added = found.and_then(|Meeting { alternatives, end, fails, tested }| {
            let count = alternatives.first().map_or(0, |first| first.slots.len());
            let slots: Vec<PlaceId> = (0..count).map(|_| self.place()).collect();
            let check = Check::Or { alternatives, slots: slots.clone() };
            match fails {
                Some(fails) => self.add(run, place, check, fails, stack.len())?,
                None if run.stored => return None,
                None => run.checks.push((place, check)),
            }
            run.tested.extend(tested);
            stack.extend(slots.into_iter().map(Item::Place));
            Some(end)
        });
        if added.is_none() {
            self.places.truncate(known);
            self.stores.truncate(stored);
        }
        added
    }

    /// The alternatives that start at a position, where they meet, and where the last one goes if it fails.
    fn meet(&mut self, start: Position) -> Option<Meeting> {
        let copies = |graph: &Graph, (block, at): Position| {
            let step = graph.blocks[block].steps.get(at);
            matches!(step.map(|step| &step.kind), Some(StepKind::Op(Op::Copy(1))))
        };
        let mut found: Vec<Alternative> = Vec::new();
        let mut tested = Vec::new();
        let mut meeting = None;
        let mut at = start;
        loop {
            let run = self.run((at.0, at.1 + 1), true)?;
            let end = *meeting.get_or_insert(run.end);
            if end != run.end && !(self.same_end(end, run.end) && self.same_line(end, run.end)) {
                return None;
            }
            if found.first().is_some_and(|first| first.slots.len() != run.slots.len()) {
                return None;
            }
            tested.extend(run.tested);
            found.push(Alternative { root: run.root, checks: run.checks, slots: run.slots });
            // The last alternative may match always.
            let fails = run.fails;
            let Some(next) = fails.filter(|&fails| copies(self.graph, fails)) else {
                let alternatives = found;
                return (alternatives.len() > 1).then_some(Meeting {
                    alternatives,
                    end: meeting?,
                    fails,
                    tested,
                });
            };
            tested.extend((next.1 == 0).then_some(next.0));
            at = next;
        }
    }

    /// Executes one step. Returns whether it stored a name.
    fn step(&mut self, step: &Step, stack: &mut Vec<Item>) -> Option<bool> {
        let op = match step.kind {
            StepKind::Op(op) => op,
            StepKind::IsNone { negated: false } => {
                let item = match stack.pop()? {
                    Item::Place(place) => {
                        let check = Box::new(Check::Singleton(Vec::new()));
                        Item::Test { place, check, expected: true }
                    }
                    Item::Group(place, check) => Item::Test { place, check, expected: false },
                    _ => return None,
                };
                stack.push(item);
                return Some(false);
            }
            _ => return None,
        };
        match op {
            Op::Pop => {
                stack.pop()?;
            }
            Op::Copy(depth) => stack.push(stack.get(index(stack, depth)?)?.clone()),
            Op::Swap(depth) => {
                let (top, other) = (index(stack, 1)?, index(stack, depth)?);
                stack.swap(top, other);
            }
            Op::Rot(depth) => {
                let at = index(stack, depth)?;
                stack[at..].rotate_right(1);
            }
            Op::Const(_) | Op::SmallInt(_) | Op::Common(_) => stack.push(Item::Code(vec![step.clone()])),
            load if loads(load) => stack.push(Item::Code(vec![step.clone()])),
            Op::LoadAttr(_)
            | Op::LoadFromDictOrDeref(_)
            | Op::LoadFromDictOrGlobals(_)
            | Op::Unary(UnaryOp::Negative) => match stack.last_mut()? {
                Item::Code(code) => code.push(step.clone()),
                _ => return None,
            },
            Op::BuildTuple(count) => {
                let start = stack.len().checked_sub(count as usize)?;
                let mut code = Vec::new();
                for item in stack.drain(start..) {
                    let Item::Code(part) = item else { return None };
                    code.extend(part);
                }
                code.push(step.clone());
                stack.push(Item::Code(code));
            }
            Op::MatchSequence => self.test(stack, Check::Sequence)?,
            Op::MatchMapping => self.test(stack, Check::Mapping)?,
            Op::GetLen => {
                let Item::Place(place) = *stack.last()? else { return None };
                stack.push(Item::Length(place, 0));
            }
            Op::Compare(compared) => {
                let (right, left) = (stack.pop()?, stack.pop()?);
                let item = match (left, right, compared) {
                    (Item::Place(place), Item::Code(code), CompareOp::Equal) => {
                        Item::Test { place, check: Box::new(Check::Value(code)), expected: true }
                    }
                    (
                        Item::Length(place, 0),
                        Item::Code(code),
                        CompareOp::Equal | CompareOp::GreaterEqual,
                    ) => {
                        let (exact, count) = (compared == CompareOp::Equal, self.number(&code)?);
                        Item::Test { place, check: Box::new(Check::Length { exact, count }), expected: true }
                    }
                    _ => return None,
                };
                stack.push(item);
            }
            Op::Is { negated } => {
                let (right, left) = (stack.pop()?, stack.pop()?);
                let Item::Code(code) = right else { return None };
                let item = match (left, negated) {
                    (Item::Place(place), false) => {
                        Item::Test { place, check: Box::new(Check::Singleton(code)), expected: true }
                    }
                    (Item::Group(place, check), true) => Item::Test { place, check, expected: true },
                    _ => return None,
                };
                stack.push(item);
            }
            Op::Binary(BinaryOp::Subtract) => {
                let (right, left) = (stack.pop()?, stack.pop()?);
                let (Item::Length(place, 0), Item::Code(code)) = (left, right) else { return None };
                stack.push(Item::Length(place, self.number(&code)?));
            }
            Op::Subscript => {
                let (right, left) = (stack.pop()?, stack.pop()?);
                let (place, at) = match (left, right) {
                    (Item::Place(place) | Item::Group(place, _), Item::Code(code)) => {
                        (place, self.number(&code)?)
                    }
                    (Item::Place(place), Item::Length(of, back)) if of == place && back > 0 => (place, -back),
                    _ => return None,
                };
                let child = self.child(place, at);
                stack.push(Item::Place(child));
            }
            Op::Unpack(count) => match stack.pop()? {
                Item::Place(place) | Item::Group(place, _) => {
                    self.places[place].unpacked = Some(count as usize);
                    for at in (0..i64::from(count)).rev() {
                        let child = self.child(place, at);
                        stack.push(Item::Place(child));
                    }
                }
                Item::Code(_) => stack.extend((0..count).map(|_| Item::Key)),
                _ => return None,
            },
            Op::UnpackEx { before, after } => {
                let Item::Place(place) = stack.pop()? else { return None };
                for back in 1..=i64::from(after) {
                    let child = self.child(place, -back);
                    stack.push(Item::Place(child));
                }
                self.places[place].unpacked = Some(usize::from(before) + after as usize);
                let star = self.place();
                self.places[place].star = Some((before as usize, star));
                stack.push(Item::Place(star));
                for at in (0..i64::from(before)).rev() {
                    let child = self.child(place, at);
                    stack.push(Item::Place(child));
                }
            }
            Op::MatchKeys => {
                let [.., Item::Place(place), Item::Code(keys)] = &stack[..] else { return None };
                let item = Item::Group(*place, Box::new(Check::Keys(keys.clone())));
                stack.push(item);
            }
            Op::MatchClass(positional) => {
                let (keywords, class, subject) = (stack.pop()?, stack.pop()?, stack.pop()?);
                let (Item::Place(place), Item::Code(class), Item::Code(keywords)) =
                    (subject, class, keywords)
                else {
                    return None;
                };
                let check = Check::Class { class, positional, keywords };
                stack.push(Item::Group(place, Box::new(check)));
            }
            Op::BuildMap(0) => stack.push(Item::Empty),
            Op::DictUpdate(depth) => {
                let Item::Place(place) = stack.pop()? else { return None };
                let at = index(stack, depth)?;
                if !matches!(stack[at], Item::Empty) {
                    return None;
                }
                stack[at] = Item::Place(self.rest(place));
            }
            Op::CopyDictWithoutKeys => {
                let (Item::Code(_), Some(&Item::Place(place))) = (stack.pop()?, stack.last()) else {
                    return None;
                };
                let rest = self.rest(place);
                stack.push(Item::Place(rest));
            }
            Op::DeleteSubscript => {
                let (Item::Key, Item::Place(_)) = (stack.pop()?, stack.pop()?) else { return None };
            }
            Op::StoreLocal(variable) | Op::StoreDeref(variable) => {
                if let Op::StoreLocal(local) = op {
                    self.stores.push(local);
                }
                let name = self.context.variable(variable);
                self.store(stack, name)?;
                return Some(true);
            }
            Op::StoreName(name) | Op::StoreGlobal(name) => match self.context.names.global(name) {
                ExprKind::Name(name) => {
                    self.store(stack, name)?;
                    return Some(true);
                }
                _ => return None,
            },
            _ => return None,
        }
        Some(false)
    }

    fn test(&self, stack: &mut Vec<Item>, check: Check) -> Option<()> {
        let Item::Place(place) = *stack.last()? else { return None };
        stack.push(Item::Test { place, check: Box::new(check), expected: true });
        Some(())
    }

    fn store(&mut self, stack: &mut Vec<Item>, name: Ident) -> Option<()> {
        let Item::Place(place) = stack.pop()? else { return None };
        self.places[place].names.push(name);
        Some(())
    }

    fn child(&mut self, place: PlaceId, at: i64) -> PlaceId {
        let child = self.place();
        self.places[place].children.push((at, child));
        child
    }

    fn rest(&mut self, place: PlaceId) -> PlaceId {
        let rest = self.place();
        self.places[place].rest = Some(rest);
        rest
    }

    /// The number that a single step pushes.
    fn number(&self, code: &[Step]) -> Option<i64> {
        match code {
            [Step { kind: StepKind::Op(Op::SmallInt(number)), .. }] => Some(i64::from(*number)),
            [Step { kind: StepKind::Op(Op::Const(index)), .. }] => {
                match crate::lift::literal(self.context.code.consts.get(*index as usize)?)? {
                    Literal::Int(number) => number.to_i64(),
                    _ => None,
                }
            }
            _ => None,
        }
    }
}

/// The places on the stack, if nothing else is there.
fn places(stack: &[Item]) -> Option<Vec<PlaceId>> {
    let place = |item: &Item| match item {
        Item::Place(place) => Some(*place),
        _ => None,
    };
    stack.iter().map(place).collect()
}

/// The stack index of a depth.
fn index(stack: &[Item], depth: u32) -> Option<usize> {
    stack.len().checked_sub(depth as usize).filter(|_| depth > 0)
}
