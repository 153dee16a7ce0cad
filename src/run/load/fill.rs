//! Bulk filling of tables: the loading worker that runs the steps, and its helpers.
//!
//! Only the first worker has a transaction. It truncates the tables and reserves a table's pages; all workers then take
//! chunks of them. The others must have stopped writing before that transaction commits or aborts: see [`Crew`].

mod catalog;
mod task;

pub use task::{Fills, chunk_of, unit_of, wrong_row};

use super::crew::{Crew, begin_task, end_task, stopped};
use super::settings;
use crate::pg::bulk::{BATCH_PAGES, FreshHeap, PageWriter, Shape};
use crate::pg::error::{SqlError, raise};
use crate::pg::session::Session;
use crate::run::shared::board;
use crate::run::shared::slot::{Counter, Slot};
use crate::run::shared::{Phase, Shared};
use crate::workload::{Contents, Fill, Keys, Partition, Partitioned, hash_of_key};
use std::ops::RangeInclusive;
use std::sync::atomic::Ordering::SeqCst;
use task::{CHUNK_PAGES, Content, Task};

/// Fills a table that the open transaction block has truncated; false if the table is not as pgperf creates it,
/// so that it has to be filled by statements.
pub fn fill(
    shared: &Shared,
    slot: Slot,
    session: &mut Session,
    fills: &Fills,
    fill: &Fill,
) -> Result<bool, SqlError> {
    let schema = fills.params.schema.as_str();
    let fill_heaps = |content, heaps: &[FreshHeap], numbers| {
        fill_heaps(shared, slot, fills, content, heaps, numbers)
    };
    session.perform(&format!("filling {schema}.{}", fill.table), || {
        match &fill.contents {
            Contents::Alike {
                columns,
                rows_per_unit,
                partitions,
                ..
            } => {
                let rows_per_unit = i64::from(*rows_per_unit);
                let content = Content::Alike { rows_per_unit };
                let last_key = fill.rows;
                let shape = Shape::Repeated { columns, last_key };
                if partitions.is_empty() {
                    let Some(heap) = FreshHeap::open(schema, &fill.table, &shape, false) else {
                        return Ok(false);
                    };
                    let keys = 1..=fill.rows as i64;
                    fill_heaps(content, &[heap], keys)?;
                    return Ok(true);
                }
                let by = columns.first().map_or("", |column| column.name);
                let Some(heaps) = open_partitions(schema, &fill.table, by, partitions, &shape)
                else {
                    return Ok(false);
                };
                let is_hash = |partition: &Partition| matches!(partition.keys, Keys::Hash { .. });
                if partitions.iter().any(is_hash) {
                    fill_by_hash(shared, slot, fill.rows, rows_per_unit, &heaps)?;
                    return Ok(true);
                }
                for (heap, partition) in heaps.chunks(1).zip(partitions) {
                    if let Keys::Range { first, last } = partition.keys {
                        fill_heaps(content, heap, first..=last)?;
                    }
                }
            }
            Contents::Made {
                columns,
                units,
                partitioned,
                ..
            } => {
                let shape = Shape::Packed(columns);
                let heaps = match partitioned {
                    None => {
                        FreshHeap::open(schema, &fill.table, &shape, false).map(|heap| vec![heap])
                    }
                    Some(Partitioned { by, partitions }) => {
                        open_partitions(schema, &fill.table, by, partitions, &shape)
                    }
                };
                let Some(heaps) = heaps.filter(|heaps| heaps.len() <= board::MAX_HEAPS) else {
                    return Ok(false);
                };
                let content = Content::Made {
                    fill: fills.number(fill),
                    chunk: chunk_of(*units, fill.rows, shared.slots().count()),
                };
                fill_heaps(content, &heaps, 1..=*units as i64)?;
            }
        }
        Ok(true)
    })
}

/// Refuses to fill a table by statements where rules would rewrite them. In bulk a table is filled without: like COPY, which is what
/// `pgbench -i` fills tables with.
pub fn refuse_rules(session: &mut Session, schema: &str, table: &str) -> Result<(), SqlError> {
    let rules = session.perform("looking at the rules", || {
        Ok(catalog::insert_rules(schema, table).unwrap_or_else(|error| raise(error)))
    })?;
    refuse_rule(schema, table, rules.first().map(String::as_str))
}

/// The same of a rule that the table may have.
pub fn refuse_rule(schema: &str, table: &str, rule: Option<&str>) -> Result<(), SqlError> {
    let Some(rule) = rule else {
        return Ok(());
    };
    Err(SqlError {
        detail: Some(
            "It is not as the load creates it, or logical decoding has to see its rows, so that it is filled by INSERT, which the rule would \
             rewrite. Drop the rule, or disable it with ALTER TABLE ... DISABLE RULE."
                .to_owned(),
        ),
        ..SqlError::new(
            "55000",
            &format!("cannot fill table \"{schema}\".\"{table}\", which has the rule \"{rule}\" on INSERT"),
        )
    })
}

/// The partitions of a table, if they are these and can be filled.
fn open_partitions(
    schema: &str,
    table: &str,
    by: &str,
    partitions: &[Partition],
    shape: &Shape,
) -> Option<Vec<FreshHeap>> {
    let are_there = catalog::has_these_partitions(schema, table, by, partitions);
    if !are_there.unwrap_or_else(|error| raise(error)) {
        return None;
    }
    let heap = |partition: &Partition| FreshHeap::open(schema, &partition.table, shape, true);
    partitions.iter().map(heap).collect()
}

/// Has all workers fill a table, or a partition, or all partitions with rows that each tell their own.
fn fill_heaps(
    shared: &Shared,
    slot: Slot,
    fills: &Fills,
    content: Content,
    heaps: &[FreshHeap],
    numbers: RangeInclusive<i64>,
) -> Result<(), SqlError> {
    let task = Task {
        heaps: heaps.iter().map(|heap| heap.heap).collect(),
        first: *numbers.start(),
        count: (numbers.end() - numbers.start() + 1).max(0) as u64,
        content,
    };
    let crew = Crew::new(shared);
    if let Content::Alike { .. } = content {
        task.heaps[0].reserve(0..task.pages() as u32);
    }
    task.publish(shared.board());
    let number = begin_task(shared);
    task.work(shared, slot, number, fills)?;
    end_task(shared)?;
    drop(crew);
    for (n, heap) in heaps.iter().enumerate() {
        heap.complete(shared.board()[board::rows(n)].load(SeqCst));
    }
    Ok(())
}

/// A helper's share of the table that the board says.
pub fn help(
    shared: &Shared,
    slot: Slot,
    session: &mut Session,
    fills: &Fills,
    number: u64,
) -> Result<(), SqlError> {
    session.perform("helping to fill a table", || {
        Task::read(shared.board()).work(shared, slot, number, fills)
    })
}

/// Fills hash partitions in one process: each key in turn goes to the partition that its hash belongs to.
fn fill_by_hash(
    shared: &Shared,
    slot: Slot,
    last_key: u64,
    rows_per_unit: i64,
    heaps: &[FreshHeap],
) -> Result<(), SqlError> {
    settings::compress_wal().unwrap_or_else(|error| raise(error));
    // All partitions together should not take much more memory than one table does.
    let batch = (4 * BATCH_PAGES / heaps.len().max(1)).clamp(1, BATCH_PAGES);
    let mut parts: Vec<(PageWriter, u64)> = heaps
        .iter()
        .map(|heap| (PageWriter::new(&heap.heap, batch, 0, true), 0))
        .collect();
    let modulus = parts.len().max(1) as u64;
    let mut told = 0;
    for key in 1..=last_key as i64 {
        // Partition n is the one with the remainder n - 1.
        if let Some((writer, rows)) = parts.get_mut((hash_of_key(key) % modulus) as usize) {
            writer.push(key, unit_of(key, rows_per_unit));
            *rows += 1;
        }
        if key as u64 - told == CHUNK_PAGES * 32 {
            slot.add(Counter::LoadDone, key as u64 - told);
            told = key as u64;
            if shared.phase() == Phase::Stopping {
                return Err(stopped());
            }
        }
    }
    slot.add(Counter::LoadDone, last_key - told);
    for ((writer, rows), heap) in parts.iter_mut().zip(heaps) {
        writer.finish();
        heap.complete(*rows);
    }
    Ok(())
}
