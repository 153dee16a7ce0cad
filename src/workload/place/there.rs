//! A target: its catalogs, asked over a control connection as the role of the user mapping.

use super::{Container, Place};
use crate::catalog::distributed::{CATALOG, Catalog, Placement, placements_sql};
use crate::error::{Result, failure};
use crate::pg::session::setting;
use crate::pg::sql::quote::{quote_ident, quote_literal};
use crate::pg::sql::spi::Cells;
use crate::target::control::Control;
use crate::workload::family::Family;
use crate::workload::registered::Registered;
use crate::workload::registered::on_target::OnTarget;
use crate::workload::tables::ForeignTable;
use serde::Deserialize;
use std::collections::BTreeMap;

/// A target.
pub struct There {
    server: String,
    control: Control,
    /// The search_path of the role's sessions.
    path: String,
}

impl There {
    /// # Errors
    /// Those of the connection.
    pub fn open(server: &str) -> Result<There> {
        let mut control = Control::open(server)?;
        Ok(There {
            server: server.to_owned(),
            path: control.search_path()?,
            control,
        })
    }
}

impl There {
    /// The relations of a schema that have labels, and those with these names.
    fn labelled(&mut self, schema: &str, names: &[String]) -> Result<OnTarget> {
        let rows = self.control.select(&OnTarget::query(schema, names))?;
        Ok(OnTarget::new(rows))
    }

    /// Those of the search_path that exist.
    fn searched_schemas(&mut self) -> Result<Vec<String>> {
        let found: Vec<Found> = self.control.select_under(
            &self.path,
            "SELECT pg_catalog.unnest(pg_catalog.current_schemas(false)) AS schema",
            &[],
        )?;
        Ok(found.into_iter().map(|found| found.schema).collect())
    }
}

#[derive(Deserialize)]
struct Count {
    count: f64,
}

#[derive(Deserialize)]
struct Found {
    schema: String,
}

#[derive(Deserialize)]
struct FunctionLookup {
    exists: bool,
}

impl Place for There {
    fn server(&self) -> Option<&str> {
        Some(&self.server)
    }

    fn target_version(&self) -> Option<u32> {
        Some(self.control.version())
    }

    /// A pooler may not let a session change it, so it is changed only where somebody wants that.
    fn search_path(&self, schema: Option<&str>) -> String {
        schema.map_or_else(String::new, |schema| {
            setting::joined(&quote_ident(schema), &self.path)
        })
    }

    fn check_settings(
        &mut self,
        argument: &'static str,
        settings: &BTreeMap<String, String>,
    ) -> Result<()> {
        for (name, value) in settings {
            self.control.try_setting(name, value).map_err(|error| {
                let message = format!("setting \"{name}\" cannot be set for a run: {error}");
                failure(error.sqlstate(), message).hinting(format!(
                    "{argument} accepts only parameters that SET can change in a session of server \"{}\".",
                    self.server
                ))
            })?;
        }
        Ok(())
    }

    fn schema_of(&mut self, table: &str, schema: Option<&str>) -> Result<Option<String>> {
        let found: Vec<Found> = match schema {
            Some(schema) => self.control.select_with(
                "SELECT n.nspname AS schema FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace \
                  WHERE c.relname = $1::name AND n.nspname = $2::name",
                &[table, schema],
            )?,
            None => self.control.select_under(
                &self.path,
                "SELECT n.nspname AS schema FROM pg_catalog.pg_class c \
                   JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace \
                  WHERE c.oid OPERATOR(pg_catalog.=) pg_catalog.to_regclass(pg_catalog.quote_ident($1))",
                &[table],
            )?,
        };
        Ok(found.into_iter().next().map(|found| found.schema))
    }

    fn data_set(&mut self, family: &dyn Family, schema: &str) -> Result<Option<Registered>> {
        Ok(self.labelled(schema, &[])?.registered(family.name()))
    }

    fn data_set_schema(&mut self, family: &dyn Family) -> Result<Option<String>> {
        for schema in self.searched_schemas()? {
            if self.data_set(family, &schema)?.is_some() {
                return Ok(Some(schema));
            }
        }
        Ok(None)
    }

    fn count(&mut self, sql: &str) -> Result<Option<f64>> {
        let found: Vec<Count> = self.control.select(sql)?;
        Ok(found.into_iter().next().map(|found| found.count))
    }

    fn rows(&mut self, sql: &str, search_path: Option<&str>) -> Result<Vec<Cells>> {
        let path = search_path.map(|path| match path {
            "" => self.path.clone(),
            path => path.to_owned(),
        });
        self.control.cells(sql, path.as_deref())
    }

    fn has_function(&mut self, schema: &str, function: &str) -> Result<bool> {
        let found: Vec<FunctionLookup> = self.control.select_with(
            "SELECT EXISTS (SELECT FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace \
              WHERE n.nspname = $1::name AND p.proname = $2::name) AS exists",
            &[schema, function],
        )?;
        Ok(found.iter().any(|found| found.exists))
    }

    fn foreign_table(
        &mut self,
        tables: &[String],
        schema: &str,
        data_set: &str,
    ) -> Result<Option<ForeignTable>> {
        let there = self.labelled(schema, tables)?;
        Ok(there.foreign_table(tables, data_set))
    }

    fn distributes(&mut self) -> Result<bool> {
        let found: Vec<Catalog> = self.control.select(CATALOG)?;
        Ok(found.iter().any(|found| found.is_there))
    }

    fn placements(&mut self, tables: &[String], schema: &str) -> Result<Vec<Placement>> {
        if !self.distributes()? {
            return Ok(Vec::new());
        }
        let names: Vec<String> = tables.iter().map(|table| quote_literal(table)).collect();
        let names = format!("ARRAY[{}]", names.join(", "));
        self.control
            .select(&placements_sql(&quote_literal(schema), &names))
    }

    fn schema(&mut self, name: Option<&str>) -> Result<Option<Container>> {
        let name = match name {
            Some(name) => Some(name.to_owned()),
            None => self.searched_schemas()?.into_iter().next(),
        };
        let Some(name) = name else {
            return Ok(None);
        };
        let found = self.control.select_with(
            "SELECT n.nspname AS name, has_schema_privilege(n.oid, 'CREATE') AS may_create \
               FROM pg_namespace n WHERE n.nspname = $1::name",
            &[&name],
        )?;
        Ok(found.into_iter().next())
    }

    fn tablespace(&mut self, name: &str) -> Result<Option<Container>> {
        let found = self.control.select_with(
            "SELECT t.spcname AS name, has_tablespace_privilege(t.oid, 'CREATE') AS may_create \
               FROM pg_tablespace t WHERE t.spcname = $1::name",
            &[name],
        )?;
        Ok(found.into_iter().next())
    }
}
