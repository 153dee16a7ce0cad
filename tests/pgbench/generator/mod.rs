//! Random expressions and scripts of pgbench's language, from a seed.
//!
//! Expressions are mostly of the type that is asked for, so that most have a value; now and then a part is
//! of another type or out of range. Parentheses are sparse, so that precedence matters: only what cannot
//! stand unparenthesised (a comparison in a comparison) is never made.

mod expressions;
mod scripts;

/// What a value is expected to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Int,
    Double,
    Bool,
    Any,
}

/// Variables given as text: numbers, booleans and NULL in pgbench's spellings, and some that are neither.
pub const VARIABLES: &[(&str, &str)] = &[
    ("t_int", "+3"),
    ("t_pad", " 12"),
    ("t_zeros", "007"),
    ("t_dbl", "1.50"),
    ("t_neg", "-10.1"),
    ("t_hex", "0x1.8p-2"),
    ("t_inf", "-inf"),
    ("t_yes", "Ye"),
    ("t_off", "of"),
    ("t_null", "NULL"),
    ("t_bad", "trueXXX"),
    ("t_big", "99999999999999999999"),
    ("t_sign", "+"),
    ("t_min", "-9223372036854775808"),
];

/// How deep an expression nests at most.
const DEPTH: u32 = 4;
/// How many different names the values of one type get.
const NAMES: usize = 6;

pub struct Generator {
    state: u64,
    /// What is defined, by kind.
    known: Vec<(Kind, String)>,
}

impl Generator {
    /// Generators of one seed and different streams have nothing in common.
    pub fn new(seed: u64, stream: u64) -> Generator {
        Generator {
            state: seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ (stream << 56),
            known: Vec::new(),
        }
    }

    /// A seed for a run.
    pub fn seed(&mut self) -> i64 {
        self.next().cast_signed()
    }

    /// Forgets the variables.
    pub fn forget(&mut self) {
        self.known.clear();
    }

    /// A name for the next value.
    pub fn name(&mut self, kind: Kind, number: usize) -> String {
        let prefix = match kind {
            Kind::Int => "i",
            Kind::Double => "D_",
            Kind::Bool => "b",
            Kind::Any => "é",
        };
        format!("{prefix}{}", number % NAMES)
    }

    /// From now on, the name may be used.
    pub fn defined(&mut self, kind: Kind, name: &str) {
        self.known.push((kind, name.to_owned()));
    }

    pub fn expression(&mut self) -> (Kind, String) {
        let kind = self.pick(&[
            Kind::Int,
            Kind::Int,
            Kind::Double,
            Kind::Double,
            Kind::Bool,
            Kind::Any,
        ]);
        let depth = 1 + self.below(u64::from(DEPTH)) as u32;
        (kind, self.of(kind, depth))
    }

    /// splitmix64
    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.state ^ (self.state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    /// True once in this many times.
    fn once_in(&mut self, times: u64) -> bool {
        self.below(times) == 0
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u64) as usize]
    }

    /// A blank, where one may be missing.
    fn gap(&mut self) -> &'static str {
        self.pick(&["", " ", " ", " ", "  ", "\t"])
    }

    /// A blank, where there must be one.
    fn blank(&mut self) -> &'static str {
        if self.once_in(60) {
            return self.pick(&[" \\\n ", " \\\r\n"]);
        }
        self.pick(&[" ", " ", " ", "  ", "\t", "\x0C"])
    }

    /// A word in some mixture of cases.
    fn word(&mut self, word: &str) -> String {
        match self.below(3) {
            0 => word.to_uppercase(),
            1 => word.to_lowercase(),
            _ => word
                .chars()
                .map(|c| match self.below(2) {
                    0 => c.to_ascii_uppercase(),
                    _ => c.to_ascii_lowercase(),
                })
                .collect(),
        }
    }
}
