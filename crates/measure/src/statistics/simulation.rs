//! Made-up runs with a known truth, for tests of code that draws conclusions from runs.

/// A fixed sequence (splitmix64), so that a test's outcome is always the same.
pub struct Noise(u64);

impl Noise {
    /// The sequence of a seed.
    pub fn seeded(seed: u64) -> Noise {
        Noise(seed)
    }

    /// Above 0, at most 1.
    pub fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1_u64 << 53) as f64 + f64::EPSILON / 2.0
    }

    /// Normal, mean 0, deviation 1 (Box and Muller).
    fn normal(&mut self) -> f64 {
        let radius = (-2.0 * self.uniform().ln()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform()).cos()
    }

    pub fn normals(&mut self, mean: f64, deviation: f64, count: usize) -> Vec<f64> {
        (0..count)
            .map(|_| mean + deviation * self.normal())
            .collect()
    }

    /// A first-order autoregression around `mean`, begun in its steady state.
    pub fn autoregression(&mut self, coefficient: f64, mean: f64, count: usize) -> Vec<f64> {
        let mut value = self.normal() / (1.0 - coefficient * coefficient).sqrt();
        (0..count)
            .map(|_| {
                value = coefficient * value + self.normal();
                mean + value
            })
            .collect()
    }
}

/// The percentage of 2,000 trials in which `trial` returns true.
pub fn percent(trial: impl FnMut(&mut Noise) -> bool) -> f64 {
    percent_of(2_000, trial)
}

/// The percentage of the given number of trials in which `trial` returns true.
pub fn percent_of(trials: u32, mut trial: impl FnMut(&mut Noise) -> bool) -> f64 {
    let mut noise = Noise(20_261_121);
    let hits = (0..trials).filter(|_| trial(&mut noise)).count();
    100.0 * hits as f64 / f64::from(trials)
}

#[cfg(test)]
mod tests;
