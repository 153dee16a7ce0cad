//! `pgperf.metrics`: the newest samples and the live runs in a text format of Prometheus.
//!
//! [`table`] is the table of all metrics, each source with its SQL; [`exposition`] has the formats.
//!
//! The result is one text and not a row for each line: PostgREST and other gateways serve a scalar as it is, and `psql -At`
//! writes the same file either way.
//!
//! A scrape is often the only call of its session, and then most of its time is that of the planner, which opens each partition and index of
//! a table. So statements get the ends of what they read as values, and look at today's partition alone where that has the newest sample.
//! A session keeps them as analyzed, but plans them for the values of each call: a plan for all values would lock all partitions.

mod exposition;
mod table;

use super::findings::last_hour;
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
use exposition::{Exposition, Format};
use pgrx::datum::{TimestampWithTimeZone, Uuid};
use pgrx::prelude::*;
use serde::Deserialize;
use table::{FINDINGS, LIVE_RUNS, NEWEST, sources};

/// `pgperf.metrics(node_id uuid)` of 1.2.
#[pg_extern(sql = false)]
fn metrics(node_id: Option<Uuid>) -> Called<Text> {
    metrics_in_format(node_id, None, None)
}

/// `pgperf.metrics(node_id uuid, format text, findings boolean)`, with the caller's rights on the history.
#[pg_extern(sql = false)]
fn metrics_in_format(
    node_id: Option<Uuid>,
    format: Option<Text>,
    findings: Option<bool>,
) -> Called<Text> {
    let format = format
        .as_deref()
        .map_or(Ok(Format::default()), Format::named)?;
    let local = node::known()?;
    let node = match node_id {
        Some(given) => Some(existing(&given.to_string())?),
        None => local.clone(),
    };
    let is_local = node == local;
    let findings = findings == Some(true);
    if findings && !is_local {
        return Err(invalid("findings are those of this node alone".to_owned())
            .hinting("Call pgperf.metrics in its own database, or without findings.")
            .into());
    }
    let text = with_settings(|| {
        let mut text = Exposition::new(format);
        if let Some(node) = &node {
            setting::with("plan_cache_mode", "force_custom_plan", || {
                expose(&mut text, &Reading::begin(node, is_local)?)
            })?;
            if findings {
                text.add(&FINDINGS, &findings_of_the_last_hour()?);
            }
        }
        Ok::<_, crate::error::Error>(text.finish())
    })?;
    Ok(text.into())
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
fn expose(text: &mut Exposition, reading: &Reading) -> Result<()> {
    let mut before: Option<(&str, Texts)> = None;
    for source in sources() {
        let rows = match before {
            Some((sql, rows)) if sql == source.sql => rows,
            _ => reading.rows(source)?,
        };
        text.add(source, &rows);
        before = Some((source.sql, rows));
    }
    Ok(())
}

/// What the statements are given.
struct Reading<'a> {
    node: &'a str,
    is_local: bool,
    today: TimestampWithTimeZone,
    tomorrow: TimestampWithTimeZone,
    day_ago: TimestampWithTimeZone,
    longer_ago: TimestampWithTimeZone,
    has_live_runs: bool,
    /// Those of which there may be samples.
    collectors: Vec<String>,
}

impl Reading<'_> {
    fn begin(node: &str, is_local: bool) -> Result<Reading<'_>> {
        #[derive(Deserialize)]
        struct Start {
            today: String,
            tomorrow: String,
            day_ago: String,
            longer_ago: String,
            has_live_runs: bool,
        }
        let start: Option<Start> = spi::select_one(include_str!("sql/start.sql"), &[node.into()])?;
        let start = start.ok_or_else(|| invalid("there is no time".to_owned()))?;
        Ok(Reading {
            node,
            is_local,
            today: moment(&start.today)?,
            tomorrow: moment(&start.tomorrow)?,
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
        let mut rows = self.between(source.sql, self.today, self.tomorrow)?;
        if rows.rows.is_empty() && source.sql.contains("$2") {
            rows = self.between(source.sql, self.day_ago, self.today)?;
        }
        if rows.rows.is_empty() && source.sql == NEWEST {
            let ever = TimestampWithTimeZone::negative_infinity();
            rows = self.between(source.sql, ever, self.day_ago)?;
        }
        Ok(rows)
    }

    fn between(
        &self,
        sql: &str,
        from: TimestampWithTimeZone,
        until: TimestampWithTimeZone,
    ) -> Result<Texts> {
        let arguments = [
            self.node.into(),
            from.into(),
            until.into(),
            self.day_ago.into(),
            self.longer_ago.into(),
            self.is_local.into(),
            self.collectors.clone().into(),
        ];
        texts::select(sql, &arguments)
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
