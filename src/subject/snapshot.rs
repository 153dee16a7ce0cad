//! The SQL functions that take samples of several collectors.

use super::{ALL, registry};
use crate::collect::collector::{Collector, Depth, InRuns};
use crate::collect::on_demand::refuse_where_nothing_can_be_stored;
use crate::collect::sample::beginning::hardly_waiting;
use crate::collect::sample::stepwise::{Part, Request, SamplerNotes, take_stepwise};
use crate::collect::sample::{Sample, take_sample};
use crate::collect::watched::Watched;
use crate::error::Result;
use crate::pg::catalog::role::as_owner;
use crate::pg::error::say;
use crate::pg::sql::procedure::NonAtomic;
use crate::pg::sql::spi;
use crate::pg::sql::text::{Text, strings};
use pgrx::datum::Interval;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;
use serde::Deserialize;

/// `pgperf.snapshot`: one sample of the named collectors, or of all that are enabled.
#[pg_extern(sql = false)]
#[allow(clippy::type_complexity)]
fn snapshot(
    collectors: Option<Vec<Option<Text>>>,
) -> std::result::Result<
    TableIterator<
        'static,
        (
            name!(sample_id, i64),
            name!(collector, Text),
            name!(status, Text),
            name!(rows, i64),
            name!(elapsed_ms, f64),
            name!(reason, Option<Text>),
        ),
    >,
    ErrorReport,
> {
    let sample = hardly_waiting(|| as_owner(|| take_sample(&wanted(collectors)?)))?;
    let Sample {
        sample_id,
        outcomes,
        ..
    } = sample;
    Ok(TableIterator::new(outcomes.into_iter().map(
        move |outcome| {
            (
                sample_id,
                outcome.collector.into(),
                outcome.status.name().into(),
                outcome.rows as i64,
                outcome.elapsed_ms,
                outcome.reason.map(Text),
            )
        },
    )))
}

/// `pgperf_internal.collect_sample`: the work of `take_snapshot`.
#[pg_extern(sql = false)]
fn collect_sample(
    collectors: Option<Vec<Option<Text>>>,
    fcinfo: pg_sys::FunctionCallInfo,
) -> std::result::Result<(), ErrorReport> {
    let mut procedure = NonAtomic::check(fcinfo, "pgperf.take_snapshot")?;
    let wanted = hardly_waiting(|| as_owner(|| wanted(collectors)))?;
    procedure.commit();
    let full = |collector| Part {
        collector,
        depth: Depth::Full,
        stretched: None,
    };
    let request = Request {
        run_id: None,
        cadence_s: None,
        whole: true,
        watched: Watched::default(),
        notes: SamplerNotes::default(),
        parts: wanted.into_iter().map(full).collect(),
    };
    let sample = take_stepwise(&mut procedure, request)?;
    for outcome in &sample.outcomes {
        if let Some(reason) = &outcome.reason {
            let status = outcome.status.name();
            say(
                PgLogLevel::NOTICE,
                format!("{}: {status}: {reason}", outcome.collector),
            );
        }
    }
    Ok(())
}

/// `pgperf_internal.collector_definitions`: the base of `pgperf.collectors`.
#[pg_extern(sql = false)]
#[allow(clippy::type_complexity)]
fn collector_definitions() -> TableIterator<
    'static,
    (
        name!(name, Text),
        name!(enabled, bool),
        name!(sample_interval, Interval),
        name!(cost, Text),
        name!(in_runs, Text),
        name!(needs, Option<Text>),
        name!(history_tables, Vec<Text>),
        name!(description, Text),
    ),
> {
    TableIterator::new(ALL.into_iter().map(|collector| {
        (
            collector.name.into(),
            true,
            Interval::from_seconds(f64::from(collector.sample_interval_s)),
            collector.cost.name().into(),
            collector.in_runs.name().into(),
            collector.needs.map(Text::from),
            collector
                .history_tables
                .iter()
                .map(|table| (*table).into())
                .collect(),
            collector.description.into(),
        )
    }))
}

/// `pgperf_internal.collector_visits`: what `pgperf.collectors` says of visits.
#[pg_extern(sql = false)]
fn collector_visits() -> TableIterator<'static, (name!(name, Text), name!(in_visits, Text))> {
    let visits = |collector: &Collector| (collector.name.into(), collector.in_visits.name().into());
    TableIterator::new(ALL.into_iter().map(visits))
}

/// The named collectors, or all enabled ones.
fn wanted(names: Option<Vec<Option<Text>>>) -> Result<Vec<&'static Collector>> {
    refuse_where_nothing_can_be_stored()?;
    match names {
        Some(names) => registry::by_name(&strings(names)),
        None => enabled(),
    }
}

/// The collectors that nobody switched off, without those that need somebody to watch first.
fn enabled() -> Result<Vec<&'static Collector>> {
    #[derive(Deserialize)]
    struct Enabled {
        name: String,
    }
    let names: Vec<Enabled> = spi::select("SELECT name FROM pgperf.collectors WHERE enabled", &[])?;
    Ok(ALL
        .into_iter()
        .filter(|collector| collector.in_runs != InRuns::IfAsked)
        .filter(|collector| names.iter().any(|enabled| enabled.name == collector.name))
        .collect())
}
