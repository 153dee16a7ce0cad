//! Devices of runs and loads: matched by what they hold, whatever their names are. The judges are /proc/diskstats, read by hand, the
//! kernel's counters in the history, and iostat.

use crate::common::disk::SmallDisk;
use crate::common::runs::{PATIENCE, Runs};
use crate::common::{Cluster, StopMode, templates, text_of, wait_until};
use postgres::Client;
use std::fs;
use std::process::Command;

/// No checkpoint comes by itself, and every commit reaches the device.
const CONF: &[&str] = &[
    "fsync = on",
    "synchronous_commit = on",
    "checkpoint_timeout = '1d'",
    "max_wal_size = '4GB'",
    "autovacuum = off",
];

/// The device that holds this, as the newest sample has it.
fn device(session: &mut Client, run: i64, holds: &str) -> String {
    session.value(&format!(
        "SELECT string_agg(DISTINCT device, ' ') FROM pgperf.device_history WHERE run_id = {run} AND level = 0 AND holds = '{holds}'"
    ))
}

/// Writes of a device and their sectors, from the kernel.
fn written(device: &str) -> (f64, f64) {
    let stats = fs::read_to_string("/proc/diskstats").expect("the kernel's counters");
    let fields = stats
        .lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>());
    let mut of_device = fields.filter(|fields| fields[2] == device);
    let fields = of_device.next().expect("the device");
    let number = |place: usize| fields[place].parse::<f64>().expect("a number");
    (number(7), number(9))
}

/// A figure of iostat of both sides of a comparison.
fn iostat(session: &mut Client, runs: [i64; 2], object: &str, metric: &str) -> (f64, f64) {
    let [baseline, candidate] = runs;
    let row = session
        .query_one(
            "SELECT baseline, candidate FROM pgperf.compare($1::int8, $2::int8) \
             WHERE category = 'iostat' AND object = $3 AND metric = $4",
            &[&baseline, &candidate, &object, &metric],
        )
        .unwrap_or_else(|error| panic!("{object} {metric}: {error}"));
    (row.get(0), row.get(1))
}

/// The same by hand, of a run without a checkpoint: from its first and last row.
fn by_hand(session: &mut Client, run: i64, device: &str, figure: &str) -> f64 {
    session.float(&format!(
        "SELECT {figure} FROM (SELECT * FROM pgperf.device_history WHERE run_id = {run} AND device = '{device}' ORDER BY sample_id LIMIT 1) a, \
                (SELECT * FROM pgperf.device_history WHERE run_id = {run} AND device = '{device}' ORDER BY sample_id DESC LIMIT 1) b"
    ))
}

const WRITES: &str =
    "((b.write_ios - a.write_ios) / extract(epoch FROM b.taken_at - a.taken_at))::float8";
const SIZE: &str =
    "(b.write_sectors - a.write_sectors) / 2.0::float8 / (b.write_ios - a.write_ios)";
const BUSY: &str = "least(100, (b.io_ticks - a.io_ticks) / 10.0 / extract(epoch FROM b.taken_at - a.taken_at)::float8)";

#[test]
fn one_device_before_meets_two_after() {
    let disk = SmallDisk::xfs(400, &[], "noatime");
    let cluster = Cluster::on_disk(templates::with_pgperf(), CONF);
    let mut session = cluster.connect();
    session.value("CALL pgperf.init('tpcb-like')");
    let call = "'tpcb-like', clients => 2, duration => '3 s', sample_interval => '0.5 s'";
    let before = session.finish_run(call);
    let one = device(&mut session, before, "data, wal");
    drop(session);

    cluster.stop(StopMode::Fast);
    disk.take(&cluster.data_dir().join("pg_wal"));
    cluster.start();
    let mut session = cluster.connect();
    session.value("SELECT count(*) FROM pgperf.snapshot('{host}')");
    let data = session
        .value("SELECT device FROM pgperf.device_history WHERE holds = 'data' AND level = 0");
    let wal =
        session.value("SELECT device FROM pgperf.device_history WHERE holds = 'wal' AND level = 0");
    assert_eq!(one, data);
    assert_ne!(data, wal);
    let (writes, sectors) = written(&wal);
    let after = session.finish_run(call);
    let (later_writes, later_sectors) = written(&wal);

    // Nobody else writes there: the kernel counted hardly more than the run did.
    for (name, kernel) in [
        ("device_writes", later_writes - writes),
        ("device_write_bytes", 512.0 * (later_sectors - sectors)),
    ] {
        let counted = session.float(&format!(
            "SELECT value FROM pgperf.run_metrics WHERE run_id = {after} AND metric = '{name}.wal'"
        ));
        assert!(
            counted <= kernel && counted >= 0.8 * kernel,
            "{name}: {counted} of {kernel}"
        );
    }
    let named = "SELECT string_agg(metric, ', ' ORDER BY metric) FROM pgperf.run_metrics WHERE category = 'device' AND metric ~ '^device_reads' \
                 AND metric !~ 'beneath' AND run_id = ";
    for run in [before, after] {
        let names = session.value(&format!("{named}{run}"));
        let names_of_the_kernel = names
            .replace("device_reads.data", "")
            .replace("device_reads.wal", "");
        assert_eq!(names.matches("device_reads.data").count(), 1, "{names}");
        assert_eq!(names.matches("device_reads.wal").count(), 1, "{names}");
        assert!(
            names_of_the_kernel.contains(&format!("device_reads.{one}")),
            "{names}"
        );
    }

    for (holds, after_device) in [("data", &data), ("wal", &wal)] {
        let object = format!("{holds}, between checkpoints");
        for (metric, figure) in [("w_s", WRITES), ("wareq_sz", SIZE), ("util", BUSY)] {
            let found = iostat(&mut session, [before, after], &object, metric);
            let by_hand = (
                by_hand(&mut session, before, &one, figure),
                by_hand(&mut session, after, after_device, figure),
            );
            let is_same = |a: f64, b: f64| (a - b).abs() <= 1e-6 * b.abs();
            assert!(
                is_same(found.0, by_hand.0) && is_same(found.1, by_hand.1),
                "{object} {metric}: {found:?}, {by_hand:?} expected"
            );
        }
    }
    let remark = session.value(&format!(
        "SELECT baseline_text || ' -> ' || candidate_text FROM pgperf.compare({before}, {after}) WHERE object = 'device' AND metric = 'wal.name'"
    ));
    assert_eq!(remark, format!("{one} -> {wal}"));
    // Against itself, what is on one device is one object.
    let objects = session.value(&format!(
        "SELECT string_agg(DISTINCT object, '; ') FROM pgperf.compare({before}, {before}) WHERE category = 'iostat'"
    ));
    assert_eq!(objects, "data, wal, between checkpoints");
    let report = session.value(&format!(
        "SELECT string_agg(l, E'\\n') FROM pgperf.compare_report({before}, {after}) l"
    ));
    assert!(
        report.contains("Devices at and between checkpoints"),
        "{report}"
    );
    // Windows of the same runs.
    let windows = session.value(&format!(
        "SELECT string_agg(l, E'\\n') FROM pgperf.history_compare('{before}', '{after}') l"
    ));
    for part in [
        format!("wal: between checkpoints ({one} / {wal})"),
        format!("data: between checkpoints ({one})"),
    ] {
        assert!(windows.contains(&part), "{part}: {windows}");
    }
}

/// Columns of iostat, by the names of its version 12, and ours.
const COLUMNS: [(&str, &str); 8] = [
    ("w/s", "w_s"),
    ("wkB/s", "wkb_s"),
    ("w_await", "w_await"),
    ("wareq-sz", "wareq_sz"),
    ("f/s", "f_s"),
    ("f_await", "f_await"),
    ("aqu-sz", "aqu_sz"),
    ("%util", "util"),
];

/// iostat itself looks at ten seconds of a run at a steady rate, on a device where nobody else writes.
#[test]
fn iostat_shows_the_same() {
    let disk = SmallDisk::xfs(400, &[], "noatime");
    let cluster = Cluster::on_disk(templates::with_data(), CONF);
    cluster.stop(StopMode::Fast);
    disk.take(&cluster.data_dir().join("pg_wal"));
    cluster.start();
    let mut session = cluster.connect();
    let run = session.start_busy_run(
        "'tpcb-like', clients => 2, rate => 100, duration => '1 h', sample_interval => '1 s'",
    );
    wait_until("a sample", PATIENCE, || {
        !device(&mut session, run, "wal").is_empty()
    });
    let wal = device(&mut session, run, "wal");
    let iostat_of = ["-dxky", &wal, "10", "1"];
    let shown = text_of(Command::new("iostat").env("LC_ALL", "C").args(iostat_of));
    session.value(&format!("SELECT pgperf.stop_run({run})"));
    session.wait_for_status(run, "stopped");
    let words = |beginning: &str| -> Vec<&str> {
        let mut lines = shown.lines();
        let line = lines.find(|line| line.starts_with(beginning));
        line.expect("a line of iostat").split_whitespace().collect()
    };
    let (heads, figures) = (words("Device"), words(&wal));
    for (head, metric) in COLUMNS {
        let place = heads.iter().position(|it| *it == head);
        let theirs: f64 = figures[place.expect("a column of iostat")]
            .parse()
            .expect("a figure");
        let (ours, _) = iostat(&mut session, [run, run], "wal, between checkpoints", metric);
        println!("{metric}: {ours}, of iostat {theirs}");
        // It has two decimals.
        assert!(
            (ours - theirs).abs() <= 0.2 * theirs + 0.03,
            "{metric}: {ours}, of iostat {theirs}"
        );
    }
}

#[test]
fn a_load_knows_when_its_steps_began_and_what_devices_did_in_them() {
    let cluster = Cluster::on_disk(templates::with_pgperf(), CONF);
    let mut session = cluster.connect();
    let run = session.number("CALL pgperf.init('tpcb-like', scale => 20, foreign_keys => true)");
    // Each begins when the one before it has ended, within the load.
    let steps = session.value(&format!(
        "SELECT concat_ws(' ', count(*) > 4, count(s.started_at) = count(*), bool_and(s.started_at >= ended IS NOT FALSE), \
                bool_and(s.started_at - ended < '0.5 s' IS NOT FALSE), bool_and(s.started_at BETWEEN r.started_at AND r.ended_at)) \
           FROM (SELECT s.*, lag(s.started_at + s.latency_avg_ms * s.calls * interval '1 ms') OVER (ORDER BY command_no) AS ended \
                   FROM pgperf.run_statements s WHERE s.run_id = {run}) s, pgperf.runs r WHERE r.run_id = {run}"
    ));
    assert_eq!(steps, "t t t t t");
    let of_runs = session.finish_run("'select-only', transactions_per_client => 10");
    let none =
        format!("SELECT count(started_at) FROM pgperf.run_statements WHERE run_id = {of_runs}");
    assert_eq!(session.number(&none), 0);

    // Over the steps it comes to what the kernel counted from the first sample to the last, but for the ends.
    let (all, steps) = (
        "SELECT max(write_sectors) - min(write_sectors) FROM pgperf.device_history WHERE level = 0 AND run_id = ",
        "SELECT sum(2 * wkb_s * seconds) FROM pgperf.load_devices WHERE level = 0 AND run_id = ",
    );
    let [all, steps] = [all, steps].map(|sql| session.float(&format!("{sql}{run}")));
    assert!(steps > 0.6 * all && steps < 1.4 * all, "{steps} of {all}");
    let report = session.value(&format!(
        "SELECT string_agg(l, E'\\n') FROM pgperf.report({run}) l"
    ));
    assert!(report.contains("Devices, step by step"), "{report}");
    let page = session.page(&format!("pgperf.report_html({run})"));
    assert!(
        page.contains("Devices, step by step") && page.contains("primary keys at "),
        "{page}"
    );
}

/// Samples 10 seconds apart, and three steps that end between them.
#[test]
fn a_sample_across_two_steps_is_divided_by_time() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    session.value("SELECT pgperf.local_node()");
    session
        .batch_execute(
            "INSERT INTO pgperf.samples (node_id, sample_id, taken_at, run_id, epoch, elapsed_ms, rows, pages, wal_bytes, outcomes) \
             SELECT pgperf.local_node(), i, '2026-01-01 00:00+00'::timestamptz + i * interval '10 s', 7, 1, 1, 1, 1, 1, '{}' FROM generate_series(0, 2) i; \
             INSERT INTO pgperf.device_history (node_id, sample_id, taken_at, run_id, boot_id, device, holds, level, in_flight, read_ios, read_merges, read_sectors, \
                 read_ticks, write_ios, write_merges, write_sectors, write_ticks, io_ticks, time_in_queue, flush_ios, flush_ticks) \
             SELECT s.node_id, s.sample_id, s.taken_at, 7, '00000000-0000-0000-0000-000000000001', 'sda', 'data, wal', 0, 0, 0, 0, 0, 0, \
                    w, 0, 20 * w, 3 * w, busy, 2 * busy, f, 4 * f \
               FROM pgperf.samples s JOIN (VALUES (0, 0, 0, 0), (1, 100, 5000, 10), (2, 400, 15000, 50)) v(id, w, busy, f) ON v.id = s.sample_id; \
             INSERT INTO pgperf.run_statements (node_id, run_id, script_no, script, command_no, statement, is_sql, calls, latency_avg_ms, started_at) \
             SELECT pgperf.local_node(), 7, 0, 'load', n, name, true, calls, ms, '2026-01-01 00:00+00'::timestamptz + at * interval '1 s' \
               FROM (VALUES (0, 'fill', 1, 5000, 0), (1, 'vacuum', 1, 10000, 5), (2, 'keys', 1, 5000, 15), (3, 'not reached', 0, NULL, NULL)) v(n, name, calls, ms, at)",
        )
        .expect("history");
    let found = session.value(
        "SELECT string_agg(concat_ws(' ', step, seconds, w_s, wkb_s, w_await, wareq_sz, f_s, f_await, aqu_sz, util, r_s, r_await IS NULL), '; ' ORDER BY step_no) \
           FROM pgperf.load_devices WHERE run_id = 7",
    );
    // Of 100 and 300 writes in ten seconds: half of the first, half of both, half of the second.
    assert_eq!(
        found,
        "fill 5 10 100 3 10 1 4 1 50 0 t; vacuum 10 20 200 3 10 2.5 4 1.5 75 0 t; keys 5 30 300 3 10 4 4 2 100 0 t"
    );
}
