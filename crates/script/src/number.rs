//! Doubles in text, as C's strtod reads them.

/// Reads a double, or `None` if the text is no number or the number overflows or underflows the type.
pub(super) fn parse_double(text: &str) -> Option<f64> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    if let Some(hexadecimal) = unsigned.strip_prefix("0x").or(unsigned.strip_prefix("0X")) {
        let double = parse_hexadecimal(hexadecimal)?;
        return Some(if text.starts_with('-') {
            -double
        } else {
            double
        });
    }
    let double: f64 = text.parse().ok()?;
    let mantissa = text.split(['e', 'E']).next().unwrap_or_default();
    let has_digits = mantissa.bytes().any(|b| b.is_ascii_digit());
    let is_zero = mantissa.bytes().all(|b| !matches!(b, b'1'..=b'9'));
    let in_range = double.is_normal() || (double == 0.0 && is_zero);
    // Without digits it is "inf" or "nan" written out, which strtod takes.
    (in_range || !has_digits).then_some(double)
}

/// What follows `0x`: digits, a point in, before or after them, and a binary exponent.
fn parse_hexadecimal(text: &str) -> Option<f64> {
    let (mantissa, exponent) = match text.split_once(['p', 'P']) {
        Some((mantissa, exponent)) => {
            let digits = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
            let all_digits = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
            let limit = if exponent.starts_with('-') {
                i64::MIN
            } else {
                i64::MAX
            };
            // More digits than fit are as far out of range as the largest that does.
            (
                mantissa,
                all_digits.then(|| exponent.parse().unwrap_or(limit))?,
            )
        }
        None => (text, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let mut bits: u64 = 0;
    let mut dropped: i64 = 0;
    for digit in whole.chars().chain(fraction.chars()) {
        let digit = u64::from(digit.to_digit(16)?);
        if bits >> 60 == 0 {
            bits = bits << 4 | digit;
        } else {
            // Far below the last bit that counts: all that matters is whether anything is there.
            bits |= u64::from(digit != 0);
            dropped += 4;
        }
    }
    let mut scale = exponent
        .saturating_add(dropped)
        .saturating_sub(4 * i64::try_from(fraction.len()).ok()?)
        .clamp(-3000, 3000);
    let mut double = bits as f64;
    while scale != 0 {
        let step = scale.clamp(-1000, 1000);
        double *= 2f64.powi(step as i32);
        scale -= step;
    }
    (double.is_normal() || bits == 0).then_some(double)
}

#[cfg(test)]
mod tests {
    use super::parse_double;

    #[test]
    fn decimals() {
        assert_eq!(parse_double("1.50"), Some(1.5));
        assert_eq!(parse_double("-.5e1"), Some(-5.0));
        assert_eq!(parse_double("5."), Some(5.0));
        assert_eq!(parse_double("0e-999"), Some(0.0));
        for bad in ["", "+", ".", "1e", "1e400", "1e-400", "4e-324", "1_0", "1 "] {
            assert_eq!(parse_double(bad), None, "{bad}");
        }
        assert_eq!(parse_double("-Infinity"), Some(f64::NEG_INFINITY));
        assert!(parse_double("NaN").is_some_and(f64::is_nan));
    }

    #[test]
    fn hexadecimals() {
        assert_eq!(parse_double("0x1.8p-2"), Some(0.375));
        assert_eq!(parse_double("-0XfF"), Some(-255.0));
        assert_eq!(parse_double("+0x.8"), Some(0.5));
        assert_eq!(parse_double("0x0p99999999999999999999"), Some(0.0));
        assert_eq!(parse_double("0x1p1023"), Some(2f64.powi(1023)));
        assert_eq!(parse_double("0x1p-1022"), Some(f64::MIN_POSITIVE));
        // To even, and up if anything lies beyond the half.
        assert_eq!(parse_double("0x20000000000001"), Some(9007199254740992.0));
        assert_eq!(
            parse_double("0x20000000000001000000000000000001"),
            Some(9007199254740994.0 * 2f64.powi(72))
        );
        assert_eq!(
            parse_double("0x20000000000001000000000000000000"),
            Some(9007199254740992.0 * 2f64.powi(72))
        );
        for bad in [
            "0x",
            "0x0pz",
            "0x.",
            "0xp1",
            "0x1p",
            "0x1p+",
            "0x1g",
            "0x1.2.3",
            "0x1p1024",
            "0x1p-1100",
        ] {
            assert_eq!(parse_double(bad), None, "{bad}");
        }
    }
}
