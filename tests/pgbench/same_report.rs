//! The report and the transaction log match pgbench's output and log for the same work.

use std::fs;

use crate::common::pair::{OURS, THEIRS, cluster_with_pair, execute, row, rows};
use crate::common::{Cluster, text_of};
use postgres::Client;

/// A line without what was measured: times and speeds.
fn without_timings(line: &str) -> String {
    let measured = [
        "latency ",
        "tps ",
        "initial connection time ",
        "average connection time ",
    ];
    let text = line.trim_start_matches(" - ");
    if measured.iter().any(|start| text.starts_with(start)) {
        return line.split(" = ").next().unwrap_or_default().to_owned();
    }
    if text.starts_with("rate limit schedule lag") {
        return "rate limit schedule lag".to_owned();
    }
    if let Some((shares, _)) = text.split_once(", tps = ") {
        return shares.to_owned();
    }
    if text.contains(" transactions (") {
        return text.trim_end_matches(')').to_owned();
    }
    // A statement's line begins with its latency.
    match line.strip_prefix("   ") {
        Some(rest) => rest
            .split_whitespace()
            .skip(1)
            .collect::<Vec<_>>()
            .join(" "),
        None => line.to_owned(),
    }
}

/// pgbench's output, with its options for everything that pgperf always reports.
fn by_pgbench(cluster: &Cluster, options: &[&str]) -> Vec<String> {
    let mut pgbench = cluster.program("pgbench");
    pgbench
        .args(["-n", "-r", "-P", "3600"])
        .args(options)
        .arg(THEIRS);
    // Its threads count scripts without a lock, and so may lose one.
    let text = (0..6)
        .map(|_| text_of(&mut pgbench))
        .find(|report| adds_up(report))
        .expect("scripts that add up to all transactions");
    // The first line is its version. Since 18 each script's number and rate have this line of their own.
    text.lines()
        .skip(1)
        .filter(|line| !line.starts_with(" - number of transactions actually processed: "))
        // 19 has this line among the kinds of failures, others not, and pgperf where there can be such.
        .filter(|line| *line != "number of other failures: 0 (0.000%)")
        .map(without_timings)
        .collect()
}

/// Whether all transactions are those of some script, where there are several.
fn adds_up(report: &str) -> bool {
    let number = |text: &str| {
        let digits = text.split(|c: char| !c.is_ascii_digit()).next();
        digits.and_then(|digits| digits.parse::<u64>().ok())
    };
    let of_all = "number of transactions actually processed: ";
    let all = report
        .lines()
        .find_map(|line| line.strip_prefix(of_all).and_then(number));
    let shares = report
        .lines()
        .filter(|line| line.contains(" transactions ("));
    let of_scripts: Vec<_> = shares
        .filter_map(|line| number(line.trim_start_matches(" - ")))
        .collect();
    of_scripts.is_empty() || Some(of_scripts.iter().sum()) == all
}

/// The first part of pgperf's report.
fn by_pgperf(session: &mut Client, arguments: &str) -> Vec<String> {
    row(
        session,
        &format!(
            "SELECT pgperf.start_run({arguments}, random_seed => 42, sample_interval => '1 h')"
        ),
    );
    assert_eq!(row(session, "CALL pgperf.wait_run()"), "finished");
    rows(session, "SELECT pgperf.report()")
        .iter()
        .take_while(|line| !line.is_empty())
        .map(|line| without_timings(line))
        .collect()
}

/// Runs both and compares all lines but the first, which names a file where pgbench reads one.
fn same_report(cluster: &Cluster, options: &[&str], arguments: &str) -> Vec<String> {
    let theirs = by_pgbench(cluster, &[&["--random-seed=42"], options].concat());
    let ours = by_pgperf(&mut cluster.connect_to(OURS), arguments);
    assert!(theirs.len() > 10, "{theirs:?}");
    assert_eq!(theirs[1..], ours[1..], "{arguments}");
    ours
}

/// A script of pgbench's in a file that lives as long as what is returned.
fn script_file(text: &str) -> (tempfile::TempDir, String) {
    let dir = tempfile::tempdir().expect("a folder");
    let file = dir.path().join("script");
    fs::write(&file, text).expect("a file");
    let name = file.to_string_lossy().into_owned();
    (dir, name)
}

#[test]
fn a_single_script() {
    let cluster = cluster_with_pair(2, &[]);
    let lines = same_report(
        &cluster,
        &["-c", "4", "-j", "4", "-t", "100", "-M", "prepared"],
        "'tpcb-like', clients => 4, transactions_per_client => 100",
    );
    assert!(lines.contains(&"number of transactions actually processed: 400/400".to_owned()));
}

#[test]
fn a_mix() {
    let cluster = cluster_with_pair(2, &[]);
    let lines = same_report(
        &cluster,
        &[
            "-b",
            "tpcb-like@2",
            "-b",
            "select-only@5",
            "-c",
            "3",
            "-j",
            "3",
            "-t",
            "200",
            "-M",
            "simple",
        ],
        "'tpcb-like@2, select-only@5', clients => 3, transactions_per_client => 200, query_mode => 'simple'",
    );
    assert!(
        lines.contains(&"SQL script 2: <builtin: select only>".to_owned()),
        "{lines:#?}"
    );
    // The same figures as rows.
    let mut session = cluster.connect_to(OURS);
    let scripts = rows(
        &mut session,
        "SELECT weight, transactions = (SELECT max(calls) FROM pgperf.run_statements t \
                     WHERE t.run_id = s.run_id AND t.script_no = s.script_no), \
                latency_p99_ms <= latency_max_ms, \
                sum(transactions) OVER () = (SELECT transactions FROM pgperf.run_summary u WHERE u.run_id = s.run_id) \
         FROM pgperf.run_scripts s ORDER BY script_no",
    );
    assert_eq!(scripts, ["2|t|t|t", "5|t|t|t"]);
}

/// One transaction takes so long that all others are late before they begin.
#[test]
fn skipped_and_late() {
    let cluster = cluster_with_pair(1, &[]);
    let script = "SELECT pg_sleep(CASE WHEN nextval('calls') = 1 THEN 3 ELSE 0 END);";
    let (_dir, file) = script_file(script);
    for database in [THEIRS, OURS] {
        execute(&mut cluster.connect_to(database), "CREATE SEQUENCE calls");
    }
    let lines = same_report(
        &cluster,
        &["-f", &file, "-t", "1000", "-R", "1000", "-L", "100"],
        &format!(
            "script => '{}', scale => 1, transactions_per_client => 1000, rate => 1000, \
             latency_limit => '100 ms', query_mode => 'simple'",
            script.replace('\'', "''")
        ),
    );
    let skipped = "number of transactions skipped: 999 (99.900%)".to_owned();
    assert!(lines.contains(&skipped), "{lines:#?}");
}

#[test]
fn a_rate_that_is_kept() {
    let cluster = cluster_with_pair(1, &[]);
    same_report(
        &cluster,
        &[
            "-S", "-t", "300", "-c", "2", "-j", "2", "-R", "1000", "-L", "60000", "-M", "extended",
        ],
        "'select-only', transactions_per_client => 300, clients => 2, rate => 1000, latency_limit => '60 s', \
         query_mode => 'extended'",
    );
}

/// Conflicts that come by number, so that both have the same ones.
const CONFLICTS: &str = "\
    CREATE SEQUENCE calls; \
    CREATE TABLE done (draw int, called bigint); \
    CREATE FUNCTION call(draw bigint) RETURNS bigint LANGUAGE plpgsql AS $$ \
    DECLARE n bigint := nextval('calls'); \
    BEGIN \
        IF n % 7 IN (1, 2, 4, 5, 6) THEN \
            RAISE 'conflict' USING ERRCODE = CASE WHEN draw % 2 = 0 THEN '40001' ELSE '40P01' END; \
        END IF; \
        RETURN n; \
    END $$";
const CONFLICTING: &str = "\\set draw random(1, 1000000)
BEGIN;
SELECT call(:draw);
INSERT INTO done VALUES (:draw, currval('calls'));
END;
";

#[test]
fn retries_and_failures() {
    let cluster = cluster_with_pair(1, &[]);
    let (_dir, file) = script_file(CONFLICTING);
    for database in [THEIRS, OURS] {
        execute(&mut cluster.connect_to(database), CONFLICTS);
    }
    let script = CONFLICTING.replace('\'', "''");
    for tries in ["1", "2", "3"] {
        for database in [THEIRS, OURS] {
            execute(
                &mut cluster.connect_to(database),
                "TRUNCATE done; ALTER SEQUENCE calls RESTART",
            );
        }
        let tries_option = format!("--max-tries={tries}");
        same_report(
            &cluster,
            &[
                "-f",
                &file,
                "-t",
                "300",
                &tries_option,
                "--failures-detailed",
                "-M",
                "extended",
            ],
            &format!(
                "script => '{script}', scale => 1, transactions_per_client => 300, max_tries => {tries}, \
                 query_mode => 'extended'"
            ),
        );
        let contents = |database| {
            row(
                &mut cluster.connect_to(database),
                "SELECT count(*), md5(string_agg(d::text, ',' ORDER BY called)) FROM done d",
            )
        };
        assert_eq!(contents(THEIRS), contents(OURS), "{tries} tries");
    }
}

/// The log of both without times: client, number, outcome, script, and what follows.
fn logs(cluster: &Cluster, options: &[&str], arguments: &str, seed: u32) -> [Vec<String>; 2] {
    let dir = tempfile::tempdir().expect("a folder");
    let prefix = format!("--log-prefix={}", dir.path().join("log").display());
    let seed_option = format!("--random-seed={seed}");
    let output = cluster
        .program("pgbench")
        .args(["-n", "-l", &prefix, &seed_option])
        .args(options)
        .arg(THEIRS)
        .output()
        .expect("pgbench");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let files = fs::read_dir(dir.path()).expect("the logs");
    let mut theirs: Vec<String> = files
        .flat_map(|file| {
            let text = fs::read_to_string(file.expect("a log").path()).expect("a log");
            text.lines().map(without_times).collect::<Vec<_>>()
        })
        .collect();
    let mut session = cluster.connect_to(OURS);
    let run = row(
        &mut session,
        &format!(
            "SELECT pgperf.start_run({arguments}, random_seed => {seed}, transaction_log => true)"
        ),
    );
    assert_eq!(row(&mut session, "CALL pgperf.wait_run()"), "finished");
    let lines = rows(
        &mut session,
        &format!("SELECT pgperf.transaction_log({run}, true)"),
    );
    let mut ours: Vec<String> = lines.iter().map(|line| without_times(line)).collect();
    theirs.sort();
    ours.sort();
    [theirs, ours]
}

/// Numbers become `#` where they are times.
fn without_times(line: &str) -> String {
    let fields = line.split(' ').enumerate();
    let fields = fields.map(|(i, field)| match i {
        2 if field.parse::<u64>().is_ok() => "#",
        4 | 5 => "#",
        _ => field,
    });
    fields.collect::<Vec<_>>().join(" ")
}

#[test]
fn the_log_of_a_mix_and_of_its_samples() {
    let cluster = cluster_with_pair(1, &[]);
    let options = [
        "-b",
        "tpcb-like",
        "-b",
        "select-only@3",
        "-c",
        "3",
        "-j",
        "3",
        "-t",
        "400",
    ];
    let arguments = "'tpcb-like, select-only@3', clients => 3, transactions_per_client => 400";
    let [theirs, ours] = logs(&cluster, &options, arguments, 3);
    assert_eq!(theirs.len(), 1200);
    assert_eq!(theirs, ours);
    for seed in [3, 4] {
        let options = [&options[..], &["--sampling-rate=0.25"]].concat();
        let arguments = format!("{arguments}, sampling_rate => 0.25");
        let [theirs, ours] = logs(&cluster, &options, &arguments, seed);
        assert!((200..=400).contains(&theirs.len()), "{}", theirs.len());
        assert_eq!(theirs, ours);
    }
}

#[test]
fn the_log_of_failures_and_retries() {
    let cluster = cluster_with_pair(1, &[]);
    let (_dir, file) = script_file(CONFLICTING);
    for database in [THEIRS, OURS] {
        execute(&mut cluster.connect_to(database), CONFLICTS);
    }
    let [theirs, ours] = logs(
        &cluster,
        &[
            "-f",
            &file,
            "-t",
            "200",
            "--max-tries=2",
            "--failures-detailed",
        ],
        &format!(
            "script => '{}', transactions_per_client => 200, max_tries => 2",
            CONFLICTING.replace('\'', "''")
        ),
        9,
    );
    assert_eq!(theirs, ours);
    for outcome in ["serialization", "deadlock", " # "] {
        assert!(ours.iter().any(|line| line.contains(outcome)), "{outcome}");
    }
}
