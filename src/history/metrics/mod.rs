//! `pgperf.metrics`: the newest samples and the live runs in a text format of Prometheus.
//!
//! [`table`] is the table of all metrics, each source with its SQL; [`exposition`] has the formats.
//!
//! The result is one text and not a row for each line: PostgREST and other gateways serve a scalar as it is, and `psql -At`
//! writes the same file either way.
//!
//! Most of the time of a call would be that of the planner, which opens each partition and index of a table. So days are constants in the
//! statements, which look at today's partition alone where that has the newest sample, and a session that calls again has their plans: for an
//! hour, since tables grow.

mod exposition;
mod table;

use super::findings::last_hour;
use super::nodes;
use super::window::Window;
use crate::catalog::node;
use crate::error::{Result, invalid};
use crate::pg::catalog::role::with_settings;
use crate::pg::session::setting;
use crate::pg::sql::called::Called;
use crate::pg::sql::spi;
use crate::pg::sql::text::Text;
use crate::pg::sql::texts::{self, Texts};
use crate::show::metric::Source;
use crate::show::span::moment;
use crate::subject;
use exposition::{Exposition, Format, NODE};
use pgrx::datum::{TimestampWithTimeZone, Uuid};
use pgrx::prelude::*;
use serde::Deserialize;
use std::fmt::Write;
use table::{FINDINGS, LIVE_RUNS, NEWEST, sources};

/// `pgperf.metrics(node_id uuid)` of 1.2.
#[pg_extern(sql = false)]
fn metrics(node_id: Option<Uuid>) -> Called<Text> {
    metrics_in_format(node_id, None, None, None)
}

/// `pgperf.metrics(node_id uuid, format text, findings boolean, all_nodes boolean)`, with the caller's rights on the history.
#[pg_extern(sql = false)]
fn metrics_in_format(
    node_id: Option<Uuid>,
    format: Option<Text>,
    findings: Option<bool>,
    all_nodes: Option<bool>,
) -> Called<Text> {
    let format = format
        .as_deref()
        .map_or(Ok(Format::default()), Format::named)?;
    let local = node::known()?;
    let all_nodes = all_nodes == Some(true);
    let node = match node_id {
        Some(_) if all_nodes => {
            let message = "node_id must be NULL with all_nodes".to_owned();
            return Err(invalid(message).hinting("Give one of the two.").into());
        }
        Some(given) => Some(existing(&given.to_string())?),
        None => local.clone(),
    };
    let findings = findings == Some(true);
    if findings && (node != local || all_nodes) {
        return Err(invalid("findings are those of this node alone".to_owned())
            .hinting("Call pgperf.metrics in its own database, or without findings.")
            .into());
    }
    let text = with_settings(|| {
        let mut text = Exposition::new(format);
        let nodes = match all_nodes {
            true => current_nodes()?,
            false => node.into_iter().map(|node| (node, None)).collect(),
        };
        let readings = nodes.iter().map(|(node, label)| {
            let is_local = Some(node) == local.as_ref();
            Reading::begin(node, label.clone(), is_local)
        });
        let readings: Vec<Reading> = readings.collect::<Result<_>>()?;
        setting::with("plan_cache_mode", "force_generic_plan", || {
            expose(&mut text, &readings)
        })?;
        if findings && !readings.is_empty() {
            text.add(&FINDINGS, &findings_of_the_last_hour()?);
        }
        Ok::<_, crate::error::Error>(text.finish())
    })?;
    Ok(text.into())
}

/// The nodes with samples of the last day, each with its name.
fn current_nodes() -> Result<Vec<(String, Option<String>)>> {
    let window = Window::between(None, None, None)?;
    let nodes = nodes::sampled(&window.span, None)?.into_iter();
    let current = nodes.filter(|node| node.is_missed);
    Ok(current
        .map(|node| (node.node_id, Some(node.name)))
        .collect())
}

fn findings_of_the_last_hour() -> Result<Texts> {
    let rows = last_hour()?.into_iter().map(|(severity, findings)| {
        vec![Some(severity.name().to_owned()), Some(findings.to_string())]
    });
    Ok(Texts {
        columns: vec!["severity".to_owned(), "findings".to_owned()],
        rows: rows.collect(),
    })
}

/// The sources with the same SQL are beside each other, and are read once.
fn expose(text: &mut Exposition, readings: &[Reading]) -> Result<()> {
    let mut before: Option<(&str, Texts)> = None;
    for source in sources() {
        let rows = match before {
            Some((sql, rows)) if sql == source.sql => rows,
            _ => labelled_rows(readings, source)?,
        };
        text.add(source, &rows);
        before = Some((source.sql, rows));
    }
    Ok(())
}

/// The rows of a source of all nodes, since a family has all its samples in one place.
fn labelled_rows(readings: &[Reading], source: &Source) -> Result<Texts> {
    let mut all = Texts::default();
    for reading in readings {
        let mut rows = reading.rows(source)?;
        if let Some(label) = &reading.label {
            rows.columns.push(NODE.to_owned());
            for row in &mut rows.rows {
                row.push(Some(label.clone()));
            }
        }
        if !rows.rows.is_empty() {
            all.columns = rows.columns;
            all.rows.append(&mut rows.rows);
        }
    }
    Ok(all)
}

/// What the statements are given.
struct Reading<'a> {
    node: &'a str,
    /// The label that its samples have; None: they need none.
    label: Option<String>,
    is_local: bool,
    days: Days,
    day_ago: TimestampWithTimeZone,
    longer_ago: TimestampWithTimeZone,
    has_live_runs: bool,
    /// Those of which there may be samples.
    collectors: Vec<String>,
}

/// What is a constant in the statements.
#[derive(Deserialize)]
struct Days {
    /// For so long a session keeps their plans.
    hour: String,
    today: String,
    tomorrow: String,
    /// The day on which `day_ago` was.
    from_day_ago: String,
    from_longer_ago: String,
}

impl Days {
    /// A statement over a part of the time.
    fn statement(&self, sql: &str, from: &str, until: &str) -> String {
        let mut parts = sql.split('{');
        let mut statement = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let (rows, rest) = part.split_once('}').unwrap_or((part, ""));
            let (reach, table) = rows.rsplit_once(' ').unwrap_or(("", rows));
            let (since, day) = match reach {
                "25 hours" => ("$3", self.from_longer_ago.as_str()),
                "day" => ("$2", self.from_day_ago.as_str()),
                _ => ("$2", from),
            };
            // As the end of a range, a moment that the planner does not know would leave hardly any row.
            let _ = write!(
                statement,
                "({table}.taken_at >= {since}) IS TRUE AND {table}.taken_at >= '{day}' AND {table}.taken_at < '{until}'{rest}"
            );
        }
        statement
    }
}

impl Reading<'_> {
    fn begin(node: &str, label: Option<String>, is_local: bool) -> Result<Reading<'_>> {
        #[derive(Deserialize)]
        struct Start {
            #[serde(flatten)]
            days: Days,
            day_ago: String,
            longer_ago: String,
            has_live_runs: bool,
        }
        let start: Option<Start> = spi::select_one(include_str!("sql/start.sql"), &[node.into()])?;
        let start = start.ok_or_else(|| invalid("there is no time".to_owned()))?;
        Ok(Reading {
            node,
            label,
            is_local,
            days: start.days,
            day_ago: moment(&start.day_ago)?,
            longer_ago: moment(&start.longer_ago)?,
            has_live_runs: start.has_live_runs,
            collectors: (subject::ALL.iter())
                .filter(|collector| !is_local || collector.exists_here())
                .map(|collector| collector.name.to_owned())
                .collect(),
        })
    }

    fn rows(&self, source: &Source) -> Result<Texts> {
        if source.sql == LIVE_RUNS && !self.has_live_runs {
            return Ok(Texts::default());
        }
        let Days {
            today, tomorrow, ..
        } = &self.days;
        let mut rows = self.between(source.sql, self.day_ago, today, tomorrow)?;
        if rows.rows.is_empty() && source.sql.contains("{part ") {
            rows = self.between(source.sql, self.day_ago, &self.days.from_day_ago, today)?;
        }
        if rows.rows.is_empty() && source.sql == NEWEST {
            let ever = TimestampWithTimeZone::negative_infinity();
            rows = self.between(source.sql, ever, "-infinity", today)?;
        }
        Ok(rows)
    }

    /// The rows of a part of the time, which are no older than a moment.
    fn between(
        &self,
        sql: &str,
        since: TimestampWithTimeZone,
        from: &str,
        until: &str,
    ) -> Result<Texts> {
        let arguments = [
            self.node.into(),
            since.into(),
            self.longer_ago.into(),
            self.is_local.into(),
            self.collectors.clone().into(),
        ];
        let statement = self.days.statement(sql, from, until);
        texts::select(&self.days.hour, &statement, &arguments)
    }
}

/// # Errors
/// There is no such node: 22023.
fn existing(node: &str) -> Result<String> {
    #[derive(Deserialize)]
    struct StoredNode {
        node_id: String,
    }
    let found: Option<StoredNode> = with_settings(|| {
        spi::select_one(
            "SELECT n.node_id FROM pgperf.nodes n WHERE n.node_id = $1::pg_catalog.uuid",
            &[node.into()],
        )
    })?;
    found.map(|found| found.node_id).ok_or_else(|| {
        invalid(format!("there is no node {node}"))
            .hinting("SELECT node_id, name FROM pgperf.nodes lists the nodes.")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn days() -> Days {
        let day = |number: u8| format!("2026-03-{number:02}T00:00:00+00:00");
        Days {
            hour: day(3),
            today: day(3),
            tomorrow: day(4),
            from_day_ago: day(2),
            from_longer_ago: day(1),
        }
    }

    #[test]
    fn rows_are_of_days_that_are_constants() {
        let statement = |sql| days().statement(sql, "today", "tomorrow");
        assert_eq!(statement("SELECT 1"), "SELECT 1");
        assert_eq!(
            statement("SELECT FROM x h, y WHERE {part h} AND {25 hours y}"),
            "SELECT FROM x h, y WHERE (h.taken_at >= $2) IS TRUE AND h.taken_at >= 'today' AND h.taken_at < 'tomorrow' \
             AND (y.taken_at >= $3) IS TRUE AND y.taken_at >= '2026-03-01T00:00:00+00:00' AND y.taken_at < 'tomorrow'"
        );
        assert_eq!(
            statement("{day h}"),
            "(h.taken_at >= $2) IS TRUE AND h.taken_at >= '2026-03-02T00:00:00+00:00' AND h.taken_at < 'tomorrow'"
        );
    }

    #[test]
    fn each_stretch_of_time_in_a_statement_is_a_known_one() {
        for source in sources() {
            for part in source.sql.split('{').skip(1) {
                let known = ["part ", "day ", "25 hours "];
                assert!(known.iter().any(|name| part.starts_with(name)), "{part}");
            }
            assert!(!source.sql.contains("taken_at >= $"), "{}", source.sql);
        }
    }
}
