//! The disturbances of a run: the leader starts them in time, and ends them with the load.

use super::starting::make_segment;
use super::{EXIT_GRACE_NS, Leader, WATCH_INTERVAL};
use crate::pg::error::SqlError;
use crate::pg::process::clock;
use crate::run::client::launch::ClientLaunch;
use crate::run::disturbance::following::{Disturbances, jobs};
use crate::run::disturbance::rows::store;
use crate::run::shared::{Layout, Phase};
use std::time::Duration;

impl Leader {
    /// Before the measured part: the shared memory of the sessions to come. The run fails where there is none.
    pub(super) fn prepare_disturbances(&mut self) {
        if self.spec.disturbances.is_empty() || self.end.is_some() {
            return;
        }
        let jobs = jobs(&self.spec, self.launch.run_id);
        let made = serde_json::to_vec(&jobs)
            .map_err(|error| SqlError::new("XX000", &error.to_string()))
            .and_then(|document| {
                let layout = Layout {
                    clients: jobs.sessions(),
                    commands: 0,
                    scripts: 0,
                    spec_bytes: document.len(),
                    has_log: false,
                    reconnects: false,
                };
                make_segment(self.launch.run_id, layout, &document)
            });
        match made {
            Ok((shared, segment)) => {
                let launch = ClientLaunch {
                    database: self.launch.database,
                    role: self.launch.caller,
                    run_id: self.launch.run_id,
                    segment,
                    client: 0,
                };
                self.disturbances = Some(Disturbances::new(&self.spec, jobs, launch, shared));
            }
            Err(error) => self.fail(&error.sqlstate, error.message),
        }
    }

    /// The measured part has begun.
    pub(super) fn begin_disturbances(&mut self, began_at: u64) {
        if let Some(disturbances) = &mut self.disturbances {
            disturbances.begin(began_at, self.stored.carried.seconds);
        }
    }

    /// How long nothing is due.
    pub(super) fn until_disturbance(&self, now: u64) -> Duration {
        let next_at = self.disturbances.as_ref().map(Disturbances::next_at);
        Duration::from_nanos(next_at.unwrap_or(u64::MAX).saturating_sub(now))
    }

    /// Starts and ends what is due, and stores it. With the clients' time, or a stop, all of it ends: clients may wait for it.
    pub(super) fn follow_disturbances(&mut self, now: u64) {
        let goes_on = self.shared.phase() == Phase::Running
            && self.end.is_none()
            && self.stopping_since.is_none()
            && now < self.shared.deadline();
        let Some(disturbances) = &mut self.disturbances else {
            return;
        };
        if goes_on {
            disturbances.follow(now);
        } else if disturbances.has_begun() {
            disturbances.stop(now);
        }
        if disturbances.has_to_store(now) {
            let rows = disturbances.unstored();
            let stored = (self.stored).try_store(|run| store(&run.node_id, run.run_id, rows));
            if stored {
                disturbances.stored();
            }
        }
    }

    /// The clients have ended: waits until the sessions of disturbances have too, and stores what has become of them.
    pub(super) fn end_disturbances(&mut self) {
        let deadline = clock::now() + 2 * EXIT_GRACE_NS;
        let go_on = |leader: &Leader| {
            let all = leader.disturbances.as_ref();
            all.is_some_and(Disturbances::some_go_on) && clock::now() < deadline
        };
        while go_on(self) {
            self.watch(WATCH_INTERVAL);
        }
        if let Some(disturbances) = self.disturbances.take()
            && !disturbances.unstored().is_empty()
        {
            let rows = disturbances.unstored();
            (self.stored).store(|run| store(&run.node_id, run.run_id, rows));
        }
    }
}
