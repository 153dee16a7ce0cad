//! What a collector counted over the run.

use crate::report::model::tables::{Table, TableRow};
use crate::show::blocks::{Block, Listing, Topic, count, name};

/// A row for each object.
pub fn topic(table: &Table) -> Topic {
    let counters =
        table.counters.iter().enumerate().map(|(place, counter)| {
            count(counter, move |row: &TableRow| *row.counts.get(place)?)
        });
    let object = name(&table.object, |row: &TableRow| row.object.clone());
    let columns = std::iter::once(object).chain(counters).collect();
    let listing = Listing::of(&table.rows, columns);
    Topic::new(&table.collector, &table.title, vec![Block::Table(listing)])
}
