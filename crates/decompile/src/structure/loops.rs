//! Loops: natural loops, `for`, `while` and their `else`. See `loop_body.rs` for what stands in them, `loop_exits.rs` for what
//! they lead to.

use crate::hash::HashMap;

use depyf_syntax::ast::{Block as Body, Expr, ExprKind, Literal, Origin, Stmt, StmtKind};

use super::loop_exits::LoopExits;
use super::settling::jump_to;
use super::{LoopScope, Scope, Structurer};
use crate::flow::{BlockId, BlockSet, Lists};
use crate::lift::{LiftResult, LiftedEnd};

/// The natural loop of each header: the blocks that reach a back edge to it without passing it. A handler is
/// entered from the blocks of its region, which are among its predecessors.
pub(super) fn natural_loops(
    back_edges: &[(BlockId, BlockId)],
    predecessors: &Lists,
) -> HashMap<BlockId, BlockSet> {
    let mut loops: HashMap<BlockId, BlockSet> = HashMap::default();
    for &(latch, header) in back_edges {
        let body = loops.entry(header).or_insert_with(|| {
            let mut body = BlockSet::default();
            body.insert(header);
            body
        });
        let mut work = vec![latch];
        while let Some(next) = work.pop() {
            if !body.put(next) {
                work.extend(&predecessors[next]);
            }
        }
    }
    loops
}

/// A `for` whose items a temporary gets.
pub(super) fn for_statement(item: u32, iter: &Expr, body: Body, orelse: Body, is_async: bool) -> StmtKind {
    let target = Box::new(Expr::new(Origin::NONE, ExprKind::Temp(item)));
    StmtKind::For { target, iter: Box::new(iter.clone()), body, orelse, is_async }
}

impl Structurer<'_> {
    /// Prints the loop whose header is `header`, and goes on behind it.
    pub(super) fn emit_loop(&mut self, header: BlockId, scope: &Scope, out: &mut Body) -> LiftResult<()> {
        self.has_loops = true;
        let graph = self.graph;
        let origin = Origin(graph.blocks[header].end_offset);
        let LoopExits { exit, orelse } = self.loop_exits(header, scope);
        if let Some(exit) = exit {
            self.claim(exit);
        }
        self.open_loops.push(header);
        let inner = Scope {
            follow: Some(header),
            inner: Some(LoopScope { header, exit, repeats: true }),
            depth: scope.depth + 1,
            ..*scope
        };
        let after = Scope { follow: exit, depth: scope.depth + 1, ..*scope };
        let statement = match &graph.blocks[header].end {
            LiftedEnd::For { iter, item, body, exhausted, is_async, .. } if self.is_for(header) => {
                self.nodes[header].is_printed = true;
                let (mut content, mut orelse) = (Body::new(), Body::new());
                self.goto(*body, &inner, &mut content)?;
                self.goto(*exhausted, &after, &mut orelse)?;
                Stmt::new(origin, for_statement(*item, iter, content, orelse, *is_async))
            }
            LiftedEnd::Branch { yes, no, .. } if let Some(to) = orelse => {
                self.nodes[header].is_printed = true;
                let test = self.test(header)?;
                let (stays, test) = if to == *no { (*yes, test) } else { (*no, crate::names::negated(test)) };
                let (mut body, mut orelse) = (Body::new(), Body::new());
                self.goto(stays, &inner, &mut body)?;
                self.goto(to, &after, &mut orelse)?;
                Stmt::new(origin, StmtKind::While { test, body, orelse })
            }
            _ => {
                let mut body = Body::new();
                self.emit(header, &inner, &mut body)?;
                let test = Expr::new(Origin::NONE, ExprKind::Literal(Literal::Bool(true)));
                // What the header's last instruction tests is printed inside. Only `while True` leaves an instruction of its own.
                let written = graph.evidence.head_of_endless_loop(&graph.blocks[header]);
                let origin = written.map_or(Origin::NONE, Origin);
                Stmt::new(origin, StmtKind::While { test, body, orelse: Body::new() })
            }
        };
        out.push(statement);
        self.open_loops.pop();
        if let Some(exit) = exit {
            self.release(exit);
            self.next = Some((exit, *scope));
        }
        Ok(())
    }

    /// Whether a block is the head of a loop that is being printed and does nothing but to lead to that of a loop in it,
    /// or to what is printed next: then it may be passed once more.
    pub(super) fn leads_on(&self, block: BlockId, scope: &Scope) -> bool {
        let mut at = block;
        for _ in &self.open_loops {
            match self.graph.blocks[at].end {
                LiftedEnd::Jump(to) if self.open_loops.contains(&at) && self.is_transparent(at) => {
                    if scope.follow == Some(to) || jump_to(to, scope).is_some() {
                        return true;
                    }
                    at = to;
                }
                _ => return false,
            }
        }
        false
    }

    /// Whether the block takes the items of an iterator that it does not make itself.
    pub(super) fn is_for(&self, header: BlockId) -> bool {
        let found = &self.graph.blocks[header];
        matches!(found.end, LiftedEnd::For { .. }) && self.is_transparent(header)
    }
}
