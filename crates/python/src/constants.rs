//! Constants that have no literal: what they are called in the source, and how comments show them.

use std::collections::HashSet;

use depyf_bytecode::Opaque;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyCode, PyRange, PyString, PyTuple, PyType};

/// Longest text of one constant in a comment.
const TEXT_LIMIT: usize = 200;

/// Names for opaque constants: one for each object, in the order in which they are met, and none that
/// the code uses itself.
pub(crate) struct Opaques<'py> {
    named: Vec<(Bound<'py, PyAny>, String)>,
    taken: HashSet<String>,
    next: usize,
}

impl<'py> Opaques<'py> {
    /// Names nothing yet; `root` is the code object whose names, nested ones too, are avoided.
    pub(crate) fn new(root: &Bound<'py, PyCode>) -> PyResult<Self> {
        let mut taken = HashSet::new();
        collect_names(root, 0, &mut taken)?;
        Ok(Self { named: Vec::new(), taken, next: 0 })
    }

    /// The constant that stands for `value`.
    pub(crate) fn get(&mut self, value: &Bound<'py, PyAny>) -> PyResult<Opaque> {
        let name = match self.named.iter().find(|(known, _)| known.is(value)) {
            Some((_, name)) => name.clone(),
            None => {
                let name = self.fresh();
                self.named.push((value.clone(), name.clone()));
                name
            }
        };
        Ok(Opaque { type_name: type_name(&value.get_type())?, repr: describe(value)?, name })
    }

    /// Names and objects, in the order in which they were met.
    pub(crate) fn into_named(self) -> Vec<(Bound<'py, PyAny>, String)> {
        self.named
    }

    fn fresh(&mut self) -> String {
        loop {
            let name = format!("__const_{}", self.next);
            self.next += 1;
            if !self.taken.contains(&name) {
                return name;
            }
        }
    }
}

/// All names in the code that look like ours.
fn collect_names(code: &Bound<'_, PyAny>, depth: usize, into: &mut HashSet<String>) -> PyResult<()> {
    for table in ["co_names", "co_varnames", "co_cellvars", "co_freevars"] {
        for name in code.getattr(table)?.cast::<PyTuple>()? {
            let Ok(name) = name.cast::<PyString>() else { continue };
            let name = name.to_string_lossy();
            if name.starts_with("__const_") {
                into.insert(name.into_owned());
            }
        }
    }
    // The reader refuses code that is nested deeper, so names further down cannot matter.
    if depth < crate::reader::DEPTH_LIMIT {
        for inner in code.getattr("co_consts")?.cast::<PyTuple>()? {
            if inner.cast::<PyCode>().is_ok() {
                collect_names(&inner, depth + 1, into)?;
            }
        }
    }
    Ok(())
}

fn type_name(class: &Bound<'_, PyType>) -> PyResult<String> {
    let module: String = class.getattr(intern!(class.py(), "__module__"))?.str()?.to_string();
    let name = class.qualname()?.to_string();
    Ok(if module == "builtins" { name } else { format!("{module}.{name}") })
}

/// One line about the object, the same in every run.
///
/// An arbitrary `__repr__` is never called: it may print a model's weights, wait for a GPU or have an
/// effect. Only values whose repr is known to be short and pure show it.
fn describe(value: &Bound<'_, PyAny>) -> PyResult<String> {
    let py = value.py();
    let text = if let Ok(class) = value.cast::<PyType>() {
        format!("<class {}>", type_name(class)?)
    } else if value.cast::<PyRange>().is_ok() || is_plain_torch_value(value)? {
        value.repr()?.to_string()
    } else {
        let class = type_name(&value.get_type())?;
        let is_callable = matches!(
            class.as_str(),
            "function" | "method" | "builtin_function_or_method" | "method_descriptor" | "wrapper_descriptor"
        );
        if is_callable && let Ok(name) = value.getattr(intern!(py, "__qualname__")) {
            format!("<{class} {name}>")
        } else if class == "module" {
            format!("<module {}>", value.getattr(intern!(py, "__name__"))?)
        } else if matches!(class.as_str(), "dict" | "list" | "set") {
            format!("<{class} of {} items>", value.len()?)
        } else {
            format!("<{class} object>")
        }
    };
    Ok(text.chars().filter(|letter| !letter.is_control()).take(TEXT_LIMIT).collect())
}

fn is_plain_torch_value(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    let class = type_name(&value.get_type())?;
    Ok(matches!(class.as_str(), "torch.dtype" | "torch.device" | "torch.layout" | "torch.memory_format"))
}
