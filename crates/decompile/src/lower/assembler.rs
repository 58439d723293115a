//! Operations, labels, protected regions and the height of the stack of one code object.

use depyf_bytecode::{Features, Op, Region, Target, stack_effect};
use depyf_syntax::ast::Origin;

use super::NO_HANDLER;

/// A place that jumps lead to, before its instruction is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Label(u32);

impl Label {
    /// As the target of an operation; [`Assembler::finish`] puts the instruction's index there.
    pub(super) fn target(self) -> Target {
        self.0
    }
}

/// Index of a protection.
type ProtectionId = usize;

/// What protects instructions: a handler, and the protection around it.
#[derive(Clone, Copy, Debug)]
struct Protection {
    handler: Label,
    depth: u32,
    around: Option<ProtectionId>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Place {
    at: Option<u32>,
    /// The height of the stack on the ways that lead here.
    height: Option<u32>,
}

/// Room for the operations of most code objects.
const USUAL: usize = 128;

/// Collects the operations of one code object.
#[derive(Debug)]
pub(super) struct Assembler {
    ops: Vec<Op>,
    /// Where operations begin that belong to another origin than those before. The first have none.
    origins: Vec<(u32, Origin)>,
    origin: Origin,
    /// The operations that jump.
    jumps: Vec<u32>,
    /// Where a label is placed that what stands before it falls into.
    joins: Vec<u32>,
    /// Where another protection comes into force, and which.
    borders: Vec<(u32, Option<ProtectionId>)>,
    labels: Vec<Place>,
    protections: Vec<Protection>,
    innermost: Option<ProtectionId>,
    /// Slots on the stack before the operation `counted`; nobody has asked yet for the height behind it.
    height: u32,
    counted: usize,
    features: Features,
}

/// The protection in force and the height of the stack, to be restored behind a way out.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark {
    innermost: Option<ProtectionId>,
    height: u32,
}

/// What [`Assembler::finish`] gives.
pub(super) struct Assembled {
    pub(super) ops: Vec<Op>,
    pub(super) regions: Vec<Region>,
    /// See [`super::Lowered::joins`].
    pub(super) joins: Vec<u32>,
    /// See [`super::Lowered::locations`].
    pub(super) origins: Vec<(u32, Origin)>,
}

impl Assembler {
    pub(super) fn new(features: Features) -> Self {
        Self {
            ops: Vec::with_capacity(USUAL),
            origins: Vec::new(),
            origin: Origin::NONE,
            jumps: Vec::new(),
            joins: Vec::new(),
            borders: Vec::new(),
            labels: Vec::new(),
            protections: Vec::new(),
            innermost: None,
            height: 0,
            counted: 0,
            features,
        }
    }

    pub(super) fn features(&self) -> Features {
        self.features
    }

    /// How many operations there are.
    pub(super) fn len(&self) -> usize {
        self.ops.len()
    }

    /// Slots on the stack before the next operation.
    pub(super) fn height(&mut self) -> u32 {
        for &op in &self.ops[self.counted..] {
            self.height = self.height.saturating_add_signed(stack_effect(op, false, &self.features) as i32);
        }
        self.counted = self.ops.len();
        self.height
    }

    fn set_height(&mut self, height: u32) {
        self.height = height;
        self.counted = self.ops.len();
    }

    /// Appends an operation. The target of a jump is a [`Label`].
    pub(super) fn emit(&mut self, op: Op, origin: Origin) {
        if let Some(label) = op.target() {
            self.note_jump(op, label);
        }
        if self.origin != origin {
            self.note_origin(origin);
        }
        self.ops.push(op);
    }

    // Apart from what is done about every operation, as few are the first of an origin, or jump.
    #[inline(never)]
    fn note_origin(&mut self, origin: Origin) {
        self.origin = origin;
        self.origins.push((self.ops.len() as u32, origin));
    }

    #[inline(never)]
    fn note_jump(&mut self, op: Op, label: Target) {
        self.jumps.push(self.ops.len() as u32);
        let height = self.height();
        let height = height.saturating_add_signed(stack_effect(op, true, &self.features) as i32);
        self.labels[label as usize].height.get_or_insert(height);
    }

    pub(super) fn label(&mut self) -> Label {
        self.labels.push(Place::default());
        Label((self.labels.len() - 1) as u32)
    }

    /// The next operation is the label's. Where a jump led there before, the stack is as that left it.
    pub(super) fn place(&mut self, label: Label) {
        let at = self.ops.len() as u32;
        let falls = self.ops.last().is_none_or(Op::falls_through);
        if falls && self.joins.last() != Some(&at) {
            self.joins.push(at);
        }
        let place = &mut self.labels[label.0 as usize];
        place.at = Some(at);
        if let Some(height) = place.height {
            self.set_height(height);
        }
    }

    /// Protects what follows; the handler keeps `depth` slots.
    pub(super) fn protect(&mut self, handler: Label, depth: u32) {
        self.labels[handler.0 as usize].height = Some(depth + 1);
        self.protections.push(Protection { handler, depth, around: self.innermost });
        self.set_innermost(Some(self.protections.len() - 1));
    }

    /// Ends the innermost protection.
    pub(super) fn unprotect(&mut self) {
        self.set_innermost(self.innermost.and_then(|id| self.protections[id].around));
    }

    /// What is emitted next is protected by nothing, until [`Assembler::unprotect`].
    pub(super) fn leave_open(&mut self) {
        let around = self.innermost;
        self.protections.push(Protection { handler: Label(NO_HANDLER), depth: 0, around });
        self.set_innermost(Some(self.protections.len() - 1));
    }

    /// Whether anything protects what is emitted.
    pub(super) fn protects(&self) -> bool {
        self.innermost.is_some()
    }

    fn set_innermost(&mut self, innermost: Option<ProtectionId>) {
        if self.innermost == innermost {
            return;
        }
        self.innermost = innermost;
        let at = self.ops.len() as u32;
        // What came into force at this place protects nothing.
        if self.borders.last().is_some_and(|border| border.0 == at) {
            self.borders.pop();
        }
        if self.borders.last().and_then(|border| border.1) != innermost {
            self.borders.push((at, innermost));
        }
    }

    pub(super) fn mark(&mut self) -> Mark {
        Mark { innermost: self.innermost, height: self.height() }
    }

    pub(super) fn restore(&mut self, mark: Mark) {
        self.set_innermost(mark.innermost);
        self.set_height(mark.height);
    }

    /// The operations with their jumps and regions, and where each came from. What is left is empty.
    pub(super) fn finish(&mut self) -> Assembled {
        let end = self.ops.len() as u32;
        let last = end.saturating_sub(1);
        let place = |label: u32| match self.labels.get(label as usize) {
            Some(place) => place.at.unwrap_or(last).min(last),
            None => NO_HANDLER,
        };
        for &jump in &self.jumps {
            let op = &mut self.ops[jump as usize];
            *op = op.target().map_or(*op, |label| op.with_target(place(label)));
        }
        let ends = self.borders.iter().skip(1).map(|border| border.0).chain([end]);
        let protected =
            self.borders.iter().zip(ends).filter_map(|(&(start, id), end)| Some((start, end, id?)));
        let protected = protected.filter(|(start, end, _)| start < end);
        let regions = protected.map(|(start, end, id)| {
            let Protection { handler, depth, .. } = self.protections[id];
            Region { start, end, handler: place(handler.0), depth, lasti: false }
        });
        let (ops, regions, origins) = (self.ops.clone(), regions.collect(), self.origins.clone());
        let joins = self.joins.clone();
        self.ops.clear();
        self.origins.clear();
        self.jumps.clear();
        self.joins.clear();
        self.borders.clear();
        self.labels.clear();
        self.protections.clear();
        (self.origin, self.innermost, self.height, self.counted) = (Origin::NONE, None, 0, 0);
        Assembled { ops, regions, joins, origins }
    }
}
