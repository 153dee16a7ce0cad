use super::panels::panels;
use super::report::report;
use super::{Side, calls, document, name};
use crate::experiment::precise::Until;
use crate::experiment::report::facts::{Facts, Peak, Point, Sweep, SweepOrigin};
use crate::published::expect_schema;
use crate::report::conditions::Conditions;
use crate::show::delta::Delta;
use serde_json::json;

fn point(point_no: i64, workload: &str, combination: &str, clients: i64, tps: &[f64]) -> Point {
    let estimate = measure::statistics::mean_interval(tps);
    Point {
        point_no,
        workload: workload.to_owned(),
        combination: combination.to_owned(),
        clients,
        n: tps.len() as i64,
        tps: Some(tps.iter().sum::<f64>() / tps.len() as f64),
        tps_ci_low: estimate.map(|estimate| estimate.low),
        tps_ci_high: estimate.map(|estimate| estimate.high),
        tps_values: Some(tps.to_vec()),
        latency_avg_ms: Some(1.0),
        latency_p95_ms: Some(2.0),
        latency_p95_values: Some(vec![2.0; tps.len()]),
        latency_p99_ms: Some(3.0),
        failed_runs: 0,
        precision_percent: None,
        precise: None,
        caches: None,
    }
}

fn side(version: &str, sweep_id: i64, peak_clients: i64, points: Vec<Point>) -> Side {
    let peak = points.iter().find(|point| point.clients == peak_clients);
    let peaks = peak.map(|peak| Peak {
        combination: peak.combination.clone(),
        clients: peak.clients,
        tps: peak.tps.unwrap(),
        as_good_clients: Some(vec![peak.clients]),
        untested_clients: None,
        undecided_clients: None,
        margin_percent: 5.0,
    });
    Side {
        name: String::new(),
        facts: Facts {
            origin: SweepOrigin {
                node: format!("db{sweep_id}:5432/postgres"),
                host: Some(format!("db{sweep_id}")),
                server_version: format!("{version} (Debian {version}-1)"),
                began: Some("2026-01-02 03:04".to_owned()),
                ended: Some("2026-01-02 05:06".to_owned()),
                call: json!({"workload": "select-only", "clients": [1, 4], "run_order": "random", "run_tries": 2, "random_seed": sweep_id})
                    .as_object()
                    .cloned(),
            },
            conditions: Conditions::default(),
            sweep: Sweep {
                sweep_id,
                label: None,
                status: "finished".to_owned(),
                runs: 6,
                finished: 6,
                failed: 0,
                repetitions: 3,
                until: Until::default(),
                random_seed: sweep_id,
                run_order: "random".to_owned(),
                init: "never".to_owned(),
                checkpoint: false,
                elapsed_s: 60.0,
                eta_s: None,
                error: None,
            },
            points,
            metrics: Vec::new(),
            peaks: peaks.into_iter().collect(),
            laws: Vec::new(),
            short: Vec::new(),
            race: None,
            values: Vec::new(),
            versions: Vec::new(),
        },
    }
}

/// 17 is faster by 10 %, and has a number of clients that 15 has not; 18 is as fast as 15.
fn three() -> Vec<Side> {
    let of = |version, sweep_id, factor: f64, last| {
        let tps = |values: [f64; 3]| values.map(|value| value * factor);
        let points = vec![
            point(1, "select-only", "", 1, &tps([1000.0, 1010.0, 990.0])),
            point(2, "select-only", "", 4, &tps([3000.0, 3030.0, 2970.0])),
            point(3, "select-only", "", last, &tps([2000.0, 2010.0, 1990.0])),
        ];
        side(version, sweep_id, 4, points)
    };
    let mut sides = vec![
        of("15.14", 1, 1.0, 8),
        of("17.6", 2, 1.1, 16),
        of("18.1", 3, 1.001, 8),
    ];
    name(&mut sides);
    sides
}

#[test]
fn sides_have_names_of_their_own() {
    let names =
        |sides: &[Side]| -> Vec<String> { sides.iter().map(|side| side.name.clone()).collect() };
    let mut sides = three();
    assert_eq!(names(&sides), ["15.14", "17.6", "18.1"]);
    sides[1].facts.origin.server_version = "15.14 (Debian)".to_owned();
    name(&mut sides);
    assert_eq!(names(&sides)[0], "db1:5432/postgres");
    for side in &mut sides {
        side.facts.origin.node = "db".to_owned();
    }
    name(&mut sides);
    assert_eq!(names(&sides), ["sweep 1", "sweep 2", "sweep 3"]);
    for (side, label) in sides.iter_mut().zip(["a", "b", "c"]) {
        side.facts.sweep.label = Some(label.to_owned());
    }
    name(&mut sides);
    assert_eq!(names(&sides), ["a", "b", "c"]);
}

#[test]
fn peaks_are_tested_against_the_first() {
    let sides = three();
    let panels = panels(&sides);
    assert_eq!(panels.len(), 1);
    let [first, faster, same] = panels[0].curves.as_slice() else {
        panic!("three curves");
    };
    assert_eq!(first.change, Delta::default());
    let change = faster.change;
    assert!(
        (change.change_percent.unwrap() - 10.0).abs() < 1e-9,
        "{change:?}"
    );
    assert!(
        change.p_adjusted < Some(0.05) && change.p_value <= change.p_adjusted,
        "{change:?}"
    );
    let (low, high) = change.ends().unwrap();
    assert!(low > 0.0 && low < 10.0 && high > 10.0, "{change:?}");
    assert!(same.change.p_adjusted > Some(0.05));
    assert_eq!(
        panels[0].clients().into_iter().collect::<Vec<_>>(),
        [1, 4, 8, 16]
    );
}

#[test]
fn a_workload_is_a_panel() {
    let of = |sweep_id, workloads: [&str; 2]| {
        let points = workloads.iter().zip(1..);
        let points = points.map(|(workload, number)| {
            point(
                number,
                workload,
                &format!("workload={workload}"),
                1,
                &[1.0, 2.0],
            )
        });
        side("15.1", sweep_id, 1, points.collect())
    };
    let sides = [of(1, ["a", "b"]), of(2, ["b", "c"])];
    let panels = panels(&sides);
    let titles: Vec<&str> = panels.iter().map(|panel| panel.workload).collect();
    assert_eq!(titles, ["a", "b", "c"]);
    let points = |panel: usize| -> Vec<usize> {
        let curves = panels[panel].curves.iter();
        curves.map(|curve| curve.points.len()).collect()
    };
    assert_eq!([points(0), points(1), points(2)], [[1, 0], [1, 1], [0, 1]]);
}

#[test]
fn the_text_has_versions_hosts_dates_and_the_call() {
    let lines = report(&three()).lines();
    let all = lines.join("\n");
    for part in [
        "3 sweeps side by side",
        "\n  17.6\n    PostgreSQL 17.6 (Debian 17.6-1), node db2:5432/postgres, date 2026-01-02\n",
        "03:04 to 2026-01-02 05:06, status finished, runs 6 of 6, sweep 2",
        "workload: select-only",
        "Calls\nSELECT pgperf.start_sweep('select-only', clients => ARRAY[1, 4]);",
        "  17.6       3,300  2.5%        4  +10.0 %",
    ] {
        assert!(all.contains(part), "{part} in:\n{all}");
    }
    let eight = lines.iter().find(|line| line.starts_with("        8  "));
    let cells: Vec<&str> = eight.unwrap().split_whitespace().collect();
    assert_eq!(cells.join(" "), "8 2,000 ± 1.2% - 2,002 ± 1.2%");
    assert!(lines.iter().all(|line| line.chars().count() <= 80), "{all}");
}

#[test]
fn different_calls_are_shown_each() {
    let mut sides = three();
    assert_eq!(calls(&sides).len(), 1);
    sides[1].facts.origin.call = json!({"workload": "select-only", "duration": "5 s"})
        .as_object()
        .cloned();
    let names: Vec<Option<&str>> = calls(&sides).iter().map(|(name, _)| *name).collect();
    assert_eq!(names, [Some("15.14"), Some("17.6"), Some("18.1")]);
    assert_eq!(calls(&[]).len(), 0);
}

#[test]
fn pages_and_comments_escape_names() {
    let mut sides = three();
    sides[0].facts.origin.node = "<b>|x".to_owned();
    sides[1].facts.origin.call = json!({"script": "SELECT '```<i>';"}).as_object().cloned();
    let page = report(&sides).page();
    assert!(
        page.contains("&lt;b&gt;|x") && !page.contains("<b>|x"),
        "{page}"
    );
    assert!(page.contains("&lt;i&gt;") && page.matches("<figure").count() >= 2);
    let comment = report(&sides).comment();
    assert!(comment.contains("&lt;b&gt;\\|x"), "{comment}");
    assert!(comment.contains("\n````sql\n"), "{comment}");
}

#[test]
fn the_document_has_what_the_page_has() {
    let mut sides = three();
    name(&mut sides);
    let document = serde_json::to_value(document::document(&sides)).unwrap();
    let sweeps = document["sweeps"].as_array().unwrap();
    assert_eq!(sweeps.len(), 3);
    for (side, sweep) in sides.iter().zip(sweeps) {
        assert_eq!(sweep["name"], side.name.as_str());
        assert_eq!(sweep["sweep_id"], side.facts.sweep.sweep_id);
        assert_eq!(
            sweep["points"].as_array().unwrap().len(),
            side.facts.points.len()
        );
        assert!(sweep["call"].as_str().unwrap().contains("start_sweep"));
    }
    for (panel, shown) in panels(&sides)
        .iter()
        .zip(document["panels"].as_array().unwrap())
    {
        for (curve, side) in panel.curves.iter().zip(shown["sides"].as_array().unwrap()) {
            assert_eq!(side["peak_tps"].as_f64(), curve.peak.map(|peak| peak.tps));
            assert_eq!(side["change_percent"].as_f64(), curve.change.change_percent);
        }
    }
    assert!(document["panels"][0]["sides"][1]["change_percent"].is_f64());
    assert!(document["panels"][0]["sides"][0]["change_percent"].is_null());
}

#[test]
fn the_published_schema_is_the_document_s() {
    expect_schema::<document::Document<'static>>("sweep-report.schema.json", "pgperf.sweep_json");
}
