//! The product of both sides: every pair of places that they reach together.
//!
//! Each side runs to its next effect. Both effects must agree in kind and operands; their results are symbols
//! that both sides share. Then both go on: behind the effect, in their handlers, or both out of the function.
//! Where several ways meet, what differs between them is generalised (`merge.rs`), until nothing changes.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use depyf_bytecode::{Op, VarId};

use super::effects::{Effect, EffectKind};
use super::machine::{Machine, Shared, Stop};
use super::merge;
use super::objects::with_sorted_constants;
use super::side::{Side, Which};
use super::state::{Content, PROPAGATES, State, Stuck};
use super::terms::{FastMap, INCOMPLETE, Kind, LOOKS, NONE, TEXT, Term};
use crate::dynamo::StackParameters;

/// Visits of an effect that each instruction may need, on average.
const MOST_VISITS: usize = 40;

/// Facts that are kept; forgetting one is no error.
const MOST_FACTS: usize = 12;

/// Both sides at a time.
#[derive(Clone, Debug)]
pub(super) struct Product {
    pub(super) sides: [State; 2],
    /// Truth values that the way here decided.
    pub(super) facts: Vec<(Term, bool)>,
    /// A place that several ways lead to was passed since the last effect.
    joined: bool,
}

/// Where the comparison failed.
#[derive(Debug)]
pub(super) struct Mismatch {
    pub(super) message: String,
    /// The instruction of the original.
    pub(super) at: u32,
    /// The instruction of the source.
    pub(super) source: u32,
}

/// A pair of places where ways meet.
type Place = (u32, u32, u32, u32);

/// A state at a join, and whether it waits to be explored.
struct Point {
    product: Product,
    waits: bool,
    place: Place,
}

/// The comparison of two functions.
pub(super) struct Comparison<'a> {
    pub(super) shared: Shared,
    pub(super) sides: [Side<'a>; 2],
    /// Nested code objects that were compared by their headers: an index of each side's constants.
    pub(super) nested: Vec<(u32, u32)>,
    points: Vec<Point>,
    known: FastMap<Place, usize>,
    queue: BinaryHeap<Reverse<(u32, u32, usize)>>,
}

impl<'a> Comparison<'a> {
    pub(super) fn new(shared: Shared, sides: [Side<'a>; 2]) -> Self {
        Self {
            shared,
            sides,
            nested: Vec::new(),
            points: Vec::new(),
            known: FastMap::default(),
            queue: BinaryHeap::new(),
        }
    }

    /// Explores everything that both sides reach.
    pub(super) fn run(&mut self) -> Result<(), Mismatch> {
        let length = self.sides[0].code.len() + self.sides[1].code.len();
        let mut left = MOST_VISITS * length + 1000;
        let mut work = vec![self.start()];
        loop {
            if let Some(product) = work.pop() {
                self.follow(product, &mut work, &mut left)?;
                continue;
            }
            let Some(Reverse((_, _, point))) = self.queue.pop() else { return Ok(()) };
            self.points[point].waits = false;
            work.push(self.points[point].product.clone());
        }
    }

    fn start(&mut self) -> Product {
        let terms = &mut self.shared.terms;
        let handled = terms.symbol(0, super::machine::BARE);
        let StackParameters { texts, containers } = &self.shared.stacked;
        let has =
            |known: &[VarId], id: usize, flag: u8| if known.contains(&(id as VarId)) { flag } else { 0 };
        let flags = |id: usize| has(texts, id, TEXT) | has(containers, id, INCOMPLETE);
        let parameters: Vec<Term> =
            (0..self.sides[0].parameters).map(|id| terms.symbol(flags(id), 0)).collect();
        let unbound = terms.leaf(Kind::Unbound);
        let state = |side: &Side<'_>| {
            let mut locals = parameters.clone();
            locals.resize(side.variables.len().max(parameters.len()), unbound);
            State { locals, handled, ..State::empty() }
        };
        Product { sides: [state(&self.sides[0]), state(&self.sides[1])], facts: Vec::new(), joined: false }
    }

    fn machine<'m>(&'m mut self, product: &'m mut Product, which: Which) -> Machine<'m, 'a> {
        Machine {
            shared: &mut self.shared,
            side: &self.sides[which as usize],
            state: &mut product.sides[which as usize],
            facts: &product.facts,
        }
    }

    fn stuck(&self, product: &Product, which: Which, why: Stuck) -> Mismatch {
        let side = if which == Which::Original { "the bytecode" } else { "the source" };
        self.mismatch(product, format!("{side} is not understood: {why}"))
    }

    fn mismatch(&self, product: &Product, message: String) -> Mismatch {
        Mismatch { message, at: product.sides[0].at, source: product.sides[1].at }
    }

    /// Runs a side to its next effect.
    fn advance(&mut self, product: &mut Product, which: Which) -> Result<Stop, Mismatch> {
        let mut joined = product.joined;
        let stop = self.machine(product, which).advance(&mut joined);
        product.joined = joined;
        stop.map_err(|why| self.stuck(product, which, why))
    }

    /// Follows one way until it ends or meets another.
    fn follow(
        &mut self,
        mut product: Product,
        work: &mut Vec<Product>,
        left: &mut usize,
    ) -> Result<(), Mismatch> {
        loop {
            self.count_state(left, &product)?;
            let mut stops =
                [self.advance(&mut product, Which::Original)?, self.advance(&mut product, Which::Source)?];
            for which in [Which::Original, Which::Source] {
                while stops[which as usize] == Stop::Effect
                    && !self.test_the_same(&product, stops)
                    && self.machine(&mut product, which).answer_again()
                {
                    // A test may jump to itself for as long as its answer stays.
                    self.count_state(left, &product)?;
                    stops[which as usize] = self.advance(&mut product, which)?;
                }
            }
            // What leaves the function, or stays in it forever without an effect, has nothing to join.
            let leaves = product.sides.iter().all(|state| state.at == PROPAGATES);
            if product.joined && !leaves && !stops.contains(&Stop::Spins) {
                self.meet(&mut product);
                return Ok(());
            }
            product.joined = false;
            if let Some(test) = stops.iter().find_map(|stop| match stop {
                Stop::Decision(test) => Some(*test),
                _ => None,
            }) {
                if product.facts.len() >= MOST_FACTS {
                    product.facts.remove(0);
                }
                let mut other = product.clone();
                other.facts.push((test, false));
                work.push(other);
                product.facts.push((test, true));
                continue;
            }
            if !self.effect(&mut product, stops, work)? {
                return Ok(());
            }
        }
    }

    fn count_state(&self, left: &mut usize, product: &Product) -> Result<(), Mismatch> {
        *left = left.checked_sub(1).ok_or_else(|| self.mismatch(product, "too many states".to_owned()))?;
        Ok(())
    }

    /// Whether both sides ask once more for the truth of one value, and both for that of a copy or both of the value
    /// itself.
    fn test_the_same(&self, product: &Product, stops: [Stop; 2]) -> bool {
        let [original, source] = &product.sides;
        let is_test = |which: usize| {
            let op = self.sides[which].op(product.sides[which].at);
            let is_test =
                matches!(op, Some(Op::JumpIf(..) | Op::JumpIfOrPop(..) | Op::ToBool | Op::Unary(_)));
            stops[which] == Stop::Effect && is_test
        };
        let keeps = |which: Which| self.sides[which as usize].keeps_tested(product.sides[which as usize].at);
        self.sides[Which::Original as usize].asks_again(original)
            && keeps(Which::Original) == keeps(Which::Source)
            && is_test(Which::Original as usize)
            && is_test(Which::Source as usize)
            && original.stack.last() == source.stack.last()
    }

    /// Joins the state with those that came here before, and explores the result later if it is new.
    fn meet(&mut self, product: &mut Product) {
        let unbound = self.shared.terms.leaf(Kind::Unbound);
        for (state, side) in product.sides.iter_mut().zip(&self.sides) {
            state.tested = None;
            side.own.forget_dead(state, unbound);
            state.tidy(&mut self.shared.terms);
        }
        let [a, b] = &product.sides;
        let answers = u32::from(a.answer != NONE) << 31 | u32::from(b.answer != NONE) << 30;
        let place = (a.at, b.at, a.stack.len() as u32 | answers, b.stack.len() as u32);
        product.joined = false;
        let point = match self.known.get(&place) {
            None => {
                let point = self.points.len();
                self.points.push(Point { product: product.clone(), waits: false, place });
                self.known.insert(place, point);
                point
            }
            Some(&point) => {
                let mut old = self.points[point].product.clone();
                let mut published = false;
                let mut changed = merge::merge(&mut self.shared, &mut old, product);
                // Symbols always combine. Only what has to become one does; at last, everything.
                for attempt in 0..4 {
                    let Err(failed) = &changed else { break };
                    let everything = attempt == 3;
                    published |= self.publish(&mut old, &failed[0], everything);
                    self.publish(product, &failed[1], everything);
                    changed = merge::merge(&mut self.shared, &mut old, product);
                }
                let changed = changed.map(|changed| changed || published);
                if changed == Ok(false) {
                    return;
                }
                self.points[point].product = old;
                point
            }
        };
        if !std::mem::replace(&mut self.points[point].waits, true) {
            let (a, b, ..) = self.points[point].place;
            self.queue.push(Reverse((a, b, point)));
        }
    }

    /// Compares the effects that both sides stand before. Says whether the way goes on.
    fn effect(
        &mut self,
        product: &mut Product,
        stops: [Stop; 2],
        work: &mut Vec<Product>,
    ) -> Result<bool, Mismatch> {
        let places = product.sides.each_ref().map(|state| state.at);
        let handled = product.sides.each_ref().map(|state| state.handled);
        let at = |mut mismatch: Mismatch| {
            [mismatch.at, mismatch.source] = places;
            mismatch
        };
        let mut effects = [Effect::spin(), Effect::spin()];
        for which in [Which::Original, Which::Source] {
            if stops[which as usize] == Stop::Effect {
                let begun = self.machine(product, which).begin();
                effects[which as usize] = begun.map_err(|why| at(self.stuck(product, which, why)))?;
            }
        }
        let [a, b] = &effects;
        if self.goes_on_with_iterator(a, b) {
            let iterator = b.operands[0];
            let done = self.machine(product, Which::Source).finish(&[iterator]);
            done.map_err(|why| at(self.stuck(product, Which::Source, why)))?;
            product.joined |= self.sides[Which::Source as usize].is_join(product.sides[1].at);
            return Ok(true);
        }
        if (a.kind, a.name, a.results) != (b.kind, b.name, b.results) {
            let message = format!("the bytecode does {}, the source {}", self.show(a), self.show(b));
            return Err(at(self.mismatch(product, message)));
        }
        // To 3.10 the name of `except .. as name` is unbound while what left the handler counts as handled.
        let unbinds = self.sides[0].features.six_value_handlers
            && matches!(
                a.kind,
                EffectKind::Op(
                    Op::StoreName(_)
                        | Op::StoreGlobal(_)
                        | Op::StoreDeref(_)
                        | Op::DeleteName(_)
                        | Op::DeleteGlobal(_)
                        | Op::DeleteDeref(_)
                ) | EffectKind::CheckLocal
            );
        let unseen = unbinds || matches!(a.kind, EffectKind::Propagate | EffectKind::Op(Op::Return));
        if !unseen && handled[0] != handled[1] {
            let message = format!("at {} different exceptions are handled", self.show(a));
            return Err(at(self.mismatch(product, message)));
        }
        if a.operands.len() != b.operands.len() || !self.unify(product, &a.operands, &b.operands) {
            let message = format!("{} has other operands in the source", self.show(a));
            return Err(at(self.mismatch(product, message)));
        }
        if let (EffectKind::Call(..), Some(&callee)) = (a.kind, a.operands.first())
            && self.shared.terms.has(callee, LOOKS)
            && !self.locals_agree(product)
        {
            let message = "a call that looks at the locals finds others in the source".to_owned();
            return Err(at(self.mismatch(product, message)));
        }
        if a.raises {
            let spins = a.kind == EffectKind::Spin;
            self.fork_exception(product, places, spins, work).map_err(at)?;
        }
        if a.ends {
            return Ok(false);
        }
        let looks = matches!(a.kind, EffectKind::Op(Op::LoadGlobal(_) | Op::LoadName(_)))
            && self.looks_at_locals(a.name);
        // What Dynamo has converted in an f-string is text, as where such a value is a parameter.
        let is_text = self.shared.goes_on && matches!(a.kind, EffectKind::Op(Op::Convert(_)));
        let flags = a.flags | if looks { LOOKS } else { 0 } | if is_text { TEXT } else { 0 };
        if let EffectKind::Op(Op::ForIter { .. }) = a.kind {
            let mut other = product.clone();
            for which in [Which::Original, Which::Source] {
                let done = self.machine(&mut other, which).exhaust();
                done.map_err(|why| at(self.stuck(product, which, why)))?;
                other.joined |= self.sides[which as usize].is_join(other.sides[which as usize].at);
            }
            work.push(other);
        }
        let results: Vec<Term> = (0..a.results).map(|_| self.shared.terms.symbol(flags, 0)).collect();
        for which in [Which::Original, Which::Source] {
            let done = self.machine(product, which).finish(&results);
            done.map_err(|why| at(self.stuck(product, which, why)))?;
            let state = &product.sides[which as usize];
            product.joined |= state.answer == NONE && self.sides[which as usize].is_join(state.at);
        }
        Ok(true)
    }

    /// Whether the source has a loop of its own for the rest of what a loop of the bytecode goes through: Dynamo broke the graph
    /// inside of that.
    fn goes_on_with_iterator(&self, original: &Effect, source: &Effect) -> bool {
        self.shared.goes_on
            && matches!(original.kind, EffectKind::Op(Op::ForIter { .. }))
            && source.kind == EffectKind::Op(Op::GetIter)
            && original.operands == source.operands
    }

    /// The way on which the effect raises.
    fn fork_exception(
        &mut self,
        product: &Product,
        places: [u32; 2],
        spins: bool,
        work: &mut Vec<Product>,
    ) -> Result<(), Mismatch> {
        let wrapped = self.shared.wraps && self.sides[0].is_generator();
        // From 3.15 on a generator expression calls `iter()` before there is a generator.
        let at_start = |which: usize| self.sides[which].program().starts_with_iterator(places[which]);
        let wrapped = wrapped && !(at_start(0) && at_start(1));
        let [original, source] = self.sides.each_ref().map(Side::program);
        if original.lets_out(places[0], wrapped) && source.lets_out(places[1], false) {
            return Ok(());
        }
        // What interrupts a loop without an effect is a signal, which is no StopIteration: it need not be wrapped.
        if spins && original.lets_out(places[0], false) && source.lets_out(places[1], false) {
            return Ok(());
        }
        let mut other = product.clone();
        let exception = self.shared.terms.symbol(0, 0);
        for which in [Which::Original, Which::Source] {
            let raised = self.machine(&mut other, which).raise(places[which as usize], exception);
            raised.map_err(|why| self.stuck(product, which, why))?;
        }
        other.joined = true;
        work.push(other);
        Ok(())
    }

    /// Whether the function is one of those that look at the locals of who calls them.
    fn looks_at_locals(&self, name: u32) -> bool {
        let text = self.shared.terms.text(name);
        ["locals", "vars", "dir", "eval", "exec"].iter().any(|known| text == known)
    }

    /// Whether both sides have the same locals with the same values. Only the source may have more: what the
    /// decompiler or the lowering named.
    fn locals_agree(&mut self, product: &Product) -> bool {
        let terms = &self.shared.terms;
        let [original, source] = &self.sides;
        let mut work = Vec::new();
        for (at, variable) in original.variables.iter().enumerate().filter(|(_, variable)| variable.is_local)
        {
            let value = product.sides[0].locals[at];
            match source.variables.iter().position(|other| other.name == variable.name) {
                Some(other) => work.push((value, product.sides[1].locals[other])),
                None if terms.kind(value) == Kind::Unbound => {}
                None => return false,
            }
        }
        let named = |text: &depyf_value::PyStr| {
            text.as_wtf8().starts_with(b"__temp_") || text.as_wtf8().starts_with(b".")
        };
        let known = source.variables.iter().enumerate().all(|(at, variable)| {
            !variable.is_local
                || terms.kind(product.sides[1].locals[at]) == Kind::Unbound
                || named(terms.text(variable.name))
                || original.variables.iter().any(|other| other.name == variable.name)
        });
        known && self.values_agree(product, work)
    }

    fn values_agree(&mut self, product: &Product, mut work: Vec<(Term, Term)>) -> bool {
        let most = work.len() + 10_000;
        // What is held twice is compared once: else each level of `x = (x, x)` would double the work.
        let mut seen: FastMap<(Term, Term), ()> = FastMap::default();
        while let Some((a, b)) = work.pop() {
            let terms = &self.shared.terms;
            let a = product.sides[0].resolved(terms, a);
            let b = product.sides[1].resolved(terms, b);
            if a == b || seen.insert((a, b), ()).is_some() {
                continue;
            }
            match (product.sides[0].object(terms, a), product.sides[1].object(terms, b)) {
                (Some(a), Some(b)) if a.content == b.content => {
                    if work.len() > most {
                        return false;
                    }
                    let mut items = [a.items.clone(), b.items.clone()];
                    if a.content == Content::Set {
                        items = items.map(|items| with_sorted_constants(&mut self.shared.terms, &items));
                    }
                    let [items, others] = items;
                    if items.len() != others.len() {
                        return false;
                    }
                    work.extend(items.into_iter().zip(others));
                }
                // Code of one name: what is nested in both is compared for itself.
                _ if terms.kind(a) == Kind::Code && terms.kind(b) == Kind::Code => {
                    let name = |side: &Side<'_>, code: Term| {
                        let nested = side.nested.get(terms.node(code).payload as usize >> 1);
                        nested.copied().flatten().map(|nested| nested.header().name.clone())
                    };
                    let (first, second) = (name(&self.sides[0], a), name(&self.sides[1], b));
                    if first.is_none() || first != second {
                        return false;
                    }
                }
                // A tuple, say, that holds an object of each side.
                _ => {
                    let (first, second) = (terms.node(a), terms.node(b));
                    let (items, others) = (terms.children(a), terms.children(b));
                    let is_alike = (first.kind, first.payload) == (second.kind, second.payload)
                        && items.len() == others.len()
                        && !items.is_empty();
                    if !is_alike || work.len() > most {
                        return false;
                    }
                    work.extend(items.iter().copied().zip(others.iter().copied()));
                }
            }
        }
        true
    }

    /// The effect in words.
    fn show(&self, effect: &Effect) -> String {
        let mut text = match effect.kind {
            EffectKind::Op(op) => {
                let text = format!("{op:?}");
                text.split(['(', ' ']).next().unwrap_or_default().to_owned()
            }
            EffectKind::Call(..) => "a call".to_owned(),
            EffectKind::CheckLocal => "a read of a local that may be unbound".to_owned(),
            EffectKind::Truth => "a truth test".to_owned(),
            EffectKind::Iterate => "an iteration".to_owned(),
            EffectKind::Propagate => "nothing but let an exception out".to_owned(),
            EffectKind::Spin => "nothing, forever".to_owned(),
        };
        if let EffectKind::Op(op @ (Op::Binary(_) | Op::Compare(_) | Op::Unary(_) | Op::Inplace(_))) =
            effect.kind
        {
            text = format!("{op:?}");
        }
        if effect.name != u32::MAX {
            text = format!("{text} of {}", self.shared.terms.text(effect.name).to_lossy());
        }
        text
    }
}
