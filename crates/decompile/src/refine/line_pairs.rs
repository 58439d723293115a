//! Pass: which locals stand on one line with the one in front of them, and which do not.
//!
//! From 3.13 on the compiler makes one instruction of two that load or store locals, if both stand on one line (CPython
//! `Python/flowgraph.c`, `insert_superinstructions`). Source whose lines break elsewhere gives other bytecode.
//!
//! Needs: the final expressions, with their origins. Establishes: of the names in one statement whose instructions follow each
//! other, the one that comes later in the text says whether they are one instruction. Says whether any line must break.
//!
//! Example: `f(x=a, y=b)`, of `LOAD_FAST a` on line 2 and `LOAD_FAST b` on line 3, is printed as
//!
//! ```text
//! f(
//!     x=a,
//!     y=b,
//! )
//! ```

use depyf_bytecode::{Function, Instruction, Op};
use depyf_syntax::ast::{Block, Expr, ExprKind, Pairing, Stmt, StmtKind};

use crate::flow::Contents;
use crate::hash::{HashMap, HashSet};
use crate::visit::{children_mut, each_block, each_child, exprs_mut};

/// An instruction on two locals has four bits for each.
const PAIRED_LOCALS: u32 = 16;

/// See the module. The clauses of a comprehension (or generator expression) are statements still.
pub(crate) fn pair_lines(
    block: &mut Block,
    function: &Function,
    kind: Contents,
    is_comprehension: bool,
) -> bool {
    let pairs = Pairs::of(function);
    let breaks = !pairs.apart.is_empty();
    // Where no line breaks, those of nested functions that are expressions may.
    if !breaks && (pairs.joined.is_empty() || !kind.meets(Contents::NESTED_CODE)) {
        return false;
    }
    if is_comprehension {
        pairs.tell_comprehension(block);
    } else {
        pairs.tell(block);
    }
    breaks
}

/// The pairs of a function, by the offsets of their instructions.
#[derive(Default)]
struct Pairs {
    /// Those that one instruction is.
    joined: HashSet<u32>,
    /// What comes behind the first of two, and in front of the second.
    apart: HashMap<u32, [Option<u32>; 2]>,
}

impl Pairs {
    fn of(function: &Function) -> Self {
        let mut found = Self::default();
        for pair in function.instructions.windows(2) {
            let [first, second] = pair else { continue };
            let (Some(one), Some(other)) = (local(first), local(second)) else { continue };
            if first.offset == second.offset {
                found.joined.insert(first.offset);
            } else if first.line != second.line
                && first.line.is_some()
                && second.line.is_some()
                && one.max(other) < PAIRED_LOCALS
            {
                found.apart.entry(first.offset).or_default()[1] = Some(second.offset);
                found.apart.entry(second.offset).or_default()[0] = Some(first.offset);
            }
        }
        found
    }

    fn tell(&self, block: &mut [Stmt]) {
        for statement in block {
            self.tell_names(statement);
            each_block(statement, |inner| self.tell(inner));
        }
    }

    /// Pairs the names of one statement.
    fn tell_names(&self, statement: &mut Stmt) {
        let is_assignment = matches!(statement.kind, StmtKind::Assign { .. });
        let mut exprs = exprs_mut(statement);
        if is_assignment {
            // The value is evaluated first, and written last.
            exprs.rotate_left(1);
        }
        let mut names = Vec::new();
        exprs.into_iter().for_each(|expr| self.names(expr, &mut names));
        self.pair(&mut names);
    }

    /// Pairs the names of a generator expression, whose clauses are statements here and one expression in the text.
    fn tell_comprehension(&self, block: &mut [Stmt]) {
        let [mut elements, mut clauses] = [Vec::new(), Vec::new()];
        self.names_of_clauses(block, &mut elements, &mut clauses);
        elements.append(&mut clauses);
        self.pair(&mut elements);
    }

    fn names_of_clauses<'a>(
        &self,
        block: &'a mut [Stmt],
        elements: &mut Vec<&'a mut Expr>,
        clauses: &mut Vec<&'a mut Expr>,
    ) {
        for statement in block {
            match &mut statement.kind {
                StmtKind::Expr(element) => self.names(element, elements),
                StmtKind::For { target, iter, body, .. } => {
                    self.names(target, clauses);
                    self.names(iter, clauses);
                    self.names_of_clauses(body, elements, clauses);
                }
                StmtKind::If { test, body, .. } => {
                    self.names(test, clauses);
                    self.names_of_clauses(body, elements, clauses);
                }
                _ => {}
            }
        }
    }

    /// Pairs names, which are given as they come in the text.
    fn pair(&self, names: &mut [&mut Expr]) {
        if names.len() < 2 {
            return;
        }
        let mut seen: HashMap<u32, usize> = HashMap::default();
        for at in 0..names.len() {
            let offset = names[at].origin.0;
            let around = self.apart.get(&offset).into_iter().flatten().flatten();
            let apart = around.filter_map(|other| seen.get(other).map(|&other| (other, Pairing::Apart)));
            let joined = seen.get(&offset).map(|&other| (other, Pairing::Joined));
            if let Some((other, pairing)) = apart.chain(joined).last() {
                names[at].pairing = pairing;
                if names[other].pairing == Pairing::None {
                    names[other].pairing = Pairing::First;
                }
            }
            seen.insert(offset, at);
        }
    }

    /// The names of an expression that are part of pairs, as they come in its text.
    fn names<'a>(&self, expr: &'a mut Expr, found: &mut Vec<&'a mut Expr>) {
        match expr.kind {
            ExprKind::Name(_) => {
                if self.joined.contains(&expr.origin.0) || self.apart.contains_key(&expr.origin.0) {
                    found.push(expr);
                }
            }
            ExprKind::Comprehension { .. } => {
                let mut children = children_mut(expr);
                // The element is evaluated last, and written first.
                children.rotate_right(1);
                children.into_iter().for_each(|child| self.names(child, found));
            }
            _ => each_child(expr, |child| self.names(child, found)),
        }
    }
}

/// The local that an instruction loads or stores.
fn local(instruction: &Instruction) -> Option<u32> {
    match instruction.op {
        Op::LoadLocal(local) | Op::StoreLocal(local) => Some(local),
        _ => None,
    }
}
