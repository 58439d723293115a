//! The blocks of a graph, with what is known of the ways between them until one of them changes.

use std::cell::OnceCell;
use std::ops::{Deref, DerefMut};
use std::rc::Rc;

use super::{Block, BlockId, Lists};

/// The blocks by number. Most passes find nothing to do: the reverse postorder that one of them asked for serves the
/// next ones, until a block is borrowed to be changed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Blocks {
    list: Vec<Block>,
    /// The reverse postorder.
    order: OnceCell<Rc<Vec<BlockId>>>,
    /// The ordinary predecessors of each block; known with the order only.
    predecessors: OnceCell<Rc<Lists>>,
}

impl Blocks {
    /// The reverse postorder, which `find` finds where it is not known.
    pub(super) fn order(&self, find: impl Fn() -> Vec<BlockId>) -> Rc<Vec<BlockId>> {
        let order = self.order.get_or_init(|| Rc::new(find()));
        debug_assert_eq!(**order, find(), "a handler has changed, but no block");
        Rc::clone(order)
    }

    /// The predecessors, which `find` finds where they are not known.
    pub(super) fn predecessors(&self, find: impl FnOnce() -> Lists) -> Rc<Lists> {
        Rc::clone(self.predecessors.get_or_init(|| Rc::new(find())))
    }
}

impl From<Vec<Block>> for Blocks {
    fn from(list: Vec<Block>) -> Self {
        Self { list, ..Self::default() }
    }
}

impl Deref for Blocks {
    type Target = Vec<Block>;

    #[inline]
    fn deref(&self) -> &Vec<Block> {
        &self.list
    }
}

impl DerefMut for Blocks {
    #[inline]
    fn deref_mut(&mut self) -> &mut Vec<Block> {
        if self.order.get().is_some() {
            (self.order, self.predecessors) = (OnceCell::new(), OnceCell::new());
        }
        &mut self.list
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Block, Terminator};
    use super::Blocks;

    #[test]
    fn the_order_is_known_until_a_block_changes() {
        let mut blocks = Blocks::from(vec![Block::empty(0, Terminator::Return, None)]);
        assert_eq!(*blocks.order(|| vec![0]), [0]);
        assert!(blocks.order.get().is_some());
        blocks[0].end = Terminator::Nowhere;
        assert!(blocks.order.get().is_none());
        assert_eq!(*blocks.order(|| vec![1]), [1]);
    }
}
