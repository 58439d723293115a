//! Where a name stands in a list of names.

use depyf_value::PyStr;

use crate::hash::HashMap;

/// Lists longer than this are hashed; in a shorter one, looking at the parts of all names is faster.
const FEW: usize = 32;

/// Places in which a name of a short list is looked for first.
const PLACES: usize = 64;

/// Most functions have fewer names than this.
const USUAL: usize = 16;

/// Finds the entry of a name. The list itself belongs to who asks; its entries are numbered as they come.
#[derive(Debug)]
pub(crate) struct Index {
    /// A part of each name, and its number.
    few: Vec<(u64, u32)>,
    /// By a hash of the part, one more than where the last name stands among the few that has it.
    places: [u8; PLACES],
    many: HashMap<PyStr, u32>,
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
        let is_it =
            |&&(known, number): &&(u64, u32)| known == part && (holds_all(part) || name_of(number) == name);
        // Where no name has been noted, there is none.
        let place = usize::from(self.places[place(part)]).checked_sub(1)?;
        let found = self.few.get(place).filter(is_it).or_else(|| self.few.iter().find(is_it));
        found.map(|&(_, number)| number)
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
            self.few.push((part, number));
            self.places[place(part)] = self.few.len() as u8;
            if self.few.len() > FEW {
                let all = self.few.iter().map(|&(_, at)| if at == number { name } else { name_of(at) });
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
        self.many = names.into_iter().zip(self.few.iter().map(|&(_, number)| number)).collect();
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
        let names: Vec<PyStr> = (0..100).map(|at| PyStr::new(&format!("name_{at}_of_many"))).collect();
        let name_of = |number: u32| &names[number as usize];
        let mut index = Index::default();
        for (at, name) in names.iter().enumerate() {
            assert_eq!(index.find(name, name_of), None);
            assert_eq!(index.find_or_insert(name, at as u32, name_of), None);
            assert_eq!(index.find_or_insert(name, 200, name_of), Some(at as u32));
            assert!(
                names[..=at]
                    .iter()
                    .enumerate()
                    .all(|(at, name)| index.find(name, name_of) == Some(at as u32))
            );
        }
    }
}
