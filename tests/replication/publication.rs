//! The history beside logical replication: it is stored although everything is published, and a subscriber has each
//! row once.

use crate::common::history::UNIDENTIFIED;
use crate::common::runs::{NO_BUDGET, PATIENCE, Runs};
use crate::common::{Cluster, wait_until};
use postgres::Client;

const LOGICAL: &[&str] = &["wal_level = logical", "max_wal_senders = 10", NO_BUDGET];

const INCOMPLETE: &str = "SELECT count(*) FROM pgperf.samples s WHERE NOT s.complete \
    OR EXISTS (SELECT FROM jsonb_each(s.outcomes) o WHERE o.value ->> 'status' = 'failed')";

fn doctor(session: &mut Client, check: &str) -> String {
    session.value(&format!(
        "SELECT string_agg(concat_ws(' ', status, detail, fix_sql), E'\\n') FROM pgperf.doctor() WHERE check_name = '{check}'"
    ))
}

#[test]
fn everything_is_stored_while_all_tables_are_published() {
    let cluster = Cluster::with_pgperf(LOGICAL);
    let mut session = cluster.connect();
    session.value("CREATE PUBLICATION everything FOR ALL TABLES");
    session.value("CALL pgperf.take_snapshot()");
    session.value(
        "UPDATE pgperf.collectors SET sample_interval = NULL WHERE name NOT IN ('wal', 'bloat')",
    );
    session.value(
        "UPDATE pgperf.collectors SET sample_interval = '1 s' WHERE name IN ('wal', 'bloat')",
    );
    session.value("SELECT pgperf.start_sampler()");
    wait_until("three samples", PATIENCE, || {
        session.number("SELECT count(*) FROM pgperf.samples WHERE cadence IS NOT NULL AND complete AND rows > 0") >= 3
    });
    session.value("SELECT pgperf.stop_sampler()");
    session.expect_no_workers("stop_sampler");
    let run = session.finish_run(
        "script => 'SELECT 1;', duration => '1 s', sample_interval => '0.2 s', resume => true, \
         collectors => '{wal, tables, statements, database@1s}'",
    );
    assert_eq!(session.number(INCOMPLETE), 0);
    let metrics = format!(
        "SELECT count(*) FROM pgperf.run_metrics WHERE run_id = {run} AND category = 'wal'"
    );
    assert!(session.number(&metrics) > 0);
    assert_eq!(
        session.value(&format!(
            "SELECT history_error FROM pgperf.runs WHERE run_id = {run}"
        )),
        ""
    );
    assert!(doctor(&mut session, "history").starts_with("ok "));
    let advice = doctor(&mut session, "publications");
    assert!(
        advice.starts_with(
            "warning publication everything publishes the history partition by partition"
        ) && advice
            .ends_with("ALTER PUBLICATION everything SET (publish_via_partition_root = true)"),
        "{advice}"
    );
    session.value("ALTER PUBLICATION everything SET (publish_via_partition_root = true)");
    assert!(doctor(&mut session, "publications").starts_with("ok "));

    for (age, expected) in [
        ("50 days", "moved rolled up"),
        ("100 days", "rolled up"),
        ("3 years", "dropped"),
    ] {
        session.age_history(age);
        session.value(
            "UPDATE pgperf.collectors SET hourly_retention = '90 days' WHERE name = 'settings'",
        );
        let done = session.value(
            "SELECT string_agg(DISTINCT action, ' ' ORDER BY action) || ' ' || coalesce(string_agg(note, ', ') FILTER (WHERE action = 'left'), '') \
             FROM pgperf.maintain(budget => '10 min') WHERE action <> 'created'",
        );
        for word in expected.split(' ') {
            assert!(
                done.contains(word) && !done.contains("left"),
                "{age}: {done}"
            );
        }
    }
    session.value("CALL pgperf.take_snapshot()");
    assert_eq!(session.value(UNIDENTIFIED), "");
    let run = session.finish_run("script => 'SELECT 1;', transactions_per_client => 1");
    assert_eq!(
        session.value(&format!("SELECT pgperf.delete_run({run})")),
        "t"
    );
}

/// The subscriber has what is published; its own part of the extension's tables comes from there, too.
fn subscribe(publisher: &Cluster, subscriber: &mut Client) {
    subscriber.value("DELETE FROM pgperf_internal.history_tables");
    subscriber.value(&format!(
        "CREATE SUBSCRIPTION copied CONNECTION 'host={} port={} user=postgres dbname=postgres' PUBLICATION everything",
        publisher.socket_dir().display(),
        publisher.port()
    ));
}

/// Waits until the subscriber has applied all that the publisher has written so far.
fn wait_for_subscriber(theirs: &mut Client) {
    let lsn = theirs.value("SELECT pg_current_wal_insert_lsn()");
    wait_until("the subscriber", PATIENCE, || {
        // Something has to be decoded for the position to advance.
        theirs.value("SELECT pg_logical_emit_message(true, 'pgperf test', '')");
        theirs.value(&format!(
            "SELECT coalesce(bool_and(confirmed_flush_lsn >= '{lsn}'), false) FROM pg_replication_slots WHERE slot_name = 'copied'"
        )) == "t"
    });
}

#[test]
fn a_subscriber_has_each_row_once() {
    let publisher = Cluster::with_pgperf(LOGICAL);
    let subscriber = Cluster::with_pgperf(&[]);
    let (mut theirs, mut ours) = (publisher.connect(), subscriber.connect());
    // As docs/reference/columns-of-samples.md says; what is in no schema of pgperf's is its user's.
    theirs.value(
        "CREATE PUBLICATION everything FOR TABLES IN SCHEMA pgperf, pgperf_internal \
         WITH (publish_via_partition_root = true)",
    );
    theirs.value("SELECT count(*) FROM pgperf.snapshot('{wal, database, tables}')");
    subscribe(&publisher, &mut ours);
    wait_until("the copy", PATIENCE, || {
        ours.value("SELECT bool_and(srsubstate = 'r') FROM pg_subscription_rel") == "t"
    });
    // Updated while it is taken.
    theirs.value("CALL pgperf.take_snapshot('{wal, database, tables}')");
    let run = theirs.finish_run(
        "script => 'SELECT 1;', transactions_per_client => 10, collectors => '{wal, database}'",
    );
    let old = theirs.finish_run(
        "script => 'SELECT 1;', transactions_per_client => 10, collectors => '{wal, database}'",
    );
    // A day of samples that is over.
    theirs.value(
        "WITH s AS (INSERT INTO pgperf.samples (node_id, sample_id, taken_at, epoch, elapsed_ms, rows, pages, wal_bytes, outcomes) \
            SELECT pgperf.local_node(), nextval('pgperf_internal.sample_id_seq'), \
                   date_trunc('day', now()) - interval '50 days' + n * interval '10 min', 1, 1, 1, 1, 1, '{}' \
            FROM generate_series(0, 100) n RETURNING *) \
         INSERT INTO pgperf.database_history (node_id, sample_id, taken_at, xact_commit) \
         SELECT node_id, sample_id, taken_at, sample_id FROM s",
    );
    let forged = "SELECT concat_ws(' ', count(*), count(DISTINCT sample_id), sum(xact_commit)) FROM pgperf.database_history \
                  WHERE taken_at < now() - interval '20 days'";
    let whole = theirs.value(forged);
    assert!(whole.starts_with("101 101 "), "{whole}");
    // Moved out of the default partition, and then to one an hour.
    let done = theirs.value("SELECT string_agg(DISTINCT action, ' ') FROM pgperf.maintain(budget => '10 min') WHERE table_name = 'database_history'");
    assert!(
        done.contains("moved") && done.contains("rolled up"),
        "{done}"
    );
    let kept = theirs.value(forged);
    assert!(kept.starts_with("17 17 "), "{kept}");
    assert_eq!(
        theirs.value(&format!("SELECT pgperf.delete_run({old})")),
        "t"
    );
    theirs.value("SELECT count(*) FROM pgperf.snapshot('{wal, database, tables}')");
    wait_for_subscriber(&mut theirs);

    // Nothing was rolled up there, since nobody did so there.
    assert_eq!(ours.value(forged), whole);
    let all = |table: &str| {
        format!(
            "SELECT concat_ws(' ', count(*), md5(string_agg(t::text, E'\\n' ORDER BY t::text))) FROM pgperf.{table} t \
             WHERE taken_at > now() - interval '20 days'"
        )
    };
    for table in [
        "samples",
        "wal_history",
        "database_history",
        "relation_history",
    ] {
        assert_eq!(
            ours.value(&all(table)),
            theirs.value(&all(table)),
            "{table}"
        );
    }
    assert_eq!(ours.number(INCOMPLETE), 0);
    let twice = "SELECT count(*) FROM (SELECT node_id, sample_id FROM pgperf.samples GROUP BY 1, 2 HAVING count(*) > 1) x";
    assert_eq!(ours.number(twice), 0);
    for (id, rows) in [(run, 1), (old, 0)] {
        for table in ["pgperf_internal.stored_runs", "pgperf_internal.run_totals"] {
            let count = format!("SELECT count(*) FROM {table} WHERE run_id = {id}");
            assert_eq!(ours.number(&count), rows, "{table} of {id}");
        }
    }
    // Its own retention comes to the same.
    ours.value("SELECT count(*) FROM pgperf.maintain(budget => '10 min')");
    assert_eq!(ours.value(forged), kept);
    let errors = "SELECT sum(e.value::int8) FROM pg_stat_subscription_stats s, jsonb_each_text(to_jsonb(s)) e \
        WHERE e.key LIKE '%_error_count'";
    assert_eq!(ours.number(errors), 0);
    ours.value("DROP SUBSCRIPTION copied");
}

/// As a database would be whose partitions somebody made without a replica identity.
fn refuse_updates_of_samples(session: &mut Client) {
    session.value("CREATE PUBLICATION everything FOR ALL TABLES");
    session.value("SELECT count(*) FROM pgperf.maintain()");
    session.value(
        "DO $$ DECLARE p regclass; BEGIN \
           FOR p IN SELECT partition FROM pgperf.history_partitions WHERE table_name = 'samples' LOOP \
             EXECUTE format('ALTER TABLE %s REPLICA IDENTITY NOTHING', p); END LOOP; END $$",
    );
}

#[test]
fn what_cannot_be_stored_is_told() {
    let cluster = Cluster::with_pgperf(LOGICAL);
    let mut session = cluster.connect();
    session.value("UPDATE pgperf.collectors SET sample_interval = NULL WHERE name <> 'wal'");
    session.value("UPDATE pgperf.collectors SET sample_interval = '1 s' WHERE name = 'wal'");
    session.value("SELECT pgperf.start_sampler()");
    let samples = "SELECT count(*) FROM pgperf.samples WHERE cadence IS NOT NULL AND complete";
    wait_until("two samples", PATIENCE, || session.number(samples) >= 2);
    refuse_updates_of_samples(&mut session);
    let reason = "cannot update table";
    let gaps = "SELECT reason FROM pgperf.sampler_gaps WHERE collector = 'wal' AND next_at IS NULL";
    wait_until("a gap with its reason", PATIENCE, || {
        session.value(gaps).starts_with("failed: ") && session.value(gaps).contains(reason)
    });
    let told = doctor(&mut session, "history");
    assert!(
        told.starts_with("problem ") && told.contains(reason),
        "{told}"
    );
    let advice = doctor(&mut session, "publications");
    assert!(
        advice.contains("problem pgperf_internal.samples_")
            && advice.contains("REPLICA IDENTITY FULL"),
        "{advice}"
    );
    session.value("SELECT pgperf.stop_sampler()");

    let run = session.finish_run("script => 'SELECT 1;', transactions_per_client => 10");
    let error = session.value(&format!(
        "SELECT history_error FROM pgperf.runs WHERE run_id = {run}"
    ));
    assert!(
        error.starts_with("2 samples were not stored (the last: ") && error.contains(reason),
        "{error}"
    );
    for call in ["report", "report_html", "report_markdown"] {
        let text = session.value(&format!(
            "SELECT regexp_replace(string_agg(l, E'\\n'), '\\s+', ' ', 'g') FROM pgperf.{call}({run}) l"
        ));
        assert!(
            text.contains("history incomplete: 2 samples were not stored"),
            "{call}: {text}"
        );
    }
    let json = format!("SELECT pgperf.report_json({run}) -> 'run' ->> 'history_error'");
    assert_eq!(session.value(&json), error);
    // What the run itself did is all there.
    assert_eq!(
        session.number(&format!(
            "SELECT transactions FROM pgperf_internal.run_totals WHERE run_id = {run}"
        )),
        10
    );

    session.value("DROP PUBLICATION everything");
    let run = session.finish_run("script => 'SELECT 1;', transactions_per_client => 10");
    assert_eq!(
        session.value(&format!(
            "SELECT history_error FROM pgperf.runs WHERE run_id = {run}"
        )),
        ""
    );
}
