//! A walk through pg_class in parts, along its oids: each relation is visited once, however many there are.

use super::sample::parts::{Pace, Parts};
use crate::error::Result;
use crate::pg::sql::spi;
use pgrx::datum::DatumWithOid;
use serde::Deserialize;
use serde::de::DeserializeOwned;

/// The relations of a part, in SQL: those after oid $1, at most $2.
pub const SLICE: &str = "SELECT s.* FROM pg_catalog.pg_class s WHERE s.oid > $1::pg_catalog.oid ORDER BY s.oid LIMIT $2";

/// The result of one part: one row, with the columns of `T` as well.
#[derive(Deserialize)]
pub struct Slice<T> {
    /// The highest oid visited; None: there are no more.
    pub last: Option<u32>,
    #[serde(flatten)]
    pub found: T,
}

/// Reads the slice after an oid. `more`: the arguments from $3 on.
pub fn slice<T: DeserializeOwned>(
    sql: &str,
    after: u32,
    size: u32,
    more: Vec<DatumWithOid>,
) -> Result<Option<Slice<T>>> {
    let mut args: Vec<DatumWithOid> = vec![i64::from(after).into(), i64::from(size).into()];
    args.extend(more);
    spi::select_one(sql, &args)
}

/// Goes through all relations; `each` gets the result of the statement for each part. `more`: as for [`slice`], made
/// anew for
/// each part, since it lives no longer than a transaction.
pub fn walk<'a, T: DeserializeOwned>(
    parts: &mut dyn Parts,
    sql: &str,
    more: impl Fn() -> Vec<DatumWithOid<'a>>,
    mut each: impl FnMut(T),
) -> Result<()> {
    let (mut pace, mut after) = (Pace::new(), 0);
    loop {
        let size = pace.size();
        let found = pace.part(parts, || slice::<T>(sql, after, size, more()))?;
        match found {
            Some(Slice {
                last: Some(last),
                found,
            }) => {
                each(found);
                after = last;
            }
            _ => return Ok(()),
        }
    }
}
