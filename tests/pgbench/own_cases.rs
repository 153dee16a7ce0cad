//! The cases of pgbench's own tests (`src/bin/pgbench/t`, PostgreSQL 15): the values of its expression
//! script, its errors at run time and its errors in scripts. pgbench itself runs every script here too, and its
//! answers are the expected ones.
//!
//! Compared: every `debug()` with script, command, type and value; for an error at run time the client, the
//! command and the words; for a script that is refused the words (with script and line) and, where pgbench
//! shows it, the source line with its caret.
//!
//! pgbench finds some errors only when a command is run, pgperf before anything runs; the words are the same
//! (`EARLIER` below): more than 16 arguments of a function, a bad name after `\set`, a statement that the
//! server does not accept.
//!
//! Left out, because they have no meaning inside the server:
//! - `\shell` and `\setshell` (four and three cases): refused, which is tested here; so the one value of
//!   "backslash commands" that `\setshell` yields is set by `\set`;
//! - the server's logging of parameters (six): pgperf sends no Bind message;
//! - options of the program, help, log files, `-i` (all of 002 but its scripts): other tests have what
//!   pgperf has of these.
//!
//! Retries after serialization failures and deadlocks are in their own tests.

use super::case_lists::{
    EARLIER, ERROR_VARIABLES, EXPRESSION_VARIABLES, PARSE_ERRORS, RUN_ERRORS, SCRIPTS, VALUES,
};
use super::referee::{Outcome, Referee, Trial};

/// Statements combined by `\;` are for simple mode, pipelines for the others.
fn query_mode(script: &str) -> &'static str {
    match script.contains("\\;") {
        true => "simple",
        false => "prepared",
    }
}

/// Expects the same of both, over either transport; pgbench's outcome is returned.
fn same(referee: &mut Referee, name: &str, trial: &Trial<'_>) -> Outcome {
    let theirs = referee.by_pgbench(trial);
    for transport in ["inside", "wire"] {
        let trial = Trial {
            transport,
            ..trial.clone()
        };
        let ours = referee.by_pgperf(&trial);
        assert_eq!(
            ours, theirs,
            "{name}, {transport}: ours, theirs\n{}",
            trial.script
        );
    }
    theirs
}

#[test]
fn values() {
    let mut referee = Referee::new("");
    let script: String = VALUES
        .iter()
        .map(|expression| format!("\\set last debug({expression})\n"))
        .collect();
    for query_mode in crate::common::pair::QUERY_MODES {
        let trial = Trial {
            script: &script,
            query_mode,
            variables: EXPRESSION_VARIABLES,
            ..Trial::default()
        };
        let Outcome::Ran { debug, aborts } = same(&mut referee, query_mode, &trial) else {
            panic!("refused");
        };
        assert_eq!((debug.len(), aborts), (VALUES.len(), vec![]));
    }
    // The draws of other clients, and of a client's later transactions.
    let trial = Trial {
        script: &script,
        clients: 3,
        transactions: 2,
        seed: -1,
        variables: EXPRESSION_VARIABLES,
        ..Trial::default()
    };
    same(&mut referee, "three clients", &trial);
    for (name, script) in SCRIPTS {
        let trial = Trial {
            script,
            query_mode: query_mode(script),
            ..Trial::default()
        };
        let Outcome::Ran { debug, aborts } = same(&mut referee, name, &trial) else {
            panic!("{name}: refused");
        };
        let fails = name.contains("left open");
        assert_eq!(aborts.len(), usize::from(fails), "{name}");
        assert!(
            !debug.is_empty() || fails || script.contains("SELECT"),
            "{name}: nothing to compare"
        );
    }
}

#[test]
fn errors_at_run_time() {
    let mut referee = Referee::new("");
    for (name, script) in RUN_ERRORS {
        let trial = Trial {
            script,
            query_mode: query_mode(script),
            // Two, because a pipeline may not be left open for the next either.
            transactions: 2,
            variables: ERROR_VARIABLES,
            ..Trial::default()
        };
        match same(&mut referee, name, &trial) {
            Outcome::Ran { aborts, .. } => assert_eq!(aborts.len(), 1, "{name}: {aborts:?}"),
            refused => panic!("{name}: {refused:?}"),
        }
    }
}

#[test]
fn errors_before_the_run() {
    let mut referee = Referee::new("");
    for (name, script) in EARLIER {
        // In prepared mode, pgbench continues with a statement that it could not prepare.
        let trial = Trial {
            script,
            query_mode: "extended",
            variables: ERROR_VARIABLES,
            ..Trial::default()
        };
        let Outcome::Ran { aborts, .. } = referee.by_pgbench(&trial) else {
            panic!("{name}: pgbench refuses it");
        };
        let Outcome::Refused(refusal) = referee.by_pgperf(&trial) else {
            panic!("{name}: pgperf runs it");
        };
        let [abort] = aborts.as_slice() else {
            panic!("{name}: {aborts:?}");
        };
        // pgbench puts the command before these words, and the name behind them in quotes.
        let words = abort
            .message
            .strip_prefix("set: ")
            .unwrap_or(&abort.message);
        let words = words.split(": \"").next().unwrap_or_default();
        assert!(
            refusal.message.contains(words),
            "{name}: {refusal:?}, {abort:?}"
        );
    }
    // 256 parameters, one too many; simple mode has none.
    let script = format!("\\set i 0\nSELECT LEAST({}:i)\n", ":i, ".repeat(255));
    for query_mode in crate::common::pair::QUERY_MODES {
        let trial = Trial {
            script: &script,
            query_mode,
            ..Trial::default()
        };
        let outcome = same(&mut referee, "parameters", &trial);
        let refused = matches!(outcome, Outcome::Refused(_));
        assert_eq!(refused, query_mode != "simple", "{outcome:?}");
    }
    for script in [
        "\\shell echo 1",
        "\\shell",
        "\\setshell i echo 1",
        "\\setshell i",
    ] {
        let refusal = referee.pgperf_reads(script).expect("no shell in a server");
        assert!(refusal.message.contains("not supported"), "{refusal:?}");
    }
}

#[test]
fn errors_in_scripts() {
    let mut referee = Referee::new("");
    for (name, script) in PARSE_ERRORS {
        let theirs = referee.pgbench_reads(script).expect(name);
        let ours = referee.pgperf_reads(script).expect(name);
        assert_eq!(ours.message, theirs.message, "{name}");
        // pgbench does not always show the source.
        if !theirs.source.is_empty() {
            assert_eq!(ours.source, theirs.source, "{name}");
        }
    }
}
