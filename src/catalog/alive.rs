//! Whether the run or sweep of a worker is still alive.

use crate::error::Result;
use crate::pg::catalog::role;
use crate::pg::server;
use crate::pg::sql::{spi, xact};
use serde::Deserialize;

/// Whether the run or sweep of a worker is alive, or has ended since the caller's snapshot, taken a moment ago, which
/// does not show it as ended. `ended` asks the latest state for that.
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
