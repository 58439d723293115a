//! Docstrings of modules, classes and functions.

use std::borrow::Cow;

use depyf_syntax::ast::{ExprKind, Literal, Stmt, StmtKind};
use depyf_value::PyStr;

use super::generator::Generator;

impl<'a> Generator<'a> {
    /// Stores the docstring of a module or class; gives the other statements.
    pub(super) fn stored_docstring(&mut self, block: &'a [Stmt]) -> &'a [Stmt] {
        let (docstring, rest) = self.docstring(block);
        if let Some(text) = docstring {
            self.string(&text);
            self.store(&"__doc__".into());
        }
        rest
    }

    /// The docstring at the head of a body, and the statements behind it.
    pub(super) fn docstring(&mut self, block: &'a [Stmt]) -> (Option<PyStr>, &'a [Stmt]) {
        let skipped = block.iter().take_while(|stmt| matches!(stmt.kind, StmtKind::Comment(_))).count();
        let Some(Stmt { kind: StmtKind::Expr(expr), .. }) = block.get(skipped) else { return (None, block) };
        let ExprKind::Literal(Literal::Str(text)) = &expr.kind else { return (None, block) };
        let rest = &block[skipped + 1..];
        self.optional.docstrings = true;
        if self.options.optimize >= 2 {
            return (None, rest);
        }
        let text = if self.compiler().cleans_docstrings { clean(text) } else { text.clone() };
        (Some(text), rest)
    }
}

/// A docstring without its indentation: that of the first line goes, the others lose what all have
/// (CPython `Python/compile.c`, `_PyCompile_CleanDoc`). Tabs become blanks.
fn clean(text: &PyStr) -> PyStr {
    let bytes = with_tabs_expanded(text.as_wtf8());
    let lines: Vec<&[u8]> = bytes.split(|&byte| byte == b'\n').collect();
    let Some((first, rest)) = lines.split_first() else { return text.clone() };
    let blanks = |line: &[u8]| line.iter().take_while(|&&byte| byte == b' ').count();
    let margin = rest.iter().filter(|line| blanks(line) < line.len()).map(|line| blanks(line)).min();
    let margin = margin.unwrap_or(0);
    let mut cleaned = first[blanks(first)..].to_vec();
    for line in rest {
        cleaned.push(b'\n');
        cleaned.extend_from_slice(&line[margin.min(blanks(line))..]);
    }
    PyStr::from_wtf8(&cleaned).unwrap_or_else(|| text.clone())
}

/// What `str.expandtabs` gives: each tab reaches to the next column that is a multiple of eight.
fn with_tabs_expanded(text: &[u8]) -> Cow<'_, [u8]> {
    if !text.contains(&b'\t') {
        return text.into();
    }
    let mut expanded = Vec::with_capacity(text.len() + 64);
    let mut column = 0;
    for &byte in text {
        match byte {
            b'\t' => {
                let width = 8 - column % 8;
                expanded.resize(expanded.len() + width, b' ');
                column += width;
                continue;
            }
            b'\n' | b'\r' => column = 0,
            // Bytes behind the first of a code point take no column.
            _ => column += usize::from(byte & 0xc0 != 0x80),
        }
        expanded.push(byte);
    }
    expanded.into()
}
