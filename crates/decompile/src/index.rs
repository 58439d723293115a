//! Where a name stands in a list of names.

use depyf_value::PyStr;

use crate::hash::HashMap;

/// Lists longer than this are hashed; in a shorter one, looking at all names is faster.
const FEW: usize = 32;

/// Finds the entry of a name. The list itself belongs to who asks; its entries are numbered as they come.
#[derive(Debug, Default)]
pub(crate) struct Index {
    /// A part of each name, and its number.
    few: Vec<(u32, u32)>,
    many: HashMap<PyStr, u32>,
}

impl Index {
    /// The number of a name; `name_of` gives the name of a number.
    pub(crate) fn find<'n>(&self, name: &PyStr, name_of: impl Fn(u32) -> &'n PyStr) -> Option<u32> {
        if self.few.len() > FEW {
            return self.many.get(name).copied();
        }
        let part = part(name);
        let found = self.few.iter().find(|&&(known, number)| known == part && name_of(number) == name);
        found.map(|&(_, number)| number)
    }

    /// Notes the number of a name that has none.
    pub(crate) fn insert<'n>(&mut self, name: &PyStr, number: u32, name_of: impl Fn(u32) -> &'n PyStr) {
        if self.few.len() <= FEW {
            self.few.push((part(name), number));
            if self.few.len() > FEW {
                self.many = self.few.iter().map(|&(_, number)| (name_of(number).clone(), number)).collect();
            }
        } else {
            self.many.insert(name.clone(), number);
        }
    }
}

/// What tells most names apart: the length, the first, a middle and the last byte.
fn part(name: &PyStr) -> u32 {
    let bytes = name.as_wtf8();
    let at = |at: usize| bytes.get(at).map_or(0, |&byte| u32::from(byte));
    let length = bytes.len();
    length as u32 & 0xff | at(0) << 8 | at(length / 2) << 16 | at(length.saturating_sub(1)) << 24
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
