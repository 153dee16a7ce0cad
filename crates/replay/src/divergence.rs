//! How a statement may end otherwise than in the capture.

/// What differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Divergence {
    /// It had no error in the capture.
    ErrorNew,
    /// It had one, and now has none.
    ErrorGone,
    /// It had another one.
    ErrorOther,
    /// It returned or changed another number of rows.
    RowsOther,
    /// It was not run: its transaction had failed before, or its session was lost.
    NotReached,
}

/// How many kinds there are.
pub const KINDS: usize = 5;
/// Their names, in their order.
pub const NAMES: [&str; KINDS] = [
    "error_new",
    "error_gone",
    "error_other",
    "rows_other",
    "not_reached",
];

/// A statement of a block that has failed before.
const IN_FAILED_BLOCK: &str = "25P02";

/// How a statement ended in the capture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Expected {
    pub rows: u64,
    pub sqlstate: Option<[u8; 5]>,
    /// Its transaction was aborted with it, though it had no error of its own: a ROLLBACK, or a commit that failed.
    pub aborted: bool,
}

impl Expected {
    /// What differs, if anything does. `ended`: the rows, or the error's SQLSTATE.
    pub fn compare(&self, ended: Result<u64, &str>) -> Option<Divergence> {
        match (self.sqlstate, ended) {
            (None, Ok(rows)) => (rows != self.rows).then_some(Divergence::RowsOther),
            (Some(_), Ok(_)) => Some(Divergence::ErrorGone),
            (Some(before), Err(now)) if before == now.as_bytes() => None,
            (_, Err(IN_FAILED_BLOCK)) => Some(Divergence::NotReached),
            (Some(_), Err(_)) => Some(Divergence::ErrorOther),
            (None, Err(_)) if self.aborted => None,
            (None, Err(_)) => Some(Divergence::ErrorNew),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_is_told_from_the_others() {
        let expected = |sqlstate: Option<&[u8; 5]>, aborted| Expected {
            rows: 3,
            sqlstate: sqlstate.copied(),
            aborted,
        };
        let well = expected(None, false);
        let failed = expected(Some(b"23505"), true);
        let rolled_back = expected(None, true);
        for (captured, ended, divergence) in [
            (well, Ok(3), None),
            (well, Ok(2), Some(Divergence::RowsOther)),
            (well, Err("23505"), Some(Divergence::ErrorNew)),
            (well, Err("25P02"), Some(Divergence::NotReached)),
            (failed, Err("23505"), None),
            (failed, Err("40001"), Some(Divergence::ErrorOther)),
            (failed, Err("25P02"), Some(Divergence::NotReached)),
            (failed, Ok(3), Some(Divergence::ErrorGone)),
            (rolled_back, Ok(3), None),
            (rolled_back, Err("23503"), None),
        ] {
            assert_eq!(
                captured.compare(ended),
                divergence,
                "{captured:?} {ended:?}"
            );
        }
    }
}
