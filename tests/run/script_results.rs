//! What a script does with results and transactions: `\gset`, `\aset`, `\;`, pipelines. Every script that
//! pgbench of this server's major knows is run by pgbench too, on an equal table, with an equal end.

use crate::common::pair::{OURS, QUERY_MODES, THEIRS, execute, number, row, rows};
use crate::common::runs::error_of;
use crate::common::{Cluster, output_with};
use postgres::Client;

const EXTENDED: &[&str] = &["extended", "prepared"];
const SIMPLE: &[&str] = &["simple"];

/// The table to which the scripts write: `xid` shows which rows share a transaction.
const TABLE: &str = "CREATE TABLE noted \
    (id serial, what text, xid xid8 DEFAULT pg_current_xact_id()); \
    CREATE TABLE once (n int UNIQUE DEFERRABLE INITIALLY DEFERRED); \
    CREATE SEQUENCE tries; \
    CREATE FUNCTION second_try() RETURNS int LANGUAGE plpgsql AS \
    'BEGIN \
        IF nextval(''tries'') = 1 THEN RAISE SQLSTATE ''40001''; END IF; \
        RETURN lastval(); \
     END'";
/// The rows in their order, each with the number of its transaction.
const NOTED: &str = "SELECT dense_rank() OVER (ORDER BY xid) || ':' || what FROM noted ORDER BY id";
const RENEW: &str = "TRUNCATE noted, once; ALTER SEQUENCE tries RESTART";

/// A script and what it leaves.
struct Case {
    script: &'static str,
    modes: &'static [&'static str],
    transactions: u32,
    /// The rows of the table, as [`NOTED`] returns them.
    rows: &'static [&'static str],
    /// What ends the client; the message that pgperf stores has it, and pgbench's output has all of that.
    error: Option<&'static str>,
}

fn case(
    modes: &'static [&'static str],
    script: &'static str,
    rows: &'static [&'static str],
) -> Case {
    Case {
        script,
        modes,
        transactions: 1,
        rows,
        error: None,
    }
}

impl Case {
    fn times(self, transactions: u32) -> Case {
        Case {
            transactions,
            ..self
        }
    }

    fn fails(self, error: &'static str) -> Case {
        Case {
            error: Some(error),
            ..self
        }
    }
}

/// Two equal databases.
struct Pair {
    cluster: Cluster,
    theirs: Client,
    ours: Client,
    /// pgbench's major version.
    major: u32,
}

impl Pair {
    fn new() -> Pair {
        let cluster = Cluster::new(&[]);
        for name in [THEIRS, OURS] {
            cluster.run_sql(&format!("CREATE DATABASE {name}"));
        }
        let (mut theirs, mut ours) = (cluster.connect_to(THEIRS), cluster.connect_to(OURS));
        execute(&mut theirs, TABLE);
        execute(&mut ours, TABLE);
        execute(&mut ours, "CREATE EXTENSION pgperf CASCADE");
        let major = number(
            &mut ours,
            "SELECT current_setting('server_version_num')::int / 10000",
        );
        Pair {
            cluster,
            theirs,
            ours,
            major: major as u32,
        }
    }

    fn check(&mut self, cases: &[Case]) {
        for case in cases {
            for mode in case.modes {
                self.check_ours(case, mode);
                self.check_theirs(case, mode);
            }
        }
    }

    fn check_ours(&mut self, case: &Case, mode: &str) {
        let at = format!("pgperf, {mode}:\n{}", case.script);
        execute(&mut self.ours, RENEW);
        let (status, errors) = self.run(case.script, mode, case.transactions);
        assert_eq!(rows(&mut self.ours, NOTED), case.rows, "{at}\n{errors:?}");
        match case.error {
            None => assert_eq!(
                (status.as_str(), errors.as_slice()),
                ("finished", &[][..]),
                "{at}"
            ),
            Some(error) => {
                assert_eq!((status.as_str(), errors.len()), ("failed", 1), "{at}");
                assert!(errors[0].contains(error), "{at}\n{errors:?}");
            }
        }
    }

    /// Runs a script with one client; yields the run's status and its errors, as SQLSTATE and message.
    fn run(&mut self, script: &str, mode: &str, transactions: u32) -> (String, Vec<String>) {
        let run = self
            .ours
            .query_one(
                "SELECT pgperf.start_run(script => $1, query_mode => $2, max_tries => 2, \
                 transactions_per_client => $3, variables => '{\"k\": 0}')",
                &[&script, &mode, &i64::from(transactions)],
            )
            .unwrap_or_else(|error| panic!("{script}\n{error:?}"));
        let run: i64 = run.get(0);
        let status = row(&mut self.ours, &format!("CALL pgperf.wait_run({run})"));
        let errors = rows(
            &mut self.ours,
            &format!("SELECT sqlstate, message FROM pgperf.run_errors WHERE run_id = {run}"),
        );
        (status, errors)
    }

    fn check_theirs(&mut self, case: &Case, mode: &str) {
        if self.major < 17 && case.script.contains("\\syncpipeline") {
            return;
        }
        let at = format!("pgbench, {mode}:\n{}", case.script);
        execute(&mut self.theirs, RENEW);
        let (status, output) = self.pgbench(case.script, mode, case.transactions);
        assert_eq!(rows(&mut self.theirs, NOTED), case.rows, "{at}\n{output}");
        match case.error {
            None => assert_eq!(status, Some(0), "{at}\n{output}"),
            Some(error) => {
                assert_eq!(status, Some(2), "{at}\n{output}");
                assert!(output.contains(error), "{at}\n{output}");
            }
        }
    }

    /// pgbench's exit code and what it writes to stderr.
    fn pgbench(&self, script: &str, mode: &str, transactions: u32) -> (Option<i32>, String) {
        let transactions = transactions.to_string();
        let output = output_with(
            self.cluster.program("pgbench").args([
                "-n",
                "--max-tries=2",
                "-f",
                "-",
                "-D",
                "k=0",
                "-M",
                mode,
                "-t",
                &transactions,
                THEIRS,
            ]),
            script.as_bytes(),
        );
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code(), stderr)
    }
}

#[test]
fn gset_feeds_the_next_statement() {
    const ALL: &[&str] = &QUERY_MODES;
    Pair::new().check(&[
        case(
            ALL,
            "SELECT 40 AS i, 2 AS j \\gset\n\\set k :i + :j\nINSERT INTO noted (what) VALUES ((:i)::text), ((:k)::text);",
            &["1:40", "1:42"],
        ),
        // A prefix; a value that is read as a double.
        case(
            ALL,
            "SELECT 0.5 AS \"é\" \\gset _p\n\\set d :_pé * 3\nINSERT INTO noted (what) VALUES ((:d)::text);",
            &["1:1.5"],
        ),
        // The last column of a name wins; no column is no error.
        case(
            ALL,
            "SELECT 0 AS i, 4 AS i \\gset\nSELECT \\gset\nINSERT INTO noted (what) VALUES ((:i)::text);",
            &["1:4"],
        ),
        // What is no SELECT but has a result.
        case(
            ALL,
            "INSERT INTO noted (what) VALUES ('a') RETURNING 7 AS i;\n\\gset\n\
             SHOW server_version_num \\gset\n\
             INSERT INTO noted (what) VALUES ((:i + sign((:server_version_num)::int))::text);",
            &["1:a", "2:8"],
        ),
        // NULL is an empty text, as is what quotes and blanks stay.
        case(
            EXTENDED,
            "SELECT NULL AS n, ' it''s ' AS t \\gset\n\
             INSERT INTO noted (what) VALUES (:n || '-' || :t);",
            &["1:- it's "],
        ),
        // Set anew each time, and every row anew.
        case(
            ALL,
            "SELECT (:k)::int + 1 AS k \\gset\nINSERT INTO noted (what) VALUES ((:k)::text);",
            &["1:1", "2:2", "3:3"],
        )
        .times(3),
        // The columns of a statement may change from one time to the next.
        case(
            SIMPLE,
            "\\set k :k + 1\nSELECT 10 * :k AS v:k \\gset\n\\if :k = 3\n\
             INSERT INTO noted (what) VALUES (:v1 + :v2 + :v3);\n\\endif",
            &["1:60"],
        )
        .times(3),
        // The last query of a combined command.
        case(
            SIMPLE,
            "\\; \\; SELECT 0 AS i \\; SELECT 5 AS i \\; \\; \\gset\n\
             INSERT INTO noted (what) VALUES (:i);",
            &["1:5"],
        ),
    ]);
}

#[test]
fn gset_wants_one_row() {
    const ALL: &[&str] = &QUERY_MODES;
    Pair::new().check(&[
        case(ALL, "SELECT 1 AS i WHERE false \\gset", &[]).fails("expected one row, got 0"),
        case(ALL, "SELECT generate_series(1, 3) AS i \\gset", &[])
            .fails("expected one row, got 3"),
        // What the statement did is done.
        case(
            ALL,
            "INSERT INTO noted (what) VALUES ('a'), ('b') RETURNING what \\gset",
            &["1:a", "1:b"],
        )
        .fails("expected one row, got 2"),
        case(ALL, "INSERT INTO noted (what) VALUES ('a') \\gset", &["1:a"])
            .fails("expected one row, got 0"),
        case(ALL, "DROP TABLE IF EXISTS no_such_table \\gset", &[])
            .fails("expected one row, got 0"),
        case(
            SIMPLE,
            "SELECT 1 AS i \\; INSERT INTO noted (what) VALUES ('a') \\gset",
            &["1:a"],
        )
        .fails("expected one row, got 0"),
        // But not if it was in a block.
        case(
            ALL,
            "BEGIN;\nINSERT INTO noted (what) VALUES ('a');\nSELECT 1 AS i WHERE false \\gset\nEND;",
            &[],
        )
        .fails("expected one row, got 0"),
        case(ALL, "SELECT 1 \\gset", &[]).fails("error storing into variable ?column?"),
        case(ALL, "SELECT 1 AS \"bad name!\" \\gset", &[])
            .fails("error storing into variable bad name!"),
        case(ALL, "SELECT 1 AS i \\gset 1", &[]).fails("error storing into variable 1i"),
        // A transaction may be tried again.
        case(
            ALL,
            "BEGIN;\nSELECT id AS old FROM noted \\aset\nINSERT INTO noted (what) VALUES ('a');\n\
             SELECT second_try() AS i \\gset\nINSERT INTO noted (what) VALUES ((:i)::text);\nEND;",
            &["1:a", "1:2"],
        ),
        // The server's own errors come first.
        case(ALL, "SELECT 1 / 0 AS i \\gset", &[]).fails("division by zero"),
    ]);
}

#[test]
fn aset_takes_the_last_row_of_each_query() {
    const ALL: &[&str] = &QUERY_MODES;
    Pair::new().check(&[
        case(
            ALL,
            "SELECT 8 AS i UNION SELECT 9 ORDER BY 1 DESC \\aset\n\
             SELECT 3 AS i WHERE false \\aset\n\
             INSERT INTO noted (what) VALUES ('a') \\aset\n\
             INSERT INTO noted (what) VALUES ((:i)::text);",
            &["1:a", "2:8"],
        ),
        case(
            SIMPLE,
            "\\; SELECT 6 AS i \\; SELECT 7 AS j, 8 AS i WHERE false \\; \
             INSERT INTO noted (what) VALUES ('a'), ('b') RETURNING id - id + 1 AS j \\; \
             SELECT 9 AS l \\; UPDATE noted SET what = what || 'x' \\aset p_\n\
             INSERT INTO noted (what) VALUES (:p_i), (:p_j), (:p_l);",
            &["1:ax", "1:bx", "2:6", "2:1", "2:9"],
        ),
        case(ALL, "SELECT 1 AS i WHERE false \\aset\n\\set i :i", &[])
            .fails("undefined variable \"i\""),
        case(ALL, "SELECT 1 \\aset", &[]).fails("error storing into variable ?column?"),
    ]);
}

#[test]
fn results_are_kept_in_every_result_mode() {
    let mut pair = Pair::new();
    let run = number(
        &mut pair.ours,
        r"SELECT pgperf.start_run(result_mode => 'discard', transactions_per_client => 2, script => E'SELECT 41 AS i, 2 AS unused \\gset\nSELECT 1;\nINSERT INTO noted (what) VALUES (:i + 1);')",
    );
    assert_eq!(
        row(&mut pair.ours, &format!("CALL pgperf.wait_run({run})")),
        "finished"
    );
    assert_eq!(rows(&mut pair.ours, NOTED), ["1:42", "2:42"]);
    // A statement with its \gset is one command.
    assert_eq!(
        rows(
            &mut pair.ours,
            &format!(
                "SELECT statement, calls, rows FROM pgperf.run_statements \
                 WHERE run_id = {run} ORDER BY command_no"
            )
        ),
        [
            "SELECT 41 AS i, 2 AS unused |2|2",
            "SELECT 1;|2|2",
            "INSERT INTO noted (what) VALUES (:i + 1);|2|2"
        ]
    );
}

#[test]
fn combined_statements_share_an_implicit_block() {
    Pair::new().check(&[
        case(
            SIMPLE,
            "INSERT INTO noted (what) VALUES ('a') \\; INSERT INTO noted (what) VALUES ('b');\n\
             INSERT INTO noted (what) VALUES ('c');",
            &["1:a", "1:b", "2:c"],
        ),
        case(
            SIMPLE,
            "INSERT INTO noted (what) VALUES ('a') \\; SELECT 1 / 0 \\; \
             INSERT INTO noted (what) VALUES ('b');",
            &[],
        )
        .fails("division by zero"),
        // COMMIT ends the block, and another begins.
        case(
            SIMPLE,
            "INSERT INTO noted (what) VALUES ('a') \\; COMMIT \\; \
             INSERT INTO noted (what) VALUES ('b') \\; SELECT 1 / 0;",
            &["1:a"],
        )
        .fails("division by zero"),
        // BEGIN makes it an explicit one.
        case(
            SIMPLE,
            "INSERT INTO noted (what) VALUES ('a') \\; BEGIN \\; \
             INSERT INTO noted (what) VALUES ('b') \\; COMMIT \\; \
             INSERT INTO noted (what) VALUES ('c');",
            &["1:a", "1:b", "2:c"],
        ),
        // Which outlasts the command.
        case(
            SIMPLE,
            "BEGIN \\; INSERT INTO noted (what) VALUES ('a');\n\
             INSERT INTO noted (what) VALUES ('b') \\; COMMIT;",
            &["1:a", "1:b"],
        ),
        case(
            SIMPLE,
            "BEGIN \\; INSERT INTO noted (what) VALUES ('a') \\; ROLLBACK \\; \
             INSERT INTO noted (what) VALUES ('b');",
            &["1:b"],
        ),
        case(
            SIMPLE,
            "INSERT INTO noted (what) VALUES ('a') \\; VACUUM noted;",
            &[],
        )
        .fails("VACUUM cannot run inside a transaction block"),
        case(
            SIMPLE,
            "SAVEPOINT s \\; INSERT INTO noted (what) VALUES ('a');",
            &[],
        )
        .fails("SAVEPOINT can only be used in transaction blocks"),
    ]);
}

#[test]
fn a_pipeline_is_one_transaction_up_to_its_sync() {
    Pair::new().check(&[
        case(
            EXTENDED,
            "\\startpipeline\nINSERT INTO noted (what) VALUES ('a');\n\\set i 7\n\
             INSERT INTO noted (what) VALUES ((:i)::text);\n\\endpipeline\n\
             INSERT INTO noted (what) VALUES ('c');",
            &["1:a", "1:7", "2:c", "3:a", "3:7", "4:c"],
        )
        .times(2),
        case(EXTENDED, "\\startpipeline\n\\endpipeline\nSELECT 1;", &[]).times(3),
        // All that an error leaves is nothing, and nothing after it is run.
        case(
            EXTENDED,
            "\\startpipeline\nINSERT INTO noted (what) VALUES ('a');\nSELECT 1 / 0;\n\
             INSERT INTO noted (what) VALUES ('b');\n\\endpipeline",
            &[],
        )
        .fails("division by zero"),
        // An error is noticed at the end, and so after what the client itself finds wrong.
        case(
            EXTENDED,
            "\\startpipeline\nSELECT 1 / 0;\n\\set i :nosuch\n\\endpipeline",
            &[],
        )
        .fails("undefined variable \"nosuch\""),
        // BEGIN makes one block of all since the start, COMMIT ends it.
        case(
            EXTENDED,
            "\\startpipeline\nINSERT INTO noted (what) VALUES ('a');\nBEGIN;\n\
             INSERT INTO noted (what) VALUES ('b');\nCOMMIT;\n\
             INSERT INTO noted (what) VALUES ('c');\n\\endpipeline",
            &["1:a", "1:b", "2:c"],
        ),
        case(
            EXTENDED,
            "\\startpipeline\nINSERT INTO noted (what) VALUES ('a');\nCOMMIT;\n\
             INSERT INTO noted (what) VALUES ('b');\nSELECT 1 / 0;\n\\endpipeline",
            &["1:a"],
        )
        .fails("division by zero"),
        // A block may go on behind the pipeline.
        case(
            EXTENDED,
            "\\startpipeline\nBEGIN;\nINSERT INTO noted (what) VALUES ('a');\n\\endpipeline\n\
             INSERT INTO noted (what) VALUES ('b');\nCOMMIT;",
            &["1:a", "1:b"],
        ),
        case(
            EXTENDED,
            "BEGIN;\n\\startpipeline\nINSERT INTO noted (what) VALUES ('a');\nSELECT 1 / 0;\n\
             \\endpipeline\nCOMMIT;",
            &[],
        )
        .fails("division by zero"),
        // Nothing before it has taken a snapshot.
        case(
            EXTENDED,
            "\\startpipeline\nBEGIN ISOLATION LEVEL SERIALIZABLE;\n\
             INSERT INTO noted (what) VALUES (current_setting('transaction_isolation'));\nEND;\n\
             \\endpipeline",
            &["1:serializable", "2:serializable"],
        )
        .times(2),
        // The commit of the sync may fail too.
        case(
            EXTENDED,
            "\\startpipeline\nINSERT INTO noted (what) VALUES ('a');\n\
             INSERT INTO once VALUES (1), (1);\n\\endpipeline",
            &[],
        )
        .fails("duplicate key value violates unique constraint \"once_n_key\""),
        // An error that allows it starts the script again, whose earlier pipelines stay.
        case(
            EXTENDED,
            "\\startpipeline\nINSERT INTO noted (what) VALUES ('a');\n\\endpipeline\n\
             \\startpipeline\nINSERT INTO noted (what) VALUES ('b');\n\
             INSERT INTO noted (what) VALUES (second_try()::text);\n\\endpipeline",
            &["1:a", "2:a", "3:b", "3:2"],
        ),
        // What cannot be rolled back is committed at once.
        case(
            EXTENDED,
            "\\startpipeline\nALTER SYSTEM RESET work_mem;\nALTER SYSTEM RESET work_mem;\n\
             INSERT INTO noted (what) VALUES ('a');\n\\endpipeline",
            &["1:a"],
        ),
        // So it comes first or not at all.
        case(
            EXTENDED,
            "\\startpipeline\nVACUUM noted;\nINSERT INTO noted (what) VALUES ('a');\n\\endpipeline",
            &["1:a"],
        ),
        case(
            EXTENDED,
            "\\startpipeline\nINSERT INTO noted (what) VALUES ('a');\nVACUUM noted;\n\\endpipeline",
            &[],
        )
        .fails("VACUUM cannot "),
        case(
            EXTENDED,
            "\\startpipeline\nINSERT INTO noted (what) VALUES ('a');\n\\syncpipeline\n\
             INSERT INTO noted (what) VALUES ('b');\nINSERT INTO noted (what) VALUES ('c');\n\
             \\syncpipeline\n\\syncpipeline\nINSERT INTO noted (what) VALUES ('d');\n\\endpipeline",
            &["1:a", "2:b", "2:c", "3:d"],
        ),
    ]);
}

/// As when all has been sent before the first error is read. Not beside pgbench, which leaves while its server
/// may still be at it.
#[test]
fn after_an_error_a_pipeline_goes_on_behind_the_next_sync() {
    let mut pair = Pair::new();
    let case = case(
        EXTENDED,
        "\\startpipeline\nINSERT INTO noted (what) VALUES ('a');\nSELECT 1 / 0;\n\
         INSERT INTO noted (what) VALUES ('b');\n\\syncpipeline\n\
         INSERT INTO noted (what) VALUES ('c');\n\\endpipeline",
        &["1:c"],
    )
    .fails("division by zero");
    for mode in case.modes {
        pair.check_ours(&case, mode);
    }
}

/// The commit at a sync is work of the server like a statement's.
#[test]
fn what_a_sync_commits_is_accounted_for() {
    let mut pair = Pair::new();
    let script = "\\startpipeline\nINSERT INTO noted (what) VALUES ('a');\n\\syncpipeline\n\
                  INSERT INTO noted (what) VALUES ('b');\n\\endpipeline";
    let (status, errors) = pair.run(script, "prepared", 5);
    assert_eq!(status, "finished", "{errors:?}");
    assert_eq!(
        rows(
            &mut pair.ours,
            "SELECT statement, calls, is_sql, rows, wal_records >= calls \
             FROM pgperf.run_statements ORDER BY command_no"
        ),
        [
            "\\startpipeline|5|f||",
            "INSERT INTO noted (what) VALUES ('a');|5|t|5|t",
            "\\syncpipeline|5|t|0|t",
            "INSERT INTO noted (what) VALUES ('b');|5|t|5|t",
            "\\endpipeline|5|t|0|t",
        ]
    );
}

#[test]
fn pipelines_are_refused_where_pgbench_refuses_them() {
    Pair::new().check(&[
        case(SIMPLE, "\\startpipeline\nSELECT 1;\n\\endpipeline", &[])
            .fails("cannot use pipeline mode with the simple query protocol"),
        case(EXTENDED, "\\startpipeline\n\\startpipeline", &[]).fails("already in pipeline mode"),
        case(EXTENDED, "\\endpipeline", &[]).fails("not in pipeline mode"),
        case(EXTENDED, "\\syncpipeline", &[]).fails("not in pipeline mode"),
        case(
            EXTENDED,
            "\\startpipeline\nINSERT INTO noted (what) VALUES ('a');\nSELECT 1 AS i \\gset f\n\
             \\endpipeline",
            &[],
        )
        .fails("\\gset is not allowed in pipeline mode"),
        case(
            EXTENDED,
            "\\startpipeline\nSELECT 1 AS i \\aset\n\\endpipeline",
            &[],
        )
        .fails("\\aset is not allowed in pipeline mode"),
        case(
            EXTENDED,
            "\\startpipeline\nINSERT INTO noted (what) VALUES ('a');",
            &[],
        )
        .fails("end of script reached with pipeline open"),
        case(EXTENDED, "\\startpipeline", &[])
            .times(2)
            .fails("end of script reached with pipeline open"),
    ]);
}

/// The only difference from pgbench in a pipeline: there, what could not be prepared at its start fails.
#[test]
fn a_pipeline_sees_the_tables_that_it_makes() {
    let mut pair = Pair::new();
    let script = "\\startpipeline\nCREATE TABLE made (n int);\nINSERT INTO made VALUES (1);\n\
                  INSERT INTO noted (what) SELECT n FROM made;\nDROP TABLE made;\n\\endpipeline";
    for mode in EXTENDED {
        execute(&mut pair.ours, RENEW);
        assert_eq!(
            pair.run(script, mode, 2),
            ("finished".to_owned(), vec![]),
            "{mode}"
        );
        assert_eq!(rows(&mut pair.ours, NOTED), ["1:1", "2:1"], "{mode}");
    }
}

/// What a variable hides from the check at the start ends the client.
#[test]
fn what_needs_a_client_is_refused_when_it_shows() {
    let mut pair = Pair::new();
    for (script, error) in [
        (
            "SELECT 'LISTEN' AS command \\gset\n:command channel;",
            "0A000|LISTEN and UNLISTEN are not supported in a pgperf script",
        ),
        (
            "SELECT 'UNLISTEN' AS command \\gset\nSELECT 1 \\; :command *;",
            "0A000|LISTEN and UNLISTEN are not supported in a pgperf script",
        ),
        (
            "SELECT 'COPY' AS command \\gset\n:command noted TO STDOUT;",
            "0A000|COPY to or from the client is not supported in a pgperf script",
        ),
        (
            "SELECT 'STDIN' AS place \\gset\nCOPY noted FROM :place;",
            "0A000|COPY to or from the client is not supported in a pgperf script",
        ),
        (
            "DO $$BEGIN EXECUTE 'LISTEN channel'; END$$;",
            "0A000|cannot execute LISTEN within a background process",
        ),
    ] {
        let (status, errors) = pair.run(script, "simple", 1);
        assert_eq!(
            (status.as_str(), errors.as_slice()),
            ("failed", &[error.to_owned()][..]),
            "{script}"
        );
    }
}

/// Refused at the start, so that nothing is stored.
#[test]
fn combined_statements_cannot_be_prepared() {
    let mut pair = Pair::new();
    let message = "cannot insert multiple commands into a prepared statement";
    for mode in EXTENDED {
        let (sqlstate, refused, hint) = error_of(
            &mut pair.ours,
            &format!(
                r"SELECT pgperf.start_run(query_mode => '{mode}', script => E'SELECT 1;\nSELECT 1 \\; SELECT 2;')"
            ),
        );
        assert_eq!(sqlstate, "42601");
        assert_eq!(refused, format!("script \"script\", line 2: {message}"));
        assert!(hint.contains("query_mode => 'simple'"), "{hint}");
        let (status, output) = pair.pgbench("SELECT 1;\nSELECT 1 \\; SELECT 2;", mode, 1);
        assert_eq!(status, Some(2));
        assert!(output.contains(message), "{output}");
    }
    assert_eq!(
        number(&mut pair.ours, "SELECT count(*) FROM pgperf.runs"),
        0
    );
}
