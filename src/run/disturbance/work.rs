//! The kinds of disturbances, and what the session of one does.

use serde::{Deserialize, Serialize};

/// A disturbance, as a spec stores it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Disturbance {
    pub name: String,
    #[serde(flatten)]
    pub work: Work,
    #[serde(flatten)]
    pub times: super::times::Times,
    /// Sessions that do it at once.
    pub sessions: usize,
}

/// What it does. Tables are written as SQL finds them, whatever the search_path.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Work {
    /// The caller's own statements.
    Sql {
        statements: Vec<String>,
    },
    SnapshotHolder,
    IdleInTransaction,
    LockQueue {
        table: String,
    },
    TableScan {
        table: String,
    },
    VacuumFull {
        table: String,
    },
    Reindex {
        table: String,
    },
    Checkpoint,
    WalFlood {
        mb_per_s: f64,
    },
    TempFiles {
        mb: f64,
    },
    ConnectionStorm {
        per_s: f64,
    },
    BaseBackup {
        mb_per_s: f64,
    },
}

/// A kind, as the argument names it.
#[derive(Debug)]
pub struct Kind {
    pub name: &'static str,
    /// How long it lasts where `for` does not say it; None: until its statements have ended.
    pub for_s: Option<f64>,
    /// Its own keys.
    pub keys: &'static [&'static str],
    /// The sessions that one occurrence takes.
    pub sessions: usize,
    /// Whether it may have several times as many.
    pub many: bool,
}

/// How long those last that have no end by themselves.
const WHILE_S: Option<f64> = Some(10.0);

const fn kind(name: &'static str, for_s: Option<f64>, keys: &'static [&'static str]) -> Kind {
    Kind {
        name,
        for_s,
        keys,
        sessions: 1,
        many: true,
    }
}

const fn single(kind: Kind) -> Kind {
    Kind {
        many: false,
        ..kind
    }
}

/// All but the caller's own statements.
pub const KINDS: &[Kind] = &[
    kind("snapshot_holder", WHILE_S, &[]),
    kind("idle_in_transaction", WHILE_S, &[]),
    Kind {
        sessions: 2,
        ..single(kind("lock_queue", WHILE_S, &["table"]))
    },
    kind("table_scan", None, &["table"]),
    single(kind("vacuum_full", None, &["table"])),
    single(kind("reindex", None, &["table"])),
    single(kind("checkpoint", None, &[])),
    kind("wal_flood", WHILE_S, &["mb_per_s"]),
    kind("temp_files", None, &["mb"]),
    kind("connection_storm", WHILE_S, &["per_s"]),
    single(kind("base_backup", None, &["mb_per_s"])),
];

/// The caller's own statements.
pub const SQL: Kind = kind("sql", None, &["sql"]);

impl Work {
    /// The name of its kind.
    pub fn kind(&self) -> &'static str {
        match self {
            Work::Sql { .. } => "sql",
            Work::SnapshotHolder => "snapshot_holder",
            Work::IdleInTransaction => "idle_in_transaction",
            Work::LockQueue { .. } => "lock_queue",
            Work::TableScan { .. } => "table_scan",
            Work::VacuumFull { .. } => "vacuum_full",
            Work::Reindex { .. } => "reindex",
            Work::Checkpoint => "checkpoint",
            Work::WalFlood { .. } => "wal_flood",
            Work::TempFiles { .. } => "temp_files",
            Work::ConnectionStorm { .. } => "connection_storm",
            Work::BaseBackup { .. } => "base_backup",
        }
    }

    /// The table that it works on.
    pub fn table_mut(&mut self) -> Option<&mut String> {
        match self {
            Work::LockQueue { table }
            | Work::TableScan { table }
            | Work::VacuumFull { table }
            | Work::Reindex { table } => Some(table),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::disturbance::times::Times;

    #[test]
    fn what_is_stored_is_read_back() {
        let disturbance = Disturbance {
            name: "x".to_owned(),
            work: Work::LockQueue {
                table: "public.t".to_owned(),
            },
            times: Times {
                at_s: 1.0,
                every_s: None,
                for_s: Some(2.0),
            },
            sessions: 2,
        };
        let stored = serde_json::to_value(&disturbance).unwrap();
        assert_eq!(stored["kind"], "lock_queue");
        assert_eq!(
            serde_json::from_value::<Disturbance>(stored).unwrap(),
            disturbance
        );
    }

    #[test]
    fn kinds_have_the_names_that_are_stored() {
        for kind in KINDS.iter().chain([&SQL]) {
            let mut stored = serde_json::json!({"kind": kind.name});
            for key in kind.keys {
                let is_number = key.starts_with("mb") || *key == "per_s";
                let value = if is_number { 1.0.into() } else { "t".into() };
                stored[key] = value;
            }
            stored["statements"] = serde_json::json!([]);
            let work: Work = serde_json::from_value(stored).unwrap();
            assert_eq!(work.kind(), kind.name);
        }
    }
}
