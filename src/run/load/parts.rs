//! The parts of a data set that statements of a workload's author fill: the first worker announces them on the board, all workers
//! take one after the other, each in a transaction of its own. If one fails, the leader ends the others.

use super::fill::{begin_task, end_task, is_wanted, stopped, withdraw};
use crate::pg::error::SqlError;
use crate::pg::session::Session;
use crate::run::shared::board;
use crate::run::shared::slot::{Counter, Slot};
use crate::run::shared::{Phase, Shared};
use crate::workload::Parts;
use std::sync::atomic::Ordering::SeqCst;

/// Has all parts filled; the first worker's share of it.
pub(super) fn run(
    shared: &Shared,
    slot: Slot,
    session: &mut Session,
    parts: &Parts,
) -> Result<(), SqlError> {
    let board = shared.board();
    board[board::NEXT_CHUNK].store(0, SeqCst);
    board[board::DONE].store(0, SeqCst);
    board[board::COUNT].store(parts.count, SeqCst);
    board[board::FILL].store(board::PARTS, SeqCst);
    let number = begin_task(shared);
    take(shared, slot, session, parts, number).inspect_err(|_| withdraw(shared))?;
    // In a transaction without a snapshot: a cancellation ends the wait, and not the process.
    session.perform("waiting for the other parts", || end_task(shared))
}

/// Takes parts until none is left, or the load is being stopped.
pub(super) fn take(
    shared: &Shared,
    slot: Slot,
    session: &mut Session,
    parts: &Parts,
    number: u64,
) -> Result<(), SqlError> {
    let board = shared.board();
    while is_wanted(shared, number) {
        let part = board[board::NEXT_CHUNK].fetch_add(1, SeqCst) + 1;
        if part > parts.count {
            return Ok(());
        }
        fill(shared, slot, session, &parts.statements(part))?;
        board[board::DONE].fetch_add(1, SeqCst);
    }
    Ok(())
}

fn fill(
    shared: &Shared,
    slot: Slot,
    session: &mut Session,
    statements: &[String],
) -> Result<(), SqlError> {
    session.execute_simple("BEGIN")?;
    for statement in statements {
        session.idle_checks();
        if shared.phase() == Phase::Stopping {
            return Err(stopped());
        }
        let done = session.execute_simple(statement)?;
        if !session.in_transaction_block() {
            let message = "load_sql must not end its transaction";
            return Err(SqlError::new("2D000", message));
        }
        if inserts(statement) {
            slot.add(Counter::LoadDone, done.processed);
        }
    }
    session.execute_simple("COMMIT")?;
    Ok(())
}

/// Whether the rows of a statement count as loaded.
fn inserts(statement: &str) -> bool {
    let word = statement.split(|c: char| !c.is_ascii_alphabetic()).next();
    let word = word.unwrap_or_default();
    ["INSERT", "COPY", "WITH", "MERGE"]
        .iter()
        .any(|known| word.eq_ignore_ascii_case(known))
}

#[cfg(test)]
mod tests {
    use super::inserts;

    #[test]
    fn rows_of_insertions_are_counted() {
        for statement in [
            "INSERT INTO t VALUES (1)",
            "copy t FROM '/x'",
            "With x AS (SELECT 1)",
        ] {
            assert!(inserts(statement), "{statement}");
        }
        for statement in ["SELECT 1", "INSERTED", "", "UPDATE t SET a = 1"] {
            assert!(!inserts(statement), "{statement}");
        }
    }
}
