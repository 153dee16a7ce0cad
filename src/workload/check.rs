//! `pgperf.check`: a workload's consistency conditions, read with the caller's rights.

use super::tables::schema_of;
use super::{TableError, find};
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
        workload.as_deref().unwrap_or("tpcb-like"),
        schema.as_deref(),
    )?))
}

fn run(name: &str, schema: Option<&str>) -> Result<Vec<Row>> {
    #[derive(Deserialize)]
    struct Outcome {
        passed: Option<bool>,
        detail: Option<String>,
    }
    #[derive(Deserialize)]
    struct Count {
        count: i64,
    }
    let workload = find(name)?;
    for relation in workload.data_set.tables {
        if schema_of(relation, schema)?.is_none() {
            return Err(TableError::Missing {
                relation: (*relation).to_owned(),
                workload: workload.name,
                schema: schema.map(str::to_owned),
            }
            .into());
        }
    }
    let schema = schema_of(workload.data_set.scale_table, schema)?.unwrap_or_default();
    let count: Option<Count> = spi::select_one(&workload.data_set.scale_sql(&schema), &[])?;
    let scale = count
        .and_then(|count| i32::try_from(count.count).ok())
        .unwrap_or(0);
    workload
        .checks(&schema, scale)
        .into_iter()
        .map(|check| {
            let outcome: Option<Outcome> = spi::select_one(&check.sql, &[])?;
            let (passed, detail) =
                outcome.map_or((None, None), |outcome| (outcome.passed, outcome.detail));
            Ok((check.name.into(), passed.unwrap_or(false), detail.map(Text)))
        })
        .collect()
}
