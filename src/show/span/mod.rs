//! A time span of a node, and the data read for it.
//!
//! [`samples`]: the samples that represent it; [`shared`]: results that several statements share; [`ahead`]: statements
//! executed by several processes; [`sources`]: the reasons for missing data.

pub mod ahead;
pub mod samples;
pub mod shared;
pub mod sources;

use crate::catalog::node;
use crate::error::{Error, Result};
use pgrx::datum::{DatumWithOid, TimestampWithTimeZone};
use serde::{Deserialize, Serialize};
use std::str::FromStr;

/// A stretch of a node's time. It holds the samples taken after its start, up to its end. Counters begin at the last sample before it, unless
/// that is too far back (see [`samples`]).
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Span {
    /// uuid of the node whose history it is.
    pub node_id: String,
    /// Samples after this moment belong to it.
    pub from: String,
    /// Samples up to this moment belong to it.
    pub to: String,
    /// Its length.
    pub seconds: f64,
    /// Whether it is this server's own history.
    pub local: bool,
}

impl Span {
    /// The first arguments of every statement of a section, a panel or a rule: $1 the node, $2 and $3 the ends. As texts they would be
    /// read again for each row that is compared with them.
    pub fn key(&self) -> Result<Vec<DatumWithOid<'static>>> {
        Ok(vec![
            node::uuid(&self.node_id)?.into(),
            moment(&self.from)?.into(),
            moment(&self.to)?.into(),
        ])
    }
}

/// A moment as the server wrote it.
fn moment(text: &str) -> Result<TimestampWithTimeZone> {
    TimestampWithTimeZone::from_str(text).map_err(|error| Error::InvalidArgument {
        message: format!("{text}: {error}"),
        hint: None,
    })
}
