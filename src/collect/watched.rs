//! Values that are observed many times between two samples.

use super::client_waits::ClientWaits;
use super::hit_curve::Followed;

/// Observations since the previous sample.
#[derive(Clone, Default)]
pub struct Watched {
    /// Of a run's clients.
    pub clients: ClientWaits,
    /// None: nobody follows the buffers.
    pub hit_curve: Option<Followed>,
}
