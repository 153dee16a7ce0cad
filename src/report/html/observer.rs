//! The cost of measuring, in a sentence.

use crate::report::model::Report;
use crate::report::topics::figures;
use crate::show::number::{Unit, bytes, duration, integer};

/// What a run's samples have cost, and what of that is in its figures.
pub fn sentence(report: &Report) -> String {
    let Some(observer) = &report.observer else {
        return String::new();
    };
    let run = &report.facts.run;
    let mut text = format!(
        "{} samples took {} in all",
        integer(observer.samples),
        Unit::Milliseconds.write(observer.elapsed_ms)
    );
    if let Some(cpu_ms) = observer.cpu_ms {
        text += &format!(", of which {} on a CPU", Unit::Milliseconds.write(cpu_ms));
    }
    if let Some(seconds) = run.duration_s.filter(|seconds| *seconds > 0.0) {
        text += &format!(
            ", {} of the time of one process over {}",
            Unit::Percent.write(observer.elapsed_ms / 10.0 / seconds),
            duration(seconds)
        );
    }
    text += &format!(
        "; they wrote {} rows and {} of WAL, and looked at {} pages.",
        integer(observer.rows),
        bytes(observer.wal_bytes as f64),
        integer(observer.pages)
    );
    if let Some(own) = figures::of_pgperf(run) {
        text += &format!(
            " With the intervals, pgperf added {own}. That is not in the run's own figures, nor in the totals of WAL, transaction ids, \
             blocks and growth. It is part of what is known of the whole server or machine only: the charts of WAL, its resource \
             managers, and of them the totals wal bytes.\u{2026} and wal fpi percent; checkpoints, shared buffers, the ages and \
             the rate of transaction ids; CPU, memory and devices."
        );
    }
    text
}
