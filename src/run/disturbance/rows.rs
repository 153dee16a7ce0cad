//! What is stored about each occurrence of a disturbance: a row of `pgperf.run_disturbances`.

use crate::error::Result;
use crate::facts::store_rows;
use crate::pg::sql::spi;
use serde::Serialize;

/// What has become of an occurrence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum Status {
    #[serde(rename = "going on")]
    GoingOn,
    #[serde(rename = "done")]
    Done,
    #[serde(rename = "failed")]
    Failed,
    /// The run ended before.
    #[serde(rename = "cut off")]
    CutOff,
}

/// A row of `pgperf.run_disturbances`, without the run.
#[derive(Debug, Clone, Serialize)]
pub struct OccurrenceRow {
    pub disturbance_no: i32,
    pub occurrence_no: i32,
    pub name: String,
    pub kind: &'static str,
    pub sessions: i32,
    pub began_at: String,
    /// Seconds since the measured part began.
    pub at_s: f64,
    pub ended_at: Option<String>,
    pub duration_s: Option<f64>,
    pub status: Status,
    pub sqlstate: Option<String>,
    pub error: Option<String>,
    /// WAL that the whole server wrote meanwhile.
    pub wal_bytes: Option<i64>,
}

/// Stores rows instead of those that there are of the same occurrences.
pub fn store(node_id: &str, run_id: i64, rows: &[OccurrenceRow]) -> Result<()> {
    for row in rows {
        spi::execute(
            "DELETE FROM pgperf.run_disturbances \
              WHERE node_id = $1::pg_catalog.uuid AND run_id = $2 AND disturbance_no = $3 AND occurrence_no = $4",
            &[
                node_id.into(),
                run_id.into(),
                row.disturbance_no.into(),
                row.occurrence_no.into(),
            ],
        )?;
    }
    let rows: Vec<&OccurrenceRow> = rows.iter().collect();
    store_rows("pgperf.run_disturbances", node_id, run_id, rows)
}
