//! The tokens of one logical line, and where it may be broken.
//!
//! A statement is written flat, once; only when it turns out too long does `layout.rs` go over its
//! marks. So a line that fits costs no measuring, and one that does not is never printed twice.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use crate::ast::{Origin, Pairing};
use crate::sink::{Node, Token, TokenKind};

/// How a group breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GroupStyle {
    /// Inside brackets, one item a line, with a comma behind the last.
    Comma,
    /// Inside brackets, without a comma at the end.
    Plain,
    /// As `Plain`, in parentheses that appear only when it breaks.
    Soft,
    /// As `Comma`, in parentheses that appear only when it breaks.
    SoftComma,
    /// No brackets of its own: breaks only where an outer bracket is broken already.
    Chain,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MarkKind {
    Open(GroupStyle),
    /// A break may replace the blank that follows.
    Item,
    Close,
}

/// A place where the line may break, between two bytes of its text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark {
    pub(crate) at: u32,
    /// How many origins come before: those of nodes to which parentheses that appear here belong.
    pub(crate) origins: u32,
    pub(crate) kind: MarkKind,
}

/// A place between two parts of an f-string, where it may end and another begin, which Python joins to one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seam {
    /// Before the brace of a field.
    pub(crate) at: u32,
    /// The letter before the delimiter.
    pub(crate) prefix: &'static str,
    /// The delimiter.
    pub(crate) quote: &'static str,
}

/// A function that is an expression.
#[derive(Debug)]
pub(crate) struct FunctionText {
    /// What its code object is made of: all but what is computed before it is made or called, defaults and the first
    /// iterable. There is at least one piece.
    pub(crate) pieces: Vec<(u32, u32)>,
    pub(crate) origin: Origin,
}

/// One logical line. The buffers are kept from line to line.
#[derive(Debug, Default)]
pub(crate) struct Line {
    pub(crate) text: String,
    pub(crate) tokens: Vec<Token>,
    pub(crate) origins: Vec<Node>,
    pub(crate) marks: Vec<Mark>,
    /// Where f-strings begin and end: nothing may break in them but at a seam.
    pub(crate) solid: Vec<(u32, u32)>,
    /// The functions that are expressions, if equal ones are to stand on lines of their own.
    pub(crate) functions: Vec<FunctionText>,
    /// For each function of the name at hand, which constants those in it are.
    pub(crate) constants: Vec<Vec<(Origin, usize)>>,
    /// The same for each function that is an expression in one of these.
    pub(crate) nested_constants: Vec<Vec<(Origin, usize)>>,
    /// Whether equal functions that are none of these constants are to stand on lines of their own.
    pub(crate) parts_nested: bool,
    /// Whether it makes no difference to that in which other functions they stand.
    pub(crate) parts_holders: bool,
    /// Before the fields of f-strings that stand in no other, in order; if they may end there.
    pub(crate) seams: Vec<Seam>,
    /// The names that go with the one in front of them, or that one.
    pub(crate) pairs: Vec<(u32, Pairing)>,
    /// How many names of definitions it holds.
    pub(crate) definitions: u32,
    /// Only its text and its nodes are asked for: it is not broken, and the sink looks at no token.
    pub(crate) is_bare: bool,
}

impl Line {
    /// An empty line with room for one of usual length.
    pub(crate) fn with_room(is_bare: bool) -> Self {
        if is_bare {
            let (text, origins) = (String::with_capacity(256), Vec::with_capacity(32));
            return Self { text, origins, is_bare, ..Self::default() };
        }
        Self {
            text: String::with_capacity(256),
            tokens: Vec::with_capacity(64),
            origins: Vec::with_capacity(32),
            marks: Vec::with_capacity(32),
            ..Self::default()
        }
    }

    pub(crate) fn clear(&mut self) {
        self.text.clear();
        self.tokens.clear();
        self.origins.clear();
        self.marks.clear();
        self.solid.clear();
        self.functions.clear();
        self.seams.clear();
        self.pairs.clear();
        self.definitions = 0;
    }

    /// Whether a position lies inside of an f-string, behind its first byte.
    pub(crate) fn is_solid(&self, at: u32) -> bool {
        let next = self.solid.partition_point(|&(start, _)| start < at);
        next > 0 && at < self.solid[next - 1].1
    }

    /// Where functions begin, from one on, that are spelled as others of these but are other constants, in order; with a
    /// number that those share which are one constant.
    #[inline]
    pub(crate) fn equal_functions(&self, from: usize) -> Vec<(u32, usize)> {
        // Hardly any line holds two.
        if self.functions.len() < from + 2 { Vec::new() } else { self.several_equal_functions(from) }
    }

    fn several_equal_functions(&self, from: usize) -> Vec<(u32, usize)> {
        let mut found: Vec<(u32, usize)> = Vec::new();
        // The first number that no function has.
        let mut next = 0;
        for mut equal in self.functions_spelled_alike(from) {
            if equal.iter().any(|(_, constant)| *constant != equal[0].1) {
                let most = equal.iter().map(|(_, constant)| *constant).max().unwrap_or(0);
                equal.iter_mut().for_each(|(_, constant)| *constant += next);
                found.append(&mut equal);
                next += most + 1;
            }
        }
        found.sort_unstable();
        found
    }

    /// From where to where the line must not break, in order: between the beginnings of functions that are one constant, their
    /// first lines being a part of it.
    pub(crate) fn joined_functions(&self) -> Vec<(u32, u32)> {
        let mut found: Vec<(u32, u32)> = Vec::new();
        for mut equal in self.functions_spelled_alike(0) {
            equal.sort_unstable_by_key(|&(start, constant)| (constant, start));
            let constants = equal.chunk_by(|a, b| a.1 == b.1).filter(|same| same.len() > 1);
            found.extend(constants.map(|same| (same[0].0, same[same.len() - 1].0)));
        }
        found.sort_unstable();
        // Those that overlap are one.
        found.dedup_by(|next, before| {
            let is_part = next.0 <= before.1;
            before.1 = before.1.max(if is_part { next.1 } else { 0 });
            is_part
        });
        found
    }

    /// Where functions begin, from one on, by what they are spelled as, if that is more than one; with the number of the
    /// constant that each is. Those that stand in different ones are constants of these, and like nothing else.
    fn functions_spelled_alike(&self, from: usize) -> Vec<Vec<(u32, usize)>> {
        let functions = self.functions.get(from..).unwrap_or_default();
        if functions.len() < 2 {
            return Vec::new();
        }
        let text = |&(start, end): &(u32, u32)| &self.text[start as usize..end as usize];
        let mut functions: Vec<(usize, Vec<&str>, u32, Origin)> = (functions.iter())
            .zip(holders(functions))
            .map(|(function, holder)| {
                let holder = if self.parts_holders { 0 } else { holder };
                (holder, function.pieces.iter().map(text).collect(), function.pieces[0].0, function.origin)
            })
            .collect();
        functions.sort_unstable_by(|a, b| (a.0, &a.1, a.2).cmp(&(b.0, &b.1, b.2)));
        let constant = |constants: &[(Origin, usize)], origin: Origin| {
            constants.iter().find(|(known, _)| *known == origin).map(|&(_, constant)| constant)
        };
        let alike = functions.chunk_by(|a, b| (a.0, &a.1) == (b.0, &b.1)).filter(|equal| equal.len() > 1);
        let numbered = alike.map(|equal| {
            let of_one = |constants: &Vec<(Origin, usize)>| -> Vec<Option<usize>> {
                equal.iter().map(|(.., origin)| constant(constants, *origin)).collect()
            };
            // One code object mostly makes all of them.
            let rank = |known: &Vec<Option<usize>>| {
                let numbers = known.iter().flatten();
                (Reverse(numbers.clone().count()), numbers.collect::<BTreeSet<_>>().len())
            };
            // Those that stand in none are constants of the code of that name.
            let tables = if equal[0].0 == 0 { &self.constants } else { &self.nested_constants };
            let known = tables.iter().map(of_one).min_by_key(rank);
            let unknown = |at: usize| if self.parts_nested { at } else { 0 };
            let known = match known.filter(|known| known.iter().flatten().count() > 1) {
                Some(known) => beside(&known),
                None => (0..equal.len()).map(unknown).collect(),
            };
            equal.iter().map(|(_, _, start, _)| *start).zip(known).collect()
        });
        numbered.collect()
    }

    /// About how many instructions it is: each name and constant is one, and so is each operator, keyword and opening bracket.
    pub(crate) fn count_code(&self) -> usize {
        let is_code = |token: &&Token| match token.kind {
            TokenKind::Name
            | TokenKind::Constant
            | TokenKind::Number
            | TokenKind::String
            | TokenKind::Operator
            | TokenKind::Keyword => true,
            TokenKind::Punctuation => {
                let rest = &self.text.as_bytes()[token.start as usize..];
                matches!(rest.first(), Some(b'(' | b'[' | b'{' | b':'))
            }
            TokenKind::Definition | TokenKind::Comment | TokenKind::Space => false,
        };
        self.tokens.iter().filter(is_code).count()
    }

    /// The seam before the field whose expression begins here.
    pub(crate) fn seam_before(&self, expression: u32) -> Option<Seam> {
        let behind = self.seams.partition_point(|seam| seam.at < expression);
        let seam = *self.seams.get(behind.checked_sub(1)?)?;
        let between = &self.text[seam.at as usize..expression as usize];
        // A blank keeps two braces apart.
        matches!(between, "{" | "{ ").then_some(seam)
    }

    /// The last seam between two places of one f-string.
    pub(crate) fn seam_between(&self, from: u32, to: u32) -> Option<Seam> {
        let behind = self.seams.partition_point(|seam| seam.at < to);
        let seam = *self.seams.get(behind.checked_sub(1)?)?;
        let around = self.solid.partition_point(|&(start, _)| start < to);
        let (start, end) = *self.solid.get(around.checked_sub(1)?)?;
        (start < from && from < seam.at && to < end).then_some(seam)
    }

    /// The text of a token.
    pub(crate) fn token_text(&self, index: usize) -> &str {
        let end = self.tokens.get(index + 1).map_or(self.text.len(), |next| next.start as usize);
        self.tokens.get(index).map_or("", |token| &self.text[token.start as usize..end])
    }

    pub(crate) fn position(&self) -> u32 {
        self.text.len() as u32
    }

    // Most texts are constants of a few letters, which inlining makes single stores.
    #[inline(always)]
    pub(crate) fn token(&mut self, kind: TokenKind, text: &str) {
        self.begin(kind);
        self.text.push_str(text);
    }

    /// Begins a token whose text the caller appends to `text`.
    #[inline]
    pub(crate) fn begin(&mut self, kind: TokenKind) {
        self.definitions += u32::from(kind == TokenKind::Definition);
        if !self.is_bare {
            let start = self.position();
            self.tokens.push(Token { kind, start });
        }
    }

    /// Begins a node, and says which it is among those of the line. It ends with the line, unless
    /// [`Line::end_origin`] says otherwise.
    pub(crate) fn origin(&mut self, origin: Origin) -> usize {
        let node = self.origins.len();
        if origin != Origin::NONE {
            self.origins.push(Node { start: self.position(), end: u32::MAX, origin });
        }
        node
    }

    /// Ends an expression that began as `node`.
    pub(crate) fn end_origin(&mut self, node: usize, origin: Origin) {
        let position = self.position();
        // What was printed in another way meanwhile, as a field of an f-string, is no longer there.
        if let Some(node) = self.origins.get_mut(node).filter(|node| node.origin == origin) {
            node.end = position;
        }
    }

    /// Notes how the name that begins here goes with the one in front of it.
    #[inline]
    pub(crate) fn pair(&mut self, pairing: Pairing) {
        if pairing != Pairing::None && !self.is_bare {
            self.pairs.push((self.position(), pairing));
        }
    }

    /// Whether this is the line of a `def` or `class`.
    pub(crate) fn is_definition(&self) -> bool {
        self.definitions > 0
    }

    /// Whether a token is the name behind the `.` of an attribute.
    pub(crate) fn is_attribute(&self, index: usize) -> bool {
        index > 0 && self.tokens[index].kind == TokenKind::Name && self.token_text(index - 1) == "."
    }

    pub(crate) fn mark(&mut self, kind: MarkKind) {
        if !self.is_bare {
            let (at, origins) = (self.position(), self.origins.len() as u32);
            self.marks.push(Mark { at, origins, kind });
        }
    }
}

/// In which other one each function stands, as a number: 0 where it stands in none.
fn holders(functions: &[FunctionText]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..functions.len()).collect();
    let start = |at: usize| functions[at].pieces[0].0;
    let end = |at: usize| functions[at].pieces.last().map_or(0, |&(_, end)| end);
    order.sort_unstable_by_key(|&at| (start(at), Reverse(end(at))));
    let mut found = vec![0; functions.len()];
    // Those that have not ended, each in the one before.
    let mut open: Vec<usize> = Vec::new();
    for at in order {
        while open.pop_if(|around| end(*around) <= start(at)).is_some() {}
        // What a function takes is computed around it.
        let holds = |around: &usize| {
            functions[*around].pieces.iter().any(|&(from, to)| (from..to).contains(&start(at)))
        };
        found[at] = open.iter().rev().find(|&around| holds(around)).map_or(0, |&around| around + 1);
        open.push(at);
    }
    found
}

/// The numbers with what is unknown as the one in front of it, or the first: it is told apart from none.
fn beside(known: &[Option<usize>]) -> Vec<usize> {
    let mut last = known.iter().copied().flatten().next().unwrap_or(0);
    let number = |number: &Option<usize>| {
        last = number.unwrap_or(last);
        last
    };
    known.iter().map(number).collect()
}
