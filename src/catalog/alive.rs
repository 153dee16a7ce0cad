//! Whether what a worker leads, a run or a sweep, still goes on.

use crate::error::Result;
use crate::pg::catalog::role;
use crate::pg::server;
use crate::pg::sql::{spi, xact};
use serde::Deserialize;

/// Whether what a worker leads goes on, or has ended since the caller's snapshot, which does not show it as ended,
/// was taken a moment before. `ended` asks the latest state for that.
pub fn lives_or_ended(lives: bool, ended: &str, node_id: &str, id: i64) -> Result<bool> {
    #[derive(Deserialize)]
    struct Ended {
        ended: bool,
    }
    if lives || server::in_recovery() {
        return Ok(true);
    }
    let latest: Option<Ended> = xact::with_latest_snapshot(|| {
        role::as_owner(|| spi::select_one(ended, &[node_id.into(), id.into()]))
    })?;
    Ok(latest.is_some_and(|latest| latest.ended))
}
