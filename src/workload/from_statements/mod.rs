//! `pgperf.create_workload_from_statements`: a workload made of the statements in pg_stat_statements or in the history.
//!
//! | module | what it does |
//! |---|---|
//! | `source` | the statements and their counters |
//! | `uses`, `tree` | what a statement does with its parameters, from the server's own analysis |
//! | `analyzed` | the server's analysis of a statement |
//! | `facts` | tables, columns, operators and functions in the catalog |
//! | `values` | the source of each parameter's value, or the reason why there is none |
//! | `refusals` | why a statement cannot be included with any values |
//! | `new_keys` | keys that do not exist yet |
//! | `pools`, `queries`, `rows` | values from the tables, and the rows that they belong to |
//! | `popularity` | which rows are changed more often than others |
//! | `ranges` | ranges that no script can compute |
//! | `calls`, `preference` | the effects of a call with certain values; preferred values |
//! | `trial` | the width of ranges; whether a call does as much as was observed |
//! | `transactions` | which statements belong together |
//! | `scripts`, `text` | the scripts |
//! | `candidate` | these steps for a statement |
//! | `making` | all steps in order |
//! | `fidelity` | how similar a run is to the observed load |

mod analyzed;
mod calls;
mod candidate;
mod facts;
mod fidelity;
mod making;
mod new_keys;
mod pools;
mod popularity;
mod preference;
mod queries;
mod ranges;
mod refusals;
mod rows;
mod scripts;
mod source;
mod text;
mod transactions;
mod tree;
mod trial;
mod uses;
mod values;

pub use making::Origin;
pub use text::replaced as with_values;

use super::stored;
use crate::error::Result;
use crate::pg::sql::text::Text;
use crate::pg::sql::{arguments, foreign_code};
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;

/// `pgperf.create_workload_from_statements`.
#[pg_extern(sql = false)]
#[allow(clippy::type_complexity)]
fn create_workload_from_statements(
    fcinfo: pg_sys::FunctionCallInfo,
) -> std::result::Result<
    TableIterator<
        'static,
        (
            name!(queryid, Option<i64>),
            name!(share_percent, Option<f64>),
            name!(calls, i64),
            name!(script, Option<Text>),
            name!(outcome, Text),
            name!(statement, Option<Text>),
        ),
    >,
    ErrorReport,
> {
    let given = arguments::by_name(fcinfo).and_then(arguments::read)?;
    // What is known beforehand of code of other roles tells why a statement is left out; this keeps it from being called.
    let outcomes = foreign_code::refused(|| making::create(given))?;
    Ok(TableIterator::new(outcomes.into_iter().map(|it| {
        (
            it.queryid,
            it.share_percent,
            it.calls,
            it.script.map(Text),
            it.outcome.into(),
            it.statement.map(Text),
        )
    })))
}

/// `pgperf.observed_rate`: transactions per second when the statements of a workload were observed.
#[pg_extern(sql = false)]
fn observed_rate(workload: Text) -> std::result::Result<Option<f64>, ErrorReport> {
    Ok(rate(&workload)?)
}

fn rate(workload: &str) -> Result<Option<f64>> {
    let named = super::named(workload)?;
    let origin = named.stored().and_then(stored::Definition::origin);
    Ok(origin.and_then(|origin| origin.rate))
}
