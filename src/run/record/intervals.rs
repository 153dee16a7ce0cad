//! The intervals of a run: at each tick the difference of two readings becomes a row.

use super::rows::{IntervalRow, ServerIntervalRow, encoded};
use super::run_row::StoredRun;
use super::servers::Servers;
use crate::collect::{Depth, Watched};
use crate::pg::process::clock::nanoseconds;
use crate::pg::server::checkpoint::Checkpoint;
use crate::pg::server::{self, progress};
use crate::pg::sql::spi;
use crate::run::leader::precision::Precision;
use crate::run::leader::ticks::Ticks;
use crate::run::leader::turns::Turns;
use crate::run::request::spec::Spec;
use crate::run::resume::points::keep;
use crate::run::resume::state::Carried;
use crate::run::shared::Shared;
use crate::run::shared::reading::Reading;
use crate::run::shared::slot::{Counter, Slot};
use crate::subject::Schedule;
use measure::Latency;
use measure::turns::Side;

/// The intervals of a run so far, and when the next one ends.
pub struct Intervals {
    shared: Shared,
    node_id: String,
    run_id: i64,
    ticks: Ticks,
    turns: Option<Turns>,
    /// Of a run that ends when its mean is known well enough.
    precision: Option<Precision>,
    /// The side that the interval belongs to which has begun.
    side: Option<Side>,
    schedule: Schedule,
    has_schedule: bool,
    /// The steps of a load; None for other runs.
    steps: Option<Vec<&'static str>>,
    /// See [`StoredRun::knows_usage`].
    knows_usage: bool,
    began_at: u64,
    /// The server's time when it began.
    began_timestamp: i64,
    count: i32,
    last: Reading,
    /// Of a run on several.
    servers: Option<Servers>,
    /// The state of the server's checkpoints when the last interval ended.
    checkpoint: Option<Checkpoint>,
    /// Rows that could not be stored so far.
    pending: Vec<IntervalRow>,
    /// The same of each server.
    pending_of_servers: Vec<ServerIntervalRow>,
    /// See [`Carried::start_lsn`].
    start_lsn: u64,
}

impl Intervals {
    pub fn new(spec: &Spec, run: &StoredRun, shared: &Shared) -> Intervals {
        Intervals {
            shared: *shared,
            node_id: run.node_id.clone(),
            run_id: run.run_id,
            ticks: Ticks::new(nanoseconds(spec.sample_interval_s)),
            turns: (spec.alternate.as_ref())
                .map(|alternation| Turns::new(alternation, spec.random_seed as u64)),
            precision: spec.until_precise.map(Precision::new),
            side: None,
            schedule: Schedule::new(spec.collectors.as_deref()),
            has_schedule: spec.is_scheduled(),
            steps: spec.work.steps(),
            knows_usage: run.knows_usage(),
            began_at: 0,
            began_timestamp: 0,
            count: 0,
            last: Reading::default(),
            servers: Servers::new(spec),
            checkpoint: None,
            pending: Vec::new(),
            pending_of_servers: Vec::new(),
            start_lsn: 0,
        }
    }

    /// Starts the clock at `began_at`, a moment ago. The intervals of earlier segments come before.
    pub fn begin(&mut self, run: &StoredRun, began_at: u64) {
        self.schedule
            .watch_receivers(run.has_receivers && run.spec.collectors.is_none());
        self.start_lsn = run.carried.start_lsn();
        self.count = run.carried.intervals;
        self.shared.set_interval(self.count as u64);
        self.began_at = began_at;
        self.began_timestamp = server::timestamp_now();
        self.ticks.begin(began_at, self.shared.deadline());
        if let Some(turns) = &mut self.turns {
            turns.begin(began_at, self.shared.deadline());
        }
        self.look_at_side(true);
        self.last = Reading::zero(began_at);
        if let Some(servers) = &mut self.servers {
            servers.begin(began_at);
        }
        self.checkpoint = Checkpoint::now();
    }

    pub fn began_at(&self) -> u64 {
        self.began_at
    }

    /// When the next interval ends, monotonic ns. One that would end just before the run does is left to
    /// [`Intervals::finish`], so that no sliver of an interval remains.
    pub fn next_at(&self) -> u64 {
        let mark = self.turns.as_ref().map_or(u64::MAX, Turns::next_at);
        self.ticks.next_at().min(mark)
    }

    /// Those of a run on several.
    pub fn servers(&self) -> Option<&Servers> {
        self.servers.as_ref()
    }

    /// Whether the mean is known as well as the run wants.
    pub fn are_precise(&self) -> bool {
        self.precision.as_ref().is_some_and(Precision::is_reached)
    }

    /// How far the mean may be off, in percent; None: the run does not ask, or nothing is known of that.
    pub fn precision_percent(&self) -> Option<f64> {
        self.precision.as_ref()?.percent()
    }

    /// The run ends now, earlier than was known.
    pub fn end(&mut self, now: u64) {
        self.ticks.end(now);
    }

    /// Ends an interval, and begins another turn if it is time for that; whether it has. `server_is_ready`: whether the server has the
    /// settings of the turn.
    pub fn tick(&mut self, now: u64, server_is_ready: bool) -> bool {
        self.close(now);
        let begins = self.turns.as_mut().is_some_and(|turns| turns.advance(now));
        if let Some(turns) = self.turns.as_ref().filter(|_| begins) {
            self.shared.set_turn(turns.turn());
        }
        self.look_at_side(server_is_ready);
        begins
    }

    /// Stores the interval that has ended, with the sample of the cheap collectors; when it ended, in seconds since the beginning. One that
    /// ended only because of a turn is stored with the next.
    pub fn store(&mut self, run: &mut StoredRun, now: u64) -> Option<f64> {
        if now < self.ticks.next_at() {
            return None;
        }
        self.ticks.advance(now);
        if let (Some(precision), Some(row)) = (&mut self.precision, self.pending.last()) {
            precision.add(row.tps);
        }
        let cadence = self.ticks.interval_ns() as f64 / 1e9;
        let elapsed_s = (now - self.began_at) as f64 / 1e9;
        let due = self.schedule.due(elapsed_s);
        // One snapshot for all is cheap for collectors that run at every interval. A longer one would keep the rows
        // that the clients update most from being pruned.
        if due.iter().any(|(_, depth)| *depth == Depth::Full) {
            self.flush(run, |_| Ok(()));
            if run.take_sample_stepwise(Some(cadence), due).is_none() {
                run.lose_sample();
            }
        } else if self.flush(run, |run| run.take_sample(Some(cadence), &due).map(drop)) {
            run.watched = Watched::default();
        } else if !due.is_empty() {
            run.lose_sample();
            // An obstacle to storing the sample need not affect the interval.
            if !run.was_busy() {
                self.flush(run, |_| Ok(()));
            }
        }
        Some(elapsed_s)
    }

    /// Whose turn it is, settled or not; None: there are no turns.
    pub fn side_of_turn(&self) -> Option<Side> {
        self.turns.as_ref().map(Turns::side_of_turn)
    }

    /// The turn that has just begun settles from now on.
    pub fn settle_from(&mut self, now: u64) {
        if let Some(turns) = &mut self.turns {
            turns.settle_from(now);
            self.side = None;
        }
    }

    /// An interval begins. It belongs to a side if no transaction of another turn can end in it.
    fn look_at_side(&mut self, server_is_ready: bool) {
        let side = self.turns.as_ref().and_then(Turns::side);
        self.side = side.filter(|_| server_is_ready && self.shared.all_have_followed());
    }

    /// The last interval, shorter than the others; returns the final reading.
    pub fn finish(&mut self, run: &mut StoredRun, ended_at: u64) -> Reading {
        if self.began_at > 0 && ended_at > self.last.at {
            self.close(ended_at);
        }
        run.keep_trying(|run| self.flush(run, |_| Ok(())) || self.pending.is_empty());
        self.last.clone()
    }

    fn close(&mut self, now: u64) {
        let reading = match &mut self.servers {
            None => Reading::take(&self.shared, now),
            Some(servers) => {
                let key = (self.node_id.as_str(), self.run_id, self.count);
                let (sum, rows) = servers.close(&self.shared, now, key);
                self.pending_of_servers.extend(rows);
                sum
            }
        };
        let lag_max_ns = lag_max_ns(self.shared.slots(), self.count as u64);
        let checkpoint = Checkpoint::now();
        let mut row = self.row(&reading, lag_max_ns);
        if let Some((checkpoint, earlier)) = checkpoint.zip(self.checkpoint) {
            row.in_checkpoint = Some(checkpoint.any_since(&earlier));
            row.checkpoint_began = Some(checkpoint.began_since(&earlier));
        }
        self.pending.push(row);
        self.count += 1;
        self.shared.set_interval(self.count as u64);
        self.last = reading;
        self.checkpoint = checkpoint;
    }

    fn row(&self, reading: &Reading, lag_max_ns: u64) -> IntervalRow {
        let delta = reading.since(&self.last);
        let outcomes = delta.outcomes();
        let seconds = (reading.at - self.last.at) as f64 / 1e9;
        // A load counts rows instead of transactions.
        let transactions = if self.steps.is_some() {
            delta.get(Counter::LoadDone)
        } else {
            delta.latency.count
        };
        let known = |counter| self.knows_usage.then(|| delta.get(counter));
        let has_schedule = self.has_schedule || self.shared.rate_revision() > 0;
        let lag_avg_ms = delta.lag_avg_ms().filter(|_| has_schedule);
        let started_at = self.began_timestamp + (self.last.at - self.began_at) as i64 / 1000;
        IntervalRow {
            node_id: self.node_id.clone(),
            run_id: self.run_id,
            interval_no: self.count,
            started_at: server::timestamp_text(started_at),
            seconds,
            transactions,
            tps: if seconds > 0.0 {
                transactions as f64 / seconds
            } else {
                0.0
            },
            latency: Latency::new(&delta.latency, &delta.histogram),
            failed: outcomes.failed(),
            retried: outcomes.retried,
            retries: outcomes.retries,
            skipped: outcomes.skipped,
            late: outcomes.late,
            lag_avg_ms,
            lag_max_ms: lag_avg_ms.map(|_| lag_max_ns as f64 / 1e6),
            wal_bytes: known(Counter::WalBytes),
            shared_blks_hit: known(Counter::BlocksHit),
            shared_blks_read: known(Counter::BlocksRead),
            step: self.step(),
            in_checkpoint: None,
            checkpoint_began: None,
            turn_no: self.turns.as_ref().map(Turns::turn),
            side: self.side.map(Side::name),
            done_percent: (self.steps.as_ref())
                .and_then(|_| done_percent(&self.shared, reading.get(Counter::LoadDone))),
            histogram: encoded(&delta.histogram),
        }
    }

    /// The current step of a load, such as `primary keys, 45% scanned`.
    fn step(&self) -> Option<String> {
        let slot = self.shared.slot(0);
        let mut step = self
            .steps
            .as_ref()?
            .get(slot.get(Counter::LoadStep) as usize)
            .map(|title| (*title).to_owned())?;
        if let Some(progress) = progress::of_process(slot.get(Counter::Pid) as i32) {
            let fraction = progress.fraction;
            let percent = fraction.map(|fraction| format!("{:.0}% ", 100.0 * fraction));
            step += &format!(", {}{}", percent.unwrap_or_default(), progress.part);
        }
        Some(step)
    }

    /// The sums of the run including the interval that has just ended.
    fn so_far(&self, run: &StoredRun) -> Carried {
        let mut sum = run.carried.clone();
        sum.seconds += (self.last.at - self.began_at) as f64 / 1e9;
        sum.intervals = self.count;
        sum.reading.merge(&self.last);
        sum.wal_written = server::insert_position().saturating_sub(self.start_lsn);
        let own = run.footprint();
        sum.own_wal_bytes = own.usage.wal_bytes;
        sum.own_xids = own.xids;
        sum
    }

    /// Stores the pending rows with the data that belongs to them; returns whether everything was stored.
    fn flush(
        &mut self,
        run: &mut StoredRun,
        also: impl Fn(&StoredRun) -> crate::error::Result<()>,
    ) -> bool {
        let pending = std::mem::take(&mut self.pending);
        let of_servers = std::mem::take(&mut self.pending_of_servers);
        let stored = run.try_store(|run| {
            for row in &pending {
                spi::insert("pgperf.run_intervals", row)?;
            }
            for row in &of_servers {
                spi::insert("pgperf.run_server_intervals", row)?;
            }
            if run.spec.resume && !pending.is_empty() {
                keep(run, &self.so_far(run))?;
            }
            also(run)
        });
        if !stored {
            self.pending = pending;
            self.pending_of_servers = of_servers;
        }
        stored
    }
}

/// How much of a load's work is done, with so many rows; None: how much there is is not known.
fn done_percent(shared: &Shared, rows: u64) -> Option<f64> {
    let first = shared.slot(0);
    let of_all = |counter| first.get(counter) as f64;
    let (fills, total_rows) = (of_all(Counter::LoadFills), of_all(Counter::LoadTotal));
    if fills == 0.0 || total_rows == 0.0 {
        return None;
    }
    let filled = fills * (rows as f64 / total_rows).min(1.0);
    let others: f64 = shared.slots().map(ended).sum();
    let all = fills + of_all(Counter::LoadOthers);
    Some((100.0 * (filled + others) / all).min(100.0))
}

/// The effort of the statements of a loading worker that have ended, and of the current one as far as the server tells.
fn ended(slot: Slot) -> f64 {
    let current = slot.get(Counter::LoadCurrent);
    let part = match current {
        0 => None,
        _ => progress::of_process(slot.get(Counter::Pid) as i32),
    };
    let share = part.map_or(0.0, |part| part.of_command());
    slot.get(Counter::LoadEnded) as f64 + current as f64 * share
}

/// The greatest lag of all clients in an interval. A client that has begun no transaction in it still has the lag of an
/// earlier interval.
fn lag_max_ns(slots: impl Iterator<Item = Slot>, interval: u64) -> u64 {
    slots
        .filter(|slot| slot.get(Counter::LagInterval) == interval)
        .map(|slot| slot.get(Counter::LagIntervalMaxNs))
        .max()
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::shared::slot::SLOT_WORDS;
    use std::sync::atomic::AtomicU64;

    fn empty_slot() -> Slot {
        let words: Vec<AtomicU64> = (0..SLOT_WORDS).map(|_| AtomicU64::new(0)).collect();
        Slot::new(words.leak())
    }

    #[test]
    fn the_lag_of_an_interval_is_of_the_clients_that_began_something_in_it() {
        let clients = [empty_slot(), empty_slot()];
        let lag = |interval| lag_max_ns(clients.iter().copied(), interval);
        clients[0].record_lag(9_000, 3);
        clients[0].record_lag(8_000, 3);
        clients[1].record_lag(4_000, 3);
        assert_eq!(lag(3), 9_000);
        assert_eq!(lag(4), 0, "nobody began anything");
        clients[1].record_lag(2_000, 4);
        assert_eq!(lag(4), 2_000);
        clients[0].record_lag(1_000, 5);
        assert_eq!(lag(5), 1_000);
        assert_eq!(clients[0].get(Counter::LagMaxNs), 9_000);
    }
}
