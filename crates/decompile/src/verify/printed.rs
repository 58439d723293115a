//! Verdicts on the tree that was printed.

use depyf_bytecode::CodeObject;
use depyf_syntax::ast::Stmt;

use super::tree::{self, Annotations};
use crate::decoded::Decoded;
use crate::lower::{Lowered, LoweredConst};
use crate::{Divergence, FunctionReport, Verdict};

/// Compares the tree that was printed with its code object, and notes a verdict in the report of each function
/// and class. What has no report of its own, such as a lambda, counts for what it stands in.
///
/// Needs: the reports in the order of the text.
pub(crate) fn verify_printed(
    code: &CodeObject,
    block: &[Stmt],
    reports: &mut [FunctionReport],
    decoded: &Decoded,
) {
    let unverified = |message: &str| {
        let message = message.to_owned();
        Verdict::Unverified(Divergence { message, offset: 0, opcode: String::new(), line: None })
    };
    let mut verdicts: Vec<Option<Verdict>> = vec![None; reports.len()];
    match tree::lowered(code, block, None, 0, Annotations::Printed) {
        Ok(lowered) => {
            for found in tree::verify_all(code, &lowered, decoded, &|_| None) {
                let Some(verdict) = verdicts.get_mut(found.lowered.definition as usize) else { continue };
                if !matches!(verdict, Some(Verdict::Unverified(_))) {
                    *verdict = Some(found.verdict);
                }
            }
            adopt(&lowered, &mut verdicts);
        }
        Err(error) => verdicts.fill(Some(unverified(&error.message))),
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

/// No effect took a function that has no partner, so nothing can call it: the decompiler made it, to spell a cell or a code
/// object. That holds as long as what is around it is verified.
fn adopt(lowered: &Lowered, verdicts: &mut [Option<Verdict>]) {
    if verdicts.iter().all(Option::is_some) {
        return;
    }
    let mut work = vec![lowered];
    while let Some(around) = work.pop() {
        for value in &around.consts {
            let LoweredConst::Code(nested) = value else { continue };
            let [outer, inner] = [around, nested].map(|lowered| lowered.definition as usize);
            // What is around has its own by now.
            if let Some(None) = verdicts.get(inner)
                && let Some(Some(Verdict::Verified)) = verdicts.get(outer)
            {
                verdicts[inner] = Some(Verdict::Verified);
            }
            work.push(nested);
        }
    }
}
