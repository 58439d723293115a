//! Verdicts on the tree that was printed.

use depyf_bytecode::CodeObject;
use depyf_syntax::ast::{Origin, Stmt, StmtKind};

use super::tree::{self, Annotations};
use crate::decoded::Decoded;
use crate::{Divergence, FunctionReport, Verdict, refine};

/// Compares the tree that was printed with its code object, and notes a verdict in the report of each function
/// and class. What has no report of its own, such as a lambda, counts for what it stands in.
///
/// Needs: the reports in the order of the text. The origins of the tree are lost.
pub(crate) fn verify_printed(
    code: &CodeObject,
    block: &mut [Stmt],
    reports: &mut [FunctionReport],
    decoded: &Decoded,
) {
    refine::forget_origins(block);
    let is_module = code.name == "<module>";
    // For each report, the one that it stands in.
    let mut homes = if is_module { vec![0] } else { Vec::new() };
    number(block, 0, &mut homes);
    let unverified = |message: &str| {
        let message = message.to_owned();
        Verdict::Unverified(Divergence { message, offset: 0, opcode: String::new(), line: None })
    };
    let mut verdicts: Vec<Option<Verdict>> = vec![None; reports.len()];
    match tree::lowered(code, block, None, 0, Annotations::AsSpelled) {
        Ok(lowered) => {
            for found in tree::verify_all(code, &lowered, decoded, &|_| None) {
                let home = match found.lowered.origin {
                    Origin::NONE => 0,
                    origin => origin.0 as usize,
                };
                let Some(verdict) = verdicts.get_mut(home) else { continue };
                if !matches!(verdict, Some(Verdict::Unverified(_))) {
                    *verdict = Some(found.verdict);
                }
            }
        }
        Err(error) => verdicts.fill(Some(unverified(&error.message))),
    }
    for at in 0..verdicts.len() {
        if verdicts[at].is_none() {
            // No effect took a function that has no partner, so nothing can call it: the decompiler made it,
            // to spell a cell or a code object. That holds as long as what is around it is verified.
            let home = homes.get(at).copied().unwrap_or(0) as usize;
            let around = verdicts.get(home).cloned().flatten().filter(|_| home < at);
            verdicts[at] = around.filter(|around| *around == Verdict::Verified);
        }
    }
    for (report, verdict) in reports.iter_mut().zip(verdicts) {
        if report.verdict == Verdict::Unchecked {
            report.verdict =
                verdict.unwrap_or_else(|| unverified("no code of the bytecode stands for this function"));
            if let Verdict::Unverified(divergence) = &mut report.verdict {
                divergence.line = Some(report.line);
            }
        }
    }
}

/// Gives each statement the number of the function or class that it stands in, as its origin; a definition
/// gets its own number.
fn number(block: &mut [Stmt], home: u32, homes: &mut Vec<u32>) {
    for statement in block {
        statement.origin = Origin(home);
        let mut definition = || {
            homes.push(home);
            homes.len() as u32 - 1
        };
        match &mut statement.kind {
            StmtKind::Function(function) => {
                let inner = definition();
                statement.origin = Origin(inner);
                number(&mut function.body, inner, homes);
                continue;
            }
            StmtKind::Class(class) => {
                let inner = definition();
                statement.origin = Origin(inner);
                number(&mut class.body, inner, homes);
                continue;
            }
            StmtKind::Try(statement) => {
                statement.handlers.iter_mut().for_each(|handler| handler.origin = Origin(home));
            }
            _ => {}
        }
        for block in refine::blocks_mut(statement) {
            number(block, home, homes);
        }
    }
}
