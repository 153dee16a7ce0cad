//! A workload that a call names: a built-in one, or one that a user has stored.

use super::family::{Family, Workload};
use super::own::Own;
use super::params::Params;
use super::scripts::ScriptSpec;
use super::stored::{self, Definition};
use crate::error::Result;
use std::collections::BTreeMap;
use std::rc::Rc;

/// A built-in or a stored workload.
#[derive(Debug, Clone)]
pub enum Named {
    BuiltIn(&'static Workload),
    Stored(Rc<Definition>),
}

impl Named {
    pub fn name(&self) -> &str {
        match self {
            Named::BuiltIn(workload) => workload.name,
            Named::Stored(definition) => &definition.own.name,
        }
    }

    /// The family whose tables it runs on. A stored workload is a family of its own.
    pub fn family(&self) -> &dyn Family {
        match self {
            Named::BuiltIn(workload) => workload.family,
            Named::Stored(definition) => &definition.own,
        }
    }

    /// The "transaction type" of a report.
    pub fn description(&self) -> &str {
        match self {
            Named::BuiltIn(workload) => workload.description,
            Named::Stored(definition) => &definition.own.name,
        }
    }

    pub fn scripts(&self, params: &Params) -> Vec<ScriptSpec> {
        match self {
            Named::BuiltIn(workload) => (workload.scripts)(params),
            Named::Stored(definition) => definition.scripts.clone(),
        }
    }

    /// Those of the family's tables that must be there before a run.
    pub fn relations(&self, params: &Params) -> Vec<String> {
        match self {
            Named::BuiltIn(workload) => (workload.relations)(params),
            Named::Stored(definition) => definition.own.tables(params),
        }
    }

    /// The definition of a stored workload.
    pub fn stored(&self) -> Option<&Definition> {
        match self {
            Named::BuiltIn(_) => None,
            Named::Stored(definition) => Some(definition),
        }
    }

    /// What a load of it has to know about it, if it is not built in.
    pub fn own(&self) -> Option<&Own> {
        self.stored().map(|definition| &definition.own)
    }

    /// The variables with which its scripts run on these tables.
    pub fn variables(&self, params: &Params) -> BTreeMap<String, String> {
        let Some(definition) = self.stored() else {
            return BTreeMap::new();
        };
        let mut variables = definition.variables.clone();
        variables.extend(super::own::options::variables(&params.options));
        variables
    }
}

/// A built-in workload by its name or, if no stored one has just that name, by the beginning of its name.
///
/// # Errors
/// There is no such workload, or several; the hint lists all names.
pub fn named(name: &str) -> Result<Named> {
    if let Some(workload) = super::all().find(|built_in| built_in.name == name) {
        return Ok(Named::BuiltIn(workload));
    }
    if let Some(definition) = stored::find(name)? {
        definition.check_visible()?;
        return Ok(Named::Stored(Rc::new(definition)));
    }
    match super::built_in(name)? {
        Some(found) => Ok(Named::BuiltIn(found)),
        None => Err(super::unknown(name, &stored::names()?)),
    }
}
