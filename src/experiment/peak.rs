//! The peak of one combination of a sweep, and the other numbers of clients that are as good.

use crate::error::{Result, invalid};
use measure::statistics::{Estimate, LEVEL, equivalence_p, holm, t_test};
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;
use std::collections::BTreeMap;

/// What is known about a combination's numbers of clients.
#[derive(Debug, PartialEq)]
struct Peak {
    /// The number of clients with the highest mean tps; if there are several, the smallest.
    clients: i32,
    /// None: the peak itself has only one run, so that nothing can be said about the others.
    others: Option<Others>,
}

/// The numbers of clients with at least two finished runs, in ascending order.
#[derive(Debug, PartialEq)]
struct Others {
    /// As good as the peak within the margin, including the peak's own.
    as_good: Vec<i32>,
    /// Neither as good, nor significantly worse.
    undecided: Vec<i32>,
}

/// Compares each number of clients that has several runs with the peak; `margin` is a share of the peak's tps. None if
/// there are no runs.
///
/// An equivalence test decides which are as good. Its p-values are corrected for multiple tests by Holm's method, since
/// a reader will choose the smallest number of the set.
fn find(runs: &[(i32, f64)], margin: f64) -> Option<Peak> {
    let mut points: BTreeMap<i32, Vec<f64>> = BTreeMap::new();
    for &(clients, tps) in runs {
        points.entry(clients).or_default().push(tps);
    }
    let mean = |rates: &[f64]| rates.iter().sum::<f64>() / rates.len() as f64;
    let (&clients, rates) = points
        .iter()
        .rev()
        .max_by(|a, b| mean(a.1).total_cmp(&mean(b.1)))?;
    let Some(peak) = Estimate::of_runs(rates, 0.0) else {
        return Some(Peak {
            clients,
            others: None,
        });
    };
    let compared: Vec<(i32, f64, f64)> = points
        .iter()
        .filter(|(other, _)| **other != clients)
        .filter_map(|(other, rates)| {
            let point = Estimate::of_runs(rates, 0.0)?;
            let equivalent = equivalence_p(&peak, &point, margin)?;
            Some((*other, equivalent, t_test(&peak, &point)?.p))
        })
        .collect();
    let corrected = |p: fn(&(i32, f64, f64)) -> f64| -> Vec<f64> {
        holm(&compared.iter().map(p).collect::<Vec<_>>())
    };
    let mut as_good = vec![clients];
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
        clients,
        others: Some(Others { as_good, undecided }),
    })
}

/// `pgperf_internal.peak_of`: takes the runs of a combination as two arrays; returns no row if there are none.
#[pg_extern(sql = false)]
#[allow(clippy::type_complexity)] // the columns
fn peak_of(
    clients: Vec<Option<i32>>,
    tps: Vec<Option<f64>>,
    margin_percent: f64,
) -> std::result::Result<
    TableIterator<
        'static,
        (
            name!(clients, i32),
            name!(as_good_clients, Option<Vec<i32>>),
            name!(undecided_clients, Option<Vec<i32>>),
        ),
    >,
    ErrorReport,
> {
    let peak = find(&runs(&clients, &tps)?, margin(margin_percent)?);
    Ok(TableIterator::new(peak.into_iter().map(|peak| {
        let (as_good, undecided) = match peak.others {
            Some(Others { as_good, undecided }) => (Some(as_good), undecided),
            None => (None, Vec::new()),
        };
        let undecided = Some(undecided).filter(|undecided| !undecided.is_empty());
        (peak.clients, as_good, undecided)
    })))
}

fn margin(percent: f64) -> Result<f64> {
    if percent > 0.0 && percent < 100.0 {
        return Ok(percent / 100.0);
    }
    Err(invalid(format!(
        "margin_percent must be above 0 and below 100, not {percent}"
    ))
    .hinting("5 is the default: within 5 % of the peak's tps."))
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
        find(&runs, margin).unwrap()
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
        assert_eq!(peak(&points, 0.05).clients, 4);
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
        assert_eq!(find(&[], 0.05), None);
        // If the means are equal, the peak has the fewest clients.
        assert_eq!(peak(&[(2, &[5.0]), (1, &[5.0])], 0.05).clients, 1);
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
                let found = find(&runs, 0.05).unwrap().others.unwrap();
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
