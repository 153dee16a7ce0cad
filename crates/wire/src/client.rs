//! A client of a run over a connection: it connects, prepares, waits at the barrier, and works, as a client inside the server does.

use crate::bell::{Bell, Note};
use crate::clock::{now, timestamp};
use crate::connection::Connection;
use crate::conninfo::Conninfo;
use crate::scheduler::Seat;
use crate::transport::Wire;
use crate::wait::Wait;
use engine::{
    Altered, Client, ClientError, ClientStart, Handover, QUERY_CANCELED, RunSpec, SessionEnd,
    SqlError, Surroundings,
};
use memory::slot::{ClientState, Counter, Slot};
use memory::{Counts, Phase, Shared};
use rustix::thread::set_current_timer_slack;
use std::num::NonZeroU64;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// How long a client waits at the barrier before it looks again.
const LOOK_AGAIN: Duration = Duration::from_secs(1);

/// How long a client that has lost its session waits before it tries to connect again, at first and at most.
const SHORTEST_PAUSE: Duration = Duration::from_millis(10);
const LONGEST_PAUSE: Duration = Duration::from_millis(250);

/// What the clients of a worker do.
pub struct Job {
    pub run_id: i64,
    pub shared: Shared,
    pub spec: RunSpec,
    /// Where each client of the run connects, by its number.
    pub destinations: Vec<Arc<Destination>>,
    /// The name of all sessions; None: each has that of its client.
    pub application_name: Option<String>,
    /// Whether the first client asks for the plans of its statements.
    pub explains: bool,
}

/// Where a client connects.
pub struct Destination {
    /// As whom, too.
    pub info: Conninfo,
    /// How long connecting may take.
    pub connect_timeout: Duration,
    /// Settings of all sessions there, without those that take turns.
    pub settings: Settings,
}

/// A client, as its task has it.
#[derive(Clone, Copy)]
pub struct Member<'t> {
    pub job: &'t Job,
    pub number: usize,
    pub seat: &'t Seat<'t>,
    pub bell: &'t Bell,
}

/// Names and values.
type Settings = Vec<(String, String)>;
type OverWire<'t> = Client<Wire<&'t Seat<'t>>, Member<'t>, Counts<Member<'t>>>;

impl Job {
    fn name(&self, client: usize) -> String {
        format!("pgperf run {} client {client}", self.run_id)
    }

    /// The settings of a session there in this turn.
    fn settings(&self, there: &Destination, turn: u64) -> Settings {
        let sides = self.spec.sides.as_ref();
        let of_turn = sides.map_or(&[][..], |sides| sides.settings(turn));
        there.settings.iter().chain(of_turn).cloned().collect()
    }
}

impl<'t> Member<'t> {
    /// Everything that the task does.
    ///
    /// # Errors
    /// What ended the client.
    pub fn live(&self) -> Result<(), ClientError> {
        let slot = self.slot();
        let mut client = self.client(slot.get(Counter::EndedBefore))?;
        client.prepare()?;
        let plans = match self.job.explains && self.number == 0 {
            true => client.explain(),
            false => Vec::new(),
        };
        let client_no = self.number;
        self.bell.tell(Note::Ready {
            client: client_no,
            plans,
        });
        self.await_barrier();
        if self.job.spec.has_pauses() {
            sleep_precisely();
        }
        while client.run()? == SessionEnd::Reconnect {
            let state = client.state();
            // It ends before the next one begins.
            drop(client);
            let Some(next) = self.next_session(state)? else {
                return Ok(());
            };
            client = next;
        }
        Ok(())
    }

    /// Waits until the leader lets all clients begin.
    pub fn await_barrier(&self) {
        while self.phase() == Phase::Preparing {
            self.seat.pause(LOOK_AGAIN);
        }
        self.slot().set_state(ClientState::Working);
    }

    /// The client with its next session; None: it needs none any more.
    fn next_session(&self, mut state: Handover) -> Result<Option<OverWire<'t>>, ClientError> {
        let mut pause = SHORTEST_PAUSE;
        let next = loop {
            match self.client(state.ended) {
                Ok(client) => break Some(client),
                _ if self.phase() == Phase::Stopping || now() >= self.deadline() => break None,
                // It has no statement that could be cancelled.
                Err(error) if error.sqlstate == QUERY_CANCELED => {}
                Err(_) if self.job.spec.reconnect_on_loss => {
                    state.lost = true;
                    self.seat.pause(pause);
                    pause = LONGEST_PAUSE.min(pause * 2);
                }
                Err(error) => return Err(error),
            }
        };
        if state.lost && self.phase() != Phase::WarmingUp {
            let from = state.left_at.max(self.began_at());
            self.slot().lose_session(now().saturating_sub(from));
        }
        Ok(next.map(|mut client| {
            client.resume(state);
            client
        }))
    }

    /// Notes its end. If its worker has to end, that is for the leader to note.
    pub fn end(&self, result: Result<(), ClientError>) {
        let slot = self.slot();
        match result {
            _ if self.seat.has_given_up() => {}
            Ok(()) => {
                slot.set(Counter::FinishedAt, now());
                slot.set_state(ClientState::Done);
            }
            Err(error) => {
                let name = self.job.name(self.number);
                self.log(&format!("{name} aborted: {}", error.message));
                slot.abort(&error, now());
            }
        }
        self.bell.wake_leader();
        self.bell.tell(Note::Ended);
    }

    /// A new session, with the settings of this turn.
    ///
    /// # Errors
    /// The server's, or that of the connection.
    pub fn connect(&self, turn: u64) -> Result<Connection<&'t Seat<'t>>, SqlError> {
        let job = self.job;
        let name = job.application_name.clone();
        let name = name.unwrap_or_else(|| job.name(self.number));
        let there = &job.destinations[self.number];
        let settings = job.settings(there, turn);
        // A cancel that came before is not for it.
        self.seat.begin_statement();
        // While it connects, it may try one address after the other.
        self.seat.socket_stays(false);
        let connection = Connection::open_session(
            &there.info,
            &name,
            &settings,
            self.seat,
            there.connect_timeout,
        )?;
        self.seat.socket_stays(true);
        self.slot()
            .set(Counter::SessionPid, connection.backend_pid() as u64);
        Ok(connection)
    }

    /// The client with a new session, after so many measured transactions.
    fn client(&self, ended: u64) -> Result<OverWire<'t>, ClientError> {
        let job = self.job;
        let failed = |error| ClientError::new(error, None, self.timestamp());
        let turn = job.shared.turn();
        self.slot().set(Counter::Turn, turn);
        let connection = self.connect(turn).map_err(failed)?;
        let start = ClientStart {
            number: self.number,
            name: job.name(self.number),
            ended,
            turn,
        };
        Client::new(
            job.spec.clone(),
            start,
            Wire::new(connection),
            *self,
            Counts::new(&job.shared, self.number, *self),
        )
        .map_err(|error| failed(SqlError::new("42601", &error.to_string())))
    }

    pub fn slot(&self) -> Slot {
        self.job.shared.slot(self.number)
    }
}

/// Lets this thread sleep with microsecond precision: by default the kernel may add 50 µs to each wait.
pub fn sleep_precisely() {
    // Where it fails, waits are less precise.
    let _ = set_current_timer_slack(NonZeroU64::new(1));
}

impl Surroundings for Member<'_> {
    #[inline]
    fn now(&self) -> u64 {
        now()
    }

    fn timestamp(&self) -> i64 {
        timestamp(SystemTime::now())
    }

    /// That of the run, until the worker has to end.
    #[inline]
    fn phase(&self) -> Phase {
        match self.seat.has_given_up() {
            true => Phase::Stopping,
            false => self.job.shared.phase(),
        }
    }

    fn is_given_up(&self) -> bool {
        self.seat.has_given_up()
    }

    fn began_at(&self) -> u64 {
        self.job.shared.began_at()
    }

    #[inline]
    fn deadline(&self) -> u64 {
        self.job.shared.deadline()
    }

    #[inline]
    fn rate_revision(&self) -> u64 {
        self.job.shared.rate_revision()
    }

    /// From now on there are moments to wait for.
    fn altered(&self) -> Altered {
        sleep_precisely();
        self.job.shared.altered()
    }

    #[inline]
    fn turn(&self) -> u64 {
        self.job.shared.turn()
    }

    fn has_failed_enough(&self) -> bool {
        self.job.shared.has_failed_enough()
    }

    fn wake_leader(&self) {
        self.bell.wake_leader();
    }

    fn pause(&self, ns: u64) {
        self.seat.pause(Duration::from_nanos(ns));
    }

    fn log(&self, text: &str) {
        self.bell.tell(Note::Line(text.to_owned()));
    }
}
