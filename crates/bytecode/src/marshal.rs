//! Reads marshal, the format that `.pyc` files keep code objects in.
//!
//! Nothing in a file is trusted: lengths are compared with the bytes that are left before anything is
//! allocated, nesting is limited, and what references copy is counted.

use std::sync::Arc;

use depyf_value::{PyInt, PyStr, PyVersion};

use crate::code::{CodeObject, Const};
use crate::error::Error;
use crate::versions::{DerefIndex, VersionFacts, facts};

/// How deep tuples and code objects may nest. The compilers stop at 200 parentheses and 100 scopes.
const MAX_DEPTH: u32 = 320;

/// References may make the result larger than the file, by this factor and this many bytes at most.
const COPY_FACTOR: usize = 16;
const COPY_ALLOWANCE: usize = 1 << 20;

/// Bytes of a file for each object that may be referred to.
const REFERENCE_BYTES: usize = 64;

/// The flag of a type byte: the object gets the next number, for references to it.
const REF_FLAG: u8 = 0x80;

/// Bits of `co_localspluskinds`.
const KIND_LOCAL: u8 = 0x20;
const KIND_CELL: u8 = 0x40;
const KIND_FREE: u8 = 0x80;

/// Reads one object as `marshal.dumps` of a version writes it; bytes behind it are ignored.
///
/// # Errors
/// Where the version is not supported, the bytes are no object, or the object is none that code holds (a
/// list, a dict, a set).
///
/// # Examples
/// ```
/// use depyf_bytecode::{Const, read_marshal};
/// use depyf_value::PyVersion;
///
/// assert_eq!(read_marshal(b"T", PyVersion(12))?, Const::Bool(true));
/// # Ok::<(), depyf_bytecode::Error>(())
/// ```
pub fn read_marshal(bytes: &[u8], version: PyVersion) -> Result<Const, Error> {
    read_object(bytes, 0, version)
}

/// Reads one code object as `marshal.dumps` of a version writes it.
///
/// # Errors
/// As [`read_marshal`], and where the object is no code object.
pub fn read_marshal_code(bytes: &[u8], version: PyVersion) -> Result<CodeObject, Error> {
    into_code(read_object(bytes, 0, version)?, 0)
}

/// Reads the object that starts at an offset.
pub(crate) fn read_object(bytes: &[u8], start: usize, version: PyVersion) -> Result<Const, Error> {
    let facts = facts(version).ok_or_else(|| Error::new(0, format!("Python {version} is not supported")))?;
    let copies_left = bytes.len().saturating_mul(COPY_FACTOR).saturating_add(COPY_ALLOWANCE);
    // About as many as honest files have.
    let references = Vec::with_capacity(bytes.len() / REFERENCE_BYTES);
    let mut reader =
        Reader { bytes, at: start, version, facts, references, items: Vec::new(), depth: 0, copies_left };
    reader.object()
}

pub(crate) fn into_code(object: Const, offset: usize) -> Result<CodeObject, Error> {
    match object {
        Const::Code(code) => Ok(Arc::unwrap_or_clone(code)),
        _ => Err(Error::new(offset, "the object is no code object")),
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    version: PyVersion,
    facts: &'static VersionFacts,
    /// The objects that may be referred to; `None` while one is still being read.
    references: Vec<Option<Const>>,
    /// The items so far of the tuples that are being read, those of the innermost last.
    items: Vec<Const>,
    depth: u32,
    /// Bytes that copies of shared objects may still take.
    copies_left: usize,
}

impl<'a> Reader<'a> {
    #[cold]
    fn error(&self, message: impl Into<String>) -> Error {
        Error::new(self.at, message)
    }

    fn take(&mut self, length: usize) -> Result<&'a [u8], Error> {
        let found = self.at.checked_add(length).and_then(|end| self.bytes.get(self.at..end));
        let found = found.ok_or_else(|| self.error("the file ends inside of an object"))?;
        self.at += length;
        Ok(found)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Error> {
        let mut found = [0; N];
        found.copy_from_slice(self.take(N)?);
        Ok(found)
    }

    fn byte(&mut self) -> Result<u8, Error> {
        Ok(self.array::<1>()?[0])
    }

    fn i32(&mut self) -> Result<i32, Error> {
        Ok(i32::from_le_bytes(self.array()?))
    }

    fn f64(&mut self) -> Result<f64, Error> {
        Ok(f64::from_le_bytes(self.array()?))
    }

    /// A length that the bytes left can hold, if each item takes so many.
    fn length(&mut self, item_bytes: usize) -> Result<usize, Error> {
        let length = self.i32()?;
        usize::try_from(length)
            .ok()
            .filter(|length| length.saturating_mul(item_bytes) <= self.bytes.len() - self.at)
            .ok_or_else(|| self.error(format!("there are no {length} items left in the file")))
    }

    fn object(&mut self) -> Result<Const, Error> {
        let head = self.byte()?;
        let kind = head & !REF_FLAG;
        if kind == b'r' {
            return self.reference();
        }
        // An object is numbered before those inside of it.
        let number = (head & REF_FLAG != 0).then(|| {
            self.references.push(None);
            self.references.len() - 1
        });
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(self.error("the objects are nested too deep"));
        }
        let object = match kind {
            b')' | b'(' | b'>' | b':' => self.container(kind)?,
            b'c' => Const::Code(self.code()?),
            _ => self.leaf(kind)?,
        };
        self.depth -= 1;
        if let Some(slot) = number.and_then(|number| self.references.get_mut(number)) {
            *slot = Some(object.clone());
        }
        Ok(object)
    }

    fn reference(&mut self) -> Result<Const, Error> {
        let number = self.i32()?;
        let object = self.referred(number)?.clone();
        // Whatever is not behind an `Arc` is copied now.
        match &object {
            Const::Str(text) => self.charge(text.as_wtf8().len())?,
            Const::Int(value) => self.charge(value.digits().len() * 2)?,
            _ => {}
        }
        Ok(object)
    }

    fn referred(&self, number: i32) -> Result<&Const, Error> {
        match usize::try_from(number).ok().and_then(|number| self.references.get(number)) {
            Some(Some(object)) => Ok(object),
            _ => Err(self.error(format!("reference {number} leads to no object that is complete"))),
        }
    }

    fn charge(&mut self, copied: usize) -> Result<(), Error> {
        self.copies_left = self
            .copies_left
            .checked_sub(copied)
            .ok_or_else(|| self.error("references make the objects too large"))?;
        Ok(())
    }

    /// What holds other objects. Apart from the leaves, because this is on the stack once for each level.
    fn container(&mut self, kind: u8) -> Result<Const, Error> {
        if kind == b':' {
            let parts = self.items(3)?;
            let [start, stop, step] = &parts[..] else { return Err(self.error("a slice has three parts")) };
            return Ok(Const::Slice(Arc::new([start.clone(), stop.clone(), step.clone()])));
        }
        let length = if kind == b')' { usize::from(self.byte()?) } else { self.length(1)? };
        let items = self.items(length)?;
        Ok(if kind == b'>' { Const::FrozenSet(items) } else { Const::Tuple(items) })
    }

    /// What holds no other object.
    fn leaf(&mut self, kind: u8) -> Result<Const, Error> {
        Ok(match kind {
            b'N' => Const::None,
            b'F' => Const::Bool(false),
            b'T' => Const::Bool(true),
            b'.' => Const::Ellipsis,
            b'i' => Const::Int(PyInt::from(i64::from(self.i32()?))),
            b'I' => Const::Int(PyInt::from(i64::from_le_bytes(self.array()?))),
            b'l' => Const::Int(self.long()?),
            b'g' => Const::Float(self.f64()?),
            b'f' => Const::Float(self.decimal_float()?),
            b'y' => Const::Complex(self.f64()?, self.f64()?),
            b'x' => Const::Complex(self.decimal_float()?, self.decimal_float()?),
            b's' => {
                let length = self.length(1)?;
                Const::Bytes(self.take(length)?.into())
            }
            b'u' | b't' => {
                let length = self.length(1)?;
                let bytes = self.take(length)?;
                Const::Str(PyStr::from_wtf8(bytes).ok_or_else(|| self.error("a string is no UTF-8"))?)
            }
            b'a' | b'A' => {
                let length = self.length(1)?;
                Const::Str(self.latin(length)?)
            }
            b'z' | b'Z' => {
                let length = usize::from(self.byte()?);
                Const::Str(self.latin(length)?)
            }
            other => {
                let shown = char::from(other).escape_default();
                return Err(Error::new(self.at - 1, format!("no code holds an object of type '{shown}'")));
            }
        })
    }

    fn long(&mut self) -> Result<PyInt, Error> {
        let count = self.i32()?;
        let length = count.unsigned_abs() as usize;
        let digits = self.take(length.saturating_mul(2))?;
        let digits = digits.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect();
        PyInt::from_digits(count < 0, digits)
            .ok_or_else(|| self.error("a digit of an int has more than 15 bits"))
    }

    /// A float as `repr` writes it, from marshal's oldest format.
    fn decimal_float(&mut self) -> Result<f64, Error> {
        let length = usize::from(self.byte()?);
        let text = std::str::from_utf8(self.take(length)?).ok();
        text.and_then(|text| text.parse().ok()).ok_or_else(|| self.error("a float is no number"))
    }

    fn latin(&mut self, length: usize) -> Result<PyStr, Error> {
        let bytes = self.take(length)?;
        Ok(match std::str::from_utf8(bytes) {
            Ok(text) if text.is_ascii() => PyStr::new(text),
            _ => PyStr::new(&bytes.iter().copied().map(char::from).collect::<String>()),
        })
    }

    fn items(&mut self, length: usize) -> Result<Arc<[Const]>, Error> {
        // A list of its own would be copied, for an `Arc` has its counts in front of the items.
        let first = self.items.len();
        for _ in 0..length {
            let item = self.object()?;
            self.items.push(item);
        }
        Ok(self.items.drain(first..).collect())
    }

    fn list(&mut self, length: usize) -> Result<Vec<Const>, Error> {
        // The largest honest tuple grows a few times; a dishonest length must not allocate at once.
        let mut items = Vec::with_capacity(length.min(1024));
        for _ in 0..length {
            items.push(self.object()?);
        }
        Ok(items)
    }

    fn code(&mut self) -> Result<Arc<CodeObject>, Error> {
        // On the heap, again because of the stack.
        let mut shared = Arc::new(CodeObject::empty(self.version));
        let code = Arc::make_mut(&mut shared);
        let has_locals_plus = self.facts.deref_index == DerefIndex::LocalsPlus;
        code.argcount = self.count()?;
        code.posonlyargcount = self.count()?;
        code.kwonlyargcount = self.count()?;
        if !has_locals_plus {
            // co_nlocals: the number of varnames.
            self.count()?;
        }
        code.stacksize = self.count()?;
        code.flags = self.i32()? as u32;
        code.code = self.owned_bytes("co_code")?;
        code.consts = self.tuple("co_consts")?;
        code.names = self.strings("co_names")?;
        if has_locals_plus {
            self.locals_plus(code)?;
        } else {
            code.varnames = self.strings("co_varnames")?;
            code.freevars = self.strings("co_freevars")?;
            code.cellvars = self.strings("co_cellvars")?;
        }
        code.filename = self.string("co_filename")?;
        code.name = self.string("co_name")?;
        code.qualname = if has_locals_plus { self.string("co_qualname")? } else { code.name.clone() };
        code.first_line = u32::try_from(self.i32()?).unwrap_or(0);
        code.linetable = self.owned_bytes("the line table")?;
        if has_locals_plus {
            code.exceptiontable = self.owned_bytes("co_exceptiontable")?;
        }
        Ok(shared)
    }

    /// One table of locals, cells and free variables, and their kinds.
    fn locals_plus(&mut self, code: &mut CodeObject) -> Result<(), Error> {
        let names = self.strings("co_localsplusnames")?;
        let kinds = self.owned_bytes("co_localspluskinds")?;
        if names.len() != kinds.len() {
            return Err(self.error("co_localsplusnames and co_localspluskinds differ in length"));
        }
        if kinds.iter().all(|kind| kind & (KIND_LOCAL | KIND_CELL | KIND_FREE) == KIND_LOCAL) {
            code.varnames = names;
            return Ok(());
        }
        code.varnames.reserve_exact(kinds.iter().filter(|kind| *kind & KIND_LOCAL != 0).count());
        for (name, kind) in names.into_iter().zip(kinds) {
            if kind & KIND_LOCAL != 0 {
                code.varnames.push(name.clone());
            }
            if kind & KIND_CELL != 0 {
                code.cellvars.push(name);
            } else if kind & KIND_FREE != 0 {
                code.freevars.push(name);
            }
        }
        Ok(())
    }

    fn count(&mut self) -> Result<u32, Error> {
        let count = self.i32()?;
        u32::try_from(count).map_err(|_| self.error("a count of a code object is below zero"))
    }

    fn owned_bytes(&mut self, what: &str) -> Result<Vec<u8>, Error> {
        // What nothing refers to is read without an object in between.
        if self.bytes.get(self.at) == Some(&b's') {
            self.at += 1;
            let length = self.length(1)?;
            return Ok(self.take(length)?.to_vec());
        }
        match self.object()? {
            Const::Bytes(bytes) => {
                self.charge(bytes.len())?;
                Ok(bytes.to_vec())
            }
            _ => Err(self.error(format!("{what} is no bytes object"))),
        }
    }

    /// A tuple whose items the caller keeps.
    fn tuple(&mut self, what: &str) -> Result<Vec<Const>, Error> {
        if let Some(length) = self.unshared_tuple()? {
            self.depth += 1;
            let items = self.list(length)?;
            self.depth -= 1;
            return Ok(items);
        }
        match self.object()? {
            Const::Tuple(items) => {
                self.charge(items.len() * size_of::<Const>())?;
                Ok(items.to_vec())
            }
            _ => Err(self.error(format!("{what} is no tuple"))),
        }
    }

    /// The length of a tuple, if one begins here that nothing refers to; its items come next.
    fn unshared_tuple(&mut self) -> Result<Option<usize>, Error> {
        let kind = match self.bytes.get(self.at) {
            Some(kind @ (b')' | b'(')) => *kind,
            _ => return Ok(None),
        };
        self.at += 1;
        Ok(Some(if kind == b')' { usize::from(self.byte()?) } else { self.length(1)? }))
    }

    fn string(&mut self, what: &str) -> Result<PyStr, Error> {
        // Most names are references, which need no object in between.
        if self.bytes.get(self.at) == Some(&b'r') {
            self.at += 1;
            let number = self.i32()?;
            if let Const::Str(text) = self.referred(number)? {
                let text = text.clone();
                self.charge(text.as_wtf8().len())?;
                return Ok(text);
            }
            return Err(self.error(format!("{what} is no string")));
        }
        // Most others are ASCII, and are referred to later.
        if let Some(head) = self.bytes.get(self.at).filter(|head| matches!(*head & !REF_FLAG, b'z' | b'Z')) {
            self.at += 1;
            let length = usize::from(self.byte()?);
            let text = self.latin(length)?;
            if head & REF_FLAG != 0 {
                self.references.push(Some(Const::Str(text.clone())));
            }
            return Ok(text);
        }
        match self.object()? {
            Const::Str(text) => Ok(text),
            _ => Err(self.error(format!("{what} is no string"))),
        }
    }

    fn strings(&mut self, what: &str) -> Result<Vec<PyStr>, Error> {
        if let Some(length) = self.unshared_tuple()? {
            let mut texts = Vec::with_capacity(length.min(1024));
            for _ in 0..length {
                texts.push(self.string(what)?);
            }
            return Ok(texts);
        }
        let Const::Tuple(items) = self.object()? else {
            return Err(self.error(format!("{what} is no tuple")));
        };
        let mut texts = Vec::with_capacity(items.len());
        for item in items.iter() {
            let Const::Str(text) = item else {
                return Err(self.error(format!("{what} holds what is no string")));
            };
            self.charge(size_of::<PyStr>() + text.as_wtf8().len())?;
            texts.push(text.clone());
        }
        Ok(texts)
    }
}
