//! Numbers, sizes and columns as text.

pub mod change;

use crate::pg::encoding::ascii::turns_direction;

/// Width of a terminal, which all lines fit except the user's own text and pgbench's.
pub const WIDTH: usize = 80;

/// A size as `pg_size_pretty` writes it, but with one decimal from kB on; may be negative.
pub fn bytes(bytes: i64) -> String {
    const UNITS: [&str; 5] = ["kB", "MB", "GB", "TB", "PB"];
    let mut size = bytes as f64;
    if size.abs() < 1024.0 {
        return format!("{bytes} bytes");
    }
    let mut unit = "";
    for next in UNITS {
        size /= 1024.0;
        unit = next;
        if size.abs() < 1024.0 {
            break;
        }
    }
    format!("{size:.1} {unit}")
}

/// A setting, which the server has in its `unit` (`8kB`, `ms`), as SHOW writes it: `32768` of `8kB` is `256MB`.
pub fn setting(value: &str, unit: Option<&str>) -> String {
    const SIZES: [(&str, f64); 5] = [
        ("TB", 1_099_511_627_776.0),
        ("GB", 1_073_741_824.0),
        ("MB", 1_048_576.0),
        ("kB", 1024.0),
        ("B", 1.0),
    ];
    /// In microseconds.
    const TIMES: [(&str, f64); 6] = [
        ("d", 86_400e6),
        ("h", 3600e6),
        ("min", 60e6),
        ("s", 1e6),
        ("ms", 1e3),
        ("us", 1.0),
    ];
    let Some(unit) = unit else {
        return value.to_owned();
    };
    let digits = unit.chars().take_while(char::is_ascii_digit).count();
    let (factor, name) = unit.split_at(digits);
    let size_of = |table: &[(&str, f64)]| {
        let found = table.iter().find(|(other, _)| *other == name)?;
        Some(found.1 * factor.parse().unwrap_or(1.0))
    };
    let (table, step): (&[_], f64) = match (size_of(&SIZES), size_of(&TIMES)) {
        (Some(step), _) => (&SIZES, step),
        (None, Some(step)) => (&TIMES, step),
        (None, None) => return format!("{value} {unit}"),
    };
    match value.parse::<f64>() {
        // -1 and 0 are words rather than sizes.
        Ok(count) if count > 0.0 => {
            let whole = |(_, size): &&(&str, f64)| (count * step / size).fract() == 0.0;
            match table.iter().find(whole) {
                Some((name, size)) => format!("{}{name}", count * step / size),
                None => format!("{value}{unit}"),
            }
        }
        _ => value.to_owned(),
    }
}

/// `part` of `whole` in percent; 0 if `whole` is 0.
pub fn percent(part: i64, whole: i64) -> f64 {
    if whole == 0 {
        0.0
    } else {
        100.0 * part as f64 / whole as f64
    }
}

/// A number with that many decimals, or `-` where there is none.
pub fn decimals(value: Option<f64>, decimals: usize) -> String {
    value.map_or_else(|| "-".to_owned(), |value| format!("{value:.decimals$}"))
}

/// A latency in ms with three decimals as pgbench writes it, but never less than three significant digits:
/// inside the server many take a few microseconds. `-` where there is none.
pub fn milliseconds(value: Option<f64>) -> String {
    let places = value.filter(|&value| value > 0.0).map_or(3, |value| {
        (2.0 - value.log10().floor()).clamp(3.0, 6.0) as usize
    });
    decimals(value, places)
}

/// `total` for each of `calls`, with that many decimals, or `-`.
pub fn per_call(total: Option<i64>, calls: i64, places: usize) -> String {
    decimals(
        total
            .filter(|_| calls > 0)
            .map(|total| total as f64 / calls as f64),
        places,
    )
}

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

/// Whether a character separates words, as those do that would spoil the text around them.
fn separates(c: char) -> bool {
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

/// As [`table`], but where that would be wider than a terminal, with numbers of at most six characters.
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
pub fn table<const N: usize>(heads: [&str; N], rows: &[[String; N]]) -> Vec<String> {
    columns(
        &heads,
        &rows.iter().map(|row| row.to_vec()).collect::<Vec<_>>(),
    )
}

/// The same of as many columns as there are heads.
pub fn columns(heads: &[&str], rows: &[Vec<String>]) -> Vec<String> {
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
    fn sizes_take_the_largest_unit_that_leaves_a_digit() {
        assert_eq!(bytes(0), "0 bytes");
        assert_eq!(bytes(1023), "1023 bytes");
        assert_eq!(bytes(1536), "1.5 kB");
        assert_eq!(bytes(-8 * 1024 * 1024), "-8.0 MB");
        assert_eq!(bytes(i64::MAX), "8192.0 PB");
    }

    #[test]
    fn settings_are_written_as_the_server_does() {
        for (value, unit, expected) in [
            ("32768", Some("8kB"), "256MB"),
            ("4096", Some("kB"), "4MB"),
            ("8388608", Some("kB"), "8GB"),
            ("1025", Some("kB"), "1025kB"),
            ("3", Some("8kB"), "24kB"),
            ("16777216", Some("B"), "16MB"),
            ("1024", Some("MB"), "1GB"),
            ("300", Some("s"), "5min"),
            ("90", Some("s"), "90s"),
            ("1440", Some("min"), "1d"),
            ("0.5", Some("ms"), "500us"),
            ("200", Some("ms"), "200ms"),
            ("-1", Some("kB"), "-1"),
            ("0", Some("s"), "0"),
            ("12", Some("apples"), "12 apples"),
            ("off", None, "off"),
            ("on", Some("kB"), "on"),
        ] {
            assert_eq!(setting(value, unit), expected);
        }
    }

    #[test]
    fn what_is_absent_is_a_dash() {
        assert_eq!(decimals(None, 3), "-");
        assert_eq!(decimals(Some(1.23456), 3), "1.235");
        assert_eq!(milliseconds(None), "-");
        assert_eq!(milliseconds(Some(0.0)), "0.000");
        assert_eq!(milliseconds(Some(12.3456)), "12.346");
        assert_eq!(milliseconds(Some(0.0034567)), "0.00346");
        assert_eq!(milliseconds(Some(0.0000001)), "0.000000");
        assert_eq!(per_call(None, 3, 1), "-");
        assert_eq!(per_call(Some(3), 0, 1), "-");
        assert_eq!(per_call(Some(3), 2, 1), "1.5");
    }

    #[test]
    fn percent_of_nothing_is_zero() {
        assert_eq!(percent(0, 0), 0.0);
        assert_eq!(percent(1, 8), 12.5);
    }

    #[test]
    fn one_is_not_plural() {
        assert_eq!(count(1, "client"), "1 client");
        assert_eq!(count(0, "client"), "0 clients");
        assert_eq!(count(12, "run"), "12 runs");
    }

    #[test]
    fn long_text_is_cut_and_put_on_one_line() {
        assert_eq!(one_line("SELECT\n  1;", 20), "SELECT 1;");
        assert_eq!(one_line("SELECT abalance FROM t", 10), "SELECT ...");
        assert_eq!(one_line("a\u{1b}[2J\u{7}b\u{0}", 20), "a [2J b");
        assert_eq!(one_line("a\u{202e}b\u{2066}c", 20), "a b c");
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
        let rows = [
            ["1".to_owned(), "SELECT 1".to_owned()],
            ["12345".to_owned(), "END".to_owned()],
        ];
        assert_eq!(
            table(["n", "statement"], &rows),
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
        assert_eq!(narrow_table(heads, &rows), table(heads, &rows));
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
