//! What a window does not count: what was reset in between, what is too short for a forecast, what the first sample of a history has.

use super::parts::{Part, expected};
use super::sections::{differences, parts_of, planted, read};
use super::{execute, same};
use crate::common::runs::Runs;
use postgres::Client;

/// The first figure of that name of a table, or the first point of a chart's line.
fn figure(parts: &[Part], place: &str, name: &str) -> Option<f64> {
    let part = parts.iter().find(|part| part.name == place)?;
    let (row, name) = match part.is_chart {
        true => {
            let end = format!(" / {name}");
            let row = part.rows.iter().find(|row| row.name.ends_with(&end))?;
            (row, "0")
        }
        false => (part.rows.first()?, name),
    };
    let (_, value) = row.figures.iter().find(|(column, _)| column == name)?;
    value.parse().ok()
}

/// Its ends.
type Window = (String, String);

fn parts(session: &mut Client, from: &str, to: &str) -> Vec<Part> {
    let document = read(session, &(from.to_owned(), to.to_owned()));
    parts_of(session, &document, from)
}

/// The last sample of the window comes after a reset, of everything, past what was counted before.
fn what_was_reset_in_between_is_not_counted(session: &mut Client, [(from, to), _]: &[Window; 2]) {
    for table in [
        "database_history",
        "checkpoint_history",
        "slru_history",
        "lock_history",
        "archiver_history",
    ] {
        session.value(&format!(
            "UPDATE pgperf.{table} SET stats_reset = '{from}'::timestamptz + interval '700 s' WHERE taken_at = '{to}'"
        ));
    }
    for table in ["host_history", "device_history"] {
        session.value(&format!(
            "UPDATE pgperf.{table} SET boot_id = gen_random_uuid() WHERE taken_at = '{to}'"
        ));
    }
    execute(
        session,
        &format!(
            "UPDATE pgperf.buffer_counter_history SET databases_mark = 2 WHERE taken_at = '{to}'; \
             UPDATE pgperf.wal_history SET wal_bytes = 1, wal_records = 1 WHERE taken_at = '{to}'"
        ),
    );
    let found = parts(session, from, to);
    // What was counted from the sample before the window to the first in it, in 1088 s.
    for (place, name, expected) in [
        ("load/totals", "commits", 2.0 * 101.0),
        ("load/totals", "seconds", 1088.0),
        ("load/totals", "tps", 2.0 * 101.0 / 1088.0),
        ("checkpoints/totals", "timed", 6.0),
        ("checkpoints/totals", "apart_s", 1088.0 / 16.0),
        ("slru/counts", "hits", 2.0 * 571.0),
        ("waits/locks", "waits", 6.0 * 1061.0),
        ("wal/archive", "archived", 2.0 * 467.0),
        ("wal/archive", "failed", 2.0 * 479.0),
        ("wal/totals", "records", 2.0 * 421.0),
        ("host/totals", "major_faults", 2.0 * 1069.0),
        ("host/totals", "switches_per_s", 2.0 * 719.0 / 1088.0),
        // Positions go on.
        ("wal/totals", "lsn_bytes", 5.0 * 10009.0),
    ] {
        let value = figure(&found, place, name);
        assert!(
            value.is_some_and(|value| same(value, expected)),
            "{place} {name}: {value:?}, {expected} expected"
        );
    }
    for (place, points) in [
        ("load/transactions", 1),
        ("load/sessions", 1),
        ("wal/records", 1),
        ("wal/volume", 2),
        ("checkpoints/written", 1),
        ("host/cpu", 1),
        ("devices/rates", 1),
    ] {
        let part = found.iter().find(|part| part.name == place).expect(place);
        assert_eq!(part.rows[0].figures.len(), points, "{place}");
    }
    // Of the counters of shared buffers the others count on.
    let buffers = found.iter().find(|part| part.name == "buffers/counters");
    let last = |name: &str| {
        let row = buffers
            .expect("the chart")
            .rows
            .iter()
            .find(|row| row.name.ends_with(name));
        row.expect(name).figures[1].1.clone()
    };
    assert_eq!(last("blocks read"), "null");
    assert!(
        last("buffers allocated")
            .parse::<f64>()
            .is_ok_and(|value| same(value, 3.0 * 409.0 / 1792.0))
    );
    // Of the devices, the steps before it: that between two checkpoints lasted 592 s.
    let phases = found
        .iter()
        .find(|part| part.name == "devices/phases")
        .expect("the phases");
    let between = phases
        .rows
        .iter()
        .find(|row| row.name.contains("between checkpoints"))
        .expect("a phase");
    let seconds = between.figures.iter().find(|(name, _)| name == "seconds");
    assert_eq!(seconds.expect("a time").1, "592");
}

fn short_windows_and_the_first_sample_tell_no_more_than_they_know(
    session: &mut Client,
    [one, two]: &[Window; 2],
) {
    let mut at = |from: &str, seconds: i64| {
        session.value(&format!(
            "SELECT '{from}'::timestamptz + interval '{seconds} s'"
        ))
    };
    let times = [
        at(&one.0, 1000),
        at(&one.0, -2000),
        at(&two.0, 1100),
        at(&two.0, 1700),
    ];

    // How long the room lasts: from half an hour on.
    let short = parts(session, &one.0, &times[0]);
    assert_eq!(figure(&short, "tablespaces/file_systems", "left_s"), None);
    assert!(
        figure(&short, "tablespaces/file_systems", "lost_bytes").is_some_and(|lost| lost > 0.0)
    );
    // A band needs four rates.
    let three = parts(session, &two.0, &times[2]);
    assert_eq!(figure(&three, "wraparound/forecast", "left_low_s"), None);
    let four = parts(session, &two.0, &times[3]);
    let last = |parts: &[Part], name: &str| {
        let forecast = parts.iter().find(|part| part.name == "wraparound/forecast");
        let row = forecast.expect("a forecast").rows.last().expect("a row");
        row.figures.iter().any(|(column, _)| column == name)
    };
    assert!(last(&four, "left_low_s") && last(&four, "left_s"));
    assert!(!last(&three, "left_low_s") && last(&three, "left_s"));
    // The first sample of a history has all settings: none of them has changed.
    let first = parts(session, &times[1], &one.1);
    let changes = first
        .iter()
        .find(|part| part.name == "settings/changes")
        .expect("changes");
    let names: Vec<&str> = changes.rows.iter().map(|row| row.name.as_str()).collect();
    assert_eq!(names.len(), 7, "{names:?}");
    assert!(names[0].contains("work_mem |"), "{names:?}");
}

/// One text is several statements: of two roles, which count together; of another database; called by a function.
fn statements_of_one_number_are_told_apart(session: &mut Client, [(from, to), _]: &[Window; 2]) {
    session.value(
        "INSERT INTO pgperf.statement_history (node_id, sample_id, taken_at, queryid, userid, dbid, toplevel, before_sample_id, database_name, min_exec_time, max_exec_time, calls, total_exec_time, rows, \
             shared_blks_hit, shared_blks_read, temp_blks_read, temp_blks_written, wal_bytes) \
         SELECT node_id, sample_id, taken_at, 77, s.role, s.database, s.toplevel, CASE WHEN n > -2 THEN sample_id - 10 END, 'db ' || s.database, 1, 1000, k + m * s.calls, k + m * s.calls * 100000, k, k, k, k, k, k \
         FROM (SELECT h.node_id, h.sample_id, h.taken_at, row_number() OVER (ORDER BY h.sample_id) AS no FROM pgperf.samples h WHERE h.node_id = pgperf.local_node() AND h.sample_id BETWEEN 3000 AND 3100) h \
         CROSS JOIN LATERAL (SELECT (ARRAY[-2, 0, 1, 2, 5, 11])[h.no] AS n, (ARRAY[5, 7, 8, 9, 12, 18])[h.no] AS m, 1000000 AS k) t \
         CROSS JOIN (VALUES (10, 5, true, 1009), (20, 5, true, 1013), (10, 6, true, 1019), (10, 5, false, 1021)) s(role, database, toplevel, calls)",
    );
    let found = parts(session, from, to);
    let top = found.iter().find(|part| part.name == "statements/top");
    let calls = |list: &str, database: &str| -> Vec<f64> {
        let rows = top.expect("statements").rows.iter();
        let of_list = rows.filter(|row| row.name.starts_with(list) && row.name.ends_with(database));
        let figures = of_list.flat_map(|row| &row.figures);
        let calls = figures.filter(|(name, _)| name == "calls");
        calls
            .map(|(_, calls)| calls.parse().expect("a number"))
            .collect()
    };
    assert_eq!(calls("By calls", "db 5"), [5.0 * (1009.0 + 1013.0)]);
    assert_eq!(calls("By calls", "db 6"), [5.0 * 1019.0]);
    assert_eq!(calls("Nested", "db 5"), [5.0 * 1021.0]);
}

/// Of relations of which a counter fell the others are known, and added up in another way.
fn a_counter_of_a_relation_that_fell_leaves_the_others(
    session: &mut Client,
    [one, _]: &[Window; 2],
) {
    // These two are not shown.
    session.value(&format!(
        "UPDATE pgperf.relation_history SET idx_tup_read = 0 WHERE relation_kind <> 'index' AND taken_at = '{}'",
        one.1
    ));
    session.value(&format!(
        "UPDATE pgperf.relation_history SET n_tup_ins = CASE WHEN taken_at = '{}' THEN 0 ELSE 1 END WHERE relation_kind = 'index'",
        one.1
    ));
    let of_relations =
        |part: &Part| ["tables/activity", "indexes/use"].contains(&part.name.as_str());
    let mut wanted = expected("window one");
    wanted.retain(of_relations);
    let mut found = parts(session, &one.0, &one.1);
    found.retain(of_relations);
    let wrong = differences(session, &wanted, &found);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What is not known where a counter fell: the list of the table or the index, and the figure in it; without a figure, its row.
type Unknown = (&'static str, Option<&'static str>);
const FALLEN: [(&str, &[Unknown]); 13] = [
    ("seq_scan", &[("Sequential", None)]),
    ("seq_tup_read", &[("Sequential", None)]),
    (
        "idx_scan",
        &[
            ("Sequential", Some("index_scans")),
            ("Of the ten", Some("scans")),
        ],
    ),
    ("idx_tup_read", &[("Of the ten", Some("entries"))]),
    ("n_tup_ins", &[("Rows written", None)]),
    ("n_tup_upd", &[("Rows written", None)]),
    ("n_tup_del", &[("Rows written", None)]),
    ("n_tup_hot_upd", &[("Rows written", Some("hot_percent"))]),
    ("vacuum_count", &[("Vacuums", None)]),
    ("autovacuum_count", &[("Vacuums", None)]),
    ("autoanalyze_count", &[("Vacuums", None)]),
    ("blks_read", &[("Blocks read", None)]),
    ("blks_hit", &[("Blocks read", Some("hit_percent"))]),
];

fn what_a_fallen_counter_counted_is_not_known(session: &mut Client, [one, _]: &[Window; 2]) {
    let mut shown = |counter: &str| -> Vec<(String, Vec<String>)> {
        execute(
            session,
            &format!(
                "BEGIN; UPDATE pgperf.relation_history SET {counter} = 0 WHERE relation_name IN ('alpha', 'zeta_idx') AND taken_at = '{}'",
                one.1
            ),
        );
        let parts = parts(session, &one.0, &one.1);
        execute(session, "ROLLBACK");
        let of_relations = ["tables/activity", "indexes/use"];
        let parts = parts.into_iter();
        let rows = parts
            .filter(|part| of_relations.contains(&part.name.as_str()))
            .flat_map(|part| part.rows);
        let of_both = rows
            .filter(|row| row.name.ends_with("public.alpha |") || row.name.contains("zeta_idx"));
        of_both
            .map(|row| {
                let known = row.figures.into_iter().filter(|(_, value)| value != "null");
                (row.name, known.map(|(name, _)| name).collect())
            })
            .collect()
    };
    let all = shown("last_oid");
    for (counter, unknown) in FALLEN {
        let mut expected = all.clone();
        for (list, figure) in unknown {
            let at = expected.iter().position(|(name, _)| name.starts_with(list));
            let at = at.unwrap_or_else(|| panic!("{list} in {expected:?}"));
            match figure {
                Some(figure) => expected[at].1.retain(|name| name != figure),
                None => {
                    expected.remove(at);
                }
            }
        }
        assert_ne!(expected, all, "{counter}");
        assert_eq!(shown(counter), expected, "{counter}");
    }
}

/// One after the other: each changes tables that the others do not read.
#[test]
fn windows_tell_what_they_know_and_no_more() {
    let (cluster, windows) = planted();
    let mut session = cluster.connect();
    for check in [
        what_a_fallen_counter_counted_is_not_known,
        short_windows_and_the_first_sample_tell_no_more_than_they_know,
        a_counter_of_a_relation_that_fell_leaves_the_others,
        statements_of_one_number_are_told_apart,
        what_was_reset_in_between_is_not_counted,
    ] {
        check(&mut session, &windows);
    }
}
