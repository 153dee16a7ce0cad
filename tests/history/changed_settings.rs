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
