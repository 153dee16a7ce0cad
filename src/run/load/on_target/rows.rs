//! Rows on their way to a table: made, and sent some at a time.

use super::super::fill::{unit_of, wrong_row};
use crate::pg::bulk::{AlikeRow, COPY_END, COPY_HEADER, CopyWriter, Rows, Typed};
use crate::pg::error::SqlError;
use crate::pg::process::latch;
use crate::pg::session::interrupts;
use crate::run::shared::slot::{Counter, Slot};
use crate::target::session::{Noted, Session};
use crate::workload::Sources;
use std::cell::RefCell;
use wire::Connection;

/// Bytes that are sent at once.
const BATCH: usize = 128 * 1024;
/// Bytes of one COPY: so many are sent in vain at most after an error of the server, which shows at the end.
const COPY_BYTES: usize = 16 * 1024 * 1024;

/// Rows for a table, by one COPY after the other. One that is still open when it is dropped is given up.
pub(super) struct Stream<'a> {
    connection: &'a mut Connection<Noted>,
    statement: String,
    /// Bytes of the COPY; None: none is open.
    sent: Option<usize>,
}

impl<'a> Stream<'a> {
    pub fn new(session: &'a mut Session, statement: String) -> Stream<'a> {
        Stream {
            connection: session.connection(),
            statement,
            sent: None,
        }
    }

    /// Sends rows if there are enough to be sent.
    fn offer(&mut self, rows: &mut Vec<u8>) -> Result<(), SqlError> {
        match rows.len() >= BATCH {
            true => self.send(rows),
            false => Ok(()),
        }
    }

    /// Sends rows, of which none are left then.
    fn send(&mut self, rows: &mut Vec<u8>) -> Result<(), SqlError> {
        if rows.is_empty() {
            return Ok(());
        }
        interrupts::between_messages(latch::interrupts);
        let sent = match self.sent {
            Some(sent) => sent,
            None => {
                self.connection.begin_copy(&self.statement)?;
                self.copy(COPY_HEADER)?;
                0
            }
        };
        self.copy(rows)?;
        self.sent = Some(sent + rows.len());
        rows.clear();
        match sent > COPY_BYTES {
            true => self.end(),
            false => Ok(()),
        }
    }

    /// An error has ended the COPY.
    fn copy(&mut self, bytes: &[u8]) -> Result<(), SqlError> {
        self.connection
            .copy(bytes)
            .inspect_err(|_| self.sent = None)
    }

    /// Ends the COPY that is open. Its errors are the server's.
    pub fn end(&mut self) -> Result<(), SqlError> {
        if self.sent.is_none() {
            return Ok(());
        }
        self.copy(&COPY_END)?;
        self.sent = None;
        self.connection.end_copy()?;
        Ok(())
    }
}

impl Drop for Stream<'_> {
    fn drop(&mut self) {
        if self.sent.is_some() && !std::thread::panicking() {
            self.connection.abort_copy();
        }
    }
}

/// Sends rows that are alike, those of the keys that are taken: the first of some, and how many. How many there were.
///
/// # Errors
/// Those of the server, and of the connection.
pub(super) fn alike(
    stream: &mut Stream,
    mut row: AlikeRow,
    rows_per_unit: i32,
    slot: Slot,
    mut take: impl FnMut() -> Option<(i64, u64)>,
) -> Result<u64, SqlError> {
    let mut rows = Vec::with_capacity(2 * BATCH);
    let mut copied = 0;
    while let Some((first, count)) = take() {
        for key in (first..).take(count as usize) {
            row.append(key, unit_of(key, rows_per_unit.into()), &mut rows);
            stream.offer(&mut rows)?;
        }
        copied += count;
        slot.add(Counter::LoadDone, count);
    }
    stream.send(&mut rows)?;
    Ok(copied)
}

/// Sends the rows of the units that are taken. How many units there were.
///
/// # Errors
/// Those of the server, and of the connection; a row that the source should not make.
pub(super) fn made(
    stream: &mut Stream,
    columns: &'static [Typed],
    sources: &Sources,
    slot: Slot,
    mut take: impl FnMut() -> Option<(i64, u64)>,
) -> Result<u64, SqlError> {
    let bytes = RefCell::new(Vec::with_capacity(2 * BATCH));
    let mut writer = CopyWriter::new(&bytes);
    let mut rows = Rows::new(columns, &mut writer);
    let mut source = sources.begin();
    let (mut copied, mut rows_before) = (0, 0);
    while let Some((first, units)) = take() {
        for unit in (first..).take(units as usize) {
            source(unit, &mut rows);
            stream.offer(&mut bytes.borrow_mut())?;
        }
        let count = rows.count().map_err(wrong_row)?;
        slot.add(Counter::LoadDone, count - rows_before);
        rows_before = count;
        copied += units;
    }
    stream.send(&mut bytes.borrow_mut())?;
    Ok(copied)
}
