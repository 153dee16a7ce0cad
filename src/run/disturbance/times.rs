//! When a disturbance occurs, in seconds since the measured part of the run began.

use serde::{Deserialize, Serialize};

/// The times of a disturbance.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Times {
    /// When it occurs first.
    pub at_s: f64,
    /// After how long it occurs again; None: once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub every_s: Option<f64>,
    /// How long it lasts; None: until its statements have ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub for_s: Option<f64>,
}

impl Times {
    /// When an occurrence is due, counted from 0; None: there is no such one.
    pub fn due_s(&self, occurrence: u32) -> Option<f64> {
        match (occurrence, self.every_s) {
            (0, _) => Some(self.at_s),
            (_, Some(every_s)) => Some(self.at_s + f64::from(occurrence) * every_s),
            (_, None) => None,
        }
    }

    /// The first occurrence that is due at this moment or after it.
    pub fn first_from(&self, from_s: f64) -> u32 {
        let passed = from_s - self.at_s;
        match self.every_s {
            _ if passed <= 0.0 => 0,
            Some(every_s) => (passed / every_s).ceil() as u32,
            None => 1,
        }
    }

    /// The last occurrence that is due by this moment, of those from `next` on.
    pub fn last_due(&self, next: u32, now_s: f64) -> Option<u32> {
        if self.due_s(next)? > now_s {
            return None;
        }
        let further = self
            .every_s
            .map_or(0, |every_s| ((now_s - self.at_s) / every_s) as u32);
        Some(further.max(next))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(at_s: f64, every_s: Option<f64>) -> Times {
        Times {
            at_s,
            every_s,
            for_s: None,
        }
    }

    #[test]
    fn one_without_every_occurs_once() {
        let once = times(5.0, None);
        assert_eq!((once.due_s(0), once.due_s(1)), (Some(5.0), None));
        assert_eq!((once.first_from(0.0), once.first_from(5.0)), (0, 0));
        assert_eq!(once.first_from(5.1), 1);
        assert_eq!(once.last_due(0, 4.9), None);
        assert_eq!(once.last_due(0, 100.0), Some(0));
        assert_eq!(once.last_due(1, 100.0), None);
    }

    #[test]
    fn others_occur_again_and_again() {
        let often = times(5.0, Some(10.0));
        assert_eq!(often.due_s(3), Some(35.0));
        assert_eq!((often.first_from(15.0), often.first_from(15.1)), (1, 2));
        assert_eq!(often.last_due(0, 5.0), Some(0));
        assert_eq!(often.last_due(1, 14.9), None);
        // A leader that was late does not make up for those in between.
        assert_eq!(often.last_due(1, 40.0), Some(3));
    }
}
