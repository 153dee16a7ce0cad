//! Runs as documents: `pgperf.export_run` and `pgperf.import_run`. This module checks the rights;
//! schema/63_export.sql defines a document's contents, from the catalog. The document passes through unread, since it
//! may be large.
//!
//! [`results`] makes such documents of the results of other programs.

mod results;
mod results_document;

use crate::catalog::error::CatalogError;
use crate::catalog::runs::{by_id, may_see_all};
use crate::error::{Error, Result};
use crate::pg::catalog::role::as_owner;
use crate::pg::error::say;
use crate::pg::server;
use crate::pg::sql::document::{self, Document};
use crate::pg::sql::json;
use crate::pg::sql::text::Text;
use crate::report::stored_run::Spec;
use pgrx::AnyElement;
use pgrx::datum::DatumWithOid;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;

/// `pgperf.export_run`.
#[pg_extern(sql = false)]
fn export_run(
    run_id: Option<i64>,
    transactions: Option<bool>,
) -> std::result::Result<Option<AnyElement>, ErrorReport> {
    let run = by_id(run_id)?;
    run.check_visible()?;
    // Samples contain data of all roles: texts of their statements, settings made for them.
    let samples = may_see_all()?;
    if !samples {
        let left_out =
            "the run is exported without its samples, which only members of pg_monitor may see";
        say(PgLogLevel::NOTICE, left_out.to_owned());
    }
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

/// `pgperf.import_run`: an imported run belongs to the caller, since its own role exists elsewhere.
#[pg_extern(sql = false)]
fn import_run(
    document: Option<AnyElement>,
    label: Option<Text>,
) -> std::result::Result<i64, ErrorReport> {
    Ok(import(document, label.as_deref())?)
}

fn import(document: Option<AnyElement>, label: Option<&str>) -> Result<i64> {
    let document = document.ok_or_else(|| Error::InvalidArgument {
        message: "document must not be NULL".to_owned(),
        hint: None,
    })?;
    let run_id = stored(document::argument(&document), label)?;
    check_spec(&document)?;
    Ok(run_id)
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
    run_id.ok_or(CatalogError::UnknownRun { run: None }.into())
}

/// A run's options are stored as they came, since no column checks them: reports would find them damaged.
fn check_spec(document: &AnyElement) -> Result<()> {
    let spec: Option<Text> = document::select(
        "SELECT pg_catalog.jsonb_extract_path_text($1, 'run', 'spec')",
        &[document::argument(document)],
    )?;
    let text = spec.as_deref().unwrap_or("null");
    let read = json::read("run.spec", text).and_then(|spec| Ok(serde_json::from_value(spec)?));
    match read {
        Ok(Spec { .. }) => Ok(()),
        Err(error) => {
            let reason = match error {
                Error::Json(error) => format!("run.spec: {error}"),
                error => error.to_string(),
            };
            Err(Error::InvalidArgument {
                message: format!("the document is damaged: {reason}"),
                hint: Some("Nothing of it was stored. Export the run again.".to_owned()),
            })
        }
    }
}
