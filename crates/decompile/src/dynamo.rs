//! Facts about the code that Dynamo writes, as far as source depends on them.
//!
//! Seen in torch 2.4 to 2.15 (`torch/_dynamo/output_graph.py`, `torch/_dynamo/codegen.py`).

use depyf_bytecode::{CodeObject, Function, Op, VarId, stack_effect};
use depyf_syntax::ast::{Expr, ExprKind};
use depyf_value::PyStr;

use crate::flow::target_of;

/// Globals that Dynamo installs under names of its own, each bound once: compiled graphs, resume functions,
/// modules, the builtins. No code binds them again, so reading one early or late is the same.
const INSTALLED: [&str; 4] = ["__compiled_fn_", "__resume_at_", NAMESPACES[0], NAMESPACES[1]];

/// Those of them that are modules, or the builtins.
const NAMESPACES: [&str; 2] = ["__import_", "__builtins_dict__"];

/// The builtin function, which looks like one of them.
const IMPORT: &str = "__import__";

/// Locals that hold what a compiled graph returned: a tuple or list that nothing else refers to.
const GRAPH_OUTPUT: &str = "graph_out_";

/// Whether Dynamo installed the global.
pub(crate) fn is_installed_global(name: &PyStr) -> bool {
    begins_with(name, &INSTALLED)
}

/// Whether the global is a module, or the builtins, that Dynamo installed: a read from it runs no user code.
pub(crate) fn is_installed_namespace(name: &PyStr) -> bool {
    begins_with(name, &NAMESPACES)
}

/// Whether the name of a global is Dynamo's, and begins with one of these.
fn begins_with(name: &PyStr, prefixes: &[&str]) -> bool {
    // Nearly all names differ in their first letters already.
    let is_own = |name: &str| prefixes.iter().any(|prefix| name.starts_with(prefix)) && name != IMPORT;
    name.as_str().is_some_and(|name| name.starts_with("__") && is_own(name))
}

/// Whether the global is a resume function, or what makes one from a tuple of cells.
pub(crate) fn is_resume_function(name: &PyStr) -> bool {
    name.as_str().is_some_and(|name| name.starts_with("__resume_at_"))
}

/// Whether the code goes on behind a graph break, as Dynamo makes it for itself to compile.
pub(crate) fn goes_on_behind_break(code: &CodeObject) -> bool {
    code.name.as_str().is_some_and(|name| name.starts_with("torch_dynamo_resume_in_"))
}

/// Whether the parameter of a resume function is a value that was on the stack at the graph break.
pub(crate) fn is_stack_parameter(name: &PyStr) -> bool {
    name.as_str().is_some_and(|name| name.starts_with("___stack"))
}

/// What is known of the parameters of a resume function: what was on the stack at the graph break is on it again when control
/// jumps behind that (`torch/_dynamo/resume_execution.py`).
#[derive(Debug, Default)]
pub(crate) struct StackParameters {
    /// Parts of an f-string: texts that were formatted before the break.
    pub(crate) texts: Vec<VarId>,
    /// Lists, sets and dicts that are not complete yet, so that nothing else knows them.
    pub(crate) containers: Vec<VarId>,
}

impl StackParameters {
    /// Those of a function; none where it is no resume function.
    pub(crate) fn of(code: &CodeObject, function: &Function) -> Self {
        let mut found = Self::default();
        if !goes_on_behind_break(code) {
            return found;
        }
        let is_stack = |variable: VarId| {
            function.variables.get(variable as usize).is_some_and(|known| is_stack_parameter(&known.name))
        };
        // From where to go on, and which parameter each value on the stack is there, as far as that is known.
        let mut ways: Vec<(u32, Vec<Option<VarId>>)> = vec![(0, Vec::new())];
        let mut seen = vec![false; function.instructions.len()];
        let mut copied = 0;
        while let Some((mut at, mut stack)) = ways.pop() {
            while let Some(instruction) = function.instructions.get(at as usize) {
                if std::mem::replace(&mut seen[at as usize], true) {
                    break;
                }
                at += 1;
                match instruction.op {
                    op if op.leaves() => break,
                    Op::Jump(to) => at = to,
                    op => {
                        if let Some(to) = target_of(op) {
                            copied += stack.len();
                            if copied > MOST_COPIED {
                                return found;
                            }
                            let mut other = stack.clone();
                            go_past(op, true, &mut other, function);
                            ways.push((to, other));
                        }
                        found.learn(op, &stack);
                        match op {
                            Op::LoadLocal(variable) => {
                                stack.push(Some(variable).filter(|&variable| is_stack(variable)));
                            }
                            op => go_past(op, false, &mut stack, function),
                        }
                    }
                }
            }
        }
        found
    }

    /// What an operation tells of the values that it finds on the stack.
    fn learn(&mut self, op: Op, stack: &[Option<VarId>]) {
        let items = match op {
            Op::BuildString(count) => {
                let first = stack.len().saturating_sub(count as usize);
                self.texts.extend(stack[first..].iter().flatten());
                return;
            }
            Op::MapAdd(_) => 2,
            _ => 1,
        };
        if let Op::ListAppend(depth)
        | Op::ListExtend(depth)
        | Op::SetAdd(depth)
        | Op::SetUpdate(depth)
        | Op::MapAdd(depth)
        | Op::DictUpdate(depth)
        | Op::DictMerge(depth) = op
        {
            let container = stack.len().checked_sub(items + depth as usize).and_then(|at| stack[at]);
            self.containers.extend(container);
        }
    }
}

/// How many values the stacks of several ways may hold.
const MOST_COPIED: usize = 1 << 20;

/// What is known of the stack behind an operation.
fn go_past(op: Op, jumps: bool, stack: &mut Vec<Option<VarId>>, function: &Function) {
    let change = stack_effect(op, jumps, &function.features);
    let height = (stack.len() as i64 + change).max(0) as usize;
    match op {
        Op::Swap(depth) | Op::Rot(depth) => {
            stack.iter_mut().rev().take(depth as usize).for_each(|value| *value = None);
        }
        // These leave all below what they take as it is, and bring nothing or something new.
        Op::Const(_)
        | Op::LoadLocal(_)
        | Op::LoadGlobal(_)
        | Op::PushNull
        | Op::ForIter { .. }
        | Op::StoreLocal(_)
        | Op::Pop
        | Op::JumpIf(..)
        | Op::JumpIfOrPop(..)
        | Op::ListAppend(_)
        | Op::ListExtend(_)
        | Op::SetAdd(_)
        | Op::SetUpdate(_)
        | Op::MapAdd(_)
        | Op::DictUpdate(_)
        | Op::DictMerge(_) => stack.truncate(height),
        // Most operations leave one value in the place of their operands. Those that do not only let less be known.
        _ => stack.truncate(height.min(stack.len()).saturating_sub(1)),
    }
    stack.resize(height, None);
}

/// Whether Dynamo wrote the code object, which packs and unpacks frames with lists: what it builds there is nobody's
/// display. In code of the user's a container stands where it was written.
pub(crate) fn packs_values(code: &CodeObject) -> bool {
    let is_own = |name: &PyStr| name.as_str().is_some_and(is_own_local) || is_graph_output(name);
    code.names.iter().any(is_installed_global)
        || code.varnames.iter().any(is_own)
        || goes_on_behind_break(code)
}

/// Whether the local holds a compiled graph's outputs.
pub(crate) fn is_graph_output(name: &PyStr) -> bool {
    name.as_str().is_some_and(|name| name.starts_with(GRAPH_OUTPUT))
}

/// Whether the variable is one that Dynamo keeps a value in on the way, which reads better as a statement.
pub(crate) fn is_temporary(name: &Expr) -> bool {
    let ExprKind::Name(name) = &name.kind else { return false };
    let prefixes = ["tmp_", GRAPH_OUTPUT];
    let is_kept = |name: &str| prefixes.iter().any(|prefix| name.starts_with(prefix)) || is_own_local(name);
    name.as_str().is_some_and(is_kept)
}

/// Whether a local has one of the names that Dynamo gives, as `___stack0`: underscores alone are a name that people give.
fn is_own_local(name: &str) -> bool {
    name.strip_prefix("___").is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_alphabetic()))
}

#[cfg(test)]
mod tests {
    use depyf_bytecode::{Conversion, Instruction, decode};
    use depyf_value::PyVersion;

    use super::*;

    /// What is known of the parameters of a function that begins with all of them on the stack: the texts, the containers.
    fn known(name: &str, behind: &[Op]) -> [Vec<VarId>; 2] {
        let varnames = ["___stack0", "___stack1", "___stack2", "___stack3", "x"].map(PyStr::new).to_vec();
        let code =
            CodeObject { name: name.into(), varnames, argcount: 4, ..CodeObject::empty(PyVersion(12)) };
        let mut function = decode(&code).expect("an empty function");
        let prologue = [Op::LoadLocal(0), Op::LoadLocal(1), Op::LoadLocal(2), Op::LoadLocal(3)];
        // What lies between is passed by a jump.
        let ops = [prologue.as_slice(), &[Op::Jump(6), Op::Return], behind].concat();
        let instruction =
            |(at, op)| Instruction { op, offset: 2 * at as u32, line: None, column: None, width: 0 };
        function.instructions = ops.into_iter().enumerate().map(instruction).collect();
        let StackParameters { texts, containers } = StackParameters::of(&code, &function);
        [texts, containers]
    }

    const RESUMED: &str = "torch_dynamo_resume_in_f_at_1";

    #[test]
    fn parts_of_an_f_string_are_texts_but_for_what_it_formats() {
        let format = Op::Format { conversion: Conversion::None, spec: false };
        let mut behind = vec![Op::LoadLocal(4), Op::Pop, format, Op::BuildString(3), Op::Return];
        assert_eq!(known(RESUMED, &behind), [vec![1, 2], vec![]]);
        assert_eq!(known("f", &behind), [vec![], vec![]]);
        let exhausted = 10;
        let goes_through = [Op::LoadLocal(4), Op::ForIter { exhausted, slots: 1, pops: true }];
        let inside = [Op::Pop, Op::Jump(7)];
        let loops = [goes_through.as_slice(), &inside, &[format, Op::BuildString(3), Op::Return]].concat();
        assert_eq!(known(RESUMED, &loops), [vec![1, 2], vec![]]);
        behind.insert(0, Op::Swap(3));
        assert_eq!(known(RESUMED, &behind), [vec![], vec![]]);
    }

    #[test]
    fn what_a_display_fills_on_is_not_complete() {
        let fills = |op: Op| known(RESUMED, &[op, Op::Return]);
        assert_eq!(fills(Op::ListExtend(1)), [vec![], vec![2]]);
        assert_eq!(fills(Op::SetAdd(2)), [vec![], vec![1]]);
        assert_eq!(fills(Op::MapAdd(1)), [vec![], vec![1]]);
        assert_eq!(fills(Op::Pop), [vec![], vec![]]);
    }

    #[test]
    fn underscores_alone_are_no_name_of_dynamos() {
        assert!(super::is_own_local("___stack0") && super::is_own_local("___context_manager_0_0"));
        assert!(!super::is_own_local("___") && !super::is_own_local("____") && !super::is_own_local("__x"));
    }

    #[test]
    fn the_builtin_import_is_none_of_dynamos_names() {
        let [own, builtin] = ["__import_torch", "__import__"].map(PyStr::new);
        assert!(is_installed_global(&own) && is_installed_namespace(&own));
        assert!(!is_installed_global(&builtin) && !is_installed_namespace(&builtin));
    }
}
