//! sysbench itself is the referee: its scripts run on the tables of pgperf and pgperf's on those of sysbench, with the same
//! queries and as many calls of each.

use super::shares::expect_the_same_rows;
use crate::common::runs::{Runs, error_of};
use crate::common::{Cluster, output};
use postgres::Client;
use std::collections::BTreeMap;
use std::process::Command;

/// The queries of a server: needs `shared_preload_libraries`.
const TRACKED: [&str; 2] = [
    "shared_preload_libraries = 'pg_stat_statements'",
    "autovacuum = off",
];
const EVENTS: i64 = 40;

/// Runs sysbench in database `postgres`; it has to succeed.
pub fn sysbench(cluster: &Cluster, script: &str, options: &[&str], command: &str) -> String {
    let host = format!("--pgsql-host={}", cluster.socket_dir().display());
    let port = format!("--pgsql-port={}", cluster.port());
    let output = output(
        Command::new("sysbench")
            .arg(script)
            .args([&host, &port])
            .args([
                "--db-driver=pgsql",
                "--pgsql-user=postgres",
                "--pgsql-db=postgres",
            ])
            .args(options)
            .arg(command),
    );
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        output.status.success(),
        "sysbench {script} {command}\n{text}"
    );
    text
}

/// Calls of each query so far: by its queryid, with its text.
fn calls(session: &mut Client) -> BTreeMap<i64, (String, i64)> {
    let rows = session
        .query(
            "SELECT queryid, min(query), sum(calls)::bigint FROM pg_stat_statements s JOIN pg_database d ON d.oid = s.dbid \
              WHERE datname = current_database() AND toplevel GROUP BY queryid",
            &[],
        )
        .expect("pg_stat_statements");
    rows.iter()
        .map(|row| (row.get(0), (row.get(1), row.get(2))))
        .collect()
}

/// The calls that an action makes of statements that name sysbench's tables or begin and end transactions.
fn calls_of(
    session: &mut Client,
    action: impl FnOnce(&mut Client),
) -> BTreeMap<i64, (String, i64)> {
    let before = calls(session);
    action(session);
    let mut after = calls(session);
    for (queryid, (_, calls)) in &before {
        if let Some((_, now)) = after.get_mut(queryid) {
            *now -= calls;
        }
    }
    after.retain(|_, (text, calls)| {
        let text = text.to_uppercase();
        *calls > 0
            && (text.contains("SBTEST") || text.starts_with("BEGIN") || text.starts_with("COMMIT"))
            && !text.contains("PGPERF")
            && !text.contains("PG_")
    });
    after
}

fn run_ours(session: &mut Client, script: &str, options: &str) -> i64 {
    let run = session.number(&format!(
        "SELECT pgperf.start_run('{script}', transactions_per_client => {EVENTS}, options => '{options}')"
    ));
    session.value(&format!("CALL pgperf.wait_run({run})"));
    assert_eq!(session.status(run), "finished", "{script} {options}");
    assert_eq!(session.total(run, "transactions"), EVENTS);
    run
}

/// The same events by both, on the same tables.
fn compare(cluster: &Cluster, session: &mut Client, script: &str, options: &[&str], ours: &str) {
    let events = format!("--events={EVENTS}");
    let fixed = [&[events.as_str(), "--time=0", "--threads=1"], options].concat();
    let theirs = calls_of(session, |_| {
        sysbench(cluster, script, &fixed, "run");
    });
    let own = calls_of(session, |session| {
        run_ours(session, script, ours);
    });
    let total =
        |calls: &BTreeMap<i64, (String, i64)>| -> i64 { calls.values().map(|(_, n)| n).sum() };
    assert!(total(&theirs) >= EVENTS, "{script}: {theirs:?}");
    assert_eq!(
        total(&theirs),
        total(&own),
        "{script} {ours}\n{theirs:#?}\n{own:#?}"
    );
    let several_tables = ours.contains("tables");
    for (queryid, (text, calls)) in &theirs {
        let found = own.get(queryid);
        assert!(
            found.is_some(),
            "{script} {ours}: not ours: {text}\n{own:#?}"
        );
        // Which of several tables an event takes is random.
        if !several_tables {
            assert_eq!(
                found.map(|(_, calls)| calls),
                Some(calls),
                "{script} {ours}: {text}"
            );
        }
    }
}

const SCRIPTS: [&str; 10] = [
    "oltp_read_only",
    "oltp_write_only",
    "oltp_read_write",
    "oltp_point_select",
    "oltp_update_index",
    "oltp_update_non_index",
    "oltp_insert",
    "oltp_delete",
    "select_random_points",
    "select_random_ranges",
];

#[test]
fn the_same_queries_on_the_tables_of_either() {
    let cluster = Cluster::with_pgperf(&TRACKED);
    let mut session = cluster.connect();
    session.value("CREATE EXTENSION IF NOT EXISTS pg_stat_statements");
    for made_by_us in [false, true] {
        if made_by_us {
            session.value("DROP TABLE sbtest1");
            session.value("CALL pgperf.init('oltp_read_write')");
        } else {
            sysbench(&cluster, "oltp_read_write", &[], "prepare");
        }
        for script in SCRIPTS {
            compare(&cluster, &mut session, script, &[], "{}");
        }
        for script in &SCRIPTS[..3] {
            let skip = r#"{"skip_trx": true}"#;
            compare(&cluster, &mut session, script, &["--skip_trx=on"], skip);
        }
    }
    session.value(
        "CALL pgperf.init('oltp_read_write', options => '{\"tables\": 4, \"table_size\": 500}')",
    );
    for script in &SCRIPTS[..8] {
        let options = ["--tables=4", "--table_size=500"];
        compare(&cluster, &mut session, script, &options, r#"{"tables": 4}"#);
    }
}

/// Columns, defaults, constraints and indexes of a schema's tables, without the schema.
pub fn structure(session: &mut Client, schema: &str) -> String {
    session.value(&format!(
        "SELECT replace(string_agg(line, E'\\n' ORDER BY line), '{schema}.', '') FROM ( \
           SELECT format('%s %s %s %s %s', c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, \
                         pg_get_expr(d.adbin, d.adrelid)) AS line \
             FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 \
             LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum \
            WHERE c.relkind = 'r' AND c.relnamespace = '{schema}'::regnamespace AND c.relname ~ '^sbtest' \
           UNION ALL \
           SELECT indexdef FROM pg_indexes WHERE schemaname = '{schema}' \
           UNION ALL \
           SELECT conname || ' ' || pg_get_constraintdef(oid) FROM pg_constraint \
            WHERE connamespace = '{schema}'::regnamespace AND contype <> 'n') AS lines"
    ))
}

/// What is alike in the rows of two loads: numbers, lengths, forms.
fn forms(session: &mut Client, table: &str) -> String {
    session.value(&format!(
        "SELECT concat_ws(' ', count(*), min(id), max(id), min(k) >= 1, max(k) <= count(*), \
                bool_and(c ~ '^([0-9]{{11}}-){{9}}[0-9]{{11}}$'), bool_and(pad ~ '^([0-9]{{11}}-){{4}}[0-9]{{11}}$'), \
                min(length(c)), max(length(c)), count(DISTINCT c), count(DISTINCT pad)) FROM {table}"
    ))
}

/// Also where an id has a sequence for its default.
#[test]
fn rows_are_the_same_however_they_are_written() {
    for auto_inc in [true, false] {
        let options = format!("{{\"tables\": 2, \"table_size\": 3000, \"auto_inc\": {auto_inc}}}");
        expect_the_same_rows(
            &format!("CALL pgperf.init('oltp_read_write', options => '{options}', jobs => 2)"),
            &["sbtest1", "sbtest2"],
            "0c7d08ecbb3556c06b575d0f8b5383b0",
        );
    }
}

#[test]
fn the_same_tables_as_sysbench_prepares() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    session.value("CREATE SCHEMA ours");
    for (theirs, ours) in [
        (&["--tables=2"][..], r#"{"tables": 2}"#),
        (
            &["--auto_inc=off", "--create_secondary=off"][..],
            r#"{"auto_inc": false, "create_secondary": false}"#,
        ),
        (&["--rand-type=uniform"][..], r#"{"rand_type": "uniform"}"#),
    ] {
        sysbench(&cluster, "oltp_read_write", theirs, "prepare");
        session.value(&format!(
            "CALL pgperf.init('oltp_read_write', options => '{ours}', schema => 'ours')"
        ));
        assert_eq!(
            structure(&mut session, "ours"),
            structure(&mut session, "public")
        );
        assert_eq!(
            forms(&mut session, "ours.sbtest1"),
            forms(&mut session, "public.sbtest1")
        );
        let failed = "SELECT count(*) FROM pgperf.\"check\"('oltp_read_write', schema => 'ours') WHERE NOT passed";
        assert_eq!(session.number(failed), 0);
        if ours.contains("tables") {
            for schema in ["ours", "public"] {
                let next = session.number(&format!("SELECT nextval('{schema}.sbtest2_id_seq')"));
                assert_eq!(next, 10_001, "{schema}");
            }
        }
        sysbench(&cluster, "oltp_read_write", theirs, "cleanup");
    }
}

#[test]
fn wrong_options_are_refused_with_their_range_and_default() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    let mut refused = |call: &str| {
        let (sqlstate, message, hint) = error_of(&mut session, call);
        assert_eq!(sqlstate, "22023", "{message}");
        format!("{message} {hint}")
    };
    let message = refused(r#"CALL pgperf.init('oltp_insert', options => '{"tables": 0}')"#);
    assert!(
        message.starts_with("tables must be an integer from 1 to 10000 (default 1), not 0"),
        "{message}"
    );
    let message = refused(r#"CALL pgperf.init('oltp_insert', options => '{"rand_type": "even"}')"#);
    assert!(
        message.contains("special, uniform, gaussian, pareto, zipfian"),
        "{message}"
    );
    let message = refused(r#"CALL pgperf.init('oltp_insert', options => '{"range_size": 5}')"#);
    assert!(message.contains("range_size"), "{message}");
    let message = refused(r#"CALL pgperf.init('oltp_insert', options => '{"table": 5}')"#);
    assert!(
        message.contains("table_size (integer from 1 to 2147483647, default 10000)"),
        "{message}"
    );
    let message = refused(
        r#"CALL pgperf.init('oltp_insert', scale => 100000, options => '{"table_size": 1000000}')"#,
    );
    assert!(message.contains("table_size times scale"), "{message}");
}

/// Without a sequence each id is drawn once: by all clients, in the warm-up, and on top of the loaded rows.
#[test]
fn ids_without_a_sequence_are_unique() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    session.value("CALL pgperf.init('oltp_insert', options => '{\"auto_inc\": false}')");
    let run = session.finish_run(
        "'oltp_insert', clients => 4, transactions_per_client => 2000, warmup => '0.5 s', reconnect => 500",
    );
    let count = |session: &mut Client, column| session.total(run, column);
    assert_eq!(count(&mut session, "failed"), 0);
    let transactions = count(&mut session, "transactions");
    let warmup = count(&mut session, "warmup_transactions");
    assert!(
        transactions == 8_000 && warmup > 0,
        "{transactions} {warmup}"
    );
    let inserted = "SELECT count(*) FROM sbtest1 WHERE id NOT BETWEEN 1 AND 10000";
    assert_eq!(session.number(inserted), transactions + warmup);
    // They are spread over all integers.
    let spread = "SELECT min(id) < -2000000000 AND max(id) > 2000000000 FROM sbtest1";
    assert_eq!(session.value(spread), "t");
}

/// A line with each number as `#` and each run of blanks as one, and where its first number begins and the line ends.
pub fn shape(line: &str) -> (String, Option<usize>, usize) {
    let mut text = String::new();
    for c in line.chars() {
        match c {
            '0'..='9' | '.' if text.ends_with('#') => {}
            '0'..='9' => text.push('#'),
            ' ' if text.ends_with(' ') => {}
            c => text.push(c),
        }
    }
    (text, line.find(|c: char| c.is_ascii_digit()), line.len())
}

#[test]
fn a_report_in_the_words_of_sysbench() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    sysbench(&cluster, "oltp_read_write", &[], "prepare");
    // Uniform: threads do not meet at the same rows, and no event fails.
    let theirs = sysbench(
        &cluster,
        "oltp_read_write",
        &[
            "--events=40",
            "--time=0",
            "--threads=2",
            "--rand-type=uniform",
        ],
        "run",
    );
    let theirs: Vec<&str> = theirs
        .lines()
        .skip_while(|line| !line.starts_with("SQL statistics"))
        .filter(|line| !line.trim().is_empty())
        .collect();
    let run = session.number(
        "SELECT pgperf.start_run('oltp_read_write', clients => 2, transactions_per_client => 20, options => '{\"rand_type\": \"uniform\"}')",
    );
    session.value(&format!("CALL pgperf.wait_run({run})"));
    let ours = session.value(&format!(
        "SELECT string_agg(line, E'\\n') FROM pgperf.report({run}, style => 'sysbench') AS r (line)"
    ));
    let ours: Vec<&str> = ours
        .lines()
        .filter(|line| !line.trim().is_empty())
        .collect();
    assert_eq!(ours.len(), theirs.len(), "{ours:#?}\n{theirs:#?}");
    for (own, their) in ours.iter().zip(&theirs) {
        let ((own_text, own_start, own_end), (text, start, end)) = (shape(own), shape(their));
        assert_eq!(own_text, text);
        let is_latency = text.starts_with(" min")
            || text.contains("percentile")
            || [" avg", " max", " sum"]
                .iter()
                .any(|line| text.starts_with(line));
        if is_latency {
            assert_eq!(own_end, end, "{own}\n{their}");
        } else {
            assert_eq!(own_start, start, "{own}\n{their}");
        }
    }
    // Clients that do nothing but their events are busy for the run's time, which they share out evenly.
    let busy = ours.iter().find(|line| line.contains("execution time"));
    let (average, deviation) = (busy.expect("execution time").rsplit(' ').next())
        .and_then(|figures| figures.split_once('/'))
        .expect("average and deviation");
    let sum = ours.iter().find(|line| line.trim().starts_with("sum:"));
    let sum = sum.and_then(|line| line.rsplit(' ').next()).expect("a sum");
    let [average, deviation, sum] =
        [average, deviation, sum].map(|text| text.parse::<f64>().expect("a number"));
    assert!(
        average > 0.0 && (average * 2.0 - sum / 1000.0).abs() < 0.001 + sum / 1e5,
        "{ours:#?}"
    );
    assert!(deviation <= average, "{ours:#?}");
    // The same events have the same queries; rates are in brackets.
    for line in [
        "read:",
        "write:",
        "other:",
        "transactions:",
        "queries:",
        "ignored errors:",
        "reconnects:",
        "total number of events:",
    ] {
        let of = |lines: &[&str]| -> String {
            let found = lines.iter().find(|text| text.contains(line));
            let count = found.expect(line).split('(').next();
            count.unwrap_or_default().to_owned()
        };
        assert_eq!(of(&ours), of(&theirs));
    }
    let (sqlstate, message, hint) = error_of(
        &mut session,
        "SELECT pgperf.report(style => 'hammerdb', run_id => NULL)",
    );
    assert_eq!(
        (sqlstate.as_str(), message.as_str(), hint.as_str()),
        (
            "22023",
            "unknown style \"hammerdb\"",
            "Styles are: pgbench, sysbench."
        )
    );
}
