//! A text on one line, for texts that may have line breaks.

use super::ascii::turns_direction;

/// Whether a character separates words, as those do that would spoil the text around them.
pub fn separates(c: char) -> bool {
    c.is_whitespace() || c.is_control() || turns_direction(c)
}

/// The text on one line, cut after `width` characters; control characters, and those that turn the direction, become spaces.
pub fn one_line(text: &str, width: usize) -> String {
    let words = text.split(separates);
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    let line = words.join(" ");
    if line.chars().count() <= width {
        return line;
    }
    line.chars()
        .take(width.saturating_sub(3))
        .chain("...".chars())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_text_is_cut_and_put_on_one_line() {
        assert_eq!(one_line("SELECT\n  1;", 20), "SELECT 1;");
        assert_eq!(one_line("SELECT abalance FROM t", 10), "SELECT ...");
        assert_eq!(one_line("a\u{1b}[2J\u{7}b\u{0}", 20), "a [2J b");
        assert_eq!(one_line("a\u{202e}b\u{2066}c", 20), "a b c");
    }
}
