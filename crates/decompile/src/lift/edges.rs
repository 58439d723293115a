//! Assignments that the edges between blocks make.

use std::collections::BTreeMap;

use depyf_syntax::ast::{Expr, ExprKind, Origin, Stmt, StmtKind};

use super::lifted::{LiftedBlock, LiftedEnd};
use crate::flow::{BlockId, DeadJumps, Layout};

/// Assignments of edges: temporaries and values.
pub(super) type Assignments = BTreeMap<(BlockId, BlockId), Vec<(u32, Expr)>>;

/// Puts the assignments of edges into their blocks; an edge from a branch to a join gets a block.
pub(super) fn place_assignments(blocks: &mut Vec<LiftedBlock>, assignments: Assignments) {
    for ((from, to), assignments) in assignments {
        let origin = Origin(blocks[from].end_offset);
        let moved: Vec<u32> = assignments.iter().map(|(temporary, _)| *temporary).collect();
        let clash = assignments.iter().enumerate().any(|(at, (_, value))| {
            moved[..at].iter().any(|&temporary| value.kind == ExprKind::Temp(temporary))
        });
        let name = |temporary: u32| Expr::new(Origin::NONE, ExprKind::Temp(temporary));
        let statements: Vec<Stmt> = if clash {
            let targets = assignments.iter().map(|&(temporary, _)| name(temporary)).collect();
            let values = assignments.into_iter().map(|(_, value)| value).collect();
            let target = Expr::new(Origin::NONE, ExprKind::Tuple(targets));
            let value = Expr::new(Origin::NONE, ExprKind::Tuple(values));
            vec![Stmt::new(origin, StmtKind::Assign { targets: vec![target], value })]
        } else {
            let assign = |(temporary, value)| {
                Stmt::new(origin, StmtKind::Assign { targets: vec![name(temporary)], value })
            };
            assignments.into_iter().map(assign).collect()
        };
        if let LiftedEnd::Jump(_) = blocks[from].end {
            blocks[from].statements.extend(statements);
        } else {
            let block = LiftedBlock {
                statements,
                end: LiftedEnd::Jump(to),
                end_offset: blocks[from].end_offset,
                start: blocks[to].start,
                region: blocks[from].region,
                handling: blocks[from].handling,
                depth: blocks[to].depth,
                carries: true,
                layout: Layout::default(),
                dead: DeadJumps::default(),
                written: None,
            };
            let new = blocks.len();
            blocks[from].end.retarget(to, new);
            blocks.push(block);
        }
    }
}
