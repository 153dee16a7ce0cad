//! The totals of a run on several nodes, made of those of its parts.

use super::commands::{scripts, split, statements};
use super::figures::{Pooled, greatest, mean, per_second, sum};
use super::member::{Member, Sum};
use crate::error::Result;
use crate::facts::metrics;
use crate::facts::target::identity::Identity;
use crate::pg::sql::spi;
use crate::run::record::of_workload;
use crate::run::record::rows::{ServerRow, TimeSplit, TotalsRow, encoded};
use crate::run::record::run_row::StoredRun;
use engine::Outcomes;
use measure::Latency;
use serde::Deserialize;

/// The totals of a part, as its leader has stored them.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
struct Totals {
    seconds: f64,
    transactions: u64,
    #[serde(flatten)]
    outcomes: Outcomes,
    warmup_transactions: u64,
    #[serde(flatten)]
    latency: Latency,
    lag_avg_ms: Option<f64>,
    lag_max_ms: Option<f64>,
    connect_ms: Option<f64>,
    reconnects: u64,
    reconnect_avg_ms: Option<f64>,
    rows_returned: u64,
    bytes_returned: u64,
    wal_bytes: Option<u64>,
    wal_records: Option<u64>,
    wal_fpi: Option<u64>,
    shared_blks_hit: Option<u64>,
    shared_blks_read: Option<u64>,
    shared_blks_dirtied: Option<u64>,
    #[serde(flatten)]
    time: TimeSplit,
    retry_ms: Option<f64>,
    digits: Option<String>,
}

impl Totals {
    /// Of a part that was not brought here: what its intervals say. Of what kind its failures were is not known.
    fn of_intervals(sum: &Sum) -> Totals {
        Totals {
            seconds: sum.seconds,
            transactions: sum.transactions,
            outcomes: Outcomes {
                other_failures: sum.failed,
                retried: sum.retried,
                retries: sum.retries,
                skipped: sum.skipped,
                late: sum.late,
                ..Outcomes::default()
            },
            ..Totals::default()
        }
    }
}

/// Stores what the parts have done, together and each.
pub fn store_totals(run: &mut StoredRun, members: &[Member]) {
    if members.iter().any(|member| member.sum.seconds > 0.0) {
        run.store(|run| Whole::read(run, members)?.store(run));
    }
}

/// All parts with their figures.
struct Whole<'m> {
    members: &'m [Member],
    totals: Vec<Totals>,
    pooled: Vec<Pooled>,
    aborted: Vec<usize>,
    seconds: f64,
}

/// Of a part that was brought here, or is here: its key.
pub fn key(member: &Member) -> Option<(&str, i64)> {
    let key = member.key.as_ref()?;
    Some((&key.node_id, key.run_id))
}

impl<'m> Whole<'m> {
    fn read(run: &StoredRun, members: &'m [Member]) -> Result<Whole<'m>> {
        let mut whole = Whole {
            members,
            totals: Vec::new(),
            pooled: Vec::new(),
            aborted: Vec::new(),
            seconds: 0.0,
        };
        for member in members {
            let stored = match key(member) {
                Some((node_id, run_id)) => spi::select_one::<Totals>(
                    "SELECT t.*, pg_catalog.encode(t.histogram, 'hex') AS digits FROM pgperf_internal.run_totals t \
                      WHERE t.node_id = $1::pg_catalog.uuid AND t.run_id = $2",
                    &[node_id.into(), run_id.into()],
                )?,
                None => None,
            };
            let (totals, pooled) = match stored {
                Some(totals) => {
                    let mut pooled = Pooled::default();
                    let digits = totals.digits.as_deref();
                    pooled.add(totals.transactions, &totals.latency, digits)?;
                    (totals, pooled)
                }
                None => (Totals::of_intervals(&member.sum), member.sum.pooled.clone()),
            };
            whole.seconds = whole.seconds.max(totals.seconds);
            whole.totals.push(totals);
            whole.pooled.push(pooled);
            whole.aborted.push(aborted(run, member)?);
        }
        Ok(whole)
    }

    fn store(&self, run: &StoredRun) -> Result<()> {
        let totals = self.row(run);
        spi::insert("pgperf_internal.run_totals", &totals)?;
        spi::insert_all("pgperf.run_servers", &self.of_nodes(run))?;
        let scripts = scripts(run, self.members, self.seconds)?;
        spi::insert_all("pgperf.run_scripts", &scripts)?;
        let statements = statements(run, self.members)?;
        spi::insert_all("pgperf.run_statements", &statements)?;
        let (transactions, seconds) = (totals.transactions, totals.seconds);
        let metrics = of_workload::metrics(&run.spec, &scripts, &statements, transactions, seconds);
        metrics::store(&run.node_id, run.run_id, metrics)?;
        take_errors(run, self.members)?;
        take_scale(run, self.members)
    }

    fn row(&self, run: &StoredRun) -> TotalsRow {
        let all = || self.totals.iter();
        let of_each =
            |value: fn(&Totals) -> Option<f64>| mean(all().map(|it| (value(it), it.transactions)));
        let mut outcomes = Outcomes::default();
        all().for_each(|it| outcomes.merge(&it.outcomes));
        let mut pooled = Pooled::default();
        self.pooled.iter().for_each(|it| pooled.merge(it));
        TotalsRow {
            node_id: run.node_id.clone(),
            run_id: run.run_id,
            seconds: self.seconds,
            transactions: all().map(|it| it.transactions).sum(),
            failed: outcomes.failed(),
            outcomes,
            warmup_transactions: all().map(|it| it.warmup_transactions).sum(),
            latency: pooled.latency(),
            lag_avg_ms: of_each(|it| it.lag_avg_ms),
            lag_max_ms: greatest(all().map(|it| it.lag_max_ms)),
            connect_ms: greatest(all().map(|it| it.connect_ms)),
            reconnects: all().map(|it| it.reconnects).sum(),
            reconnect_avg_ms: mean(all().map(|it| (it.reconnect_avg_ms, it.reconnects))),
            rows_returned: all().map(|it| it.rows_returned).sum(),
            bytes_returned: all().map(|it| it.bytes_returned).sum(),
            wal_bytes: sum(all().map(|it| it.wal_bytes)),
            wal_records: sum(all().map(|it| it.wal_records)),
            wal_fpi: sum(all().map(|it| it.wal_fpi)),
            shared_blks_hit: sum(all().map(|it| it.shared_blks_hit)),
            shared_blks_read: sum(all().map(|it| it.shared_blks_read)),
            shared_blks_dirtied: sum(all().map(|it| it.shared_blks_dirtied)),
            time: split(all().map(|it| (it.time, it.transactions))),
            retry_ms: of_each(|it| it.retry_ms),
            histogram: encoded(&pooled.histogram),
        }
    }

    fn of_nodes(&self, run: &StoredRun) -> Vec<ServerRow> {
        let nodes = self.members.iter().enumerate();
        let row = |(server_no, member): (usize, &Member)| {
            let Member { node, progress, .. } = member;
            let (totals, pooled) = (&self.totals[server_no], &self.pooled[server_no]);
            ServerRow {
                node_id: run.node_id.clone(),
                run_id: run.run_id,
                server_no,
                server: node.node.clone(),
                weight: node.weight,
                clients: node.clients,
                aborted: self.aborted[server_no],
                seconds: totals.seconds,
                transactions: totals.transactions,
                tps: per_second(totals.transactions, self.seconds),
                failed: totals.outcomes.failed(),
                outcomes: totals.outcomes,
                latency: pooled.latency(),
                histogram: encoded(&pooled.histogram),
                identity: Identity {
                    server_version: progress.as_ref().and_then(|it| it.server_version.clone()),
                    in_recovery: progress.as_ref().map(|_| false),
                },
            }
        };
        nodes.map(row).collect()
    }
}

/// How many clients of a part an error has ended; all of one that was lost.
fn aborted(run: &StoredRun, member: &Member) -> Result<usize> {
    #[derive(Deserialize)]
    struct Count {
        clients: usize,
    }
    let told = member.progress.as_ref();
    if member.lost.is_some() || told.is_some_and(|it| it.status == "interrupted") {
        return Ok(member.node.clients);
    }
    let has_failed = told.is_some_and(|it| it.status == "failed");
    let Some((node_id, run_id)) = key(member).filter(|_| has_failed) else {
        return Ok(0);
    };
    let survives = run.spec.continue_on_error;
    let found: Option<Count> = spi::select_one(
        "SELECT pg_catalog.count(DISTINCT e.client_id) AS clients FROM pgperf.run_errors e \
          WHERE e.node_id = $1::pg_catalog.uuid AND e.run_id = $2 AND NOT $3",
        &[node_id.into(), run_id.into(), survives.into()],
    )?;
    Ok(found.map_or(0, |it| it.clients))
}

/// The errors of the parts, with the numbers of clients of the whole.
fn take_errors(run: &StoredRun, members: &[Member]) -> Result<()> {
    for member in members {
        let Some((node_id, run_id)) = key(member) else {
            continue;
        };
        spi::execute(
            "INSERT INTO pgperf.run_errors (node_id, run_id, error_no, occurred_at, first_occurred_at, client_id, script, command_no, \
                                            sqlstate, message, detail, occurrences) \
             SELECT $1::pg_catalog.uuid, $2, \
                    (SELECT pg_catalog.count(*) FROM pgperf.run_errors x WHERE x.node_id = $1::pg_catalog.uuid AND x.run_id = $2) \
                        + pg_catalog.row_number() OVER (ORDER BY e.error_no), \
                    e.occurred_at, e.first_occurred_at, e.client_id + $5, e.script, e.command_no, e.sqlstate, e.message, e.detail, e.occurrences \
               FROM pgperf.run_errors e WHERE e.node_id = $3::pg_catalog.uuid AND e.run_id = $4",
            &[
                run.node_id.as_str().into(),
                run.run_id.into(),
                node_id.into(),
                run_id.into(),
                (member.node.first_client as i32).into(),
            ],
        )?;
    }
    Ok(())
}

/// The scale and the data sets of the parts, where all have the same.
fn take_scale(run: &StoredRun, members: &[Member]) -> Result<()> {
    let keys: Vec<String> = (members.iter().filter_map(key))
        .map(|(node_id, run_id)| format!("{node_id}/{run_id}"))
        .collect();
    spi::execute(
        "UPDATE pgperf_internal.stored_runs r SET scale = p.scale, \
                spec = r.spec || pg_catalog.jsonb_strip_nulls(pg_catalog.jsonb_build_object('scale', p.exact, 'data', p.data)) \
           FROM (SELECT pg_catalog.min(s.scale) AS scale, (pg_catalog.array_agg(s.spec -> 'scale'))[1] AS exact, \
                        (pg_catalog.array_agg(s.spec -> 'data'))[1] AS data \
                   FROM pgperf_internal.stored_runs s \
                  WHERE s.node_id::pg_catalog.text || '/' || s.run_id::pg_catalog.text = ANY ($3) \
                 HAVING pg_catalog.count(DISTINCT COALESCE(s.spec -> 'scale', 'null')) = 1) p \
          WHERE r.node_id = $1::pg_catalog.uuid AND r.run_id = $2",
        &[run.node_id.as_str().into(), run.run_id.into(), keys.into()],
    )?;
    Ok(())
}
