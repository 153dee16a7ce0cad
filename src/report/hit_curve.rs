//! `pgperf.hit_curve`: the hit ratio that larger shared_buffers would have had over a run.

use super::model::hit_curve::{HitRatio, load};
use crate::catalog::runs::{ExistingRun, by_id, named};
use crate::pg::catalog::role::as_owner;
use crate::pg::sql::called::Called;
use crate::pg::sql::rows;
use crate::pg::sql::text::Text;
use pgrx::prelude::*;
use serde::Serialize;

/// A size as one writes it, and its ratio.
#[derive(Serialize)]
struct SizedRatio {
    shared_buffers: String,
    #[serde(flatten)]
    ratio: HitRatio,
}

/// `pgperf.hit_curve(run_id bigint)`.
#[pg_extern(sql = false)]
fn hit_curve(run_id: Option<i64>, fcinfo: pg_sys::FunctionCallInfo) -> Called<()> {
    give(&by_id(run_id)?, fcinfo)
}

/// `pgperf.hit_curve(run text)`.
#[pg_extern(sql = false)]
fn hit_curve_by_name(run: Option<Text>, fcinfo: pg_sys::FunctionCallInfo) -> Called<()> {
    give(&named(run.as_deref())?, fcinfo)
}

fn give(run: &ExistingRun, fcinfo: pg_sys::FunctionCallInfo) -> Called<()> {
    run.check_visible()?;
    let key = [run.node_id.as_str().into(), run.run_id.into()];
    let curve = as_owner(|| load(&key))?.into_iter();
    let curve = curve.map(|ratio| SizedRatio {
        shared_buffers: size(ratio.shared_buffers_bytes),
        ratio,
    });
    Ok(rows::give(fcinfo, curve)?)
}

/// As one writes the setting.
pub fn size(bytes: i64) -> String {
    const MEGABYTE: i64 = 1 << 20;
    match bytes % MEGABYTE {
        0 => format!("{} MB", bytes / MEGABYTE),
        _ => format!("{} kB", bytes >> 10),
    }
}
