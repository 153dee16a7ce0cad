//! What shared_buffers held.

use super::samples::rows;
use crate::error::Result;
use crate::show::span::samples::Samples;
use crate::subject::buffers::SECTION;
use serde::{Deserialize, Serialize};

/// Relations in the document.
const RELATIONS: usize = 12;

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
    pub by_usage_count: [i64; 6],
    /// Buffers that held no page.
    pub unused: i64,
    pub dirty: i64,
}

/// The buffers of a relation, all its forks together.
#[derive(Debug, Clone, Serialize)]
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

/// A point of the section's chart: bytes.
#[derive(Deserialize)]
struct UsagePoint {
    at_s: f64,
    count_0: Option<i64>,
    count_1: Option<i64>,
    count_2: Option<i64>,
    count_3: Option<i64>,
    count_4: Option<i64>,
    count_5: Option<i64>,
    unused: Option<i64>,
    dirty: Option<i64>,
}

/// A row of the section's table.
#[derive(Deserialize)]
struct Held {
    schema_name: Option<String>,
    relation_name: Option<String>,
    buffers: i64,
    dirty: i64,
    /// None: unused buffers.
    usage: Option<f64>,
}

pub fn load(samples: &Samples) -> Result<Option<Buffers>> {
    let points: Vec<UsagePoint> = rows(samples, &SECTION, "usage")?;
    if points.is_empty() {
        return Ok(None);
    }
    let block_size = i64::from(pgrx::pg_sys::BLCKSZ);
    let buffers = |bytes: Option<i64>| bytes.unwrap_or(0) / block_size;
    let held: Vec<Held> = rows(samples, &SECTION, "relations")?;
    let used = held.into_iter().filter_map(|held| {
        Some(RelationBuffers {
            usage_count: held.usage?,
            schema_name: held.schema_name,
            relation_name: held.relation_name,
            buffers: held.buffers,
            dirty: held.dirty,
        })
    });
    Ok(Some(Buffers {
        block_size,
        samples: (points.into_iter())
            .map(|point| Usage {
                at_s: point.at_s,
                by_usage_count: [
                    point.count_0,
                    point.count_1,
                    point.count_2,
                    point.count_3,
                    point.count_4,
                    point.count_5,
                ]
                .map(buffers),
                unused: buffers(point.unused),
                dirty: buffers(point.dirty),
            })
            .collect(),
        relations: used.take(RELATIONS).collect(),
    }))
}
