//! A client of a run: one background worker, one session of the role that called `start_run`.
//!
//! It connects, prepares, waits at the barrier, and runs one script after the other. It ends when its leader says so, at the
//! deadline, or after its number of transactions. It counts in its slot, of which it is the only writer.

pub mod here;
pub mod launch;
mod surroundings;
pub mod wire;

use super::load;
use super::request::spec::{Spec, Work};
use super::shared::slot::{ClientState, Counter, Slot};
use super::shared::{Counts, Phase, Shared, first_client};
use crate::facts::plans::Plan;
use crate::pg::error::SqlError;
use crate::pg::process::clock;
use crate::pg::process::dsm::Segment;
use crate::pg::process::latch;
use crate::pg::process::worker::{self, OnCancel};
use crate::pg::server;
use crate::pg::session::transport::Inside;
use crate::pg::session::{Session, interrupts, setting};
use crate::pg::sql::xact;
use crate::workload::Scale;
use engine::{Client, ClientError, ClientStart, Explained, RunSpec, SessionEnd, Warmup};
use launch::ClientLaunch;
use script::Value;
use std::collections::BTreeMap;
use std::time::Duration;
use surroundings::Worker;

/// The main function of the worker.
pub fn main() {
    let Some((launch, shared, slot)) = enter(OnCancel::CancelStatement) else {
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
    match end {
        Ok(end) => {
            slot.set(Counter::FinishedAt, clock::now());
            slot.set_state(match end {
                SessionEnd::Done => ClientState::Done,
                SessionEnd::Reconnect => ClientState::Leaving,
            });
        }
        Err(error) => {
            server::log(&format!(
                "{} aborted: {}",
                session_name(&launch),
                error.message
            ));
            slot.abort(&error, clock::now());
        }
    }
    latch::wake(shared.leader());
}

/// Connects a worker of a run as the run's role, and shows it in its slot; None if the leader has ended meanwhile.
pub fn enter(on_cancel: OnCancel) -> Option<(ClientLaunch, Shared, Slot)> {
    let launch = ClientLaunch::decode(&worker::extra());
    worker::start(launch.database, launch.role, on_cancel);
    // What comes before the first statement is no client's, and nothing to cancel.
    interrupts::end_message();
    worker::load_session_libraries();
    let shared = Shared::open(Segment::attach(launch.segment)?.words(), launch.run_id)?;
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
    let name = (spec.application_name.clone()).unwrap_or_else(|| session_name(launch));
    let turn = shared.turn();
    slot.set(Counter::Turn, turn);
    let settings = spec.settings_in(turn);
    configure(&name, &spec.search_path, &settings).map_err(failed)?;
    let tells = launch.client == 0 && !returns;
    let session = Session::new(spec.result_mode);
    let number = launch.client as usize;
    if let Work::Load(_) = spec.work {
        if tells {
            first_client::leave(slot, &settings, Vec::new());
        }
        await_barrier(shared, slot, returns);
        let inside = load::Inside(session);
        return load::run(shared, number, spec, launch.run_id, inside).map(|()| SessionEnd::Done);
    }
    let start = ClientStart {
        number,
        name: session_name(launch),
        ended: slot.get(Counter::EndedBefore),
        turn,
    };
    let around = Worker { shared: *shared };
    let counts = Counts::new(shared, number, around);
    let mut client = Client::new(run_spec(spec), start, Inside::new(session), around, counts)
        .map_err(|error| failed(SqlError::new("42601", &error.to_string())))?;
    client.prepare()?;
    if tells {
        let explained = match spec.plans {
            true => client.explain(),
            false => Vec::new(),
        };
        first_client::leave(slot, &settings, plans(explained, spec));
    }
    await_barrier(shared, slot, returns);
    if spec.has_pauses() {
        latch::sleep_precisely();
    }
    let handover_error = |error: String| failed(SqlError::new("54000", &error));
    let area = shared.handover(number);
    if let Some(area) = area.filter(|_| returns) {
        client.resume(area.take().map_err(handover_error)?);
    }
    let end = client.run()?;
    if let Some(area) = area.filter(|_| end == SessionEnd::Reconnect) {
        area.leave(&client.state()).map_err(handover_error)?;
    }
    Ok(end)
}

/// The plans of commands, with their texts.
fn plans(explained: Vec<Explained>, spec: &Spec) -> Vec<Plan> {
    let commands = spec.commands();
    let plan = |it: Explained| {
        let place = (it.script, it.command);
        let mut all = commands.iter();
        let command = all.find(|command| (command.script_no, command.command_no) == place)?;
        Some(Plan::new(it, command.script.clone(), command.text.clone()))
    };
    explained.into_iter().filter_map(plan).collect()
}

/// Waits until all clients are ready and the leader lets them begin.
fn await_barrier(shared: &Shared, slot: Slot, returns: bool) {
    if !returns {
        slot.set_state(ClientState::Ready);
        latch::wake(shared.leader());
    }
    while shared.phase() == Phase::Preparing {
        latch::report_idle();
        interrupts::between_messages(|| {
            latch::wait(Duration::from_secs(1));
        });
    }
    slot.set_state(ClientState::Working);
}

/// What a client does, with what follows from the whole specification.
fn run_spec(spec: &Spec) -> RunSpec {
    RunSpec {
        warmup: (spec.warmup_s > 0.0).then(|| Warmup {
            scripts: spec.warmup_scripts.clone(),
            scale: spec.warmup_scale.map(Value::from),
        }),
        script_scale: spec.scale.unwrap_or(Scale::from(1)).into(),
        sides: spec.sides(),
        ..spec.run.clone()
    }
}

/// The session's settings: those that pgperf itself chooses, then the run's.
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

/// An error of a client that has just occurred.
pub fn client_error(error: SqlError, command: Option<usize>) -> ClientError {
    ClientError::new(error, command, server::timestamp_now())
}
