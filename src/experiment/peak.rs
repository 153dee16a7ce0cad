//! The peak of one combination of a sweep, and the other numbers of clients that are as good; the same of the values of settings.

use crate::error::{Result, invalid};
use crate::pg::sql::called::Called;
use crate::pg::sql::rows;
use measure::metrics::Better;
use measure::statistics::{Estimate, LEVEL, equivalence_p, holm, t_test};
use pgrx::prelude::*;
use serde::Serialize;
use std::collections::BTreeMap;

/// What is known about a combination's numbers of clients, or about other places that runs have: the numbers of a setting's values.
#[derive(Debug, PartialEq)]
pub struct Peak {
    /// The place with the best mean; if there are several, the smallest.
    pub place: i32,
    /// None: the peak itself has only one run, so that nothing can be said about the others.
    pub others: Option<Others>,
}

/// The places with at least two finished runs, in ascending order.
#[derive(Debug, PartialEq)]
pub struct Others {
    /// As good as the peak within the margin, including the peak's own.
    pub as_good: Vec<i32>,
    /// Neither as good, nor significantly worse.
    pub undecided: Vec<i32>,
}

/// Compares each place that has several runs with the peak; `margin` is a share of the peak's mean. None if there are no runs.
///
/// An equivalence test decides which are as good. Its p-values are corrected for multiple tests by Holm's method, since
/// a reader will choose the smallest number of the set.
pub fn find(runs: &[(i32, f64)], better: Better, margin: f64) -> Option<Peak> {
    let mut points: BTreeMap<i32, Vec<f64>> = BTreeMap::new();
    for &(place, value) in runs {
        points.entry(place).or_default().push(value);
    }
    let sign = match better {
        Better::Higher => 1.0,
        Better::Lower => -1.0,
    };
    let goodness = |values: &[f64]| sign * values.iter().sum::<f64>() / values.len() as f64;
    let (&best, values) = points
        .iter()
        .rev()
        .max_by(|a, b| goodness(a.1).total_cmp(&goodness(b.1)))?;
    let Some(peak) = Estimate::of_runs(values, 0.0) else {
        return Some(Peak {
            place: best,
            others: None,
        });
    };
    let compared: Vec<(i32, f64, f64)> = points
        .iter()
        .filter(|(other, _)| **other != best)
        .filter_map(|(other, values)| {
            let point = Estimate::of_runs(values, 0.0)?;
            let equivalent = equivalence_p(&peak, &point, margin)?;
            Some((*other, equivalent, t_test(&peak, &point)?.p))
        })
        .collect();
    let corrected = |p: fn(&(i32, f64, f64)) -> f64| -> Vec<f64> {
        holm(&compared.iter().map(p).collect::<Vec<_>>())
    };
    let mut as_good = vec![best];
    let mut undecided = Vec::new();
    let (equivalent, different) = (corrected(|c| c.1), corrected(|c| c.2));
    for ((other, ..), (equivalent, different)) in
        compared.iter().zip(equivalent.into_iter().zip(different))
    {
        if equivalent < LEVEL {
            as_good.push(*other);
        } else if different >= LEVEL {
            undecided.push(*other);
        }
    }
    as_good.sort_unstable();
    Some(Peak {
        place: best,
        others: Some(Others { as_good, undecided }),
    })
}

/// A row of the result.
#[derive(Serialize)]
struct PeakOfClients {
    clients: i32,
    as_good_clients: Option<Vec<i32>>,
    undecided_clients: Option<Vec<i32>>,
}

/// `pgperf_internal.peak_of`: takes the runs of a combination as two arrays; returns no row if there are none.
#[pg_extern(sql = false)]
fn peak_of(
    clients: Vec<Option<i32>>,
    tps: Vec<Option<f64>>,
    margin_percent: f64,
    fcinfo: pg_sys::FunctionCallInfo,
) -> Called<()> {
    let runs = runs(&clients, &tps)?;
    let peak = find(&runs, Better::Higher, margin(margin_percent)?);
    let row = peak.map(|Peak { place, others }| {
        let (as_good, undecided) = others.map(|it| (it.as_good, it.undecided)).unzip();
        PeakOfClients {
            clients: place,
            as_good_clients: as_good,
            undecided_clients: undecided.filter(|undecided| !undecided.is_empty()),
        }
    });
    Ok(rows::give(fcinfo, row)?)
}

pub fn margin(percent: f64) -> Result<f64> {
    if percent > 0.0 && percent < 100.0 {
        return Ok(percent / 100.0);
    }
    Err(invalid(format!(
        "margin_percent must be above 0 and below 100, not {percent}"
    ))
    .hinting("5 is the default: within 5 % of the best mean."))
}

/// Elements without a value are left out.
fn runs(clients: &[Option<i32>], tps: &[Option<f64>]) -> Result<Vec<(i32, f64)>> {
    if clients.len() != tps.len() {
        return Err(invalid(
            "clients and tps must have the same number of elements",
        ));
    }
    let pairs = clients.iter().zip(tps);
    Ok(pairs
        .filter_map(|(clients, tps)| clients.zip(*tps))
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use measure::statistics::simulation::percent;

    fn peak(points: &[(i32, &[f64])], margin: f64) -> Peak {
        let runs: Vec<(i32, f64)> = points
            .iter()
            .flat_map(|(clients, rates)| rates.iter().map(|rate| (*clients, *rate)))
            .collect();
        find(&runs, Better::Higher, margin).unwrap()
    }

    fn others(points: &[(i32, &[f64])], margin: f64) -> (Vec<i32>, Vec<i32>) {
        let found = peak(points, margin).others.unwrap();
        (found.as_good, found.undecided)
    }

    const PEAK: &[f64] = &[1000.0, 1010.0, 990.0, 1005.0, 995.0];

    #[test]
    fn what_lies_within_the_margin_is_as_good() {
        let near: &[f64] = &[985.0, 995.0, 975.0, 990.0, 980.0];
        let worse: &[f64] = &[930.0, 941.0, 921.0, 935.0, 925.0];
        let points = [(1, worse), (4, PEAK), (8, near)];
        assert_eq!(peak(&points, 0.05).place, 4);
        assert_eq!(others(&points, 0.05), (vec![4, 8], vec![]));
        assert_eq!(others(&points, 0.1), (vec![1, 4, 8], vec![]));
        // It is certain neither that they are within 1 %, nor that they are worse.
        assert_eq!(others(&[(4, PEAK), (8, near)], 0.01), (vec![4], vec![]));
        let same: &[f64] = &[990.0, 1008.0, 985.0, 1003.0, 994.0];
        assert_eq!(others(&[(4, PEAK), (8, same)], 0.01), (vec![4], vec![8]));
    }

    /// A wide spread of its runs does not make a number as good: 11,407 tps beside 43,856.
    #[test]
    fn what_varies_too_much_to_be_worse_is_not_as_good() {
        let wide: &[f64] = &[30_000.0, 57_712.0];
        let slow: &[f64] = &[4_000.0, 18_814.0];
        assert_eq!(others(&[(1, slow), (8, wide)], 0.05), (vec![8], vec![1]));
    }

    #[test]
    fn one_run_tells_nothing() {
        let (good, undecided) = others(&[(1, &[999.0]), (4, PEAK)], 0.05);
        assert_eq!((good, undecided), (vec![4], vec![]));
        assert_eq!(peak(&[(1, PEAK), (4, &[1100.0])], 0.05).others, None);
        assert_eq!(find(&[], Better::Higher, 0.05), None);
        // If the means are equal, the peak has the fewest clients.
        assert_eq!(peak(&[(2, &[5.0]), (1, &[5.0])], 0.05).place, 1);
    }

    #[test]
    fn of_what_should_be_low_the_lowest_is_the_best() {
        let runs: Vec<(i32, f64)> = [(0, PEAK), (1, &[500.0, 505.0, 495.0, 502.0, 498.0][..])]
            .iter()
            .flat_map(|(place, values)| values.iter().map(|value| (*place, *value)))
            .collect();
        let found = find(&runs, Better::Lower, 0.05).unwrap();
        let others = found.others.unwrap();
        assert_eq!(
            (found.place, others.as_good, others.undecided),
            (1, vec![1], vec![])
        );
    }

    /// Seven numbers of clients. If all of them are 5 % below the peak, hardly ever is any called as good. If all are
    /// as fast as the peak, some are found.
    #[test]
    fn one_sweep_in_twenty_at_most_calls_any_as_good_that_is_not() {
        let any = |mean: f64| {
            percent(|noise| {
                let mut runs: Vec<(i32, f64)> = Vec::new();
                for clients in 1..=8 {
                    let mean = if clients == 8 { 1000.0 } else { mean };
                    let rates = noise.normals(mean, 15.0, 5);
                    runs.extend(rates.into_iter().map(|rate| (clients, rate)));
                }
                let found = find(&runs, Better::Higher, 0.05).unwrap().others.unwrap();
                found.as_good.len() > 1
            })
        };
        let wrong = any(950.0);
        assert!(wrong <= 6.0, "{wrong} %");
        let right = any(1000.0);
        assert!(right > 90.0, "{right} %");
    }

    #[test]
    fn a_margin_is_a_share() {
        assert_eq!(margin(5.0).unwrap(), 0.05);
        for bad in [0.0, -1.0, 100.0, f64::NAN, f64::INFINITY] {
            assert!(margin(bad).is_err(), "{bad}");
        }
    }
}
