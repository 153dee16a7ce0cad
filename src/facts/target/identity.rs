//! What tells the targets of a run on several apart.

use crate::error::Result;
use crate::target::control::Control;
use serde::{Deserialize, Serialize};

/// A target when the load begins; None: not known.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Identity {
    pub server_version: Option<String>,
    /// Whether it is a standby.
    pub in_recovery: Option<bool>,
}

/// # Errors
/// Those of the connection.
pub fn read(control: &mut Control) -> Result<Identity> {
    control.select_one(
        "SELECT current_setting('server_version') AS server_version, pg_is_in_recovery() AS in_recovery",
    )
}
