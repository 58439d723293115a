//! Breaking lines that are too long, inside brackets.
//!
//! From the outside in, a group that does not fit is broken behind its bracket: its items go on one line
//! together where they fit there, else each on a line of its own. The result depends only on widths,
//! and is found in one pass over the line's marks.

use std::ops::Range;

use crate::ast::Pairing;
use crate::line::{GroupStyle, Line, MarkKind, Seam};
use crate::sink::{Run, Sink, TokenKind};

/// Where lines may not hold much code ([`crate::Grammar::optimizes_short_lines_only`]), the nodes that one may hold: each
/// takes an instruction, of two bytes or, with a large argument, four.
pub(crate) const MOST_NODES: usize = 60;

/// What the field of an f-string takes besides its nodes: it is formatted, and stands behind a text.
pub(crate) const FIELD_NODES: usize = 2;

/// The width of lines that are broken for that.
const SHORT_WIDTH: usize = 100;

/// The measures of the page, and scratch space.
#[derive(Debug, Default)]
pub(crate) struct Page {
    pub(crate) width: Option<usize>,
    pub(crate) indent: usize,
    /// Lines of much code are broken whatever the width.
    pub(crate) short_lines: bool,
    /// For each mark: the column at which it stands when the line is flat.
    columns: Vec<usize>,
    /// For each mark that opens a group: the column up to which the line must reach for the group to
    /// stay flat, what follows its end up to the next mark included.
    reaches: Vec<usize>,
    /// For each mark that opens a group: the column of its end.
    ends: Vec<usize>,
    open: Vec<usize>,
    /// For each mark that opens a group, and each item: the mark that opens the group around it.
    around: Vec<Option<usize>>,
    /// For each mark that opens a group: whether functions in it must stand on lines of their own.
    parts: Vec<bool>,
    /// For each mark that opens a group: whether it would break between functions that must stand on one line. For each
    /// item: whether it is between them, or between two names on one line.
    joins: Vec<bool>,
    /// For each mark that opens a group: whether what follows its bracket must stay there.
    hangs: Vec<bool>,
    /// Where f-strings must end and go on in the next line, to part functions in their fields; in order.
    seams: Vec<Seam>,
    groups: Vec<Group>,
}

#[derive(Clone, Copy, Debug)]
struct Group {
    style: GroupStyle,
    state: State,
    /// Indentation of the lines inside.
    indent: usize,
}

impl Group {
    /// Whether its items stand on other lines than its brackets.
    fn has_own_lines(&self) -> bool {
        self.is_open() && self.state != State::Hanging
    }

    /// Whether lines break in it, between brackets of its own.
    fn is_open(&self) -> bool {
        matches!(self.state, State::Broken | State::Packed | State::Hanging)
            && self.style != GroupStyle::Chain
    }

    /// Whether its brackets appear only when it breaks.
    fn is_soft(&self) -> bool {
        matches!(self.style, GroupStyle::Soft | GroupStyle::SoftComma)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// On one line, with everything inside.
    Flat,
    /// On one line, between the lines of its brackets.
    Packed,
    /// One item a line.
    Broken,
    /// The same, but the first stands behind the bracket.
    Hanging,
    /// May not break by itself, but groups inside may.
    Inert,
}

/// Writes the line and its line break.
pub(crate) fn write(line: &Line, indent: usize, page: &mut Page, sink: &mut dyn Sink) {
    sink.indent(indent);
    let equal = line.equal_functions(0);
    let is_apart = line.pairs.iter().any(|(_, pairing)| *pairing == Pairing::Apart);
    // The nodes of nested code have no origins.
    let is_long = page.short_lines
        && page.width.is_none()
        && (line.origins.len() + line.seams.len() * FIELD_NODES > MOST_NODES
            || line.count_code() > MOST_NODES);
    let fits = match page.width {
        _ if is_apart || !equal.is_empty() => false,
        None => !is_long || line.marks.is_empty() && line.seams.is_empty(),
        Some(width) => {
            indent + line.text.len() <= width || line.marks.is_empty() || indent + count(&line.text) <= width
        }
    };
    if fits {
        sink.run(Run {
            text: &line.text,
            start: 0,
            tokens: &line.tokens,
            definitions: line.definitions,
            origins: &line.origins,
            is_last: true,
        });
    } else {
        measure(line, page);
        part(line, &equal, page);
        join(line, page);
        pair(line, page);
        if is_long {
            part_long_strings(line, page);
        }
        let writer = Writer::new(line, sink);
        let width = page.width.unwrap_or(if is_long { SHORT_WIDTH } else { usize::MAX });
        writer.broken(indent, width, page);
    }
    sink.newline();
}

fn count(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.chars().count() }
}

fn measure(line: &Line, page: &mut Page) {
    page.columns.clear();
    let (mut column, mut at) = (0, 0);
    for mark in &line.marks {
        let to = mark.at as usize;
        column += count(&line.text[at..to]);
        at = to;
        page.columns.push(column);
    }
    let end = column + count(&line.text[at..]);
    page.reaches.clear();
    page.reaches.resize(line.marks.len(), end);
    page.ends.clear();
    page.ends.resize(line.marks.len(), end);
    each_group(line, &mut page.open, |open, close| {
        page.ends[open] = page.columns[close];
        page.reaches[open] = page.columns.get(close + 1).copied().unwrap_or(end);
    });
}

/// Visits the marks that open and close each group, inner groups first.
fn each_group(line: &Line, open: &mut Vec<usize>, mut visit: impl FnMut(usize, usize)) {
    open.clear();
    for (index, mark) in line.marks.iter().enumerate() {
        match mark.kind {
            MarkKind::Open(_) => open.push(index),
            MarkKind::Item => {}
            MarkKind::Close => {
                if let Some(open) = open.pop() {
                    visit(open, index);
                }
            }
        }
    }
}

/// Finds the groups that must break to part the functions that begin at `equal`: of each and the next one that has another
/// number, the outermost that has a bracket or an item between them, and the groups around it, which could not hold its lines
/// else. Two in one f-string are parted by a seam, unless its text has a line break between them.
fn part(line: &Line, equal: &[(u32, usize)], page: &mut Page) {
    page.parts.clear();
    page.parts.resize(line.marks.len(), false);
    page.around.clear();
    page.around.resize(line.marks.len(), None);
    page.open.clear();
    page.seams.clear();
    // The outermost group so far between a function and the next one, and how many are around it.
    let mut outermost: Option<(usize, usize)> = None;
    let mut behind = equal;
    for (at, mark) in line.marks.iter().enumerate() {
        while let [first, next, ..] = behind
            && next.0 < mark.at
        {
            if first.1 != next.1 {
                part_pair(line, first.0, next.0, outermost, page);
            }
            outermost = None;
            behind = &behind[1..];
        }
        page.around[at] = page.open.last().copied();
        if let MarkKind::Open(_) = mark.kind {
            page.open.push(at);
        }
        if let [first, _, ..] = behind
            && first.0 < mark.at
            && let Some(&open) = page.open.last()
            && page.open.iter().any(|&open| line.marks[open].kind != MarkKind::Open(GroupStyle::Chain))
            && outermost.is_none_or(|(_, depth)| page.open.len() < depth)
        {
            outermost = Some((open, page.open.len()));
        }
        if mark.kind == MarkKind::Close {
            page.open.pop();
        }
    }
    for pair in behind.windows(2).filter(|pair| pair[0].1 != pair[1].1) {
        part_pair(line, pair[0].0, pair[1].0, outermost.take(), page);
    }
}

/// Finds the groups that could break between functions that are one constant, and the items that stand there.
fn join(line: &Line, page: &mut Page) {
    page.joins.clear();
    page.joins.resize(line.marks.len(), false);
    let joined = line.joined_functions();
    if joined.is_empty() {
        return;
    }
    page.open.clear();
    for (at, mark) in line.marks.iter().enumerate() {
        if let MarkKind::Open(_) = mark.kind {
            page.open.push(at);
        }
        let last = joined.partition_point(|&(first, _)| first < mark.at).checked_sub(1);
        let is_between = last.is_some_and(|last| mark.at <= joined[last].1);
        if let Some(&open) = page.open.last().filter(|_| is_between) {
            page.joins[open] = true;
            page.joins[at] |= mark.kind == MarkKind::Item;
        }
        if mark.kind == MarkKind::Close {
            page.open.pop();
        }
    }
}

/// Parts f-strings of much code, unless their text has line breaks.
fn part_long_strings(line: &Line, page: &mut Page) {
    // The last part so far: where it begins, how many nodes come before it, and how many fields.
    let mut last: Option<(usize, usize, usize)> = None;
    for (fields, seam) in line.seams.iter().enumerate() {
        let at = seam.at as usize;
        let nodes = line.origins.partition_point(|node| node.start < seam.at);
        let string = line.solid.partition_point(|&(_, end)| end <= seam.at);
        let Some(&(start, end)) = line.solid.get(string) else { continue };
        let (start, end) = (start as usize, end as usize);
        let (begins, nodes_before, fields_before) =
            last.filter(|&(begins, ..)| begins >= start).unwrap_or((start, nodes, fields));
        let code = nodes - nodes_before + (fields - fields_before) * FIELD_NODES;
        if code > MOST_NODES / 2 && !line.text[start..end].contains('\n') {
            page.seams.push(*seam);
            last = Some((at, nodes, fields));
        } else {
            last = Some((begins, nodes_before, fields_before));
        }
    }
    page.seams.sort_unstable_by_key(|seam| seam.at);
    page.seams.dedup_by_key(|seam| seam.at);
}

/// Parts two functions: breaks a group between them and those around it, or an f-string.
fn part_pair(line: &Line, first: u32, second: u32, group: Option<(usize, usize)>, page: &mut Page) {
    if group.is_none() && !line.text[first as usize..second as usize].contains('\n') {
        page.seams.extend(line.seam_between(first, second));
    }
    break_out(group.map(|(open, _)| open), page);
}

/// Breaks a group and those around it.
fn break_out(mut next: Option<usize>, page: &mut Page) {
    while let Some(open) = next
        && !page.parts[open]
    {
        page.parts[open] = true;
        next = page.around[open];
    }
}

/// Finds the marks between two names that are joined, and the groups that must break between two that stand apart: as few
/// as may be.
fn pair(line: &Line, page: &mut Page) {
    page.hangs.clear();
    page.hangs.resize(line.marks.len(), false);
    let is_item = |mark: usize| line.marks[mark].kind == MarkKind::Item;
    for (between, _) in marks_between(line).filter(|(_, pairing)| *pairing == Pairing::Joined) {
        for mark in between.filter(|&mark| may_break(line, mark)) {
            let stays = if is_item(mark) { &mut page.joins } else { &mut page.hangs };
            stays[mark] = true;
        }
    }
    for (between, _) in marks_between(line).filter(|(_, pairing)| *pairing == Pairing::Apart) {
        let group = |mark: usize| if is_item(mark) { page.around[mark] } else { Some(mark) };
        let depth = |mark: usize| std::iter::successors(group(mark), |&open| page.around[open]).count();
        let stays = |mark: usize| if is_item(mark) { page.joins[mark] } else { page.hangs[mark] };
        let marks = between.filter(|&mark| may_break(line, mark));
        let found = marks.rev().min_by_key(|&mark| (stays(mark), depth(mark)));
        break_out(found.and_then(group), page);
    }
}

/// The marks in front of each name that is part of a pair, from the one before on.
fn marks_between(line: &Line) -> impl Iterator<Item = (Range<usize>, Pairing)> {
    let mut behind = 0;
    line.pairs.iter().map(move |&(at, pairing)| {
        let end = line.marks.partition_point(|mark| mark.at <= at);
        (std::mem::replace(&mut behind, end)..end, pairing)
    })
}

/// Whether a line may begin at a mark.
fn may_break(line: &Line, mark: usize) -> bool {
    !matches!(line.marks[mark].kind, MarkKind::Close | MarkKind::Open(GroupStyle::Chain))
}

impl Page {
    pub(crate) fn new(width: Option<usize>, indent: usize, short_lines: bool) -> Self {
        Self { width, indent, short_lines, ..Self::default() }
    }
}

/// Copies the line piece by piece.
pub(crate) struct Writer<'a> {
    line: &'a Line,
    sink: &'a mut dyn Sink,
    at: usize,
    token: usize,
    origin: usize,
}

impl<'a> Writer<'a> {
    pub(crate) fn new(line: &'a Line, sink: &'a mut dyn Sink) -> Self {
        Self { line, sink, at: 0, token: 0, origin: 0 }
    }

    /// Writes the line up to a position, and a bracket there; so many nodes begin before it.
    pub(crate) fn insert(&mut self, at: u32, origins: u32, bracket: &str) {
        self.copy_to(at as usize);
        self.origins_to(origins as usize);
        self.sink.token(TokenKind::Punctuation, bracket);
    }

    /// Writes the line up to a position and so many line breaks there, with backslashes where it is
    /// `continued`. The blank before the position goes.
    pub(crate) fn break_at(&mut self, at: u32, count: u32, continued: bool, indent: usize) {
        let at = at as usize;
        let blank = at.saturating_sub(1);
        if self.at < at && self.line.text.as_bytes().get(blank) == Some(&b' ') {
            self.copy_to(blank);
            self.skip_blank();
        } else {
            self.copy_to(at);
        }
        self.line_breaks(count, continued, indent);
    }

    /// Writes the line up to a seam, and ends the f-string there. Another begins so many line breaks later.
    pub(crate) fn part_at(&mut self, seam: Seam, count: u32, continued: bool, indent: usize) {
        self.copy_to(seam.at as usize);
        self.sink.token(TokenKind::String, seam.quote);
        self.line_breaks(count, continued, indent);
        self.sink.token(TokenKind::String, seam.prefix);
        self.sink.token(TokenKind::String, seam.quote);
    }

    fn line_breaks(&mut self, count: u32, continued: bool, indent: usize) {
        for _ in 0..count {
            if continued {
                self.sink.token(TokenKind::Punctuation, " \\");
            }
            self.sink.newline();
        }
        self.sink.indent(indent);
    }

    /// Writes what is left of the line.
    pub(crate) fn rest(mut self) {
        self.copy_to(self.line.text.len());
    }

    fn broken(mut self, indent: usize, width: usize, page: &mut Page) {
        page.groups.clear();
        // What the flat column of a position is ahead of its real column, as a signed difference.
        let mut base = indent;
        let mut origin_column = 0;
        for (index, mark) in self.line.marks.iter().enumerate() {
            let column = page.columns[index];
            if let Some((seam, indent)) = self.part_to(mark.at as usize, indent, page) {
                (base, origin_column) = (indent, column - count(&self.line.text[seam..mark.at as usize]));
            }
            let outer = page.groups.last().copied();
            match mark.kind {
                MarkKind::Open(style) => {
                    let indent_here = outer.map_or(indent, |group| group.indent);
                    let end = base + page.reaches[index] - origin_column;
                    let packed_end = indent_here + page.indent + page.ends[index] - column;
                    let state = match (outer.map(|group| group.state), style) {
                        (Some(State::Flat | State::Packed), _) => State::Flat,
                        (None | Some(State::Inert), GroupStyle::Chain) if page.parts[index] => State::Inert,
                        _ if page.parts[index] && page.hangs[index] => State::Hanging,
                        _ if page.parts[index] => State::Broken,
                        _ if page.joins[index] => State::Flat,
                        _ if end <= width => State::Flat,
                        (None | Some(State::Inert), GroupStyle::Chain) => State::Inert,
                        (_, GroupStyle::Chain) => State::Broken,
                        _ if packed_end <= width => State::Packed,
                        _ => State::Broken,
                    };
                    let mut group = Group { style, state, indent: indent_here };
                    if group.is_open() && group.is_soft() {
                        self.origins_to(mark.origins as usize);
                        self.sink.token(TokenKind::Punctuation, "(");
                        base += 1;
                    }
                    if group.is_open() {
                        group.indent += page.indent;
                    }
                    if group.has_own_lines() {
                        self.line_break(group.indent);
                        (base, origin_column) = (group.indent, column);
                    }
                    page.groups.push(group);
                }
                MarkKind::Item => {
                    let breaks = |group: &Group| {
                        matches!(group.state, State::Broken | State::Hanging) && !page.joins[index]
                    };
                    if let Some(group) = outer.filter(breaks) {
                        self.skip_blank();
                        self.line_break(group.indent);
                        (base, origin_column) = (group.indent, column + 1);
                    }
                }
                MarkKind::Close => {
                    page.groups.pop();
                    let Some(group) = outer else { continue };
                    if !group.is_open() {
                        continue;
                    }
                    if group.has_own_lines() {
                        let comma = matches!(group.style, GroupStyle::Comma | GroupStyle::SoftComma);
                        if comma && group.state == State::Broken {
                            self.sink.token(TokenKind::Punctuation, ",");
                        }
                        let indent = group.indent - page.indent;
                        self.line_break(indent);
                        (base, origin_column) = (indent, column);
                    }
                    if group.is_soft() {
                        self.sink.token(TokenKind::Punctuation, ")");
                        base += 1;
                    }
                }
            }
        }
        self.part_to(self.line.text.len(), indent, page);
    }

    /// Writes the line up to a position and parts f-strings on the way. Gives the last seam, and the indentation behind it.
    fn part_to(&mut self, to: usize, indent: usize, page: &Page) -> Option<(usize, usize)> {
        let from = page.seams.partition_point(|seam| (seam.at as usize) < self.at);
        let mut last = None;
        for seam in page.seams[from..].iter().take_while(|seam| (seam.at as usize) < to) {
            // Without a bracket around, the line does not go on by itself.
            let is_open = page
                .groups
                .iter()
                .any(|group| matches!(group.style, GroupStyle::Comma | GroupStyle::Plain) || group.is_open());
            let indent = page.groups.last().map_or(indent, |group| group.indent) + page.indent;
            self.part_at(*seam, 1, !is_open, indent);
            last = Some((seam.at as usize, indent));
        }
        self.copy_to(to);
        last
    }

    fn line_break(&mut self, indent: usize) {
        self.sink.newline();
        self.sink.indent(indent);
    }

    /// Passes over the blank token that a line break replaces, and over a name in front of it that has no text.
    fn skip_blank(&mut self) {
        self.at += 1;
        let rest = &self.line.tokens[self.token..];
        self.token += rest.iter().take_while(|token| (token.start as usize) < self.at).count();
    }

    fn origins_to(&mut self, count: usize) {
        for node in self.line.origins.get(self.origin..count).unwrap_or_default() {
            self.sink.origin(*node);
        }
        self.origin = self.origin.max(count);
    }

    fn copy_to(&mut self, to: usize) {
        if to <= self.at {
            return;
        }
        let tokens = &self.line.tokens[self.token..];
        let count = tokens.partition_point(|token| (token.start as usize) < to);
        let definitions = tokens[..count].iter().filter(|token| token.kind == TokenKind::Definition);
        let origins = &self.line.origins[self.origin..];
        let begun = origins.partition_point(|node| (node.start as usize) < to);
        self.sink.run(Run {
            text: &self.line.text[self.at..to],
            start: self.at as u32,
            tokens: &tokens[..count],
            definitions: definitions.count() as u32,
            origins: &origins[..begun],
            is_last: to == self.line.text.len(),
        });
        self.at = to;
        self.token += count;
        self.origin += begun;
    }
}
