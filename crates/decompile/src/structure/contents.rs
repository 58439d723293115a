//! What blocks print, which moves to the tree; and functions that are no more than that.

use depyf_syntax::ast::{Block as Body, Expr, ExprKind, Literal, Origin, Stmt, StmtKind};

use super::nodes::Node;
use super::returns::is_none;
use super::{Structurer, gotos};
use crate::flow::{BlockId, Lists, RegionKind};
use crate::lift::{LiftResult, Lifted, LiftedBlock, LiftedEnd};
use crate::visit::each_block;

/// What a block prints.
#[derive(Clone, Debug)]
pub(super) struct Content {
    pub(super) statements: Vec<Stmt>,
    /// What its end tests.
    pub(super) test: Option<Expr>,
}

impl Content {
    /// Takes it out of the block.
    pub(super) fn of(block: &mut LiftedBlock) -> Self {
        let test = match &mut block.end {
            LiftedEnd::Branch { test, .. } => {
                let nothing = Expr::new(Origin::NONE, ExprKind::Literal(Literal::None));
                Some(std::mem::replace(test, nothing))
            }
            _ => None,
        };
        Self { statements: std::mem::take(&mut block.statements), test }
    }
}

impl Structurer<'_> {
    /// Prints the function; ends that make nested code stand in several places if there is no other spelling.
    pub(super) fn emit_once(&mut self, mut contents: Vec<Content>, order: &[BlockId]) -> LiftResult<Body> {
        if order.iter().any(|&block| self.ends_short(block) && self.makes_functions(block)) {
            if let Some(body) = self.attempt(&mut contents, order) {
                return Ok(body);
            }
            self.copies_code = true;
        }
        // What leaves a statement in a `try` may have to leave the `try`, too, or that statement alone.
        if !self.graph.regions.is_empty() && order.iter().any(|&block| self.may_be_near(block)) {
            if let Some(body) = self.attempt(&mut contents, order) {
                return Ok(body);
            }
            self.jumps_near = true;
        }
        self.emit_all(contents, order)
    }

    /// Prints the function, if it can be printed like this. Where it cannot, the contents are as they were; that is rare,
    /// and a copy of all statements is not: what is printed first holds labels for them.
    pub(super) fn attempt(&mut self, contents: &mut [Content], order: &[BlockId]) -> Option<Body> {
        let mut labelled: Vec<Labelled<'_>> = Vec::new();
        let contents = contents.iter_mut().enumerate().map(|(block, Content { statements, test })| {
            let is_copied = self.ends_short(block);
            let statements = statements.iter_mut().map(|statement| {
                if is_looked_at(statement) {
                    return statement.clone();
                }
                let label = StmtKind::Label(labelled.len() as u32);
                let label = Stmt::new(statement.origin, label);
                labelled.push(Labelled { kind: &mut statement.kind, is_copied });
                label
            });
            Content { statements: statements.collect(), test: test.clone() }
        });
        let contents = contents.collect();
        let mut body = self.emit_all(contents, order).ok()?;
        fill_in(&mut body, &mut labelled);
        Some(body)
    }

    /// What the end of a block tests. It is printed once; only the head of an open loop may be come to again.
    pub(super) fn test(&mut self, block: BlockId) -> LiftResult<Expr> {
        let test = &mut self.contents[block].test;
        let test = if self.open_loops.contains(&block) { test.clone() } else { test.take() };
        test.map_or_else(|| self.error(block, "a block would be printed twice"), Ok)
    }

    pub(super) fn makes_functions(&self, block: BlockId) -> bool {
        self.graph.evidence.makes_functions(&self.graph.blocks[block])
    }
}

/// A statement that a label stands for.
struct Labelled<'a> {
    kind: &'a mut StmtKind,
    /// Whether it may stand in several places.
    is_copied: bool,
}

/// Whether a statement of a block is asked for more than that it is there.
fn is_looked_at(statement: &Stmt) -> bool {
    matches!(statement.kind, StmtKind::With { .. }) || gotos::takes_value(statement)
}

/// Puts statements where their labels are.
fn fill_in(body: &mut Body, labelled: &mut [Labelled<'_>]) {
    for statement in body {
        match statement.kind {
            StmtKind::Label(number) => match labelled.get_mut(number as usize) {
                Some(Labelled { kind, is_copied: true }) => statement.kind = kind.clone(),
                Some(Labelled { kind, is_copied: false }) => std::mem::swap(&mut statement.kind, kind),
                None => {}
            },
            _ => each_block(statement, |inner| fill_in(inner, labelled)),
        }
    }
}

/// Marks the blocks of regions in which nothing is done. `members` are the blocks in each region. Such a region is a
/// statement all the same, for its handler: `try: pass` in front of a `finally`. A region around it holds that statement.
pub(super) fn mark_hollow(graph: &Lifted, members: &Lists, nodes: &mut [Node]) {
    let is_idle = |node: &Node, block: BlockId| {
        node.length == 0
            && matches!(
                graph.blocks[block].end,
                LiftedEnd::Jump(_) | LiftedEnd::Return(_) | LiftedEnd::Nowhere
            )
    };
    for region in 0..graph.regions.len() {
        let is_own = |block: BlockId| graph.blocks[block].region == Some(region);
        if members[region].iter().all(|&block| is_own(block) && is_idle(&nodes[block], block)) {
            members[region].iter().for_each(|&block| nodes[block].is_hollow = true);
        }
    }
}

/// Marks the blocks that leave a `with`, or a `try` with a `finally`, for themselves, and those that several ways leave it by:
/// the compiler copies what such a statement does at its end to each `break`, `continue` or `return` that leaves it.
pub(super) fn mark_exits(graph: &Lifted, members: &Lists, nodes: &mut [Node]) {
    if graph.features.copies_exits() || graph.features.finally_subroutines {
        return;
    }
    for (region, protection) in graph.regions.iter().enumerate() {
        if !matches!(protection.kind, RegionKind::With { .. } | RegionKind::Finally) {
            continue;
        }
        for &block in members[region].iter().filter(|&&block| graph.blocks[block].region == Some(region)) {
            let LiftedEnd::Jump(next) = graph.blocks[block].end else { continue };
            if nodes[block].length > 0 || members[region].binary_search(&next).is_ok() {
                continue;
            }
            if nodes[block].ways_in == 1 {
                nodes[block].has_own_exit = true;
            } else if is_entered_by_work(graph, &members[region], nodes, block) {
                nodes[block].has_shared_exit = true;
            }
        }
    }
}

/// Whether something is done right in front of a block. Where nothing is, copies of one exit may have been joined in it.
fn is_entered_by_work(graph: &Lifted, members: &[BlockId], nodes: &[Node], block: BlockId) -> bool {
    members.iter().any(|&from| {
        let end = &graph.blocks[from].end;
        let is_idle =
            nodes[from].length == 0 && nodes[from].ways_in == 1 && matches!(end, LiftedEnd::Jump(_));
        !is_idle && end.successors().into_iter().any(|next| next == block)
    })
}

/// The statements of a function whose blocks follow one another: half of all functions hold no jump.
pub(super) fn straight(graph: &mut Lifted) -> Option<Body> {
    let mut last = 0;
    // Where this many blocks do not come to an end, they are a loop.
    for _ in 0..graph.blocks.len() {
        let found = graph.blocks.get(last)?;
        if found.region.is_some() || found.dead.behind.is_some() {
            return None;
        }
        match found.end {
            LiftedEnd::Jump(next) => last = next,
            LiftedEnd::Return(_) | LiftedEnd::Raise { .. } | LiftedEnd::Done => break,
            _ => return None,
        }
    }
    if matches!(graph.blocks[last].end, LiftedEnd::Jump(_)) {
        return None;
    }
    let mut body = std::mem::take(&mut graph.blocks[0].statements);
    let mut at = 0;
    while let LiftedEnd::Jump(next) = graph.blocks[at].end {
        body.append(&mut graph.blocks[next].statements);
        at = next;
    }
    // The end that no `return` was written for.
    if graph.end != Some(last) {
        let end = std::mem::replace(&mut graph.blocks[last].end, LiftedEnd::Nowhere);
        body.extend(last_statement(end, graph.blocks[last].end_offset));
    }
    Some(body)
}

/// The statement with which a block leaves the function.
pub(super) fn last_statement(end: LiftedEnd, offset: u32) -> Option<Stmt> {
    let kind = match end {
        LiftedEnd::Return(value) => StmtKind::Return(Some(value).filter(|value| !is_none(value))),
        LiftedEnd::Raise { exc, cause } => StmtKind::Raise { exc, cause: cause.map(|cause| *cause) },
        _ => return None,
    };
    Some(Stmt::new(Origin(offset), kind))
}
