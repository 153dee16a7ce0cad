//! Lines of pgbench that say nothing of the run that its counts do not say.

use crate::numbers::count;

/// Lines without a figure.
pub fn is_chatter(line: &str) -> bool {
    const CHATTER: [&str; 10] = [
        "script statistics:",
        "end.",
        "vacuuming",
        "Password:",
        "pgbench: pghost:",
        "scale option ignored",
        // What a server's error goes on with, with `--verbose-errors`.
        "DETAIL:",
        "HINT:",
        "CONTEXT:",
        "Process ",
    ];
    CHATTER.iter().any(|start| line.starts_with(start)) || is_of_client(line)
}

/// `pgbench: client 2 repeats the transaction after the error (try 1/3)`, and what `-d` shows of each command. The counts have it all.
fn is_of_client(line: &str) -> bool {
    const DONE: [&str; 6] = [
        "executing ",
        "sending ",
        "receiving",
        "got an error in command ",
        "repeats the transaction ",
        "ends the failed transaction",
    ];
    let client = line.trim_start_matches("pgbench: ").strip_prefix("client ");
    let done = client.and_then(|rest| rest.split_once(' '));
    done.is_some_and(|(number, done)| {
        count(number).is_some() && DONE.iter().any(|start| done.starts_with(start))
    })
}
