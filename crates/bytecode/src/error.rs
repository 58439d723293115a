//! The one error of this crate.

use std::fmt;

/// Why bytes could not be read or decoded, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    /// One sentence.
    pub message: String,
    /// Byte offset in the file, in `co_code` or in the table that the message names.
    pub offset: usize,
}

impl Error {
    /// Makes an error.
    #[must_use]
    pub fn new(offset: usize, message: impl Into<String>) -> Self {
        Self { message: message.into(), offset }
    }

    /// As [`Error::new`], for results that are small where nothing is wrong.
    #[cold]
    pub(crate) fn boxed(offset: usize, message: impl Into<String>) -> Box<Self> {
        Box::new(Self::new(offset, message))
    }
}

/// The error of an argument that is outside of a table.
#[cold]
#[inline(never)]
pub(crate) fn missing(offset: u32, what: &str, arg: u32) -> Box<Error> {
    Error::boxed(offset as usize, format!("there is no {what} {arg}"))
}

impl From<Box<Self>> for Error {
    fn from(error: Box<Self>) -> Self {
        *error
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (at byte {})", self.message, self.offset)
    }
}

impl std::error::Error for Error {}
