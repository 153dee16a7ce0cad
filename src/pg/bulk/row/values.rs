//! The values of a packed row, read back one after the other.

/// A place within the values of a row.
pub(super) struct Values<'a> {
    data: &'a [u8],
    at: usize,
}

impl<'a> Values<'a> {
    /// At the first value.
    pub fn of(data: &'a [u8]) -> Values<'a> {
        Values { data, at: 0 }
    }

    /// A value of so many bytes, which are what it is aligned to, too.
    pub fn fixed<const BYTES: usize>(&mut self) -> [u8; BYTES] {
        self.align(BYTES);
        self.take(BYTES).try_into().unwrap_or([0; BYTES])
    }

    /// A value without its header: the short one, or the long one behind bytes that align it and are zero.
    pub fn variable(&mut self) -> &'a [u8] {
        let first = self.data.get(self.at).copied().unwrap_or_default();
        let is_little = cfg!(target_endian = "little");
        let short = match is_little {
            true => (first & 1 == 1).then_some(first >> 1),
            false => (first & 0x80 != 0).then_some(first & 0x7f),
        };
        let (len, header) = match short {
            Some(len) => (usize::from(len), 1),
            None => {
                self.align(4);
                let at = self.data.get(self.at..).and_then(|rest| rest.first_chunk());
                let len = at.copied().map_or(0, u32::from_ne_bytes);
                (if is_little { len >> 2 } else { len } as usize, 4)
            }
        };
        self.at += header;
        self.take(len.saturating_sub(header))
    }

    fn align(&mut self, alignment: usize) {
        self.at = self.at.next_multiple_of(alignment);
    }

    fn take(&mut self, len: usize) -> &'a [u8] {
        let bytes = self.data.get(self.at..self.at + len);
        self.at += len;
        bytes.unwrap_or_default()
    }
}
