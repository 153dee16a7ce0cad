//! Variables as parameters: in the extended and prepared modes a statement takes as many values as it has variables, no more and no
//! fewer. Within quotes a variable would be sent as the text `$1`, and its value would not be used.

use crate::error::{Error, Result, failure};
use crate::pg::encoding;
use crate::pg::session::parameters::{self, ParameterToken};
use crate::pg::sql::subxact::subtransaction;
use pgrx::pg_sys::errcodes::PgSqlErrorCode::ERRCODE_UNDEFINED_PARAMETER;
use script::{Command, SqlCommand};
use std::ops::Range;

/// Checks the only statement of a command that is sent with parameters, as far as the server's scanner and parser can tell.
pub fn check(script: &str, command: &Command, sql: &SqlCommand) -> Result<()> {
    let text = sql.parsable();
    let Ok(c_text) = encoding::c_string(text.as_str()) else {
        return Ok(());
    };
    // With names of variables in it, it need not be SQL: then its error is that of the first transaction.
    let Ok(found) = subtransaction(|| parameters::of_statement(&c_text)) else {
        return Ok(());
    };
    match fault(sql, &text, &found) {
        None => Ok(()),
        Some((place, fault)) => Err(error(script, command, sql, place, fault)),
    }
}

/// What is wrong with a parameter.
enum Fault {
    /// A variable that is no parameter.
    Quoted,
    /// A parameter without a variable.
    Unknown(usize),
}

/// The first fault, and its place in [`SqlCommand::text`].
fn fault(sql: &SqlCommand, text: &str, found: &[ParameterToken]) -> Option<(Range<usize>, Fault)> {
    // Where the server has the n-th byte of the text.
    let in_database = |at: usize| encoding::encode(&text[..at]).len();
    let is_found = |mark| found.iter().any(|it| it.at == in_database(mark));
    if let Some(quoted) = sql.parameters().find(|it| !is_found(it.mark)) {
        return Some((quoted.variable, Fault::Quoted));
    }
    // As in pgbench, the script may use the value of a variable once more by its number.
    let unknown = found.iter().find(|it| it.number > sql.params.len())?;
    let mut places = text.char_indices().map(|(at, _)| at);
    let mark = places.find(|&at| in_database(at) == unknown.at)?;
    // What is behind it is as long in both texts, up to the next variable.
    let next = sql.parameters().find(|it| it.mark > mark);
    let at = match next {
        Some(next) => next.variable.start - (next.mark - mark),
        None => sql.text.len() - (text.len() - mark),
    };
    let end = at + 1 + unknown.number.to_string().len();
    Some((at..end, Fault::Unknown(unknown.number)))
}

fn error(
    script: &str,
    command: &Command,
    sql: &SqlCommand,
    place: Range<usize>,
    fault: Fault,
) -> Error {
    let before = &sql.text[..place.start];
    let lines = before.matches('\n').count();
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    let column = before[line_start..].chars().count();
    let source = sql.text.lines().nth(lines).unwrap_or_default();
    let (message, hint) = match fault {
        Fault::Quoted => (
            format!("variable {} cannot be a parameter here", &sql.text[place]),
            "Within quotes, a comment or a statement that takes no parameters it would be sent as the text $1. Write '...' || :x \
             instead of '...:x', or use query_mode => 'simple', which puts values into the text.",
        ),
        Fault::Unknown(number) => (
            format!("there is no parameter ${number}"),
            "The values of a statement are those of its variables, such as :x.",
        ),
    };
    let line = command.line.saturating_add(lines as u32);
    failure(
        ERRCODE_UNDEFINED_PARAMETER,
        format!("script \"{script}\", line {line}: {message}"),
    )
    .detailed(format!(
        "at column {}:\n{source}\n{:column$}^ error found here",
        column + 1,
        ""
    ))
    .hinting(hint)
}
