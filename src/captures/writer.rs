//! The writer of a capture: a background worker that empties the sessions' rings into files.
//!
//! It ends the capture after its duration, at its size, when the disk is nearly full, when it cannot write, and when it is stopped; what was
//! written until then can be read. It holds the locks that show it as alive until its end, however that comes.

use super::files;
use crate::error::{Error, Result};
use crate::guc;
use crate::pg::capture::control;
use crate::pg::process::dsm::Segment;
use crate::pg::process::worker::{self, Worker};
use crate::pg::process::{clock, latch, lock};
use crate::pg::server;
use crate::pg::sql::{spi, xact};
use crate::service::as_owner::{Launch, Target};
use crate::service::starting::await_commit;
use crate::service::store::{Unstored, store, wait_for_no_lock};
use ::capture::area::{self, Area, Counts, RING_WORDS, Scope};
use ::capture::segment::Writer;
use pgrx::pg_sys::Oid;
use serde::Deserialize;
use std::path::PathBuf;
use std::time::Duration;

/// How often the rings are emptied; one that is half full wakes the writer before.
const DRAIN_INTERVAL: Duration = Duration::from_millis(50);
/// How often what was written is made to outlive the server.
const SYNC_INTERVAL_NS: u64 = 1_000_000_000;
/// How often the row of the capture is brought up to date.
const STORE_INTERVAL_NS: u64 = 5_000_000_000;
/// Sessions that are giving a transaction to their rings at the end are done by then.
const LAST_LOOK: Duration = Duration::from_millis(20);
/// A capture ends when the disk has less.
const FREE_BYTES: u64 = 256 << 20;

const NAME: &str = "pgperf capture";

/// Asks the server for the writer of a capture; None if there is no free slot.
pub fn register(launch: &Launch, capture_id: i64) -> Option<Worker> {
    let mut extra = launch.encode();
    extra[Launch::WORDS] = capture_id as u64;
    worker::register(NAME, NAME, "pgperf_capture_main", &extra)
}

/// The main function of the worker.
pub fn main() {
    let Some(launch) = Launch::begin(NAME) else {
        return;
    };
    wait_for_no_lock();
    let capture_id = worker::extra()[Launch::WORDS] as i64;
    let Some(target) = launch.target else {
        return;
    };
    if !lock::try_hold_capture_locks(capture_id) || !has_begun(&target) {
        return;
    }
    worker::before_exit(control::end);
    if let Some(reason) = capture(target.extension, capture_id) {
        server::log(&format!("pgperf capture {capture_id}: {reason}"));
    }
}

/// Whether the transaction that starts it has committed.
fn has_begun(target: &Target) -> bool {
    let stays = || !worker::cancel_requested() && !lock::database_is_being_dropped();
    target.xid.is_none_or(|xid| await_commit(xid, stays))
}

/// What its row says.
#[derive(Deserialize)]
struct Wanted {
    scope: Scope,
    duration_s: f64,
    max_bytes: i64,
}

/// How a capture ended.
struct Ended {
    status: &'static str,
    reason: Option<String>,
}

impl Ended {
    fn failed(reason: impl ToString) -> Ended {
        Ended {
            status: "failed",
            reason: Some(reason.to_string()),
        }
    }

    fn because(status: &'static str, reason: &str) -> Ended {
        Ended {
            status,
            reason: Some(reason.to_owned()),
        }
    }
}

/// Captures until there is a reason to end. Returns what the log has to tell.
fn capture(extension: Oid, capture_id: i64) -> Option<String> {
    let wanted = match store(extension, || wanted(capture_id)) {
        Ok(wanted) => wanted?,
        Err(unstored) => return Some(Error::from(unstored).to_string()),
    };
    let begun = Writing::begin(capture_id, &wanted);
    let (ended, progress) = match begun {
        Ok(mut writing) => {
            let ended = match patiently(extension, || mark_begun(capture_id)) {
                Ok(()) => writing.until_end(extension, capture_id, &wanted),
                Err(unstored) => Ended::failed(Error::from(unstored)),
            };
            (ended, writing.progress())
        }
        Err(reason) => (Ended::failed(reason), Progress::default()),
    };
    control::end();
    let told = ended.reason.clone().filter(|_| ended.status == "failed");
    match patiently(extension, || mark_ended(capture_id, &progress, &ended)) {
        Err(Unstored::Gone) => {
            let _ = files::remove(capture_id);
            Some("the extension is gone".to_owned())
        }
        Err(unstored) => Some(Error::from(unstored).to_string()),
        Ok(()) => told,
    }
}

/// None: it was dropped meanwhile.
fn wanted(capture_id: i64) -> Result<Option<Wanted>> {
    #[derive(Deserialize)]
    struct Known {
        capture_id: i64,
    }
    let known: Vec<Known> = spi::select(
        "SELECT c.capture_id FROM pgperf_internal.stored_captures c",
        &[],
    )?;
    files::remove_forgotten(|id| {
        known.iter().any(|it| it.capture_id == id) || lock::import_lives(id)
    });
    spi::select_one(
        "SELECT c.scope, c.duration_s, c.max_bytes FROM pgperf_internal.stored_captures c WHERE c.capture_id = $1",
        &[capture_id.into()],
    )
}

/// Sessions take part.
fn mark_begun(capture_id: i64) -> Result<()> {
    spi::execute(
        "UPDATE pgperf_internal.stored_captures c SET started_at = pg_catalog.clock_timestamp(), stored_status = 'capturing' \
          WHERE c.capture_id = $1",
        &[capture_id.into()],
    )?;
    Ok(())
}

/// What has been captured so far.
#[derive(Debug, Clone, Copy, Default)]
struct Progress {
    bytes: u64,
    sessions: u64,
    sessions_left_out: u64,
    counts: Counts,
}

/// A capture that is under way.
struct Writing {
    area: Area,
    folder: PathBuf,
    files: Writer,
    /// Of sessions that have left.
    left: Counts,
    /// Room for what a ring has.
    bytes: Vec<u8>,
}

impl Writing {
    fn begin(capture_id: i64, wanted: &Wanted) -> std::result::Result<Writing, String> {
        let folder = files::create(capture_id).map_err(|error| error.to_string())?;
        let files = Writer::begin(&folder).map_err(|error| error.to_string())?;
        let rings = (guc::capture_memory() / (RING_WORDS as u64 * 8))
            .clamp(1, server::max_connections()) as usize;
        let words = area::words(rings, &wanted.scope);
        let segment = xact::catch(|| Segment::create(words)).map_err(|error| error.message)?;
        let area = Area::create(segment.words(), rings, &wanted.scope);
        if !control::announce(segment.handle(), latch::my_proc_number()) {
            return Err("pgperf is not preloaded".to_owned());
        }
        Ok(Writing {
            area,
            folder,
            files,
            left: Counts::default(),
            bytes: Vec::new(),
        })
    }

    /// Empties the rings until there is a reason to end.
    fn until_end(&mut self, extension: Oid, capture_id: i64, wanted: &Wanted) -> Ended {
        let began = clock::now();
        let (mut synced, mut stored) = (began, began);
        loop {
            latch::wait(DRAIN_INTERVAL);
            let now = clock::now();
            let mut end = reason_to_end();
            if now - began >= clock::nanoseconds(wanted.duration_s) {
                end = end.or(Some(Ended {
                    status: "finished",
                    reason: None,
                }));
            }
            if end.is_some() {
                control::end();
                latch::wait(LAST_LOOK);
            }
            let stores = now - stored >= STORE_INTERVAL_NS;
            // What the row tells outlives the server.
            let syncs = end.is_some() || stores || now - synced >= SYNC_INTERVAL_NS;
            if let Err(error) = self.drain(syncs, &mut synced) {
                return Ended::failed(error);
            }
            if let Some(end) = end.or_else(|| self.limit(wanted.max_bytes)) {
                return end;
            }
            if stores {
                stored = now;
                let progress = self.progress();
                if let Err(Unstored::Gone) = store(extension, || progress.store(capture_id)) {
                    return Ended::failed("the extension is gone");
                }
            }
        }
    }

    fn drain(&mut self, sync: bool, synced: &mut u64) -> std::io::Result<()> {
        for place in self.area.places() {
            // Asked before: what a session leaves it leaves first.
            let is_left = place.is_left();
            self.bytes.clear();
            if place.ring().drain(&mut self.bytes) {
                self.files.add(place.session(), &self.bytes)?;
            }
            if is_left {
                self.left.add(place.counts());
                place.free();
            }
        }
        if sync {
            *synced = clock::now();
            self.files.sync()?;
        }
        Ok(())
    }

    fn limit(&self, max_bytes: i64) -> Option<Ended> {
        if self.files.bytes() >= max_bytes as u64 {
            return Some(Ended::because("finished", "it has max_bytes"));
        }
        match files::free_bytes(&self.folder) {
            Ok(free) if free < FREE_BYTES => {
                Some(Ended::because("failed", "the disk is nearly full"))
            }
            _ => None,
        }
    }

    fn progress(&self) -> Progress {
        let mut counts = self.left;
        self.area
            .places()
            .for_each(|place| counts.add(place.counts()));
        Progress {
            bytes: self.files.bytes(),
            sessions: self.area.sessions(),
            sessions_left_out: self.area.sessions_without_ring(),
            counts,
        }
    }
}

fn reason_to_end() -> Option<Ended> {
    if worker::cancel_requested() {
        return Some(Ended {
            status: "stopped",
            reason: None,
        });
    }
    lock::database_is_being_dropped()
        .then(|| Ended::because("stopped", "the database is being dropped"))
}

impl Progress {
    fn store(&self, capture_id: i64) -> Result<()> {
        spi::execute(
            "UPDATE pgperf_internal.stored_captures c SET bytes = $2, sessions = $3, sessions_left_out = $4, \
                transactions = $5, statements = $6, dropped = $7 \
              WHERE c.capture_id = $1",
            &[
                capture_id.into(),
                (self.bytes as i64).into(),
                (self.sessions as i64).into(),
                (self.sessions_left_out as i64).into(),
                (self.counts.transactions as i64).into(),
                (self.counts.statements as i64).into(),
                (self.counts.dropped as i64).into(),
            ],
        )?;
        Ok(())
    }
}

fn mark_ended(capture_id: i64, progress: &Progress, ended: &Ended) -> Result<()> {
    progress.store(capture_id)?;
    spi::execute(
        "UPDATE pgperf_internal.stored_captures c SET stored_status = $2, ended_at = pg_catalog.clock_timestamp(), reason = $3 \
          WHERE c.capture_id = $1",
        &[
            capture_id.into(),
            ended.status.into(),
            ended.reason.clone().into(),
        ],
    )?;
    Ok(())
}

/// Stores what has to be. Somebody may hold the table for a moment.
fn patiently(extension: Oid, body: impl Fn() -> Result<()>) -> std::result::Result<(), Unstored> {
    loop {
        match store(extension, &body) {
            Err(Unstored::Busy) if !lock::database_is_being_dropped() => {
                latch::wait(DRAIN_INTERVAL)
            }
            other => return other,
        };
    }
}
