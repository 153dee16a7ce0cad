//! Reasons to end a run early: somebody stops it, something fails, or a limit is near.

use super::clients::NoSlot;
use super::{Leader, log};
use crate::pg::process::{clock, worker};
use crate::run::record::run_row::{End, Milestone};
use crate::run::shared::Phase;
use crate::service::permission::Reason;

/// How long clients may take to finish their transactions after a stop, before their statements are cancelled.
const STOP_GRACE_NS: u64 = 5_000_000_000;

/// When they are cancelled again: a session discards a cancel that comes between two statements.
const CANCEL_AGAIN_NS: u64 = 500_000_000;

impl Leader {
    /// A clean stop, by somebody or for a reason; on a second request it does not wait for the clients' statements.
    pub(super) fn stop(&mut self, reason: Option<Reason>) {
        let again = self.stopping_since.is_some();
        self.end.get_or_insert(End::Stopped(reason));
        self.begin_stopping();
        if again {
            self.cancel_at_once();
        }
    }

    pub(super) fn fail(&mut self, sqlstate: &str, message: String) {
        self.end.get_or_insert(End::Failed {
            sqlstate: sqlstate.to_owned(),
            message,
        });
        self.begin_stopping();
    }

    pub(super) fn fail_for_want_of_slots(&mut self, NoSlot { worker }: &NoSlot) {
        let limit = worker::slots();
        self.fail(
            "53400",
            format!(
                "could not start {} {} of {}: all {limit} worker slots \
                 (max_worker_processes) are in use",
                self.clients.kind_of_worker(),
                worker + 1,
                self.clients.count()
            ),
        );
    }

    /// Lets the clients finish their transactions; statements of work that takes longer are cancelled.
    pub(super) fn begin_stopping(&mut self) {
        if self.stopping_since.is_none() {
            self.stopping_since = Some(clock::now());
            self.shared.set_phase(Phase::Stopping);
            if let Some(side) = &self.side {
                side.set_phase(Phase::Stopping);
            }
            self.clients.wake();
            self.stored.milestone(&Milestone::Draining);
            if !self.spec.work.finishes_soon() {
                self.cancel_at_once();
            }
        }
    }

    /// With `exit_on_abort`, the first client that an error ends takes the others with it, at once.
    pub(super) fn exit_on_abort(&mut self) {
        let goes_on = self.end.is_none() && self.stopping_since.is_none();
        if self.spec.exit_on_abort && goes_on && self.clients.any_aborted() {
            self.begin_stopping();
            self.cancel_at_once();
        }
    }

    /// Stops the run before it passes a limit.
    pub(super) fn keep_limits(&mut self, now: u64) {
        if self.end.is_some() || self.stopping_since.is_some() || !self.guard.is_due(now) {
            return;
        }
        if self.guard.is_curious(now) {
            let guard = &mut self.guard;
            self.stored.try_store(|_| guard.ask(now));
        }
        let failed = self.stored.carried.reading.outcomes().failed() + self.shared.failed();
        if let Some(reason) = self.guard.look(now, failed) {
            self.stop_for(reason);
        }
    }

    pub(super) fn stop_for(&mut self, reason: Reason) {
        log(&format!(
            "pgperf run {} stops: {}",
            self.launch.run_id, reason.message
        ));
        self.stop(Some(reason));
    }

    pub(super) fn stop_if_updated(&mut self) {
        if self.end.is_none() && self.stored.extension_was_updated() {
            self.stop_for(Reason {
                sqlstate: "55000",
                message: "the extension was updated meanwhile".to_owned(),
                hint: "Start it again: it then runs with the updated version.".to_owned(),
            });
        }
    }

    pub(super) fn cancel_laggards(&mut self, now: u64) {
        if self
            .stopping_since
            .is_some_and(|since| now > since + STOP_GRACE_NS)
        {
            self.cancel_at_once();
        }
    }

    /// Cancels what a stop still waits for, now and again and again.
    fn cancel_at_once(&mut self) {
        self.cancel_statements();
        self.stopping_since = Some((clock::now() + CANCEL_AGAIN_NS).saturating_sub(STOP_GRACE_NS));
    }
}
