//! Marks of functions whose source is not known to be right, and the report that names them.

use crate::hash::HashMap;
use std::collections::VecDeque;

use depyf_bytecode::{CodeObject, Const, flags};
use depyf_syntax::ast::{Block, Expr, ExprKind, Literal, Origin, Stmt, StmtKind};
use depyf_value::PyStr;

use crate::{Divergence, Error, FunctionReport, Verdict, visit};

/// What a mark's comment starts with, behind the `#`.
const MARK: &str = "unverified: ";

/// The comment of a function that has no source: the reason, and the listing of its bytecode.
pub(crate) fn failed(code: &CodeObject, error: &Error) -> Block {
    let listing = depyf_bytecode::listing(code);
    let comment = format!("{}\nnot decompiled; its bytecode:\n{}", mark(error), listing.trim_end());
    vec![Stmt::new(Origin::NONE, StmtKind::Comment(comment))]
}

/// Calling a function that has no source must not pass for what it did.
pub(crate) fn failing_statement() -> Stmt {
    let text = Expr::new(Origin::NONE, ExprKind::Literal(Literal::Str("not decompiled".into())));
    let exc = ExprKind::call(Expr::name("NotImplementedError"), vec![text], Vec::new());
    Stmt::new(Origin::NONE, StmtKind::Raise { exc: Some(Expr::new(Origin::NONE, exc)), cause: None })
}

fn mark(error: &Error) -> String {
    let sentence = error.to_string().replace(['\n', '\r'], " ");
    format!("{MARK}{sentence}")
}

/// Whether more functions are unverified than those that were marked because they failed.
pub(crate) fn missing(reports: &[FunctionReport], failures: usize) -> bool {
    reports.iter().filter(|report| matches!(report.verdict, Verdict::Unverified(_))).count() > failures
}

/// Marks each function, class and module that is unverified and has no mark: the first divergence, and the
/// listing of its bytecode.
///
/// Needs: the reports of this very tree, in the order of the text.
pub(crate) fn insert(block: &mut Block, code: &CodeObject, reports: &[FunctionReport]) {
    let mut codes: HashMap<String, VecDeque<&CodeObject>> = HashMap::default();
    collect(code, "", &mut codes);
    let mut marker = Marker { reports: reports.iter(), codes };
    let module = (code.name == "<module>").then(|| marker.comment()).flatten();
    marker.block(block);
    if let Some(comment) = module.filter(|_| !is_marked(block)) {
        comment_stray_jumps(block);
        block.insert(0, comment);
    }
}

/// Makes comments of jumps that stand in no loop: one that is wrong must not keep the whole file from being compiled.
fn comment_stray_jumps(block: &mut Block) {
    for statement in block.iter_mut() {
        match &mut statement.kind {
            StmtKind::For { orelse, .. } | StmtKind::While { orelse, .. } => comment_stray_jumps(orelse),
            // These have marks of their own.
            StmtKind::Function(_) | StmtKind::Class(_) => {}
            _ => {
                visit::each_block(statement, comment_stray_jumps);
            }
        }
    }
    let statements = std::mem::take(block).into_iter();
    block.extend(statements.flat_map(|statement| {
        let jump = match statement.kind {
            StmtKind::Break => "break",
            StmtKind::Continue => "continue",
            _ => return vec![statement],
        };
        let comment = StmtKind::Comment(format!("`{jump}` outside of a loop"));
        [comment, StmtKind::Pass].map(|kind| Stmt::new(statement.origin, kind)).into()
    }));
}

fn is_marked(body: &Block) -> bool {
    matches!(body.first(), Some(Stmt { kind: StmtKind::Comment(text), .. }) if text.starts_with(MARK))
}

/// All code objects by the names that reports use, in the order in which constants hold them.
fn collect<'a>(code: &'a CodeObject, prefix: &str, codes: &mut HashMap<String, VecDeque<&'a CodeObject>>) {
    let mut work = vec![(code, prefix.to_owned())];
    while let Some((code, prefix)) = work.pop() {
        let name = format!("{prefix}{}", code.name.to_lossy());
        let inner = match &code.name {
            module if *module == "<module>" => String::new(),
            _ if code.flags & flags::OPTIMIZED == 0 => format!("{name}."),
            _ => format!("{name}.<locals>."),
        };
        codes.entry(name).or_default().push_back(code);
        work.extend(code.consts.iter().rev().filter_map(|value| match value {
            Const::Code(nested) => Some((&**nested, inner.clone())),
            _ => None,
        }));
    }
}

struct Marker<'a> {
    reports: std::slice::Iter<'a, FunctionReport>,
    codes: HashMap<String, VecDeque<&'a CodeObject>>,
}

impl Marker<'_> {
    fn block(&mut self, block: &mut Block) {
        for statement in block {
            match &mut statement.kind {
                StmtKind::Function(function) => self.definition(&mut function.body),
                StmtKind::Class(class) => self.definition(&mut class.body),
                _ => {
                    visit::each_block(statement, |inner| self.block(inner));
                }
            }
        }
    }

    fn definition(&mut self, body: &mut Block) {
        let comment = self.comment();
        let marked = is_marked(body);
        self.block(body);
        if let Some(comment) = comment.filter(|_| !marked) {
            comment_stray_jumps(body);
            body.insert(0, comment);
        }
    }

    /// The mark of the next definition, if it needs one.
    fn comment(&mut self) -> Option<Stmt> {
        let report = self.reports.next()?;
        let code = self.codes.get_mut(&report.qualname).and_then(VecDeque::pop_front);
        let Verdict::Unverified(divergence) = &report.verdict else { return None };
        let mut comment = format!("{MARK}{}", divergence.to_string().replace(['\n', '\r'], " "));
        if let Some(code) = code {
            let listing = depyf_bytecode::listing(code);
            comment.push_str(&format!("\nits bytecode:\n{}", listing.trim_end()));
        }
        Some(Stmt::new(Origin::NONE, StmtKind::Comment(comment)))
    }
}

/// Every `def` and `class` of a tree in the order of the text, behind the module if it is one.
///
/// `lines` are those of the definitions, in the same order; `failures` say why bodies are marked.
pub(crate) fn reports(
    block: &Block,
    is_module: bool,
    lines: &[u32],
    failures: &[Error],
) -> Vec<FunctionReport> {
    let failures = failures.iter().rev().map(|error| (mark(error), error)).collect();
    let reports = Vec::with_capacity(lines.len() + usize::from(is_module));
    let mut reporter = Reporter { lines: lines.iter(), failures, reports, prefix: String::new() };
    if is_module {
        let verdict = reporter.verdict(block);
        reporter.reports.push(FunctionReport { qualname: "<module>".to_owned(), line: 1, verdict });
    }
    reporter.block(block);
    reporter.reports
}

struct Reporter<'a> {
    lines: std::slice::Iter<'a, u32>,
    /// By the first line of the mark.
    failures: HashMap<String, &'a Error>,
    reports: Vec<FunctionReport>,
    /// What stands before the qualified names of the definitions at hand.
    prefix: String,
}

impl Reporter<'_> {
    fn block(&mut self, block: &Block) {
        for statement in block {
            match &statement.kind {
                StmtKind::Function(function) => self.definition(&function.name, ".<locals>.", &function.body),
                StmtKind::Class(class) => self.definition(&class.name, ".", &class.body),
                _ if visit::holds_blocks(statement) => {
                    visit::blocks(statement).for_each(|inner| self.block(inner));
                }
                _ => {}
            }
        }
    }

    fn definition(&mut self, name: &PyStr, border: &str, body: &Block) {
        let line = self.lines.next().copied().unwrap_or(1);
        let verdict = self.verdict(body);
        let around = self.prefix.len();
        match name.as_str() {
            Some(name) => self.prefix.push_str(name),
            None => self.prefix.push_str(&name.to_lossy()),
        }
        self.reports.push(FunctionReport { qualname: self.prefix.clone(), line, verdict });
        self.prefix.push_str(border);
        self.block(body);
        self.prefix.truncate(around);
    }

    fn verdict(&self, body: &Block) -> Verdict {
        let Some(Stmt { kind: StmtKind::Comment(comment), .. }) = body.first() else {
            return Verdict::Unchecked;
        };
        let first = comment.lines().next().unwrap_or_default();
        match self.failures.get(first) {
            Some(error) => Verdict::Unverified(Divergence {
                message: error.message.clone(),
                offset: error.offset,
                opcode: error.opcode.clone(),
                line: None,
            }),
            None => Verdict::Unchecked,
        }
    }
}

#[cfg(test)]
mod tests {
    use depyf_value::PyVersion;

    use super::*;
    use crate::{OnFailure, Options, decompile};

    /// `def broken(): ..` whose only instruction is no opcode of 3.10, inside a module that makes it.
    fn module() -> CodeObject {
        let version = PyVersion(10);
        let broken = CodeObject {
            name: "broken".into(),
            qualname: "broken".into(),
            flags: 0x43,
            code: vec![7, 0],
            ..CodeObject::empty(version)
        };
        CodeObject {
            name: "<module>".into(),
            qualname: "<module>".into(),
            // LOAD_CONST 0, LOAD_CONST 1, MAKE_FUNCTION, STORE_NAME 0, LOAD_CONST 2, RETURN_VALUE
            code: vec![100, 0, 100, 1, 132, 0, 90, 0, 100, 2, 83, 0],
            consts: vec![Const::Code(broken.into()), Const::Str("broken".into()), Const::None],
            names: vec!["broken".into()],
            ..CodeObject::empty(version)
        }
    }

    #[test]
    fn a_function_that_fails_is_marked_and_its_module_stands() {
        let options = Options { on_failure: OnFailure::Mark, ..Options::default() };
        let done = decompile(&module(), &options).expect("the module is intact");
        let lines: Vec<&str> = done.text.lines().collect();
        assert_eq!(lines[0], "def broken():");
        assert!(lines[1].starts_with("    # unverified: "), "{}", done.text);
        assert_eq!(lines.last(), Some(&"    raise NotImplementedError('not decompiled')"));
        let verdicts: Vec<(&str, u32, bool)> = done
            .functions
            .iter()
            .map(|report| (&*report.qualname, report.line, matches!(report.verdict, Verdict::Unverified(_))))
            .collect();
        assert_eq!(verdicts, [("<module>", 1, false), ("broken", 1, true)]);
    }

    #[test]
    fn what_diverges_gets_the_mark_and_its_listing() {
        let code = module();
        let source = Options { on_failure: OnFailure::Mark, ..Options::default() };
        let mut block = vec![Stmt::new(Origin::NONE, StmtKind::Pass)];
        let mut reports = decompile(&code, &source).expect("the module is intact").functions;
        reports.truncate(1);
        reports[0].verdict = Verdict::Unverified(Divergence {
            message: "another\nstore".to_owned(),
            offset: 6,
            opcode: "StoreName".to_owned(),
            line: Some(1),
        });
        insert(&mut block, &code, &reports);
        let StmtKind::Comment(text) = &block[0].kind else { panic!("no comment: {block:?}") };
        let mut lines = text.lines();
        assert_eq!(lines.next(), Some("unverified: another store (offset 6, StoreName)"));
        assert_eq!(lines.next(), Some("its bytecode:"));
        assert!(lines.any(|line| line.contains("STORE_NAME")), "{text}");
    }

    #[test]
    fn a_jump_that_no_compiler_accepts_becomes_a_comment() {
        let stmt = |kind| Stmt::new(Origin::NONE, kind);
        let jumps = || vec![stmt(StmtKind::Continue)];
        let name = |id| Expr::name(id);
        let inner = StmtKind::While { test: name("a"), body: jumps(), orelse: jumps() };
        let mut block =
            vec![stmt(inner), stmt(StmtKind::If { test: name("b"), body: jumps(), orelse: vec![] })];
        comment_stray_jumps(&mut block);
        let stray =
            || vec![stmt(StmtKind::Comment("`continue` outside of a loop".into())), stmt(StmtKind::Pass)];
        let inner = StmtKind::While { test: name("a"), body: jumps(), orelse: stray() };
        let known = [stmt(inner), stmt(StmtKind::If { test: name("b"), body: stray(), orelse: vec![] })];
        assert_eq!(block, known);
    }

    #[test]
    fn a_failure_is_an_error_where_that_was_asked_for() {
        let error = decompile(&module(), &Options::default()).expect_err("no source");
        assert_eq!((&*error.function, error.offset), ("broken", 0));
    }
}
