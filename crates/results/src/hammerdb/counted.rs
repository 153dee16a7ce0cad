//! What HammerDB prints beside its result: the transaction counter, and the table of `etprof`.

use super::ResultBlock;
use crate::facts::Script;
use crate::numbers::{count, decimal, with_unit};

/// What the transaction counter showed in the first days of a run.
const MOST_COUNTED: usize = 1_000_000;

impl ResultBlock {
    /// `193290 PostgreSQL tpm`, in its log with the time behind an `@`.
    pub(super) fn counter(&mut self, line: &str) -> bool {
        if line.starts_with("Test complete") {
            self.counts = false;
        }
        let (line, _) = line.split_once(" @ ").unwrap_or((line, ""));
        let Some(rest) = line.strip_suffix(" tpm") else {
            return false;
        };
        let tpm = rest.split_once(' ').and_then(|(number, _)| decimal(number));
        if self.counts && self.counted.len() < MOST_COUNTED {
            self.counted.extend(tpm);
        }
        tpm.is_some()
    }

    /// The table of `etprof`, times in µs: `|neword | 82051665|39.96%| 93933| 873| 88760245|`. The first and the average time are the procedure's own,
    /// the last one includes those that it called.
    pub(super) fn table(&mut self, line: &str) -> bool {
        let Some(inside) = line.strip_prefix('|') else {
            return false;
        };
        let cells: Vec<&str> = inside
            .trim_end_matches('|')
            .split('|')
            .map(str::trim)
            .collect();
        if cells[0] == "PROCNAME" {
            self.forget_procedures();
            return true;
        }
        if cells[0].starts_with("PERCENTILES ")
            || cells.get(1).is_some_and(|cell| cell.starts_with("MIN-"))
        {
            self.has_parts = true;
            return true;
        }
        let [name, own, share, calls, average, whole] = cells[..] else {
            return false;
        };
        let share = with_unit(share, "%");
        let (Some(own), Some(share), Some(calls), Some(average)) =
            (decimal(own), share, count(calls), decimal(average))
        else {
            return false;
        };
        for (metric, value, unit) in [
            ("procedure_own_ms", own / 1e3, "ms"),
            ("procedure_own_avg_ms", average / 1e3, "ms"),
            ("procedure_time_percent", share, "%"),
        ] {
            self.run.figure(format!("{metric}.{name}"), value, unit);
        }
        // What is outside of all procedures has no whole.
        let Some(whole) = decimal(whole) else {
            return whole == "NOT AVAILABLE";
        };
        self.run
            .figure(format!("procedure_total_ms.{name}"), whole / 1e3, "ms");
        let mut script = Script {
            name: name.to_owned(),
            transactions: Some(calls),
            ..Script::default()
        };
        script.latency.latency_avg_ms = (calls > 0).then(|| whole / 1e3 / calls as f64);
        self.run.scripts.push(script);
        true
    }
}
