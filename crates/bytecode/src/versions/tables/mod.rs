//! Numbers, names and shapes of the opcodes, one generated file a version. What an opcode *means* is
//! told elsewhere: `crate::translate`.

mod mnemonic;
mod v3_08;
mod v3_09;
mod v3_10;
mod v3_11;
mod v3_12;
mod v3_13;
mod v3_14;
mod v3_15;

pub(crate) use mnemonic::Mnemonic;

/// What the table of a version says about one opcode.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    pub(crate) number: u8,
    /// The opcode's name.
    pub(crate) mnemonic: Mnemonic,
    /// Whether the argument is read.
    pub(crate) has_arg: bool,
    /// Code units of inline cache behind the instruction.
    pub(crate) caches: u8,
    /// How the argument of a jump is counted.
    pub(crate) jump: Option<Jump>,
}

/// What a jump's argument counts from, and in which direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Jump {
    Absolute,
    Forward,
    Backward,
}

const fn op(number: u8, mnemonic: Mnemonic) -> Row {
    Row { number, mnemonic, has_arg: false, caches: 0, jump: None }
}

impl Row {
    const fn arg(mut self) -> Self {
        self.has_arg = true;
        self
    }

    const fn caches(mut self, units: u8) -> Self {
        self.caches = units;
        self
    }

    const fn absolute(mut self) -> Self {
        self.jump = Some(Jump::Absolute);
        self
    }

    const fn forward(mut self) -> Self {
        self.jump = Some(Jump::Forward);
        self
    }

    const fn backward(mut self) -> Self {
        self.jump = Some(Jump::Backward);
        self
    }
}

/// Who writes an opcode into bytecode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Maker {
    /// The compiler: it is in `co_code` and in `.pyc` files. All others are in neither.
    Compiler,
    /// The specialising interpreter, in place of the compiler's opcode, while the code runs
    /// (3.11 and later).
    Specializer,
    /// `sys.monitoring` and tracing, in place of the compiler's opcode (3.12 and later: INSTRUMENTED_x).
    Monitoring,
    /// The interpreter, for entry frames and traces of its own.
    Interpreter,
}

/// An opcode that only a running interpreter writes: by whom, its number and its name.
pub(crate) type RuntimeRow = (Maker, u8, &'static str);

/// The opcodes of one version, by number.
#[derive(Debug)]
pub(crate) struct OpcodeTable {
    by_number: [Option<Row>; 256],
    runtime: &'static [RuntimeRow],
}

impl OpcodeTable {
    const fn new(rows: &[Row], runtime: &'static [RuntimeRow]) -> Self {
        let mut by_number = [None; 256];
        let mut index = 0;
        while index < rows.len() {
            by_number[rows[index].number as usize] = Some(rows[index]);
            index += 1;
        }
        Self { by_number, runtime }
    }

    /// The row of an opcode; `None` where the version has no such opcode.
    pub(crate) fn get(&'static self, number: u8) -> Option<&'static Row> {
        self.by_number[usize::from(number)].as_ref()
    }

    /// The opcodes that the compiler writes, by number.
    pub(crate) fn rows(&self) -> impl Iterator<Item = &Row> {
        self.by_number.iter().flatten()
    }

    /// The opcodes that only a running interpreter writes, by number.
    pub(crate) fn runtime(&self) -> &'static [RuntimeRow] {
        self.runtime
    }
}

pub(super) static V3_08: OpcodeTable = OpcodeTable::new(v3_08::ROWS, v3_08::RUNTIME);
pub(super) static V3_09: OpcodeTable = OpcodeTable::new(v3_09::ROWS, v3_09::RUNTIME);
pub(super) static V3_10: OpcodeTable = OpcodeTable::new(v3_10::ROWS, v3_10::RUNTIME);
pub(super) static V3_11: OpcodeTable = OpcodeTable::new(v3_11::ROWS, v3_11::RUNTIME);
pub(super) static V3_12: OpcodeTable = OpcodeTable::new(v3_12::ROWS, v3_12::RUNTIME);
pub(super) static V3_13: OpcodeTable = OpcodeTable::new(v3_13::ROWS, v3_13::RUNTIME);
pub(super) static V3_14: OpcodeTable = OpcodeTable::new(v3_14::ROWS, v3_14::RUNTIME);
pub(super) static V3_15: OpcodeTable = OpcodeTable::new(v3_15::ROWS, v3_15::RUNTIME);

/// Makes the enum of all opcode names; the variants are spelled as `dis` spells them.
macro_rules! mnemonics {
    ($($name:ident,)*) => {
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Mnemonic {
            $($name,)*
        }

        impl Mnemonic {
            /// The name as `dis` prints it.
            pub(crate) fn name(self) -> &'static str {
                match self {
                    $(Self::$name => stringify!($name),)*
                }
            }
        }
    };
}
use mnemonics;
