//! History is ordinary data: a dump holds all of it, and a restored copy continues as a node of its own.

use crate::common::history::{contents, copy, copy_by, fill};
use crate::common::runs::{PATIENCE, Runs};
use crate::common::{Cluster, cases, wait_until};
use postgres::Client;

/// Tables that have rows after [`fill`]. Those of `pgperf_internal.collector_settings` and `finding_rule_settings` come from an UPDATE.
const FILLED: &[&str] = &[
    "archiver_history",
    "bloat_history",
    "buffer_usage_history",
    "checkpoint_history",
    "collector_settings",
    "data_sets",
    "database_history",
    "finding_rule_settings",
    "hit_curve_history",
    "host_history",
    "nodes",
    "notes",
    "plan_history",
    "plan_texts",
    "rate_search_steps",
    "relation_history",
    "resume_points",
    "run_disturbances",
    "run_environment",
    "run_errors",
    "run_intervals",
    "run_metrics",
    "run_plans",
    "run_receivers",
    "run_relations",
    "run_scripts",
    "run_settings",
    "run_statements",
    "run_totals",
    "run_transactions",
    "samples",
    "session_history",
    "settings_history",
    "slru_history",
    "statement_history",
    "statement_texts",
    "stored_rate_searches",
    "stored_runs",
    "stored_segments",
    "stored_sweep_points",
    "stored_sweeps",
    "stored_workloads",
    "sweep_attempts",
    "tablespace_history",
    "wait_history",
    "wal_history",
    "wal_history_rest",
    "wal_rmgr_history",
    "wraparound_history",
    "run_id_seq",
    "sweep_id_seq",
];

#[test]
fn every_table_and_sequence_is_dumped() {
    let cluster = Cluster::with_pgperf(&[]);
    let forgotten = cluster.run_sql(
        "SELECT string_agg(c.oid::regclass::text, ', ') FROM pg_class c \
         WHERE c.relnamespace::regnamespace::text IN ('pgperf', 'pgperf_internal') AND c.relkind IN ('r', 'p', 'S') \
           AND NOT EXISTS (SELECT FROM pg_extension e \
                           WHERE e.extname = 'pgperf' AND c.oid = ANY (e.extconfig))",
    );
    assert_eq!(forgotten, "");
}

/// What a parallel restore could not keep to.
#[test]
fn no_table_depends_on_the_rows_of_another() {
    let cluster = Cluster::with_pgperf(&[]);
    let keys = cluster.run_sql(
        "SELECT string_agg(conrelid::regclass || ': ' || conname, ', ') FROM pg_constraint \
         WHERE contype = 'f' AND connamespace::regnamespace::text IN ('pgperf', 'pgperf_internal')",
    );
    assert_eq!(keys, "");
}

#[test]
fn a_restored_copy_has_every_row_and_becomes_a_new_node() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut original = cluster.connect();
    fill(&mut original);
    let before = contents(&mut original);
    for &table in FILLED {
        let rows = before
            .iter()
            .find(|(name, ..)| name == table)
            .map(|(_, rows, _)| *rows);
        assert!(rows.is_some_and(|rows| rows > 0), "{table}: {rows:?}");
    }
    let elsewhere = Cluster::new(&[]);
    for (target, database, format) in [(&cluster, "copy", "plain"), (&elsewhere, "copy", "custom")]
    {
        copy(&cluster, target, database, format);
        let mut copied = target.connect_to(database);
        assert_eq!(contents(&mut copied), before, "{format}");
        expect_a_new_node(&mut copied);
    }
    // In any order: the data of an extension's tables have none in an archive.
    for (format, jobs) in [
        ("custom", 1),
        ("directory", 4),
        ("directory", 1),
        ("custom", 4),
    ]
    .into_iter()
    .take(cases(1, 4))
    {
        let database = format!("{format}_{jobs}");
        copy_by(&cluster, &elsewhere, &database, format, jobs);
        let mut copied = elsewhere.connect_to(&database);
        assert_eq!(contents(&mut copied), before, "{format} by {jobs}");
    }
    // Copying changes nothing where it was copied from.
    assert_eq!(contents(&mut original), before);
    assert_eq!(original.number("SELECT count(*) FROM pgperf.nodes"), 1);
}

/// How many samples stay because settings were stored with them, which are kept for ever.
fn settings_samples(copy: &mut Client) -> i64 {
    copy.number("SELECT count(DISTINCT (node_id, sample_id)) FROM pgperf.settings_history")
}

/// The copy continues the numbers, but under a node of its own; old runs stay readable.
fn expect_a_new_node(copy: &mut Client) {
    let old_node = copy.value("SELECT node_id FROM pgperf.nodes");
    let summary = "SELECT md5(string_agg(s::text, E'\\n' ORDER BY run_id)) FROM pgperf.run_summary s \
                   WHERE node_id = ";
    let summary = format!("{summary} '{old_node}'");
    let before = copy.value(&summary);
    let last_run = copy.number("SELECT max(run_id) FROM pgperf.runs");
    let last_sample = copy.number("SELECT max(sample_id) FROM pgperf.samples");
    let run = copy.finish_run("'tpcb-like', clients => 2, transactions_per_client => 10");
    assert_eq!(run, last_run + 1);
    let own_node = copy.value("SELECT pgperf.local_node()");
    assert_ne!(own_node, old_node);
    assert_eq!(copy.value("SELECT count(*) FROM pgperf.nodes"), "2");
    assert_eq!(
        copy.value(&format!(
            "SELECT node_id FROM pgperf.runs WHERE run_id = {run}"
        )),
        own_node
    );
    assert_eq!(
        copy.number(&format!(
            "SELECT min(sample_id) FROM pgperf.samples WHERE node_id = '{own_node}'"
        )),
        last_sample + 1
    );
    assert_eq!(copy.value(&summary), before);
    // Its partitions are its own: the next are made, and what is over is dropped.
    let left = "SELECT count(*) FILTER (WHERE action = 'left') FROM pgperf.maintain(10, '10 min')";
    wait_until("nothing to be left", PATIENCE, || copy.number(left) == 0);
    assert_eq!(
        copy.number("SELECT count(*) FROM pgperf_internal.wal_history_rest"),
        0
    );
    copy.age_history("3 years");
    wait_until("nothing to be left", PATIENCE, || copy.number(left) == 0);
    for table in ["samples", "wal_history", "database_history"] {
        let kept = copy.number(&format!("SELECT count(*) FROM pgperf.{table}"));
        assert_eq!(
            kept,
            if table == "samples" {
                settings_samples(copy)
            } else {
                0
            }
        );
    }
    copy.value("SELECT count(*) FROM pgperf.snapshot()");
    assert!(copy.number("SELECT count(*) FROM pgperf.wal_history") > 0);
    // What the original made is not the copy's to drop or truncate without being asked.
    assert_eq!(
        copy.number(&format!(
            "SELECT count(*) FROM pgperf.data_sets WHERE node_id = '{own_node}'"
        )),
        0
    );
}

#[test]
fn a_run_that_was_dumped_while_it_ran_is_interrupted_in_the_copy() {
    let cluster = Cluster::with_data(&[]);
    let mut session = cluster.connect();
    let run = session.start_busy_run("'tpcb-like', duration => '1 h', sample_interval => '0.1 s'");
    copy(&cluster, &cluster, "copy", "custom");
    let mut copied = cluster.connect_to("copy");
    assert_eq!(copied.status(run), "interrupted");
    assert!(copied.total(run, "transactions") > 0);
    assert_eq!(session.status(run), "running");
}
