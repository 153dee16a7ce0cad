//! Workloads: their scripts, their tables, and the conditions that the tables must meet. The built-in workloads come in
//! families, each a folder here ([`Family`]); those of users are [`stored`] in a table.

mod answers;
pub mod arguments;
mod bulk_insert;
mod check;
mod data_set;
pub mod distribution;
pub mod drawn;
mod effort;
mod error;
mod families;
mod family;
mod from_statements;
pub mod given;
pub mod named;
pub mod option;
pub mod own;
pub mod params;
mod partition;
mod pgbench;
pub mod place;
mod plain;
mod registered;
pub mod run_data;
mod scale;

pub mod script_checks;
mod script_limits;
mod script_parameters;
pub mod scripts;
mod smallbank;
pub mod stored;
mod sysbench;
pub mod tables;
mod tatp;
#[cfg(any(test, feature = "toy"))]
mod toy;
mod tpcc;
mod tpch;
pub mod unset;
#[cfg(test)]
mod walked;
mod ycsb;

use crate::error::{Error, Result, failure};
pub use data_set::{
    Action, Contents, Effect, Fill, Keys, LoadStatement, Partition, Partitioned, Source, Sources,
    Step,
};
pub use effort::Efforts;
pub use families::families;
pub use family::{Family, Measured, MeasuredCommand, MeasuredScript, Workload};
pub use from_statements::with_values;
pub use named::{Named, named};
pub use params::Params;
pub use partition::hash_of_key;
use pgrx::pg_sys::errcodes::PgSqlErrorCode::ERRCODE_UNDEFINED_OBJECT;
pub use registered::on_target::{Label, OnTarget};
pub use registered::{Relation, drop_statements, find as find_registered, replaced};
pub use run_data::RunData;
pub use scale::Scale;

/// All built-in workloads, the default first.
pub fn all() -> impl Iterator<Item = &'static Workload> {
    families().iter().flat_map(|family| family.workloads())
}

/// The workload of a call that names none.
pub fn default() -> &'static Workload {
    &families()[0].workloads()[0]
}

/// The name of a script in a mix where another workload has a script of the same name.
pub fn script_name(workload: &str, script: &str) -> String {
    format!("{workload}{OF_WORKLOAD}{script}")
}

/// The name that such a script has in its built-in workload.
pub fn name_in_workload(script: &str) -> &str {
    let parts = script.split_once(OF_WORKLOAD);
    let built_in = parts.filter(|(name, _)| all().any(|workload| workload.name == *name));
    built_in.map_or(script, |(_, own)| own)
}

const OF_WORKLOAD: &str = ": ";

/// The names of all built-in workloads.
fn names() -> String {
    let names: Vec<_> = all().map(|workload| workload.name).collect();
    names.join(", ")
}

/// The workload with this name or, as for `pgbench -b`, the only one whose name starts with it. Those of pgbench come first:
/// what is clear there stays clear, whichever families there are besides.
///
/// # Errors
/// There are several; the hint lists all names.
fn built_in(name: &str) -> Result<Option<&'static Workload>> {
    if let Some(workload) = all().find(|workload| workload.name == name) {
        return Ok(Some(workload));
    }
    let starts = |workload: &&Workload| !name.is_empty() && workload.name.starts_with(name);
    let mut candidates = all().filter(starts).peekable();
    let family = candidates.peek().map_or("", |first| first.family.name());
    let of_pgbench = family == default().family.name();
    let mut candidates = candidates.filter(|it| !of_pgbench || it.family.name() == family);
    match (candidates.next(), candidates.next()) {
        (Some(_), Some(_)) => Err(failure(
            ERRCODE_UNDEFINED_OBJECT,
            format!("workload name \"{name}\" is ambiguous"),
        )
        .hinting(format!("Built-in workloads are: {}.", names()))),
        (only, _) => Ok(only),
    }
}

/// The error for a workload that is not there. `stored`: the names of the stored ones, where one of those would be accepted.
fn unknown(name: &str, stored: &[String]) -> Error {
    let mut hint = format!("Built-in workloads are: {}.", names());
    if !stored.is_empty() {
        hint += &format!(" Stored workloads are: {}.", stored.join(", "));
    }
    failure(
        ERRCODE_UNDEFINED_OBJECT,
        format!("unknown workload \"{name}\""),
    )
    .hinting(hint)
}

/// The built-in workload with this name, or whose name alone starts with it.
///
/// # Errors
/// There is no such workload, or several; the hint lists all names.
pub fn find(name: &str) -> Result<&'static Workload> {
    built_in(name)?.ok_or_else(|| unknown(name, &[]))
}

/// The steps of a stored load of the workload with that name.
///
/// # Errors
/// The workload no longer exists, or its family does not accept these options.
#[cfg(test)]
pub fn load_steps(workload: &str, params: &Params) -> Result<Vec<Step>> {
    find(workload)?.family.data_set(params)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_may_be_shortened() {
        assert_eq!(find("tpcb-like").unwrap().name, "tpcb-like");
        assert_eq!(find("tp").unwrap().name, "tpcb-like");
        assert_eq!(find("si").unwrap().name, "simple-update");
        assert_eq!(find("se").unwrap().name, "select-only");
        assert_eq!(
            find("select_random_p").unwrap().name,
            "select_random_points"
        );
        assert_eq!(find("tpcc-like-").unwrap().name, "tpcc-like-sql");
    }

    #[test]
    fn unclear_names_are_refused_with_the_list() {
        let names: Vec<_> = all().map(|workload| workload.name).collect();
        assert_eq!(
            names[..4],
            [
                "tpcb-like",
                "simple-update",
                "select-only",
                "oltp_read_only"
            ]
        );
        let list = format!("Built-in workloads are: {}.", names.join(", "));
        for (name, message) in [
            ("s", "workload name \"s\" is ambiguous"),
            ("", "unknown workload \"\""),
            ("oltp_", "workload name \"oltp_\" is ambiguous"),
            ("tpcb-like2", "unknown workload \"tpcb-like2\""),
            ("TPCB-like", "unknown workload \"TPCB-like\""),
        ] {
            let error = find(name).unwrap_err();
            assert_eq!(error.to_string(), message);
            assert_eq!(error.hint(), Some(list.clone()));
        }
    }

    #[test]
    fn definitions_are_consistent() {
        for family in families() {
            let params = Params::of_tables(*family, "s", 3.into());
            let tables = family.tables(&params);
            let of_family = |workload: &&Workload| workload.family.name() == family.name();
            assert_eq!(
                all().filter(of_family).count(),
                family.workloads().len(),
                "{family:?}"
            );
            for workload in family.workloads() {
                let relations = (workload.relations)(&params);
                assert!(relations.iter().all(|name| tables.contains(name)));
                let scripts = (workload.scripts)(&params);
                assert!(!scripts.is_empty() && scripts.iter().any(|script| script.weight > 0));
                for script in &scripts {
                    assert!(script.text.ends_with('\n'), "{}", script.name);
                    for table in &tables {
                        let used = script.text.contains(table);
                        assert!(!used || relations.contains(table), "{table}");
                    }
                }
            }
        }
    }

    #[test]
    fn names_of_workloads_and_families_are_unique() {
        let mut names: Vec<_> = all().map(|workload| workload.name).collect();
        names.sort_unstable();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count);
        let mut families: Vec<_> = families().iter().map(|family| family.name()).collect();
        families.sort_unstable();
        families.dedup();
        assert_eq!(families.len(), super::families().len());
    }

    /// The defaults in the SQL declarations are the same as those here.
    #[test]
    fn sql_declares_the_same_defaults() {
        let sql = include_str!("../schema/25_run_calls.sql");
        let workload = format!("    workload text DEFAULT '{}',", default().name);
        let all = sql.matches("    workload text DEFAULT '").count();
        assert!(
            all == 3 && sql.matches(&workload).count() == all,
            "{workload}"
        );
        let init = sql.split("CREATE PROCEDURE pgperf.init(").nth(1).unwrap();
        let init = init.split(") LANGUAGE").next().unwrap();
        for option in arguments::all() {
            // Other families have scales with a fraction.
            let kind = match option.name {
                option::SCALE => "double precision",
                _ => option.kind.sql_type(),
            };
            let value = match option.default() {
                serde_json::Value::Null => "NULL".to_owned(),
                value => value.to_string().replace('"', "'"),
            };
            let declared = format!("    {} {kind} DEFAULT {value},\n", option.name);
            assert!(init.contains(&declared), "{declared}");
        }
    }
}
