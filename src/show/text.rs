//! Lines of text: words, names and columns.

pub use crate::pg::encoding::line::one_line;
use crate::pg::encoding::line::separates;

/// Width of a terminal, which all lines fit except the user's own text and pgbench's.
pub const WIDTH: usize = 80;

/// `2026-01-01T12:00:00.123+00:00` in readable form: without the fraction of a second.
pub fn moment(iso: &str) -> String {
    let text = iso.replacen('T', " ", 1);
    match text.split_once('.') {
        Some((seconds, rest)) => {
            let zone = rest.trim_start_matches(|digit: char| digit.is_ascii_digit());
            format!("{seconds}{zone}")
        }
        None => text,
    }
}

/// A count with its noun, as `1 client` or `2 clients`.
pub fn count(number: i64, noun: &str) -> String {
    format!("{number} {}", plural(number, noun))
}

/// The noun with an `s` unless it is one.
pub fn plural(number: i64, noun: &str) -> String {
    format!("{noun}{}", if number == 1 { "" } else { "s" })
}

/// `a, b and c`.
pub fn listed(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// The text in lines of at most `width` characters, as [`wrap`] makes them, of which a longer word has several: it may have names of
/// any length.
pub fn wrap_names(text: &str, width: usize) -> Vec<String> {
    let mut words = Vec::new();
    for word in text.split(separates).filter(|word| !word.is_empty()) {
        let letters: Vec<char> = word.chars().collect();
        words.extend(
            letters
                .chunks(width.saturating_sub(2).max(1))
                .map(|part| part.iter().collect::<String>()),
        );
    }
    wrap(&words.join(" "), width)
}

/// The text in lines of at most `width` characters, all but the first indented; a longer word has its own.
pub fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            Some(_) => lines.push(format!("  {word}")),
            None => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_not_plural() {
        assert_eq!(count(1, "client"), "1 client");
        assert_eq!(count(0, "client"), "0 clients");
        assert_eq!(count(12, "run"), "12 runs");
    }

    #[test]
    fn long_lines_are_wrapped_between_words() {
        assert_eq!(wrap("one two three", 20), ["one two three"]);
        assert_eq!(wrap("one two three", 8), ["one two", "  three"]);
        assert_eq!(wrap("a longerword b", 5), ["a", "  longerword", "  b"]);
        assert_eq!(wrap_names("a\nlonger b", 5), ["a lon", "  ger", "  b"]);
    }

    #[test]
    fn moments_lose_their_fraction_only() {
        assert_eq!(
            moment("2026-01-01T12:00:00.123456+00:00"),
            "2026-01-01 12:00:00+00:00"
        );
        assert_eq!(
            moment("2026-01-01T12:00:00+02:00"),
            "2026-01-01 12:00:00+02:00"
        );
    }
}
