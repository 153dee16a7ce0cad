//! The statements before the clients of a run start and after they have ended, which the leader has executed by a worker.

use super::starting::make_segment;
use super::{Leader, WATCH_INTERVAL, log};
use crate::pg::error::SqlError;
use crate::pg::process::worker::{self, Worker, WorkerStatus};
use crate::run::client::client_error;
use crate::run::client::launch::ClientLaunch;
use crate::run::own_metrics::{Measured, queries};
use crate::run::record::run_row::{End, Milestone};
use crate::run::shared::Layout;
use crate::run::shared::slot::{ClientState, Counter};
use crate::run::side_sql::{Job, Side, SideError};

impl Leader {
    /// Executes the statements before the clients start, which may need them to prepare; false if one failed or the
    /// run was stopped meanwhile.
    pub(super) fn run_before(&mut self) -> bool {
        for job in Job::before(&self.spec, self.launch.run_id) {
            match self.run_side(&job) {
                Ok(()) => {}
                // An error caused by the stop means nothing.
                Err(_) if self.end.is_some() => {}
                Err(error) => {
                    self.fail(&error.error.sqlstate, error.to_string());
                    self.side_errors.push(error);
                }
            }
            if self.end.is_some() {
                break;
            }
        }
        self.end.is_none()
    }

    /// Asks for the metrics that the workloads define, then executes the statements after the clients, however they ended. The
    /// figures are stored: an error here is stored beside them and leaves the run's status as it is. A stop meanwhile ends only
    /// these statements.
    pub(super) fn run_after(&mut self, measured: Option<Measured>) {
        let run_id = self.launch.run_id;
        match measured.map(|measured| queries(&self.spec, measured)) {
            Some(Ok(queries)) => self.run_one_after(&Job::metrics(&self.spec, run_id, queries)),
            Some(Err(error)) => {
                let error = SideError::new(Side::Metrics, None, client_error(error, None));
                self.side_errors.push(error);
            }
            None => {}
        }
        for job in Job::undo(&self.spec, run_id) {
            self.run_one_after(&job);
        }
        self.run_one_after(&Job::after(&self.spec, run_id));
    }

    fn run_one_after(&mut self, job: &Job) {
        if job.statements.is_empty() {
            return;
        }
        self.stored.milestone(&Milestone::Draining);
        self.end.get_or_insert(End::Finished);
        self.stopping_since = None;
        if let Err(error) = self.run_side(job) {
            log(&format!("pgperf run {}: {error}", self.launch.run_id));
            self.side_errors.push(error);
        }
    }

    /// Runs the statements of one side in a session of their own and waits for its end.
    fn run_side(&mut self, job: &Job) -> Result<(), SideError> {
        if job.statements.is_empty() {
            return Ok(());
        }
        let worker = self.start_side(job)?;
        while worker.status() != WorkerStatus::Stopped {
            self.watch(WATCH_INTERVAL);
        }
        self.end_of_side(job, worker)
    }

    /// Starts the session of one side.
    pub(super) fn start_side(&mut self, job: &Job) -> Result<Worker, SideError> {
        let failed = |error: SqlError| SideError::new(job.side, None, client_error(error, None));
        let document = serde_json::to_vec(job)
            .map_err(|error| failed(SqlError::new("XX000", &error.to_string())))?;
        let layout = Layout {
            clients: 1,
            commands: 0,
            scripts: 0,
            spec_bytes: document.len(),
            has_log: false,
            reconnects: false,
        };
        let (shared, segment) =
            make_segment(self.launch.run_id, layout, &document).map_err(failed)?;
        let launch = ClientLaunch {
            database: self.launch.database,
            role: self.launch.caller,
            run_id: self.launch.run_id,
            segment,
            client: 0,
        };
        let kind = "pgperf client";
        let worker = worker::register(
            &job.application_name,
            kind,
            match job.server {
                None => "pgperf_side_main",
                Some(_) => "pgperf_target_side_main",
            },
            &launch.encode(),
        )
        .ok_or_else(|| {
            let message = "all worker slots (max_worker_processes) are in use";
            failed(SqlError::new("53400", message))
        })?;
        worker.terminate_at_exit();
        self.side = Some(shared);
        Ok(worker)
    }

    /// What has become of a session whose process has ended.
    pub(super) fn end_of_side(&mut self, job: &Job, worker: Worker) -> Result<(), SideError> {
        let side = job.side;
        let failed = |error: SqlError| SideError::new(side, None, client_error(error, None));
        worker.forget();
        let Some(shared) = self.side.take() else {
            return Ok(());
        };
        let slot = shared.slot(0);
        let error = slot
            .errors()
            .kinds()
            .into_iter()
            .next()
            .map(|kind| kind.last);
        match (slot.state(), error) {
            (ClientState::Done, _) => Ok(()),
            (ClientState::Aborted, Some(error)) => {
                let statement = error
                    .command
                    .and_then(|index| job.statements.get(index).cloned());
                Err(SideError::new(side, statement, error))
            }
            _ => Err(failed(SqlError::new(
                "57P01",
                "the session was terminated or could not connect (see the server log)",
            ))),
        }
    }

    /// Cancels the statements of the clients, or of the session before or after them.
    pub(super) fn cancel_statements(&self) {
        self.clients.cancel_statements();
        if let Some(slot) = self.side.map(|side| side.slot(0))
            && slot.state() == ClientState::Working
        {
            worker::signal(slot.get(Counter::Pid) as i32, worker::CANCEL);
        }
    }
}
