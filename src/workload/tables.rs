//! The tables of a workload: their schema, the scale they were loaded at, and whether a load may create them.

use super::{Params, Scale, TableError, Workload};
use crate::catalog::{distributed, node};
use crate::error::{Result, hinted};
use crate::pg::catalog::role;
use crate::pg::error::say;
use crate::pg::sql::quote::quote_ident;
use crate::pg::sql::spi;
use pgrx::PgLogLevel;
use serde::Deserialize;

/// Checks that the caller can find the workloads' tables, and returns their scale. As in pgbench, it is
/// the scale of the tables, not the one that was asked for.
pub fn data_scale(
    workloads: &[&'static Workload],
    schema: Option<&str>,
    given: Option<Scale>,
) -> Result<Option<Scale>> {
    let Some(first) = workloads.first() else {
        return Ok(given);
    };
    let mut found = None;
    for workload in workloads {
        let relations = (workload.relations)(&Params::of_tables(
            workload.family,
            schema.unwrap_or_default(),
            Scale::NONE,
        ));
        let schemas = schemas_of(workload, &relations, schema)?;
        found = found.or(schemas.into_iter().next());
    }
    let Some(schema) = found else {
        return Ok(given);
    };
    let Some(scale) = scale_of(first, &schema)? else {
        return Err(TableError::Missing {
            relation: first_table(first),
            workload: first.name,
            schema: None,
        }
        .into());
    };
    if let Some(given) = given.filter(|given| *given != scale) {
        let ignored = format!(
            "scale {given} is ignored: the tables of workload \"{}\" were loaded at scale {scale}",
            first.name
        );
        say(PgLogLevel::WARNING, ignored);
    }
    Ok(Some(scale))
}

fn first_table(workload: &Workload) -> String {
    let params = Params::of_tables(workload.family, "", Scale::NONE);
    let tables = (workload.relations)(&params);
    tables.into_iter().next().unwrap_or_default()
}

/// The schema of each of these tables.
///
/// # Errors
/// One of them does not exist.
pub fn schemas_of(
    workload: &Workload,
    relations: &[String],
    schema: Option<&str>,
) -> Result<Vec<String>> {
    let mut schemas = Vec::new();
    for relation in relations {
        let found = schema_of(relation, schema)?.ok_or_else(|| TableError::Missing {
            relation: relation.clone(),
            workload: workload.name,
            schema: schema.map(str::to_owned),
        })?;
        schemas.push(found);
    }
    Ok(schemas)
}

/// The scale at which the tables in this schema were loaded, whoever loaded them. If the tables show their scale, that
/// one counts: somebody may have loaded them again since pgperf did. None if they are empty or the scale is unknown.
pub fn scale_of(workload: &Workload, schema: &str) -> Result<Option<Scale>> {
    #[derive(Deserialize)]
    struct Found {
        scale: f64,
    }
    let family = workload.family;
    let params = Params::of_tables(family, schema, Scale::NONE);
    let found: Option<Found> = match family.count_scale(&params) {
        Some(sql) => spi::select_one(
            &format!("SELECT s.scale::pg_catalog.float8 FROM ({sql}) AS s (scale)"),
            &[],
        )?,
        None => {
            let node_id = node::local_node()?;
            let tables = family.tables(&params);
            role::as_owner(|| {
                spi::select_one(
                    LOADED,
                    &[
                        node_id.into(),
                        schema.into(),
                        family.name().into(),
                        tables.into(),
                    ],
                )
            })?
        }
    };
    let scale = found.map(|found| found.scale).filter(|&scale| scale > 0.0);
    Ok(scale.map(Scale::new))
}

/// The scale of the tables $4, if all of them exist and are those that pgperf loaded.
const LOADED: &str = "SELECT d.scale::pg_catalog.float8 AS scale FROM pgperf.data_sets d \
     WHERE d.node_id = $1::pg_catalog.uuid AND d.schema_name = $2 AND d.data_set = $3 \
       AND pg_catalog.cardinality($4::pg_catalog.name[]) = \
           (SELECT pg_catalog.count(*) FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
             WHERE n.nspname = $2 AND c.relname = ANY ($4::pg_catalog.name[]) AND c.oid = ANY (d.relations))";

/// The schema of a table: the given one, or the one where the caller's search_path finds it.
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

/// The schema where `init` creates its tables: the given one, which must exist, or the first of the search_path.
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

/// Checks, before a load drops anything, that a tablespace exists and that the caller may create tables in it.
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

/// Refuses to drop or truncate tables that pgperf did not create.
pub fn refuse_foreign_tables(tables: &[String], schema: &str) -> Result<()> {
    match foreign_table(tables, schema)? {
        Some(relation) => Err(TableError::Foreign { relation }.into()),
        None => Ok(()),
    }
}

/// Refuses to drop or truncate tables that Citus distributes, whoever created them: the load would make local tables.
pub fn refuse_distributed_tables(tables: &[String], schema: &str) -> Result<()> {
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
        &[schema.into(), tables.to_vec().into(), distributed.into()],
    )?;
    match found {
        Some(Found { relation }) => Err(TableError::Distributed { relation }.into()),
        None => Ok(()),
    }
}

/// A table in that schema that has one of these names, but was not created by pgperf.
pub fn foreign_table(tables: &[String], schema: &str) -> Result<Option<String>> {
    #[derive(Deserialize)]
    struct Foreign {
        relation: String,
    }
    let node_id = node::local_node()?;
    let foreign: Option<Foreign> = role::as_owner(|| {
        spi::select_one(
            "SELECT c.relname AS relation FROM pg_catalog.pg_class c \
               JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
              WHERE n.nspname = $1 AND c.relname = ANY ($2) \
                AND NOT EXISTS (SELECT FROM pgperf.data_sets d \
                                 WHERE d.node_id = $3::pg_catalog.uuid \
                                   AND c.oid = ANY (d.relations)) \
              ORDER BY c.relname",
            &[schema.into(), tables.to_vec().into(), node_id.into()],
        )
    })?;
    Ok(foreign.map(|foreign| foreign.relation))
}
