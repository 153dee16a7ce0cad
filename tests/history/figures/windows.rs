//! The scope of a window: that of a run begins after its warm-up; what was not sampled is not new; and how many rows are shown of how many.

use super::{execute, sections};
use crate::common::Cluster;
use crate::common::runs::Runs;
use postgres::Client;
use serde_json::Value;

fn json(session: &mut Client, call: &str) -> Value {
    let text = session.value(&format!("SELECT {call}"));
    serde_json::from_str(&text).expect("a document")
}

fn named<'a>(list: &'a Value, name: &str) -> Option<&'a Value> {
    list.as_array()?.iter().find(|one| one["name"] == name)
}

#[test]
fn a_run_s_window_begins_after_its_warm_up() {
    let cluster = Cluster::for_scripts(&[]);
    let mut session = cluster.connect();
    let run = session.finish_run(
        "script => 'SELECT 1;', rate => 50, warmup => '1 s', duration => '1 s', sample_interval => '0.2 s', collectors => '{wal}', label => 'warm'",
    );
    for call in [
        "pgperf.history_json('warm')".to_owned(),
        format!("pgperf.history_json('{run}')"),
        "pgperf.history_compare_json('warm', 'warm') -> 'b'".to_owned(),
    ] {
        let document = json(&mut session, &call);
        let window = if document["window"].is_null() {
            &document
        } else {
            &document["window"]
        };
        let times = |name: &str| window[name].as_str().expect("a time").to_owned();
        let (from, to) = (times("from"), times("to"));
        // The clock of the warm-up and of the first interval, not what pgperf says of the window.
        let after = session.value(&format!(
            "SELECT '{from}'::timestamptz >= r.started_at + interval '1 s' AND '{from}'::timestamptz <= min(i.started_at) + interval '1 ms' \
                    AND '{to}'::timestamptz >= max(i.started_at + i.seconds * interval '1 s') - interval '1 ms' AND '{to}'::timestamptz <= r.ended_at \
             FROM pgperf_internal.stored_runs r JOIN pgperf.run_intervals i USING (node_id, run_id) WHERE r.run_id = {run} GROUP BY r.started_at, r.ended_at"
        ));
        assert_eq!(after, "t", "{call}: {from} to {to}");
    }
    // The warm-up's samples are not those of its window.
    let document = json(&mut session, "pgperf.history_json('warm')");
    let inside = session.number(&format!(
        "SELECT count(*) FROM pgperf.samples s, pgperf_internal.stored_runs r WHERE r.run_id = {run} \
         AND s.taken_at > (SELECT min(i.started_at) FROM pgperf.run_intervals i) AND s.taken_at <= r.ended_at"
    ));
    assert_eq!(document["window"]["samples"], inside);
}

/// The warm-up's accesses are followed, and not counted in the curve; the samples at the run's ends, from which its metrics come, have the warm-up between them.
#[test]
fn a_warm_up_is_in_the_metrics_of_a_run_and_not_in_its_hit_curve() {
    let cluster = Cluster::with_data(&["shared_buffers = 16MB"]);
    let mut session = cluster.connect();
    // Each of its transactions writes a temporary file and reads all accounts; those that are measured read one.
    session.value(
        "SELECT pgperf.create_workload('sorting', script => $$SELECT count(*) FROM (SELECT filler FROM pgbench_accounts ORDER BY random()) s;$$)",
    );
    let run = session.finish_run(
        "script => 'SELECT abalance FROM pgbench_accounts WHERE aid = 1;', warmup => '0.2 s', warmup_workload => 'sorting', clients => 1, \
         transactions_per_client => 50, hit_curve => true, collectors => '{database}'",
    );
    assert!(session.total(run, "warmup_transactions") >= 1);
    let of_intervals = session.number(&format!(
        "SELECT sum(shared_blks_hit + shared_blks_read)::int8 FROM pgperf.run_intervals WHERE run_id = {run}"
    ));
    let of_curve = session.number(&format!(
        "SELECT blks_hit + blks_read FROM pgperf.hit_curve_history WHERE run_id = {run} AND times = 1"
    ));
    // A warm-up's transaction alone reads more than a thousand blocks.
    assert!((50..1000).contains(&of_curve), "{of_curve}");
    assert_eq!(of_curve, of_intervals);
    let temp_files = format!(
        "SELECT value >= 1 FROM pgperf.run_metrics WHERE run_id = {run} AND metric = 'temp_files'"
    );
    assert_eq!(session.value(&temp_files), "t");
}

/// Of the resource managers of the WAL 20 are shown.
#[test]
fn more_is_said_of_one_row_more_than_are_shown() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    let node = session.value("SELECT pgperf.local_node()");
    let mut transaction = session.transaction().expect("a transaction");
    for (count, more) in [(19, false), (20, false), (21, true)] {
        execute(
            &mut transaction,
            &format!(
                "DELETE FROM pgperf.wal_rmgr_history; \
                 INSERT INTO pgperf.wal_rmgr_history (node_id, sample_id, taken_at, start_lsn, end_lsn, resource_manager, record_type, records, record_bytes, fpi_bytes, sampled_percent) \
                 SELECT '{node}', 1, now() - interval '30 min', '0/0', '0/1', 'manager ' || g, 'x', 1, 1000 - g, 0, 100 FROM generate_series(1, {count}) g"
            ),
        );
        let text = super::value(
            &mut transaction,
            "SELECT pgperf.history_json(now() - interval '1 hour', now())::text",
        );
        let document: Value = serde_json::from_str(&text).expect("a document");
        let section = named(&document["sections"], "wal").expect("the section");
        let table = named(&section["tables"], "managers").expect("the table");
        let shown = table["rows"].as_array().expect("rows").len();
        assert_eq!(
            (shown, table["more"].as_bool()),
            (count.min(20), Some(more)),
            "{count}"
        );
        let page = super::value(
            &mut transaction,
            "SELECT translate(pgperf.history_html(now() - interval '1 hour', now()), E'\\n', ' ')",
        );
        assert_eq!(page.contains("The first 20 of more."), more, "{count}");
    }
}

/// The presence of each row of a table in a comparison.
fn presences(document: &Value, section: &str, table: &str) -> Vec<(String, Value)> {
    let rows = named(&document["sections"], section)
        .and_then(|section| named(&section["tables"], table))
        .and_then(|table| table["rows"].as_array());
    let rows = rows.map_or(&[][..], Vec::as_slice).iter();
    rows.map(|row| (row["names"].to_string(), row["presence"].clone()))
        .collect()
}

#[test]
fn nothing_is_new_or_gone_against_a_window_without_samples() {
    let (cluster, [one, _]) = sections::planted();
    let mut session = cluster.connect();
    let window = |from_s: i64, to_s: i64| {
        format!(
            "'{0}'::timestamptz + interval '{from_s} s', '{0}'::timestamptz + interval '{to_s} s'",
            one.0
        )
    };
    let (unsampled, sampled, before) = (window(-7200, -4800), window(0, 2400), window(-2400, 0));
    let mut compared = |a: &str, b: &str| {
        json(
            &mut session,
            &format!("pgperf.history_compare_json({a}, {b})"),
        )
    };
    // Three windows: the planted one against nothing, both ways, and against one with samples before it.
    let against_nothing = compared(&unsampled, &sampled);
    let then_nothing = compared(&sampled, &unsampled);
    for (section, table) in [
        ("load", "totals"),
        ("statements", "top"),
        ("waits", "events"),
        ("tables", "activity"),
        ("slru", "counts"),
        ("wal", "managers"),
        ("replication", "objects"),
    ] {
        for document in [&against_nothing, &then_nothing] {
            let rows = presences(document, section, table);
            assert!(!rows.is_empty(), "{section}/{table}");
            assert!(
                rows.iter().all(|(_, presence)| presence.is_null()),
                "{section}/{table}: {rows:?}"
            );
        }
    }
    let both = compared(&before, &sampled);
    let rows = presences(&both, "statements", "top");
    let of = |name: &str| -> Vec<&Value> {
        let rows = rows.iter().filter(|(names, _)| names.contains(name));
        rows.map(|(_, presence)| presence).collect()
    };
    assert!(
        !of("SELECT 14").is_empty() && of("SELECT 14").iter().all(|p| *p == "new"),
        "{rows:?}"
    );
    assert!(
        !of("SELECT 15").is_empty() && of("SELECT 15").iter().all(|p| *p == "gone"),
        "{rows:?}"
    );
    assert!(
        !of("SELECT 12").is_empty() && of("SELECT 12").iter().all(|p| *p == "both"),
        "{rows:?}"
    );

    // Nor has a report such lists if nothing was sampled in the window before.
    let titles = |session: &mut Client, window: &str| -> Vec<String> {
        let document = json(session, &format!("pgperf.history_json({window})"));
        let section = named(&document["sections"], "statements").expect("the section");
        let tables = section["tables"].as_array().expect("tables").iter();
        tables.map(|table| table["title"].to_string()).collect()
    };
    let has = |titles: &[String], list: &str| {
        titles
            .iter()
            .any(|title| title.starts_with(&format!("\"{list}")))
    };
    let with_before = titles(&mut session, &sampled);
    assert!(
        has(&with_before, "New") && has(&with_before, "Vanished"),
        "{with_before:?}"
    );
    let first = titles(&mut session, &window(-2000, 2400));
    assert!(
        has(&first, "By time") && !has(&first, "New") && !has(&first, "Vanished"),
        "{first:?}"
    );
}
