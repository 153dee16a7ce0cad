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
const SAMPLE: usize = 100;
/// The same for lists, which have many values each, and for values that several rows have: some have many more than others.
const LARGE_SAMPLE: usize = 1_000;
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
    /// How many rows of the table have the values of each row of the sample. Empty: one each, nobody looks for them, or it has been
    /// found out which are preferred.
    pub counts: Vec<f64>,
    /// Its query where some values are preferred: before and after the power of the number of their rows.
    pub preferring: Option<(String, String)>,
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
                    let has_counts = is_once && key.list.is_none() && !key.is_in_order;
                    let some = match has_counts || key.list.is_some() {
                        true => LARGE_SAMPLE as i64,
                        false => SAMPLE as i64,
                    };
                    let mut sample = spi::select_cells(&match () {
                        () if key.is_top => query(is_once, some),
                        () if has_counts => counted(relation, &columns, some),
                        () => rows_of(relation, &columns, is_once, some, &Which::Any("0")),
                    })?;
                    let counts = match has_counts {
                        true => sample.iter_mut().map(take_count).collect(),
                        false => Vec::new(),
                    };
                    Ok(Pool {
                        key: key.clone(),
                        is_range: range.is_some(),
                        query: range.unwrap_or_else(|| query(is_once, rows)),
                        names: columns.iter().map(|it| it.name.clone()).collect(),
                        are_integers: columns.iter().map(|it| it.is_integer).collect(),
                        sample,
                        counts,
                        preferring: has_counts.then(|| preferring(relation, &columns, rows)),
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
            preferring: None,
            ..self.clone()
        }
    }

    /// Values are drawn in proportion to this power of the number of their rows. 0: all alike; 1: as often as rows have them.
    pub fn prefer(&mut self, power: f64) {
        let Some((before, after)) = &self.preferring else {
            return;
        };
        self.query = format!("{before}({power:.1})::pg_catalog.float8{after}");
        let weights: Vec<f64> = self.counts.iter().map(|it| it.powf(power)).collect();
        let all: f64 = weights.iter().sum();
        let mut upto = 0.0;
        let copies = weights.iter().map(|weight| {
            let before = upto;
            upto += weight;
            let copies = |upto: f64| (upto / all * SAMPLE as f64).floor();
            (copies(upto) - copies(before)) as usize
        });
        self.sample = (self.sample.iter().zip(copies))
            .flat_map(|(row, copies)| std::iter::repeat_n(row.clone(), copies))
            .collect();
        self.counts.clear();
    }
}

/// The last value of a row of [`counted`].
fn take_count(row: &mut Vec<Option<String>>) -> f64 {
    let count = row.pop().flatten();
    count.and_then(|it| it.parse().ok()).unwrap_or(1.0)
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

/// The columns of a table in a query.
struct Shown {
    names: String,
    /// As a script reads them.
    shown: Vec<String>,
    /// The condition that they are known.
    known: String,
}

impl Shown {
    fn new(columns: &[&ColumnFact]) -> Shown {
        let names: Vec<&str> = columns.iter().map(|it| it.quoted.as_str()).collect();
        let known = names.iter().map(|name| format!("{name} IS NOT NULL"));
        // Read as JSON, a value of such a type would be converted by a cast of the type's owner.
        let shown = columns.iter().map(|it| match it.is_of_users {
            true => format!("pg_catalog.format('%s', {})", it.quoted),
            false => it.quoted.clone(),
        });
        Shown {
            names: names.join(", "),
            known: known.collect::<Vec<_>>().join(" AND "),
            shown: shown.collect(),
        }
    }
}

/// A part of the table that has so many pages at most, another one for each seed.
fn sampled(relation: &Relation, most_pages: f64, seed: &str) -> String {
    match relation.pages > most_pages {
        true => {
            let percent = 100.0 * most_pages / relation.pages;
            format!(" TABLESAMPLE pg_catalog.system ({percent:.6}) REPEATABLE ({seed})")
        }
        false => String::new(),
    }
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
    let Shown {
        names,
        shown,
        known,
    } = Shown::new(columns);
    let most_pages = match is_once {
        true => MAX_PAGES_OF_VALUES,
        false => MAX_PAGES,
    };
    let sampled = match which {
        Which::Any(seed) => sampled(relation, most_pages, seed),
        Which::Neighbours => String::new(),
    };
    let grouped = match is_once {
        true => format!(" GROUP BY {names}"),
        false => String::new(),
    };
    let place = match is_once {
        true => "pg_catalog.min(ctid)",
        false => "ctid",
    };
    let (known, order) = match which {
        Which::Any(seed) => (known, hash(place, seed)),
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
            (format!("{known} AND {stretch}"), format!("{turn}, {place}"))
        }
    };
    format!(
        "SELECT {} FROM {}{sampled} WHERE {known}{grouped} ORDER BY {order} LIMIT {rows}",
        shown.join(", "),
        relation.qualified,
    )
}

/// An order that has nothing to do with places in the table, another one for each seed.
fn hash(place: &str, seed: &str) -> String {
    format!("pg_catalog.hashtextextended({place}::pg_catalog.text, {seed})")
}

/// The query of some values, each once, and of how many rows have them.
fn counted(relation: &Relation, columns: &[&ColumnFact], rows: i64) -> String {
    let Shown {
        names,
        shown,
        known,
    } = Shown::new(columns);
    format!(
        "SELECT {}, pg_catalog.count(*) FROM {}{} WHERE {known} GROUP BY {names} ORDER BY {} LIMIT {rows}",
        shown.join(", "),
        relation.qualified,
        sampled(relation, MAX_PAGES_OF_VALUES, "0"),
        hash("pg_catalog.min(ctid)", "0"),
    )
}

/// The query of some values, other ones for each client, in proportion to a power of the number of their rows: what comes before and
/// after the power. A value comes as often as whole numbers lie within its part of the weights' running total.
fn preferring(relation: &Relation, columns: &[&ColumnFact], rows: i64) -> (String, String) {
    let Shown {
        names,
        shown,
        known,
    } = Shown::new(columns);
    let values: Vec<String> = (1..=shown.len()).map(|no| format!("pgperf_{no}")).collect();
    let named = shown.iter().zip(&values);
    let named: Vec<String> = named.map(|(it, name)| format!("{it} AS {name}")).collect();
    let copies = |upto: &str| format!("pg_catalog.floor(({upto}) / pgperf_all * {rows})");
    (
        format!(
            "SELECT {} FROM (SELECT pgperf_value.*, pg_catalog.sum(pgperf_weight) OVER (ORDER BY pgperf_hash ROWS UNBOUNDED PRECEDING) AS pgperf_upto, \
             pg_catalog.sum(pgperf_weight) OVER () AS pgperf_all \
             FROM (SELECT {}, {} AS pgperf_hash, pg_catalog.power(pg_catalog.count(*)::pg_catalog.float8, ",
            values.join(", "),
            named.join(", "),
            hash("pg_catalog.min(ctid)", ":client_id"),
        ),
        format!(
            ") AS pgperf_weight FROM {}{} WHERE {known} GROUP BY {names}) AS pgperf_value) AS pgperf_value \
             CROSS JOIN LATERAL pg_catalog.generate_series(1, ({} - {})::pg_catalog.int8) AS pgperf_copy \
             ORDER BY pg_catalog.hashint8extended(pgperf_hash, pgperf_copy)",
            relation.qualified,
            sampled(relation, MAX_PAGES_OF_VALUES, ":client_id"),
            copies("pgperf_upto"),
            copies("pgperf_upto - pgperf_weight"),
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn preferred_values_come_more_often() {
        let row = |text: &str| vec![Some(text.to_owned())];
        let made = Pool {
            key: PoolKey::default(),
            query: "once".to_owned(),
            is_range: false,
            names: Vec::new(),
            are_integers: Vec::new(),
            sample: ["a", "b", "c"].map(row).to_vec(),
            counts: vec![6.0, 3.0, 1.0],
            preferring: Some(("power(n, ".to_owned(), ")".to_owned())),
            values: String::new(),
        };
        let preferring = |power: f64| {
            let mut pool = made.clone();
            pool.prefer(power);
            assert!(pool.counts.is_empty());
            let times = ["a", "b", "c"].map(|text| {
                let of = |it: &&Vec<Option<String>>| **it == row(text);
                pool.sample.iter().filter(of).count()
            });
            (pool.query, times)
        };
        let by_rows = preferring(1.0);
        assert_eq!(by_rows.0, "power(n, (1.0)::pg_catalog.float8)");
        assert_eq!(by_rows.1, [60, 30, 10]);
        // 1/6, 1/3 and 1 of 1.5.
        assert_eq!(preferring(-1.0).1, [11, 22, 67]);
    }
}
