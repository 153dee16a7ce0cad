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
/// The same for lists, which have many values each.
const SAMPLE_OF_LISTS: usize = 1_000;
/// Of values that several rows have, those with the most rows and some others: a few may have most of the rows.
const MOST_FREQUENT: usize = 100;
const OTHERS: usize = 900;
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
    /// Values that several rows may have, until it is decided which are preferred.
    pub undecided: Option<Undecided>,
    /// The query of the values that lists are made of.
    pub values: String,
}

/// Values of which it has to be found out whether those of many rows are preferred.
#[derive(Debug, Clone, PartialEq)]
pub struct Undecided {
    /// Those with the most rows first.
    pub values: Vec<Value>,
    /// The query that prefers some: before and after the power of the number of their rows.
    query: (String, String),
}

/// A row of a pool.
#[derive(Debug, Clone, PartialEq)]
pub struct Value {
    pub row: Vec<Option<String>>,
    /// How many rows of the table have it.
    pub rows: f64,
    /// How many values of the table it stands for.
    pub stands_for: f64,
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
                    let undecided = match is_once && key.list.is_none() && !key.is_in_order {
                        true => Some(Undecided {
                            values: values(relation, &columns)?,
                            query: preferring(relation, &columns, rows),
                        }),
                        false => None,
                    };
                    let some = key.list.map_or(SAMPLE, |_| SAMPLE_OF_LISTS) as i64;
                    let sample = match &undecided {
                        Some(undecided) => sample(&undecided.values, 0.0),
                        None if key.is_top => spi::select_cells(&query(is_once, some))?,
                        None => {
                            let which = Which::Any("0");
                            spi::select_cells(&rows_of(relation, &columns, is_once, some, &which))?
                        }
                    };
                    Ok(Pool {
                        key: key.clone(),
                        is_range: range.is_some(),
                        query: range.unwrap_or_else(|| query(is_once, rows)),
                        names: columns.iter().map(|it| it.name.clone()).collect(),
                        are_integers: columns.iter().map(|it| it.is_integer).collect(),
                        sample,
                        undecided,
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
            undecided: None,
            ..self.clone()
        }
    }

    /// Decides that values are drawn in proportion to this power of the number of their rows. None: all alike.
    pub fn decide(&mut self, power: Option<f64>) {
        if let (Some(Undecided { values, query }), Some(power)) = (self.undecided.take(), power) {
            let (before, after) = query;
            self.query = format!("{before}({power:.1})::pg_catalog.float8{after}");
            self.sample = sample(&values, power);
        }
    }
}

/// Some rows, as a query gives them that draws values in proportion to this power of the number of their rows.
fn sample(values: &[Value], power: f64) -> Vec<Vec<Option<String>>> {
    let weight = |it: &Value| it.stands_for * it.rows.powf(power);
    let all: f64 = values.iter().map(weight).sum();
    let place = |upto: f64| (upto / all * SAMPLE as f64).floor() as usize;
    let (mut sample, mut upto) = (Vec::new(), 0.0);
    for value in values {
        let before = upto;
        upto += weight(value);
        let copies = place(upto).saturating_sub(place(before));
        sample.extend(std::iter::repeat_n(value.row.clone(), copies));
    }
    sample
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

/// Values with the number of their rows.
fn values(relation: &Relation, columns: &[&ColumnFact]) -> Result<Vec<Value>> {
    let Shown {
        names,
        shown,
        known,
    } = Shown::new(columns);
    let columns: Vec<String> = (1..=shown.len()).map(|no| format!("pgperf_{no}")).collect();
    let rows = spi::select_cells(&format!(
        "SELECT {}, pgperf_rows, CASE WHEN pgperf_rank <= {MOST_FREQUENT} THEN 1 \
                ELSE GREATEST((pgperf_all - {MOST_FREQUENT}) / {OTHERS}::pg_catalog.float8, 1) END \
         FROM (SELECT {}, pg_catalog.count(*) AS pgperf_rows, {hash} AS pgperf_hash, \
                      pg_catalog.row_number() OVER (ORDER BY pg_catalog.count(*) DESC, {hash}) AS pgperf_rank, \
                      pg_catalog.count(*) OVER () AS pgperf_all \
               FROM {}{} WHERE {known} GROUP BY {names}) AS pgperf_value \
         ORDER BY CASE WHEN pgperf_rank <= {MOST_FREQUENT} THEN pgperf_rank END, pgperf_hash LIMIT {}",
        columns.join(", "),
        named(&shown, &columns),
        relation.qualified,
        sampled(relation, MAX_PAGES_OF_VALUES, "0"),
        MOST_FREQUENT + OTHERS,
        hash = hash("pg_catalog.min(ctid)", "0"),
    ))?;
    let value = |mut row: Vec<Option<String>>| {
        let mut number = || row.pop().flatten().and_then(|it| it.parse().ok());
        let stands_for = number().unwrap_or(1.0);
        let rows = number().unwrap_or(1.0);
        Value {
            row,
            rows,
            stands_for,
        }
    };
    Ok(rows.into_iter().map(value).collect())
}

fn named(shown: &[String], names: &[String]) -> String {
    let each = shown.iter().zip(names);
    let each: Vec<String> = each.map(|(it, name)| format!("{it} AS {name}")).collect();
    each.join(", ")
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
    let copies =
        |upto: &str| format!("pg_catalog.floor(({upto}) / pgperf_all * {rows}::pg_catalog.float8)");
    (
        format!(
            "SELECT {} FROM (SELECT pgperf_value.*, pg_catalog.sum(pgperf_weight) OVER (ORDER BY pgperf_hash ROWS UNBOUNDED PRECEDING) AS pgperf_upto, \
             pg_catalog.sum(pgperf_weight) OVER () AS pgperf_all \
             FROM (SELECT {}, {} AS pgperf_hash, pg_catalog.power(pg_catalog.count(*)::pg_catalog.float8, ",
            values.join(", "),
            named(&shown, &values),
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
        let value = |(text, rows, stands_for): (&str, f64, f64)| Value {
            row: row(text),
            rows,
            stands_for,
        };
        let values = [("a", 6.0, 1.0), ("b", 3.0, 1.0), ("c", 1.0, 2.0)].map(value);
        let made = Pool {
            key: PoolKey::default(),
            query: "alike".to_owned(),
            is_range: false,
            names: Vec::new(),
            are_integers: Vec::new(),
            sample: sample(&values, 0.0),
            undecided: Some(Undecided {
                values: values.to_vec(),
                query: ("power(n, ".to_owned(), ")".to_owned()),
            }),
            values: String::new(),
        };
        let decided = |power: Option<f64>| {
            let mut pool = made.clone();
            pool.decide(power);
            assert_eq!(pool.undecided, None);
            let times = ["a", "b", "c"].map(|text| {
                let of = |it: &&Vec<Option<String>>| **it == row(text);
                pool.sample.iter().filter(of).count()
            });
            (pool.query, times)
        };
        // One value in four is a.
        assert_eq!(decided(None), ("alike".to_owned(), [25, 25, 50]));
        // It has six rows of eleven.
        let by_rows = "power(n, (1.0)::pg_catalog.float8)".to_owned();
        assert_eq!(decided(Some(1.0)), (by_rows, [54, 27, 19]));
        // 1/6, 1/3 and 2 of 2.5.
        assert_eq!(decided(Some(-1.0)).1, [6, 14, 80]);
    }
}
