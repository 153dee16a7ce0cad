//! A window of the history: its figures are those of the server's own statistics, and every section has data or a reason.

use super::sessions::queue_and_sequence;
use crate::common::Cluster;
use crate::common::StopMode;
use crate::common::runs::{PATIENCE, Runs};
use crate::common::schemas::schema_errors;
use crate::common::wait_until;
use postgres::Client;
use serde_json::Value;

/// The document of a window from that moment until now.
fn window(session: &mut Client, from: &str) -> Value {
    let document = session.value(&format!(
        "SELECT pgperf.history_json('{from}'::timestamptz, clock_timestamp())"
    ));
    serde_json::from_str(&document).expect("JSON")
}

fn now(session: &mut Client) -> String {
    session.value("SELECT clock_timestamp()")
}

fn section<'a>(document: &'a Value, name: &str) -> &'a Value {
    let sections = document["sections"].as_array().expect("sections");
    let found = sections.iter().find(|section| section["name"] == name);
    found.unwrap_or_else(|| panic!("no section {name}"))
}

/// The rows of a table, and of its list of this title.
fn rows<'a>(document: &'a Value, part: &str, table: &str, title: &str) -> Vec<&'a Value> {
    let tables = section(document, part)["tables"]
        .as_array()
        .expect("tables");
    let of_title = |t: &&Value| {
        t["name"] == table
            && t["title"]
                .as_str()
                .is_some_and(|found| found.starts_with(title))
    };
    let rows = tables
        .iter()
        .filter(of_title)
        .flat_map(|t| t["rows"].as_array());
    rows.flatten().collect()
}

fn number(row: &Value, column: &str) -> f64 {
    row[column]
        .as_f64()
        .unwrap_or_else(|| panic!("no {column} in {row}"))
}

/// A load of known size between two samples: the figures are those of hand-written SQL over the statistics views.
#[test]
fn statements_tables_and_totals_equal_the_server_s_own_statistics() {
    let cluster = Cluster::with_pgperf(&["autovacuum = off"]);
    let mut session = cluster.connect();
    let mut worker = cluster.connect();
    session.value("CREATE TABLE known (id int PRIMARY KEY, t text)");
    session.value("INSERT INTO known SELECT g, repeat('x', 1000) FROM generate_series(1, 2000) g");
    session.value("CREATE INDEX unused ON known (t)");
    worker.value("SELECT count(*) FROM known WHERE id = 0");
    let flush = "SELECT pg_stat_force_next_flush()";
    for session in [&mut session, &mut worker] {
        session.value(flush);
    }
    session.value("SELECT count(*) FROM pgperf.snapshot()");
    let scans = "SELECT seq_scan FROM pg_stat_user_tables WHERE relname = 'known'";
    let scans_before = session.number(scans);
    let from = now(&mut session);
    let baseline =
        "SELECT sum(calls)::int8 FROM pg_stat_statements WHERE query LIKE 'UPDATE known%'";
    assert_eq!(session.value(baseline), "");
    for id in 1..=300 {
        worker.value(&format!("UPDATE known SET t = 'y' WHERE id = {id}"));
    }
    worker.value("DELETE FROM known WHERE id > 1900");
    for _ in 0..20 {
        worker.value("SELECT sum(length(t)) FROM known");
    }
    worker.value(flush);
    session.value("SELECT count(*) FROM pgperf.snapshot()");
    let document = window(&mut session, &from);

    let of_statements = session.value(
        "SELECT jsonb_object_agg(queryid::text, jsonb_build_array(calls, total_exec_time, rows)) FROM pg_stat_statements \
         WHERE query ~ '^(UPDATE known|DELETE FROM known|SELECT sum\\(length)'",
    );
    let of_statements: Value = serde_json::from_str(&of_statements).expect("JSON");
    let of_statements = of_statements.as_object().expect("statements");
    assert_eq!(of_statements.len(), 3);
    let listed = rows(&document, "statements", "top", "By time");
    for (queryid, figures) in of_statements {
        let row = listed.iter().find(|row| row["queryid"] == **queryid);
        let row = row.unwrap_or_else(|| panic!("{queryid} is not among {listed:?}"));
        assert_eq!(number(row, "calls"), figures[0].as_f64().expect("calls"));
        let seconds = figures[1].as_f64().expect("time") / 1000.0;
        assert!(
            (number(row, "exec_s") - seconds).abs() < 1e-9,
            "{row}, {seconds}"
        );
        assert_eq!(number(row, "rows"), figures[2].as_f64().expect("rows"));
    }
    let first = rows(&document, "statements", "top", "By calls");
    assert!(
        first[0]["query"]
            .as_str()
            .is_some_and(|text| text.starts_with("UPDATE known")),
        "{first:?}"
    );
    let new = rows(&document, "statements", "top", "New");
    assert!(
        new.is_empty() || new.iter().any(|row| row["calls"] == 300),
        "{new:?}"
    );

    let known = |rows: Vec<&Value>| {
        let mut rows = rows
            .into_iter()
            .filter(|row| row["relation"] == "public.known");
        rows.next().expect("the table").clone()
    };
    let written = known(rows(&document, "tables", "activity", "Rows written"));
    assert_eq!(
        (number(&written, "updated"), number(&written, "deleted")),
        (300.0, 100.0)
    );
    assert_eq!(number(&written, "inserted"), 0.0);
    let scanned = known(rows(&document, "tables", "activity", "Sequential scans"));
    let scans = session.number(scans) - scans_before;
    assert!(scans >= 20);
    assert_eq!(number(&scanned, "seq_scans"), scans as f64);
    let dead = known(rows(&document, "tables", "activity", "Dead rows"));
    let stored =
        session.value("SELECT n_dead_tup FROM pg_stat_user_tables WHERE relname = 'known'");
    assert_eq!(number(&dead, "dead").to_string(), stored);

    let unused = rows(&document, "indexes", "use", "Not scanned");
    assert!(
        unused
            .iter()
            .any(|row| row["index"] == "unused" && row["columns"] == "t"),
        "{unused:?}"
    );
    assert!(
        !unused.iter().any(|row| row["index"] == "known_pkey"),
        "{unused:?}"
    );

    let differences = session.value(&format!(
        "SELECT jsonb_build_object('tup_updated', sum(tup_updated), 'tup_deleted', sum(tup_deleted), 'xact_commit', sum(xact_commit)) \
         FROM pgperf.database_deltas WHERE node_id = pgperf.local_node() AND database_name = current_database() \
           AND taken_at > '{from}'"
    ));
    let differences: Value = serde_json::from_str(&differences).expect("JSON");
    let totals = rows(&document, "load", "totals", "");
    assert_eq!(totals[0]["updated"], differences["tup_updated"]);
    assert_eq!(totals[0]["deleted"], differences["tup_deleted"]);
    assert_eq!(totals[0]["commits"], differences["xact_commit"]);
}

/// A statement that pg_stat_statements evicts, or that is reset, begins again: both lives count.
#[test]
fn a_statement_that_begins_again_keeps_its_calls() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    let call = |session: &mut Client, calls: usize| {
        for _ in 0..calls {
            session.value("SELECT 4711 AS again");
        }
        session.value("SELECT count(*) FROM pgperf.snapshot('{statements}')");
    };
    call(&mut session, 1);
    let from = now(&mut session);
    call(&mut session, 5);
    let reset = "SELECT pg_stat_statements_reset(0, 0, (SELECT queryid FROM pg_stat_statements WHERE query LIKE '%AS again' LIMIT 1))";
    session.value(reset);
    call(&mut session, 3);
    call(&mut session, 4);
    // As many calls as it had.
    session.value(reset);
    call(&mut session, 7);
    let document = window(&mut session, &from);
    let listed = rows(&document, "statements", "top", "By calls");
    let again = listed
        .iter()
        .find(|row| {
            row["query"]
                .as_str()
                .is_some_and(|text| text.ends_with("AS again"))
        })
        .unwrap_or_else(|| panic!("{listed:?}"));
    assert_eq!(again["calls"], 19);
}

/// A sample stores the 500 statements that took most. One without a row before was not among them, or is new: if it takes much more than
/// any of those that got no row, it counts.
#[test]
fn a_statement_that_takes_off_counts_where_samples_leave_some_out() {
    let cluster = Cluster::with_pgperf(&["pg_stat_statements.track = all"]);
    let mut session = cluster.connect();
    let many = "DO $$ BEGIN FOR n IN 1..700 LOOP \
                    EXECUTE 'SELECT count(*), 1' || repeat(' + 1', n) || ' FROM generate_series(1, 1000)'; END LOOP; END $$";
    let late = |session: &mut Client, rows: i32| {
        session.value(&format!(
            "SELECT FROM generate_series(1, {rows}) AS late(n) WHERE n < 0"
        ));
    };
    let sample = |session: &mut Client| {
        session.value("SELECT min(sample_id) FROM pgperf.snapshot('{statements}')")
    };
    session.value(many);
    late(&mut session, 1);
    let first = sample(&mut session);
    let from = now(&mut session);
    session.value(many);
    late(&mut session, 1_000_000);
    sample(&mut session);
    let left_out = "SELECT left_out > 0 AND max_left_out_time > 0 FROM pgperf.statement_history \
                    WHERE queryid = 0 ORDER BY sample_id LIMIT 1";
    assert_eq!(session.value(left_out), "t");
    let rows_of_late = format!(
        "SELECT count(*) FROM pgperf.statement_history h JOIN pgperf.statement_texts t USING (node_id, queryid, dbid) \
         WHERE t.query LIKE 'SELECT FROM generate_series(%late(n)%' AND h.sample_id = {first}"
    );
    assert_eq!(session.value(&rows_of_late), "0");
    let document = window(&mut session, &from);
    let is_late = |row: &&Value| {
        row["query"]
            .as_str()
            .is_some_and(|text| text.contains("late(n)"))
    };
    let listed = rows(&document, "statements", "top", "By time");
    let found = listed.iter().copied().find(is_late);
    let found = found.unwrap_or_else(|| panic!("{listed:?}"));
    // The call that nobody knows of counts, too: it took next to nothing.
    assert_eq!(found["calls"], 2);
    // Its share is that of all statements, also where new ones are listed.
    let listed = rows(&document, "statements", "top", "New");
    let new = listed.iter().copied().find(is_late);
    let shares =
        [found, new.unwrap_or_else(|| panic!("{listed:?}"))].map(|row| number(row, "percent"));
    assert!((shares[0] - shares[1]).abs() < 1e-6, "{shares:?}");
}

/// One line each, and never an empty report.
#[test]
fn a_window_with_one_sample_none_or_a_restart_says_so() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    let notes = |document: &Value| document["notes"].to_string();
    let from = now(&mut session);
    assert!(notes(&window(&mut session, &from)).contains("No samples were taken"));
    session.value("SELECT count(*) FROM pgperf.snapshot()");
    let single = window(&mut session, &from);
    assert!(notes(&single).contains("A single sample"), "{single}");
    let why = section(&single, "load")["why"]
        .as_str()
        .unwrap_or_default()
        .to_owned();
    assert!(
        why.contains("a single sample of collector database"),
        "{why}"
    );
    session.value("SELECT count(*) FROM pgperf.snapshot()");
    cluster.restart(StopMode::Fast);
    let mut session = cluster.connect();
    session.value("SELECT count(*) FROM pgperf.snapshot()");
    session.value("SELECT count(*) FROM pgperf.snapshot()");
    let document = window(&mut session, &from);
    assert!(
        notes(&document).contains("Counters began again before"),
        "{}",
        document["notes"]
    );
    let commits = number(rows(&document, "load", "totals", "")[0], "commits");
    let differences = session.number(&format!(
        "SELECT sum(xact_commit)::int8 FROM pgperf.database_deltas WHERE database_name = current_database() AND taken_at > '{from}'"
    ));
    assert_eq!(commits, differences as f64);
    session.value("UPDATE pgperf.collectors SET enabled = false WHERE name = 'slru'");
    let from = now(&mut session);
    session.value("SELECT count(*) FROM pgperf.snapshot()");
    let document = window(&mut session, &from);
    let why = section(&document, "slru")["why"]
        .as_str()
        .unwrap_or_default();
    assert!(
        why.contains("switched off: UPDATE pgperf.collectors SET enabled = true"),
        "{why}"
    );
}

/// With the sampler at its own cadences, but on a clock sixty times as quick: ten minutes last ten seconds.
#[test]
fn every_section_has_data_after_ten_minutes_and_the_document_is_as_its_schema_says() {
    let cluster = Cluster::with_data(&["wal_level = logical", "track_io_timing = on"]);
    let mut session = cluster.connect();
    session.value("CREATE EXTENSION pg_walinspect");
    session.value("SELECT pg_create_physical_replication_slot('kept', true)");
    session.value(
        "UPDATE pgperf.collectors SET sample_interval = GREATEST(sample_interval / 60, interval '1 s')",
    );
    let from = now(&mut session);
    session.value("SELECT pgperf.start_sampler()");
    let taken = "SELECT count(*) = (SELECT count(*) FROM pgperf.collectors \
             WHERE current_setting('server_version_num')::int >= CASE name WHEN 'io' THEN 160000 WHEN 'locks' THEN 190000 WHEN 'autovacuum' THEN 190000 ELSE 0 END) \
         FROM (SELECT collector FROM pgperf.sample_outcomes WHERE status = 'ok' GROUP BY collector) c";
    wait_until("a sample of each collector", PATIENCE, || {
        session.value(taken) == "t"
    });
    queue_and_sequence(&cluster);
    session.value("ALTER SYSTEM SET work_mem = '5MB'");
    session.value("SELECT pg_reload_conf()");
    session.finish_run(
        "'tpcb-like', clients => 2, transactions_per_client => 500, collectors => '{}'",
    );
    let everything = |document: &Value| {
        let sections = document["sections"].as_array().expect("sections");
        let empty = sections.iter().filter(|section| !section["why"].is_null());
        let names = empty.map(|section| section["name"].as_str().unwrap_or_default().to_owned());
        // What is not there: gaps, pg_stat_io before 16, devices in a container.
        names
            .filter(|name| !["gaps", "io", "devices"].contains(&name.as_str()))
            .collect::<Vec<_>>()
    };
    let mut missing = Vec::new();
    wait_until("every section", PATIENCE, || {
        missing = everything(&window(&mut session, &from));
        missing.is_empty()
    });
    assert_eq!(missing, Vec::<String>::new());
    let document = window(&mut session, &from);
    let errors = schema_errors("docs/history.schema.json", &document);
    assert!(errors.is_empty(), "{}", errors.join("\n"));
    // The settings of this cluster are not those of the one that it is a copy of, so the section may be there before the change.
    wait_until("the changed setting", PATIENCE, || {
        let document = window(&mut session, &from);
        let changed = rows(&document, "settings", "changes", "");
        changed
            .iter()
            .any(|row| row["name"] == "work_mem" && row["new_value"] == "5120 kB")
    });
    let wide = session.value(&format!(
        "SELECT max(length(l)) <= 80 FROM pgperf.history_report('{from}'::timestamptz) l"
    ));
    assert_eq!(wide, "t");
    session.value("SELECT pgperf.stop_sampler()");
}

#[test]
fn an_error_in_one_section_leaves_the_others() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    let from = now(&mut session);
    for _ in 0..2 {
        session.value("SELECT count(*) FROM pgperf.snapshot()");
    }
    let unread = |document: &Value| {
        let sections = document["sections"].as_array().expect("sections");
        let why = |section: &&Value| {
            let why = section["why"].as_str().unwrap_or_default();
            why.starts_with("this could not be read: ")
        };
        let names = sections.iter().filter(why);
        names
            .map(|section| section["name"].to_string())
            .collect::<Vec<_>>()
    };
    assert_eq!(unread(&window(&mut session, &from)), Vec::<String>::new());
    session
        .batch_execute("BEGIN; ALTER TABLE pgperf.slru_history RENAME blks_zeroed TO gone")
        .expect("a change");
    let document = window(&mut session, &from);
    assert_eq!(unread(&document), ["\"slru\""]);
    assert!(!rows(&document, "load", "totals", "").is_empty());
    session.batch_execute("ROLLBACK").expect("the end");
}

/// A run's window is its measured part.
#[test]
fn a_run_names_a_window() {
    let cluster = Cluster::with_data(&[]);
    let mut session = cluster.connect();
    let run = session
        .finish_run("'tpcb-like', clients => 1, transactions_per_client => 200, label => 'named'");
    let of_run = "SELECT (doc -> 'window' ->> 'from')::timestamptz = r.measured_at AND (doc -> 'window' ->> 'to')::timestamptz = r.ended_at \
         FROM pgperf.runs r, pgperf.history_json({name}) doc WHERE r.run_id = {run}";
    for name in ["named".to_owned(), run.to_string()] {
        let sql = of_run
            .replace("{name}", &format!("'{name}'"))
            .replace("{run}", &run.to_string());
        assert_eq!(session.value(&sql), "t", "{name}");
    }
    // Cut off, it has done nothing after its last interval.
    session.value(&format!(
        "UPDATE pgperf_internal.stored_runs SET stored_status = 'running', ended_at = NULL WHERE run_id = {run}"
    ));
    assert_eq!(session.status(run), "interrupted");
    let ends = "SELECT (doc -> 'window' ->> 'to')::timestamptz = (SELECT max(started_at + seconds * interval '1 s') FROM pgperf.run_intervals) \
         FROM pgperf.history_json('named') doc";
    assert_eq!(session.value(ends), "t");
}
