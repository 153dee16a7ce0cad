//! Moments, as arguments: timestamps with a time zone.

use super::options::SqlValue;
use crate::error::{Result, invalid};
use crate::pg::server;
use serde::{Deserialize, Serialize};

/// A moment, as text that tells its offset from UTC.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Moment(pub String);

impl SqlValue for Moment {
    const SQL_TYPE: &'static str = "timestamp with time zone";

    fn text(&self) -> Option<String> {
        Some(self.0.clone())
    }
}

impl Moment {
    /// The same, as the server writes it.
    pub fn of(timestamp: i64) -> Moment {
        Moment(server::timestamp_text(timestamp))
    }

    /// As the server counts time, in microseconds.
    ///
    /// # Errors
    /// It is no moment, or one without end.
    pub fn timestamp(&self) -> Result<i64> {
        let timestamp = server::timestamp_of(&self.0);
        let finite = timestamp.filter(|at| ![i64::MIN, i64::MAX].contains(at));
        finite.ok_or_else(|| invalid(format!("{} is no moment", self.0)))
    }
}
