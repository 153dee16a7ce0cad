//! The workloads: what runs, on which tables, and what must then hold. The built-in ones are definitions
//! only: texts and numbers, no server; whoever runs them brings the session. Those of the users are
//! [`stored`] in a table.

mod check;
mod data_set;
mod error;
mod partition;
mod pgbench;
pub mod script_checks;
mod script_limits;
pub mod scripts;
pub mod stored;
pub mod tables;

pub use data_set::{
    Action, DataSet, Fill, InitOptions, Keys, LoadStatement, Partition, PartitionMethod, Step,
};
pub use error::{Result, ScriptError, TableError, WorkloadError};
pub use partition::hash_of_key;

/// A built-in workload.
#[derive(Debug)]
pub struct Workload {
    /// The name to call it by, such as `tpcb-like`.
    pub name: &'static str,
    /// The "transaction type" of a report, in pgbench's words.
    pub description: &'static str,
    /// One transaction, in pgbench's script language.
    pub script: &'static str,
    /// The tables it runs on; several workloads may share them.
    pub data_set: &'static DataSet,
    /// Those of the tables that must be there before a run, for the script or to tell the scale.
    pub relations: &'static [&'static str],
    checks: fn(schema: &str, scale: i32) -> Vec<Check>,
}

impl Workload {
    /// What must hold of its tables in `schema`, loaded at `scale`, for as long as only this workload
    /// has written to them.
    pub fn checks(&self, schema: &str, scale: i32) -> Vec<Check> {
        (self.checks)(schema, scale)
    }
}

/// A consistency condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// What is compared.
    pub name: String,
    /// A query of one row (passed boolean, detail text).
    pub sql: String,
}

/// All built-in workloads, the default first.
pub fn all() -> &'static [Workload] {
    &pgbench::WORKLOADS
}

/// The workload of this name, or, as for `pgbench -b`, the only one that starts like this.
///
/// # Errors
/// None or several do; the hint lists them.
pub fn find(name: &str) -> Result<&'static Workload> {
    if let Some(workload) = all().iter().find(|workload| workload.name == name) {
        return Ok(workload);
    }
    let mut candidates = all()
        .iter()
        .filter(|workload| workload.name.starts_with(name));
    match (candidates.next(), candidates.next()) {
        (Some(workload), None) => Ok(workload),
        (Some(_), Some(_)) => Err(WorkloadError::AmbiguousWorkload(name.to_owned())),
        (None, _) => Err(WorkloadError::UnknownWorkload {
            name: name.to_owned(),
            stored: Vec::new(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Problem;

    #[test]
    fn names_may_be_shortened() {
        assert_eq!(find("tpcb-like").unwrap().name, "tpcb-like");
        assert_eq!(find("tp").unwrap().name, "tpcb-like");
        assert_eq!(find("si").unwrap().name, "simple-update");
        assert_eq!(find("se").unwrap().name, "select-only");
    }

    #[test]
    fn unclear_names_are_refused_with_the_list() {
        let list = "Built-in workloads are: tpcb-like, simple-update, select-only.";
        for (name, message) in [
            ("s", "workload name \"s\" is ambiguous"),
            ("", "workload name \"\" is ambiguous"),
            ("tpcb-like2", "unknown workload \"tpcb-like2\""),
            ("TPCB-like", "unknown workload \"TPCB-like\""),
        ] {
            let error = find(name).unwrap_err();
            assert_eq!(error.to_string(), message);
            assert_eq!(error.hint().as_deref(), Some(list));
        }
    }

    #[test]
    fn definitions_are_consistent() {
        for workload in all() {
            assert!(workload.script.ends_with('\n'));
            let tables = workload.data_set.tables;
            assert!(tables.contains(&workload.data_set.scale_table));
            assert!(workload.relations.contains(&workload.data_set.scale_table));
            assert!(workload.relations.iter().all(|name| tables.contains(name)));
            for table in tables {
                let used = workload.script.contains(table);
                assert!(!used || workload.relations.contains(table), "{table}");
            }
        }
    }
}
