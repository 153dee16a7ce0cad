//! The figures of each server of a run on several: those of its clients, whose sum is the run's.

use super::rows::{ServerIntervalRow, ServerRow, encoded};
use super::run_row::StoredRun;
use crate::run::request::spec::Spec;
use crate::run::shared::Shared;
use crate::run::shared::reading::Reading;
use crate::run::shared::slot::{ClientState, Counter, Slot};
use measure::Latency;

/// The servers of a run, with what their clients had done when the last interval ended.
pub struct Servers {
    /// The number of each client's server.
    of_clients: Vec<usize>,
    last: Vec<Reading>,
}

impl Servers {
    /// None: the run has but one.
    pub fn new(spec: &Spec) -> Option<Servers> {
        let targets = &spec.targets;
        targets.are_several().then(|| Servers {
            of_clients: targets.of_clients(spec.clients),
            last: vec![Reading::default(); targets.all().len()],
        })
    }

    /// The measured part begins.
    pub fn begin(&mut self, began_at: u64) {
        self.last.fill(Reading::zero(began_at));
    }

    /// Reads all slots at the end of an interval with this number: the sum, and a row for each server.
    pub fn close(
        &mut self,
        shared: &Shared,
        now: u64,
        (node_id, run_id, interval_no): (&str, i64, i32),
    ) -> (Reading, Vec<ServerIntervalRow>) {
        let mut sum = Reading::zero(now);
        let mut rows = Vec::with_capacity(self.last.len());
        for (server_no, last) in self.last.iter_mut().enumerate() {
            let is_of = |client: usize| self.of_clients.get(client) == Some(&server_no);
            let reading = Reading::take_of(shared, now, is_of);
            let delta = reading.since(last);
            let outcomes = delta.outcomes();
            rows.push(ServerIntervalRow {
                node_id: node_id.to_owned(),
                run_id,
                interval_no,
                server_no,
                transactions: delta.latency.count,
                tps: per_second(delta.latency.count, (now - last.at) as f64 / 1e9),
                latency: Latency::new(&delta.latency, &delta.histogram),
                failed: outcomes.failed(),
                retried: outcomes.retried,
                retries: outcomes.retries,
                skipped: outcomes.skipped,
                late: outcomes.late,
            });
            sum.merge(&reading);
            *last = reading;
        }
        (sum, rows)
    }

    /// The totals of each server, by what was read last; `seconds`: how long the run measured from `began_at` on.
    pub fn totals(
        &self,
        run: &StoredRun,
        shared: &Shared,
        (began_at, seconds): (u64, f64),
    ) -> Vec<ServerRow> {
        let targets = run.spec.targets.all().iter().zip(&self.last).enumerate();
        targets
            .map(|(server_no, (target, total))| {
                let slots: Vec<Slot> = self.slots(shared, server_no).collect();
                let is_aborted = |slot: &&Slot| slot.state() == ClientState::Aborted;
                let ended_at = slots.iter().map(|slot| slot.get(Counter::FinishedAt)).max();
                let identity = run.identities.get(server_no).cloned().unwrap_or_default();
                let outcomes = total.outcomes();
                ServerRow {
                    node_id: run.node_id.clone(),
                    run_id: run.run_id,
                    server_no,
                    server: target.server.clone(),
                    weight: target.weight,
                    clients: slots.len(),
                    aborted: slots.iter().filter(is_aborted).count(),
                    seconds: ended_at.unwrap_or(0).saturating_sub(began_at) as f64 / 1e9,
                    transactions: total.latency.count,
                    tps: per_second(total.latency.count, seconds),
                    failed: outcomes.failed(),
                    outcomes,
                    latency: Latency::new(&total.latency, &total.histogram),
                    histogram: encoded(&total.histogram),
                    identity,
                }
            })
            .collect()
    }

    /// The slots of a server's clients.
    fn slots<'s>(
        &'s self,
        shared: &'s Shared,
        server_no: usize,
    ) -> impl Iterator<Item = Slot> + 's {
        let slots = shared.slots().zip(&self.of_clients);
        slots.filter_map(move |(slot, of_client)| (*of_client == server_no).then_some(slot))
    }
}

fn per_second(count: u64, seconds: f64) -> f64 {
    match seconds > 0.0 {
        true => count as f64 / seconds,
        false => 0.0,
    }
}
