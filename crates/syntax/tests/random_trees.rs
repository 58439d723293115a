//! Random trees: printed, parsed by the interpreter, and read back, they are the same trees.
//!
//! Seeds are fixed, so a failure repeats; `DEPYF_RANDOM_TREES=20000` takes more than the usual number.
//! Trees hold what a parser can give: constants are those that have a literal of their own, and names
//! bind where names may bind.

mod support;

use depyf_syntax::ast::*;
use depyf_syntax::{Grammar, PrintOptions, print};
use depyf_value::{PyInt, PyStr};
use support::build::Builder;
use support::on_deep_stack;
use support::sexp::Sexp;

/// A generator of numbers (xorshift64*), and of trees from them.
struct Random {
    state: u64,
    grammar: Grammar,
    /// Inside the field of an f-string, where before 3.12 not all can be spelled.
    in_field: bool,
}

const NAMES: [&str; 5] = ["a", "b", "long_name", "longer_name_than_that", "\u{e9}t\u{e9}"];
const TEXTS: [&str; 6] = ["", "k", "it's", "\"q\"", "{x}\n", "\u{2028}\\"];

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.state ^= self.state >> 12;
        self.state ^= self.state << 25;
        self.state ^= self.state >> 27;
        (self.state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % bound
    }

    fn chance(&mut self, one_in: usize) -> bool {
        self.below(one_in) == 0
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    fn name(&mut self) -> PyStr {
        PyStr::new(self.pick(&NAMES))
    }

    fn boxed(&mut self, depth: usize) -> Box<Expr> {
        Box::new(self.expr(depth))
    }

    fn maybe(&mut self, depth: usize) -> Option<Expr> {
        (!self.chance(3)).then(|| self.expr(depth))
    }

    fn exprs(&mut self, depth: usize, least: usize) -> Vec<Expr> {
        let count = least + self.below(4);
        (0..count).map(|_| self.expr(depth)).collect()
    }

    /// Items of a display or arguments: some with a star.
    fn items(&mut self, depth: usize, least: usize) -> Vec<Expr> {
        let mut items = self.exprs(depth, least);
        for item in &mut items {
            if self.chance(8) {
                let value = std::mem::replace(item, Expr::name("x"));
                *item = Expr::new(Origin::NONE, ExprKind::Starred(Box::new(value)));
            }
        }
        items
    }

    fn literal(&mut self) -> Literal {
        match self.below(9) {
            0 => Literal::None,
            1 => Literal::Bool(true),
            2 => Literal::Ellipsis,
            3 => Literal::Float(self.pick(&[0.0, 1.5, 1e16, f64::INFINITY])),
            4 => Literal::Complex { real: 0.0, imag: 2.0 },
            5 if !self.in_field => Literal::Bytes(self.pick(&TEXTS).as_bytes().to_vec()),
            6 if !self.in_field => Literal::Str(PyStr::new(self.pick(&TEXTS))),
            _ => Literal::Int(PyInt::from(self.below(1_000) as i64)),
        }
    }

    fn expr(&mut self, depth: usize) -> Expr {
        Expr::new(Origin::NONE, self.expr_kind(depth))
    }

    fn expr_kind(&mut self, depth: usize) -> ExprKind {
        let Some(depth) = depth.checked_sub(1) else {
            return if self.chance(2) {
                ExprKind::Name(self.name())
            } else {
                ExprKind::Literal(self.literal())
            };
        };
        match self.below(21) {
            0 => ExprKind::Attribute { value: self.boxed(depth), attr: self.name() },
            1 => ExprKind::Subscript { value: self.boxed(depth), index: Box::new(self.index(depth)) },
            2 | 3 => {
                let keywords = (0..self.below(3)).map(|index| Keyword {
                    // A name may stand once only.
                    name: (index == 0).then(|| PyStr::new("key")),
                    value: Expr::name("v"),
                });
                let mut keywords: Vec<_> = keywords.collect();
                for keyword in &mut keywords {
                    keyword.value = self.expr(depth);
                }
                ExprKind::call(self.expr(depth), self.items(depth, 0), keywords)
            }
            4 => {
                let ops = [UnaryOp::Negative, UnaryOp::Positive, UnaryOp::Invert, UnaryOp::Not];
                ExprKind::Unary { op: self.pick(&ops), operand: self.boxed(depth) }
            }
            5..=7 => {
                let op = self.binary_op();
                ExprKind::Binary { op, left: self.boxed(depth), right: self.boxed(depth) }
            }
            8 => {
                let op = if self.chance(2) { BoolOp::And } else { BoolOp::Or };
                ExprKind::Bool { op, values: self.exprs(depth, 2) }
            }
            9 => {
                let left = self.boxed(depth);
                let rights = self.exprs(depth, 1);
                ExprKind::Compare { left, rest: rights.into_iter().map(|r| (self.compare_op(), r)).collect() }
            }
            10 => ExprKind::IfExp {
                test: self.boxed(depth),
                body: self.boxed(depth),
                orelse: self.boxed(depth),
            },
            11 => ExprKind::Lambda { params: Box::new(self.params(depth, false)), body: self.boxed(depth) },
            12 => ExprKind::Tuple(self.items(depth, 0)),
            13 => ExprKind::List(self.items(depth, 0)),
            14 => ExprKind::Set(self.items(depth, 1)),
            15 => {
                let keys: Vec<_> = (0..self.below(4)).map(|_| self.maybe(depth)).collect();
                ExprKind::Dict(keys.into_iter().map(|key| (key, self.expr(depth))).collect())
            }
            16 => self.comprehension(depth),
            17 => ExprKind::Joined(self.parts(depth)),
            18 => ExprKind::Await(self.boxed(depth)),
            19 => match self.below(3) {
                0 => ExprKind::YieldFrom(self.boxed(depth)),
                1 => ExprKind::Yield(None),
                _ => ExprKind::Yield(Some(self.boxed(depth))),
            },
            _ => ExprKind::Named { target: self.name(), value: self.boxed(depth) },
        }
    }

    fn index(&mut self, depth: usize) -> Expr {
        match self.below(4) {
            0 => self.slice(depth),
            1 => {
                let mut items = self.exprs(depth, 1);
                items.push(self.slice(depth));
                Expr::new(Origin::NONE, ExprKind::Tuple(items))
            }
            _ => self.expr(depth),
        }
    }

    fn slice(&mut self, depth: usize) -> Expr {
        let mut part = || self.maybe(depth).map(Box::new);
        Expr::new(Origin::NONE, ExprKind::Slice { lower: part(), upper: part(), step: part() })
    }

    fn comprehension(&mut self, depth: usize) -> ExprKind {
        use ComprehensionKind::{Dict, Generator, List, Set};
        let kind = self.pick(&[List, Set, Dict, Generator]);
        let element = match kind {
            Dict => Expr::new(Origin::NONE, ExprKind::Tuple(vec![self.expr(depth), self.expr(depth)])),
            _ => self.expr(depth),
        };
        let clauses = (0..=self.below(2)).map(|_| Clause {
            is_async: self.chance(5),
            target: self.target(),
            iter: self.expr(depth),
            conditions: self.exprs(depth.min(1), 0),
        });
        let clauses = clauses.collect();
        ExprKind::Comprehension { kind, element: Box::new(element), clauses }
    }

    fn parts(&mut self, depth: usize) -> Vec<StringPart> {
        let outer = self.in_field;
        self.in_field |= !self.grammar.nested_quotes;
        let mut parts = Vec::new();
        for _ in 0..self.below(4) {
            // Two texts in a row would be one; an old f-string inside another has no backslash.
            let follows_text = matches!(parts.last(), Some(StringPart::Literal(_)));
            if self.chance(2) && !follows_text && !outer {
                let index = 1 + self.below(TEXTS.len() - 1);
                parts.push(StringPart::Literal(PyStr::new(TEXTS[index])));
            }
            let spec = self.chance(3).then(|| vec![StringPart::Literal(PyStr::new(">{4"))]);
            // Four delimiters are all there are.
            let depth = if self.in_field { depth.min(2) } else { depth };
            let value = self.boxed(depth);
            parts.push(StringPart::Field {
                value,
                conversion: self.chance(3).then_some('r'),
                spec: spec.filter(|_| !outer),
                text: None,
            });
        }
        self.in_field = outer;
        parts
    }

    fn target(&mut self) -> Expr {
        let kind = match self.below(5) {
            0 => ExprKind::Tuple((0..self.below(3)).map(|_| self.target()).collect()),
            1 => ExprKind::Attribute { value: self.boxed(1), attr: self.name() },
            2 => ExprKind::Subscript { value: self.boxed(1), index: self.boxed(1) },
            _ => ExprKind::Name(self.name()),
        };
        Expr::new(Origin::NONE, kind)
    }

    fn params(&mut self, depth: usize, annotated: bool) -> Params {
        let mut names = ["p", "q", "r", "s", "t", "u", "v", "w"].iter();
        let mut defaults = false;
        let mut group = |random: &mut Self, keyword_only: bool| -> Vec<Param> {
            let mut params = Vec::new();
            for name in names.by_ref().take(random.below(3)) {
                // Without a default none may follow one that has it.
                defaults |= random.chance(3);
                let has_default = if keyword_only { random.chance(2) } else { defaults };
                params.push(Param {
                    name: PyStr::new(name),
                    annotation: (annotated && random.chance(2)).then(|| random.expr(depth)),
                    default: has_default.then(|| random.expr(depth)),
                });
            }
            params
        };
        let posonly = group(self, false);
        let regular = group(self, false);
        let kwonly = group(self, true);
        let star = |name: &str| Param { name: PyStr::new(name), annotation: None, default: None };
        let vararg = self.chance(3).then(|| Box::new(star("args")));
        let kwarg = self.chance(3).then(|| Box::new(star("kwargs")));
        Params { posonly, regular, vararg, kwonly, kwarg }
    }

    fn binary_op(&mut self) -> BinaryOp {
        use BinaryOp::*;
        self.pick(&[
            Add,
            Subtract,
            Multiply,
            MatrixMultiply,
            TrueDivide,
            FloorDivide,
            Remainder,
            Power,
            LeftShift,
            RightShift,
            And,
            Or,
            Xor,
        ])
    }

    fn compare_op(&mut self) -> CompareOp {
        use CompareOp::*;
        self.pick(&[Less, LessEqual, Equal, NotEqual, Greater, GreaterEqual, Is, IsNot, In, NotIn])
    }

    fn statement(&mut self, depth: usize) -> Stmt {
        let value = |random: &mut Self| random.expr(depth);
        let kind = match self.below(13) {
            0 => StmtKind::Assign { targets: vec![self.target(), self.target()], value: value(self) },
            1 => StmtKind::AugAssign { target: Expr::name("x"), op: self.binary_op(), value: value(self) },
            2 => StmtKind::Return(self.maybe(depth)),
            3 => StmtKind::Assert { test: value(self), message: self.maybe(depth) },
            4 => StmtKind::Raise { exc: Some(value(self)), cause: self.maybe(depth) },
            5 => StmtKind::If { test: value(self), body: self.block(depth), orelse: self.block(depth) },
            6 => StmtKind::While { test: value(self), body: self.block(depth), orelse: self.block(depth) },
            7 => StmtKind::For {
                target: Box::new(self.target()),
                iter: Box::new(value(self)),
                body: self.block(depth),
                orelse: self.block(depth),
                is_async: self.chance(4),
            },
            8 => StmtKind::With {
                items: (0..=self.below(3))
                    .map(|_| WithItem {
                        context: self.expr(depth),
                        target: self.chance(2).then(|| self.target()),
                    })
                    .collect(),
                body: self.block(depth),
                is_async: self.chance(4),
            },
            9 => StmtKind::AnnAssign {
                target: Box::new(Expr::name("x")),
                annotation: Box::new(value(self)),
                value: self.maybe(depth),
                simple: self.chance(2),
            },
            10 => StmtKind::Delete(vec![self.target(), self.target()]),
            11 => StmtKind::Function(Box::new(Function {
                name: self.name(),
                decorators: if self.grammar.any_decorator { self.exprs(depth, 0) } else { Vec::new() },
                type_params: Vec::new(),
                params: self.params(depth, true),
                returns: self.maybe(depth),
                body: self.block(depth),
                is_async: self.chance(2),
            })),
            _ => StmtKind::Expr(value(self)),
        };
        Stmt::new(Origin::NONE, kind)
    }

    fn block(&mut self, depth: usize) -> Block {
        let Some(depth) = depth.checked_sub(1) else { return vec![Stmt::new(Origin::NONE, StmtKind::Pass)] };
        (0..=self.below(2)).map(|_| self.statement(depth)).collect()
    }
}

#[test]
fn random_trees_are_read_back_as_they_were() {
    on_deep_stack(|| {
        let rounds =
            std::env::var("DEPYF_RANDOM_TREES").map_or(500, |count| count.parse().expect("a number"));
        for mut oracle in support::oracle::all() {
            let grammar = Grammar::of(oracle.version);
            let mut random = Random { state: 0x9e37_79b9_7f4a_7c15, grammar, in_field: false };
            for round in 0..rounds {
                let block = vec![random.statement(1 + round % 5)];
                let width = random.pick(&[None, Some(100), Some(30), Some(1)]);
                let text = print(&block, &PrintOptions { grammar, width, ..PrintOptions::default() }).text;
                let tree = match oracle.ask("tree", &[&text]) {
                    Ok(tree) => Sexp::parse(&tree),
                    Err(message) => panic!("Python {}: {message}\n{text}\n{block:?}", oracle.version),
                };
                let back = Builder { without_origins: true, ..Builder::default() }.module(&tree);
                assert!(back == block, "Python {}:\n{text}\n{block:?}\n{back:?}", oracle.version);
            }
        }
    });
}
