//! `match`. Where CPython keeps subjects and captures on the stack, variables named `.match_N` hold them here:
//! values that nothing else sees.

use depyf_bytecode::{BinaryOp, CompareOp, Const, JumpCondition, Op, VarId};
use depyf_syntax::ast::{Expr, MatchCase, Pattern};
use depyf_value::{PyInt, PyStr};

use super::assembler::Label;
use super::expressions::constant;
use super::generator::{Done, Generator};

/// What the names of those variables begin with.
const MATCH_VALUE: &str = ".match_";

/// Whether a variable is one of the lowering's own.
pub(crate) fn is_match_value(name: &PyStr) -> bool {
    name.as_wtf8().starts_with(MATCH_VALUE.as_bytes())
}

/// What a pattern has captured: names, in the order in which they are bound, and where the values are.
type Captures<'a> = Vec<(&'a PyStr, VarId)>;

impl<'a> Generator<'a> {
    pub(super) fn match_statement(&mut self, subject: &'a Expr, cases: &'a [MatchCase]) -> Done {
        let end = self.unit.assembler.label();
        let around = self.unit.match_values;
        self.expr(subject)?;
        let subject = self.keep();
        let held = self.unit.match_values;
        for case in cases {
            let next = self.unit.assembler.label();
            let mut captures = Captures::new();
            self.pattern(&case.pattern, subject, next, &mut captures)?;
            for (name, value) in captures {
                self.emit(Op::LoadLocal(value));
                self.store(name);
            }
            // The next pattern takes the same variables: a state of the verifier has a value for each.
            self.unit.match_values = held;
            if let Some(guard) = &case.guard {
                self.jump_if(guard, false, next)?;
            }
            self.branch(&case.body)?;
            self.emit(Op::Jump(end.target()));
            self.unit.assembler.place(next);
        }
        self.unit.assembler.place(end);
        self.unit.match_values = around;
        Ok(())
    }

    /// A variable of our own.
    fn temporary(&mut self) -> VarId {
        let name = PyStr::new(&format!("{MATCH_VALUE}{}", self.unit.match_values));
        self.unit.match_values += 1;
        self.unit.variable(&name, false)
    }

    /// Takes the value on the stack into a variable.
    fn keep(&mut self) -> VarId {
        let id = self.temporary();
        self.emit(Op::StoreLocal(id));
        id
    }

    fn number(&mut self, value: usize) {
        self.constant(Const::Int(PyInt::from(value as i64)));
    }

    /// Goes on where the value of `subject` matches, else jumps to `fail`.
    fn pattern(
        &mut self,
        pattern: &'a Pattern,
        subject: VarId,
        fail: Label,
        captures: &mut Captures<'a>,
    ) -> Done {
        self.deeper()?;
        match pattern {
            Pattern::Value(value) => {
                self.emit(Op::LoadLocal(subject));
                self.expr(value)?;
                self.emit(Op::Compare(CompareOp::Equal));
                self.jump_on(false, fail);
            }
            Pattern::Singleton(literal) => {
                self.emit(Op::LoadLocal(subject));
                self.constant(constant(literal));
                self.emit(Op::Is { negated: false });
                self.jump_on(false, fail);
            }
            Pattern::Sequence(items) => self.sequence_pattern(items, subject, fail, captures)?,
            Pattern::Mapping { entries, rest } => {
                self.mapping_pattern(entries, rest.as_ref(), subject, fail, captures)?;
            }
            Pattern::Class { class, positional, keywords } => {
                self.emit(Op::LoadLocal(subject));
                self.expr(class)?;
                let names = keywords.iter().map(|(name, _)| Const::Str(name.clone())).collect::<Vec<_>>();
                self.constant(Const::Tuple(names.into()));
                self.emit(Op::MatchClass(positional.len() as u32));
                let found = self.keep();
                let parts = positional.iter().chain(keywords.iter().map(|(_, pattern)| pattern)).collect();
                self.found_values(parts, found, fail, captures)?;
            }
            Pattern::Star(_) => return self.error("a starred pattern outside of a sequence"),
            Pattern::As { pattern, name } => {
                if let Some(pattern) = pattern {
                    self.pattern(pattern, subject, fail, captures)?;
                }
                if let Some(name) = name {
                    self.capture(name, subject, captures);
                }
            }
            Pattern::Or(alternatives) => {
                let end = self.unit.assembler.label();
                let Some((last, others)) = alternatives.split_last() else {
                    return self.error("an `|` pattern without alternatives");
                };
                for alternative in others {
                    let next = self.unit.assembler.label();
                    self.pattern(alternative, subject, next, captures)?;
                    self.emit(Op::Jump(end.target()));
                    self.unit.assembler.place(next);
                }
                self.pattern(last, subject, fail, captures)?;
                self.unit.assembler.place(end);
            }
        }
        self.shallower();
        Ok(())
    }

    /// Notes that a name is bound to a value once the whole pattern has matched. Alternatives bind the
    /// same names, so a name has one place.
    fn capture(&mut self, name: &'a PyStr, value: VarId, captures: &mut Captures<'a>) {
        self.emit(Op::LoadLocal(value));
        match captures.iter().find(|(captured, _)| *captured == name) {
            Some(&(_, place)) => self.emit(Op::StoreLocal(place)),
            None => {
                let place = self.keep();
                captures.push((name, place));
            }
        }
    }

    fn sequence_pattern(
        &mut self,
        items: &'a [Pattern],
        subject: VarId,
        fail: Label,
        captures: &mut Captures<'a>,
    ) -> Done {
        let star = items.iter().position(|item| matches!(item, Pattern::Star(_)));
        let star_wildcard = matches!(star.map(|at| &items[at]), Some(Pattern::Star(None)));
        let only_wildcards =
            items.iter().all(|item| item.is_wildcard() || matches!(item, Pattern::Star(None)));
        self.emit_all([Op::LoadLocal(subject), Op::MatchSequence, Op::Swap(2), Op::Pop]);
        self.jump_on(false, fail);
        let length = match star {
            None => Some((items.len(), CompareOp::Equal)),
            Some(_) if items.len() > 1 => Some((items.len() - 1, CompareOp::GreaterEqual)),
            Some(_) => None,
        };
        if let Some((length, comparison)) = length {
            self.check_length(subject, length, comparison, fail);
        }
        if only_wildcards {
            return Ok(());
        }
        let Some(star) = star.filter(|_| star_wildcard) else {
            self.emit(Op::LoadLocal(subject));
            self.unpack(items.len(), star)?;
            let values: Vec<VarId> = items.iter().map(|_| self.keep()).collect();
            for (item, value) in items.iter().zip(values) {
                match item {
                    Pattern::Star(Some(name)) => self.capture(name, value, captures),
                    Pattern::Star(None) => {}
                    _ => self.pattern(item, value, fail, captures)?,
                }
            }
            return Ok(());
        };
        // What `*_` stands for is not even looked at.
        for (at, item) in items.iter().enumerate() {
            if item.is_wildcard() || at == star {
                continue;
            }
            self.emit(Op::LoadLocal(subject));
            if at < star {
                self.number(at);
            } else {
                self.emit(Op::GetLen);
                self.number(items.len() - at);
                self.emit(Op::Binary(BinaryOp::Subtract));
            }
            self.emit(Op::Subscript);
            let value = self.keep();
            self.pattern(item, value, fail, captures)?;
        }
        Ok(())
    }

    fn check_length(&mut self, subject: VarId, length: usize, comparison: CompareOp, fail: Label) {
        self.emit_all([Op::LoadLocal(subject), Op::GetLen, Op::Swap(2), Op::Pop]);
        self.number(length);
        self.emit(Op::Compare(comparison));
        self.jump_on(false, fail);
    }

    fn mapping_pattern(
        &mut self,
        entries: &'a [(Expr, Pattern)],
        rest: Option<&'a PyStr>,
        subject: VarId,
        fail: Label,
        captures: &mut Captures<'a>,
    ) -> Done {
        self.emit_all([Op::LoadLocal(subject), Op::MatchMapping, Op::Swap(2), Op::Pop]);
        self.jump_on(false, fail);
        if entries.is_empty() && rest.is_none() {
            return Ok(());
        }
        if !entries.is_empty() {
            self.check_length(subject, entries.len(), CompareOp::GreaterEqual, fail);
        }
        self.emit(Op::LoadLocal(subject));
        entries.iter().try_for_each(|(key, _)| self.expr(key))?;
        self.emit_all([Op::BuildTuple(entries.len() as u32), Op::MatchKeys]);
        let found = self.keep();
        let keys = self.keep();
        self.emit(Op::Pop);
        let patterns = entries.iter().map(|(_, pattern)| pattern).collect();
        self.found_values(patterns, found, fail, captures)?;
        let Some(rest) = rest else { return Ok(()) };
        if self.compiler().matches_by_index {
            let copy = [Op::LoadLocal(subject), Op::LoadLocal(keys), Op::CopyDictWithoutKeys];
            self.emit_all(copy.into_iter().chain([Op::Swap(2), Op::Pop]));
        } else {
            self.emit_all([Op::BuildMap(0), Op::LoadLocal(subject), Op::DictUpdate(1), Op::LoadLocal(keys)]);
            let count = entries.len() as u32;
            self.emit(Op::Unpack(count));
            for left in (1..=count).rev() {
                self.emit_all([Op::Copy(left + 1), Op::Swap(2), Op::DeleteSubscript]);
            }
        }
        let value = self.keep();
        self.capture(rest, value, captures);
        Ok(())
    }

    /// The values that a class or mapping has for the parts of a pattern, or None.
    fn found_values(
        &mut self,
        parts: Vec<&'a Pattern>,
        found: VarId,
        fail: Label,
        captures: &mut Captures<'a>,
    ) -> Done {
        self.emit(Op::LoadLocal(found));
        self.emit(Op::JumpIf(JumpCondition::None, fail.target()));
        let by_index = self.compiler().matches_by_index;
        let mut values = Vec::new();
        if !by_index {
            self.emit_all([Op::LoadLocal(found), Op::Unpack(parts.len() as u32)]);
            values = parts.iter().map(|_| self.keep()).collect();
        }
        for (at, part) in parts.into_iter().enumerate() {
            if part.is_wildcard() {
                continue;
            }
            let value = match values.get(at) {
                Some(&value) => value,
                None => {
                    self.emit(Op::LoadLocal(found));
                    self.number(at);
                    self.emit(Op::Subscript);
                    self.keep()
                }
            };
            self.pattern(part, value, fail, captures)?;
        }
        Ok(())
    }
}
