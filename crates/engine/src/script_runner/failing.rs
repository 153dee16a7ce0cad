//! Failures in a script: how they are counted, and how the transaction ends.

use super::ScriptRunner;
use crate::command::CommandStats;
use crate::error::SqlError;
use crate::surroundings::Surroundings;
use crate::transport::Transport;

/// Why a script did not come to its end.
pub struct Failure {
    pub error: SqlError,
    /// Index over all commands of the run.
    pub command: Option<usize>,
    /// Whether a statement failed, not a meta-command or the script as a whole.
    pub of_statement: bool,
}

impl<T: Transport> ScriptRunner<T> {
    /// What is wrong with a script that leaves a pipeline or a transaction open.
    #[cold]
    pub(super) fn unfinished(&mut self, around: &impl Surroundings) -> Failure {
        let message = if self.session.in_pipeline() {
            "end of script reached with pipeline open"
        } else {
            "end of script reached without completing the last transaction"
        };
        self.roll_back(around);
        Failure {
            error: SqlError::new("25001", message),
            command: None,
            of_statement: false,
        }
    }

    /// Whether errors with this SQLSTATE belong to the current script.
    pub fn survives(&self, sqlstate: &str) -> bool {
        let script = self.scripts.all.get(self.current);
        script.is_some_and(|script| script.survives.iter().any(|known| known == sqlstate))
    }

    /// Counts that a command's error was answered with another try.
    pub fn count_retry(&mut self, failure: &Failure) {
        if let Some(stats) = self.stats_of(failure) {
            stats.retries += 1;
        }
    }

    /// Counts that a command's error ended its transaction.
    pub fn count_failure(&mut self, failure: &Failure) {
        if let Some(stats) = self.stats_of(failure) {
            stats.failed += 1;
        }
    }

    /// Where a failed command of the current script is counted; None outside the measured part.
    fn stats_of(&mut self, failure: &Failure) -> Option<&mut CommandStats> {
        let command = failure.command.filter(|_| self.measured)?;
        let script = self.scripts.all.get_mut(self.current)?;
        script.stats.get_mut(command - script.first_command)
    }

    /// A real ROLLBACK, as a client sends it, if a block is open; a pipeline is left.
    pub(super) fn roll_back(&mut self, around: &impl Surroundings) {
        self.session.abandon_pipeline();
        if self.session.in_transaction_block() {
            self.session.roll_back();
        }
        self.used = self.session.usage();
        self.now = around.now();
    }
}
