//! Standard output and standard error; colour only where a terminal shows it.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};

const FAILURE: Style = AnsiColor::Red.on_default().bold();
const HEADING: Style = AnsiColor::Cyan.on_default();

/// What a verb prints to.
pub(crate) struct Console {
    out: anstream::AutoStream<io::Stdout>,
    failures: usize,
}

impl Console {
    pub(crate) fn new() -> Self {
        Self { out: anstream::stdout(), failures: 0 }
    }

    /// Prints text as it is.
    ///
    /// # Errors
    /// Where standard output takes no more.
    pub(crate) fn print(&mut self, text: &str) -> io::Result<()> {
        self.out.write_all(text.as_bytes())
    }

    /// Prints a comment line that says which input follows.
    ///
    /// # Errors
    /// Where standard output takes no more.
    pub(crate) fn heading(&mut self, text: &str) -> io::Result<()> {
        writeln!(self.out, "{HEADING}# {text}{HEADING:#}")
    }

    /// Names something that could not be done; the command goes on and ends with exit code 1.
    pub(crate) fn fail(&mut self, sentence: &str) {
        self.failures += 1;
        // There is nowhere left to say that standard error is closed.
        let _ = writeln!(anstream::stderr(), "{FAILURE}depyf:{FAILURE:#} {sentence}");
    }

    pub(crate) fn has_failures(&self) -> bool {
        self.failures > 0
    }
}
