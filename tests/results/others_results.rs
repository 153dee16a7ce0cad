//! Results of other programs: pgbench and sysbench themselves are the referees, as their output and the report of the
//! imported run are the same.

use crate::common::Cluster;
use crate::common::runs::{Runs, error_of};
use crate::families::sysbench::sysbench;
use postgres::Client;
use std::fs;
use std::time::{Duration, Instant};

/// Runs pgbench on the tables of the cluster; what it wrote to both of its outputs.
pub fn pgbench(cluster: &Cluster, options: &[&str]) -> String {
    let output = cluster
        .program("pgbench")
        .args(options)
        .arg("postgres")
        .output()
        .expect("pgbench");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let text = text(&output.stderr) + &text(&output.stdout);
    assert!(output.status.success(), "pgbench {options:?}\n{text}");
    text
}

pub fn import(session: &mut Client, content: &str, label: &str) -> Vec<i64> {
    let rows = session.query(
        "SELECT pgperf.import_results($1, label => $2, strict => true)",
        &[&content, &label],
    );
    let rows = rows.expect("the results");
    rows.iter().map(|row| row.get(0)).collect()
}

pub fn lines(session: &mut Client, sql: &str) -> Vec<String> {
    let rows = session.query(sql, &[]).expect(sql);
    rows.iter().map(|row| row.get(0)).collect()
}

/// A line without the number of its blanks, which differs between versions.
fn words(line: &str) -> String {
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The block of figures of an output. The transactions of scripts are counted otherwise from 18 on.
fn block<'a>(lines: impl Iterator<Item = &'a str>) -> Vec<String> {
    const NOT_COMPARED: [&str; 4] = [
        "pgbench (",
        "starting vacuum",
        "progress: ",
        "- number of transactions actually",
    ];
    let lines = lines.map(words).filter(|line| {
        let is_count_of_script = line.starts_with("- ") && line.contains(" transactions (");
        !is_count_of_script && !NOT_COMPARED.iter().any(|start| line.starts_with(start))
    });
    lines.take_while(|line| !line.is_empty()).collect()
}

#[test]
fn a_report_has_every_line_that_pgbench_printed() {
    let cluster = Cluster::with_data(&[]);
    let mut session = cluster.connect();
    let loads: [&[&str]; 5] = [
        &["-c", "2", "-j", "2", "-T", "2", "-P", "1", "-r"],
        &[
            "-c",
            "2",
            "-t",
            "50",
            "-r",
            "-M",
            "prepared",
            "--max-tries=3",
            "--failures-detailed",
        ],
        &[
            "-n",
            "-T",
            "2",
            "-R",
            "200",
            "-L",
            "5",
            "-P",
            "1",
            "-b",
            "tpcb-like@1",
            "-b",
            "select-only@9",
        ],
        &["-n", "-S", "-t", "20", "-C", "-M", "extended"],
        &["-n", "-N", "-t", "100", "-b", "simple-update", "-r"],
    ];
    for options in loads {
        let output = pgbench(&cluster, options);
        let runs = import(&mut session, &output, "by pgbench");
        assert_eq!(runs.len(), 1);
        let report = lines(&mut session, &format!("SELECT pgperf.report({})", runs[0]));
        let theirs = block(output.lines());
        assert_eq!(
            block(report.iter().map(String::as_str)),
            theirs,
            "{options:?}\n{output}"
        );
        // The rate is theirs, to the last digit, and so is the version of the server.
        let tps = output
            .lines()
            .rev()
            .find_map(|line| line.strip_prefix("tps = "));
        let tps = tps.and_then(|tps| tps.split(' ').next()).expect("tps");
        let ours = session.value(&format!(
            "SELECT round(tps::numeric, 6) FROM pgperf.run_summary WHERE run_id = {}",
            runs[0]
        ));
        assert_eq!(ours, tps);
        let progress: Vec<&str> = output
            .lines()
            .filter(|line| line.starts_with("progress: "))
            .collect();
        let intervals = lines(
            &mut session,
            &format!(
                "SELECT format('%s tps, lat %s', round(tps::numeric, 1), round(latency_avg_ms::numeric, 3)) \
                 FROM pgperf.run_intervals WHERE run_id = {} ORDER BY interval_no",
                runs[0]
            ),
        );
        assert_eq!(intervals.len(), progress.len());
        assert!(
            progress
                .iter()
                .zip(&intervals)
                .all(|(line, interval)| line.contains(interval)),
            "{output}\n{intervals:?}"
        );
    }
}

/// The files that begin with that name, one after the other.
fn logs(cluster: &Cluster, prefix: &str) -> String {
    let entries = fs::read_dir(cluster.socket_dir()).expect("the folder of the cluster");
    let paths = entries.map(|entry| entry.expect("a file").path());
    let is_log = |name: &str| name.starts_with(&format!("{prefix}."));
    let mut paths: Vec<_> = paths
        .filter(|path| {
            path.file_name()
                .is_some_and(|name| is_log(&name.to_string_lossy()))
        })
        .collect();
    paths.sort();
    assert!(!paths.is_empty(), "no log {prefix}");
    paths
        .iter()
        .map(|path| fs::read_to_string(path).expect("a log"))
        .collect()
}

#[test]
fn a_log_gives_the_distribution_of_its_latencies() {
    let cluster = Cluster::with_data(&[]);
    let mut session = cluster.connect();
    let prefix = cluster.socket_dir().join("single");
    let prefix = format!("--log-prefix={}", prefix.display());
    let output = pgbench(
        &cluster,
        &["-n", "-c", "4", "-j", "2", "-T", "3", "-l", &prefix],
    );
    let log = logs(&cluster, "single");
    let mut latencies: Vec<f64> = (log.lines())
        .map(|line| {
            line.split(' ')
                .nth(2)
                .and_then(|us| us.parse::<f64>().ok())
                .expect(line)
                / 1e3
        })
        .collect();
    latencies.sort_by(f64::total_cmp);
    let count = latencies.len();
    let sum: f64 = latencies.iter().sum();
    let exact = |q: f64| latencies[((q * count as f64).ceil() as usize).clamp(1, count) - 1];
    for content in [log.clone(), output + &log] {
        let run = import(&mut session, &content, "logged")[0];
        let figures = session
            .query_one(
                "SELECT s.transactions, s.latency_p50_ms, s.latency_p99_ms, s.latency_max_ms, s.latency_avg_ms, \
                        (SELECT sum(i.transactions)::bigint FROM pgperf.run_intervals i WHERE i.run_id = s.run_id), \
                        (SELECT sum(pgperf.histogram_count(i.histogram))::bigint FROM pgperf.run_intervals i WHERE i.run_id = s.run_id) \
                   FROM pgperf.run_summary s WHERE s.run_id = $1",
                &[&run],
            )
            .expect("the run");
        assert_eq!(figures.get::<_, i64>(0), count as i64);
        assert_eq!(figures.get::<_, i64>(5), count as i64);
        assert_eq!(figures.get::<_, i64>(6), count as i64);
        // The counters of histograms are 1/128 wide.
        for (place, q) in [(1, 0.5), (2, 0.99)] {
            let (found, exact) = (figures.get::<_, f64>(place), exact(q));
            assert!(
                found >= exact - 1e-9 && found <= exact * 1.008 + 1e-9,
                "{found} for {exact}"
            );
        }
        assert_eq!(figures.get::<_, f64>(3), exact(1.0));
        let mean = figures.get::<_, f64>(4);
        // pgbench derives its own mean from the time.
        assert!((mean / (sum / count as f64) - 1.0).abs() < 0.25, "{mean}");
        let page = session.page(&format!("pgperf.report_html({run})"));
        for part in [
            "Latency heat map",
            "Transactions per second",
            "Measured by pgbench",
        ] {
            assert!(page.contains(part), "{part}");
        }
        assert!(!page.contains("NaN") && !page.contains(">NULL<"));
    }
}

#[test]
fn an_aggregated_log_gives_its_intervals() {
    let cluster = Cluster::with_data(&[]);
    let mut session = cluster.connect();
    let prefix = cluster.socket_dir().join("aggregated");
    let prefix = format!("--log-prefix={}", prefix.display());
    let output = pgbench(
        &cluster,
        &[
            "-n",
            "-c",
            "2",
            "-T",
            "4",
            "-l",
            "--aggregate-interval=1",
            &prefix,
        ],
    );
    let log = logs(&cluster, "aggregated");
    let expected: Vec<(i64, f64)> = (log.lines())
        .map(|line| {
            let fields: Vec<f64> = line
                .split(' ')
                .filter_map(|field| field.parse().ok())
                .collect();
            (fields[1] as i64, fields[2] / fields[1] / 1e3)
        })
        .collect();
    let content = output + &log;
    let notices = session.query(
        "SELECT pgperf.import_results($1, label => 'aggregated')",
        &[&content],
    );
    let run: i64 = notices.expect("the run")[0].get(0);
    let rows = session
        .query(
            "SELECT transactions, latency_avg_ms, seconds FROM pgperf.run_intervals WHERE run_id = $1 ORDER BY interval_no",
            &[&run],
        )
        .expect("the intervals");
    assert_eq!(rows.len(), expected.len());
    for (row, (transactions, mean)) in rows.iter().zip(expected) {
        assert_eq!(row.get::<_, i64>(0), transactions);
        assert!((row.get::<_, f64>(1) - mean).abs() < 1e-9);
        assert_eq!(row.get::<_, f64>(2), 1.0);
    }
}

#[test]
fn two_results_of_pgbench_are_compared() {
    let cluster = Cluster::with_data(&[]);
    let mut session = cluster.connect();
    // A busy machine need not reach the higher one.
    for (label, rate) in [("slow", "20"), ("fast", "400")] {
        let output = pgbench(
            &cluster,
            &["-n", "-S", "-c", "2", "-T", "5", "-P", "1", "-R", rate],
        );
        import(&mut session, &output, label);
    }
    let text = lines(&mut session, "SELECT pgperf.compare_report('slow', 'fast')").join("\n");
    assert!(
        text.starts_with("fast against slow\n") && text.contains(" pgbench "),
        "{text}"
    );
    assert!(!text.contains("NULL") && !text.contains("NaN"), "{text}");
    let higher = session.value("SELECT candidate / baseline > 2 FROM pgperf.compare('slow', 'fast') WHERE category = 'summary' AND metric = 'tps'");
    assert_eq!(higher, "t");
    let page = session.value("SELECT pgperf.compare_html('slow', 'fast')");
    assert!(page.contains("pgbench") && !page.contains("NaN"));
}

/// Seconds that do not overlap tell a difference, however few they are; and the rate says the same as the latency.
#[test]
fn a_result_many_times_as_fast_is_better_in_every_figure() {
    let cluster = Cluster::with_data(&[]);
    let mut session = cluster.connect();
    let script = cluster.data_dir().join("nap.sql");
    fs::write(&script, "SELECT pg_catalog.pg_sleep(:nap);\n").expect("a script");
    let script = script.to_string_lossy().into_owned();
    for (label, nap) in [("slow", "nap=0.2"), ("fast", "nap=0.01")] {
        let options = [
            "-n", "-f", &script, "-D", nap, "-c", "2", "-T", "7", "-P", "1",
        ];
        let output = pgbench(&cluster, &options);
        import(&mut session, &output, label);
    }
    for metric in ["tps", "latency_avg_ms"] {
        let verdict = |a: &str, b: &str| {
            format!(
                "SELECT verdict FROM pgperf.compare('{a}', '{b}') WHERE category = 'summary' AND metric = '{metric}'"
            )
        };
        assert_eq!(
            session.value(&verdict("slow", "fast")),
            "better",
            "{metric}"
        );
        assert_eq!(session.value(&verdict("fast", "slow")), "worse", "{metric}");
    }
}

/// What a client program spends on its way to the server is no difference between servers.
#[test]
fn pgbench_beside_pgperf_is_compared_on_request() {
    let cluster = Cluster::with_data(&[]);
    let mut session = cluster.connect();
    let output = pgbench(
        &cluster,
        &[
            "-n", "-S", "-c", "2", "-T", "6", "-P", "1", "-M", "prepared",
        ],
    );
    import(&mut session, &output, "outside");
    session.finish_run(
        "'select-only', clients => 2, duration => '6 s', label => 'inside', collectors => '{}'",
    );
    let verdict = "SELECT verdict FROM pgperf.compare('outside', 'inside') WHERE category = 'summary' AND metric = 'tps'";
    assert_eq!(
        session.value(verdict),
        "not comparable: different programs (pgbench, pgperf)"
    );
    let gate = "SELECT pgperf.gate('inside', 'outside')";
    assert_eq!(error_of(&mut session, gate).0, "P0004");
    session
        .batch_execute("SET pgperf.compare_programs = on")
        .expect("a setting of the session");
    let told = session.value(verdict);
    assert!(!told.contains("not comparable"), "{told}");
    let report = lines(
        &mut session,
        "SELECT pgperf.compare_report('outside', 'inside')",
    );
    assert!(
        report[1].starts_with("caution: different programs (pgbench, pgperf)"),
        "{report:?}"
    );
    let report = report.join("\n");
    assert!(!report.contains("no change of tps"), "{report}");
}

#[test]
fn a_report_in_the_style_of_sysbench_has_every_line_that_it_printed() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    sysbench(
        &cluster,
        "oltp_read_write",
        &["--tables=2", "--table-size=500"],
        "prepare",
    );
    let options = ["--tables=2", "--table-size=500", "--threads=2", "--time=3"];
    let kinds: [&[&str]; 3] = [
        &["--report-interval=1"],
        &["--percentile=99"],
        &["--rate=50", "--histogram", "--report-interval=1"],
    ];
    for more in kinds {
        let output = sysbench(
            &cluster,
            "oltp_read_write",
            &[&options[..], more].concat(),
            "run",
        );
        let run = import(&mut session, &output, "by sysbench")[0];
        let report = lines(
            &mut session,
            &format!("SELECT pgperf.report({run}, style => 'sysbench')"),
        );
        let theirs: Vec<&str> = output
            .lines()
            .skip_while(|line| *line != "SQL statistics:")
            .collect();
        let theirs: Vec<String> = theirs.iter().map(|line| words(line)).collect();
        let report: Vec<String> = report.iter().map(|line| words(line)).collect();
        let end = theirs
            .iter()
            .rposition(|line| !line.is_empty())
            .map_or(0, |last| last + 1);
        assert_eq!(report, theirs[..end], "{output}");
        let shown = output
            .lines()
            .filter(|line| line.contains(" thds: "))
            .count() as i64;
        let intervals = session.number(&format!(
            "SELECT count(*) FROM pgperf.run_intervals WHERE run_id = {run}"
        ));
        assert_eq!(intervals, shown);
    }
}

/// Memory does not grow with a log, and whoever has waited long enough gets rid of it.
#[test]
fn a_long_log_is_read_in_little_memory_until_somebody_cancels_it() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    let long = "SELECT string_agg(format('%s %s %s 0 %s %s', i % 8, i, 500 + i % 700, 1700000000 + i / 100, i % 1000000), E'\\n') AS content \
                FROM generate_series(1, 400000) i";
    session.value(&format!("CREATE TEMP TABLE long AS {long}"));
    let began = Instant::now();
    let count = session
        .number("SELECT count(*) FROM long, pgperf.import_results(content, label => 'long')");
    let took = began.elapsed();
    assert_eq!(count, 1);
    let shape = session.value(
        "SELECT format('%s %s', sum(i.transactions), count(*) BETWEEN 500 AND 1000) \
           FROM pgperf.run_intervals i JOIN pgperf.runs r USING (node_id, run_id) WHERE r.label = 'long'",
    );
    assert_eq!(shape, "400000 t");
    session.value("SET statement_timeout = '20ms'");
    let began = Instant::now();
    let (state, ..) = error_of(
        &mut session,
        "SELECT pgperf.import_results(repeat(content || E'\\n', 8), label => 'never') FROM long",
    );
    assert_eq!(state, "57014");
    // Eight times as much takes eight times as long, unless it ends before.
    let limit = Duration::from_secs(2).max(took / 2);
    assert!(began.elapsed() < limit, "{:?}", began.elapsed());
    let stored = session.number("SELECT count(*) FROM pgperf.runs WHERE label = 'never'");
    assert_eq!(stored, 0);
}
