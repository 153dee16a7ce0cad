//! The transactions as functions of the data set, for the workload that calls them. The arguments of each are the values that
//! its script has drawn. It does what the specification's transaction of that name does. Tables are schema-qualified, and the
//! functions run with the caller's rights.

use crate::pg::sql::quote::{qualified, quote_literal};

struct Function {
    name: &'static str,
    arguments: &'static str,
    returns: &'static str,
    volatility: &'static str,
    /// In PL/pgSQL; the name of a table or a function in braces stands for its qualified name.
    body: &'static str,
}

/// Those that scripts call.
pub(super) static CALLED: [&str; 5] = [
    "tpcc_new_order",
    "tpcc_payment",
    "tpcc_order_status",
    "tpcc_delivery",
    "tpcc_stock_level",
];

const STOCK_AFTER: &str = "tpcc_stock_after";

static FUNCTIONS: [Function; 6] = [
    Function {
        name: STOCK_AFTER,
        arguments: "quantity int, quantities int[]",
        returns: "int",
        volatility: "IMMUTABLE",
        body: include_str!("functions/stock_after.sql"),
    },
    // order_id is 0 if there is no such item: then the caller has to roll back.
    Function {
        name: "tpcc_new_order",
        arguments: "warehouse_id int, district_id int, customer_id int, items int[], suppliers int[], quantities int[], \
                    OUT order_id int, OUT entered timestamp, OUT last_name text, OUT credit text, OUT discount numeric, \
                    OUT warehouse_tax numeric, OUT district_tax numeric, OUT total numeric, OUT brands text",
        returns: "record",
        volatility: "VOLATILE",
        body: include_str!("functions/new_order.sql"),
    },
    // The customer is the one with this name if customer_id is 0: the middle one in the order of first names.
    Function {
        name: "tpcc_payment",
        arguments: "warehouse_id int, district_id int, customer_warehouse int, customer_district int, INOUT customer_id int, \
                    customer_name text, amount numeric, OUT paid timestamp, OUT first_name text, OUT last_name text, \
                    OUT credit text, OUT credit_limit numeric, OUT discount numeric, OUT balance numeric, OUT bad_credit text",
        returns: "record",
        volatility: "VOLATILE",
        body: include_str!("functions/payment.sql"),
    },
    // A row for each line of the customer's latest order.
    Function {
        name: "tpcc_order_status",
        arguments: "warehouse_id int, district_id int, INOUT customer_id int, customer_name text, \
                    OUT first_name text, OUT last_name text, OUT balance numeric, OUT order_id int, \
                    OUT entered_at timestamp, OUT carrier_id int, OUT item int, OUT supplier int, OUT quantity int, \
                    OUT amount numeric, OUT delivered_at timestamp",
        returns: "SETOF record",
        volatility: "STABLE",
        body: include_str!("functions/order_status.sql"),
    },
    // How many orders it delivered: one in each district that has a new order.
    Function {
        name: "tpcc_delivery",
        arguments: "warehouse_id int, carrier_id int, OUT delivered int",
        returns: "int",
        volatility: "VOLATILE",
        body: include_str!("functions/delivery.sql"),
    },
    Function {
        name: "tpcc_stock_level",
        arguments: "warehouse_id int, district_id int, threshold int, OUT low bigint",
        returns: "bigint",
        volatility: "STABLE",
        body: include_str!("functions/stock_level.sql"),
    },
];

/// The statements that create them.
pub(super) fn functions(schema: &str) -> Vec<String> {
    FUNCTIONS
        .iter()
        .map(|function| {
            format!(
                "CREATE OR REPLACE FUNCTION {} ({}) RETURNS {} LANGUAGE plpgsql {} AS {}",
                qualified(schema, function.name),
                function.arguments,
                function.returns,
                function.volatility,
                quote_literal(&with_names(schema, function.body)),
            )
        })
        .collect()
}

/// The text with a qualified name for each name in braces.
pub(super) fn with_names(schema: &str, text: &str) -> String {
    let mut parts = text.split('{');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| match part.split_once('}') {
        Some((name, rest)) => text + &qualified(schema, name) + rest,
        None => text + part,
    })
}

#[cfg(test)]
mod tests {
    use super::super::options::RunOptions;
    use super::super::scripts::{STORED, scripts};
    use super::super::tables::TABLES;
    use super::*;

    #[test]
    fn functions_name_nothing_but_their_tables() {
        for function in &FUNCTIONS {
            let names = function.body.split('{').skip(1);
            for name in names.map(|part| part.split_once('}').unwrap().0) {
                let is_table = TABLES.iter().any(|table| table.name == name);
                assert!(is_table || name == STOCK_AFTER, "{name}");
            }
        }
    }

    #[test]
    fn scripts_call_functions_of_the_load() {
        let names: Vec<_> = FUNCTIONS.iter().map(|function| function.name).collect();
        assert!(CALLED.iter().all(|called| names.contains(called)));
        let scripts = scripts(&STORED, &RunOptions::default());
        for called in CALLED {
            let call = format!("{called}(");
            assert!(scripts.iter().any(|script| script.text.contains(&call)));
        }
        let calls = scripts
            .iter()
            .map(|script| script.text.matches("tpcc_").count());
        assert_eq!(
            calls.sum::<usize>(),
            CALLED.len() + 1,
            "new order has two scripts"
        );
    }

    #[test]
    fn a_schema_may_have_any_name() {
        for text in functions("a'b\"{c}") {
            assert!(text.starts_with("CREATE OR REPLACE FUNCTION \"a'b\"\"{c}\".\"tpcc_"));
            // In the body, which is a literal, quotes are in pairs.
            let (_, body) = text.split_once(" AS '").unwrap();
            let body = body.strip_suffix('\'').unwrap();
            assert!(!body.replace("''", "").contains('\''), "{text}");
        }
    }
}
