//! This server: its catalogs, and the data sets that `pgperf.data_sets` knows.

use super::{Container, Place};
use crate::catalog::distributed::Placement;
use crate::catalog::{distributed, node};
use crate::error::Result;
use crate::pg::catalog::{names, role};
use crate::pg::session::setting;
use crate::pg::sql::quote::{qualified, quote_ident};
use crate::pg::sql::spi::Cells;
use crate::pg::sql::{spi, subxact};
use crate::workload::family::Family;
use crate::workload::registered::{self, Registered};
use crate::workload::script_checks::check_settings;
use crate::workload::tables::ForeignTable;
use serde::Deserialize;
use std::collections::BTreeMap;

/// This server.
pub struct Here;

#[derive(Deserialize)]
struct Count {
    count: f64,
}

#[derive(Deserialize)]
struct FunctionLookup {
    exists: bool,
}

impl Place for Here {
    fn server(&self) -> Option<&str> {
        None
    }

    fn target_version(&self) -> Option<u32> {
        None
    }

    /// The caller's, so that the clients find the same objects.
    fn search_path(&self, schema: Option<&str>) -> String {
        let path = setting::search_path();
        match schema {
            Some(schema) => setting::joined(&quote_ident(schema), &path),
            None => path,
        }
    }

    fn check_settings(
        &mut self,
        argument: &'static str,
        settings: &BTreeMap<String, String>,
    ) -> Result<()> {
        check_settings(argument, settings)
    }

    fn schema_of(&mut self, table: &str, schema: Option<&str>) -> Result<Option<String>> {
        let name = match schema {
            Some(schema) => qualified(schema, table),
            None => quote_ident(table),
        };
        let found = names::relation_named(&name).and_then(names::relation_name);
        Ok(found.map(|found| found.schema))
    }

    fn data_set(&mut self, family: &dyn Family, schema: &str) -> Result<Option<Registered>> {
        registered::find(family, schema)
    }

    fn data_set_schema(&mut self, family: &dyn Family) -> Result<Option<String>> {
        registered::schema_of(family)
    }

    fn count(&mut self, sql: &str) -> Result<Option<f64>> {
        let found: Option<Count> = spi::select_one(sql, &[])?;
        Ok(found.map(|found| found.count))
    }

    fn rows(&mut self, sql: &str, search_path: Option<&str>) -> Result<Vec<Cells>> {
        let rows = || subxact::read_only(|| spi::cells_of_author(sql));
        match search_path {
            // With the caller's rights, but not with operators that the caller's search_path finds.
            None => role::with_settings(rows),
            Some(path) => setting::with("search_path", path, rows),
        }
    }

    fn has_function(&mut self, schema: &str, function: &str) -> Result<bool> {
        let found: Option<FunctionLookup> = spi::select_one(
            "SELECT EXISTS (SELECT FROM pg_catalog.pg_proc p \
               JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) p.pronamespace \
              WHERE n.nspname OPERATOR(pg_catalog.=) $1::pg_catalog.name \
                AND p.proname OPERATOR(pg_catalog.=) $2::pg_catalog.name) AS exists",
            &[schema.into(), function.into()],
        )?;
        Ok(found.is_some_and(|found| found.exists))
    }

    fn foreign_table(
        &mut self,
        tables: &[String],
        schema: &str,
        data_set: &str,
    ) -> Result<Option<ForeignTable>> {
        let node_id = node::local_node()?;
        role::as_owner(|| {
            spi::select_one(
                "SELECT c.relname AS relation, (\
                    SELECT pg_catalog.min(d.data_set) FROM pgperf.data_sets d \
                     WHERE d.node_id = $3::pg_catalog.uuid AND c.oid = ANY (d.relations)) AS data_set \
                   FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
                  WHERE n.nspname = $1 AND c.relname = ANY ($2) \
                    AND NOT EXISTS (SELECT FROM pgperf.data_sets d \
                                     WHERE d.node_id = $3::pg_catalog.uuid AND d.data_set = $4 \
                                       AND c.oid = ANY (d.relations)) \
                  ORDER BY c.relname",
                &[
                    schema.into(),
                    tables.to_vec().into(),
                    node_id.into(),
                    data_set.into(),
                ],
            )
        })
    }

    fn distributes(&mut self) -> Result<bool> {
        distributed::is_possible()
    }

    fn placements(&mut self, tables: &[String], schema: &str) -> Result<Vec<Placement>> {
        distributed::placements(tables, schema)
    }

    fn schema(&mut self, name: Option<&str>) -> Result<Option<Container>> {
        let first = || names::searched_schemas().into_iter().next();
        let name = name.map(str::to_owned).or_else(first);
        spi::select_one(
            "SELECT n.nspname AS name, pg_catalog.has_schema_privilege(n.oid, 'CREATE') AS may_create \
               FROM pg_catalog.pg_namespace n WHERE n.nspname = $1::pg_catalog.name",
            &[name.into()],
        )
    }

    fn tablespace(&mut self, name: &str) -> Result<Option<Container>> {
        spi::select_one(
            "SELECT t.spcname AS name, pg_catalog.has_tablespace_privilege(t.oid, 'CREATE') AS may_create \
               FROM pg_catalog.pg_tablespace t WHERE t.spcname OPERATOR(pg_catalog.=) $1::pg_catalog.name",
            &[name.into()],
        )
    }
}
