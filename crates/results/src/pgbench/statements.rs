//! Latencies of statements (`-r`).

use crate::facts::Statement;
use crate::numbers::{count, decimal};

/// `0.041  BEGIN;` with so many figures before the text: the latency, then failures, then retries.
pub fn read(line: &str, columns: usize) -> Option<Statement> {
    let (latency, mut rest) = word(line)?;
    // Latencies have decimals; what has none is of a log.
    let latency_avg_ms = Some(decimal(latency).filter(|_| latency.contains('.'))?);
    let mut counts = [None; 2];
    for place in counts.iter_mut().take(columns.saturating_sub(1)) {
        let (number, behind) = word(rest)?;
        *place = Some(count(number)?);
        rest = behind;
    }
    let [failed, retries] = counts;
    let mut statement = Statement {
        text: rest.trim().to_owned(),
        failed,
        retries,
        ..Statement::default()
    };
    statement.latency.latency_avg_ms = latency_avg_ms;
    (!statement.text.is_empty()).then_some(statement)
}

fn word(text: &str) -> Option<(&str, &str)> {
    text.trim_start().split_once(char::is_whitespace)
}
