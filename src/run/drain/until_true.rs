//! The session that repeats `drain_sql`, as the run's role, until it returns true.

use crate::pg::error::SqlError;
use crate::pg::process::{clock, latch};
use crate::run::shared::Shared;
use crate::run::shared::slot::{Counter, Slot};
use crate::run::side_session::SideSession;
use engine::Phase;
use std::time::Duration;

/// The pause between two looks.
const PAUSE: Duration = Duration::from_millis(100);

/// Repeats the query; leaves in the slot when it was true.
///
/// # Errors
/// Its own, or that it has not one row, or that the leader has stopped waiting.
pub fn repeat(
    session: &mut dyn SideSession,
    shared: &Shared,
    slot: Slot,
    query: &str,
) -> Result<(), SqlError> {
    loop {
        session.between_statements();
        if shared.phase() == Phase::Stopping {
            return Err(SqlError::new("57014", "the leader has stopped waiting"));
        }
        if is_true(&session.rows(query)?)? {
            slot.set(Counter::FinishedAt, clock::now());
            return Ok(());
        }
        latch::wait(PAUSE);
    }
}

/// Whether the one row of the query is true; no row, and NULL, are not.
fn is_true(rows: &[Vec<Option<String>>]) -> Result<bool, SqlError> {
    match rows {
        [] => Ok(false),
        [row] => Ok(matches!(row.as_slice(), [Some(cell)] if cell == "true")),
        _ => Err(SqlError::new(
            "21000",
            "drain_sql returned more than one row",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::is_true;

    #[test]
    fn only_true_is_true() {
        let cell = |text: Option<&str>| vec![vec![text.map(str::to_owned)]];
        assert_eq!(is_true(&cell(Some("true"))), Ok(true));
        assert_eq!(is_true(&cell(Some("false"))), Ok(false));
        assert_eq!(is_true(&cell(None)), Ok(false));
        assert_eq!(is_true(&[]), Ok(false));
        let two = [cell(Some("true")), cell(Some("true"))].concat();
        assert_eq!(is_true(&two).unwrap_err().sqlstate, "21000");
    }
}
