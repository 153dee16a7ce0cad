//! Many pages in one write: page by page a load would spend more time in the kernel than anywhere else.

use super::pages::AlignedPage;
use super::{Heap, MAIN};
use pgrx::pg_sys;

/// The main fork of a heap, as far as it has been reserved. From 17 on the server itself writes many pages at once.
#[cfg(feature = "since17")]
pub(super) struct MainFork;

#[cfg(feature = "since17")]
impl MainFork {
    pub(super) fn new() -> MainFork {
        MainFork
    }

    /// Writes pages from `block` on. Raises the server's error if that fails.
    pub(super) fn write(&mut self, heap: &Heap, block: u32, pages: &[AlignedPage]) {
        let mut buffers: Vec<_> = pages.iter().map(|page| page.0.as_ptr().cast()).collect();
        // SAFETY: as many valid pages as given; the file is the loading transaction's own.
        unsafe {
            pg_sys::smgrwritev(
                heap.storage(),
                MAIN,
                block,
                buffers.as_mut_ptr(),
                pages.len() as u32,
                false,
            );
        }
    }
}

#[cfg(not(feature = "since17"))]
pub(super) use own::MainFork;

/// Before 17 the server's storage manager takes one page at a time: all but the last page of a write go to the
/// file directly, and the last one through the storage manager, which thereby remembers to sync the file.
#[cfg(not(feature = "since17"))]
mod own {
    use super::{AlignedPage, Heap, MAIN, pg_sys};
    use crate::pg::bulk::PAGE_BYTES;
    use pgrx::pg_sys::errcodes::PgSqlErrorCode;
    use pgrx::prelude::*;
    use std::ffi::CStr;
    use std::fs::{File, OpenOptions};
    use std::io;
    use std::os::unix::fs::FileExt;

    /// Blocks in each of the files that a large fork consists of.
    const SEGMENT: u32 = pg_sys::RELSEG_SIZE;

    /// The main fork of a heap, as far as it has been reserved; the segment written last stays open.
    pub(in crate::pg::bulk) struct MainFork {
        open: Option<(u32, File)>,
    }

    impl MainFork {
        pub(in crate::pg::bulk) fn new() -> MainFork {
            MainFork { open: None }
        }

        /// Writes pages from `block` on. Raises the server's error if that fails.
        pub(in crate::pg::bulk) fn write(
            &mut self,
            heap: &Heap,
            mut block: u32,
            mut pages: &[AlignedPage],
        ) {
            while !pages.is_empty() {
                let count = pages.len().min((SEGMENT - block % SEGMENT) as usize);
                let (now, later) = pages.split_at(count);
                if let Some((last, direct)) = now.split_last() {
                    if let Err(error) = self.write_direct(heap, block, direct) {
                        raise(&error);
                    }
                    let block = block + direct.len() as u32;
                    let page = last.0.as_ptr().cast_mut();
                    // SAFETY: a valid page; the file is the loading transaction's own.
                    unsafe { pg_sys::smgrwrite(heap.storage(), MAIN, block, page.cast(), false) };
                }
                block += count as u32;
                pages = later;
            }
        }

        /// Pages of one segment.
        fn write_direct(
            &mut self,
            heap: &Heap,
            block: u32,
            pages: &[AlignedPage],
        ) -> io::Result<()> {
            if pages.is_empty() {
                return Ok(());
            }
            let segment = block / SEGMENT;
            let file = match &mut self.open {
                Some((number, file)) if *number == segment => file,
                open => {
                    let file = OpenOptions::new().write(true).open(path(heap, segment))?;
                    &mut open.insert((segment, file)).1
                }
            };
            let offset = u64::from(block % SEGMENT) * PAGE_BYTES as u64;
            file.write_all_at(AlignedPage::bytes(pages), offset)
        }
    }

    /// The file of a segment, relative to the data directory, which is where the server's processes are.
    fn path(heap: &Heap, segment: u32) -> String {
        let [tablespace, database, relation] = heap.locator;
        // SAFETY: only puts the name together, in the current memory context; -1: no temporary relation.
        let path = unsafe {
            let path = pg_sys::GetRelationPath(
                database.into(),
                tablespace.into(),
                relation.into(),
                -1,
                MAIN,
            );
            CStr::from_ptr(path).to_string_lossy().into_owned()
        };
        match segment {
            0 => path,
            segment => format!("{path}.{segment}"),
        }
    }

    fn raise(error: &io::Error) {
        let code = match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                PgSqlErrorCode::ERRCODE_DISK_FULL
            }
            _ => PgSqlErrorCode::ERRCODE_IO_ERROR,
        };
        ereport!(
            ERROR,
            code,
            format!("could not write to the table's file: {error}")
        );
    }
}
