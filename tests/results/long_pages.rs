//! The pages of made-up runs: of hours and days, how long they take, how much memory, and how large they are; and of one
//! with a gap.

use std::fs;
use std::time::Duration;

use crate::common::pages::{chart_table, cluster, looked_at, write_page};
use crate::common::runs::Runs;
use postgres::Client;

/// Adds a run with this many intervals of a second and matching samples, from those of a real one.
fn make_long_run(session: &mut Client, intervals: i64) -> i64 {
    let real = session.finish_run(
        "'tpcb-like', clients => 2, duration => '5 s', sample_interval => '0.1 s', label => 'real'",
    );
    let run = session.number("SELECT nextval('pgperf_internal.run_id_seq')");
    session.batch_execute(&format!(
        "INSERT INTO pgperf_internal.stored_runs \
         SELECT (jsonb_populate_record(r, jsonb_build_object('run_id', {run}, 'label', 'long', 'measured_at', r.measured_at - interval '1 s' * {intervals}))).* \
         FROM pgperf_internal.stored_runs r WHERE run_id = {real}; \
         INSERT INTO pgperf_internal.run_totals SELECT (jsonb_populate_record(t, jsonb_build_object('run_id', {run}, 'seconds', {intervals}))).* \
         FROM pgperf_internal.run_totals t WHERE run_id = {real}; \
         CREATE TEMP TABLE real AS SELECT i.*, row_number() OVER (ORDER BY interval_no) - 1 AS n, count(*) OVER () AS all_of_it \
         FROM pgperf.run_intervals i WHERE run_id = {real}; \
         CREATE INDEX ON real (n); ANALYZE real; \
         INSERT INTO pgperf.run_intervals \
         SELECT r.node_id, {run}, g, r0.measured_at + interval '1 s' * g, 1, r.transactions, r.tps * (1 + 0.3 * sin(g / 300.0)), r.latency_avg_ms, \
                r.latency_stddev_ms, r.latency_p50_ms, r.latency_p90_ms, r.latency_p95_ms, r.latency_p99_ms, r.latency_p999_ms, r.latency_p9999_ms, r.latency_max_ms, \
                r.failed, r.retried, r.retries, r.skipped, r.late, r.lag_avg_ms, r.lag_max_ms, r.wal_bytes, r.shared_blks_hit, r.shared_blks_read, \
                g % 300 < 90, r.step, r.histogram \
         FROM generate_series(0, {intervals} - 1) g JOIN real r ON r.n = g % r.all_of_it, pgperf_internal.stored_runs r0 WHERE r0.run_id = {run}; \
         DROP TABLE real; ANALYZE pgperf.run_intervals;"
    ))
    .expect("a made-up run");
    make_long_history(session, real, run, intervals);
    run
}

/// A sample each second in every history table that a run writes at each interval, with counters that grow.
fn make_long_history(session: &mut Client, real: i64, run: i64, samples: i64) {
    session
        .batch_execute(&format!(
            "CREATE TEMP TABLE moments AS \
             SELECT nextval('pgperf_internal.sample_id_seq') AS sample_id, r.measured_at + interval '1 s' * g AS taken_at, g \
             FROM generate_series(0, {samples} - 1) g, pgperf_internal.stored_runs r WHERE r.run_id = {run}; \
             DO $$ DECLARE t text; cols text; BEGIN \
             FOREACH t IN ARRAY '{{samples,wal_history,wraparound_history,host_history,device_history,wait_history}}'::text[] LOOP \
               SELECT string_agg(CASE WHEN attname = 'sample_id' THEN 'm.sample_id' WHEN attname = 'taken_at' THEN 'm.taken_at' \
                                      WHEN attname = 'run_id' THEN '{run}' \
                                      WHEN attname ~ '^(wal_bytes|wal_records|wal_fpi|cpu_|write_|read_|io_ticks|frozen_xid_age)' AND t <> 'samples' \
                                      THEN format('h.%I + 100 * m.g', attname) ELSE format('h.%I', attname) END, ',' ORDER BY attnum) INTO cols \
               FROM pg_attribute WHERE attrelid = format('pgperf.%I', t)::regclass AND attnum > 0 AND NOT attisdropped; \
               EXECUTE format('INSERT INTO pgperf.%I SELECT %s FROM moments m, pgperf.%I h \
                   WHERE h.run_id = {real} AND h.sample_id = (SELECT max(sample_id) FROM pgperf.%I WHERE run_id = {real})', t, cols, t, t); \
               EXECUTE format('ANALYZE pgperf.%I', t); \
             END LOOP; END $$; DROP TABLE moments;"
        ))
        .expect("a made-up history");
}

#[test]
fn a_gap_breaks_every_line() {
    let cluster = cluster();
    let mut session = cluster.connect();
    let run = make_long_run(&mut session, 90);
    // Half a minute in which the server was away.
    session
        .batch_execute(&format!(
            "DELETE FROM pgperf.run_intervals WHERE run_id = {run} AND interval_no BETWEEN 30 AND 59; \
             CREATE TEMP TABLE gone AS SELECT sample_id FROM (SELECT sample_id, row_number() OVER (ORDER BY sample_id) AS n \
                FROM pgperf.samples WHERE run_id = {run}) s WHERE n BETWEEN 31 AND 60; \
             DO $$ DECLARE t text; BEGIN \
             FOREACH t IN ARRAY '{{samples,wal_history,wraparound_history,host_history,device_history,wait_history}}'::text[] LOOP \
               EXECUTE format('DELETE FROM pgperf.%I WHERE sample_id IN (SELECT sample_id FROM gone)', t); \
             END LOOP; END $$"
        ))
        .expect("a gap");
    let page = write_page(&mut session, "gap", &format!("pgperf.report_html({run})"));
    let mut browser = looked_at(&page, "gap");
    // Of every line: how wide its widest slope is, in thousandths of the chart. A level part is the mean over the gap.
    let slopes = browser.evaluate(
        "[...document.querySelectorAll('figure')].filter(f => [...f.querySelectorAll('.axis text')].some(t => / (s|min)$/.test(t.textContent)))\
         .map(f => [f.querySelector('h3').textContent, Math.max(0, ...[...f.querySelectorAll('path.line')].flatMap(path => \
           path.getAttribute('d').split('M').slice(1).flatMap(part => { const p = part.split('L').map(q => q.trim().split(/\\s+/).map(Number)); \
             return p.slice(1).map((q, i) => q[1] === p[i][1] ? 0 : q[0] - p[i][0]); })))])",
    );
    let slopes: Vec<(String, f64)> = serde_json::from_value(slopes).expect("slopes");
    assert!(slopes.len() > 5, "{slopes:?}");
    for (chart, widest) in &slopes {
        assert!(
            *widest < 100.0,
            "{chart}: a line of {widest} \u{2030}: {slopes:?}"
        );
    }
    assert!(slopes.iter().any(|(_, widest)| *widest > 5.0), "{slopes:?}");
}

/// The most memory, in kB, that a session's process has asked for.
fn peak_kb(pid: i64) -> i64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).expect("the backend's status");
    let line = status
        .lines()
        .find(|line| line.starts_with("VmPeak:"))
        .expect("VmPeak");
    line.split_whitespace()
        .nth(1)
        .and_then(|kb| kb.parse().ok())
        .expect("kB")
}

/// The processor time that a process has used, which does not depend on what else the machine does.
fn processor_time(pid: i64) -> Duration {
    let stat = fs::read_to_string(format!("/proc/{pid}/schedstat")).expect("the backend's time");
    let ns = stat
        .split_whitespace()
        .next()
        .and_then(|ns| ns.parse().ok());
    Duration::from_nanos(ns.expect("ns"))
}

/// Writes the page of a made-up run: the processor time it takes, the memory on top of a small run's, and its size.
fn write_long_page(intervals: i64, name: &str) -> (Duration, i64, u64) {
    let cluster = cluster();
    let run = make_long_run(&mut cluster.connect(), intervals);
    cluster.run_sql("CHECKPOINT");
    let mut session = cluster.connect();
    let pid = session.number("SELECT pg_backend_pid()");
    session.value("SELECT length(pgperf.report_html('real'))");
    let before = peak_kb(pid);
    let began = processor_time(pid);
    let page = write_page(&mut session, name, &format!("pgperf.report_html({run})"));
    let took = processor_time(pid) - began;
    let grew = peak_kb(pid) - before;
    let size = fs::metadata(&page).expect("the page").len();
    println!("{intervals} intervals: {took:?}, {grew} kB of memory, a page of {size} bytes");
    let mut browser = looked_at(&page, name);
    let points = chart_table(&mut browser, "Transactions per second").len() as i64;
    assert!((90..=200).contains(&points), "{points} points");
    (took, grew, size)
}

#[test]
fn the_page_of_an_hour_is_small_and_quickly_written() {
    let (took, grew, size) = write_long_page(3_600, "hour");
    // A tenth of a second was seen.
    assert!(took < Duration::from_secs(1), "{took:?}");
    assert!(grew < 100 * 1024, "{grew} kB");
    assert!(size < 2_000_000, "{size} bytes");
}

#[test]
#[ignore = "writes some gigabytes for minutes: tools/integration results::long_pages:: --ignored"]
fn the_page_of_eleven_days_is_small_and_quickly_written() {
    let (took, grew, size) = write_long_page(950_400, "eleven-days");
    assert!(
        took < Duration::from_secs(20),
        "{took:?}; 10 s on a quiet machine"
    );
    // Half a gigabyte was seen: that much for what is asked once in eleven days.
    assert!(grew < 700 * 1024, "{grew} kB");
    assert!(size < 2_000_000, "{size} bytes");
}
