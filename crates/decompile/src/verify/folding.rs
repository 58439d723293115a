//! What the compiler computes: operators on constants (of numbers: `arithmetic.rs`).
//!
//! Only results that every version gives without an exception are computed; both sides are treated alike, so
//! computing more than a compiler does is no error.

use depyf_bytecode::{BinaryOp, UnaryOp};
use depyf_value::PyStr;

use super::arithmetic::{self, Mixing};
use super::terms::{Atom, FastMap, Kind, Term, Terms};

/// Of how many bytes and code points text is made here, or looked into.
const LONGEST: usize = 4 * 4096;

impl Terms {
    /// Whether a term is a constant, or a tuple of such.
    pub(super) fn is_constant(&self, term: Term) -> bool {
        let mut work = vec![term];
        // What is held twice is looked at once: else each level of `x = (x, x)` would double the work.
        let mut seen: FastMap<Term, ()> = FastMap::default();
        while let Some(term) = work.pop() {
            match self.kind(term) {
                Kind::Constant => {}
                Kind::Tuple if seen.insert(term, ()).is_some() => {}
                Kind::Tuple => work.extend(self.children(term)),
                _ => return false,
            }
        }
        true
    }

    /// The truth of a term where its type and value decide it without running any code.
    pub(super) fn truth(&self, term: Term) -> Option<bool> {
        match self.kind(term) {
            Kind::Constant => Some(match self.as_atom(term)? {
                Atom::None => false,
                Atom::Bool(value) => *value,
                Atom::Ellipsis => true,
                Atom::Int(value) => !value.digits().is_empty(),
                Atom::Float(bits) => f64::from_bits(*bits) != 0.0,
                Atom::Complex(real, imaginary) => {
                    f64::from_bits(*real) != 0.0 || f64::from_bits(*imaginary) != 0.0
                }
                Atom::Str(text) => !text.is_empty(),
                Atom::Bytes(bytes) => !bytes.is_empty(),
                Atom::Opaque(_) => return None,
            }),
            Kind::Tuple => {
                let items = self.children(term);
                let known = items.iter().any(|&item| self.kind(item) != Kind::Star);
                (known || items.is_empty()).then_some(known)
            }
            Kind::FrozenSet => Some(!self.children(term).is_empty()),
            Kind::BuildClass | Kind::Cell | Kind::Slice | Kind::Code => Some(true),
            _ => None,
        }
    }

    /// `op operand`
    pub(super) fn fold_unary(&mut self, op: UnaryOp, operand: Term) -> Option<Term> {
        let atom = match op {
            UnaryOp::Not => Atom::Bool(!self.truth(operand)?),
            _ => arithmetic::unary(op, self.as_atom(operand)?)?,
        };
        Some(self.atom(atom))
    }

    /// `left op right`
    pub(super) fn fold_binary(
        &mut self,
        op: BinaryOp,
        left: Term,
        right: Term,
        mixing: Mixing,
    ) -> Option<Term> {
        match (op, self.kind(left), self.kind(right)) {
            (BinaryOp::Add, Kind::Tuple, Kind::Tuple) => {
                let items = [self.children(left), self.children(right)].concat();
                return Some(self.make(Kind::Tuple, 0, &items));
            }
            (BinaryOp::Multiply, Kind::Tuple, _) => return self.repeated_tuple(left, right),
            (BinaryOp::Multiply, _, Kind::Tuple) => return self.repeated_tuple(right, left),
            _ => {}
        }
        if op == BinaryOp::Multiply {
            let repeated = self.repeated_text(left, right).or_else(|| self.repeated_text(right, left));
            if let Some(text) = repeated {
                return Some(self.atom(text));
            }
        }
        let atom = match (self.as_atom(left)?, self.as_atom(right)?) {
            (Atom::Str(a), Atom::Str(b)) if op == BinaryOp::Add => {
                let joined = [a.as_wtf8(), b.as_wtf8()].concat();
                Atom::Str(PyStr::from_wtf8(&joined)?)
            }
            (Atom::Bytes(a), Atom::Bytes(b)) if op == BinaryOp::Add => {
                Atom::Bytes([&a[..], &b[..]].concat().into())
            }
            (a, b) => arithmetic::binary(op, a, b, mixing)?,
        };
        Some(self.atom(atom))
    }

    /// A constant that equals this one, and is the same for all that are equal: `1` for `1.0`, `True` and `1+0j`.
    pub(super) fn equal_constant(&mut self, term: Term) -> Term {
        // Tuples may be as deep as the function is long, and hold one another many times.
        let mut equal: FastMap<Term, Term> = FastMap::default();
        let mut work = vec![term];
        while let Some(&at) = work.last() {
            let items = if self.kind(at) == Kind::Tuple { self.children(at).to_vec() } else { Vec::new() };
            let known: Option<Vec<Term>> = items.iter().map(|item| equal.get(item).copied()).collect();
            let Some(known) = known else {
                work.extend(items.into_iter().filter(|item| !equal.contains_key(item)));
                continue;
            };
            work.pop();
            let found = match self.as_atom(at).and_then(arithmetic::as_integer) {
                Some(integer) => self.atom(integer),
                None if self.kind(at) == Kind::Tuple => self.make(Kind::Tuple, 0, &known),
                None => at,
            };
            equal.insert(at, found);
        }
        equal[&term]
    }

    fn repeated_tuple(&mut self, tuple: Term, count: Term) -> Option<Term> {
        let count = self.count(count)?;
        let items = self.children(tuple).to_vec();
        let fits = items.len().checked_mul(count).is_some_and(|length| length <= 256);
        fits.then(|| self.make(Kind::Tuple, 0, &items.repeat(count)))
    }

    /// How many items a constant text has.
    pub(super) fn length_of_text(&self, text: Term) -> Option<usize> {
        let length = match self.as_atom(text)? {
            Atom::Str(text) if text.as_wtf8().len() <= LONGEST => text.code_points().count(),
            Atom::Bytes(bytes) if bytes.len() <= LONGEST => bytes.len(),
            _ => return None,
        };
        Some(length)
    }

    /// `text[index]`
    pub(super) fn item_of_text(&mut self, text: Term, index: usize) -> Option<Term> {
        if let Atom::Bytes(bytes) = self.as_atom(text)? {
            let byte = i64::from(*bytes.get(index)?);
            return Some(self.atom(Atom::Int(byte.into())));
        }
        self.part_of_text(text, &[index])
    }

    /// The items of a text at `places`, which lie within it.
    pub(super) fn part_of_text(&mut self, text: Term, places: &[usize]) -> Option<Term> {
        let part = match self.as_atom(text)? {
            Atom::Str(text) => {
                let wtf8 = text.as_wtf8();
                // Whatever is no continuation begins a code point.
                let begins = (0..wtf8.len()).filter(|&at| wtf8[at] & 0xc0 != 0x80);
                let begins: Vec<usize> = begins.chain(std::iter::once(wtf8.len())).collect();
                let taken = places.iter().map(|&at| Some(&wtf8[*begins.get(at)?..*begins.get(at + 1)?]));
                Atom::Str(PyStr::from_wtf8(&taken.collect::<Option<Vec<_>>>()?.concat())?)
            }
            Atom::Bytes(bytes) => {
                let taken = places.iter().map(|&at| bytes.get(at).copied());
                Atom::Bytes(taken.collect::<Option<Vec<u8>>>()?.into())
            }
            _ => return None,
        };
        Some(self.atom(part))
    }

    /// Text that is repeated, up to what compilers compute.
    fn repeated_text(&self, text: Term, count: Term) -> Option<Atom> {
        let count = self.count(count)?;
        let repeated = |text: &[u8]| {
            let fits = text.len().checked_mul(count).is_some_and(|length| length <= LONGEST);
            fits.then(|| text.repeat(count))
        };
        match self.as_atom(text)? {
            Atom::Str(text) => Some(Atom::Str(PyStr::from_wtf8(&repeated(text.as_wtf8())?)?)),
            Atom::Bytes(bytes) => Some(Atom::Bytes(repeated(bytes)?.into())),
            _ => None,
        }
    }

    /// How often something is repeated: what is less than zero counts as zero.
    fn count(&self, term: Term) -> Option<usize> {
        match self.as_atom(term)? {
            Atom::Int(count) => usize::try_from(count.to_i64()?.max(0)).ok(),
            Atom::Bool(count) => Some(usize::from(*count)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tuples_may_be_deep_and_hold_one_another_twice() {
        let mut terms = Terms::new();
        let mut pair = |leaf: Atom| {
            let leaf = terms.atom(leaf);
            let deep = (0..100_000).fold(leaf, |inner, _| terms.make(Kind::Tuple, 0, &[inner]));
            let wide = (0..200).fold(leaf, |inner, _| terms.make(Kind::Tuple, 0, &[inner, inner]));
            assert!(terms.is_constant(deep) && terms.is_constant(wide));
            [terms.equal_constant(deep), terms.equal_constant(wide)]
        };
        let (integer, float) = (pair(Atom::Int(1.into())), pair(Atom::Float(1_f64.to_bits())));
        assert_eq!(integer, float);
        assert_ne!(integer, pair(Atom::Int(2.into())));
    }
}
