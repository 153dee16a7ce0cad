//! The relations that statements of a workload's author have created.

use crate::pg::error::{SqlError, raise};
use crate::pg::session::Session;
use crate::pg::sql::{spi, xact};
use crate::workload::Relation;
use serde::Deserialize;

/// A relation of a schema.
#[derive(Debug, Deserialize)]
pub(super) struct Seen {
    oid: u32,
    #[serde(flatten)]
    relation: Relation,
    /// The transaction that wrote its row of the catalog.
    xid: u32,
    /// Whether that is the current one.
    #[serde(skip)]
    is_of_this_transaction: bool,
}

/// The relations of a schema, in the open transaction block.
pub(super) fn relations(session: &mut Session, schema: &str) -> Result<Vec<Seen>, SqlError> {
    session.perform("looking at the relations", || {
        let seen = xact::with_latest_snapshot(|| spi::select(RELATIONS, &[schema.into()]));
        let mut seen: Vec<Seen> = seen.unwrap_or_else(|error| raise(error));
        for relation in &mut seen {
            relation.is_of_this_transaction = xact::is_current(relation.xid);
        }
        Ok(seen)
    })
}

/// Those that are new, in the order in which they were created. One that another session has created meanwhile is not of
/// this transaction.
///
/// # Errors
/// There is no table among them.
pub(super) fn created(
    before: &[Seen],
    after: &[Seen],
    schema: &str,
) -> Result<Vec<Relation>, SqlError> {
    let is_new = |seen: &&Seen| {
        seen.is_of_this_transaction && before.iter().all(|known| known.oid != seen.oid)
    };
    let new: Vec<Relation> = after
        .iter()
        .filter(is_new)
        .map(|seen| seen.relation.clone())
        .collect();
    match new.iter().any(Relation::is_table) {
        true => Ok(new),
        false => {
            let message = format!("setup_sql has created no table in schema \"{schema}\"");
            Err(SqlError::new("42P01", &message))
        }
    }
}

/// Without those that come and go with a table: partitions, and sequences of columns.
const RELATIONS: &str = "SELECT c.oid::pg_catalog.int8 AS oid, c.relname::pg_catalog.text AS name, \
        c.relkind::pg_catalog.text AS kind, c.xmin::pg_catalog.text::pg_catalog.int8 AS xid \
   FROM pg_catalog.pg_class c \
   JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace \
  WHERE n.nspname OPERATOR(pg_catalog.=) $1::pg_catalog.name \
    AND c.relkind OPERATOR(pg_catalog.=) ANY ('{r,p,v,m,f,S}'::pg_catalog.\"char\"[]) AND NOT c.relispartition \
    AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend d \
                     WHERE c.relkind OPERATOR(pg_catalog.=) 'S'::pg_catalog.\"char\" \
                       AND d.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_class'::pg_catalog.regclass \
                       AND d.objid OPERATOR(pg_catalog.=) c.oid \
                       AND d.refclassid OPERATOR(pg_catalog.=) d.classid \
                       AND d.deptype OPERATOR(pg_catalog.=) ANY ('{a,i}'::pg_catalog.\"char\"[])) \
  ORDER BY c.oid";
