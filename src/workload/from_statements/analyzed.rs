//! The server's analysis of a statement that was observed.

use super::source::Observed;
use super::text::{added, analyzable, uncommented};
use super::tree::{Node, is_too_deep};
use super::uses::Uses;
use crate::pg::encoding;
use crate::pg::error::SqlError;
use crate::pg::sql::analysis::{Analyzed, analyze};
use crate::pg::sql::subxact::subtransaction;
use std::ffi::CStr;

pub fn is_begin(text: &str) -> bool {
    let text = text.trim_start().to_ascii_lowercase();
    text.starts_with("begin") || text.starts_with("start transaction")
}

/// Statements that begin and end transactions: the workload has its own.
pub fn is_control(text: &str) -> bool {
    let text = text.trim_start().to_ascii_lowercase();
    let word: String = text.chars().take_while(char::is_ascii_alphabetic).collect();
    ["begin", "start", "commit", "end", "rollback", "abort"].contains(&word.as_str())
}

/// A statement's text without comments, what it does with its parameters, and their types, by the names that the caller's search_path
/// finds.
///
/// # Errors
/// Why it cannot be known.
pub fn analyzed(statement: &Observed) -> Result<(String, Uses, Vec<u32>), String> {
    let text = match (&statement.query, statement.queryid) {
        (_, None) => return Err("hidden: other roles have called it".to_owned()),
        (None, _) => return Err("its text is not known".to_owned()),
        (Some(text), _) => text,
    };
    // From PostgreSQL 18 on, the elements of a list are not counted.
    if text.contains("/*, ... */") {
        return Err("it has a list of unknown length".to_owned());
    }
    // What is analyzed is what will be run.
    let plain = uncommented(text);
    let added = added(&plain);
    let text = encoding::c_string(&analyzable(&plain))
        .map_err(|_| "its text has a NUL byte".to_owned())?;
    match tree_of(&text, &added) {
        Err(error) => Err(error.message),
        Ok(Analyzed::Utility | Analyzed::TransactionControl) => {
            Err("it is a utility statement".to_owned())
        }
        Ok(Analyzed::NotOne) => Err("it is no single statement".to_owned()),
        Ok(Analyzed::Query { trees, types }) => match trees.as_slice() {
            [tree] if is_too_deep(tree) => Err("it is nested too deeply".to_owned()),
            [tree] => Ok((plain, Uses::of(&Node::parse(tree)), types)),
            _ => Err("rules make several statements of it".to_owned()),
        },
    }
}

/// The type that a number in a statement has, unless it is large or has a point.
const INTEGER: u32 = 23;
/// `ERRCODE_AMBIGUOUS_FUNCTION`
const AMBIGUOUS: &str = "42725";
/// No statement has more parameters.
const MOST_PARAMETERS: usize = 65_535;

/// The tree. pg_stat_statements has replaced the constant of `$1 - 20` by a parameter as well. Of two parameters the server
/// knows no type, so the constants are taken for integers then.
fn tree_of(text: &CStr, added: &[usize]) -> Result<Analyzed, SqlError> {
    match subtransaction(|| analyze(text, &[])) {
        Err(error) if error.sqlstate == AMBIGUOUS && !added.is_empty() => {
            let mut types = Vec::new();
            for &number in added
                .iter()
                .filter(|it| (1..=MOST_PARAMETERS).contains(*it))
            {
                types.resize(types.len().max(number), 0);
                types[number - 1] = INTEGER;
            }
            subtransaction(|| analyze(text, &types))
        }
        other => other,
    }
}
