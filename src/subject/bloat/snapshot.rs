//! `pgperf.snapshot_bloat`: the relations, the method and the budget that the caller names.

use super::{COLLECTOR, Selection};
use crate::collect::on_demand::{alone, refuse_where_nothing_can_be_stored};
use crate::collect::sample::beginning::hardly_waiting;
use crate::collect::sample::parts::OneTransaction;
use crate::error::{Result, invalid};
use crate::pg::catalog::role::as_owner;
use crate::pg::sql::text::Text;
use pgrx::datum::Interval;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;
use std::time::Duration;

/// `pgperf.snapshot_bloat`.
#[pg_extern(sql = false)]
fn snapshot_bloat(
    relations: Option<Vec<Option<pg_sys::Oid>>>,
    method: Option<Text>,
    budget: Option<Interval>,
    max_pages: Option<i64>,
) -> std::result::Result<i64, ErrorReport> {
    let snapshot = || {
        refuse_where_nothing_can_be_stored()?;
        let time = budget.map(duration).transpose()?;
        let pages = max_pages.map(page_limit).transpose()?;
        let method = method.as_deref().unwrap_or("auto");
        let selection = Selection::new(relations, method, time, pages)?;
        alone(&COLLECTOR, |scope| {
            selection.read(scope, &mut OneTransaction)
        })
    };
    Ok(hardly_waiting(|| as_owner(snapshot))?)
}

/// A budget.
///
/// # Errors
/// Not above zero: 22023.
fn duration(interval: Interval) -> Result<Duration> {
    match u64::try_from(interval.as_micros()) {
        Ok(micros) if micros > 0 => Ok(Duration::from_micros(micros)),
        _ => Err(invalid("the budget must be greater than zero")),
    }
}

/// A budget in pages.
///
/// # Errors
/// Not above zero: 22023.
fn page_limit(pages: i64) -> Result<u64> {
    match u64::try_from(pages) {
        Ok(pages) if pages > 0 => Ok(pages),
        _ => Err(invalid("max_pages must be greater than zero")),
    }
}
