//! The WAL between two samples by resource manager, from the breakdowns of all samples in that time.

use crate::error::Result;
use crate::pg::sql::spi;
use pgrx::datum::DatumWithOid;
use serde::Deserialize;

/// The WAL of a resource manager, estimated for all of the range from the part that was read.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Manager {
    pub resource_manager: String,
    pub records: f64,
    /// Without full-page images.
    pub record_bytes: f64,
    pub fpi_bytes: f64,
    /// The share of the whole range that was read, of all managers.
    pub sampled_percent: f64,
}

impl Manager {
    pub fn bytes(&self) -> f64 {
        self.record_bytes + self.fpi_bytes
    }
}

/// Between two samples of a node, each its number and time: the first with most bytes. Empty if that is not known.
///
/// Each breakdown begins where the one before it ended, whoever has taken that sample: that of the first sample lies before the range.
pub fn between(node_id: &str, first: (i64, &str), last: (i64, &str)) -> Result<Vec<Manager>> {
    let args: [DatumWithOid; 5] = [
        node_id.into(),
        first.0.into(),
        first.1.into(),
        last.0.into(),
        last.1.into(),
    ];
    spi::select(BETWEEN, &args)
}

const BETWEEN: &str = "WITH ends AS MATERIALIZED (\
        SELECT h.sample_id, h.flush_lsn, COALESCE(h.rmgr_end_lsn, h.flush_lsn) AS lsn FROM pgperf.wal_history h \
        WHERE h.node_id = $1::pg_catalog.uuid \
          AND (h.sample_id = $2 AND h.taken_at = $3::pg_catalog.timestamptz OR h.sample_id = $4 AND h.taken_at = $5::pg_catalog.timestamptz)), \
     looked AS MATERIALIZED (\
        SELECT h.sample_id, h.taken_at, h.rmgr_start_lsn, h.rmgr_end_lsn, \
               (h.rmgr_end_lsn - h.rmgr_start_lsn)::pg_catalog.float8 AS bytes, h.rmgr_sampled_percent AS percent \
        FROM ends f JOIN pgperf.wal_history h ON h.rmgr_end_lsn > f.lsn \
        WHERE f.sample_id = $2 AND h.node_id = $1::pg_catalog.uuid AND h.sample_id > $2 AND h.sample_id <= $4 \
          AND h.taken_at BETWEEN $3::pg_catalog.timestamptz AND $5::pg_catalog.timestamptz), \
     known AS (SELECT pg_catalog.min(l.rmgr_start_lsn) <= (SELECT f.lsn FROM ends f WHERE f.sample_id = $2) \
                        AND pg_catalog.max(l.rmgr_end_lsn) >= (SELECT f.flush_lsn FROM ends f WHERE f.sample_id = $4) AS whole, \
                      pg_catalog.sum(l.bytes * l.percent) / NULLIF(pg_catalog.sum(l.bytes), 0) AS percent FROM looked l) \
     SELECT e.resource_manager, pg_catalog.sum(e.records)::pg_catalog.float8 AS records, \
            pg_catalog.sum(e.record_bytes)::pg_catalog.float8 AS record_bytes, pg_catalog.sum(e.fpi_bytes)::pg_catalog.float8 AS fpi_bytes, \
            k.percent AS sampled_percent \
     FROM pgperf.wal_rmgr_estimates e JOIN looked l USING (sample_id, taken_at) CROSS JOIN known k \
     WHERE e.node_id = $1::pg_catalog.uuid AND k.whole AND k.percent > 0 \
     GROUP BY e.resource_manager, k.percent \
     HAVING pg_catalog.sum(e.record_bytes + e.fpi_bytes) > 0 \
     ORDER BY pg_catalog.sum(e.record_bytes + e.fpi_bytes) DESC, e.resource_manager";
