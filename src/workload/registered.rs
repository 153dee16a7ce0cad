//! The data sets that pgperf has loaded: the rows of `pgperf.data_sets`.

use super::family::Family;
use super::given::Given;
use super::params::Params;
use super::scale::Scale;
use crate::catalog::node;
use crate::error::Result;
use crate::pg::catalog::role;
use crate::pg::sql::spi;
use serde::Deserialize;

/// A row of `pgperf.data_sets`.
#[derive(Debug, Default, Deserialize)]
pub struct Registered {
    /// 0: not completely loaded.
    scale: f64,
    /// The options with which the tables were loaded.
    options: Given,
    /// Those of its relations that still exist in this schema, by name.
    relations: Vec<String>,
}

/// Who loaded the tables of a data set, with the parameters that follow from it, except for their scale.
#[derive(Debug, PartialEq)]
pub enum Loaded {
    /// pgperf, at this scale; None: a load has not filled them.
    Here {
        params: Params,
        scale: Option<Scale>,
    },
    /// pgperf has loaded only some of those that are there.
    InPart(Params),
    /// Somebody else.
    Elsewhere(Params),
}

impl Loaded {
    pub fn params(&self) -> &Params {
        match self {
            Loaded::Here { params, .. } | Loaded::InPart(params) | Loaded::Elsewhere(params) => {
                params
            }
        }
    }
}

/// The data set of this family in this schema, if pgperf has loaded one.
pub fn find(family: &dyn Family, schema: &str) -> Result<Option<Registered>> {
    let Some(node_id) = node::known()? else {
        return Ok(None);
    };
    role::as_owner(|| {
        spi::select_one(
            "SELECT d.scale, d.options, ARRAY( \
                SELECT c.relname::pg_catalog.text FROM pg_catalog.pg_class c \
                  JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
                 WHERE n.nspname = d.schema_name AND c.oid = ANY (d.relations)) AS relations \
               FROM pgperf.data_sets d \
              WHERE d.node_id = $1::pg_catalog.uuid AND d.schema_name = $2 AND d.data_set = $3",
            &[node_id.into(), schema.into(), family.name().into()],
        )
    })
}

/// Who loaded the tables that a run with the given options takes. Its other options are those of the load, if all of
/// the tables are pgperf's.
pub fn loaded(
    registered: Option<&Registered>,
    family: &dyn Family,
    schema: &str,
    given: &Given,
) -> Loaded {
    let of = |options: &Given| Params::of_run(family, schema, Scale::NONE, options, given);
    let is_own = |registered: &Registered, table: &String| registered.relations.contains(table);
    if let Some(registered) = registered {
        let params = of(&registered.options);
        if (family.tables(&params).iter()).all(|table| is_own(registered, table)) {
            let scale = Some(registered.scale).filter(|&scale| scale > 0.0);
            return Loaded::Here {
                params,
                scale: scale.map(Scale::new),
            };
        }
    }
    let params = of(&Given::new());
    let tables = family.tables(&params);
    let is_known =
        registered.is_some_and(|registered| tables.iter().any(|table| is_own(registered, table)));
    match is_known {
        true => Loaded::InPart(params),
        false => Loaded::Elsewhere(params),
    }
}

/// The tables of the data set that a load replaces, if the new one lacks some of them: dropping the new one's tables
/// alone would leave those behind.
pub fn replaced(family: &dyn Family, params: &Params) -> Result<Vec<String>> {
    let registered = find(family, &params.schema)?;
    Ok(registered.map_or_else(Vec::new, |registered| {
        replaced_by(&registered, family, params)
    }))
}

fn replaced_by(registered: &Registered, family: &dyn Family, params: &Params) -> Vec<String> {
    let none = Given::new();
    let old = Params::of_run(
        family,
        &params.schema,
        Scale::NONE,
        &registered.options,
        &none,
    );
    let mut old = family.tables(&old);
    // A table that somebody has renamed is no longer a part of the data set.
    old.retain(|table| registered.relations.contains(table));
    let new = family.tables(params);
    match old.iter().all(|table| new.contains(table)) {
        true => Vec::new(),
        false => old,
    }
}

#[cfg(test)]
mod tests;
