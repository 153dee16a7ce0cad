//! Orders and lines by month: of the order, and of shipping.

use super::tables::{Decimal, Tables};
use crate::workload::data_set::{Keys, Partition};
use crate::workload::plain::{Divided, Table};
use std::sync::LazyLock;
use tpchgen::dates::{MIN_GENERATE_DATE, TOTAL_DATE_RANGE, TPCHDate};

/// All dates are of 1992 to 1998.
const FIRST_YEAR: i32 = 1992;
const MONTHS: i32 = 7 * 12;

impl<D: Decimal> Tables<D> {
    pub const BY_MONTH: &'static [Divided] = &[
        Divided {
            table: Self::ORDERS,
            by: "o_orderdate",
            partitions,
        },
        Divided {
            table: Self::LINEITEM,
            by: "l_shipdate",
            partitions,
        },
    ];
}

/// The number of a date's partition, from 0.
pub(super) fn month(date: TPCHDate) -> usize {
    static MONTHS_OF_DAYS: LazyLock<Vec<usize>> = LazyLock::new(|| {
        let days = MIN_GENERATE_DATE..MIN_GENERATE_DATE + TOTAL_DATE_RANGE;
        let month = |day| {
            let (year, month, _) = TPCHDate::new(day).to_ymd();
            ((1900 + year - FIRST_YEAR) * 12 + month - 1) as usize
        };
        days.map(month).collect()
    });
    let day = usize::try_from(date.into_inner()).unwrap_or(usize::MAX);
    MONTHS_OF_DAYS.get(day).copied().unwrap_or(MONTHS as usize)
}

fn partitions(table: &Table) -> Vec<Partition> {
    let year_and_month = |n: i32| (FIRST_YEAR + n / 12, n % 12 + 1);
    let first_day = |n: i32| {
        let (year, month) = year_and_month(n);
        format!("'{year}-{month:02}-01'")
    };
    let partition = |n: i32| {
        let (year, month) = year_and_month(n);
        Partition {
            table: format!("{}_{year}_{month:02}", table.name),
            bound: format!(
                "FOR VALUES FROM ({}) TO ({})",
                first_day(n),
                first_day(n + 1)
            ),
            keys: Keys::OfSource,
        }
    };
    (0..MONTHS).map(partition).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::tpch::tables::Exact;

    #[test]
    fn each_date_is_in_the_partition_of_its_month() {
        let partitions = partitions(Tables::<Exact>::LINEITEM);
        assert_eq!(partitions.len(), 84);
        for day in 0..TOTAL_DATE_RANGE {
            let date = TPCHDate::new(MIN_GENERATE_DATE + day);
            let text = date.to_string();
            let Partition { table, bound, .. } = &partitions[month(date)];
            assert_eq!(*table, format!("lineitem_{}", text[..7].replace('-', "_")));
            assert!(bound.starts_with(&format!("FOR VALUES FROM ('{}-01') TO ('", &text[..7])));
        }
        let last = &partitions[83].bound;
        assert_eq!(last, "FOR VALUES FROM ('1998-12-01') TO ('1999-01-01')");
    }
}
