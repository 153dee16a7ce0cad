//! The reason why a run with `until_precise` ended, and the precision of its mean.

use super::stored_run::Facts;
use measure::metrics::TPS_PRECISION;

/// One sentence.
pub fn sentence(facts: &Facts) -> Option<String> {
    let run = &facts.run;
    // How far the mean tps may be off; None: nothing is known of that.
    let percent = facts.metric(TPS_PRECISION);
    let wanted = 100.0 * run.spec.until_precise?;
    let seconds = format!("{:.1}", run.duration_s?);
    // Without the noise of a product of fractions.
    let wanted = (wanted * 1e6).round() / 1e6;
    let known = match percent {
        Some(percent) => format!("known within {percent:.2} %"),
        None => "not known: there are too few intervals".to_owned(),
    };
    let is_known = percent.is_some_and(|percent| percent <= wanted);
    let is_over = run
        .spec
        .duration_s
        .zip(run.duration_s)
        .is_some_and(|(longest, took)| took >= longest);
    let ended = match is_known {
        // Between two looks at how well it is known, the duration may have ended the run.
        true if is_over => {
            format!(
                "the run ended after its longest duration, {seconds} s; {wanted} % were asked for"
            )
        }
        true => format!("the run ended after {seconds} s, since {wanted} % were enough"),
        false if run.status == "finished" => {
            format!("not within {wanted} %: its longest duration, {seconds} s, was over before")
        }
        false => format!("not within {wanted} %: it ended before"),
    };
    Some(format!("The mean tps is {known}; {ended}."))
}
