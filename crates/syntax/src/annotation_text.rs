//! Texts of annotations that were written as another text.

use std::borrow::Cow;

/// The source of an annotation of which 3.8 kept this text, under `from __future__ import annotations`: its compiler
/// made constants of tuples first (CPython `Python/ast_opt.c`), and wrote those as `repr` does, where an ellipsis has
/// its name. Read again, the name would be that of a variable.
///
/// `Callable[(Ellipsis, None)]` was `Callable[..., None]`; `(Ellipsis, a)` holds a variable, and stays.
pub(crate) fn with_ellipses(text: &str) -> Cow<'_, str> {
    const NAME: &str = "Ellipsis";
    if !text.contains(NAME) {
        return Cow::Borrowed(text);
    }
    let bytes = text.as_bytes();
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii();
    // Of each open bracket: whether it may be that of a constant tuple, and where names of an ellipsis are in it.
    let mut open: Vec<(bool, Vec<usize>)> = Vec::new();
    let mut found: Vec<usize> = Vec::new();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let start = at;
        at += 1;
        match byte {
            b'\'' | b'"' => {
                while let Some(&inside) = bytes.get(at) {
                    at += if inside == b'\\' { 2 } else { 1 };
                    if inside == byte {
                        break;
                    }
                }
            }
            b'(' => {
                let calls = start.checked_sub(1).is_some_and(|before| {
                    let before = bytes[before];
                    is_word(before) || matches!(before, b')' | b']' | b'\'' | b'"')
                });
                open.push((!calls, Vec::new()));
            }
            b'[' | b'{' => open.push((false, Vec::new())),
            b')' | b']' | b'}' => {
                let (is_constant, names) = open.pop().unwrap_or_default();
                match open.last_mut() {
                    Some(around) if is_constant && around.0 => around.1.extend(names),
                    _ if is_constant => found.extend(names),
                    Some(around) => around.0 = false,
                    None => {}
                }
            }
            b',' | b' ' | b'.' | b'-' | b'+' | b'0'..=b'9' => {}
            _ if is_word(byte) => {
                while bytes.get(at).is_some_and(|&byte| is_word(byte)) {
                    at += 1;
                }
                if let Some(around) = open.last_mut() {
                    match &text[start..at] {
                        NAME => around.1.push(start),
                        "None" | "True" | "False" => {}
                        _ => around.0 = false,
                    }
                }
            }
            _ => open.iter_mut().for_each(|around| around.0 = false),
        }
    }
    found.sort_unstable();
    let mut source = String::with_capacity(text.len());
    let mut copied = 0;
    for start in found {
        source.push_str(&text[copied..start]);
        source.push_str("...");
        copied = start + NAME.len();
    }
    source.push_str(&text[copied..]);
    Cow::Owned(source)
}

#[cfg(test)]
mod tests {
    use super::with_ellipses;

    #[test]
    fn only_constant_tuples_hold_an_ellipsis() {
        for (text, source) in [
            ("Callable[(Ellipsis, None)]", "Callable[(..., None)]"),
            ("t[(Ellipsis, (1, Ellipsis))] | t[(1, 'Ellipsis')]", "t[(..., (1, ...))] | t[(1, 'Ellipsis')]"),
            ("t[Ellipsis, (Ellipsis, a)]", "t[Ellipsis, (Ellipsis, a)]"),
            ("f(Ellipsis, None)", "f(Ellipsis, None)"),
            ("t[(Ellipsis, (a, Ellipsis))]", "t[(Ellipsis, (a, Ellipsis))]"),
        ] {
            assert_eq!(with_ellipses(text), source);
        }
    }
}
