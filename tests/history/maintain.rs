//! One call of `pgperf.maintain()` is bounded, and nothing stops it for good.

use crate::common::Cluster;
use crate::common::runs::Runs;
use postgres::Client;

/// What `pgperf.maintain()` says, one line for each thing done but the making of partitions.
fn maintain(session: &mut Client) -> Vec<String> {
    let lines = session.value(
        "SELECT string_agg(concat_ws(' ', action, table_name, regexp_replace(object, '^.*_', ''), rows, note), E'\\n') \
         FROM pgperf.maintain() WHERE action <> 'created'",
    );
    lines.lines().map(str::to_owned).collect()
}

fn count(session: &mut Client, from: &str) -> i64 {
    session.number(&format!("SELECT count(*) FROM {from}"))
}

#[test]
fn a_call_keeps_to_its_budget_and_to_a_part_of_the_locks() {
    let cluster = Cluster::with_pgperf(&["max_connections = 60", "max_locks_per_transaction = 64"]);
    let mut session = cluster.connect();
    // Without time there are only the partitions that samples need now.
    let ahead = "SELECT count(DISTINCT starts_at) FROM pgperf.history_partitions WHERE table_name = 'wal_history' AND ends_at > now()";
    let left = "SELECT string_agg(DISTINCT note, '; ') FROM pgperf.maintain(20, '1 us') WHERE action = 'left' AND table_name = 'wal_history'";
    assert_eq!(
        session.value(left),
        "19 partitions of days ahead: the time is over"
    );
    assert_eq!(session.number(ahead), 2);
    session.value(
        "INSERT INTO pgperf.database_history (node_id, sample_id, taken_at) VALUES (pgperf.local_node(), 1, now() - interval '50 days')",
    );
    let due = "SELECT count(*) FROM pgperf.maintain(3, '1 us') WHERE action = 'left' AND object LIKE 'database_history%'";
    assert_eq!(session.number(due), 1, "rows that wait for their partition");

    // Room for 64 * 60 locks, of which a quarter.
    let mut calls = 0;
    let mut most = 0;
    loop {
        let mut transaction = session.transaction().expect("a transaction");
        let row = transaction
            .query_one(
                "SELECT count(*) FILTER (WHERE action = 'left'), count(*) FILTER (WHERE action = 'created'), \
                        coalesce(string_agg(DISTINCT regexp_replace(note, '^.*: ', ''), '; ') FILTER (WHERE action = 'left'), '') \
                 FROM pgperf.maintain(20, '1 h')",
                &[],
            )
            .expect("maintain()");
        let (left, created, why): (i64, i64, String) = (row.get(0), row.get(1), row.get(2));
        let locks: i64 = transaction
            .query_one(
                "SELECT count(*) FROM pg_locks WHERE pid = pg_backend_pid()",
                &[],
            )
            .expect("the locks")
            .get(0);
        transaction.commit().expect("COMMIT");
        most = most.max(locks);
        calls += 1;
        if left == 0 {
            break;
        }
        assert!(
            created > 0 && calls < 60,
            "call {calls}: {created} created, left: {why}"
        );
        assert_eq!(
            why,
            "the transaction holds a quarter of the locks that the server has room for"
        );
    }
    assert!(calls > 2, "{calls} calls");
    assert!(most < 64 * 60 / 2, "{most} locks");
    assert_eq!(session.number(ahead), 21);
}

#[test]
fn times_that_nothing_can_have_are_in_nobodys_way() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    let samples = "INSERT INTO pgperf.samples (node_id, sample_id, taken_at, epoch, elapsed_ms, rows, pages, wal_bytes, outcomes) \
        SELECT pgperf.local_node(), -n, at::timestamptz, 1, 1, 1, 1, 1, '{}' FROM unnest($1::text[]) WITH ORDINALITY a (at, n)";
    let times = ["infinity", "-infinity", "2999-01-01", "0044-03-15 BC"];
    session
        .execute(samples, &[&times.as_slice()])
        .expect("samples");
    let before = count(
        &mut session,
        "pgperf.history_partitions WHERE table_name = 'samples'",
    );
    assert_eq!(maintain(&mut session), Vec::<String>::new());
    assert_eq!(maintain(&mut session), Vec::<String>::new());
    let after = count(
        &mut session,
        "pgperf.history_partitions WHERE table_name = 'samples'",
    );
    assert!(after <= before + 4, "{before}, then {after}");
    assert_eq!(count(&mut session, "pgperf_internal.samples_rest"), 4);
}
