//! Comparisons of made-up runs, whose truth is known.

mod comparable;
mod corrected;
mod gate;
mod shown;
mod simulation;
mod verdicts;

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
