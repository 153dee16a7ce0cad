//! The records and full-page images between two positions of the WAL, counted one by one through pg_walinspect. The server's own
//! counts come from its sessions, which report them once a second at most, and not before the end of a transaction.

use super::{REMOVED, WALINSPECT};
use crate::collect::collector::extension_schema;
use crate::collect::sample::parts::{Parts, Steps, Transactions};
use crate::error::Result;
use crate::pg::server::wal::{flush_all, lsn_text};
use crate::pg::sql::spi;
use crate::pg::sql::subxact::subtransaction;
use serde::Deserialize;
use std::time::{Duration, Instant};

/// Counting stops after this time: some 100 MB of WAL by then on a slow machine, a gigabyte on a fast one. More than this is not begun.
const TIME: Duration = Duration::from_secs(2);
const MOST_BYTES: u64 = 2 << 30;

/// So much is read in one transaction. The server keeps the list of its records meanwhile, which is about as large.
const STEP_BYTES: u64 = 16 << 20;

/// What lies between two positions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    pub records: u64,
    pub images: u64,
}

/// Of one step.
#[derive(Deserialize)]
struct StepCounts {
    records: u64,
    images: u64,
    /// Where the last record ends, which is where the next one begins.
    ends_at: Option<u64>,
}

/// Counts everything between two positions, both the end of a record. Err: why that is not known.
///
/// # Errors
/// The transactions cannot be run.
pub fn between(
    steps: &mut impl Steps,
    from: u64,
    to: u64,
) -> Result<std::result::Result<Counts, String>> {
    let parts: &mut dyn Parts = &mut Transactions(steps);
    let schema = parts.part(|| Ok(extension_schema(WALINSPECT).ok()))?;
    let Some(schema) = schema else {
        return Ok(Err(format!(
            "the extension {WALINSPECT} is not installed in this database"
        )));
    };
    if let Err(error) = flush_all() {
        return Ok(Err(error.message));
    }
    let sql = step_sql(&schema);
    let (mut counts, mut at, started) = (Counts::default(), from, Instant::now());
    while at < to {
        if started.elapsed() > TIME || to - from > MOST_BYTES {
            return Ok(Err(format!(
                "{:.0} MB of WAL are more than can be read in {} s",
                (to - from) as f64 / f64::from(1 << 20),
                TIME.as_secs()
            )));
        }
        let until = to.min(at.saturating_add(STEP_BYTES));
        let (begin, end) = (lsn_text(at), lsn_text(until));
        let step = parts.part(|| {
            let step = subtransaction(|| {
                spi::select_one::<StepCounts>(&sql, &[begin.as_str().into(), end.as_str().into()])
            });
            Ok(match step {
                Ok(step) => Some(Ok(step?)),
                Err(error) if error.sqlstate == REMOVED => {
                    Some(Err("the WAL was removed before it was read".to_owned()))
                }
                Err(error) => Some(Err(error.message)),
            })
        })?;
        match step {
            Some(Ok(Some(StepCounts {
                records,
                images,
                ends_at: Some(ends_at),
            }))) if ends_at > at => {
                counts.records += records;
                counts.images += images;
                // The last record may end with its page: behind it is only the header of the next one.
                at = if until == to { to } else { ends_at };
            }
            Some(Err(why)) => return Ok(Err(why)),
            // One record may be longer than a step.
            _ => return Ok(Err("a part of the WAL has no complete record".to_owned())),
        }
    }
    Ok(Ok(counts))
}

/// One step from $1 to $2. The references to blocks say FPW for each image.
fn step_sql(schema: &str) -> String {
    format!(
        "SELECT pg_catalog.count(*) AS records, \
                COALESCE(pg_catalog.sum(CASE WHEN r.fpi_length > 0 \
                    THEN pg_catalog.cardinality(pg_catalog.string_to_array(r.block_ref, 'FPW')) - 1 END), 0)::pg_catalog.int8 AS images, \
                (pg_catalog.max(r.end_lsn) - '0/0'::pg_catalog.pg_lsn)::pg_catalog.int8 AS ends_at \
         FROM {schema}.pg_get_wal_records_info($1::pg_catalog.pg_lsn, $2::pg_catalog.pg_lsn) r"
    )
}
