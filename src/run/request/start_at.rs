//! The argument `start_at`: the moment at which a run's clients begin.

use crate::error::{Result, invalid};
use crate::pg::process::clock::{self, nanoseconds};
use crate::pg::server;
use crate::pg::sql::moment::Moment;
use serde::{Deserialize, Serialize};

/// That moment, as it is stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct StartAt(Moment);

/// # Errors
/// The moment has passed, or never comes.
pub fn check(moment: &Moment) -> Result<StartAt> {
    let at = moment
        .timestamp()
        .map_err(|error| invalid(format!("start_at: {error}")))?;
    let now = server::timestamp_now();
    if at <= now {
        let [at, now] = [at, now].map(server::timestamp_text);
        return Err(invalid("start_at has passed")
            .detailed(format!("It is {at}, and now is {now}."))
            .hinting("Leave the run some seconds to connect its clients: start_at => now() + interval '5 s'."));
    }
    Ok(StartAt(Moment::of(at)))
}

impl StartAt {
    /// So many seconds from now.
    pub fn in_seconds(seconds: f64) -> StartAt {
        StartAt(Moment::of(server::timestamp_now() + (seconds * 1e6) as i64))
    }

    /// So many seconds later, as the server counts time.
    pub fn timestamp(&self, later_s: f64) -> i64 {
        let later_us = (later_s * 1e6) as i64;
        self.0.timestamp().unwrap_or(0).saturating_add(later_us)
    }

    /// The same on the monotonic clock, in ns, by what both clocks say now: somebody may set the one of the server.
    pub fn monotonic(&self, later_s: f64) -> u64 {
        let left_us = self.timestamp(0.0) - server::timestamp_now();
        let now = clock::now() + nanoseconds(later_s);
        now.saturating_add_signed(left_us.saturating_mul(1000))
    }
}
