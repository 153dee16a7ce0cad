//! Random numbers that equal pgbench's (PostgreSQL 15 and later): the same seed gives the same
//! data, whichever of the two runs the script.

use serde::{Deserialize, Serialize};

/// Smallest parameter of a gaussian distribution.
pub const MIN_GAUSSIAN_PARAMETER: f64 = 2.0;
/// Smallest parameter of a zipfian distribution: nearer to 1 the rejections never end.
pub const MIN_ZIPFIAN_PARAMETER: f64 = 1.001;
/// Largest parameter of a zipfian distribution.
pub const MAX_ZIPFIAN_PARAMETER: f64 = 1000.0;

/// The state of a xoroshiro128** generator: small, so a transaction can keep a copy and go back
/// to it for a retry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Prng {
    s0: u64,
    s1: u64,
}

impl Prng {
    /// A generator whose state two splitmix64 steps fill.
    pub fn new(mut seed: u64) -> Self {
        let s0 = splitmix64(&mut seed);
        let s1 = splitmix64(&mut seed);
        if s0 == 0 && s1 == 0 {
            // All zeros would stay zeros for ever.
            return Prng {
                s0: 0x5851_F42D_4C95_7F2D,
                s1: 0x1405_7B7E_F767_814F,
            };
        }
        Prng { s0, s1 }
    }

    /// The next 64 random bits.
    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        let s0 = self.s0;
        let sx = self.s1 ^ s0;
        self.s0 = s0.rotate_left(24) ^ sx ^ (sx << 16);
        self.s1 = sx.rotate_left(37);
        s0.wrapping_mul(5).rotate_left(7).wrapping_mul(9)
    }

    /// A double in [0, 1), from the upper 52 bits of one draw.
    #[inline]
    pub fn next_double(&mut self) -> f64 {
        const SCALE: f64 = 1.0 / (1u64 << 52) as f64;
        (self.next_u64() >> 12) as f64 * SCALE
    }

    /// An integer in 0..=range, by rejection; no draw for a range of 0.
    fn next_up_to(&mut self, range: u64) -> u64 {
        if range == 0 {
            return 0;
        }
        let shift = range.leading_zeros();
        loop {
            let draw = self.next_u64() >> shift;
            if draw <= range {
                return draw;
            }
        }
    }
}

fn splitmix64(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let value = (*state ^ (*state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    value ^ (value >> 31)
}

/// All random streams of a run, derived from its seed in pgbench's order. What a client's scripts
/// draw depends on the seed and the client's number only.
#[derive(Clone, Debug)]
pub struct Streams {
    /// One per client: what the script functions draw from.
    pub clients: Vec<Prng>,
    /// The variable `default_seed`: the seed of hash() and permute().
    pub default_seed: i64,
    /// Three per thread.
    pub threads: Vec<ThreadStreams>,
}

/// The streams pgbench has per thread, for what is not part of a script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThreadStreams {
    /// Which script comes next.
    pub choice: Prng,
    /// When the next transaction is due.
    pub throttle: Prng,
    /// Which transactions are logged.
    pub sampling: Prng,
}

impl Streams {
    /// Derives the streams of `clients` clients and `threads` threads from a run's seed. A
    /// `default_seed` given by the user takes the place of the one drawn, and saves that draw.
    pub fn derive(seed: u64, clients: usize, threads: usize, default_seed: Option<i64>) -> Self {
        let mut base = Prng::new(seed);
        let clients = (0..clients).map(|_| Prng::new(base.next_u64())).collect();
        let default_seed = default_seed.unwrap_or_else(|| base.next_u64().cast_signed());
        let mut stream = || Prng::new(base.next_u64());
        let threads = (0..threads)
            .map(|_| ThreadStreams {
                choice: stream(),
                throttle: stream(),
                sampling: stream(),
            })
            .collect();
        Streams {
            clients,
            default_seed,
            threads,
        }
    }
}

/// Uniform in min..=max; the caller has checked that the range is not empty and below 2^63.
pub fn uniform(prng: &mut Prng, min: i64, max: i64) -> i64 {
    let range = max.wrapping_sub(min).cast_unsigned();
    min.wrapping_add(prng.next_up_to(range).cast_signed())
}

/// Exponential in min..=max: the density at max is e^-parameter of that at min.
pub fn exponential(prng: &mut Prng, min: i64, max: i64, parameter: f64) -> i64 {
    let cut = (-parameter).exp();
    let uniform = 1.0 - prng.next_double();
    let random = -(cut + (1.0 - cut) * uniform).ln() / parameter;
    spread(min, max, random)
}

/// Gaussian in min..=max, cut at ±parameter standard deviations (Box-Muller, first value only).
pub fn gaussian(prng: &mut Prng, min: i64, max: i64, parameter: f64) -> i64 {
    loop {
        let radius = 1.0 - prng.next_double();
        let angle = 1.0 - prng.next_double();
        let deviation = (-2.0 * radius.ln()).sqrt() * (2.0 * std::f64::consts::PI * angle).sin();
        if deviation >= -parameter && deviation < parameter {
            return spread(min, max, (deviation + parameter) / (parameter * 2.0));
        }
    }
}

/// A number of [0, 1) stretched over min..=max.
fn spread(min: i64, max: i64, random: f64) -> i64 {
    let width = max.wrapping_sub(min).wrapping_add(1);
    min.wrapping_add((width as f64 * random) as i64)
}

/// Zipfian in min..=max: the i-th value has a weight of i^-parameter (Devroye's rejection method).
pub fn zipfian(prng: &mut Prng, min: i64, max: i64, parameter: f64) -> i64 {
    let n = max.wrapping_sub(min).wrapping_add(1);
    if n <= 1 {
        return min;
    }
    let s = parameter - 1.0;
    // With a base that is known at compile time it would become exp2(), whose last bit may differ.
    let b = std::hint::black_box(2f64).powf(s);
    loop {
        let u = prng.next_double();
        let v = prng.next_double();
        let x = u.powf(-1.0 / s).floor();
        let t = (1.0 + 1.0 / x).powf(s);
        if v * x * (t - 1.0) / (b - 1.0) <= t / b && x <= n as f64 {
            return min.wrapping_sub(1).wrapping_add(x as i64);
        }
    }
}

/// The time to the next event of a Poisson process, in the unit of its mean.
pub fn poisson(prng: &mut Prng, mean: f64) -> i64 {
    let uniform = 1.0 - prng.next_double();
    (-uniform.ln() * mean + 0.5) as i64
}

/// The number of the script to run next; a single script costs no draw. Weights that sum up to
/// nothing choose the first.
pub fn choose_script(prng: &mut Prng, weights: &[u32]) -> usize {
    let total: i64 = weights.iter().map(|&weight| i64::from(weight)).sum();
    if weights.len() <= 1 || total == 0 {
        return 0;
    }
    let mut remaining = uniform(prng, 0, total - 1);
    for (script, &weight) in weights.iter().enumerate() {
        remaining -= i64::from(weight);
        if remaining < 0 {
            return script;
        }
    }
    0
}

/// FNV-1a over the eight octets of the value, lowest first.
pub fn hash_fnv1a(value: i64, seed: i64) -> i64 {
    const OFFSET_BASIS: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0100_0000_01b3;
    let start = OFFSET_BASIS ^ seed.cast_unsigned();
    let hash = value.to_le_bytes().iter().fold(start, |hash, &octet| {
        (hash ^ u64::from(octet)).wrapping_mul(PRIME)
    });
    hash.cast_signed()
}

/// MurmurHash2, 64 bits, over the value as one word.
pub fn hash_murmur2(value: i64, seed: i64) -> i64 {
    const MULTIPLIER: u64 = 0xc6a4_a793_5bd1_e995;
    const SHIFT: u32 = 47;
    let length = MULTIPLIER.wrapping_mul(8);
    let mut word = value.cast_unsigned().wrapping_mul(MULTIPLIER);
    word ^= word >> SHIFT;
    word = word.wrapping_mul(MULTIPLIER);
    let mut hash = (seed.cast_unsigned() ^ length ^ word).wrapping_mul(MULTIPLIER);
    hash ^= hash >> SHIFT;
    hash = hash.wrapping_mul(MULTIPLIER);
    hash ^= hash >> SHIFT;
    hash.cast_signed()
}

/// The image of `value` (taken modulo `size`) under a permutation of 0..size that the seed picks.
pub fn permute(value: i64, size: i64, seed: i64) -> i64 {
    if size < 2 {
        return 0;
    }
    let mut prng = Prng::new(seed.cast_unsigned());
    let size = size.cast_unsigned();
    let mut v = value.cast_unsigned() % size;
    // The lower and the upper half overlap: each has the largest power of two that fits.
    let bits = size.ilog2();
    let mask = (1u64 << bits) - 1;
    for _ in 0..6 {
        let (multiplier, flip) = round_keys(&mut prng, mask);
        if v <= mask {
            v = scramble(v, multiplier, flip, bits, mask);
        }
        let (multiplier, flip) = round_keys(&mut prng, mask);
        let mirrored = size - 1 - v;
        if mirrored <= mask {
            v = size - 1 - scramble(mirrored, multiplier, flip, bits, mask);
        }
        let offset = prng.next_up_to(size - 1);
        v = (v + offset) % size;
    }
    v.cast_signed()
}

fn round_keys(prng: &mut Prng, mask: u64) -> (u64, u64) {
    let multiplier = (prng.next_u64() & mask) | 1;
    let flip = prng.next_u64() & mask;
    (multiplier, flip)
}

/// An odd multiplication, an exclusive or and a rotation, all within the mask: each a bijection.
fn scramble(v: u64, multiplier: u64, flip: u64, bits: u32, mask: u64) -> u64 {
    let v = (v.wrapping_mul(multiplier) ^ flip) & mask;
    ((v << 1) & mask) | (v >> (bits - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_draws_of_a_client_are_those_of_pgbench() {
        let mut prng = Streams::derive(5432, 1, 1, None).clients[0];
        assert_eq!(uniform(&mut prng, 10, 19), 17);
        assert_eq!(exponential(&mut prng, 100, 199, 10.0), 104);
        assert_eq!(gaussian(&mut prng, 1000, 1999, 10.0), 1498);
        assert_eq!(zipfian(&mut prng, 1, 9, 1.3), 3);
    }

    #[test]
    fn events_of_a_poisson_process_have_exponential_distances() {
        let mut prng = Prng::new(1);
        let mut sum = 0;
        for _ in 0..100_000 {
            let uniform = 1.0 - prng.clone().next_double();
            let time = poisson(&mut prng, 1000.0);
            assert_eq!(time, (-uniform.ln() * 1000.0).round() as i64);
            sum += time;
        }
        assert!((99_000_000..101_000_000).contains(&sum), "{sum}");
    }

    #[test]
    fn a_whole_run_draws_what_pgbench_draws() {
        // pgbench --random-seed=42 -c 4 -t 200 at scale 2: sum(delta) of its history.
        let mut sum = 0;
        for prng in &mut Streams::derive(42, 4, 2, None).clients {
            for _ in 0..200 {
                for max in [200_000, 2, 20] {
                    uniform(prng, 1, max);
                }
                sum += uniform(prng, -5000, 5000);
            }
        }
        assert_eq!(sum, -15328);
    }

    #[test]
    fn scripts_are_chosen_as_by_pgbench() {
        // The log of pgbench --random-seed=99 -c 2 -j 2 -l -f a@3 -f b@1 -f c@6.
        let mut threads = Streams::derive(99, 2, 2, None).threads;
        let mut choose = |thread: usize| {
            let prng = &mut threads[thread].choice;
            (0..12)
                .map(|_| choose_script(prng, &[3, 1, 6]))
                .collect::<Vec<_>>()
        };
        assert_eq!(choose(0), [2, 2, 2, 2, 2, 2, 2, 2, 0, 2, 2, 1]);
        assert_eq!(choose(1), [0, 0, 2, 2, 0, 2, 2, 2, 0, 1, 2, 1]);
    }

    #[test]
    fn hashes() {
        assert_eq!(hash_murmur2(10, 5432), -5817877081768721676);
        assert_eq!(hash_fnv1a(10, 5432), -7793829335365542153);
    }

    #[test]
    fn permutations() {
        let size = i64::MAX - 10;
        let images = [
            520382784483822430,
            1143715004660802862,
            447293596416496998,
            916527772266572956,
            2763809008686028849,
            8648551549198294572,
            4542876852200565125,
        ];
        for (i, image) in (1..).zip(images) {
            assert_eq!(permute(size - i, size, 5432), image);
        }
        for size in 1..70 {
            let mut images: Vec<i64> = (0..size).map(|v| permute(v, size, 5432)).collect();
            images.sort_unstable();
            assert!(images.into_iter().eq(0..size));
        }
    }

    #[test]
    fn a_seed_that_yields_zeros_is_replaced() {
        let zero = Prng { s0: 0, s1: 0 };
        assert_ne!(Prng::new(0), zero);
        let mut prng = Prng::new(0);
        assert_ne!(prng.next_u64(), prng.next_u64());
    }

    #[test]
    fn threads_do_not_change_what_clients_draw() {
        let one = Streams::derive(42, 4, 1, None);
        let four = Streams::derive(42, 4, 4, None);
        assert_eq!(one.clients, four.clients);
        assert_eq!(one.default_seed, four.default_seed);
        assert_eq!(one.threads[0], four.threads[0]);
        let given = Streams::derive(42, 4, 1, Some(7));
        assert_eq!(given.default_seed, 7);
        assert_eq!(given.clients, one.clients);
        assert_ne!(given.threads[0], one.threads[0]);
    }

    #[test]
    fn bounds_hold() {
        let mut prng = Prng::new(1);
        let before = prng;
        assert_eq!(uniform(&mut prng, 5, 5), 5);
        assert_eq!(prng, before, "an empty range costs no draw");
        assert_eq!(zipfian(&mut prng, 5, 5, 1.5), 5);
        assert_eq!(prng, before);
        for _ in 0..10_000 {
            assert!((-3..=4).contains(&uniform(&mut prng, -3, 4)));
            assert!((-3..=4).contains(&exponential(&mut prng, -3, 4, 0.5)));
            assert!((-3..=4).contains(&gaussian(&mut prng, -3, 4, 2.0)));
            assert!((-3..=4).contains(&zipfian(&mut prng, -3, 4, 1.5)));
            assert!(poisson(&mut prng, 100.0) >= 0);
        }
    }

    #[test]
    fn scripts_are_chosen_by_weight() {
        let mut prng = Prng::new(7);
        let before = prng;
        assert_eq!(choose_script(&mut prng, &[9]), 0);
        assert_eq!(choose_script(&mut prng, &[]), 0);
        assert_eq!(choose_script(&mut prng, &[0, 0]), 0);
        assert_eq!(prng, before);
        let mut counts = [0; 3];
        for _ in 0..10_000 {
            counts[choose_script(&mut prng, &[3, 0, 1])] += 1;
        }
        assert_eq!(counts[1], 0);
        assert!((7300..7700).contains(&counts[0]), "{counts:?}");
    }
}
