//! A stored workload as a family of its own: the data set that its author's SQL creates and fills, its options, and the queries
//! that check it and measure its runs. All of this SQL runs with the rights of whoever loads, checks or runs it.

pub mod options;
pub mod query;
pub mod sql;

use crate::error::Result;
use crate::pg::sql::quote::qualified;
use crate::workload::data_set::{Action, Effect, Parts, Step, vacuum};
use crate::workload::family::{Family, Workload};
use crate::workload::option::Definition;
use crate::workload::params::Params;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sql::{AuthorSql, Values};

/// What the author has given besides scripts.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Own {
    /// That of the workload, and of its data set.
    pub name: String,
    /// The defaults of the options.
    pub options: Map<String, Value>,
    pub setup_sql: Option<String>,
    pub load_sql: Option<String>,
    pub check_sql: Option<String>,
    pub metrics_sql: Option<String>,
}

impl Own {
    /// The variables of its SQL that follow from the data set.
    pub fn values(&self, params: &Params) -> Values {
        let mut values = options::values(&params.options);
        values.insert("scale".to_owned(), params.scale.into());
        values
    }
}

impl Family for Own {
    fn name(&self) -> &str {
        &self.name
    }

    fn options(&self) -> &'static [Definition] {
        options::of(&self.options, self.has_data_set())
    }

    fn workloads(&self) -> &'static [Workload] {
        &[]
    }

    /// Only its load knows them.
    fn tables(&self, params: &Params) -> Vec<String> {
        params.tables.clone()
    }

    fn has_data_set(&self) -> bool {
        self.setup_sql.is_some()
    }

    fn data_set(&self, params: &Params) -> Result<Vec<Step>> {
        let values = self.values(params);
        let step = |title, effect, action| Step {
            title,
            effect,
            in_transaction: effect == Effect::Creates,
            actions: Vec::from_iter(action),
        };
        let setup = AuthorSql::optional("setup_sql", self.setup_sql.as_deref())?;
        let setup = setup.map(|sql| Action::Create(sql.statements(&values)));
        let load = AuthorSql::optional("load_sql", self.load_sql.as_deref())?;
        let load = load.map(|sql| {
            Action::Parts(Parts {
                count: u64::from(params.jobs.unsigned_abs()),
                values,
                sql,
            })
        });
        Ok(vec![
            step("drop tables", Effect::Drops, None),
            step("set up", Effect::Creates, setup),
            step("load", Effect::Fills, load),
            step("vacuum", Effect::Keeps, Some(Action::Vacuum)),
        ])
    }

    fn vacuum(&self, params: &Params, all: bool) -> Vec<String> {
        let tables = params.tables.iter();
        vacuum(tables.map(|table| qualified(&params.schema, table)), all)
    }
}

#[cfg(test)]
mod tests;
