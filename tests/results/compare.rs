//! Comparisons of real runs: equal runs do not differ, and real differences are found.

use crate::common::runs::{Runs, error_of};
use crate::common::{Cluster, templates};
use postgres::Client;

/// A run that is short, but has enough intervals to tell its own noise.
const SHORT: &str = "'tpcb-like', clients => 2, duration => '4 s', warmup => '1 s', sample_interval => '0.1 s', \
    collectors => '{}'";

fn verdict(client: &mut Client, baseline: &[i64], candidate: &[i64], metric: &str) -> String {
    client.value(&format!(
        "SELECT verdict FROM pgperf.compare(ARRAY{baseline:?}::bigint[], ARRAY{candidate:?}::bigint[]) \
         WHERE category = 'summary' AND metric = '{metric}'"
    ))
}

/// The machine is shared, and so runs minutes apart may really differ: the sides take turns, and of five attempts two may
/// tell equals apart.
#[test]
fn equals_do_not_differ() {
    let cluster = Cluster::with_data(&[]);
    let mut client = cluster.connect();
    let mut verdicts = Vec::new();
    let mut equal = 0;
    while verdicts.len() < 5 && equal < 3 {
        let (mut baseline, mut candidate) = (Vec::new(), Vec::new());
        for _ in 0..3 {
            baseline.push(client.finish_run(SHORT));
            candidate.push(client.finish_run(SHORT));
        }
        let how = format!(
            "SELECT method FROM pgperf.compare({}, {}) WHERE metric = 'tps'",
            baseline[0], candidate[0]
        );
        let verdict = verdict(&mut client, &baseline, &candidate, "tps");
        equal += usize::from(verdict == "no significant difference");
        verdicts.push(verdict);
        // Four others are equal to them by now.
        let method = client.value(&how);
        assert!(method.starts_with("single runs"), "{method}");
    }
    assert_eq!(equal, 3, "{verdicts:?}");
}

/// Without synchronous commit a transaction does not wait for the disk. One client, whom nobody else's flush helps;
/// the machine is shared, so each run is compared with the one beside it.
#[test]
fn synchronous_commit_is_a_difference() {
    let cluster = Cluster::on_disk(templates::with_data(), &["fsync = on"]);
    let mut client = cluster.connect();
    let (mut on, mut off) = (Vec::new(), Vec::new());
    for _ in 0..5 {
        for (side, setting) in [(&mut on, "on"), (&mut off, "off")] {
            side.push(client.finish_run(&format!(
                "'tpcb-like', clients => 1, duration => '2 s', sample_interval => '0.1 s', collectors => '{{}}', \
                 settings => '{{\"synchronous_commit\": \"{setting}\"}}'"
            )));
        }
    }
    let paired = client.value(&format!(
        "SELECT verdict FROM pgperf.compare(ARRAY{on:?}::bigint[], ARRAY{off:?}::bigint[], 'repetition') \
         WHERE category = 'summary' AND metric = 'tps'"
    ));
    assert_eq!(paired, "better");
    let differs = client.value(&format!(
        "SELECT metric || ': ' || baseline_text || ' -> ' || candidate_text \
         FROM pgperf.compare({}, {}) WHERE category = 'settings' AND object = 'run'",
        on[0], off[0]
    ));
    assert!(
        differs.contains("\"on\"") && differs.contains("\"off\""),
        "{differs}"
    );
    let gate = format!("SELECT pgperf.gate(ARRAY{on:?}::bigint[], ARRAY{off:?}::bigint[], '0%')");
    assert_eq!(error_of(&mut client, &gate).0, "P0004");
}

#[test]
fn a_run_that_misses_its_expectations_is_an_error() {
    let cluster = Cluster::with_data(&[]);
    let mut client = cluster.connect();
    let run = |expect: &str| format!("CALL pgperf.run({SHORT}, expect => '{expect}')");
    client
        .simple_query(&run(r#"{"tps": "> 0", "failed": "= 0"}"#))
        .expect("a run that meets its expectations");
    assert_eq!(error_of(&mut client, &run(r#"{"tps": "< 0"}"#)).0, "P0004");
    let runs = client.number("SELECT count(*) FROM pgperf.runs");
    assert_eq!(
        error_of(&mut client, &run(r#"{"speed": "> 0"}"#)).0,
        "22023"
    );
    assert_eq!(client.number("SELECT count(*) FROM pgperf.runs"), runs);
    // A failed run is an error whatever was expected.
    let failing = "CALL pgperf.run(script => 'SELECT 1 / 0;', duration => '5 s'";
    let (sqlstate, message, _) = error_of(&mut client, &format!("{failing})"));
    assert_eq!(sqlstate, "22012", "{message}");
    let expecting = format!("{failing}, expect => '{{\"failed\": \">= 0\"}}')");
    let error = client.simple_query(&expecting).expect_err("it fails");
    let detail = error.as_db_error().and_then(|error| error.detail());
    assert!(
        detail.is_some_and(|detail| detail.contains("the run is failed: 22012: ")),
        "{detail:?}"
    );
}

/// As in a script of CI: what misses ends it, and is seen from outside.
#[test]
fn psql_exits_with_3_where_a_run_is_not_good_enough() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut client = cluster.connect();
    let mut run_of = |nap_s: f64| {
        client.finish_run(&format!(
            "script => 'SELECT pg_catalog.pg_sleep(:nap);', variables => '{{\"nap\": {nap_s}}}', duration => '2 s', \
             sample_interval => '0.1 s', collectors => '{{}}'"
        ))
    };
    let (quick, slow) = (run_of(0.001), run_of(0.02));
    let run_that = |expect: &str| {
        format!(
            "CALL pgperf.run(script => 'SELECT 1;', transactions_per_client => 5, collectors => '{{}}', \
             expect => '{{\"failed\": \"{expect}\"}}');"
        )
    };
    let cases = [
        (run_that("= 0"), None),
        (run_that("> 0"), Some("failed")),
        (format!("SELECT pgperf.gate({quick}, {slow});"), None),
        (format!("SELECT pgperf.gate({slow}, {quick});"), Some("tps")),
    ];
    for (statement, told) in cases {
        let output = cluster.psql_script(&format!(
            "\\set ON_ERROR_STOP on\n{statement}\nSELECT 'went on';\n"
        ));
        let went_on = String::from_utf8_lossy(&output.stdout).contains("went on");
        let messages = String::from_utf8_lossy(&output.stderr);
        let status = if told.is_some() { 3 } else { 0 };
        assert_eq!(
            (output.status.code(), went_on),
            (Some(status), told.is_none()),
            "{statement}\n{messages}"
        );
        assert!(
            told.is_none_or(|metric| messages.contains(metric)),
            "{statement}\n{messages}"
        );
    }
}

/// A sweep of one point is named by its label; of one with several points nobody knows which is meant.
#[test]
fn the_label_of_a_sweep_names_its_runs() {
    let cluster = Cluster::with_data(&[]);
    let mut session = cluster.connect();
    for (label, clients) in [("first", "{1}"), ("second", "{1}"), ("wide", "{1,2}")] {
        session.value(&format!(
            "SELECT pgperf.start_sweep('select-only', clients => '{clients}', repetitions => 2, transactions_per_client => 200, \
                    collectors => '{{}}', label => '{label}')"
        ));
        session.value("CALL pgperf.wait_sweep()");
    }
    let row = session.value(
        "SELECT format('%s %s', n_baseline, n_candidate) FROM pgperf.compare('first', 'second') WHERE category = 'summary' AND metric = 'tps'",
    );
    assert_eq!(row, "2 2");
    let (state, message, _) = error_of(
        &mut session,
        "SELECT * FROM pgperf.compare('first', 'wide')",
    );
    assert_eq!(
        (state.as_str(), message.as_str()),
        ("22023", "sweep \"wide\" has several points")
    );
    // Its conditions are those of the machine, whoever asks.
    let report =
        session.value("SELECT string_agg(line, ' ') FROM pgperf.sweep_report('wide') line");
    let report = report.split_whitespace().collect::<Vec<_>>().join(" ");
    let hostname = std::fs::read_to_string("/proc/sys/kernel/hostname").expect("its name");
    let cpus = std::fs::read_to_string("/proc/cpuinfo").expect("its CPUs");
    let cpus = cpus
        .lines()
        .filter(|line| line.starts_with("processor"))
        .count();
    let version = session.value("SHOW server_version");
    let version = version.split(' ').next().expect("a version");
    for part in [
        format!("PostgreSQL {version}; {};", hostname.trim()),
        format!("{cpus} CPU"),
        "200 transactions a client".to_owned(),
        "pgbench scale 1".to_owned(),
        "SELECT pgperf.start_sweep('select-only', clients => ARRAY[1, 2]".to_owned(),
    ] {
        assert!(report.contains(&part), "{part}\n{report}");
    }
}
