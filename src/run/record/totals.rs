//! The end of a run: totals, statements and errors, then the final status of its row.

use super::error_rows::{aborted, errors};
use super::fairness::{self, Share};
use super::intervals::Intervals;
use super::of_workload;
use super::rows::{ScriptRow, StatementRow, StatementUsage, TimeSplit, TotalsRow, encoded};
use super::run_row::{End, StoredRun};
use crate::facts::metrics::{self, Metric};
use crate::pg::process::clock;
use crate::pg::server;
use crate::pg::sql::spi;
use crate::run::own_metrics::Measured;
use crate::run::request::spec::{CommandName, Spec, Work};
use crate::run::resume::state::Details;
use crate::run::shared::Published;
use crate::run::shared::Shared;
use crate::run::shared::reading::Reading;
use crate::run::shared::slot::Counter;
use engine::{Answers, CommandStats, Latencies, Parts, ScriptStats, Spent};
use measure::Latency;
use measure::metrics::TPS_PRECISION;

/// The leader's facts about a run that has ended, besides those in the segment.
pub struct Ending {
    pub end: End,
    /// From the first client's launch until the last one was ready.
    pub connect_ns: u64,
}

/// The results of the run, except its final status.
pub struct Closing {
    pub end: End,
    /// The number of stored errors.
    pub errors: usize,
    /// None: nothing was measured.
    pub measured: Option<Measured>,
}

/// Stores the results of the run, except its end itself.
pub fn store(
    spec: &Spec,
    run: &mut StoredRun,
    shared: &Shared,
    mut intervals: Intervals,
    ending: &Ending,
) -> Closing {
    let ended_at = ended_at(shared).unwrap_or_else(clock::now);
    // These are read at once: storing may have to wait for somebody's lock.
    let (end_lsn, end_xid) = (server::insert_lsn(), server::next_full_xid());
    let began = intervals.began_at();
    let mut total = intervals.finish(run, ended_at);
    let precision = intervals.precision_percent();
    total.merge(&run.carried.reading);
    let commands = spec.commands();
    let errors = errors(shared, run, &commands);
    let mut of_all = None;
    if began > 0 || run.carried.segments > 0 {
        let measured = if began > 0 {
            ended_at.saturating_sub(began)
        } else {
            0
        };
        let seconds = run.carried.seconds + measured as f64 / 1e9;
        of_all = Some(Measured {
            seconds,
            transactions: total.latency.count,
        });
        let stats = command_stats(run, shared, &commands);
        let connect_ns = match run.carried.connect_ns {
            0 => ending.connect_ns,
            first => first,
        };
        let mut totals = totals_row(run, &total, seconds, connect_ns);
        // Before an interruption, the figures of statements may lag behind those of transactions.
        if spec.segment == 0 {
            totals.time = transaction_split(spec, &stats, &total);
        }
        let scripts = script_rows(run, shared, &total, seconds);
        let statements = statement_rows(run, shared, stats);
        let servers = intervals.servers();
        let servers = servers.map(|it| it.totals(run, shared, (began, seconds)));
        let servers = servers.unwrap_or_default();
        run.store(|run| {
            if run.spec.targets.is_here() {
                set_end_position(run, &end_lsn, &end_xid)?;
            }
            spi::insert("pgperf_internal.run_totals", &totals)?;
            for row in &scripts {
                spi::insert("pgperf.run_scripts", row)?;
            }
            for row in &servers {
                spi::insert("pgperf.run_servers", row)?;
            }
            for row in &statements {
                spi::insert("pgperf.run_statements", row)?;
            }
            log_wait(run, total.get(Counter::LogWaitNs))?;
            shares(run, shared, &total)?;
            lost_sessions(run, shared)?;
            if precision.is_some() {
                let known = Metric::new(TPS_PRECISION, precision);
                metrics::store(&run.node_id, run.run_id, vec![known])?;
            }
            let transactions = total.latency.count;
            let metrics = of_workload::metrics(spec, &scripts, &statements, transactions, seconds);
            metrics::store(&run.node_id, run.run_id, metrics)
        });
    }
    run.store(|_| {
        errors
            .rows
            .iter()
            .try_for_each(|row| spi::insert("pgperf.run_errors", row))
    });
    Closing {
        end: match (&ending.end, aborted(&errors, &commands)) {
            (End::Finished, Some(failed)) => failed,
            (end, _) => end.clone(),
        },
        errors: errors.rows.len(),
        measured: of_all,
    }
}

/// When the last client finished; None if one did not.
fn ended_at(shared: &Shared) -> Option<u64> {
    shared
        .slots()
        .map(|slot| slot.get(Counter::FinishedAt))
        .max()
        .filter(|&at| at > 0)
}

/// The cost of the transaction log for the clients, if there was any.
fn log_wait(run: &StoredRun, ns: u64) -> crate::error::Result<()> {
    if ns == 0 {
        return Ok(());
    }
    let waited = Metric::new("transaction_log_wait_ms", Some(ns as f64 / 1e6));
    metrics::store(&run.node_id, run.run_id, vec![waited])
}

/// How often and for how long clients had no server, if they were to connect again. Of a run that was resumed only the last segment is known.
fn lost_sessions(run: &StoredRun, shared: &Shared) -> crate::error::Result<()> {
    if run.spec.segment > 0 || !run.spec.reconnect_on_loss {
        return Ok(());
    }
    let of_clients = |counter| shared.slots().map(move |slot| slot.get(counter));
    let without_ns: u64 = of_clients(Counter::WithoutServerNs).sum();
    let longest_ns = of_clients(Counter::WithoutServerNs).max().unwrap_or(0);
    let lost: u64 = of_clients(Counter::LostSessions).sum();
    let metrics = [
        ("sessions_lost", lost as f64),
        (
            "without_server_avg_ms",
            without_ns as f64 / run.spec.clients as f64 / 1e6,
        ),
        ("without_server_max_ms", longest_ns as f64 / 1e6),
    ];
    let metrics = metrics.map(|(name, value)| Metric::new(name, Some(value)));
    metrics::store(&run.node_id, run.run_id, metrics.to_vec())
}

/// How evenly the clients worked. Of a run that was resumed only the last segment is known, which would not fit the totals.
fn shares(run: &StoredRun, shared: &Shared, total: &Reading) -> crate::error::Result<()> {
    if run.spec.segment > 0 || !run.spec.work.draws() {
        return Ok(());
    }
    let clients: Vec<Share> = shared
        .slots()
        .map(|slot| Share {
            transactions: slot.get(Counter::Transactions),
            busy_ns: slot.get(Counter::LatencySumNs),
        })
        .collect();
    let metrics = fairness::metrics(&clients, total.histogram.quantile(0.0));
    metrics::store(&run.node_id, run.run_id, metrics.unwrap_or_default())
}

fn set_end_position(run: &StoredRun, lsn: &str, full_xid: &str) -> crate::error::Result<()> {
    spi::execute(
        "UPDATE pgperf_internal.stored_runs SET end_lsn = $3::pg_catalog.pg_lsn, \
            end_full_xid = $4::pg_catalog.xid8 \
         WHERE node_id = $1::pg_catalog.uuid AND run_id = $2",
        &[
            run.node_id.as_str().into(),
            run.run_id.into(),
            lsn.into(),
            full_xid.into(),
        ],
    )?;
    Ok(())
}

fn totals_row(run: &StoredRun, total: &Reading, seconds: f64, connect_ns: u64) -> TotalsRow {
    let lag = total.lag_avg_ms().filter(|_| run.spec.is_scheduled());
    let reconnects = total.get(Counter::Reconnects);
    let outcomes = total.outcomes();
    let known = |counter| run.knows_usage().then(|| total.get(counter));
    TotalsRow {
        node_id: run.node_id.clone(),
        run_id: run.run_id,
        seconds,
        transactions: run
            .spec
            .work
            .done(total.latency.count, total.get(Counter::LoadDone)),
        failed: outcomes.failed(),
        outcomes,
        warmup_transactions: total.get(Counter::WarmupTransactions),
        latency: Latency::new(&total.latency, &total.histogram),
        time: TimeSplit::default(),
        retry_ms: (run.spec.max_tries != 1 && total.latency.count > 0)
            .then(|| total.get(Counter::RetryNs) as f64 / total.latency.count as f64 / 1e6),
        lag_avg_ms: lag,
        lag_max_ms: lag.map(|_| total.lag_max_ns as f64 / 1e6),
        connect_ms: Some(connect_ns as f64 / 1e6),
        reconnects,
        reconnect_avg_ms: (reconnects > 0)
            .then(|| total.get(Counter::ReconnectNs) as f64 / reconnects as f64 / 1e6),
        rows_returned: total.get(Counter::Rows),
        bytes_returned: total.get(Counter::Bytes),
        wal_bytes: known(Counter::WalBytes),
        wal_records: known(Counter::WalRecords),
        wal_fpi: known(Counter::WalFpi),
        shared_blks_hit: known(Counter::BlocksHit),
        shared_blks_read: known(Counter::BlocksRead),
        shared_blks_dirtied: known(Counter::BlocksDirtied),
        histogram: encoded(&total.histogram),
    }
}

/// The outcomes of each script's transactions; a load has none. The figures of an only script are the run's.
fn script_rows(run: &StoredRun, shared: &Shared, total: &Reading, seconds: f64) -> Vec<ScriptRow> {
    let of_run = || ScriptStats {
        latencies: Latencies {
            moments: total.latency,
            histogram: total.histogram.clone(),
        },
        outcomes: total.outcomes(),
    };
    let scripts = run.spec.scripts.iter().enumerate();
    scripts
        .map(|(script_no, script)| {
            let stats = shared.script(script_no).map_or_else(of_run, |words| {
                run.details.script(script_no, ScriptStats::read(words))
            });
            let transactions = stats.latencies.moments.count;
            ScriptRow {
                node_id: run.node_id.clone(),
                run_id: run.run_id,
                script_no,
                script: script.name.clone(),
                weight: script.weight,
                transactions,
                tps: transactions as f64 / seconds,
                failed: stats.outcomes.failed(),
                outcomes: stats.outcomes,
                latency: stats.latencies.columns(),
                histogram: encoded(&stats.latencies.histogram),
            }
        })
        .collect()
}

/// The measured commands, with their figures from all segments, without those of a warm-up.
fn command_stats<'a>(
    run: &StoredRun,
    shared: &Shared,
    commands: &'a [CommandName],
) -> Vec<(&'a CommandName, CommandStats)> {
    // Those of a warm-up are not counted.
    let scripts = match &run.spec.work {
        Work::Scripts => run.spec.scripts.len(),
        Work::Load(_) | Work::Replay(_) => 1,
    };
    commands
        .iter()
        .filter(|command| command.script_no < scripts)
        .enumerate()
        .map(|(index, command)| {
            let stats = CommandStats::read(shared.command(index));
            (command, run.details.command(index, stats))
        })
        .collect()
}

/// Figures that a further segment cannot learn from intervals.
pub fn details(spec: &Spec, run: &StoredRun, shared: &Shared) -> Details {
    let commands = spec.commands();
    let script = |number| {
        let stats = ScriptStats::read(shared.script(number)?);
        Some(run.details.script(number, stats))
    };
    let stats = command_stats(run, shared, &commands).into_iter();
    Details {
        scripts: (0..shared.scripts()).filter_map(script).collect(),
        commands: stats.map(|(_, stats)| stats).collect(),
        errors: errors(shared, run, &commands).rows,
    }
}

/// How the time of the average completed transaction's statements was spent. A load has no such transactions.
fn transaction_split(
    spec: &Spec,
    stats: &[(&CommandName, CommandStats)],
    total: &Reading,
) -> TimeSplit {
    let (mut spent, mut calls) = (Spent::default(), 0);
    for (command, stats) in stats.iter().filter(|(command, _)| command.is_sql) {
        if command.is_step {
            return TimeSplit::default();
        }
        spent.add(stats.latencies.moments.sum_ns, &stats.parts);
        calls += stats.latencies.moments.count;
    }

    let lost = Spent {
        total_ns: total.get(Counter::LostNs),
        parts: Parts {
            parse_ns: total.get(Counter::LostParseNs),
            plan_ns: total.get(Counter::LostPlanNs),
            commit_ns: total.get(Counter::LostCommitNs),
            answers: Answers {
                first_byte_ns: total.get(Counter::LostFirstByteNs),
                receive_ns: total.get(Counter::LostReceiveNs),
                ..Answers::default()
            },
        },
    };
    let (of_done, count) = (spent.without(&lost), total.latency.count);
    match spec.transport.tells_usage() {
        true => TimeSplit::by_work(&of_done, count),
        // That of a pipeline is not known.
        false if spent.parts.answers.count < calls => TimeSplit::default(),
        false => TimeSplit::by_answers(&of_done.parts.answers, count),
    }
}

/// The same of a statement. Clients over the wire may know it of some of its calls only: not of those in a pipeline.
fn statement_split(spec: &Spec, stats: &CommandStats) -> TimeSplit {
    let (moments, parts) = (&stats.latencies.moments, stats.parts);
    let spent = Spent {
        total_ns: moments.sum_ns,
        parts,
    };
    match spec.transport.tells_usage() {
        true => TimeSplit::by_work(&spent, moments.count),
        false => TimeSplit::by_answers(&parts.answers, parts.answers.count),
    }
}

fn statement_rows(
    run: &StoredRun,
    shared: &Shared,
    stats: Vec<(&CommandName, CommandStats)>,
) -> Vec<StatementRow> {
    stats
        .into_iter()
        .enumerate()
        .map(|(index, (command, stats))| {
            let usage = &stats.usage;
            let known = |count| run.knows_usage().then_some(count);
            StatementRow {
                node_id: run.node_id.clone(),
                run_id: run.run_id,
                script_no: command.script_no,
                script: command.script.clone(),
                command_no: command.command_no,
                statement: command.text.clone(),
                is_sql: command.is_sql,
                calls: stats.latencies.moments.count,
                failed: stats.failed,
                retries: stats.retries,
                latency: stats.latencies.columns(),
                time: match command.is_sql && !command.is_step {
                    true => statement_split(&run.spec, &stats),
                    false => TimeSplit::default(),
                },
                usage: if command.is_sql {
                    StatementUsage {
                        rows: Some(stats.rows),
                        shared_blks_hit: known(usage.shared_blks_hit),
                        shared_blks_read: known(usage.shared_blks_read),
                        shared_blks_dirtied: known(usage.shared_blks_dirtied),
                        shared_blks_written: known(usage.shared_blks_written),
                        wal_records: known(usage.wal_records),
                        wal_fpi: known(usage.wal_fpi),
                        wal_bytes: known(usage.wal_bytes),
                    }
                } else {
                    StatementUsage::default()
                },
                histogram: encoded(&stats.latencies.histogram),
                started_at: shared.step_began(index).map(server::timestamp_text),
            }
        })
        .collect()
}
