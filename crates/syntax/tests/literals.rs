//! Constants evaluate to what they were: type, sign of zero and all, in every version.

mod support;

use depyf_syntax::ast::{Expr, ExprKind, Literal, Origin, StringPart};
use depyf_syntax::{Grammar, PrintOptions, print_expr};
use depyf_value::{PyInt, PyStr};
use support::build::literal as read_literal;
use support::oracle::{self, Oracle};
use support::sexp::Sexp;

fn evaluate(oracle: &mut Oracle, expr: &Expr) -> (String, Literal) {
    let options =
        PrintOptions { grammar: Grammar::of(oracle.version), width: None, ..PrintOptions::default() };
    let text = print_expr(expr, &options);
    match oracle.ask("value", &[&text]) {
        Ok(answer) => (text, read_literal(&Sexp::parse(&answer))),
        Err(message) => panic!("Python {}: {text}: {message}", oracle.version),
    }
}

/// `==` is not enough: NaN differs from itself, and zeros of both signs are equal.
fn is_identical(first: &Literal, second: &Literal) -> bool {
    let same = |a: f64, b: f64| a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan());
    match (first, second) {
        (Literal::Float(a), Literal::Float(b)) => same(*a, *b),
        (Literal::Complex { real: a, imag: b }, Literal::Complex { real: c, imag: d }) => {
            same(*a, *c) && same(*b, *d)
        }
        (Literal::Tuple(a), Literal::Tuple(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_identical(a, b))
        }
        _ => first == second,
    }
}

fn constant(literal: Literal) -> Expr {
    Expr::new(Origin::NONE, ExprKind::Literal(literal))
}

fn text(text: &str) -> Literal {
    Literal::Str(PyStr::new(text))
}

fn wtf8(bytes: &[u8]) -> PyStr {
    PyStr::from_wtf8(bytes).expect("UTF-8 with surrogates")
}

fn constants() -> Vec<Literal> {
    let floats = [0.0, 1.0, 1.5, 0.1, 1e15, 1e16, 123_456_789_012_345_680.0, 1e22, 1e-4, 1e-5, 5e-324];
    let mut floats: Vec<f64> = floats.to_vec();
    floats.extend([f64::MAX, f64::MIN_POSITIVE, f64::INFINITY, f64::NAN]);
    // Bit patterns spread over the whole range.
    floats.extend((0..500_u64).map(|index| f64::from_bits(index.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 1)));
    let mut all: Vec<_> = floats.iter().flat_map(|value| [*value, -*value]).map(Literal::Float).collect();
    let parts = [0.0, -0.0, 1.0, -2.5, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 1e300];
    for real in parts {
        all.extend(parts.map(|imag| Literal::Complex { real, imag }));
    }
    for digits in ["0", "7fff", "8000", "ffffffffffffffff", "de0b6b3a76400001234567890"] {
        all.extend([false, true].map(|sign| Literal::Int(PyInt::from_hex(sign, digits).expect("digits"))));
    }
    // Around 4,300 decimal digits, and far above.
    for length in [3_569, 3_570, 3_571, 3_572, 20_000] {
        all.push(Literal::Int(PyInt::from_hex(true, &"9".repeat(length)).expect("digits")));
    }
    all.push(Literal::Bytes((0..=255).collect()));
    all.push(Literal::Bytes(b"it's \"both\"".to_vec()));
    all.push(Literal::Str((0_u8..=0x7f).map(char::from).collect::<String>().as_str().into()));
    for sample in ["", "'", "\"", "'\"", "'''\"\"\"", "\\", "\\'", "{}", "a\r\nb", "\u{85}\u{2028}\u{ad}"] {
        all.push(text(sample));
    }
    all.push(text("e\u{301} \u{e9} \u{4e2d}\u{6587} \u{1f600} \u{e0100} \u{10ffff} \u{feff}"));
    all.push(Literal::Str(wtf8(b"a\xed\xa0\x80'\xed\xb0\x80\"\xf0\x9f\x98\x80")));
    all.push(Literal::Tuple(vec![]));
    all.push(Literal::Tuple(vec![Literal::Tuple(vec![Literal::Int(PyInt::from(-1))]), Literal::Ellipsis]));
    all.extend([Literal::None, Literal::Bool(true), Literal::Bool(false), Literal::Ellipsis]);
    all
}

#[test]
fn constants_evaluate_to_themselves() {
    for mut oracle in oracle::all() {
        for literal in constants() {
            let (printed, value) = evaluate(&mut oracle, &constant(literal.clone()));
            assert!(is_identical(&literal, &value), "Python {}: {printed}", oracle.version);
        }
    }
}

fn field(value: Expr) -> StringPart {
    StringPart::Field { value: Box::new(value), conversion: None, spec: None, text: None }
}

fn joined(parts: Vec<StringPart>) -> Expr {
    Expr::new(Origin::NONE, ExprKind::Joined(parts))
}

/// Before 3.12 a field holds no backslash and no quote of the strings around it.
#[test]
fn strings_in_fields_keep_their_value_in_old_grammars() {
    let samples = ["a", "'", "\"", "'\"", "'''", "\n", "\\", "a\tb\0c", "{}", "\r", "#", "\u{e9}"];
    for mut oracle in oracle::all() {
        for sample in samples.map(PyStr::new).into_iter().chain([wtf8(b"\xed\xa0\x80")]) {
            let around = StringPart::Literal(PyStr::new("it's \"{x}\"\n"));
            let mut expected = "it's \"{x}\"\n".as_bytes().to_vec();
            expected.extend_from_slice(sample.as_wtf8());
            let mut expr = joined(vec![around.clone(), field(constant(Literal::Str(sample.clone())))]);
            for depth in 0..3 {
                let (printed, value) = evaluate(&mut oracle, &expr);
                let wanted = Literal::Str(wtf8(&expected));
                assert_eq!(value, wanted, "Python {}, depth {depth}: {printed}", oracle.version);
                // One level deeper, in an f-string that has no text of its own but quotes.
                expr = joined(vec![field(expr), StringPart::Literal(PyStr::new("'"))]);
                expected.push(b'\'');
            }
        }
    }
}

#[test]
fn bytes_and_specifications_in_fields_keep_their_value() {
    for mut oracle in oracle::all() {
        let bytes = constant(Literal::Bytes(b"\x00'\"".to_vec()));
        let (printed, value) = evaluate(&mut oracle, &joined(vec![field(bytes)]));
        assert_eq!(value, text("b'\\x00\\'\"'"), "Python {}: {printed}", oracle.version);

        let spec = vec![StringPart::Literal(PyStr::new("}>")), field(constant(Literal::Int(PyInt::from(4))))];
        let padded = StringPart::Field {
            value: Box::new(constant(text("ab"))),
            conversion: Some('r'),
            spec: Some(spec),
            text: None,
        };
        let (printed, value) = evaluate(&mut oracle, &joined(vec![padded]));
        assert_eq!(value, text("'ab'"), "Python {}: {printed}", oracle.version);
        let spec = vec![StringPart::Literal(PyStr::new("{^6"))];
        let braces = StringPart::Field {
            value: Box::new(constant(text("ab"))),
            conversion: None,
            spec: Some(spec),
            text: None,
        };
        let (printed, value) = evaluate(&mut oracle, &joined(vec![braces]));
        assert_eq!(value, text("{{ab{{"), "Python {}: {printed}", oracle.version);
    }
}
