//! A server at full rate for a long time: whatever belongs to pgperf stays as large as it was.
//!
//! One minute in `make test-full`; `make soak` takes ten (PGPERF_SOAK_SECONDS): the longer it runs, the less anything
//! may grow per minute.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::common::growth::{Figures, floor, memory, rise, warm_sampler};
use crate::common::runs::{BUSY, NO_BUDGET, PATIENCE, Runs};
use crate::common::{Cluster, wait_until};
use postgres::Client;

/// All collectors come every second; segments are files of the data directory, where they can be counted.
const SETTINGS: [&str; 7] = [
    "shared_preload_libraries = 'pg_stat_statements, pgperf'",
    "pgperf.sampler_databases = 'postgres'",
    NO_BUDGET,
    "dynamic_shared_memory_type = mmap",
    "max_worker_processes = 40",
    "max_wal_size = 512MB",
    "autovacuum_naptime = 5s",
];

/// Serialization failures, which are tried again, and errors, after which a client continues.
const STUMBLING: &str = "script => E'\\\\set id random(1, 5)\\n\\\\set zero random(0, 9)\\n\
     BEGIN ISOLATION LEVEL SERIALIZABLE;\\nSELECT sum(value) FROM contended;\\n\
     UPDATE contended SET value = value + 1 WHERE id = :id;\\nSELECT 1 / :zero;\\nEND;', \
     clients => 2, max_tries => 3, continue_on_error => true";

/// Kilobytes that a process may have more at the end than when it was warm.
const MEMORY: f64 = 1024.0;
/// The same of the session that asks for everything: it is only warm when it has done so some times.
const MEMORY_OF_ASKING: f64 = 8192.0;
/// The same of what the memory contexts of a process hold.
const CONTEXTS: f64 = 256.0;
/// So many looks at these there are at least, two thirds of the time divided by 24.
const LOOKS: f64 = 18.0;
/// So much faster, and kilobytes on top, may the history grow at the end.
const HISTORY: (f64, f64) = (1.25, 2048.0);
/// Postmaster, launcher, sampler, three leaders, five clients, the session that asks.
const PROCESSES: usize = 12;

fn soak_seconds() -> u64 {
    std::env::var("PGPERF_SOAK_SECONDS").map_or(60, |text| text.parse().expect("a number"))
}

/// Pids and names of pgperf's processes and of the session that asks for everything.
fn processes(session: &mut Client) -> Vec<(i64, String)> {
    session
        .value(
            "SELECT string_agg(pid || ' ' || application_name, ',') FROM pg_catalog.pg_stat_activity \
             WHERE application_name LIKE 'pgperf%' OR application_name = 'asking'",
        )
        .split(',')
        .filter_map(|process| process.split_once(' '))
        .map(|(pid, name)| (pid.parse().expect("a pid"), name.to_owned()))
        .collect()
}

/// Its open files, but for those of the database, of which the server keeps up to max_files_per_process open.
fn open_files(pid: i64, data: &Path) -> Option<f64> {
    let files = fs::read_dir(format!("/proc/{pid}/fd")).ok()?.flatten();
    let names = files.filter_map(|file| fs::read_link(file.path()).ok());
    Some(names.filter(|name| !name.starts_with(data)).count() as f64)
}

/// Looks at everything that must not grow.
fn look(cluster: &Cluster, session: &mut Client, at: f64, figures: &mut Figures) {
    let postmaster = cluster.postmaster_pid().expect("the server runs");
    let mut all = processes(session);
    all.push((postmaster.into(), "postmaster".to_owned()));
    for (pid, name) in &all {
        let process = format!("{name} ({pid})");
        if let Some(kilobytes) = memory(*pid) {
            figures.add("memory", &process, at, kilobytes);
        }
        if let Some(files) = open_files(*pid, &cluster.data_dir()) {
            figures.add("files", &process, at, files);
        }
    }
    for (figure, count) in ["segments", "locks", "workers"]
        .into_iter()
        .zip(held(cluster, session))
    {
        figures.add(figure, "the server", at, count as f64);
    }
    let history = "SELECT sum(bytes) / 1024 FROM pgperf.history_size";
    let history = session.value(history).parse().expect("kilobytes");
    figures.add("history", "the server", at, history);
}

/// Every process of pgperf logs its memory contexts.
fn ask_for_contexts(session: &mut Client) {
    session.value(
        "SELECT count(pg_catalog.pg_log_backend_memory_contexts(pid)) FROM pg_catalog.pg_stat_activity \
         WHERE backend_type LIKE 'pgperf%'",
    );
}

/// The logged memory contexts: used kilobytes by process.
fn contexts(log: &str) -> BTreeMap<i64, Vec<f64>> {
    let mut told = BTreeMap::<i64, Vec<f64>>::new();
    for line in log.lines() {
        let Some((head, total)) = line.split_once("Grand total: ") else {
            continue;
        };
        let pid = head
            .split(['[', ']'])
            .nth(1)
            .and_then(|pid| pid.parse().ok());
        let used = total
            .rsplit("; ")
            .next()
            .and_then(|used| used.split(' ').next());
        let bytes: f64 = used.and_then(|used| used.parse().ok()).expect("bytes");
        let kilobytes = told.entry(pid.expect("a pid")).or_default();
        kilobytes.push(bytes / 1024.0);
    }
    told
}

/// Runs, sweeps, reports and upkeep, one after the other until it is enough.
fn ask_for_everything(session: &mut Client, enough: &AtomicBool) -> u32 {
    let mut rounds = 0;
    while !enough.load(Relaxed) {
        let one = session
            .finish_run("'select-only', transactions_per_client => 2000, collectors => '{}'");
        let other =
            session.finish_run("'select-only', transactions_per_client => 200, reconnect => 50");
        let stopped = session.start_busy_run(BUSY);
        session.value(&format!("SELECT pgperf.stop_run({stopped})"));
        session.wait_for_status(stopped, "stopped");
        let failed = session
            .start_run("script => 'SELECT 1 / 0', clients => 2, transactions_per_client => 1");
        session.wait_for_status(failed, "failed");
        for report in ["report", "report_html", "report_json", "report_markdown"] {
            session.value(&format!("SELECT pgperf.{report}({one})"));
        }
        session.value(&format!(
            "SELECT count(*) FROM pgperf.compare({one}, {other})"
        ));
        let sweep = session.number(
            "SELECT pgperf.start_sweep('select-only', clients => '{1,2}', repetitions => 1, duration => '0.3 s')",
        );
        session.value(&format!("CALL pgperf.wait_sweep({sweep})"));
        session.value(&format!(
            "SELECT count(*) FROM pgperf.sweep_report({sweep})"
        ));
        session.value(&format!(
            "SELECT pgperf.delete_sweep({sweep}, runs => true)"
        ));
        for call in ["snapshot", "maintain", "doctor"] {
            session.value(&format!("SELECT count(*) FROM pgperf.{call}()"));
        }
        for run in [one, other, stopped, failed] {
            session.value(&format!("SELECT pgperf.delete_run({run})"));
        }
        rounds += 1;
    }
    rounds
}

/// What the server holds for pgperf: segments, advisory locks, workers.
fn held(cluster: &Cluster, session: &mut Client) -> [usize; 3] {
    let segments = fs::read_dir(cluster.data_dir().join("pg_dynshmem")).expect("a folder");
    let count = |sql| usize::try_from(session.number(sql)).expect("a count");
    let [locks, workers] = [
        "SELECT count(*) FROM pg_catalog.pg_locks WHERE locktype = 'advisory'",
        "SELECT count(*) FROM pg_catalog.pg_stat_activity WHERE backend_type LIKE 'pgperf%'",
    ]
    .map(count);
    [segments.count(), locks, workers]
}

#[test]
fn nothing_grows() {
    let length = Duration::from_secs(soak_seconds());
    let cluster = Cluster::with_data(&SETTINGS);
    let mut session = cluster.connect();
    session.value("CREATE TABLE contended AS SELECT id, 0 AS value FROM generate_series(1, 5) id");
    session.value("UPDATE pgperf.collectors SET sample_interval = '1 s'");
    wait_until("the sampler", PATIENCE, || {
        session.number("SELECT count(*) FROM pgperf.samples WHERE cadence IS NOT NULL") > 1
    });
    let before = held(&cluster, &mut session);
    for arguments in ["'tpcb-like', clients => 2", "'select-only'", STUMBLING] {
        session.start_busy_run(&format!("{arguments}, duration => '1 d'"));
    }

    let mut asking = cluster.connect();
    asking.value("SET application_name = 'asking'");
    let enough = AtomicBool::new(false);
    let mut figures = Figures::default();
    let rounds = std::thread::scope(|scope| {
        let asker = scope.spawn(|| ask_for_everything(&mut asking, &enough));
        warm_sampler(&mut session);
        let began = Instant::now();
        let mut next_contexts = length / 3;
        while began.elapsed() < length && !asker.is_finished() {
            let at = began.elapsed().as_secs_f64();
            look(&cluster, &mut session, at, &mut figures);
            if began.elapsed() >= next_contexts {
                ask_for_contexts(&mut session);
                next_contexts += length / 36;
            }
            sleep(Duration::from_millis(500));
        }
        enough.store(true, Relaxed);
        asker.join().expect("all that was asked for")
    });
    for (pid, told) in contexts(&cluster.log()) {
        for (at, kilobytes) in told.into_iter().enumerate() {
            figures.add("contexts", pid, at as f64, kilobytes);
        }
    }
    println!("{rounds} rounds; transactions {}", session.value(
        "SELECT string_agg(transactions || '+' || failed || ' failed', ', ' ORDER BY run_id) FROM pgperf.run_summary"));
    expect_flat(&figures, length.as_secs_f64());

    session.value("SELECT pgperf.stop_all()");
    wait_until("the end of all runs", PATIENCE, || {
        let now = held(&cluster, &mut session);
        now.iter().zip(before).all(|(now, before)| *now <= before)
    });
    let ended = "SELECT string_agg(status, ' ') FROM pgperf.runs WHERE kind <> 'load'";
    assert_eq!(session.value(ended), "stopped stopped stopped");
}

/// What is warm after a third of the time is to stay so.
fn expect_flat(figures: &Figures, length: f64) {
    let (warm, late, end) = (length / 3.0, length * 2.0 / 3.0, length - 5.0);
    let mut grown = Vec::new();
    let mut expect = |figure: &str, of: &str, rise: f64, allowed: f64| {
        println!("{figure} of {of}: {rise:+.1} of {allowed:.1}");
        if rise > allowed {
            grown.push(format!("{figure} of {of} grew by {rise:.1}"));
        }
    };
    let mut processes = 0;
    for (process, points) in figures.between("memory", warm, end) {
        let allowed = match process.starts_with("asking") {
            true => MEMORY_OF_ASKING,
            false => MEMORY,
        };
        expect("memory", process, rise(points), allowed);
        processes += 1;
    }
    // Somewhere in a sample, on a busy machine more often, a sampler holds more than between two of them.
    for (pid, points) in figures.between("contexts", 0.0, LOOKS) {
        let (early, later) = points.split_at(points.len() / 2);
        expect("contexts", pid, floor(later) - floor(early), CONTEXTS / 2.0);
    }
    // These go up and down with the runs that come and go, but not further up.
    for figure in ["files", "segments", "locks", "workers"] {
        for (of, early) in figures.between(figure, warm, late) {
            for (_, later) in figures
                .between(figure, late, end)
                .filter(|(same, _)| *same == of)
            {
                expect(figure, of, floor(later) - floor(early), 0.0);
            }
        }
    }
    let pace = |from, to| {
        figures
            .between("history", from, to)
            .map(|(_, points)| rise(points))
            .sum::<f64>()
    };
    let (early, later) = (pace(warm, late), pace(late, length - 1.0));
    expect(
        "history",
        "the server",
        later,
        early * HISTORY.0 + HISTORY.1,
    );
    assert_eq!(processes, PROCESSES, "processes that lived all the time");
    assert!(grown.is_empty(), "{}", grown.join("\n"));
}

#[test]
fn growth_is_seen() {
    let noise = |at: usize| (at * 7919 % 13) as f64 * 100.0;
    let series = |slope: f64| -> Vec<(f64, f64)> {
        (0..80)
            .map(|at| {
                (
                    at as f64 / 2.0,
                    9000.0 + slope * at as f64 / 2.0 + noise(at),
                )
            })
            .collect()
    };
    assert!(rise(&series(0.0)).abs() < MEMORY / 4.0);
    // Two megabytes a minute.
    assert!(rise(&series(2048.0 / 60.0)) > MEMORY);
    let mut jumps = series(0.0);
    jumps[79].1 += 50_000.0;
    assert!(rise(&jumps) < MEMORY / 4.0);
}
