//! Reads a live code object by its attributes.
//!
//! `marshal.dumps` is no way in: it refuses the dtypes, devices, dicts and bound methods that Dynamo
//! puts among the constants.

use std::collections::HashMap;
use std::sync::Arc;

use depyf_bytecode::{CodeObject, Const};
use depyf_value::{PyInt, PyStr, PyVersion};
use pyo3::exceptions::PyRecursionError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types as py;
use pyo3::types::{PyAnyMethods, PyBytesMethods, PyComplexMethods, PyFloatMethods, PyStringMethods};

use crate::constants::Opaques;

/// How deep code objects may nest. CPython's own compiler refuses 100 levels of functions.
pub(crate) const DEPTH_LIMIT: usize = 200;

/// How deep tuples may nest and still be a literal: CPython refuses 200 levels of parentheses, and
/// others may stand around it.
const LITERAL_DEPTH_LIMIT: usize = 64;

/// Turns code objects of the running interpreter into ours.
pub(crate) struct Reader<'py> {
    version: PyVersion,
    /// Made for the first constant that has no literal: most code has none.
    opaques: Option<Opaques<'py>>,
    /// Tuples and frozensets inside others, by address, so that shared parts stay shared.
    shared: HashMap<usize, Const>,
    root: Bound<'py, py::PyCode>,
}

impl<'py> Reader<'py> {
    /// Takes the code object that will be read.
    ///
    /// # Errors
    /// `NotImplementedError` under an interpreter whose bytecode nobody has described yet.
    pub(crate) fn new(root: &Bound<'py, py::PyCode>) -> PyResult<Self> {
        let version = PyVersion(root.py().version_info().minor);
        if !version.is_supported() {
            return Err(pyo3::exceptions::PyNotImplementedError::new_err(format!(
                "depyf reads the bytecode of Python {} to {}, and this is {version}",
                PyVersion::OLDEST,
                PyVersion::NEWEST
            )));
        }
        Ok(Self { version, opaques: None, shared: HashMap::new(), root: root.clone() })
    }

    /// Reads the code object and everything in it.
    ///
    /// # Errors
    /// Where an attribute is not what every CPython gives, or nesting passes [`DEPTH_LIMIT`].
    pub(crate) fn read(&mut self) -> PyResult<CodeObject> {
        let root = self.root.clone();
        self.code(&root, 0)
    }

    /// The constants that have no literal, by the name that stands for each in the source.
    pub(crate) fn into_opaque(self) -> impl Iterator<Item = (String, Bound<'py, PyAny>)> {
        self.opaques.into_iter().flat_map(Opaques::into_named).map(|(value, name)| (name, value))
    }

    fn code(&mut self, code: &Bound<'py, py::PyCode>, depth: usize) -> PyResult<CodeObject> {
        if depth > DEPTH_LIMIT {
            return Err(PyRecursionError::new_err("code objects are nested too deep"));
        }
        let py = code.py();
        macro_rules! attribute {
            ($name:literal) => {
                code.getattr(intern!(py, $name))?
            };
        }
        let name = text(attribute!("co_name").cast()?)?;
        let fields = depyf_bytecode::code_fields(self.version);
        let has_locations = fields.qualname_and_exceptiontable;
        let linetable = if fields.linetable { attribute!("co_linetable") } else { attribute!("co_lnotab") };
        let consts = attribute!("co_consts");
        let consts = consts.cast::<py::PyTuple>()?.iter().map(|value| self.constant(&value, depth + 1, 0));
        let consts = consts.collect::<PyResult<_>>()?;
        Ok(CodeObject {
            version: self.version,
            qualname: if has_locations { text(attribute!("co_qualname").cast()?)? } else { name.clone() },
            name,
            filename: text(attribute!("co_filename").cast()?)?,
            // Zero is what CPython gives module code from 3.11 on; below zero is nothing at all.
            first_line: attribute!("co_firstlineno").extract::<i64>()?.try_into().unwrap_or(0),
            argcount: attribute!("co_argcount").extract()?,
            posonlyargcount: attribute!("co_posonlyargcount").extract()?,
            kwonlyargcount: attribute!("co_kwonlyargcount").extract()?,
            stacksize: attribute!("co_stacksize").extract()?,
            flags: attribute!("co_flags").extract()?,
            code: bytes(&attribute!("co_code"))?,
            consts,
            names: texts(&attribute!("co_names"))?,
            varnames: texts(&attribute!("co_varnames"))?,
            cellvars: texts(&attribute!("co_cellvars"))?,
            freevars: texts(&attribute!("co_freevars"))?,
            linetable: bytes(&linetable)?,
            exceptiontable: if has_locations { bytes(&attribute!("co_exceptiontable"))? } else { Vec::new() },
        })
    }

    /// Only exact types have literals: `torch.Size` is a tuple, and printing it as one would change it.
    fn constant(&mut self, value: &Bound<'py, PyAny>, depth: usize, nesting: usize) -> PyResult<Const> {
        if value.is_none() {
            return Ok(Const::None);
        }
        if let Ok(value) = value.cast_exact::<py::PyString>() {
            return Ok(Const::Str(text(value)?));
        }
        if let Ok(value) = value.cast_exact::<py::PyInt>() {
            return Ok(Const::Int(integer(value)?));
        }
        if let Ok(code) = value.cast::<py::PyCode>() {
            return Ok(Const::Code(Arc::new(self.code(code, depth)?)));
        }
        if let Ok(value) = value.cast_exact::<py::PyBool>() {
            return Ok(Const::Bool(value.is_true()));
        }
        if let Ok(value) = value.cast_exact::<py::PyFloat>() {
            return Ok(Const::Float(value.value()));
        }
        if let Ok(value) = value.cast_exact::<py::PyBytes>() {
            return Ok(Const::Bytes(value.as_bytes().into()));
        }
        if let Ok(value) = value.cast_exact::<py::PyComplex>() {
            return Ok(Const::Complex(value.real(), value.imag()));
        }
        if value.is(py::PyEllipsis::get(value.py())) {
            return Ok(Const::Ellipsis);
        }
        if value.is_exact_instance_of::<py::PyTuple>()
            || value.is_exact_instance_of::<py::PyFrozenSet>()
            || value.is_exact_instance_of::<py::PySlice>()
        {
            return self.container(value, depth, nesting + 1);
        }
        self.opaque(value)
    }

    fn container(&mut self, value: &Bound<'py, PyAny>, depth: usize, nesting: usize) -> PyResult<Const> {
        if nesting > LITERAL_DEPTH_LIMIT {
            // No literal can be that deep, but a name can stand for it.
            return self.opaque(value);
        }
        let address = value.as_ptr() as usize;
        if let Some(known) = self.shared.get(&address) {
            return Ok(known.clone());
        }
        let constant = if let Ok(items) = value.cast_exact::<py::PyTuple>() {
            let items = items.iter().map(|item| self.constant(&item, depth, nesting));
            Const::Tuple(items.collect::<PyResult<_>>()?)
        } else if let Ok(items) = value.cast_exact::<py::PyFrozenSet>() {
            let items = items.iter().map(|item| self.constant(&item, depth, nesting));
            let mut items = items.collect::<PyResult<Vec<_>>>()?;
            // A set of strings is ordered by this process's hash seed; the output must not be.
            items.sort_by_cached_key(|item| format!("{item:?}"));
            Const::FrozenSet(items.into())
        } else {
            let py = value.py();
            let start = self.constant(&value.getattr(intern!(py, "start"))?, depth, nesting)?;
            let stop = self.constant(&value.getattr(intern!(py, "stop"))?, depth, nesting)?;
            let step = self.constant(&value.getattr(intern!(py, "step"))?, depth, nesting)?;
            Const::Slice(Arc::new([start, stop, step]))
        };
        self.shared.insert(address, constant.clone());
        Ok(constant)
    }

    fn opaque(&mut self, value: &Bound<'py, PyAny>) -> PyResult<Const> {
        let opaques = match &mut self.opaques {
            Some(opaques) => opaques,
            none => none.insert(Opaques::new(&self.root)?),
        };
        Ok(Const::Opaque(Arc::new(opaques.get(value)?)))
    }
}

fn text(value: &Bound<'_, py::PyString>) -> PyResult<PyStr> {
    // A lone surrogate is the only thing that plain UTF-8 cannot hold.
    if let Ok(encoded) = value.encode_utf8()
        && let Some(text) = PyStr::from_wtf8(encoded.as_bytes())
    {
        return Ok(text);
    }
    let encoded = value.call_method1(intern!(value.py(), "encode"), ("utf-8", "surrogatepass"))?;
    let encoded = encoded.cast::<py::PyBytes>()?;
    PyStr::from_wtf8(encoded.as_bytes()).ok_or_else(|| {
        pyo3::exceptions::PyUnicodeError::new_err("a name or string is no sequence of code points")
    })
}

fn texts(tuple: &Bound<'_, PyAny>) -> PyResult<Vec<PyStr>> {
    tuple.cast::<py::PyTuple>()?.iter().map(|item| text(item.cast()?)).collect()
}

fn bytes(value: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
    Ok(value.cast::<py::PyBytes>()?.as_bytes().to_vec())
}

fn integer(value: &Bound<'_, py::PyInt>) -> PyResult<PyInt> {
    if let Ok(small) = value.extract::<i64>() {
        return Ok(PyInt::from(small));
    }
    // Hexadecimal digits have no limit of length, as decimal ones have.
    let digits = value.call_method1(intern!(value.py(), "__format__"), ("x",))?;
    let digits = digits.cast::<py::PyString>()?.to_string_lossy().into_owned();
    let magnitude = digits.strip_prefix('-');
    PyInt::from_hex(magnitude.is_some(), magnitude.unwrap_or(&digits))
        .ok_or_else(|| pyo3::exceptions::PyValueError::new_err("an int without hexadecimal digits"))
}
