//! Two windows of the history side by side: figures are those of the stored counters, what was planted lies beyond the usual, and
//! nothing else does.

use crate::common::Cluster;
use crate::common::runs::Runs;
use postgres::Client;
use serde_json::Value;

/// How many days ago a copied sample was taken; 0: it is none.
const DAY: &str = "ceil(greatest(-h.sample_id, 0) / 1000000.0)::int8";

/// Copies all samples to this many earlier days, at the same hour. On each, some more transactions were committed.
fn copy_to_earlier_days(session: &mut Client, days: u32) {
    session.value(&format!(
        "DO $$ DECLARE t text; k int; names text; vals text; BEGIN \
         FOR k IN 1..{days} LOOP FOR t IN SELECT table_name FROM pgperf_internal.history_tables LOOP \
            SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum), \
                   string_agg(CASE attname WHEN 'sample_id' THEN 'sample_id - 1000000 * ' || k \
                                           WHEN 'before_sample_id' THEN 'before_sample_id - 1000000 * ' || k \
                                           WHEN 'taken_at' THEN 'taken_at - make_interval(days => ' || k || ')' \
                                           ELSE quote_ident(attname) END, ', ' ORDER BY attnum) \
              INTO names, vals FROM pg_attribute \
             WHERE attrelid = ('pgperf.' || t)::regclass AND attnum > 0 AND NOT attisdropped; \
            EXECUTE format('INSERT INTO pgperf.%I (%s) SELECT %s FROM pgperf.%I WHERE sample_id > 0', t, names, vals, t); \
         END LOOP; END LOOP; END $$"
    ));
    session.value(&format!(
        "UPDATE pgperf.database_history h SET xact_commit = xact_commit + 3 * {DAY} \
          WHERE sample_id < 0 AND sample_id = (SELECT max(x.sample_id) FROM pgperf.database_history x WHERE {} = {DAY})",
        DAY.replace("h.", "x.")
    ));
}

/// A window with two samples, some work in between and a session that was seen waiting for a device.
fn window(session: &mut Client) -> (String, String) {
    session.value("CREATE TABLE work (id integer)");
    let from = session.value("SELECT clock_timestamp()");
    session.value("SELECT count(*) FROM pgperf.snapshot('{database,wal,waits,settings}')");
    for n in 0..50 {
        session.value(&format!("INSERT INTO work VALUES ({n})"));
    }
    session.value("SELECT pg_stat_force_next_flush()");
    session.value("SELECT count(*) FROM pgperf.snapshot('{database,wal,waits,settings}')");
    session.value(
        "INSERT INTO pgperf.wait_history (node_id, sample_id, taken_at, source, backend_type, state, wait_event_type, wait_event, looks, seen) \
         SELECT node_id, sample_id, taken_at, 'activity', 'client backend', 'active', 'IO', 'DataFileRead', 1, 4 FROM pgperf.samples",
    );
    (from, session.value("SELECT clock_timestamp()"))
}

fn document(session: &mut Client, arguments: &str) -> Value {
    let text = session.value(&format!("SELECT pgperf.history_compare_json({arguments})"));
    serde_json::from_str(&text).expect("a document")
}

/// A row of a table, and its figures.
fn row<'a>(document: &'a Value, section: &str, table: &str, names: &[&str]) -> &'a Value {
    let named = |list: &'a Value, name: &str| -> &'a Value {
        let list = list.as_array().expect("a list");
        list.iter()
            .find(|one| one["name"] == name)
            .unwrap_or_else(|| panic!("no {name}: {list:?}"))
    };
    let table = named(&named(&document["sections"], section)["tables"], table);
    let rows = table["rows"].as_array().expect("rows");
    let found = rows.iter().find(|row| row["names"] == Value::from(names));
    found.unwrap_or_else(|| panic!("no {names:?}: {rows:?}"))
}

fn figure<'a>(row: &'a Value, name: &str) -> &'a Value {
    let figures = row["figures"].as_array().expect("figures");
    figures
        .iter()
        .find(|figure| figure["name"] == name)
        .unwrap_or_else(|| panic!("no {name}: {figures:?}"))
}

/// Names of the figures beyond the usual, each with its row and verdict.
fn beyond(document: &Value) -> Vec<String> {
    let mut beyond = Vec::new();
    for section in document["sections"].as_array().expect("sections") {
        for table in section["tables"].as_array().expect("tables") {
            for row in table["rows"].as_array().expect("rows") {
                for figure in row["figures"].as_array().expect("figures") {
                    if let Some(verdict) = figure["verdict"].as_str() {
                        let name = figure["name"].as_str().expect("a name");
                        beyond.push(format!(
                            "{} {name} {verdict}",
                            row["names"][0].as_str().expect("a name")
                        ));
                    }
                }
            }
        }
    }
    beyond.sort();
    beyond
}

#[test]
fn what_was_planted_lies_beyond_the_usual_and_nothing_else() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    let (from, to) = window(&mut session);
    copy_to_earlier_days(&mut session, 6);

    // Today as on all days.
    let between = format!("'{from}', '{to}'");
    let quiet = document(&mut session, &between);
    assert_eq!(quiet["usual"]["why"], Value::Null);
    assert_eq!(quiet["usual"]["days"], 6);
    assert!(quiet["usual"]["figures"].as_i64().expect("a number") > 20);
    assert_eq!(beyond(&quiet), Vec::<String>::new());
    assert_eq!(quiet["settings"], Value::Array(Vec::new()));

    // Today there were deadlocks, and sessions waited for locks and no longer for the disk; a setting was changed.
    session.value(
        "UPDATE pgperf.database_history SET deadlocks = deadlocks + 7 \
          WHERE database_name IS NOT NULL AND sample_id = (SELECT max(sample_id) FROM pgperf.database_history)",
    );
    session.value(
        "UPDATE pgperf.wait_history SET wait_event_type = 'Lock', wait_event = 'relation', seen = 40 \
          WHERE sample_id > 0 AND wait_event = 'DataFileRead'",
    );
    session.value("ALTER DATABASE postgres SET work_mem = '123MB'");
    session.value("SELECT count(*) FROM pgperf.snapshot('{settings}')");
    session.value(
        "UPDATE pgperf.settings_history SET taken_at = (SELECT max(taken_at) FROM pgperf.database_history) WHERE name = 'work_mem'",
    );
    let compared = document(&mut session, &between);
    let load = row(&compared, "load", "totals", &["postgres"]);
    assert_eq!(beyond(&compared), ["postgres deadlocks worse"]);
    let deadlocks = figure(load, "deadlocks");
    assert_eq!(
        (&deadlocks["a"], &deadlocks["b"]),
        (&Value::from(0.0), &Value::from(7.0))
    );
    assert_eq!(
        row(&compared, "waits", "events", &["Lock", "relation"])["presence"],
        "new"
    );
    assert_eq!(
        row(&compared, "waits", "events", &["IO", "DataFileRead"])["presence"],
        "gone"
    );
    let setting = &compared["settings"][0];
    assert_eq!(setting["name"], "work_mem");
    assert_eq!(
        (&setting["database"], &setting["a"], &setting["b"]),
        (&"postgres".into(), &Value::Null, &"123MB".into())
    );

    // The figures of both windows are those of the stored counters.
    for (side, day) in [("a", 1), ("b", 0)] {
        let stored = session.number(&format!(
            "SELECT max(xact_commit) - min(xact_commit) FROM pgperf.database_history h \
              WHERE database_name = 'postgres' AND {DAY} = {day}"
        ));
        assert_eq!(
            figure(load, "commits")[side].as_f64(),
            Some(stored as f64),
            "{side}"
        );
    }

    // In words, and as a page.
    let text = session.value(&format!(
        "SELECT string_agg(l, E'\\n') FROM pgperf.history_compare({between}) l"
    ));
    assert!(
        text.lines().all(|line| line.chars().count() <= 80),
        "{text}"
    );
    let one_line: Vec<&str> = text.split_whitespace().collect();
    let one_line = one_line.join(" ");
    for words in [
        "on 6 earlier days",
        "Load: deadlocks, postgres",
        " worse",
        "work_mem in database postgres default 123MB",
        "Lock relation new",
    ] {
        assert!(one_line.contains(words), "{words}\n{text}");
    }
    let page = session.page(&format!("pgperf.history_compare_html({between})"));
    assert!(
        page.contains("Load: deadlocks, postgres")
            && page.contains("work_mem in database postgres"),
        "{page}"
    );
}

#[test]
fn too_few_days_are_named_and_runs_have_no_usual_hour() {
    let cluster = Cluster::for_scripts(&[]);
    let mut session = cluster.connect();
    let (from, to) = window(&mut session);
    copy_to_earlier_days(&mut session, 3);
    let few = document(&mut session, &format!("'{from}', '{to}'"));
    let why = few["usual"]["why"].as_str().expect("a reason");
    assert!(why.contains("3 of the last 14 days, 4 are needed"), "{why}");
    assert_eq!(beyond(&few), Vec::<String>::new());
    // What was two days ago against three days ago.
    let earlier = document(
        &mut session,
        &format!(
            "timestamptz '{from}' - interval '2 days', timestamptz '{to}' - interval '2 days'"
        ),
    );
    let load = row(&earlier, "load", "totals", &["postgres"]);
    let commits = figure(load, "commits");
    let more = commits["a"].as_f64().expect("a") - commits["b"].as_f64().expect("b");
    assert_eq!(more, 3.0, "{commits}");

    for label in ["one", "two"] {
        session.finish_run(&format!(
            "script => 'SELECT 1;', transactions_per_client => 5, label => '{label}'"
        ));
    }
    let runs = document(&mut session, "'one', 'two'");
    assert_eq!(runs["usual"]["why"], "a run has no usual hour");
    assert_eq!(
        (&runs["a"]["name"], &runs["b"]["name"]),
        (&"one".into(), &"two".into())
    );
}

/// Two samples of devices, ten minutes apart, in a window that begins so many hours ago: what each device holds, and its reads meanwhile.
fn plant_devices(session: &mut Client, hours: u32, devices: &[(&str, &str, u32)]) -> String {
    for (number, at) in [1_i64, 2].into_iter().zip(["5 minutes", "15 minutes"]) {
        let sample = number - 10 * i64::from(hours);
        let taken_at =
            format!("date_trunc('hour', now()) - interval '{hours} hours' + interval '{at}'");
        session.value(&format!(
            "INSERT INTO pgperf.samples (node_id, sample_id, taken_at, epoch, elapsed_ms, rows, pages, wal_bytes, outcomes) \
             VALUES (pgperf.local_node(), {sample}, {taken_at}, 7, 1, 1, 1, 1, '{{\"host\": {{\"status\": \"ok\"}}}}')"
        ));
        for (device, holds, reads) in devices {
            session.value(&format!(
                "INSERT INTO pgperf.device_history (node_id, sample_id, taken_at, boot_id, device, holds, level, in_flight, read_ios, read_merges, read_sectors, \
                     read_ticks, write_ios, write_merges, write_sectors, write_ticks, io_ticks, time_in_queue) \
                 VALUES (pgperf.local_node(), {sample}, {taken_at}, '00000000-0000-0000-0000-000000000001', '{device}', '{holds}', 0, 0, \
                     {reads} * {number}, 0, 0, 0, 0, 0, 0, 0, 0, 0)"
            ));
        }
    }
    format!(
        "date_trunc('hour', now()) - interval '{hours} hours', date_trunc('hour', now()) - interval '{hours} hours' + interval '20 minutes'"
    )
}

#[test]
fn devices_are_matched_by_what_they_hold() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    session.value("SELECT pgperf.local_node()");
    let one = [("sda", "data, wal, tablespace slow", 600)];
    let a = plant_devices(&mut session, 3, &one);
    let two = [
        ("nvme0n1", "data, tablespace slow", 1200),
        ("nvme1n1", "wal", 60),
    ];
    let b = plant_devices(&mut session, 2, &two);
    let apart = document(&mut session, &format!("{a}, {b}"));
    // Ten minutes have 600 seconds.
    for (names, figures, device) in [
        (["data, tablespace slow: "], (1.0, 2.0), "nvme0n1"),
        (["wal: "], (1.0, 0.1), "nvme1n1"),
    ] {
        let row = row(&apart, "devices", "phases", &names);
        let reads = figure(row, "reads_per_s");
        assert_eq!(
            (reads["a"].as_f64(), reads["b"].as_f64()),
            (Some(figures.0), Some(figures.1)),
            "{row}"
        );
        assert_eq!(row["presence"], "both");
        let remark = &row["remarks"][0];
        assert_eq!(
            (&remark["a"], &remark["b"]),
            (&Value::from("sda"), &Value::from(device))
        );
    }
    // What both have on one device is one row.
    let alike = document(&mut session, &format!("{a}, {a}"));
    row(
        &alike,
        "devices",
        "phases",
        &["data, wal, tablespace slow: "],
    );
}
