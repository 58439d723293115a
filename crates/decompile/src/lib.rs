//! From a code object to source.
//!
//! The pipeline can be read from the file names; `pipeline.rs` holds the ordered list of passes
//! and `scope.rs` what one code object gives to those nested in it.
//! `flow/` works on the graph of neutral operations, `lift/` makes statements of them, `structure/` nests the
//! statements, `refine/` makes the tree readable.

mod api;
mod decoded;
mod dynamo;
mod flow;
mod hash;
mod index;
mod layout;
mod lift;
mod link;
mod lower;
mod made_functions;
mod marks;
mod names;
mod never_run;
mod pipeline;
mod refine;
mod scope;
mod siblings;
mod steps;
mod structure;
mod verify;
mod visit;

pub use api::{
    Decompiled, Divergence, Error, FunctionReport, Layout, OnFailure, Options, SourceMapEntry, Verdict,
    VerifyOptions, View, decompile, verify,
};
pub use link::link;
pub use lower::lowering;
pub use steps::{Step, Steps, steps};
