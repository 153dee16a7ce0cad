//! The list of families. Neither the definition of a family nor any family depends on it.

#[cfg(any(test, feature = "toy"))]
use super::toy;
use super::{Family, bulk_insert, pgbench, smallbank, sysbench, tatp, tpcc, tpch, ycsb};

/// All families; the default workload's comes first.
pub fn families() -> &'static [&'static dyn Family] {
    &[
        &pgbench::Pgbench,
        &sysbench::Sysbench,
        &bulk_insert::BulkInsert,
        &tpcc::Tpcc,
        &tpch::Tpch,
        &ycsb::Ycsb,
        &tatp::Tatp,
        &smallbank::SmallBank,
        #[cfg(any(test, feature = "toy"))]
        &toy::Toy,
    ]
}
