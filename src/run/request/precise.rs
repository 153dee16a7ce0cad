//! The argument `until_precise`: the run ends as soon as its mean tps is known with that precision.

use super::options::Options;
use crate::error::{Result, hinted};
use crate::pg::sql::interval::Seconds;
use measure::statistics::FIRST_LOOK;

/// The form of the argument.
const HINT: &str = "Say how far the mean tps may be off: until_precise => '2%'.";
/// The longest duration, unless the call says it.
pub const LONGEST_S: f64 = 600.0;

/// How far the mean may be off, as a share of it; None: the run does not ask. `duration_s`: how long it lasts at most.
///
/// # Errors
/// It is no percentage, or together with the other arguments it makes no sense.
pub fn wanted(options: &Options, duration_s: Option<f64>) -> Result<Option<f64>> {
    let Some(text) = &options.until_precise else {
        return Ok(None);
    };
    let wanted = share(text)?;
    let excludes = [
        (
            "transactions_per_client",
            options.transactions_per_client.is_some(),
            "Such a run ends after a number of transactions.",
        ),
        (
            "rate",
            options.rate.is_some(),
            "The tps of such a run is given, not measured.",
        ),
        (
            "alternate",
            options.alternate.is_some(),
            "Such a run measures a difference, and needs all of its turns.",
        ),
        (
            "disturbances",
            options.disturbances.is_some(),
            "The run could end before them.",
        ),
        (
            "resume",
            options.resume,
            "The rates before and after an interruption are not one series.",
        ),
    ];
    if let Some((name, _, hint)) = excludes.iter().find(|(_, is_given, _)| *is_given) {
        return Err(hinted(
            format!("until_precise and {name} exclude each other"),
            hint,
        ));
    }
    let Some(duration) = duration_s else {
        return Err(hinted(
            "until_precise needs a workload that goes on until its duration is over".to_owned(),
            "Clients that run their scripts in an order end with the last one, unless duration is given.",
        ));
    };
    let Seconds(interval) = options.sample_interval;
    let shortest = FIRST_LOOK as f64 * interval;
    // Sums of decimal fractions are not exact.
    if duration + 1e-9 < shortest {
        return Err(hinted(
            format!(
                "until_precise needs a duration of at least {shortest} s, {FIRST_LOOK} intervals, not {duration} s"
            ),
            "The duration is how long the run lasts at most; shorter intervals need less: sample_interval => '0.5 s'.",
        ));
    }
    Ok(Some(wanted))
}

/// `'2%'` as a share.
pub fn share(text: &str) -> Result<f64> {
    match percentage(text) {
        Some(percent) if percent > 0.0 && percent <= 50.0 => Ok(percent / 100.0),
        _ => Err(hinted(
            format!("until_precise must be a percentage above 0 and at most 50, not \"{text}\""),
            HINT,
        )),
    }
}

/// The number of `'2%'`.
pub fn percentage(text: &str) -> Option<f64> {
    let number = text.trim().strip_suffix('%')?;
    number.trim_end().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_precision_is_a_percentage() {
        assert_eq!(share("2%").unwrap(), 0.02);
        assert_eq!(share(" 0.5 % ").unwrap(), 0.005);
        assert_eq!(share("50%").unwrap(), 0.5);
        for bad in ["2", "", "%", "0%", "50.1%", "-1%", "NaN%", "inf%", "two%"] {
            assert!(share(bad).is_err(), "{bad}");
        }
    }
}
