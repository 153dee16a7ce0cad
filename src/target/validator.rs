//! The validator of the foreign data wrapper `pgperf_target`.

use super::options::{Holder, check};
use crate::pg::server::{current_role, is_superuser};
use crate::pg::sql::text::Text;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::pg_sys::{self, Oid};
use pgrx::prelude::*;

/// What the server calls with the options that a wrapper, server or user mapping is about to have, each as `name=value`.
#[pg_extern(sql = false)]
fn target_validator(
    options: Vec<Option<Text>>,
    catalog: Oid,
) -> std::result::Result<(), ErrorReport> {
    let options: Vec<(String, String)> = (options.iter().flatten())
        .filter_map(|option| option.split_once('='))
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    let holder = match catalog {
        pg_sys::ForeignServerRelationId => Holder::Server,
        pg_sys::UserMappingRelationId => Holder::UserMapping,
        _ => Holder::Other,
    };
    let is_superuser = is_superuser(current_role());
    Ok(check(&options, holder, &wire::keywords(), is_superuser)?)
}
