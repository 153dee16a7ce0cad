//! The texts of statements, and how they are shown: without constants, so that all that differ in them alone are one, and no value is seen.

use std::cmp::Reverse;
use std::collections::HashMap;

/// As many are told apart: those on which the capture spent most time. Each has histograms of its own.
const MOST: usize = 500;
/// What all others are called.
pub const OTHERS: &str = "(other statements)";

/// Texts while a plan is made.
#[derive(Default)]
pub struct Texts {
    all: Vec<Text>,
    /// By the hash of the capture.
    numbers: HashMap<u64, usize>,
}

/// A text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    pub text: String,
    /// The number by which it is shown.
    pub shown: usize,
    /// What the capture spent on it, µs.
    took: u64,
}

impl Texts {
    /// The number of a statement's text, which took so long; None: the capture does not have it, or it is no UTF-8.
    pub fn number(
        &mut self,
        hash: u64,
        captured: &HashMap<u64, Vec<u8>>,
        took_us: i64,
    ) -> Option<usize> {
        let number = match self.numbers.get(&hash) {
            Some(&number) => number,
            None => {
                let text = std::str::from_utf8(captured.get(&hash)?).ok()?;
                self.all.push(Text {
                    text: text.to_owned(),
                    shown: 0,
                    took: 0,
                });
                self.numbers.insert(hash, self.all.len() - 1);
                self.all.len() - 1
            }
        };
        self.all[number].took += took_us.max(0) as u64;
        Some(number)
    }

    /// Whether it is a COPY to the client.
    pub fn is_copy_to(&self, number: usize) -> bool {
        let text = script::without_literals(&self.all[number].text).to_ascii_uppercase();
        let words: Vec<&str> = text.split_whitespace().collect();
        let to_client = |pair: &[&str]| pair[0] == "TO" && pair[1].starts_with("STDOUT");
        words.first() == Some(&"COPY") && words.windows(2).any(to_client)
    }

    /// All of them, and what is shown, the longest in time first.
    pub fn end(mut self) -> (Vec<Text>, Vec<String>) {
        let mut times: HashMap<String, u64> = HashMap::new();
        for text in &self.all {
            *times.entry(shown(&text.text)).or_default() += text.took;
        }
        let mut shown_texts: Vec<(String, u64)> = times.into_iter().collect();
        shown_texts
            .sort_by(|(a, took_a), (b, took_b)| (Reverse(took_a), a).cmp(&(Reverse(took_b), b)));
        let more = shown_texts.len() > MOST;
        if more {
            shown_texts.truncate(MOST - 1);
        }
        let mut shown_texts: Vec<String> = shown_texts.into_iter().map(|(text, _)| text).collect();
        let others = shown_texts.len();
        let places = shown_texts.iter().enumerate();
        let places: HashMap<&str, usize> = places.map(|(at, text)| (text.as_str(), at)).collect();
        for text in &mut self.all {
            text.shown = *places.get(shown(&text.text).as_str()).unwrap_or(&others);
        }
        if more {
            shown_texts.push(OTHERS.to_owned());
        }
        (self.all, shown_texts)
    }
}

fn shown(text: &str) -> String {
    script::without_literals(text.trim().trim_end_matches(';'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn captured(texts: &[String]) -> HashMap<u64, Vec<u8>> {
        let texts = (0..).zip(texts);
        texts
            .map(|(hash, text)| (hash, text.clone().into_bytes()))
            .collect()
    }

    #[test]
    fn texts_that_differ_in_constants_are_shown_as_one() {
        let given = ["SELECT 1;", "SELECT 'a'", "COMMIT"].map(str::to_owned);
        let captured = captured(&given);
        let mut texts = Texts::default();
        let numbers = [0, 2, 1, 0].map(|hash| texts.number(hash, &captured, 10));
        assert_eq!(numbers, [Some(0), Some(1), Some(2), Some(0)]);
        assert_eq!(texts.number(7, &captured, 10), None);
        let (all, shown) = texts.end();
        assert_eq!(shown, ["SELECT ?", "COMMIT"]);
        let places: Vec<_> = all.iter().map(|it| (it.text.as_str(), it.shown)).collect();
        assert_eq!(places, [("SELECT 1;", 0), ("COMMIT", 1), ("SELECT 'a'", 0)]);
    }

    #[test]
    fn a_copy_to_the_client_is_told_from_others() {
        for (text, is_one) in [
            ("COPY t TO STDOUT", true),
            ("copy (SELECT 1) to stdout;", true),
            ("COPY t TO '/tmp/TO STDOUT'", false),
            ("COPY t FROM STDIN", false),
            ("SELECT 1", false),
        ] {
            let captured = captured(&[text.to_owned()]);
            let mut texts = Texts::default();
            texts.number(0, &captured, 1);
            assert_eq!(texts.is_copy_to(0), is_one, "{text}");
        }
    }

    #[test]
    fn what_is_no_text_has_no_number() {
        let captured = HashMap::from([(1, vec![0xff])]);
        assert_eq!(Texts::default().number(1, &captured, 1), None);
    }

    #[test]
    fn no_more_are_told_apart_than_there_is_room_for() {
        let given: Vec<String> = (0..MOST + 9).map(|i| format!("SELECT a{i}")).collect();
        let captured = captured(&given);
        let mut texts = Texts::default();
        for hash in 0..given.len() {
            texts.number(hash as u64, &captured, hash as i64);
        }
        let (all, shown) = texts.end();
        assert_eq!((shown.len(), shown[MOST - 1].as_str()), (MOST, OTHERS));
        assert_eq!((shown[0].as_str(), all[MOST + 8].shown), ("SELECT a508", 0));
        assert_eq!((all[0].shown, all[9].shown, all[10].shown), (499, 499, 498));
    }
}
