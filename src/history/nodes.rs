//! The nodes whose samples are stored here.

use crate::error::Result;
use crate::pg::sql::spi;
use crate::show::span::{Span, moment};
use serde::Deserialize;

/// In place of the name of a node: all that have samples.
pub const ALL: &str = "*";

/// A node that has samples.
#[derive(Deserialize)]
pub struct SampledNode {
    pub node_id: String,
    pub name: String,
    pub group_name: Option<String>,
    /// When the last one before the end of the window was taken.
    pub last_at: String,
    /// Whether the window has any.
    pub has_samples: bool,
    /// Whether the day before the window has any, or the window.
    pub is_missed: bool,
}

/// The nodes that have samples before the end of a window, of one group or of all, by name.
///
/// # Errors
/// Those of SQL.
pub fn sampled(span: &Span, group_name: Option<&str>) -> Result<Vec<SampledNode>> {
    spi::select(
        include_str!("nodes.sql"),
        &[
            moment(&span.from)?.into(),
            moment(&span.to)?.into(),
            group_name.into(),
        ],
    )
}
