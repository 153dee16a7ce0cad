//! The samples of a run, condensed: the last sample of each stretch of time represents it. Counters are cumulative, so
//! nothing between two of them is lost; figures that are not cumulative are summed over at most [`LOOKED_AT`] samples.
//!
//! These samples are looked up one by one in each history table, by its index. So the time for that does not depend on the
//! duration of the run.

use super::{Key, SAMPLES};
use crate::error::Result;
use crate::pg::sql::spi;
use pgrx::datum::DatumWithOid;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// The most samples that are read for figures that have to be summed.
const LOOKED_AT: i64 = 2_000;

/// The samples that stand for the stretches of a run, in their order.
pub struct Samples {
    node_id: String,
    run_id: i64,
    since: String,
    /// The first, from which differences count, and the last of each stretch.
    pub stretches: Vec<Stretch>,
    /// None: all of the run's samples.
    looked_at: Option<Vec<i64>>,
}

/// A stretch of time that ends with a sample, and what its samples cost.
#[derive(Debug, Clone, Deserialize)]
pub struct Stretch {
    pub sample_id: i64,
    pub taken_at: String,
    pub at_s: f64,
    pub samples: i64,
    pub elapsed_ms: f64,
    pub cpu_ms: Option<f64>,
    pub rows: i64,
    pub pages: i64,
    pub wal_bytes: i64,
}

/// A row of a history table with the moment of its sample.
#[derive(Debug, Clone, Deserialize)]
pub struct At<T> {
    /// Seconds since the measured part began.
    pub at_s: f64,
    pub epoch: i64,
    #[serde(flatten)]
    pub row: T,
}

/// A stretch between two samples.
#[derive(Debug, Clone, Copy, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Between {
    /// Seconds since the measured part began; below 0: before it.
    pub at_s: f64,
    pub seconds: f64,
}

impl Between {
    /// From one row to the next.
    pub fn of<T>(before: &At<T>, after: &At<T>) -> Between {
        Between {
            at_s: before.at_s,
            seconds: after.at_s - before.at_s,
        }
    }
}

/// Each row with the next one.
pub fn neighbours<T>(rows: &[T]) -> impl Iterator<Item = (&T, &T)> {
    rows.iter().zip(rows.iter().skip(1))
}

/// Increase of a counter per second; None: it is not known, or began again.
pub fn rate(before: Option<i64>, after: Option<i64>, seconds: f64) -> Option<f64> {
    let rise = after? - before?;
    (rise >= 0 && seconds > 0.0).then(|| rise as f64 / seconds)
}

/// The samples of a run; None: it took none.
pub fn load(key: &Key, since: &str) -> Result<Option<Samples>> {
    #[derive(Deserialize)]
    struct Extent {
        first: Option<i64>,
        samples: i64,
        seconds: Option<f64>,
    }
    let extent: Option<Extent> = spi::select_one(
        "SELECT pg_catalog.min(s.sample_id) AS first, pg_catalog.count(*) AS samples, \
         EXTRACT(epoch FROM pg_catalog.max(s.taken_at) - pg_catalog.min(s.taken_at))::pg_catalog.float8 AS seconds \
         FROM pgperf.samples s WHERE s.node_id = $1::pg_catalog.uuid AND s.run_id = $2",
        &[key.node_id.into(), key.run_id.into()],
    )?;
    let Some(Extent {
        first: Some(first),
        samples,
        seconds,
    }) = extent
    else {
        return Ok(None);
    };
    // 0: each sample for itself.
    let width = |most: i64| {
        if samples <= most {
            0.0
        } else {
            seconds.unwrap_or(0.0) / most as f64
        }
    };
    let stretches = spi::select(
        &in_stretches(
            "pg_catalog.max(s.sample_id) AS sample_id, pg_catalog.max(s.taken_at) AS taken_at, \
             EXTRACT(epoch FROM pg_catalog.max(s.taken_at) - $5::pg_catalog.timestamptz)::pg_catalog.float8 AS at_s, \
             pg_catalog.count(*) AS samples, pg_catalog.sum(s.elapsed_ms) AS elapsed_ms, \
             CASE WHEN pg_catalog.count(*) = pg_catalog.count(s.cpu_ms) THEN pg_catalog.sum(s.cpu_ms) END AS cpu_ms, \
             pg_catalog.sum(s.rows)::pg_catalog.int8 AS rows, pg_catalog.sum(s.pages)::pg_catalog.int8 AS pages, \
             pg_catalog.sum(s.wal_bytes)::pg_catalog.int8 AS wal_bytes",
        ),
        &[
            key.node_id.into(),
            key.run_id.into(),
            first.into(),
            width(SAMPLES).into(),
            since.into(),
        ],
    )?;
    #[derive(Deserialize)]
    struct Chosen {
        sample_id: i64,
    }
    let looked_at = if samples > LOOKED_AT {
        let chosen: Vec<Chosen> = spi::select(
            &in_stretches("pg_catalog.max(s.sample_id) AS sample_id, $5::pg_catalog.text AS since"),
            &[
                key.node_id.into(),
                key.run_id.into(),
                first.into(),
                width(LOOKED_AT).into(),
                since.into(),
            ],
        )?;
        Some(chosen.into_iter().map(|chosen| chosen.sample_id).collect())
    } else {
        None
    };
    Ok(Some(Samples {
        node_id: key.node_id.to_owned(),
        run_id: key.run_id,
        since: since.to_owned(),
        stretches,
        looked_at,
    }))
}

/// The first sample is a stretch of its own: it was taken before the load began.
fn in_stretches(columns: &str) -> String {
    format!(
        "SELECT {columns} FROM pgperf.samples s WHERE s.node_id = $1::pg_catalog.uuid AND s.run_id = $2 \
         GROUP BY CASE WHEN s.sample_id = $3 THEN -1 WHEN $4 = 0 THEN s.sample_id \
                       ELSE pg_catalog.floor(EXTRACT(epoch FROM s.taken_at)::pg_catalog.float8 / $4) END \
         ORDER BY 1"
    )
}

impl Samples {
    pub fn node_id(&self) -> &str {
        &self.node_id
    }

    /// The rows of a table for the last sample of each stretch in which its collector took part. `columns` of it as
    /// `h`, with what follows `WHERE` in `filter`, which may end with GROUP BY; all are pgperf's own text.
    pub fn rows<T: DeserializeOwned>(
        &self,
        table: &str,
        columns: &str,
        filter: &str,
    ) -> Result<Vec<At<T>>> {
        let ids: Vec<i64> = self.stretches.iter().map(|s| s.sample_id).collect();
        let moments: Vec<&str> = self.stretches.iter().map(|s| s.taken_at.as_str()).collect();
        // The times let the server pass over the partitions of other days.
        let sql = format!(
            "WITH stretches AS MATERIALIZED ( \
               SELECT g.n, g.sample_id, pg_catalog.lag(g.sample_id) OVER w AS before_id, \
                      g.taken_at::pg_catalog.timestamptz AS taken_at, \
                      pg_catalog.lag(g.taken_at::pg_catalog.timestamptz) OVER w AS before_at \
               FROM ROWS FROM (pg_catalog.unnest($3::pg_catalog.int8[]), pg_catalog.unnest($4::pg_catalog.text[])) \
                    WITH ORDINALITY g(sample_id, taken_at, n) WINDOW w AS (ORDER BY g.n)), \
             chosen AS MATERIALIZED ( \
               SELECT g.n, x.sample_id, x.taken_at FROM stretches g CROSS JOIN LATERAL ( \
                 SELECT h.sample_id, h.taken_at FROM pgperf.{table} h \
                 WHERE h.node_id = $1::pg_catalog.uuid AND h.sample_id <= g.sample_id \
                   AND h.sample_id > COALESCE(g.before_id, g.sample_id - 1) AND h.run_id = $2 \
                   AND h.taken_at <= g.taken_at AND h.taken_at >= COALESCE(g.before_at, g.taken_at) \
                 ORDER BY h.sample_id DESC LIMIT 1) x) \
             SELECT EXTRACT(epoch FROM h.taken_at - $5::pg_catalog.timestamptz)::pg_catalog.float8 AS at_s, \
                    c.n, s.epoch, {columns} \
             FROM chosen c \
             JOIN pgperf.{table} h ON h.node_id = $1::pg_catalog.uuid AND h.sample_id = c.sample_id AND h.taken_at = c.taken_at \
             JOIN pgperf.samples s ON s.node_id = h.node_id AND s.sample_id = c.sample_id AND s.taken_at = c.taken_at \
             WHERE {filter} ORDER BY c.n"
        );
        spi::select(
            &sql,
            &[
                self.node_id.as_str().into(),
                self.run_id.into(),
                ids.into(),
                moments.into(),
                self.since.as_str().into(),
            ],
        )
    }

    /// A query over the run's rows of a history table `h`, all of them or those of the evaluated samples;
    /// `{run}` in `sql` is the condition. $1 and $2 are the run, $3 those samples, $4 when the measured part began.
    pub fn over_all<T: DeserializeOwned>(&self, sql: &str) -> Result<Vec<T>> {
        let condition = match self.looked_at {
            Some(_) => {
                "h.node_id = $1::pg_catalog.uuid AND h.run_id = $2 AND h.sample_id = ANY ($3)"
            }
            None => {
                "h.node_id = $1::pg_catalog.uuid AND h.run_id = $2 AND $3::pg_catalog.int8[] IS NULL"
            }
        };
        let (first, last) = (self.stretches.first(), self.stretches.last());
        let moment = |stretch: Option<&Stretch>| stretch.map(|s| s.taken_at.clone());
        let condition = format!(
            "{condition} AND h.taken_at BETWEEN $5::pg_catalog.timestamptz AND $6::pg_catalog.timestamptz"
        );
        let args: [DatumWithOid; 6] = [
            self.node_id.as_str().into(),
            self.run_id.into(),
            self.looked_at.clone().into(),
            self.since.as_str().into(),
            moment(first).into(),
            moment(last).into(),
        ];
        // $4 is mentioned, so that its type is known whether or not the query uses it.
        let condition = format!("{condition} AND $4::pg_catalog.timestamptz IS NOT NULL");
        spi::select(&sql.replace("{run}", &condition), &args)
    }

    /// A query over one sample: $1 is the node, $2 the sample.
    pub fn of_sample<T: DeserializeOwned>(&self, sample_id: i64, sql: &str) -> Result<Vec<T>> {
        spi::select(sql, &[self.node_id.as_str().into(), sample_id.into()])
    }

    /// The share of the run's samples that [`over_all`](Self::over_all) looks at.
    pub fn looked_at_share(&self) -> f64 {
        let all: i64 = self.stretches.iter().map(|s| s.samples).sum();
        self.looked_at
            .as_ref()
            .map_or(1.0, |looked_at| looked_at.len() as f64 / all.max(1) as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::rate;

    #[test]
    fn a_counter_that_began_again_has_no_rate() {
        assert_eq!(rate(Some(10), Some(30), 2.0), Some(10.0));
        assert_eq!(rate(Some(30), Some(10), 2.0), None);
        assert_eq!(rate(None, Some(10), 2.0), None);
        assert_eq!(rate(Some(1), Some(2), 0.0), None);
    }
}
