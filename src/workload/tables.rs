//! The tables of a workload: where they are, at which scale they were loaded, and whether a load may make them.

use super::{DataSet, TableError, Workload};
use crate::catalog::{distributed, node};
use crate::error::{Result, hinted};
use crate::pg::catalog::role;
use crate::pg::error::say;
use crate::pg::sql::quote::quote_ident;
use crate::pg::sql::spi;
use pgrx::PgLogLevel;
use serde::Deserialize;

/// Checks that the workloads' tables are there, as the caller sees them, and tells their scale: as in
/// pgbench the tables' own, whatever was asked for.
pub fn data_scale(
    workloads: &[&'static Workload],
    schema: Option<&str>,
    given: Option<i32>,
) -> Result<Option<i32>> {
    #[derive(Deserialize)]
    struct Count {
        count: i64,
    }
    let Some(first) = workloads.first() else {
        return Ok(given);
    };
    for workload in workloads {
        for relation in workload.relations {
            let missing = || TableError::Missing {
                relation: (*relation).to_owned(),
                workload: workload.name,
                schema: schema.map(str::to_owned),
            };
            schema_of(relation, schema)?.ok_or_else(missing)?;
        }
    }
    let table = first.data_set.scale_table;
    let Some(schema) = schema_of(table, schema)? else {
        return Ok(given);
    };
    let count: Option<Count> = spi::select_one(&first.data_set.scale_sql(&schema), &[])?;
    let scale = count
        .and_then(|count| i32::try_from(count.count).ok())
        .filter(|&scale| scale > 0);
    match (scale, given) {
        (None, _) => Err(TableError::Missing {
            relation: table.to_owned(),
            workload: first.name,
            schema: None,
        }
        .into()),
        (scale, given) => {
            if let (Some(scale), Some(given)) = (scale, given)
                && scale != given
            {
                let ignored = format!(
                    "scale {given} is ignored: the tables of workload \"{}\" were loaded at scale {scale}",
                    first.name
                );
                say(PgLogLevel::WARNING, ignored);
            }
            Ok(scale)
        }
    }
}

/// In which schema a table is: in the one given, or where the caller's search_path finds it.
pub fn schema_of(table: &str, schema: Option<&str>) -> Result<Option<String>> {
    #[derive(Deserialize)]
    struct Found {
        schema: String,
    }
    let name = match schema {
        Some(schema) => {
            format!("{}.{}", quote_ident(schema), quote_ident(table))
        }
        None => quote_ident(table),
    };
    let found: Option<Found> = spi::select_one(
        "SELECT n.nspname AS schema FROM pg_catalog.pg_class c \
           JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace \
          WHERE c.oid OPERATOR(pg_catalog.=) pg_catalog.to_regclass($1)",
        &[name.into()],
    )?;
    Ok(found.map(|found| found.schema))
}

/// Where `init` makes its tables: the schema given, which must exist, or the first of the search_path.
pub fn creation_schema(schema: Option<&str>) -> Result<String> {
    #[derive(Deserialize)]
    struct Found {
        schema: Option<String>,
        may_create: Option<bool>,
    }
    let found: Option<Found> = spi::select_one(
        "SELECT n.nspname AS schema, \
                pg_catalog.has_schema_privilege(n.oid, 'CREATE') AS may_create \
         FROM pg_catalog.pg_namespace n \
         WHERE n.nspname OPERATOR(pg_catalog.=) coalesce($1::pg_catalog.name, pg_catalog.current_schema())",
        &[schema.into()],
    )?;
    match (found, schema) {
        (
            Some(Found {
                schema: Some(name),
                may_create: Some(true),
            }),
            _,
        ) => Ok(name),
        (
            Some(Found {
                schema: Some(name), ..
            }),
            _,
        ) => Err(TableError::NoCreatePrivilege { schema: name }.into()),
        (_, Some(schema)) => Err(TableError::MissingSchema {
            schema: schema.to_owned(),
        }
        .into()),
        (_, None) => Err(hinted(
            "no schema to create the tables in".to_owned(),
            "Give schema => '...' or set search_path.",
        )),
    }
}

/// Checks a tablespace before a load drops anything: it is there, and the caller may create in it.
pub fn check_tablespace(name: &str) -> Result<()> {
    #[derive(Deserialize)]
    struct Found {
        may_create: bool,
    }
    let found: Option<Found> = spi::select_one(
        "SELECT pg_catalog.has_tablespace_privilege(t.oid, 'CREATE') AS may_create \
           FROM pg_catalog.pg_tablespace t WHERE t.spcname OPERATOR(pg_catalog.=) $1::pg_catalog.name",
        &[name.into()],
    )?;
    match found {
        Some(Found { may_create: true }) => Ok(()),
        Some(Found { may_create: false }) => Err(TableError::TablespaceUnusable {
            tablespace: name.to_owned(),
            exists: true,
        }
        .into()),
        None => Err(TableError::TablespaceUnusable {
            tablespace: name.to_owned(),
            exists: false,
        }
        .into()),
    }
}

/// Refuses to drop or truncate tables that pgperf did not make.
pub fn refuse_foreign_tables(data_set: &DataSet, schema: &str) -> Result<()> {
    match foreign_table(data_set, schema)? {
        Some(relation) => Err(TableError::Foreign { relation }.into()),
        None => Ok(()),
    }
}

/// Refuses to drop or truncate tables that Citus distributes, whoever made them: the load would be of this server alone.
pub fn refuse_distributed_tables(data_set: &DataSet, schema: &str) -> Result<()> {
    #[derive(Deserialize)]
    struct Found {
        relation: String,
    }
    let distributed = distributed::tables()?;
    if distributed.is_empty() {
        return Ok(());
    }
    let found: Option<Found> = spi::select_one(
        "SELECT c.relname AS relation FROM pg_catalog.pg_class c \
           JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace \
          WHERE n.nspname OPERATOR(pg_catalog.=) $1::pg_catalog.name \
            AND c.relname OPERATOR(pg_catalog.=) ANY ($2::pg_catalog.name[]) \
            AND c.oid::pg_catalog.int8 OPERATOR(pg_catalog.=) ANY ($3) \
          ORDER BY c.relname",
        &[
            schema.into(),
            data_set.tables.to_vec().into(),
            distributed.into(),
        ],
    )?;
    match found {
        Some(Found { relation }) => Err(TableError::Distributed { relation }.into()),
        None => Ok(()),
    }
}

/// A table of that schema with the name of one of the data set's, but not made by pgperf.
pub fn foreign_table(data_set: &DataSet, schema: &str) -> Result<Option<String>> {
    #[derive(Deserialize)]
    struct Foreign {
        relation: String,
    }
    let node_id = node::local_node()?;
    let tables: Vec<&str> = data_set.tables.to_vec();
    let foreign: Option<Foreign> = role::as_owner(|| {
        spi::select_one(
            "SELECT c.relname AS relation FROM pg_catalog.pg_class c \
               JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
              WHERE n.nspname = $1 AND c.relname = ANY ($2) \
                AND NOT EXISTS (SELECT FROM pgperf.data_sets d \
                                 WHERE d.node_id = $3::pg_catalog.uuid \
                                   AND c.oid = ANY (d.relations)) \
              ORDER BY c.relname",
            &[schema.into(), tables.into(), node_id.into()],
        )
    })?;
    Ok(foreign.map(|foreign| foreign.relation))
}
