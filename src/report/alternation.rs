//! `pgperf.alternation`: the difference between two sides that alternated within a run.

use super::model::alternation::{Alternation, Difference, load};
use super::{named, stored_run};
use crate::catalog::runs::{Found, by_id};
use crate::error::{Result, invalid};
use crate::pg::catalog::role::as_owner;
use crate::pg::sql::text::Text;
use crate::show::delta::{interval, probability, short_percent};
use crate::show::text::{WIDTH, one_line};
use measure::turns::Side;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;

/// `pgperf.alternation(run_id bigint)`.
#[pg_extern(sql = false)]
#[allow(clippy::type_complexity)]
fn alternation(
    run_id: Option<i64>,
) -> std::result::Result<
    TableIterator<
        'static,
        (
            name!(metric, Text),
            name!(unit, Text),
            name!(direction, Option<Text>),
            name!(a, Option<f64>),
            name!(b, Option<f64>),
            name!(change_percent, Option<f64>),
            name!(ci_low_percent, Option<f64>),
            name!(ci_high_percent, Option<f64>),
            name!(p_value, Option<f64>),
            name!(p_adjusted, Option<f64>),
            name!(blocks, i32),
            name!(verdict, Text),
        ),
    >,
    ErrorReport,
> {
    Ok(TableIterator::new(rows(&by_id(run_id)?)?))
}

/// `pgperf.alternation(run text)`.
#[pg_extern(sql = false)]
#[allow(clippy::type_complexity)]
fn alternation_by_name(
    run: Option<Text>,
) -> std::result::Result<
    TableIterator<
        'static,
        (
            name!(metric, Text),
            name!(unit, Text),
            name!(direction, Option<Text>),
            name!(a, Option<f64>),
            name!(b, Option<f64>),
            name!(change_percent, Option<f64>),
            name!(ci_low_percent, Option<f64>),
            name!(ci_high_percent, Option<f64>),
            name!(p_value, Option<f64>),
            name!(p_adjusted, Option<f64>),
            name!(blocks, i32),
            name!(verdict, Text),
        ),
    >,
    ErrorReport,
> {
    Ok(TableIterator::new(rows(&named(run.as_deref())?)?))
}

type Row = (
    Text,
    Text,
    Option<Text>,
    Option<f64>,
    Option<f64>,
    Option<f64>,
    Option<f64>,
    Option<f64>,
    Option<f64>,
    Option<f64>,
    i32,
    Text,
);

/// # Errors
/// The current user may not see the run, or it has no turns.
fn rows(found: &Found) -> Result<impl Iterator<Item = Row> + use<>> {
    found.check_visible()?;
    let key = [found.node_id.as_str().into(), found.run_id.into()];
    let alternation = as_owner(|| load(&stored_run::run(found)?, &key))?;
    let Some(alternation) = alternation else {
        return Err(
            invalid(format!("run {} has no turns", found.run_id)).hinting(
                "Start one with start_run(alternate => '{\"work_mem\": [\"4MB\", \"64MB\"]}').",
            ),
        );
    };
    Ok(alternation.differences.into_iter().map(|difference| {
        let text = |text: &str| Text(text.to_owned());
        (
            text(difference.metric),
            text(difference.unit),
            difference.direction.map(text),
            difference.a,
            difference.b,
            difference.change_percent,
            difference.ci_low_percent,
            difference.ci_high_percent,
            difference.p_value,
            difference.p_adjusted,
            difference.blocks as i32,
            text(difference.verdict),
        )
    }))
}

/// What a side has: `work_mem = 4MB, enable_seqscan = off`, or `workload = tpcb-like`.
pub fn settings(alternation: &Alternation, side: Side) -> String {
    let settings = alternation.turns.settings.iter();
    let settings = settings.map(|(name, [a, b])| match side {
        Side::A => format!("{name} = {a}"),
        Side::B => format!("{name} = {b}"),
    });
    let scripts = alternation.turns.scripts.iter();
    let scripts = scripts.map(|scripts| scripts.of_side(side));
    scripts.chain(settings).collect::<Vec<_>>().join(", ")
}

/// The same in the text of a report; nothing where the run had no turns.
pub fn lines(alternation: Option<&Alternation>) -> Vec<String> {
    let Some(alternation) = alternation else {
        return Vec::new();
    };
    let turns = &alternation.turns;
    let mut lines = vec![
        String::new(),
        format!(
            "two sides in turns of {} s, {} s of each left out; blocks of four turns: {}",
            turns.every_s, turns.settle_s, alternation.blocks
        ),
    ];
    for side in [Side::A, Side::B] {
        let line = format!("  {}: {}", side.name(), settings(alternation, side));
        lines.push(one_line_indented(&line));
    }
    lines.push(format!(
        "  {:<17}{:>10} {:>10}{:>7}{:>15}{:>8}",
        "", "A", "B", "change", "95 % interval", "p"
    ));
    lines.extend(alternation.differences.iter().map(line));
    lines.push("(~: no significant difference; ?: too few blocks)".to_owned());
    lines.push(String::new());
    lines
}

fn one_line_indented(line: &str) -> String {
    format!("  {}", one_line(line, WIDTH - 2))
}

fn line(difference: &Difference) -> String {
    let change = difference.change_percent.map(short_percent);
    let ends = (difference.ci_low_percent).zip(difference.ci_high_percent);
    let verdict = match difference.verdict {
        "no significant difference" => "~",
        "too few blocks" => "?",
        verdict => verdict,
    };
    let or_dash = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
    format!(
        "  {:<17}{:>10} {:>10}{:>7}{:>15}{:>8} {verdict}",
        difference.metric,
        or_dash(difference.a.map(figure)),
        or_dash(difference.b.map(figure)),
        or_dash(change),
        or_dash(ends.map(|(low, high)| interval(low, high))),
        or_dash(difference.p_adjusted.map(probability)),
    )
}

/// In at most ten characters.
fn figure(value: f64) -> String {
    match value.abs() {
        size if size >= 1e8 => format!("{value:.3e}"),
        size if size >= 1e5 => format!("{value:.0}"),
        size if size >= 100.0 => format!("{value:.1}"),
        size if size >= 0.1 || size == 0.0 => format!("{value:.3}"),
        _ => format!("{value:.6}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::request::alternate::Alternation as Turns;
    use std::collections::BTreeMap;

    #[test]
    fn the_report_has_a_line_for_each_metric() {
        let difference = Difference {
            metric: "wal_bytes_per_tx",
            unit: "bytes",
            direction: Some("lower"),
            a: Some(123_456.7),
            b: Some(99_999.94),
            change_percent: Some(-19.0),
            ci_low_percent: Some(-123.4),
            ci_high_percent: Some(100.04),
            p_value: Some(0.0123),
            p_adjusted: Some(0.0123),
            blocks: 12,
            verdict: "better",
        };
        let unknown = Difference {
            a: None,
            b: None,
            change_percent: None,
            ci_low_percent: None,
            ci_high_percent: None,
            p_adjusted: None,
            verdict: "too few blocks",
            ..difference.clone()
        };
        let alternation = Alternation {
            turns: Turns {
                of_server: Default::default(),
                scripts: None,
                settings: BTreeMap::from([(
                    "wal_compression".to_owned(),
                    ["off".to_owned(), "lz4".to_owned()],
                )]),
                every_s: 5.0,
                settle_s: 0.5,
            },
            blocks: 12,
            differences: vec![difference, unknown],
            over_time: Vec::new(),
        };
        assert!(lines(None).is_empty());
        let lines = lines(Some(&alternation));
        assert!(
            lines.iter().all(|line| line.chars().count() <= WIDTH),
            "{lines:#?}"
        );
        assert_eq!(lines[2], "  A: wal_compression = off");
        assert_eq!(lines[3], "  B: wal_compression = lz4");
        let cells: Vec<&str> = lines[5].split_ascii_whitespace().collect();
        assert_eq!(
            cells.join(" "),
            "wal_bytes_per_tx 123457 99999.9 -19.0 -123 to +100 0.012 better"
        );
        assert!(lines[6].ends_with('?'));
    }
}
