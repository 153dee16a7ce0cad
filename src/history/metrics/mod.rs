//! `pgperf.metrics`: the newest samples and the live runs in the OpenMetrics text format.
//!
//! [`table`] is the table of all metrics, each source with its SQL; [`exposition`] is the format.
//!
//! The result is one text and not a row for each line: PostgREST and other gateways serve a scalar as it is, and `psql -At`
//! writes the same file either way.

mod exposition;
mod table;

use crate::catalog::node;
use crate::error::{Result, invalid};
use crate::pg::catalog::role::with_settings;
use crate::pg::sql::spi;
use crate::pg::sql::text::Text;
use exposition::Exposition;
use pgrx::datum::Uuid;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;
use serde::Deserialize;
use serde_json::{Map, Value};
use table::sources;

/// `pgperf.metrics(node_id uuid)`, with the caller's rights on the history.
#[pg_extern(sql = false)]
fn metrics(node_id: Option<Uuid>) -> std::result::Result<Text, ErrorReport> {
    let node = match node_id {
        Some(given) => Some(existing(&given.to_string())?),
        None => node::known()?,
    };
    Ok(with_settings(|| exposed(node.as_deref()))?.into())
}

/// The metrics of a node; of a database that has none yet, a text without metrics.
fn exposed(node: Option<&str>) -> Result<String> {
    let mut text = Exposition::default();
    if let Some(node) = node {
        for source in sources() {
            let rows: Vec<Map<String, Value>> = spi::select(source.sql, &[node.into()])?;
            text.add(source, &rows);
        }
    }
    Ok(text.finish())
}

/// # Errors
/// There is no such node: 22023.
fn existing(node: &str) -> Result<String> {
    #[derive(Deserialize)]
    struct StoredNode {
        node_id: String,
    }
    let found: Option<StoredNode> = with_settings(|| {
        spi::select_one(
            "SELECT n.node_id FROM pgperf.nodes n WHERE n.node_id = $1::pg_catalog.uuid",
            &[node.into()],
        )
    })?;
    found.map(|found| found.node_id).ok_or_else(|| {
        invalid(format!("there is no node {node}"))
            .hinting("SELECT node_id, name FROM pgperf.nodes lists the nodes.")
    })
}
