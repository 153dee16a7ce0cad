//! When a client goes on: at its time, and after the commits that it has to wait for.

use super::{Company, Connected, Course, OnStage, Player};
use crate::commits::LOOK_AGAIN_NS;
use crate::options::Order;
use crate::plan::Session;
use crate::transactions::Planned;
use engine::{Phase, Sink, Transport};

impl<'p, S: Company, K: Sink> Player<'p, S, K> {
    /// Waits for the beginning of a session; false: the run is over.
    pub(super) fn await_session(&self, session: &Session) -> bool {
        let due = self.stage.plan.options.speed.scaled(session.from);
        self.wait_until(due.map(|due| self.around.began_at().saturating_add(due)))
    }

    /// When a statement is due: after the pause of the capture, but not later than the timetable has it, so that a session that is behind
    /// catches up; None: at once.
    pub(super) fn due<T: Transport>(
        &self,
        on_stage: &OnStage<'_, T>,
        statement: &Planned,
    ) -> Option<u64> {
        let speed = self.stage.plan.options.speed;
        let since = speed.scaled(on_stage.session.from + statement.started)?;
        let by_timetable = self.around.began_at().saturating_add(since);
        let after_pause = on_stage.last.and_then(|(captured, now)| {
            let pause = speed.scaled(statement.started - captured)?;
            Some(now.saturating_add(pause))
        });
        Some(after_pause.map_or(by_timetable, |after| after.min(by_timetable)))
    }

    /// How far behind the timetable of the capture a statement begins, ns.
    pub(super) fn lateness(&self, session: &Session, statement: &Planned, now: u64) -> u64 {
        let speed = self.stage.plan.options.speed;
        let since = speed.scaled(session.from + statement.started);
        since.map_or(0, |since| {
            now.saturating_sub(self.around.began_at().saturating_add(since))
        })
    }

    pub(super) fn is_over(&self) -> bool {
        self.around.phase() == Phase::Stopping || self.around.now() >= self.around.deadline()
    }

    /// Waits for a moment; false: the run is over.
    pub(super) fn wait_until(&self, moment: Option<u64>) -> bool {
        loop {
            if self.is_over() {
                return false;
            }
            let now = self.around.now();
            match moment {
                Some(moment) if now < moment => self.around.pause(moment - now),
                _ => return true,
            }
        }
    }

    /// Waits until so many commits are done; false: the run is over.
    pub(super) fn await_commits<T: Connected>(
        &self,
        transport: &mut T,
        place: u64,
        course: &mut Course,
    ) -> bool {
        let commits = &self.stage.commits;
        let is_free = self.stage.plan.options.order != Order::Commit || course.excused;
        if is_free || commits.borrow().are_done(place) {
            return true;
        }
        commits.borrow_mut().wait(self.client, place);
        // Without a lock there is nothing to ask; and the question is not to be the first that a transaction sees.
        let may_have_locks = course.has_run || !transport.in_transaction_block();
        let goes_on = loop {
            self.around.pause(LOOK_AGAIN_NS);
            if self.is_over() {
                break false;
            }
            if commits.borrow().are_done(place) {
                break true;
            }
            let stand_still = commits.borrow().stand_still(self.client, self.stage.left());
            let blocked = commits.borrow().may_be_blocked(self.around.now());
            let blocks = |pid| may_have_locks && transport.blocks(pid);
            if stand_still || blocked.is_some_and(blocks) {
                course.excused = true;
                self.stage.score.borrow_mut().totals.broken_waits += 1;
                break true;
            }
        };
        commits.borrow_mut().go_on(self.client, place);
        goes_on
    }
}
