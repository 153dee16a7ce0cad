//! The options of sysbench 1.0.20, with its names and defaults.

use crate::error::Result;
use crate::workload::distribution;
use crate::workload::option::{Definition, Given, Kind, When, bad_value};
use crate::workload::params::Params;
use serde::Deserialize;

/// The plan of a load names each table, and has to fit into memory.
const MAX_TABLES: i32 = 10_000;
/// More of one kind make a transaction that nobody measures.
const MAX_QUERIES: i32 = 10_000;

const fn number(
    name: &'static str,
    (min, max): (i32, i32),
    default: i32,
    when: When,
    doc: &'static str,
) -> Definition {
    Definition {
        name,
        kind: Kind::integer(min, max),
        default: Given::Number(default as f64),
        when,
        doc,
    }
}

const fn switch(name: &'static str, default: bool, when: When, doc: &'static str) -> Definition {
    Definition {
        name,
        kind: Kind::Boolean,
        default: Given::Boolean(default),
        when,
        doc,
    }
}

const fn queries(name: &'static str, default: i32, doc: &'static str) -> Definition {
    number(name, (0, MAX_QUERIES), default, When::Run, doc)
}

pub(super) static DEFINITIONS: [Definition; 28] = [
    number(
        "scale",
        (1, i32::MAX),
        1,
        When::Both,
        "times table_size rows in each table",
    ),
    number("tables", (1, MAX_TABLES), 1, When::Both, "number of tables"),
    number(
        "table_size",
        (1, i32::MAX),
        10_000,
        When::Both,
        "rows in each table, for each unit of scale",
    ),
    switch(
        "auto_inc",
        true,
        When::Both,
        "whether a sequence numbers the rows, which decides what oltp_insert inserts",
    ),
    switch(
        "create_secondary",
        true,
        When::Load,
        "whether each table has an index on k",
    ),
    number(
        "range_size",
        (1, i32::MAX),
        100,
        When::Run,
        "rows of a range",
    ),
    queries("point_selects", 10, "point selects of a transaction"),
    queries("simple_ranges", 1, "simple range selects of a transaction"),
    queries("sum_ranges", 1, "sums over a range of a transaction"),
    queries("order_ranges", 1, "ordered range selects of a transaction"),
    queries(
        "distinct_ranges",
        1,
        "distinct range selects of a transaction",
    ),
    queries(
        "index_updates",
        1,
        "updates of the indexed column of a transaction",
    ),
    queries(
        "non_index_updates",
        1,
        "updates of a column without index of a transaction",
    ),
    queries(
        "delete_inserts",
        1,
        "rows that a transaction deletes and inserts again",
    ),
    switch(
        "range_selects",
        true,
        When::Run,
        "whether a transaction has range selects at all",
    ),
    switch(
        "skip_trx",
        false,
        When::Run,
        "whether each statement is a transaction of its own",
    ),
    number(
        "random_points",
        (1, 200),
        10,
        When::Run,
        "values that select_random_points looks for",
    ),
    number(
        "number_of_ranges",
        (1, 100),
        10,
        When::Run,
        "ranges that select_random_ranges counts",
    ),
    number(
        "delta",
        (0, i32::MAX),
        5,
        When::Run,
        "length of these ranges",
    ),
    Definition {
        name: "rand_type",
        kind: Kind::Choice(&["special", "uniform", "gaussian", "pareto", "zipfian"]),
        default: Given::Text("special"),
        when: When::Both,
        doc: "distribution of ids and of k",
    },
    number(
        "rand_spec_iter",
        (1, 1_000),
        12,
        When::Both,
        "draws that special and gaussian average",
    ),
    number(
        "rand_spec_pct",
        (1, 100),
        1,
        When::Both,
        "percent of the range where special has its special values",
    ),
    number(
        "rand_spec_res",
        (0, 99),
        75,
        When::Both,
        "percent of special values",
    ),
    Definition {
        name: "rand_pareto_h",
        kind: Kind::Number {
            min: 0.000_1,
            max: 0.999_9,
            is_whole: false,
        },
        default: Given::Number(0.2),
        when: When::Both,
        doc: "shape of pareto",
    },
    Definition {
        name: "rand_zipfian_exp",
        kind: Kind::Number {
            min: 0.0,
            max: 1_000.0,
            is_whole: false,
        },
        default: Given::Number(0.8),
        when: When::Both,
        doc: "exponent of zipfian",
    },
    Definition {
        name: "fillfactor",
        kind: Kind::integer(10, 100),
        default: Given::Number(100.0),
        when: When::Load,
        doc: "percent of each page to fill; sysbench has no such option",
    },
    switch(
        "unlogged",
        false,
        When::Load,
        "create unlogged tables; sysbench has no such option",
    ),
    distribution::OPTION,
];

/// The options, and the parameters of every data set, as steps and scripts need them.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct SysbenchOptions {
    #[serde(skip)]
    pub schema: String,
    /// Rows in each table.
    #[serde(skip)]
    pub rows: i32,
    pub tables: i32,
    table_size: i32,
    pub auto_inc: bool,
    pub create_secondary: bool,
    pub range_size: i32,
    pub point_selects: i32,
    pub simple_ranges: i32,
    pub sum_ranges: i32,
    pub order_ranges: i32,
    pub distinct_ranges: i32,
    pub index_updates: i32,
    pub non_index_updates: i32,
    pub delete_inserts: i32,
    pub range_selects: bool,
    pub skip_trx: bool,
    pub random_points: i32,
    pub number_of_ranges: i32,
    pub delta: i32,
    #[serde(flatten)]
    pub distribution: Distribution,
    pub fillfactor: i32,
    pub unlogged: bool,
    pub distribute: bool,
}

/// How ids and the values of k are distributed.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Distribution {
    pub rand_type: Kinds,
    pub rand_spec_iter: i64,
    pub rand_spec_pct: i64,
    pub rand_spec_res: i64,
    pub rand_pareto_h: f64,
    pub rand_zipfian_exp: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Kinds {
    Special,
    Uniform,
    Gaussian,
    Pareto,
    Zipfian,
}

impl SysbenchOptions {
    /// # Errors
    /// A value that the family does not accept; more rows than numbers of type integer.
    pub fn of(params: &Params) -> Result<SysbenchOptions> {
        // Those of a load lack the options of runs, and the other way round.
        let own = DEFINITIONS.iter().filter(|option| option.name != "scale");
        let defaults = own.map(|option| (option.name.to_owned(), option.default()));
        let mut complete = Params {
            options: defaults.collect(),
            ..params.clone()
        };
        complete.options.extend(params.options.clone());
        let options: SysbenchOptions = complete.options()?;
        let rows = f64::from(options.table_size) * params.scale.value().max(1.0);
        if rows > f64::from(i32::MAX) {
            return Err(bad_value(
                "table_size times scale",
                &format!("at most {}", i32::MAX),
                rows,
                "Use a smaller scale, or more tables.",
            ));
        }
        Ok(SysbenchOptions {
            schema: params.schema.clone(),
            rows: rows as i32,
            ..options
        })
    }
}
