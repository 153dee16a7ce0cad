//! The six transactions with their weights.

use super::options::{SmallbankOptions, customers};
use crate::workload::params::Params;
use crate::workload::scripts::ScriptSpec;

/// The word of a script for the draw of a customer.
const CUSTOMER: &str = "@customer@";

/// Name, weight in percent and text of each.
static TRANSACTIONS: [(&str, u32, &str); 6] = [
    ("amalgamate", 15, include_str!("scripts/amalgamate.sql")),
    ("balance", 15, include_str!("scripts/balance.sql")),
    (
        "deposit checking",
        15,
        include_str!("scripts/deposit_checking.sql"),
    ),
    ("send payment", 25, include_str!("scripts/send_payment.sql")),
    (
        "transact savings",
        15,
        include_str!("scripts/transact_savings.sql"),
    ),
    ("write check", 15, include_str!("scripts/write_check.sql")),
];

pub(super) fn scripts(params: &Params) -> Vec<ScriptSpec> {
    // They were checked before: they cannot be unreadable now.
    let options = SmallbankOptions::of(params).unwrap_or_default();
    let customer = customer(&options, customers(params));
    TRANSACTIONS
        .iter()
        .map(|(name, weight, text)| {
            ScriptSpec::new(name, &text.replace(CUSTOMER, &customer), *weight)
        })
        .collect()
}

/// The expression that draws a customer.
pub(super) fn customer(options: &SmallbankOptions, customers: i64) -> String {
    let (hot, percent) = (options.hotspot_customers, options.hotspot_percent);
    if percent == 0 || hot >= customers {
        return format!("random(1, {customers})");
    }
    format!(
        "CASE WHEN random(1, 100) <= {percent} THEN random(1, {hot}) ELSE random({}, {customers}) END",
        hot + 1
    )
}
