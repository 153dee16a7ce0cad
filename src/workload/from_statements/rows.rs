//! Which rows a statement's values come from.

use super::uses::Column;
use super::values::{Draw, PoolKey, Row};
use std::collections::{BTreeMap, BTreeSet};

/// The rows that a statement needs: parameters for different columns of one table come from one row.
#[derive(Default)]
pub struct Rows {
    /// By role, place in the statement, and how many times the same column came before: parameters and their columns.
    groups: BTreeMap<(bool, usize, usize), Vec<(usize, Column)>>,
}

impl Rows {
    /// A parameter that gets a value of a column. `is_alone`: other parameters get values of other rows.
    pub fn add(&mut self, parameter: usize, column: Column, is_written: bool, is_alone: bool) {
        let mut number = 0;
        loop {
            let group = self
                .groups
                .entry((is_written, column.place, number))
                .or_default();
            let is_free = group.is_empty() || !is_alone;
            if is_free && group.iter().all(|(_, known)| known.number != column.number) {
                group.push((parameter, column));
                return;
            }
            number += 1;
        }
    }

    pub fn draws(self) -> Vec<(usize, Draw)> {
        let mut counts: BTreeMap<(bool, PoolKey), usize> = BTreeMap::new();
        let mut draws = Vec::new();
        for ((is_written, ..), members) in self.groups {
            let columns: BTreeSet<i16> = members.iter().map(|(_, column)| column.number).collect();
            let pool = PoolKey {
                relation: members.first().map_or(0, |(_, column)| column.relation),
                columns: columns.into_iter().collect(),
                is_written,
                ..PoolKey::default()
            };
            let count = counts.entry((is_written, pool.clone())).or_default();
            let row = Row {
                pool,
                is_written,
                number: *count,
            };
            *count += 1;
            for (parameter, column) in members {
                let place = row.pool.columns.iter().position(|it| *it == column.number);
                let column = place.unwrap_or_default();
                let row = row.clone();
                draws.push((parameter, Draw::Value { row, column }));
            }
        }
        draws
    }
}
