//! A target: its catalogs, asked over a control connection as the role of the user mapping.

use super::Place;
use crate::error::{Result, failure};
use crate::pg::session::setting;
use crate::pg::sql::quote::quote_ident;
use crate::target::control::Control;
use crate::workload::family::Family;
use crate::workload::registered::Registered;
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

    fn data_set(&mut self, _: &dyn Family, _: &str) -> Result<Option<Registered>> {
        Ok(None)
    }

    fn data_set_schema(&mut self, _: &dyn Family) -> Result<Option<String>> {
        Ok(None)
    }

    fn count(&mut self, sql: &str) -> Result<Option<f64>> {
        let found: Vec<Count> = self.control.select(sql)?;
        Ok(found.into_iter().next().map(|found| found.count))
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
        _: &str,
    ) -> Result<Option<ForeignTable>> {
        for table in tables {
            if self.schema_of(table, Some(schema))?.is_some() {
                return Ok(Some(ForeignTable {
                    relation: table.clone(),
                    data_set: None,
                }));
            }
        }
        Ok(None)
    }
}
