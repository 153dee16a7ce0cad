//! The buffers that the sampler follows between its samples.

use crate::collect::watched::Followed;
use crate::pg::process::clock;
use crate::subject::hit_curve::{COLLECTOR, Looks, accesses_since};
use measure::hit_curve::Accesses;
use std::time::Duration;

/// The longest pause between two looks, of which a quiet server needs no more.
const LONGEST: Duration = Duration::from_millis(500);
/// The part of the sampler's budget that looks may take.
const SHARE: f64 = 0.25;

/// Follows the buffers while the collector is wanted.
#[derive(Default)]
pub struct Buffers {
    looks: Option<Looks>,
    /// The database's counters when the window began.
    before: Option<Accesses>,
}

impl Buffers {
    /// Whether a collector is the one that needs this.
    pub fn are_for(name: &str) -> bool {
        name == COLLECTOR.name
    }

    /// Begins or ends following. `budget`: the sampler's, as a part of one CPU.
    pub fn follow(&mut self, wanted: bool, budget: f64) {
        if !wanted {
            *self = Buffers::default();
        } else if let Some(looks) = &mut self.looks {
            looks.set_budget(budget * SHARE);
        } else {
            self.looks = Some(Looks::new(budget * SHARE, LONGEST));
        }
    }

    /// The part of the sampler's budget that it takes.
    pub fn share(&self) -> f64 {
        self.looks.as_ref().map_or(0.0, |_| SHARE)
    }

    /// Whether the next sample has anything to compare the counters with.
    pub fn have_begun(&self) -> bool {
        self.looks.is_none() || self.before.is_some()
    }

    /// Looks if it is time to; returns how long until the next look.
    pub fn look(&mut self) -> Duration {
        let Some(looks) = &mut self.looks else {
            return Duration::MAX;
        };
        looks.look_if_due();
        Duration::from_nanos(looks.next_at().saturating_sub(clock::now()))
    }

    /// What was seen since the last call, and the time that it took, given the database's counters now. None the first time, and
    /// after the counters began anew.
    pub fn take(&mut self, now: Accesses) -> Option<Followed> {
        let looks = self.looks.as_mut()?;
        let since = self.before.replace(now);
        match since.and_then(|before| accesses_since(&before, &now)) {
            Some(accesses) => Some(looks.take(accesses)),
            None => {
                looks.begin();
                None
            }
        }
    }
}
