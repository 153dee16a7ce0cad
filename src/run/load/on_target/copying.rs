//! The rows of a step's tables: which worker copies what, and how.

use super::super::crew;
use super::super::destination::Filling;
use super::super::fill::chunk_of;
use super::rows::{self, Stream};
use super::{OverWire, catalog};
use crate::pg::bulk::AlikeRow;
use crate::pg::error::SqlError;
use crate::pg::process::latch;
use crate::pg::sql::quote::{qualified, quote_ident};
use crate::run::shared::{Phase, board};
use crate::workload::{Contents, Fill, Step};
use pgrx::pg_sys::{INT8OID, Oid};
use serde::Deserialize;
use std::sync::atomic::Ordering::SeqCst;

/// A table of more than so many times a worker's share is for all workers. They cannot freeze its rows, and vacuum has to write all of its
/// pages once more: two workers are no faster than one that freezes them.
const LARGE: u64 = 2;

/// A table as it is there.
#[derive(Deserialize)]
struct Table {
    is_partitioned: bool,
    takes_rows: bool,
    columns: Vec<Column>,
}

#[derive(Deserialize)]
struct Column {
    name: String,
    kind: u32,
}

impl Table {
    /// Whether COPY can give it these rows: it has columns of their names and types.
    fn takes(&self, fill: &Fill) -> bool {
        let has =
            |name: &str, is_right: &dyn Fn(Oid) -> bool| self.kind_of(name).is_some_and(is_right);
        self.takes_rows
            && match &fill.contents {
                Contents::Alike { columns, .. } => columns.iter().all(|column| {
                    let content = &column.content;
                    has(column.name, &|kind| content.has_form_of(kind, fill.rows))
                }),
                Contents::Made { columns, .. } => columns
                    .iter()
                    .all(|column| has(column.name, &|kind| column.has_form_of(kind))),
            }
    }

    fn kind_of(&self, name: &str) -> Option<Oid> {
        let mut columns = self.columns.iter();
        let column = columns.find(|column| column.name == name);
        column.map(|column| Oid::from(column.kind))
    }
}

/// The units of a fill; those of rows that are alike are the rows.
fn units(fill: &Fill) -> u64 {
    match &fill.contents {
        Contents::Alike { .. } => fill.rows,
        Contents::Made { units, .. } => *units,
    }
}

impl OverWire {
    /// Has all workers fill the tables of a step that take their rows by COPY. The open transaction block has truncated them.
    pub(super) fn fill_all(&mut self, filling: &Filling, step: &Step) -> Result<(), SqlError> {
        let schema = filling.fills.params.schema.as_str();
        let mut tables = Vec::new();
        for fill in step.fills() {
            if self.table(schema, &fill.table)?.takes(fill) {
                tables.push((fill, fill.bytes()));
            }
        }
        if tables.is_empty() {
            return Ok(());
        }
        let labels = self.labelled(schema, &[])?;
        self.execute_all(&labels.rescale(schema, filling.data_set, None))?;
        self.session.execute("COMMIT")?;
        self.filled = tables
            .iter()
            .map(|(fill, _)| filling.fills.number(fill))
            .collect();
        // The largest first, so that all workers end at about the same time.
        tables.sort_by_key(|(_, bytes)| std::cmp::Reverse(*bytes));
        let total: u64 = tables.iter().map(|(_, bytes)| bytes).sum();
        let workers = filling.shared.slots().count() as u64;
        let is_large = |(_, bytes): &(&Fill, u64)| bytes.saturating_mul(workers) > LARGE * total;
        let (large, small): (Vec<_>, Vec<_>) = tables.into_iter().partition(is_large);
        for (fill, _) in large {
            let chunk = chunk_of(units(fill), fill.rows, workers as usize);
            let number = filling.fills.number(fill);
            self.announce(
                filling,
                units(fill),
                &[(board::CHUNK, chunk), (board::FILL, number)],
            )?;
        }
        for some in small.chunks(board::MAX_TABLES) {
            let numbers = some.iter().enumerate();
            let numbers =
                numbers.map(|(n, (fill, _))| (board::table(n), filling.fills.number(fill)));
            let words: Vec<_> = numbers.chain([(board::FILL, board::TABLES)]).collect();
            self.announce(filling, some.len() as u64, &words)?;
        }
        self.session.execute("BEGIN")?;
        Ok(())
    }

    /// Has all workers do a task of so many units.
    fn announce(
        &mut self,
        filling: &Filling,
        count: u64,
        words: &[(usize, u64)],
    ) -> Result<(), SqlError> {
        let board = filling.shared.board();
        for (word, value) in [
            (board::NEXT_CHUNK, 0),
            (board::DONE, 0),
            (board::COUNT, count),
        ]
        .iter()
        .chain(words)
        {
            board[*word].store(*value, SeqCst);
        }
        let number = crew::begin_task(filling.shared);
        self.take_rows(filling, number)
            .inspect_err(|_| crew::withdraw(filling.shared))?;
        crew::end_task(filling.shared)
    }

    /// A worker's share of the task on the board.
    pub(super) fn take_rows(&mut self, filling: &Filling, number: u64) -> Result<(), SqlError> {
        let board = filling.shared.board();
        let wanted = || crew::is_wanted(filling.shared, number);
        let count = board[board::COUNT].load(SeqCst);
        // Of a task that is withdrawn nothing more is taken; what was taken has to be done.
        let next = || wanted().then(|| board[board::NEXT_CHUNK].fetch_add(1, SeqCst));
        match board[board::FILL].load(SeqCst) {
            board::TABLES => {
                while let Some(n) = next().filter(|n| *n < count) {
                    let fill = board[board::table(n as usize)].load(SeqCst);
                    if self.copy_table(filling, fill)? {
                        board[board::DONE].fetch_add(1, SeqCst);
                    }
                }
            }
            fill => {
                let chunk = board[board::CHUNK].load(SeqCst);
                let take = || {
                    let first = next()? * chunk;
                    let left = count.checked_sub(first).filter(|left| *left > 0)?;
                    Some((first as i64 + 1, chunk.min(left)))
                };
                let done = self.copy_share(filling, fill, take)?;
                board[board::DONE].fetch_add(done, SeqCst);
            }
        }
        Ok(())
    }

    /// Fills a table alone. Truncated in the same transaction, it gets frozen rows, unless it has partitions. False if the load was stopped
    /// meanwhile.
    fn copy_table(&mut self, filling: &Filling, number: u64) -> Result<bool, SqlError> {
        let (fill, table) = self.of_number(filling, number)?;
        let name = qualified(&filling.fills.params.schema, &fill.table);
        let count = units(fill);
        let chunk = chunk_of(count, fill.rows, 1);
        let mut done = 0;
        let take = || {
            let first = done;
            let units = chunk.min(count - first);
            done += units;
            let is_stopped = filling.shared.phase() == Phase::Stopping;
            (!is_stopped && units > 0).then_some((first as i64 + 1, units))
        };
        let begin = match table.is_partitioned {
            true => "BEGIN".to_owned(),
            false => format!("BEGIN; TRUNCATE TABLE ONLY {name}"),
        };
        self.session.execute(&begin)?;
        let copied = self.copy(filling, fill, &table, !table.is_partitioned, take)?;
        let all = copied == count;
        self.session
            .execute(if all { "COMMIT" } else { "ROLLBACK" })?;
        Ok(all)
    }

    /// Copies units of a table that others fill, too. How many.
    fn copy_share(
        &mut self,
        filling: &Filling,
        number: u64,
        mut take: impl FnMut() -> Option<(i64, u64)>,
    ) -> Result<u64, SqlError> {
        // Nothing is prepared for a task of which nothing is left.
        let mut first = take();
        if first.is_none() {
            return Ok(0);
        }
        let (fill, table) = self.of_number(filling, number)?;
        self.session.execute("BEGIN")?;
        let take = || first.take().or_else(&mut take);
        let copied = self.copy(filling, fill, &table, false, take)?;
        self.session.execute("COMMIT")?;
        Ok(copied)
    }

    fn of_number<'f>(
        &mut self,
        filling: &Filling<'f>,
        number: u64,
    ) -> Result<(&'f Fill, Table), SqlError> {
        let fill = filling.fills.get(number);
        let fill = fill.ok_or_else(|| SqlError::new("XX000", "the load has no such table"))?;
        let table = self.table(&filling.fills.params.schema, &fill.table)?;
        Ok((fill, table))
    }

    fn table(&mut self, schema: &str, table: &str) -> Result<Table, SqlError> {
        let found = self.session.select(&catalog::table(schema, table))?;
        found.into_iter().next().ok_or_else(|| {
            let message = format!("relation \"{schema}.{table}\" does not exist");
            SqlError::new("42P01", &message)
        })
    }

    /// Copies units until there are none; how many.
    fn copy(
        &mut self,
        filling: &Filling,
        fill: &Fill,
        table: &Table,
        is_fresh: bool,
        take: impl FnMut() -> Option<(i64, u64)>,
    ) -> Result<u64, SqlError> {
        let schema = filling.fills.params.schema.as_str();
        let name = qualified(schema, &fill.table);
        latch::report_running(&format!("filling {name}"));
        let freeze = if is_fresh { ", FREEZE" } else { "" };
        let statement = format!(
            "COPY {name} ({}) FROM STDIN WITH (FORMAT binary{freeze})",
            column_names(fill)
        );
        let mut stream = Stream::new(&mut self.session, statement);
        let copied = match &fill.contents {
            Contents::Alike {
                columns,
                rows_per_unit,
                ..
            } => {
                let key = columns.first().and_then(|key| table.kind_of(key.name));
                let row = AlikeRow::new(columns, key == Some(INT8OID));
                rows::alike(&mut stream, row, *rows_per_unit, filling.slot, take)
            }
            Contents::Made {
                columns, sources, ..
            } => rows::made(&mut stream, columns, sources, filling.slot, take),
        };
        latch::report_idle();
        copied.and_then(|copied| stream.end().map(|()| copied))
    }
}

fn column_names(fill: &Fill) -> String {
    let names: Vec<String> = match &fill.contents {
        Contents::Alike { columns, .. } => columns.iter().map(|it| quote_ident(it.name)).collect(),
        Contents::Made { columns, .. } => columns.iter().map(|it| quote_ident(it.name)).collect(),
    };
    names.join(", ")
}
