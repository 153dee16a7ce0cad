//! Values of single arguments of `start_run`, read and checked.

use crate::error::{Result, hinted, invalid};
use crate::pg::session::QueryMode;
use crate::pg::session::receiver::ResultMode;
use crate::pg::sql::{interval, size};
use crate::run::request::limits::Limits;
use crate::subject::{Choice, parse_choices};
use serde_json::Value;

pub fn at_least_one(name: &str, value: Option<i64>) -> Result<()> {
    match value {
        Some(value) if value < 1 => Err(invalid(format!("{name} must be at least 1, not {value}"))),
        _ => Ok(()),
    }
}

/// The collectors of a run. Their intervals are read as the server reads an interval.
pub fn collectors(items: &[Option<String>]) -> Result<Vec<Choice>> {
    parse_choices(items, |text| {
        interval::read(text).map_err(|error| {
            hinted(
                format!("collectors: {error}"),
                "An interval stands behind the name, as in 'wal@30 s'.",
            )
        })
    })
}

/// The argument `limits`; sizes are read as the server reads them.
pub fn limits(given: Option<&Value>) -> Result<Limits> {
    Limits::new(given, size::read)
}

/// How many transactions all clients do; None: so many each, or no number ends them.
pub fn all_transactions(
    clients: usize,
    sequences: &[Vec<usize>],
    per_client: Option<i64>,
) -> Option<u64> {
    let per_client = per_client? as u64;
    let of = |client| engine::transactions_of(client, sequences, per_client);
    let is_equal = (1..clients).all(|client| of(client) == per_client);
    let sum = || (0..clients).map(of).fold(0, u64::saturating_add);
    (!is_equal).then(sum)
}

/// The share of the transactions that is logged; None if there is no log.
pub fn sampling_rate(transaction_log: bool, given: Option<f64>) -> Result<Option<f64>> {
    match given {
        Some(_) if !transaction_log => Err(hinted(
            "sampling_rate needs transaction_log => true".to_owned(),
            "It is the part of the transactions that are written to pgperf.run_transactions.",
        )),
        Some(rate) if !(rate > 0.0 && rate <= 1.0) => Err(invalid(format!(
            "sampling_rate must be above 0 and at most 1, not {rate}"
        ))),
        _ => Ok(transaction_log.then_some(given.unwrap_or(1.0))),
    }
}

pub fn query_mode(name: &str) -> Result<QueryMode> {
    match name {
        "simple" => Ok(QueryMode::Simple),
        "extended" => Ok(QueryMode::Extended),
        "prepared" => Ok(QueryMode::Prepared),
        _ => Err(hinted(
            format!("unknown query_mode \"{name}\""),
            "Query modes are: simple, extended, prepared.",
        )),
    }
}

pub fn result_mode(name: &str) -> Result<ResultMode> {
    match name {
        "format" => Ok(ResultMode::Format),
        "discard" => Ok(ResultMode::Discard),
        _ => Err(hinted(
            format!("unknown result_mode \"{name}\""),
            "Result modes are: format, discard.",
        )),
    }
}
