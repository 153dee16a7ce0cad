//! One sweep or several as a JSON document: what the page shows.

use super::Side;
use super::panels::{Curve, panels};
use crate::experiment::metrics::Metric;
use crate::experiment::race::standing::Racer;
use crate::experiment::report::call;
use crate::experiment::report::facts::{Law, Peak, Point, Sweep};
use crate::experiment::values::Group;
use crate::report::conditions::Stated;
use crate::show::delta::Delta;
use serde::Serialize;

/// Changes when a reader of an older document would misread a newer one.
const FORMAT_VERSION: u32 = 1;

/// Sweeps side by side. Absent values are null.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Document<'a> {
    /// Changes when a reader of an older document would misread a newer one.
    format_version: u32,
    /// The version of pgperf that wrote the document.
    pgperf_version: &'static str,
    /// In the order in which they were named. The first is the one that the others are compared with.
    sweeps: Vec<SweepDocument<'a>>,
    /// The peaks of all sweeps, beside each other: one for each workload and combination of what varies besides the clients.
    panels: Vec<PanelDocument<'a>>,
}

/// A sweep with its points and peaks.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct SweepDocument<'a> {
    /// By which this document names it, other than the others.
    name: &'a str,
    /// The node that it ran on.
    node: &'a str,
    host: Option<&'a str>,
    server_version: &'a str,
    /// When it ran, to the minute.
    began: Option<&'a str>,
    ended: Option<&'a str>,
    /// The call that starts the same sweep again.
    call: String,
    #[serde(flatten)]
    sweep: &'a Sweep,
    /// Server, machine and data of its runs.
    conditions: Vec<Stated>,
    /// The settings of its runs that were not at their defaults.
    settings: Vec<Stated>,
    points: &'a [Point],
    /// Further figures of the points: those that their workloads define.
    metrics: &'a [Metric],
    peaks: &'a [Peak],
    /// The scalability law of each combination.
    laws: &'a [Law],
    /// The points of a race, the best first; null: they do not race.
    race: Option<Vec<Racer>>,
    /// The points by what varies besides the clients; empty: nothing does.
    values: &'a [Group],
}

/// A workload with values of what varies besides the clients, on all sweeps.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct PanelDocument<'a> {
    workload: &'a str,
    combination: &'a str,
    /// In the order of the sweeps.
    sides: Vec<SideDocument<'a>>,
}

/// What a sweep has of a panel.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct SideDocument<'a> {
    /// The sweep.
    name: &'a str,
    /// Its points of this panel, by number of clients.
    point_nos: Vec<i64>,
    /// Null: it has none.
    peak_clients: Option<i64>,
    peak_tps: Option<f64>,
    /// How the peak differs from that of the first sweep.
    #[serde(flatten)]
    change: Delta,
}

pub fn document(sides: &[Side]) -> Document<'_> {
    Document {
        format_version: FORMAT_VERSION,
        pgperf_version: env!("CARGO_PKG_VERSION"),
        sweeps: sides.iter().map(sweep).collect(),
        panels: (panels(sides).iter())
            .map(|panel| PanelDocument {
                workload: panel.workload,
                combination: panel.combination,
                sides: panel.curves.iter().map(of_panel).collect(),
            })
            .collect(),
    }
}

fn sweep(side: &Side) -> SweepDocument<'_> {
    let (origin, facts) = (&side.facts.origin, &side.facts);
    SweepDocument {
        name: &side.name,
        node: &origin.node,
        host: origin.host.as_deref(),
        server_version: &origin.server_version,
        began: origin.began.as_deref(),
        ended: origin.ended.as_deref(),
        call: call::of(&side.facts.origin),
        conditions: facts.conditions.stated(),
        settings: facts.conditions.stated_settings(),
        sweep: &facts.sweep,
        points: &facts.points,
        metrics: &facts.metrics,
        peaks: &facts.peaks,
        laws: &facts.laws,
        race: facts.race.as_ref().map(|race| race.rows()),
        values: &facts.values,
    }
}

fn of_panel<'a>(curve: &Curve<'a>) -> SideDocument<'a> {
    SideDocument {
        name: curve.name,
        point_nos: curve.points.iter().map(|point| point.point_no).collect(),
        peak_clients: curve.peak.map(|peak| peak.clients),
        peak_tps: curve.peak.map(|peak| peak.tps),
        change: curve.change,
    }
}
