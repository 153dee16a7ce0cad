use super::Moment;
use crate::facts::{Relation, Run};
use crate::{Format, ReadError, read};
use serde_json::{Value, json};

/// A line at a moment: a table with its index, both of which have grown by a page after each update.
fn line(taken_at: f64, updates: i64, reset: f64) -> String {
    let table = json!({"oid": 10, "schema": "public", "name": "t", "kind": "table", "table": null, "size": 8192 * (1 + updates),
        "tuple_percent": 90.5 - updates as f64, "live": 100, "dead": updates, "seq_scan": 0, "idx_scan": updates, "n_tup_ins": 100,
        "n_tup_upd": updates, "n_tup_hot_upd": 0, "n_tup_del": 0, "vacuum_count": 0, "autovacuum_count": updates / 2,
        "analyze_count": 0, "autoanalyze_count": 0});
    let index = json!({"oid": 11, "schema": "public", "name": "t_pkey", "kind": "index", "table": "t", "size": 16384 + 8192 * updates,
        "tuple_percent": null, "live": null, "dead": null, "seq_scan": null, "idx_scan": updates, "n_tup_ins": null,
        "n_tup_upd": null, "n_tup_hot_upd": null, "n_tup_del": null, "vacuum_count": null, "autovacuum_count": null,
        "analyze_count": null, "autoanalyze_count": null});
    let idle = json!({"oid": 12, "schema": "public", "name": "idle", "kind": "table", "size": 0, "n_tup_upd": 7});
    let figures = json!({"version": 1, "taken_at": taken_at, "server_version": "9.6.24", "wal": 1_000 * updates, "database_size": 7_000_000 + 20_000 * updates,
        "hit": 900 * updates, "read": 100 * updates, "reset": reset, "relations": [table, index, idle]});
    format!("pgperf figures {figures}\n")
}

const PGBENCH: &str = include_str!("../../fixtures/pgbench-15-progress.txt");

fn one(text: &str) -> Run {
    let reading = read(text, None, &mut || {}).unwrap();
    assert_eq!(reading.unread.lines, 0, "{:?}", reading.unread);
    let [run] = <[Run; 1]>::try_from(reading.runs).unwrap();
    run
}

fn value(run: &Run, name: &str) -> Option<f64> {
    let figures = &run.server.as_ref()?.figures;
    Some(figures.iter().find(|figure| figure.name == name)?.value)
}

#[test]
fn the_differences_belong_to_the_run_in_between() {
    let run = one(&format!(
        "{}{PGBENCH}{}",
        line(1.0, 0, 0.5),
        line(11.0, 4, 0.5)
    ));
    assert_eq!(run.format, Format::Pgbench);
    assert!(run.totals.transactions.is_some());
    assert_eq!(value(&run, "database_growth_bytes"), Some(80_000.0));
    assert_eq!(value(&run, "table_growth_bytes"), Some(32_768.0));
    assert_eq!(value(&run, "index_growth_bytes"), Some(32_768.0));
    assert_eq!(value(&run, "wal_bytes"), Some(4_000.0));
    assert_eq!(value(&run, "database_hit_percent"), Some(90.0));
    assert_eq!(value(&run, "autovacuum_count"), Some(2.0));
    let server = run.server.unwrap();
    assert_eq!(
        (server.shared_blks_hit, server.shared_blks_read),
        (Some(3_600), Some(400))
    );
    let [table, index] = <[Relation; 2]>::try_from(server.relations).unwrap();
    assert_eq!(
        (
            table.name.as_str(),
            table.start_size_bytes,
            table.end_size_bytes
        ),
        ("t", Some(8_192), 40_960)
    );
    assert_eq!(
        (table.start_tuple_percent, table.end_tuple_percent),
        (Some(90.5), Some(86.5))
    );
    assert_eq!(
        (table.counter("n_tup_upd"), table.counter("n_tup_ins")),
        (Some(4), Some(0))
    );
    assert_eq!(
        (
            index.table.as_deref(),
            index.counter("idx_scan"),
            index.counter("n_tup_upd")
        ),
        (Some("t"), Some(4), None)
    );
}

#[test]
fn without_a_program_the_figures_are_a_run() {
    let run = one(&(line(1.0, 0, 0.5) + &line(11.0, 4, 0.5)));
    assert_eq!(
        (run.format, run.started_s, run.totals.seconds),
        (Format::Psql, Some(1.0), Some(10.0))
    );
    assert_eq!(run.server_version.as_deref(), Some("9.6.24"));
}

#[test]
fn after_a_reset_only_sizes_and_wal_are_known() {
    let text = line(1.0, 0, 0.5) + &line(11.0, 4, 5.0);
    let reading = read(&text, Some(Format::Psql), &mut || {}).unwrap();
    assert!(reading.notes[0].starts_with("the server's counters began again"));
    let run = &reading.runs[0];
    assert_eq!(value(run, "wal_bytes"), Some(4_000.0));
    assert_eq!(value(run, "database_hit_percent"), None);
    assert_eq!(
        run.server.as_ref().unwrap().relations[0].counter("n_tup_upd"),
        None
    );
}

#[test]
fn counters_that_fell_have_begun_again_in_a_crash() {
    let text = line(1.0, 4, 0.5) + &line(11.0, 1, 0.5);
    let reading = read(&text, Some(Format::Psql), &mut || {}).unwrap();
    assert!(reading.notes[0].starts_with("the server's counters began again"));
    assert_eq!(value(&reading.runs[0], "autovacuum_count"), None);
}

#[test]
fn what_cannot_be_a_difference_is_an_error() {
    let error = |text: &str| read(text, None, &mut || {}).unwrap_err();
    assert_eq!(error(&line(1.0, 0, 0.5)), ReadError::FiguresOnce);
    let two = format!(
        "{}{PGBENCH}{PGBENCH}{}",
        line(1.0, 0, 0.5),
        line(11.0, 4, 0.5)
    );
    assert_eq!(error(&two), ReadError::FiguresOfWhich(2));
}

#[test]
fn a_damaged_line_is_not_understood() {
    let mut damaged: Value =
        serde_json::from_str(line(1.0, 0, 0.5).strip_prefix("pgperf figures ").unwrap()).unwrap();
    damaged["version"] = json!(2);
    let text = format!(
        "pgperf figures {damaged}\n{}{}",
        line(2.0, 0, 0.5),
        line(3.0, 1, 0.5)
    );
    let reading = read(&text, None, &mut || {}).unwrap();
    assert_eq!(reading.unread.lines, 1);
    assert_eq!(reading.runs[0].started_s, Some(2.0));
}

/// A moment with these counters of the WAL, which began again at that time.
fn moment(records: Value, images: Value, reset: f64) -> Moment {
    let figures = json!({"version": 1, "taken_at": 1.0, "server_version": "17.2", "wal": 0, "database_size": 0, "hit": 0, "read": 0,
        "reset": null, "counters": {"wal": {"reset": reset, "values": {"wal_records": records, "wal_fpi": images, "no_metric": 1}}}});
    Moment::read(&figures.to_string()).unwrap()
}

#[test]
fn further_counters_are_known_where_both_moments_have_them() {
    let of = |first: &Moment, last: &Moment| -> Vec<(String, f64)> {
        let changes = last.since(first);
        let wal = changes.server.figures.into_iter();
        wal.filter(|figure| figure.category == "wal" && figure.name != "wal_bytes")
            .map(|figure| (figure.name, figure.value))
            .collect()
    };
    let first = moment(json!(5), json!(2), 0.5);
    let records = |count: f64| ("wal_records".to_owned(), count);
    assert_eq!(
        of(&first, &moment(json!(9), json!(2), 0.5)),
        [("wal_fpi".to_owned(), 0.0), records(4.0)]
    );
    assert_eq!(
        of(&first, &moment(json!(9), json!(null), 0.5)),
        [records(4.0)]
    );
    assert_eq!(of(&first, &moment(json!(9), json!(3), 0.7)), [], "a reset");
    assert_eq!(of(&first, &moment(json!(4), json!(3), 0.5)), [], "a crash");
}

#[test]
fn counters_that_begin_with_the_first_report_were_not_reset() {
    let mut first = line(1.0, 0, 0.5);
    first = first.replace("\"reset\":0.5", "\"reset\":null");
    let run = one(&(first + &line(11.0, 4, 5.0)));
    assert_eq!(value(&run, "autovacuum_count"), Some(2.0));
    let never = json!(null);
    let (first, last) = (
        Moment::read(&json!({"version": 1, "taken_at": 1.0, "server_version": "13.1", "wal": 0, "database_size": 0, "hit": 0, "read": 0,
            "counters": {"database": {"reset": never, "values": {"rollbacks": 0}}}}).to_string()),
        Moment::read(&json!({"version": 1, "taken_at": 2.0, "server_version": "13.1", "wal": 0, "database_size": 0, "hit": 5, "read": 0, "reset": 1.5,
            "counters": {"database": {"reset": 1.5, "values": {"rollbacks": 3}}}}).to_string()),
    );
    let changes = last.unwrap().since(&first.unwrap());
    assert!(changes.went_on);
    let figures = changes.server.figures;
    assert!(
        figures
            .iter()
            .any(|figure| figure.name == "rollbacks" && figure.value == 3.0)
    );
}
