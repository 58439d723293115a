//! Syntax trees that bytes give, also such as no parser and no pass makes.

use depyf_syntax::ast::*;
use depyf_value::{PyInt, PyStr};

use crate::input::Input;

/// Trees are nested so deep at most; depth itself is tested elsewhere.
const DEEPEST: u8 = 12;

/// A module.
pub(crate) fn block(input: &mut Input<'_>) -> Block {
    Tree { input, depth: 0 }.block()
}

struct Tree<'i, 'b> {
    input: &'i mut Input<'b>,
    depth: u8,
}

impl Tree<'_, '_> {
    fn origin(&mut self) -> Origin {
        match self.input.byte() {
            0..=15 => Origin::NONE,
            byte => Origin(u32::from(byte)),
        }
    }

    fn name(&mut self) -> Ident {
        let names = ["a", "b", "été", "__x", "match", "_"];
        PyStr::new(names[usize::from(self.input.below(names.len() as u8))])
    }

    fn text(&mut self) -> PyStr {
        PyStr::new(&String::from_utf8_lossy(self.input.bytes(24)))
    }

    /// As long as there are bytes and levels left.
    fn list<T>(&mut self, most: u8, mut make: impl FnMut(&mut Self) -> T) -> Vec<T> {
        let count =
            if self.depth >= DEEPEST || self.input.is_empty() { 0 } else { self.input.below(most + 1) };
        self.depth += 1;
        let list = (0..count).map(|_| make(self)).collect();
        self.depth -= 1;
        list
    }

    fn maybe<T>(&mut self, make: impl FnOnce(&mut Self) -> T) -> Option<T> {
        self.input.chance(2).then(|| make(self))
    }

    fn boxed(&mut self) -> Box<Expr> {
        Box::new(self.expr())
    }

    fn exprs(&mut self) -> Vec<Expr> {
        self.list(4, Self::expr)
    }

    fn literal(&mut self) -> Literal {
        match self.input.below(12) {
            0 => Literal::None,
            1 => Literal::Bool(self.input.chance(2)),
            2 => Literal::Ellipsis,
            3 => Literal::Int(PyInt::from(i64::from(self.input.number()) - 128)),
            4 => Literal::Float(f64::from_bits(u64::from(self.input.number()) << 32)),
            5 => Literal::Complex { real: -0.0, imag: f64::from(self.input.number()) },
            6 | 7 => Literal::Str(self.text()),
            8 => Literal::Bytes(self.input.bytes(24).to_vec()),
            9 => Literal::Tuple(self.list(3, Self::literal)),
            10 => Literal::FrozenSet(self.list(3, Self::literal)),
            _ if self.depth < DEEPEST => {
                self.depth += 1;
                let parts = [self.literal(), self.literal(), self.literal()];
                self.depth -= 1;
                Literal::Slice(Box::new(parts))
            }
            _ => Literal::None,
        }
    }

    fn expr(&mut self) -> Expr {
        let origin = self.origin();
        if self.depth >= DEEPEST || self.input.is_empty() {
            let pairing = match self.input.below(8) {
                0..=4 => Pairing::None,
                5 => Pairing::First,
                6 => Pairing::Joined,
                _ => Pairing::Apart,
            };
            return Expr { pairing, ..Expr::new(origin, ExprKind::Name(self.name())) };
        }
        self.depth += 1;
        let kind = self.expr_kind();
        self.depth -= 1;
        Expr::new(origin, kind)
    }

    fn expr_kind(&mut self) -> ExprKind {
        match self.input.below(27) {
            0 => ExprKind::Temp(self.input.number()),
            1 | 2 => ExprKind::Literal(self.literal()),
            3 => ExprKind::Attribute { value: self.boxed(), attr: self.name() },
            4 => ExprKind::Subscript { value: self.boxed(), index: self.boxed() },
            5 => ExprKind::Slice {
                lower: self.maybe(Self::boxed),
                upper: self.maybe(Self::boxed),
                step: self.maybe(Self::boxed),
            },
            6 => ExprKind::call(*self.boxed(), self.exprs(), self.keywords()),
            7 => {
                let ops = [UnaryOp::Negative, UnaryOp::Positive, UnaryOp::Invert, UnaryOp::Not];
                ExprKind::Unary { op: ops[usize::from(self.input.below(4))], operand: self.boxed() }
            }
            8 | 9 => ExprKind::Binary { op: self.binary_op(), left: self.boxed(), right: self.boxed() },
            10 => {
                let op = [BoolOp::And, BoolOp::Or][usize::from(self.input.below(2))];
                ExprKind::Bool { op, values: self.exprs() }
            }
            11 => {
                let ops =
                    [CompareOp::Less, CompareOp::IsNot, CompareOp::In, CompareOp::NotIn, CompareOp::Equal];
                let pair = |tree: &mut Self| (ops[usize::from(tree.input.below(5))], tree.expr());
                ExprKind::Compare { left: self.boxed(), rest: self.list(3, pair) }
            }
            12 => ExprKind::IfExp { test: self.boxed(), body: self.boxed(), orelse: self.boxed() },
            13 => ExprKind::Named { target: self.name(), value: self.boxed() },
            14 => ExprKind::Lambda { params: Box::new(self.params()), body: self.boxed() },
            15 => ExprKind::Tuple(self.exprs()),
            16 => ExprKind::List(self.exprs()),
            17 => ExprKind::Set(self.exprs()),
            18 => ExprKind::Dict(self.list(3, |tree| (tree.maybe(Self::expr), tree.expr()))),
            19 => self.comprehension(),
            20 => ExprKind::Joined(self.parts()),
            21 => ExprKind::Template(self.parts()),
            22 => ExprKind::Await(self.boxed()),
            23 => ExprKind::Yield(self.maybe(Self::boxed)),
            24 => ExprKind::YieldFrom(self.boxed()),
            25 => ExprKind::Starred(self.boxed()),
            _ => ExprKind::Verbatim(self.text()),
        }
    }

    fn binary_op(&mut self) -> BinaryOp {
        let ops = [BinaryOp::Add, BinaryOp::Power, BinaryOp::Multiply, BinaryOp::Or, BinaryOp::LeftShift];
        ops[usize::from(self.input.below(5))]
    }

    fn keywords(&mut self) -> Vec<Keyword> {
        self.list(2, |tree| Keyword { name: tree.maybe(Self::name), value: tree.expr() })
    }

    fn comprehension(&mut self) -> ExprKind {
        use ComprehensionKind::{Dict, Generator, List, Set};
        let kind = [List, Set, Dict, Generator][usize::from(self.input.below(4))];
        let element = self.boxed();
        let clauses = self.list(3, |tree| Clause {
            is_async: tree.input.chance(4),
            target: tree.expr(),
            iter: tree.expr(),
            conditions: tree.exprs(),
        });
        ExprKind::Comprehension { kind, element, clauses }
    }

    fn parts(&mut self) -> Vec<StringPart> {
        self.list(3, |tree| match tree.input.below(3) {
            0 => StringPart::Literal(tree.text()),
            _ => StringPart::Field {
                value: tree.boxed(),
                conversion: tree.maybe(|_| 'r'),
                spec: tree.maybe(Self::parts),
                text: tree.maybe(Self::text),
            },
        })
    }

    fn param(&mut self) -> Param {
        Param { name: self.name(), annotation: self.maybe(Self::expr), default: self.maybe(Self::expr) }
    }

    fn params(&mut self) -> Params {
        Params {
            posonly: self.list(2, Self::param),
            regular: self.list(2, Self::param),
            vararg: self.maybe(Self::param).map(Box::new),
            kwonly: self.list(2, Self::param),
            kwarg: self.maybe(Self::param).map(Box::new),
        }
    }

    fn type_params(&mut self) -> Vec<TypeParam> {
        let kinds = [TypeParamKind::TypeVar, TypeParamKind::TypeVarTuple, TypeParamKind::ParamSpec];
        self.list(2, |tree| TypeParam {
            kind: kinds[usize::from(tree.input.below(3))],
            name: tree.name(),
            bound: tree.maybe(Self::expr),
            default: tree.maybe(Self::expr),
        })
    }

    fn pattern(&mut self) -> Pattern {
        if self.depth >= DEEPEST || self.input.is_empty() {
            return Pattern::As { pattern: None, name: None };
        }
        self.depth += 1;
        let pattern = match self.input.below(8) {
            0 => Pattern::Value(self.expr()),
            1 => Pattern::Singleton(self.literal()),
            2 => Pattern::Sequence(self.list(3, Self::pattern)),
            3 => Pattern::Mapping {
                entries: self.list(2, |tree| (tree.expr(), tree.pattern())),
                rest: self.maybe(Self::name),
            },
            4 => Pattern::Class {
                class: self.expr(),
                positional: self.list(2, Self::pattern),
                keywords: self.list(2, |tree| (tree.name(), tree.pattern())),
            },
            5 => Pattern::Star(self.maybe(Self::name)),
            6 => Pattern::As {
                pattern: self.maybe(|tree| Box::new(tree.pattern())),
                name: self.maybe(Self::name),
            },
            _ => Pattern::Or(self.list(3, Self::pattern)),
        };
        self.depth -= 1;
        pattern
    }

    fn block(&mut self) -> Block {
        self.list(5, Self::statement)
    }

    fn aliases(&mut self) -> Vec<Alias> {
        self.list(2, |tree| Alias { name: tree.name(), asname: tree.maybe(Self::name) })
    }

    fn statement(&mut self) -> Stmt {
        let origin = self.origin();
        let kind = match self.input.below(27) {
            0 | 1 => StmtKind::Expr(self.expr()),
            2 | 3 => StmtKind::Assign { targets: self.exprs(), value: self.expr() },
            4 => StmtKind::AugAssign { target: self.expr(), op: self.binary_op(), value: self.expr() },
            5 => StmtKind::AnnAssign {
                target: Box::new(self.expr()),
                annotation: Box::new(self.expr()),
                value: self.maybe(Self::expr),
                simple: self.input.chance(2),
            },
            6 => StmtKind::Delete(self.exprs()),
            7 => StmtKind::Return(self.maybe(Self::expr)),
            8 => StmtKind::Raise { exc: self.maybe(Self::expr), cause: self.maybe(Self::expr) },
            9 => StmtKind::Assert { test: self.expr(), message: self.maybe(Self::expr) },
            10 => StmtKind::Import { names: self.aliases(), lazy: self.input.chance(2) },
            11 => StmtKind::ImportFrom {
                module: self.maybe(Self::name),
                names: self.aliases(),
                level: u32::from(self.input.below(4)),
                lazy: self.input.chance(2),
            },
            12 => StmtKind::Global(self.list(2, Self::name)),
            13 => StmtKind::Nonlocal(self.list(2, Self::name)),
            14 | 15 => StmtKind::If { test: self.expr(), body: self.block(), orelse: self.block() },
            16 => StmtKind::While { test: self.expr(), body: self.block(), orelse: self.block() },
            17 => StmtKind::For {
                target: Box::new(self.expr()),
                iter: Box::new(self.expr()),
                body: self.block(),
                orelse: self.block(),
                is_async: self.input.chance(4),
            },
            18 => StmtKind::With {
                items: self.list(3, |tree| WithItem { context: tree.expr(), target: tree.maybe(Self::expr) }),
                body: self.block(),
                is_async: self.input.chance(4),
            },
            19 => StmtKind::Try(Box::new(Try {
                body: self.block(),
                handlers: self.list(2, |tree| Handler {
                    origin: tree.origin(),
                    kind: tree.maybe(Self::expr),
                    name: tree.maybe(Self::name),
                    body: tree.block(),
                }),
                orelse: self.block(),
                finalbody: self.block(),
                is_star: self.input.chance(3),
            })),
            20 => StmtKind::Match {
                subject: self.expr(),
                cases: self.list(3, |tree| MatchCase {
                    pattern: tree.pattern(),
                    guard: tree.maybe(Self::expr),
                    body: tree.block(),
                }),
            },
            21 => StmtKind::Function(Box::new(Function {
                name: self.name(),
                decorators: self.exprs(),
                type_params: self.type_params(),
                params: self.params(),
                returns: self.maybe(Self::expr),
                body: self.block(),
                is_async: self.input.chance(3),
            })),
            22 => StmtKind::Class(Box::new(Class {
                name: self.name(),
                decorators: self.exprs(),
                type_params: self.type_params(),
                bases: self.exprs(),
                keywords: self.keywords(),
                body: self.block(),
            })),
            23 => {
                StmtKind::TypeAlias { name: self.name(), type_params: self.type_params(), value: self.expr() }
            }
            24 => StmtKind::Comment(String::from_utf8_lossy(self.input.bytes(24)).into_owned()),
            25 => StmtKind::Goto(self.input.number()),
            _ => [StmtKind::Pass, StmtKind::Break, StmtKind::Continue, StmtKind::Label(1)]
                [usize::from(self.input.below(4))]
            .clone(),
        };
        Stmt::new(origin, kind)
    }
}
