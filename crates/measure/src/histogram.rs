//! Latency histograms in HdrHistogram's bucket layout.
//!
//! A client counts into plain counters in shared memory, at [`index_of`] the latency; everything
//! else is done on copies, away from the hot path. The layout is that of the `hdrhistogram` crate for
//! the bounds below, so that any HdrHistogram library reads the stored bytes.
//!
//! Values are nanoseconds. A counter is 8 ns wide up to 2 µs and at most 1/128 of its value wide
//! beyond. A quantile is the top of its counter, as in HdrHistogram: at most 0.8 % high from 1 µs on.

/// The lowest latency distinguished from 0: 8 ns, so that the layout keeps its two digits from 1 µs on.
pub(super) const LOWEST_NS: u64 = 8;
/// The highest latency the layout promises to hold: 1 h. The last counter ends at 1.22 h, and longer latencies are
/// counted there.
pub(super) const HIGHEST_NS: u64 = 3_600_000_000_000;
/// Decimal digits that a value keeps.
pub(super) const SIGNIFICANT_DIGITS: u8 = 2;

/// The first counters are 2^this ns wide.
const UNIT_BITS: u32 = LOWEST_NS.ilog2();
/// Half a bucket is 2^this counters: a bucket must distinguish 2 * 10^digits values, and the lower half of all but
/// the first is covered by the bucket before it.
const HALF_BITS: u32 = (2 * 10_u64.pow(SIGNIFICANT_DIGITS as u32))
    .next_power_of_two()
    .ilog2()
    - 1;
const HALF: usize = 1 << HALF_BITS;
/// Sets every bit that the first bucket covers, so that it needs no branch of its own.
const FIRST_BUCKET: u64 = (1 << (UNIT_BITS + HALF_BITS + 1)) - 1;
/// Each bucket reaches twice as far as the one before.
const BUCKETS: usize = (HIGHEST_NS.ilog2() - FIRST_BUCKET.ilog2() + 1) as usize;

/// The number of counters of a histogram.
pub const COUNTERS: usize = (BUCKETS + 1) * HALF;

/// The counter in which a latency of `ns` is counted; longer than the layout: the last one.
#[inline]
pub fn index_of(ns: u64) -> usize {
    let bucket = (ns | FIRST_BUCKET).ilog2() - FIRST_BUCKET.ilog2();
    let step = (ns >> (bucket + UNIT_BITS)) as usize;
    (((bucket as usize) << HALF_BITS) + step).min(COUNTERS - 1)
}

/// The lowest latency counted at `index`, and how wide the counter is, in ns.
fn counter_range(index: usize) -> (u64, u64) {
    let bucket = (index >> HALF_BITS).saturating_sub(1);
    let step = (index - (bucket << HALF_BITS)) as u64;
    let width_bits = bucket as u32 + UNIT_BITS;
    (step << width_bits, 1 << width_bits)
}

/// The lowest latency counted at `index`, ns.
pub(super) fn lowest_equivalent(index: usize) -> u64 {
    counter_range(index).0
}

/// The highest latency counted at `index`, ns.
fn highest_equivalent(index: usize) -> u64 {
    let (low, width) = counter_range(index);
    low + width - 1
}

/// How many latencies fell into each counter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Histogram {
    pub(super) counts: Box<[u64; COUNTERS]>,
}

impl Default for Histogram {
    fn default() -> Self {
        Self::new()
    }
}

impl Histogram {
    /// An empty histogram.
    pub fn new() -> Self {
        Self {
            counts: Box::new([0; COUNTERS]),
        }
    }

    /// Counts one latency, ns.
    pub fn record(&mut self, ns: u64) {
        self.counts[index_of(ns)] += 1;
    }

    /// Adds all that `other` counted. A counter stops at its largest value, which no run reaches.
    pub fn merge(&mut self, other: &Histogram) {
        for (own, other) in self.counts.iter_mut().zip(other.counts.iter()) {
            *own = own.saturating_add(*other);
        }
    }

    /// Subtracts an earlier copy of the same counters, which leaves the latencies counted since then.
    pub fn subtract(&mut self, earlier: &Histogram) {
        for (own, earlier) in self.counts.iter_mut().zip(earlier.counts.iter()) {
            *own = own.saturating_sub(*earlier);
        }
    }

    /// Adds counters, in the order of their index.
    pub fn add_counts(&mut self, counts: impl IntoIterator<Item = u64>) {
        for (own, count) in self.counts.iter_mut().zip(counts) {
            *own += count;
        }
    }

    /// All counters, in the order of their index.
    pub fn counts(&self) -> &[u64; COUNTERS] {
        &self.counts
    }

    /// How many latencies were counted.
    pub fn count(&self) -> u64 {
        self.counts.iter().copied().fold(0, u64::saturating_add)
    }

    /// The counters that are not 0, as (index, count).
    pub(super) fn recorded(&self) -> impl DoubleEndedIterator<Item = (usize, u64)> {
        self.counts
            .iter()
            .copied()
            .enumerate()
            .filter(|&(_, count)| count > 0)
    }

    /// The counters in use, from the shortest latency on: lowest and highest latency, ns, and count.
    pub fn buckets(&self) -> impl Iterator<Item = (u64, u64, u64)> {
        self.recorded()
            .map(|(index, count)| (lowest_equivalent(index), highest_equivalent(index), count))
    }

    /// The longest latency, ns, to the accuracy of the layout; `None` if there is none.
    pub fn max(&self) -> Option<u64> {
        let last = self.counts.iter().rposition(|&count| count > 0)?;
        Some(highest_equivalent(last))
    }

    /// The latency, ns, that the share `q` (0 to 1) of all latencies does not exceed: the top of
    /// the counter where that share is reached (its bottom for `q` = 0), as HdrHistogram defines it.
    /// `None` if nothing was counted.
    pub fn quantile(&self, q: f64) -> Option<u64> {
        let rank = (q.clamp(0.0, 1.0) * self.count() as f64).ceil().max(1.0) as u64;
        let mut reached = 0_u64;
        let (index, _) = self.recorded().find(|&(_, count)| {
            reached = reached.saturating_add(count);
            reached >= rank
        })?;
        Some(if q > 0.0 {
            highest_equivalent(index)
        } else {
            lowest_equivalent(index)
        })
    }

    /// The average latency, ns, each taken as the middle of its counter, as HdrHistogram does; `None` if
    /// nothing was counted.
    pub fn mean(&self) -> Option<f64> {
        let (sum, count) = self
            .recorded()
            .fold((0.0, 0.0), |(sum, total), (index, count)| {
                let (low, width) = counter_range(index);
                let middle = low + width / 2;
                (sum + middle as f64 * count as f64, total + count as f64)
            });
        (count > 0.0).then(|| sum / count)
    }

    /// The distribution as adjacent ranges, from the lowest counter in use to the highest. At most `limit` ranges
    /// each join equally many counters, which grow with the latency; empty ones are included. Without a limit each
    /// counter in use is a range.
    pub fn ranges(&self, limit: Option<usize>) -> Vec<Range> {
        let mut used = self.recorded().map(|(index, _)| index);
        let Some(first) = used.next() else {
            return Vec::new();
        };
        let counters = used.next_back().unwrap_or(first) + 1 - first;
        let joined = limit.map_or(1, |limit| counters.div_ceil(limit.max(1)));
        let mut reached = 0_u64;
        self.counts[first..first + counters]
            .chunks(joined)
            .enumerate()
            .map(|(number, counts)| {
                let from = first + number * joined;
                let count = counts.iter().copied().fold(0, u64::saturating_add);
                reached = reached.saturating_add(count);
                Range {
                    from_ns: lowest_equivalent(from),
                    to_ns: highest_equivalent(from + counts.len() - 1) + 1,
                    count,
                    reached,
                }
            })
            .filter(|range| limit.is_some() || range.count > 0)
            .collect()
    }
}

/// A range of latencies and how many fell into it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    pub from_ns: u64,
    /// Just above the highest.
    pub to_ns: u64,
    pub count: u64,
    /// How many fell into this range or below.
    pub reached: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reference() -> hdrhistogram::Histogram<u64> {
        hdrhistogram::Histogram::new_with_bounds(LOWEST_NS, HIGHEST_NS, SIGNIFICANT_DIGITS).unwrap()
    }

    /// splitmix64: enough for test values.
    fn next(state: &mut u64) -> u64 {
        *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = *state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A value of any magnitude up to 2^42, which is a little over the highest.
    fn any_latency(state: &mut u64) -> u64 {
        let bits = 22 + next(state) % 42;
        next(state) >> bits
    }

    #[test]
    fn layout_is_that_of_the_crate() {
        let hdr = reference();
        assert_eq!(COUNTERS, 4224);
        assert_eq!(hdr.distinct_values(), COUNTERS);
        for index in 0..COUNTERS {
            let (low, high) = (lowest_equivalent(index), highest_equivalent(index));
            assert_eq!(index_of(low), index);
            assert_eq!(index_of(high), index);
            assert_eq!(hdr.lowest_equivalent(high), low);
            assert_eq!(hdr.highest_equivalent(low), high);
            assert_eq!(hdr.next_non_equivalent(low), high + 1);
        }
        assert_eq!(index_of(0), 0);
        assert_eq!(index_of(HIGHEST_NS * 2), COUNTERS - 1);
        assert_eq!(index_of(u64::MAX), COUNTERS - 1);
    }

    #[test]
    fn buckets_are_the_counters_in_use() {
        let mut histogram = Histogram::new();
        for ns in [100, 1_000_000, 100] {
            histogram.record(ns);
        }
        let bucket = |ns, count| {
            let index = index_of(ns);
            (lowest_equivalent(index), highest_equivalent(index), count)
        };
        let buckets: Vec<_> = histogram.buckets().collect();
        assert_eq!(buckets, [bucket(100, 2), bucket(1_000_000, 1)]);
        let counts = histogram.counts();
        assert_eq!(counts[index_of(100)], 2);
        assert_eq!(counts.iter().sum::<u64>(), 3);
    }

    #[test]
    fn accuracy_is_as_documented() {
        let error = |ns: u64| (highest_equivalent(index_of(ns)) - ns) as f64 / ns as f64;
        let worst_from = |from_ns: u64| {
            (index_of(from_ns)..COUNTERS)
                .map(|index| error(lowest_equivalent(index).max(from_ns)))
                .fold(0.0, f64::max)
        };
        assert!(worst_from(1_000) < 0.008);
        assert_eq!(highest_equivalent(index_of(1_000)), 1_007);
        assert!((0..2_048).all(|ns| highest_equivalent(index_of(ns)) - ns < 8));
    }

    #[test]
    fn figures_are_those_of_the_crate() {
        let mut state = 42;
        for size in [1, 2, 3, 10, 100, 1_000, 10_007] {
            let mut own = Histogram::new();
            let mut hdr = reference();
            for _ in 0..size {
                let ns = any_latency(&mut state);
                own.record(ns);
                hdr.record(ns).unwrap();
            }
            assert_eq!(own.count(), hdr.len());
            assert_eq!(own.max(), Some(hdr.max()));
            let quantiles = [
                -1.0, 0.0, 0.001, 0.25, 0.5, 0.9, 0.95, 0.99, 0.999, 0.9999, 1.0, 2.0,
            ];
            for q in quantiles {
                if q >= 0.0 {
                    assert_eq!(own.quantile(q), Some(hdr.value_at_quantile(q)), "q = {q}");
                } else {
                    assert_eq!(own.quantile(q), own.quantile(0.0));
                }
            }
            for step in 0..=2_000 {
                let q = f64::from(step) / 2_000.0;
                assert_eq!(own.quantile(q), Some(hdr.value_at_quantile(q)), "q = {q}");
            }
        }
    }

    #[test]
    fn nothing_counted_has_no_figures() {
        let empty = Histogram::new();
        assert_eq!(empty.count(), 0);
        assert_eq!(empty.quantile(0.5), None);
        assert_eq!(empty.max(), None);
    }

    #[test]
    fn an_interval_is_the_difference_of_two_copies() {
        let mut state = 7;
        let (mut all, mut second) = (Histogram::new(), Histogram::new());
        for _ in 0..500 {
            all.record(any_latency(&mut state));
        }
        let first = all.clone();
        for _ in 0..500 {
            let ns = any_latency(&mut state);
            all.record(ns);
            second.record(ns);
        }
        let mut difference = all.clone();
        difference.subtract(&first);
        assert_eq!(difference, second);
        let mut merged = first;
        merged.merge(&second);
        assert_eq!(merged, all);
        assert_eq!(
            {
                let mut copy = Histogram::new();
                copy.add_counts(all.counts.iter().copied());
                copy
            },
            all
        );
    }

    #[test]
    fn the_mean_is_that_of_the_crate() {
        let mut state = 11;
        let (mut own, mut hdr) = (Histogram::new(), reference());
        assert_eq!(own.mean(), None);
        for _ in 0..1_000 {
            let ns = any_latency(&mut state);
            own.record(ns);
            hdr.record(ns).unwrap();
        }
        let mean = own.mean().unwrap();
        assert!((mean / hdr.mean() - 1.0).abs() < 1e-9, "{mean}");
    }

    #[test]
    fn ranges_follow_one_another_and_hold_everything() {
        let mut own = Histogram::new();
        assert_eq!(own.ranges(None), []);
        let mut state = 5;
        (0..1_000).for_each(|_| own.record(any_latency(&mut state)));
        let all = own.ranges(None);
        assert!(all.iter().all(|range| range.count > 0));
        for limit in [0, 1, 2, 7, 50, COUNTERS, usize::MAX] {
            let ranges = own.ranges(Some(limit));
            assert!(ranges.len() <= limit.max(1));
            assert!(ranges.windows(2).all(|two| two[0].to_ns == two[1].from_ns));
            assert_eq!(ranges.iter().map(|range| range.count).sum::<u64>(), 1_000);
            assert_eq!(ranges.last().map(|range| range.reached), Some(1_000));
            assert_eq!(ranges[0].from_ns, all[0].from_ns);
        }
        let mut one = Histogram::new();
        one.record(1_000);
        let range = Range {
            from_ns: 1_000,
            to_ns: 1_008,
            count: 1,
            reached: 1,
        };
        assert_eq!(one.ranges(None), [range]);
        assert_eq!(one.ranges(Some(10)), [range]);
    }

    #[test]
    fn counters_stop_at_what_they_hold() {
        let mut full = Histogram::new();
        full.counts[5] = u64::MAX;
        full.counts[6] = 1;
        full.merge(&full.clone());
        assert_eq!(full.count(), u64::MAX);
        assert_eq!(full.quantile(1.0), Some(highest_equivalent(5)));
        assert_eq!(full.ranges(Some(1))[0].count, u64::MAX);
    }
}
