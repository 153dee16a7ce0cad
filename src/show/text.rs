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

/// As [`columns`], but where that would be wider than a terminal, with numbers of at most six characters.
pub fn narrow_table<const N: usize>(heads: [&str; N], rows: &[[String; N]]) -> Vec<String> {
    narrow_columns(
        &heads,
        &rows.iter().map(|row| row.to_vec()).collect::<Vec<_>>(),
    )
}

/// The same of as many columns as there are heads.
pub fn narrow_columns(heads: &[&str], rows: &[Vec<String>]) -> Vec<String> {
    let lines = columns(heads, rows);
    if lines
        .iter()
        .all(|line| line.trim_end().chars().count() <= WIDTH)
    {
        return lines;
    }
    let rows: Vec<_> = rows
        .iter()
        .map(|row| row.iter().map(|cell| short(cell)).collect())
        .collect();
    columns(heads, &rows)
}

/// A number in at most six characters, with as many decimals as that leaves, or as `1.2e10`; other text as it is.
fn short(cell: &str) -> String {
    const LONGEST: usize = 6;
    match cell.parse::<f64>() {
        Ok(number) if cell.len() > LONGEST => {
            let whole = format!("{number:.0}").len();
            match LONGEST.checked_sub(whole) {
                Some(rest) => format!("{number:.*}", rest.saturating_sub(1)),
                None => format!("{number:.1e}"),
            }
        }
        _ => cell.to_owned(),
    }
}

/// Lines in columns under their heads: right-aligned, the last column left-aligned.
fn columns(heads: &[&str], rows: &[Vec<String>]) -> Vec<String> {
    let heads: Vec<String> = heads.iter().map(|head| (*head).to_owned()).collect();
    let lines = || std::iter::once(&heads).chain(rows);
    let width = |column: usize| {
        let cells = lines().filter_map(|line| line.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..heads.len()).map(width).collect();
    lines()
        .map(|line| {
            let cells = line
                .iter()
                .zip(&widths)
                .enumerate()
                .map(|(column, (cell, &width))| {
                    if column + 1 == heads.len() {
                        format!("  {cell}")
                    } else {
                        format!("  {cell:>width$}")
                    }
                });
            cells.collect()
        })
        .collect()
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
    fn columns_line_up() {
        let rows = [["1", "SELECT 1"], ["12345", "END"]];
        assert_eq!(
            narrow_table(["n", "statement"], &rows.map(|row| row.map(str::to_owned))),
            ["      n  statement", "      1  SELECT 1", "  12345  END"]
        );
    }

    #[test]
    fn numbers_are_shortened_where_they_would_not_fit() {
        let cells = [
            "95040000000",
            "123456.789",
            "999.99996",
            "0.000806",
            "12",
            "-",
            "2026-01-01 12:00:00",
        ];
        let row = cells.map(str::to_owned);
        let heads = ["a", "b", "c", "d", "e", "f", "g"];
        let rows = [row.clone()];
        assert_eq!(narrow_table(heads, &rows), columns(&heads, &[row.to_vec()]));
        assert_eq!(
            row.each_ref().map(|cell| short(cell)),
            [
                "9.5e10",
                "123457",
                "1000.0",
                "0.0008",
                "12",
                "-",
                "2026-01-01 12:00:00"
            ]
        );
        let wide = [0; 8].map(|_| "1234567.890".to_owned());
        let lines = narrow_table(["right"; 8], &[wide]);
        assert_eq!(lines[1], "  1.2e6".repeat(8));
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
