//! Statements that all workers run at the same time: each part of a data set, or each statement, in a separate transaction.

use super::destination::Destination;
use super::{Loader, crew};
use crate::pg::error::SqlError;
use crate::run::shared::board;
use crate::run::shared::slot::Counter;
use crate::workload::{Action, LoadStatement};
use std::sync::atomic::Ordering::SeqCst;

impl<D: Destination> Loader<'_, D> {
    /// Has all workers run the statements of an action. If one fails, the leader ends the others.
    pub(super) fn share(&mut self, action: usize, count: u64) -> Result<(), SqlError> {
        let shared = self.shared;
        let board = shared.board();
        board[board::NEXT_CHUNK].store(0, SeqCst);
        board[board::DONE].store(0, SeqCst);
        board[board::COUNT].store(count, SeqCst);
        board[board::FILL].store(board::STATEMENTS, SeqCst);
        board[board::ACTION].store(action as u64, SeqCst);
        let number = crew::begin_task(shared);
        self.take_statements(number)
            .inspect_err(|_| crew::withdraw(shared))?;
        self.destination.end_task(shared)
    }

    /// Takes statements of the action on the board until none is left, or the load is being stopped.
    pub(super) fn take_statements(&mut self, number: u64) -> Result<(), SqlError> {
        let board = self.shared.board();
        let step = self.steps.get(self.current_step());
        let place = board[board::ACTION].load(SeqCst) as usize;
        let action = step.and_then(|step| step.actions.get(place));
        if let Some(Action::Each(statements)) = action {
            let sessions = self.shared.slots().count().min(statements.len());
            self.destination.share_processors(sessions as u64)?;
        }
        while crew::is_wanted(self.shared, number) {
            let unit = board[board::NEXT_CHUNK].fetch_add(1, SeqCst);
            if unit >= board[board::COUNT].load(SeqCst) {
                break;
            }
            match action {
                Some(Action::Parts(parts)) => self.fill_part(&parts.statements(unit + 1))?,
                Some(Action::Each(statements)) => {
                    let statement = statements.get(unit as usize).ok_or_else(unknown_task)?;
                    self.execute(statement)?;
                }
                _ => return Err(unknown_task()),
            }
            board[board::DONE].fetch_add(1, SeqCst);
        }
        Ok(())
    }

    fn fill_part(&mut self, statements: &[String]) -> Result<(), SqlError> {
        self.destination.execute("BEGIN")?;
        for statement in statements {
            let processed = self.execute(statement)?;
            if !self.destination.in_transaction_block() {
                let message = "load_sql must not end its transaction";
                return Err(SqlError::new("2D000", message));
            }
            if inserts(statement) {
                self.slot.add(Counter::LoadDone, processed);
            }
        }
        self.destination.execute("COMMIT")?;
        Ok(())
    }
}

fn unknown_task() -> SqlError {
    SqlError::new("XX000", "the step has no such task")
}

/// A statement that has not inserted what it should.
pub(super) fn incomplete(statement: &LoadStatement, inserted: u64) -> SqlError {
    // Its values are long; the table is at its beginning.
    let beginning: String = statement.sql.chars().take(60).collect();
    SqlError {
        detail: Some(format!(
            "A rule or a trigger of the table keeps rows out. The statement begins with: {beginning}"
        )),
        ..SqlError::new(
            "55000",
            &format!(
                "a statement of the load inserted {inserted} of {} rows",
                statement.rows
            ),
        )
    }
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
