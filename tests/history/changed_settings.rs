//! Settings that leave their defaults and return to them, in comparisons and findings.

use crate::common::runs::{PATIENCE, Runs};
use crate::common::{Cluster, wait_until};
use postgres::Client;
use serde_json::Value;

fn now(session: &mut Client) -> String {
    session.value("SELECT clock_timestamp()")
}

/// Changes a setting and waits until the session has it.
fn change(session: &mut Client, sql: &str, shown: &str) {
    session.value(sql);
    session.value("SELECT pg_reload_conf()");
    wait_until(shown, PATIENCE, || {
        session.value("SHOW deadlock_timeout") == shown
    });
    session.value("SELECT count(*) FROM pgperf.snapshot('{settings}')");
}

#[test]
fn a_setting_at_its_default_in_both_windows_does_not_differ() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    let moment = |session: &mut Client| {
        session.value("SELECT count(*) FROM pgperf.snapshot('{settings}')");
        now(session)
    };
    let moments = [
        moment(&mut session),
        moment(&mut session),
        {
            change(
                &mut session,
                "ALTER SYSTEM SET deadlock_timeout = '3s'",
                "3s",
            );
            now(&mut session)
        },
        {
            change(&mut session, "ALTER SYSTEM RESET deadlock_timeout", "1s");
            now(&mut session)
        },
    ];
    let mut settings = |b: usize| {
        let a = format!("'{}', '{}'", moments[0], moments[1]);
        let b = format!("'{}', '{}'", moments[b - 1], moments[b]);
        let document = session.value(&format!("SELECT pgperf.history_compare_json({a}, {b})"));
        let document: Value = serde_json::from_str(&document).expect("a document");
        document["settings"].clone()
    };
    let changed = settings(2);
    assert_eq!(
        (&changed[0]["name"], &changed[0]["a"], &changed[0]["b"]),
        (&"deadlock_timeout".into(), &Value::Null, &"3s".into())
    );
    assert_eq!(settings(3), Value::Array(Vec::new()));
}

/// The server computes wal_buffers when it starts: the value that it has built in was never in force.
#[test]
fn a_computed_default_has_no_figure() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    let from = now(&mut session);
    session.value("SELECT count(*) FROM pgperf.snapshot('{settings}')");
    let before = session.value("SELECT setting FROM pg_settings WHERE name = 'wal_buffers'");
    session.value("ALTER SYSTEM SET wal_buffers = '1MB'");
    session.value("ALTER SYSTEM SET max_stack_depth = '1MB'");
    change(
        &mut session,
        "ALTER SYSTEM SET deadlock_timeout = '3s'",
        "3s",
    );
    let evidence = |session: &mut Client, from: &str, name: &str| {
        session.value(&format!(
            "SELECT string_agg(split_part(evidence, ' between ', 1), '; ') FROM pgperf.findings(timestamptz '{from}') \
              WHERE rule = 'setting_changed' AND object_name = '{name}'"
        ))
    };
    // It waits for a restart, so the same value is in force.
    assert_eq!(
        evidence(&mut session, &from, "wal_buffers"),
        format!("wal_buffers (in 8kB): {before}, the default, became {before}")
    );
    assert_eq!(
        evidence(&mut session, &from, "max_stack_depth"),
        "max_stack_depth (in kB): the default became 1024"
    );
    assert_eq!(
        evidence(&mut session, &from, "deadlock_timeout"),
        "deadlock_timeout (in ms): 1000, the default, became 3000"
    );
    // A row of before the restart is not there: as if the sample had been taken after it only.
    session.value(
        "UPDATE pgperf.settings_history SET value = '128', source = 'configuration file', pending_restart = false \
          WHERE name = 'wal_buffers'",
    );
    assert_eq!(
        evidence(&mut session, &from, "wal_buffers"),
        "wal_buffers (in 8kB): the default became 128"
    );
}
