//! Versions that are told from the content, on the fixtures of all versions.

use depyf_bytecode::{Header, read_pyc, recognize};

mod common;
use common::fixtures;

/// Bytes of a header.
const HEADER: usize = 16;

#[test]
fn a_known_header_is_believed() {
    for (name, bytes) in fixtures() {
        let found = recognize(&bytes, None).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(found.header, Header::Known, "{name}");
    }
}

#[test]
fn headerless_marshal_is_read() {
    for (name, bytes) in fixtures() {
        let known = read_pyc(&bytes).expect("a fixture");
        let found = recognize(&bytes[HEADER..], None).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!((found.header, &found.code), (Header::Missing, &known.code), "{name}");
    }
}

#[test]
fn an_unknown_magic_number_is_passed_over() {
    for (name, mut bytes) in fixtures() {
        let known = read_pyc(&bytes).expect("a fixture");
        bytes[..2].copy_from_slice(&7_u16.to_le_bytes());
        let found = recognize(&bytes, None).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!((found.header, &found.code), (Header::Foreign(7), &known.code), "{name}");
    }
}

#[test]
fn the_caller_may_know_better() {
    for (name, bytes) in fixtures() {
        let known = read_pyc(&bytes).expect("a fixture");
        let found = recognize(&bytes[HEADER..], Some(known.version));
        assert_eq!(found.map(|found| found.code), Ok(known.code), "{name}");
    }
}

#[test]
fn what_is_no_code_keeps_the_error_of_its_header() {
    let error = recognize(&[0; 40], None).expect_err("zeros");
    assert_eq!(error.offset, 0);
    assert!(error.message.contains("magic number"), "{error}");
}
