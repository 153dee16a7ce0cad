//! The verdicts from p-values: the correction for many metrics, and notes on the method.

use super::judge::{CONSTANT, ONE_AGAINST_SEVERAL, PAIRS, STUDENT, WELCH};
use super::row::{Row, Verdict};
use measure::metrics::Better;
use measure::statistics::{LEVEL, benjamini_hochberg, quantile};
use std::collections::BTreeSet;

/// What is asked before looking.
pub struct Question {
    /// The metric of the summary by which the comparison as a whole is judged.
    pub headline: &'static str,
    /// The rate times the mean latency is the number of clients on both sides.
    pub is_closed_loop: bool,
}

impl Question {
    fn is_headline(&self, row: &Row) -> bool {
        row.category == SUMMARY && row.metric == self.headline
    }

    /// Whether the row is the same figure as the headline's rate in other words, and if so, in which direction.
    fn follows(&self, row: &Row) -> Option<Follows> {
        if self.headline != RATE || row.category != SUMMARY || row.baseline_text.is_some() {
            return None;
        }
        match row.metric.as_str() {
            "transactions" => Some(Follows::Alike),
            "duration_s" => Some(Follows::Inversely),
            "latency_avg_ms" if self.is_closed_loop => Some(Follows::Inversely),
            _ => None,
        }
    }
}

/// How a figure changes with the headline.
#[derive(Clone, Copy, PartialEq)]
enum Follows {
    Alike,
    Inversely,
}

const SUMMARY: &str = "summary";
/// The headline that has others in its train.
const RATE: &str = "tps";

/// Gives each row that was tested its verdict; returns notes: whether the runs are too few, and how noise was
/// distinguished from change.
pub fn decide(rows: &mut [Row], question: &Question) -> Vec<String> {
    let tested = correct(rows, question);
    let mut notes: Vec<String> = too_few(rows, question, tested).into_iter().collect();
    notes.extend(how(rows));
    notes
}

/// Turns p-values into verdicts. The headline is one question, asked before looking: it stands by itself, and answers for the same
/// figure in other words. The rest of the summary is corrected for its number, and so are the details, of which there may be
/// hundreds; returns how many were corrected together at most.
fn correct(rows: &mut [Row], question: &Question) -> usize {
    follow(rows, question);
    let family = |row: &Row| match row.category.as_str() {
        _ if question.is_headline(row) => 0,
        SUMMARY | "workload" => 1,
        _ => 2,
    };
    let mut most = 0;
    for wanted in 0..3 {
        let tested: Vec<usize> = (0..rows.len())
            .filter(|&i| rows[i].delta.p_adjusted.is_none())
            .filter(|&i| family(&rows[i]) == wanted && is_question(&rows[i]))
            .collect();
        most = most.max(tested.len());
        let p: Vec<f64> = tested
            .iter()
            .filter_map(|&i| rows[i].delta.p_value)
            .collect();
        for (&i, p) in tested.iter().zip(benjamini_hochberg(&p)) {
            rows[i].delta.p_adjusted = Some(p);
        }
    }
    for row in rows.iter_mut() {
        row.delta.p_adjusted = row.delta.p_adjusted.or(row.delta.p_value);
        if row.delta.p_adjusted.is_some() {
            row.verdict = verdict(row);
        }
    }
    most
}

/// Gives the headline's p to the rows that are the same figure in other words: two verdicts on one thing would contradict each
/// other wherever one p is just below the limit. A significant rate beside which they change the other way is another matter, as where
/// transactions fail.
fn follow(rows: &mut [Row], question: &Question) {
    let headline = rows.iter().find(|row| question.is_headline(row));
    let Some((p, change)) = headline
        .filter(|row| is_question(row))
        .and_then(|row| row.delta.p_value.zip(row.delta.change_percent))
    else {
        return;
    };
    for row in rows.iter_mut() {
        let is_comparable = !matches!(row.verdict, Verdict::NotComparable(_));
        let Some((follows, own)) = question.follows(row).zip(row.delta.change_percent) else {
            continue;
        };
        let agrees = match follows {
            Follows::Alike => own * change >= 0.0,
            Follows::Inversely => own * change <= 0.0,
        };
        if is_comparable && (agrees || p >= LEVEL) {
            row.delta.p_adjusted = Some(p);
        }
    }
}

/// The note that two runs per side can find hardly anything, in figures. `tested`: metrics that are corrected together.
fn too_few(rows: &[Row], question: &Question, tested: usize) -> Option<String> {
    let headline = question.headline;
    let over_runs = |row: &&Row| {
        row.method
            .is_some_and(|method| [STUDENT, WELCH, PAIRS, ONE_AGAINST_SEVERAL].contains(&method))
    };
    let mut of_headline = rows.iter().filter(|row| question.is_headline(row));
    let row = of_headline.find(over_runs)?;
    let counts = (row.n_baseline?, row.n_candidate?);
    if counts.0.max(counts.1) > 2 {
        return None;
    }
    let (runs, freedom) = if row.method == Some(PAIRS) {
        (format!("{} pairs of runs", counts.0), 1.0)
    } else {
        let freedom = (counts.0 + counts.1) as f64 - 2.0;
        (format!("{} + {} runs", counts.0, counts.1), freedom)
    };
    let interval = row.delta.ends();
    let reach = interval.map(|(low, high)| reach(low, high));
    let from = match reach {
        Some(reach) if reach.is_finite() => {
            format!("{headline} would have to change by more than {reach:.1} %")
        }
        // From nothing to something, for which there is no percentage.
        _ if row.delta.p_value.is_some_and(|p| p < LEVEL) => return None,
        _ => format!("no change of {headline} would be significant"),
    };
    let farther = quantile(LEVEL / tested.max(1) as f64, freedom)? / quantile(LEVEL, freedom)?;
    let others = (tested > 1).then(|| {
        format!(
            ", and one of {tested} metrics that are corrected for their number by {farther:.1} times the reach of its interval"
        )
    });
    Some(format!(
        "{runs} find hardly anything: {from}{}; take five runs a side",
        others.unwrap_or_default()
    ))
}

/// How far an interval reaches, in percent. That of a ratio is as wide above as below on the scale of logarithms; one that reaches
/// down to nothing is not.
fn reach(low: f64, high: f64) -> f64 {
    let log = |percent: f64| (1.0 + percent / 100.0).ln();
    match low > -100.0 {
        true => 100.0 * ((log(high) - log(low)) / 2.0).exp_m1(),
        false => (high - low) / 2.0,
    }
}

/// Figures that are the same in all runs are not questions.
fn is_question(row: &Row) -> bool {
    row.delta.p_value.is_some() && row.method != Some(CONSTANT)
}

fn verdict(row: &Row) -> Verdict {
    let rises = row
        .delta
        .change_percent
        .map(|change| change > 0.0)
        .or_else(|| {
            let (baseline, candidate) = row.baseline.zip(row.candidate)?;
            Some(candidate > baseline)
        });
    if row.delta.p_adjusted.is_some_and(|p| p >= LEVEL) {
        return Verdict::NoDifference;
    }
    match (row.direction, rises) {
        (Some(direction), Some(rises)) => {
            if rises == (direction == Better::Higher) {
                Verdict::Better
            } else {
                Verdict::Worse
            }
        }
        _ => Verdict::Differs,
    }
}

/// The methods behind the verdicts, each once.
fn how(rows: &[Row]) -> Vec<String> {
    let methods: BTreeSet<&str> = rows
        .iter()
        .filter_map(|row| row.method)
        .filter(|method| *method != CONSTANT)
        .map(|method| method.name)
        .collect();
    methods.into_iter().map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_beyond_the_reach_of_its_interval_is_significant() {
        // +204.3 %, from +15.8 % to +700 %: 3.043 / 1.158 = 8.0 / 3.043.
        let of_ratio = reach(15.8, 700.0);
        assert!((of_ratio - 162.8).abs() < 0.1, "{of_ratio}");
        assert_eq!(reach(-100.0, 50.0), 75.0);
    }
}
