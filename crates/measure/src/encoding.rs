//! Histograms as bytes: HdrHistogram's V2 encoding, plain as it is stored, or compressed as in its logs.
//!
//! Reading trusts nothing: the bytes may come from anywhere, so neither a length nor a counter in them decides how
//! much memory is taken.

use super::histogram::{HIGHEST_NS, LOWEST_NS, SIGNIFICANT_DIGITS, lowest_equivalent};
use super::{COUNTERS, Histogram};
use flate2::read::ZlibDecoder;
use hdrhistogram::serialization::{Serializer, V2DeflateSerializer, V2Serializer};
use serde::{Deserialize, Deserializer, Serialize, de, ser};
use std::fmt::Display;
use std::fmt::Write;
use std::io::Read;
use thiserror::Error;

/// The first bytes of the encoding: format 3 in version 2, with words of 1 byte, plain or compressed.
const PLAIN: u32 = 0x1c84_9313;
const COMPRESSED: u32 = 0x1c84_9314;
/// Bytes before the counters.
const HEADER: usize = 40;
/// Most bytes that a counter takes.
const LONGEST_NUMBER: usize = 9;
/// The longest encoding that holds no counter twice.
const LONGEST: usize = HEADER + COUNTERS * LONGEST_NUMBER;

/// Why a histogram could not be written or read.
#[derive(Debug, Error)]
pub enum HistogramError {
    /// A counter above 2^63 - 1, or no memory.
    #[error("could not encode a histogram: {0}")]
    Encode(String),
    /// Not a HdrHistogram V2 document.
    #[error("not a histogram in HdrHistogram's V2 encoding: {0}")]
    Decode(&'static str),
    /// A document with other bounds than this version's.
    #[error(
        "a histogram has bounds {low} to {high} with {digits} digits, not {LOWEST_NS} to {HIGHEST_NS} with {SIGNIFICANT_DIGITS}"
    )]
    Layout { low: u64, high: u64, digits: u32 },
}

impl Histogram {
    /// The histogram in HdrHistogram's V2 encoding, not compressed: a few bytes for each
    /// counter in use.
    pub fn encode_v2(&self) -> Result<Vec<u8>, HistogramError> {
        self.encode(V2Serializer::new())
    }

    /// The same compressed, as HdrHistogram's logs have it.
    pub fn encode_compressed(&self) -> Result<Vec<u8>, HistogramError> {
        self.encode(V2DeflateSerializer::new())
    }

    fn encode(&self, mut serializer: impl Serializer) -> Result<Vec<u8>, HistogramError> {
        let mut hdr = hdrhistogram::Histogram::<u64>::new_with_bounds(
            LOWEST_NS,
            HIGHEST_NS,
            SIGNIFICANT_DIGITS,
        )
        .map_err(failed)?;
        for (index, count) in self.recorded() {
            hdr.record_n(lowest_equivalent(index), count)
                .map_err(failed)?;
        }
        let mut bytes = Vec::new();
        serializer
            .serialize(&hdr, &mut bytes)
            .map_err(|error| HistogramError::Encode(format!("{error:?}")))?;
        Ok(bytes)
    }

    /// Reads either encoding.
    pub fn decode(bytes: &[u8]) -> Result<Self, HistogramError> {
        let mut histogram = Histogram::new();
        histogram.add_encoded(bytes)?;
        Ok(histogram)
    }

    /// Adds an encoded histogram, of either encoding, straight to the counters: a long run has a histogram for each second.
    ///
    /// # Errors
    /// As [`decode`](Self::decode); then part of the counters may have been added.
    pub fn add_encoded(&mut self, bytes: &[u8]) -> Result<(), HistogramError> {
        let mut rest = bytes;
        if word(&mut rest)? != COMPRESSED {
            return self.add_plain(bytes);
        }
        if word(&mut rest)? as usize != rest.len() {
            return Err(WRONG_LENGTH);
        }
        let mut plain = Vec::new();
        // One byte more than possible shows that there is more.
        ZlibDecoder::new(rest)
            .take(LONGEST as u64 + 1)
            .read_to_end(&mut plain)
            .map_err(|_| HistogramError::Decode("its compressed part is damaged"))?;
        self.add_plain(&plain)
    }

    fn add_plain(&mut self, mut bytes: &[u8]) -> Result<(), HistogramError> {
        if word(&mut bytes)? != PLAIN {
            return Err(HistogramError::Decode("it begins otherwise"));
        }
        let length = word(&mut bytes)?;
        let offset = word(&mut bytes)?;
        let digits = word(&mut bytes)?;
        let (low, high) = (long(&mut bytes)?, long(&mut bytes)?);
        let ratio = f64::from_bits(long(&mut bytes)?);
        if (low, high, digits) != (LOWEST_NS, HIGHEST_NS, u32::from(SIGNIFICANT_DIGITS)) {
            return Err(HistogramError::Layout { low, high, digits });
        }
        if offset != 0 || ratio != 1.0 {
            return Err(HistogramError::Decode(
                "its values are shifted or scaled, which is not supported",
            ));
        }
        if length as usize != bytes.len() {
            return Err(WRONG_LENGTH);
        }
        let mut index = 0;
        while !bytes.is_empty() {
            match number(&mut bytes)? {
                // The number of counters in a row that are 0.
                zeros @ ..0 => {
                    index = usize::try_from(zeros.unsigned_abs())
                        .ok()
                        .and_then(|zeros| zeros.checked_add(index))
                        .filter(|&next| next <= COUNTERS)
                        .ok_or(TOO_MANY)?;
                }
                count => {
                    let counter = self.counts.get_mut(index).ok_or(TOO_MANY)?;
                    *counter = counter.saturating_add(count.unsigned_abs());
                    index += 1;
                }
            }
        }
        Ok(())
    }
}

/// As text: the encoding in hexadecimal digits.
impl Serialize for Histogram {
    fn serialize<S: ser::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let bytes = self.encode_v2().map_err(ser::Error::custom)?;
        let mut text = String::with_capacity(2 * bytes.len());
        for byte in bytes {
            // Writing to a String cannot fail.
            let _ = write!(text, "{byte:02x}");
        }
        serializer.serialize_str(&text)
    }
}

impl<'de> Deserialize<'de> for Histogram {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let digits = text.as_bytes().chunks(2);
        let byte = |pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
        let bytes: Option<Vec<u8>> = digits.map(byte).collect();
        Histogram::decode(&bytes.unwrap_or_default()).map_err(de::Error::custom)
    }
}

const WRONG_LENGTH: HistogramError =
    HistogramError::Decode("it is cut off, or longer than it says");
const TOO_MANY: HistogramError =
    HistogramError::Decode("it has more counters than its bounds allow");

fn failed(error: impl Display) -> HistogramError {
    HistogramError::Encode(error.to_string())
}

fn take<const N: usize>(bytes: &mut &[u8]) -> Result<[u8; N], HistogramError> {
    let (taken, rest) = bytes.split_first_chunk().ok_or(WRONG_LENGTH)?;
    *bytes = rest;
    Ok(*taken)
}

fn word(bytes: &mut &[u8]) -> Result<u32, HistogramError> {
    take(bytes).map(u32::from_be_bytes)
}

fn long(bytes: &mut &[u8]) -> Result<u64, HistogramError> {
    take(bytes).map(u64::from_be_bytes)
}

/// A number in LEB128, of which the ninth byte has 8 bits, with its sign in the lowest bit (zig-zag).
fn number(bytes: &mut &[u8]) -> Result<i64, HistogramError> {
    let mut value = 0;
    for place in 0..LONGEST_NUMBER {
        let [byte] = take(bytes)?;
        let is_longest = place + 1 == LONGEST_NUMBER;
        let bits = if is_longest { byte } else { byte & 0x7f };
        value |= u64::from(bits) << (7 * place);
        if byte & 0x80 == 0 {
            break;
        }
    }
    Ok((value >> 1) as i64 ^ -((value & 1) as i64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use hdrhistogram::serialization::Deserializer;

    type Reference = hdrhistogram::Histogram<u64>;

    fn reference() -> Reference {
        Reference::new_with_bounds(LOWEST_NS, HIGHEST_NS, SIGNIFICANT_DIGITS).unwrap()
    }

    /// Both with the same values, of all magnitudes and counts.
    fn both() -> (Histogram, Reference) {
        both_with(2_000)
    }

    fn both_with(values: u32) -> (Histogram, Reference) {
        let (mut own, mut hdr) = (Histogram::new(), reference());
        let mut state = 3_u64;
        for step in 0..values {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let ns = (state >> 22) >> (step % 40);
            let count = (state >> 1) >> (state % 63);
            own.counts[crate::index_of(ns)] += count >> 12;
            hdr.record_n(ns, count >> 12).unwrap();
        }
        (own, hdr)
    }

    fn written_by_the_crate(hdr: &Reference) -> Vec<u8> {
        let mut bytes = Vec::new();
        V2Serializer::new().serialize(hdr, &mut bytes).unwrap();
        bytes
    }

    fn compressed(plain: &[u8]) -> Vec<u8> {
        let mut packed = Vec::new();
        flate2::read::ZlibEncoder::new(plain, flate2::Compression::fast())
            .read_to_end(&mut packed)
            .unwrap();
        let length = packed.len() as u32;
        [
            &COMPRESSED.to_be_bytes()[..],
            &length.to_be_bytes(),
            &packed,
        ]
        .concat()
    }

    #[test]
    fn the_crate_reads_what_is_written_and_writes_what_is_read() {
        let (own, hdr) = both();
        let plain = own.encode_v2().unwrap();
        assert_eq!(plain, written_by_the_crate(&hdr));
        let compressed = own.encode_compressed().unwrap();
        assert!(compressed.len() < plain.len());
        for bytes in [&plain, &compressed] {
            assert_eq!(Histogram::decode(bytes).unwrap(), own);
            let read: Reference = Deserializer::new()
                .deserialize(&mut bytes.as_slice())
                .unwrap();
            assert_eq!(read, hdr);
        }
        let empty = Histogram::new();
        assert_eq!(
            Histogram::decode(&empty.encode_v2().unwrap()).unwrap(),
            empty
        );
    }

    #[test]
    fn numbers_of_every_length_are_read() {
        for count in (0..63).map(|bits| 1_u64 << bits).chain([i64::MAX as u64]) {
            let mut own = Histogram::new();
            own.counts[0] = count;
            own.counts[COUNTERS - 1] = 1;
            let bytes = own.encode_v2().unwrap();
            assert_eq!(Histogram::decode(&bytes).unwrap(), own, "{count}");
        }
        let mut too_many = Histogram::new();
        too_many.counts[5] = u64::MAX;
        assert!(matches!(
            too_many.encode_v2(),
            Err(HistogramError::Encode(_))
        ));
    }

    #[test]
    fn what_is_no_histogram_is_refused() {
        for bytes in [&b""[..], b"no", b"no histogram", &[0; 100]] {
            assert!(matches!(
                Histogram::decode(bytes),
                Err(HistogramError::Decode(_))
            ));
        }
        let other = written_by_the_crate(&Reference::new(3).unwrap());
        assert!(matches!(
            Histogram::decode(&other),
            Err(HistogramError::Layout { digits: 3, .. })
        ));
    }

    /// The offset of values and their ratio, each in its place in the header.
    #[test]
    fn shifted_and_scaled_values_are_refused() {
        let plain = both().0.encode_v2().unwrap();
        for (place, other) in [(8, &1_u32.to_be_bytes()[..]), (32, &2.0_f64.to_be_bytes())] {
            let mut bytes = plain.clone();
            bytes[place..place + other.len()].copy_from_slice(other);
            let error = Histogram::decode(&bytes).unwrap_err();
            assert!(error.to_string().contains("shifted or scaled"), "{error}");
        }
    }

    #[test]
    fn the_longest_encoding_is_read_and_no_longer_one() {
        let mut own = Histogram::new();
        own.counts.fill(i64::MAX as u64);
        let plain = own.encode_v2().unwrap();
        assert_eq!(plain.len(), LONGEST);
        assert_eq!(Histogram::decode(&plain).unwrap(), own);
        assert_eq!(Histogram::decode(&compressed(&plain)).unwrap(), own);
        let longer = [&plain[..], &[0]].concat();
        assert!(Histogram::decode(&compressed(&longer)).is_err());
    }

    /// Damaged in every place: an error or another histogram, but no panic, and no memory for what a length says.
    #[test]
    fn damage_is_survived() {
        let (own, _) = both_with(80);
        for whole in [own.encode_v2().unwrap(), own.encode_compressed().unwrap()] {
            for length in 0..whole.len() {
                assert!(Histogram::decode(&whole[..length]).is_err(), "{length}");
            }
            for place in 0..whole.len() {
                for bits in [0x01, 0x80, 0xff] {
                    let mut damaged = whole.clone();
                    damaged[place] ^= bits;
                    if let Ok(read) = Histogram::decode(&damaged) {
                        assert!(read.count() > 0);
                    }
                }
            }
            let longer = [&whole[..], &[0]].concat();
            assert!(Histogram::decode(&longer).is_err());
        }
    }

    #[test]
    fn a_bomb_is_not_unpacked() {
        let (own, _) = both();
        let mut plain = own.encode_v2().unwrap();
        plain.resize(50_000_000, 0);
        let bytes = compressed(&plain);
        assert!(matches!(
            Histogram::decode(&bytes),
            Err(HistogramError::Decode(_))
        ));
    }

    #[test]
    fn as_text_and_back() {
        let (own, _) = both();
        let text = serde_json::to_string(&own).unwrap();
        assert_eq!(serde_json::from_str::<Histogram>(&text).unwrap(), own);
        for wrong in ["\"\"", "\"1c8493\"", "\"xy\"", "7"] {
            assert!(serde_json::from_str::<Histogram>(wrong).is_err(), "{wrong}");
        }
    }
}
