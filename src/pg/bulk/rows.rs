//! The rows of a source, one by one, and their consumers: pages, filled by any number of processes (each gets the block
//! numbers of its pages when it has filled some), or statements. Rows of a partitioned table go to pages of their partitions.

use super::pages::Pages;
use super::row::{Row, RowError, Typed};
use super::{BATCH_PAGES, Heap, MAIN, file};
use crate::pg::sql::quote::{qualified, quote_ident};

/// Takes rows one by one.
pub trait Sink {
    /// One more row, which leaves `row` ready for the next. `partition` is its number, from 0, if the table has some.
    ///
    /// # Errors
    /// The row cannot be packed.
    fn take(&mut self, row: &mut Row, partition: usize) -> Result<(), RowError>;
}

/// Where a source puts the rows that it makes.
pub struct Rows<'a> {
    row: Row,
    sink: &'a mut dyn Sink,
    count: u64,
    error: Option<RowError>,
}

impl<'a> Rows<'a> {
    pub fn new(columns: &'static [Typed], sink: &'a mut dyn Sink) -> Rows<'a> {
        Rows {
            row: Row::new(columns),
            sink,
            count: 0,
            error: None,
        }
    }

    /// One more row: `make` gives its columns their values, in their order.
    #[cfg_attr(not(any(test, feature = "toy")), allow(dead_code))]
    #[inline]
    pub fn push(&mut self, make: impl FnOnce(&mut Row)) {
        self.push_to(0, make);
    }

    /// One more row of a table that may be partitioned; `partition` counts from 0.
    #[inline]
    pub fn push_to(&mut self, partition: usize, make: impl FnOnce(&mut Row)) {
        make(&mut self.row);
        match self.sink.take(&mut self.row, partition) {
            Ok(()) => self.count += 1,
            Err(error) => {
                self.error.get_or_insert(error);
            }
        }
    }

    /// How many rows there are so far.
    ///
    /// # Errors
    /// That of the first row that could not be packed.
    pub fn count(&self) -> Result<u64, RowError> {
        self.error.clone().map_or(Ok(self.count), Err)
    }
}

/// Gives the first of so many blocks of a heap, which exist in the file; None: the pages are not wanted any more.
pub type Place<'a> = &'a dyn Fn(usize, u32) -> Option<u32>;

/// Fills pages and writes them, some at a time: of one heap, or of one for each partition.
pub struct RowWriter<'a> {
    heaps: Vec<HeapWriter>,
    place: Place<'a>,
    packed: Vec<u8>,
}

/// The pages of one heap.
struct HeapWriter {
    heap: Heap,
    pages: Pages,
    batch: usize,
    file: file::MainFork,
    /// How many pages have rows.
    begun: usize,
    rows: u64,
}

/// All partitions together may have so many pages in memory: 8 MB.
const PAGES: usize = 1024;

impl<'a> RowWriter<'a> {
    pub fn new(heaps: &[Heap], place: Place<'a>) -> RowWriter<'a> {
        let batch = (PAGES / heaps.len().max(1)).clamp(1, BATCH_PAGES);
        let writer = |heap: &Heap| HeapWriter {
            heap: *heap,
            pages: Pages::new(batch),
            batch,
            file: file::MainFork::new(),
            begun: 0,
            rows: 0,
        };
        RowWriter {
            heaps: heaps.iter().map(writer).collect(),
            place,
            packed: Vec::new(),
        }
    }

    /// The last rows.
    pub fn finish(&mut self) {
        for (number, heap) in self.heaps.iter_mut().enumerate() {
            heap.write(number, self.place);
        }
    }

    /// How many rows each heap got.
    pub fn rows(&self) -> impl Iterator<Item = u64> {
        self.heaps.iter().map(|heap| heap.rows)
    }
}

impl HeapWriter {
    fn add(&mut self, packed: &mut [u8], number: usize, place: Place) {
        let needed = packed.len().next_multiple_of(8) + self.heap.spare as usize;
        if self.begun == 0 || self.pages.free(self.begun - 1) < needed {
            if self.begun == self.batch {
                self.write(number, place);
            }
            self.pages.begin(self.begun);
            self.begun += 1;
        }
        self.pages.add(self.begun - 1, packed);
        self.rows += 1;
    }

    fn write(&mut self, number: usize, place: Place) {
        let count = std::mem::take(&mut self.begun);
        if count == 0 {
            return;
        }
        let Some(block) = place(number, count as u32) else {
            return;
        };
        for i in 0..count {
            self.pages.number_rows(i, block + i as u32);
        }
        self.pages.log(&self.heap, MAIN, block, count, true);
        self.pages
            .overwrite(&self.heap, &mut self.file, block, count);
        pgrx::check_for_interrupts!();
    }
}

/// Errors of the server, when pages are written, are an unwinding: the disk is full; a cancel.
impl Sink for RowWriter<'_> {
    #[inline]
    fn take(&mut self, row: &mut Row, partition: usize) -> Result<(), RowError> {
        // A source gives partitions whether the table has some or not.
        let number = if self.heaps.len() == 1 { 0 } else { partition };
        let heaps = self.heaps.len();
        let heap = self.heaps.get_mut(number).ok_or(RowError::NoPartition {
            partition,
            partitions: heaps,
        })?;
        let [xmin, command] = heap.heap.stamp;
        row.pack(xmin, command, &mut self.packed)?;
        heap.add(&mut self.packed, number, self.place);
        Ok(())
    }
}

/// Makes a statement that inserts rows: all columns by name, values as literals.
pub struct InsertWriter {
    text: String,
    has_rows: bool,
}

impl InsertWriter {
    pub fn new(schema: &str, table: &str, columns: &[Typed]) -> InsertWriter {
        let names: Vec<_> = columns.iter().map(|c| quote_ident(c.name)).collect();
        let (table, names) = (qualified(schema, table), names.join(", "));
        InsertWriter {
            text: format!("INSERT INTO {table} ({names}) VALUES "),
            has_rows: false,
        }
    }

    /// The statement, if it has rows.
    pub fn into_statement(self) -> Option<String> {
        self.has_rows.then_some(self.text)
    }
}

impl Sink for InsertWriter {
    fn take(&mut self, row: &mut Row, _partition: usize) -> Result<(), RowError> {
        if self.has_rows {
            self.text.push_str(", ");
        }
        self.has_rows = true;
        row.literals(&mut self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Type;
    use super::*;

    static COLUMNS: [Typed; 2] = [
        Typed::new("id", Type::Int4),
        Typed::new("my \"name\"", Type::Varchar(4)),
    ];

    #[test]
    fn rows_become_one_statement() {
        let mut insert = InsertWriter::new("s", "sbtest1", &COLUMNS);
        let mut rows = Rows::new(&COLUMNS, &mut insert);
        for (id, name) in [(1, "a"), (2, "it's")] {
            rows.push(|row| (row.int4(id), row.text(name)).1);
        }
        assert_eq!(rows.count(), Ok(2));
        assert_eq!(
            insert.into_statement().unwrap(),
            "INSERT INTO \"s\".\"sbtest1\" (\"id\", \"my \"\"name\"\"\") VALUES (1, 'a'), (2, 'it''s')"
        );
        let none = InsertWriter::new("s", "sbtest1", &COLUMNS);
        assert_eq!(none.into_statement(), None);
    }

    #[test]
    fn the_first_error_counts() {
        let mut insert = InsertWriter::new("s", "sbtest1", &COLUMNS);
        let mut rows = Rows::new(&COLUMNS, &mut insert);
        for name in ["a", "too long", "\u{e4}", "b"] {
            rows.push(|row| (row.int4(1), row.text(name)).1);
        }
        assert_eq!(rows.count(), Err(RowError::TooLong { column: 2 }));
    }
}
