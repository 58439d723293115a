//! The table of variables: one numbering for all versions.

use std::collections::HashMap;

use crate::code::CodeObject;
use crate::error::{Error, missing};
use crate::function::{Variable, VariableKind};
use crate::op::VarId;
use crate::versions::{DerefIndex, VersionFacts};
use depyf_value::PyStr;

/// The table of variables, and the way from a version's own numbering to it.
#[derive(Debug)]
pub(crate) struct Variables {
    /// `varnames`, the cells that are no locals, the free variables.
    pub(crate) table: Vec<Variable>,
    /// For each index of LOAD_DEREF, the variable; `None` where both numberings are the same.
    deref: Option<Vec<VarId>>,
    locals: usize,
}

impl Variables {
    /// Builds the table. From 3.11 it is in the order that the interpreter itself numbers by.
    pub(crate) fn new(code: &CodeObject, facts: &VersionFacts) -> Self {
        let mut table: Vec<Variable> =
            Vec::with_capacity(code.varnames.len() + code.cellvars.len() + code.freevars.len());
        let local = |name: &PyStr| Variable { name: name.clone(), kind: VariableKind::Local };
        table.extend(code.varnames.iter().map(local));
        let mut deref = Vec::new();
        if !code.cellvars.is_empty() {
            let names = code.varnames.iter().enumerate().rev();
            // Of locals that are called the same, the first is found.
            let mut by_name: HashMap<&PyStr, VarId> =
                names.map(|(index, name)| (name, index as VarId)).collect();
            for name in &code.cellvars {
                let id = *by_name.entry(name).or_insert_with(|| {
                    table.push(Variable { name: name.clone(), kind: VariableKind::Cell });
                    (table.len() - 1) as VarId
                });
                if let Some(variable) = table.get_mut(id as usize) {
                    variable.kind = VariableKind::Cell;
                }
                deref.push(id);
            }
        }
        for name in &code.freevars {
            deref.push(table.len() as VarId);
            table.push(Variable { name: name.clone(), kind: VariableKind::Free });
        }
        let deref = (facts.deref_index == DerefIndex::CellsThenFree).then_some(deref);
        // From 3.11 fast-local instructions may address cells as well: they share the frame's slots.
        let locals = if deref.is_some() { code.varnames.len() } else { table.len() };
        Self { table, deref, locals }
    }

    /// The variable that a LOAD_FAST of this argument loads.
    pub(crate) fn local(&self, arg: u32, offset: u32) -> Result<VarId, Box<Error>> {
        if (arg as usize) < self.locals { Ok(arg) } else { Err(missing(offset, "local variable", arg)) }
    }

    /// The variable that a LOAD_DEREF of this argument loads.
    pub(crate) fn deref(&self, arg: u32, offset: u32) -> Result<VarId, Box<Error>> {
        let found = match &self.deref {
            Some(map) => map.get(arg as usize).copied(),
            None => ((arg as usize) < self.table.len()).then_some(arg),
        };
        found.ok_or_else(|| missing(offset, "cell", arg))
    }

    /// Whether a variable is a cell of this function or of an enclosing one.
    pub(crate) fn is_cell(&self, id: VarId) -> bool {
        self.table.get(id as usize).is_some_and(|variable| variable.kind != VariableKind::Local)
    }
}
