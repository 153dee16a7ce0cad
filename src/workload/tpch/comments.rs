//! Comments, which are pieces of one long text. The generators of the crate `tpchgen` can make them, too, but need the whole
//! text for that. So they get a short text, and make all columns except the comments.

use super::text::{self, BYTES, Buffer};
use std::sync::OnceLock;
use tpchgen::distribution::Distributions;
use tpchgen::generators::SupplierGenerator;
use tpchgen::random::RowRandomInt;
use tpchgen::text::TextPool;

/// A column of comments: what dbgen draws them with.
pub(super) struct CommentColumn {
    seed: i64,
    average_length: i32,
    /// Comments, of what has numbers: lines of an order, suppliers of a part.
    each: i32,
}

pub(super) const REGION: CommentColumn = CommentColumn::new(1_500_869_201, 72, 1);
pub(super) const NATION: CommentColumn = CommentColumn::new(606_179_079, 72, 1);
pub(super) const SUPPLIER: CommentColumn = CommentColumn::new(1_341_315_363, 63, 1);
pub(super) const PART: CommentColumn = CommentColumn::new(804_159_733, 14, 1);
pub(super) const PARTSUPP: CommentColumn = CommentColumn::new(1_961_692_154, 124, 4);
pub(super) const CUSTOMER: CommentColumn = CommentColumn::new(1_335_826_707, 73, 1);
pub(super) const ORDERS: CommentColumn = CommentColumn::new(276_090_261, 49, 1);
pub(super) const LINEITEM: CommentColumn = CommentColumn::new(1_095_462_486, 27, 7);

/// The comments of a column, one after the other.
pub(super) struct Comments {
    random: RowRandomInt,
    shortest: i32,
    longest: i32,
    /// The number of the last row; 0: there was none yet.
    last: i64,
    buffer: Buffer,
}

impl CommentColumn {
    const fn new(seed: i64, average_length: i32, each: i32) -> CommentColumn {
        CommentColumn {
            seed,
            average_length,
            each,
        }
    }

    pub(super) fn comments(&self) -> Comments {
        let length = |factor: f64| (f64::from(self.average_length) * factor) as i32;
        Comments {
            // Offset and length.
            random: RowRandomInt::new(self.seed, 2 * self.each),
            shortest: length(0.4),
            longest: length(1.6),
            last: 0,
            buffer: text::buffer(),
        }
    }
}

impl Comments {
    /// The next comment of row number `row`, which counts from 1: of a later row than the last, or a further one of the same.
    pub(super) fn of(&mut self, row: i64) -> &mut [u8] {
        if row != self.last {
            self.random.advance_rows(row - self.last - 1);
            self.last = row;
        }
        let offset = self.random.next_int(0, BYTES - self.longest);
        let len = self.random.next_int(self.shortest, self.longest);
        text::text().piece(offset as usize, len as usize, &mut self.buffer)
    }

    /// The same for a supplier: a few have praise or a complaint in their comment. Where, does not depend on the text around it.
    pub(super) fn of_supplier(&mut self, row: i64, over_short_text: &str) -> &[u8] {
        let comment = self.of(row);
        for remark in [
            SupplierGenerator::BBB_BASE_TEXT,
            SupplierGenerator::BBB_COMPLAINT_TEXT,
            SupplierGenerator::BBB_RECOMMEND_TEXT,
        ] {
            if let Some(at) = over_short_text.find(remark) {
                comment[at..at + remark.len()].copy_from_slice(remark.as_bytes());
            }
        }
        comment
    }
}

/// The text for generators, as short as they take it.
pub(super) fn short_text() -> &'static TextPool {
    static TEXT: OnceLock<TextPool> = OnceLock::new();
    TEXT.get_or_init(|| TextPool::new(1 << 10, Distributions::static_default()))
}
