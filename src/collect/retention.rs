//! The part of `pgperf.maintain` that SQL cannot do.

use crate::pg::bulk::undecoded;
use crate::pg::process::lock;
use pgrx::pg_sys::Oid;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;

/// `pgperf_internal.move_rows`: moves the rows kept of a partition into the partition that keeps them. The times are
/// microseconds since 2000.
#[pg_extern(sql = false)]
fn move_rows(
    source: Oid,
    target: Oid,
    starts_at: i64,
    ends_at: i64,
) -> std::result::Result<i64, ErrorReport> {
    let moved = undecoded::move_rows(source, target, starts_at, ends_at)?;
    Ok(moved as i64)
}

/// `pgperf_internal.take_out`: the same of rows that came before their partition, which leave `source`.
#[pg_extern(sql = false)]
fn take_out(
    source: Oid,
    target: Oid,
    starts_at: i64,
    ends_at: i64,
) -> std::result::Result<i64, ErrorReport> {
    let moved = undecoded::take_out(source, target, starts_at, ends_at)?;
    Ok(moved as i64)
}

/// `pgperf_internal.claim_partitions`.
#[pg_extern(sql = false)]
fn claim_partitions() -> bool {
    lock::claim_partitions()
}
