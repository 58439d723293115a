//! Verdicts on the tree that was printed.

use depyf_bytecode::CodeObject;
use depyf_syntax::ast::{Origin, Stmt, StmtKind};

use super::tree::{self, Annotations};
use crate::decoded::Decoded;
use crate::{Divergence, FunctionReport, Verdict, refine};

/// Compares the tree that was printed with its code object, and notes a verdict in the report of each function
/// and class. What has no report of its own, such as a lambda, counts for what it stands in.
///
/// Needs: the reports in the order of the text. The origins of the tree are numbers afterwards, until those are put
/// back that it had.
pub(crate) fn verify_printed(
    code: &CodeObject,
    block: &mut [Stmt],
    reports: &mut [FunctionReport],
    decoded: &Decoded,
) -> Origins {
    let is_module = code.name == "<module>";
    // For each report, the one that it stands in.
    let mut homes = if is_module { vec![0] } else { Vec::new() };
    let mut origins = Vec::new();
    number(block, 0, &mut homes, &mut |origin, home| {
        origins.push(std::mem::replace(origin, Origin(home)));
    });
    let unverified = |message: &str| {
        let message = message.to_owned();
        Verdict::Unverified(Divergence { message, offset: 0, opcode: String::new(), line: None })
    };
    let mut verdicts: Vec<Option<Verdict>> = vec![None; reports.len()];
    match tree::lowered(code, block, None, 0, Annotations::Printed) {
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
    Origins { origins, is_module }
}

/// The origins that the statements of a tree had before it was compared.
pub(crate) struct Origins {
    origins: Vec<Origin>,
    is_module: bool,
}

impl Origins {
    /// Gives them back to the tree.
    pub(crate) fn put_back(self, block: &mut [Stmt]) {
        let mut origins = self.origins.into_iter();
        let mut homes = if self.is_module { vec![0] } else { Vec::new() };
        number(block, 0, &mut homes, &mut |origin, _| *origin = origins.next().unwrap_or(Origin::NONE));
    }
}

/// Visits the origin of each statement with the number of the function or class that it stands in; a definition
/// stands in itself.
fn number(block: &mut [Stmt], home: u32, homes: &mut Vec<u32>, visit: &mut impl FnMut(&mut Origin, u32)) {
    for statement in block {
        let body = match &mut statement.kind {
            StmtKind::Function(function) => Some(&mut function.body),
            StmtKind::Class(class) => Some(&mut class.body),
            _ => None,
        };
        if let Some(body) = body {
            homes.push(home);
            let inner = homes.len() as u32 - 1;
            visit(&mut statement.origin, inner);
            number(body, inner, homes, visit);
            continue;
        }
        visit(&mut statement.origin, home);
        if let StmtKind::Try(parts) = &mut statement.kind {
            parts.handlers.iter_mut().for_each(|handler| visit(&mut handler.origin, home));
        }
        refine::each_block(statement, |block| number(block, home, homes, visit));
    }
}
