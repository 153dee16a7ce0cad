//! The measured columns of `bloat_history`, and the figures derived from pgstattuple's. Pure arithmetic.
//!
//! If pages are only counted and not read, bloat is estimated from tuples of average size.

use serde::{Deserialize, Serialize};

/// The server's BLCKSZ.
const PAGE_BYTES: i64 = crate::pg::pages::page::PAGE_BYTES as i64;

/// A heap page's header, and one line pointer.
const PAGE_HEADER_BYTES: f64 = 24.0;
const LINE_POINTER_BYTES: f64 = 4.0;
const ALIGNMENT: f64 = 8.0;

/// The measured columns of `bloat_history`.
#[derive(Debug, Default, Serialize)]
pub struct Figures {
    pub size_bytes: i64,
    pub pages_read: i64,
    pub live_tuples: Option<i64>,
    pub live_bytes: Option<i64>,
    pub live_percent: Option<f64>,
    pub dead_tuples: Option<i64>,
    pub dead_bytes: Option<i64>,
    pub dead_percent: Option<f64>,
    pub free_bytes: Option<i64>,
    pub free_percent: Option<f64>,
    pub bloat_bytes: Option<i64>,
    pub bloat_percent: Option<f64>,
    pub leaf_density_percent: Option<f64>,
    pub leaf_fragmentation_percent: Option<f64>,
    pub deleted_pages: Option<i64>,
    pub error_margin_percent: Option<f64>,
}

/// A share of the whole; None if the whole is 0.
pub fn percent(part: i64, whole: i64) -> Option<f64> {
    (whole > 0).then(|| 100.0 * part as f64 / whole as f64)
}

/// The figures of pgstattuple and pgstattuple_approx.
#[derive(Debug, Deserialize)]
pub struct Heap {
    pub size_bytes: i64,
    pub scanned_percent: f64,
    pub live_tuples: i64,
    pub live_bytes: i64,
    pub dead_tuples: i64,
    pub dead_bytes: i64,
    pub free_bytes: i64,
    /// Most pages came from the free space map.
    pub approx: bool,
}

impl Heap {
    /// The figures of a table.
    pub fn figures(&self, fillfactor: i32) -> Figures {
        let bloat = self.bloat_bytes(fillfactor);
        Figures {
            bloat_bytes: Some(bloat),
            bloat_percent: percent(bloat, self.size_bytes),
            ..self.index_figures()
        }
    }

    /// The figures of an index whose tuples pgstattuple counts, but whose ideal shape is unknown.
    pub fn index_figures(&self) -> Figures {
        let size = self.size_bytes;
        Figures {
            size_bytes: size,
            pages_read: ((size / PAGE_BYTES) as f64 * self.scanned_percent / 100.0).round() as i64,
            live_tuples: Some(self.live_tuples),
            live_bytes: Some(self.live_bytes),
            live_percent: percent(self.live_bytes, size),
            dead_tuples: Some(self.dead_tuples),
            dead_bytes: Some(self.dead_bytes),
            dead_percent: percent(self.dead_bytes, size),
            free_bytes: Some(self.free_bytes),
            free_percent: percent(self.free_bytes, size),
            error_margin_percent: (!self.approx).then_some(0.0),
            ..Figures::default()
        }
    }

    /// The size less the pages that the live tuples, all of average size, would fill.
    fn bloat_bytes(&self, fillfactor: i32) -> i64 {
        if self.live_tuples == 0 {
            return self.size_bytes;
        }
        let reserved = PAGE_BYTES as f64 * f64::from(100 - fillfactor) / 100.0;
        let room = PAGE_BYTES as f64 - PAGE_HEADER_BYTES - reserved;
        let tuples_a_page = (room / self.bytes_a_tuple()).floor().max(1.0);
        let ideal_pages = (self.live_tuples as f64 / tuples_a_page).ceil() as i64;
        (self.size_bytes - ideal_pages * PAGE_BYTES).max(0)
    }

    /// The space that a tuple takes, with its line pointer and alignment.
    fn bytes_a_tuple(&self) -> f64 {
        let tuples = self.live_tuples as f64;
        if self.approx {
            // All-visible pages count whole except their free space: overhead is included already, also each page's
            // header, which `room` accounts for.
            let pages = (self.size_bytes / PAGE_BYTES) as f64;
            let used = (self.size_bytes - self.free_bytes - self.dead_bytes) as f64;
            return ((used - pages * PAGE_HEADER_BYTES) / tuples)
                .max(LINE_POINTER_BYTES + ALIGNMENT);
        }
        let average = self.live_bytes as f64 / tuples;
        let aligned = if self.live_bytes % self.live_tuples == 0 {
            // All of one size, most likely.
            (average / ALIGNMENT).ceil() * ALIGNMENT
        } else {
            // Sizes vary: alignment takes half of its most on average.
            average + (ALIGNMENT - 1.0) / 2.0
        };
        aligned + LINE_POINTER_BYTES
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 61 tuples of 121 bytes fill a page and leave 116 bytes that no such tuple can use.
    fn accounts(pages: i64, live: i64) -> Heap {
        Heap {
            size_bytes: pages * PAGE_BYTES,
            scanned_percent: 100.0,
            live_tuples: live,
            live_bytes: live * 121,
            dead_tuples: 0,
            dead_bytes: 0,
            free_bytes: pages * (PAGE_BYTES - 24) - live * 132,
            approx: false,
        }
    }

    #[test]
    fn a_fresh_table_has_no_bloat() {
        assert_eq!(accounts(1640, 100_000).figures(100).bloat_bytes, Some(0));
        assert_eq!(accounts(1, 1).figures(100).bloat_bytes, Some(0));
        let approx = Heap {
            approx: true,
            ..accounts(1640, 100_000)
        };
        assert_eq!(approx.figures(100).bloat_bytes, Some(0));
        assert_eq!(approx.figures(100).error_margin_percent, None);
    }

    /// Of one size it is known, otherwise half of the most.
    #[test]
    fn a_tuple_takes_its_alignment_too() {
        assert_eq!(accounts(1, 10).bytes_a_tuple(), 128.0 + 4.0);
        let varied = Heap {
            live_bytes: 1_215,
            ..accounts(1, 10)
        };
        assert_eq!(varied.bytes_a_tuple(), 121.5 + 3.5 + 4.0);
    }

    #[test]
    fn what_a_rewrite_gives_back_is_bloat() {
        let half = accounts(1640, 50_000).figures(100).bloat_percent.unwrap();
        assert!((half - 50.0).abs() < 0.1, "{half}");
        // At fillfactor 70 the same table is only as large as it should be, or nearly so.
        let roomy = accounts(1640, 70_000).figures(70).bloat_percent.unwrap();
        assert!(roomy < 2.0, "{roomy}");
        assert_eq!(accounts(10, 0).figures(100).bloat_percent, Some(100.0));
    }

    #[test]
    fn an_empty_relation_has_no_percentages() {
        let empty = accounts(0, 0).figures(100);
        assert_eq!((empty.bloat_bytes, empty.bloat_percent), (Some(0), None));
    }
}
