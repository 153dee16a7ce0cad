//! Where the time of statements goes: parsed, planned and committed only where that is done.

use crate::common::Cluster;
use crate::common::runs::Runs;

/// Whether each part took any time, for the statements of a script in their order, as `parse plan execute commit`.
fn parts(session: &mut postgres::Client, run: i64) -> String {
    session.value(&format!(
        "SELECT string_agg(concat_ws(' ', (parse_ms > 0)::int, (plan_ms > 0)::int, (execute_ms > 0)::int, (commit_ms > 0)::int), \
                ', ' ORDER BY command_no) \
         FROM pgperf.run_statements WHERE run_id = {run} AND is_sql"
    ))
}

#[test]
fn each_query_mode_does_its_own_work() {
    let cluster = Cluster::with_data(&[]);
    let mut session = cluster.connect();
    session.value("CREATE TABLE written (i int)");
    let script = "script => E'SELECT abalance FROM pgbench_accounts WHERE aid = 1;\\nINSERT INTO written VALUES (1);\\n\
                  BEGIN;\\nINSERT INTO written VALUES (2);\\nEND;', transactions_per_client => 300";
    // The first plans of a prepared statement are those for its values; these here have none.
    let cases = [
        ("'prepared'", "0 1 1 0, 0 1 1 1, 0 1 1 0, 0 1 1 0, 0 1 1 1"),
        ("'extended'", "1 1 1 0, 1 1 1 1, 1 1 1 0, 1 1 1 0, 1 1 1 1"),
        ("'simple'", "1 1 1 0, 1 1 1 1, 1 1 1 0, 1 1 1 0, 1 1 1 1"),
    ];
    for (mode, expected) in cases {
        let run = session.finish_run(&format!("{script}, query_mode => {mode}"));
        assert_eq!(parts(&mut session, run), expected, "{mode}");
        let sums = format!(
            "SELECT concat_ws(' ', \
                 bool_and(abs(parse_ms + plan_ms + execute_ms + commit_ms - latency_avg_ms) < 1e-6), \
                 abs(sum(parse_ms + plan_ms + execute_ms + commit_ms) \
                     - (SELECT parse_ms + plan_ms + execute_ms + commit_ms FROM pgperf.run_summary WHERE run_id = {run})) < 1e-6, \
                 sum(latency_avg_ms) <= (SELECT latency_avg_ms FROM pgperf.run_summary WHERE run_id = {run}) * 1.001, \
                 (SELECT retry_ms IS NULL FROM pgperf.run_summary WHERE run_id = {run})) \
             FROM pgperf.run_statements WHERE run_id = {run} AND is_sql"
        );
        assert_eq!(session.value(&sums), "t t t t", "{mode}");
    }
    let planned = |run: i64| {
        format!(
            "SELECT (plan_ms / execute_ms)::float8 FROM pgperf.run_statements WHERE run_id = {run} AND is_sql"
        )
    };
    // Planned once, or for each call: most of what a lookup takes.
    let select = "'select-only', transactions_per_client => 5000";
    let generic = session.finish_run(&format!(
        "{select}, settings => '{{\"plan_cache_mode\": \"force_generic_plan\"}}'"
    ));
    let custom = session.finish_run(&format!(
        "{select}, settings => '{{\"plan_cache_mode\": \"force_custom_plan\"}}'"
    ));
    let ratio = |sql: String| -> f64 { cluster.run_sql(&sql).parse().unwrap_or(f64::NAN) };
    let (generic, custom) = (ratio(planned(generic)), ratio(planned(custom)));
    assert!(generic < 0.1 && custom > 0.3, "{generic}, {custom}");
}

#[test]
fn what_came_to_nothing_is_no_part_of_a_transaction() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    session.value("CREATE TABLE hot (i int); INSERT INTO hot VALUES (0)");
    let script = "script => E'BEGIN ISOLATION LEVEL REPEATABLE READ;\nSELECT i FROM hot;\nSELECT pg_sleep(0.002);\n\
         UPDATE hot SET i = i + 1;\nEND;', clients => 4, duration => '1 s'";
    for (tries, answer) in [(0, "retries"), (1, "serialization_failures")] {
        let run = session.finish_run(&format!("{script}, max_tries => {tries}"));
        // The statements of a try that succeeds sleep once, for 2 ms.
        let split = format!(
            "SELECT concat_ws(' ', {answer} > 100, (retry_ms > 0) = (retries > 0), \
                 abs(parse_ms + plan_ms + execute_ms + commit_ms + coalesce(retry_ms, 0) - latency_avg_ms) < 1e-3, \
                 execute_ms >= 2, execute_ms < 2 + (latency_avg_ms - coalesce(retry_ms, 0)) / 2) \
             FROM pgperf.run_summary WHERE run_id = {run}"
        );
        let expected = if tries == 0 { "t t t t t" } else { "t t t t" };
        assert!(
            session.value(&split).starts_with(expected),
            "{answer}: {}",
            session.value(&split)
        );
    }
}

/// A commit that waits for the disk sleeps for `commit_delay` before: so it is known what each takes at least.
#[test]
fn commits_of_every_kind_are_known() {
    const DELAY_MS: f64 = 20.0;
    let cluster = Cluster::with_pgperf(&[
        "fsync = on",
        "synchronous_commit = on",
        "commit_delay = 20000",
        "commit_siblings = 0",
        "max_prepared_transactions = 2",
    ]);
    let mut session = cluster.connect();
    session
        .batch_execute(
            "CREATE TABLE written (i int);
             CREATE PROCEDURE in_two_commits() LANGUAGE plpgsql AS \
             'BEGIN INSERT INTO written VALUES (1); COMMIT; INSERT INTO written VALUES (2); COMMIT; END';
             CREATE PROCEDURE in_one_commit() LANGUAGE plpgsql AS 'BEGIN INSERT INTO written VALUES (1); END'",
        )
        .unwrap();
    const INSERT: &str = "INSERT INTO written VALUES (1)";
    // The statement that commits, and how often each time.
    for (what, script, modes, command, commits) in [
        (
            "block",
            format!("BEGIN;\\n{INSERT};\\nEND;"),
            "prepared extended simple",
            2,
            1.0,
        ),
        (
            "chain",
            format!("BEGIN;\\n{INSERT};\\nCOMMIT AND CHAIN;\\nROLLBACK;"),
            "prepared",
            2,
            1.0,
        ),
        (
            "pipeline",
            format!("\\\\startpipeline\\n{INSERT};\\n\\\\endpipeline"),
            "prepared extended",
            2,
            1.0,
        ),
        (
            "sync",
            format!(
                "\\\\startpipeline\\n{INSERT};\\n\\\\syncpipeline\\nSELECT 1;\\n\\\\endpipeline"
            ),
            "prepared extended",
            2,
            1.0,
        ),
        (
            "block in a pipeline",
            format!("\\\\startpipeline\\nBEGIN;\\n{INSERT};\\nCOMMIT;\\n\\\\endpipeline"),
            "prepared extended",
            3,
            1.0,
        ),
        (
            "text",
            format!("BEGIN\\\\;{INSERT}\\\\;COMMIT\\\\;{INSERT};"),
            "simple",
            0,
            2.0,
        ),
        (
            "prepare",
            format!("BEGIN;\\n{INSERT};\\nPREPARE TRANSACTION ''x'';\\nCOMMIT PREPARED ''x'';"),
            "prepared extended simple",
            2,
            1.0,
        ),
        (
            "commit prepared",
            format!("BEGIN;\\n{INSERT};\\nPREPARE TRANSACTION ''x'';\\nCOMMIT PREPARED ''x'';"),
            "prepared extended simple",
            3,
            1.0,
        ),
        (
            "procedure",
            "CALL in_two_commits();".to_owned(),
            "prepared extended simple",
            0,
            2.0,
        ),
        (
            "procedure without",
            "CALL in_one_commit();".to_owned(),
            "prepared",
            0,
            1.0,
        ),
        (
            "code",
            format!("DO ''BEGIN {INSERT}; COMMIT; END'';"),
            "prepared simple",
            0,
            1.0,
        ),
    ] {
        for mode in modes.split(' ') {
            let run = session.finish_run(&format!(
                "script => E'{script}', transactions_per_client => 4, query_mode => '{mode}', collectors => '{{}}'"
            ));
            let mut of = |column: &str| {
                session.float(&format!(
                    "SELECT {column} FROM pgperf.run_statements WHERE run_id = {run} AND command_no = {command}"
                ))
            };
            let (commit, rest) = (of("commit_ms"), of("parse_ms + plan_ms + execute_ms"));
            let least = commits * DELAY_MS;
            assert!(
                commit >= least,
                "{what}, {mode}: {commit} ms of {commits} commits"
            );
            assert!(
                rest < DELAY_MS,
                "{what}, {mode}: {rest} ms beside {commit} ms"
            );
            // Of a transaction in all.
            let all = session.float(&format!(
                "SELECT commit_ms FROM pgperf.run_summary WHERE run_id = {run}"
            ));
            assert!(all >= least, "{what}, {mode}: {all} ms");
        }
    }
}

#[test]
fn a_notification_is_committed() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    // Whether its statements commit.
    for (script, expected) in [
        ("BEGIN;\\nSELECT pg_notify(''ch'', ''x'');\\nEND;", "0 0 1"),
        ("NOTIFY ch;\\nSELECT 1;", "1 0"),
        (
            "SELECT pg_notify(''ch'', ''x'');\\nBEGIN;\\nSELECT 1;\\nEND;",
            "1 0 0 0",
        ),
    ] {
        let run = session.finish_run(&format!(
            "script => E'{script}', transactions_per_client => 300"
        ));
        let commits = session.value(&format!(
            "SELECT string_agg((commit_ms > 0)::int::text, ' ' ORDER BY command_no) \
               FROM pgperf.run_statements WHERE run_id = {run}"
        ));
        assert_eq!(commits, expected, "{script}");
    }
}
