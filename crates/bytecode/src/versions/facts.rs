//! The differences by name, and the values that each version has.

use depyf_value::PyVersion;

use super::tables::{self, OpcodeTable};
use crate::function::Features;
use crate::op::CallLayout;

/// How the line table of a version is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LineTableFormat {
    /// `co_lnotab`: increments of address and line (to 3.9).
    Increments,
    /// `co_linetable` of 3.10: lengths and line deltas.
    Ranges,
    /// `co_linetable` with columns (3.11 and later).
    Locations,
}

/// What the argument of LOAD_DEREF and its kin indexes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DerefIndex {
    /// `co_cellvars`, then `co_freevars` (to 3.10).
    CellsThenFree,
    /// The one table that locals are in too (3.11 and later).
    LocalsPlus,
}

/// Where LOAD_GLOBAL and LOAD_ATTR push a NULL when the lowest bit of their argument asks for one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NullFlag {
    /// The argument is the name's index and nothing else.
    Absent,
    /// The NULL goes below the value.
    Below,
    /// The NULL goes above the value.
    Above,
}

/// What follows a FOR_ITER that is exhausted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ForLoopEnd {
    /// FOR_ITER has popped the iterator and jumps behind the loop (to 3.11).
    Direct,
    /// It jumps to END_FOR, which it skips after popping the iterator (3.12).
    PopsIterator,
    /// It skips END_FOR; the POP_TOP or POP_ITER behind that pops the iterator (3.13 and later).
    LeavesIterator,
}

/// Everything that the decoder asks about a version.
#[derive(Debug)]
pub(crate) struct VersionFacts {
    /// The version's opcodes.
    pub(crate) opcodes: &'static OpcodeTable,
    /// What the users of the neutral operations ask.
    pub(crate) features: Features,
    /// Bytes that one step of a jump's argument stands for.
    pub(crate) jump_unit: u32,
    /// How lines are stored.
    pub(crate) line_table: LineTableFormat,
    /// Whether protected regions are in a table; else SETUP_x instructions make them.
    pub(crate) exception_table: bool,
    /// How cells are addressed.
    pub(crate) deref_index: DerefIndex,
    /// LOAD_FAST of a cell gives the cell: there is no LOAD_CLOSURE in `co_code`.
    pub(crate) load_fast_loads_cells: bool,
    /// The flag in the argument of LOAD_GLOBAL.
    pub(crate) global_null: NullFlag,
    /// The flag in the argument of LOAD_ATTR and LOAD_SUPER_ATTR, which loads a method.
    pub(crate) method_flag: NullFlag,
    /// Where CALL finds its callee.
    pub(crate) call_layout: CallLayout,
    /// Where CALL_FUNCTION_EX finds its callee.
    pub(crate) call_ex_layout: CallLayout,
    /// The slot for `**kwargs` of CALL_FUNCTION_EX is always on the stack.
    pub(crate) call_ex_keywords: bool,
    /// MAKE_FUNCTION takes the qualified name from the stack.
    pub(crate) function_name_on_stack: bool,
    /// How far the operator lies to the left in the argument of COMPARE_OP.
    pub(crate) compare_shift: u32,
    /// The bit in the argument of COMPARE_OP that converts the result to a bool.
    pub(crate) compare_bool_flag: u32,
    /// The end of `for` loops.
    pub(crate) for_loop_end: ForLoopEnd,
    /// Stack slots of a loop's iterator.
    pub(crate) iterator_slots: u8,
    /// The lowest two bits in the argument of IMPORT_NAME tell lazy from eager imports.
    pub(crate) lazy_imports: bool,
    /// Ranges of the magic number in the header of a `.pyc` file, both ends included.
    pub(crate) magics: &'static [(u16, u16)],
}

/// The facts of a version; `None` where it is not supported.
pub(crate) fn facts(version: PyVersion) -> Option<&'static VersionFacts> {
    Some(match version {
        PyVersion(8) => &V3_08,
        PyVersion(9) => &V3_09,
        PyVersion(10) => &V3_10,
        PyVersion(11) => &V3_11,
        PyVersion(12) => &V3_12,
        PyVersion(13) => &V3_13,
        PyVersion(14) => &V3_14,
        PyVersion(15) => &V3_15,
        _ => return None,
    })
}

/// The supported versions, oldest first.
pub fn versions() -> impl DoubleEndedIterator<Item = PyVersion> {
    (PyVersion::OLDEST.0..=PyVersion::NEWEST.0).map(PyVersion)
}

/// The version that writes a magic number into its `.pyc` files.
pub(crate) fn version_of_magic(magic: u16) -> Option<PyVersion> {
    versions().find(|&version| {
        facts(version)
            .is_some_and(|facts| facts.magics.iter().any(|&(first, last)| (first..=last).contains(&magic)))
    })
}

// Each version is written as its difference from the one before it.

static V3_08: VersionFacts = FACTS_3_08;
static V3_09: VersionFacts = FACTS_3_09;
static V3_10: VersionFacts = FACTS_3_10;
static V3_11: VersionFacts = FACTS_3_11;
static V3_12: VersionFacts = FACTS_3_12;
static V3_13: VersionFacts = FACTS_3_13;
static V3_14: VersionFacts = FACTS_3_14;
static V3_15: VersionFacts = FACTS_3_15;

const FACTS_3_08: VersionFacts = VersionFacts {
    opcodes: &tables::V3_08,
    features: Features {
        six_value_handlers: true,
        finally_subroutines: true,
        inlined_comprehensions: false,
        deferred_annotations: false,
        docstring_by_flag: false,
        jumps_back_over: false,
        jump_statements_stay: false,
        source_order: true,
        copies_ends: false,
        copies_jumps: false,
        threads_operands: false,
        tests_loops_twice: false,
        negates_comparisons: true,
        borrowing_stops_at_empty_blocks: false,
        copies_implicit_end: false,
        else_before_handlers: false,
        tests_none_by_jump: false,
        places_assertions: false,
        send_drops_iterator: false,
    },
    jump_unit: 1,
    line_table: LineTableFormat::Increments,
    exception_table: false,
    deref_index: DerefIndex::CellsThenFree,
    load_fast_loads_cells: false,
    global_null: NullFlag::Absent,
    method_flag: NullFlag::Absent,
    call_layout: CallLayout::Plain,
    call_ex_layout: CallLayout::Plain,
    call_ex_keywords: false,
    function_name_on_stack: true,
    compare_shift: 0,
    compare_bool_flag: 0,
    for_loop_end: ForLoopEnd::Direct,
    iterator_slots: 1,
    lazy_imports: false,
    magics: &[(3413, 3413)],
};

const FACTS_3_09: VersionFacts = VersionFacts {
    opcodes: &tables::V3_09,
    features: Features { finally_subroutines: false, ..FACTS_3_08.features },
    magics: &[(3425, 3425)],
    ..FACTS_3_08
};

const FACTS_3_10: VersionFacts = VersionFacts {
    opcodes: &tables::V3_10,
    features: Features {
        jump_statements_stay: true,
        copies_ends: true,
        tests_loops_twice: true,
        copies_implicit_end: true,
        ..FACTS_3_09.features
    },
    jump_unit: 2,
    line_table: LineTableFormat::Ranges,
    magics: &[(3438, 3439)],
    ..FACTS_3_09
};

const FACTS_3_11: VersionFacts = VersionFacts {
    opcodes: &tables::V3_11,
    features: Features {
        six_value_handlers: false,
        send_drops_iterator: true,
        copies_ends: false,
        else_before_handlers: true,
        tests_none_by_jump: true,
        ..FACTS_3_10.features
    },
    line_table: LineTableFormat::Locations,
    exception_table: true,
    deref_index: DerefIndex::LocalsPlus,
    global_null: NullFlag::Below,
    call_layout: CallLayout::NullBelow,
    call_ex_layout: CallLayout::NullBelow,
    function_name_on_stack: false,
    magics: &[(3495, 3495)],
    ..FACTS_3_10
};

const FACTS_3_12: VersionFacts = VersionFacts {
    opcodes: &tables::V3_12,
    features: Features {
        inlined_comprehensions: true,
        places_assertions: true,
        send_drops_iterator: false,
        jumps_back_over: true,
        source_order: false,
        copies_ends: true,
        ..FACTS_3_11.features
    },
    method_flag: NullFlag::Below,
    compare_shift: 4,
    for_loop_end: ForLoopEnd::PopsIterator,
    magics: &[(3531, 3531)],
    ..FACTS_3_11
};

const FACTS_3_13: VersionFacts = VersionFacts {
    opcodes: &tables::V3_13,
    features: Features { copies_jumps: true, ..FACTS_3_12.features },
    load_fast_loads_cells: true,
    global_null: NullFlag::Above,
    method_flag: NullFlag::Above,
    call_layout: CallLayout::NullAbove,
    call_ex_layout: CallLayout::NullAbove,
    compare_shift: 5,
    compare_bool_flag: 16,
    for_loop_end: ForLoopEnd::LeavesIterator,
    magics: &[(3571, 3571)],
    ..FACTS_3_12
};

const FACTS_3_14: VersionFacts = VersionFacts {
    opcodes: &tables::V3_14,
    features: Features {
        deferred_annotations: true,
        docstring_by_flag: true,
        tests_loops_twice: false,
        negates_comparisons: false,
        threads_operands: true,
        borrowing_stops_at_empty_blocks: true,
        ..FACTS_3_13.features
    },
    call_ex_keywords: true,
    magics: &[(3627, 3627)],
    ..FACTS_3_13
};

const FACTS_3_15: VersionFacts = VersionFacts {
    opcodes: &tables::V3_15,
    features: Features { borrowing_stops_at_empty_blocks: false, ..FACTS_3_14.features },
    iterator_slots: 2,
    lazy_imports: true,
    magics: &[(3660, 3699)],
    ..FACTS_3_14
};

/// Which of the fields that came with time a live code object has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CodeFields {
    /// `co_linetable`, where older versions have only `co_lnotab` (3.10 and later).
    pub linetable: bool,
    /// `co_qualname` and `co_exceptiontable` (3.11 and later).
    pub qualname_and_exceptiontable: bool,
}

/// The fields of a version's code objects.
#[must_use]
pub fn code_fields(version: PyVersion) -> CodeFields {
    CodeFields { linetable: version >= PyVersion(10), qualname_and_exceptiontable: version >= PyVersion(11) }
}
