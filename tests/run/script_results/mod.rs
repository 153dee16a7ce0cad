//! What a script does with results and transactions: `\gset`, `\aset`, `\;`, pipelines. Every script that
//! pgbench of this server's major knows is run by pgbench too, on an equal table, with an equal end.

mod combined;
mod pipelines;
mod variables;

use crate::common::pair::{OURS, THEIRS, execute, number, row, rows};
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
                 transactions_per_client => $3, variables => '{\"k\": 0}', collectors => '{}')",
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
