//! Sweeps as documents: `pgperf.export_sweep` and `pgperf.import_sweep`. Their runs are documents of their own in
//! them; schema/68_sweep_export.sql defines the contents.

use super::{check_spec, damaged, may_see_samples, no_document};
use crate::catalog::runs::may_see;
use crate::error::{Result, failure};
use crate::experiment::error::UnknownSweep;
use crate::experiment::report::facts;
use crate::experiment::sweeps::{ExistingSweep, by_id};
use crate::pg::catalog::role::as_owner;
use crate::pg::server;
use crate::pg::sql::document::{self, Document};
use crate::pg::sql::spi;
use crate::pg::sql::text::Text;
use pgrx::AnyElement;
use pgrx::pg_sys::errcodes::PgSqlErrorCode;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;
use serde::Deserialize;

/// `pgperf.export_sweep`.
#[pg_extern(sql = false)]
fn export_sweep(
    sweep_id: Option<i64>,
    transactions: Option<bool>,
    runs: Option<bool>,
) -> std::result::Result<Option<AnyElement>, ErrorReport> {
    let sweep = by_id(sweep_id)?;
    sweep.check_visible()?;
    check_runs_visible(&sweep)?;
    let runs = runs.unwrap_or(true);
    let samples =
        !runs || may_see_samples("the sweep is exported without the samples of its runs")?;
    let exported: Option<Document> = as_owner(|| {
        document::select(
            "SELECT pgperf_internal.sweep_document($1::pg_catalog.uuid, $2, $3, $4, $5)",
            &[
                sweep.node_id.as_str().into(),
                sweep.sweep_id.into(),
                transactions.unwrap_or(false).into(),
                runs.into(),
                samples.into(),
            ],
        )
    })?;
    Ok(exported.and_then(Document::into_element))
}

/// `pgperf.import_sweep`: an imported sweep and its runs belong to the caller.
#[pg_extern(sql = false)]
fn import_sweep(
    document: Option<AnyElement>,
    label: Option<Text>,
) -> std::result::Result<i64, ErrorReport> {
    Ok(import(document, label.as_deref())?)
}

fn import(document: Option<AnyElement>, label: Option<&str>) -> Result<i64> {
    let document = document.ok_or_else(no_document)?;
    let caller = server::role_name(server::current_role());
    let sweep_id: Option<i64> = as_owner(|| {
        document::execute(
            "SELECT pgperf_internal.store_sweep_document($1, $2, $3)",
            &[document::argument(&document), label.into(), caller.into()],
        )
    })?;
    let sweep = by_id(Some(sweep_id.ok_or(UnknownSweep(None))?))?;
    sweep.check_visible()?;
    check_runs_visible(&sweep)?;
    let specs: Option<Text> = document::select(
        "SELECT pg_catalog.jsonb_path_query_array($1, '$.runs[*].run.spec')::pg_catalog.text",
        &[document::argument(&document)],
    )?;
    let specs: Vec<serde_json::Value> = serde_json::from_str(specs.as_deref().unwrap_or("[]"))?;
    for spec in specs {
        check_spec(&spec.to_string())?;
    }
    // No column checks its options: reports would find them damaged.
    facts::load(&sweep).map_err(|error| damaged(&format!("sweep.spec: {error}")))?;
    Ok(sweep.sweep_id)
}

/// The runs of an imported sweep may have been here before it, of another role.
fn check_runs_visible(sweep: &ExistingSweep) -> Result<()> {
    #[derive(Deserialize)]
    struct Owner {
        role: String,
    }
    let owners: Vec<Owner> = as_owner(|| {
        spi::select(
            "SELECT DISTINCT r.role FROM pgperf_internal.sweep_attempts a \
               JOIN pgperf_internal.stored_runs r ON r.node_id = a.node_id AND r.run_id IN (a.run_id, a.load_run_id) \
              WHERE a.node_id = $1::pg_catalog.uuid AND a.sweep_id = $2 ORDER BY r.role",
            &[sweep.node_id.as_str().into(), sweep.sweep_id.into()],
        )
    })?;
    for Owner { role } in owners {
        if !may_see(&role)? {
            return Err(failure(
                PgSqlErrorCode::ERRCODE_INSUFFICIENT_PRIVILEGE,
                format!("permission denied for runs of sweep {}", sweep.sweep_id),
            )
            .hinting(format!(
                "Some were imported as role \"{role}\": members of that role and of pg_monitor can see them."
            )));
        }
    }
    Ok(())
}
