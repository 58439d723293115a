//! Where ways meet: what differs between two states becomes a symbol.
//!
//! A state speaks of all values of its symbols. So a state need not change where a substitution of its symbols
//! gives the other one; else two slots that hold equal terms in both states hold one new symbol, on whichever
//! side they are, and what both sides agree on survives. Each change tells more slots apart or forgets the
//! shape of a term; so the states of a point change finitely often.

use super::machine::{BARE, Shared};
use super::product::Product;
use super::side::Which;
use super::state::{Object, State};
use super::terms::{BOOL, FastMap, INCOMPLETE, Kind, LOOKS, MAYBE_UNBOUND, NONE, OPEN, SIDED, TEXT, Term};

/// Terms nested deeper than this become one symbol.
const DEEPEST: u32 = 40;

/// Terms that hold fresh objects: those of the old state and of the new one, of each side.
pub(super) type Failed = [[Vec<Term>; 2]; 2];

/// The state of one meeting.
struct Merge<'s> {
    shared: &'s mut Shared,
    /// What a pair of terms became.
    known: FastMap<(Term, Term), Term>,
    changed: bool,
    /// Terms of the old and of the new state, on each side, whose objects cannot stay fresh.
    failed: Failed,
}

/// What each symbol of the old state that stays stands for in the new one, by the number of the symbol. Each meeting
/// is a round of its own, so that none has to erase what was noted before.
#[derive(Default)]
pub(super) struct Kept {
    /// The round in which it was noted, and the term.
    noted: Vec<(u64, Term)>,
    round: u64,
}

impl Kept {
    /// What a symbol stands for, if that was asked in this round.
    fn get(&self, symbol: Term) -> Option<Term> {
        let &(round, term) = self.noted.get(symbol as usize)?;
        (round == self.round).then_some(term)
    }

    /// Whether a symbol stands for a term: for the first that is asked for.
    fn stands_for(&mut self, symbol: Term, term: Term) -> bool {
        let at = symbol as usize;
        if at >= self.noted.len() {
            self.noted.resize(at + 1, (0, NONE));
        }
        let noted = &mut self.noted[at];
        if noted.0 != self.round {
            *noted = (self.round, term);
        }
        noted.1 == term
    }
}

/// The states of one side, and the fresh objects of what they become.
struct Pair<'s> {
    which: Which,
    old: &'s State,
    new: &'s State,
    objects: Vec<Object>,
}

/// Generalises `old`, so that `new` is an instance of it, and says whether it changed. An error names the
/// fresh objects that meet something else: they have to be published first.
pub(super) fn merge(shared: &mut Shared, old: &mut Product, new: &Product) -> Result<bool, Failed> {
    let (product, changed) = combine(shared, old, new)?;
    if changed {
        *old = product;
    }
    Ok(changed)
}

fn combine(shared: &mut Shared, old: &Product, new: &Product) -> Result<(Product, bool), Failed> {
    shared.kept.round += 1;
    let mut merge = Merge { shared, known: FastMap::default(), changed: false, failed: Failed::default() };
    let mut product = old.clone();
    for which in [Which::Original, Which::Source] {
        let (a, b) = (&old.sides[which as usize], &new.sides[which as usize]);
        let mut pair = Pair { which, old: a, new: b, objects: Vec::new() };
        let mut result = State { objects: Vec::new(), ..a.clone() };
        for at in 0..a.stack.len().min(b.stack.len()) {
            result.stack[at] = merge.term(&mut pair, a.stack[at], b.stack[at], 0);
        }
        for at in 0..a.locals.len().min(b.locals.len()) {
            result.locals[at] = merge.term(&mut pair, a.locals[at], b.locals[at], 0);
        }
        result.handled = merge.term(&mut pair, a.handled, b.handled, 0);
        if a.answer != NONE && b.answer != NONE {
            result.answer = merge.term(&mut pair, a.answer, b.answer, 0);
        }
        result.objects = pair.objects;
        result.objects.sort_by_key(|object| object.number);
        product.sides[which as usize] = result;
    }
    if merge.failed.iter().flatten().any(|failed| !failed.is_empty()) {
        return Err(merge.failed);
    }
    // A fact stays where it is known in both, of symbols that stand for themselves.
    let (terms, kept) = (&merge.shared.terms, &merge.shared.kept);
    let fixed = |term: Term| match terms.kind(term) {
        Kind::Symbol => kept.get(term) == Some(term),
        _ => !terms.has(term, OPEN),
    };
    let holds = |term: Term| {
        fixed(term)
            || !terms.children(term).is_empty() && terms.children(term).iter().all(|&child| fixed(child))
    };
    let before = product.facts.len();
    product.facts.retain(|fact| new.facts.contains(fact) && holds(fact.0));
    let changed = merge.changed || product.facts.len() != before;
    Ok((product, changed))
}

impl Merge<'_> {
    fn term(&mut self, pair: &mut Pair<'_>, a: Term, b: Term, depth: u32) -> Term {
        let terms = &self.shared.terms;
        if a == b && !terms.has(a, OPEN | SIDED) {
            return a;
        }
        let (x, y) = (terms.node(a), terms.node(b));
        if x.kind == Kind::Symbol && self.keeps(a, b) {
            return a;
        }
        if let Some(&known) = self.known.get(&(a, b)) {
            return known;
        }
        let terms = &self.shared.terms;
        let result = if x.kind == Kind::Symbol || x.kind != y.kind || depth > DEEPEST {
            self.symbol(pair.which, a, b)
        } else if x.kind == Kind::Object {
            return self.object(pair, a, b, depth);
        } else if x.payload == y.payload
            && terms.children(a).len() == terms.children(b).len()
            && !terms.children(a).is_empty()
        {
            let pairs: Vec<(Term, Term)> =
                terms.children(a).iter().copied().zip(terms.children(b).iter().copied()).collect();
            let mut children = Vec::with_capacity(pairs.len());
            for (a, b) in pairs {
                children.push(self.term(pair, a, b, depth + 1));
            }
            self.shared.terms.make(x.kind, x.payload, &children)
        } else if a == b {
            a
        } else {
            self.symbol(pair.which, a, b)
        };
        self.known.insert((a, b), result);
        result
    }

    fn fail(&mut self, which: Which, a: Term, b: Term) {
        self.failed[0][which as usize].push(a);
        self.failed[1][which as usize].push(b);
    }

    /// Whether the old state's symbol `a` can stay, standing for `b` in the new state.
    fn keeps(&mut self, a: Term, b: Term) -> bool {
        let (x, y) = (self.shared.terms.node(a), self.shared.terms.node(b));
        let loses = |flag: u8| x.flags & flag != 0 && y.flags & flag == 0;
        let gains = |flag: u8| x.flags & flag == 0 && y.flags & flag != 0;
        (y.flags & SIDED == 0 || y.kind == Kind::Code)
            && (x.payload == BARE) == (y.payload == BARE)
            && !loses(BOOL)
            && !loses(TEXT)
            && !loses(INCOMPLETE)
            && !gains(MAYBE_UNBOUND)
            && !gains(LOOKS)
            && self.shared.kept.stands_for(a, b)
    }

    /// A new symbol for a pair of terms.
    fn symbol(&mut self, which: Which, a: Term, b: Term) -> Term {
        let terms = &self.shared.terms;
        let (x, y) = (terms.node(a), terms.node(b));
        // So do tuples that hold fresh objects.
        let holds = |kind: Kind, flags: u8| flags & SIDED != 0 && kind != Kind::Code;
        if holds(x.kind, x.flags) || holds(y.kind, y.flags) {
            self.fail(which, a, b);
        }
        let flags = x.flags & y.flags & (BOOL | TEXT) | (x.flags | y.flags) & (MAYBE_UNBOUND | LOOKS);
        self.changed = true;
        self.shared.terms.symbol(flags, 0)
    }

    fn object(&mut self, pair: &mut Pair<'_>, a: Term, b: Term, depth: u32) -> Term {
        let terms = &self.shared.terms;
        let (Some(first), Some(second)) = (pair.old.object(terms, a), pair.new.object(terms, b)) else {
            self.fail(pair.which, a, b);
            return a;
        };
        let taken = pair.objects.iter().any(|object| object.number == first.number);
        // Functions of different code are no longer fresh ones.
        let code = |term: Option<&Term>| term.copied().filter(|&term| terms.kind(term) == Kind::Code);
        let alike = first.content == second.content
            && first.items.len() == second.items.len()
            && code(first.items.first()) == code(second.items.first());
        if !alike || taken || depth > DEEPEST {
            self.fail(pair.which, a, b);
            return a;
        }
        let held: Vec<(Term, Term)> = first.items.iter().copied().zip(second.items.iter().copied()).collect();
        let (number, content) = (first.number, first.content);
        self.known.insert((a, b), a);
        let position = pair.objects.len();
        pair.objects.push(Object { number, content, items: Vec::new() });
        let mut items = Vec::with_capacity(held.len());
        for (a, b) in held {
            items.push(self.term(pair, a, b, depth + 1));
        }
        pair.objects[position].items = items;
        a
    }
}
