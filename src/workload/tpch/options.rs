//! The options of loads and runs.

use super::streams::STREAMS;
use crate::error::Result;
use crate::workload::option::{Definition, Given, Kind, When, bad_value};
use crate::workload::params::Params;
use crate::workload::scale::Scale;
use serde::Deserialize;

/// Keys of parts and customers are integers.
const MAX_SCALE: f64 = 10_000.0;
const MIN_SCALE: f64 = 0.01;

pub(super) static DEFINITIONS: [Definition; 9] = [
    Definition {
        name: "scale",
        kind: Kind::Number {
            min: MIN_SCALE,
            max: MAX_SCALE,
            is_whole: false,
        },
        default: Given::Number(1.0),
        when: When::Load,
        doc: "6,000,000 lines of 1,500,000 orders, and the other tables in proportion",
    },
    Definition {
        name: "indexes",
        kind: Kind::Choice(&[NONE, KEYS, FOREIGN]),
        default: Given::Text(FOREIGN),
        when: When::Load,
        doc: "none; keys: primary keys; foreign: these, and an index on each foreign key, without which queries 17 and 20 take hours",
    },
    Definition {
        name: "foreign_keys",
        kind: Kind::Boolean,
        default: Given::Boolean(false),
        when: When::Load,
        doc: "create foreign keys, which need the primary keys",
    },
    Definition {
        name: "decimals",
        kind: Kind::Choice(&[EXACT, FLOAT]),
        default: Given::Text(EXACT),
        when: When::Load,
        doc: "type of money and quantities. numeric: numeric(15, 2); float: double precision",
    },
    Definition {
        name: "partitions",
        kind: Kind::Choice(&[NONE, MONTH]),
        default: Given::Text(NONE),
        when: When::Load,
        doc: "none; month: orders by the month of o_orderdate, and lines by that of l_shipdate",
    },
    Definition {
        name: "refresh_orders",
        kind: Kind::Boolean,
        default: Given::Boolean(false),
        when: When::Load,
        doc: "also load the new orders that runs with refresh insert and delete, in tables of their own",
    },
    Definition {
        name: "refresh",
        kind: Kind::Boolean,
        default: Given::Boolean(false),
        when: When::Run,
        doc: "whether refresh functions are part of the run: before and after the queries of one client, beside those of several \
              clients in one client more",
    },
    Definition {
        name: "stream",
        kind: Kind::integer(0, STREAMS as i32 - 1),
        default: Given::Nothing,
        when: When::Run,
        doc: "the stream of the first client, from which each further client takes the next one; 0 if not given and there is one \
              client, otherwise 1",
    },
    Definition {
        name: "validation",
        kind: Kind::Boolean,
        default: Given::Boolean(false),
        when: When::Run,
        doc: "whether queries have the parameters of the published answers, not drawn ones",
    },
];

const NONE: &str = "none";
const KEYS: &str = "keys";
const FOREIGN: &str = "foreign";
const EXACT: &str = "numeric";
const MONTH: &str = "month";
const FLOAT: &str = "float";

#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Indexes {
    None,
    Keys,
    #[default]
    Foreign,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Decimals {
    #[default]
    Numeric,
    Float,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Partitions {
    #[default]
    None,
    Month,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(super) struct TpchOptions {
    pub indexes: Indexes,
    pub foreign_keys: bool,
    pub decimals: Decimals,
    pub partitions: Partitions,
    pub refresh_orders: bool,
    pub refresh: bool,
    pub stream: Option<usize>,
    pub validation: bool,
}

impl TpchOptions {
    /// Those of tables or a run, which were checked before; the defaults for what a later version's data set has.
    pub fn of(params: &Params) -> TpchOptions {
        params.options().unwrap_or_default()
    }
}

/// Partitioned tables since 10, with keys and indexes since 11.
pub(super) fn needed_majors(own: &TpchOptions) -> Vec<(&'static str, u32)> {
    match (own.partitions, own.indexes) {
        (Partitions::None, _) => Vec::new(),
        (Partitions::Month, Indexes::None) => vec![("partitions => month", 10)],
        (Partitions::Month, _) => vec![("partitions => month with indexes", 11)],
    }
}

/// # Errors
/// Options that contradict each other; a scale at which the generator makes rows with equal keys.
pub(super) fn check_load(params: &Params) -> Result<TpchOptions> {
    let own: TpchOptions = params.options()?;
    if own.foreign_keys && own.indexes == Indexes::None {
        return Err(bad_value(
            "indexes",
            "keys or foreign if foreign_keys is true",
            "\"none\"",
            "A foreign key needs the primary key of the other table.",
        ));
    }
    if !has_distinct_suppliers(suppliers(params.scale)) {
        return Err(bad_value(
            "scale",
            "one at which the four suppliers of each part differ",
            params.scale,
            "TPC-H's rule for the suppliers of a part takes one of them twice at some scales below 0.023. 0.01, 0.02 and all \
             scales from 0.023 on have four.",
        ));
    }
    Ok(own)
}

/// # Errors
/// A run needs orders that were not loaded.
pub(super) fn check_run(params: &Params) -> Result<()> {
    let own = TpchOptions::of(params);
    if own.refresh && !own.refresh_orders {
        return Err(bad_value(
            "refresh",
            "false on tables without new orders",
            true,
            "Load them with new orders: CALL pgperf.init('tpch-like', options => '{\"refresh_orders\": true}', …).",
        ));
    }
    Ok(())
}

/// How many suppliers there are.
pub(super) fn suppliers(scale: Scale) -> i64 {
    (10_000.0 * scale.value()) as i64
}

/// Whether the rule for the suppliers of a part gives each part four of them. From one supplier of a part to the next, the number
/// grows by a quarter of all suppliers and by how often the part's number has gone round them, at most 19 times; modulo their
/// number.
fn has_distinct_suppliers(suppliers: i64) -> bool {
    let steps = (0..20).map(|rounds| suppliers / 4 + rounds);
    let mut multiples = steps.flat_map(|step| [step, 2 * step, 3 * step]);
    // Without a scale only the names of the tables matter.
    suppliers == 0 || multiples.all(|multiple| multiple % suppliers != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_scales_may_lack_suppliers() {
        for suppliers in [0, 100, 200, 230, 1_000, 10_000, 100_000_000] {
            assert!(has_distinct_suppliers(suppliers), "{suppliers}");
        }
        // 10 + 10 twice, 30 + 10 three times.
        assert!(!has_distinct_suppliers(40));
        assert!(!has_distinct_suppliers(120));
        assert!((230..20_000).all(has_distinct_suppliers));
    }
}
