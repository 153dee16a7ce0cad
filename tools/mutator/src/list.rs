//! The list of mistakes: a line each.

use std::fmt::{self, Display};
use std::fs;
use std::io::{self, BufRead};
use std::ops::Range;

use crate::Result;

/// A mistake that was planted.
pub struct Mistake {
    /// What chooses it.
    pub number: usize,
    /// Its file, from the root of the checkout.
    pub file: String,
    /// Its line in the sources, from 1.
    pub line: usize,
    pub kind: String,
    pub was: String,
    pub is: String,
    /// In Rust where it stands in the copy, in SQL where it stands in the sources.
    pub bytes: Range<usize>,
}

/// A text on one line, without tabs.
fn on_a_line(text: &str) -> String {
    text.replace('\\', "\\\\")
        .replace('\n', "\\n")
        .replace('\t', "\\t")
}

fn as_it_was(text: &str) -> String {
    let mut whole = String::new();
    let mut characters = text.chars();
    while let Some(c) = characters.next() {
        whole.push(match (c, c == '\\') {
            (_, true) => match characters.next() {
                Some('n') => '\n',
                Some('t') => '\t',
                other => other.unwrap_or('\\'),
            },
            (c, false) => c,
        });
    }
    whole
}

impl Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (was, is) = (on_a_line(&self.was), on_a_line(&self.is));
        let Range { start, end } = self.bytes;
        write!(
            f,
            "{}\t{}\t{}\t{}\t{was}\t{is}\t{start}\t{end}",
            self.number, self.file, self.line, self.kind
        )
    }
}

/// Reads a list.
pub fn read(list: &str) -> Result<Vec<Mistake>> {
    let text = fs::read_to_string(list)?;
    text.lines()
        .map(|line| {
            let parts: Vec<&str> = line.split('\t').collect();
            let [number, file, line_number, kind, was, is, start, end] = parts.as_slice() else {
                return Err(format!("not a line of a list: {line}").into());
            };
            Ok(Mistake {
                number: number.parse()?,
                file: (*file).to_owned(),
                line: line_number.parse()?,
                kind: (*kind).to_owned(),
                was: as_it_was(was),
                is: as_it_was(is),
                bytes: start.parse()?..end.parse()?,
            })
        })
        .collect()
}

/// Prints the numbers of the mistakes that do not compile: those in which an error of the compiler stands. The input has a line for each
/// error: file, first byte, last byte.
pub fn broken(list: &str) -> Result<()> {
    let mistakes = read(list)?;
    let mut numbers = std::collections::BTreeSet::new();
    for line in io::stdin().lock().lines() {
        let line = line?;
        let parts: Vec<&str> = line.split('\t').collect();
        let [file, start, end] = parts.as_slice() else {
            return Err(format!("not an error: {line}").into());
        };
        let (start, end): (usize, usize) = (start.parse()?, end.parse()?);
        let is_in = |mistake: &&Mistake| {
            mistake.file == *file
                && mistake.bytes.start < end.max(start + 1)
                && start < mistake.bytes.end
        };
        numbers.extend(mistakes.iter().filter(is_in).map(|mistake| mistake.number));
    }
    for number in numbers {
        println!("{number}");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_come_back() {
        let text = "a\n\tb \\n c\\";
        assert_eq!(as_it_was(&on_a_line(text)), text);
        assert!(!on_a_line(text).contains(['\n', '\t']));
    }
}
