//! Line tables: every one that a CPython wrote comes back byte by byte, and says what CPython reads in it.

mod common;

use std::fmt::Write;

use common::{all_code, ask_library, fixtures, interpreters, read};
use depyf_bytecode::{CodeObject, Position, Row, read_line_table, read_pyc, write_line_table};
use depyf_value::PyVersion;

fn assert_round_trip(place: &str, code: &CodeObject) {
    let rows = read_line_table(code).unwrap_or_else(|error| panic!("{place}: {error}"));
    let written = write_line_table(code.version, code.first_line, &rows).expect("a known version");
    assert_eq!(written, code.linetable, "{place}, {} line {}: {rows:?}", code.qualname, code.first_line);
}

#[test]
fn tables_of_the_fixtures_come_back() {
    for (name, bytes) in fixtures() {
        let pyc = read_pyc(&bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
        for code in all_code(&pyc.code) {
            assert_round_trip(&name, code);
        }
    }
}

/// What `co_positions` (or `co_lines`, or `dis`) says, one line a code unit, as tests/positions.py prints it.
fn described(code: &CodeObject) -> String {
    let mut units = vec![Position::default(); code.code.len() / 2];
    let mut at = 0_usize;
    for row in read_line_table(code).expect("a known version") {
        let end = at + row.length as usize;
        units[at.div_ceil(2).min(code.code.len() / 2)..end.div_ceil(2).min(code.code.len() / 2)]
            .fill(row.position);
        at = end;
    }
    let mut text = String::new();
    for unit in units {
        let field = |value: Option<u32>| value.map_or("-".to_owned(), |value| value.to_string());
        let _ = writeln!(
            text,
            "{} {} {} {}",
            field(unit.line),
            field(unit.end_line),
            field(unit.column),
            field(unit.end_column)
        );
    }
    text
}

#[test]
fn tables_of_the_standard_library_come_back_and_say_the_same() {
    for (minor, python) in interpreters() {
        let mut compared = 0;
        for (path, text) in ask_library(&python, "positions.py", &format!("positions_3_{minor}")) {
            let mut expected = text.split("code\n").skip(1);
            for code in all_code(&read(&path)) {
                let place = format!("{} ({})", path.display(), code.filename);
                assert_round_trip(&place, code);
                assert_eq!(Some(described(code).as_str()), expected.next(), "{place}, {}", code.qualname);
                compared += 1;
            }
            assert_eq!(expected.next(), None, "{}", path.display());
        }
        assert!(compared > 50, "3.{minor}: only {compared} tables were compared");
    }
}

fn row(length: u32, line: Option<u32>) -> Row {
    Row { length, position: Position::of_line(line) }
}

/// Lines of the code units that a table gives, read back.
fn lines(version: PyVersion, rows: &[Row]) -> Vec<Option<u32>> {
    let length: u32 = rows.iter().map(|row| row.length).sum();
    let linetable = write_line_table(version, 100, rows).expect("a known version");
    let code = CodeObject {
        first_line: 100,
        code: vec![0; length as usize],
        linetable,
        ..CodeObject::empty(version)
    };
    let read = read_line_table(&code).expect("a known version");
    let units = read.iter().flat_map(|row| std::iter::repeat_n(row.position.line, row.length as usize));
    units.step_by(2).collect()
}

#[test]
fn long_rows_and_far_lines_are_split() {
    let rows =
        [row(600, Some(100)), row(4, Some(900)), row(2, Some(1)), row(260, Some(2)), row(2, Some(70_000))];
    let expected: Vec<Option<u32>> =
        rows.iter().flat_map(|row| std::iter::repeat_n(row.position.line, row.length as usize / 2)).collect();
    for minor in 8..=15 {
        assert_eq!(lines(PyVersion(minor), &rows), expected, "3.{minor}");
    }
}

#[test]
fn no_line_is_said_where_the_version_can() {
    let rows = [row(2, Some(100)), row(520, None), row(2, Some(101))];
    for minor in 8..=15 {
        let found = lines(PyVersion(minor), &rows);
        let hidden = if minor < 10 { Some(100) } else { None };
        assert_eq!((found[0], found[1], found[260], found[261]), (Some(100), hidden, hidden, Some(101)));
    }
}

#[test]
fn first_row_may_stand_on_another_line() {
    let rows = [row(2, Some(103)), row(2, Some(99))];
    for minor in 8..=15 {
        assert_eq!(lines(PyVersion(minor), &rows), [Some(103), Some(99)], "3.{minor}");
    }
}

#[test]
fn columns_come_back() {
    let position = |line, end_line, column, end_column| Position {
        line: Some(line),
        end_line: Some(end_line),
        column,
        end_column,
    };
    let positions = [
        position(100, 100, Some(4), Some(10)),
        position(100, 100, Some(79), Some(94)),
        position(100, 100, Some(80), Some(81)),
        position(101, 101, Some(0), Some(127)),
        position(103, 103, Some(3), Some(128)),
        position(103, 109, Some(0), Some(0)),
        position(90, 90, Some(70_000), Some(70_001)),
        position(91, 91, None, None),
        Position::default(),
        position(91, 91, Some(8), Some(3)),
    ];
    let rows: Vec<Row> = positions.iter().map(|&position| Row { length: 6, position }).collect();
    for minor in 11..=15 {
        let linetable = write_line_table(PyVersion(minor), 100, &rows).expect("a known version");
        let code = CodeObject { first_line: 100, linetable, ..CodeObject::empty(PyVersion(minor)) };
        assert_eq!(read_line_table(&code).expect("a known version"), rows, "3.{minor}");
    }
}

#[test]
fn nonsense_is_read_as_nonsense() {
    for minor in 8..=15 {
        for seed in 0..200_u32 {
            let linetable: Vec<u8> =
                (0..seed % 40).map(|at| (seed.wrapping_mul(2_654_435_761) >> (at % 25)) as u8).collect();
            let code = CodeObject { code: vec![0; 20], linetable, ..CodeObject::empty(PyVersion(minor)) };
            let rows = read_line_table(&code).expect("a known version");
            let _ = write_line_table(PyVersion(minor), 0, &rows);
        }
    }
    assert!(read_line_table(&CodeObject::empty(PyVersion(7))).is_err());
    assert!(write_line_table(PyVersion(7), 1, &[]).is_err());
}
