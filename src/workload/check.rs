//! `pgperf.check`: a workload's consistency conditions, read with the caller's rights.

use super::given::Given;
use super::tables::{Tables, schemas_of};
use super::{Params, Scale, find};
use crate::error::Result;
use crate::pg::catalog::role;
use crate::pg::sql::spi;
use crate::pg::sql::text::Text;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;
use serde::Deserialize;

type Row = (Text, bool, Option<Text>);

/// `pgperf.check`.
#[pg_extern(sql = false)]
fn check(
    workload: Option<Text>,
    schema: Option<Text>,
) -> std::result::Result<
    TableIterator<
        'static,
        (
            name!(check_name, Text),
            name!(passed, bool),
            name!(detail, Option<Text>),
        ),
    >,
    ErrorReport,
> {
    Ok(TableIterator::new(run(
        workload.as_deref().unwrap_or(super::default().name),
        schema.as_deref(),
    )?))
}

fn run(name: &str, schema: Option<&str>) -> Result<Vec<Row>> {
    #[derive(Deserialize)]
    struct Outcome {
        passed: Option<bool>,
        detail: Option<String>,
    }
    let workload = find(name)?;
    let tables = Tables::of(workload, schema, &Given::new())?;
    let names = workload.family.tables(tables.params());
    schemas_of(workload, &names, schema)?;
    let params = Params {
        scale: tables.scale()?.unwrap_or(Scale::NONE),
        ..tables.params().clone()
    };
    (workload.checks)(&params)
        .into_iter()
        .map(|check| {
            // With the caller's rights, but not with operators that the caller's search_path finds.
            let outcome: Option<Outcome> =
                role::with_settings(|| spi::select_one(&check.sql, &[]))?;
            let (passed, detail) =
                outcome.map_or((None, None), |outcome| (outcome.passed, outcome.detail));
            Ok((check.name.into(), passed.unwrap_or(false), detail.map(Text)))
        })
        .collect()
}
