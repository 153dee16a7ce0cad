//! The keys of records, and how a request chooses one: as expressions of scripts, and for the rows of a load.

use super::options::{Distribution, ITEMS, InsertOrder, YcsbOptions};
use script::random::hash_fnv1a;

/// The key of the record with this number, which counts from 0.
pub(super) fn key(order: InsertOrder, number: i64) -> String {
    match order {
        InsertOrder::Hashed => format!("user{}", hash_fnv1a(number, 0).wrapping_abs()),
        InsertOrder::Ordered => format!("user{number}"),
    }
}

/// The same as an expression.
pub(super) fn key_expression(order: InsertOrder, number: &str) -> String {
    match order {
        InsertOrder::Hashed => format!("concat('user', {})", hash(number)),
        InsertOrder::Ordered => format!("concat('user', {number})"),
    }
}

fn hash(number: &str) -> String {
    format!("abs(hash_fnv1a({number}, 0))")
}

/// The expression that chooses the number of a record. `newest`: that of the newest one, which only some distributions need.
pub(super) fn chosen(distribution: Distribution, options: &YcsbOptions, newest: &str) -> String {
    let (records, constant) = (options.records, options.zipfianconstant);
    match distribution {
        // The hash scatters the items that come often over all records.
        Distribution::Zipfian => {
            let item = format!("sysbench_zipfian(0, {}, {constant})", ITEMS - 1);
            format!("{} % {records}", hash(&item))
        }
        Distribution::Latest => format!("{newest} - sysbench_zipfian(0, {newest}, {constant})"),
        Distribution::Uniform => format!("random(0, {})", records - 1),
    }
}
