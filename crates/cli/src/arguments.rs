//! What the command line may say.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use depyf_value::PyVersion;

/// Decompiles Python bytecode of CPython 3.8 to 3.15, and proves its sources right.
#[derive(Parser)]
#[command(
    name = "depyf",
    version,
    after_help = "Exit codes: 0 all is done and nothing is unverified, 1 something is (each is named on standard \
                  error, the rest is done), 2 wrong usage.\n\nStart with `depyf decompile FILE.pyc`; `depyf VERB --help` \
                  has examples."
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) verb: Verb,
    /// When to use colour; NO_COLOR in the environment turns it off too
    #[arg(long, global = true, value_enum, default_value_t = ColorName::Auto, value_name = "WHEN")]
    pub(crate) color: ColorName,
}

#[derive(Subcommand)]
pub(crate) enum Verb {
    /// Print the source of .pyc files
    #[command(after_help = DECOMPILE_EXAMPLES)]
    Decompile(DecompileArgs),
    /// Print the bytecode of .pyc files
    #[command(after_help = DIS_EXAMPLES)]
    Dis(DisArgs),
    /// Prove that a source does what a file's bytecode does
    #[command(after_help = VERIFY_EXAMPLES)]
    Verify(VerifyArgs),
    /// Print one function after each pass of the decompiler
    #[command(after_help = STEPS_EXAMPLES)]
    Steps(StepsArgs),
    /// List every opcode, how it is decoded, and the tests that hold it
    #[command(after_help = COVERAGE_EXAMPLES)]
    Coverage(CoverageArgs),
}

const DECOMPILE_EXAMPLES: &str = "\
Examples:
  depyf decompile __pycache__/app.cpython-312.pyc      print one source
  depyf decompile site-packages -o sources             decompile a tree into another folder
  depyf decompile --json package | jq .verdict         one JSON object a file
  cat app.pyc | depyf decompile -                      read standard input
  depyf decompile --layout original app.pyc            line 7 of it is line 7 of the source that was compiled
  depyf decompile --python 3.9 code.marshal            bytes of marshal.dumps(code), version known

A function that is not known to be right is printed under `# unverified: ...`, with its bytecode where there
is no source at all. Files without a header, or with an unknown one, are recognized by their content.";

const DIS_EXAMPLES: &str = "\
Examples:
  depyf dis app.pyc                                    the listing of all code in a file
  depyf dis --json package                             one JSON object a code object
  cat app.pyc | depyf dis -                            read standard input";

const VERIFY_EXAMPLES: &str = "\
Examples:
  depyf verify app.pyc app.py                          is this the source of that file?
  depyf decompile app.pyc > edited.py; $EDITOR edited.py; depyf verify app.pyc edited.py
  depyf verify --json app.pyc app.py | jq .verdict     one JSON object

Each function that differs is named on standard error, with the first line and offset where it does.";

const STEPS_EXAMPLES: &str = "\
Examples:
  depyf steps app.pyc                                  the module's own body
  depyf steps app.pyc --function Reader.read           one method
  depyf steps app.pyc --function main --changes        only passes that changed something
  depyf steps app.pyc --function main --pass reduce    the graph behind one pass";

const COVERAGE_EXAMPLES: &str = "\
Examples:
  depyf coverage --python 3.14                         the opcodes of one version
  depyf coverage --json | jq 'select(.opcode == \"SEND\")'

A line names an opcode, the neutral operations that it becomes, and tests whose code has it: functions of the
files in tests/decompile/constructs, which must come back on each Python, or code that tests assemble.";

#[derive(Args)]
pub(crate) struct InputArgs {
    /// .pyc files, folders (all .pyc files in them), or - for standard input
    #[arg(required = true, value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// The version that wrote the files, whatever their headers say, e.g. 3.12
    #[arg(long, value_name = "VERSION", value_parser = version)]
    pub(crate) python: Option<PyVersion>,
}

#[derive(Args)]
pub(crate) struct DecompileArgs {
    #[command(flatten)]
    pub(crate) inputs: InputArgs,
    /// Write the sources into this folder, laid out like the input, instead of printing them
    #[arg(short, long, value_name = "FOLDER")]
    pub(crate) output: Option<PathBuf>,
    /// Print one JSON object a file: path, source, source map, verdicts or error
    #[arg(long, conflicts_with = "output")]
    pub(crate) json: bool,
    /// exact runs like the bytecode; readable folds what torch.compile's profiler adds
    #[arg(long, value_enum, default_value_t = ViewName::Exact)]
    pub(crate) view: ViewName,
    /// original puts statements on the lines that the line table records, and breaks expressions there
    #[arg(long, value_enum, default_value_t = LayoutName::Plain)]
    pub(crate) layout: LayoutName,
    /// Do not compare the sources with the bytecode: faster, and nothing is known to be right
    #[arg(long)]
    pub(crate) no_verify: bool,
    /// How many files to work on at a time [default: one a processor]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) jobs: Option<u16>,
}

#[derive(Args)]
pub(crate) struct DisArgs {
    #[command(flatten)]
    pub(crate) inputs: InputArgs,
    /// Print one JSON object a code object: path, name, line, listing
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args)]
pub(crate) struct VerifyArgs {
    /// A .pyc file, or - for standard input
    #[arg(value_name = "FILE")]
    pub(crate) path: PathBuf,
    /// The source to compare it with
    #[arg(value_name = "SOURCE")]
    pub(crate) source: PathBuf,
    /// Print one JSON object: path, verdict, and the verdict of each function
    #[arg(long)]
    pub(crate) json: bool,
    /// The version that wrote the file, whatever its header says, e.g. 3.12
    #[arg(long, value_name = "VERSION", value_parser = version)]
    pub(crate) python: Option<PyVersion>,
}

#[derive(Args)]
pub(crate) struct StepsArgs {
    /// A .pyc file, or - for standard input
    #[arg(value_name = "FILE")]
    pub(crate) path: PathBuf,
    /// The function: its name, or the names around it too where that is not enough, as in Class.method
    #[arg(short, long, value_name = "NAME", default_value = "<module>")]
    pub(crate) function: String,
    /// Print what this pass makes, and nothing else
    #[arg(long, value_name = "PASS")]
    pub(crate) pass: Option<String>,
    /// Leave out passes that change nothing
    #[arg(long)]
    pub(crate) changes: bool,
    /// exact runs like the bytecode; readable folds what torch.compile's profiler adds
    #[arg(long, value_enum, default_value_t = ViewName::Exact)]
    pub(crate) view: ViewName,
    /// The version that wrote the file, whatever its header says, e.g. 3.12
    #[arg(long, value_name = "VERSION", value_parser = version)]
    pub(crate) python: Option<PyVersion>,
}

#[derive(Args)]
pub(crate) struct CoverageArgs {
    /// List this version only, e.g. 3.12
    #[arg(long, value_name = "VERSION", value_parser = version)]
    pub(crate) python: Option<PyVersion>,
    /// Print one JSON object an opcode: version, number, name, who makes it, operations and tests
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum ViewName {
    Exact,
    Readable,
}

impl From<ViewName> for depyf_decompile::View {
    fn from(name: ViewName) -> Self {
        match name {
            ViewName::Exact => Self::Exact,
            ViewName::Readable => Self::Readable,
        }
    }
}

#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum LayoutName {
    Plain,
    Original,
}

impl From<LayoutName> for depyf_decompile::Layout {
    fn from(name: LayoutName) -> Self {
        match name {
            LayoutName::Plain => Self::Plain,
            LayoutName::Original => Self::Original,
        }
    }
}

#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum ColorName {
    Auto,
    Always,
    Never,
}

impl From<ColorName> for anstream::ColorChoice {
    fn from(name: ColorName) -> Self {
        match name {
            ColorName::Auto => Self::Auto,
            ColorName::Always => Self::Always,
            ColorName::Never => Self::Never,
        }
    }
}

fn version(text: &str) -> Result<PyVersion, String> {
    depyf_bytecode::versions().find(|version| version.to_string() == text).ok_or_else(|| {
        let known: Vec<String> = depyf_bytecode::versions().map(|version| version.to_string()).collect();
        format!("it is none of {}", known.join(", "))
    })
}
