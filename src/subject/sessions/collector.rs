//! What sessions do and wait for, and who waits for whose lock.

use crate::collect::collector::{Collector, Cost, InRuns, InVisits, Read, Reading, Scope};
use crate::collect::rows::{self, Row};
use crate::collect::watched::WatchedSessions;
use crate::error::Result;
use serde_json::{Value, json};
use std::collections::{BTreeSet, HashMap};

/// See the module.
pub const COLLECTOR: Collector = Collector {
    name: "sessions",
    cost: Cost::Light,
    sample_interval_s: 10,
    keeps_interval: true,
    in_runs: InRuns::IfNamed,
    in_visits: InVisits::Never,
    since_major: None,
    needs: None,
    watches_clients: false,
    report: None,
    history_tables: &["session_history", "connection_history", "blocking_history"],
    description: "sessions by database, role, application, statement and wait event, and who waits for whose lock; the sampler looks every second",
    of_target: None,
    read: Read::AtOnce(read),
};

fn read(scope: &Scope) -> Result<Reading> {
    let watched = match &scope.watched.sessions {
        Some(watched) => watched.clone(),
        None => one_look()?,
    };
    let mut sessions = watched.looks.rows();
    let mut connections = watched.looks.connections();
    name(&mut sessions)?;
    name(&mut connections)?;
    let tables = [
        ("session_history", sessions),
        ("connection_history", connections),
        ("blocking_history", watched.queues.rows()),
    ];
    Ok(Reading {
        tables: (tables.into_iter())
            .map(|(table, rows)| (table, rows::values(rows).into()))
            .collect(),
        note: None,
    })
}

/// For a sample before which nobody looked.
fn one_look() -> Result<WatchedSessions> {
    let mut watched = WatchedSessions::default();
    watched.look();
    if watched.any_waits() {
        watched.queues.look()?;
    }
    Ok(watched)
}

/// Names of databases and roles for their OIDs.
fn name(sessions: &mut [Row]) -> Result<()> {
    const NAMES: [(&str, &str, &str); 2] = [
        (
            "database_oid",
            "database_name",
            "SELECT d.oid::pg_catalog.int8 AS oid, d.datname AS name FROM pg_catalog.pg_database d \
             WHERE d.oid = ANY ($1::pg_catalog.oid[])",
        ),
        (
            "role_oid",
            "role_name",
            "SELECT r.oid::pg_catalog.int8 AS oid, r.rolname AS name FROM pg_catalog.pg_roles r \
             WHERE r.oid = ANY ($1::pg_catalog.oid[])",
        ),
    ];
    for (oid, name, sql) in NAMES {
        let number = |row: &Row| row.get(oid).and_then(Value::as_i64);
        let oids: BTreeSet<i64> = sessions.iter().filter_map(number).collect();
        let oids: Vec<i64> = oids.into_iter().collect();
        let names: HashMap<i64, String> = (rows::select(sql, &[oids.into()])?.into_iter())
            .filter_map(|row| {
                let name = row.get("name")?.as_str()?.to_owned();
                Some((row.get("oid")?.as_i64()?, name))
            })
            .collect();
        for row in sessions.iter_mut() {
            // Those of the server have none; what was dropped meanwhile has a number left.
            let known = number(row).map(|oid| match names.get(&oid) {
                Some(name) => name.clone(),
                None => oid.to_string(),
            });
            row.insert(name.to_owned(), json!(known));
        }
    }
    Ok(())
}
