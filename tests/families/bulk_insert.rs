//! sysbench itself is the referee of `bulk_insert`: the same tables, and as many rows as events, on the tables of either.

use super::shares::failed_checks;
use super::sysbench::{shape, structure, sysbench};
use crate::common::Cluster;
use crate::common::runs::{Runs, error_of};
use postgres::Client;

const SCRIPT: &str = "bulk_insert";

/// Rows, the smallest and the largest id of each of so many tables.
fn rows(session: &mut Client, tables: i32) -> String {
    let tables = (1..=tables).map(|number| {
        session.value(&format!(
            "SELECT concat_ws(' ', count(*), min(id), max(id)) FROM sbtest{number}"
        ))
    });
    tables.collect::<Vec<_>>().join(", ")
}

fn events(report: &str) -> i64 {
    let line = report
        .lines()
        .find(|line| line.contains("total number of events:"));
    let number = line.and_then(|line| line.rsplit(' ').next()?.parse().ok());
    number.unwrap_or_else(|| panic!("{report}"))
}

fn in_words_of_sysbench(session: &mut Client, run: i64) -> String {
    session.value(&format!(
        "SELECT string_agg(line, E'\\n') FROM pgperf.report({run}, style => 'sysbench') AS r (line)"
    ))
}

#[test]
fn the_same_tables_as_sysbench_prepares() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    session.value("CREATE SCHEMA ours");
    sysbench(&cluster, SCRIPT, &["--threads=3"], "prepare");
    let load = session
        .number("CALL pgperf.init('bulk_insert', schema => 'ours', options => '{\"tables\": 3}')");
    assert_eq!(session.status(load), "finished");
    let ours = structure(&mut session, "ours");
    assert!(ours.contains("sbtest3_pkey"), "{ours}");
    assert_eq!(ours, structure(&mut session, "public"));
    // A load that follows has fewer tables: none is left of the one before.
    session.value("CALL pgperf.init('bulk_insert', schema => 'ours')");
    assert_eq!(
        session.value("SELECT string_agg(relname, ' ') FROM pg_class WHERE relkind = 'r' AND relnamespace = 'ours'::regnamespace"),
        "sbtest1"
    );
}

#[test]
fn rows_are_events_on_the_tables_of_either() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    for made_by_us in [true, false] {
        let options = if made_by_us {
            session.value("CALL pgperf.init('bulk_insert', options => '{\"tables\": 2}')");
            r#"{"rows": 70}"#
        } else {
            session.value("DROP TABLE sbtest1, sbtest2");
            sysbench(&cluster, SCRIPT, &["--threads=2"], "prepare");
            r#"{"tables": 2, "rows": 70}"#
        };
        let theirs = sysbench(
            &cluster,
            SCRIPT,
            &["--threads=2", "--events=3001", "--time=0"],
            "run",
        );
        assert_eq!(events(&theirs), 3001);
        assert_eq!(session.number("SELECT count(*) FROM (SELECT id FROM sbtest1 UNION ALL SELECT id FROM sbtest2) AS r"), 3001);
        // A run goes on after what is there, its warm-up and those before it.
        let before = rows(&mut session, 2);
        for round in 1..=2 {
            let run = session.finish_run(&format!(
                "'bulk_insert', clients => 2, transactions_per_client => 5, reconnect => 3, options => '{options}'"
            ));
            assert_eq!(session.total(run, "failed"), 0);
            assert_eq!(session.total(run, "transactions"), 10);
            assert_eq!(events(&in_words_of_sysbench(&mut session, run)), 700);
            assert_eq!(
                session.value(&format!("SELECT value || ' ' || unit FROM pgperf.run_metrics WHERE run_id = {run} AND metric = 'events'")),
                "700 count"
            );
            let now = session
                .number("SELECT (SELECT count(*) FROM sbtest1) + (SELECT count(*) FROM sbtest2)");
            assert_eq!(now, 3001 + 700 * round, "{before}");
        }
        let run = session.finish_run(&format!(
            "'bulk_insert', clients => 2, warmup => '0.5 s', transactions_per_client => 5, options => '{options}'"
        ));
        assert!(session.total(run, "warmup_transactions") > 0);
        assert_eq!(session.total(run, "failed"), 0);
        for table in rows(&mut session, 2).split(", ") {
            let numbers: Vec<&str> = table.split(' ').collect();
            assert!(numbers[0] == numbers[2] && numbers[1] == "1", "{table}");
        }
        assert_eq!(failed_checks(&mut session, SCRIPT), "");
        session.value("UPDATE sbtest2 SET k = 0 WHERE id = 7");
        let expected = if made_by_us { "2" } else { "" };
        // Of tables that pgperf has not loaded only the first is known.
        assert_eq!(failed_checks(&mut session, SCRIPT), expected);
    }
}

#[test]
fn a_report_in_the_words_of_sysbench_counts_rows() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    session.value("CALL pgperf.init('bulk_insert')");
    let run = session
        .finish_run("'bulk_insert', transactions_per_client => 3, options => '{\"rows\": 40000}'");
    let ours = in_words_of_sysbench(&mut session, run);
    session.value("TRUNCATE sbtest1");
    let theirs = sysbench(
        &cluster,
        SCRIPT,
        &["--threads=1", "--events=120000", "--time=0"],
        "run",
    );
    let lines = |text: &str| -> Vec<String> {
        let lines = text
            .lines()
            .skip_while(|line| !line.starts_with("SQL statistics"));
        let lines = lines.filter(|line| !line.trim().is_empty());
        lines.map(str::to_owned).collect()
    };
    let (ours, theirs) = (lines(&ours), lines(&theirs));
    println!("{ours:#?}\n{theirs:#?}");
    let shapes =
        |lines: &[String]| -> Vec<String> { lines.iter().map(|line| shape(line).0).collect() };
    assert_eq!(shapes(&ours), shapes(&theirs));
    let value = |lines: &[String], name: &str| -> String {
        let line = lines.iter().find(|line| line.trim().starts_with(name));
        let line = line.unwrap_or_else(|| panic!("{name}"));
        line.split_whitespace()
            .nth(name.split(' ').count())
            .unwrap_or_default()
            .to_owned()
    };
    for (name, expected) in [
        ("total number of events:", "120000"),
        ("transactions:", "120000"),
        ("95th percentile:", "0.00"),
        ("min:", "0.00"),
    ] {
        assert_eq!(value(&ours, name), expected, "{name}");
        assert_eq!(value(&theirs, name), expected, "{name}");
    }
    // Three statements, and the query of the largest id.
    assert_eq!(
        (
            value(&ours, "write:").as_str(),
            value(&ours, "read:").as_str()
        ),
        ("3", "1")
    );
}

#[test]
fn what_cannot_work_is_refused_before_anything_starts() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    session.value("CALL pgperf.init('bulk_insert', options => '{\"tables\": 2}')");
    session.value("CALL pgperf.init('select-only')");
    let runs = "SELECT count(*) FROM pgperf.runs";
    let before = session.number(runs);
    for call in [
        "SELECT pgperf.start_run('bulk_insert', clients => 3)",
        "SELECT pgperf.start_run('bulk_insert@1, select-only@0', clients => 3)",
        "SELECT pgperf.start_run(script => 'SELECT 1;', warmup => '1 s', warmup_workload => 'bulk_insert', clients => 3)",
    ] {
        let (sqlstate, message, hint) = error_of(&mut session, call);
        assert_eq!(
            (sqlstate.as_str(), message.as_str()),
            ("22023", "clients must be at most 2, not 3"),
            "{call}"
        );
        assert!(
            hint.contains("CALL pgperf.init('bulk_insert', options => '{\"tables\": 3}')"),
            "{hint}"
        );
    }
    let (sqlstate, message, _) =
        error_of(&mut session, "CALL pgperf.init('bulk_insert', scale => 2)");
    assert_eq!(sqlstate, "22023");
    assert!(
        message.contains("scale must be an integer from 1 to 1"),
        "{message}"
    );

    // Tables of the same names that belong to another data set.
    for call in [
        "CALL pgperf.init('oltp_insert')",
        "SELECT pgperf.start_load('oltp_insert')",
    ] {
        let (sqlstate, message, hint) = error_of(&mut session, call);
        assert_eq!(
            (sqlstate.as_str(), message.as_str()),
            (
                "42P07",
                "relation \"sbtest1\" already exists and belongs to the data set \"bulk_insert\""
            )
        );
        assert!(hint.contains("replace => true"), "{hint}");
    }
    assert_eq!(session.number(runs), before);
    session.value("CALL pgperf.init('oltp_insert', replace => true)");
    assert_eq!(session.number("SELECT count(*) FROM sbtest1"), 10_000);
}
