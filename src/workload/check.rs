//! `pgperf.check`: a workload's consistency conditions, read with the caller's rights.

use super::tables::{scale_of, schemas_of};
use super::{Params, Scale, find};
use crate::error::Result;
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
    let family = workload.family;
    let tables = family.tables(&Params::of_tables(family, "", Scale::NONE));
    let schema = schemas_of(workload, &tables, schema)?
        .into_iter()
        .next()
        .unwrap_or_default();
    let scale = scale_of(workload, &schema)?.unwrap_or(Scale::NONE);
    (workload.checks)(&Params::of_tables(family, &schema, scale))
        .into_iter()
        .map(|check| {
            let outcome: Option<Outcome> = spi::select_one(&check.sql, &[])?;
            let (passed, detail) =
                outcome.map_or((None, None), |outcome| (outcome.passed, outcome.detail));
            Ok((check.name.into(), passed.unwrap_or(false), detail.map(Text)))
        })
        .collect()
}
