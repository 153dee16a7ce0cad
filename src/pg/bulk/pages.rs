//! Pages in memory: filled with rows, written to the WAL, then to the table's file.

use super::{BATCH_PAGES, Heap, MAIN, PAGE_BYTES, PAGE_HEADER, file};
use pgrx::pg_sys;

/// Fills pages with rows and writes them, some at a time.
pub struct PageWriter {
    heap: Heap,
    pages: Pages,
    file: file::MainFork,
    /// Distance between the rows of a page.
    stride: usize,
    /// The block that the first of the pages will become.
    block: u32,
    page: usize,
    row: u32,
    /// Whether pages are appended at the file's end, in order; otherwise they go into a file that was reserved.
    appends: bool,
}

impl PageWriter {
    /// Writes from `block` on, `batch` pages at a time.
    pub fn new(heap: &Heap, batch: usize, block: u32, appends: bool) -> PageWriter {
        let mut pages = Pages::new(batch.clamp(1, BATCH_PAGES));
        pages.form(heap);
        PageWriter {
            heap: *heap,
            pages,
            file: file::MainFork::new(),
            stride: (heap.row_len as usize).next_multiple_of(8),
            block,
            page: 0,
            row: 0,
            appends,
        }
    }

    /// Continues at another block of the reserved file.
    pub fn seek(&mut self, block: u32) {
        self.block = block;
    }

    /// One more row.
    ///
    /// # Errors
    /// Those of the server, as an unwinding: the disk is full; a cancel.
    #[inline]
    pub fn push(&mut self, key: i64, unit: i32) {
        let offset = PAGE_BYTES - (self.row as usize + 1) * self.stride;
        // SAFETY: the page was formed with as many rows as it may get; a row begins with its header, then
        // key and unit, which are not NULL and so lie at fixed places.
        unsafe {
            let row = self.pages.page(self.page).cast::<u8>().add(offset);
            let values = row.add(self.heap.row[T_HOFF] as usize);
            if self.heap.wide_key {
                values.cast::<i64>().write_unaligned(key);
            } else {
                values.cast::<i32>().write_unaligned(key as i32);
            }
            if self.heap.has_unit {
                let at = if self.heap.wide_key { 8 } else { 4 };
                values.add(at).cast::<i32>().write_unaligned(unit);
            }
        }
        self.row += 1;
        if self.row == self.heap.rows_per_page {
            self.row = 0;
            self.page += 1;
            if self.page == self.pages.count {
                self.write();
            }
        }
    }

    /// The last rows.
    pub fn finish(&mut self) {
        if self.row > 0 {
            self.pages.cut(self.page, self.row, self.stride);
            self.page += 1;
        }
        self.write();
    }

    fn write(&mut self) {
        let count = std::mem::take(&mut self.page);
        if count == 0 {
            return;
        }
        for i in 0..count {
            self.number_rows(i);
        }
        self.pages.log(&self.heap, MAIN, self.block, count, true);
        if self.appends {
            self.pages.extend(&self.heap, MAIN, self.block, count);
        } else {
            self.pages
                .overwrite(&self.heap, &mut self.file, self.block, count);
        }
        self.block += count as u32;
        pgrx::check_for_interrupts!();
    }

    /// Each row's own place, which is stored in its header.
    fn number_rows(&mut self, page: usize) {
        let block = self.block + page as u32;
        let start = self.pages.page(page).cast::<u8>();
        for row in 0..self.heap.rows_per_page as usize {
            // SAFETY: as in `push`.
            unsafe {
                let row = start.add(PAGE_BYTES - (row + 1) * self.stride);
                let id = &raw mut (*row.cast::<pg_sys::HeapTupleHeaderData>()).t_ctid.ip_blkid;
                (*id).bi_hi = (block >> 16) as u16;
                (*id).bi_lo = block as u16;
            }
        }
    }
}

/// Offset of the field for the header's length in a row's header.
const T_HOFF: usize = std::mem::offset_of!(pg_sys::HeapTupleHeaderData, t_hoff);

/// Pages in memory, aligned as direct I/O wants them.
pub(super) struct Pages {
    memory: Vec<AlignedPage>,
    count: usize,
}

#[derive(Clone)]
#[repr(C, align(4096))]
pub(super) struct AlignedPage(pub(super) [u8; PAGE_BYTES]);

impl AlignedPage {
    /// Pages as the bytes of a file.
    #[cfg(not(feature = "since17"))]
    pub(super) fn bytes(pages: &[AlignedPage]) -> &[u8] {
        // SAFETY: a page is just its bytes, without padding.
        unsafe { std::slice::from_raw_parts(pages.as_ptr().cast(), size_of_val(pages)) }
    }
}

impl Pages {
    pub(super) fn new(count: usize) -> Pages {
        Pages {
            memory: vec![AlignedPage([0; PAGE_BYTES]); count],
            count,
        }
    }

    #[inline]
    pub(super) fn page(&mut self, i: usize) -> pg_sys::Page {
        self.memory[i].0.as_mut_ptr().cast()
    }

    /// Fills the first page with as many rows as leave free what the heap says, and returns how many: the rule of
    /// the server's heap_multi_insert.
    pub(super) fn fill(&mut self, heap: &Heap) -> u32 {
        let needed = (heap.row_len as usize).next_multiple_of(8) + heap.spare as usize;
        self.begin(0);
        let mut rows = 0;
        while rows == 0 || self.free(0) >= needed {
            self.add_row(0, heap);
            rows += 1;
        }
        rows
    }

    /// Empties a page; its rows will be visible to everybody.
    pub(super) fn begin(&mut self, i: usize) {
        let page = self.page(i);
        // SAFETY: a page of this size, which begins with its header.
        unsafe {
            pg_sys::PageInit(page, PAGE_BYTES, 0);
            (*page.cast::<pg_sys::PageHeaderData>()).pd_flags |= pg_sys::PD_ALL_VISIBLE as u16;
        }
    }

    /// Bytes that are free on a page that was begun.
    pub(super) fn free(&mut self, i: usize) -> usize {
        // SAFETY: a valid page.
        unsafe { pg_sys::PageGetHeapFreeSpace(self.page(i)) }
    }

    /// Fills all pages with rows whose key, unit and block are still to be set.
    fn form(&mut self, heap: &Heap) {
        for i in 0..self.count {
            self.begin(i);
            for _ in 0..heap.rows_per_page {
                self.add_row(i, heap);
            }
        }
    }

    fn add_row(&mut self, page: usize, heap: &Heap) {
        let mut row = heap.row;
        self.add(page, &mut row[..heap.row_len as usize]);
    }

    /// One more row of a page that has room for it.
    pub(super) fn add(&mut self, page: usize, row: &mut [u8]) {
        let page = self.page(page);
        // SAFETY: the page has room; the row begins with a header, of which its own place is a part.
        unsafe {
            let number = pg_sys::PageAddItemExtended(
                page,
                row.as_mut_ptr().cast(),
                row.len(),
                pg_sys::InvalidOffsetNumber,
                pg_sys::PAI_IS_HEAP as i32,
            );
            let header = page.cast::<pg_sys::PageHeaderData>();
            let at = page.cast::<u8>().add((*header).pd_upper as usize);
            (*at.cast::<pg_sys::HeapTupleHeaderData>()).t_ctid.ip_posid = number;
        }
    }

    /// Tells all rows of a page which block it becomes.
    pub(super) fn number_rows(&mut self, i: usize, block: u32) {
        let page = self.page(i);
        // SAFETY: line pointers fill the page from behind its header to pd_lower; each is of a row.
        unsafe {
            let start = page.cast::<u8>();
            let lower = (*page.cast::<pg_sys::PageHeaderData>()).pd_lower as usize;
            let step = size_of::<pg_sys::ItemIdData>();
            for at in (PAGE_HEADER as usize..lower).step_by(step) {
                let offset = (*start.add(at).cast::<pg_sys::ItemIdData>()).lp_off() as usize;
                let row = start.add(offset).cast::<pg_sys::HeapTupleHeaderData>();
                let id = &raw mut (*row).t_ctid.ip_blkid;
                (*id).bi_hi = (block >> 16) as u16;
                (*id).bi_lo = block as u16;
            }
        }
    }

    /// Leaves only the first rows of a page.
    fn cut(&mut self, page: usize, rows: u32, stride: usize) {
        let page = self.page(page);
        let pointer = size_of::<pg_sys::ItemIdData>();
        let lower = PAGE_HEADER as usize + rows as usize * pointer;
        let upper = PAGE_BYTES - rows as usize * stride;
        // SAFETY: both lie inside the page, the rows that remain outside of what is cleared.
        unsafe {
            let header = page.cast::<pg_sys::PageHeaderData>();
            (*header).pd_lower = lower as u16;
            (*header).pd_upper = upper as u16;
            page.cast::<u8>().add(lower).write_bytes(0, upper - lower);
        }
    }

    /// Writes the first pages to the WAL, if the heap needs that.
    pub(super) fn log(
        &mut self,
        heap: &Heap,
        fork: pg_sys::ForkNumber::Type,
        block: u32,
        count: usize,
        rows: bool,
    ) {
        if !heap.needs_wal {
            return;
        }
        let mut pages: Vec<_> = (0..count).map(|i| self.page(i)).collect();
        let mut blocks: Vec<u32> = (block..).take(count).collect();
        // SAFETY: as many valid pages as given; each gets the position of its record.
        unsafe {
            pg_sys::log_newpages(
                &mut heap.locator(),
                fork,
                count as i32,
                blocks.as_mut_ptr(),
                pages.as_mut_ptr(),
                rows,
            );
        }
    }

    /// Appends the first pages to the file.
    pub(super) fn extend(
        &mut self,
        heap: &Heap,
        fork: pg_sys::ForkNumber::Type,
        block: u32,
        count: usize,
    ) {
        for i in 0..count {
            let (page, block) = (self.page(i), block + i as u32);
            // SAFETY: a valid page (or zeros); the file is this transaction's own.
            unsafe {
                pg_sys::PageSetChecksumInplace(page, block);
                pg_sys::smgrextend(heap.storage(), fork, block, page.cast(), false);
            }
        }
    }

    /// Writes the first pages to where the file has been reserved.
    pub(super) fn overwrite(
        &mut self,
        heap: &Heap,
        file: &mut file::MainFork,
        block: u32,
        count: usize,
    ) {
        for i in 0..count {
            // SAFETY: a valid page.
            unsafe { pg_sys::PageSetChecksumInplace(self.page(i), block + i as u32) };
        }
        file.write(heap, block, &self.memory[..count]);
    }
}
