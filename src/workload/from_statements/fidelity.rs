//! The similarity between a run of a workload and the statements that it was made of.

use super::source::{self, Observed};
use crate::catalog::runs::{self, ExistingRun};
use crate::error::{Result, hinted};
use crate::pg::catalog::role::as_owner;
use crate::pg::sql::arguments;
use crate::pg::sql::spi;
use crate::pg::sql::text::Text;
use crate::workload::stored;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;
use serde::Deserialize;

/// What a statement does: in a run, or when it was observed.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Figures {
    calls: f64,
    total_ms: f64,
    rows: f64,
    hit: f64,
    read: f64,
}

impl Figures {
    fn add(&mut self, other: &Figures) {
        self.calls += other.calls;
        self.total_ms += other.total_ms;
        self.rows += other.rows;
        self.hit += other.hit;
        self.read += other.read;
    }

    fn per_call(&self, total: f64) -> Option<f64> {
        (self.calls > 0.0).then(|| total / self.calls)
    }

    fn hit_percent(&self) -> Option<f64> {
        let blocks = self.hit + self.read;
        (blocks > 0.0).then(|| 100.0 * self.hit / blocks)
    }
}

impl From<&Observed> for Figures {
    fn from(observed: &Observed) -> Figures {
        Figures {
            calls: observed.calls,
            total_ms: observed.total_ms,
            rows: observed.rows,
            hit: observed.hit,
            read: observed.read,
        }
    }
}

/// A statement, then all of them together.
#[derive(Debug, Clone, PartialEq)]
struct Compared {
    queryid: Option<i64>,
    script: Option<String>,
    statement: String,
    run: Figures,
    original: Figures,
    /// Its share of the calls, percent.
    share: Option<f64>,
    original_share: Option<f64>,
    likeness_percent: Option<f64>,
}

/// A statement of a run.
#[derive(Debug, Clone, Deserialize)]
struct OfRun {
    script_no: usize,
    script: String,
    command_no: usize,
    calls: f64,
    total_ms: Option<f64>,
    rows: Option<f64>,
    hit: Option<f64>,
    read: Option<f64>,
}

/// The arguments.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct FidelityArguments {
    run_id: Option<i64>,
    run: Option<String>,
    from_time: Option<String>,
    to_time: Option<String>,
}

/// `pgperf.workload_fidelity`, whose first argument is the number of a run or its name.
#[pg_extern(sql = false)]
#[allow(clippy::type_complexity)]
fn workload_fidelity(
    fcinfo: pg_sys::FunctionCallInfo,
) -> std::result::Result<
    TableIterator<
        'static,
        (
            name!(queryid, Option<i64>),
            name!(script, Option<Text>),
            name!(statement, Text),
            name!(calls, i64),
            name!(original_calls, i64),
            name!(calls_percent, Option<f64>),
            name!(original_calls_percent, Option<f64>),
            name!(mean_ms, Option<f64>),
            name!(original_mean_ms, Option<f64>),
            name!(rows_per_call, Option<f64>),
            name!(original_rows_per_call, Option<f64>),
            name!(blocks_per_call, Option<f64>),
            name!(original_blocks_per_call, Option<f64>),
            name!(hit_percent, Option<f64>),
            name!(original_hit_percent, Option<f64>),
            name!(likeness_percent, Option<f64>),
        ),
    >,
    ErrorReport,
> {
    let given = arguments::by_name(fcinfo).and_then(arguments::read);
    let rows = fidelity(&given?)?;
    Ok(TableIterator::new(rows.into_iter().map(|it| {
        let (run, original) = (it.run, it.original);
        (
            it.queryid,
            it.script.map(Text),
            it.statement.into(),
            run.calls as i64,
            original.calls as i64,
            it.share,
            it.original_share,
            run.per_call(run.total_ms),
            original.per_call(original.total_ms),
            run.per_call(run.rows),
            original.per_call(original.rows),
            run.per_call(run.hit + run.read),
            original.per_call(original.hit + original.read),
            run.hit_percent(),
            original.hit_percent(),
            it.likeness_percent,
        )
    })))
}

fn fidelity(given: &FidelityArguments) -> Result<Vec<Compared>> {
    let run = match &given.run {
        Some(name) => runs::by_name(name)?,
        None => runs::by_id(given.run_id)?,
    };
    run.check_visible()?;
    let Some(definition) = workload_of(&run)? else {
        return Err(hinted(
            format!(
                "run {} is not of a workload that create_workload_from_statements has made",
                run.run_id
            ),
            "Name a run of such a workload alone, which has not been replaced or dropped since.",
        ));
    };
    definition.check_visible()?;
    let origin = definition.origin().unwrap_or_default();
    let window = match (&given.from_time, &given.to_time) {
        (None, None) => None,
        (from, to) => Some(source::read(from.as_deref(), to.as_deref())?.statements),
    };
    let found: Vec<OfRun> = as_owner(|| {
        spi::select(
            STATEMENTS,
            &[run.node_id.as_str().into(), run.run_id.into()],
        )
    })?;
    let rows = origin.statements.iter().map(|it| {
        let own = found
            .iter()
            .find(|own| own.script_no == it.script && own.command_no == it.command);
        let original = match &window {
            None => Figures::from(&it.observed),
            Some(statements) => {
                let same = statements
                    .iter()
                    .find(|other| other.queryid == it.observed.queryid);
                same.map(Figures::from).unwrap_or_default()
            }
        };
        Compared {
            queryid: it.observed.queryid,
            script: own.map(|own| own.script.clone()),
            statement: it.observed.query.clone().unwrap_or_default(),
            run: own.map(figures).unwrap_or_default(),
            original,
            share: None,
            original_share: None,
            likeness_percent: None,
        }
    });
    Ok(together(rows.collect()))
}

fn figures(own: &OfRun) -> Figures {
    Figures {
        calls: own.calls,
        total_ms: own.total_ms.unwrap_or_default(),
        rows: own.rows.unwrap_or_default(),
        hit: own.hit.unwrap_or_default(),
        read: own.read.unwrap_or_default(),
    }
}

/// The workload of a run, if it is the only one and has not changed since.
fn workload_of(run: &ExistingRun) -> Result<Option<stored::Definition>> {
    #[derive(Deserialize)]
    struct RunWorkload {
        name: String,
    }
    let named: Option<RunWorkload> = as_owner(|| {
        spi::select_one(
            "SELECT w.name FROM pgperf_internal.stored_runs r JOIN pgperf_internal.stored_workloads w ON w.name = r.workload \
              WHERE r.node_id = $1::pg_catalog.uuid AND r.run_id = $2 AND w.origin IS NOT NULL \
                AND w.created_at <= r.requested_at",
            &[run.node_id.as_str().into(), run.run_id.into()],
        )
    })?;
    match named {
        Some(named) => stored::find(&named.name),
        None => Ok(None),
    }
}

const STATEMENTS: &str = "SELECT s.script_no, s.script, s.command_no, s.calls::pg_catalog.float8 AS calls, \
        s.calls * s.latency_avg_ms AS total_ms, s.rows::pg_catalog.float8 AS rows, \
        s.shared_blks_hit::pg_catalog.float8 AS hit, s.shared_blks_read::pg_catalog.float8 AS read \
   FROM pgperf.run_statements s WHERE s.node_id = $1::pg_catalog.uuid AND s.run_id = $2 AND s.is_sql";

/// Adds the shares, the likeness, and a row for all statements.
fn together(mut rows: Vec<Compared>) -> Vec<Compared> {
    let (mut run, mut original) = (Figures::default(), Figures::default());
    for row in &rows {
        run.add(&row.run);
        original.add(&row.original);
    }
    let share = |part: f64, all: f64| (all > 0.0).then(|| 100.0 * part / all);
    let mut likeness = 0.0;
    for row in &mut rows {
        row.share = share(row.run.calls, run.calls);
        row.original_share = share(row.original.calls, original.calls);
        let per_call = |figures: &Figures, total: f64| figures.per_call(total).unwrap_or_default();
        let (now, then) = (&row.run, &row.original);
        let ratios = [
            ratio(
                row.share.unwrap_or_default(),
                row.original_share.unwrap_or_default(),
            ),
            ratio(per_call(now, now.rows), per_call(then, then.rows)),
            ratio(
                per_call(now, now.hit + now.read),
                per_call(then, then.hit + then.read),
            ),
        ];
        let least = ratios.into_iter().fold(1.0, f64::min);
        row.likeness_percent = Some(100.0 * least);
        likeness += least * row.original.calls;
    }
    rows.push(Compared {
        queryid: None,
        script: None,
        statement: "all together".to_owned(),
        run,
        original,
        share: share(run.calls, run.calls),
        original_share: share(original.calls, original.calls),
        likeness_percent: share(likeness, original.calls),
    });
    rows
}

/// The smaller one in parts of the larger one.
fn ratio(a: f64, b: f64) -> f64 {
    match a.max(b) {
        larger if larger > 0.0 => a.min(b) / larger,
        _ => 1.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(run: [f64; 3], original: [f64; 3]) -> Compared {
        let figures = |[calls, rows, hit]: [f64; 3]| Figures {
            calls,
            rows,
            hit,
            ..Figures::default()
        };
        Compared {
            queryid: Some(1),
            script: None,
            statement: String::new(),
            run: figures(run),
            original: figures(original),
            share: None,
            original_share: None,
            likeness_percent: None,
        }
    }

    #[test]
    fn likeness_is_the_least_ratio_and_weighted_by_calls() {
        let rows = together(vec![
            row([30.0, 30.0, 120.0], [300.0, 300.0, 1500.0]),
            row([10.0, 0.0, 0.0], [100.0, 0.0, 0.0]),
        ]);
        let likeness: Vec<f64> = rows.iter().map(|it| it.likeness_percent.unwrap()).collect();
        assert_eq!(likeness, [80.0, 100.0, 85.0]);
        assert_eq!(
            (rows[0].share, rows[0].original_share),
            (Some(75.0), Some(75.0))
        );
        // A statement that was not run is not alike at all.
        let rows = together(vec![row([0.0; 3], [100.0, 1.0, 1.0])]);
        assert_eq!(rows[1].likeness_percent, Some(0.0));
        assert_eq!(rows[0].share, None);
        assert_eq!(together(Vec::new())[0].likeness_percent, None);
    }
}
