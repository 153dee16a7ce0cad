//! A client of a run: one background worker, one session of the role that called `start_run`.
//!
//! It connects, prepares, waits at the barrier, and runs one script after the other until its leader, the
//! deadline or its count of transactions ends it. What it counts goes to its slot, which it alone writes.

mod capture;
mod executor;
pub mod launch;
mod script_runner;
mod script_start;
mod throttle;
mod transactions;

use super::load;
use super::request::spec::{Spec, Work};
use super::shared::errors::ClientError;
use super::shared::slot::{ClientState, Counter, Slot};
use super::shared::{Phase, Shared, session_settings};
use crate::pg::error::SqlError;
use crate::pg::process::dsm::Segment;
use crate::pg::process::worker::{self, OnCancel};
use crate::pg::process::{clock, latch};
use crate::pg::server;
use crate::pg::session::{Session, setting};
use crate::pg::sql::xact;
use launch::ClientLaunch;
use script_runner::ScriptRunner;
use std::collections::BTreeMap;
use std::time::Duration;
use transactions::{SessionEnd, Transactions};

/// The main function of the worker.
pub fn main() {
    let Some((launch, shared, slot)) = enter() else {
        return;
    };
    let returns = slot.state() == ClientState::Returning;
    if !returns {
        slot.set_state(ClientState::Connecting);
    }
    let end = match serde_json::from_slice::<Spec>(&shared.spec()) {
        Ok(spec) => live(&launch, &shared, slot, &spec, returns),
        Err(error) => Err(client_error(
            SqlError::new("XX000", &error.to_string()),
            None,
        )),
    };
    slot.set(Counter::FinishedAt, clock::now());
    slot.set_state(match end {
        Ok(SessionEnd::Done) => ClientState::Done,
        Ok(SessionEnd::Reconnect) => ClientState::Leaving,
        Err(error) => {
            server::log(&format!(
                "{} aborted: {}",
                session_name(&launch),
                error.message
            ));
            let (kind, _) = slot.errors().store(&error);
            slot.set(Counter::EndedBy, kind as u64 + 1);
            ClientState::Aborted
        }
    });
    latch::wake(shared.leader());
}

/// Connects a worker of a run as the run's role, and shows it in its slot; None: the leader has ended meanwhile.
pub fn enter() -> Option<(ClientLaunch, Shared, Slot)> {
    let launch = ClientLaunch::decode(&worker::extra());
    worker::start(launch.database, launch.role, OnCancel::CancelStatement);
    worker::load_session_libraries();
    let shared = Shared::open(&Segment::attach(launch.segment)?, launch.run_id)?;
    let slot = shared.slot(launch.client as usize);
    slot.set(Counter::Pid, u64::from(std::process::id()));
    slot.set(Counter::Proc, latch::my_proc_number());
    Some((launch, shared, slot))
}

/// Everything between connecting and leaving.
fn live(
    launch: &ClientLaunch,
    shared: &Shared,
    slot: Slot,
    spec: &Spec,
    returns: bool,
) -> Result<SessionEnd, ClientError> {
    let failed = |error| client_error(error, None);
    configure(&session_name(launch), &spec.search_path, &spec.settings).map_err(failed)?;
    if launch.client == 0 && !returns {
        session_settings::leave(slot, &spec.settings);
    }
    let session = Session::new(spec.result_mode);
    let mut runner = match &spec.work {
        Work::Load(_) => None,
        Work::Scripts => Some(
            ScriptRunner::new(spec, launch.client as usize, session, *shared)
                .map_err(|error| failed(SqlError::new("42601", &error.to_string())))?,
        ),
    };
    if let Some(runner) = &mut runner {
        runner.prepare();
    }
    if !returns {
        slot.set_state(ClientState::Ready);
        latch::wake(shared.leader());
    }
    while shared.phase() == Phase::Preparing {
        latch::report_idle();
        latch::wait(Duration::from_secs(1));
    }
    slot.set_state(ClientState::Working);
    let Some(runner) = runner else {
        let client = launch.client as usize;
        let session = Session::new(spec.result_mode);
        return load::run(shared, client, spec, launch.run_id, session).map(|()| SessionEnd::Done);
    };
    let handover_error = |error: String| failed(SqlError::new("54000", &error));
    let area = shared.handover(launch.client as usize);
    let mut transactions = Transactions::new(launch, shared, slot, spec, runner);
    if let Some(area) = area.filter(|_| returns) {
        transactions.resume(area.take().map_err(handover_error)?);
    }
    let end = transactions.run()?;
    if let Some(area) = area.filter(|_| end == SessionEnd::Reconnect) {
        area.leave(&transactions.state()).map_err(handover_error)?;
    }
    Ok(end)
}

/// The session's settings: those that pgperf itself decides, then the run's.
pub fn configure(
    application_name: &str,
    search_path: &str,
    settings: &BTreeMap<String, String>,
) -> Result<(), SqlError> {
    xact::bare_transaction(|| {
        setting::set("application_name", application_name);
        setting::set("search_path", search_path);
        for (name, value) in settings {
            setting::set(name, value);
        }
    })
}

pub fn session_name(launch: &ClientLaunch) -> String {
    format!("pgperf run {} client {}", launch.run_id, launch.client)
}

/// An error of a client, of now.
pub fn client_error(error: SqlError, command: Option<usize>) -> ClientError {
    ClientError {
        sqlstate: error.sqlstate,
        message: error.message,
        detail: error.detail,
        command,
        at: server::timestamp_now(),
    }
}
