//! Which rows a statement's values come from.

use super::popularity::Popularity;
use super::uses::Column;
use super::values::Draw;
use std::collections::{BTreeMap, BTreeSet};

/// Which rows of its table a pool has.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Choice {
    /// Any, all alike.
    #[default]
    Any,
    /// Neighbours in the table, which come one after the other.
    Neighbours,
    /// Popular ones come more often.
    Popular(Popularity),
}

/// The columns of a table whose values are drawn together.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct PoolKey {
    pub relation: u32,
    pub columns: Vec<i16>,
    /// Arrays of so many values of the only column; 0: of a number that is not known yet.
    pub list: Option<i64>,
    /// The values are only written, so that nothing is known of how many rows have them.
    pub is_written: bool,
    /// The largest value of the only column.
    pub is_top: bool,
    pub choice: Choice,
    /// The upper ends of ranges, which come after the columns.
    pub above: Vec<Above>,
}

/// A value that is so much above that of a column.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Above {
    /// Which of the pool's columns.
    pub place: usize,
    /// In SQL.
    pub amount: String,
}

impl PoolKey {
    /// The same values, of rows that are chosen in another way.
    pub fn choosing(&self, choice: Choice) -> PoolKey {
        PoolKey {
            choice,
            ..self.clone()
        }
    }
}

/// Which of the rows that are drawn from a pool. Statements of one transaction share those that are alike.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Row {
    pub pool: PoolKey,
    /// Its values are written, so they are not those of the row that is looked for.
    pub is_written: bool,
    pub number: usize,
}

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
