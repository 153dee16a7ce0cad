//! When a history is maintained.

use crate::guc;
use crate::pg::process::clock;
use std::time::Duration;

/// When it is first maintained: a server that is restarted every hour needs that, too.
const FIRST: Duration = Duration::from_secs(60);

/// The last time, or the beginning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Upkeep {
    /// Monotonic, in nanoseconds.
    pub at: u64,
    pub is_first: bool,
}

impl Upkeep {
    /// Nothing has been maintained yet.
    pub fn begin() -> Upkeep {
        Upkeep {
            at: clock::now(),
            is_first: true,
        }
    }

    /// Whether it is due; then it is taken as done.
    pub fn take_if_due(&mut self) -> bool {
        let Some(interval) = guc::maintain_interval() else {
            return false;
        };
        let pause = match self.is_first {
            true => FIRST.min(interval),
            false => interval,
        };
        let now = clock::now();
        let is_due = now >= self.at + pause.as_nanos() as u64;
        if is_due {
            (self.at, self.is_first) = (now, false);
        }
        is_due
    }
}
