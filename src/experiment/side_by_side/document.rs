//! One sweep or several as a JSON document: what the page shows.

use super::Side;
use super::panels::{Panel, panels};
use serde::Serialize;

/// Changes when a reader of an older document would misread a newer one.
const FORMAT_VERSION: u32 = 1;

/// Sweeps side by side. Absent values are null.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Document<'a> {
    /// Changes when a reader of an older document would misread a newer one.
    format_version: u32,
    /// The version of pgperf that wrote the document.
    pgperf_version: &'static str,
    /// In the order in which they were named. The first is the one that the others are compared with.
    sweeps: &'a [Side],
    /// The peaks of all sweeps, beside each other: one for each workload and combination of what varies besides the clients.
    panels: Vec<Panel<'a>>,
}

pub fn document(sides: &[Side]) -> Document<'_> {
    Document {
        format_version: FORMAT_VERSION,
        pgperf_version: env!("CARGO_PKG_VERSION"),
        sweeps: sides,
        panels: panels(sides),
    }
}
