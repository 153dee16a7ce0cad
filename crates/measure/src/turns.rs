//! Turns: two sides change places within one run, in blocks of four turns: A B B A.
//!
//! Each side has its turns around the same middle of a block, so a machine that slows down evenly costs both the same. As often,
//! by chance, a block is the mirror image, B A A B: something that comes back at regular times, such as a checkpoint or
//! autovacuum, does not meet the same side again and again.

/// Turns of a block.
pub const BLOCK: u64 = 4;

/// A side of such a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The baseline.
    A,
    /// The candidate.
    B,
}

impl Side {
    /// `A` or `B`.
    pub fn name(self) -> &'static str {
        match self {
            Side::A => "A",
            Side::B => "B",
        }
    }

    /// The side of this name.
    pub fn named(name: &str) -> Option<Side> {
        [Side::A, Side::B]
            .into_iter()
            .find(|side| side.name() == name)
    }
}

/// Whose turn it is. The first block is A B B A; `seed` decides which others are mirrored.
pub fn side_of(turn: u64, seed: u64) -> Side {
    let block = turn / BLOCK;
    let mirrored = block > 0 && mixed(seed ^ mixed(block)) & 1 == 1;
    let is_middle = matches!(turn % BLOCK, 1 | 2);
    match is_middle != mirrored {
        true => Side::B,
        false => Side::A,
    }
}

/// A number of which each bit depends on all of these (splitmix64).
fn mixed(number: u64) -> u64 {
    let mut mixed = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(number: u64, seed: u64) -> String {
        (number * BLOCK..(number + 1) * BLOCK)
            .map(|turn| side_of(turn, seed).name())
            .collect()
    }

    /// splitmix64's first output for these states, and blocks worked out with it.
    #[test]
    fn the_mirror_images_are_those_of_the_seed() {
        assert_eq!(mixed(0), 0xe220_a839_7b1d_cdaf);
        assert_eq!(mixed(1), 0x910a_2dec_8902_5cc1);
        let mirrored = |seed| -> Vec<bool> {
            (1..=12)
                .map(|number| block(number, seed) == "BAAB")
                .collect()
        };
        let known = |text: &str| -> Vec<bool> { text.chars().map(|c| c == 'm').collect() };
        assert_eq!(mirrored(1), known("-mmm-mm-m-m-"));
        assert_eq!(mirrored(42), known("mm-m---m-m--"));
    }

    #[test]
    fn each_block_is_a_pattern_or_its_mirror_image() {
        for seed in [0, 1, 7, u64::MAX] {
            assert_eq!(block(0, seed), "ABBA");
            let mirrored = (1..1001)
                .map(|number| block(number, seed))
                .filter(|block| match block.as_str() {
                    "ABBA" => false,
                    "BAAB" => true,
                    other => panic!("{other}"),
                })
                .count();
            assert!((440..560).contains(&mirrored), "{seed}: {mirrored}");
        }
        let blocks = |seed| {
            (0..20)
                .map(|number| block(number, seed))
                .collect::<String>()
        };
        assert_ne!(blocks(1), blocks(2));
    }

    #[test]
    fn sides_have_names() {
        for side in [Side::A, Side::B] {
            assert_eq!(Side::named(side.name()), Some(side));
        }
        assert_eq!(Side::named("C"), None);
    }
}
