//! Adding up many stored histograms: read straight into the counters, for a long run has one for each second.

use super::{COUNTERS, HIGHEST_NS, Histogram, HistogramError, LOWEST_NS, SIGNIFICANT_DIGITS};

/// HdrHistogram's cookie of the V2 encoding, not compressed, with its word size.
const V2_COOKIE: u32 = 0x1c84_9303 | 0x10;
/// Cookie, length, normalizing offset, digits: 4 bytes each; lowest, highest, conversion ratio: 8 bytes each.
const HEADER: usize = 40;

impl Histogram {
    /// Adds what [`encode_v2`](Self::encode_v2) wrote: [`decode`](Self::decode) and
    /// [`merge`](Self::merge) in one, without the histogram in between.
    ///
    /// # Errors
    /// As of [`decode`](Self::decode); part of the counters may have been added.
    pub fn add_encoded(&mut self, bytes: &[u8]) -> Result<(), HistogramError> {
        let Some((header, payload)) = bytes.split_at_checked(HEADER) else {
            return Err(truncated());
        };
        // Compressed, or with other bounds: the crate tells.
        if u32_at(header, 0) != V2_COOKIE
            || u32_at(header, 8) != 0
            || u32_at(header, 12) != u32::from(SIGNIFICANT_DIGITS)
            || u64_at(header, 16) != LOWEST_NS
            || u64_at(header, 24) != HIGHEST_NS
        {
            self.merge(&Self::decode(bytes)?);
            return Ok(());
        }
        let mut payload = payload
            .get(..u32_at(header, 4) as usize)
            .ok_or_else(truncated)?
            .iter();
        let mut index = 0;
        while let Some(value) = next_zigzag(&mut payload)? {
            if value < 0 {
                // So many counters are 0.
                index += usize::try_from(value.unsigned_abs()).unwrap_or(COUNTERS);
            } else {
                let counter = self.counts.get_mut(index).ok_or_else(too_many)?;
                *counter += value.unsigned_abs();
                index += 1;
            }
        }
        if index > COUNTERS {
            return Err(too_many());
        }
        Ok(())
    }
}

/// The next number of HdrHistogram's variant of ZigZag LEB128, whose ninth byte holds eight bits; None: no more.
fn next_zigzag<'a>(
    bytes: &mut impl Iterator<Item = &'a u8>,
) -> Result<Option<i64>, HistogramError> {
    let Some(first) = bytes.next() else {
        return Ok(None);
    };
    let mut value = u64::from(first & 0x7f);
    let mut more = first & 0x80 != 0;
    let mut shift = 7;
    while more {
        let byte = *bytes.next().ok_or_else(truncated)?;
        if shift == 56 {
            value |= u64::from(byte) << shift;
            break;
        }
        value |= u64::from(byte & 0x7f) << shift;
        more = byte & 0x80 != 0;
        shift += 7;
    }
    Ok(Some((value >> 1) as i64 ^ -((value & 1) as i64)))
}

/// 0 where the header is too short, which it is not.
fn u32_at(header: &[u8], at: usize) -> u32 {
    header
        .get(at..at + 4)
        .and_then(|bytes| bytes.try_into().ok())
        .map_or(0, u32::from_be_bytes)
}

fn u64_at(header: &[u8], at: usize) -> u64 {
    (u64::from(u32_at(header, at)) << 32) | u64::from(u32_at(header, at + 4))
}

fn truncated() -> HistogramError {
    HistogramError::Decode("it ends too early".to_owned())
}

fn too_many() -> HistogramError {
    HistogramError::Decode(format!("it has more than {COUNTERS} counters"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counters from 1 to beyond what nine bytes of seven bits hold, with gaps of every length in between.
    fn example() -> Histogram {
        let mut histogram = Histogram::new();
        let mut index = 0;
        for bits in 0..62_usize {
            histogram.counts[index] = 1 << bits;
            index += bits + 1;
        }
        histogram.counts[COUNTERS - 1] = 3;
        histogram
    }

    #[test]
    fn adds_what_decode_and_merge_would() {
        let mut small = Histogram::new();
        small.record(1_000);
        small.record(5_000_000);
        let mut expected = small.clone();
        expected.merge(&example());
        let mut own = small;
        own.add_encoded(&example().encode_v2().unwrap()).unwrap();
        assert_eq!(own, expected);
        own.add_encoded(&Histogram::new().encode_v2().unwrap())
            .unwrap();
        assert_eq!(own, expected);
    }

    #[test]
    fn what_is_no_histogram_is_refused() {
        let bytes = example().encode_v2().unwrap();
        for length in [0, 3, 39, 40, bytes.len() - 1] {
            assert!(
                Histogram::new().add_encoded(&bytes[..length]).is_err(),
                "{length} bytes"
            );
        }
        let mut long = bytes.clone();
        long[4..8].copy_from_slice(&((bytes.len() - HEADER + 1) as u32).to_be_bytes());
        long.push(2);
        assert!(Histogram::new().add_encoded(&long).is_err());
        let mut other = bytes;
        other[15] = 3;
        assert!(matches!(
            Histogram::new().add_encoded(&other),
            Err(HistogramError::Layout { digits: 3, .. })
        ));
    }
}
