//! Our tree from the interpreter's.
//!
//! Every expression gets its number in preorder as its origin, so that the source map can be checked,
//! unless the trees are to be compared.

use super::oracle::decode;
use super::sexp::Sexp;
use depyf_syntax::ast::*;
use depyf_value::{PyInt, PyStr};

#[derive(Default)]
pub(crate) struct Builder {
    pub(crate) expressions: u32,
    pub(crate) without_origins: bool,
}

impl Builder {
    pub(crate) fn module(&mut self, module: &Sexp) -> Block {
        self.block(module.get("body"))
    }

    fn block(&mut self, body: &Sexp) -> Block {
        body.list().iter().map(|stmt| Stmt::new(Origin::NONE, self.stmt(stmt))).collect()
    }

    fn stmt(&mut self, s: &Sexp) -> StmtKind {
        match s.kind() {
            "Expr" => StmtKind::Expr(self.field(s, "value")),
            "Assign" => {
                let targets = self.exprs(s.get("targets"));
                StmtKind::Assign { targets, value: self.field(s, "value") }
            }
            "AugAssign" => StmtKind::AugAssign {
                target: self.field(s, "target"),
                op: binary_op(s.get("op")),
                value: self.field(s, "value"),
            },
            "AnnAssign" => StmtKind::AnnAssign {
                target: self.field(s, "target"),
                annotation: self.field(s, "annotation"),
                value: self.maybe(s, "value"),
                simple: s.get("simple").atom() == "i1",
            },
            "Delete" => StmtKind::Delete(self.exprs(s.get("targets"))),
            "Pass" => StmtKind::Pass,
            "Break" => StmtKind::Break,
            "Continue" => StmtKind::Continue,
            "Return" => StmtKind::Return(self.maybe(s, "value")),
            "Raise" => StmtKind::Raise { exc: self.maybe(s, "exc"), cause: self.maybe(s, "cause") },
            "Assert" => StmtKind::Assert { test: self.field(s, "test"), message: self.maybe(s, "msg") },
            "Import" => StmtKind::Import { names: aliases(s), lazy: lazy(s) },
            "ImportFrom" => StmtKind::ImportFrom {
                module: s.get("module").optional().map(string),
                names: aliases(s),
                level: s
                    .get("level")
                    .optional()
                    .map_or(0, |level| int(level).to_i64().expect("level") as u32),
                lazy: lazy(s),
            },
            "Global" => StmtKind::Global(s.get("names").list().iter().map(string).collect()),
            "Nonlocal" => StmtKind::Nonlocal(s.get("names").list().iter().map(string).collect()),
            "If" => StmtKind::If {
                test: self.field(s, "test"),
                body: self.block(s.get("body")),
                orelse: self.block(s.get("orelse")),
            },
            "While" => StmtKind::While {
                test: self.field(s, "test"),
                body: self.block(s.get("body")),
                orelse: self.block(s.get("orelse")),
            },
            "For" | "AsyncFor" => StmtKind::For {
                target: self.field(s, "target"),
                iter: self.field(s, "iter"),
                body: self.block(s.get("body")),
                orelse: self.block(s.get("orelse")),
                is_async: s.kind() == "AsyncFor",
            },
            "With" | "AsyncWith" => StmtKind::With {
                items: (s.get("items").list().iter())
                    .map(|item| WithItem {
                        context: self.field(item, "context_expr"),
                        target: self.maybe(item, "optional_vars"),
                    })
                    .collect(),
                body: self.block(s.get("body")),
                is_async: s.kind() == "AsyncWith",
            },
            "Try" | "TryStar" => StmtKind::Try(Box::new(Try {
                body: self.block(s.get("body")),
                handlers: s.get("handlers").list().iter().map(|handler| self.handler(handler)).collect(),
                orelse: self.block(s.get("orelse")),
                finalbody: self.block(s.get("finalbody")),
                is_star: s.kind() == "TryStar",
            })),
            "Match" => StmtKind::Match {
                subject: self.field(s, "subject"),
                cases: (s.get("cases").list().iter())
                    .map(|case| MatchCase {
                        pattern: self.pattern(case.get("pattern")),
                        guard: self.maybe(case, "guard"),
                        body: self.block(case.get("body")),
                    })
                    .collect(),
            },
            "FunctionDef" | "AsyncFunctionDef" => StmtKind::Function(Box::new(Function {
                name: string(s.get("name")),
                params: self.params(s.get("args")),
                body: self.block(s.get("body")),
                decorators: self.exprs(s.get("decorator_list")),
                returns: self.maybe(s, "returns"),
                type_params: self.type_params(s),
                is_async: s.kind() == "AsyncFunctionDef",
            })),
            "ClassDef" => StmtKind::Class(Box::new(Class {
                name: string(s.get("name")),
                bases: self.exprs(s.get("bases")),
                keywords: self.keywords(s),
                body: self.block(s.get("body")),
                decorators: self.exprs(s.get("decorator_list")),
                type_params: self.type_params(s),
            })),
            "TypeAlias" => {
                let target: Expr = self.field(s, "name");
                let ExprKind::Name(name) = target.kind else { panic!("an alias is a name") };
                StmtKind::TypeAlias { name, type_params: self.type_params(s), value: self.field(s, "value") }
            }
            other => panic!("unknown statement {other}"),
        }
    }

    fn handler(&mut self, handler: &Sexp) -> Handler {
        Handler {
            origin: Origin::NONE,
            kind: self.maybe(handler, "type"),
            name: handler.get("name").optional().map(string),
            body: self.block(handler.get("body")),
        }
    }

    fn params(&mut self, args: &Sexp) -> Params {
        let mut posonly = self.plain_params(args.get("posonlyargs"));
        let mut regular = self.plain_params(args.get("args"));
        let vararg = args.get("vararg").optional().map(|arg| Box::new(self.param(arg)));
        let mut kwonly = self.plain_params(args.get("kwonlyargs"));
        for (param, default) in kwonly.iter_mut().zip(args.get("kw_defaults").list()) {
            param.default = default.optional().map(|default| self.expr(default));
        }
        let kwarg = args.get("kwarg").optional().map(|arg| Box::new(self.param(arg)));
        let defaults = self.exprs(args.get("defaults"));
        let missing = posonly.len() + regular.len() - defaults.len();
        for (param, default) in posonly.iter_mut().chain(&mut regular).skip(missing).zip(defaults) {
            param.default = Some(default);
        }
        Params { posonly, regular, vararg, kwonly, kwarg }
    }

    fn plain_params(&mut self, args: &Sexp) -> Vec<Param> {
        args.list().iter().map(|arg| self.param(arg)).collect()
    }

    fn param(&mut self, arg: &Sexp) -> Param {
        Param { name: string(arg.get("arg")), annotation: self.maybe(arg, "annotation"), default: None }
    }

    fn type_params(&mut self, s: &Sexp) -> Vec<TypeParam> {
        if !s.has("type_params") {
            return Vec::new();
        }
        let params = s.get("type_params").list().iter();
        params
            .map(|param| TypeParam {
                kind: match param.kind() {
                    "TypeVar" => TypeParamKind::TypeVar,
                    "TypeVarTuple" => TypeParamKind::TypeVarTuple,
                    _ => TypeParamKind::ParamSpec,
                },
                name: string(param.get("name")),
                bound: param.has("bound").then(|| self.maybe(param, "bound")).flatten(),
                default: param.has("default_value").then(|| self.maybe(param, "default_value")).flatten(),
            })
            .collect()
    }

    fn keywords(&mut self, s: &Sexp) -> Vec<Keyword> {
        let keywords = s.get("keywords").list().iter();
        keywords
            .map(|keyword| Keyword {
                name: keyword.get("arg").optional().map(string),
                value: self.field(keyword, "value"),
            })
            .collect()
    }

    fn field<T: From<Expr>>(&mut self, s: &Sexp, name: &str) -> T {
        T::from(self.expr(s.get(name)))
    }

    fn maybe(&mut self, s: &Sexp, name: &str) -> Option<Expr> {
        s.get(name).optional().map(|value| self.expr(value))
    }

    fn maybe_box(&mut self, s: &Sexp, name: &str) -> Option<Box<Expr>> {
        self.maybe(s, name).map(Box::new)
    }

    fn exprs(&mut self, list: &Sexp) -> Vec<Expr> {
        list.list().iter().map(|item| self.expr(item)).collect()
    }

    fn expr(&mut self, s: &Sexp) -> Expr {
        let origin = if self.without_origins { Origin::NONE } else { Origin(self.expressions) };
        self.expressions += 1;
        Expr::new(origin, self.expr_kind(s))
    }

    fn expr_kind(&mut self, s: &Sexp) -> ExprKind {
        match s.kind() {
            "Name" => ExprKind::Name(string(s.get("id"))),
            "Constant" => ExprKind::Literal(literal(s.get("value"))),
            "Attribute" => ExprKind::Attribute { value: self.field(s, "value"), attr: string(s.get("attr")) },
            "Subscript" => {
                ExprKind::Subscript { value: self.field(s, "value"), index: self.field(s, "slice") }
            }
            "Slice" => ExprKind::Slice {
                lower: self.maybe_box(s, "lower"),
                upper: self.maybe_box(s, "upper"),
                step: self.maybe_box(s, "step"),
            },
            "Call" => ExprKind::call(self.field(s, "func"), self.exprs(s.get("args")), self.keywords(s)),
            "UnaryOp" => ExprKind::Unary {
                op: match s.get("op").kind() {
                    "USub" => UnaryOp::Negative,
                    "UAdd" => UnaryOp::Positive,
                    "Invert" => UnaryOp::Invert,
                    _ => UnaryOp::Not,
                },
                operand: self.field(s, "operand"),
            },
            "BinOp" => ExprKind::Binary {
                left: self.field(s, "left"),
                op: binary_op(s.get("op")),
                right: self.field(s, "right"),
            },
            "BoolOp" => ExprKind::Bool {
                op: if s.get("op").kind() == "And" { BoolOp::And } else { BoolOp::Or },
                values: self.exprs(s.get("values")),
            },
            "Compare" => {
                let left = self.field(s, "left");
                let ops: Vec<_> = s.get("ops").list().iter().map(compare_op).collect();
                ExprKind::Compare {
                    left,
                    rest: ops.into_iter().zip(self.exprs(s.get("comparators"))).collect(),
                }
            }
            "IfExp" => ExprKind::IfExp {
                test: self.field(s, "test"),
                body: self.field(s, "body"),
                orelse: self.field(s, "orelse"),
            },
            "NamedExpr" => {
                let target: Expr = self.field(s, "target");
                let ExprKind::Name(name) = target.kind else { panic!("`:=` binds a name") };
                ExprKind::Named { target: name, value: self.field(s, "value") }
            }
            "Lambda" => {
                ExprKind::Lambda { params: Box::new(self.params(s.get("args"))), body: self.field(s, "body") }
            }
            "Tuple" => ExprKind::Tuple(self.exprs(s.get("elts"))),
            "List" => ExprKind::List(self.exprs(s.get("elts"))),
            "Set" => ExprKind::Set(self.exprs(s.get("elts"))),
            "Dict" => {
                let keys: Vec<_> =
                    s.get("keys").list().iter().map(|key| key.optional().map(|key| self.expr(key))).collect();
                ExprKind::Dict(keys.into_iter().zip(self.exprs(s.get("values"))).collect())
            }
            "ListComp" => self.comprehension(s, ComprehensionKind::List),
            "SetComp" => self.comprehension(s, ComprehensionKind::Set),
            "GeneratorExp" => self.comprehension(s, ComprehensionKind::Generator),
            "DictComp" => {
                let key = self.expr(s.get("key"));
                let element = match s.get("value").optional() {
                    Some(value) => {
                        let pair = vec![key, self.expr(value)];
                        Expr::new(Origin::NONE, ExprKind::Tuple(pair))
                    }
                    None => key,
                };
                let clauses = self.clauses(s);
                ExprKind::Comprehension { kind: ComprehensionKind::Dict, element: Box::new(element), clauses }
            }
            "JoinedStr" => ExprKind::Joined(self.parts(s)),
            "TemplateStr" => ExprKind::Template(self.parts(s)),
            "Await" => ExprKind::Await(self.field(s, "value")),
            "Yield" => ExprKind::Yield(self.maybe_box(s, "value")),
            "YieldFrom" => ExprKind::YieldFrom(self.field(s, "value")),
            "Starred" => ExprKind::Starred(self.field(s, "value")),
            other => panic!("unknown expression {other}"),
        }
    }

    fn comprehension(&mut self, s: &Sexp, kind: ComprehensionKind) -> ExprKind {
        ExprKind::Comprehension { kind, element: self.field(s, "elt"), clauses: self.clauses(s) }
    }

    fn clauses(&mut self, s: &Sexp) -> Vec<Clause> {
        let clauses = s.get("generators").list().iter();
        clauses
            .map(|clause| Clause {
                target: self.field(clause, "target"),
                iter: self.field(clause, "iter"),
                conditions: self.exprs(clause.get("ifs")),
                is_async: int(clause.get("is_async")).to_i64() == Some(1),
            })
            .collect()
    }

    fn parts(&mut self, s: &Sexp) -> Vec<StringPart> {
        s.get("values").list().iter().map(|part| self.part(part)).collect()
    }

    fn part(&mut self, part: &Sexp) -> StringPart {
        if part.kind() == "Constant" {
            self.expressions += 1;
            return StringPart::Literal(string(part.get("value")));
        }
        self.expressions += 1;
        let value = self.field(part, "value");
        let code = int(part.get("conversion")).to_i64().expect("a character");
        let spec = part.get("format_spec").optional().map(|spec| {
            self.expressions += 1;
            self.parts(spec)
        });
        StringPart::Field {
            value,
            conversion: u8::try_from(code).ok().map(char::from),
            spec,
            text: part.has("str").then(|| string(part.get("str"))),
        }
    }

    fn pattern(&mut self, s: &Sexp) -> Pattern {
        let name = |name| s.get(name).optional().map(string);
        match s.kind() {
            "MatchValue" => Pattern::Value(self.field(s, "value")),
            "MatchSingleton" => Pattern::Singleton(literal(s.get("value"))),
            "MatchSequence" => Pattern::Sequence(self.patterns(s.get("patterns"))),
            "MatchMapping" => {
                let keys = self.exprs(s.get("keys"));
                let entries = keys.into_iter().zip(self.patterns(s.get("patterns"))).collect();
                Pattern::Mapping { entries, rest: name("rest") }
            }
            "MatchClass" => {
                let class = self.field(s, "cls");
                let positional = self.patterns(s.get("patterns"));
                let names: Vec<_> = s.get("kwd_attrs").list().iter().map(string).collect();
                let keywords = names.into_iter().zip(self.patterns(s.get("kwd_patterns"))).collect();
                Pattern::Class { class, positional, keywords }
            }
            "MatchStar" => Pattern::Star(name("name")),
            "MatchAs" => {
                let pattern = s.get("pattern").optional().map(|pattern| Box::new(self.pattern(pattern)));
                Pattern::As { pattern, name: name("name") }
            }
            "MatchOr" => Pattern::Or(self.patterns(s.get("patterns"))),
            other => panic!("unknown pattern {other}"),
        }
    }

    fn patterns(&mut self, list: &Sexp) -> Vec<Pattern> {
        list.list().iter().map(|pattern| self.pattern(pattern)).collect()
    }
}

fn lazy(s: &Sexp) -> bool {
    s.has("is_lazy") && int(s.get("is_lazy")).to_i64() == Some(1)
}

fn aliases(s: &Sexp) -> Vec<Alias> {
    let names = s.get("names").list().iter();
    names
        .map(|alias| Alias {
            name: string(alias.get("name")),
            asname: alias.get("asname").optional().map(string),
        })
        .collect()
}

fn string(atom: &Sexp) -> PyStr {
    match literal(atom) {
        Literal::Str(text) => text,
        other => panic!("no string: {other:?}"),
    }
}

fn int(atom: &Sexp) -> PyInt {
    match literal(atom) {
        Literal::Int(value) => value,
        Literal::Bool(value) => PyInt::from(i64::from(value)),
        other => panic!("no integer: {other:?}"),
    }
}

/// A constant from an atom, or a tuple from a list.
pub(crate) fn literal(value: &Sexp) -> Literal {
    let Sexp::Atom(text) = value else {
        return Literal::Tuple(value.list().iter().map(literal).collect());
    };
    let (kind, rest) = text.split_at(1);
    let float = |bits: &str| f64::from_bits(u64::from_str_radix(bits, 16).expect("bits"));
    match kind {
        "n" => Literal::None,
        "e" => Literal::Ellipsis,
        "T" => Literal::Bool(true),
        "F" => Literal::Bool(false),
        "i" => {
            let digits = rest.strip_prefix('-');
            Literal::Int(PyInt::from_hex(digits.is_some(), digits.unwrap_or(rest)).expect("an integer"))
        }
        "f" => Literal::Float(float(rest)),
        "c" => Literal::Complex { real: float(&rest[..16]), imag: float(&rest[16..]) },
        "s" => Literal::Str(PyStr::from_wtf8(&decode(rest)).expect("a string")),
        "b" => Literal::Bytes(decode(rest)),
        other => panic!("unknown constant {other}"),
    }
}

fn binary_op(op: &Sexp) -> BinaryOp {
    match op.kind() {
        "Add" => BinaryOp::Add,
        "Sub" => BinaryOp::Subtract,
        "Mult" => BinaryOp::Multiply,
        "MatMult" => BinaryOp::MatrixMultiply,
        "Div" => BinaryOp::TrueDivide,
        "FloorDiv" => BinaryOp::FloorDivide,
        "Mod" => BinaryOp::Remainder,
        "Pow" => BinaryOp::Power,
        "LShift" => BinaryOp::LeftShift,
        "RShift" => BinaryOp::RightShift,
        "BitAnd" => BinaryOp::And,
        "BitOr" => BinaryOp::Or,
        "BitXor" => BinaryOp::Xor,
        other => panic!("unknown operator {other}"),
    }
}

fn compare_op(op: &Sexp) -> CompareOp {
    match op.kind() {
        "Lt" => CompareOp::Less,
        "LtE" => CompareOp::LessEqual,
        "Eq" => CompareOp::Equal,
        "NotEq" => CompareOp::NotEqual,
        "Gt" => CompareOp::Greater,
        "GtE" => CompareOp::GreaterEqual,
        "Is" => CompareOp::Is,
        "IsNot" => CompareOp::IsNot,
        "In" => CompareOp::In,
        "NotIn" => CompareOp::NotIn,
        other => panic!("unknown comparison {other}"),
    }
}
