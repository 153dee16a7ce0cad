//! Samples of the target that a run works on: at its start, at each sample interval, and at its end. A thread asks, so that the leader, its
//! clock and its clients never wait for a target; one that has not answered yet when the next sample is due is not asked for that.

use super::{Leader, WATCH_INTERVAL};
use crate::collect::Part;
use crate::collect::of_target::TargetSampler;
use crate::collect::sample::of_target::store;
use crate::error::Result;
use crate::pg::process::clock;
use crate::subject::Schedule;
use crate::target;
use pgrx::pg_sys::Oid;

/// How long a run waits for a sample at its start and its end, and at an early end: whoever stops a run does not wait long for a target that
/// hangs.
const PATIENCE_NS: u64 = 10_000_000_000;
const EARLY_PATIENCE_NS: u64 = 3_000_000_000;

const NO_ANSWER: &str = "the target did not answer in time";

/// A target that is sampled.
pub struct SampledTarget {
    sampler: TargetSampler,
    schedule: Schedule,
}

impl SampledTarget {
    /// In a transaction. Connects as this role does.
    fn start(server: &str, role: Oid, run_id: i64) -> Result<SampledTarget> {
        let info = target::connection_of(role, server)?;
        let name = format!("pgperf run {run_id} sampler");
        Ok(SampledTarget {
            sampler: TargetSampler::start(server, info, &name, None)?,
            schedule: Schedule::of_target(),
        })
    }
}

impl Leader {
    /// Before the clients work: begins to sample the targets that they work on, with everything.
    pub(super) fn begin_target_samples(&mut self) {
        let (role, run_id) = (self.launch.caller, self.launch.run_id);
        let servers = self.spec.targets.all().iter();
        let servers: Vec<String> = servers.map(|it| it.server.clone()).collect();
        for server in servers {
            let mut started = None;
            if !self.stored.try_store(|_| {
                started = Some(SampledTarget::start(&server, role, run_id)?);
                Ok(())
            }) {
                self.stored.lose_sample();
            }
            self.targets.extend(started);
        }
        self.sample_fully(PATIENCE_NS, |leader| leader.end.is_none());
    }

    /// An interval has ended, so many seconds after the measured part began.
    pub(super) fn sample_targets(&mut self, elapsed_s: f64) {
        let cadence_s = Some(self.spec.sample_interval_s);
        for target in &mut self.targets {
            let due = target.schedule.due(elapsed_s);
            match target.sampler.is_busy() {
                true => self.stored.lose_sample_because(NO_ANSWER),
                false => {
                    let parts = due.into_iter().map(Part::new).collect();
                    target.sampler.ask(parts, cadence_s);
                }
            }
        }
    }

    /// Stores what targets have told since.
    pub(super) fn follow_targets(&mut self) {
        let mut targets = std::mem::take(&mut self.targets);
        for target in &mut targets {
            match target.sampler.sample() {
                None => {}
                Some(Err(error)) => self.stored.lose_sample_because(&error.to_string()),
                Some(Ok(sample)) => {
                    let mut stored = None;
                    let was_stored = self.stored.try_store(|run| {
                        stored = Some(store(sample, Some(run.run_id))?);
                        Ok(())
                    });
                    match stored.filter(|_| was_stored) {
                        None => self.stored.lose_sample(),
                        Some((sample, counting_since)) => {
                            self.stored.note_failures(&sample);
                            target.sampler.count_since(counting_since);
                        }
                    }
                }
            }
        }
        self.targets = targets;
    }

    /// After the clients: a last sample with everything.
    pub(super) fn end_target_samples(&mut self, is_early: bool) {
        let patience = if is_early {
            EARLY_PATIENCE_NS
        } else {
            PATIENCE_NS
        };
        self.sample_fully(patience, |_| true);
        self.targets.clear();
    }

    /// Samples all targets with everything, and waits for that as long as `goes_on`.
    fn sample_fully(&mut self, patience_ns: u64, goes_on: impl Fn(&Leader) -> bool) {
        let until = clock::now() + patience_ns;
        let mut asked = false;
        while !self.targets.is_empty() && clock::now() < until && goes_on(self) {
            let is_busy = |it: &SampledTarget| it.sampler.is_busy();
            if !self.targets.iter().any(is_busy) {
                if asked {
                    return;
                }
                asked = true;
                for target in &mut self.targets {
                    let all = target.schedule.at_ends().into_iter();
                    target.sampler.ask(all.map(Part::new).collect(), None);
                }
            }
            self.watch(WATCH_INTERVAL / 10);
        }
        if !self.targets.is_empty() {
            self.stored.lose_sample_because(NO_ANSWER);
        }
    }
}
