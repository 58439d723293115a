//! What the readers make of files that interpreters wrote.

mod common;

use common::{all_code, fixtures};
use depyf_bytecode::{CodeObject, Const, SourceStamp, flags, read_marshal, read_marshal_code, read_pyc};
use depyf_value::{PyInt, PyStr, PyVersion};

fn texts(names: &[PyStr]) -> Vec<&str> {
    names.iter().map(|name| name.as_str().expect("Unicode")).collect()
}

fn named<'a>(module: &'a CodeObject, qualname: &str) -> &'a CodeObject {
    let found =
        all_code(module).into_iter().find(|code| code.qualname == *qualname || code.name == *qualname);
    found.unwrap_or_else(|| panic!("no {qualname}"))
}

#[test]
fn headers_name_the_version() {
    for (minor, (name, bytes)) in (8..=15).zip(fixtures()) {
        let pyc = read_pyc(&bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(pyc.version, PyVersion(minor), "{name}");
        assert_eq!(pyc.source, SourceStamp::Modified { time: 0, size: 0 }, "{name}");
        // The same without a header.
        let code = read_marshal_code(&bytes[16..], PyVersion(minor)).expect("a code object");
        assert_eq!(code.names, pyc.code.names, "{name}");
    }
}

#[test]
fn headers_that_are_none_are_refused() {
    let (_, good) = fixtures().swap_remove(4);
    for (at, byte) in [(0, 0), (2, b'\n'), (3, b'\r'), (4, 2), (7, 1)] {
        let mut bytes = good.clone();
        bytes[at] = byte;
        assert!(read_pyc(&bytes).is_err(), "byte {at}");
    }
    assert!(read_pyc(&good[..15]).is_err());
    let mut hashed = good.clone();
    hashed[4] = 3;
    hashed[8] = 9;
    assert_eq!(read_pyc(&hashed).expect("a hash").source, SourceStamp::Hash { hash: 9, checked: true });
}

#[test]
fn constants_have_their_values() {
    for (name, bytes) in fixtures() {
        let module = read_pyc(&bytes).expect("a fixture").code;
        let expected = [
            Const::Float(-2.5),
            Const::Complex(0.0, 3.0),
            Const::Bytes(b"\x00\xff"[..].into()),
            Const::Str(PyStr::from_wtf8(b"\xed\xa0\x80").expect("a lone surrogate")),
            Const::Int(PyInt::from_hex(false, &format!("4{}", "0".repeat(17))).expect("hexadecimal")),
            Const::Ellipsis,
        ];
        for constant in expected {
            assert!(module.consts.contains(&constant), "{name}: {constant:?} is not in {:?}", module.consts);
        }
    }
}

#[test]
fn code_objects_have_their_fields() {
    for (name, bytes) in fixtures() {
        let module = read_pyc(&bytes).expect("a fixture").code;
        let outer = named(&module, "outer");
        assert_eq!((outer.argcount, outer.kwonlyargcount, outer.first_line), (2, 1, 24), "{name}");
        assert_eq!(texts(&outer.varnames[..3]), ["items", "default", "flag"], "{name}");
        assert!(texts(&outer.cellvars).contains(&"total"), "{name}");
        let inner = outer.consts.iter().find_map(|constant| match constant {
            Const::Code(code) if code.name == *"inner" => Some(code),
            _ => None,
        });
        let inner = inner.expect("the inner function");
        assert_eq!((texts(&inner.varnames), texts(&inner.cellvars)), (vec!["x"], vec!["x"]), "{name}");
        assert_eq!(texts(&inner.freevars), ["total"], "{name}");
        let wait = named(&module, "wait");
        assert_ne!(wait.flags & flags::ASYNC_GENERATOR, 0, "{name}");
        let init = named(&module, "__init__");
        assert_eq!(texts(&init.freevars), ["__class__"], "{name}");
        assert_eq!(init.flags & (flags::VARARGS | flags::VARKEYWORDS), flags::VARARGS | flags::VARKEYWORDS);
    }
}

#[test]
fn each_type_is_read() {
    let read = |bytes: &[u8]| read_marshal(bytes, PyVersion(14)).expect("an object");
    assert_eq!(read(b"i\xfe\xff\xff\xff"), Const::Int(PyInt::from(-2)));
    assert_eq!(read(b"l\xfe\xff\xff\xff\x01\x00\x02\x00"), Const::Int(PyInt::from(-65537)));
    assert_eq!(read(b"f\x033.5"), Const::Float(3.5));
    assert_eq!(read(b"a\x02\x00\x00\x00a\xe9"), Const::Str(PyStr::new("a\u{e9}")));
    assert_eq!(read(b":NNN"), Const::Slice([Const::None, Const::None, Const::None].into()));
    assert_eq!(read(b">\x01\x00\x00\x00T"), Const::FrozenSet([Const::Bool(true)].into()));
    // An object that is numbered, and a reference to it.
    assert_eq!(
        read(b")\x02\xda\x01ar\x00\x00\x00\x00"),
        Const::Tuple([Const::Str(PyStr::new("a")), Const::Str(PyStr::new("a"))].into())
    );
    for none_of_code in [&b"[\x00\x00\x00\x00"[..], b"{0", b"<\x00\x00\x00\x00", b"S", b"0", b"?", b""] {
        assert!(read_marshal(none_of_code, PyVersion(14)).is_err(), "{none_of_code:?}");
    }
}
