//! A time span of a node, or of one of its runs, and the data read for it.
//!
//! [`samples`]: the samples that represent it, and in SQL their [`placeholders`]; [`shared`]: results that several statements share; [`ahead`]: statements
//! executed by several processes; [`sources`]: the reasons for missing data.

pub mod ahead;
pub mod placeholders;
pub mod samples;
pub mod shared;
pub mod sources;

use crate::catalog::node;
use crate::error::{Result, invalid};
use crate::pg::sql::spi;
use pgrx::datum::{DatumWithOid, TimestampWithTimeZone};
use serde::{Deserialize, Serialize};
use std::str::FromStr;

/// A stretch of a node's time. It holds the samples taken after its start, up to its end. Counters begin at the last sample before it, unless
/// that is too far back (see [`samples`]).
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Span {
    /// uuid of the node whose history it is.
    pub node_id: String,
    /// Samples after this moment belong to it.
    pub from: String,
    /// Samples up to this moment belong to it.
    pub to: String,
    /// Its length.
    pub seconds: f64,
    /// Whether it is this server's own history.
    pub local: bool,
    /// The run whose samples alone belong to it; None: all samples do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(skip))]
    pub run: Option<OfRun>,
}

/// A span that is a run's: it holds all samples from the first to the last.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct OfRun {
    pub run_id: i64,
    /// Where the measured part begins, in seconds after the span's start: the zero of charts.
    pub zero_s: f64,
    /// Whether it is read for a member of pg_monitor.
    pub for_monitors: bool,
    /// Whether the samples are those of the target that the run worked on.
    pub on_target: bool,
}

impl Span {
    /// The span of a run's samples; None: it has fewer than two. `measured_at`: when its measured part began.
    /// `for_monitors`: whether it is read for a member of pg_monitor.
    pub fn of_run(
        node_id: &str,
        run_id: i64,
        measured_at: &str,
        for_monitors: bool,
    ) -> Result<Option<Span>> {
        #[derive(Deserialize)]
        struct Ends {
            from: Option<String>,
            to: Option<String>,
            seconds: Option<f64>,
            zero_s: Option<f64>,
            on_target: Option<bool>,
        }
        let args = [node_id.into(), run_id.into(), measured_at.into()];
        let ends: Option<Ends> = spi::select_one(
            "SELECT pg_catalog.min(s.taken_at) - '1 microsecond'::pg_catalog.interval AS \"from\", pg_catalog.max(s.taken_at) AS \"to\", \
                    EXTRACT(epoch FROM pg_catalog.max(s.taken_at) - pg_catalog.min(s.taken_at))::pg_catalog.float8 AS seconds, \
                    EXTRACT(epoch FROM $3::pg_catalog.timestamptz - pg_catalog.min(s.taken_at) + '1 microsecond'::pg_catalog.interval)::pg_catalog.float8 AS zero_s, \
                    (SELECT n.sampled_by IS NOT NULL FROM pgperf.nodes n WHERE n.node_id = $1::pg_catalog.uuid) AS on_target \
             FROM pgperf.samples s WHERE s.node_id = $1::pg_catalog.uuid AND s.run_id = $2",
            &args,
        )?;
        let local = node::is_local(node_id)?;
        Ok(ends.and_then(|ends| {
            Some(Span {
                node_id: node_id.to_owned(),
                from: ends.from?,
                to: ends.to?,
                seconds: ends.seconds.filter(|seconds| *seconds > 0.0)?,
                local,
                run: Some(OfRun {
                    run_id,
                    zero_s: ends.zero_s?,
                    for_monitors,
                    on_target: ends.on_target.unwrap_or(false),
                }),
            })
        }))
    }

    /// The zero of charts, in seconds after the start.
    pub fn zero_s(&self) -> f64 {
        self.run.map_or(0.0, |run| run.zero_s)
    }

    /// The same stretch of another node's history.
    ///
    /// # Errors
    /// Those of SQL.
    pub fn of_node(&self, node_id: String) -> Result<Span> {
        let local = node::is_local(&node_id)?;
        Ok(Span {
            node_id,
            local,
            ..self.clone()
        })
    }

    /// The first arguments of every statement of a section, a panel or a rule: $1 the node, $2 and $3 the ends. As texts they would be
    /// read again for each row that is compared with them.
    pub fn key(&self) -> Result<Vec<DatumWithOid<'static>>> {
        Ok(vec![
            node::uuid(&self.node_id)?.into(),
            moment(&self.from)?.into(),
            moment(&self.to)?.into(),
        ])
    }
}

/// The SQL of a section for the span of a run, or of a window: `{of_run}` is the condition that keeps the row `h` of a history table
/// to the run, `{is_run}` whether it is one's.
pub fn of_span(sql: &str, run: Option<OfRun>) -> String {
    let condition = run.map_or_else(String::new, |run| format!(" AND h.run_id = {}", run.run_id));
    let is_run = if run.is_some() { "true" } else { "false" };
    sql.replace("{of_run}", &condition)
        .replace("{is_run}", is_run)
}

/// A moment as the server wrote it.
///
/// # Errors
/// It is none.
pub fn moment(text: &str) -> Result<TimestampWithTimeZone> {
    TimestampWithTimeZone::from_str(text).map_err(|error| invalid(format!("{text}: {error}")))
}
