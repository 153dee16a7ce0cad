//! One script run by pgbench and by pgperf, and the results of both in a form that can be compared.
//!
//! pgbench runs with the script's folder as its own, so that its messages call the script what pgperf calls
//! it: `script`. What is left to bring together: pgbench prefixes its lines with its name and wraps an error
//! in a sentence that names client and command, pgperf has them in columns; a server's error is pgbench's
//! with `ERROR:` before it.

use std::fs;
use std::process::Output;

use postgres::Client;
use postgres::error::DbError;

use crate::common::Cluster;
use crate::common::pair::{OURS, THEIRS, execute, row, rows};

/// The script and options for both.
#[derive(Clone, Debug)]
pub struct Trial<'a> {
    pub script: &'a str,
    pub query_mode: &'a str,
    pub clients: usize,
    /// Of each client.
    pub transactions: u32,
    pub seed: i64,
    pub variables: &'a [(&'a str, &'a str)],
    /// Of pgperf.
    pub transport: &'a str,
}

impl Default for Trial<'_> {
    fn default() -> Self {
        Trial {
            script: "",
            query_mode: "prepared",
            clients: 1,
            transactions: 1,
            seed: 5432,
            variables: &[],
            transport: "inside",
        }
    }
}

/// What became of a trial.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// The script was not run.
    Refused(Refusal),
    Ran {
        /// What debug() reported, in order for one client, else sorted.
        debug: Vec<String>,
        /// Why clients gave up, sorted.
        aborts: Vec<Abort>,
    },
}

/// What is wrong with a script.
#[derive(Clone, Debug, PartialEq)]
pub struct Refusal {
    pub message: String,
    /// The source line and the caret, as far as shown.
    pub source: String,
    /// What the user can do; pgbench says nothing of that.
    pub hint: String,
}

/// A client's end by an error.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Abort {
    pub client: usize,
    /// From 0; none if it is the script's end that is wrong.
    pub command: Option<usize>,
    pub message: String,
}

/// A cluster with a database for each of the two.
pub struct Referee {
    pub cluster: Cluster,
    pub theirs: Client,
    pub ours: Client,
    folder: tempfile::TempDir,
}

impl Referee {
    /// Both databases get the same statements first.
    pub fn new(setup: &str) -> Referee {
        let cluster = Cluster::new(&["max_worker_processes = 24", "autovacuum = off"]);
        for name in [THEIRS, OURS] {
            cluster.run_sql(&format!("CREATE DATABASE {name}"));
        }
        let mut theirs = cluster.connect_to(THEIRS);
        let mut ours = cluster.connect_to(OURS);
        execute(&mut ours, "CREATE EXTENSION pgperf CASCADE");
        for session in [&mut theirs, &mut ours] {
            execute(session, setup);
        }
        Referee {
            cluster,
            theirs,
            ours,
            folder: tempfile::tempdir().expect("a temporary folder"),
        }
    }

    /// What pgbench does.
    pub fn by_pgbench(&self, trial: &Trial<'_>) -> Outcome {
        let mut arguments = vec![
            "-n".to_owned(),
            format!("-c{}", trial.clients),
            format!("-t{}", trial.transactions),
            format!("-M{}", trial.query_mode),
            // It reads the seed as an unsigned number.
            format!("--random-seed={}", trial.seed as u64),
        ];
        for (name, value) in trial.variables {
            arguments.push(format!("-D{name}={value}"));
        }
        arguments.push(THEIRS.to_owned());
        let output = self.pgbench(trial.script, &arguments, None);
        let complaints = String::from_utf8_lossy(&output.stderr).into_owned();
        match output.status.code() {
            Some(1) => Outcome::Refused(pgbench_refusal(&complaints)),
            Some(0 | 2) => {
                let mut debug: Vec<String> = complaints
                    .lines()
                    .filter_map(|line| line.strip_prefix("debug("))
                    .map(str::to_owned)
                    .collect();
                if trial.clients > 1 {
                    debug.sort();
                }
                let aborts = pgbench_aborts(&complaints);
                Outcome::Ran { debug, aborts }
            }
            _ => panic!("pgbench {arguments:?}\n{complaints}"),
        }
    }

    /// Why pgbench refuses a script, if it does: it reads scripts before it connects.
    pub fn pgbench_reads(&self, script: &str) -> Option<Refusal> {
        let output = self.pgbench(script, &["-n".to_owned()], Some("/nowhere"));
        let complaints = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{complaints}");
        let refusal = pgbench_refusal(&complaints);
        (!refusal.message.starts_with("connection to server")).then_some(refusal)
    }

    fn pgbench(&self, script: &str, arguments: &[String], host: Option<&str>) -> Output {
        fs::write(self.folder.path().join("script"), script).expect("a script");
        let mut pgbench = self.cluster.program("pgbench");
        if let Some(host) = host {
            pgbench.env("PGHOST", host);
        }
        pgbench
            .current_dir(self.folder.path())
            .args(["-f", "script"])
            .args(arguments)
            .output()
            .expect("pgbench")
    }

    /// What pgperf does.
    pub fn by_pgperf(&mut self, trial: &Trial<'_>) -> Outcome {
        let logged = self.cluster.log().len();
        let variables: serde_json::Map<String, serde_json::Value> = trial
            .variables
            .iter()
            .map(|&(name, value)| (name.to_owned(), value.into()))
            .collect();
        // With an interval longer than the run, so that no transaction of the leader comes between.
        let start = format!(
            "SELECT pgperf.start_run(script => {}, clients => {}, transactions_per_client => {}, \
             query_mode => '{}', random_seed => {}, variables => {}, transport => '{}', sample_interval => '1 h', collectors => '{{}}')",
            quoted(trial.script),
            trial.clients,
            trial.transactions,
            trial.query_mode,
            trial.seed,
            quoted(&serde_json::Value::Object(variables).to_string()),
            trial.transport,
        );
        if let Err(error) = self.ours.simple_query(&start) {
            let error = error
                .as_db_error()
                .unwrap_or_else(|| panic!("{error:?}\n{}", trial.script));
            return Outcome::Refused(pgperf_refusal(error));
        }
        row(&mut self.ours, "CALL pgperf.wait_run()");
        let log = self.cluster.log();
        let mut debug: Vec<String> = log
            .get(logged..)
            .unwrap_or_default()
            .lines()
            .filter_map(|line| line.split_once("LOG:  pgperf debug("))
            .map(|(_, report)| report.to_owned())
            .collect();
        if trial.clients > 1 {
            debug.sort();
        }
        let mut aborts: Vec<Abort> = rows(
            &mut self.ours,
            "SELECT client_id, command_no, message FROM pgperf.run_errors e \
             WHERE run_id = (SELECT max(run_id) FROM pgperf.runs)",
        )
        .into_iter()
        .map(|row| {
            let mut fields = row.splitn(3, '|');
            let mut field = || fields.next().unwrap_or_default();
            Abort {
                client: field().parse().unwrap_or(usize::MAX),
                command: field().parse().ok(),
                message: field().to_owned(),
            }
        })
        .collect();
        aborts.sort();
        Outcome::Ran { debug, aborts }
    }

    /// Why pgperf refuses a script, if it does: it reads scripts before it looks for workers.
    pub fn pgperf_reads(&mut self, script: &str) -> Option<Refusal> {
        let start = format!(
            "SELECT pgperf.start_run(script => {}, clients => 100000, query_mode => 'simple')",
            quoted(script)
        );
        let error = self
            .ours
            .simple_query(&start)
            .expect_err("too many clients");
        let error = error
            .as_db_error()
            .unwrap_or_else(|| panic!("{error:?}\n{script}"));
        let refusal = pgperf_refusal(error);
        (!refusal.message.starts_with("not enough free worker slots")).then_some(refusal)
    }
}

fn quoted(text: &str) -> String {
    format!("$referee${text}$referee$")
}

/// The first error of pgbench, and the lines of source below it.
fn pgbench_refusal(complaints: &str) -> Refusal {
    let complaint = complaints
        .split_once("pgbench: error: ")
        .map_or(complaints, |(_, complaint)| complaint);
    let (message, source) = complaint.split_once('\n').unwrap_or((complaint, ""));
    Refusal {
        message: message.to_owned(),
        source: source.trim_end_matches('\n').to_owned(),
        hint: String::new(),
    }
}

fn pgperf_refusal(error: &DbError) -> Refusal {
    let detail = error.detail().unwrap_or_default();
    // The column comes first, where pgbench has no words but the caret.
    let source = match detail.split_once('\n') {
        Some((column, source)) if column.starts_with("at column ") => source,
        _ => detail,
    };
    Refusal {
        // A statement that is quoted whole may end with a line end, which pgbench's lines do not keep.
        message: error.message().trim_end().to_owned(),
        source: source.to_owned(),
        hint: error.hint().unwrap_or_default().to_owned(),
    }
}

/// The clients that pgbench says were aborted. It gives the reason in a line before if the command is not
/// SQL.
fn pgbench_aborts(complaints: &str) -> Vec<Abort> {
    let mut aborts: Vec<Abort> = Vec::new();
    let mut reason = "";
    for line in complaints.lines() {
        let Some(line) = line.strip_prefix("pgbench: error: ") else {
            continue;
        };
        match abort(line) {
            Some(abort) => {
                let message = match abort.message.as_str() {
                    // Evaluation, execution or assignment.
                    message if message.ends_with(" of meta-command failed") => reason.to_owned(),
                    message => message
                        .strip_prefix("ERROR:  ")
                        .unwrap_or(message)
                        .to_owned(),
                };
                aborts.push(Abort { message, ..abort });
            }
            None => reason = line,
        }
    }
    aborts.sort();
    aborts
}

/// Reads one of `client 1 aborted in command 2 (set) of script 0; words`, `client 1 aborted: words`,
/// `client 1 script 0 aborted in command 2 query 0: words` and `client 1 script 0 command 2 query 0: words`.
fn abort(line: &str) -> Option<Abort> {
    let rest = line.strip_prefix("client ")?;
    let (client, rest) = rest.split_once(' ')?;
    let (command, message) = match rest.strip_prefix("aborted: ") {
        Some(message) => (None, message),
        None => {
            let (_, rest) = rest.split_once("command ")?;
            let (command, rest) = rest.split_once(' ')?;
            let end = rest.find([';', ':'])?;
            (
                Some(command.parse().ok()?),
                rest.get(end + 1..)?.trim_start(),
            )
        }
    };
    Some(Abort {
        client: client.parse().ok()?,
        command,
        message: message.to_owned(),
    })
}
