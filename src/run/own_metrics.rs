//! The metrics that workloads define by a query, which a session of the run's role asks when the clients have ended.

use super::request::spec::Spec;
use super::side_session::SideSession;
use crate::catalog::node;
use crate::facts::metrics::{self, Metric};
use crate::pg::catalog::role;
use crate::pg::error::{SqlError, raise};
use crate::pg::sql::xact;
use crate::workload::own::query::figures;
use crate::workload::own::sql::{AuthorSql, Values};
use script::Value;

/// The figures of a run that its queries may use.
#[derive(Debug, Clone, Copy)]
pub struct Measured {
    pub seconds: f64,
    pub transactions: u64,
}

/// The queries of a run, with their variables replaced.
///
/// # Errors
/// A query is none: this version reads it in another way than the one that stored it.
pub fn queries(spec: &Spec, measured: Measured) -> Result<Vec<String>, SqlError> {
    let variables = spec.variables.iter();
    let mut values: Values = variables
        .map(|(name, text)| (name.clone(), Value::Text(text.as_str().into())))
        .collect();
    let scale = spec.scale.map_or(Value::Int(1), Value::from);
    for (name, value) in [
        ("scale", scale),
        ("seconds", Value::Double(measured.seconds)),
        ("transactions", Value::Int(measured.transactions as i64)),
    ] {
        values.insert(name.to_owned(), value);
    }
    let queries = spec.metrics_sql.iter();
    queries
        .map(|text| Ok(AuthorSql::parse("metrics_sql", text)?.query(&values)))
        .collect::<crate::error::Result<_>>()
        .map_err(|error| SqlError::new("42601", &error.to_string()))
}

/// Asks a query, as the run's role and without changing anything, and stores its metrics.
pub fn measure(session: &mut dyn SideSession, run_id: i64, query: &str) -> Result<(), SqlError> {
    session.execute("BEGIN TRANSACTION READ ONLY")?;
    let rows = session.rows(query)?;
    session.execute("COMMIT")?;
    xact::transaction(|| {
        let figures = figures(rows).unwrap_or_else(|error| raise(error));
        let metrics: Vec<Metric> = figures.into_iter().map(Metric::own).collect();
        let stored = role::as_owner(|| metrics::store(&node::local_node()?, run_id, metrics));
        stored.unwrap_or_else(|error| raise(error));
    })
}
