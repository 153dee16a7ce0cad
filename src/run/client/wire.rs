//! Clients of a run over connections: one background worker with one thread for all of its own.
//!
//! The thread runs [`wire::Crew`], which knows nothing of the server. This, the main thread, alone calls it: it writes their lines into the
//! log, wakes the leader for them, obeys signals, and has them end before the process does. A load is the work of the main thread itself.

use super::launch::ClientLaunch;
use super::{await_barrier, client_error, configure, here, plans, run_spec, session_name};
use crate::pg::error::{SqlError, raise};
use crate::pg::process::dsm::Segment;
use crate::pg::process::worker::{self, OnCancel};
use crate::pg::process::{clock, latch};
use crate::pg::server;
use crate::pg::sql::xact;
use crate::run::load::{self, OverWire};
use crate::run::replay;
use crate::run::request::spec::{Spec, Work};
use crate::run::shared::slot::{ClientState, Counter};
use crate::run::shared::{Shared, first_client};
use crate::target::{self, session::Session};
use engine::ClientError;
use std::collections::BTreeMap;
use std::os::fd::AsFd;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use wire::{Conninfo, Crew, Destination, Job, Note};

/// How often the main thread looks, whatever the clients tell.
const LOOK_AGAIN: Duration = Duration::from_secs(1);

/// The clients of this process.
static CREW: OnceLock<Crew> = OnceLock::new();

/// The main function of the worker.
pub fn main() {
    let launch = ClientLaunch::decode(&worker::extra());
    // Connections are as the run says, not as the shell in which the server was started.
    worker::forget_variables(&wire::variables());
    worker::start(launch.database, launch.role, OnCancel::Note);
    worker::load_session_libraries();
    let segment = Segment::attach(launch.segment);
    let shared = segment.and_then(|it| Shared::open(it.words(), launch.run_id));
    let Some(shared) = shared else {
        return;
    };
    let spec: Spec = match serde_json::from_slice(&shared.spec()) {
        Ok(spec) => spec,
        Err(error) => {
            server::log(&format!("pgperf run {}: {error}", launch.run_id));
            return;
        }
    };
    let number = launch.client as usize;
    let workers = spec.workers_of_clients().into_iter().enumerate();
    let clients = workers.filter_map(|(client, worker)| (worker == number).then_some(client));
    let clients: Vec<usize> = clients.collect();
    for &client in &clients {
        let slot = shared.slot(client);
        slot.set(Counter::Pid, u64::from(std::process::id()));
        slot.set(Counter::Proc, latch::my_proc_number());
        slot.set_state(ClientState::Connecting);
    }
    let served = match (&spec.work, spec.targets.first()) {
        (Work::Load(_), Some(server)) => load(&launch, &shared, &spec, server),
        _ => serve(&launch, &shared, &spec, &clients),
    };
    if let Err(error) = served {
        let run = launch.run_id;
        server::log(&format!(
            "pgperf run {run} worker {number}: {}",
            error.message
        ));
        for &client in &clients {
            shared.slot(client).abort(&error, clock::now());
        }
        latch::wake(shared.leader());
    }
}

/// Starts the clients, and serves them until all have ended.
fn serve(
    launch: &ClientLaunch,
    shared: &Shared,
    spec: &Spec,
    clients: &[usize],
) -> Result<(), ClientError> {
    let failed = |error| client_error(error, None);
    let settings = settings_told(shared, spec);
    configure_worker(launch, spec, &settings).map_err(failed)?;
    let destinations =
        xact::transaction(|| destinations(spec).unwrap_or_else(|error| raise(error)));
    let played = match &spec.work {
        Work::Replay(replayed) => Some(
            xact::transaction(|| {
                replay::play::plan(replayed, spec.clients).unwrap_or_else(|error| raise(error))
            })
            .map_err(failed)?,
        ),
        _ => None,
    };
    let job = Job {
        run_id: launch.run_id,
        shared: *shared,
        spec: run_spec(spec),
        destinations: destinations.map_err(failed)?,
        application_name: spec.application_name.clone(),
        explains: spec.plans,
    };
    // Whatever ends this process, its other thread ends before.
    worker::before_exit(end_clients);
    worker::keep_configuration();
    let crew = match played {
        Some(plan) => Crew::start_replay(job, plan),
        None => Crew::start(job, clients),
    };
    let crew = crew
        .map_err(|error| SqlError::new("53000", &format!("could not start clients: {error}")))
        .map_err(failed)?;
    let crew = CREW.get_or_init(|| crew);
    let mut left = clients.len();
    while left > 0 {
        if latch::wait_for(crew.bell().as_fd(), LOOK_AGAIN) {
            crew.wake();
        }
        if worker::cancel_requested() {
            crew.cancel();
        }
        left -= answer(crew, launch, shared, spec, &settings);
    }
    crew.end();
    Ok(())
}

/// Where each client of the run connects.
///
/// # Errors
/// Its role may not.
fn destinations(spec: &Spec) -> crate::error::Result<Vec<Arc<Destination>>> {
    let to = |info: Conninfo, search_path: &str| {
        let path = ("search_path".to_owned(), search_path.to_owned());
        let path = Some(path).filter(|(_, path)| spec.targets.is_here() || !path.is_empty());
        let settings = path.into_iter().chain(spec.settings.clone()).collect();
        Arc::new(Destination {
            connect_timeout: info.connect_timeout(),
            info,
            settings,
        })
    };
    let mut all = Vec::new();
    for target in spec.targets.all() {
        let search_path = match spec.targets.are_several() {
            true => &target.search_path,
            false => &spec.search_path,
        };
        all.push(to(target::connection(&target.server)?, search_path));
    }
    if all.is_empty() {
        return Ok(vec![
            to(here::connection()?, &spec.search_path);
            spec.clients
        ]);
    }
    let of_clients = spec.targets.of_clients(spec.clients).into_iter();
    Ok(of_clients.map(|number| Arc::clone(&all[number])).collect())
}

/// The settings of the clients' sessions, which the leader is told. A target tells them itself.
fn settings_told(shared: &Shared, spec: &Spec) -> BTreeMap<String, String> {
    match spec.targets.is_here() {
        true => spec.settings_in(shared.turn()),
        false => BTreeMap::new(),
    }
}

/// Makes the process's own session ready.
fn configure_worker(
    launch: &ClientLaunch,
    spec: &Spec,
    settings: &BTreeMap<String, String>,
) -> Result<(), SqlError> {
    let name = format!("pgperf run {} worker {}", launch.run_id, launch.client);
    configure(&name, &spec.search_path, settings)?;
    latch::report_idle();
    Ok(())
}

/// The part of a loading worker, whose session of the target is its own.
fn load(
    launch: &ClientLaunch,
    shared: &Shared,
    spec: &Spec,
    server: &str,
) -> Result<(), ClientError> {
    let failed = |error| client_error(error, None);
    let number = launch.client as usize;
    let slot = shared.slot(number);
    let settings = settings_told(shared, spec);
    configure_worker(launch, spec, &settings).map_err(failed)?;
    let path = ("search_path".to_owned(), spec.search_path.clone());
    let session = Session::open(server, &session_name(launch), &[path]).map_err(failed)?;
    if number == 0 {
        first_client::leave(slot, &settings, Vec::new());
    }
    await_barrier(shared, slot, false);
    let there = OverWire::new(session);
    load::run(shared, number, spec, launch.run_id, there)?;
    slot.set(Counter::FinishedAt, clock::now());
    slot.set_state(ClientState::Done);
    latch::wake(shared.leader());
    Ok(())
}

/// Does what the clients want; how many of them have ended.
fn answer(
    crew: &Crew,
    launch: &ClientLaunch,
    shared: &Shared,
    spec: &Spec,
    settings: &BTreeMap<String, String>,
) -> usize {
    let (notes, mut leader_is_wanted) = crew.bell().answer();
    let mut ended = 0;
    for note in notes {
        match note {
            Note::Line(line) => server::log(&line),
            Note::Ready {
                client,
                plans: explained,
            } => {
                let slot = shared.slot(client);
                if client == 0 {
                    first_client::leave(slot, settings, plans(explained, spec));
                }
                // It may have ended since.
                slot.advance_state(ClientState::Connecting, ClientState::Ready);
                leader_is_wanted = true;
            }
            Note::Played(score) => {
                if let Work::Replay(replayed) = &spec.work {
                    replay::play::store(launch.run_id, replayed, &score);
                }
            }
            Note::Ended => ended += 1,
        }
    }
    if leader_is_wanted {
        latch::wake(shared.leader());
    }
    ended
}

fn end_clients() {
    if let Some(crew) = CREW.get() {
        crew.end();
    }
}
