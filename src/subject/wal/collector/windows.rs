//! The parts of a range of WAL that are read: all of a short one; of a long one, short windows spread over it.

use std::time::Duration;

/// How much of a range is read.
#[derive(Debug, Clone, Copy)]
pub struct Effort {
    /// A range up to this length is read in one piece, and windows of this length cover a longer one.
    piece_bytes: u64,
    /// A range up to this length is read completely.
    whole_bytes: u64,
    /// Of a longer one, windows of this length. Finding the first record and asking through SQL cost as much as
    /// reading a third of a megabyte.
    window_bytes: u64,
    /// Reading stops after this time (within one window: some milliseconds), whatever is left.
    pub time: Duration,
}

impl Effort {
    /// Of a sample beside the load: some 10 ms, together at most 64 MB.
    pub const SAMPLE: Effort = Effort {
        piece_bytes: 16 << 20,
        whole_bytes: 16 << 20,
        window_bytes: 1 << 20,
        time: Duration::from_millis(50),
    };
    /// Of a run that has ended: what it wrote is one of its results, and nothing is measured meanwhile.
    pub const RUN: Effort = Effort {
        piece_bytes: 16 << 20,
        whole_bytes: 1 << 30,
        window_bytes: 16 << 20,
        time: Duration::from_secs(1),
    };
}

/// The minimum number of windows, and the number added for each gigabyte.
const WINDOWS: u64 = 16;

const MAX_WINDOWS: u64 = 64;

/// The windows from `start` to `end`, each its first byte and the byte after its last, in the order in which
/// to read them: wherever reading stops, what was read is spread over the range.
///
/// Each lies at a random place of its own equal share of the range, so that nothing periodic, such as
/// checkpoints, is always or never met; `random` (0 to 1, 1 excluded) says where.
pub fn windows(
    start: u64,
    end: u64,
    effort: &Effort,
    mut random: impl FnMut() -> f64,
) -> Vec<(u64, u64)> {
    let length = end.saturating_sub(start);
    if length == 0 {
        return Vec::new();
    }
    let first = random();
    let places: Vec<(u64, u64)> = if length <= effort.whole_bytes {
        let pieces = length.div_ceil(effort.piece_bytes);
        let border = |i: u64| start + length / pieces * i;
        let piece = |i: u64| (border(i), if i + 1 == pieces { end } else { border(i + 1) });
        (0..pieces).map(piece).collect()
    } else {
        let count = (WINDOWS + WINDOWS * (length >> 30)).min(MAX_WINDOWS);
        let share = length / count;
        let place = |i: u64| {
            let slack = share.saturating_sub(effort.window_bytes);
            let from = start + i * share + (random() * slack as f64) as u64;
            (from, (from + effort.window_bytes).min(end))
        };
        (0..count).map(place).collect()
    };
    spread(places.len() as u64, first)
        .filter_map(|i| places.get(i as usize).copied())
        .collect()
}

/// 0 to `count` - 1 in steps of about the golden section, by which the first few are always far apart; `first` (0 to 1) says with
/// which to begin. Always with 0, the early part of a range would weigh more wherever reading stops: after a checkpoint, the one with
/// the page images.
fn spread(count: u64, first: f64) -> impl Iterator<Item = u64> {
    let wanted = (count as f64 * 0.618) as u64;
    let step = (wanted..count)
        .find(|step| gcd(*step, count) == 1)
        .unwrap_or(1);
    let first = (first * count as f64) as u64;
    (0..count).map(move |i| (first + i * step) % count)
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAMPLE: &Effort = &Effort::SAMPLE;
    const RUN: &Effort = &Effort::RUN;

    #[test]
    fn a_short_range_is_read_whole() {
        for effort in [SAMPLE, RUN] {
            assert_eq!(windows(100, 100, effort, || 0.0), []);
            assert_eq!(windows(100, 50, effort, || 0.0), []);
            assert_eq!(windows(100, 5000, effort, || 0.5), [(100, 5000)]);
        }
    }

    #[test]
    fn a_runs_range_is_read_whole_in_pieces_up_to_a_gigabyte() {
        for length in [(16 << 20) + 1, 100 << 20, 1 << 30] {
            let mut found = windows(12_345, 12_345 + length, RUN, || 0.7);
            assert!(found.len() > 1 && found.iter().all(|(from, to)| to - from <= 16 << 20));
            found.sort_unstable();
            assert_eq!(
                (found[0].0, found[found.len() - 1].1),
                (12_345, 12_345 + length)
            );
            assert!(found.windows(2).all(|pair| pair[0].1 == pair[1].0));
        }
    }

    #[test]
    fn windows_of_a_long_one_lie_in_it_and_apart() {
        let lengths = [
            SAMPLE.whole_bytes + 1,
            100 << 20,
            1 << 30,
            10 << 30,
            1 << 40,
        ];
        let of_runs = [RUN.whole_bytes + 1, 10 << 30, 1 << 40];
        let all = (lengths.map(|length| (SAMPLE, length)).into_iter())
            .chain(of_runs.map(|length| (RUN, length)));
        for (effort, length) in all {
            for random in [0.0, 0.999_999] {
                let start = 12_345;
                let mut found = windows(start, start + length, effort, || random);
                assert!(found.len() >= WINDOWS as usize && found.len() <= MAX_WINDOWS as usize);
                found.sort_unstable();
                assert!(found.windows(2).all(|pair| pair[0].1 <= pair[1].0));
                assert!(found[0].0 >= start && found[found.len() - 1].1 <= start + length);
            }
        }
        assert_eq!(windows(0, 1 << 30, SAMPLE, || 0.0).len(), 32);
        assert_eq!(windows(0, 100 << 30, SAMPLE, || 0.0).len(), 64);
    }

    #[test]
    fn the_first_few_are_spread() {
        for count in [16, 17, 31, 48, 64] {
            for first in [0.0, 0.3, 0.999_999] {
                let mut order: Vec<u64> = spread(count, first).collect();
                let mut early = order[..4].to_vec();
                early.sort_unstable();
                assert!(early[0] < count / 2 && early[3] >= count / 2);
                order.sort_unstable();
                assert!(order.into_iter().eq(0..count));
            }
        }
    }

    #[test]
    fn where_reading_stops_favours_no_part_of_the_range() {
        let random = [0.05, 0.15, 0.25, 0.35, 0.45, 0.55, 0.65, 0.75, 0.85, 0.95];
        for read in [1, 3, 5, 8] {
            let places = random
                .iter()
                .flat_map(|first| spread(40, *first).take(read));
            let mean = places.sum::<u64>() as f64 / (read * random.len()) as f64;
            assert!((mean - 19.5).abs() < 2.5, "{mean} after {read}");
        }
    }
}
