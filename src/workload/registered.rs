//! The data sets that pgperf has loaded: the rows of `pgperf.data_sets`.

pub mod on_target;

use super::family::Family;
use super::given::Given;
use super::option::SCALE;
use super::params::Params;
use super::scale::Scale;
use crate::catalog::node;
use crate::error::Result;
use crate::pg::catalog::{names, role};
use crate::pg::sql::quote::qualified;
use crate::pg::sql::spi;
use serde::Deserialize;
use serde_json::Value;

/// A row of `pgperf.data_sets`.
#[derive(Debug, Default, Deserialize)]
pub struct Registered {
    /// 0: not completely loaded.
    scale: f64,
    /// The options with which the tables were loaded; the scale is among them if it has a fraction, which its column cannot hold.
    options: Given,
    /// Those of its relations that still exist in this schema, the last created first.
    relations: Vec<Relation>,
    /// The names of its tables; None: a load of 1.1 has not stored them.
    tables: Option<Vec<String>>,
}

/// A relation of a data set: its name, and its kind as in `pg_class`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Relation {
    pub name: String,
    pub kind: String,
}

impl Relation {
    /// Whether it holds rows of its own.
    pub fn is_table(&self) -> bool {
        matches!(self.kind.as_str(), "r" | "p" | "m")
    }
}

/// A table of that name that is not the data set's.
#[derive(Debug, Deserialize)]
pub struct ForeignTable {
    pub relation: String,
    /// The data set for which pgperf has created it; None: somebody else did.
    pub data_set: Option<String>,
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

impl Registered {
    /// The scale at which it was loaded; None: not completely.
    pub(super) fn scale(&self) -> Option<Scale> {
        let exact = self.options.get(SCALE).and_then(Value::as_f64);
        Some(self.scale)
            .filter(|&scale| scale > 0.0)
            .map(|scale| Scale::new(exact.unwrap_or(scale)))
    }

    /// The parameters with which it was loaded.
    pub(super) fn params(&self, family: &dyn Family, schema: &str) -> Params {
        self.params_of_run(family, schema, &Given::new())
    }

    /// The parameters of a run with these options.
    pub(super) fn params_of_run(&self, family: &dyn Family, schema: &str, given: &Given) -> Params {
        Params {
            tables: self.tables(),
            ..Params::of_run(family, schema, Scale::NONE, &self.options, given)
        }
    }

    /// Whether all tables that a load with these parameters makes are its own.
    pub(super) fn has_all(&self, family: &dyn Family, params: &Params) -> bool {
        family.tables(params).iter().all(|table| self.has(table))
    }

    /// Whether a table of this name is one of its own. A table that somebody has renamed no longer is.
    fn has(&self, table: &str) -> bool {
        let mut relations = self.relations.iter();
        relations.any(|relation| relation.is_table() && relation.name == table)
    }

    fn tables(&self) -> Vec<String> {
        self.tables.clone().unwrap_or_default()
    }
}

/// The data set of this family in this schema, if pgperf has loaded one.
pub fn find(family: &dyn Family, schema: &str) -> Result<Option<Registered>> {
    let Some(node_id) = node::known()? else {
        return Ok(None);
    };
    role::as_owner(|| {
        spi::select_one(
            "SELECT d.scale, d.options, d.relation_names AS tables, (\
                SELECT coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('name', c.relname, 'kind', c.relkind) \
                                ORDER BY c.oid DESC), '[]') \
                  FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
                 WHERE n.nspname = d.schema_name AND c.oid = ANY (d.relations)) AS relations \
               FROM pgperf.data_sets d \
              WHERE d.node_id = $1::pg_catalog.uuid AND d.schema_name = $2 AND d.data_set = $3",
            &[node_id.into(), schema.into(), family.name().into()],
        )
    })
}

/// The first schema of the caller's search_path in which pgperf has loaded a data set of this family.
pub fn schema_of(family: &dyn Family) -> Result<Option<String>> {
    #[derive(Deserialize)]
    struct LoadedSchema {
        schema_name: String,
    }
    let path = names::searched_schemas();
    let Some(node_id) = node::known()? else {
        return Ok(None);
    };
    let found: Option<LoadedSchema> = role::as_owner(|| {
        spi::select_one(
            "SELECT d.schema_name FROM pgperf.data_sets d \
              WHERE d.node_id = $1::pg_catalog.uuid AND d.data_set = $2 AND d.schema_name = ANY ($3) \
              ORDER BY pg_catalog.array_position($3, d.schema_name)",
            &[node_id.into(), family.name().into(), path.into()],
        )
    })?;
    Ok(found.map(|found| found.schema_name))
}

/// The statements that drop these relations. Views depend on tables, and tables on sequences; those created last come first. Tables
/// go in one statement: they may refer to each other.
pub fn drop_statements(relations: &[Relation], schema: &str) -> Vec<String> {
    let names = |kinds: &[&str]| -> Vec<String> {
        let those = relations.iter();
        let those = those.filter(|relation| kinds.contains(&relation.kind.as_str()));
        those
            .map(|relation| qualified(schema, &relation.name))
            .collect()
    };
    let views = relations.iter().filter_map(|relation| {
        let kind = match relation.kind.as_str() {
            "v" => "VIEW",
            "m" => "MATERIALIZED VIEW",
            _ => return None,
        };
        Some(format!("DROP {kind} {}", qualified(schema, &relation.name)))
    });
    let mut statements: Vec<String> = views.collect();
    for (kind, names) in [
        ("TABLE", names(&["r", "p"])),
        ("FOREIGN TABLE", names(&["f"])),
        ("SEQUENCE", names(&["S"])),
    ] {
        if !names.is_empty() {
            statements.push(format!("DROP {kind} IF EXISTS {}", names.join(", ")));
        }
    }
    statements
}

/// Who loaded the tables that a run with the given options takes. Its other options are those of the load, if all of
/// the tables are pgperf's.
pub fn loaded(
    registered: Option<&Registered>,
    family: &dyn Family,
    schema: &str,
    given: &Given,
) -> Loaded {
    let of = |options: &Given| Params {
        tables: registered.map_or_else(Vec::new, Registered::tables),
        ..Params::of_run(family, schema, Scale::NONE, options, given)
    };
    if let Some(registered) = registered {
        let params = of(&registered.options);
        if registered.has_all(family, &params) {
            return Loaded::Here {
                params,
                scale: registered.scale(),
            };
        }
    }
    let params = of(&Given::new());
    let tables = family.tables(&params);
    let is_known =
        registered.is_some_and(|registered| tables.iter().any(|table| registered.has(table)));
    match is_known {
        true => Loaded::InPart(params),
        false => Loaded::Elsewhere(params),
    }
}

/// What a load drops of the data set that it replaces: its tables if the new one lacks some of them, since dropping the new
/// one's tables alone would leave those behind, and everything that is no table.
pub fn replaced(
    registered: Option<&Registered>,
    family: &dyn Family,
    params: &Params,
) -> Vec<Relation> {
    let Some(registered) = registered else {
        return Vec::new();
    };
    let old = registered.params(family, &params.schema);
    let mut old = family.tables(&old);
    old.retain(|table| registered.has(table));
    let new = family.tables(params);
    let has_all = old.iter().all(|table| new.contains(table));
    let is_replaced = |relation: &&Relation| match relation.is_table() {
        true => !has_all && old.contains(&relation.name),
        false => true,
    };
    let relations = registered.relations.iter();
    relations.filter(is_replaced).cloned().collect()
}

#[cfg(test)]
mod tests;
