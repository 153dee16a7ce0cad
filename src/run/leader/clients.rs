//! The processes of a run's clients, as its leader sees them.

use crate::pg::error::SqlError;
use crate::pg::process::clock;
use crate::pg::process::latch;
use crate::pg::process::worker::{self, Worker, WorkerStatus};
use crate::pg::server;
use crate::run::client::client_error;
use crate::run::client::launch::ClientLaunch;
use crate::run::request::spec::{Spec, Transport};
use crate::run::shared::slot::{ClientState, Counter};
use crate::run::shared::{Phase, Shared};
use crate::service::launch::LeaderLaunch;

/// How long a client that is to get a new session may wait for a worker slot.
const SLOT_PATIENCE_NS: u64 = 10_000_000_000;

/// No worker slot is free for this worker of the clients.
pub struct NoSlot {
    pub worker: usize,
}

/// A run's clients.
pub struct Clients {
    launch: LeaderLaunch,
    segment: u32,
    shared: Shared,
    transport: Transport,
    /// The number of each client's worker.
    of_clients: Vec<usize>,
    workers: Vec<Worker>,
}

impl Clients {
    /// None is started yet; `segment` is the handle of `shared`.
    pub fn new(launch: LeaderLaunch, segment: u32, shared: Shared, spec: &Spec) -> Clients {
        Clients {
            launch,
            segment,
            shared,
            transport: spec.transport,
            of_clients: spec.workers_of_clients(),
            workers: Vec::new(),
        }
    }

    /// Starts those that have not been started yet.
    pub fn start(&mut self) -> Result<(), NoSlot> {
        for worker in self.workers.len()..self.count() {
            let registered = self.register(worker).ok_or(NoSlot { worker })?;
            self.workers.push(registered);
        }
        Ok(())
    }

    /// How many workers they take.
    pub fn count(&self) -> usize {
        self.transport.workers(self.shared.slots().count())
    }

    /// What a worker is called.
    pub fn kind_of_worker(&self) -> &'static str {
        match self.transport {
            Transport::Inside => "client",
            Transport::Wire { .. } => "worker",
        }
    }

    /// None if no worker slot is free.
    fn register(&self, worker: usize) -> Option<Worker> {
        let launch = ClientLaunch {
            database: self.launch.database,
            role: self.launch.caller,
            run_id: self.launch.run_id,
            segment: self.segment,
            client: worker as u32,
        };
        let main = match self.transport {
            Transport::Inside => "pgperf_client_main",
            Transport::Wire { .. } => "pgperf_wire_main",
        };
        let what = self.kind_of_worker();
        let name = format!("pgperf run {} {what} {worker}", self.launch.run_id);
        let kind = "pgperf client";
        let worker = worker::register(&name, kind, main, &launch.encode())?;
        worker.terminate_at_exit();
        Some(worker)
    }

    /// Starts the next session of clients that have left theirs. For a while they may wait for a worker slot.
    pub fn restart(&mut self, now: u64) -> Result<(), NoSlot> {
        for (client, slot) in self.shared.slots().enumerate() {
            let has_left = slot.state() == ClientState::Leaving
                && self.status(client) == Some(WorkerStatus::Stopped);
            if !has_left {
                continue;
            }
            if self.shared.phase() == Phase::Stopping || now >= self.shared.deadline() {
                slot.set_state(ClientState::Done);
                continue;
            }
            slot.set_state(ClientState::Returning);
            match (self.register(client), self.workers.get_mut(client)) {
                (Some(next), Some(worker)) => std::mem::replace(worker, next).forget(),
                _ => {
                    slot.set_state(ClientState::Leaving);
                    if now > slot.get(Counter::FinishedAt) + SLOT_PATIENCE_NS {
                        return Err(NoSlot { worker: client });
                    }
                }
            }
        }
        Ok(())
    }

    /// The state of the worker that has this client.
    fn status(&self, client: usize) -> Option<WorkerStatus> {
        let worker = self.workers.get(*self.of_clients.get(client)?)?;
        Some(worker.status())
    }

    /// Notes the error in the place of clients that ended without reporting it: they count as ended by an error, and the others go on.
    pub fn notice_deaths(&self) {
        for client in 0..self.shared.slots().count() {
            // Its state is read only after the process is gone: before, it may still be reporting its end.
            let is_gone = self.status(client) == Some(WorkerStatus::Stopped);
            let state = self.shared.slot(client).state();
            let is_told = state >= ClientState::Done || state == ClientState::Leaving;
            if is_gone && !is_told {
                self.note_death(client, state);
            }
        }
    }

    /// `state` is that in which it ended.
    fn note_death(&self, client: usize, state: ClientState) {
        let slot = self.shared.slot(client);
        let how = match state {
            ClientState::Absent => "it could not connect (see the server log)".to_owned(),
            ClientState::Returning => "it could not connect again (see the server log)".to_owned(),
            _ => format!("its process {} was terminated", slot.get(Counter::Pid)),
        };
        let error = client_error(SqlError::new("57P01", &how), None);
        slot.abort(&error, clock::now());
        let run = self.launch.run_id;
        server::log(&format!("pgperf run {run} client {client} aborted: {how}"));
    }

    /// Cancels their statements. Those of clients that still prepare are cancelled too: a lock may hold them
    /// up there.
    pub fn cancel_statements(&self) {
        let busy = ClientState::Connecting..=ClientState::Returning;
        for slot in self.shared.slots() {
            if busy.contains(&slot.state()) {
                worker::signal(slot.get(Counter::Pid) as i32, worker::CANCEL);
            }
        }
    }

    pub fn wake(&self) {
        for slot in self.shared.slots() {
            if slot.state() > ClientState::Absent {
                latch::wake(slot.get(Counter::Proc));
            }
        }
    }

    /// Whether all have got this far, or further.
    pub fn all_have_reached(&self, state: ClientState) -> bool {
        self.shared.slots().all(|slot| slot.state() >= state)
    }

    /// Whether all are in this state.
    pub fn all_are(&self, state: ClientState) -> bool {
        self.shared.slots().all(|slot| slot.state() == state)
    }

    /// Whether an error has ended one.
    pub fn any_aborted(&self) -> bool {
        let mut slots = self.shared.slots();
        slots.any(|slot| slot.state() == ClientState::Aborted)
    }

    /// Whether one is between the barrier and its end.
    pub fn some_work(&self) -> bool {
        let working = ClientState::Ready..=ClientState::Returning;
        self.shared
            .slots()
            .any(|slot| working.contains(&slot.state()))
    }

    /// Whether all processes have ended.
    pub fn all_are_gone(&self) -> bool {
        self.workers
            .iter()
            .all(|worker| worker.status() == WorkerStatus::Stopped)
    }

    pub fn terminate(&self) {
        self.workers.iter().for_each(Worker::terminate);
    }
}
