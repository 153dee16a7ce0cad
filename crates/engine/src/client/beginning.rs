//! The start of a client's next transaction: at once, at the next time of its schedule, or when a terminal is due.

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
        if self.rate_is_another() {
            self.follow_rate();
        }
        match self.throttle.next(|| self.around.now()) {
            // The end of one transaction is the start of the next.
            Start::Now => Some(self.runner.now),
            Start::At(due) => self.begins_by_rate(due),
            Start::Skip => self.skip(measured),
        }
    }

    /// Whether the rate was altered since this client looked last.
    #[inline]
    fn rate_is_another(&self) -> bool {
        self.around.rate_revision() != self.throttle.revision()
    }

    /// Starts a schedule at the rate that the run has now.
    #[cold]
    fn follow_rate(&mut self) {
        self.throttle.alter(self.around.altered());
        self.scheduled = true;
    }

    /// Waits for a moment of the schedule, or, if the rate is altered meanwhile, for one of the next schedule.
    fn begins_by_rate(&mut self, due: u64) -> Option<u64> {
        let phase = self.around.phase();
        let begun = self.begins_at(due);
        if begun.is_some() {
            return begun;
        }
        while self.rate_is_another() && self.around.phase() == phase {
            self.follow_rate();
            let begun = match self.throttle.next(|| self.around.now()) {
                Start::Now => Some(self.runner.now),
                // It cannot be too late: the schedule has just begun.
                Start::At(due) => self.begins_at(due),
                Start::Skip => None,
            };
            if begun.is_some() {
                return begun;
            }
        }
        None
    }

    /// Waits for a moment of the schedule. None: it lies behind the end of the run, or the schedule is another one now.
    pub(super) fn begins_at(&mut self, due: u64) -> Option<u64> {
        if due >= self.around.deadline() {
            // Nothing more will begin; the main loop sees why.
            self.runner.now = self.around.deadline();
            return None;
        }
        self.wait(due, true).then_some(due)
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
                Start::At(due) => return self.begins_by_rate(due),
                Start::Skip if self.rate_is_another() => return self.await_start(measured),
                Start::Skip => {}
            }
        }
    }

    /// Waits for a moment; false if the run was stopped meanwhile.
    pub(super) fn wait_until(&mut self, moment: u64) -> bool {
        self.wait(moment, false)
    }

    /// As above; `by_rate`: also if the rate was altered meanwhile.
    fn wait(&mut self, moment: u64, by_rate: bool) -> bool {
        self.runner.session.idle();
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
            if by_rate && self.rate_is_another() {
                return false;
            }
            self.note_turn();
            self.around.pause(moment - now);
        }
    }
}
