//! The seven transactions with their weights.

use super::options::{TatpOptions, subscribers};
use super::rows::MAX_LOCATION;
use crate::workload::params::Params;
use crate::workload::scripts::ScriptSpec;

/// Name, weight in percent and text of each.
static TRANSACTIONS: [(&str, u32, &str); 7] = [
    (
        "get subscriber data",
        35,
        include_str!("scripts/get_subscriber_data.sql"),
    ),
    (
        "get new destination",
        10,
        include_str!("scripts/get_new_destination.sql"),
    ),
    (
        "get access data",
        35,
        include_str!("scripts/get_access_data.sql"),
    ),
    (
        "update subscriber data",
        2,
        include_str!("scripts/update_subscriber_data.sql"),
    ),
    (
        "update location",
        14,
        include_str!("scripts/update_location.sql"),
    ),
    (
        "insert call forwarding",
        2,
        include_str!("scripts/insert_call_forwarding.sql"),
    ),
    (
        "delete call forwarding",
        2,
        include_str!("scripts/delete_call_forwarding.sql"),
    ),
];

/// Words between two @ stand for draws.
pub(super) fn scripts(params: &Params) -> Vec<ScriptSpec> {
    // They were checked before: they cannot be unreadable now.
    let options = TatpOptions::of(params).unwrap_or_default();
    let values = [
        ("@subscriber@", subscriber(&options, subscribers(params))),
        ("@sub_nbr@", sub_nbr(":s_id")),
        ("@location@", format!("random(1, {MAX_LOCATION})")),
    ];
    TRANSACTIONS
        .iter()
        .map(|(name, weight, text)| {
            let text = values
                .iter()
                .fold((*text).to_owned(), |text, (word, value)| {
                    text.replace(word, value)
                });
            ScriptSpec::new(name, &text, *weight)
        })
        .collect()
}

/// The expression that draws a subscriber. Some come more often than others, by a bitwise OR with a second draw, whose range
/// depends on their number.
pub(super) fn subscriber(options: &TatpOptions, subscribers: i64) -> String {
    let or = match subscribers {
        ..=1_000_000 => 65_535,
        1_000_001..=10_000_000 => 1_048_575,
        _ => 2_097_151,
    };
    match options.uniform {
        true => format!("random(1, {subscribers})"),
        false => format!("nurand({or}, 1, {subscribers}, 0)"),
    }
}

/// The expression for the number of 15 digits of a subscriber: five zeros, then ten digits, one by one.
pub(super) fn sub_nbr(s_id: &str) -> String {
    let digits = (0..10_u32).rev().map(|place| match place {
        0 => format!("{s_id} % 10"),
        _ => format!("{s_id} / {} % 10", 10_i64.pow(place)),
    });
    let digits: Vec<_> = digits.collect();
    format!("concat('00000', {})", digits.join(", "))
}
