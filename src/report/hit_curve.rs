//! `pgperf.hit_curve`: the hit ratio that larger shared_buffers would have had over a run.

use super::model::hit_curve::{HitRatio, load};
use super::named;
use crate::catalog::runs::{Found, by_id};
use crate::error::Result;
use crate::pg::catalog::role::as_owner;
use crate::pg::sql::text::Text;
use crate::show::number::decimals;
use crate::show::text::{WIDTH, narrow_table, wrap};
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;

/// A size, its ratio, the bounds, and what limits the estimate.
type Row = (Text, Option<f64>, Option<f64>, Option<f64>, Option<Text>);

/// `pgperf.hit_curve(run_id bigint)`.
#[pg_extern(sql = false)]
#[allow(clippy::type_complexity)]
fn hit_curve(
    run_id: Option<i64>,
) -> std::result::Result<
    TableIterator<
        'static,
        (
            name!(shared_buffers, Text),
            name!(hit_percent, Option<f64>),
            name!(low, Option<f64>),
            name!(high, Option<f64>),
            name!(note, Option<Text>),
        ),
    >,
    ErrorReport,
> {
    Ok(TableIterator::new(rows(&by_id(run_id)?)?))
}

/// `pgperf.hit_curve(run text)`.
#[pg_extern(sql = false)]
#[allow(clippy::type_complexity)]
fn hit_curve_by_name(
    run: Option<Text>,
) -> std::result::Result<
    TableIterator<
        'static,
        (
            name!(shared_buffers, Text),
            name!(hit_percent, Option<f64>),
            name!(low, Option<f64>),
            name!(high, Option<f64>),
            name!(note, Option<Text>),
        ),
    >,
    ErrorReport,
> {
    Ok(TableIterator::new(rows(&named(run.as_deref())?)?))
}

fn rows(run: &Found) -> Result<impl Iterator<Item = Row> + use<>> {
    run.check_visible()?;
    let key = [run.node_id.as_str().into(), run.run_id.into()];
    let rows = as_owner(|| load(&key))?;
    Ok(rows.into_iter().map(|row| {
        (
            Text(size(row.shared_buffers_bytes)),
            row.hit_percent,
            row.low,
            row.high,
            row.note.map(Text),
        )
    }))
}

/// As one writes the setting.
pub fn size(bytes: i64) -> String {
    const MEGABYTE: i64 = 1 << 20;
    match bytes % MEGABYTE {
        0 => format!("{} MB", bytes / MEGABYTE),
        _ => format!("{} kB", bytes >> 10),
    }
}

/// The same in the text of a report; nothing where the run did not ask for it.
pub fn lines(curve: &[HitRatio]) -> Vec<String> {
    if curve.is_empty() {
        return Vec::new();
    }
    let rows: Vec<_> = curve
        .iter()
        .map(|row| {
            [
                size(row.shared_buffers_bytes),
                decimals(row.hit_percent, 1),
                decimals(row.low, 1),
                decimals(row.high, 1),
                // The last column is aligned to the left.
                String::new(),
            ]
        })
        .collect();
    let mut lines = vec![
        String::new(),
        "estimated buffer hit ratio by shared_buffers, with its 95 % interval:".to_owned(),
    ];
    let table = narrow_table(["shared_buffers", "hit %", "from", "to", ""], &rows);
    lines.extend(table.iter().map(|line| line.trim_end().to_owned()));
    lines.extend(note(curve).iter().flat_map(|note| wrap(note, WIDTH)));
    lines
}

/// What limits the estimates.
pub fn note(curve: &[HitRatio]) -> Option<&str> {
    curve.iter().find_map(|row| row.note.as_deref())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_report_has_a_line_for_each_size_and_the_note() {
        let at = |times: i64, hit_percent, low| HitRatio {
            shared_buffers_bytes: times << 24,
            times: times as f64,
            hit_percent,
            low,
            high: Some(77.25),
            note: Some("some pages left unseen".to_owned()),
        };
        assert!(lines(&[]).is_empty());
        let lines = lines(&[at(1, Some(50.04), None), at(2, Some(75.5), Some(74.0))]);
        assert!(lines[2].contains("shared_buffers"), "{lines:?}");
        assert!(
            lines[3].contains("16 MB") && lines[3].contains("50.0"),
            "{lines:?}"
        );
        assert!(
            lines[4].contains("75.5") && lines[4].contains("74.0"),
            "{lines:?}"
        );
        assert_eq!(lines[5], "some pages left unseen");
    }
}
