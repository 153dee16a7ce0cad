//! `pgperf.histogram_quantiles`: percentiles of stored histograms, for the views.

use crate::error::{Error, Result};
use crate::measure::Histogram;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;

const NS_PER_MS: f64 = 1e6;

/// Quantiles in milliseconds of the sum of HdrHistogram V2 histograms in nanoseconds; None for all of
/// them if nothing was recorded.
#[pg_extern(sql = false)]
fn histogram_quantiles(
    histograms: Array<'_, &[u8]>,
    quantiles: Vec<Option<f64>>,
) -> std::result::Result<Vec<Option<f64>>, ErrorReport> {
    let merged = merge(histograms.iter().flatten())?;
    let milliseconds =
        |quantile: f64| Some(merged.as_ref()?.quantile(quantile)? as f64 / NS_PER_MS);
    quantiles
        .into_iter()
        .map(|quantile| match quantile {
            Some(quantile) if !(0.0..=1.0).contains(&quantile) => Err(Error::InvalidArgument {
                message: format!("quantile {quantile} is not between 0 and 1"),
                hint: None,
            }
            .into()),
            quantile => Ok(quantile.and_then(milliseconds)),
        })
        .collect()
}

fn merge<'a>(mut encoded: impl Iterator<Item = &'a [u8]>) -> Result<Option<Histogram>> {
    let Some(first) = encoded.next() else {
        return Ok(None);
    };
    let mut sum = decode(first)?;
    for next in encoded {
        sum.merge(&decode(next)?);
    }
    Ok(Some(sum))
}

fn decode(encoded: &[u8]) -> Result<Histogram> {
    Histogram::decode(encoded).map_err(|error| Error::InvalidArgument {
        message: error.to_string(),
        hint: None,
    })
}
