//! What stands for the samples and the parts of a window in the SQL of sections and rules.

use super::samples::POINTS;
use super::{Span, of_span};
use std::ops::RangeInclusive;

/// Stands for samples in a section's SQL.
pub const ALL: &str = "{samples}";
/// For those of small charts. A statement reads the ones or the others.
pub const FEW: &str = "{few_samples}";

/// The record that both stand for: $4.
const RECORD: &str = "pg_catalog.jsonb_to_recordset($4) AS p(sample_id pg_catalog.int8, taken_at pg_catalog.timestamptz, \
    before_id pg_catalog.int8, before_at pg_catalog.timestamptz, at_s pg_catalog.float8, since_s pg_catalog.float8, \
    seconds pg_catalog.float8, samples pg_catalog.int8)";

/// Which part of the window the row `h` belongs to: the number of the last one of these that has begun, or one less than the first. Each begins
/// `begins` after the window; `{offset}` is so many parts' length. Where they begin is computed once.
fn part(parts: i64, numbers: RangeInclusive<i64>, begins: &str) -> String {
    let offset = format!(
        "pg_catalog.make_interval(secs => n.no * pg_catalog.date_part('epoch', $3::pg_catalog.timestamptz - $2::pg_catalog.timestamptz) / {parts})"
    );
    format!(
        "(pg_catalog.width_bucket(h.taken_at, (SELECT pg_catalog.array_agg($2::pg_catalog.timestamptz + {} ORDER BY n.no) \
         FROM pg_catalog.generate_series({first}, {}) n(no))) - {})",
        begins.replace("{offset}", &offset),
        numbers.end(),
        1 - numbers.start(),
        first = numbers.start(),
    )
}

/// Of [`POINTS`] stretches, from 0; -1 before the window. A moment between two belongs to the second one.
fn stretch() -> String {
    let begins = "GREATEST('1 microsecond'::pg_catalog.interval, {offset})";
    part(POINTS, 0..=POINTS, begins)
}

/// Of sixtieths, from 0; below 0 before the window, -61 for all that is before the window of the same length before it. A moment between two
/// belongs to the first one.
fn sixtieth() -> String {
    let begins = "'1 microsecond'::pg_catalog.interval + {offset}";
    part(60, -60..=59, begins)
}

/// The SQL of a section or a rule with the samples as a record, with the parts of the window, and kept to the run whose span it is.
pub fn with_samples(sql: &str, span: &Span) -> String {
    let sql = sql.replace(ALL, RECORD).replace(FEW, RECORD);
    with_parts(&of_span(&sql, span.run))
}

/// Counters of a statement in the history. None of them falls as long as pg_stat_statements counts on.
const GROWING: [&str; 13] = [
    "calls",
    "total_exec_time",
    "rows",
    "shared_blks_hit",
    "shared_blks_read",
    "shared_blks_dirtied",
    "shared_blks_written",
    "shared_blk_read_time",
    "temp_blks_read",
    "temp_blks_written",
    "wal_bytes",
    "plans",
    "total_plan_time",
];

/// `{fell a b}`: whether a statement's counters fell from row a to row b of its history.
fn with_falls(sql: &str) -> String {
    let mut parts = sql.split("{fell ");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (rows, rest) = part.split_once('}').unwrap_or((part, ""));
        let (before, after) = rows.split_once(' ').unwrap_or((rows, rows));
        let differences = GROWING.map(|name| format!("{after}.{name} - {before}.{name}"));
        text.push_str(&format!("LEAST({}) < 0", differences.join(", ")));
        text.push_str(rest);
    }
    text
}

/// The same with the number of stretches, the stretch and the sixtieth of a row, and falls of a statement's counters.
pub fn with_parts(sql: &str) -> String {
    with_falls(sql)
        .replace("{stretch}", &stretch())
        .replace("{points}", &POINTS.to_string())
        .replace("{sixtieth}", &sixtieth())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_fell_where_any_of_its_counters_did() {
        let sql = with_parts("SELECT {fell f l} OR {fell x y}");
        assert!(sql.starts_with(
            "SELECT LEAST(l.calls - f.calls, l.total_exec_time - f.total_exec_time, "
        ));
        assert!(sql.contains(", l.wal_bytes - f.wal_bytes, "));
        assert!(sql.ends_with(", y.total_plan_time - x.total_plan_time) < 0"));
    }
}
