//! Pass: statements stand on one line where functions in them are one constant.
//!
//! Of two equal code objects the compiler makes one constant, if their first lines are the same; to 3.10, and in 3.12, no
//! other place tells them apart (`lines_tell_code_apart`). On two lines they would be two.
//!
//! Needs: the final statements, with their origins. Establishes: a simple statement that makes a function of a constant that
//! a statement in front of it, or the header of its body, makes one of as well stands on the line of that one, and so does
//! what is between them.
//!
//! Example: `if [x for x in a]:` with `f([x for x in a])` in it, both lists made by constant 3, becomes
//!
//! ```text
//! if [x for x in a]: f([x for x in a])
//! ```

use depyf_bytecode::{CodeObject, Function};
use depyf_syntax::ast::{Block, Origin, Stmt, StmtKind};

use crate::hash::HashMap;
use crate::made_functions::{constants_of_functions, makes_one_twice};
use crate::visit::{each_block, holds_blocks, walk_exprs};

/// See the module.
pub(crate) fn share_lines(block: &mut Block, code: &CodeObject, function: &Function) {
    if makes_one_twice(code, function) {
        let constants = constants_of_functions(code, function);
        Constants(constants.into_iter().collect()).share(block);
    }
}

/// The constants that functions are, by the origins of these.
struct Constants(HashMap<Origin, usize>);

impl Constants {
    fn share(&self, block: &mut Block) {
        let made: Vec<Vec<usize>> = block.iter_mut().map(|stmt| self.made_by(stmt)).collect();
        // Runs of simple statements, and the last statement of each that makes a function of a constant.
        let mut runs = Vec::with_capacity(block.len());
        let mut last_made: HashMap<(usize, usize), usize> = HashMap::default();
        let mut run = 0;
        for (at, stmt) in block.iter().enumerate() {
            // Any other is a run by itself.
            let ends_run = usize::from(!is_simple(stmt));
            run += ends_run;
            runs.push(run);
            last_made.extend(made[at].iter().map(|constant| ((run, *constant), at)));
            run += ends_run;
        }
        let mut line_ends = 0;
        for (at, mut stmt) in std::mem::take(block).into_iter().enumerate() {
            if at > 0 && at <= line_ends {
                block.push(Stmt::new(Origin::NONE, StmtKind::SameLine));
            }
            let shared = made[at].iter().filter_map(|constant| last_made.get(&(runs[at], *constant)));
            line_ends = shared.copied().fold(line_ends, usize::max);
            self.share_body(&mut stmt, &made[at]);
            block.push(stmt);
        }
    }

    /// The same of the blocks in a statement; `made` is what its header makes.
    fn share_body(&self, stmt: &mut Stmt, made: &[usize]) {
        if let StmtKind::If { body, .. }
        | StmtKind::While { body, .. }
        | StmtKind::For { body, .. }
        | StmtKind::With { body, .. } = &mut stmt.kind
            && body.iter().all(is_simple)
            && body.iter_mut().any(|inner| self.made_by(inner).iter().any(|constant| made.contains(constant)))
        {
            let same_line = || Stmt::new(Origin::NONE, StmtKind::SameLine);
            *body = std::mem::take(body).into_iter().flat_map(|inner| [same_line(), inner]).collect();
        }
        each_block(stmt, |inner| {
            if !matches!(inner.first(), Some(Stmt { kind: StmtKind::SameLine, .. })) {
                self.share(inner);
            }
        });
    }

    /// The constants of the functions of one expression that a statement makes, those of blocks in it left out.
    fn made_by(&self, stmt: &mut Stmt) -> Vec<usize> {
        let mut found = Vec::new();
        walk_exprs(stmt, &mut |expr| found.extend(self.0.get(&expr.origin)));
        found
    }
}

/// Whether a statement may stand behind another one on its line.
fn is_simple(stmt: &Stmt) -> bool {
    let is_other = matches!(
        stmt.kind,
        StmtKind::Function(_)
            | StmtKind::Class(_)
            | StmtKind::Comment(_)
            | StmtKind::Goto(_)
            | StmtKind::Label(_)
    );
    !is_other && !holds_blocks(stmt)
}
