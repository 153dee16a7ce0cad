//! `find_rate`: the search of the highest rate at which nothing piles up.

use crate::common::runs::{PATIENCE, Runs, error_of};
use crate::common::{Cluster, Ending, wait_until};
use postgres::Client;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::Duration;

#[test]
fn what_cannot_be_searched_is_refused_before_anything_starts() {
    let cluster = Cluster::for_scripts(&[]);
    let mut session = cluster.connect();
    for (arguments, sqlstate, reason) in [
        (
            r#"criteria => '{"tps": "steady"}'"#,
            "22023",
            "unknown subject",
        ),
        (r#"criteria => '{"dead_rows": "= 5"}'"#, "22023", "neither"),
        ("criteria => '[]'", "22023", "object"),
        ("start_rate => 0", "22023", "start_rate"),
        ("max_rate => -1", "22023", "max_rate"),
        ("precision_percent => 0.1", "22023", "precision_percent"),
        ("step => '1 s'", "22023", "step"),
        ("max_step => '2 s'", "22023", "max_step"),
        ("max_time => '2 s'", "22023", "max_time"),
        (r#"run_options => '{"rate": 5}'"#, "22023", "run_options"),
        (r#"run_options => '{"nonsense": 5}'"#, "22023", "nonsense"),
        (
            r#"run_options => '{"query_mode": 5}'"#,
            "22023",
            "query_mode must be of type text, not 5",
        ),
        ("clients => 0", "22023", "clients"),
    ] {
        let call = format!("CALL pgperf.find_rate(script => 'SELECT 1;', {arguments})");
        let (code, message, _) = error_of(&mut session, &call);
        assert!(
            code == sqlstate && message.contains(reason),
            "{code} {message}"
        );
    }
    session.value("BEGIN");
    let (code, ..) = error_of(&mut session, "CALL pgperf.find_rate(script => 'SELECT 1;')");
    assert_eq!(code, "25001");
    session.value("ROLLBACK");
    assert_eq!(session.number("SELECT count(*) FROM pgperf.runs"), 0);
    session.value("CREATE ROLE somebody LOGIN");
    session.value("SET ROLE somebody");
    for call in [
        "CALL pgperf.find_rate(script => 'SELECT 1;')",
        "SELECT pgperf_internal.start_rate_search('x', NULL, 1, NULL, 1, NULL, 5, NULL, NULL, NULL, NULL, NULL, NULL)",
    ] {
        assert_eq!(error_of(&mut session, call).0, "42501", "{call}");
    }
    session.value("RESET ROLE");
    let run = session.finish_run("script => 'SELECT 1;', transactions_per_client => 1");
    let (code, message, _) = error_of(
        &mut session,
        &format!("SELECT pgperf.rate_search_report({run})"),
    );
    assert!(
        code == "22023" && message.contains("no search"),
        "{message}"
    );
}

#[test]
fn the_rate_of_clients_that_sleep_is_found() {
    let cluster = Cluster::for_scripts(&[]);
    let mut session = cluster.connect();
    let run = session.number(
        r"CALL pgperf.find_rate(script => E'SELECT 1;\n\\sleep 20 ms', clients => 2, start_rate => 20,
          precision_percent => 20, step => '5 s', max_step => '10 s', settle => '1 s')",
    );
    let column = |session: &mut Client, column: &str| {
        session.value(&format!(
            "SELECT {column} FROM pgperf.rate_searches WHERE run_id = {run}"
        ))
    };
    assert_eq!(column(&mut session, "status"), "found");
    assert_eq!(column(&mut session, "criterion"), "schedule_lag_ms");
    // Never above what two clients can do; a slow machine may do less.
    let rate = session.float(&format!(
        "SELECT rate FROM pgperf.rate_searches WHERE run_id = {run}"
    ));
    assert!((15.0..100.0 * 1.05).contains(&rate), "{rate}");
    assert_eq!(
        column(&mut session, "rate_low <= rate AND rate <= rate_high"),
        "t"
    );
    assert_eq!(session.status(run), "stopped");
    let steps = session.number(&format!(
        "SELECT count(*) FROM pgperf.rate_search_steps WHERE run_id = {run}"
    ));
    assert_eq!(column(&mut session, "steps"), steps.to_string());
    let report = session.value(&format!(
        "SELECT string_agg(l, ' ') FROM pgperf.rate_search_report({run}) l"
    ));
    assert!(
        report.contains("highest sustainable rate") && report.contains("schedule_lag_ms"),
        "{report}"
    );
    let json = format!("SELECT jsonb_array_length(pgperf.rate_search_json({run}) -> 'steps')");
    assert_eq!(session.number(&json), steps);
    let shown = session.value(&format!(
        "SELECT count(*) FROM pgperf.report({run}) l WHERE l ~ '^ *highest sustainable rate: '"
    ));
    assert_eq!(shown, "1");
    let of_run =
        format!("SELECT jsonb_array_length(pgperf.report_json({run}) #> '{{rate_search,steps}}')");
    assert_eq!(session.number(&of_run), steps);
    let page = session.page(&format!("pgperf.report_html({run})"));
    assert!(page.contains("Sustainable rate") && page.contains("what gives way: schedule_lag_ms"));
    // It is a part of its run.
    session.value(&format!("SELECT pgperf.delete_run({run})"));
    assert_eq!(
        session.number("SELECT count(*) FROM pgperf.rate_search_steps"),
        0
    );
    assert_eq!(
        session.number("SELECT count(*) FROM pgperf.rate_searches"),
        0
    );
}

#[test]
fn a_cancel_stops_the_search_and_its_run() {
    let cluster = Cluster::for_scripts(&[]);
    let mut session = cluster.connect();
    let mut searching = cluster.connect();
    let pid = searching.number("SELECT pg_backend_pid()");
    let search = std::thread::spawn(move || {
        searching.number("CALL pgperf.find_rate(script => 'SELECT 1;', start_rate => 10)")
    });
    wait_until("a search", PATIENCE, || {
        session.value("SELECT status FROM pgperf.rate_searches") == "searching"
            && session.value("SELECT status FROM pgperf.runs") == "running"
    });
    // It holds nothing back meanwhile.
    wait_until("no snapshot", PATIENCE, || {
        session.value(&format!(
            "SELECT backend_xmin IS NULL FROM pg_stat_activity WHERE pid = {pid}"
        )) == "t"
    });
    session.value(&format!("SELECT pg_cancel_backend({pid})"));
    let run = search.join().expect("the search returns its run");
    assert_eq!(session.status(run), "stopped");
    assert_eq!(
        session.value("SELECT status FROM pgperf.rate_searches"),
        "stopped"
    );
}

#[test]
fn what_serves_nothing_holds_at_no_rate() {
    let cluster = Cluster::for_scripts(&[]);
    let mut session = cluster.connect();
    let steps = "step => '5 s', max_step => '5 s', settle => '0 s'";
    // Nobody is served before the search is over.
    let run = session.number(&format!(
        "CALL pgperf.find_rate(script => 'SELECT pg_sleep(600);', start_rate => 4, precision_percent => 50, max_time => '12 s', {steps})"
    ));
    let steps_of = format!(
        "SELECT string_agg(concat_ws(' ', verdict, decided, tps), ', ' ORDER BY step_no) FROM pgperf.rate_search_steps WHERE run_id = {run}"
    );
    let found = session.value(&steps_of);
    assert!(found.starts_with("fails t 0"), "{found}");
    assert!(!found.contains("holds"), "{found}");
    assert_eq!(
        session.value(&format!(
            "SELECT rate IS NULL FROM pgperf.rate_searches WHERE run_id = {run}"
        )),
        "t"
    );
    // A run that fails ends its search with its error.
    let call = format!(
        "CALL pgperf.find_rate(script => 'SELECT 1 / 0;', start_rate => 20, run_options => '{{\"exit_on_abort\": true}}', label => 'failing', {steps})"
    );
    let (sqlstate, message, _) = error_of(&mut session, &call);
    assert_eq!(sqlstate, "22012", "{message}");
    assert_eq!(
        session.value("SELECT status FROM pgperf.rate_searches WHERE label = 'failing'"),
        "failed"
    );
}

#[test]
fn the_highest_rate_that_is_allowed_may_hold() {
    let cluster = Cluster::for_scripts(&[]);
    let mut session = cluster.connect();
    let run = session.number(
        "CALL pgperf.find_rate(script => 'SELECT 1;', start_rate => 500, max_rate => 20, step => '5 s', \
          criteria => '{\"latency_p99_ms\": \"<= 5000\", \"dead_rows\": \"<= 1000000\"}')",
    );
    assert_eq!(
        session.value(&format!("SELECT concat_ws(' ', status, rate, rate_high) FROM pgperf.rate_searches WHERE run_id = {run}")),
        "max_rate holds 20"
    );
}

/// The settling is bad until a moment before its end, so that the interval in which it ends is bad, too; and somebody else deletes rows of
/// pgperf's own tables. Neither says anything about the rate.
#[test]
fn neither_the_settling_nor_pgperf_s_own_rows_decide() {
    let cluster = Cluster::for_scripts(&["autovacuum = off"]);
    let mut session = cluster.connect();
    session.value("CREATE TABLE began (at timestamptz DEFAULT clock_timestamp())");
    let over = AtomicBool::new(false);
    let run = std::thread::scope(|scope| {
        let ending = Ending(&over);
        let mut churning = cluster.connect();
        let over = &over;
        scope.spawn(move || {
            while !over.load(Ordering::Relaxed) {
                churning.value(
                    "INSERT INTO pgperf.run_intervals (node_id, run_id, interval_no, started_at, seconds, transactions, tps) \
                     SELECT gen_random_uuid(), -1, i, now(), 1, 1, 1 FROM generate_series(1, 100) i; \
                     DELETE FROM pgperf.run_intervals WHERE run_id = -1; \
                     INSERT INTO pgperf_internal.resume_points (node_id, run_id, place) SELECT gen_random_uuid(), -1, '' FROM generate_series(1, 100); \
                     DELETE FROM pgperf_internal.resume_points WHERE run_id = -1; \
                     SELECT pg_stat_force_next_flush()",
                );
                sleep(Duration::from_millis(100));
            }
        });
        let run = session.number(
            "CALL pgperf.find_rate(script => 'SELECT pg_sleep(greatest(0, 2.3 - extract(epoch FROM clock_timestamp() - at))) FROM began;', \
             clients => 4, start_rate => 20, max_rate => 20, settle => '2.5 s', step => '5 s', max_step => '5 s', \
             criteria => '{\"latency_max_ms\": \"<= 200\", \"dead_rows\": \"steady\"}', \
             run_options => '{\"before_sql\": \"INSERT INTO began DEFAULT VALUES\"}')",
        );
        drop(ending);
        run
    });
    let dead = "SELECT sum(n_dead_tup) > 1000 FROM pg_stat_all_tables WHERE schemaname IN ('pgperf', 'pgperf_internal')";
    assert_eq!(session.value(dead), "t");
    // Than the criterion, however late the clients began.
    let slow =
        format!("SELECT max(latency_max_ms) > 200 FROM pgperf.run_intervals WHERE run_id = {run}");
    assert_eq!(session.value(&slow), "t");
    let steps = format!(
        "SELECT string_agg(concat_ws(' ', verdict, criterion), ', ') FROM pgperf.rate_search_steps WHERE run_id = {run}"
    );
    assert_eq!(session.value(&steps), "holds");
}
