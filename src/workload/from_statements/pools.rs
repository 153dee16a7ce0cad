//! The pools of a workload: what reads them when a run begins, and some of their rows now.

use super::facts::{ColumnFact, Facts, Relation};
use super::queries::{self, Drawn, Which, largest, popular, preferring, rows_of};
use super::rows::{Choice, PoolKey};
use crate::error::Result;
use crate::pg::catalog::role;
use crate::pg::sql::spi;
use crate::pg::sql::subxact::{read_only, subtransaction};

/// The share of the numbers between the smallest and the largest key from which on a key is drawn from all of them.
const DENSE: f64 = 0.95;
/// Rows that trials are made with.
const SAMPLE: usize = 100;
/// The same for lists, which have many values each.
const SAMPLE_OF_LISTS: usize = 1_000;
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
    /// Their types.
    pub types: Vec<String>,
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
        let drawn = Drawn {
            relation,
            columns,
            above: &key.above,
        };
        let columns = &drawn.columns;
        let read = || {
            role::with_settings(|| {
                read_only(|| -> Result<Pool> {
                    let is_any = key.choice == Choice::Any;
                    let has_range =
                        key.list.is_none() && key.above.is_empty() && !key.is_top && is_any;
                    let range = match has_range && !grows {
                        true => range(relation, columns)?,
                        false => None,
                    };
                    let is_once = !key.is_top
                        && !key.is_written
                        && !facts.has_key(key.relation, &key.columns);
                    let query = |is_once: bool, most: i64| match (columns.as_slice(), &key.choice) {
                        ([only], _) if key.is_top => largest(relation, only),
                        (_, Choice::Any) => {
                            rows_of(&drawn, is_once, most, rows, &Which::Any(":client_id"))
                        }
                        (_, Choice::Neighbours) => {
                            rows_of(&drawn, is_once, most, rows, &Which::Neighbours)
                        }
                        (_, Choice::Popular(popularity)) => popular(&drawn, popularity, most),
                    };
                    let undecided = match is_once && key.list.is_none() && is_any {
                        true => Some(Undecided {
                            values: values(&drawn)?,
                            query: preferring(&drawn, rows),
                        }),
                        false => None,
                    };
                    let some = key.list.map_or(SAMPLE, |_| SAMPLE_OF_LISTS) as i64;
                    let sample = match &undecided {
                        Some(undecided) => sample(&undecided.values, 0.0),
                        None if key.is_top => spi::select_cells(&query(is_once, some))?,
                        None => {
                            let which = Which::Any("0");
                            spi::select_cells(&rows_of(&drawn, is_once, some, some, &which))?
                        }
                    };
                    Ok(Pool {
                        key: key.clone(),
                        is_range: range.is_some(),
                        query: range.unwrap_or_else(|| query(is_once, rows)),
                        names: names(key, columns),
                        types: columns.iter().map(|it| it.type_name.clone()).collect(),
                        are_integers: columns.iter().map(|it| it.is_integer()).collect(),
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

/// The names of the values.
fn names(key: &PoolKey, columns: &[&ColumnFact]) -> Vec<String> {
    let above = key.above.iter();
    let above = above.filter_map(|it| Some(format!("{}_to", columns.get(it.place)?.name)));
    let names = columns.iter().map(|it| it.name.clone());
    names.chain(above).collect()
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

/// The query of the bounds, if the only column is a key with hardly a gap.
fn range(relation: &Relation, columns: &[&ColumnFact]) -> Result<Option<String>> {
    let ([column], Some(rows)) = (columns, relation.rows) else {
        return Ok(None);
    };
    if !column.is_key || !column.is_integer() {
        return Ok(None);
    }
    let (name, table) = (&column.quoted, &relation.qualified);
    let query = format!("SELECT pg_catalog.min({name}), pg_catalog.max({name}) FROM {table}");
    let bounds = spi::select_cells(&query)?.into_iter().flatten();
    let bounds: Vec<i64> = bounds.filter_map(|it| it?.parse().ok()).collect();
    let is_dense = matches!(bounds.as_slice(), [low, high]
        if rows >= DENSE * (*high as f64 - *low as f64 + 1.0) && high.checked_sub(*low).is_some());
    Ok(is_dense.then_some(query))
}

/// Values with the number of their rows.
fn values(drawn: &Drawn) -> Result<Vec<Value>> {
    let rows = spi::select_cells(&queries::counted(drawn))?;
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
            types: Vec::new(),
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
