//! Where a name stands in a list of names.

use depyf_value::PyStr;

use crate::hash::HashMap;

/// Lists longer than this are hashed; in a shorter one, looking at the parts of the names in one place is faster.
const FEW: usize = 128;

/// Places that the names of a short list are in.
const PLACES: usize = 64;

/// Most functions have fewer names than this.
const USUAL: usize = 16;

/// Finds the entry of a name. The list itself belongs to who asks; its entries are numbered as they come.
#[derive(Debug)]
pub(crate) struct Index {
    few: Vec<Entry>,
    /// By a hash of the part, one more than where the last name stands among the few that has it; 0 where none has.
    places: [u8; PLACES],
    many: HashMap<PyStr, u32>,
}

/// A name of a short list.
#[derive(Clone, Copy, Debug)]
struct Entry {
    part: u64,
    number: u32,
    /// The name in the same place that came before, as in `places`.
    before: u8,
}

impl Default for Index {
    fn default() -> Self {
        Self { few: Vec::new(), places: [0; PLACES], many: HashMap::default() }
    }
}

impl Index {
    /// The number of a name; `name_of` gives the name of a number.
    pub(crate) fn find<'n>(&self, name: &PyStr, name_of: impl Fn(u32) -> &'n PyStr) -> Option<u32> {
        if self.few.len() > FEW {
            return self.find_among_many(name);
        }
        self.find_part(part(name), name, name_of)
    }

    // Apart, so that short lists pay nothing for long ones.
    #[inline(never)]
    fn find_among_many(&self, name: &PyStr) -> Option<u32> {
        self.many.get(name).copied()
    }

    fn find_part<'n>(&self, part: u64, name: &PyStr, name_of: impl Fn(u32) -> &'n PyStr) -> Option<u32> {
        let mut next = self.places[place(part)];
        loop {
            let found = self.few.get(usize::from(next).checked_sub(1)?)?;
            if found.part == part && (holds_all(part) || name_of(found.number) == name) {
                return Some(found.number);
            }
            next = found.before;
        }
    }

    /// Forgets all names, but not the room for them.
    pub(crate) fn clear(&mut self) {
        self.few.clear();
        self.places = [0; PLACES];
        self.many.clear();
    }

    /// The number of a name that has one; else `number` is noted for it. `name_of` gives the names of all others.
    pub(crate) fn find_or_insert<'n>(
        &mut self,
        name: &PyStr,
        number: u32,
        name_of: impl Fn(u32) -> &'n PyStr,
    ) -> Option<u32> {
        if self.few.len() > FEW {
            return self.find_or_insert_among_many(name, number);
        }
        let part = part(name);
        let found = self.find_part(part, name, &name_of);
        if found.is_none() {
            make_room(&mut self.few);
            let place = place(part);
            self.few.push(Entry { part, number, before: self.places[place] });
            self.places[place] = self.few.len() as u8;
            if self.few.len() > FEW {
                let all = self.few.iter().map(|found| found.number);
                let all = all.map(|at| if at == number { name } else { name_of(at) });
                self.hash(all.cloned().collect());
            }
        }
        found
    }

    #[inline(never)]
    fn find_or_insert_among_many(&mut self, name: &PyStr, number: u32) -> Option<u32> {
        let found = self.many.get(name).copied();
        if found.is_none() {
            self.many.insert(name.clone(), number);
        }
        found
    }

    #[inline(never)]
    fn hash(&mut self, names: Vec<PyStr>) {
        self.many = names.into_iter().zip(self.few.iter().map(|found| found.number)).collect();
    }
}

/// Makes room for the usual number of names in a list that is empty, so that it grows once.
pub(crate) fn make_room<T>(list: &mut Vec<T>) {
    if list.capacity() == 0 {
        list.reserve_exact(USUAL);
    }
}

/// The length of a name, and its bytes: all of up to seven, of a longer one the first three and the last four.
pub(crate) fn part(name: &PyStr) -> u64 {
    let bytes = name.as_wtf8();
    let number = |bytes: &[u8; 4]| u64::from(u32::from_le_bytes(*bytes));
    let length = bytes.len();
    let text = match (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        // Where the two overlap, they say the same.
        (Some(first), Some(last)) if length <= MOST_BYTES => {
            number(first) | number(last) << (8 * (length - 4))
        }
        (Some(first), Some(last)) => number(first) & 0x00ff_ffff | number(last) << 24,
        _ => bytes.iter().fold(0, |text, &byte| text << 8 | u64::from(byte)),
    };
    text | (length.min(0xff) as u64) << 56
}

/// Bytes of a name that a part holds all of.
const MOST_BYTES: usize = 7;

/// Whether a part holds all of a name.
fn holds_all(part: u64) -> bool {
    part >> 56 <= MOST_BYTES as u64
}

/// The place in which a name of that part is looked for.
fn place(part: u64) -> usize {
    // The upper bits of a product depend on all bits of the factor (Fibonacci hashing).
    (part.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (u64::BITS - PLACES.ilog2())) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_differ_in_one_byte_are_told_apart() {
        let names: Vec<PyStr> = (0..12)
            .flat_map(|length| {
                let name = |at: usize| (0..length).map(|place| if place == at { 'x' } else { 'o' }).collect();
                (0..=length).map(name).map(|name: String| PyStr::new(&name)).collect::<Vec<_>>()
            })
            .collect();
        let name_of = |number: u32| &names[number as usize];
        let mut index = Index::default();
        for (at, name) in names.iter().enumerate() {
            assert_eq!(index.find(name, name_of), None, "{name}");
            assert_eq!(index.find_or_insert(name, at as u32, name_of), None);
            assert_eq!(index.find(name, name_of), Some(at as u32));
        }
    }

    #[test]
    fn names_are_found_in_short_and_long_lists() {
        let names: Vec<PyStr> = (0..400).map(|at| PyStr::new(&format!("name_{at}_of_many"))).collect();
        let name_of = |number: u32| &names[number as usize];
        let mut index = Index::default();
        for (at, name) in names.iter().enumerate() {
            assert_eq!(index.find(name, name_of), None);
            assert_eq!(index.find_or_insert(name, at as u32, name_of), None);
            assert_eq!(index.find_or_insert(name, 1000, name_of), Some(at as u32));
            assert!(
                names[..=at]
                    .iter()
                    .enumerate()
                    .all(|(at, name)| index.find(name, name_of) == Some(at as u32))
            );
        }
    }
}
