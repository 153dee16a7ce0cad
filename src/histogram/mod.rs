//! SQL functions over stored histograms (HdrHistogram V2, nanoseconds): merging, quantiles, buckets.

use crate::error::{Error, Problem, Result, invalid};
use crate::pg::sql::aggregate;
use measure::{Histogram, HistogramError, Range};
use pgrx::pg_sys::errcodes::PgSqlErrorCode;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;
use pgrx::{Internal, pg_sys};

const NS_PER_MS: f64 = 1e6;

/// Bytes that are no histogram, or one that cannot be written.
impl Problem for HistogramError {
    fn sqlstate(&self) -> PgSqlErrorCode {
        match self {
            HistogramError::Encode(_) => PgSqlErrorCode::ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE,
            HistogramError::Layout { .. } => PgSqlErrorCode::ERRCODE_FEATURE_NOT_SUPPORTED,
            _ => PgSqlErrorCode::ERRCODE_INVALID_BINARY_REPRESENTATION,
        }
    }
}

/// `pgperf_internal.histogram_merge_add`: the aggregate's step.
#[pg_extern(sql = false)]
fn histogram_merge_add(
    state: Internal,
    histogram: Option<&[u8]>,
    fcinfo: pg_sys::FunctionCallInfo,
) -> std::result::Result<Internal, ErrorReport> {
    let Some(histogram) = histogram else {
        return Ok(state);
    };
    let histogram = decode(histogram)?;
    Ok(aggregate::change(state, fcinfo, |sum: &mut Histogram| {
        sum.merge(&histogram);
    })?)
}

/// `pgperf_internal.histogram_merge_combine`: merges the states of parallel workers.
#[pg_extern(sql = false)]
fn histogram_merge_combine(
    state: Internal,
    other: Internal,
    fcinfo: pg_sys::FunctionCallInfo,
) -> std::result::Result<Internal, ErrorReport> {
    let Some(other) = aggregate::state::<Histogram>(&other, fcinfo)?.cloned() else {
        return Ok(state);
    };
    Ok(aggregate::change(state, fcinfo, |sum: &mut Histogram| {
        sum.merge(&other);
    })?)
}

/// `pgperf_internal.histogram_merge_encode`: the aggregate's result, and its state on the way to another process.
#[pg_extern(sql = false)]
fn histogram_merge_encode(
    state: Internal,
    fcinfo: pg_sys::FunctionCallInfo,
) -> std::result::Result<Option<Vec<u8>>, ErrorReport> {
    let merged = aggregate::state::<Histogram>(&state, fcinfo)?;
    Ok(merged.map(encode).transpose()?)
}

/// `pgperf_internal.histogram_merge_decode`: the state from another process.
#[pg_extern(sql = false)]
fn histogram_merge_decode(
    encoded: &[u8],
    _unused: Internal,
    fcinfo: pg_sys::FunctionCallInfo,
) -> std::result::Result<Internal, ErrorReport> {
    let histogram = decode(encoded)?;
    Ok(aggregate::change(
        Internal::default(),
        fcinfo,
        |state: &mut Histogram| *state = histogram,
    )?)
}

/// `pgperf.histogram_quantile(bytea, float8)`.
#[pg_extern(sql = false)]
fn histogram_quantile(
    histogram: &[u8],
    quantile: f64,
) -> std::result::Result<Option<f64>, ErrorReport> {
    Ok(quantile_ms(&decode(histogram)?, quantile)?)
}

/// `pgperf.histogram_quantile(bytea, float8[])`: NULL gives NULL.
#[pg_extern(sql = false)]
fn histogram_quantile_each(
    histogram: &[u8],
    quantiles: Vec<Option<f64>>,
) -> std::result::Result<Vec<Option<f64>>, ErrorReport> {
    Ok(each_quantile_ms(&decode(histogram)?, quantiles)?)
}

/// `pgperf.histogram_quantiles`: of the sum of several; None for all of them if nothing was recorded.
#[pg_extern(sql = false)]
fn histogram_quantiles(
    histograms: Array<'_, &[u8]>,
    quantiles: Vec<Option<f64>>,
) -> std::result::Result<Vec<Option<f64>>, ErrorReport> {
    let mut sum = Histogram::new();
    for histogram in histograms.iter().flatten() {
        sum.merge(&decode(histogram)?);
    }
    Ok(each_quantile_ms(&sum, quantiles)?)
}

/// `pgperf.histogram_buckets`.
#[pg_extern(sql = false)]
#[allow(clippy::type_complexity)] // the columns of a row
fn histogram_buckets(
    histogram: Option<&[u8]>,
    buckets: default!(Option<i32>, "NULL"),
) -> std::result::Result<
    TableIterator<
        'static,
        (
            name!(from_ms, f64),
            name!(to_ms, f64),
            name!(count, i64),
            name!(cumulative_percent, f64),
        ),
    >,
    ErrorReport,
> {
    let limit = match buckets {
        Some(..=0) => {
            return Err(invalid("buckets must be at least 1").into());
        }
        buckets => buckets.map(|buckets| buckets as usize),
    };
    let histogram = histogram.map_or_else(|| Ok(Histogram::new()), decode)?;
    let total = histogram.count() as f64;
    let row = move |range: Range| {
        (
            range.from_ns as f64 / NS_PER_MS,
            range.to_ns as f64 / NS_PER_MS,
            as_bigint(range.count),
            100.0 * range.reached as f64 / total,
        )
    };
    Ok(TableIterator::new(
        histogram.ranges(limit).into_iter().map(row),
    ))
}

/// `pgperf.histogram_count`.
#[pg_extern(sql = false)]
fn histogram_count(histogram: &[u8]) -> std::result::Result<i64, ErrorReport> {
    Ok(as_bigint(decode(histogram)?.count()))
}

/// `pgperf.histogram_mean`, ms.
#[pg_extern(sql = false)]
fn histogram_mean(histogram: &[u8]) -> std::result::Result<Option<f64>, ErrorReport> {
    Ok(decode(histogram)?.mean().map(|ns| ns / NS_PER_MS))
}

/// `pgperf.histogram_max`, ms.
#[pg_extern(sql = false)]
fn histogram_max(histogram: &[u8]) -> std::result::Result<Option<f64>, ErrorReport> {
    Ok(decode(histogram)?.max().map(|ns| ns as f64 / NS_PER_MS))
}

/// `pgperf.histogram_compress`: as HdrHistogram's logs have it.
#[pg_extern(sql = false)]
fn histogram_compress(histogram: &[u8]) -> std::result::Result<Vec<u8>, ErrorReport> {
    let histogram = decode(histogram)?;
    Ok(histogram.encode_compressed().map_err(Error::from)?)
}

fn each_quantile_ms(
    histogram: &Histogram,
    quantiles: Vec<Option<f64>>,
) -> Result<Vec<Option<f64>>> {
    quantiles
        .into_iter()
        .map(|quantile| quantile.map_or(Ok(None), |quantile| quantile_ms(histogram, quantile)))
        .collect()
}

fn quantile_ms(histogram: &Histogram, quantile: f64) -> Result<Option<f64>> {
    if !(0.0..=1.0).contains(&quantile) {
        return Err(invalid(format!(
            "quantile {quantile} is not between 0 and 1"
        )));
    }
    Ok(histogram.quantile(quantile).map(|ns| ns as f64 / NS_PER_MS))
}

fn decode(encoded: &[u8]) -> Result<Histogram> {
    Histogram::decode(encoded).map_err(Error::from)
}

fn encode(histogram: &Histogram) -> Result<Vec<u8>> {
    histogram.encode_v2().map_err(Error::from)
}

fn as_bigint(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
