//! A bounded part of the fuzzing (fuzz/) for every test run: seeded mutations of a small corpus.

use super::exercise::{exercise_expression, exercise_script};
use crate::Prng;
use crate::random::uniform;

const SEEDS: [&str; 6] = [
    include_str!("../../../../fuzz/seeds/expressions.sql"),
    include_str!("../../../../fuzz/seeds/short.sql"),
    include_str!("../../../../fuzz/seeds/branches.sql"),
    include_str!("../../../../fuzz/seeds/statements.sql"),
    include_str!("../../../../fuzz/seeds/results.sql"),
    include_str!("../../../../fuzz/seeds/beyond.sql"),
];
/// How long a mutated text may become, in characters.
const MAX_LENGTH: usize = 2000;

struct Mutator {
    prng: Prng,
    seeds: Vec<Vec<char>>,
}

impl Mutator {
    fn below(&mut self, limit: usize) -> usize {
        uniform(&mut self.prng, 0, limit as i64 - 1) as usize
    }

    /// Part of a text, mostly a short one.
    fn part(&mut self, text: &[char]) -> (usize, usize) {
        let start = self.below(text.len() + 1);
        let most = match self.below(4) {
            0 => text.len(),
            _ => 8,
        };
        let end = start + self.below(most + 1);
        (start, end.min(text.len()))
    }

    fn text(&mut self) -> String {
        let seed = self.below(self.seeds.len());
        let mut text = self.seeds[seed].clone();
        for _ in 0..=self.below(6) {
            let (start, end) = self.part(&text);
            let other = match self.below(3) {
                0 => Vec::new(),
                1 => {
                    let times = [1, 2, 50][self.below(3)];
                    text[start..end].repeat(times)
                }
                _ => {
                    let seed = self.below(self.seeds.len());
                    let from = self.seeds[seed].clone();
                    let (start, end) = self.part(&from);
                    from[start..end].to_vec()
                }
            };
            text.splice(start..end, other);
            text.truncate(MAX_LENGTH);
        }
        text.into_iter().collect()
    }
}

#[test]
fn mutated_scripts_do_no_harm() {
    let mut mutator = Mutator {
        prng: Prng::new(15),
        seeds: SEEDS.iter().map(|seed| seed.chars().collect()).collect(),
    };
    for _ in 0..4000 {
        let text = mutator.text();
        exercise_script(&text);
        exercise_expression(text.lines().next().unwrap_or_default());
    }
}

#[test]
fn the_seeds_are_scripts() {
    for seed in SEEDS {
        let result = crate::parse("seed", seed, &mut crate::Symbols::new());
        assert!(result.is_ok(), "{result:?}");
    }
}
