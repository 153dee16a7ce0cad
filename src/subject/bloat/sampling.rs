//! Random blocks, and estimates for all blocks with their margin of error. Pure arithmetic.
//!
//! A pass divides the relation into parts of equal length, and reads one random block of each. So it measures waste in one
//! place (a deleted range) as precisely as waste everywhere. Passes are independent of each other; their estimates are
//! averaged, weighted by size.

/// The 97.5 % quantile of the normal distribution: 95 % lie within.
const Z: f64 = 1.959_964;

/// One block from each of `count` stretches of equal length, at random and ascending. Every block has the
/// same chance. `random` gives numbers in [0, 1).
pub fn stratified(blocks: u32, count: u32, mut random: impl FnMut() -> f64) -> Vec<u32> {
    let stretch = f64::from(blocks) / f64::from(count);
    (0..count)
        .map(|i| ((f64::from(i) + random()) * stretch) as u32)
        .map(|block| block.min(blocks.saturating_sub(1)))
        .collect()
}

/// A mean over all blocks, with half the width of its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    pub mean: f64,
    pub margin: f64,
}

/// The blocks that were read, of a relation with `blocks` blocks.
#[derive(Debug)]
pub struct Sample<T> {
    blocks: u32,
    passes: Vec<Vec<T>>,
}

impl<T> Sample<T> {
    pub fn new(blocks: u32) -> Self {
        Sample {
            blocks,
            passes: Vec::new(),
        }
    }

    /// Adds a pass, in the order of its blocks.
    pub fn add(&mut self, pass: Vec<T>) {
        self.passes.push(pass);
    }

    pub fn len(&self) -> usize {
        self.passes.iter().map(Vec::len).sum()
    }

    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.passes.iter().flatten()
    }

    /// The mean of a value that each block has, in percent: between 0 and 100, or thereabouts.
    ///
    /// The variance comes from the differences of neighbours, which is what a stretch can vary by. The margin
    /// is that of Wilson's interval for a share, made symmetric: even if all blocks looked alike, a few
    /// per mille that do not would hardly have been met.
    pub fn percent(&self, value: impl Fn(&T) -> f64) -> Estimate {
        let total = self.len() as f64;
        if total == 0.0 {
            return Estimate {
                mean: 0.0,
                margin: 100.0,
            };
        }
        let mean = self.iter().map(&value).sum::<f64>() / total;
        Estimate {
            mean,
            margin: margin(self.variance(value), total),
        }
    }

    /// Of the mean of that value.
    fn variance(&self, value: impl Fn(&T) -> f64) -> f64 {
        let total = self.len() as f64;
        self.passes
            .iter()
            .map(|pass| {
                let share = pass.len() as f64 / total;
                let left_out = left_out(pass.len() as f64 / f64::from(self.blocks));
                share * share * left_out * variance_of_values(pass, &value) / pass.len() as f64
            })
            .sum()
    }

    /// The total number of blocks that would reduce the margin of that value to `target`, at most all of them.
    pub fn blocks_for(&self, target: f64, value: impl Fn(&T) -> f64) -> u32 {
        let total = self.len() as f64;
        let a_block = self
            .passes
            .iter()
            .map(|pass| variance_of_values(pass, &value) * pass.len() as f64 / total)
            .sum::<f64>();
        let mut count = total.max(1.0);
        while count < f64::from(self.blocks) && margin(a_block / count, count) > target {
            count *= 1.02;
        }
        (count as u32).min(self.blocks)
    }
}

/// The part of the variance that remains if a pass takes that share of all blocks.
///
/// Stretches end within blocks, and two neighbours may draw the same one: so others are left out even by as many
/// draws as there are blocks. The chance that two draws from one stretch differ, over the chance that those of
/// two neighbours do, from whose differences the variance comes.
fn left_out(share: f64) -> f64 {
    let square = share * share;
    (1.0 - share + square / 3.0) / (1.0 - square / 6.0)
}

/// Of single blocks around their stretch, estimated from successive ones.
fn variance_of_values<T>(pass: &[T], value: impl Fn(&T) -> f64) -> f64 {
    let differences = pass.windows(2).map(|pair| match pair {
        [one, other] => (value(one) - value(other)).powi(2),
        _ => 0.0,
    });
    match pass.len() {
        // One block says nothing about others.
        0 | 1 => 100.0 * 100.0,
        n => differences.sum::<f64>() / (2.0 * (n - 1) as f64),
    }
}

/// Half the width of the interval of a percentage with that variance, from `count` blocks.
fn margin(variance: f64, count: f64) -> f64 {
    let unseen = 100.0 * Z * Z / (2.0 * count);
    Z * (variance + (unseen / Z).powi(2)).sqrt() + unseen
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A fixed sequence of pseudo-random numbers (xorshift).
    fn random(seed: u64) -> impl FnMut() -> f64 {
        let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        move || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 11) as f64 / (1u64 << 53) as f64
        }
    }

    fn sample(population: &[f64], count: u32, seed: u64) -> Sample<f64> {
        let blocks = population.len() as u32;
        let mut sample = Sample::new(blocks);
        let chosen = stratified(blocks, count, random(seed));
        sample.add(chosen.iter().map(|b| population[*b as usize]).collect());
        sample
    }

    #[test]
    fn a_single_block_may_be_anything() {
        assert_eq!(variance_of_values(&[30.0], |value| *value), 10_000.0);
        assert_eq!(variance_of_values(&[30.0, 50.0], |value| *value), 200.0);
    }

    #[test]
    fn what_is_left_out_by_hand() {
        assert_eq!(left_out(0.0), 1.0);
        // (1 - 1/2 + 1/12) / (1 - 1/24) and (1/3) / (5/6).
        assert!((left_out(0.5) - 14.0 / 23.0).abs() < 1e-12);
        assert!((left_out(1.0) - 0.4).abs() < 1e-12);
    }

    #[test]
    fn blocks_are_drawn_from_everywhere() {
        let mut draw = random(1);
        let mut seen = vec![0; 1000];
        for _ in 0..1000 {
            let blocks = stratified(1000, 300, &mut draw);
            assert!(blocks.windows(2).all(|pair| pair[0] <= pair[1]));
            blocks.iter().for_each(|block| seen[*block as usize] += 1);
        }
        // 300 expected; five standard deviations are 75.
        assert!(
            seen.iter().all(|count| (225..375).contains(count)),
            "{seen:?}"
        );
        assert_eq!(stratified(1, 1, || 0.999_999_999), [0]);
    }

    /// The truth lies within the margin in 95 % of many samples, whatever the population.
    #[test]
    fn margins_hold() {
        let mut draw = random(7);
        let mut populations: Vec<(&str, Vec<f64>)> = Vec::new();
        populations.push(("even", vec![12.5; 20_000]));
        populations.push(("uniform", (0..20_000).map(|_| 100.0 * draw()).collect()));
        populations.push((
            "a deleted range",
            (0..20_000)
                .map(|i| if i < 6_543 { 100.0 } else { 0.0 })
                .collect(),
        ));
        populations.push((
            "few holes",
            (0..20_000)
                .map(|_| if draw() < 0.006 { 100.0 } else { 1.0 })
                .collect(),
        ));
        populations.push(("trend", (0..20_000).map(|i| f64::from(i) / 200.0).collect()));
        for (name, population) in populations {
            let truth = population.iter().sum::<f64>() / population.len() as f64;
            let inside = (0..1000)
                .filter(|seed| {
                    let estimate = sample(&population, 1000, *seed + 1).percent(|v| *v);
                    (estimate.mean - truth).abs() <= estimate.margin
                })
                .count();
            assert!(inside >= 935, "{name}: {inside} of 1000");
        }
    }

    /// A pass of nearly all blocks still draws some twice and others never.
    #[test]
    fn margins_hold_where_a_stretch_is_hardly_a_block() {
        let mut draw = random(11);
        let population: Vec<f64> = (0..3_000)
            .map(|_| if draw() < 0.5 { 0.0 } else { 100.0 })
            .collect();
        let truth = population.iter().sum::<f64>() / population.len() as f64;
        for count in [2_000, 2_500, 2_900, 2_990] {
            let inside = (1..=1000)
                .filter(|seed| {
                    let sample = sample(&population, count, *seed);
                    let error = (sample.percent(|v| *v).mean - truth).abs();
                    // Without what is added for unseen blocks.
                    error <= Z * sample.variance(|v| *v).sqrt()
                })
                .count();
            assert!(inside >= 930, "{count}: {inside} of 1000");
        }
    }

    #[test]
    fn no_more_blocks_are_asked_for_than_there_are() {
        let mixed: Vec<f64> = (0..3_000).map(|i| f64::from(i % 2) * 100.0).collect();
        let mixed = sample(&mixed, 512, 5);
        assert_eq!(mixed.blocks_for(0.1, |v| *v), 3_000);
    }

    #[test]
    fn more_blocks_are_asked_for_where_they_differ() {
        let mut draw = random(3);
        let even = sample(&vec![10.0; 50_000], 256, 1);
        let mixed: Vec<f64> = (0..50_000).map(|_| 30.0 * draw()).collect();
        let mixed = sample(&mixed, 256, 1);
        let (few, many) = (even.blocks_for(0.5, |v| *v), mixed.blocks_for(0.5, |v| *v));
        assert!((700..1000).contains(&few), "{few}");
        assert!((1500..3500).contains(&many), "{many}");
        // With that many it keeps the promise.
        let margin = sample(&vec![10.0; 50_000], few, 2).percent(|v| *v).margin;
        assert!(margin < 0.55, "{margin}");
    }

    #[test]
    fn passes_are_averaged_by_their_size() {
        let mut sample = Sample::new(1000);
        sample.add(vec![0.0, 0.0]);
        sample.add(vec![30.0]);
        assert_eq!(sample.percent(|v| *v).mean, 10.0);
        assert_eq!(Sample::<f64>::new(0).percent(|v| *v).mean, 0.0);
    }
}
