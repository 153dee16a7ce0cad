//! Comparisons of made-up runs, whose truth is known.

mod comparable;
mod corrected;
mod gate;
mod shown;
mod simulation;

use super::build::compare;
use super::compared_run::{Columns, Facts, Interval, Run, Spec};
use super::row::{Comparison, PairBy, Row, Verdict};
use super::{judge, report::report, versions};
use crate::report::conditions::Conditions;
use crate::report::model::circumstances::{Figure, Setting};
use measure::Latency;
use serde_json::{Value, json};
use std::rc::Rc;

fn columns(value: Value) -> Columns {
    match value {
        Value::Object(columns) => columns,
        _ => Columns::new(),
    }
}

fn run(run_id: i64, tps: f64) -> Facts {
    Facts {
        run: Run {
            node_id: "aa".to_owned(),
            run_id,
            kind: "run".to_owned(),
            workload: "tpcb-like".to_owned(),
            status: "finished".to_owned(),
            clients: Some(4),
            query_mode: "prepared".to_owned(),
            scale: Some(10),
            server_version: "15.18".to_owned(),
            spec: Spec {
                duration_s: Some(20.0),
                ..Spec::default()
            },
            ..Run::default()
        },
        summary: columns(
            json!({"run_id": run_id, "tps": tps, "transactions": tps * 20.0, "duration_s": 20.0,
            "latency_avg_ms": 4000.0 / tps, "latency_p99_ms": 9000.0 / tps, "failed": 0, "wal_bytes": 1000.0 * tps}),
        ),
        ..Facts::default()
    }
}

fn runs(first_id: i64, rates: &[f64]) -> Vec<Facts> {
    (first_id..)
        .zip(rates)
        .map(|(id, &tps)| run(id, tps))
        .collect()
}

/// Intervals around a rate, with a ripple of about 2 %.
fn with_intervals(facts: Facts, tps: f64) -> Facts {
    let ripple = |i: i32| tps * (1.0 + 0.02 * (f64::from(i * 37 % 11) / 5.0 - 1.0));
    with_rates(facts, &(0..40).map(ripple).collect::<Vec<_>>())
}

/// Intervals of half a second with these rates.
fn with_rates(mut facts: Facts, rates: &[f64]) -> Facts {
    let interval = |rate: &f64| Interval {
        seconds: 0.5,
        transactions: rate / 2.0,
        latency: Latency {
            latency_avg_ms: Some(4000.0 / rate),
            latency_p99_ms: Some(9000.0 / rate),
            ..Latency::default()
        },
        ..Interval::default()
    };
    facts.intervals = rates.iter().map(interval).collect();
    facts
}

/// The runs with a detail for each list of values, one a run: `m0`, `m1` and so on.
fn with_metrics(mut runs: Vec<Facts>, values: &[Vec<f64>]) -> Vec<Facts> {
    for (place, facts) in runs.iter_mut().enumerate() {
        let metrics = values.iter().enumerate();
        facts.metrics = metrics
            .map(|(number, values)| Figure {
                metric: format!("m{number}"),
                value: values.get(place).copied(),
                unit: "count".to_owned(),
                direction: None,
                category: "host".to_owned(),
            })
            .collect();
    }
    runs
}

fn row<'a>(comparison: &'a Comparison, metric: &str) -> &'a Row {
    comparison
        .rows
        .iter()
        .find(|row| row.metric == metric)
        .unwrap()
}

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

#[test]
fn pairs_see_through_hosts_that_differ() {
    let on_hosts = |first_id: i64, factor: f64| -> Vec<Facts> {
        let hosts = [
            ("h1", 900.0),
            ("h2", 1200.0),
            ("h3", 1050.0),
            ("h4", 1400.0),
        ];
        (first_id..)
            .zip(hosts)
            .enumerate()
            .map(|(i, (id, (host, tps)))| {
                let mut facts = run(id, tps * factor * (1.0 + 0.001 * i as f64));
                facts.run.node_id = host.to_owned();
                facts
            })
            .collect()
    };
    let (baseline, candidate) = (on_hosts(1, 1.0), on_hosts(5, 1.05));
    let whole = compare(baseline.clone(), candidate.clone(), None).unwrap();
    assert_eq!(row(&whole, "tps").verdict, Verdict::NoDifference);
    for by in [PairBy::Node, PairBy::Repetition] {
        let pairs = compare(baseline.clone(), candidate.clone(), Some(by)).unwrap();
        assert_eq!(row(&pairs, "tps").verdict, Verdict::Better);
        assert!((row(&pairs, "tps").delta.change_percent.unwrap() - 5.0).abs() < 0.01);
        assert_eq!(row(&pairs, "tps").method, Some(judge::PAIRS));
    }
    assert!(compare(baseline.clone(), candidate.clone(), Some(PairBy::Label)).is_err());
    assert!(
        compare(
            baseline.clone(),
            candidate[..3].to_vec(),
            Some(PairBy::Repetition)
        )
        .is_err()
    );
    let fewer = compare(baseline, candidate[..3].to_vec(), Some(PairBy::Node)).unwrap();
    assert_eq!(row(&fewer, "tps").n_baseline, Some(3));
    assert!(
        fewer
            .notes
            .iter()
            .any(|note| note.contains("1 runs have no partner"))
    );
}

/// What runs without any spread agree in is known to the step of the count that it comes from, and not exactly.
#[test]
fn one_block_that_was_read_is_no_difference() {
    let reading = |id, blocks: f64| {
        let mut facts = run(id, 1000.0);
        let (hit, percent) = (700_000.0 - blocks, 100.0 - blocks / 7000.0);
        facts.summary.extend(columns(
            json!({"hit_percent": percent, "shared_blks_hit": hit, "shared_blks_read": blocks}),
        ));
        facts.statements = vec![columns(
            json!({"script_no": 1, "command_no": 1, "statement": "SELECT 1", "calls": 20_000,
            "latency_avg_ms": 1.0, "shared_blks_read": blocks}),
        )];
        facts
    };
    let none = |count: i64| -> Vec<Facts> {
        (2..)
            .take(count as usize)
            .map(|id| reading(id, 0.0))
            .collect()
    };
    let peers: Vec<Rc<Facts>> = none(4).into_iter().map(Rc::new).collect();
    let beside_peers = |facts| Facts {
        peers: peers.clone(),
        ..facts
    };
    let comparisons = [
        compare(vec![reading(1, 1.0)], none(4), None),
        compare(vec![reading(1, 1.0)], none(2), Some(PairBy::Node)),
        compare(
            vec![reading(1, 1.0), reading(7, 1.0)],
            none(2),
            Some(PairBy::Repetition),
        ),
        compare(
            vec![beside_peers(reading(1, 1.0))],
            vec![beside_peers(reading(9, 0.0))],
            None,
        ),
    ];
    for comparison in comparisons.map(Result::unwrap) {
        let p = |metric| row(&comparison, metric).delta.p_value;
        let count = p("shared_blks_read");
        for derived in ["hit_percent", "shared_blks_read_per_call"] {
            let differ = p(derived)
                .zip(count)
                .is_some_and(|(p, count)| (p - count).abs() > 1e-3);
            assert!(!differ, "{derived}: {:?}, {count:?}", p(derived));
        }
        let verdicts = comparison.rows.iter().map(|row| &row.verdict);
        let differs =
            |v: &&Verdict| matches!(v, Verdict::Better | Verdict::Worse | Verdict::Differs);
        assert_eq!(verdicts.filter(differs).count(), 0);
    }
}

#[test]
fn what_differs_around_the_runs_comes_first() {
    let set = |id, name: &str, value: &str| {
        let mut facts = run(id, 1000.0);
        facts.run.spec.call = columns(json!({"label": id, "workload": "tpcb-like", "rate": 5}));
        facts.settings = vec![Setting {
            name: name.to_owned(),
            setting: Some(value.to_owned()),
            unit: Some("8kB".to_owned()),
            source: "configuration file".to_owned(),
            default_setting: None,
        }];
        facts
    };
    let mut other = set(2, "shared_buffers", "32768");
    other.run.clients = Some(8);
    other.run.server_version = "17.2".to_owned();
    let comparison = compare(vec![set(1, "shared_buffers", "16384")], vec![other], None).unwrap();
    let heads: Vec<(&str, Option<&str>, &str)> = comparison
        .rows
        .iter()
        .take_while(|row| row.baseline_text.is_some())
        .map(|row| {
            (
                row.category.as_str(),
                row.baseline_text.as_deref(),
                row.metric.as_str(),
            )
        })
        .collect();
    assert_eq!(
        heads,
        [
            ("settings", Some("128MB"), "shared_buffers"),
            ("settings", Some("4"), "clients"),
            ("environment", Some("15.18"), "server_version"),
        ]
    );
    assert!(
        comparison
            .rows
            .iter()
            .take(3)
            .all(|row| row.verdict == Verdict::Differs)
    );
}
