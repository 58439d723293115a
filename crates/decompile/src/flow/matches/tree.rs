//! Makes the pattern that makes given tests in the given order.

use std::collections::VecDeque;

use depyf_syntax::ast::{Expr, ExprKind, Ident, Literal, Pattern};

use super::checks::{Alternative, Check, Place, PlaceId};
use crate::flow::Step;

/// The tests that are not part of the pattern yet.
type Checks = VecDeque<(PlaceId, Check)>;

/// Makes patterns of tests. The compiler tests a pattern before its parts, and those from left to right; the
/// builder takes the tests in that order, so a pattern that needs another order is never made.
pub(super) struct Builder<'a> {
    pub(super) places: &'a mut Vec<Place>,
    /// The expression that steps compute.
    pub(super) fold: &'a mut dyn FnMut(&[Step]) -> Option<Expr>,
}

impl Builder<'_> {
    /// The pattern of a place that makes all of the tests.
    pub(super) fn root(&mut self, root: PlaceId, checks: Vec<(PlaceId, Check)>) -> Option<Pattern> {
        let mut checks = Checks::from(checks);
        let pattern = self.pattern(root, &mut checks)?;
        checks.is_empty().then_some(pattern)
    }

    fn pattern(&mut self, place: PlaceId, checks: &mut Checks) -> Option<Pattern> {
        let mut pattern = match next(checks, place) {
            None => Pattern::WILDCARD,
            Some(Check::Sequence) => self.sequence(place, checks)?,
            Some(Check::Mapping) => self.mapping(place, checks)?,
            Some(Check::Class { class, positional, keywords }) => {
                self.class(place, &class, positional as usize, &keywords, checks)?
            }
            Some(Check::Value(code)) => Pattern::Value((self.fold)(&code).filter(is_value)?),
            Some(Check::Singleton(code)) => Pattern::Singleton(self.singleton(&code)?),
            Some(Check::Or { alternatives, slots }) => self.or(alternatives, &slots)?,
            Some(Check::Length { .. } | Check::Keys(_)) => return None,
        };
        for name in std::mem::take(&mut self.places[place].names) {
            let inner = match pattern {
                Pattern::As { pattern: None, name: None } if !self.places[place].is_any => None,
                pattern => Some(Box::new(pattern)),
            };
            pattern = Pattern::As { pattern: inner, name: Some(name) };
        }
        Some(pattern)
    }

    fn or(&mut self, alternatives: Vec<Alternative>, slots: &[PlaceId]) -> Option<Pattern> {
        let mut patterns = Vec::with_capacity(alternatives.len());
        for alternative in alternatives {
            // What the alternatives leave is stored behind all of them.
            for (&slot, &place) in slots.iter().zip(&alternative.slots) {
                let names = self.places[slot].names.clone();
                if names.is_empty() {
                    return None;
                }
                self.places[place].names.extend(names);
            }
            patterns.push(self.root(alternative.root, alternative.checks)?);
        }
        let same = patterns.windows(2).all(|pair| {
            let (mut one, mut two) = (Vec::new(), Vec::new());
            names(&pair[0], &mut one);
            names(&pair[1], &mut two);
            one.sort_unstable();
            two.sort_unstable();
            one == two
        });
        same.then_some(Pattern::Or(patterns))
    }

    fn sequence(&mut self, place: PlaceId, checks: &mut Checks) -> Option<Pattern> {
        let length = take_length(checks, place);
        let Place { children, star, unpacked, .. } = self.places[place].clone();
        let child = |at: i64| children.iter().find(|&&(index, _)| index == at).map(|&(_, child)| child);
        let (exact, count) = match length {
            Some((exact, count)) => (exact, usize::try_from(count).ok()?),
            None => (false, 0),
        };
        // An unpacking of another length would raise, and a pattern never does.
        if unpacked.is_some_and(|unpacked| unpacked != count || exact == star.is_some()) {
            return None;
        }
        // Where nothing says where the star is, it stands behind the items that are counted from the front.
        let front = children.iter().map(|&(index, _)| index + 1).max().unwrap_or(0).max(0);
        let back = children.iter().map(|&(index, _)| -index).max().unwrap_or(0).max(0);
        let (front, back) = (usize::try_from(front).ok()?, usize::try_from(back).ok()?);
        let before = match star {
            Some((before, _)) => before,
            None if exact => count,
            None if back > 0 => count.checked_sub(back)?,
            None => count,
        };
        if before < front || before > count || back > count - before || count > MOST_ITEMS {
            return None;
        }
        let mut items = Vec::with_capacity(count + 1);
        for at in 0..before {
            items.push(self.part(child(at as i64), checks)?);
        }
        if !exact {
            let names = star.map(|(_, star)| std::mem::take(&mut self.places[star].names));
            let mut names = names.unwrap_or_default().into_iter();
            items.push(Pattern::Star(names.next()));
            if names.next().is_some() {
                return None;
            }
        }
        for at in (1..=count - before).rev() {
            items.push(self.part(child(-(at as i64)), checks)?);
        }
        Some(Pattern::Sequence(items))
    }

    /// The pattern of a part; one that was never looked at is `_`.
    fn part(&mut self, place: Option<PlaceId>, checks: &mut Checks) -> Option<Pattern> {
        match place {
            Some(place) => self.pattern(place, checks),
            None => Some(Pattern::WILDCARD),
        }
    }

    fn mapping(&mut self, place: PlaceId, checks: &mut Checks) -> Option<Pattern> {
        let least = take_length(checks, place);
        let keys = match next(checks, place) {
            Some(Check::Keys(code)) => items((self.fold)(&code)?)?,
            Some(_) => return None,
            None => Vec::new(),
        };
        let counted = least.is_none_or(|(exact, count)| !exact && count == keys.len() as i64);
        if !counted || !keys.iter().all(is_value_or_singleton) {
            return None;
        }
        let Place { children, rest, .. } = self.places[place].clone();
        let mut entries = Vec::with_capacity(keys.len());
        for (at, key) in keys.into_iter().enumerate() {
            let child = children.iter().find(|&&(index, _)| index == at as i64).map(|&(_, child)| child);
            entries.push((key, self.part(child, checks)?));
        }
        let rest = match rest {
            Some(rest) => Some(self.places[rest].names.pop()?),
            None => None,
        };
        Some(Pattern::Mapping { entries, rest })
    }

    fn class(
        &mut self,
        place: PlaceId,
        class: &[Step],
        positional: usize,
        keywords: &[Step],
        checks: &mut Checks,
    ) -> Option<Pattern> {
        let class = (self.fold)(class).filter(is_dotted)?;
        let names = items((self.fold)(keywords)?)?;
        let children = self.places[place].children.clone();
        let child =
            |at: usize| children.iter().find(|&&(index, _)| index == at as i64).map(|&(_, child)| child);
        let mut first = Vec::new();
        if positional > MOST_ITEMS {
            return None;
        }
        for at in 0..positional {
            first.push(self.part(child(at), checks)?);
        }
        let mut rest = Vec::with_capacity(names.len());
        for (at, name) in names.into_iter().enumerate() {
            let ExprKind::Literal(Literal::Str(name)) = name.kind else { return None };
            rest.push((name, self.part(child(positional + at), checks)?));
        }
        Some(Pattern::Class { class, positional: first, keywords: rest })
    }

    fn singleton(&mut self, code: &[Step]) -> Option<Literal> {
        if code.is_empty() {
            return Some(Literal::None);
        }
        match (self.fold)(code)?.kind {
            ExprKind::Literal(literal @ (Literal::None | Literal::Bool(_))) => Some(literal),
            _ => None,
        }
    }
}

/// Patterns with more items are left alone: the number may come from damaged bytecode.
const MOST_ITEMS: usize = 10_000;

/// The names that a pattern stores; alternatives store the same.
fn names(pattern: &Pattern, found: &mut Vec<Ident>) {
    match pattern {
        Pattern::Value(_) | Pattern::Singleton(_) => {}
        Pattern::Sequence(items) => items.iter().for_each(|item| names(item, found)),
        Pattern::Or(alternatives) => alternatives.iter().take(1).for_each(|first| names(first, found)),
        Pattern::Mapping { entries, rest } => {
            entries.iter().for_each(|(_, value)| names(value, found));
            found.extend(rest.clone());
        }
        Pattern::Class { positional, keywords, .. } => {
            positional.iter().for_each(|item| names(item, found));
            keywords.iter().for_each(|(_, item)| names(item, found));
        }
        Pattern::Star(name) => found.extend(name.clone()),
        Pattern::As { pattern, name } => {
            pattern.iter().for_each(|inner| names(inner, found));
            found.extend(name.clone());
        }
    }
}

/// The next test, if it is one of the place.
fn next(checks: &mut Checks, place: PlaceId) -> Option<Check> {
    match checks.front() {
        Some(&(tested, _)) if tested == place => checks.pop_front().map(|(_, check)| check),
        _ => None,
    }
}

/// The test of the length, if it is the next one: whether it is exact, and the number.
fn take_length(checks: &mut Checks, place: PlaceId) -> Option<(bool, i64)> {
    match checks.front() {
        Some(&(tested, Check::Length { exact, count })) if tested == place => {
            checks.pop_front();
            Some((exact, count))
        }
        _ => None,
    }
}

/// The items of a tuple.
fn items(tuple: Expr) -> Option<Vec<Expr>> {
    let origin = tuple.origin;
    match tuple.kind {
        ExprKind::Tuple(items) => Some(items),
        ExprKind::Literal(Literal::Tuple(items)) => {
            Some(items.into_iter().map(|item| Expr::new(origin, ExprKind::Literal(item))).collect())
        }
        _ => None,
    }
}

/// Whether a pattern may compare with the expression: a dotted name, a number, a string.
fn is_value(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Attribute { .. } => is_dotted(expr),
        ExprKind::Literal(literal) => match literal {
            Literal::Int(_) | Literal::Str(_) | Literal::Bytes(_) => true,
            // No number that a pattern can hold is computed.
            Literal::Float(number) => !number.is_nan(),
            Literal::Complex { real, imag } => !real.is_nan() && !imag.is_nan(),
            _ => false,
        },
        _ => false,
    }
}

fn is_value_or_singleton(expr: &Expr) -> bool {
    is_value(expr) || matches!(expr.kind, ExprKind::Literal(Literal::None | Literal::Bool(_)))
}

fn is_dotted(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Name(_) => true,
        ExprKind::Attribute { value, .. } => is_dotted(value),
        _ => false,
    }
}
