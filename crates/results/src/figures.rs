//! What docs/figures.sql prints of a server without pgperf, before and after a run: sizes and counters, of which the differences belong to
//! the run whose results stand between them, whichever program printed these.

use crate::facts::{Relation, Run, Server, ServerFigure};
use crate::{Format, ReadError, Reader};
use serde::Deserialize;
use std::collections::HashMap;

const BEGINNING: &str = "pgperf figures ";
/// Programs whose results can stand between two lines of figures.
const PROGRAMS: [Format; 3] = [Format::Pgbench, Format::Sysbench, Format::Hammerdb];

/// Whether it is such a line.
pub(crate) fn claims(line: &str) -> bool {
    line.starts_with(BEGINNING)
}

/// A line of figures.
#[derive(Debug, Deserialize)]
struct Figures {
    version: u32,
    /// Seconds since 1970.
    taken_at: f64,
    server_version: String,
    /// Position in the WAL, in bytes.
    wal: f64,
    database_size: f64,
    hit: i64,
    read: i64,
    /// When the counters began again, in seconds since 1970.
    reset: Option<f64>,
    relations: Option<Vec<At>>,
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

/// Lines of figures with the output of a program between them.
#[derive(Default)]
pub(crate) struct Output {
    first: Option<Figures>,
    last: Option<Figures>,
    /// Reads what is not a line of figures; None: no line has told yet which program printed it.
    program: Option<Box<dyn Reader>>,
    /// Lines before that one.
    pending: Vec<String>,
}

impl Output {
    fn figures(&mut self, line: &str) -> bool {
        let figures = serde_json::from_str(line).ok();
        let figures = figures.filter(|figures: &Figures| figures.version == 1);
        let is_known = figures.is_some();
        match &self.first {
            None => self.first = figures,
            Some(_) => self.last = figures.or(self.last.take()),
        }
        is_known
    }
}

impl Reader for Output {
    fn line(&mut self, line: &str) -> bool {
        if let Some(figures) = line.strip_prefix(BEGINNING) {
            return self.figures(figures);
        }
        if let Some(program) = &mut self.program {
            return program.line(line);
        }
        let program = PROGRAMS
            .into_iter()
            .find(|program| program.claims(line.trim()));
        let Some(mut reader) = program.and_then(Format::reader) else {
            self.pending.push(line.to_owned());
            return true;
        };
        let mut are_known = true;
        for line in self.pending.drain(..) {
            are_known &= reader.line(&line);
        }
        are_known &= reader.line(line);
        self.program = Some(reader);
        are_known
    }

    fn finish(self: Box<Self>) -> Result<(Vec<Run>, Vec<String>), ReadError> {
        let Output {
            first,
            last,
            program,
            pending,
        } = *self;
        let (first, last) = first.zip(last).ok_or(ReadError::FiguresOnce)?;
        let (runs, mut notes) = match program {
            Some(program) => program.finish()?,
            None if pending.iter().all(|line| line.trim().is_empty()) => Default::default(),
            None => {
                let note = "no known program printed what stands beside the server's figures";
                (Vec::new(), vec![note.to_owned()])
            }
        };
        let mut run = match <[Run; 1]>::try_from(runs) {
            Ok([run]) => run,
            Err(runs) if runs.is_empty() => alone(&first, &last),
            Err(runs) => return Err(ReadError::FiguresOfWhich(runs.len())),
        };
        let went_on = went_on(&first, &last);
        if !went_on {
            notes.push(
                "the server's counters began again between its figures: only sizes and WAL are known"
                    .to_owned(),
            );
        }
        run.server_version
            .get_or_insert(last.server_version.clone());
        run.server = Some(server(&first, &last, went_on));
        Ok((vec![run], notes))
    }
}

/// Whether no counter began again in between: a crash leaves the time of the reset as it was, without one.
fn went_on(first: &Figures, last: &Figures) -> bool {
    let before = by_oid(first);
    let has_fallen = |at: &At| {
        let earlier = before.get(&at.oid);
        let fell = |(_, of): &(&str, Counter)| {
            let pair = earlier.and_then(|earlier| of(earlier)).zip(of(at));
            pair.is_some_and(|(earlier, later)| later < earlier)
        };
        COUNTERS.iter().any(fell)
    };
    first.reset == last.reset
        && last.hit >= first.hit
        && last.read >= first.read
        && !last.relations.iter().flatten().any(has_fallen)
}

fn by_oid(figures: &Figures) -> HashMap<u32, &At> {
    let relations = figures.relations.iter().flatten();
    relations.map(|at| (at.oid, at)).collect()
}

/// A run of which nothing is known but the server's figures.
fn alone(first: &Figures, last: &Figures) -> Run {
    let mut run = Run::new(Format::Psql);
    run.complete = true;
    run.started_s = Some(first.taken_at);
    run.totals.seconds = Some((last.taken_at - first.taken_at).max(0.0));
    run
}

/// The differences. `went_on`: no counter began again in between.
fn server(first: &Figures, last: &Figures, went_on: bool) -> Server {
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
    figures.retain(|figure| figure.value.is_finite());
    Server {
        shared_blks_hit: hit,
        shared_blks_read: read,
        figures,
        relations,
    }
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

#[cfg(test)]
mod tests;
