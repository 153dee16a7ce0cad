//! Waits for locks that last, as PostgreSQL 19 counts them, and the tables that autovacuum would take next.

use crate::common::runs::{PATIENCE, Runs};
use crate::common::{Cluster, major, wait_until};
use std::thread::{scope, sleep};
use std::time::Duration;

/// What a session waits for the lock of a row and of a table is in the history, its report and the reports of a run.
#[test]
fn waits_that_last_are_counted_by_type_of_lock() {
    if major() < 19 {
        return;
    }
    let cluster = Cluster::with_pgperf(&["deadlock_timeout = 10ms"]);
    let mut session = cluster.connect();
    let mut holder = cluster.connect();
    session.value("CREATE TABLE held AS SELECT 1 AS id");
    let sample = "SELECT min(sample_id) FROM pgperf.snapshot('{locks}')";
    let first = session.value(sample);
    for (hold, want) in [
        ("LOCK TABLE held", "SELECT count(*) FROM held"),
        ("UPDATE held SET id = 2", "UPDATE held SET id = 3"),
    ] {
        let mut waiter = cluster.connect();
        holder.batch_execute(&format!("BEGIN; {hold}")).expect(hold);
        scope(|scope| {
            scope.spawn(|| {
                waiter.batch_execute(want).expect(want);
                // Its statistics, at once.
                waiter
                    .batch_execute("SELECT pg_stat_force_next_flush(); SELECT 1")
                    .expect("statistics");
            });
            wait_until("a wait", PATIENCE, || {
                session.value("SELECT count(*) FROM pg_locks WHERE NOT granted") == "1"
            });
            sleep(Duration::from_millis(300));
            holder.batch_execute("COMMIT").expect("its end");
        });
    }
    let second = session.value(sample);
    let counted = |session: &mut postgres::Client, lock: &str| {
        session.value(&format!(
            "SELECT waits || ' ' || (wait_time BETWEEN 300 AND 5000) FROM pgperf.lock_deltas WHERE sample_id = {second} AND lock_type = '{lock}'"
        ))
    };
    for lock in ["relation", "transactionid"] {
        assert_eq!(counted(&mut session, lock), "1 true", "{lock}");
    }
    let rows = session.value(&format!(
        "SELECT string_agg(r ->> 'lock_type', ' ' ORDER BY r ->> 'lock_type') \
         FROM (SELECT min(taken_at) - interval '1 ms' AS since, max(taken_at) AS until FROM pgperf.samples WHERE sample_id IN ({first}, {second})) s, \
              jsonb_path_query(pgperf.history_json(s.since, s.until), '$.sections[*] ? (@.name == \"waits\").tables[*] ? (@.name == \"locks\").rows[*]') r"
    ));
    assert_eq!(rows, "relation transactionid");
}

/// A table with dead rows that autovacuum may not take stays first in its order, and the section says why.
#[test]
fn the_tables_that_autovacuum_takes_next_are_shown_with_the_reason() {
    if major() < 19 {
        return;
    }
    let cluster = Cluster::with_pgperf(&["autovacuum_naptime = 1h"]);
    let mut session = cluster.connect();
    session.value(
        "CREATE TABLE due WITH (autovacuum_analyze_threshold = 1000000, autovacuum_vacuum_insert_threshold = -1) AS SELECT generate_series(1, 10000) AS id",
    );
    session.value("CREATE TABLE grown AS SELECT 1 AS id");
    session.value("ANALYZE due, grown");
    session.value("DELETE FROM due WHERE id <= 5000");
    session.value("INSERT INTO grown SELECT generate_series(1, 3000)");
    session.value("SELECT pg_stat_force_next_flush()");
    let sample = "SELECT min(sample_id) FROM pgperf.snapshot('{autovacuum}')";
    session.value(sample);
    let last = session.value(sample);
    // The threshold is 50 rows and a fifth of the table.
    assert_eq!(
        session.value(&format!(
            "SELECT round(vacuum_score::numeric, 2) || ' ' || (score = GREATEST(xid_score, mxid_score, vacuum_score, vacuum_insert_score, analyze_score)) || ' ' || do_vacuum \
             FROM pgperf.autovacuum_history WHERE sample_id = {last} AND relation_name = 'due'"
        )),
        "2.44 true true"
    );
    let whys = session.value(
        "SELECT string_agg(concat_ws(': ', r ->> 'relation', r ->> 'why'), ', ' ORDER BY r ->> 'relation') \
         FROM jsonb_path_query(pgperf.history_json(), '$.sections[*] ? (@.name == \"tables\").tables[*] ? (@.name == \"next\").rows[*]') r",
    );
    assert!(
        whys.contains("public.due: dead rows") && whys.contains("public.grown: changed rows"),
        "{whys}"
    );
}
