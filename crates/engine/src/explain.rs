//! The plans of the statements of a run's scripts, with values as a client draws them. Nothing is executed.

use crate::error::{QUERY_CANCELED, SqlError};
use crate::script_runner::ScriptRunner;
use crate::surroundings::Surroundings;
use crate::transport::Transport;
use script::{SqlCommand, Variables, walk};
use std::iter::empty;
use std::ops::ControlFlow;

/// The statements that the server can explain begin with these.
const EXPLAINABLE: [&str; 8] = [
    "SELECT", "WITH", "INSERT", "UPDATE", "DELETE", "MERGE", "VALUES", "TABLE",
];

/// The plan of a statement.
#[derive(Debug, Clone, PartialEq)]
pub struct Explained {
    /// Numbers from 0 of the script and of the command in it.
    pub script: usize,
    pub command: usize,
    /// In the server's JSON, or why there is none.
    pub plan: Result<String, String>,
}

impl<T: Transport> ScriptRunner<T> {
    /// Asks for the plan of each statement that the run's scripts come to, up to one that would have to wait for a lock. Variables
    /// have the values that the first transaction of a script would draw; those that results of statements would set have none.
    pub fn explain(&mut self, around: &impl Surroundings) -> Vec<Explained> {
        let mut explained = Vec::new();
        let (mut variables, mut prng) = self.before_measuring();
        let scripts = self.scripts.all.iter().take(self.scripts.counted);
        for (number, listed) in scripts.enumerate() {
            let walked = walk(
                &listed.script,
                &mut variables,
                &mut prng,
                |command, value| around.debug(number, command, value),
                |command, sql, variables| {
                    if !is_explainable(&sql.text) {
                        return ControlFlow::Continue(());
                    }
                    let plan = explain(&mut self.session, sql, variables);
                    let is_canceled = failed_by(&plan, QUERY_CANCELED);
                    let is_last = is_canceled || failed_by(&plan, LOCK_TIMEOUT);
                    if !is_canceled {
                        explained.push(Explained {
                            script: number,
                            command,
                            plan: plan.map_err(|error| error.message),
                        });
                    }
                    match is_last {
                        true => ControlFlow::Break(()),
                        false => ControlFlow::Continue(()),
                    }
                },
            );
            // What cannot be computed ends its script alone.
            if let Ok(ControlFlow::Break(())) = walked {
                break;
            }
        }
        // No statement has used that.
        self.used = self.session.usage();
        explained
    }
}

/// A plan needs the locks of its statement. A run does not wait for somebody's lock in order to show plans. Nothing can be written, so that
/// a commit, which the statistics do not count as a rollback, keeps nothing.
const BEFORE: [&str; 2] = ["BEGIN READ ONLY", "SET LOCAL lock_timeout = '1s'"];
const LOCK_TIMEOUT: &str = "55P03";

fn failed_by(plan: &Result<String, SqlError>, sqlstate: &str) -> bool {
    (plan.as_ref()).is_err_and(|error| error.sqlstate == sqlstate)
}

/// The plan of a statement with the values of its variables in its text, in a transaction of its own.
fn explain<T: Transport>(
    session: &mut T,
    sql: &SqlCommand,
    variables: &Variables,
) -> Result<String, SqlError> {
    let plan = explain_in_block(session, sql, variables);
    // Whatever has failed, the run does not begin within that transaction.
    if session.in_transaction_block() {
        session.roll_back();
    }
    plan
}

fn explain_in_block<T: Transport>(
    session: &mut T,
    sql: &SqlCommand,
    variables: &Variables,
) -> Result<String, SqlError> {
    for text in BEFORE {
        session.execute_simple(text)?;
    }
    let mut text = "EXPLAIN (FORMAT JSON) ".to_owned();
    sql.interpolate(variables, &mut text);
    session.keep_results(true);
    // Of several statements the server would explain the first one and execute the others: this way it refuses them.
    let sent = session.execute_unprepared(&text, empty());
    session.keep_results(false);
    let plan = sent.map(|_| kept(session));
    session.execute_simple("COMMIT")?;
    plan
}

/// The only value of the last result.
fn kept<T: Transport>(session: &mut T) -> String {
    let kept = session.kept().last();
    let plan = kept.as_ref().and_then(|result| result.values().next());
    session.decode(plan.unwrap_or_default()).into_owned()
}

/// Whether the server explains a statement with this text, by its first word.
fn is_explainable(text: &str) -> bool {
    let mut rest = text.trim_start();
    loop {
        let after = match rest.get(..2) {
            Some("--") => rest.split_once('\n'),
            Some("/*") => rest.split_once("*/"),
            _ => break,
        };
        rest = after.map_or("", |(_, after)| after).trim_start();
    }
    let rest = rest.trim_start_matches(|c: char| c == '(' || c.is_whitespace());
    let word: String = rest.chars().take_while(char::is_ascii_alphabetic).collect();
    EXPLAINABLE
        .iter()
        .any(|known| known.eq_ignore_ascii_case(&word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_word_tells_whether_there_is_a_plan() {
        for text in [
            "SELECT 1",
            "\n  select 1",
            "/* hint */ -- and\n UPDATE t SET a = 1",
            "((SELECT 1) UNION SELECT 2)",
            "WITH a AS (SELECT 1) TABLE a",
        ] {
            assert!(is_explainable(text), "{text}");
        }
        for text in ["BEGIN", "COMMIT;", "", "-- SELECT", "CALL f()", "SELECTED"] {
            assert!(!is_explainable(text), "{text}");
        }
    }
}
