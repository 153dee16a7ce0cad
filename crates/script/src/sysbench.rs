//! Random integers with the distributions of sysbench 1.0.20, and the zipfian one that came after it: equal
//! probabilities, not equal draws. Integers have 64 bits here and 32 there.

use super::error::EvalError;
use super::eval::Context;
use super::functions::bounds;
use super::random::Prng;
use super::value::Value;

/// Most draws that one value may take.
const MAX_ITER: i64 = 1000;
/// Largest exponent of sysbench_zipfian().
const MAX_EXPONENT: f64 = 1000.0;

const NULL: &Value = &Value::Null;

/// sysbench_gaussian(lb, ub, iter): the mean of so many uniform draws.
///
/// # Errors
/// An empty range, or iter out of its own.
pub(super) fn gaussian(context: &mut Context<'_>, arguments: &[Value]) -> Result<Value, EvalError> {
    let range = Range::of(arguments)?;
    let iter = int_within(arguments, 2, "sysbench_gaussian iter", 1, MAX_ITER)?;
    let width = range.last + 1.0;
    let sum: f64 = (0..iter).map(|_| context.prng.next_double() * width).sum();
    Ok(range.value(sum / iter as f64))
}

/// sysbench_special(lb, ub, iter, pct, res): in res of 100 cases one of the pct percent in the middle of the range,
/// otherwise the mean of iter uniform draws.
///
/// # Errors
/// An empty range, or an argument out of its own.
pub(super) fn special(context: &mut Context<'_>, arguments: &[Value]) -> Result<Value, EvalError> {
    let range = Range::of(arguments)?;
    let iter = int_within(arguments, 2, "sysbench_special iter", 1, MAX_ITER)?;
    let pct = int_within(arguments, 3, "sysbench_special pct", 1, 100)? as f64;
    let res = int_within(arguments, 4, "sysbench_special res", 0, 99)? as f64;
    let last = range.last;
    let draw = context.prng.next_double();
    if draw * (last * 100.0 / (100.0 - res)) < last {
        let sum: f64 = (0..iter).map(|_| context.prng.next_double()).sum();
        return Ok(range.value(sum * last / iter as f64));
    }
    // sysbench takes the same draw again, though it is one of the large ones here: the upper part of the middle has
    // it all.
    let width = last * pct / 100.0;
    Ok(range.value(draw * (width + 1.0) + last / 2.0 - last * pct / 200.0))
}

/// sysbench_pareto(lb, ub, h): a power of a uniform draw, so that the first h of the range have 1 - h of the values.
///
/// # Errors
/// An empty range, or h out of its own.
pub(super) fn pareto(context: &mut Context<'_>, arguments: &[Value]) -> Result<Value, EvalError> {
    let range = Range::of(arguments)?;
    let h = argument(arguments, 2).to_double()?;
    if !(h > 0.0 && h < 1.0) {
        return Err(EvalError::double_argument(
            "sysbench_pareto h",
            "greater than 0 and less than 1".to_owned(),
            h,
        ));
    }
    let power = h.ln() / (-h).ln_1p();
    Ok(range.value((range.last + 1.0) * context.prng.next_double().powf(power)))
}

/// sysbench_zipfian(lb, ub, exponent): the i-th value has a weight of i^-exponent.
///
/// # Errors
/// An empty range, or the exponent out of its own.
pub(super) fn zipfian(context: &mut Context<'_>, arguments: &[Value]) -> Result<Value, EvalError> {
    let range = Range::of(arguments)?;
    let exponent = argument(arguments, 2).to_double()?;
    if !(0.0..=MAX_EXPONENT).contains(&exponent) {
        return Err(EvalError::double_argument(
            "sysbench_zipfian exponent",
            format!("in range [0, {MAX_EXPONENT:.0}]"),
            exponent,
        ));
    }
    let rank = Zipf { exponent }.rank(context.prng, range.last + 1.0);
    Ok(range.value(rank - 1.0))
}

fn argument(arguments: &[Value], index: usize) -> &Value {
    arguments.get(index).unwrap_or(NULL)
}

/// An integer argument within its range, both ends of which belong to it.
fn int_within(
    arguments: &[Value],
    index: usize,
    name: &'static str,
    first: i64,
    last: i64,
) -> Result<i64, EvalError> {
    let given = argument(arguments, index).to_int()?;
    if !(first..=last).contains(&given) {
        return Err(EvalError::int_argument(name, first, last, given));
    }
    Ok(given)
}

/// The integers to draw from.
struct Range {
    min: i64,
    max: i64,
    /// The distance of the last one from the first.
    last: f64,
}

impl Range {
    /// That of the first two arguments.
    fn of(arguments: &[Value]) -> Result<Range, EvalError> {
        let (min, max) = bounds(arguments)?;
        Ok(Range {
            min,
            max,
            last: max.wrapping_sub(min) as f64,
        })
    }

    /// The integer at a distance from the first one. What rounding puts behind the last is the last.
    fn value(&self, distance: f64) -> Value {
        let value = self.min.saturating_add(distance as i64);
        Value::Int(value.min(self.max))
    }
}

/// The zipfian distribution by rejection from the integral of its density (Hörmann and Derflinger, Rejection-inversion
/// to generate variates from monotone discrete distributions, 1996), which works for every exponent from 0 on.
struct Zipf {
    exponent: f64,
}

impl Zipf {
    /// A rank from 1 to `count`.
    fn rank(&self, prng: &mut Prng, count: f64) -> f64 {
        let nearest = 2.0 - self.inverse(self.integral(2.5) - self.density(2.0));
        let low = self.integral(1.5) - 1.0;
        let high = self.integral(count + 0.5);
        loop {
            // Above the low end, which does not belong to it.
            let u = high + prng.next_double() * (low - high);
            let x = self.inverse(u);
            // Rounding may bring an x that is infinite.
            let rank = (x + 0.5).trunc().clamp(1.0, count);
            if rank - x <= nearest || u >= self.integral(rank + 0.5) - self.density(rank) {
                return rank;
            }
        }
    }

    fn density(&self, x: f64) -> f64 {
        (-self.exponent * x.ln()).exp()
    }

    /// The integral of the density from 1 to x.
    fn integral(&self, x: f64) -> f64 {
        let ln = x.ln();
        exp_m1_by((1.0 - self.exponent) * ln) * ln
    }

    /// The inverse of the integral.
    fn inverse(&self, y: f64) -> f64 {
        let t = (y * (1.0 - self.exponent)).max(-1.0);
        (ln_1p_by(t) * y).exp()
    }
}

/// (e^x - 1) / x, which is 1 at 0.
fn exp_m1_by(x: f64) -> f64 {
    if x.abs() > 1e-8 {
        x.exp_m1() / x
    } else {
        1.0 + x / 2.0 * (1.0 + x / 3.0)
    }
}

/// ln(1 + x) / x, which is 1 at 0.
fn ln_1p_by(x: f64) -> f64 {
    if x.abs() > 1e-8 {
        x.ln_1p() / x
    } else {
        1.0 - x * (0.5 - x / 3.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn helpers_are_smooth_at_zero() {
        for x in [0.0, 1e-8, -1e-8, 1.0001e-8, 1e-12] {
            assert!((exp_m1_by(x) - 1.0 - x / 2.0).abs() < 1e-15, "{x}");
            assert!((ln_1p_by(x) - 1.0 + x / 2.0).abs() < 1e-15, "{x}");
        }
        assert!((exp_m1_by(1.0) - 1.718281828459045).abs() < 1e-15);
        assert!((ln_1p_by(1.0) - std::f64::consts::LN_2).abs() < 1e-15);
    }

    #[test]
    fn the_integral_has_its_inverse() {
        for exponent in [0.0, 0.5, 0.99, 1.0, 1.01, 2.0, 5.0] {
            let zipf = Zipf { exponent };
            for x in [0.75, 1.0, 1.5, 2.5, 10.0, 100.5] {
                let back = zipf.inverse(zipf.integral(x));
                assert!((back - x).abs() < 1e-6 * x, "{exponent} {x} {back}");
            }
            assert_eq!(zipf.integral(1.0), 0.0);
        }
        // Its limit at 1 is the logarithm.
        assert_eq!(Zipf { exponent: 1.0 }.integral(7.5), 7.5f64.ln());
        let uniform = Zipf { exponent: 0.0 }.integral(7.5);
        assert!((uniform - 6.5).abs() < 1e-14, "{uniform}");
    }
}
