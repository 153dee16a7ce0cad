//! Positions in the WAL.

use super::insert_position;
use crate::pg::error::SqlError;
use crate::pg::sql::xact;
use pgrx::pg_sys;

/// Position up to which WAL is flushed. Not in recovery.
pub fn flush_lsn() -> u64 {
    // SAFETY: reads shared state; null: the timeline is not asked for.
    unsafe { pg_sys::GetFlushRecPtr(std::ptr::null_mut()) }
}

/// As text of type pg_lsn.
pub fn lsn_text(lsn: u64) -> String {
    format!("{:X}/{:X}", lsn >> 32, lsn as u32)
}

/// The end of the last record, which is on disk when this returns. Not in recovery.
///
/// # Errors
/// The server could not write it.
pub fn flush_all() -> Result<u64, SqlError> {
    let position = end_of_record(insert_position(), segment_bytes());
    xact::catch(|| {
        // SAFETY: the position is one that the server has given out.
        unsafe { pg_sys::XLogFlush(position) }
    })?;
    Ok(position)
}

fn segment_bytes() -> u64 {
    // SAFETY: set when the server starts.
    unsafe { pg_sys::wal_segment_size as u64 }
}

/// Sizes of the headers of a page, and of the first page of a segment.
const PAGE_HEADER: u64 = 24;
const SEGMENT_HEADER: u64 = 40;

/// Where the record before an insert position ends. If that is the end of a page, the next record begins behind the header of
/// the next page, where nobody is before it is written.
fn end_of_record(position: u64, segment_bytes: u64) -> u64 {
    let page = position % u64::from(pg_sys::XLOG_BLCKSZ);
    match page {
        SEGMENT_HEADER if position % segment_bytes == page => position - page,
        PAGE_HEADER => position - page,
        _ => position,
    }
}

#[cfg(test)]
mod tests {
    use super::end_of_record;

    #[test]
    fn a_record_may_end_with_its_page() {
        let segment = 16 << 20;
        let end = |position| end_of_record(position, segment);
        assert_eq!(end(5 * 8192 + 800), 5 * 8192 + 800);
        assert_eq!(end(5 * 8192 + 24), 5 * 8192);
        assert_eq!(end(5 * 8192 + 40), 5 * 8192 + 40);
        assert_eq!(end(3 * segment + 40), 3 * segment);
    }
}
