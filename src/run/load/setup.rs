//! The relations that statements of a workload's author have created.

use crate::pg::error::SqlError;
use crate::workload::Relation;
use serde::Deserialize;

/// A relation of a schema.
#[derive(Debug, Deserialize)]
pub struct Seen {
    pub oid: u32,
    #[serde(flatten)]
    pub relation: Relation,
    /// Whether the current transaction has created it, if it was not there before.
    #[serde(default)]
    pub is_of_this_transaction: bool,
}

/// Those that are new, in the order in which they were created. One that another session has created meanwhile is not of
/// this transaction.
///
/// # Errors
/// There is no table among them.
pub(super) fn created(
    before: &[Seen],
    after: &[Seen],
    schema: &str,
) -> Result<Vec<Relation>, SqlError> {
    let is_new = |seen: &&Seen| {
        seen.is_of_this_transaction && before.iter().all(|known| known.oid != seen.oid)
    };
    let new: Vec<Relation> = after
        .iter()
        .filter(is_new)
        .map(|seen| seen.relation.clone())
        .collect();
    match new.iter().any(Relation::is_table) {
        true => Ok(new),
        false => {
            let message = format!("setup_sql has created no table in schema \"{schema}\"");
            Err(SqlError::new("42P01", &message))
        }
    }
}
