//! The partitions of pgbench_accounts, with pgbench's names and bounds (pgbench.c createPartitions).

use super::ACCOUNTS;
use super::init::fillfactor;
use super::options::{InitOptions, PartitionMethod};
use crate::pg::sql::quote::qualified;
use crate::workload::data_set::{Action, Keys, Partition};

/// The clause that makes a table a partitioned one.
pub(super) fn by(options: &InitOptions) -> &'static str {
    match method(options) {
        PartitionMethod::Range => " PARTITION BY range (aid)",
        PartitionMethod::Hash => " PARTITION BY hash (aid)",
    }
}

/// `UNLOGGED `, or nothing. From PostgreSQL 18 on, a partitioned table cannot be unlogged itself, and the tables
/// beside it are not unlogged either, as in pgbench.
pub(super) fn unlogged(options: &InitOptions, is_partition: bool) -> &'static str {
    let since_18 = match options.target_version {
        Some(version) => version >= 180_000,
        None => cfg!(feature = "since18"),
    };
    let only_partitions = options.partitions > 0 && since_18;
    match options.unlogged && (is_partition || !only_partitions) {
        true => "UNLOGGED ",
        false => "",
    }
}

/// What servers know of partitions: ranges since 10, primary keys and hashes since 11, foreign keys that refer to them since 12.
pub(super) fn needed_majors(options: &InitOptions) -> Vec<(&'static str, u32)> {
    let does = |step| options.steps.contains(step);
    let all = [
        ("partitions", 10, true),
        ("partitions with primary keys", 11, does('p')),
        (
            "partition_method => 'hash'",
            11,
            method(options) == PartitionMethod::Hash,
        ),
        (
            "partitions with foreign keys",
            12,
            options.foreign_keys || does('f'),
        ),
    ];
    let needed = all
        .into_iter()
        .filter(|(_, _, is_needed)| options.partitions > 0 && *is_needed);
    needed.map(|(what, major, _)| (what, major)).collect()
}

/// Creates all partitions, if there are to be any.
pub(super) fn create(options: &InitOptions) -> impl Iterator<Item = Action> {
    (1..=options.partitions).map(|number| {
        let partition = partition_of(options, number);
        Action::utility(format!(
            "CREATE {}TABLE {} PARTITION OF {} {}{}",
            unlogged(options, true),
            qualified(&options.schema, &partition.table),
            qualified(&options.schema, ACCOUNTS.name),
            partition.bound,
            fillfactor(options),
        ))
    })
}

/// The partition with this number, counted from 1.
pub(super) fn partition_of(options: &InitOptions, number: i32) -> Partition {
    let table = format!("{}_{number}", ACCOUNTS.name);
    let (number, count) = (i64::from(number), i64::from(options.partitions));
    match method(options) {
        PartitionMethod::Hash => {
            let remainder = number - 1;
            Partition {
                table,
                bound: format!("FOR VALUES WITH (modulus {count}, remainder {remainder})"),
                keys: Keys::Hash {
                    modulus: count as u64,
                    remainder: remainder as u64,
                },
            }
        }
        PartitionMethod::Range => {
            let total = i64::from(ACCOUNTS.rows) * i64::from(options.scale);
            let size = (total + count - 1) / count;
            let (first, next) = ((number - 1) * size + 1, number * size + 1);
            // The ends are open, so that any key is valid.
            let is_last = number == count;
            let from = match number {
                1 => "MINVALUE".to_owned(),
                _ => first.to_string(),
            };
            let to = match is_last {
                true => "MAXVALUE".to_owned(),
                false => next.to_string(),
            };
            Partition {
                table,
                bound: format!("FOR VALUES FROM ({from}) TO ({to})"),
                keys: Keys::Range {
                    first,
                    last: if is_last {
                        total
                    } else {
                        (next - 1).min(total)
                    },
                },
            }
        }
    }
}

/// Range is the default, as in pgbench.
fn method(options: &InitOptions) -> PartitionMethod {
    options.partition_method.unwrap_or(PartitionMethod::Range)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn partitions(scale: i32, partitions: i32, method: PartitionMethod) -> Vec<Partition> {
        let options = InitOptions {
            scale,
            partitions,
            partition_method: Some(method),
            ..InitOptions::default()
        };
        (1..=partitions)
            .map(|number| partition_of(&options, number))
            .collect()
    }

    #[test]
    fn ranges_as_pgbench_cuts_them() {
        let bounds: Vec<_> = partitions(1, 3, PartitionMethod::Range)
            .into_iter()
            .map(|partition| (partition.table, partition.bound))
            .collect();
        let expected = [
            (
                "pgbench_accounts_1",
                "FOR VALUES FROM (MINVALUE) TO (33335)",
            ),
            ("pgbench_accounts_2", "FOR VALUES FROM (33335) TO (66669)"),
            (
                "pgbench_accounts_3",
                "FOR VALUES FROM (66669) TO (MAXVALUE)",
            ),
        ];
        assert_eq!(
            bounds,
            expected.map(|(table, bound)| (table.to_owned(), bound.to_owned()))
        );
    }

    #[test]
    fn every_key_is_in_one_range() {
        for (scale, count) in [(1, 1), (1, 7), (3, 99), (1, 100_001), (2, 150_000)] {
            let mut next = 1;
            for partition in partitions(scale, count, PartitionMethod::Range) {
                let Keys::Range { first, last } = partition.keys else {
                    panic!("not a range")
                };
                // Partitions beyond the last key are empty.
                if first <= last {
                    assert_eq!(first, next);
                    next = last + 1;
                }
            }
            assert_eq!(next, i64::from(scale) * 100_000 + 1);
        }
    }

    #[test]
    fn what_servers_must_know() {
        let highest = |partitions, method, steps: &str| {
            let options = InitOptions {
                partitions,
                partition_method: method,
                steps: steps.to_owned(),
                ..InitOptions::default()
            };
            needed_majors(&options)
                .iter()
                .map(|(_, major)| *major)
                .max()
        };
        let (range, hash) = (Some(PartitionMethod::Range), Some(PartitionMethod::Hash));
        assert_eq!(highest(0, None, "dtgvpf"), None);
        assert_eq!(highest(2, range, "dtg"), Some(10));
        assert_eq!(highest(2, None, "dtgvp"), Some(11));
        assert_eq!(highest(2, hash, "dtg"), Some(11));
        assert_eq!(highest(2, range, "dtgvpf"), Some(12));
    }

    /// Partitioned tables are not unlogged themselves from 18 on.
    #[test]
    fn the_version_of_the_target_counts() {
        let of = |version| InitOptions {
            partitions: 2,
            unlogged: true,
            target_version: Some(version),
            ..InitOptions::default()
        };
        assert_eq!(unlogged(&of(170_000), false), "UNLOGGED ");
        assert_eq!(unlogged(&of(180_000), false), "");
        assert_eq!(unlogged(&of(180_000), true), "UNLOGGED ");
    }

    #[test]
    fn hash_partitions_count_from_zero() {
        let second = partitions(1, 2, PartitionMethod::Hash).pop();
        assert_eq!(
            second,
            Some(Partition {
                table: "pgbench_accounts_2".to_owned(),
                bound: "FOR VALUES WITH (modulus 2, remainder 1)".to_owned(),
                keys: Keys::Hash {
                    modulus: 2,
                    remainder: 1
                },
            })
        );
    }
}
