//! A listing of the bytecode for people, close to what `dis` prints.

use std::fmt::Write;

use depyf_value::PyStr;

use crate::code::{CodeObject, Const};
use crate::exception_table::exception_rows;
use crate::instructions::{RawInstruction, UNIT, whole_instructions};
use crate::line_table::place_all;
use crate::variables::Variables;
use crate::versions::{Mnemonic, NullFlag, VersionFacts, facts};

/// Columns for the name of an opcode; the few that are longer push their argument to the right.
const NAME_WIDTH: usize = 22;

/// Characters of a constant that are shown.
const SHOWN: usize = 60;

/// Lists the instructions of one code object: line, mark of jump targets, offset (that of the first
/// EXTENDED_ARG, as jumps name it), name, argument and its meaning; then the rows of the exception table.
///
/// It works on any bytes: what is no instruction is listed as bytes. Code objects among the constants are
/// named, not listed.
///
/// # Examples
/// ```
/// use depyf_bytecode::{CodeObject, Const, listing};
/// use depyf_value::PyVersion;
///
/// let code = CodeObject { code: vec![100, 0, 83, 0], consts: vec![Const::None], ..CodeObject::empty(PyVersion(10)) };
/// let lines: Vec<String> = listing(&code).lines().map(|line| line.trim().to_owned()).collect();
/// assert_eq!(lines, ["0 LOAD_CONST                0 (None)", "2 RETURN_VALUE"]);
/// ```
#[must_use]
pub fn listing(code: &CodeObject) -> String {
    let mut text = String::new();
    // Writing into a string does not fail.
    let _ = write_listing(code, &mut text);
    text
}

fn write_listing(code: &CodeObject, text: &mut String) -> std::fmt::Result {
    let Some(facts) = facts(code.version) else {
        return write_bytes(&code.code, 0, text);
    };
    let (mut raw, error) = whole_instructions(code, facts);
    let rows = if facts.exception_table { exception_rows(&code.exceptiontable) } else { Ok(Vec::new()) };
    let mut is_target = vec![false; code.code.len() / UNIT + 1];
    let targets = raw.iter().filter_map(|instruction| instruction.target(facts));
    let handlers = rows.iter().flatten().map(|row| row.handler as i64);
    for target in targets.chain(handlers) {
        if let Some(mark) = usize::try_from(target).ok().and_then(|target| is_target.get_mut(target / UNIT)) {
            *mark = true;
        }
    }
    place_all(code, facts, &mut raw);
    let variables = Variables::new(code, facts);
    let mut last_line = None;
    for instruction in &raw {
        let line = instruction.place.line;
        let shown = line.filter(|_| line != last_line).map_or_else(String::new, |line| line.to_string());
        last_line = line;
        let mark = if is_target.get(instruction.start as usize / UNIT) == Some(&true) { ">>" } else { "" };
        let name = match instruction.mnemonic {
            Some(mnemonic) => mnemonic.name().to_owned(),
            None => format!("<{}>", instruction.opcode),
        };
        write!(text, "{shown:>4} {mark:2} {:>4} {name}", instruction.start)?;
        if facts.opcodes.get(instruction.opcode).is_none_or(|row| row.has_arg) {
            let width = NAME_WIDTH.saturating_sub(name.len()) + 4;
            write!(text, " {:>width$}", instruction.arg)?;
            let meaning = Meaning { code, facts, variables: &variables }.of(instruction);
            if let Some(meaning) = meaning {
                write!(text, " ({meaning})")?;
            }
        }
        text.push('\n');
    }
    if let Some(error) = error {
        writeln!(text, "{error}")?;
        let from = raw.last().map_or(0, |last| last.end as usize);
        write_bytes(code.code.get(from..).unwrap_or_default(), from, text)?;
    }
    match rows {
        Ok(rows) if rows.is_empty() => {}
        Ok(rows) => {
            text.push_str("exception table:\n");
            for row in rows {
                let last = row.end.saturating_sub(UNIT);
                let lasti = if row.lasti { " lasti" } else { "" };
                writeln!(text, "  {} to {last} -> {} [{}]{lasti}", row.start, row.handler, row.depth)?;
            }
        }
        Err(error) => writeln!(text, "exception table: {error}")?,
    }
    Ok(())
}

fn write_bytes(bytes: &[u8], from: usize, text: &mut String) -> std::fmt::Result {
    for (index, chunk) in bytes.chunks(16).enumerate() {
        write!(text, "        {:>4}", from + index * 16)?;
        for byte in chunk {
            write!(text, " {byte:02x}")?;
        }
        text.push('\n');
    }
    Ok(())
}

/// What an argument stands for.
struct Meaning<'a> {
    code: &'a CodeObject,
    facts: &'a VersionFacts,
    variables: &'a Variables,
}

impl Meaning<'_> {
    fn of(&self, instruction: &RawInstruction) -> Option<String> {
        use Mnemonic::*;
        let RawInstruction { arg, offset, .. } = *instruction;
        if let Some(target) = instruction.target(self.facts) {
            return Some(format!("to {target}"));
        }
        let local = |arg| Some(self.variable(self.variables.local(arg, offset).ok()?));
        let deref = |arg| Some(self.variable(self.variables.deref(arg, offset).ok()?));
        match instruction.mnemonic? {
            LOAD_CONST | RETURN_CONST | KW_NAMES => self.code.consts.get(arg as usize).map(constant),
            STORE_NAME
            | DELETE_NAME
            | LOAD_NAME
            | STORE_ATTR
            | DELETE_ATTR
            | STORE_GLOBAL
            | DELETE_GLOBAL
            | IMPORT_FROM
            | LOAD_METHOD
            | LOAD_FROM_DICT_OR_GLOBALS => self.name(arg),
            IMPORT_NAME if self.facts.lazy_imports => {
                let suffix = ["", " + lazy", " + eager", ""][arg as usize & 3];
                Some(format!("{}{suffix}", self.name(arg >> 2)?))
            }
            IMPORT_NAME => self.name(arg),
            LOAD_GLOBAL => self.flagged_name(arg, self.facts.global_null, "NULL"),
            LOAD_ATTR => self.flagged_name(arg, self.facts.method_flag, "NULL or self"),
            LOAD_SUPER_ATTR => self.name(arg >> 2),
            LOAD_FAST | STORE_FAST | DELETE_FAST | LOAD_FAST_CHECK | LOAD_FAST_BORROW
            | LOAD_FAST_AND_CLEAR => local(arg),
            LOAD_FAST_LOAD_FAST
            | LOAD_FAST_BORROW_LOAD_FAST_BORROW
            | STORE_FAST_LOAD_FAST
            | STORE_FAST_STORE_FAST => Some(format!("{}, {}", local(arg >> 4)?, local(arg & 15)?)),
            LOAD_DEREF
            | STORE_DEREF
            | DELETE_DEREF
            | LOAD_CLOSURE
            | LOAD_CLASSDEREF
            | LOAD_FROM_DICT_OR_DEREF
            | MAKE_CELL => deref(arg),
            COMPARE_OP => {
                let comparisons =
                    ["<", "<=", "==", "!=", ">", ">=", "in", "not in", "is", "is not", "exception match"];
                comparisons.get((arg >> self.facts.compare_shift) as usize).map(|&text| text.to_owned())
            }
            BINARY_OP => {
                let operators = ["+", "&", "//", "<<", "@", "*", "%", "|", "**", ">>", "-", "/", "^"];
                let arg = arg as usize;
                match operators.len() {
                    count if arg < count => Some(operators[arg].to_owned()),
                    count if arg < 2 * count => Some(format!("{}=", operators[arg - count])),
                    count => (arg == 2 * count).then(|| "[]".to_owned()),
                }
            }
            _ => None,
        }
    }

    fn variable(&self, id: u32) -> String {
        self.variables.table.get(id as usize).map_or_else(String::new, |variable| printable(&variable.name))
    }

    fn name(&self, arg: u32) -> Option<String> {
        self.code.names.get(arg as usize).map(printable)
    }

    fn flagged_name(&self, arg: u32, flag: NullFlag, extra: &str) -> Option<String> {
        let index = if flag == NullFlag::Absent { arg } else { arg >> 1 };
        let name = self.name(index)?;
        Some(match flag {
            NullFlag::Below if arg & 1 != 0 => format!("{extra} + {name}"),
            NullFlag::Above if arg & 1 != 0 => format!("{name} + {extra}"),
            _ => name,
        })
    }
}

/// A name on one line, whatever is in it.
fn printable(name: &PyStr) -> String {
    let mut text = String::new();
    for character in name.to_lossy().chars() {
        push_escaped(character, &mut text);
    }
    text
}

fn push_escaped(character: char, text: &mut String) {
    if character.is_control() || matches!(character, '\u{2028}' | '\u{2029}') {
        text.extend(character.escape_default());
    } else {
        text.push(character);
    }
}

/// A constant on one line, cut off after [`SHOWN`] characters.
fn constant(value: &Const) -> String {
    let mut shown = Shown { text: String::new(), left: SHOWN };
    shown.constant(value);
    if shown.left == 0 {
        shown.text.push_str("...");
    }
    shown.text
}

/// Text that stops growing at a limit, so that shared constants cannot expand without end.
struct Shown {
    text: String,
    left: usize,
}

impl Shown {
    fn push(&mut self, text: &str) {
        for character in text.chars() {
            if self.left == 0 {
                return;
            }
            self.left -= 1;
            push_escaped(character, &mut self.text);
        }
    }

    fn constant(&mut self, value: &Const) {
        match value {
            Const::None => self.push("None"),
            Const::Bool(true) => self.push("True"),
            Const::Bool(false) => self.push("False"),
            Const::Ellipsis => self.push("..."),
            Const::Int(value) => {
                let sign = if value.is_negative() { "-" } else { "" };
                // Decimal digits of a huge number take quadratic time, and nobody reads them.
                match value.to_i64() {
                    Some(small) => self.push(&small.to_string()),
                    None => self.push(&format!("{sign}0x{}", value.to_hex())),
                }
            }
            Const::Float(value) => self.push(&format!("{value:?}")),
            Const::Complex(real, imaginary) => self.push(&format!("{real:?}{imaginary:+?}j")),
            Const::Str(text) => self.quoted("", text.code_points()),
            Const::Bytes(bytes) => self.quoted("b", bytes.iter().map(|&byte| u32::from(byte))),
            Const::Tuple(items) => self.items("(", items, if items.len() == 1 { ",)" } else { ")" }),
            Const::FrozenSet(items) => self.items("frozenset({", items, "})"),
            Const::Slice(parts) => self.items("slice(", parts.as_slice(), ")"),
            Const::Code(code) => {
                self.push(&format!("<code {}, line {}>", printable(&code.qualname), code.first_line))
            }
            Const::Opaque(opaque) => self.push(&format!("{}: {}", opaque.name, opaque.repr)),
        }
    }

    fn items(&mut self, open: &str, items: &[Const], close: &str) {
        self.push(open);
        for (index, item) in items.iter().enumerate() {
            if self.left == 0 {
                return;
            }
            if index > 0 {
                self.push(", ");
            }
            self.constant(item);
        }
        self.push(close);
    }

    fn quoted(&mut self, prefix: &str, points: impl Iterator<Item = u32>) {
        self.push(prefix);
        self.push("'");
        for point in points {
            if self.left == 0 {
                return;
            }
            match char::from_u32(point) {
                Some(character @ ('\'' | '\\')) => self.push(&format!("\\{character}")),
                Some(character) if prefix.is_empty() || character.is_ascii_graphic() || character == ' ' => {
                    self.push(character.encode_utf8(&mut [0; 4]));
                }
                Some(character) if prefix == "b" => self.push(&format!("\\x{:02x}", u32::from(character))),
                _ => self.push(&format!("\\u{point:04x}")),
            }
        }
        self.push("'");
    }
}
