//! The outcomes of many samples, counted by an aggregate: to expand the parts of a jsonb value into rows costs several times
//! as much.

use crate::error::Result as OwnResult;
use crate::pg::encoding;
use crate::pg::sql::aggregate;
use crate::pg::sql::jsonb::{Jsonb, JsonbItem, Scalar};
use crate::pg::sql::text::Json;
use pgrx::datum::TimestampWithTimeZone;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;
use pgrx::{Internal, pg_sys};
use serde::ser::Error;
use serde::{Serialize, Serializer};
use serde_json::Value;
use std::collections::BTreeMap;

/// By collector, of which there are few.
#[derive(Default)]
struct Counts(BTreeMap<Vec<u8>, Vec<Count>>);

/// The samples in which a collector had one outcome.
struct Count {
    trouble: Option<Vec<u8>>,
    reason: Option<Vec<u8>>,
    sums: Sums,
}

/// Columns of the result.
#[derive(Serialize)]
struct Sums {
    samples: i64,
    first_id: i64,
    last_id: i64,
    #[serde(serialize_with = "moment")]
    first_at: i64,
    #[serde(serialize_with = "moment")]
    last_at: i64,
    rows: Option<f64>,
    elapsed_ms: Option<f64>,
    /// The samples with a time.
    timed: i64,
    longest_ms: Option<f64>,
}

/// A row of the result.
#[derive(Serialize)]
struct CountedOutcome<'a> {
    collector: String,
    trouble: Option<String>,
    reason: Option<String>,
    #[serde(flatten)]
    sums: &'a Sums,
}

/// A sample: its number and its time, in microseconds as the server counts them.
#[derive(Clone, Copy)]
struct Taken {
    id: i64,
    at: i64,
}

/// One collector's outcome of a sample, its texts in the encoding of the database.
#[derive(Default)]
struct SampledOutcome<'a> {
    /// The status unless it is ok.
    trouble: Option<&'a [u8]>,
    /// Of a trouble, or that it was taken less often than asked.
    reason: Option<&'a [u8]>,
    rows: Option<f64>,
    elapsed_ms: Option<f64>,
}

impl<'a> SampledOutcome<'a> {
    fn of(fields: &[JsonbItem<'a>]) -> SampledOutcome<'a> {
        let (mut outcome, mut stretched) = (SampledOutcome::default(), None);
        for field in fields {
            match *field {
                JsonbItem::Field(b"status", Scalar::Text(status)) => {
                    outcome.trouble = Some(status).filter(|status| *status != b"ok");
                }
                JsonbItem::Field(b"reason", Scalar::Text(reason)) => outcome.reason = Some(reason),
                JsonbItem::Field(b"stretched", Scalar::Text(note)) => stretched = Some(note),
                JsonbItem::Field(b"rows", Scalar::Number(rows)) => {
                    outcome.rows = Some(rows.value())
                }
                JsonbItem::Field(b"elapsed_ms", Scalar::Number(ms)) => {
                    outcome.elapsed_ms = Some(ms.value())
                }
                _ => {}
            }
        }
        if outcome.trouble.is_none() {
            outcome.reason = stretched;
        }
        outcome
    }
}

impl Counts {
    fn add(&mut self, outcomes: &Jsonb, taken: Taken) {
        let parts = outcomes.objects();
        for part in parts.chunk_by(|_, next| matches!(next, JsonbItem::Field(..))) {
            if let [JsonbItem::Object(collector), fields @ ..] = part {
                self.count(collector, &SampledOutcome::of(fields), taken);
            }
        }
    }

    fn count(&mut self, collector: &[u8], outcome: &SampledOutcome, taken: Taken) {
        let counts = match self.0.get_mut(collector) {
            Some(counts) => counts,
            None => self.0.entry(collector.to_vec()).or_default(),
        };
        let known = (counts.iter_mut()).find(|count| {
            count.trouble.as_deref() == outcome.trouble && count.reason.as_deref() == outcome.reason
        });
        match known {
            Some(count) => count.sums.add(outcome, taken),
            None => {
                let mut sums = Sums::from(taken);
                sums.add(outcome, taken);
                counts.push(Count {
                    trouble: outcome.trouble.map(<[u8]>::to_vec),
                    reason: outcome.reason.map(<[u8]>::to_vec),
                    sums,
                });
            }
        }
    }

    fn rows(&self) -> OwnResult<Value> {
        let text = |bytes: &[u8]| encoding::decode(bytes).into_owned();
        let rows = self.0.iter().flat_map(|(collector, counts)| {
            counts.iter().map(move |count| CountedOutcome {
                collector: text(collector),
                trouble: count.trouble.as_deref().map(text),
                reason: count.reason.as_deref().map(text),
                sums: &count.sums,
            })
        });
        Ok(serde_json::to_value(rows.collect::<Vec<_>>())?)
    }
}

impl From<Taken> for Sums {
    /// Of no sample yet.
    fn from(taken: Taken) -> Sums {
        Sums {
            samples: 0,
            first_id: taken.id,
            last_id: taken.id,
            first_at: taken.at,
            last_at: taken.at,
            rows: None,
            elapsed_ms: None,
            timed: 0,
            longest_ms: None,
        }
    }
}

impl Sums {
    fn add(&mut self, outcome: &SampledOutcome, taken: Taken) {
        self.samples += 1;
        self.first_id = self.first_id.min(taken.id);
        self.last_id = self.last_id.max(taken.id);
        self.first_at = self.first_at.min(taken.at);
        self.last_at = self.last_at.max(taken.at);
        if let Some(rows) = outcome.rows {
            *self.rows.get_or_insert_default() += rows;
        }
        if let Some(ms) = outcome.elapsed_ms {
            self.timed += 1;
            *self.elapsed_ms.get_or_insert_default() += ms;
            self.longest_ms = Some(self.longest_ms.map_or(ms, |longest| longest.max(ms)));
        }
    }
}

/// Writes a time as the server reads it.
fn moment<S: Serializer>(at: &i64, serializer: S) -> Result<S::Ok, S::Error> {
    match TimestampWithTimeZone::try_from(*at) {
        Ok(at) => at.serialize(serializer),
        Err(error) => Err(S::Error::custom(error)),
    }
}

/// `pgperf_internal.outcome_counts_add`: the aggregate's step. What is NULL was no sample.
#[pg_extern(sql = false)]
fn outcome_counts_add(
    state: Internal,
    outcomes: Option<Jsonb>,
    sample_id: Option<i64>,
    taken_at: Option<TimestampWithTimeZone>,
    fcinfo: pg_sys::FunctionCallInfo,
) -> Result<Internal, ErrorReport> {
    let (Some(outcomes), Some(id), Some(taken_at)) = (outcomes, sample_id, taken_at) else {
        return Ok(state);
    };
    let taken = Taken {
        id,
        at: taken_at.into_inner(),
    };
    let add = |counts: &mut Counts| counts.add(&outcomes, taken);
    Ok(aggregate::change(state, fcinfo, add)?)
}

/// `pgperf_internal.outcome_counts_rows`: its result.
#[pg_extern(sql = false)]
fn outcome_counts_rows(
    state: Internal,
    fcinfo: pg_sys::FunctionCallInfo,
) -> Result<Option<Json>, ErrorReport> {
    let counts = aggregate::state::<Counts>(&state, fcinfo)?;
    Ok(counts.map(|counts| counts.rows().map(Json)).transpose()?)
}
