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
    few: Vec<(u32, u32)>,
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
            return self.many.get(name).copied();
        }
        let part = part(name);
        let is_it = |&&(known, number): &&(u32, u32)| known == part && name_of(number) == name;
        // Where no name has been noted, there is none.
        let place = usize::from(self.places[place(part)]).checked_sub(1)?;
        let found = self.few.get(place).filter(is_it).or_else(|| self.few.iter().find(is_it));
        found.map(|&(_, number)| number)
    }

    /// Notes the number of a name that has none.
    pub(crate) fn insert<'n>(&mut self, name: &PyStr, number: u32, name_of: impl Fn(u32) -> &'n PyStr) {
        if self.few.len() <= FEW {
            let part = part(name);
            make_room(&mut self.few);
            self.few.push((part, number));
            self.places[place(part)] = self.few.len() as u8;
            if self.few.len() > FEW {
                self.many = self.few.iter().map(|&(_, number)| (name_of(number).clone(), number)).collect();
            }
        } else {
            self.many.insert(name.clone(), number);
        }
    }
}

/// Makes room for the usual number of names in a list that is empty, so that it grows once.
pub(crate) fn make_room<T>(list: &mut Vec<T>) {
    if list.capacity() == 0 {
        list.reserve_exact(USUAL);
    }
}

/// What tells most names apart: the length, the first, a middle and the last byte.
fn part(name: &PyStr) -> u32 {
    let bytes = name.as_wtf8();
    let length = bytes.len();
    let Some(&last) = bytes.last() else { return 0 };
    length as u32 & 0xff
        | u32::from(bytes[0]) << 8
        | u32::from(bytes[length / 2]) << 16
        | u32::from(last) << 24
}

/// The place in which a name of that part is looked for.
fn place(part: u32) -> usize {
    // The upper bits of a product depend on all bits of the factor (Fibonacci hashing).
    (part.wrapping_mul(0x9e37_79b9) >> (u32::BITS - PLACES.ilog2())) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_in_short_and_long_lists() {
        let names: Vec<PyStr> = (0..100).map(|at| PyStr::new(&format!("name_{at}_of_many"))).collect();
        let name_of = |number: u32| &names[number as usize];
        let mut index = Index::default();
        for (at, name) in names.iter().enumerate() {
            assert_eq!(index.find(name, name_of), None);
            index.insert(name, at as u32, name_of);
            assert!(
                names[..=at]
                    .iter()
                    .enumerate()
                    .all(|(at, name)| index.find(name, name_of) == Some(at as u32))
            );
        }
    }
}
