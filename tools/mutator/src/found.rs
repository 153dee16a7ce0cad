//! A place at which a mistake can be made.

use std::ops::Range;

/// One mistake: the bytes of a file, and what stands there instead.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// The kind of mistake, as it is listed.
    pub kind: &'static str,
    /// The bytes of the file that are replaced.
    pub bytes: Range<usize>,
    /// The text in their place.
    pub mistake: String,
    /// Whether they are statements, which have no value, and not an expression.
    pub statement: bool,
}

impl Found {
    pub fn new(kind: &'static str, bytes: Range<usize>, mistake: impl Into<String>) -> Found {
        Found {
            kind,
            bytes,
            mistake: mistake.into(),
            statement: false,
        }
    }
}

/// An integer beside this one, with as many digits.
pub fn neighbour(digits: &str) -> Option<String> {
    let number: u64 = digits.parse().ok()?;
    let next = (number + 1).to_string();
    Some(if next.len() == digits.len() {
        next
    } else {
        (number - 1).to_string()
    })
}
