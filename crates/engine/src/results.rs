//! The results that a script asks for (`\gset`, `\aset`): column names, the number of rows, and the
//! last row as texts.

use std::ffi::CStr;

/// The results of one command; the buffers are reused.
#[derive(Default)]
pub struct KeptResults {
    /// Names and values, each ended by a NUL byte.
    text: Vec<u8>,
    results: Vec<Bounds>,
    /// Whether the last query has a result, which then is the last one.
    last_has_result: bool,
}

/// Where a result is in the text: its names, then its last row up to the next result.
struct Bounds {
    names: usize,
    row: usize,
    rows: u64,
}

/// One result.
pub struct KeptResult<'a> {
    /// How many rows it had.
    pub rows: u64,
    /// The names of all columns, each ended by a NUL byte: equal names, equal columns.
    pub names: &'a [u8],
    row: &'a [u8],
}

impl KeptResults {
    /// The results of all queries that have one, in their order.
    pub fn all(&self) -> impl Iterator<Item = KeptResult<'_>> {
        (0..self.results.len()).filter_map(|i| self.get(i))
    }

    /// The result of the last query; `None` if that was one without a result, such as an UPDATE.
    pub fn last(&self) -> Option<KeptResult<'_>> {
        let last = self.results.len().checked_sub(1)?;
        self.last_has_result.then(|| self.get(last)).flatten()
    }

    fn get(&self, i: usize) -> Option<KeptResult<'_>> {
        let result = self.results.get(i)?;
        let end = self
            .results
            .get(i + 1)
            .map_or(self.text.len(), |next| next.names);
        Some(KeptResult {
            rows: result.rows,
            names: self.text.get(result.names..result.row)?,
            row: self.text.get(result.row..end)?,
        })
    }

    /// Forgets the results of the command before.
    pub fn clear(&mut self) {
        self.text.clear();
        self.results.clear();
        self.last_has_result = false;
    }

    /// A query begins, which may have a result or not.
    pub fn begin_query(&mut self) {
        self.last_has_result = false;
    }

    /// A result begins, with columns of these names.
    pub fn begin_result<'n>(&mut self, names: impl Iterator<Item = &'n CStr>) {
        let start = self.text.len();
        for name in names {
            self.push(name);
        }
        self.results.push(Bounds {
            names: start,
            row: self.text.len(),
            rows: 0,
        });
        self.last_has_result = true;
    }

    /// A row begins, which replaces the previous one.
    pub fn begin_row(&mut self) {
        if let Some(result) = self.results.last_mut() {
            result.rows += 1;
            self.text.truncate(result.row);
        }
    }

    /// Adds a name, or a value of the row.
    pub fn push(&mut self, text: &CStr) {
        self.text.extend_from_slice(text.to_bytes_with_nul());
    }
}

impl<'a> KeptResult<'a> {
    /// The names of the columns, in the encoding of the server.
    pub fn names(&self) -> impl Iterator<Item = &'a [u8]> {
        texts(self.names)
    }

    /// The values of the last row, NULL as empty text.
    pub fn values(&self) -> impl Iterator<Item = &'a [u8]> {
        texts(self.row)
    }
}

fn texts(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split_inclusive(|&byte| byte == 0)
        .map(|text| text.strip_suffix(b"\0").unwrap_or(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strings<'a>(texts: impl Iterator<Item = &'a [u8]>) -> Vec<String> {
        texts
            .map(|text| String::from_utf8_lossy(text).into_owned())
            .collect()
    }

    fn row(kept: &mut KeptResults, values: [&CStr; 2]) {
        kept.begin_row();
        for value in values {
            kept.push(value);
        }
    }

    #[test]
    fn the_last_row_of_each_result_is_kept() {
        let mut kept = KeptResults::default();
        assert!(kept.last().is_none());
        kept.begin_query();
        kept.begin_result([c"a", c"b"].into_iter());
        row(&mut kept, [c"1", c"a longer text"]);
        row(&mut kept, [c"", c"2"]);
        kept.begin_query();
        kept.begin_result([c"c"].into_iter());
        let all: Vec<_> = kept.all().collect();
        assert_eq!(all.len(), 2);
        assert_eq!(all[0].rows, 2);
        assert_eq!(strings(all[0].names()), ["a", "b"]);
        assert_eq!(strings(all[0].values()), ["", "2"]);
        assert_eq!(all[1].rows, 0);
        assert_eq!(all[1].names, b"c\0");
        assert_eq!(all[1].values().count(), 0);
        assert_eq!(kept.last().map(|last| last.rows), Some(0));
        kept.begin_query();
        assert!(kept.last().is_none());
        assert_eq!(kept.all().count(), 2);
        kept.clear();
        assert_eq!(kept.all().count(), 0);
    }
}
