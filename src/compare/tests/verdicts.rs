//! What tells noise from a difference.

use super::*;

#[test]
fn repeated_runs_tell_noise_from_a_difference() {
    let baseline = [1000.0, 1010.0, 990.0, 1005.0, 995.0];
    let faster = baseline.map(|tps| tps * 1.05);
    let comparison = compare(runs(1, &baseline), runs(6, &faster), None).unwrap();
    let tps = row(&comparison, "tps");
    assert_eq!(tps.verdict, Verdict::Better);
    assert_eq!((tps.n_baseline, tps.n_candidate), (Some(5), Some(5)));
    assert!((tps.delta.change_percent.unwrap() - 5.0).abs() < 1e-9);
    assert!(tps.delta.ci_low_percent.unwrap() > 3.0 && tps.delta.ci_high_percent.unwrap() < 7.0);
    assert_eq!(tps.method, Some(judge::STUDENT));
    assert_eq!(row(&comparison, "latency_avg_ms").verdict, Verdict::Better);
    assert_eq!(row(&comparison, "wal_bytes").verdict, Verdict::Differs);
    assert_eq!(row(&comparison, "failed").verdict, Verdict::NoDifference);

    let again = [1003.0, 1008.0, 992.0, 1001.0, 997.0];
    let comparison = compare(runs(1, &baseline), runs(6, &again), None).unwrap();
    assert!(
        comparison
            .rows
            .iter()
            .all(|row| row.verdict == Verdict::NoDifference)
    );
}

#[test]
fn single_runs_are_judged_by_their_intervals() {
    let single = |id, tps| vec![with_intervals(run(id, tps), tps)];
    let comparison = compare(single(1, 1000.0), single(2, 900.0), None).unwrap();
    let tps = row(&comparison, "tps");
    assert_eq!(tps.verdict, Verdict::Worse);
    assert_eq!(tps.method, Some(judge::INTERVALS));
    assert_eq!(tps.n_baseline, Some(40));
    assert!(
        comparison
            .notes
            .iter()
            .any(|note| note.contains("autocorrelation"))
    );
    assert_eq!(row(&comparison, "latency_p99_ms").verdict, Verdict::Worse);

    let comparison = compare(single(1, 1000.0), single(2, 1001.0), None).unwrap();
    assert_eq!(row(&comparison, "tps").verdict, Verdict::NoDifference);
}

/// A run without synchronous commit that falls from 14,400 to 9,600 beside a steady one of 1,000.
#[test]
fn a_rate_twelve_times_as_high_is_better_in_every_figure() {
    let single = |id, rates: Vec<f64>| {
        let tps = rates.iter().sum::<f64>() / rates.len() as f64;
        vec![with_rates(run(id, tps), &rates)]
    };
    let ripple = |i: i32| 1.0 + 0.02 * (f64::from(i * 37 % 11) / 5.0 - 1.0);
    for count in [10, 30, 60] {
        let steady = || (0..count).map(|i| 1000.0 * ripple(i)).collect();
        let falling = || {
            let share = |i| 1.2 - 0.4 * f64::from(i) / f64::from(count - 1);
            let rates = (0..count).map(|i| 12_000.0 * share(i) * ripple(i));
            rates.collect()
        };
        for (baseline, candidate, verdict) in [
            (steady(), falling(), Verdict::Better),
            (falling(), steady(), Verdict::Worse),
        ] {
            let comparison = compare(single(1, baseline), single(2, candidate), None).unwrap();
            let tps = row(&comparison, "tps");
            assert_eq!(tps.verdict, verdict, "{count} intervals: {tps:?}");
            let latency = row(&comparison, "latency_avg_ms");
            assert_eq!(latency.verdict, verdict, "{count} intervals: {latency:?}");
            assert!(
                tps.delta.ci_low_percent < tps.delta.change_percent
                    && tps.delta.change_percent < tps.delta.ci_high_percent
            );
            // The test of the reciprocal is the same test.
            let p = [tps.delta.p_value.unwrap(), latency.delta.p_value.unwrap()];
            assert!((p[1] / p[0]).ln().abs() < 0.5, "{p:?}");
        }
    }
}

/// Equal clients, one transaction after the other: the product of rate and mean latency is their number.
#[test]
fn a_rate_and_the_mean_latency_that_follows_from_it_agree() {
    let side = |first: i64, rates: &[f64], latency: fn(f64) -> f64| {
        let mut side = runs(first, rates);
        for (facts, tps) in side.iter_mut().zip(rates) {
            let latency = json!(latency(*tps));
            facts.summary.insert("latency_avg_ms".to_owned(), latency);
        }
        side
    };
    // The latency as the clients see it is a little less than their number says, and varies by itself.
    let little = |tps: f64| 4000.0 / tps - 0.01 - 0.01 * (tps % 3.0);
    let baseline = [1000.0, 1011.0, 989.0, 1004.0, 996.0];
    for step in 0..60 {
        let candidate = baseline.map(|tps| tps * 0.99 + f64::from(step));
        let compared = compare(
            side(1, &baseline, little),
            side(6, &candidate, little),
            None,
        );
        let compared = compared.unwrap();
        let [tps, latency, transactions] =
            ["tps", "latency_avg_ms", "transactions"].map(|metric| row(&compared, metric));
        assert_eq!(latency.delta.p_adjusted, tps.delta.p_adjusted);
        assert_eq!(latency.verdict, tps.verdict, "{step}");
        assert_eq!(transactions.verdict, tps.verdict, "{step}");
    }
    // With other clients, or a rate, the latency is a question of its own; so it is where it is worse although more is done.
    let p_adjusted = |change: fn(&mut Facts)| {
        let candidate = baseline.map(|tps| tps * 1.02);
        let mut sides = [side(1, &baseline, little), side(6, &candidate, little)];
        sides[1].iter_mut().for_each(change);
        let [baseline, candidate] = sides;
        let compared = compare(baseline, candidate, None).unwrap();
        let p = |metric| row(&compared, metric).delta.p_adjusted;
        p("tps") == p("latency_avg_ms")
    };
    assert!(p_adjusted(|_| ()));
    assert!(!p_adjusted(|facts| facts.run.clients = Some(5)));
    let worse = |facts: &mut Facts| {
        let latency = json!(4.02 + 0.001 * facts.run.run_id as f64);
        facts.summary.insert("latency_avg_ms".to_owned(), latency);
    };
    assert!(!p_adjusted(worse));
}

/// sysbench's intervals have no mean latency.
#[test]
fn a_figure_without_a_test_of_its_own_follows_the_rate() {
    let single = |id, tps| {
        let mut facts = with_intervals(run(id, tps), tps);
        for interval in &mut facts.intervals {
            interval.latency.latency_avg_ms = None;
        }
        vec![facts]
    };
    let comparison = compare(single(1, 1000.0), single(2, 900.0), None).unwrap();
    let latency = row(&comparison, "latency_avg_ms");
    assert_eq!(latency.verdict, Verdict::Worse);
    assert_eq!(
        (latency.delta.p_value, latency.delta.ci_low_percent),
        (None, None)
    );
    assert_eq!(
        latency.delta.p_adjusted,
        row(&comparison, "tps").delta.p_adjusted
    );
}

#[test]
fn single_runs_are_judged_by_their_peers_where_there_are_enough() {
    let single = |id, tps, peers: &[f64]| {
        vec![Facts {
            peers: runs(100, peers).into_iter().map(Rc::new).collect(),
            ..with_intervals(run(id, tps), tps)
        }]
    };
    // Their intervals would tell them apart.
    let peers = [1000.0, 880.0, 1090.0, 950.0, 1050.0];
    let comparison = compare(single(1, 1000.0, &peers), single(2, 900.0, &peers), None).unwrap();
    let tps = row(&comparison, "tps");
    assert_eq!(tps.verdict, Verdict::NoDifference);
    assert_eq!(tps.method, Some(judge::PEERS));
    assert_eq!((tps.n_baseline, tps.n_candidate), (Some(5), Some(5)));
    // Their standard deviation is 8.314 %, so that t = ln(1000 / 900) / (0.08314 * sqrt 2) = 0.8961 with 4 degrees of freedom.
    assert!((tps.delta.p_value.unwrap() - 0.4209).abs() < 0.0005);
    // What no interval holds is known of peers, too.
    assert_ne!(
        row(&comparison, "latency_p99_ms").verdict,
        Verdict::SingleObservation
    );
    let comparison = compare(single(1, 1000.0, &peers), single(2, 500.0, &peers), None).unwrap();
    assert_eq!(row(&comparison, "tps").verdict, Verdict::Worse);
    // A side without peers is taken to vary as the other.
    let comparison = compare(single(1, 1000.0, &peers), single(2, 900.0, &[]), None).unwrap();
    assert_eq!(row(&comparison, "tps").method, Some(judge::PEERS));
    let few = &peers[..3];
    let comparison = compare(single(1, 1000.0, few), single(2, 900.0, few), None).unwrap();
    assert_eq!(row(&comparison, "tps").method, Some(judge::INTERVALS));
}

#[test]
fn without_anything_to_estimate_the_noise_from_it_says_so() {
    let comparison = compare(runs(1, &[1000.0]), runs(2, &[900.0]), None).unwrap();
    let tps = row(&comparison, "tps");
    assert_eq!(tps.verdict, Verdict::SingleObservation);
    assert_eq!(tps.delta.p_value, None);
    assert!((tps.delta.change_percent.unwrap() + 10.0).abs() < 1e-9);

    let several = runs(1, &[1000.0, 1010.0, 990.0]);
    let comparison = compare(several, runs(9, &[800.0]), None).unwrap();
    assert_eq!(row(&comparison, "tps").verdict, Verdict::Worse);
    assert_eq!(
        row(&comparison, "tps").method,
        Some(judge::ONE_AGAINST_SEVERAL)
    );
}
