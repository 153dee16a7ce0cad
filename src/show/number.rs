//! Figures as text, with their unit: with groups of thousands and three significant digits for people, with fixed decimals in
//! columns, as the server writes a setting.

/// The unit of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    Milliseconds,
    Bytes,
    BytesPerSecond,
    Percent,
    /// A number of something, named in the plural; empty: a plain number.
    Count(&'static str),
}

impl Unit {
    /// The value with its unit.
    pub fn write(self, value: f64) -> String {
        match self {
            Unit::Milliseconds => format!("{} ms", number(value)),
            Unit::Bytes => bytes(value),
            Unit::BytesPerSecond => format!("{}/s", bytes(value)),
            Unit::Percent => format!("{} %", number(value)),
            Unit::Count("") => number(value),
            Unit::Count(name) => format!("{} {name}", number(value)),
        }
    }

    /// The value for an axis, whose title has the unit.
    pub fn tick(self, value: f64) -> String {
        match self {
            // There is no room for more.
            Unit::Bytes | Unit::BytesPerSecond => bytes(value).replace(" bytes", " B"),
            Unit::Count(_) if value.abs() >= 1e6 => short(value),
            _ => number(value),
        }
    }

    /// What stands at the axis; sizes carry their unit themselves.
    pub fn title(self) -> &'static str {
        match self {
            Unit::Milliseconds => "ms",
            Unit::Bytes => "",
            Unit::BytesPerSecond => "per second",
            Unit::Percent => "%",
            Unit::Count(name) => name,
        }
    }

    /// As documents name it.
    pub fn name(self) -> &'static str {
        match self {
            Unit::Milliseconds => "milliseconds",
            Unit::Bytes => "bytes",
            Unit::BytesPerSecond => "bytes per second",
            Unit::Percent => "percent",
            Unit::Count("") => "number",
            Unit::Count(name) => name,
        }
    }

    /// Whether steps of an axis are powers of two.
    pub fn is_binary(self) -> bool {
        matches!(self, Unit::Bytes | Unit::BytesPerSecond)
    }
}

/// Three significant digits, all digits before the point, in groups of three.
pub fn number(value: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    let decimals = (2.0 - value.abs().log10().floor()).clamp(0.0, 6.0) as usize;
    let text = format!("{:.decimals$}", value.abs());
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let fraction = fraction.trim_end_matches('0');
    let sign = if value < 0.0 { "-" } else { "" };
    let point = if fraction.is_empty() { "" } else { "." };
    format!("{sign}{}{point}{fraction}", grouped(whole))
}

/// A whole number in groups of three digits.
pub fn integer(value: i64) -> String {
    let sign = if value < 0 { "-" } else { "" };
    format!("{sign}{}", grouped(&value.unsigned_abs().to_string()))
}

fn grouped(digits: &str) -> String {
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// With a letter for millions and more.
fn short(value: f64) -> String {
    let (divisor, letter) = match value.abs() {
        size if size >= 1e12 => (1e12, "T"),
        size if size >= 1e9 => (1e9, "G"),
        _ => (1e6, "M"),
    };
    format!("{} {letter}", number(value / divisor))
}

/// A size in the largest unit that leaves a digit before the point.
pub fn bytes(value: f64) -> String {
    const UNITS: [&str; 6] = ["bytes", "kB", "MB", "GB", "TB", "PB"];
    let mut size = value;
    let mut unit = 0;
    while size.abs() >= 1024.0 && unit + 1 < UNITS.len() {
        size /= 1024.0;
        unit += 1;
    }
    format!("{} {}", number(size), UNITS.get(unit).unwrap_or(&""))
}

/// Seconds in their two largest units: `1 h 5 min`.
pub fn duration(seconds: f64) -> String {
    if seconds < 0.0 {
        return format!("-{}", duration(-seconds));
    }
    if seconds < 60.0 {
        return format!("{} s", number((seconds * 10.0).round() / 10.0));
    }
    const UNITS: [(u64, &str); 4] = [(86_400, "d"), (3_600, "h"), (60, "min"), (1, "s")];
    let mut rest = seconds.round() as u64;
    let mut parts = Vec::new();
    for (size, name) in UNITS {
        if rest >= size && parts.len() < 2 {
            parts.push(format!("{} {name}", integer((rest / size) as i64)));
            rest %= size;
        } else if !parts.is_empty() {
            break;
        }
    }
    parts.join(" ")
}

/// The units of a size in settings, in bytes.
const SIZES: [(&str, f64); 5] = [
    ("TB", 1_099_511_627_776.0),
    ("GB", 1_073_741_824.0),
    ("MB", 1_048_576.0),
    ("kB", 1024.0),
    ("B", 1.0),
];
/// Those of a time, in microseconds.
const TIMES: [(&str, f64); 6] = [
    ("d", 86_400e6),
    ("h", 3600e6),
    ("min", 60e6),
    ("s", 1e6),
    ("ms", 1e3),
    ("us", 1.0),
];

fn unit_in(table: &[(&str, f64)], name: &str) -> Option<f64> {
    let found = table.iter().find(|(other, _)| *other == name)?;
    Some(found.1)
}

/// What the value of a setting is an amount of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    Number,
    Size,
    Time,
}

/// How much a value is, as users write it for a setting: `128MB` in bytes, `1.5 s` in microseconds, `4` by itself. None: it is no amount.
pub fn amount(text: &str) -> Option<(Measure, f64)> {
    let text = text.trim();
    let digits = |c: char| c.is_ascii_digit() || "+-.".contains(c);
    let end = text.find(|c| !digits(c)).unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let number: f64 = number.parse().ok()?;
    let unit = unit.trim();
    if unit.is_empty() {
        return Some((Measure::Number, number));
    }
    let size = unit_in(&SIZES, unit).map(|size| (Measure::Size, size));
    let (measure, step) = size.or_else(|| Some((Measure::Time, unit_in(&TIMES, unit)?)))?;
    Some((measure, number * step))
}

/// A setting, which the server has in its `unit` (`8kB`, `ms`), as SHOW writes it: `32768` of `8kB` is `256MB`.
pub fn setting(value: &str, unit: Option<&str>) -> String {
    let Some(unit) = unit else {
        return value.to_owned();
    };
    let digits = unit.chars().take_while(char::is_ascii_digit).count();
    let (factor, name) = unit.split_at(digits);
    let size_of =
        |table: &[(&str, f64)]| Some(unit_in(table, name)? * factor.parse().unwrap_or(1.0));
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

/// A change in percent, without its unit, in at most 6 characters.
pub fn short_percent(value: f64) -> String {
    // No "-0.0".
    let value = if value.abs() < 0.05 { 0.0 } else { value };
    if value.abs() >= 99_999.5 {
        format!("{value:+.0e}")
    } else if value.abs() >= 99.95 {
        format!("{value:+.0}")
    } else {
        format!("{value:+.1}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_three_digits_and_all_before_the_point() {
        for (value, text) in [
            (0.0, "0"),
            (1.0, "1"),
            (1.5, "1.5"),
            (12.3456, "12.3"),
            (123.6, "124"),
            (1_234_567.8, "1,234,568"),
            (0.001234, "0.00123"),
            (-4321.0, "-4,321"),
            (100_000.0, "100,000"),
        ] {
            assert_eq!(number(value), text);
        }
        assert_eq!(integer(-1_000), "-1,000");
        assert_eq!(integer(999), "999");
    }

    #[test]
    fn every_value_carries_its_unit() {
        assert_eq!(Unit::Bytes.write(1536.0), "1.5 kB");
        assert_eq!(Unit::BytesPerSecond.write(3.0 * 1048576.0), "3 MB/s");
        assert_eq!(Unit::Milliseconds.write(0.25), "0.25 ms");
        assert_eq!(Unit::Count("tps").write(1234.6), "1,235 tps");
        assert_eq!(Unit::Count("").tick(2e9), "2 G");
        assert_eq!(Unit::Percent.write(99.95), "100 %");
    }

    #[test]
    fn durations_have_two_units_at_most() {
        assert_eq!(duration(0.0), "0 s");
        assert_eq!(duration(9.96), "10 s");
        assert_eq!(duration(90.0), "1 min 30 s");
        assert_eq!(duration(3_605.0), "1 h");
        assert_eq!(duration(3_700.0), "1 h 1 min");
        assert_eq!(duration(950_400.0), "11 d");
        assert_eq!(duration(-30.0), "-30 s");
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
    fn values_of_settings_are_amounts() {
        use Measure::{Number, Size, Time};
        for (text, expected) in [
            ("128MB", Some((Size, 134_217_728.0))),
            ("1GB", Some((Size, 1_073_741_824.0))),
            ("8 kB", Some((Size, 8192.0))),
            ("1.5s", Some((Time, 1.5e6))),
            ("2min", Some((Time, 120e6))),
            ("200us", Some((Time, 200.0))),
            ("4", Some((Number, 4.0))),
            ("-1", Some((Number, -1.0))),
            ("1.1", Some((Number, 1.1))),
            ("1Gb", None),
            ("on", None),
            ("", None),
            ("inf", None),
            ("2026-01-01", None),
        ] {
            assert_eq!(amount(text), expected, "{text}");
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
}
