//! Maps and sets of the passes.
//!
//! Their keys are small (numbers of blocks, names, operations) and each holds few, so that the hash function is
//! most of what they cost. `foldhash` is several times faster than the one of the standard library, and is seeded
//! too: bytecode cannot be made so that its names collide.

pub(crate) use foldhash::fast::RandomState;

/// A hash map; made with `default()`.
pub(crate) type HashMap<K, V> = std::collections::HashMap<K, V, RandomState>;

/// A hash set; made with `default()`.
pub(crate) type HashSet<K> = std::collections::HashSet<K, RandomState>;
