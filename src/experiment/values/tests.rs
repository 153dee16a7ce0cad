//! A sweep over shared_buffers with one number of clients, and its report.

use super::axis::GridPoint;
use super::buffers::{self, held};
use super::figures::Observed;
use super::{Group, MARGIN, Stored, groups};
use crate::experiment::report::facts::{Facts, Point, SweepOrigin};
use crate::experiment::report::report_of;
use crate::report::conditions::Conditions;
use serde_json::{Value, json};

/// A value, and the tps, p95 and hit ratio of its runs.
type OfSize = (&'static str, [f64; 3], [f64; 3], [f64; 3]);

/// In the order in which they were given.
const RUNS: [OfSize; 4] = [
    (
        "1GB",
        [1200.0, 1212.0, 1188.0],
        [6.1, 6.0, 5.9],
        [99.9, 99.9, 99.9],
    ),
    (
        "128MB",
        [1000.0, 1010.0, 990.0],
        [8.0, 8.1, 7.9],
        [90.0, 90.5, 89.5],
    ),
    (
        "512MB",
        [1196.0, 1208.0, 1184.0],
        [6.1, 6.2, 6.0],
        [99.0, 99.1, 98.9],
    ),
    (
        "64MB",
        [800.0, 808.0, 792.0],
        [9.0, 9.1, 8.9],
        [80.0, 80.1, 79.9],
    ),
];

fn point(number: i64, axes: &[(&str, &str)], workload: &str) -> GridPoint {
    let combination: Vec<String> = axes
        .iter()
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    let common = [
        ("workload", workload),
        ("scale", "10"),
        ("query_mode", "prepared"),
    ];
    let dimensions = common.iter().chain(axes);
    let dimensions =
        dimensions.map(|(name, value)| ((*name).to_owned(), Some((*value).to_owned())));
    GridPoint {
        point_no: number,
        workload: workload.to_owned(),
        clients: 8,
        combination: combination.join(", "),
        dimensions: dimensions.collect(),
    }
}

fn observed(point_no: i64, metric: &str, values: &[f64]) -> Observed {
    Observed {
        point_no,
        metric: metric.to_owned(),
        metric_values: values.to_vec(),
    }
}

fn usage(
    point_no: i64,
    relation: Option<&str>,
    usage_count: Option<usize>,
    megabytes: f64,
) -> buffers::BufferUsage {
    buffers::BufferUsage {
        point_no,
        run_id: point_no,
        relation: relation.map(str::to_owned),
        usage_count,
        bytes: megabytes * 1_048_576.0,
    }
}

fn of_sizes(current: Option<&str>) -> Vec<Group> {
    let points: Vec<GridPoint> = (1..)
        .zip(RUNS)
        .map(|(number, (size, ..))| point(number, &[("shared_buffers", size)], "tpcb-like"))
        .collect();
    let figures = (1..).zip(RUNS).flat_map(|(number, (_, tps, p95, hit))| {
        [("tps", tps), ("latency_p95_ms", p95), ("hit_percent", hit)]
            .map(|(metric, values)| observed(number, metric, &values))
    });
    let rows = [
        usage(1, Some("pgbench_accounts"), Some(5), 500.0),
        usage(1, Some("pgbench_accounts"), Some(1), 12.0),
        usage(1, None, None, 512.0),
        usage(2, Some("pgbench_accounts"), Some(1), 96.0),
        usage(2, Some("pgbench_accounts_pkey"), Some(5), 32.0),
    ];
    let current = current.map(|value| [("shared_buffers".to_owned(), value.to_owned())].into());
    let stored = Stored {
        current,
        raced: None,
    };
    groups(
        &points,
        &stored,
        &figures.collect::<Vec<_>>(),
        &[],
        held(&rows),
        MARGIN,
    )
}

fn facts(values: Vec<Group>) -> Facts {
    let sweep = json!({"sweep_id": 7, "label": null, "status": "finished", "runs": 12, "finished": 12, "failed": 0, "repetitions": 3,
        "random_seed": 42, "run_order": "random", "init": "never", "checkpoint": false, "elapsed_s": 60.0, "eta_s": null, "error": null});
    let points = values.iter().flat_map(|group| &group.points).map(|place| {
        let point: Value = json!({"point_no": place.point_no, "combination": place.name(), "workload": "tpcb-like", "clients": 8, "n": 3,
            "tps": 1000.0, "latency_avg_ms": 5.0, "latency_p95_ms": 7.0, "latency_p99_ms": 9.0, "failed_runs": 0});
        serde_json::from_value::<Point>(point).unwrap()
    });
    Facts {
        origin: SweepOrigin::default(),
        conditions: Conditions::default(),
        short: Vec::new(),
        sweep: serde_json::from_value(sweep).unwrap(),
        points: points.collect(),
        metrics: Vec::new(),
        peaks: Vec::new(),
        laws: Vec::new(),
        race: None,
        values,
        versions: Vec::new(),
    }
}

#[test]
fn a_setting_is_the_axis_of_the_report() {
    let report = report_of(&facts(of_sizes(Some("128MB"))));
    let lines = report.lines();
    let expected = [
        "shared_buffers at 8 clients (workload: tpcb-like)",
        "  shared_buffers    tps  ±95%   change   95 % interval       p",
        "  64MB              800  2.5%  -20.0 %  -21.8 to -18.2  <0.001  ██████████▋",
    ];
    for line in expected {
        assert!(
            lines.iter().any(|shown| shown == line),
            "{line}\n{lines:#?}"
        );
    }
    let text = lines.join("\n");
    for part in [
        "best tps: 1,200 with 1GB; as good within 5 %: 512MB",
        "best p95 ms: 6 with 1GB; none is as good within 5 % for sure",
        "undecided, neither as good nor worse for sure: 512MB",
        "best hit ratio: 99.90 % with 1GB; as good within 5 %: 512MB",
        "change: from 128MB, the value before the sweep",
        "  128MB           128 MB",
        "  1GB               1 GB",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    assert!(!text.contains("scalability law"), "{text}");
    assert!(
        lines.iter().all(|line| line.chars().count() <= 80),
        "{text}"
    );
    let place = |value: &str| text.find(&format!("  {value} ")).unwrap();
    assert!(
        place("64MB") < place("128MB")
            && place("128MB") < place("512MB")
            && place("512MB") < place("1GB")
    );
    let page = report.page().replace('\n', " ");
    assert!(page.contains("Throughput by shared_buffers"), "{page}");
    assert_eq!(
        page.matches("class=\"whisker\"").count(),
        12,
        "four values of three figures"
    );
    let comment = report.comment();
    assert!(
        comment.contains("| shared\\_buffers | tps | ±95% | change | 95 % interval | p |"),
        "{comment}"
    );
}

#[test]
fn without_a_value_before_the_first_is_the_baseline() {
    let text = report_of(&facts(of_sizes(None))).lines().join("\n");
    assert!(text.contains("change: from 1GB, the first value"), "{text}");
}

#[test]
fn two_settings_are_a_heat_map_and_three_are_several() {
    let of = |axes: &[&[(&str, &str)]]| {
        let points: Vec<GridPoint> = (1..)
            .zip(axes)
            .map(|(number, axes)| point(number, axes, "w"))
            .collect();
        let tps: Vec<Observed> = (1..)
            .zip(axes)
            .map(|(number, _)| observed(number, "tps", &[100.0 * number as f64]))
            .collect();
        groups(&points, &Stored::default(), &tps, &[], Vec::new(), MARGIN)
    };
    let two = of(&[
        &[("a", "1"), ("b", "on")],
        &[("a", "1"), ("b", "off")],
        &[("a", "0.5"), ("b", "on")],
        &[("a", "0.5"), ("b", "off")],
    ]);
    assert_eq!(two[0].baseline, Some(2), "the first given, a=1 and b=on");
    let names: Vec<String> = two[0].points.iter().map(|place| place.name()).collect();
    assert_eq!(names, ["0.5 / on", "0.5 / off", "1 / on", "1 / off"]);
    let page = report_of(&facts(two)).page().replace('\n', " ");
    assert_eq!(page.matches("class=\"chart heat\"").count(), 1);
    let three = of(&[
        &[("a", "1"), ("b", "on"), ("c", "x")],
        &[("a", "1"), ("b", "on"), ("c", "y")],
        &[("a", "2"), ("b", "on"), ("c", "x")],
        &[("a", "2"), ("b", "on"), ("c", "y")],
    ]);
    let page = report_of(&facts(three)).page().replace('\n', " ");
    assert_eq!(page.matches("class=\"chart heat\"").count(), 2);
    assert!(page.contains("Throughput, a=2"), "{page}");
}

#[test]
fn workloads_are_groups_unless_nothing_else_varies() {
    let points: Vec<GridPoint> = (1..)
        .zip([("x", "1GB"), ("x", "2GB"), ("y", "1GB"), ("y", "2GB")])
        .map(|(number, (workload, size))| {
            let mut point = point(
                number,
                &[("workload", workload), ("shared_buffers", size)],
                workload,
            );
            point.clients = 4;
            point
        })
        .collect();
    let found = groups(&points, &Stored::default(), &[], &[], Vec::new(), MARGIN);
    let names: Vec<&str> = found.iter().map(|group| group.workload.as_str()).collect();
    assert_eq!(names, ["x", "y"]);
    assert!(
        found
            .iter()
            .all(|group| group.axes.len() == 1 && group.points.len() == 2)
    );
}
