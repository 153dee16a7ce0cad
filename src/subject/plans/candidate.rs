//! The index that a plan lacks, as the rule `missing_index` proposes it, and what two other extensions know of it where they are installed: the
//! rows that pg_qualstats counted, and the cost for which hypopg has the planner plan with the index.

use super::INDEX_CANDIDATES;
use crate::collect::optional::{self, Optional};
use crate::error::Result;
use crate::pg::sql::spi;
use crate::pg::sql::text::Text;
use pgrx::pg_sys::Oid;
use serde::Deserialize;

pub const PREDICATES: &str = "pg_qualstats";
pub const HYPOTHETICAL: &str = "hypopg";

/// A statement with its plan, and what it did per call.
pub struct Planned<'a> {
    pub queryid: i64,
    pub userid: Oid,
    pub dbid: Oid,
    pub plan: &'a str,
    pub blocks: f64,
    pub rows: f64,
}

/// An index that is not there.
#[derive(Deserialize)]
pub struct Candidate {
    pub index_relation: u32,
    pub index_columns: String,
    /// Rows of the table that passed the plan's filter, per call.
    pub index_rows: Option<f64>,
    /// The statement that creates it.
    create: String,
}

/// The index that would save most, if there is any, and why the counted rows cannot be read.
pub fn of_plan(planned: &Planned) -> Result<(Option<Candidate>, Option<String>)> {
    let passed = optional::read(PREDICATES, |schema| {
        let args = [
            planned.queryid.into(),
            planned.userid.into(),
            planned.dbid.into(),
        ];
        spi::select::<Passed>(&passed_sql(schema), &args)
    })?;
    let (passed, note) = passed.split();
    let (searched, rows): (Vec<i64>, Vec<f64>) = (passed.into_iter().flatten())
        .map(|passed| (passed.relation, passed.rows))
        .unzip();
    let args = [
        planned.queryid.into(),
        planned.userid.into(),
        Text::from(planned.plan).into(),
        planned.blocks.into(),
        planned.rows.into(),
        searched.into(),
        rows.into(),
    ];
    let sql = include_str!("candidate.sql").replace(INDEX_CANDIDATES.0, INDEX_CANDIDATES.1);
    Ok((spi::select_one(&sql, &args)?, note))
}

/// Of a table that a statement searched: rows that passed the filter, per call.
#[derive(Deserialize)]
struct Passed {
    relation: i64,
    rows: f64,
}

/// A row for each condition of a filter, with the rows of its whole filter, in those calls that were looked at. Conditions that compare two
/// columns may be those of a join, and what examined less than half of the table was no search of all of it. A list of values counts its
/// rows several times.
fn passed_sql(schema: &str) -> String {
    format!(
        "SELECT f.relation::pg_catalog.int8 AS relation, pg_catalog.min(f.rows) AS rows \
         FROM (SELECT c.oid AS relation, pg_catalog.sum(q.execution_count - q.nbfiltered)::pg_catalog.float8 / pg_catalog.sum(q.occurences)::pg_catalog.float8 AS rows \
               FROM {schema}.pg_qualstats() q JOIN pg_catalog.pg_class c ON c.oid = COALESCE(q.lrelid, q.rrelid) \
               WHERE q.queryid = $1 AND q.userid = $2 AND q.dbid = $3 AND q.eval_type = 'f' AND (q.lrelid IS NULL) <> (q.rrelid IS NULL) \
               GROUP BY c.oid, c.reltuples, q.qualnodeid \
               HAVING pg_catalog.sum(q.execution_count)::pg_catalog.float8 >= 0.5 * c.reltuples * pg_catalog.sum(q.occurences)::pg_catalog.float8) f \
         GROUP BY f.relation"
    )
}

/// A row of pg_qualstats, which says whether it can be read.
pub fn predicates_probe_sql(schema: &str) -> String {
    format!(
        "SELECT q.queryid, q.lrelid, q.rrelid, q.eval_type, q.occurences, q.execution_count, q.nbfiltered FROM {schema}.pg_qualstats() q LIMIT 1"
    )
}

impl Candidate {
    /// Runs `body` while the planner of this session sees the index. None: hypopg is not installed, or the session has such indexes already.
    pub fn while_seen<T>(&self, body: impl FnOnce() -> Result<T>) -> Result<Optional<T>> {
        #[derive(Deserialize)]
        struct Made {
            index: i64,
        }
        let mut of_schema = String::new();
        let made = optional::read(HYPOTHETICAL, |schema| {
            schema.clone_into(&mut of_schema);
            if spi::holds(&format!("EXISTS (SELECT FROM {schema}.hypopg())"), &[])? {
                return Ok(None);
            }
            let sql = format!(
                "SELECT i.indexrelid::pg_catalog.int8 AS index FROM {schema}.hypopg_create_index($1) i"
            );
            spi::select_one::<Made>(&sql, &[Text::from(self.create.as_str()).into()])
        })?;
        let made = match made {
            Optional::Read(Some(made)) => made,
            Optional::Read(None) | Optional::Missing => return Ok(Optional::Missing),
            Optional::Unreadable(reason) => return Ok(Optional::Unreadable(reason)),
        };
        let outcome = body();
        let drop = format!("{of_schema}.hypopg_drop_index($1::pg_catalog.oid)");
        spi::holds(&drop, &[made.index.into()])?;
        outcome.map(Optional::Read)
    }
}

/// Whether hypopg can be called.
pub fn hypothetical_probe_sql(schema: &str) -> String {
    format!("SELECT h.indexrelid FROM {schema}.hypopg() h LIMIT 1")
}
