//! The parts of a range of WAL that are read: all of a short one; of a long one, short windows spread over it.

/// A range up to this length is read completely: some 10 ms.
const WHOLE_BYTES: u64 = 16 << 20;

/// Of a longer one, windows of this length. Finding the first record and asking through SQL cost as much as
/// reading a third of it.
const WINDOW_BYTES: u64 = 1 << 20;

/// The minimum number of windows, and the number added for each gigabyte.
const WINDOWS: u64 = 16;

/// Together 64 MB, whatever the length of the range.
const MAX_WINDOWS: u64 = 64;

/// The windows from `start` to `end`, each its first byte and the byte after its last, in the order in which
/// to read them: wherever reading stops, what was read is spread over the range.
///
/// Each lies at a random place of its own equal share of the range, so that nothing periodic, such as
/// checkpoints, is always or never met; `random` (0 to 1, 1 excluded) says where.
pub fn windows(start: u64, end: u64, mut random: impl FnMut() -> f64) -> Vec<(u64, u64)> {
    let length = end.saturating_sub(start);
    if length == 0 {
        return Vec::new();
    }
    if length <= WHOLE_BYTES {
        return vec![(start, end)];
    }
    let count = (WINDOWS + WINDOWS * (length >> 30)).min(MAX_WINDOWS);
    let share = length / count;
    let place = |i: u64| {
        let slack = share.saturating_sub(WINDOW_BYTES);
        let from = start + i * share + (random() * slack as f64) as u64;
        (from, (from + WINDOW_BYTES).min(end))
    };
    let places: Vec<(u64, u64)> = (0..count).map(place).collect();
    spread(count)
        .filter_map(|i| places.get(i as usize).copied())
        .collect()
}

/// 0 to `count` - 1 in steps of about the golden section, by which the first few are always far apart.
fn spread(count: u64) -> impl Iterator<Item = u64> {
    let wanted = (count as f64 * 0.618) as u64;
    let step = (wanted..count)
        .find(|step| gcd(*step, count) == 1)
        .unwrap_or(1);
    (0..count).map(move |i| i * step % count)
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_range_is_read_whole() {
        assert_eq!(windows(100, 100, || 0.0), []);
        assert_eq!(windows(100, 50, || 0.0), []);
        assert_eq!(windows(100, 5000, || 0.5), [(100, 5000)]);
    }

    #[test]
    fn windows_of_a_long_one_lie_in_it_and_apart() {
        for length in [WHOLE_BYTES + 1, 100 << 20, 1 << 30, 10 << 30, 1 << 40] {
            for random in [0.0, 0.999_999] {
                let start = 12_345;
                let mut found = windows(start, start + length, || random);
                assert!(found.len() >= WINDOWS as usize && found.len() <= MAX_WINDOWS as usize);
                found.sort_unstable();
                assert!(found.windows(2).all(|pair| pair[0].1 <= pair[1].0));
                assert!(found[0].0 >= start && found[found.len() - 1].1 <= start + length);
            }
        }
        assert_eq!(windows(0, 1 << 30, || 0.0).len(), 32);
        assert_eq!(windows(0, 100 << 30, || 0.0).len(), 64);
    }

    #[test]
    fn the_first_few_are_spread() {
        for count in [16, 17, 31, 48, 64] {
            let mut order: Vec<u64> = spread(count).collect();
            let mut early = order[..4].to_vec();
            early.sort_unstable();
            assert!(early[0] < count / 2 && early[3] >= count / 2);
            order.sort_unstable();
            assert!(order.into_iter().eq(0..count));
        }
    }
}
