//! Values that are observed many times between two samples.

use super::client_waits::ClientWaits;
use super::lock_queues::LockQueues;
use super::session_looks::SessionLooks;
use crate::pg::server::{self, sessions};
use measure::hit_curve::{Accesses, Window};
use std::collections::HashSet;

/// Observations since the previous sample.
#[derive(Clone, Default)]
pub struct Watched {
    /// Of a run's clients.
    pub clients: ClientWaits,
    /// None: nobody looks at the sessions.
    pub sessions: Option<WatchedSessions>,
    /// None: nobody follows the buffers.
    pub hit_curve: Option<Followed>,
}

/// The server's sessions, and who waited for whose lock.
#[derive(Clone, Default)]
pub struct WatchedSessions {
    pub looks: SessionLooks,
    pub queues: LockQueues,
    /// Those that waited for a lock at the last look, with the start of their statement.
    waiting: HashSet<(i32, i64)>,
}

/// What was seen of the buffers since the previous sample, or over a run.
#[derive(Clone)]
pub struct Followed {
    pub window: Window,
    pub accesses: Accesses,
    /// How long it was followed.
    pub seconds: f64,
    /// The time on a CPU that the looks took.
    pub looks_ms: f64,
}

impl WatchedSessions {
    /// One look at all sessions. Returns whether any of them waits for a lock as it did at the last look: then somebody has to look at
    /// [`WatchedSessions::queues`], too, in a transaction. Waits are many and short under load.
    pub fn look(&mut self) -> bool {
        let sessions = sessions::read();
        self.looks.look(&sessions, server::timestamp_now());
        let waiting: HashSet<_> = (sessions.iter())
            .filter(|session| sessions::waits_for_lock(session.event))
            .map(|session| (session.pid, session.statement_at))
            .collect();
        let any_still = !waiting.is_disjoint(&self.waiting);
        self.waiting = waiting;
        any_still
    }

    /// What was seen since the last call.
    pub fn take(&mut self) -> WatchedSessions {
        let waiting = self.waiting.clone();
        std::mem::replace(
            self,
            WatchedSessions {
                waiting,
                ..WatchedSessions::default()
            },
        )
    }

    /// Whether any session waited for a lock at the last look.
    pub fn any_waits(&self) -> bool {
        !self.waiting.is_empty()
    }
}
