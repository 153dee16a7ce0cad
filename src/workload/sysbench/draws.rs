//! The random values: in scripts, and the same in the rows of a load.

use super::options::{Distribution, Kinds};
use script::{Expression, Prng};

/// Ten groups of eleven digits.
pub(super) const C_PATTERN: &str = "###########-###########-###########-###########-###########-\
                                    ###########-###########-###########-###########-###########";
/// Five groups of eleven digits.
pub(super) const PAD_PATTERN: &str = "###########-###########-###########-###########-###########";

/// The expression of a script that draws from `first` to `last`, which are expressions, too.
pub(super) fn draw(distribution: &Distribution, first: &str, last: &str) -> String {
    let Distribution {
        rand_type,
        rand_spec_iter: iter,
        rand_spec_pct: pct,
        rand_spec_res: res,
        rand_pareto_h: h,
        rand_zipfian_exp: exponent,
    } = distribution;
    match rand_type {
        Kinds::Uniform => format!("random({first}, {last})"),
        Kinds::Gaussian => format!("sysbench_gaussian({first}, {last}, {iter})"),
        Kinds::Special => format!("sysbench_special({first}, {last}, {iter}, {pct}, {res})"),
        Kinds::Pareto => format!("sysbench_pareto({first}, {last}, {h})"),
        Kinds::Zipfian => format!("sysbench_zipfian({first}, {last}, {exponent})"),
    }
}

/// The values of a row, except for its id; texts in ASCII.
pub(super) struct Values<'a> {
    pub k: i32,
    pub c: &'a [u8],
    pub pad: &'a [u8],
}

/// Makes the rows of a table: each depends on its id alone.
pub(super) struct Filler {
    k: Expression,
    table: i32,
    c: [u8; C_PATTERN.len()],
    pad: [u8; PAD_PATTERN.len()],
}

impl Filler {
    /// `k`: what [`draw`] gives.
    pub(super) fn new(k: Expression, table: i32) -> Filler {
        Filler {
            k,
            table,
            c: [b'-'; _],
            pad: [b'-'; _],
        }
    }

    pub(super) fn row(&mut self, id: i64) -> Values<'_> {
        let mut prng = Prng::new((self.table as u64) << 32 | id as u64);
        // The ranges of its arguments are those of the options.
        let k = self.k.int(&mut prng).unwrap_or_default();
        groups(&mut prng, &mut self.c);
        groups(&mut prng, &mut self.pad);
        Values {
            k: k as i32,
            c: &self.c,
            pad: &self.pad,
        }
    }
}

/// Groups of eleven random digits, with a byte between them that stays.
fn groups(prng: &mut Prng, text: &mut [u8]) {
    const DIGITS: usize = 11;
    for group in text.chunks_mut(DIGITS + 1) {
        let number = prng.next_u64() % 10_u64.pow(DIGITS as u32);
        let (high, low) = (number / 100_000_000, number % 100_000_000);
        let (first, last) = group[..DIGITS].split_at_mut(DIGITS - 8);
        first.copy_from_slice(&eight_digits(high)[5..]);
        last.copy_from_slice(&eight_digits(low));
    }
}

/// The digits of a number below 10^8, all at the same time: halves of four digits, then pairs, then one in each byte. Row by row
/// and digit by digit, a load spent a tenth of its time here.
fn eight_digits(number: u64) -> [u8; 8] {
    let halves = (number / 10_000) | ((number % 10_000) << 32);
    // Divided by 100 and by 10: exact for as many digits as there are.
    let hundreds = ((halves * 10_486) >> 20) & 0x7f_0000_007f;
    let pairs = hundreds | ((halves - 100 * hundreds) << 16);
    let tens = ((pairs * 103) >> 10) & 0x000f_000f_000f_000f;
    let digits = tens | ((pairs - 10 * tens) << 8);
    (digits | 0x3030_3030_3030_3030).to_le_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_those_of_the_number() {
        let some = (0..100_000_000).step_by(997);
        let edges = [1, 9, 10, 99, 100, 9_999, 10_000, 99_999_999];
        for number in some.chain(edges) {
            let text = format!("{number:08}");
            assert_eq!(eight_digits(number), *text.as_bytes());
        }
    }
}
