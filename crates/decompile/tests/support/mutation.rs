//! Seeded damage to .pyc files, for tests/mutated_files.rs and examples/mutate_pycs.rs.

#[path = "../../../../tests/support/random.rs"]
mod random;

use std::ops::Range;

use depyf_bytecode::{CodeObject, Const, read_pyc};
use random::Random;

/// A file that can be read, and where its bytecode lies.
pub(crate) struct Original {
    bytes: Vec<u8>,
    /// The bytecode and exception tables of all code objects inside, each with whether it is bytecode.
    places: Vec<(Range<usize>, bool)>,
}

impl Original {
    /// `None` where the bytes are no .pyc file.
    pub(crate) fn new(bytes: Vec<u8>) -> Option<Self> {
        let pyc = read_pyc(&bytes).ok()?;
        let mut places = Vec::new();
        find_places(&bytes, &pyc.code, &mut places);
        Some(Self { bytes, places })
    }

    /// The copy of this file with the damage of one round: always the same for the same seed and round.
    ///
    /// Every other copy is damaged anywhere, so that lengths and types lie. The rest keep their marshal
    /// format, and have opcodes, arguments or exception tables changed, so that more of them can be decoded.
    pub(crate) fn damaged(&self, seed: u64, round: u64) -> Vec<u8> {
        let mut random = Random(seed.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ round);
        let mut bytes = self.bytes.clone();
        for _ in 0..=random.below(3) {
            let place = random.below(self.places.len());
            match self.places.get(place).filter(|_| round % 2 == 1) {
                Some((place, is_code)) => damage_in_place(&mut bytes, place.clone(), *is_code, &mut random),
                None => damage_anywhere(&mut bytes, &mut random),
            }
        }
        bytes
    }
}

fn find_places(bytes: &[u8], code: &CodeObject, places: &mut Vec<(Range<usize>, bool)>) {
    for (part, is_code) in [(&code.code, true), (&code.exceptiontable, false)] {
        let found = bytes.windows(part.len().max(1)).position(|window| window == &part[..]);
        places.extend(found.map(|at| (at..at + part.len(), is_code)));
    }
    for constant in &code.consts {
        if let Const::Code(inner) = constant {
            find_places(bytes, inner, places);
        }
    }
}

/// Changes a byte, or lets two code units change places, or repeats one of them.
fn damage_in_place(bytes: &mut [u8], place: Range<usize>, is_code: bool, random: &mut Random) {
    let part = &mut bytes[place];
    if part.is_empty() {
        return;
    }
    let (at, other) = (random.below(part.len()), random.below(part.len()));
    let (unit, other_unit) = (at & !1, other & !1);
    match random.below(4) {
        0 if is_code && unit.max(other_unit) + 1 < part.len() => {
            part.swap(unit, other_unit);
            part.swap(unit + 1, other_unit + 1);
        }
        1 if is_code && unit.max(other_unit) + 1 < part.len() => part.copy_within(unit..unit + 2, other_unit),
        2 => part[at] = part[at].wrapping_add(1 + random.below(3) as u8),
        _ => part[at] = random.next() as u8,
    }
}

/// Changes, removes or repeats a few bytes.
fn damage_anywhere(bytes: &mut Vec<u8>, random: &mut Random) {
    if bytes.is_empty() {
        return;
    }
    let at = random.below(bytes.len());
    match random.below(7) {
        0 => bytes[at] = random.next() as u8,
        1 => bytes[at] ^= 1 << random.below(8),
        2 => bytes[at] = [0, 1, 0x7f, 0x80, 0xff][random.below(5)],
        3 if random.below(8) == 0 => bytes.truncate(at),
        4 => {
            let end = (at + 1 + random.below(8)).min(bytes.len());
            bytes.drain(at..end);
        }
        5 => {
            let end = (at + 1 + random.below(16)).min(bytes.len());
            let copy = bytes[at..end].to_vec();
            let to = random.below(bytes.len());
            bytes.splice(to..to, copy);
        }
        _ => {
            let end = (at + 4).min(bytes.len());
            let value = [0, 1, 255, 65_536, 0x7fff_ffff, u32::MAX][random.below(6)].to_le_bytes();
            bytes[at..end].copy_from_slice(&value[..end - at]);
        }
    }
}
