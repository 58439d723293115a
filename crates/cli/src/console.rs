//! Standard output and standard error; colour only where a terminal shows it.

use std::io::{self, BufWriter, StdoutLock, Write};

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};

const FAILURE: Style = AnsiColor::Red.on_default().bold();
const NOTE: Style = AnsiColor::Yellow.on_default();
const HEADING: Style = AnsiColor::Cyan.on_default();

/// What a verb prints to.
pub(crate) struct Console {
    out: BufWriter<StdoutLock<'static>>,
    colors_out: bool,
    failures: usize,
    /// What hides the progress bar while a sentence is printed.
    bar: Option<indicatif::ProgressBar>,
}

impl Console {
    pub(crate) fn new(choice: ColorChoice) -> Self {
        choice.write_global();
        let colors_out = AutoStream::choice(&io::stdout()) != ColorChoice::Never;
        Self {
            out: BufWriter::with_capacity(1 << 16, io::stdout().lock()),
            colors_out,
            failures: 0,
            bar: None,
        }
    }

    /// Whether what is printed to standard output may have colours.
    pub(crate) fn has_colors(&self) -> bool {
        self.colors_out
    }

    /// Sentences appear above the bar from now on.
    pub(crate) fn attach(&mut self, bar: Option<indicatif::ProgressBar>) {
        self.bar = bar;
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
        if self.colors_out {
            writeln!(self.out, "{HEADING}# {text}{HEADING:#}")
        } else {
            writeln!(self.out, "# {text}")
        }
    }

    /// Names something that could not be done; the command goes on and ends with exit code 1.
    pub(crate) fn fail(&mut self, sentence: &str) {
        self.failures += 1;
        self.say(FAILURE, sentence);
    }

    /// Says something that is no failure.
    pub(crate) fn note(&mut self, sentence: &str) {
        self.say(NOTE, sentence);
    }

    fn say(&mut self, style: Style, sentence: &str) {
        // In order with what was printed, where both go to one terminal. There is nowhere left to say
        // that one of them is closed.
        let _ = self.out.flush();
        let write = || {
            let _ = writeln!(anstream::stderr(), "{style}depyf:{style:#} {sentence}");
        };
        match &self.bar {
            Some(bar) => bar.suspend(write),
            None => write(),
        }
    }

    /// Hands everything to the system.
    ///
    /// # Errors
    /// Where standard output takes no more.
    pub(crate) fn finish(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    pub(crate) fn has_failures(&self) -> bool {
        self.failures > 0
    }
}
