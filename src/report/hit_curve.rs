//! `pgperf.hit_curve`: the hit ratio that larger shared_buffers would have had over a run.

use super::model::hit_curve::load;
use super::named;
use crate::catalog::runs::{ExistingRun, by_id};
use crate::error::Result;
use crate::pg::catalog::role::as_owner;
use crate::pg::sql::text::Text;
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

fn rows(run: &ExistingRun) -> Result<impl Iterator<Item = Row> + use<>> {
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
