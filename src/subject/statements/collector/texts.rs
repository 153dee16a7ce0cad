//! Texts of statements.
//!
//! pg_stat_statements returns the texts of all statements or of none. Even for one text it reads its whole file of texts, and
//! writes the result into a temporary file. With long statements these are hundreds of megabytes. So texts are read only if a
//! statement has no stored text yet. With many texts they are read so rarely that on average at most [`BYTES_PER_S`] are
//! read.

use crate::collect::error::CollectorFailed;
use crate::collect::rows::{self, Row};
use crate::error::{Result, sqlstate_code};
use crate::pg::server;
use crate::pg::sql::spi;
use crate::pg::sql::subxact::subtransaction;
use serde::Deserialize;
use std::fs;

/// The file of texts, in the data directory.
const FILE: &str = "pg_stat_tmp/pgss_query_texts.stat";
/// From here on they are many.
const MANY_BYTES: u64 = 64 << 20;
const BYTES_PER_S: u64 = 1 << 20;

/// Reasons why texts cannot be read that concern nothing else: pg_stat_statements converts those of all databases, whichever are
/// requested, and fails at one that the encoding of this database cannot represent; their temporary file exceeds temp_file_limit, or
/// the disk.
const UNREADABLE: [&str; 4] = ["22P05", "22021", "53400", "53100"];

/// What has become of texts so far.
#[derive(Default, Deserialize)]
struct TextState {
    /// Whether they were read so lately that the next reading has to wait.
    were_read: bool,
    /// New statements whose texts were left for later.
    put_off: Vec<i64>,
}

fn bytes() -> u64 {
    let file = fs::metadata(server::data_directory().join(FILE));
    file.map_or(0, |file| file.len())
}

/// Whether reading them is so much work that it may have been left for later.
pub fn are_many() -> bool {
    bytes() >= MANY_BYTES
}

/// How long after a reading of so many the next one has to wait.
fn pause_s(bytes: u64) -> u64 {
    match bytes < MANY_BYTES {
        true => 0,
        false => bytes / BYTES_PER_S,
    }
}

/// The texts of statements that have none yet, or why they are not read.
pub fn read(schema: &str, node: &str, unknown: Vec<i64>) -> Result<(Vec<Row>, Option<String>)> {
    let (bytes, mut ids) = (bytes(), unknown);
    let pause = pause_s(bytes);
    if pause > 0 {
        let state = spi::select_one::<TextState>(STATE, &[node.into(), (pause as i64).into()])?;
        let state = state.unwrap_or_default();
        if state.were_read {
            let waits = (!ids.is_empty()).then(|| {
                format!(
                    "texts of {} statements will follow: pg_stat_statements would read all of its {} MB again",
                    ids.len(),
                    bytes >> 20
                )
            });
            return Ok((Vec::new(), waits));
        }
        ids.extend(state.put_off);
    }
    if ids.is_empty() {
        return Ok((Vec::new(), None));
    }
    let read = || rows::select(&texts_sql(schema), &[node.into(), ids.into()]);
    match subtransaction(read) {
        Ok(texts) => Ok((texts?, None)),
        Err(error) if UNREADABLE.contains(&error.sqlstate.as_str()) => {
            let reason = format!("no texts of statements: {}", error.message);
            Ok((Vec::new(), Some(reason)))
        }
        Err(error) => Err(CollectorFailed {
            collector: super::COLLECTOR.name,
            sqlstate: sqlstate_code(&error.sqlstate),
            reason: error.message,
        }
        .into()),
    }
}

/// A [`TextState`]. $1: the node; $2: the pause, in seconds. Texts have the time of the sample that read them. One that is put off belongs to a
/// statement that was new an hour ago at most, unless that is called again.
const STATE: &str = "SELECT COALESCE(r.last_at > pg_catalog.clock_timestamp() - pg_catalog.make_interval(secs => $2), false) AS were_read, \
        ARRAY(SELECT DISTINCT h.queryid FROM pgperf.statement_history h \
               WHERE h.node_id = $1::pg_catalog.uuid AND h.queryid <> 0 AND h.before_sample_id IS NULL \
                 AND h.taken_at > pg_catalog.clock_timestamp() - pg_catalog.make_interval(hours => 1, secs => $2) \
                 AND NOT EXISTS (SELECT FROM pgperf.statement_texts t \
                                  WHERE t.node_id = h.node_id AND t.queryid = h.queryid AND t.dbid = h.dbid)) AS put_off \
     FROM (SELECT pg_catalog.max(t.taken_at) AS last_at FROM pgperf.statement_texts t WHERE t.node_id = $1::pg_catalog.uuid) r";

/// The texts of statements. $1: the node; $2: their ids. (Joined: ANY looks through the list for each statement.)
fn texts_sql(schema: &str) -> String {
    format!(
        "SELECT DISTINCT ON (n.queryid, n.dbid) n.queryid, n.dbid, pg_catalog.left(n.query, 10000) AS query \
         FROM pg_catalog.unnest($2) k (queryid) JOIN {schema}.pg_stat_statements(true) n ON n.queryid = k.queryid \
         WHERE NOT EXISTS (SELECT FROM pgperf.statement_texts t WHERE t.node_id = $1::pg_catalog.uuid \
                             AND t.queryid = n.queryid AND t.dbid = n.dbid) \
         ORDER BY n.queryid, n.dbid"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pause_between_two_readings_grows_with_the_texts() {
        assert_eq!(pause_s(0), 0);
        assert_eq!(pause_s(MANY_BYTES - 1), 0);
        assert_eq!(pause_s(MANY_BYTES), 64);
        assert_eq!(pause_s(400 << 20), 400);
    }
}
