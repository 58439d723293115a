//! What source means, as text: the operations that it lowers to.

use std::fmt::Write;

use depyf_bytecode::{CompilerFeatures, Const, Op, VariableKind};
use depyf_syntax::ast::Block;
use depyf_value::PyVersion;

use super::{LowerOptions, Lowered, LoweredConst, lower_module};

/// Lists the operations of a module and of all code in it, as the compiler of `version` orders their effects.
///
/// # Errors
/// Where the tree cannot be lowered; the text says why.
///
/// # Examples
/// ```
/// use depyf_syntax::ast::{Expr, Origin, Stmt, StmtKind};
/// use depyf_value::PyVersion;
///
/// let block = vec![Stmt::new(Origin::NONE, StmtKind::Expr(Expr::name("x")))];
/// let text = depyf_decompile::lowering(&block, PyVersion(12))?;
/// assert!(text.contains("LoadName(x)\n   1 Pop\n"), "{text}");
/// # Ok::<(), String>(())
/// ```
pub fn lowering(block: &Block, version: PyVersion) -> Result<String, String> {
    let compiler =
        CompilerFeatures::of(version).ok_or_else(|| format!("Python {version} is not supported"))?;
    let options = LowerOptions { compiler, optimize: 0, future_annotations: false, is_unprinted: false };
    let lowered = lower_module(block, &options).map_err(|error| error.message)?;
    let mut text = String::new();
    // Writing into a string does not fail.
    let _ = write(&lowered, "", &mut text);
    Ok(text)
}

fn write(lowered: &Lowered, path: &str, text: &mut String) -> std::fmt::Result {
    let path = format!("{path}/{}", lowered.name.to_lossy());
    let Lowered { argcount, posonlyargcount, kwonlyargcount, flags, .. } = lowered;
    writeln!(text, "code {path} ({posonlyargcount}, {argcount}, {kwonlyargcount}) flags {flags:#x}")?;
    if let Some(docstring) = &lowered.docstring {
        writeln!(text, "docstring {docstring:?}")?;
    }
    for variable in &lowered.variables {
        let kind = match variable.kind {
            VariableKind::Local => "local",
            VariableKind::Cell => "cell",
            VariableKind::Free => "free",
        };
        writeln!(text, "{kind} {}", variable.name.to_lossy())?;
    }
    for (index, &op) in lowered.ops.iter().enumerate() {
        writeln!(text, "{index:4} {}", shown(lowered, op))?;
    }
    for region in &lowered.regions {
        writeln!(text, "{} to {} -> {} [{}]", region.start, region.end, region.handler, region.depth)?;
    }
    for constant in &lowered.consts {
        if let LoweredConst::Code(code) = constant {
            write(code, &path, text)?;
        }
    }
    Ok(())
}

/// An operation with what its operand names.
fn shown(lowered: &Lowered, op: Op) -> String {
    let name = |id: u32| lowered.names.get(id as usize).map_or_else(String::new, |name| name.to_lossy());
    let variable =
        |id: u32| lowered.variables.get(id as usize).map_or_else(String::new, |found| found.name.to_lossy());
    let debug = format!("{op:?}");
    let kind = debug.split(['(', ' ']).next().unwrap_or_default();
    match op {
        Op::Const(id) => match lowered.consts.get(id as usize) {
            Some(LoweredConst::Value(Const::Str(text))) => format!("Const({:?})", text.to_lossy()),
            Some(LoweredConst::Value(Const::Int(value))) => format!("Const({})", value.to_hex()),
            Some(LoweredConst::Value(value)) => format!("Const({value:?})"),
            Some(LoweredConst::Code(code)) => format!("Const(<code {}>)", code.name.to_lossy()),
            None => debug,
        },
        Op::LoadLocal(id)
        | Op::LoadLocalAndClear(id)
        | Op::MakeCell(id)
        | Op::StoreLocal(id)
        | Op::DeleteLocal(id)
        | Op::LoadDeref(id)
        | Op::StoreDeref(id)
        | Op::DeleteDeref(id)
        | Op::LoadClosure(id)
        | Op::LoadClassDeref(id)
        | Op::LoadFromDictOrDeref(id) => format!("{kind}({})", variable(id)),
        Op::LoadFromDictOrGlobals(id)
        | Op::LoadGlobal(id)
        | Op::StoreGlobal(id)
        | Op::DeleteGlobal(id)
        | Op::LoadName(id)
        | Op::StoreName(id)
        | Op::DeleteName(id)
        | Op::LoadAttr(id)
        | Op::StoreAttr(id)
        | Op::DeleteAttr(id)
        | Op::ImportFrom(id)
        | Op::ImportName { name: id, .. }
        | Op::LoadSuperAttr { name: id, .. } => format!("{kind}({})", name(id)),
        Op::Jump(to) => format!("Jump -> {to}"),
        Op::JumpIf(condition, to) => format!("JumpIf({condition:?}) -> {to}"),
        Op::ForIter { exhausted, .. } => format!("ForIter -> {exhausted}"),
        _ => debug,
    }
}
