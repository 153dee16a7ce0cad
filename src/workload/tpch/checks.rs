//! The conditions that the tables meet after a load: how many rows they have, and what tables say of each other. Queries change
//! nothing, and refreshes undo what they change, so they hold after runs, too.

use super::options::TpchOptions;
use super::tables::{Exact, Tables};
use super::{data_set, refresh};
use crate::pg::sql::quote::qualified;
use crate::workload::family::Check;
use crate::workload::params::Params;
use tpchgen::generators::{CustomerGenerator, OrderGenerator, PartGenerator, SupplierGenerator};

pub(super) fn checks(params: &Params) -> Vec<Check> {
    let scale = params.scale.value();
    let count = |rows: fn(f64, i32, i32) -> i64| rows(scale, 1, 1);
    let parts = count(PartGenerator::calculate_row_count);
    let counts = [
        (Tables::<Exact>::REGION, 5),
        (Tables::<Exact>::NATION, 25),
        (
            Tables::<Exact>::SUPPLIER,
            count(SupplierGenerator::calculate_row_count),
        ),
        (Tables::<Exact>::PART, parts),
        (Tables::<Exact>::PARTSUPP, 4 * parts),
        (
            Tables::<Exact>::CUSTOMER,
            count(CustomerGenerator::calculate_row_count),
        ),
        (
            Tables::<Exact>::ORDERS,
            count(OrderGenerator::calculate_row_count),
        ),
    ];
    let counts = counts.into_iter();
    let mut checks: Vec<Check> = counts
        .map(|(table, rows)| table.row_count(params, rows))
        .chain(CONDITIONS.iter().map(|condition| condition.check(params)))
        .collect();
    if TpchOptions::of(params).refresh_orders {
        let new_orders = Tables::<Exact>::REFRESH_ORDERS;
        checks.push(new_orders.row_count(params, refresh::count(scale)));
        checks.push(NO_REFRESH_IS_LEFT.check(params));
    }
    checks
}

struct Condition {
    words: &'static str,
    /// A query of the keys of rows that do not meet it. Names of tables are in braces.
    wrong: &'static str,
}

impl Condition {
    fn check(&self, params: &Params) -> Check {
        let names = data_set(true).names();
        let wrong = names.iter().fold(self.wrong.to_owned(), |sql, name| {
            sql.replace(&format!("{{{name}}}"), &qualified(&params.schema, name))
        });
        Check {
            name: self.words.to_owned(),
            sql: format!(
                "SELECT n.n = 0 AS passed, \
                        CASE WHEN n.n > 0 THEN pg_catalog.format('%s are wrong, such as %s', n.n, n.first) END AS detail \
                   FROM (SELECT pg_catalog.count(*) AS n, pg_catalog.min(wrong.key) AS first FROM ({wrong}) AS wrong (key)) AS n"
            ),
        }
    }
}

/// A server that ends in the middle of a run leaves them; the next run with refreshes deletes them.
static NO_REFRESH_IS_LEFT: Condition = Condition {
    words: "no order of a refresh is left",
    wrong: "SELECT o_orderkey FROM {orders} WHERE o_orderkey IN (SELECT o_orderkey FROM {refresh_orders})",
};

static CONDITIONS: [Condition; 12] = [
    Condition {
        words: "each nation has its region",
        wrong: "SELECT n_nationkey FROM {nation} WHERE NOT EXISTS (SELECT FROM {region} WHERE r_regionkey = n_regionkey)",
    },
    Condition {
        words: "each supplier has its nation",
        wrong: "SELECT s_suppkey FROM {supplier} WHERE NOT EXISTS (SELECT FROM {nation} WHERE n_nationkey = s_nationkey)",
    },
    Condition {
        words: "each customer has its nation",
        wrong: "SELECT c_custkey FROM {customer} WHERE NOT EXISTS (SELECT FROM {nation} WHERE n_nationkey = c_nationkey)",
    },
    Condition {
        words: "each part has four suppliers",
        wrong: "SELECT p_partkey FROM {part} \
                  LEFT JOIN (SELECT ps_partkey, pg_catalog.count(DISTINCT ps_suppkey) AS suppliers FROM {partsupp} \
                              WHERE EXISTS (SELECT FROM {supplier} WHERE s_suppkey = ps_suppkey) GROUP BY ps_partkey) AS ps \
                    ON ps_partkey = p_partkey \
                 WHERE suppliers IS DISTINCT FROM 4",
    },
    Condition {
        words: "each supplier of a part supplies a part that there is",
        wrong: "SELECT ps_partkey FROM {partsupp} WHERE NOT EXISTS (SELECT FROM {part} WHERE p_partkey = ps_partkey)",
    },
    Condition {
        words: "each order has its customer",
        wrong: "SELECT o_orderkey FROM {orders} WHERE NOT EXISTS (SELECT FROM {customer} WHERE c_custkey = o_custkey)",
    },
    Condition {
        words: "each line has its order",
        wrong: "SELECT l_orderkey FROM {lineitem} WHERE NOT EXISTS (SELECT FROM {orders} WHERE o_orderkey = l_orderkey)",
    },
    Condition {
        words: "each line has its part from one of its suppliers",
        wrong: "SELECT l_orderkey FROM {lineitem} \
                 WHERE NOT EXISTS (SELECT FROM {partsupp} WHERE ps_partkey = l_partkey AND ps_suppkey = l_suppkey)",
    },
    Condition {
        words: "the lines of an order are numbered from 1 to 7 at most",
        wrong: "SELECT o_orderkey FROM {orders} \
                  LEFT JOIN (SELECT l_orderkey, pg_catalog.count(DISTINCT l_linenumber) AS numbers, \
                                    pg_catalog.min(l_linenumber) AS first, pg_catalog.max(l_linenumber) AS last, \
                                    pg_catalog.count(*) AS lines \
                               FROM {lineitem} GROUP BY l_orderkey) AS l \
                    ON l_orderkey = o_orderkey \
                 WHERE first IS DISTINCT FROM 1 OR last > 7 OR last <> lines OR numbers <> lines",
    },
    Condition {
        words: "the status of an order is that of its lines",
        wrong: "SELECT o_orderkey FROM {orders} \
                  JOIN (SELECT l_orderkey, pg_catalog.min(l_linestatus) AS first, pg_catalog.max(l_linestatus) AS last \
                          FROM {lineitem} GROUP BY l_orderkey) AS l \
                    ON l_orderkey = o_orderkey \
                 WHERE o_orderstatus <> CASE WHEN first = last THEN first ELSE 'P' END",
    },
    // Of each line twice less than a cent is cut off.
    Condition {
        words: "the price of an order is the sum of its lines with discounts and taxes",
        wrong: "SELECT o_orderkey FROM {orders} \
                  JOIN (SELECT l_orderkey, pg_catalog.sum(l_extendedprice * (1 - l_discount) * (1 + l_tax)) AS price, \
                               pg_catalog.count(*) AS lines \
                          FROM {lineitem} GROUP BY l_orderkey) AS l \
                    ON l_orderkey = o_orderkey \
                 WHERE pg_catalog.abs(o_totalprice - price) > 0.021 * lines",
    },
    Condition {
        words: "the price of a line is that of the part for its quantity",
        wrong: "SELECT l_orderkey FROM {lineitem} JOIN {part} ON p_partkey = l_partkey \
                 WHERE pg_catalog.abs(l_extendedprice - l_quantity * p_retailprice) > 0.001",
    },
];
