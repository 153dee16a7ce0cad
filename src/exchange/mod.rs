//! Runs as documents: `pgperf.export_run` and `pgperf.import_run`. This module checks the rights;
//! schema/63_export.sql defines a document's contents, from the catalog. The document passes through unread, since it
//! may be large.
//!
//! [`results`] makes such documents of the results of other programs; [`sweeps`] writes sweeps with their runs.

mod results;
mod results_document;
mod sweeps;

use crate::catalog::error::UnknownRun;
use crate::catalog::runs::{ExistingRun, by_id, may_see_all, named};
use crate::error::{Error, Result, invalid};
use crate::pg::catalog::role::as_owner;
use crate::pg::error::say;
use crate::pg::server;
use crate::pg::sql::called::Called;
use crate::pg::sql::document::{self, Document};
use crate::pg::sql::json;
use crate::pg::sql::text::Text;
use crate::report::stored_run::Spec;
use pgrx::AnyElement;
use pgrx::datum::DatumWithOid;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;

/// `pgperf.export_run(run_id bigint)`.
#[pg_extern(sql = false)]
fn export_run(run_id: Option<i64>, transactions: Option<bool>) -> Called<Option<AnyElement>> {
    Ok(export(&by_id(run_id)?, transactions)?)
}

/// `pgperf.export_run(run text)`.
#[pg_extern(sql = false)]
fn export_run_by_name(run: Option<Text>, transactions: Option<bool>) -> Called<Option<AnyElement>> {
    Ok(export(&named(run.as_deref())?, transactions)?)
}

fn export(run: &ExistingRun, transactions: Option<bool>) -> Result<Option<AnyElement>> {
    run.check_visible()?;
    let samples = may_see_samples("the run is exported without its samples")?;
    let exported: Option<Document> = as_owner(|| {
        document::select(
            "SELECT pgperf_internal.run_document($1::pg_catalog.uuid, $2, $3, $4)",
            &[
                run.node_id.as_str().into(),
                run.run_id.into(),
                transactions.unwrap_or(false).into(),
                samples.into(),
            ],
        )
    })?;
    Ok(exported.and_then(Document::into_element))
}

/// Samples contain data of all roles: texts of their statements, settings made for them. A notice says so where they
/// are left out.
fn may_see_samples(left_out: &str) -> Result<bool> {
    let samples = may_see_all(server::current_role())?;
    if !samples {
        let why = "which only members of pg_monitor may see";
        say(PgLogLevel::NOTICE, format!("{left_out}, {why}"));
    }
    Ok(samples)
}

/// `pgperf.import_run`: an imported run belongs to the caller, since its own role exists elsewhere.
#[pg_extern(sql = false)]
fn import_run(
    document: Option<AnyElement>,
    label: Option<Text>,
) -> std::result::Result<i64, ErrorReport> {
    Ok(import(document, label.as_deref())?)
}

fn import(document: Option<AnyElement>, label: Option<&str>) -> Result<i64> {
    let document = document.ok_or_else(no_document)?;
    let run_id = stored(document::argument(&document), label)?;
    let spec: Option<Text> = document::select(
        "SELECT pg_catalog.jsonb_extract_path_text($1, 'run', 'spec')",
        &[document::argument(&document)],
    )?;
    check_spec(spec.as_deref().unwrap_or("null"))?;
    Ok(run_id)
}

fn no_document() -> Error {
    invalid("document must not be NULL".to_owned())
}

fn damaged(reason: &str) -> Error {
    invalid(format!("the document is damaged: {reason}"))
        .hinting("Nothing of it was stored. Export the run again.")
}

/// The run that a document has become, of the caller.
fn stored(document: DatumWithOid, label: Option<&str>) -> Result<i64> {
    let caller = server::role_name(server::current_role());
    let run_id: Option<i64> = as_owner(|| {
        document::execute(
            "SELECT pgperf_internal.store_document($1, $2, $3)",
            &[document, label.into(), caller.into()],
        )
    })?;
    run_id.ok_or(UnknownRun { run: None }.into())
}

/// A run's options are stored as they came, since no column checks them: reports would find them damaged.
fn check_spec(spec: &str) -> Result<()> {
    let read = json::read("run.spec", spec).and_then(|spec| Ok(serde_json::from_value(spec)?));
    match read {
        Ok(Spec { .. }) => Ok(()),
        Err(Error::Json(error)) => Err(damaged(&format!("run.spec: {error}"))),
        Err(error) => Err(damaged(&error.to_string())),
    }
}
