//! Lines where the line table has them.
//!
//! Needs: all logical lines of the text, each with the nodes that begin and end in it ([`Line::origins`]), and
//! what the table says of their instructions ([`Places`]). Says which line each logical line begins on, and
//! where it breaks.
//!
//! Establishes: a token whose line is known stands on that line, unless what comes before it needed more
//! lines than the source had; then it comes as soon as it can, and tokens of one statement keep their
//! distances. Two tokens of one recorded line are never parted, two of different lines never joined. The text
//! means what it meant: only blank lines, line breaks, parentheses around them and `;` are added, and f-strings
//! are parted before a field: `f'a{b}'` and `f'a' f'{b}'` are one to Python.
//!
//! Example: of `x = f(a, b)` whose `a` has line 3, `b` line 4 and `x` line 3 comes
//!
//! ```text
//!
//!
//! x = f(a,
//!     b)
//! ```
//!
//! Lines that contradict each other, as those of damaged tables or of copied blocks, are left out: of what is known
//! of the tokens of a logical line, and of all logical lines, the longest part that never goes back counts.

use crate::ast::Origin;
use crate::layout::Writer;
use crate::line::{GroupStyle, Line, MarkKind, Seam};
use crate::sink::{Node, Sink, TokenKind};

/// Blank lines and line breaks that are added at most, whatever a table says.
const MOST_LINES: u32 = 1 << 20;

/// Where instructions stand in the source that was compiled.
pub trait Places {
    /// The lines of what an instruction was made of; `None` where the table has none.
    fn place(&self, origin: Origin) -> Option<Place>;
}

/// The lines of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Where it begins, from 1.
    pub line: u32,
    /// Where it ends, in the versions that tell (3.11 and later).
    pub end_line: Option<u32>,
}

/// What a logical line is, for the question what may stand beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LineKind {
    /// A simple statement.
    Simple,
    /// What ends with the colon of a block.
    Header,
    /// Neither: a decorator, a comment, `match ..:`.
    Alone,
}

/// A logical line of the text.
#[derive(Debug)]
pub(crate) struct Logical {
    pub(crate) line: Line,
    pub(crate) depth: usize,
    pub(crate) kind: LineKind,
}

/// What the table says of one logical line.
#[derive(Debug, Default)]
struct Plan {
    /// The line that it begins on.
    start: Option<u32>,
    /// The line of the first token that has one.
    first: Option<u32>,
    /// The last line that anything in it is known to be on.
    end: u32,
    /// Tokens before which it breaks, and their lines, in order.
    breaks: Vec<(usize, u32)>,
}

/// Writes the logical lines.
pub(crate) fn write(lines: &[Logical], places: &dyn Places, indent: usize, sink: &mut dyn Sink) {
    let mut plans: Vec<Plan> = lines.iter().map(|logical| Plan::of(logical, places)).collect();
    forget_heads_of_bodies(&mut plans, lines);
    forget_contradictions(&mut plans);
    forget_lines_of_others(&mut plans);
    let mut sheet = Sheet { lines, plans: &plans, indent, sink, row: 1, late: 0, added: 0, inline_until: 0 };
    for at in 0..lines.len() {
        sheet.place(at);
    }
    if !lines.is_empty() {
        sheet.sink.newline();
    }
}

impl Plan {
    fn of(logical: &Logical, places: &dyn Places) -> Self {
        let line = &logical.line;
        let known = known_lines(logical, places);
        let statement = line.origins.iter().filter(|node| node.end == u32::MAX);
        let head = statement.filter_map(|node| places.place(node.origin)).map(|place| place.line).next();
        let first = known.first().copied();
        let start = match (first, head) {
            (Some((0, line)), _) => Some(line),
            (Some((_, line)), Some(head)) => Some(line.min(head)),
            (Some((_, line)), None) => Some(line),
            (None, head) => head,
        };
        let mut plan =
            Self { start, first: first.map(|(_, line)| line), end: start.unwrap_or(0), breaks: Vec::new() };
        let is_definition = line.is_definition();
        for &(token, row) in &known {
            if row > plan.end {
                plan.breaks.push((break_before(line, token, &known, is_definition), row));
                plan.end = row;
            }
        }
        plan
    }
}

/// `try:` and `while True:` may have no instruction of their own, but the first of what they hold: then their
/// line is not known. Nor is it where no line would be left for the heads that they hold.
fn forget_heads_of_bodies(plans: &mut [Plan], lines: &[Logical]) {
    for at in (0..lines.len()).rev() {
        let head = &lines[at];
        let is_statement =
            head.line.is_definition() || head.line.origins.iter().any(|node| node.end != u32::MAX);
        let Some(start) = plans[at].start.filter(|_| head.kind == LineKind::Header && !is_statement) else {
            continue;
        };
        // Heads of unknown lines nest at most so deep before what has one.
        let inner = (1..8).find(|&inner| {
            let found = plans.get(at + inner).zip(lines.get(at + inner));
            found.is_none_or(|(plan, line)| plan.start.is_some() || line.depth != head.depth + inner)
        });
        let first =
            inner.filter(|&inner| lines.get(at + inner).is_some_and(|line| line.depth == head.depth + inner));
        if let Some(inner) = first
            && plans[at + inner].start.is_some_and(|first| first < start.saturating_add(inner as u32))
        {
            plans[at] = Plan::default();
        }
    }
}

/// One line that is far off must not move all that follows. Lines of tokens decide; that of a statement alone, which
/// may be where another ends, has to lie between them.
fn forget_contradictions(plans: &mut [Plan]) {
    let known = plans.iter().enumerate();
    let known: Vec<(usize, u32)> = known.filter_map(|(at, plan)| Some((at, plan.first?))).collect();
    let mut kept = longest_rising(&known).into_iter().peekable();
    let mut row = 0;
    for (at, plan) in plans.iter_mut().enumerate() {
        let is_token = plan.first.is_some();
        let next = kept.peek().copied();
        let line = plan.first.or(plan.start);
        let fits = match (is_token, next) {
            (true, next) => next.is_some_and(|(token, _)| token == at),
            (false, next) => {
                line.is_none_or(|line| row <= line && next.is_none_or(|(_, following)| line <= following))
            }
        };
        if is_token && fits {
            kept.next();
        }
        if fits {
            row = line.unwrap_or(row);
        } else {
            *plan = Plan::default();
        }
    }
}

/// A `return` inside of `with` ends where the table has the `with`: a statement does not begin before another ends.
fn forget_lines_of_others(plans: &mut [Plan]) {
    let mut row = 0;
    for plan in plans {
        if let (Some(start), Some(&(_, first))) = (plan.start, plan.breaks.first())
            && plan.first == Some(first)
            && start <= row
        {
            plan.start = Some(first);
            plan.breaks.remove(0);
        }
        if plan.start.is_some() {
            row = plan.end;
        }
    }
}

/// Tokens whose lines are known, in the order of the text: never a line below the one before.
fn known_lines(logical: &Logical, places: &dyn Places) -> Vec<(usize, u32)> {
    let line = &logical.line;
    let mut begins: Vec<(usize, u32)> = Vec::new();
    let mut ends: Vec<(usize, usize, Place)> = Vec::new();
    let shared = shared_origins(line);
    for node in line.origins.iter().filter(|node| node.end != u32::MAX) {
        let is_inside = line.is_solid(node.start) && line.seam_before(node.start).is_none();
        if is_inside || shared.binary_search(&node.origin).is_ok() {
            continue;
        }
        let Some(place) = places.place(node.origin) else { continue };
        let first = line.tokens.partition_point(|token| token.start < node.start);
        // An expression that prints nothing, such as no text at all, may stand behind the last token.
        if first == line.tokens.len() {
            continue;
        }
        let last = line.tokens.partition_point(|token| token.start < node.end).saturating_sub(1);
        match begins.last_mut() {
            // The innermost of the expressions that begin here is the one that the token belongs to.
            Some(begun) if begun.0 == first => begun.1 = place.line,
            _ => begins.push((first, place.line)),
        }
        // In the head of a block, what is made of a jump ends where the table has the block end (3.11).
        let is_told = logical.kind != LineKind::Header || line.is_attribute(last);
        if last > first && is_told && !line.is_solid(line.tokens[last].start) {
            ends.push((last, first, place));
        }
    }
    let begins = longest_rising(&begins);
    // Of expressions that end together the innermost comes last, too.
    ends.sort_by_key(|&(last, ..)| last);
    let mut known: Vec<(usize, u32)> = Vec::with_capacity(begins.len() + ends.len());
    let mut next = 0;
    for (at, &(last, first, place)) in ends.iter().enumerate() {
        if ends.get(at + 1).is_some_and(|after| after.0 == last) {
            continue;
        }
        while let Some(begun) = begins.get(next).filter(|begun| begun.0 <= last) {
            known.push(*begun);
            next += 1;
        }
        let row = match place.end_line {
            // What begins elsewhere than its first token was made by another instruction.
            _ if line.is_attribute(last) => place.end_line.unwrap_or(place.line),
            Some(end_line) if begins.binary_search(&(first, place.line)).is_ok() => end_line,
            _ => continue,
        };
        // A bracket that closes far below what is known may have held a constant, which is printed flat.
        if known.last().is_some_and(|known| known.1.saturating_add(1) < row) && !line.is_attribute(last) {
            continue;
        }
        let is_rising = known.last().is_none_or(|known| known.0 < last && known.1 <= row)
            && begins.get(next).is_none_or(|begun| row <= begun.1);
        if is_rising {
            known.push((last, row));
        }
    }
    known.extend(&begins[next..]);
    known
}

/// The instructions that several literals apart were made of, as the one that loads all keys of a dict: where it
/// stands tells nothing of each of them. In order. (Two names may share an instruction as well, and then a line.)
fn shared_origins(line: &Line) -> Vec<Origin> {
    let is_literal = |node: &&Node| {
        let token = line.tokens.partition_point(|token| token.start < node.start);
        let kind = line.tokens.get(token).map(|token| token.kind);
        node.end != u32::MAX && kind.is_some_and(|kind| kind != TokenKind::Name)
    };
    let nodes = line.origins.iter().filter(is_literal);
    let mut places: Vec<(Origin, u32, u32)> = nodes.map(|node| (node.origin, node.start, node.end)).collect();
    places.sort_unstable();
    let apart = |pair: &&[(Origin, u32, u32)]| pair[0].0 == pair[1].0 && pair[0].2 <= pair[1].1;
    let mut shared: Vec<Origin> = places.windows(2).filter(apart).map(|pair| pair[0].0).collect();
    shared.dedup();
    shared
}

/// The longest part of a list whose lines never go back.
fn longest_rising(found: &[(usize, u32)]) -> Vec<(usize, u32)> {
    if found.is_sorted_by_key(|&(_, row)| row) {
        return found.to_vec();
    }
    // By length of a rising part, less one: the entry that ends the one with the lowest end.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(found.len());
    for (at, &(_, row)) in found.iter().enumerate() {
        let length = ends.partition_point(|&end| found[end].1 <= row);
        before.push(length.checked_sub(1).map(|shorter| ends[shorter]));
        match ends.get_mut(length) {
            Some(end) => *end = at,
            None => ends.push(at),
        }
    }
    let chain = std::iter::successors(ends.last().copied(), |&at| before[at]);
    let mut kept: Vec<(usize, u32)> = chain.map(|at| found[at]).collect();
    kept.reverse();
    kept
}

/// Where to break so that a token comes to another line. What belongs to it goes along: the `.` of an
/// attribute, the star or the name of an argument, the key of a dict, the `for` or `if` of a comprehension.
fn break_before(line: &Line, token: usize, known: &[(usize, u32)], is_definition: bool) -> usize {
    let is_known = |at: usize| known.binary_search_by_key(&at, |&(token, _)| token).is_ok();
    let text = |at: usize, back: usize| at.checked_sub(back).map_or("", |at| line.token_text(at));
    let mut at = token;
    loop {
        let kind = at.checked_sub(1).map(|before| line.tokens[before].kind);
        let back = match (kind, text(at, 1)) {
            (Some(TokenKind::Punctuation), ".") | (Some(TokenKind::Operator), _) => 1,
            (Some(TokenKind::Name), _) if line.token_text(at) == "=" => 1,
            (Some(TokenKind::Space), _) if matches!(text(at, 2), "if" | "for" | "else" | "async") => 2,
            // The annotation of a parameter.
            (Some(TokenKind::Space), _) if is_definition && text(at, 2) == ":" => 3,
            // A key, where it is one token.
            (Some(TokenKind::Space), _) if text(at, 2) == ":" && matches!(text(at, 4), "{" | " ") => 3,
            _ => return at,
        };
        if back >= at || (1..=back).any(|back| is_known(at - back)) {
            return at;
        }
        at -= back;
    }
}

/// The page, and how far it is written.
struct Sheet<'a> {
    lines: &'a [Logical],
    plans: &'a [Plan],
    indent: usize,
    sink: &'a mut dyn Sink,
    /// The line that is written, from 1.
    row: u32,
    /// By how many lines the last statement whose line is known came late.
    late: u32,
    /// Line breaks that were added.
    added: u32,
    /// The logical lines before this one stand behind a colon.
    inline_until: usize,
}

impl Sheet<'_> {
    fn place(&mut self, at: usize) {
        if at > 0 && self.is_inline(at) {
            self.sink.token(TokenKind::Space, " ");
        } else if at > 0 && self.joins(at) {
            self.sink.token(TokenKind::Punctuation, ";");
            self.sink.token(TokenKind::Space, " ");
        } else {
            if at > 0 {
                self.newline();
            }
            self.advance(self.wanted(at));
            self.sink.indent(self.lines[at].depth * self.indent);
        }
        if let Some(start) = self.plans[at].start {
            self.late = self.row.saturating_sub(start);
        }
        self.logical(at);
    }

    fn newline(&mut self) {
        self.sink.newline();
        self.row += 1;
    }

    /// Blank lines up to a line that lies ahead.
    fn advance(&mut self, to: u32) {
        let missing = to.saturating_sub(self.row);
        if missing <= MOST_LINES - self.added {
            self.added += missing;
            (0..missing).for_each(|_| self.newline());
        }
    }

    /// The line in the source that was compiled which the one that is written stands for.
    fn recorded_row(&self) -> u32 {
        self.row.saturating_sub(self.late)
    }

    /// The line on which a logical line should begin.
    fn wanted(&self, at: usize) -> u32 {
        let Logical { kind, .. } = self.lines[at];
        match self.plans[at].start {
            Some(start) => start,
            // `else:` and its like stand right above what they hold.
            None if kind == LineKind::Header => {
                let ahead = self.plans[at..].iter().take(8).position(|plan| plan.start.is_some());
                let row =
                    |ahead: usize| self.plans[at + ahead].start.map(|start| start - start.min(ahead as u32));
                ahead.and_then(row).unwrap_or(0)
            }
            None => 0,
        }
    }

    /// Whether a simple statement stands behind the one before it, on its line.
    fn joins(&self, at: usize) -> bool {
        if at < self.inline_until {
            return true;
        }
        let (before, this) = (&self.lines[at - 1], &self.lines[at]);
        if [before.kind, this.kind] != [LineKind::Simple; 2] || before.depth != this.depth {
            return false;
        }
        let plan = &self.plans[at - 1];
        match self.plans[at].start {
            Some(start) if plan.start.is_some() => start == plan.end,
            // A `global`, say, for which there is no line left.
            Some(start) => start <= self.recorded_row(),
            None => plan.start.is_some() && self.is_crowded(at + 1, plan.end),
        }
    }

    /// Whether the statement at `at` leaves no line between itself and `row`.
    fn is_crowded(&self, at: usize, row: u32) -> bool {
        self.plans.get(at).and_then(|plan| plan.start).is_some_and(|next| row < next && next <= row + 1)
    }

    /// Whether a block stands behind its colon, on one line: this is the first statement in it.
    fn is_inline(&mut self, at: usize) -> bool {
        let header = &self.lines[at - 1];
        if header.kind != LineKind::Header {
            return false;
        }
        let inside = |logical: &&Logical| logical.depth > header.depth;
        let end = at + self.lines[at..].iter().take_while(inside).count();
        let is_simple =
            |logical: &Logical| logical.kind == LineKind::Simple && logical.depth == header.depth + 1;
        if !self.lines[at..end].iter().all(is_simple) {
            return false;
        }
        let is_known = self.plans[at - 1].start.is_some();
        let row = if is_known { self.plans[at - 1].end } else { self.recorded_row() };
        let mut known = self.plans[at..end].iter().filter_map(|plan| Some((plan.start?, plan.end)));
        let is_inline = match known.next() {
            Some((start, last)) => {
                let on_header = if is_known { start == row } else { start <= row };
                on_header && last == start && known.all(|other| other == (start, start))
            }
            None => end == at + 1 && self.is_crowded(end, row),
        };
        if is_inline {
            self.inline_until = end;
        }
        is_inline
    }

    /// Writes one logical line from where the page stands, with its breaks.
    fn logical(&mut self, at: usize) {
        let Logical { line, depth, .. } = &self.lines[at];
        let Plan { start, breaks, .. } = &self.plans[at];
        let pieces = Piece::all(line, breaks);
        let (first_row, start) = (self.row, start.unwrap_or(0));
        let inner = (depth + 1) * self.indent;
        let mut writer = Writer::new(line, self.sink);
        for piece in pieces {
            match piece.what {
                What::Open { origins } => writer.insert(piece.at, origins, "("),
                What::Close => writer.insert(piece.at, 0, ")"),
                What::Break { row, continued, seam } => {
                    let to = first_row.saturating_add(row - start);
                    let missing = to.saturating_sub(self.row);
                    if missing == 0 || missing > MOST_LINES - self.added {
                        continue;
                    }
                    self.added += missing;
                    self.row += missing;
                    match seam {
                        Some(seam) => writer.part_at(seam, missing, continued, inner),
                        None => writer.break_at(piece.at, missing, continued, inner),
                    }
                }
            }
        }
        writer.rest();
        // A docstring, and no other token, holds line breaks.
        self.row += line.text.bytes().filter(|byte| *byte == b'\n').count() as u32;
    }
}

/// Something that is put into a logical line.
struct Piece {
    /// Byte position.
    at: u32,
    what: What,
}

enum What {
    /// A parenthesis closes.
    Close,
    /// A parenthesis opens behind so many nodes.
    Open { origins: u32 },
    /// The line breaks, between two parts of an f-string if there is a seam; `continued` by a backslash where no
    /// brackets are around.
    Break { row: u32, continued: bool, seam: Option<Seam> },
}

impl Piece {
    /// What is put into a line so that it breaks before these tokens, in the order of the text.
    ///
    /// A break outside of all brackets takes the parentheses that may stand around the value there.
    fn all(line: &Line, breaks: &[(usize, u32)]) -> Vec<Self> {
        if breaks.is_empty() {
            return Vec::new();
        }
        let groups = soft_groups(line);
        let mut used = vec![false; groups.len()];
        let mut pieces: Vec<Self> = Vec::new();
        let (mut depth, mut seen) = (0_usize, 0);
        for &(token, row) in breaks {
            for index in seen..token {
                depth = depth_behind(line, index, depth);
            }
            seen = token.max(seen);
            let seam = line.seam_before(line.tokens[token].start);
            let at = seam.map_or(line.tokens[token].start, |seam| seam.at);
            let group = groups.partition_point(|group| group.close <= at);
            let group = groups.get(group).filter(|found| found.open <= at).map(|_| group);
            let free = depth == 0;
            if let Some(group) = group.filter(|_| free) {
                used[group] = true;
            }
            pieces.push(Self { at, what: What::Break { row, continued: free && group.is_none(), seam } });
        }
        for (group, _) in groups.iter().zip(used).filter(|(_, used)| *used) {
            pieces.push(Self { at: group.open, what: What::Open { origins: group.origins } });
            pieces.push(Self { at: group.close, what: What::Close });
        }
        // A parenthesis opens at the end of the line before, and closes there too.
        pieces.sort_by_key(|piece| (piece.at, matches!(piece.what, What::Break { .. })));
        pieces
    }
}

/// How many brackets are open behind a token.
fn depth_behind(line: &Line, token: usize, depth: usize) -> usize {
    if line.tokens[token].kind != TokenKind::Punctuation || line.is_solid(line.tokens[token].start) {
        return depth;
    }
    line.token_text(token).bytes().fold(depth, |depth, byte| match byte {
        b'(' | b'[' | b'{' => depth + 1,
        b')' | b']' | b'}' => depth.saturating_sub(1),
        _ => depth,
    })
}

/// What may stand in parentheses of its own.
struct SoftGroup {
    open: u32,
    close: u32,
    origins: u32,
}

/// The outermost groups whose brackets appear only when they break, in order.
fn soft_groups(line: &Line) -> Vec<SoftGroup> {
    let mut groups: Vec<SoftGroup> = Vec::new();
    let mut open = Vec::new();
    for mark in &line.marks {
        match mark.kind {
            MarkKind::Open(style) => open.push((style, *mark)),
            MarkKind::Item => {}
            MarkKind::Close => {
                let Some((GroupStyle::Soft | GroupStyle::SoftComma, opened)) = open.pop() else { continue };
                while groups.last().is_some_and(|inner| inner.open >= opened.at) {
                    groups.pop();
                }
                groups.push(SoftGroup { open: opened.at, close: mark.at, origins: opened.origins });
            }
        }
    }
    groups
}
