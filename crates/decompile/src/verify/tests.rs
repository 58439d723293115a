//! Pairs of sources that do the same and that do not, and mutants.

use depyf_bytecode::{CallLayout, CodeObject, CompilerFeatures, Const, JumpCondition, Op, Region};
use depyf_value::PyVersion;

use super::held::nested_code;
use super::side::{Nested, Side, Which};
use super::terms::Terms;
use crate::lower::{LowerOptions, Lowered, LoweredConst, lower_module};

fn lowered(source: &str, version: u8) -> Box<Lowered> {
    let block = depyf_parse::parse_module(source).expect("Python");
    let compiler = CompilerFeatures::of(PyVersion(version)).expect("a version");
    let options = LowerOptions { compiler, optimize: 0, future_annotations: false, is_unprinted: false };
    lower_module(&block, &options).expect("lowers")
}

/// Compares two functions of operations and all that is nested in them.
fn compared(a: &Lowered, b: &Lowered) -> Result<(), String> {
    if let Some(message) = super::header_difference(Nested::Lowered(a), Nested::Lowered(b)) {
        return Err(message);
    }
    let mut terms = Terms::new();
    let sides =
        [Side::lowered(&mut terms, a, Which::Original)?, Side::lowered(&mut terms, b, Which::Source)?];
    let keywords = a.posonlyargcount as usize..(a.argcount + a.kwonlyargcount) as usize;
    if !super::same_keywords(&sides, keywords) || !super::same_cells(&sides) {
        return Err("other parameters".to_owned());
    }
    let mut comparison = super::compare(terms, sides);
    comparison.shared.wraps = false;
    comparison.shared.goes_on = crate::dynamo::goes_on_behind_break(&code_of(a));
    let found = comparison.run();
    // What is in lockstep is bisimilar; the other way round need not be.
    assert!(found.is_ok() || !in_lockstep(a, b), "in lockstep, but {found:?}\n{a:#?}\n{b:#?}");
    found.map_err(|found| found.message)?;
    for &(x, y) in &comparison.nested {
        match (nested_code(a, x), nested_code(b, y)) {
            (Some(x), Some(y)) => compared(x, y)?,
            _ => return Err("a constant is no code".to_owned()),
        }
    }
    Ok(())
}

/// Whether the operations of two functions go in lockstep.
fn in_lockstep(a: &Lowered, b: &Lowered) -> bool {
    let mut function = a.to_function();
    // Neither side wraps the exceptions of its generators.
    function.features.inlined_comprehensions = false;
    super::lockstep::compare(&code_of(a), &function, &[], b, &mut super::lockstep::Memory::default())
        .is_some()
}

/// A code object of what source was lowered to; only its bytecode is missing.
fn code_of(lowered: &Lowered) -> CodeObject {
    let consts = lowered.consts.iter().map(|value| match value {
        LoweredConst::Value(value) => value.clone(),
        LoweredConst::Code(code) => Const::Code(code_of(code).into()),
    });
    CodeObject {
        name: lowered.name.clone(),
        argcount: lowered.argcount,
        posonlyargcount: lowered.posonlyargcount,
        kwonlyargcount: lowered.kwonlyargcount,
        flags: lowered.flags,
        consts: consts.collect(),
        names: lowered.names.clone(),
        // Names and flags of the docstring are those of this version.
        ..CodeObject::empty(PyVersion(12))
    }
}

/// The body of a function, indented, with parameters.
fn function(body: &str) -> String {
    let body: Vec<String> = body.lines().map(|line| format!("    {line}\n")).collect();
    format!("def f(a, b, c):\n{}", body.concat())
}

#[track_caller]
fn same(a: &str, b: &str) {
    for version in [8, 11, 12, 15] {
        assert_eq!(compared(&lowered(a, version), &lowered(b, version)), Ok(()), "3.{version}\n{a}\n{b}");
    }
}

#[track_caller]
fn different(a: &str, b: &str) {
    for version in [8, 11, 12, 15] {
        let found = compared(&lowered(a, version), &lowered(b, version));
        assert!(found.is_err(), "3.{version}\n{a}\n{b}");
        let found = compared(&lowered(b, version), &lowered(a, version));
        assert!(found.is_err(), "3.{version}, the other way\n{a}\n{b}");
    }
}

/// Both bodies do the same.
#[track_caller]
fn alike(a: &str, b: &str) {
    same(&function(a), &function(b));
}

/// The bodies can be told apart.
#[track_caller]
fn apart(a: &str, b: &str) {
    different(&function(a), &function(b));
}

#[test]
fn only_the_line_that_the_compiler_stores_is_not_compared() {
    let class = |line: u32| lowered(&format!("class C:\n    __firstlineno__ = {line}\n"), 13);
    assert_eq!(compared(&class(1), &class(1)), Ok(()));
    assert!(compared(&class(1), &class(2)).is_err());
}

#[test]
fn a_signal_interrupts_a_loop_that_does_nothing() {
    let caught = |inside: &str| format!("while a():\n    try:\n        {inside}\n    except b:\n        c()");
    let turns = "while True:\n            pass";
    alike(&caught(turns), &caught(turns));
    alike(&caught(turns), &caught("while 1:\n            if ():\n                b()"));
    apart(&caught(turns), &format!("while a():\n    {}", turns.replace("            ", "        ")));
    apart(&caught(turns), &caught(turns).replace("c()", "c"));
}

#[test]
fn copies_are_looked_through() {
    alike("return a(b, c)", "t = a\nu = b\nreturn t(u, c)");
    alike("x = y = a()\nreturn x, y", "t = a()\nx = t\ny = t\nreturn y, x");
    apart("return a(b, c)", "return a(c, b)");
    apart("x = a()\ny = b()\nreturn x", "y = b()\nx = a()\nreturn x");
}

#[test]
fn the_shape_of_a_condition_does_not_matter() {
    alike("if a and b:\n    c()", "if a:\n    if b:\n        c()");
    alike("if not a:\n    b()\nelse:\n    c()", "if a:\n    c()\nelse:\n    b()");
    alike("return b if a else c", "if a:\n    return b\nreturn c");
    alike("return a and b", "t = a\nif t:\n    t = b\nreturn t");
    apart("return a and b", "return a or b");
    apart("if a and b:\n    c()", "if b and a:\n    c()");
    apart("if a:\n    c()", "if a:\n    if a:\n        c()");
    apart("if a is None:\n    c()", "if a is not None:\n    c()");
}

/// A function whose short circuits jump with the value, as bytecode has them to 3.11.
fn jumping_with_values(source: &str) -> Box<Lowered> {
    let mut found = lowered(source, 8);
    let inner = found.consts.iter_mut().find_map(|value| match value {
        LoweredConst::Code(code) => Some(code),
        LoweredConst::Value(_) => None,
    });
    let code = &mut inner.expect("a function").ops;
    for at in 0..code.len() - 2 {
        if let [Op::Copy(1), Op::JumpIf(condition, to), Op::Pop] = [at, at + 1, at + 2].map(|at| code[at]) {
            code[at] = Op::JumpIfOrPop(condition == JumpCondition::True, to);
            (code[at + 1], code[at + 2]) = (Op::Nop, Op::Nop);
        }
    }
    found
}

#[test]
fn a_value_is_asked_once_for_its_truth() {
    let compared = |a: &str, b: &str| compared(&jumping_with_values(&function(a)), &lowered(&function(b), 8));
    let source = "return a and b or c";
    assert_eq!(compared(source, source), Ok(()));
    assert_eq!(compared(source, "x = a\nif x:\n    x = b\n    if x:\n        return x\nreturn c"), Ok(()));
    assert!(compared(source, "return a and (b or c)").is_err());
    assert!(compared("x = a and b\nreturn x or c", "x = a and b\nc.d\nreturn x or c").is_err());
}

#[test]
fn tests_of_identity_are_no_effects() {
    alike("x = a is None\nb()\nif x:\n    c()", "b()\nif a is None:\n    c()");
    alike("x = not (a in b)\nreturn x", "return a not in b");
    apart("x = a == None\nb()\nif x:\n    c()", "b()\nif a == None:\n    c()");
}

#[test]
fn constants_are_folded() {
    alike("return -1", "return 1 - 2");
    alike("return (1, (2, 3))", "x = (2, 3)\nreturn (1, x)");
    alike("while True:\n    a()", "while 1:\n    a()");
    alike("if False:\n    a()\nreturn b", "return b");
    alike("return a in (1, 2)", "return a in [1, 2]");
    alike("return a in {1, 2}", "return a in {2, 1}");
    alike("for x in [1, a]:\n    b(x)", "for x in (1, a):\n    b(x)");
    // Another list, which a tuple holds, is not that one.
    let [list, tuple] =
        ["[1, a]", "(1, a)"].map(|items| format!("c = [], 1\nfor x in {items}:\n    b(x)\nreturn c"));
    alike(&list, &tuple);
    apart("x = [1, a]\nc = x, 1\nb(iter(x))\nreturn c", "x = 1, a\nc = x, 1\nb(iter(x))\nreturn c");
    alike("return f'{a}x' 'y'", "return f'{a}xy'");
    apart("return 0.0", "return -0.0");
    apart("return 1", "return True");
    apart("return a in {1, 2}", "return a in {1, 3}");
    apart("x = [a]\nfor y in x:\n    x.append(y)", "x = [a]\nfor y in (a,):\n    x.append(y)");
}

#[test]
fn a_fresh_object_is_no_other() {
    alike("x = [] is a\nb[:] += c\nreturn x", "b[:] += c\nreturn False");
    alike("if {} is not a < b:\n    c()\nd[:] += 1", "if {} is not a < b:\n    c()\nd[:] += 1");
    apart("x = []\na.b = x\nreturn x is c", "x = []\na.b = x\nreturn False");
}

#[test]
fn fresh_lists_are_computed() {
    alike("return a(b)", "x = [b]\nreturn a(x[0])");
    alike("return a([b, c])", "x = [b]\nx[1:] = [c]\nreturn a(x)");
    alike("return a(c)", "x = [b, c]\ndel x[0]\nreturn a(*x)");
    alike("x, y = b, c\nreturn a(x, y)", "[x, y] = [b, c]\nreturn a(x, y)");
    // Once other code has seen the list, it may change.
    apart("x = [b]\na(x)\nreturn x[0]", "x = [b]\na(x)\nreturn b");
    apart("x = [b]\na(x, x)", "a([b], [b])");
    apart("x = [b]\ny = x\ny[0] = c\nreturn x[0]", "x = [b]\ny = [c]\nreturn x[0]");
    apart("return a([b, c])", "return a([c, b])");
}

#[test]
fn calls_have_one_form() {
    alike("return a(b, c)", "return a(*(b, c))");
    alike("return a(x=b)", "return a(**{'x': b})");
    apart("return a(x=b, y=c)", "return a(x=c, y=b)");
    apart("return a(x=b)", "return a(y=b)");
    apart("return a(*b)", "return a(b)");
    apart("return a.b(c)", "return a.c(c)");
}

#[test]
fn loops_are_joined() {
    alike("for x in a:\n    b(x)", "for y in a:\n    x = y\n    b(x)");
    alike("while a():\n    b()", "while True:\n    if not a():\n        break\n    b()");
    alike("x = 0\nfor y in a:\n    x = x + y\nreturn x", "z = 0\nfor y in a:\n    z = z + y\nreturn z");
    alike(
        "x = y = None\nfor z in a:\n    x, y = y, z\nreturn x",
        "x = y = None\nfor z in a:\n    t = y\n    y = z\n    x = t\nreturn x",
    );
    apart("x = 0\nfor y in a:\n    x = x + y\nreturn x", "x = 0\nfor y in a:\n    x = x + y\nreturn 0");
    apart(
        "x = y = None\nfor z in a:\n    x = y\n    y = z\nreturn x",
        "x = y = None\nfor z in a:\n    y = z\n    x = y\nreturn x",
    );
    apart("for x in a:\n    b(x)\nelse:\n    c()", "for x in a:\n    b(x)\n    break\nelse:\n    c()");
    apart(
        "for x in a:\n    if b(x):\n        continue\n    c()",
        "for x in a:\n    if b(x):\n        break\n    c()",
    );
    apart("while True:\n    pass", "return a");
}

#[test]
fn handlers_belong_to_what_they_protect() {
    alike(
        "try:\n    a()\nexcept b:\n    raise",
        "try:\n    a()\nexcept b:\n    raise\nexcept c:\n    raise\n"
            .split("except c")
            .next()
            .unwrap_or_default(),
    );
    alike("try:\n    x = b\n    a()\nexcept c:\n    pass", "x = b\ntry:\n    a()\nexcept c:\n    pass");
    alike("try:\n    a()\nfinally:\n    b()\nc()", "try:\n    a()\nexcept:\n    b()\n    raise\nb()\nc()");
    apart("try:\n    a()\n    b()\nexcept c:\n    pass", "try:\n    a()\nexcept c:\n    pass\nb()");
    apart("try:\n    a()\nexcept b:\n    pass", "try:\n    a()\nexcept c:\n    pass");
    apart("try:\n    a()\nexcept b as x:\n    c(x)", "try:\n    a()\nexcept b as x:\n    c(None)");
    apart("try:\n    a()\nfinally:\n    b()", "try:\n    a()\nexcept:\n    b()");
    // A call in the handler sees the exception.
    apart(
        "try:\n    a()\nexcept:\n    b()",
        "try:\n    a()\nexcept:\n    pass\n    x = 1\nelse:\n    x = 0\nif x:\n    b()",
    );
}

#[test]
fn locals_matter_where_they_are_read() {
    alike("x = a\nreturn b", "return b");
    alike("if a:\n    x = b\nelse:\n    return c\nreturn x", "if not a:\n    return c\nreturn b");
    apart("if a:\n    x = b\nreturn x", "x = None\nif a:\n    x = b\nreturn x");
    apart("x = a\nreturn locals()", "return locals()");
    let held = "x = ([a], 1)\nif b:\n    return locals()\nreturn c";
    alike(held, "x = ([a], 1)\nif not b:\n    return c\nreturn locals()");
    apart(held, "x = ([b], 1)\nif not b:\n    return c\nreturn locals()");
    apart("x = a\ndel x\nreturn x", "x = a\nreturn x");
}

#[test]
fn what_is_held_twice_at_each_of_many_levels_is_compared_once() {
    for doubled in ["[x, x]", "(x, x)"] {
        let deep = format!("x = {doubled}\n").repeat(40);
        let last = "if b:\n    return locals()\nreturn c";
        alike(&format!("y = [c]\nx = [a]\n{deep}{last}"), &format!("x = [a]\ny = [c]\n{deep}{last}"));
    }
}

#[test]
fn memory_keeps_its_order() {
    alike("global x\nx = a\nreturn b", "global x\nx = a\ny = b\nreturn y");
    apart("global x\nx = a\nb()", "global x\nb()\nx = a");
    apart("a.x = 1\nb()", "b()\na.x = 1");
    apart("x = a\ng = lambda: x\nb()\nx = c\nreturn g", "x = a\ng = lambda: x\nx = c\nb()\nreturn g");
    apart("return a.x + b", "y = b\nreturn y + a.x");
}

#[test]
fn nested_code_is_compared() {
    same("def f(a, b=1):\n    return a", "def f(a, b=1):\n    return a");
    different("def f(a, b=1):\n    return a", "def f(a, b=2):\n    return a");
    different("def f(a, b=1):\n    return a", "def f(a, b=1):\n    return b");
    different("def f(a):\n    return a", "def f(b):\n    return a");
    different("def f(a):\n    return a", "def f(b):\n    return b");
    same("def f(a, /):\n    return a", "def f(b, /):\n    return b");
    same("def f(*a):\n    return a", "def f(*b):\n    return b");
    let cell = "    if a:\n        a = 1\n    return lambda: a";
    different(&format!("def f(a, /):\n{cell}"), &format!("def f(b, /):\n{cell}"));
    different("def f(a, *, b):\n    return a", "def f(a, b):\n    return a");
    different("def f():\n    'x'", "def f():\n    'y'");
    different("class C:\n    x = 1", "class C:\n    x = 2");
    apart("return [x for x in a]", "return [b for x in a]");
    apart("return (x for x in a)", "return [x for x in a]");
}

#[test]
fn suspension_is_an_effect() {
    same("def f(a):\n    yield a\n    return a", "def f(a):\n    x = a\n    yield x\n    return x");
    different("def f(a):\n    x = yield a\n    yield x", "def f(a):\n    x = yield a\n    yield a");
    different("def f(a):\n    yield from a", "def f(a):\n    yield a");
    different("async def f(a):\n    await a()", "async def f(a):\n    a()");
    different(
        "async def f(a):\n    async with a:\n        b()",
        "async def f(a):\n    async with a:\n        pass\n    b()",
    );
}

/// Mutants of one instruction that a comparison must tell from what they were made of.
mod mutants {
    use depyf_bytecode::{BinaryOp, CompareOp, JumpCondition, Op, UnaryOp};

    use super::{compared, lowered};
    use crate::lower::{Lowered, LoweredConst};

    /// Functions in which every instruction matters.
    const SOURCES: &[&str] = &[
        "def f(a, b, c):\n    x = a.m(b, k=c)\n    if x < b and not c:\n        return x[a], -b\n    return x + c",
        "def f(a, b):\n    n = 0\n    for x in a:\n        if x in b:\n            n += x\n        else:\n            b.append(n)\n    return n",
        "def f(a, b, c):\n    try:\n        x = a()\n    except b as e:\n        c(e)\n        return None\n    finally:\n        a(b)\n    return x",
        "def f(a, b):\n    with a as x:\n        b(x)\n    while b(x):\n        a.x = x\n        del a[x]\n    return x",
        "def f(a):\n    x = yield a\n    yield from x\n    return x * a",
        "def f(a, b):\n    p, *q = a\n    return [b(x) for x in q if x], {p: q}, f'{p!r:{b}}'",
        "import m\nfrom m import x\nclass C(m.D):\n    y = x\n    def g(self):\n        return super().g()\nz = C()",
    ];

    /// Other instructions that could stand in place of one.
    fn replacements(op: Op, code: &Lowered) -> Vec<Op> {
        let other = |id: u32, count: usize| if count > 1 { (id + 1) % count as u32 } else { id };
        let variables = code.variables.len();
        let names = code.names.len();
        match op {
            Op::Const(id) => {
                let text = |id: u32| format!("{:?}", code.consts[id as usize]);
                let others = (0..code.consts.len() as u32).filter(|&other| text(other) != text(id));
                others.map(Op::Const).collect()
            }
            Op::LoadLocal(id) => vec![Op::LoadLocal(other(id, variables))],
            Op::StoreLocal(id) => vec![Op::StoreLocal(other(id, variables)), Op::Pop],
            Op::LoadGlobal(id) => vec![Op::LoadGlobal(other(id, names))],
            Op::LoadName(id) => vec![Op::LoadName(other(id, names))],
            Op::StoreName(id) => vec![Op::StoreName(other(id, names)), Op::Pop],
            Op::LoadAttr(id) => vec![Op::LoadAttr(other(id, names)), Op::Nop],
            Op::Binary(_) => vec![Op::Binary(BinaryOp::Xor), Op::Pop],
            Op::Inplace(found) => vec![Op::Binary(found), Op::Inplace(BinaryOp::Xor)],
            Op::Unary(UnaryOp::Negative) => vec![Op::Unary(UnaryOp::Invert), Op::Nop],
            Op::Compare(CompareOp::Less) => vec![Op::Compare(CompareOp::LessEqual), Op::Pop],
            Op::Contains { negated } => vec![Op::Contains { negated: !negated }],
            Op::JumpIf(JumpCondition::True, to) => vec![Op::JumpIf(JumpCondition::False, to)],
            Op::JumpIf(JumpCondition::False, to) => vec![Op::JumpIf(JumpCondition::True, to), Op::Pop],
            Op::BuildTuple(count) => vec![Op::BuildList(count)],
            Op::BuildList(count) => vec![Op::BuildTuple(count)],
            Op::Subscript => vec![Op::Pop],
            Op::StoreSubscript | Op::DeleteSubscript | Op::Yield | Op::YieldFrom => vec![Op::Nop],
            Op::ListAppend(_) => vec![Op::Pop],
            Op::Return => vec![Op::Raise(1)],
            Op::GetIter | Op::ExceptionMatch | Op::PopExcept | Op::WithExceptStart => vec![Op::Nop],
            _ => Vec::new(),
        }
    }

    /// Every code object of a tree, the outermost first.
    fn codes(path: Vec<usize>, code: &Lowered, found: &mut Vec<Vec<usize>>) {
        found.push(path.clone());
        for (at, value) in code.consts.iter().enumerate() {
            if let LoweredConst::Code(nested) = value {
                codes([&path[..], &[at]].concat(), nested, found);
            }
        }
    }

    fn at_mut<'a>(mut code: &'a mut Lowered, path: &[usize]) -> &'a mut Lowered {
        for &step in path {
            code = match &mut code.consts[step] {
                LoweredConst::Code(nested) => nested,
                LoweredConst::Value(_) => unreachable!("a path leads through code"),
            };
        }
        code
    }

    #[test]
    fn mutants_are_rejected() {
        let (mut rejected, mut survivors) = (0, Vec::new());
        for source in SOURCES {
            let original = lowered(source, 12);
            let mut mutant = lowered(source, 12);
            let mut paths = Vec::new();
            codes(Vec::new(), &original, &mut paths);
            for path in paths {
                let mut reached = at_mut(&mut mutant, &path).to_function();
                crate::flow::erase_unreachable(&mut reached);
                for at in 0..at_mut(&mut mutant, &path).ops.len() {
                    if reached.instructions[at].op == Op::Nop {
                        continue;
                    }
                    let code = at_mut(&mut mutant, &path);
                    let op = code.ops[at];
                    for replacement in replacements(op, code).into_iter().filter(|other| *other != op) {
                        at_mut(&mut mutant, &path).ops[at] = replacement;
                        match compared(&original, &mutant) {
                            Err(_) => rejected += 1,
                            Ok(()) => survivors
                                .push(format!("{op:?} -> {replacement:?} at {at} of {path:?} in\n{source}")),
                        }
                    }
                    at_mut(&mut mutant, &path).ops[at] = op;
                }
            }
        }
        // What is left does the same: `None` is stored in front of a deletion, and a comprehension gives back
        // a name that nothing reads.
        let all = rejected + survivors.len();
        assert!(all > 200, "only {all} mutants");
        let (dead, missed): (Vec<_>, Vec<_>) =
            survivors.into_iter().partition(|survivor| survivor.starts_with("StoreLocal("));
        assert!(missed.is_empty() && dead.len() <= 6, "{missed:?}\n{}", dead.join("\n"));
    }
}

/// The function of that body.
fn inner(body: &str, version: u8) -> Lowered {
    match lowered(&function(body), version).consts.into_iter().next() {
        Some(LoweredConst::Code(code)) => *code,
        _ => panic!("a module that makes a function first"),
    }
}

#[test]
fn handlers_of_six_values_go_in_lockstep() {
    let body = "try:\n    a()\nexcept b as e:\n    c()";
    let source = inner(body, 10);
    let made = || {
        let mut made = inner(body, 10);
        let name = made.variables.iter().position(|variable| variable.name == *"e").expect("a local") as u32;
        let is_none = |value: &LoweredConst| matches!(value, LoweredConst::Value(Const::None));
        let none = made.consts.iter().position(is_none).expect("a constant") as u32;
        let call =
            |of: u32| [Op::LoadLocal(of), Op::Call { positional: 0, layout: CallLayout::Plain }, Op::Pop];
        let unbind = [Op::Const(none), Op::StoreLocal(name), Op::DeleteLocal(name)];
        let matches =
            [Op::Copy(1), Op::LoadLocal(1), Op::ExceptionMatch, Op::JumpIf(JumpCondition::False, 23)];
        let mut ops = [&call(0)[..], &[Op::Jump(24)], &matches].concat();
        ops.extend([Op::Pop, Op::StoreLocal(name), Op::Pop]);
        ops.extend([&call(2)[..], &[Op::PopExcept], &unbind, &[Op::Jump(24)]].concat());
        ops.extend([&unbind[..], &[Op::Reraise(false)], &[Op::Reraise(false)]].concat());
        ops.extend([Op::Const(none), Op::Return]);
        let region = |start, end, handler, depth| Region { start, end, handler, depth, lasti: false };
        made.regions = vec![region(0, 3, 4, 0), region(11, 14, 19, 3)];
        made.features.six_value_handlers = true;
        made.ops = ops;
        made
    };
    assert_eq!(compared(&made(), &source), Ok(()));
    assert!(in_lockstep(&made(), &source));
    // None of these goes in lockstep if it does something else.
    for at in 0..made().ops.len() - 1 {
        for op in [Op::Nop, Op::Pop, Op::PopExcept, Op::Rot(4), Op::Copy(1), Op::Copy(2), Op::Reraise(false)]
        {
            let mut mutant = made();
            mutant.ops[at] = op;
            drop(compared(&mutant, &source));
        }
        let mut mutant = made();
        mutant.ops.swap(at, at + 1);
        drop(compared(&mutant, &source));
    }
    for depth in 0..4 {
        let mut mutant = made();
        mutant.regions[1].depth = depth;
        assert_eq!(in_lockstep(&mutant, &source), depth == 3);
    }
}

#[test]
fn what_one_side_has_copied_goes_in_lockstep() {
    let inner = |body: &str| inner(body, 12);
    let shared = inner("while a:\n    if b:\n        b()\n    else:\n        c()\n    a.x\nreturn b");
    let copied =
        inner("while a:\n    if b:\n        b()\n        a.x\n    else:\n        c()\n        a.x\nreturn b");
    assert!(in_lockstep(&shared, &copied) && in_lockstep(&copied, &shared));
    let other =
        inner("while a:\n    if b:\n        b()\n        a.x\n    else:\n        c()\n        a.y\nreturn b");
    assert!(!in_lockstep(&shared, &other) && !in_lockstep(&other, &shared));
}

#[test]
fn code_objects_are_values() {
    let code = |body: &str| format!("def g():\n    return {body}\nreturn a(g.__code__, g.__code__.co_name)");
    alike(&code("b"), &code("b"));
    apart(&code("b"), &code("c"));
    let same_code = "def g():\n    return b\nh = g\nreturn g.__code__ is h.__code__";
    alike(same_code, same_code);
    apart(same_code, "def g():\n    return b\ndef h():\n    return b\nreturn g.__code__ is h.__code__");
}

#[test]
fn constants_of_nested_functions() {
    let set = |items: &str| function(&format!("return (lambda x: x in {items}).__code__.co_consts[-1]"));
    same(&set("{1, 2}"), &set("{2, 1}"));
    different(&set("{1, 2}"), &set("{1, 3}"));
    different(&set("{1, 2}"), &set("[1, 2]"));
    let class = |name: &str, value: &str, index: u32| {
        function(&format!(
            "def g():\n    class {name}:\n        a = {value}\nreturn g.__code__.co_consts[{index}]"
        ))
    };
    // Up to 3.13 the docstring, or None, comes first.
    for (version, index) in [(8, 1), (12, 1), (13, 1), (14, 0), (15, 0)] {
        let compare = |a: &str, b: &str| compared(&lowered(a, version), &lowered(b, version));
        let original = class("Q", "1", index);
        assert_eq!(compare(&original, &original), Ok(()), "3.{version}");
        assert!(compare(&original, &class("Q", "2", index)).is_err(), "3.{version}");
        assert!(compare(&original, &class("P", "1", index)).is_err(), "3.{version}");
        assert!(compare(&original, &class("Q", "1", index + 1)).is_err(), "3.{version}");
    }
}

#[test]
fn nobody_sees_in_which_order_the_places_of_cells_are_stored() {
    let made = || inner("x = [[a for i in a] for j in b]\nfor i, j in c:\n    lambda: (i, j)", 12);
    let source = made();
    let stores = |ops: &[Op]| matches!(ops, [Op::Swap(3), Op::StoreLocal(_), Op::StoreLocal(_), Op::Jump(_)]);
    let at = source.ops.windows(4).position(stores).expect("the variables are given back");
    let (first, second) = (source.ops[at + 1], source.ops[at + 2]);
    let with = |ops: [Op; 3]| {
        let mut other = made();
        other.ops[at..at + 3].copy_from_slice(&ops);
        other
    };
    // The value lies on top of both.
    let turned = with([Op::Rot(3), second, first]);
    assert_eq!(compared(&turned, &source), Ok(()));
    assert!(in_lockstep(&turned, &source));
    assert!(compared(&with([Op::Rot(3), first, second]), &source).is_err());
}

#[test]
fn code_behind_a_graph_break_goes_on_with_iterators_that_have_begun() {
    let source = |name: &str| format!("def {name}(a):\n    for b in a:\n        b()");
    let goes_on = |name: &str| {
        let mut begun = lowered(&source(name), 13);
        let inner = begun.consts.iter_mut().find_map(|value| match value {
            LoweredConst::Code(code) => Some(code),
            LoweredConst::Value(_) => None,
        });
        { &mut inner.expect("a function").ops }
            .iter_mut()
            .filter(|op| **op == Op::GetIter)
            .for_each(|op| *op = Op::Nop);
        compared(&begun, &lowered(&source(name), 13))
    };
    assert_eq!(goes_on("torch_dynamo_resume_in_f_at_1"), Ok(()));
    assert!(goes_on("f").is_err());
}
