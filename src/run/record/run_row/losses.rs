//! The part of a run's history that could not be stored: its row says so, since readers of a report do not read the
//! server's log.

use crate::collect::Sample;

/// Losses of one segment of a run.
#[derive(Debug, Default)]
pub struct Losses {
    /// The number of missing samples, and why the last one is missing.
    samples: u64,
    sample_reason: String,
    /// How often a collector failed within a sample; the last one and its reason.
    failures: u64,
    failure: String,
    /// Why other rows of the run were not stored.
    rows_reason: Option<String>,
}

impl Losses {
    pub fn sample(&mut self, reason: &str) {
        self.samples += 1;
        reason.clone_into(&mut self.sample_reason);
    }

    /// Collectors that failed in a stored sample.
    pub fn within(&mut self, sample: &Sample) {
        for (collector, reason) in sample.failures() {
            self.failures += 1;
            self.failure = format!("{collector}: {reason}");
        }
    }

    pub fn rows(&mut self, reason: &str) {
        self.rows_reason = Some(reason.to_owned());
    }

    /// For `pgperf_internal.stored_runs.history_error`; None: nothing is missing.
    pub fn text(&self) -> Option<String> {
        let mut parts = Vec::new();
        if let Some(reason) = &self.rows_reason {
            parts.push(format!("rows of the run were not stored ({reason})"));
        }
        match self.samples {
            0 => {}
            1 => parts.push(format!("1 sample was not stored ({})", self.sample_reason)),
            n => parts.push(format!(
                "{n} samples were not stored (the last: {})",
                self.sample_reason
            )),
        }
        match self.failures {
            0 => {}
            1 => parts.push(format!("a collector failed ({})", self.failure)),
            n => parts.push(format!(
                "collectors failed {n} times (the last: {})",
                self.failure
            )),
        }
        (!parts.is_empty()).then(|| parts.join("; "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_counted_with_the_last_reason() {
        let mut losses = Losses::default();
        assert_eq!(losses.text(), None);
        losses.sample("no room");
        assert_eq!(losses.text().unwrap(), "1 sample was not stored (no room)");
        losses.sample("no table");
        losses.rows("no right");
        assert_eq!(
            losses.text().unwrap(),
            "rows of the run were not stored (no right); 2 samples were not stored (the last: no table)"
        );
    }
}
