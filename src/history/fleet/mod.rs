//! `pgperf.fleet_report`, `fleet_html`: a window of the history of all nodes that are stored here, those that need attention first.
//!
//! They read with the caller's rights. Of each node they read what a report of it begins with: its findings and its figures at a glance.

mod report;

use super::findings::{self, Finding, Severity, Thresholds, judge};
use super::glance::{self, GlanceFigure};
use super::nodes;
use super::window::Window;
use crate::error::{Result, invalid};
use crate::pg::catalog::role::with_settings;
use crate::pg::sql::called::{self, Called, Lines};
use crate::pg::sql::spi;
use crate::pg::sql::text::Text;
use crate::show::section::part::Part;
use crate::show::section::read;
use crate::show::span::{Span, ahead};
use crate::subject::wraparound;
use pgrx::datum::TimestampWithTimeZone;
use pgrx::prelude::*;
use serde::Deserialize;
use serde_json::Value;

type Moment = Option<TimestampWithTimeZone>;

/// A window of several nodes.
struct Fleet {
    /// Of this node, whether or not it is one of them.
    window: Window,
    group_name: Option<String>,
    /// Those that need attention first.
    nodes: Vec<NodeState>,
    /// Those without samples long before the window, which nobody misses, each with the last one's time.
    former: Vec<(String, String)>,
}

/// A node in the window.
struct NodeState {
    name: String,
    group_name: Option<String>,
    /// None: it has no samples in the window, but had some shortly before it, the last one then.
    seen: std::result::Result<Seen, String>,
}

/// What its samples tell of a node.
struct Seen {
    findings: Vec<Finding>,
    glance: Vec<GlanceFigure>,
    bloat_bytes: Option<f64>,
    /// Seconds until the server assigns no more transaction ids or multixacts, at the rate of the window.
    ids_left_s: Option<f64>,
}

/// `pgperf.fleet_report`.
#[pg_extern(sql = false)]
fn fleet_report(from_time: Moment, to_time: Moment, group_name: Option<Text>) -> Called<Lines> {
    let fleet = load(from_time, to_time, group_name)?;
    Ok(called::lines(report::report(&fleet).lines()))
}

/// `pgperf.fleet_html`.
#[pg_extern(sql = false)]
fn fleet_html(from_time: Moment, to_time: Moment, group_name: Option<Text>) -> Called<Text> {
    let fleet = load(from_time, to_time, group_name)?;
    Ok(report::report(&fleet).page().into())
}

fn load(from_time: Moment, to_time: Moment, group_name: Option<Text>) -> Result<Fleet> {
    with_settings(|| {
        let window = Window::between(from_time, to_time, None)?;
        read_nodes(window, group_name.map(|name| name.0))
    })
}

fn read_nodes(window: Window, group_name: Option<String>) -> Result<Fleet> {
    let stored = nodes::sampled(&window.span, group_name.as_deref())?;
    if let Some(group_name) = group_name.as_ref().filter(|_| stored.is_empty()) {
        return Err(
            invalid(format!("no node of group \"{group_name}\" has samples")).hinting(
                "SELECT name, group_name FROM pgperf.nodes lists the nodes; pgperf.set_node_group() groups them.",
            ),
        );
    }
    let thresholds = Thresholds::load()?;
    let (mut states, mut former) = (Vec::new(), Vec::new());
    for node in stored {
        let seen = match (node.has_samples, node.is_missed) {
            (true, _) => Ok(Seen::of(&window.span.of_node(node.node_id)?, &thresholds)?),
            (false, true) => Err(node.last_at),
            (false, false) => {
                former.push((node.name, node.last_at));
                continue;
            }
        };
        states.push(NodeState {
            name: node.name,
            group_name: node.group_name,
            seen,
        });
    }
    states.sort_by(|a, b| b.urgency().total_cmp(&a.urgency()));
    Ok(Fleet {
        window,
        group_name,
        nodes: states,
        former,
    })
}

impl Seen {
    fn of(span: &Span, thresholds: &Thresholds) -> Result<Seen> {
        let mut statements = findings::statements(thresholds);
        statements.extend(read::statements(&glance::SOURCES));
        let samples = ahead::load(span, statements)?;
        let parts = read::parts(&glance::SOURCES, &samples)?;
        Ok(Seen {
            findings: judge(&samples, thresholds)?.findings,
            glance: glance::figures(&parts),
            bloat_bytes: bloat(span)?,
            ids_left_s: ids_left(&parts),
        })
    }

    fn figure(&self, name: &str) -> Option<&GlanceFigure> {
        self.glance.iter().find(|figure| figure.name == name)
    }
}

fn bloat(span: &Span) -> Result<Option<f64>> {
    #[derive(Deserialize)]
    struct Bloat {
        bytes: Option<f64>,
    }
    let bloat: Option<Bloat> = spi::select_one(include_str!("bloat.sql"), &span.key()?)?;
    Ok(bloat.and_then(|bloat| bloat.bytes))
}

/// Of the forecast of ids that run out first.
fn ids_left(parts: &[Part]) -> Option<f64> {
    let part = (parts.iter()).find(|part| part.name == wraparound::SECTION.name)?;
    let rows = part.tables.iter().flat_map(|table| &table.rows);
    let last = rows.filter(|row| {
        row.get("limit_name").and_then(Value::as_str) == Some(wraparound::LAST_LIMIT)
    });
    last.filter_map(|row| row.get("left_s")?.as_f64())
        .reduce(f64::min)
}

impl NodeState {
    /// A node that is silent, then by its findings: one that is worse outweighs all below it. Of those alike the busiest.
    fn urgency(&self) -> f64 {
        let Ok(seen) = &self.seen else {
            return f64::INFINITY;
        };
        let count = |severity| Finding::count(&seen.findings, severity).min(99) as f64;
        let load = seen.figure(glance::LOAD).map_or(0.0, |load| load.value);
        10_000.0 * count(Severity::Critical)
            + 100.0 * count(Severity::Warning)
            + count(Severity::Note)
            + load / (1.0 + load)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(findings: &[(Severity, &'static str)]) -> NodeState {
        let findings = findings.iter().map(|(severity, rule)| Finding {
            severity: *severity,
            ..Finding::of(rule)
        });
        NodeState {
            name: "db".to_owned(),
            group_name: None,
            seen: Ok(Seen {
                findings: findings.collect(),
                glance: Vec::new(),
                bloat_bytes: None,
                ids_left_s: None,
            }),
        }
    }

    #[test]
    fn a_silent_node_comes_first_then_the_one_with_the_worst_findings() {
        let silent = NodeState {
            seen: Err("2026-01-01".to_owned()),
            ..state(&[])
        };
        let critical = state(&[(Severity::Critical, "a")]);
        let warnings = state(&[(Severity::Warning, "a"), (Severity::Warning, "b")]);
        let notes = state(&[(Severity::Note, "a")]);
        let all = [silent, critical, warnings, notes, state(&[])].map(|state| state.urgency());
        assert!(all.windows(2).all(|pair| pair[0] > pair[1]), "{all:?}");
    }
}
