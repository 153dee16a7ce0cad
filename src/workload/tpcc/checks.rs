//! The conditions that the tables must meet: how many rows those have that no transaction adds to, and the twelve consistency
//! conditions (TPC-C 3.3.2). Each is one query, so all that it compares is of one snapshot.

use super::functions::with_names;
use super::rows::{CUSTOMERS, DISTRICTS, ITEMS};
use super::tables;
use crate::workload::family::Check;
use crate::workload::params::Params;

pub(super) fn checks(params: &Params) -> Vec<Check> {
    let warehouses = i64::from(params.scale.rounded());
    let districts = warehouses * i64::from(DISTRICTS);
    [
        (&tables::ITEM, ITEMS.into()),
        (&tables::WAREHOUSE, warehouses),
        (&tables::DISTRICT, districts),
        (&tables::STOCK, warehouses * i64::from(ITEMS)),
        (&tables::CUSTOMER, districts * i64::from(CUSTOMERS)),
    ]
    .into_iter()
    .map(|(table, rows)| table.row_count(params, rows))
    .chain(CONDITIONS.iter().map(|condition| condition.check(params)))
    .collect()
}

struct Condition {
    number: u32,
    words: &'static str,
    /// A query of the places that do not meet it: warehouse, district (NULL if it is about warehouses), and what is wrong.
    wrong: &'static str,
}

impl Condition {
    fn check(&self, params: &Params) -> Check {
        let wrong = with_names(&params.schema, self.wrong);
        Check {
            name: format!("condition {}: {}", self.number, self.words),
            sql: format!(
                "WITH wrong (w, d, what) AS MATERIALIZED ({wrong}), \
                 first AS (SELECT pg_catalog.concat('warehouse ' || w, ', district ' || d, ': ', what) AS place \
                             FROM wrong ORDER BY w, d, what LIMIT 1) \
                 SELECT n.n = 0 AS passed, CASE WHEN n.n = 0 THEN NULL WHEN n.n = 1 THEN first.place \
                        ELSE pg_catalog.format('%s, and %s more', first.place, n.n - 1) END AS detail \
                   FROM (SELECT pg_catalog.count(*) AS n FROM wrong) AS n LEFT JOIN first ON true"
            ),
        }
    }
}

static CONDITIONS: [Condition; 12] = [
    Condition {
        number: 1,
        words: "w_ytd = sum of d_ytd",
        wrong: "SELECT w_id, NULL::int, pg_catalog.format('w_ytd %s, sum of d_ytd %s', w_ytd, total) \
                  FROM {warehouse} LEFT JOIN (SELECT d_w_id, pg_catalog.sum(d_ytd) AS total FROM {district} GROUP BY d_w_id) AS d \
                    ON d_w_id = w_id \
                 WHERE w_ytd IS DISTINCT FROM total",
    },
    Condition {
        number: 2,
        words: "d_next_o_id - 1 = largest o_id = largest no_o_id",
        wrong: "SELECT d_w_id, d_id, pg_catalog.format('d_next_o_id %s, largest o_id %s, largest no_o_id %s', d_next_o_id, o, no) \
                  FROM (SELECT d_w_id, d_id, d_next_o_id, \
                               (SELECT pg_catalog.max(o_id) FROM {orders} WHERE o_w_id = d_w_id AND o_d_id = d_id) AS o, \
                               (SELECT pg_catalog.max(no_o_id) FROM {new_order} WHERE no_w_id = d_w_id AND no_d_id = d_id) AS no \
                          FROM {district}) AS d \
                 WHERE o IS DISTINCT FROM d_next_o_id - 1 OR no <> d_next_o_id - 1",
    },
    Condition {
        number: 3,
        words: "the numbers of new_order have no gap",
        wrong: "SELECT no_w_id, no_d_id, pg_catalog.format('%s rows from %s to %s', \
                       pg_catalog.count(*), pg_catalog.min(no_o_id), pg_catalog.max(no_o_id)) \
                  FROM {new_order} GROUP BY no_w_id, no_d_id \
                HAVING pg_catalog.max(no_o_id) - pg_catalog.min(no_o_id) + 1 <> pg_catalog.count(*)",
    },
    Condition {
        number: 4,
        words: "sum of o_ol_cnt = rows of order_line",
        wrong: "SELECT w, d, pg_catalog.format('sum of o_ol_cnt %s, rows %s', o.total, l.lines) \
                  FROM (SELECT o_w_id AS w, o_d_id AS d, pg_catalog.sum(o_ol_cnt) AS total FROM {orders} GROUP BY 1, 2) AS o \
                  FULL JOIN (SELECT ol_w_id AS w, ol_d_id AS d, pg_catalog.count(*) AS lines FROM {order_line} GROUP BY 1, 2) AS l \
                 USING (w, d) \
                 WHERE o.total IS DISTINCT FROM l.lines",
    },
    Condition {
        number: 5,
        words: "o_carrier_id is NULL exactly for the orders of new_order",
        wrong: "SELECT w, d, CASE WHEN NOT is_order THEN pg_catalog.format('new_order %s has no order', id) \
                       ELSE pg_catalog.format('order %s: carrier %s, %s', id, COALESCE(carrier::text, 'NULL'), \
                            CASE WHEN is_new THEN 'new' ELSE 'not new' END) END \
                  FROM (SELECT o_w_id AS w, o_d_id AS d, o_id AS id, o_carrier_id AS carrier, true AS is_order FROM {orders}) AS o \
                  FULL JOIN (SELECT no_w_id AS w, no_d_id AS d, no_o_id AS id, true AS is_new FROM {new_order}) AS n USING (w, d, id) \
                 WHERE is_order IS NULL OR (carrier IS NULL) <> (is_new IS NOT NULL)",
    },
    Condition {
        number: 6,
        words: "o_ol_cnt = lines of the order",
        wrong: "SELECT w, d, pg_catalog.format('order %s: o_ol_cnt %s, %s lines', id, o_ol_cnt, COALESCE(lines, 0)) \
                  FROM (SELECT o_w_id AS w, o_d_id AS d, o_id AS id, o_ol_cnt FROM {orders}) AS o \
                  FULL JOIN (SELECT ol_w_id AS w, ol_d_id AS d, ol_o_id AS id, pg_catalog.count(*) AS lines \
                               FROM {order_line} GROUP BY 1, 2, 3) AS l USING (w, d, id) \
                 WHERE o_ol_cnt IS DISTINCT FROM lines",
    },
    Condition {
        number: 7,
        words: "ol_delivery_d is NULL exactly for orders without a carrier",
        wrong: "SELECT o_w_id, o_d_id, pg_catalog.format('order %s, line %s: ol_delivery_d %s, carrier %s', o_id, ol_number, \
                       COALESCE(ol_delivery_d::text, 'NULL'), COALESCE(o_carrier_id::text, 'NULL')) \
                  FROM {orders} JOIN {order_line} ON ol_w_id = o_w_id AND ol_d_id = o_d_id AND ol_o_id = o_id \
                 WHERE (ol_delivery_d IS NULL) <> (o_carrier_id IS NULL)",
    },
    Condition {
        number: 8,
        words: "w_ytd = sum of h_amount",
        wrong: "SELECT w_id, NULL::int, pg_catalog.format('w_ytd %s, sum of h_amount %s', w_ytd, total) \
                  FROM {warehouse} LEFT JOIN (SELECT h_w_id, pg_catalog.sum(h_amount) AS total FROM {history} GROUP BY h_w_id) AS h \
                    ON h_w_id = w_id \
                 WHERE w_ytd IS DISTINCT FROM total",
    },
    Condition {
        number: 9,
        words: "d_ytd = sum of h_amount",
        wrong: "SELECT d_w_id, d_id, pg_catalog.format('d_ytd %s, sum of h_amount %s', d_ytd, total) \
                  FROM {district} LEFT JOIN (SELECT h_w_id, h_d_id, pg_catalog.sum(h_amount) AS total \
                                               FROM {history} GROUP BY h_w_id, h_d_id) AS h \
                    ON h_w_id = d_w_id AND h_d_id = d_id \
                 WHERE d_ytd IS DISTINCT FROM total",
    },
    Condition {
        number: 10,
        words: "c_balance = sum of delivered ol_amount - sum of h_amount",
        wrong: "SELECT c_w_id, c_d_id, pg_catalog.format('customer %s: c_balance %s, delivered %s, paid %s', c_id, c_balance, \
                       COALESCE(delivered, 0), COALESCE(paid, 0)) \
                  FROM {customer} \
                  LEFT JOIN (SELECT o_w_id AS c_w_id, o_d_id AS c_d_id, o_c_id AS c_id, pg_catalog.sum(amount) AS delivered \
                               FROM {orders} JOIN (SELECT ol_w_id, ol_d_id, ol_o_id, pg_catalog.sum(ol_amount) AS amount \
                                                     FROM {order_line} WHERE ol_delivery_d IS NOT NULL GROUP BY 1, 2, 3) AS o \
                                 ON ol_w_id = o_w_id AND ol_d_id = o_d_id AND ol_o_id = o_id \
                              GROUP BY 1, 2, 3) AS l USING (c_w_id, c_d_id, c_id) \
                  LEFT JOIN (SELECT h_c_w_id AS c_w_id, h_c_d_id AS c_d_id, h_c_id AS c_id, pg_catalog.sum(h_amount) AS paid \
                               FROM {history} GROUP BY 1, 2, 3) AS h USING (c_w_id, c_d_id, c_id) \
                 WHERE c_balance IS DISTINCT FROM COALESCE(delivered, 0) - COALESCE(paid, 0)",
    },
    // The specification asks this of the initial population alone, which has delivered nothing: the orders that were
    // delivered since are counted with the customers.
    Condition {
        number: 11,
        words: "orders - rows of new_order = 2,100 + deliveries since the load",
        wrong: "SELECT w, d, pg_catalog.format('%s orders, %s new, %s deliveries', orders, COALESCE(new, 0), deliveries) \
                  FROM (SELECT o_w_id AS w, o_d_id AS d, pg_catalog.count(*) AS orders FROM {orders} GROUP BY 1, 2) AS o \
                  FULL JOIN (SELECT c_w_id AS w, c_d_id AS d, pg_catalog.sum(c_delivery_cnt) AS deliveries \
                               FROM {customer} GROUP BY 1, 2) AS c USING (w, d) \
                  LEFT JOIN (SELECT no_w_id AS w, no_d_id AS d, pg_catalog.count(*) AS new FROM {new_order} GROUP BY 1, 2) AS n \
                 USING (w, d) \
                 WHERE orders - COALESCE(new, 0) IS DISTINCT FROM 2100 + deliveries",
    },
    Condition {
        number: 12,
        words: "c_balance + c_ytd_payment = sum of delivered ol_amount",
        wrong: "SELECT c_w_id, c_d_id, pg_catalog.format('customer %s: c_balance %s, c_ytd_payment %s, delivered %s', c_id, c_balance, \
                       c_ytd_payment, COALESCE(delivered, 0)) \
                  FROM {customer} \
                  LEFT JOIN (SELECT o_w_id AS c_w_id, o_d_id AS c_d_id, o_c_id AS c_id, pg_catalog.sum(amount) AS delivered \
                               FROM {orders} JOIN (SELECT ol_w_id, ol_d_id, ol_o_id, pg_catalog.sum(ol_amount) AS amount \
                                                     FROM {order_line} WHERE ol_delivery_d IS NOT NULL GROUP BY 1, 2, 3) AS o \
                                 ON ol_w_id = o_w_id AND ol_d_id = o_d_id AND ol_o_id = o_id \
                              GROUP BY 1, 2, 3) AS l USING (c_w_id, c_d_id, c_id) \
                 WHERE c_balance + c_ytd_payment IS DISTINCT FROM COALESCE(delivered, 0)",
    },
];
