//! Observations of the leader, many between two ticks: wait events of its clients, and the buffers.

use super::{Leader, WATCH_INTERVAL};
use crate::pg::process::{clock, latch};
use crate::run::request::spec::Transport;
use crate::run::shared::Shared;
use crate::run::shared::reading::Reading;
use crate::run::shared::slot::{ClientState, Counter, Slot};
use crate::subject::hit_curve::Looks;
use measure::hit_curve::Accesses;
use std::time::Duration;

/// How often it reads the wait events of its clients.
const LOOK_INTERVAL: Duration = Duration::from_millis(10);
/// The part of one CPU that looks at the buffers may take.
const BUDGET: f64 = 0.01;

/// The processes in which the statements of connections run, as they were seen last: their process ids, and their numbers in the server's
/// array of processes.
#[derive(Default)]
pub struct Sessions(Vec<(i32, Option<u64>)>);

impl Sessions {
    /// The numbers of those whose clients work.
    fn of(&mut self, shared: &Shared, transport: Transport) -> Vec<u64> {
        let working = |slot: &Slot| slot.state() == ClientState::Working;
        if transport.is_inside() {
            let slots = shared.slots().filter(working);
            return slots.map(|slot| slot.get(Counter::Proc)).collect();
        }
        self.0.resize(shared.slots().count(), (0, None));
        let known = shared.slots().zip(&mut self.0);
        let working = known.filter(|(slot, _)| working(slot));
        let number = |(slot, known): (Slot, &mut (i32, Option<u64>))| {
            let pid = slot.get(Counter::SessionPid) as i32;
            if known.0 != pid {
                *known = (pid, latch::proc_number(pid));
            }
            known.1
        };
        working.filter_map(number).collect()
    }
}

impl Leader {
    /// Waits for at most `limit` or until somebody wakes it; meanwhile reads the clients' wait events and the buffers.
    pub(super) fn nap(&mut self, limit: Duration) {
        if !self.watches_waits && self.looks.is_none() {
            latch::wait(limit);
            return;
        }
        let now = clock::now();
        let until = now + limit.as_nanos() as u64;
        let mut waits_at = match self.watches_waits {
            true => now + LOOK_INTERVAL.as_nanos() as u64,
            false => u64::MAX,
        };
        loop {
            if let Some(looks) = &mut self.looks {
                looks.look_if_due();
            }
            let looks_at = self.looks.as_ref().map_or(u64::MAX, Looks::next_at);
            let next = until.min(waits_at).min(looks_at);
            let left = Duration::from_nanos(next.saturating_sub(clock::now()));
            if !left.is_zero() && latch::wait(left) {
                return;
            }
            let now = clock::now();
            if self.watches_waits && now >= waits_at.min(until) {
                waits_at = now + LOOK_INTERVAL.as_nanos() as u64;
                let sessions = self.sessions.of(&self.shared, self.spec.transport);
                self.stored.watched.clients.look(sessions.into_iter());
            }
            if now >= until {
                return;
            }
        }
    }

    /// Begins to follow the buffers, if the run asks for it: before a warm-up, which then makes the pages known.
    pub(super) fn follow_buffers(&mut self) {
        if self.spec.hit_curve {
            self.looks = Some(Looks::new(BUDGET, WATCH_INTERVAL));
        }
    }

    /// The measured part begins.
    pub(super) fn begin_hit_curve(&mut self) {
        if let Some(looks) = &mut self.looks {
            looks.begin();
        }
    }

    /// The clients have ended: what was seen becomes part of the sample at the end.
    pub(super) fn end_hit_curve(&mut self, measured: bool) {
        let Some(mut looks) = self.looks.take().filter(|_| measured) else {
            return;
        };
        let reading = Reading::take(&self.shared, clock::now());
        let accesses = Accesses {
            hits: reading.get(Counter::BlocksHit),
            reads: reading.get(Counter::BlocksRead),
            reads_have_extensions: false,
        };
        self.stored.watched.hit_curve = Some(looks.take(accesses));
    }
}
