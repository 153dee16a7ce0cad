//! The samples of each collector that represent a window. The window is divided into at most [`POINTS`] stretches of equal
//! length. The last sample of each stretch is taken, and the first and the last one of every epoch.
//!
//! Counters are cumulative, so nothing between two of these samples is lost, however long the window is: within an epoch, the
//! differences of neighbours have the same sum as those of all samples. The first sample may be from before the window, as
//! the start of the counters. If it is too old, it would add too much from before, and is left out. The limit is the length
//! of the window, but at least a quarter of an hour and at most a day.

use super::Span;
use super::placeholders::FEW;
use super::shared::Known;
use crate::error::Result;
use crate::pg::sql::spi;
use crate::pg::sql::text::Json;
use pgrx::datum::DatumWithOid;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// Stretches of time that a window is cut into, at most.
pub const POINTS: i64 = 180;
/// The same for small charts, several of which share the width of a page.
const FEW_POINTS: i64 = 60;

/// The samples of a span.
#[derive(Serialize, Deserialize)]
pub struct Samples {
    pub span: Span,
    pub count: i64,
    pub first_at: Option<String>,
    pub last_at: Option<String>,
    /// The number of the last one; 0: there is none.
    pub last_id: i64,
    /// Samples before which the server's counters may have begun again: a restart, a crash, a reset of statistics.
    pub restarts: Vec<String>,
    by_collector: HashMap<String, Vec<Sample>>,
    /// The database with the figures of the server, where the sampler only visits this one.
    pub home: Option<String>,
    /// What was read of the window already.
    #[serde(skip)]
    pub known: Known,
}

/// A sample that stands for a stretch of time: the columns of `{samples}` in a section's SQL.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    pub sample_id: i64,
    pub taken_at: String,
    /// The collector's sample before it in the same epoch: None, there is no difference.
    pub before_id: Option<i64>,
    pub before_at: Option<String>,
    /// When it was taken: seconds since the window began, below 0 before it.
    pub at_s: f64,
    /// Where the stretch since the sample before it begins within the window.
    pub since_s: f64,
    /// The length of that stretch, also where it began before the window.
    pub seconds: Option<f64>,
    /// How many of the window's samples it stands for, this one among them; 0: it is not in the window.
    pub samples: i64,
}

/// One row for each collector, stretch and epoch, of whole samples.
const CHOSEN: &str = "SELECT t.collector, t.epoch, pg_catalog.sum(t.samples)::pg_catalog.int8 AS samples, \
        pg_catalog.min(t.first_id) AS first_id, pg_catalog.max(t.last_id) AS last_id, \
        pg_catalog.min(t.first_at) AS first_at, pg_catalog.max(t.last_at) AS last_at, t.stretch >= 0 AS inside, \
        EXTRACT(epoch FROM pg_catalog.min(t.first_at) - $2::pg_catalog.timestamptz)::pg_catalog.float8 AS first_s, \
        EXTRACT(epoch FROM pg_catalog.max(t.last_at) - $2::pg_catalog.timestamptz)::pg_catalog.float8 AS last_s \
    FROM {outcomes} t \
    WHERE t.complete AND t.trouble IS NULL \
    GROUP BY t.collector, t.stretch, t.epoch ORDER BY t.collector, pg_catalog.max(t.last_id)";

#[derive(Debug, Clone, Deserialize)]
struct Stretch {
    /// None: whatever was sampled.
    collector: Option<String>,
    epoch: i64,
    samples: i64,
    first_id: i64,
    last_id: i64,
    first_at: String,
    last_at: String,
    inside: bool,
    first_s: f64,
    last_s: f64,
}

/// The home of the sampler at the end of the window. $4: the sample from which on it is looked for.
const HOME: &str = "SELECT h.home FROM pgperf.samples h \
    WHERE h.node_id = $1::pg_catalog.uuid AND h.taken_at > $2::pg_catalog.timestamptz AND h.taken_at <= $3::pg_catalog.timestamptz \
      AND h.sample_id > $4 AND h.cadence IS NOT NULL AND h.run_id IS NULL \
    ORDER BY h.sample_id DESC LIMIT 1";
/// It is looked for among so many of the newest samples: others may have been taken on demand since.
const RECENT: i64 = 1_000;

/// The last of each stretch among [`FEW_POINTS`], and the first of each epoch. `seconds`: the length of the window.
fn few(samples: &[Sample], seconds: f64) -> Vec<Sample> {
    let stretch = |sample: &Sample| (FEW_POINTS as f64 * sample.at_s / seconds).floor();
    let mut few: Vec<Sample> = Vec::new();
    for sample in samples {
        let mut sample = sample.clone();
        let is_same = |last: &mut Sample| {
            sample.before_id.is_some()
                && last.before_id.is_some()
                && stretch(last) == stretch(&sample)
        };
        if let Some(last) = few.pop_if(is_same) {
            sample.seconds = last.seconds.zip(sample.seconds).map(|(a, b)| a + b);
            sample.samples += last.samples;
            sample.since_s = last.since_s;
            (sample.before_id, sample.before_at) = (last.before_id, last.before_at);
        }
        few.push(sample);
    }
    few
}

/// Reads the samples of a span.
pub fn load(span: Span) -> Result<Samples> {
    let mut samples = Samples::unread(span);
    let rows: Vec<Stretch> = samples.select(CHOSEN, None)?;
    let mut by_collector: HashMap<String, Vec<Stretch>> = HashMap::new();
    let mut epoch = None;
    for row in rows {
        match &row.collector {
            Some(collector) => by_collector.entry(collector.clone()).or_default().push(row),
            None => {
                if epoch.is_some_and(|epoch| epoch != row.epoch) && row.inside {
                    samples.restarts.push(row.first_at.clone());
                }
                epoch = Some(row.epoch);
                if row.inside {
                    samples.count += row.samples;
                    samples.first_at.get_or_insert(row.first_at);
                    samples.last_at = Some(row.last_at);
                    samples.last_id = row.last_id;
                }
            }
        }
    }
    samples.by_collector = (by_collector.into_iter())
        .map(|(collector, stretches)| (collector, joined(&stretches)))
        .collect();
    if samples.span.run.is_none() {
        samples.home = home(&samples)?;
    }
    Ok(samples)
}

fn home(samples: &Samples) -> Result<Option<String>> {
    #[derive(Deserialize)]
    struct Home {
        home: Option<String>,
    }
    let mut args = samples.span.key()?;
    args.push((samples.last_id - RECENT).into());
    let found: Option<Home> = spi::select_one(HOME, &args)?;
    Ok(found.and_then(|found| found.home))
}

/// The samples of one collector, each with the one before it.
fn joined(stretches: &[Stretch]) -> Vec<Sample> {
    let mut samples: Vec<Sample> = Vec::new();
    let mut epoch = None;
    for stretch in stretches {
        let same_epoch = epoch == Some(stretch.epoch);
        epoch = Some(stretch.epoch);
        // The first of an epoch is where its counters are known to begin.
        if !same_epoch && stretch.inside && stretch.first_id != stretch.last_id {
            push(&mut samples, false, stretch.first(), 1);
            push(&mut samples, true, stretch.last(), stretch.samples - 1);
        } else {
            let count = if stretch.inside { stretch.samples } else { 0 };
            push(&mut samples, same_epoch, stretch.last(), count);
        }
    }
    samples
}

/// Its id, its time, and that in seconds since the window began.
type Taken<'a> = (i64, &'a str, f64);

impl Stretch {
    fn first(&self) -> Taken<'_> {
        (self.first_id, &self.first_at, self.first_s)
    }

    fn last(&self) -> Taken<'_> {
        (self.last_id, &self.last_at, self.last_s)
    }
}

fn push(samples: &mut Vec<Sample>, follows: bool, (sample_id, taken_at, at_s): Taken, count: i64) {
    let before = samples.last().filter(|_| follows);
    let sample = Sample {
        sample_id,
        taken_at: taken_at.to_owned(),
        before_id: before.map(|before| before.sample_id),
        before_at: before.map(|before| before.taken_at.clone()),
        at_s,
        since_s: before.map_or(at_s, |before| before.at_s.max(0.0)),
        // The clock may have been set back.
        seconds: before
            .map(|before| at_s - before.at_s)
            .filter(|seconds| *seconds > 0.0),
        samples: count,
    };
    samples.push(sample);
}

impl Samples {
    /// As long as none is read.
    pub fn unread(span: Span) -> Samples {
        Samples {
            span,
            count: 0,
            first_at: None,
            last_at: None,
            last_id: 0,
            restarts: Vec::new(),
            by_collector: HashMap::new(),
            home: None,
            known: Known::default(),
        }
    }

    /// Of one collector, in order.
    pub fn of(&self, collector: &str) -> &[Sample] {
        self.by_collector.get(collector).map_or(&[], Vec::as_slice)
    }

    /// How many of these lie in the window.
    pub fn inside(&self, collector: &str) -> usize {
        self.of(collector)
            .iter()
            .filter(|sample| sample.at_s > 0.0)
            .count()
    }

    /// The arguments of a section's statement: those of the span, the samples as $4, and as $5 whether the
    /// history is this database's own, so that its catalog may be read.
    pub fn arguments(&self, collector: &str, sql: &str) -> Result<Vec<DatumWithOid<'static>>> {
        let mut args = self.span.key()?;
        let samples = match sql.contains(FEW) {
            true => serde_json::to_value(few(self.of(collector), self.span.seconds))?,
            false => serde_json::to_value(self.of(collector))?,
        };
        args.push(Json(samples).into());
        args.push(self.span.local.into());
        Ok(args)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stretch(epoch: i64, first_id: i64, last_id: i64, at_s: f64) -> Stretch {
        Stretch {
            collector: None,
            epoch,
            samples: 1 + last_id - first_id,
            first_id,
            last_id,
            first_at: format!("t{first_id}"),
            last_at: format!("t{last_id}"),
            inside: at_s > 0.0,
            first_s: at_s - (last_id - first_id) as f64,
            last_s: at_s,
        }
    }

    #[test]
    fn counters_begin_before_the_window_and_again_with_each_epoch() {
        let samples = joined(&[
            stretch(1, 1, 9, -5.0),
            stretch(1, 10, 12, 10.0),
            stretch(2, 13, 15, 20.0),
            stretch(2, 16, 16, 30.0),
        ]);
        let pairs: Vec<_> = samples.iter().map(|s| (s.sample_id, s.before_id)).collect();
        assert_eq!(
            pairs,
            [
                (9, None),
                (12, Some(9)),
                (13, None),
                (15, Some(13)),
                (16, Some(15))
            ]
        );
        let times: Vec<_> = samples.iter().map(|s| (s.since_s, s.seconds)).collect();
        assert_eq!(times[1], (0.0, Some(15.0)));
        assert_eq!(times[4], (20.0, Some(10.0)));
        let counts: Vec<_> = samples.iter().map(|s| s.samples).collect();
        assert_eq!(counts, [0, 3, 1, 2, 1]);
    }

    #[test]
    fn few_samples_have_the_same_sums() {
        // Two of the 180 stretches of a window of three minutes in each second; counting begins again in the second half of the first three.
        let mut all = vec![
            stretch(1, 0, 0, -1.0),
            stretch(1, 1, 3, 0.5),
            stretch(2, 4, 6, 1.5),
        ];
        all.extend(
            (2..=180).map(|second| stretch(2, 3 * second + 1, 3 * second + 3, second as f64)),
        );
        let all = joined(&all);
        let few = few(&all, 180.0);
        let pairs: Vec<_> = few
            .iter()
            .map(|s| (s.sample_id, s.before_id, s.at_s))
            .collect();
        assert_eq!(
            pairs[..5],
            [
                (0, None, -1.0),
                (3, Some(0), 0.5),
                (4, None, -0.5),
                (9, Some(4), 2.0),
                (18, Some(9), 5.0)
            ]
        );
        assert_eq!(few.len(), 3 + 61);
        let sums = |samples: &[Sample]| {
            let seconds: f64 = samples.iter().filter_map(|s| s.seconds).sum();
            let covered: f64 = samples.iter().map(|s| s.at_s - s.since_s).sum();
            (
                samples.iter().map(|s| s.samples).sum::<i64>(),
                seconds,
                covered,
            )
        };
        assert_eq!(sums(&few), sums(&all));
    }

    #[test]
    fn without_a_sample_before_it_the_window_begins_with_its_first() {
        let samples = joined(&[stretch(1, 3, 5, 7.0), stretch(1, 6, 6, 8.0)]);
        let pairs: Vec<_> = samples.iter().map(|s| (s.sample_id, s.before_id)).collect();
        assert_eq!(pairs, [(3, None), (5, Some(3)), (6, Some(5))]);
        assert_eq!(joined(&[stretch(1, 3, 3, 7.0)]).len(), 1);
    }
}
