//! Lines that were not understood.

/// So many characters of a line are kept.
const LONGEST: usize = 200;

/// How many lines were not understood, and the first of them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Unread {
    pub lines: u64,
    /// Its number, from 1, and its beginning.
    pub first: Option<(u64, String)>,
}

impl Unread {
    /// Counts one; blank lines say nothing.
    pub fn add(&mut self, number: u64, line: &str) {
        if line.trim().is_empty() {
            return;
        }
        self.lines += 1;
        self.first
            .get_or_insert_with(|| (number, line.trim().chars().take(LONGEST).collect()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_is_kept() {
        let mut unread = Unread::default();
        unread.add(3, "  ");
        unread.add(4, &format!(" {}", "x".repeat(1_000)));
        unread.add(5, "y");
        assert_eq!(
            unread,
            Unread {
                lines: 2,
                first: Some((4, "x".repeat(200)))
            }
        );
    }
}
