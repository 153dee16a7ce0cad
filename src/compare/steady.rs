//! `pgperf.steady_state`: advice on how much of a run was warm-up.

use super::names;
use crate::catalog::runs::ExistingRun;
use crate::error::Result;
use crate::pg::catalog::role::as_owner;
use crate::pg::sql::called::Called;
use crate::pg::sql::rows;
use crate::pg::sql::spi;
use crate::pg::sql::text::Text;
use crate::show::text::count;
use measure::statistics::{SHORTEST_SERIES, steady_from};
use pgrx::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Deserialize)]
struct StoredInterval {
    interval_no: i32,
    seconds: f64,
    transactions: f64,
    tps: f64,
}

/// When the rate of a run becomes steady.
#[derive(Serialize)]
struct Advice {
    steady: Option<bool>,
    from_interval: Option<i32>,
    warmup_s: Option<f64>,
    tps_before: Option<f64>,
    tps: Option<f64>,
    advice: String,
}

/// `pgperf_internal.steady_state_of`: implements `pgperf.steady_state`.
#[pg_extern(sql = false)]
fn steady_state_of(run: Option<Text>, fcinfo: pg_sys::FunctionCallInfo) -> Called<()> {
    // Of the repetitions for which a label stands, that is the newest.
    let runs = names::resolve("run", &[run.map(|run| run.0)])?;
    let newest = runs.last().map(intervals).transpose()?;
    Ok(rows::give(fcinfo, newest.map(|newest| advise(&newest)))?)
}

fn intervals(run: &ExistingRun) -> Result<Vec<StoredInterval>> {
    as_owner(|| {
        spi::select(
            "SELECT i.interval_no, i.seconds, i.transactions, i.tps FROM pgperf.run_intervals i \
             WHERE i.node_id = $1::uuid AND i.run_id = $2 ORDER BY i.interval_no",
            &[run.node_id.as_str().into(), run.run_id.into()],
        )
    })
}

fn advise(intervals: &[StoredInterval]) -> Advice {
    let rates: Vec<f64> = intervals.iter().map(|interval| interval.tps).collect();
    let unknown = |advice: String| Advice {
        steady: None,
        from_interval: None,
        warmup_s: None,
        tps_before: None,
        tps: tps(intervals),
        advice,
    };
    let Some(found) = steady_from(&rates) else {
        return unknown(format!(
            "too short to tell: {}, at least {SHORTEST_SERIES} are needed",
            count(rates.len() as i64, "interval")
        ));
    };
    // One in every second interval looks like nothing but noise.
    let transactions: f64 = intervals.iter().map(|interval| interval.transactions).sum();
    if transactions < rates.len() as f64 {
        return unknown(format!(
            "too few transactions to tell: {transactions} in {} intervals, at least one in each is needed",
            rates.len()
        ));
    }
    let (before, after) = intervals.split_at(found.warmup.min(intervals.len()));
    // The sum of nothing is -0.
    let warmup_s = before
        .iter()
        .fold(0.0, |sum, interval| sum + interval.seconds);
    let advice = match (found.steady, found.warmup) {
        (false, _) => {
            "the rate is not steady: run longer, or see what changes on the way".to_owned()
        }
        (true, 0) => "steady from the start".to_owned(),
        (true, _) => format!(
            "steady after {warmup_s:.0} s: warmup => '{} s' would leave that out",
            whole_seconds(warmup_s, before.len())
        ),
    };
    Advice {
        steady: Some(found.steady),
        from_interval: after
            .first()
            .filter(|_| found.steady)
            .map(|interval| interval.interval_no),
        warmup_s: found.steady.then_some(warmup_s),
        tps_before: tps(before),
        tps: tps(after),
        advice,
    }
}

/// The whole seconds that hold this many intervals: these last a little longer than they should, which is no reason
/// to add a second.
fn whole_seconds(seconds: f64, intervals: usize) -> f64 {
    let slack = 0.05 * seconds / intervals.max(1) as f64 + 0.0005 * seconds;
    (seconds - slack).ceil()
}

fn tps(intervals: &[StoredInterval]) -> Option<f64> {
    let seconds: f64 = intervals.iter().map(|interval| interval.seconds).sum();
    let transactions: f64 = intervals.iter().map(|interval| interval.transactions).sum();
    (seconds > 0.0).then(|| transactions / seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn intervals(transactions: impl Fn(i32) -> f64) -> Vec<StoredInterval> {
        (0..20)
            .map(|interval_no| StoredInterval {
                interval_no,
                seconds: 1.000_2,
                transactions: transactions(interval_no),
                tps: transactions(interval_no) / 1.000_2,
            })
            .collect()
    }

    #[test]
    fn of_fewer_transactions_than_intervals_nothing_is_told() {
        let advice = advise(&intervals(|n| f64::from(u8::from(n == 7))));
        assert_eq!(advice.steady, None);
        assert_eq!(
            advice.advice,
            "too few transactions to tell: 1 in 20 intervals, at least one in each is needed"
        );
        assert_eq!(
            advise(&intervals(|n| 100.0 + f64::from(n % 2))).steady,
            Some(true)
        );
    }

    #[test]
    fn the_warmup_is_not_a_second_longer_than_the_intervals() {
        let advice = advise(&intervals(|n| {
            if n < 2 {
                10.0
            } else {
                100.0 + f64::from(n % 3)
            }
        }));
        assert_eq!(
            advice.advice,
            "steady after 2 s: warmup => '2 s' would leave that out"
        );
        assert_eq!(whole_seconds(2.000_49, 2), 2.0);
        assert_eq!(whole_seconds(1_000.2, 1_000), 1_000.0);
        assert_eq!(whole_seconds(2.5, 2), 3.0);
        assert_eq!(whole_seconds(0.5, 5), 1.0);
    }
}
