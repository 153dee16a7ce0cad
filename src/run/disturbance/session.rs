//! The session of a disturbance: a worker of the run's role that lives for one occurrence. It leaves nothing behind except
//! what its statements commit: its transaction, locks and files end with it, for whatever reason it ends.

use super::wire::{Connection, Identity, WireError};
use super::work::Work;
use crate::pg::error::SqlError;
use crate::pg::process::clock::{self, nanoseconds};
use crate::pg::process::latch;
use crate::pg::process::worker::{self, OnCancel};
use crate::pg::session::receiver::ResultMode;
use crate::pg::session::{Session, setting};
use crate::pg::sql::{spi, xact};
use crate::run::client::{self, client_error};
use crate::run::shared::slot::{ClientState, Counter, Slot};
use crate::run::shared::{Phase, Shared};
use engine::ClientError;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicI32, Ordering::Relaxed};
use std::time::Duration;

/// What the sessions of a run's disturbances need to know; in their segment.
#[derive(Debug, Serialize, Deserialize)]
pub struct Jobs {
    pub search_path: String,
    pub settings: BTreeMap<String, String>,
    pub all: Vec<Job>,
}

/// What some of the sessions do.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Job {
    pub application_name: String,
    pub work: Work,
    pub for_s: Option<f64>,
    /// The first of its slots, and how many it has.
    pub first: usize,
    pub sessions: usize,
}

/// How often a session that waits looks whether it is over; whoever ends it wakes it.
const LOOK: Duration = Duration::from_secs(1);
/// How often WAL is written to keep a rate.
const FLOOD_PAUSE: Duration = Duration::from_millis(10);
/// A message of `wal_flood`, and how many a statement writes at most.
const MESSAGE_BYTES: f64 = 65_536.0;
const MOST_MESSAGES: f64 = 64.0;
/// A row of `temp_files`.
const ROW_BYTES: f64 = 1_024.0;

/// Settings under which the kinds, other than the caller's own statements, do what they are to do.
const SETTINGS: &[(&str, &str)] = &[
    ("statement_timeout", "0"),
    ("lock_timeout", "0"),
    #[cfg(feature = "since17")]
    ("transaction_timeout", "0"),
    ("default_transaction_isolation", "read committed"),
    ("jit", "off"),
    // Every page by this session alone, and sorts that do not fit.
    ("max_parallel_workers_per_gather", "0"),
    ("enable_indexscan", "off"),
    ("enable_indexonlyscan", "off"),
    ("enable_bitmapscan", "off"),
    ("work_mem", "64kB"),
];

/// The main function of the worker.
pub fn main() {
    let Some((launch, shared, slot)) = client::enter(OnCancel::CancelStatement) else {
        return;
    };
    let number = launch.client as usize;
    let end = match serde_json::from_slice::<Jobs>(&shared.spec()) {
        Ok(jobs) => match jobs.of(number) {
            Some(job) => Occurrence::new(shared, slot, &jobs, job, number).run(),
            None => Ok(()),
        },
        Err(error) => Err(client_error(
            SqlError::new("XX000", &error.to_string()),
            None,
        )),
    };
    slot.set(Counter::FinishedAt, clock::now());
    slot.set_state(match end {
        Ok(()) => ClientState::Done,
        Err(error) => {
            slot.errors().store(&error);
            ClientState::Aborted
        }
    });
    latch::wake(shared.leader());
}

impl Jobs {
    /// All sessions.
    pub fn sessions(&self) -> usize {
        self.all.iter().map(|job| job.sessions).sum()
    }

    /// That of a session.
    fn of(&self, number: usize) -> Option<&Job> {
        self.all
            .iter()
            .find(|job| (job.first..job.first + job.sessions).contains(&number))
    }
}

/// One session of an occurrence.
struct Occurrence<'a> {
    shared: Shared,
    slot: Slot,
    jobs: &'a Jobs,
    job: &'a Job,
    /// Among those of the occurrence.
    number: usize,
    /// When it has lasted as long as it should, monotonic ns.
    until: Option<u64>,
    session: Session,
}

impl<'a> Occurrence<'a> {
    fn new(shared: Shared, slot: Slot, jobs: &'a Jobs, job: &'a Job, number: usize) -> Self {
        Occurrence {
            shared,
            slot,
            jobs,
            job,
            number: number - job.first,
            until: job.for_s.map(|for_s| clock::now() + nanoseconds(for_s)),
            session: Session::new(ResultMode::Format),
        }
    }

    /// An error that comes from its being ended in time is none.
    fn run(&mut self) -> Result<(), ClientError> {
        let end = self.configure().and_then(|()| {
            self.slot.set_state(ClientState::Working);
            self.work()
        });
        if !self.session.in_transaction_block() {
            latch::report_statistics(true);
        }
        match end {
            Err(error) if error.sqlstate == "57014" && self.is_over() => Ok(()),
            end => end.map_err(|error| client_error(error, None)),
        }
    }

    fn configure(&self) -> Result<(), SqlError> {
        let mut settings = self.jobs.settings.clone();
        if !matches!(self.job.work, Work::Sql { .. }) {
            for (name, value) in SETTINGS {
                settings.insert((*name).to_owned(), (*value).to_owned());
            }
        }
        let path = match self.job.work {
            Work::Sql { .. } => self.jobs.search_path.clone(),
            _ => setting::catalog_first(&self.jobs.search_path),
        };
        client::configure(&self.job.application_name, &path, &settings)
    }

    /// Whether somebody has ended it, or it has lasted as long as it should.
    fn is_over(&self) -> bool {
        self.shared.phase() == Phase::Stopping
            || self.slot.get(Counter::ToldToEnd) != 0
            || self.until.is_some_and(|until| clock::now() >= until)
    }

    fn work(&mut self) -> Result<(), SqlError> {
        match &self.job.work {
            Work::Sql { statements } => self.own(statements),
            Work::SnapshotHolder => self.hold(&[
                "BEGIN ISOLATION LEVEL REPEATABLE READ",
                "SELECT 1",
            ]),
            Work::IdleInTransaction => {
                self.hold(&["BEGIN", "SELECT pg_catalog.pg_current_xact_id()"])
            }
            Work::LockQueue { table } => match self.number {
                0 => self.hold(&[
                    "BEGIN",
                    &format!("LOCK TABLE {table} IN ACCESS SHARE MODE"),
                ]),
                _ => self.queue(table),
            },
            Work::TableScan { table } => {
                self.repeat(&[format!("SELECT pg_catalog.count(*) FROM {table}")])
            }
            Work::VacuumFull { table } => self.repeat(&[format!("VACUUM (FULL) {table}")]),
            Work::Reindex { table } => self.repeat(&[format!("REINDEX TABLE {table}")]),
            Work::Checkpoint => self.repeat(&["CHECKPOINT".to_owned()]),
            Work::WalFlood { mb_per_s } => self.flood(mb_per_s * 1e6),
            Work::TempFiles { mb } => self.repeat(&[format!(
                "SELECT pg_catalog.count(*) FROM (SELECT pg_catalog.repeat(pg_catalog.md5(i::pg_catalog.text), 32) COLLATE pg_catalog.\"C\" AS filler \
                   FROM pg_catalog.generate_series(1, {}) i ORDER BY 1) s",
                (mb * 1e6 / ROW_BYTES).ceil()
            )]),
            Work::ConnectionStorm { per_s } => self.storm(*per_s),
            Work::BaseBackup { mb_per_s } => self.backup(*mb_per_s),
        }
    }

    /// The caller's statements, which must leave no transaction open.
    fn own(&mut self, statements: &[String]) -> Result<(), SqlError> {
        self.repeat(statements)?;
        if self.session.in_transaction_block() && !self.is_over() {
            return Err(SqlError::new(
                "25001",
                "the last transaction was not completed",
            ));
        }
        Ok(())
    }

    /// Once, or until the time is over.
    fn repeat(&mut self, statements: &[String]) -> Result<(), SqlError> {
        loop {
            for statement in statements {
                self.session.idle_checks();
                if self.is_over() {
                    return Ok(());
                }
                self.session.execute_simple(statement)?;
            }
            if self.until.is_none() {
                return Ok(());
            }
        }
    }

    /// Begins a transaction, and leaves it open until the time is over.
    fn hold(&mut self, statements: &[&str]) -> Result<(), SqlError> {
        for statement in statements {
            self.session.execute_simple(statement)?;
        }
        // For a session that waits for this one.
        self.slot.set(Counter::LoadStep, 1);
        latch::report_idle_in_transaction();
        while !self.is_over() {
            self.pause(LOOK);
        }
        self.session.execute_simple("COMMIT").map(|_| ())
    }

    /// Asks for the lock of a DDL as soon as the first session holds the table: whoever comes later waits behind it.
    fn queue(&mut self, table: &str) -> Result<(), SqlError> {
        let holder = self.shared.slot(self.job.first);
        while holder.get(Counter::LoadStep) == 0 {
            if self.is_over() || holder.state() >= ClientState::Done {
                return Ok(());
            }
            latch::wait(FLOOD_PAUSE);
        }
        let lock = format!("LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE");
        for statement in ["BEGIN", &lock, "COMMIT"] {
            self.session.execute_simple(statement)?;
        }
        Ok(())
    }

    /// Writes WAL that nobody needs, at a rate in bytes per second.
    fn flood(&mut self, rate: f64) -> Result<(), SqlError> {
        let began = clock::now();
        let mut written = 0.0;
        while !self.is_over() {
            let due = rate * clock::now().saturating_sub(began) as f64 / 1e9;
            let messages = ((due - written) / MESSAGE_BYTES).floor().min(MOST_MESSAGES);
            if messages < 1.0 {
                latch::report_idle();
                self.pause(FLOOD_PAUSE);
                continue;
            }
            self.session.idle_checks();
            self.session.execute_simple(&format!(
                "SELECT pg_catalog.count(pg_catalog.pg_logical_emit_message(false, 'pgperf', pg_catalog.repeat('x', {MESSAGE_BYTES}))) \
                   FROM pg_catalog.generate_series(1, {messages})"
            ))?;
            written += messages * MESSAGE_BYTES;
        }
        Ok(())
    }

    /// Connects again and again, at a rate per second as far as the server can.
    fn storm(&mut self, rate: f64) -> Result<(), SqlError> {
        let identity = self.identity()?;
        let began = clock::now();
        let mut opened = 0.0;
        while !self.is_over() {
            if opened > rate * clock::now().saturating_sub(began) as f64 / 1e9 {
                self.pause(FLOOD_PAUSE);
                continue;
            }
            latch::interrupts();
            opened += 1.0;
            match Connection::open(&identity, false, &mut || self.goes_on()) {
                Ok(connection) => connection.close(),
                Err(WireError::Stopped) => return Ok(()),
                // A server that has no room for more is what a storm is about.
                Err(WireError::Failed(error)) if error.sqlstate.starts_with("53") => {}
                Err(WireError::Failed(error)) => return Err(error),
            }
        }
        Ok(())
    }

    /// Takes a base backup whose contents go nowhere; until the time is over, one after the other.
    fn backup(&mut self, mb_per_s: f64) -> Result<(), SqlError> {
        let identity = self.identity()?;
        worker::before_exit(end_backup);
        let rate = (mb_per_s * 1e3).clamp(32.0, 1_048_576.0).round();
        let command = format!(
            "BASE_BACKUP (LABEL 'pgperf', TARGET 'blackhole', CHECKPOINT 'fast', WAIT false, MANIFEST 'no', MAX_RATE {rate})"
        );
        loop {
            let done = Connection::open(&identity, true, &mut || self.goes_on()).and_then(
                |mut connection| {
                    BACKUP.store(connection.pid, Relaxed);
                    connection.run(&command, &mut || self.goes_on())?;
                    BACKUP.store(0, Relaxed);
                    connection.close();
                    Ok(())
                },
            );
            end_backup();
            match done {
                Err(WireError::Failed(error)) => return Err(error),
                Ok(()) if self.until.is_some() && !self.is_over() => {}
                _ => return Ok(()),
            }
        }
    }

    /// Asked while the server's answer is waited for.
    fn goes_on(&self) -> bool {
        latch::interrupts();
        !self.is_over()
    }

    /// As whom to connect, outside a transaction.
    fn identity(&self) -> Result<Identity, SqlError> {
        #[derive(Deserialize)]
        struct Here {
            role: String,
            database: String,
        }
        let sql = "SELECT current_user AS role, pg_catalog.current_database() AS database";
        let here: Option<Here> = xact::transaction(|| spi::select_one(sql, &[]))?
            .map_err(|error| SqlError::new("XX000", &error.to_string()))?;
        let Here { role, database } =
            here.ok_or_else(|| SqlError::new("XX000", "there is no current role"))?;
        Ok(Identity {
            role,
            database,
            application_name: self.job.application_name.clone(),
        })
    }

    /// Waits, but not longer than until the end.
    fn pause(&self, most: Duration) {
        let left = self.until.map_or(most, |until| {
            Duration::from_nanos(until.saturating_sub(clock::now()))
        });
        latch::wait(most.min(left));
    }
}

/// The process that serves a base backup; 0: none.
static BACKUP: AtomicI32 = AtomicI32::new(0);

/// A backup that nobody reads any more ends at once, also where this process ends.
fn end_backup() {
    let pid = BACKUP.swap(0, Relaxed);
    if pid > 0 {
        worker::signal(pid, worker::CANCEL);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_session_has_the_job_of_its_slot() {
        let job = |name: &str, first, sessions| Job {
            application_name: name.to_owned(),
            work: Work::Checkpoint,
            for_s: None,
            first,
            sessions,
        };
        let jobs = Jobs {
            search_path: String::new(),
            settings: BTreeMap::new(),
            all: vec![job("a", 0, 2), job("b", 2, 1)],
        };
        let name = |number| jobs.of(number).map(|job| job.application_name.as_str());
        assert_eq!((name(0), name(1)), (Some("a"), Some("a")));
        assert_eq!((name(2), name(3)), (Some("b"), None));
    }
}
