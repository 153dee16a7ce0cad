//! When the next transaction of a client begins: at once, at a moment of its schedule, or when a terminal is due.

use super::Client;
use crate::sampling::LoggedOutcome;
use crate::sink::Sink;
use crate::surroundings::{Phase, Surroundings};
use crate::terminals::Turn;
use crate::throttle::Start;
use crate::transport::Transport;

impl<T: Transport, S: Surroundings, K: Sink> Client<T, S, K> {
    /// Has all terminals start anew: the warm-up's backlog does not burden the measured part.
    pub(super) fn begin_terminals(&mut self) {
        if let Some(terminals) = &mut self.terminals {
            terminals.begin(self.around.began_at(), || self.runner.choose());
        }
    }

    /// The terminal whose transaction comes next; None: the run has no terminals.
    #[inline]
    pub(super) fn next_turn(&mut self) -> Option<Turn> {
        if !self.terminals.as_ref()?.has_begun() {
            self.begin_terminals();
        }
        self.terminals.as_mut()?.next()
    }

    /// Waits for the start of the next transaction; returns when it was due. None: it does not come any more.
    #[inline]
    pub(super) fn await_start(&mut self, measured: bool) -> Option<u64> {
        match self.throttle.next(|| self.around.now()) {
            // The end of one transaction is the start of the next.
            Start::Now => Some(self.runner.now),
            Start::At(due) => self.begins_at(due),
            Start::Skip => self.skip(measured),
        }
    }

    /// Waits for a moment of the schedule. None: it lies behind the end of the run.
    pub(super) fn begins_at(&mut self, due: u64) -> Option<u64> {
        if due >= self.around.deadline() {
            // Nothing more will begin; the main loop sees why.
            self.runner.now = self.around.deadline();
            return None;
        }
        self.wait_until(due).then_some(due)
    }

    /// Leaves out what is too late already: the script that was chosen is run at a later moment of the
    /// schedule.
    fn skip(&mut self, measured: bool) -> Option<u64> {
        let phase = self.around.phase();
        loop {
            self.runner.now = self.around.now();
            if measured {
                self.ended += 1;
                self.sink.skipped();
                if let Some(script) = self.scripts.get_mut(self.runner.script()) {
                    script.outcomes.skipped += 1;
                }
                self.write_log(LoggedOutcome::Skipped, 0, 0, 1);
                if self.is_over(self.runner.now) {
                    return None;
                }
            }
            if self.around.phase() != phase {
                return None;
            }
            match self.throttle.next(|| self.around.now()) {
                Start::Now => return Some(self.runner.now),
                Start::At(due) => return self.begins_at(due),
                Start::Skip => {}
            }
        }
    }

    /// Waits for a moment; false if the run was stopped meanwhile.
    pub(super) fn wait_until(&mut self, moment: u64) -> bool {
        self.runner.session.report_idle();
        let phase = self.around.phase();
        loop {
            let now = self.around.now();
            self.runner.now = now;
            // What was due in the warm-up does not come in the measured part.
            if phase == Phase::Stopping || self.around.phase() != phase {
                return false;
            }
            if now >= moment {
                return true;
            }
            self.around.pause(moment - now);
        }
    }
}
