//! The queries of pools.

use super::facts::{ColumnFact, Relation};
use super::popularity::Popularity;
use super::ranges::Measure;
use super::rows::Above;
use crate::pg::sql::quote::quote_literal;

/// Pages of a large table that are read for some rows: 16 MB, and no fewer than rows, since rows of the same pages would be changed, and
/// found in the cache, as neighbours are.
const FEW_PAGES: f64 = 2_000.0;
/// The same where each value comes once: in a part of the pages, a value that many rows have is found more often than others.
const FEW_PAGES_OF_VALUES: f64 = 8_000.0;
/// Places at which neighbours are taken in turns, as of several queues. Who comes back to a page at once finds no room in it: somebody may
/// still need the versions that the change before has left.
const PLACES: u32 = 20;
/// Of values that several rows have, those with the most rows and some others: a few may have most of the rows.
const MOST_FREQUENT: usize = 100;
const OTHERS: usize = 900;

/// The query of the largest value.
pub fn largest(relation: &Relation, column: &ColumnFact) -> String {
    format!(
        "SELECT COALESCE(pg_catalog.max({}), 0) FROM {}",
        column.quoted, relation.qualified
    )
}

/// Which rows a query has.
pub enum Which<'s> {
    /// Of any pages, in an order that has nothing to do with that in the table, but is the same each time: another one for each seed.
    Any(&'s str),
    /// In the order of the table at [`PLACES`] places in turns, from another page on for each client.
    Neighbours,
}

/// What a pool draws from a table.
pub struct Drawn<'f> {
    pub relation: &'f Relation,
    pub columns: Vec<&'f ColumnFact>,
    /// The upper ends of ranges of them.
    pub above: &'f [Above],
}

impl Drawn<'_> {
    /// The columns' names in SQL.
    fn names(&self) -> String {
        let names: Vec<&str> = self.columns.iter().map(|it| it.quoted.as_str()).collect();
        names.join(", ")
    }

    /// The values as a script reads them.
    fn shown(&self) -> Vec<String> {
        // Read as JSON, an array or a document would not be what the server reads, and a value of somebody's own type would be converted by a
        // cast of the type's owner.
        let columns = self.columns.iter().map(|it| match it.is_read_as_text {
            true => format!("pg_catalog.format('%s', {})", it.quoted),
            false => it.quoted.clone(),
        });
        let above = self.above.iter().filter_map(|it| {
            let low = &self.columns.get(it.place)?.quoted;
            Some(format!("{low} OPERATOR(pg_catalog.+) {}", it.amount))
        });
        columns.chain(above).collect()
    }

    /// The condition that they are known.
    fn known(&self) -> String {
        let known = (self.columns.iter()).map(|it| format!("{} IS NOT NULL", it.quoted));
        known.collect::<Vec<_>>().join(" AND ")
    }

    /// The values with the names that [`Self::numbered`] has.
    fn named(&self) -> String {
        let shown = self.shown();
        let named = (shown.iter().zip(1..)).map(|(it, no)| format!("{it} AS pgperf_{no}"));
        named.collect::<Vec<_>>().join(", ")
    }

    /// The names of the values in a subquery.
    fn numbered(&self) -> String {
        let names = (1..=self.columns.len() + self.above.len()).map(|no| format!("pgperf_{no}"));
        names.collect::<Vec<_>>().join(", ")
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

/// The query of some rows, other ones for each client: all rows of so many pages, or of a few more, of which some are kept. `is_once`: each
/// combination of values once, however many rows have it.
pub fn rows_of(drawn: &Drawn, is_once: bool, rows: i64, pages: i64, which: &Which) -> String {
    let (relation, known) = (drawn.relation, drawn.known());
    let few = match is_once {
        true => FEW_PAGES_OF_VALUES,
        false => FEW_PAGES,
    };
    let most_pages = few.max(pages as f64);
    let sampled = match which {
        Which::Any(seed) => sampled(relation, most_pages, seed),
        Which::Neighbours => String::new(),
    };
    let grouped = match is_once {
        true => format!(" GROUP BY {}", drawn.names()),
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
            let stretch = format!("ctid >= {} AND ctid < {}", page(0.0), page(FEW_PAGES));
            let turn = format!(
                "(pg_catalog.row_number() OVER (ORDER BY {place}) - 1) % (pg_catalog.count(*) OVER () / {PLACES} + 1)"
            );
            (format!("{known} AND {stretch}"), format!("{turn}, {place}"))
        }
    };
    format!(
        "SELECT {} FROM {}{sampled} WHERE {known}{grouped} ORDER BY {order} LIMIT {rows}",
        drawn.shown().join(", "),
        relation.qualified,
    )
}

/// An order that has nothing to do with places in the table, another one for each seed.
fn hash(place: &str, seed: &str) -> String {
    format!("pg_catalog.hashtextextended({place}::pg_catalog.text, {seed})")
}

/// Each value once, with `pgperf_rows`, the number of its rows, and an order that has nothing to do with its place in the table.
fn grouped(drawn: &Drawn, seed: &str) -> String {
    format!(
        "(SELECT {}, pg_catalog.count(*) AS pgperf_rows, {} AS pgperf_hash FROM {}{} WHERE {} GROUP BY {}) AS pgperf_value",
        drawn.named(),
        hash("pg_catalog.min(ctid)", seed),
        drawn.relation.qualified,
        sampled(drawn.relation, FEW_PAGES_OF_VALUES, seed),
        drawn.known(),
        drawn.names(),
    )
}

/// The query of the values with the most rows, which come first, and of some others: each with the number of its rows, and of the
/// values of the table that it stands for.
pub fn counted(drawn: &Drawn) -> String {
    format!(
        "SELECT {}, pgperf_rows, CASE WHEN pgperf_rank <= {MOST_FREQUENT} THEN 1 \
                ELSE GREATEST((pgperf_all - {MOST_FREQUENT}) / {OTHERS}::pg_catalog.float8, 1) END \
         FROM (SELECT pgperf_value.*, pg_catalog.row_number() OVER (ORDER BY pgperf_rows DESC, pgperf_hash) AS pgperf_rank, \
                      pg_catalog.count(*) OVER () AS pgperf_all FROM {}) AS pgperf_value \
         ORDER BY CASE WHEN pgperf_rank <= {MOST_FREQUENT} THEN pgperf_rank END, pgperf_hash LIMIT {}",
        drawn.numbered(),
        grouped(drawn, "0"),
        MOST_FREQUENT + OTHERS,
    )
}

/// The query of some values, other ones for each client, in proportion to a power of the number of their rows: what comes before and
/// after the power.
pub fn preferring(drawn: &Drawn, rows: i64) -> (String, String) {
    let (before, after) = in_proportion(drawn, &grouped(drawn, ":client_id"), rows);
    let power = "pg_catalog.power(pgperf_rows::pg_catalog.float8, ";
    (format!("{before}{power}"), format!("){after}"))
}

/// The query of some rows, other ones for each client, of which popular ones come more often: the same ones for all clients.
pub fn popular(drawn: &Drawn, popularity: &Popularity, rows: i64) -> String {
    let Popularity {
        count,
        least,
        of_any,
    } = popularity;
    // Between 0 and 1, pseudo-random, from the row's place. All operands are of one type, so that no other operator fits better.
    let chance = |number: u32| {
        let hash = hash("ctid", &number.to_string());
        format!(
            "GREATEST({hash}::pg_catalog.float8 / 18446744073709551616::pg_catalog.float8 + 0.5::pg_catalog.float8, 1e-18::pg_catalog.float8) \
             AS pgperf_chance_{number}"
        )
    };
    let seed = ":client_id";
    let source = format!(
        "(SELECT {}, {of_any}::pg_catalog.float8 + GREATEST({count}::pg_catalog.float8 - ({least})::pg_catalog.float8, 0) AS pgperf_shape, {}, {}, {}, {} AS pgperf_hash \
         FROM {}{} WHERE {} AND {count} IS NOT NULL) AS pgperf_value",
        drawn.named(),
        chance(1),
        chance(2),
        chance(3),
        hash("ctid", seed),
        drawn.relation.qualified,
        sampled(drawn.relation, FEW_PAGES.max(rows as f64), seed),
        drawn.known(),
    );
    let (before, after) = in_proportion(drawn, &source, rows);
    format!("{before}{GAMMA}{after}")
}

/// A value of the gamma distribution with `pgperf_shape`: one with the shape and 1 (approximately; Wilson and Hilferty 1931, of a normal value
/// as Box and Muller 1958 make it) times a power of a chance (Stuart 1962), which has no value that a number cannot be.
const GAMMA: &str = "(pgperf_shape + 1::pg_catalog.float8) \
     * pg_catalog.power(GREATEST(1::pg_catalog.float8 - 1::pg_catalog.float8 / (9::pg_catalog.float8 * (pgperf_shape + 1::pg_catalog.float8)) \
         + pg_catalog.sqrt((-2)::pg_catalog.float8 * pg_catalog.ln(pgperf_chance_1)) \
           * pg_catalog.cos(2::pg_catalog.float8 * pg_catalog.pi() * pgperf_chance_2) \
           / (3::pg_catalog.float8 * pg_catalog.sqrt(pgperf_shape + 1::pg_catalog.float8)), 0), 3::pg_catalog.float8) \
     * pg_catalog.exp(GREATEST(pg_catalog.ln(pgperf_chance_3) / pgperf_shape, -500))";

/// The query of values of a source, in proportion to a weight: what comes before and after it. The source has the values, and an order that
/// has nothing to do with their places in the table. A value comes as often as whole numbers lie within its part of the weights' running total.
fn in_proportion(drawn: &Drawn, source: &str, rows: i64) -> (String, String) {
    let copies =
        |upto: &str| format!("pg_catalog.floor(({upto}) / pgperf_all * {rows}::pg_catalog.float8)");
    (
        format!(
            "SELECT {} FROM (SELECT pgperf_value.*, pg_catalog.sum(pgperf_weight) OVER (ORDER BY pgperf_hash ROWS UNBOUNDED PRECEDING) AS pgperf_upto, \
             pg_catalog.sum(pgperf_weight) OVER () AS pgperf_all \
             FROM (SELECT pgperf_value.*, ",
            drawn.numbered(),
        ),
        format!(
            " AS pgperf_weight FROM {source}) AS pgperf_value) AS pgperf_value \
             CROSS JOIN LATERAL pg_catalog.generate_series(1, ({} - {})::pg_catalog.int8) AS pgperf_copy \
             ORDER BY pg_catalog.hashint8extended(pgperf_hash, pgperf_copy)",
            copies("pgperf_upto"),
            copies("pgperf_upto - pgperf_weight"),
        ),
    )
}

/// The query of how far the values of a column reach, in days, seconds or as they are.
pub fn span(relation: &Relation, column: &ColumnFact, measure: Measure) -> String {
    let name = &column.quoted;
    let reach = format!("pg_catalog.max({name}) OPERATOR(pg_catalog.-) pg_catalog.min({name})");
    let (reach, known) = match measure {
        Measure::Seconds => (
            format!("pg_catalog.date_part('epoch', {reach})"),
            format!(" WHERE pg_catalog.isfinite({name})"),
        ),
        Measure::Days => (reach, format!(" WHERE pg_catalog.isfinite({name})")),
        Measure::Whole | Measure::Decimal => (reach, String::new()),
    };
    format!(
        "SELECT ({reach})::pg_catalog.float8 FROM {}{}{known}",
        relation.qualified,
        sampled(relation, FEW_PAGES, "0"),
    )
}

/// The query of how a column is distributed that may count: the number of rows, the least value, mean and variance of what is above it, and
/// the numbers of rows with the least value and with 1 more.
pub fn counts(relation: &Relation, column: &str) -> String {
    format!(
        "SELECT pg_catalog.count(*), pg_catalog.min(least), pg_catalog.avg(above), pg_catalog.var_samp(above), \
                pg_catalog.count(*) FILTER (WHERE above = 0), pg_catalog.count(*) FILTER (WHERE above = 1) \
         FROM (SELECT least, (value - least)::pg_catalog.float8 AS above \
                 FROM (SELECT {column} AS value, pg_catalog.min({column}) OVER () AS least FROM {}{}) AS pgperf_value) AS pgperf_value",
        relation.qualified,
        sampled(relation, FEW_PAGES, "0"),
    )
}
