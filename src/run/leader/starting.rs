//! The start of a run: its segment, its clients, the warm-up, and the barrier that opens for all of them.

use super::{Leader, WATCH_INTERVAL, log};
use crate::pg::error::SqlError;
use crate::pg::process::clock::{self, nanoseconds};
use crate::pg::process::dsm::Segment;
use crate::pg::process::{latch, lock};
use crate::pg::sql::xact;
use crate::run::record::run_row::Milestone;
use crate::run::request::spec::Spec;
use crate::run::shared::slot::ClientState;
use crate::run::shared::{Layout, Phase, Shared};
use crate::service::preconditions::SLOT_WAIT_NS;
use std::time::Duration;

impl Leader {
    /// Starts the clients. The server frees the slots of workers that have just ended a moment later than they seem free.
    pub(super) fn start_clients(&mut self) {
        let deadline = clock::now() + SLOT_WAIT_NS;
        while self.end.is_none()
            && let Err(error) = self.clients.start()
        {
            if clock::now() > deadline {
                self.fail_for_want_of_slots(&error);
            }
            self.watch(WATCH_INTERVAL);
        }
    }

    /// Waits until all clients have reached the barrier; false if one did not get there, or the run was
    /// stopped meanwhile.
    pub(super) fn await_clients(&mut self) -> bool {
        while self.end.is_none() && !self.clients.all_have_reached(ClientState::Ready) {
            self.watch(WATCH_INTERVAL);
            // One of them cannot take part: the run does not begin.
            if self.clients.any_aborted() {
                self.begin_stopping();
            }
        }
        self.end.is_none() && self.clients.all_are(ClientState::Ready)
    }

    /// Lets the clients run without counting, for as long as the run asks for.
    pub(super) fn warm_up(&mut self) {
        if self.spec.warmup_s <= 0.0 {
            return;
        }
        self.reach(&Milestone::WarmingUp);
        let began = self.open(Phase::WarmingUp, None);
        let until = began + nanoseconds(self.spec.warmup_s);
        while self.end.is_none() && clock::now() < until && self.clients.some_work() {
            self.watch(Duration::from_nanos(until.saturating_sub(clock::now())));
        }
    }

    /// Opens a phase for all clients at once; returns when it began.
    pub(super) fn open(&mut self, phase: Phase, duration_s: Option<f64>) -> u64 {
        let now = clock::now();
        self.shared.set_began_at(now);
        self.shared
            .set_deadline(duration_s.map_or(u64::MAX, |s| now + nanoseconds(s)));
        self.shared.set_phase(phase);
        self.clients.wake();
        now
    }
}

/// The segment of a run, with its handle.
///
/// # Errors
/// The scripts cannot be parsed any more; there is no memory for it.
pub(super) fn segment(run_id: i64, spec: &Spec) -> Result<(Shared, u32), SqlError> {
    match (spec.parse_scripts(), serde_json::to_vec(&spec)) {
        (Ok((scripts, _)), Ok(document)) => {
            let layout = Layout {
                clients: spec.clients,
                commands: spec.work.command_count(&scripts),
                scripts: Some(spec.scripts.len())
                    .filter(|&count| count > 1)
                    .unwrap_or(0),
                spec_bytes: document.len(),
                has_log: spec.sampling_rate.is_some(),
                // Over the wire a client keeps its state itself.
                reconnects: spec.reconnect.is_some() && spec.transport.is_inside(),
            };
            make_segment(run_id, layout, &document).inspect(|(_, segment)| show(*segment))
        }
        (Err(error), _) => Err(SqlError::new("42601", &error.to_string())),
        (_, Err(error)) => Err(SqlError::new("XX000", &error.to_string())),
    }
}

/// Lets sessions find the segment. Without a lock to spare they cannot, and the run goes on.
fn show(segment: u32) {
    if let Err(error) = xact::catch(|| lock::show_segment(segment)) {
        log(&format!(
            "pgperf: the rate of a run cannot be altered: {}",
            error.message
        ));
    }
}

/// A segment of this layout, with its handle; `document`: the run, as its workers read it.
pub(super) fn make_segment(
    run_id: i64,
    layout: Layout,
    document: &[u8],
) -> Result<(Shared, u32), SqlError> {
    let words = layout.words();
    let segment = xact::catch(|| Segment::create(words)).map_err(|error| SqlError {
        message: format!(
            "could not allocate {} MB of shared memory for {} clients: {} \
             (dynamic shared memory; in a container, enlarge /dev/shm)",
            words * 8 / 1_000_000,
            layout.clients,
            error.message
        ),
        ..error
    })?;
    let leader = latch::my_proc_number();
    let shared = Shared::init(segment.words(), run_id, layout, document, leader);
    Ok((shared, segment.handle()))
}
