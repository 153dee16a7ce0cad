//! A server at a moment, and what has changed since another one.

use super::statements::{self, Statements};
use crate::facts::{Relation, Server, ServerFigure};
use measure::metrics::{self, Source};
use serde::Deserialize;
use std::collections::{BTreeMap, HashMap};

/// A server at a moment, as a JSON object.
#[derive(Debug, Deserialize)]
pub struct Moment {
    version: u32,
    /// Seconds since 1970.
    pub(super) taken_at: f64,
    pub(super) server_version: String,
    /// Position in the WAL, in bytes.
    wal: f64,
    database_size: f64,
    hit: i64,
    read: i64,
    /// When the counters began again, in seconds since 1970.
    reset: Option<f64>,
    relations: Option<Vec<At>>,
    /// Further counters of the server. docs/figures.sql has none of them, and no statements.
    #[serde(default)]
    counters: BTreeMap<String, Group>,
    /// None: the server does not count them.
    statements: Option<Statements>,
}

/// Counters that begin again together.
#[derive(Debug, Deserialize)]
struct Group {
    /// When they did, in seconds since 1970; None: never, or this server does not tell.
    reset: Option<f64>,
    /// By the metric that each is. None: this server has no such counter.
    values: BTreeMap<String, Option<f64>>,
}

impl Group {
    /// As [`Moment::has_not_counted`].
    fn has_not_counted(&self) -> bool {
        let mut values = self.values.values().flatten();
        self.reset.is_none() && values.all(|value| *value == 0.0)
    }
}

/// What has changed between two moments.
#[derive(Debug)]
pub struct Changes {
    pub server: Server,
    /// Whether no counter of the database or its relations began again in between.
    pub went_on: bool,
}

/// A relation at a moment. None: it has no such figure.
#[derive(Debug, Clone, Deserialize)]
struct At {
    oid: u32,
    schema: String,
    name: String,
    kind: String,
    table: Option<String>,
    size: i64,
    tuple_percent: Option<f64>,
    live: Option<i64>,
    dead: Option<i64>,
    seq_scan: Option<i64>,
    idx_scan: Option<i64>,
    n_tup_ins: Option<i64>,
    n_tup_upd: Option<i64>,
    n_tup_hot_upd: Option<i64>,
    n_tup_del: Option<i64>,
    vacuum_count: Option<i64>,
    autovacuum_count: Option<i64>,
    analyze_count: Option<i64>,
    autoanalyze_count: Option<i64>,
}

/// The counters of a relation.
type Counter = fn(&At) -> Option<i64>;
const COUNTERS: [(&str, Counter); 10] = [
    ("seq_scan", |at| at.seq_scan),
    ("idx_scan", |at| at.idx_scan),
    ("n_tup_ins", |at| at.n_tup_ins),
    ("n_tup_upd", |at| at.n_tup_upd),
    ("n_tup_hot_upd", |at| at.n_tup_hot_upd),
    ("n_tup_del", |at| at.n_tup_del),
    ("vacuum_count", |at| at.vacuum_count),
    ("autovacuum_count", |at| at.autovacuum_count),
    ("analyze_count", |at| at.analyze_count),
    ("autoanalyze_count", |at| at.autoanalyze_count),
];
/// Those whose sum over all relations is a figure of the run.
const SUMMED: [&str; 4] = [
    "vacuum_count",
    "autovacuum_count",
    "analyze_count",
    "autoanalyze_count",
];

impl Moment {
    /// The object of docs/figures.sql; None: it is none, or of another version.
    pub fn read(json: &str) -> Option<Moment> {
        let moment: Option<Moment> = serde_json::from_str(json).ok();
        moment.filter(|moment| moment.version == 1)
    }

    /// Until 14 the counters of a database begin, with the time of a reset, when its first session reports.
    fn has_not_counted(&self) -> bool {
        self.reset.is_none() && self.hit == 0 && self.read == 0
    }

    /// Its number alone, such as `9.6.24`.
    pub fn server_version(&self) -> &str {
        let words = self.server_version.split_once(' ');
        words.map_or(self.server_version.as_str(), |(number, _)| number)
    }

    /// What has changed since an earlier moment.
    pub fn since(&self, first: &Moment) -> Changes {
        let went_on = went_on(first, self);
        Changes {
            server: server(first, self, went_on),
            went_on,
        }
    }
}

/// Whether no counter began again in between: a crash leaves the time of the reset as it was, without one.
fn went_on(first: &Moment, last: &Moment) -> bool {
    let before = by_oid(first);
    let has_fallen = |at: &At| {
        let earlier = before.get(&at.oid);
        let fell = |(_, of): &(&str, Counter)| {
            let pair = earlier.and_then(|earlier| of(earlier)).zip(of(at));
            pair.is_some_and(|(earlier, later)| later < earlier)
        };
        COUNTERS.iter().any(fell)
    };
    (first.reset == last.reset || first.has_not_counted())
        && last.hit >= first.hit
        && last.read >= first.read
        && !last.relations.iter().flatten().any(has_fallen)
}

fn by_oid(moment: &Moment) -> HashMap<u32, &At> {
    let relations = moment.relations.iter().flatten();
    relations.map(|at| (at.oid, at)).collect()
}

/// The differences. `went_on`: no counter began again in between.
fn server(first: &Moment, last: &Moment, went_on: bool) -> Server {
    let before = by_oid(first);
    let relations: Vec<Relation> = (last.relations.iter().flatten())
        .map(|at| relation(before.get(&at.oid).copied(), at, went_on))
        .filter(|relation| relation.has_changed())
        .collect();
    let growth = |is_index: bool| {
        let those = relations
            .iter()
            .filter(|it| (it.kind == "index") == is_index);
        let growth =
            those.map(|it| it.end_size_bytes as f64 - it.start_size_bytes.unwrap_or(0) as f64);
        growth.sum::<f64>()
    };
    let figure = |category, name: &str, value, unit| ServerFigure {
        category,
        name: name.to_owned(),
        value,
        unit,
    };
    let database_growth = last.database_size - first.database_size;
    let mut figures = vec![
        figure("size", "database_growth_bytes", database_growth, "bytes"),
        figure("size", "table_growth_bytes", growth(false), "bytes"),
        figure("size", "index_growth_bytes", growth(true), "bytes"),
        figure("wal", "wal_bytes", last.wal - first.wal, "bytes"),
    ];
    let (mut hit, mut read) = (None, None);
    if went_on {
        let hits = last.hit.saturating_sub(first.hit);
        let reads = last.read.saturating_sub(first.read);
        (hit, read) = (u64::try_from(hits).ok(), u64::try_from(reads).ok());
        if let Some(percent) = percent(hits, reads) {
            figures.push(figure(
                "database",
                "database_hit_percent",
                percent,
                "percent",
            ));
        }
        figures.extend(SUMMED.map(|name| {
            let of_all = relations.iter().filter_map(|it| it.counter(name));
            figure("vacuum", name, of_all.map(|it| it as f64).sum(), "count")
        }));
    }
    figures.extend(counted(first, last));
    figures.retain(|figure| figure.value.is_finite());
    let statements = first.statements.as_ref().zip(last.statements.as_ref());
    Server {
        shared_blks_hit: hit,
        shared_blks_read: read,
        figures,
        relations,
        statements: statements
            .map_or_else(Vec::new, |(first, last)| statements::between(first, last)),
    }
}

/// The increases of the counters of groups that went on, and are metrics.
fn counted(first: &Moment, last: &Moment) -> Vec<ServerFigure> {
    let mut figures = Vec::new();
    for (name, later) in &last.counters {
        let goes_on = |earlier: &&Group| earlier.reset == later.reset || earlier.has_not_counted();
        let Some(earlier) = first.counters.get(name).filter(goes_on) else {
            continue;
        };
        let increases: Vec<_> = (later.values.iter())
            .filter_map(|(name, value)| Some((name, (*value)? - (*earlier.values.get(name)?)?)))
            .collect();
        if increases.iter().any(|(_, increase)| *increase < 0.0) {
            continue;
        }
        let figure = |(name, value): (&String, f64)| {
            let metric = metrics::named(Source::Facts, name)?;
            Some(ServerFigure {
                category: metric.category,
                name: name.clone(),
                value,
                unit: metric.unit,
            })
        };
        figures.extend(increases.into_iter().filter_map(figure));
    }
    figures
}

/// The hits among all accesses.
fn percent(hits: i64, reads: i64) -> Option<f64> {
    let all = hits as f64 + reads as f64;
    (hits >= 0 && reads >= 0 && all > 0.0).then(|| 100.0 * hits as f64 / all)
}

/// A relation that was not there before began with nothing.
fn relation(before: Option<&At>, after: &At, went_on: bool) -> Relation {
    let counters = COUNTERS.iter().map(|(name, of)| {
        let began = before.map_or(Some(0), of);
        let increase = of(after)
            .zip(began)
            .map(|(after, before)| after.saturating_sub(before));
        (*name, increase.filter(|_| went_on))
    });
    Relation {
        oid: after.oid,
        schema: after.schema.clone(),
        name: after.name.clone(),
        kind: after.kind.clone(),
        table: after.table.clone(),
        start_size_bytes: before.map(|at| at.size),
        end_size_bytes: after.size,
        start_live_tuples: before.and_then(|at| at.live),
        end_live_tuples: after.live,
        start_dead_tuples: before.and_then(|at| at.dead),
        end_dead_tuples: after.dead,
        start_tuple_percent: before.and_then(|at| at.tuple_percent),
        end_tuple_percent: after.tuple_percent,
        counters: counters.collect(),
    }
}
