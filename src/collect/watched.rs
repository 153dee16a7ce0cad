//! Values that are observed many times between two samples.

use super::client_waits::ClientWaits;
use measure::hit_curve::{Accesses, Window};

/// Observations since the previous sample.
#[derive(Clone, Default)]
pub struct Watched {
    /// Of a run's clients.
    pub clients: ClientWaits,
    /// None: nobody follows the buffers.
    pub hit_curve: Option<Followed>,
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
