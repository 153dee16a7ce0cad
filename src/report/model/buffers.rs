//! What shared_buffers held.

use super::samples::Samples;
use crate::error::Result;
use serde::{Deserialize, Serialize};

/// The highest usage count of a buffer.
const MOST_USED: usize = 5;
/// The contents of shared_buffers, over time and at the end.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Buffers {
    /// Bytes of a buffer.
    pub block_size: i64,
    pub samples: Vec<Usage>,
    /// The relations with the most buffers in the last sample.
    pub relations: Vec<RelationBuffers>,
}

/// How many buffers had each usage count.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Usage {
    /// Seconds since the measured part began.
    pub at_s: f64,
    /// By usage count, 0 to 5.
    pub by_usage_count: [i64; MOST_USED + 1],
    /// Buffers that held no page.
    pub unused: i64,
    pub dirty: i64,
}

/// The buffers of a relation, all its forks together.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RelationBuffers {
    pub schema_name: Option<String>,
    /// Null: of another database, or not known.
    pub relation_name: Option<String>,
    pub buffers: i64,
    pub dirty: i64,
    /// Mean usage count.
    pub usage_count: f64,
}

pub fn load(samples: &Samples) -> Result<Option<Buffers>> {
    #[derive(Deserialize)]
    struct Row {
        sample_id: i64,
        usage_count: Option<usize>,
        buffers: i64,
        dirty: i64,
    }
    let rows = samples.rows::<Row>(
        "buffer_usage_history",
        "h.sample_id, h.usage_count, pg_catalog.sum(h.buffers)::pg_catalog.int8 AS buffers, pg_catalog.sum(h.dirty)::pg_catalog.int8 AS dirty",
        "true GROUP BY c.n, s.epoch, h.taken_at, h.sample_id, h.usage_count",
    )?;
    let Some(last) = rows.last().map(|row| row.row.sample_id) else {
        return Ok(None);
    };
    let usage = rows
        .chunk_by(|a, b| a.row.sample_id == b.row.sample_id)
        .map(|rows| {
            let mut usage = Usage {
                at_s: rows.first().map_or(0.0, |row| row.at_s),
                by_usage_count: [0; MOST_USED + 1],
                unused: 0,
                dirty: 0,
            };
            for row in rows.iter().map(|at| &at.row) {
                let counted = row
                    .usage_count
                    .map(|count| &mut usage.by_usage_count[count.min(MOST_USED)]);
                *counted.unwrap_or(&mut usage.unused) += row.buffers;
                usage.dirty += row.dirty;
            }
            usage
        })
        .collect();
    Ok(Some(Buffers {
        block_size: i64::from(pgrx::pg_sys::BLCKSZ),
        samples: usage,
        relations: samples.of_sample(
            last,
            "SELECT h.schema_name, h.relation_name, pg_catalog.sum(h.buffers)::pg_catalog.int8 AS buffers, \
                    pg_catalog.sum(h.dirty)::pg_catalog.int8 AS dirty, \
                    (pg_catalog.sum(h.buffers * h.usage_count) / pg_catalog.sum(h.buffers))::pg_catalog.float8 AS usage_count \
             FROM pgperf.buffer_usage_history h \
             WHERE h.node_id = $1::pg_catalog.uuid AND h.sample_id = $2 AND h.usage_count IS NOT NULL \
             GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2 LIMIT 12",
        )?,
    }))
}
