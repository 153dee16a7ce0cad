//! The intervals of a run on several nodes, made of those of its parts.

use super::figures::{Pooled, any, greatest, mean, per_second, sum};
use super::member::Member;
use super::on_node::Interval;
use crate::pg::server;
use crate::pg::sql::spi;
use crate::run::record::rows::{IntervalRow, ServerIntervalRow, encoded};
use crate::run::record::run_row::StoredRun;

/// Stores an interval of this number, of all that have told one.
pub fn store_interval(run: &mut StoredRun, members: &mut [Member], number: i32) {
    let mut told: Vec<(usize, Interval)> = Vec::new();
    for (place, member) in members.iter_mut().enumerate() {
        while let Some(interval) = member.waiting.pop_front_if(|it| it.interval_no <= number) {
            if interval.interval_no == number {
                told.push((place, interval));
            }
        }
    }
    let Some((_, first)) = told.first() else {
        return;
    };
    let all = || told.iter().map(|(_, interval)| interval);
    let mut pooled = Pooled::default();
    for it in all() {
        // A histogram that cannot be read was told of before.
        let _ = pooled.add(it.transactions, &it.latency, it.histogram.as_deref());
    }
    let seconds = greatest(all().map(|it| Some(it.seconds))).unwrap_or(0.0);
    let transactions: u64 = all().map(|it| it.transactions).sum();
    let began = run.spec.start_at.as_ref();
    let began = began.map_or(0, |at| at.timestamp(run.spec.warmup_s + first.at_s));
    let row = IntervalRow {
        node_id: run.node_id.clone(),
        run_id: run.run_id,
        interval_no: number,
        started_at: server::timestamp_text(began),
        seconds,
        transactions,
        tps: per_second(transactions, seconds),
        latency: pooled.latency(),
        failed: all().map(|it| it.failed).sum(),
        retried: all().map(|it| it.retried).sum(),
        retries: all().map(|it| it.retries).sum(),
        skipped: all().map(|it| it.skipped).sum(),
        late: all().map(|it| it.late).sum(),
        lag_avg_ms: mean(all().map(|it| (it.lag_avg_ms, it.transactions))),
        lag_max_ms: greatest(all().map(|it| it.lag_max_ms)),
        wal_bytes: sum(all().map(|it| it.wal_bytes)),
        shared_blks_hit: sum(all().map(|it| it.shared_blks_hit)),
        shared_blks_read: sum(all().map(|it| it.shared_blks_read)),
        step: None,
        in_checkpoint: any(all().map(|it| it.in_checkpoint)),
        histogram: encoded(&pooled.histogram),
        checkpoint_began: any(all().map(|it| it.checkpoint_began)),
        turn_no: None,
        side: None,
        done_percent: None,
    };
    let of_nodes = told.iter().map(|(place, it)| ServerIntervalRow {
        node_id: run.node_id.clone(),
        run_id: run.run_id,
        interval_no: number,
        server_no: *place,
        transactions: it.transactions,
        tps: per_second(it.transactions, it.seconds),
        latency: it.latency,
        failed: it.failed,
        retried: it.retried,
        retries: it.retries,
        skipped: it.skipped,
        late: it.late,
    });
    let of_nodes: Vec<ServerIntervalRow> = of_nodes.collect();
    run.store(|_| {
        spi::insert("pgperf.run_intervals", &row)?;
        spi::insert_all("pgperf.run_server_intervals", &of_nodes)
    });
}
