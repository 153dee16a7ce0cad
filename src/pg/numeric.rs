//! A `numeric` as it is stored: digits to the base of 10,000, without zeros at either end.

/// Sign, scale and weight in one word (NUMERIC_SHORT).
const SHORT: u16 = 0x8000;
/// The bits that tell this form from the others.
const KIND: u16 = 0xc000;
const NEGATIVE: u16 = 0x2000;
const SCALE_SHIFT: u16 = 7;
/// The weight has this sign bit and six bits.
const WEIGHT_SIGN: u16 = 0x40;
const WEIGHT: u16 = 0x3f;
/// Digits that a bigint has at most, split at any place.
const DIGITS: usize = 6;

/// The bytes of `unscaled` divided by 10 to the power of `scale` (at most 63), and how many they are.
pub fn pack(unscaled: i64, scale: u16) -> ([u8; 2 + 2 * DIGITS], usize) {
    // The last digit holds four places behind the point, or what is left of them.
    let behind = i32::from(scale.div_ceil(4));
    let missing = u32::from(scale.next_multiple_of(4) - scale);
    let mut rest = u128::from(unscaled.unsigned_abs()) * 10_u128.pow(missing);
    let mut digits = [0_u16; DIGITS];
    let mut count = 0;
    while rest > 0 && count < DIGITS {
        digits[count] = (rest % 10_000) as u16;
        rest /= 10_000;
        count += 1;
    }
    let digits = &digits[..count];
    // Those that are least come first here.
    let zeros = digits.iter().take_while(|digit| **digit == 0).count();
    let weight = match count {
        0 => 0,
        _ => count as i32 - behind - 1,
    };
    let mut header = SHORT | scale << SCALE_SHIFT | (weight as u16 & WEIGHT);
    if weight < 0 {
        header |= WEIGHT_SIGN;
    }
    if unscaled < 0 {
        header |= NEGATIVE;
    }
    let mut bytes = [0; 2 + 2 * DIGITS];
    let mut len = 0;
    for word in std::iter::once(&header).chain(digits[zeros..].iter().rev()) {
        bytes[len..len + 2].copy_from_slice(&word.to_ne_bytes());
        len += 2;
    }
    (bytes, len)
}

/// The unscaled number that [`pack`] has made these bytes of.
pub fn unpack(bytes: &[u8], scale: u16) -> i64 {
    let header = bytes.get(..2).map_or(0, word);
    let behind = i32::from(scale.div_ceil(4));
    let missing = u32::from(scale.next_multiple_of(4) - scale);
    let mut number = 0_i128;
    let mut place = weight(header) + behind;
    for digit in bytes.get(2..).unwrap_or_default().chunks_exact(2) {
        number += i128::from(word(digit)) * 10_000_i128.pow(place.max(0) as u32);
        place -= 1;
    }
    number /= 10_i128.pow(missing);
    let sign = if header & NEGATIVE != 0 { -1 } else { 1 };
    (sign * number) as i64
}

/// The words of the same number as the server sends it: how many digits, the place of the first, the sign, the scale, the digits.
pub fn words(bytes: &[u8], scale: u16) -> Vec<u16> {
    let header = bytes.get(..2).map_or(0, word);
    let digits = bytes.get(2..).unwrap_or_default().chunks_exact(2);
    let sign = if header & NEGATIVE != 0 { 0x4000 } else { 0 };
    let mut words = Vec::with_capacity(4 + DIGITS);
    words.extend([digits.len() as u16, weight(header) as u16, sign, scale]);
    words.extend(digits.map(word));
    words
}

fn word(pair: &[u8]) -> u16 {
    pair.try_into().map_or(0, u16::from_ne_bytes)
}

/// The place of the first digit: 0 for that before the point.
fn weight(header: u16) -> i32 {
    let sign = i32::from(header & WEIGHT_SIGN);
    i32::from(header & WEIGHT) - sign
}

/// The value of a numeric: the double that is nearest to it. None: NaN, infinity, or more digits than a double has, as only the
/// server's own function converts them.
pub fn value(bytes: &[u8]) -> Option<f64> {
    let header = bytes.get(..2).map(word)?;
    let digits = bytes.get(2..)?.chunks_exact(2);
    // Three digits have 12 places: a double holds them, and the powers of ten below.
    if header & KIND != SHORT || digits.len() > 3 {
        return None;
    }
    let exponent = weight(header) + 1 - digits.len() as i32;
    let number = digits.fold(0, |number, digit| number * 10_000 + u64::from(word(digit)));
    let power = |exponent: i32| 10_000_f64.powi(exponent);
    let value = match exponent {
        0 => number as f64,
        1..=5 => number as f64 * power(exponent),
        -5..0 => number as f64 / power(-exponent),
        _ => return None,
    };
    Some(if header & NEGATIVE != 0 {
        -value
    } else {
        value
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(unscaled: i64, scale: u16) -> Vec<u16> {
        let (bytes, len) = pack(unscaled, scale);
        bytes[..len]
            .chunks(2)
            .map(|pair| u16::from_ne_bytes([pair[0], pair[1]]))
            .collect()
    }

    /// As `pageinspect` shows what PostgreSQL 15 stored.
    #[test]
    fn digits_without_zeros_at_either_end() {
        assert_eq!(words(0, 2), [0x8100]);
        assert_eq!(words(150, 2), [0x8100, 1, 5_000]);
        assert_eq!(words(-150, 2), [0xa100, 1, 5_000]);
        assert_eq!(words(12_345_678, 0), [0x8001, 1_234, 5_678]);
        assert_eq!(words(50_000_000, 0), [0x8001, 5_000]);
        assert_eq!(words(5, 4), [0x827f, 5]);
        assert_eq!(words(5, 5), [0x82fe, 5_000]);
        assert_eq!(
            words(i64::MIN, 3),
            [0xa183, 9_223, 3_720, 3_685, 4_775, 8_080]
        );
    }

    #[test]
    fn nothing_is_lost() {
        for number in [
            0,
            1,
            9,
            10,
            9_999,
            10_000,
            10_001,
            99_990_000,
            123_456_789_012,
            i64::MAX,
        ] {
            for scale in 0..=63 {
                for signed in [number, -number] {
                    let (bytes, len) = pack(signed, scale);
                    assert_eq!(unpack(&bytes[..len], scale), signed, "scale {scale}");
                }
            }
        }
        let (bytes, len) = pack(i64::MIN, 63);
        assert_eq!(unpack(&bytes[..len], 63), i64::MIN);
    }

    #[test]
    fn a_value_is_the_nearest_double() {
        let of = |unscaled, scale| {
            let (bytes, len) = pack(unscaled, scale);
            value(&bytes[..len])
        };
        assert_eq!(of(0, 0), Some(0.0));
        assert_eq!(of(5_457, 3), Some(5.457));
        assert_eq!(of(-1, 3), Some(-0.001));
        assert_eq!(of(1, 18), Some(1e-18));
        assert_eq!(of(120_000_000_000_000, 0), Some(1.2e14));
        assert_eq!(of(123_456_789_012, 0), Some(123_456_789_012.0));
        assert_eq!(of(1_234_567_890_123, 0), None);
        assert_eq!(of(1, 30), None);
        for number in (0..100_000_000_i64).step_by(7_919) {
            let text = format!("{}.{:03}", number / 1_000, number % 1_000);
            assert_eq!(of(number, 3), text.parse().ok(), "{text}");
        }
        // NaN as the server stores it, and the long form.
        assert_eq!(value(&0xc000_u16.to_ne_bytes()), None);
        assert_eq!(value(&[0, 0, 0, 0, 1, 0]), None);
    }
}
