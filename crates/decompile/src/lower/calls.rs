//! Calls and displays: everything that takes a list of values with stars in it.

use depyf_bytecode::{CallLayout, Const, Op, UnpackKind};
use depyf_syntax::ast::{Call, Expr, ExprKind, Keyword};

use super::expressions::constant;
use super::generator::{Done, Generator};
use super::scope::{Meaning, ScopeKind};
use crate::names::CLASS_CELL;

fn is_starred(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Starred(_))
}

/// A dict of more pairs is made in parts, where that is no reason to (`compiler_dict` of 3.9).
const MOST_PAIRS: usize = 0xffff;

/// The collection that a list of values with stars becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Display {
    List,
    Tuple,
    Arguments,
    Set,
}

impl<'a> Generator<'a> {
    /// Calls the function on the stack.
    pub(super) fn call(&mut self, call: &'a Call) -> Done {
        let is_method = matches!(call.func.kind, ExprKind::Attribute { .. });
        self.call_with(0, &call.args, &call.keywords, is_method, false)
    }

    /// Calls the function below `before` arguments that were pushed already. With `generic_base`, the value of
    /// `.generic_base` is one more positional argument.
    pub(super) fn call_with(
        &mut self,
        before: u32,
        args: &'a [Expr],
        keywords: &'a [Keyword],
        is_method: bool,
        generic_base: bool,
    ) -> Done {
        let layout = CallLayout::Plain;
        let count = args.len() + usize::from(generic_base);
        if args.iter().any(is_starred)
            || keywords.iter().any(|keyword| keyword.name.is_none())
            || self.compiler().packs_arguments(is_method, count, keywords.len())
        {
            return self.call_unpacked(before, args, keywords, generic_base);
        }
        args.iter().try_for_each(|arg| self.expr(arg))?;
        if generic_base {
            self.load(&".generic_base".into());
        }
        let positional = before + args.len() as u32 + u32::from(generic_base);
        if keywords.is_empty() {
            self.emit(Op::Call { positional, layout });
            return Ok(());
        }
        keywords.iter().try_for_each(|keyword| self.expr(&keyword.value))?;
        // All have names here.
        let names = keywords.iter().map(|keyword| keyword.name.clone().map_or(Const::None, Const::Str));
        let arguments = positional + keywords.len() as u32;
        self.constant(Const::Tuple(names.collect()));
        self.emit(Op::CallKeywords { arguments, layout });
        Ok(())
    }

    fn call_unpacked(
        &mut self,
        before: u32,
        args: &'a [Expr],
        keywords: &'a [Keyword],
        generic_base: bool,
    ) -> Done {
        match args {
            // The one iterable is handed over as it is.
            [Expr { kind: ExprKind::Starred(value), .. }] if before == 0 && !generic_base => {
                self.expr(value)?;
            }
            _ => self.display_after(before, args, Display::Arguments, generic_base)?,
        }
        if keywords.is_empty() {
            self.emit(Op::CallEx { keywords: false, layout: CallLayout::Plain });
            return Ok(());
        }
        let at_once = self.compiler().unpacks_at_once;
        let (mut parts, mut at) = (0, 0);
        while at < keywords.len() {
            let named = keywords[at..].iter().take_while(|keyword| keyword.name.is_some()).count();
            if named > 0 {
                self.named_arguments(&keywords[at..at + named])?;
                at += named;
            } else {
                if parts == 0 && !at_once {
                    self.emit(Op::BuildMap(0));
                    parts = 1;
                }
                self.expr(&keywords[at].value)?;
                at += 1;
            }
            if parts > 0 && !at_once {
                self.emit(Op::DictMerge(1));
            }
            parts += 1;
        }
        if at_once && parts > 1 {
            self.emit(Op::BuildUnpack(UnpackKind::MapForCall, parts));
        }
        self.emit(Op::CallEx { keywords: true, layout: CallLayout::Plain });
        Ok(())
    }

    /// The dict of keywords that stand beside a `**mapping`.
    fn named_arguments(&mut self, keywords: &'a [Keyword]) -> Done {
        let count = keywords.len();
        let names = keywords.iter().filter_map(|keyword| keyword.name.as_ref());
        let names: Vec<Const> = names.map(|name| Const::Str((*name).clone())).collect();
        let values = keywords.iter().map(|keyword| &keyword.value);
        let steps = self.adds_in_steps(2 * count);
        if count > 1 && self.compiler().constant_key_maps && !steps {
            return self.constant_keys(names, values);
        }
        if steps {
            self.emit(Op::BuildMap(0));
        }
        for (name, value) in names.into_iter().zip(values) {
            self.constant(name);
            self.expr(value)?;
            if steps {
                self.emit(Op::MapAdd(1));
            }
        }
        if !steps {
            self.emit(Op::BuildMap(count as u32));
        }
        Ok(())
    }

    /// A dict whose keys are constants: the values, then all keys at once.
    pub(super) fn constant_keys(&mut self, keys: Vec<Const>, values: impl Iterator<Item = &'a Expr>) -> Done {
        let count = keys.len() as u32;
        { values }.try_for_each(|value| self.expr(value))?;
        self.constant(Const::Tuple(keys.into()));
        self.emit(Op::BuildConstKeyMap(count));
        Ok(())
    }

    /// Whether a display of so many values is filled one by one, as the compiler does to save stack.
    fn adds_in_steps(&self, count: usize) -> bool {
        self.compiler().fills_in_steps(count)
    }

    pub(super) fn tuple(&mut self, items: &'a [Expr]) -> Done {
        self.display_after(0, items, Display::Tuple, false)
    }

    pub(super) fn list(&mut self, items: &'a [Expr]) -> Done {
        self.display_after(0, items, Display::List, false)
    }

    pub(super) fn set(&mut self, items: &'a [Expr]) -> Done {
        self.display_after(0, items, Display::Set, false)
    }

    /// Builds a collection of `pushed` values on the stack and of `items`.
    fn display_after(&mut self, pushed: u32, items: &'a [Expr], kind: Display, generic_base: bool) -> Done {
        if self.compiler().unpacks_at_once && items.iter().any(is_starred) {
            return self.display_at_once(pushed, items, kind);
        }
        let folded = items.len() > 2 && items.iter().all(|item| matches!(item.kind, ExprKind::Literal(_)));
        let large = self.adds_in_steps(items.len() + pushed as usize + usize::from(generic_base)) && !folded;
        let first_star = items.iter().position(is_starred);
        let plain = if large { &[] } else { &items[..first_star.unwrap_or(items.len())] };
        plain.iter().try_for_each(|item| self.expr(item))?;
        let mut count = pushed + plain.len() as u32;
        if first_star.is_none() && !large {
            if generic_base {
                self.load(&".generic_base".into());
                count += 1;
            }
            self.emit(match kind {
                Display::List => Op::BuildList(count),
                Display::Tuple | Display::Arguments => Op::BuildTuple(count),
                Display::Set => Op::BuildSet(count),
            });
            return Ok(());
        }
        let is_set = kind == Display::Set;
        self.emit(if is_set { Op::BuildSet(count) } else { Op::BuildList(count) });
        let (add, extend) = match is_set {
            true => (Op::SetAdd(1), Op::SetUpdate(1)),
            false => (Op::ListAppend(1), Op::ListExtend(1)),
        };
        for item in &items[plain.len()..] {
            match &item.kind {
                ExprKind::Starred(value) => {
                    self.expr(value)?;
                    self.emit(extend);
                }
                _ => {
                    self.expr(item)?;
                    self.emit(add);
                }
            }
        }
        if generic_base {
            self.load(&".generic_base".into());
            self.emit(add);
        }
        if matches!(kind, Display::Tuple | Display::Arguments) {
            self.emit(Op::ListToTuple);
        }
        Ok(())
    }

    /// 3.8: runs of plain values become tuples, of a set display sets, then all parts are joined.
    fn display_at_once(&mut self, pushed: u32, items: &'a [Expr], kind: Display) -> Done {
        let (mut parts, mut run) = (0, pushed);
        let of_run = |run: u32| if kind == Display::Set { Op::BuildSet(run) } else { Op::BuildTuple(run) };
        for item in items {
            let ExprKind::Starred(value) = &item.kind else {
                self.expr(item)?;
                run += 1;
                continue;
            };
            if run > 0 {
                self.emit(of_run(run));
                parts += 1;
                run = 0;
            }
            self.expr(value)?;
            parts += 1;
        }
        if run > 0 {
            self.emit(of_run(run));
            parts += 1;
        }
        let kind = match kind {
            Display::List => UnpackKind::List,
            Display::Tuple => UnpackKind::Tuple,
            Display::Arguments => UnpackKind::TupleForCall,
            Display::Set => UnpackKind::Set,
        };
        self.emit(Op::BuildUnpack(kind, parts));
        Ok(())
    }

    pub(super) fn dict(&mut self, pairs: &'a [(Option<Expr>, Expr)]) -> Done {
        let at_once = self.compiler().unpacks_at_once;
        let stars = pairs.iter().any(|(key, _)| key.is_none());
        let (mut parts, mut at) = (0, 0);
        // The compiler makes a dict of each few pairs, and one of all these.
        let most = if at_once { usize::MAX } else { self.compiler().pairs_of_a_part().unwrap_or(MOST_PAIRS) };
        while at < pairs.len() {
            let run = pairs[at..].iter().take(most).take_while(|(key, _)| key.is_some()).count();
            if run > 0 {
                self.pairs(&pairs[at..at + run])?;
                at += run;
            } else {
                if parts == 0 && !at_once {
                    self.emit(Op::BuildMap(0));
                    parts = 1;
                }
                self.expr(&pairs[at].1)?;
                at += 1;
            }
            if parts > 0 && !at_once {
                self.emit(Op::DictUpdate(1));
            }
            parts += 1;
        }
        if pairs.is_empty() {
            self.emit(Op::BuildMap(0));
        } else if at_once && stars {
            self.emit(Op::BuildUnpack(UnpackKind::Map, parts));
        }
        Ok(())
    }

    /// A dict of a few pairs.
    fn pairs(&mut self, pairs: &'a [(Option<Expr>, Expr)]) -> Done {
        let keys = pairs.iter().map(|(key, _)| match key.as_ref().map(|key| &key.kind) {
            Some(ExprKind::Literal(literal)) => Some(constant(literal)),
            _ => None,
        });
        let steps = self.adds_in_steps(2 * pairs.len());
        if pairs.len() > 1
            && !steps
            && self.compiler().constant_key_maps
            && let Some(keys) = keys.collect::<Option<Vec<_>>>()
        {
            return self.constant_keys(keys, pairs.iter().map(|(_, value)| value));
        }
        if steps {
            self.emit(Op::BuildMap(0));
        }
        for (key, value) in pairs {
            key.iter().try_for_each(|key| self.expr(key))?;
            self.expr(value)?;
            if steps {
                self.emit(Op::MapAdd(1));
            }
        }
        if !steps {
            self.emit(Op::BuildMap(pairs.len() as u32));
        }
        Ok(())
    }

    /// `super().name` and `super(class, self).name` where the compiler has one operation for it; says
    /// whether it was that.
    pub(super) fn super_attribute(&mut self, expr: &'a Expr) -> super::LowerResult<bool> {
        let ExprKind::Attribute { value, attr } = &expr.kind else { return Ok(false) };
        let ExprKind::Call(call) = &value.kind else { return Ok(false) };
        let Call { func, args, keywords } = &**call;
        let is_super = matches!(&func.kind, ExprKind::Name(name) if *name == "super");
        if !is_super || !self.compiler().super_attributes || !keywords.is_empty() || *attr == "__class__" {
            return Ok(false);
        }
        let name = "super".into();
        // A module that mentions the name at all, itself or by `global`, has no such operation anywhere.
        if self.scopes.all[0].mentions(&name) != 0
            || self.scopes.meaning(self.scope, &name) != Meaning::Global
        {
            return Ok(false);
        }
        let two_arguments = match &args[..] {
            [first, second] if !is_starred(first) && !is_starred(second) => true,
            [] => {
                let has_self = self.unit.signature.argcount > 0 && self.unit.kind == ScopeKind::Function;
                let class = self.scopes.meaning(self.scope, &CLASS_CELL.into());
                if !has_self || class != Meaning::Free {
                    return Ok(false);
                }
                false
            }
            _ => return Ok(false),
        };
        self.load(&name);
        if two_arguments {
            args.iter().try_for_each(|arg| self.expr(arg))?;
        } else {
            self.load(&CLASS_CELL.into());
            let Some(first) = self.unit.variables.first() else {
                return self.error("`super()` without self");
            };
            let (name, cell) = (first.name.clone(), first.kind == depyf_bytecode::VariableKind::Cell);
            let id = self.unit.variable(&name, cell);
            self.emit(if cell { Op::LoadDeref(id) } else { Op::LoadLocal(id) });
        }
        let name = self.mangled_id(attr);
        self.emit(Op::LoadSuperAttr { name, two_arguments });
        Ok(true)
    }
}
