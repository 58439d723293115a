//! Expressions.

use depyf_syntax::ast::{
    BinaryOp, BoolOp, Clause, CompareOp, ComprehensionKind, Expr, ExprKind, Keyword, Literal, Param, Params,
    UnaryOp,
};
use depyf_value::PyStr;
use ruff_python_ast as ruff;
use ruff_text_size::Ranged;

use crate::{Converter, LONGEST_CHAIN, Parsed, numbers};

/// The operand that chains lean on.
fn first_operand(node: &ruff::Expr) -> Option<&ruff::Expr> {
    match node {
        ruff::Expr::BinOp(node) => Some(&node.left),
        ruff::Expr::Attribute(node) => Some(&node.value),
        ruff::Expr::Subscript(node) => Some(&node.value),
        ruff::Expr::Call(node) => Some(&node.func),
        _ => None,
    }
}

impl Converter<'_> {
    pub(crate) fn expr(&mut self, node: &ruff::Expr) -> Parsed<Expr> {
        self.deeper(node)?;
        let mut chain = Vec::new();
        let mut first = node;
        while let Some(next) = first_operand(first) {
            chain.push(first);
            first = next;
            if chain.len() > LONGEST_CHAIN {
                return self.error(node, "the expression is too long");
            }
        }
        let mut expr = Expr::new(self.origin(first), self.leaf(first)?);
        for node in chain.into_iter().rev() {
            let kind = self.link(node, Box::new(expr))?;
            expr = Expr::new(self.origin(node), kind);
        }
        self.shallower();
        Ok(expr)
    }

    /// A link of a chain whose first operand is known.
    fn link(&mut self, node: &ruff::Expr, first: Box<Expr>) -> Parsed<ExprKind> {
        Ok(match node {
            ruff::Expr::BinOp(node) => {
                ExprKind::Binary { op: binary_op(node.op), left: first, right: self.boxed(&node.right)? }
            }
            ruff::Expr::Attribute(node) => ExprKind::Attribute { value: first, attr: name(&node.attr) },
            ruff::Expr::Subscript(node) => {
                ExprKind::Subscript { value: first, index: self.boxed(&node.slice)? }
            }
            ruff::Expr::Call(node) => {
                let args = self.exprs(&node.arguments.args)?;
                ExprKind::call(*first, args, self.keywords(&node.arguments)?)
            }
            _ => return self.error(node, "an operand was not found"),
        })
    }

    fn leaf(&mut self, node: &ruff::Expr) -> Parsed<ExprKind> {
        Ok(match node {
            ruff::Expr::BoolOp(node) => ExprKind::Bool {
                op: match node.op {
                    ruff::BoolOp::And => BoolOp::And,
                    ruff::BoolOp::Or => BoolOp::Or,
                },
                values: self.exprs(&node.values)?,
            },
            ruff::Expr::Named(node) => {
                let ruff::Expr::Name(target) = &*node.target else {
                    return self.error(node, "only a name can be bound by `:=`");
                };
                ExprKind::Named { target: PyStr::new(&target.id), value: self.boxed(&node.value)? }
            }
            ruff::Expr::UnaryOp(node) => ExprKind::Unary {
                op: match node.op {
                    ruff::UnaryOp::Invert => UnaryOp::Invert,
                    ruff::UnaryOp::Not => UnaryOp::Not,
                    ruff::UnaryOp::UAdd => UnaryOp::Positive,
                    ruff::UnaryOp::USub => UnaryOp::Negative,
                },
                operand: self.boxed(&node.operand)?,
            },
            ruff::Expr::Lambda(node) => {
                let params = match &node.parameters {
                    Some(params) => self.params(params)?,
                    None => Params::default(),
                };
                ExprKind::Lambda { params: Box::new(params), body: self.boxed(&node.body)? }
            }
            ruff::Expr::If(node) => ExprKind::IfExp {
                test: self.boxed(&node.test)?,
                body: self.boxed(&node.body)?,
                orelse: self.boxed(&node.orelse)?,
            },
            ruff::Expr::Dict(node) => {
                let pair =
                    |item: &ruff::DictItem| Ok((self.maybe(item.key.as_ref())?, self.expr(&item.value)?));
                ExprKind::Dict(node.items.iter().map(pair).collect::<Parsed<_>>()?)
            }
            ruff::Expr::Set(node) => ExprKind::Set(self.exprs(&node.elts)?),
            ruff::Expr::List(node) => ExprKind::List(self.exprs(&node.elts)?),
            ruff::Expr::Tuple(node) => ExprKind::Tuple(self.exprs(&node.elts)?),
            ruff::Expr::ListComp(node) => {
                self.comprehension(ComprehensionKind::List, &node.elt, &node.generators)?
            }
            ruff::Expr::SetComp(node) => {
                self.comprehension(ComprehensionKind::Set, &node.elt, &node.generators)?
            }
            ruff::Expr::Generator(node) => {
                self.comprehension(ComprehensionKind::Generator, &node.elt, &node.generators)?
            }
            ruff::Expr::DictComp(node) => {
                let element = match &node.key {
                    Some(key) => {
                        let pair = vec![self.expr(key)?, self.expr(&node.value)?];
                        Expr::new(self.origin(&**key), ExprKind::Tuple(pair))
                    }
                    None => {
                        let value = self.boxed(&node.value)?;
                        Expr::new(value.origin, ExprKind::Starred(value))
                    }
                };
                let clauses = self.clauses(&node.generators)?;
                let kind = ComprehensionKind::Dict;
                ExprKind::Comprehension { kind, element: Box::new(element), clauses }
            }
            ruff::Expr::Await(node) => ExprKind::Await(self.boxed(&node.value)?),
            ruff::Expr::Yield(node) => ExprKind::Yield(self.maybe_boxed(node.value.as_deref())?),
            ruff::Expr::YieldFrom(node) => ExprKind::YieldFrom(self.boxed(&node.value)?),
            ruff::Expr::Compare(node) => {
                let left = self.boxed(&node.left)?;
                let values = self.exprs(&node.comparators)?;
                let rest = node.ops.iter().map(|&op| compare_op(op)).zip(values).collect();
                ExprKind::Compare { left, rest }
            }
            ruff::Expr::FString(node) => self.f_string(&node.value)?,
            ruff::Expr::TString(node) => self.t_string(&node.value)?,
            ruff::Expr::StringLiteral(node) => ExprKind::Literal(Literal::Str(self.string(&node.value))),
            ruff::Expr::BytesLiteral(node) => Self::bytes(&node.value),
            ruff::Expr::NumberLiteral(node) => ExprKind::Literal(match &node.value {
                ruff::Number::Int(_) => match numbers::integer(self.source(node.range())) {
                    Some(value) => Literal::Int(value),
                    None => return self.error(node, "the integer is too long"),
                },
                ruff::Number::Float(value) => Literal::Float(*value),
                ruff::Number::Complex { real, imag } => Literal::Complex { real: *real, imag: *imag },
            }),
            ruff::Expr::BooleanLiteral(node) => ExprKind::Literal(Literal::Bool(node.value)),
            ruff::Expr::NoneLiteral(_) => ExprKind::Literal(Literal::None),
            ruff::Expr::EllipsisLiteral(_) => ExprKind::Literal(Literal::Ellipsis),
            ruff::Expr::Starred(node) => ExprKind::Starred(self.boxed(&node.value)?),
            ruff::Expr::Name(node) => ExprKind::Name(PyStr::new(&node.id)),
            ruff::Expr::Slice(node) => ExprKind::Slice {
                lower: self.maybe_boxed(node.lower.as_deref())?,
                upper: self.maybe_boxed(node.upper.as_deref())?,
                step: self.maybe_boxed(node.step.as_deref())?,
            },
            ruff::Expr::BinOp(_)
            | ruff::Expr::Attribute(_)
            | ruff::Expr::Subscript(_)
            | ruff::Expr::Call(_)
            | ruff::Expr::IpyEscapeCommand(_) => return self.error(node, "this is no Python"),
        })
    }

    fn comprehension(
        &mut self,
        kind: ComprehensionKind,
        element: &ruff::Expr,
        generators: &[ruff::Comprehension],
    ) -> Parsed<ExprKind> {
        let element = self.boxed(element)?;
        Ok(ExprKind::Comprehension { kind, element, clauses: self.clauses(generators)? })
    }

    fn clauses(&mut self, generators: &[ruff::Comprehension]) -> Parsed<Vec<Clause>> {
        let clause = |generator: &ruff::Comprehension| {
            Ok(Clause {
                is_async: generator.is_async,
                target: self.expr(&generator.target)?,
                iter: self.expr(&generator.iter)?,
                conditions: self.exprs(&generator.ifs)?,
            })
        };
        generators.iter().map(clause).collect()
    }

    pub(crate) fn keywords(&mut self, arguments: &ruff::Arguments) -> Parsed<Vec<Keyword>> {
        let keyword = |keyword: &ruff::Keyword| {
            Ok(Keyword { name: keyword.arg.as_ref().map(name), value: self.expr(&keyword.value)? })
        };
        arguments.keywords.iter().map(keyword).collect()
    }

    pub(crate) fn params(&mut self, params: &ruff::Parameters) -> Parsed<Params> {
        let mut with_defaults = |params: &[ruff::ParameterWithDefault]| -> Parsed<Vec<Param>> {
            let one = |param: &ruff::ParameterWithDefault| {
                let default = self.maybe(param.default.as_deref())?;
                Ok(Param { default, ..self.param(&param.parameter)? })
            };
            params.iter().map(one).collect()
        };
        let posonly = with_defaults(&params.posonlyargs)?;
        let regular = with_defaults(&params.args)?;
        let kwonly = with_defaults(&params.kwonlyargs)?;
        let vararg = params.vararg.as_deref().map(|param| self.param(param)).transpose()?.map(Box::new);
        let kwarg = params.kwarg.as_deref().map(|param| self.param(param)).transpose()?.map(Box::new);
        Ok(Params { posonly, regular, vararg, kwonly, kwarg })
    }

    fn param(&mut self, param: &ruff::Parameter) -> Parsed<Param> {
        let annotation = self.maybe(param.annotation.as_deref())?;
        Ok(Param { name: name(&param.name), annotation, default: None })
    }
}

pub(crate) fn name(identifier: &ruff::Identifier) -> PyStr {
    PyStr::new(&identifier.id)
}

pub(crate) fn binary_op(op: ruff::Operator) -> BinaryOp {
    match op {
        ruff::Operator::Add => BinaryOp::Add,
        ruff::Operator::Sub => BinaryOp::Subtract,
        ruff::Operator::Mult => BinaryOp::Multiply,
        ruff::Operator::MatMult => BinaryOp::MatrixMultiply,
        ruff::Operator::Div => BinaryOp::TrueDivide,
        ruff::Operator::Mod => BinaryOp::Remainder,
        ruff::Operator::Pow => BinaryOp::Power,
        ruff::Operator::LShift => BinaryOp::LeftShift,
        ruff::Operator::RShift => BinaryOp::RightShift,
        ruff::Operator::BitOr => BinaryOp::Or,
        ruff::Operator::BitXor => BinaryOp::Xor,
        ruff::Operator::BitAnd => BinaryOp::And,
        ruff::Operator::FloorDiv => BinaryOp::FloorDivide,
    }
}

fn compare_op(op: ruff::CmpOp) -> CompareOp {
    match op {
        ruff::CmpOp::Eq => CompareOp::Equal,
        ruff::CmpOp::NotEq => CompareOp::NotEqual,
        ruff::CmpOp::Lt => CompareOp::Less,
        ruff::CmpOp::LtE => CompareOp::LessEqual,
        ruff::CmpOp::Gt => CompareOp::Greater,
        ruff::CmpOp::GtE => CompareOp::GreaterEqual,
        ruff::CmpOp::Is => CompareOp::Is,
        ruff::CmpOp::IsNot => CompareOp::IsNot,
        ruff::CmpOp::In => CompareOp::In,
        ruff::CmpOp::NotIn => CompareOp::NotIn,
    }
}
