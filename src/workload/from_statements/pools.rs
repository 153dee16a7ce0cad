//! The pools of a workload: what reads them when a run begins, and some of their rows now.

use super::facts::{ColumnFact, Facts, Relation};
use super::values::PoolKey;
use crate::error::Result;
use crate::pg::catalog::role;
use crate::pg::sql::quote::quote_literal;
use crate::pg::sql::spi;
use crate::pg::sql::subxact::{read_only, subtransaction};
use serde::Deserialize;

/// Pages of a table that a pool reads at most: 16 MB, of which it keeps some rows.
const MAX_PAGES: f64 = 2_000.0;
/// The same where each value comes once: in a part of the pages, a value that many rows have is found more often than others.
const MAX_PAGES_OF_VALUES: f64 = 8_000.0;
/// The share of the numbers between the smallest and the largest key from which on a key is drawn from all of them.
const DENSE: f64 = 0.95;
/// Places at which neighbours are taken in turns, as of several queues. Who comes back to a page at once finds no room in it: somebody may
/// still need the versions that the change before has left.
const PLACES: u32 = 20;
/// Rows that trials are made with.
const SAMPLE: i64 = 100;
/// The same for lists, which have many values each.
const SAMPLE_OF_LISTS: i64 = 1_000;
/// A pool of lists has up to this many times as many values as one of rows.
const LISTS: i64 = 10;

/// Values of the columns of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct Pool {
    pub key: PoolKey,
    /// Its query in a script.
    pub query: String,
    /// The query gives the smallest and the largest key, between which all are there.
    pub is_range: bool,
    /// The names of the columns.
    pub names: Vec<String>,
    /// Whether each column has integers.
    pub are_integers: Vec<bool>,
    /// Some rows.
    pub sample: Vec<Vec<Option<String>>>,
    /// Its query and some of its rows where each row of the table counts. Without: the values are a key, or only written, or it
    /// has been found out which suits.
    pub by_row: Option<(String, Vec<Vec<Option<String>>>)>,
    /// The query of the values that lists are made of.
    pub values: String,
}

impl Pool {
    /// Looks at the table, as the caller. `grows`: the workload gives the table new keys, which leaves gaps.
    ///
    /// # Errors
    /// Within: why there are no values.
    pub fn make(
        key: &PoolKey,
        facts: &Facts,
        rows: i64,
        grows: bool,
    ) -> Result<std::result::Result<Pool, String>> {
        let Some(relation) = facts.relations.get(&key.relation) else {
            return Ok(Err("a table is gone".to_owned()));
        };
        let numbers = key.columns.iter();
        let columns: Vec<&ColumnFact> = numbers
            .filter_map(|number| facts.columns.get(&(key.relation, *number)))
            .collect();
        let read = || {
            role::with_settings(|| {
                read_only(|| -> Result<Pool> {
                    let range = match key.list {
                        None if !key.is_top && !key.is_in_order && !grows => {
                            range(relation, &columns)?
                        }
                        _ => None,
                    };
                    let is_once = !key.is_top
                        && !key.is_written
                        && !facts.has_key(key.relation, &key.columns);
                    let query = |is_once: bool, rows: i64| match columns.as_slice() {
                        [only] if key.is_top => largest(relation, only),
                        _ if key.is_in_order => {
                            rows_of(relation, &columns, is_once, rows, &Which::Neighbours)
                        }
                        _ => rows_of(relation, &columns, is_once, rows, &Which::Any(":client_id")),
                    };
                    let some = key.list.map_or(SAMPLE, |_| SAMPLE_OF_LISTS);
                    let sample = |is_once: bool| {
                        spi::select_cells(&match key.is_top {
                            true => query(is_once, some),
                            false => rows_of(relation, &columns, is_once, some, &Which::Any("0")),
                        })
                    };
                    let by_row = match (is_once, key.list) {
                        (true, None) if !key.is_in_order => {
                            Some((query(false, rows), sample(false)?))
                        }
                        _ => None,
                    };
                    Ok(Pool {
                        key: key.clone(),
                        is_range: range.is_some(),
                        query: range.unwrap_or_else(|| query(is_once, rows)),
                        names: columns.iter().map(|it| it.name.clone()).collect(),
                        are_integers: columns.iter().map(|it| it.is_integer).collect(),
                        sample: sample(is_once)?,
                        by_row,
                        values: query(is_once, rows.saturating_mul(LISTS)),
                    })
                })
            })
        };
        Ok(match subtransaction(read) {
            Ok(pool) => match pool? {
                pool if pool.sample.is_empty() => {
                    Err(format!("{} has no rows to draw values from", relation.name))
                }
                pool => Ok(pool),
            },
            Err(error) => Err(error.message),
        })
    }

    /// A pool of lists of the values.
    pub fn lists(&self, key: PoolKey) -> Pool {
        let length = key.list.unwrap_or(1).max(1);
        Pool {
            key,
            query: format!(
                "SELECT pg_catalog.array_agg(pgperf_row.text)::pg_catalog.text FROM (\
                 SELECT pg_catalog.format('%s', pgperf_value.v) AS text, (pg_catalog.row_number() OVER () - 1) / {length} AS part \
                 FROM ({}) AS pgperf_value (v)) AS pgperf_row \
                 GROUP BY pgperf_row.part HAVING pg_catalog.count(*) = {length} OR pgperf_row.part = 0",
                self.values
            ),
            is_range: false,
            are_integers: vec![false],
            by_row: None,
            ..self.clone()
        }
    }
}

/// The query of the largest value.
fn largest(relation: &Relation, column: &ColumnFact) -> String {
    format!(
        "SELECT COALESCE(pg_catalog.max({}), 0) FROM {}",
        column.quoted, relation.qualified
    )
}

/// The query of the bounds, if the only column is a key with hardly a gap.
fn range(relation: &Relation, columns: &[&ColumnFact]) -> Result<Option<String>> {
    #[derive(Deserialize)]
    struct Bounds {
        low: Option<i64>,
        high: Option<i64>,
    }
    let ([column], Some(rows)) = (columns, relation.rows) else {
        return Ok(None);
    };
    if !column.is_key || !column.is_integer {
        return Ok(None);
    }
    let (name, table) = (&column.quoted, &relation.qualified);
    let query = format!("SELECT pg_catalog.min({name}), pg_catalog.max({name}) FROM {table}");
    let bounds: Option<Bounds> = spi::select_one(
        &format!(
            "SELECT pg_catalog.min({name}) AS low, pg_catalog.max({name}) AS high FROM {table}"
        ),
        &[],
    )?;
    let bounds = bounds.and_then(|it| Some((it.low?, it.high?)));
    let is_dense = bounds.is_some_and(|(low, high)| {
        rows >= DENSE * (high as f64 - low as f64 + 1.0) && high.checked_sub(low).is_some()
    });
    Ok(is_dense.then_some(query))
}

/// Which rows a query has.
enum Which<'s> {
    /// Of any pages, in an order that has nothing to do with that in the table, but is the same each time: another one for each seed.
    Any(&'s str),
    /// In the order of the table at [`PLACES`] places in turns, from another page on for each client.
    Neighbours,
}

/// The query of some rows, other ones for each client: all rows of some pages, of which some are kept. `is_once`: each
/// combination of values once, however many rows have it.
fn rows_of(
    relation: &Relation,
    columns: &[&ColumnFact],
    is_once: bool,
    rows: i64,
    which: &Which,
) -> String {
    let names: Vec<&str> = columns.iter().map(|it| it.quoted.as_str()).collect();
    let known: Vec<String> = names
        .iter()
        .map(|name| format!("{name} IS NOT NULL"))
        .collect();
    // Read as JSON, a value of such a type would be converted by a cast of the type's owner.
    let shown: Vec<String> = (columns.iter())
        .map(|it| match it.is_of_users {
            true => format!("pg_catalog.format('%s', {})", it.quoted),
            false => it.quoted.clone(),
        })
        .collect();
    let most_pages = match is_once {
        true => MAX_PAGES_OF_VALUES,
        false => MAX_PAGES,
    };
    let sampled = match which {
        Which::Any(seed) if relation.pages > most_pages => {
            let percent = 100.0 * most_pages / relation.pages;
            format!(" TABLESAMPLE pg_catalog.system ({percent:.6}) REPEATABLE ({seed})")
        }
        _ => String::new(),
    };
    let grouped = match is_once {
        true => format!(" GROUP BY {}", names.join(", ")),
        false => String::new(),
    };
    let place = match is_once {
        true => "pg_catalog.min(ctid)",
        false => "ctid",
    };
    let (known, order) = match which {
        Which::Any(seed) => (
            known.join(" AND "),
            format!("pg_catalog.hashtextextended({place}::pg_catalog.text, {seed})"),
        ),
        Which::Neighbours => {
            let pages = format!(
                "pg_catalog.pg_relation_size({}::pg_catalog.regclass) \
                 / pg_catalog.current_setting('block_size')::pg_catalog.int8",
                quote_literal(&relation.qualified)
            );
            let page = |after: f64| {
                format!(
                    "(SELECT pg_catalog.format('(%s,0)', {pages} * :client_id / :pgperf_clients + {after})::pg_catalog.tid)"
                )
            };
            let stretch = format!("ctid >= {} AND ctid < {}", page(0.0), page(MAX_PAGES));
            let turn = format!(
                "(pg_catalog.row_number() OVER (ORDER BY {place}) - 1) % (pg_catalog.count(*) OVER () / {PLACES} + 1)"
            );
            (
                format!("{} AND {stretch}", known.join(" AND ")),
                format!("{turn}, {place}"),
            )
        }
    };
    format!(
        "SELECT {} FROM {}{sampled} WHERE {known}{grouped} ORDER BY {order} LIMIT {rows}",
        shown.join(", "),
        relation.qualified,
    )
}
