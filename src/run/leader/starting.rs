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

/// How long before a start at a given moment the run's row says that it runs: no transaction of ours in the clients' first moments.
const STORED_BEFORE_NS: u64 = 200_000_000;
/// How much later it may begin.
const LATE_NS: u64 = 100_000_000;

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

    /// Lets the clients, which are ready, wait until a little before the moment that was given for their start.
    pub(super) fn await_start(&mut self) {
        let moment = |leader: &Leader| leader.start_moment(0.0);
        if moment(self).is_none() || !self.is_in_time(0.0) {
            return;
        }
        self.reach(&Milestone::Ready);
        while self.end.is_none()
            && let Some(at) = moment(self)
        {
            let left = at.saturating_sub(clock::now() + STORED_BEFORE_NS);
            if left == 0 {
                return;
            }
            self.watch(Duration::from_nanos(left));
        }
    }

    /// Waits for the moment so many seconds after the start that was given, if one was; fails if it has passed.
    pub(super) fn await_moment(&mut self, later_s: f64) {
        if self.end.is_some() || !self.is_in_time(later_s) {
            return;
        }
        if let Some(at) = self.start_moment(later_s) {
            let left = at.saturating_sub(clock::now()).min(STORED_BEFORE_NS);
            latch::wait_precisely(Duration::from_nanos(left));
        }
    }

    /// That moment, on the monotonic clock; None: the clients begin as soon as they are ready.
    fn start_moment(&self, later_s: f64) -> Option<u64> {
        let first_segment = self.spec.segment == 0;
        let start_at = self.spec.start_at.as_ref().filter(|_| first_segment);
        start_at.map(|start_at| start_at.monotonic(later_s))
    }

    fn is_in_time(&mut self, later_s: f64) -> bool {
        let late = |at| clock::now().saturating_sub(at);
        let late_ns = self.start_moment(later_s).map_or(0, late);
        if late_ns <= LATE_NS {
            return true;
        }
        self.fail(
            "55000",
            format!(
                "the run was not ready at start_at: it would have begun {:.1} s later",
                late_ns as f64 / 1e9
            ),
        );
        false
    }

    /// Lets the clients run without counting, for as long as the run asks for.
    pub(super) fn warm_up(&mut self) {
        if self.spec.warmup_s <= 0.0 {
            return;
        }
        self.reach(&Milestone::WarmingUp);
        self.await_moment(0.0);
        let began = self.open(Phase::WarmingUp, None);
        let until = match self.start_moment(self.spec.warmup_s) {
            Some(at) => at.saturating_sub(STORED_BEFORE_NS),
            None => began + nanoseconds(self.spec.warmup_s),
        };
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
