//! Fresh objects of both sides: which stand for each other, and when they stop being fresh.

use super::machine::Shared;
use super::product::{Comparison, Product};
use super::side::{self, Nested, Side};
use super::state::{Content, State};
use super::terms::{FastMap, Kind, Term, Terms};

/// Fresh objects of the source that one of the bytecode may be.
const MOST_CANDIDATES: usize = 32;

impl<'a> Comparison<'a> {
    /// Whether operands of both sides are the same values. Objects that are alike become one value, which
    /// other code knows from here on.
    pub(super) fn unify(&mut self, product: &mut Product, a: &[Term], b: &[Term]) -> bool {
        if a == b && !a.iter().any(|&term| self.shared.terms.has(term, super::terms::SIDED)) {
            return true;
        }
        let mut work: Vec<(Term, Term)> = a.iter().copied().zip(b.iter().copied()).collect();
        let Some(found) = self.correspond(product, &mut work) else { return false };
        for (a, b) in found {
            let symbol = self.shared.terms.symbol(0, 0);
            publish(&mut self.shared, &mut product.sides[0], a, symbol);
            publish(&mut self.shared, &mut product.sides[1], b, symbol);
        }
        true
    }

    /// Makes symbols of the fresh objects of each side that `failed` names or holds, or of all. An object of
    /// one side and the first one of the other that is alike are taken for the same; what has no partner is a
    /// value of its own side. Says whether there was any.
    pub(super) fn publish(
        &mut self,
        product: &mut Product,
        failed: &[Vec<Term>; 2],
        everything: bool,
    ) -> bool {
        let mut found = false;
        for which in [0, 1] {
            let wanted = if everything {
                self.fresh(product, which)
            } else {
                self.objects_in(product, which, &failed[which])
            };
            for object in wanted {
                if product.sides[which].resolved(&self.shared.terms, object) != object {
                    continue;
                }
                found = true;
                // The partner most likely has to become a symbol too.
                let mut candidates = self.objects_in(product, 1 - which, &failed[1 - which]);
                candidates.extend(self.fresh(product, 1 - which));
                candidates
                    .retain(|&other| product.sides[1 - which].resolved(&self.shared.terms, other) == other);
                let paired = candidates.into_iter().take(MOST_CANDIDATES).any(|other| {
                    let pair = if which == 0 { (object, other) } else { (other, object) };
                    self.unify(product, &[pair.0], &[pair.1])
                });
                if !paired {
                    let symbol = self.shared.terms.symbol(0, 0);
                    publish(&mut self.shared, &mut product.sides[which], object, symbol);
                }
            }
        }
        for side in &mut product.sides {
            side.tidy(&mut self.shared.terms);
        }
        found
    }

    /// All fresh objects of a side.
    fn fresh(&mut self, product: &Product, which: usize) -> Vec<Term> {
        let objects = product.sides[which].objects.iter();
        let fresh = objects.filter(|object| object.content != Content::Published);
        let numbers = fresh.map(|object| object.number << 1 | which as u32);
        numbers.map(|number| self.shared.terms.make(Kind::Object, number, &[])).collect()
    }

    /// The fresh objects that terms are or hold.
    fn objects_in(&self, product: &Product, which: usize, held: &[Term]) -> Vec<Term> {
        let terms = &self.shared.terms;
        let mut found = Vec::new();
        let mut work = held.to_vec();
        let mut seen: FastMap<Term, ()> = FastMap::default();
        while let Some(term) = work.pop() {
            if terms.has(term, super::terms::SIDED) && seen.insert(term, ()).is_none() {
                if product.sides[which].object(terms, term).is_some() {
                    found.push(term);
                }
                work.extend_from_slice(terms.children(term));
            }
        }
        found.sort_unstable();
        found
    }

    /// Pairs the fresh objects that make the terms equal; `None` where nothing does.
    fn correspond(&mut self, product: &Product, work: &mut Vec<(Term, Term)>) -> Option<Vec<(Term, Term)>> {
        let mut partner: FastMap<Term, Term> = FastMap::default();
        let mut pairs = Vec::new();
        let mut seen: FastMap<(Term, Term), ()> = FastMap::default();
        while let Some((a, b)) = work.pop() {
            let terms = &self.shared.terms;
            let a = product.sides[0].resolved(terms, a);
            let b = product.sides[1].resolved(terms, b);
            let sided = terms.has(a, super::terms::SIDED) || terms.has(b, super::terms::SIDED);
            if !sided {
                if a != b {
                    return None;
                }
                continue;
            }
            if seen.insert((a, b), ()).is_some() {
                continue;
            }
            let (x, y) = (terms.node(a), terms.node(b));
            if x.kind != y.kind {
                return None;
            }
            match x.kind {
                Kind::Code => {
                    let pair = (x.payload >> 1, y.payload >> 1);
                    if !self.same_header(pair) {
                        return None;
                    }
                    if !self.nested.contains(&pair) {
                        self.nested.push(pair);
                    }
                }
                Kind::Object => {
                    match (partner.get(&a), partner.get(&b)) {
                        (None, None) => {}
                        (Some(&known), _) if known == b => continue,
                        _ => return None,
                    }
                    partner.insert(a, b);
                    partner.insert(b, a);
                    let (first, second) =
                        (product.sides[0].object(terms, a)?, product.sides[1].object(terms, b)?);
                    let (mut first_items, mut second_items) = (first.items.clone(), second.items.clone());
                    let contents = [first.content, second.content];
                    if contents[0] == Content::Set {
                        for items in [&mut first_items, &mut second_items] {
                            *items = with_sorted_constants(&mut self.shared.terms, items);
                        }
                    }
                    if contents[0] != contents[1] || first_items.len() != second_items.len() {
                        return None;
                    }
                    pairs.push((a, b));
                    if contents[0] == Content::Function {
                        self.drop_unused_cells(&mut first_items, &second_items);
                    }
                    work.extend(first_items.into_iter().zip(second_items));
                }
                _ => {
                    let (first, second) = (terms.children(a), terms.children(b));
                    if x.payload != y.payload || first.len() != second.len() {
                        return None;
                    }
                    work.extend(first.iter().copied().zip(second.iter().copied()));
                }
            }
        }
        Some(pairs)
    }

    /// Leaves cells out of the original's closure that its code never uses, where the source has fewer: only
    /// who looks into `__closure__` could tell.
    fn drop_unused_cells(&mut self, original: &mut [Term], source: &[Term]) {
        let (&[code, _, _, _, closure, _], &[lowered, _, _, _, other, _]) = (&*original, source) else {
            return;
        };
        let terms = &mut self.shared.terms;
        let nested = |side: &Side<'a>, code: Term| {
            side.nested.get(terms.node(code).payload as usize >> 1).copied().flatten()
        };
        let (Some(Nested::Code(code)), Some(second)) =
            (nested(&self.sides[0], code), nested(&self.sides[1], lowered))
        else {
            return;
        };
        let cells = terms.children(closure).to_vec();
        let free = second.free_variables();
        let fewer = code.freevars.len() == cells.len() && free.len() < cells.len();
        if !fewer || terms.children(other).len() != free.len() {
            return;
        }
        let unused = side::unused_free_variables(code);
        let kept: Vec<Term> = code
            .freevars
            .iter()
            .zip(cells)
            .filter(|(name, _)| free.contains(name) || !unused.contains(name))
            .map(|(_, cell)| cell)
            .collect();
        original[4] =
            if kept.is_empty() { terms.make(Kind::Junk, 0, &[]) } else { terms.make(Kind::Tuple, 0, &kept) };
    }

    fn same_header(&self, (a, b): (u32, u32)) -> bool {
        let nested = |which: usize, at: u32| -> Option<Nested<'a>> {
            self.sides[which].nested.get(at as usize).copied().flatten()
        };
        match (nested(0, a), nested(1, b)) {
            (Some(a), Some(b)) => {
                let [a, b] = super::headers(a, b);
                a == b
            }
            _ => false,
        }
    }
}

/// Other code knows the object as `symbol` from here on.
fn publish(shared: &mut Shared, state: &mut State, object: Term, symbol: Term) {
    if let Some(object) = state.object_mut(&shared.terms, object) {
        object.content = Content::Published;
        object.items = vec![symbol];
    }
}

/// The items of a set with those sorted that are constants side by side: nobody sees the order in which they were added.
/// Of those that are equal the set keeps the first.
pub(super) fn with_sorted_constants(terms: &mut Terms, items: &[Term]) -> Vec<Term> {
    let mut sorted = Vec::with_capacity(items.len());
    for run in items.chunk_by(|&a, &b| terms.is_constant(a) && terms.is_constant(b)) {
        sorted.push(run.to_vec());
    }
    for run in sorted.iter_mut().filter(|run| run.len() > 1) {
        let mut known: FastMap<Term, ()> = FastMap::default();
        run.retain(|&item| known.insert(terms.equal_constant(item), ()).is_none());
        run.sort_unstable();
    }
    sorted.concat()
}
