//! Numbers as programs print them.

/// A finite number that is not negative; programs print "nan" where they divided by 0.
pub fn decimal(text: &str) -> Option<f64> {
    let number: f64 = text.trim().parse().ok()?;
    // The parser also takes words such as "inf".
    (number.is_finite() && number >= 0.0).then_some(number)
}

/// The largest count that is believed: sums over many of them still fit a bigint.
const LARGEST: u64 = 1_000_000_000_000_000;

/// A count.
pub fn count(text: &str) -> Option<u64> {
    let number: u64 = text.trim().parse().ok()?;
    (number <= LARGEST).then_some(number)
}

/// A count above 0 that fits an integer, such as that of clients.
pub fn small(text: &str) -> Option<u64> {
    count(text).filter(|number| *number > 0 && i32::try_from(*number).is_ok())
}

/// The first word as a count: "26022/40000" or "3 (0.1%)".
pub fn leading_count(text: &str) -> Option<u64> {
    let text = text.trim_start();
    let end = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    count(text.get(..end)?)
}

/// A number with its unit behind it: "1.58ms" with the unit "ms".
pub fn with_unit(text: &str, unit: &str) -> Option<f64> {
    decimal(text.trim().strip_suffix(unit)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_finite_and_fit() {
        assert_eq!(decimal(" 1.50 "), Some(1.5));
        for wrong in ["", "x", "nan", "-nan", "inf", "-1", "1e999", "1,5"] {
            assert_eq!(decimal(wrong), None, "{wrong}");
        }
        assert_eq!(count("1000000000000000"), Some(LARGEST));
        assert_eq!(count("1000000000000001"), None);
        assert_eq!(small("2147483647"), Some(i32::MAX as u64));
        assert_eq!(small("2147483648").or(small("0")), None);
        assert_eq!(leading_count("26022/40000"), Some(26022));
        assert_eq!(leading_count(" 3 (0.1%)"), Some(3));
        assert_eq!(leading_count("/3"), None);
        assert_eq!(with_unit("1.58ms", "ms"), Some(1.58));
        assert_eq!(with_unit("1.58", "ms"), None);
    }
}
