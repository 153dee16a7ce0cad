//! The contents of a range of WAL by resource manager and record type, from the windows that were read.

use measure::ratio_margin;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// A line of pg_get_wal_stats.
#[derive(Debug, Clone, Deserialize)]
pub struct Line {
    pub resource_manager: String,
    pub record_type: String,
    pub records: i64,
    pub record_bytes: i64,
    pub fpi_bytes: i64,
}

/// The sums over windows, with the values needed for the margins.
#[derive(Debug, Default)]
pub struct Breakdown {
    types: BTreeMap<(String, String), Sum>,
    /// Bytes of all records of each window.
    window_bytes: Vec<f64>,
}

#[derive(Debug, Default)]
struct Sum {
    records: i64,
    record_bytes: i64,
    fpi_bytes: i64,
    /// (window, bytes) of each window where it occurred.
    windows: Vec<(usize, f64)>,
}

/// Columns of wal_rmgr_history.
#[derive(Serialize)]
struct RecordTypeCounts<'a> {
    start_lsn: &'a str,
    end_lsn: &'a str,
    resource_manager: &'a str,
    record_type: &'a str,
    records: i64,
    record_bytes: i64,
    fpi_bytes: i64,
    sampled_percent: f64,
    error_margin_percent: Option<f64>,
}

impl Breakdown {
    /// Adds the contents of one window.
    pub fn add(&mut self, lines: Vec<Line>) {
        let window = self.window_bytes.len();
        let mut all = 0.0;
        for line in lines {
            let bytes = (line.record_bytes + line.fpi_bytes) as f64;
            all += bytes;
            let sum = self
                .types
                .entry((line.resource_manager, line.record_type))
                .or_default();
            sum.records += line.records;
            sum.record_bytes += line.record_bytes;
            sum.fpi_bytes += line.fpi_bytes;
            sum.windows.push((window, bytes));
        }
        self.window_bytes.push(all);
    }

    /// Rows of the history: sums over the windows read, and the margin of error of each type's share of all bytes.
    pub fn rows(
        &self,
        start_lsn: &str,
        end_lsn: &str,
        sampled_percent: f64,
    ) -> serde_json::Result<Vec<Value>> {
        self.types
            .iter()
            .map(|((resource_manager, record_type), sum)| {
                serde_json::to_value(RecordTypeCounts {
                    start_lsn,
                    end_lsn,
                    resource_manager,
                    record_type,
                    records: sum.records,
                    record_bytes: sum.record_bytes,
                    fpi_bytes: sum.fpi_bytes,
                    sampled_percent,
                    error_margin_percent: self.margin(sum, sampled_percent),
                })
            })
            .collect()
    }

    fn margin(&self, sum: &Sum, sampled_percent: f64) -> Option<f64> {
        if sampled_percent >= 100.0 {
            return Some(0.0);
        }
        let mut parts = vec![0.0; self.window_bytes.len()];
        for (window, bytes) in &sum.windows {
            if let Some(part) = parts.get_mut(*window) {
                *part = *bytes;
            }
        }
        let unread = 1.0 - sampled_percent / 100.0;
        Some(100.0 * ratio_margin(&parts, &self.window_bytes)? * unread.sqrt())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(record_type: &str, bytes: i64) -> Line {
        Line {
            resource_manager: "Heap".to_owned(),
            record_type: record_type.to_owned(),
            records: 10,
            record_bytes: bytes,
            fpi_bytes: 0,
        }
    }

    fn margins(breakdown: &Breakdown, percent: f64) -> Vec<Option<f64>> {
        let rows = breakdown.rows("0/1", "0/2", percent).unwrap();
        rows.iter()
            .map(|row| row["error_margin_percent"].as_f64())
            .collect()
    }

    #[test]
    fn windows_add_up() {
        let mut breakdown = Breakdown::default();
        breakdown.add(vec![line("INSERT", 900), line("DELETE", 100)]);
        breakdown.add(vec![line("INSERT", 1000)]);
        let rows = breakdown.rows("0/1", "0/2", 50.0).unwrap();
        assert_eq!(rows.len(), 2);
        assert_eq!(rows[0]["record_type"], "DELETE");
        assert_eq!(rows[1]["records"], 20);
        assert_eq!(rows[1]["record_bytes"], 1900);
    }

    #[test]
    fn what_was_read_whole_has_no_margin_and_one_window_an_unknown_one() {
        let mut breakdown = Breakdown::default();
        breakdown.add(vec![line("INSERT", 900), line("DELETE", 100)]);
        assert_eq!(margins(&breakdown, 100.0), [Some(0.0), Some(0.0)]);
        assert_eq!(margins(&breakdown, 10.0), [None, None]);
    }

    #[test]
    fn alike_windows_have_a_small_margin_and_different_ones_a_wide_one() {
        let (mut alike, mut different) = (Breakdown::default(), Breakdown::default());
        for i in 0..16 {
            alike.add(vec![line("INSERT", 900 + i), line("DELETE", 100)]);
            let bytes = if i % 2 == 0 { 900 } else { 100 };
            different.add(vec![line("INSERT", bytes), line("DELETE", 1000 - bytes)]);
        }
        assert!(margins(&alike, 1.0)[0].unwrap() < 0.5);
        let wide = margins(&different, 1.0)[0].unwrap();
        assert!(wide > 15.0 && wide < 30.0, "{wide}");
    }
}
