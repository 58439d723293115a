//! Nothing that is in a file may make the reader or the decoder panic, hang or take all memory.

mod common;
#[path = "../../../tests/support/random.rs"]
mod random;

use common::{all_code, fixtures};
use depyf_bytecode::{CodeObject, decode, listing, read_marshal, read_pyc};
use depyf_value::PyVersion;
use random::Random;

/// Mutated inputs in all, for each of the two tests.
const MUTATIONS: u64 = 20_000;

impl Random {
    /// Changes, removes or repeats a few bytes.
    fn mutate(&mut self, bytes: &mut Vec<u8>) {
        for _ in 0..=self.below(3) {
            if bytes.is_empty() {
                return;
            }
            let at = self.below(bytes.len());
            match self.below(6) {
                0 => bytes[at] = self.next() as u8,
                1 => bytes[at] ^= 1 << self.below(8),
                2 => bytes[at] = [0, 1, 0x7f, 0x80, 0xff][self.below(5)],
                3 => bytes.truncate(at),
                4 => {
                    let end = (at + 1 + self.below(8)).min(bytes.len());
                    bytes.drain(at..end);
                }
                _ => {
                    let end = (at + 1 + self.below(16)).min(bytes.len());
                    let copy = bytes[at..end].to_vec();
                    let to = self.below(bytes.len());
                    bytes.splice(to..to, copy);
                }
            }
        }
    }
}

fn use_everything(module: &CodeObject) {
    for code in all_code(module) {
        // Either outcome is right; a panic is not.
        let _ = decode(code);
        let _ = listing(code);
    }
}

#[test]
fn fixtures_decode() {
    for (name, bytes) in fixtures() {
        let pyc = read_pyc(&bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
        for code in all_code(&pyc.code) {
            decode(code).unwrap_or_else(|error| panic!("{name}: {}: {error}", code.qualname));
        }
    }
}

#[test]
fn mutated_files_do_not_panic() {
    let fixtures = fixtures();
    let mut random = Random(1);
    let mut read = 0;
    for _ in 0..MUTATIONS {
        let (_, original) = &fixtures[random.below(fixtures.len())];
        let mut bytes = original.clone();
        random.mutate(&mut bytes);
        if let Ok(pyc) = read_pyc(&bytes) {
            read += 1;
            use_everything(&pyc.code);
        }
    }
    assert!(read > MUTATIONS / 20, "only {read} mutated files could be read at all");
}

#[test]
fn mutated_code_does_not_panic() {
    let fixtures = fixtures();
    let modules: Vec<CodeObject> =
        fixtures.iter().map(|(_, bytes)| read_pyc(bytes).expect("a fixture").code).collect();
    let codes: Vec<&CodeObject> = modules.iter().flat_map(all_code).collect();
    let mut random = Random(2);
    let mut decoded = 0;
    for _ in 0..MUTATIONS {
        let mut code = codes[random.below(codes.len())].clone();
        match random.below(4) {
            0 => random.mutate(&mut code.exceptiontable),
            1 => random.mutate(&mut code.linetable),
            _ => random.mutate(&mut code.code),
        }
        if random.below(16) == 0 {
            code.version = PyVersion(random.below(18) as u8);
        }
        decoded += u64::from(decode(&code).is_ok());
        let _ = listing(&code);
    }
    assert!(decoded > MUTATIONS / 20, "only {decoded} mutated code objects could be decoded at all");
}

#[test]
fn huge_lengths_are_refused_before_they_are_allocated() {
    for head in [b's', b'(', b'u', b'a', b'>', b'l'] {
        for length in [0x7fff_ffff_u32, 0x8000_0000, 0xffff_ffff] {
            let mut bytes = vec![head];
            bytes.extend(length.to_le_bytes());
            assert!(read_marshal(&bytes, PyVersion(12)).is_err(), "{bytes:x?}");
        }
    }
}

#[test]
fn deep_nesting_is_refused() {
    // A code object's first field behind the five counts is an object again.
    let code = [&b"c"[..], &[0; 20]].concat();
    for level in [&b")\x01"[..], b"(\x01\0\0\0", b">\x01\0\0\0", b":", &code] {
        let bytes = level.repeat(1_000_000);
        let error = read_marshal(&bytes, PyVersion(12)).expect_err("a million levels");
        assert!(error.message.contains("too deep"), "{error}");
    }
}

#[test]
fn a_reference_to_an_unfinished_object_is_refused() {
    // A tuple whose only item is the tuple itself.
    let bytes = [b')' | 0x80, 1, b'r', 0, 0, 0, 0];
    assert!(read_marshal(&bytes, PyVersion(12)).is_err());
}

#[test]
fn shared_objects_stay_shared() {
    // Each tuple holds the one before it twice: 2^60 items, if they were copied.
    let mut bytes = vec![b')' | 0x80, 2];
    let mut depth = 0;
    while depth < 60 {
        bytes.extend([b')' | 0x80, 2]);
        depth += 1;
    }
    bytes.extend(b"NN");
    for number in (1..=60_u32).rev() {
        bytes.push(b'r');
        bytes.extend(number.to_le_bytes());
    }
    assert!(read_marshal(&bytes, PyVersion(12)).is_ok());
}

#[test]
fn references_do_not_multiply_large_strings() {
    // A string that is no valid UTF-8 is copied with each reference.
    let mut text = b"\xed\xa0\x80".repeat(100_000);
    let mut bytes = vec![b'('];
    bytes.extend(200_001_u32.to_le_bytes());
    bytes.push(b'u' | 0x80);
    bytes.extend((text.len() as u32).to_le_bytes());
    bytes.append(&mut text);
    for _ in 0..200_000 {
        bytes.extend([b'r', 0, 0, 0, 0]);
    }
    let error = read_marshal(&bytes, PyVersion(12)).expect_err("60 GB");
    assert!(error.message.contains("too large"), "{error}");
}
