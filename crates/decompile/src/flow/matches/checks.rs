//! What the tests of a pattern are about.

use depyf_syntax::ast::Ident;

use crate::flow::Step;

/// The subject or a part of it; index into [`Machine::places`].
pub(super) type PlaceId = usize;

/// A part of the subject.
#[derive(Clone, Debug, Default)]
pub(super) struct Place {
    /// The names that it is stored to.
    pub(super) names: Vec<Ident>,
    /// Its parts, by index; a negative one counts from the end.
    pub(super) children: Vec<(i64, PlaceId)>,
    /// What UNPACK_EX collects, and how many items come before it.
    pub(super) star: Option<(usize, PlaceId)>,
    /// How many items it is unpacked into, the star not counted. Another length raises.
    pub(super) unpacked: Option<usize>,
    /// Whether `_` was written for it, as in `_ as name`.
    pub(super) is_any: bool,
    /// A mapping without the keys of the pattern.
    pub(super) rest: Option<PlaceId>,
}

/// What is tested of a place.
#[derive(Clone, Debug)]
pub(super) enum Check {
    Sequence,
    Mapping,
    /// `len(place)` is, or is at least, a number.
    Length {
        exact: bool,
        count: i64,
    },
    /// The mapping has the keys of the tuple that the steps make.
    Keys(Vec<Step>),
    /// The place is an instance and has the attributes.
    Class {
        class: Vec<Step>,
        positional: u32,
        keywords: Vec<Step>,
    },
    /// The place equals what the steps compute.
    Value(Vec<Step>),
    /// The place is None, True or False; no steps stand for None.
    Singleton(Vec<Step>),
    /// One of several patterns matches; each leaves the same parts on the stack, which go on as `slots`.
    Or {
        alternatives: Vec<Alternative>,
        slots: Vec<PlaceId>,
    },
}

/// One pattern of several.
#[derive(Clone, Debug)]
pub(super) struct Alternative {
    pub(super) root: PlaceId,
    pub(super) checks: Vec<(PlaceId, Check)>,
    /// What it leaves on the stack.
    pub(super) slots: Vec<PlaceId>,
}
