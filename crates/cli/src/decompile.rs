//! `depyf decompile`.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, ErrorKind, IsTerminal};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::Duration;

use depyf_decompile::{Decompiled, Error, FunctionReport, OnFailure, Options, Verdict};
use indicatif::{ProgressBar, ProgressStyle};

use crate::arguments::DecompileArgs;
use crate::console::Console;
use crate::inputs::{self, Input};
use crate::parallel::in_order;
use crate::row::Row;

/// Fewer files than this are done before anyone reads a bar.
const MANY: usize = 20;

/// Decompiles each input; one that fails does not stop the others.
///
/// # Errors
/// Where standard output takes no more.
pub(crate) fn run(args: &DecompileArgs, console: &mut Console) -> io::Result<()> {
    let inputs = inputs::expand(&args.inputs);
    let options = Options {
        view: args.view.into(),
        layout: args.layout.into(),
        on_failure: OnFailure::Mark,
        verify: !args.no_verify,
        color: console.has_colors() && !args.json && args.output.is_none(),
        ..Options::default()
    };
    let bar = progress_bar(args, inputs.len());
    console.attach(bar.clone());
    let mut output = Output { args, many: inputs.len() > 1, written: BTreeSet::new() };
    let jobs =
        args.jobs.map_or_else(|| std::thread::available_parallelism().map_or(1, usize::from), usize::from);
    let outcome = in_order(
        jobs,
        inputs,
        |input| input.map(|input| (decompile(&input, &options), input)),
        |done| {
            if let Some(bar) = &bar {
                bar.inc(1);
            }
            match done {
                Ok((outcome, input)) => output.take(&input, outcome, console),
                Err(sentence) => {
                    console.fail(&sentence);
                    Ok(())
                }
            }
        },
    );
    if let Some(bar) = bar {
        bar.finish_and_clear();
    }
    console.attach(None);
    outcome
}

/// A bar on standard error, where someone watches and nothing else is written there meanwhile.
fn progress_bar(args: &DecompileArgs, count: usize) -> Option<ProgressBar> {
    let is_free = args.output.is_some() || !io::stdout().is_terminal();
    if count < MANY || !is_free || !io::stderr().is_terminal() {
        return None;
    }
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} files, {eta} left").ok()?;
    let bar = ProgressBar::new(count as u64).with_style(style);
    bar.enable_steady_tick(Duration::from_millis(200));
    Some(bar)
}

/// One file that was decompiled.
pub(crate) struct Done {
    pub(crate) version: depyf_value::PyVersion,
    pub(crate) decompiled: Decompiled,
    /// How the version was found, where that is worth telling.
    remark: Option<String>,
}

/// Why there is no source.
pub(crate) enum Failure {
    /// The file is no `.pyc` that can be read; the sentence names it.
    Unreadable(String),
    /// A function in it cannot be written as Python.
    Undecompilable(Error),
    /// The decompiler itself is at fault.
    Internal,
}

impl Failure {
    fn sentence(&self, shown: &str) -> String {
        match self {
            Self::Unreadable(sentence) => sentence.clone(),
            Self::Undecompilable(error) => format!("{shown}: {error}"),
            Self::Internal => format!("{shown}: depyf failed on it; please report the file"),
        }
    }
}

fn decompile(input: &Input, options: &Options) -> Result<Done, Failure> {
    let found = input.read().map_err(Failure::Unreadable)?;
    let options = &Options { optimization: input.optimization(), ..options.clone() };
    // One file must not take the others with it, whatever is wrong.
    let outcome = catch_unwind(AssertUnwindSafe(|| depyf_decompile::decompile(&found.code, options)));
    let decompiled = outcome.map_err(|_| Failure::Internal)?.map_err(Failure::Undecompilable)?;
    Ok(Done { version: found.code.version, decompiled, remark: inputs::remark(input, &found) })
}

/// Where results go.
struct Output<'a> {
    args: &'a DecompileArgs,
    many: bool,
    /// Files that were written.
    written: BTreeSet<PathBuf>,
}

impl Output<'_> {
    fn take(
        &mut self,
        input: &Input,
        outcome: Result<Done, Failure>,
        console: &mut Console,
    ) -> io::Result<()> {
        let shown = input.shown();
        if self.args.json {
            console.print(&Row::of(&shown, &outcome).line()?)?;
        }
        let done = match outcome {
            Ok(done) => done,
            Err(failure) => {
                console.fail(&failure.sentence(&shown));
                return Ok(());
            }
        };
        if let Some(remark) = &done.remark {
            console.note(remark);
        }
        match &self.args.output {
            _ if self.args.json => {}
            Some(folder) => {
                if let Err(sentence) = self.write(folder, input, &done.decompiled.text) {
                    console.fail(&sentence);
                }
            }
            None => {
                if self.many {
                    console.heading(&shown)?;
                }
                console.print(&done.decompiled.text)?;
            }
        }
        for report in &done.decompiled.functions {
            if let Some(sentence) = unverified(report) {
                console.fail(&format!("{shown}: {sentence}"));
            }
        }
        Ok(())
    }

    /// Writes the source to where the input lies, below `folder`.
    fn write(&mut self, folder: &Path, input: &Input, text: &str) -> Result<(), String> {
        let path = folder.join(input.relative.with_extension("py"));
        if !self.written.insert(path.clone()) {
            let sentence = format!("{}: its source would replace {}", input.shown(), path.display());
            return Err(sentence + "; give it a folder of its own");
        }
        let written = match fs::write(&path, text) {
            // Only the first file of a folder asks for that.
            Err(error) if error.kind() == ErrorKind::NotFound => {
                fs::create_dir_all(path.parent().unwrap_or(folder)).and_then(|()| fs::write(&path, text))
            }
            written => written,
        };
        written.map_err(|error| format!("{}: {error}", path.display()))
    }
}

/// What to say about a function that is not known to be right.
fn unverified(report: &FunctionReport) -> Option<String> {
    let Verdict::Unverified(divergence) = &report.verdict else { return None };
    let line = divergence.line.unwrap_or(report.line);
    Some(format!("{} (line {line} of the source) is unverified: {divergence}", report.qualname))
}
