//! The server on which a workload runs, as it is looked at before: this one, or a target.

mod here;
mod there;

pub use here::Here;
pub use there::There;

use super::family::Family;
use super::registered::Registered;
use super::tables::ForeignTable;
use crate::catalog::distributed::Placement;
use crate::error::Result;
use crate::pg::sql::spi::Cells;
use serde::Deserialize;
use std::collections::BTreeMap;

/// A database in which the tables of a workload are looked for.
pub trait Place {
    /// The name of the target; None: this server.
    fn server(&self) -> Option<&str>;

    /// The version of the target, as 100023; None: this server.
    fn target_version(&self) -> Option<u32>;

    /// The search_path of the clients' sessions, where the tables are in this schema; empty: they keep their role's.
    fn search_path(&self, schema: Option<&str>) -> String;

    /// Tries settings that the clients' sessions will have, which this argument gives.
    ///
    /// # Errors
    /// One that SET cannot change, or not to this value.
    fn check_settings(
        &mut self,
        argument: &'static str,
        settings: &BTreeMap<String, String>,
    ) -> Result<()>;

    /// The schema of a table: the given one, or the one where the search_path finds it; None: there is no such table.
    fn schema_of(&mut self, table: &str, schema: Option<&str>) -> Result<Option<String>>;

    /// The data set of this family in this schema, if pgperf has loaded one.
    fn data_set(&mut self, family: &dyn Family, schema: &str) -> Result<Option<Registered>>;

    /// The first schema of the search_path in which pgperf has loaded a data set of this family.
    fn data_set_schema(&mut self, family: &dyn Family) -> Result<Option<String>>;

    /// The number that a query counts: its only column, called `count`.
    fn count(&mut self, sql: &str) -> Result<Option<f64>>;

    /// The rows of a query that changes nothing, as texts. `search_path`: that under which it runs, as [`Place::search_path`] tells it; None: it
    /// names the schemas of all that it uses.
    fn rows(&mut self, sql: &str, search_path: Option<&str>) -> Result<Vec<Cells>>;

    fn has_function(&mut self, schema: &str, function: &str) -> Result<bool>;

    /// A table in that schema that has one of these names, but was not created by pgperf for this data set.
    fn foreign_table(
        &mut self,
        tables: &[String],
        schema: &str,
        data_set: &str,
    ) -> Result<Option<ForeignTable>>;

    /// Whether Citus is there, which distributes tables.
    fn distributes(&mut self) -> Result<bool>;

    /// Those of these tables of a schema that Citus distributes.
    fn placements(&mut self, tables: &[String], schema: &str) -> Result<Vec<Placement>>;

    /// The schema of this name, or the first of the search_path; None: there is none.
    fn schema(&mut self, name: Option<&str>) -> Result<Option<Container>>;

    fn tablespace(&mut self, name: &str) -> Result<Option<Container>>;
}

/// A schema or a tablespace, in which tables are to be created.
#[derive(Debug, Deserialize)]
pub struct Container {
    pub name: String,
    /// Whether the role may create tables in it.
    pub may_create: bool,
}

/// The target of this name, connected; None: this server.
///
/// # Errors
/// Those of the connection.
pub fn open(server: Option<&str>) -> Result<Box<dyn Place>> {
    Ok(match server {
        Some(server) => Box::new(There::open(server)?),
        None => Box::new(Here),
    })
}
