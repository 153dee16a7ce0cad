//! The budget of one call.

use std::time::{Duration, Instant};

/// Assumed minimum speed of a disk, 200 MB/s: decides whether a relation that has to be read whole still fits. (A
/// partial reading would be lost.)
const PAGES_PER_SECOND: f64 = 25_600.0;

/// Time and pages that are left; None: unlimited.
#[derive(Debug, Clone, Copy)]
pub struct Budget {
    until: Option<Instant>,
    pages: Option<u64>,
}

impl Budget {
    /// From now on.
    pub fn new(time: Option<Duration>, pages: Option<u64>) -> Self {
        Budget {
            until: time.and_then(|time| Instant::now().checked_add(time)),
            pages,
        }
    }

    /// Reserves time for later work.
    pub fn set_aside(&mut self, time: Duration) {
        self.until = self
            .until
            .map(|until| until.checked_sub(time).unwrap_or(until));
    }

    /// Counts pages that were read elsewhere.
    pub fn take(&mut self, pages: u64) {
        if let Some(left) = &mut self.pages {
            *left = left.saturating_sub(pages);
        }
    }

    /// Counts a page that is about to be read; false: it must not be.
    pub fn take_page(&mut self) -> bool {
        if self.is_used_up() {
            return false;
        }
        self.take(1);
        true
    }

    pub fn is_used_up(&self) -> bool {
        self.pages == Some(0) || self.until.is_some_and(|until| Instant::now() >= until)
    }

    /// Whether that many pages in a row most likely fit.
    pub fn has_room_for(&self, pages: u64) -> bool {
        let seconds = pages as f64 / PAGES_PER_SECOND;
        self.pages.is_none_or(|left| pages <= left)
            && self.until.is_none_or(|until| {
                seconds
                    <= until
                        .saturating_duration_since(Instant::now())
                        .as_secs_f64()
            })
    }

    /// As many of these pages as the budget allows.
    pub fn at_most(&self, pages: u32) -> u32 {
        match self.pages {
            Some(left) => pages.min(u32::try_from(left).unwrap_or(u32::MAX)),
            None => pages,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_and_time_run_out() {
        let mut budget = Budget::new(None, Some(2));
        assert!(budget.has_room_for(2) && !budget.has_room_for(3));
        assert!(budget.take_page() && budget.take_page() && !budget.take_page());
        let budget = Budget::new(Some(Duration::from_secs(3600)), None);
        assert!(budget.has_room_for(1_000_000) && !budget.has_room_for(1_000_000_000));
        assert!(Budget::new(Some(Duration::ZERO), None).is_used_up());
        assert!(!Budget::new(None, None).is_used_up());
        assert_eq!(Budget::new(None, Some(5)).at_most(7), 5);
    }
}
