//! Statements and patterns.

use depyf_syntax::ast::{
    Alias, Block, Class, Function, Handler, Literal, MatchCase, Pattern, Stmt, StmtKind, Try, TypeParam,
    TypeParamKind, WithItem,
};
use depyf_value::PyStr;
use ruff_python_ast as ruff;

use crate::expressions::{binary_op, name};
use crate::{Converter, LONGEST_CHAIN, Parsed};

impl Converter<'_> {
    pub(crate) fn block(&mut self, nodes: &[ruff::Stmt]) -> Parsed<Block> {
        nodes.iter().map(|node| self.statement(node)).collect()
    }

    fn statement(&mut self, node: &ruff::Stmt) -> Parsed<Stmt> {
        self.deeper(node)?;
        let statement = Stmt::new(self.origin(node), self.statement_kind(node)?);
        self.shallower();
        Ok(statement)
    }

    fn statement_kind(&mut self, node: &ruff::Stmt) -> Parsed<StmtKind> {
        Ok(match node {
            ruff::Stmt::FunctionDef(node) => StmtKind::Function(Box::new(Function {
                name: name(&node.name),
                decorators: self.exprs(node.decorator_list.iter().map(|decorator| &decorator.expression))?,
                type_params: self.type_params(node.type_params.as_deref())?,
                params: self.params(&node.parameters)?,
                returns: self.maybe(node.returns.as_deref())?,
                body: self.block(&node.body)?,
                is_async: node.is_async,
            })),
            ruff::Stmt::ClassDef(node) => {
                let (bases, keywords) = match &node.arguments {
                    Some(arguments) => (self.exprs(&arguments.args)?, self.keywords(arguments)?),
                    None => (Vec::new(), Vec::new()),
                };
                let decorators = node.decorator_list.iter().map(|decorator| &decorator.expression);
                StmtKind::Class(Box::new(Class {
                    name: name(&node.name),
                    decorators: self.exprs(decorators)?,
                    type_params: self.type_params(node.type_params.as_deref())?,
                    bases,
                    keywords,
                    body: self.block(&node.body)?,
                }))
            }
            ruff::Stmt::Return(node) => StmtKind::Return(self.maybe(node.value.as_deref())?),
            ruff::Stmt::Delete(node) => StmtKind::Delete(self.exprs(&node.targets)?),
            ruff::Stmt::TypeAlias(node) => {
                let ruff::Expr::Name(alias) = &*node.name else {
                    return self.error(node, "a type alias needs a name");
                };
                StmtKind::TypeAlias {
                    name: PyStr::new(&alias.id),
                    type_params: self.type_params(node.type_params.as_deref())?,
                    value: self.expr(&node.value)?,
                }
            }
            ruff::Stmt::Assign(node) => {
                StmtKind::Assign { targets: self.exprs(&node.targets)?, value: self.expr(&node.value)? }
            }
            ruff::Stmt::AugAssign(node) => StmtKind::AugAssign {
                target: self.expr(&node.target)?,
                op: binary_op(node.op),
                value: self.expr(&node.value)?,
            },
            ruff::Stmt::AnnAssign(node) => StmtKind::AnnAssign {
                target: Box::new(self.expr(&node.target)?),
                annotation: Box::new(self.expr(&node.annotation)?),
                value: self.maybe(node.value.as_deref())?,
                simple: node.simple,
            },
            ruff::Stmt::For(node) => StmtKind::For {
                target: Box::new(self.expr(&node.target)?),
                iter: Box::new(self.expr(&node.iter)?),
                body: self.block(&node.body)?,
                orelse: self.block(&node.orelse)?,
                is_async: node.is_async,
            },
            ruff::Stmt::While(node) => StmtKind::While {
                test: self.expr(&node.test)?,
                body: self.block(&node.body)?,
                orelse: self.block(&node.orelse)?,
            },
            ruff::Stmt::If(node) => StmtKind::If {
                test: self.expr(&node.test)?,
                body: self.block(&node.body)?,
                orelse: self.elif_clauses(&node.elif_else_clauses)?,
            },
            ruff::Stmt::With(node) => {
                let item = |item: &ruff::WithItem| {
                    let context = self.expr(&item.context_expr)?;
                    Ok(WithItem { context, target: self.maybe(item.optional_vars.as_deref())? })
                };
                let items = node.items.iter().map(item).collect::<Parsed<_>>()?;
                StmtKind::With { items, body: self.block(&node.body)?, is_async: node.is_async }
            }
            ruff::Stmt::Match(node) => {
                let subject = self.expr(&node.subject)?;
                let case = |case: &ruff::MatchCase| {
                    Ok(MatchCase {
                        pattern: self.pattern(&case.pattern)?,
                        guard: self.maybe(case.guard.as_deref())?,
                        body: self.block(&case.body)?,
                    })
                };
                StmtKind::Match { subject, cases: node.cases.iter().map(case).collect::<Parsed<_>>()? }
            }
            ruff::Stmt::Raise(node) => StmtKind::Raise {
                exc: self.maybe(node.exc.as_deref())?,
                cause: self.maybe(node.cause.as_deref())?,
            },
            ruff::Stmt::Try(node) => StmtKind::Try(Box::new(Try {
                body: self.block(&node.body)?,
                handlers: self.handlers(&node.handlers)?,
                orelse: self.block(&node.orelse)?,
                finalbody: self.block(&node.finalbody)?,
                is_star: node.is_star,
            })),
            ruff::Stmt::Assert(node) => {
                StmtKind::Assert { test: self.expr(&node.test)?, message: self.maybe(node.msg.as_deref())? }
            }
            ruff::Stmt::Import(node) => StmtKind::Import { names: aliases(&node.names), lazy: node.is_lazy },
            ruff::Stmt::ImportFrom(node) => StmtKind::ImportFrom {
                module: node.module.as_ref().map(name),
                names: aliases(&node.names),
                level: node.level,
                lazy: node.is_lazy,
            },
            ruff::Stmt::Global(node) => StmtKind::Global(node.names.iter().map(name).collect()),
            ruff::Stmt::Nonlocal(node) => StmtKind::Nonlocal(node.names.iter().map(name).collect()),
            ruff::Stmt::Expr(node) => StmtKind::Expr(self.expr(&node.value)?),
            ruff::Stmt::Pass(_) => StmtKind::Pass,
            ruff::Stmt::Break(_) => StmtKind::Break,
            ruff::Stmt::Continue(_) => StmtKind::Continue,
            ruff::Stmt::IpyEscapeCommand(node) => return self.error(node, "this is no Python"),
        })
    }

    /// `elif` is an `if` in an `else`, built from the last to the first.
    fn elif_clauses(&mut self, clauses: &[ruff::ElifElseClause]) -> Parsed<Block> {
        if let Some(last) = clauses.get(LONGEST_CHAIN) {
            return self.error(last, "the chain of `elif` is too long");
        }
        let mut orelse = Block::new();
        for clause in clauses.iter().rev() {
            let body = self.block(&clause.body)?;
            orelse = match &clause.test {
                None => body,
                Some(test) => {
                    let test = self.expr(test)?;
                    vec![Stmt::new(self.origin(clause), StmtKind::If { test, body, orelse })]
                }
            };
        }
        Ok(orelse)
    }

    fn handlers(&mut self, handlers: &[ruff::ExceptHandler]) -> Parsed<Vec<Handler>> {
        let handler = |handler: &ruff::ExceptHandler| {
            let ruff::ExceptHandler::ExceptHandler(handler) = handler;
            Ok(Handler {
                origin: self.origin(handler),
                kind: self.maybe(handler.type_.as_deref())?,
                name: handler.name.as_ref().map(name),
                body: self.block(&handler.body)?,
            })
        };
        handlers.iter().map(handler).collect()
    }

    fn type_params(&mut self, params: Option<&ruff::TypeParams>) -> Parsed<Vec<TypeParam>> {
        let Some(params) = params else { return Ok(Vec::new()) };
        let param = |param: &ruff::TypeParam| {
            let (kind, name_, bound, default) = match param {
                ruff::TypeParam::TypeVar(param) => {
                    (TypeParamKind::TypeVar, &param.name, param.bound.as_deref(), &param.default)
                }
                ruff::TypeParam::TypeVarTuple(param) => {
                    (TypeParamKind::TypeVarTuple, &param.name, None, &param.default)
                }
                ruff::TypeParam::ParamSpec(param) => {
                    (TypeParamKind::ParamSpec, &param.name, None, &param.default)
                }
            };
            let (bound, default) = (self.maybe(bound)?, self.maybe(default.as_deref())?);
            Ok(TypeParam { kind, name: name(name_), bound, default })
        };
        params.type_params.iter().map(param).collect()
    }

    fn patterns(&mut self, nodes: &[ruff::Pattern]) -> Parsed<Vec<Pattern>> {
        nodes.iter().map(|node| self.pattern(node)).collect()
    }

    fn pattern(&mut self, node: &ruff::Pattern) -> Parsed<Pattern> {
        self.deeper(node)?;
        let pattern = match node {
            ruff::Pattern::MatchValue(node) => Pattern::Value(self.expr(&node.value)?),
            ruff::Pattern::MatchSingleton(node) => Pattern::Singleton(match node.value {
                ruff::Singleton::None => Literal::None,
                ruff::Singleton::True => Literal::Bool(true),
                ruff::Singleton::False => Literal::Bool(false),
            }),
            ruff::Pattern::MatchSequence(node) => Pattern::Sequence(self.patterns(&node.patterns)?),
            ruff::Pattern::MatchMapping(node) => {
                let keys = self.exprs(&node.keys)?;
                let patterns = self.patterns(&node.patterns)?;
                let entries = keys.into_iter().zip(patterns).collect();
                Pattern::Mapping { entries, rest: node.rest.as_ref().map(name) }
            }
            ruff::Pattern::MatchClass(node) => {
                let keyword = |keyword: &ruff::PatternKeyword| {
                    Ok((name(&keyword.attr), self.pattern(&keyword.pattern)?))
                };
                let keywords = node.arguments.keywords.iter().map(keyword).collect::<Parsed<_>>()?;
                let positional = self.patterns(&node.arguments.patterns)?;
                Pattern::Class { class: self.expr(&node.cls)?, positional, keywords }
            }
            ruff::Pattern::MatchStar(node) => Pattern::Star(node.name.as_ref().map(name)),
            ruff::Pattern::MatchAs(node) => Pattern::As {
                pattern: node.pattern.as_deref().map(|node| self.pattern(node)).transpose()?.map(Box::new),
                name: node.name.as_ref().map(name),
            },
            ruff::Pattern::MatchOr(node) => Pattern::Or(self.patterns(&node.patterns)?),
        };
        self.shallower();
        Ok(pattern)
    }
}

fn aliases(names: &[ruff::Alias]) -> Vec<Alias> {
    let alias =
        |alias: &ruff::Alias| Alias { name: name(&alias.name), asname: alias.asname.as_ref().map(name) };
    names.iter().map(alias).collect()
}
