//! The report of one sweep.

use super::facts::{Facts, Law, Peak, Point, Sweep, SweepOrigin};
use super::sweep::{about_law, about_peak, report};
use crate::experiment::metrics::Metric;
use crate::experiment::precise::Until;
use crate::report::conditions::Conditions;
use crate::show::text::{WIDTH, count};

fn lines(facts: &Facts) -> Vec<String> {
    report(facts).lines()
}

fn point(clients: i64, tps: Option<f64>) -> Point {
    Point {
        point_no: clients,
        combination: "work_mem=4MB".to_owned(),
        workload: "tpcb-like".to_owned(),
        clients,
        n: i64::from(tps.is_some()) * 3,
        tps,
        tps_ci_low: tps.map(|tps| tps * 0.98),
        tps_ci_high: tps.map(|tps| tps * 1.02),
        tps_values: None,
        latency_p95_values: None,
        latency_avg_ms: tps.map(|tps| 1e3 * clients as f64 / tps),
        latency_p95_ms: tps.map(|_| 1.5),
        latency_p99_ms: tps.map(|_| 12.25),
        failed_runs: i64::from(tps.is_none()) * 3,
        precision_percent: None,
        precise: None,
        caches: None,
    }
}

fn metric(name: &str, point_no: i64, mean: Option<f64>, ci_high: Option<f64>) -> Metric {
    Metric {
        point_no,
        metric: name.to_owned(),
        unit: if name == "nopm" { "per minute" } else { "" }.to_owned(),
        mean,
        ci_high,
    }
}

fn facts() -> Facts {
    Facts {
        sweep: Sweep {
            sweep_id: 3,
            label: Some("disk".to_owned()),
            status: "failed".to_owned(),
            runs: 9,
            finished: 6,
            failed: 3,
            repetitions: 3,
            until: Until::default(),
            run_order: "random".to_owned(),
            init: "never".to_owned(),
            checkpoint: true,
            random_seed: 42,
            elapsed_s: 93.0,
            eta_s: None,
            error: Some(
                "3 of 9 runs did not finish, the last one: relation \"t\" does not exist"
                    .to_owned(),
            ),
        },
        origin: SweepOrigin::default(),
        conditions: Conditions::default(),
        short: Vec::new(),
        race: None,
        values: Vec::new(),
        versions: Vec::new(),
        points: vec![
            point(1, Some(1000.0)),
            point(2, Some(1900.0)),
            point(4, None),
        ],
        metrics: vec![
            metric("nopm", 1, Some(61_234.5), Some(62_000.0)),
            metric("nopm", 2, Some(90_000.0), None),
            metric("of_an_author", 2, Some(0.25), Some(0.5)),
        ],
        peaks: vec![Peak {
            combination: "work_mem=4MB".to_owned(),
            clients: 2,
            tps: 1900.0,
            as_good_clients: Some(vec![1, 2]),
            untested_clients: Some(vec![4]),
            undecided_clients: None,
            margin_percent: 5.0,
        }],
        laws: vec![Law {
            combination: "work_mem=4MB".to_owned(),
            lambda: None,
            sigma: None,
            kappa: None,
            sigma_error: None,
            kappa_error: None,
            r_squared: None,
            peak_clients: None,
            peak_tps: None,
            limit_tps: None,
            reason: Some("needs at least 3 numbers of clients".to_owned()),
        }],
    }
}

#[test]
fn a_report_shows_each_point_with_a_bar() {
    assert_eq!(
        lines(&facts()),
        [
            "sweep 3 \"disk\": failed, 6 of 9 runs, 3 failed, 1 min 33 s",
            "3 repetitions in random order (seed 42), a checkpoint before each",
            "3 of 9 runs did not finish, the last one: relation \"t\" does not exist",
            "",
            "work_mem=4MB (workload: tpcb-like)",
            "  clients  runs  failed    tps  ±95%  mean ms  p95 ms  p99 ms",
            "        1     3       0  1,000  2.0%        1     1.5    12.2  █████████",
            "        2     3       0  1,900  2.0%     1.05     1.5    12.2  █████████████████",
            "        4     0       3      -     -        -       -       -",
            "",
            "  clients                      nopm   of_an_author",
            "        1  61,234 ± 1.3% per minute              -",
            "        2         90,000 per minute  0.25 ± 100.0%",
            "        4                         -              -",
            "  peak: 1,900 tps at 2 clients; as good within 5 %: 1",
            "  untested, fewer than two runs: 4",
            "  scalability law: needs at least 3 numbers of clients",
            "",
            "Call",
            "SELECT pgperf.start_sweep();",
        ]
    );
}

#[test]
fn with_a_precision_a_report_shows_which_points_have_it() {
    let mut facts = facts();
    let until =
        serde_json::json!({"wanted_percent": 2.0, "max_repetitions": 30, "further_runs": null});
    facts.sweep.until = serde_json::from_value(until).unwrap();
    for (point, percent) in facts.points.iter_mut().zip([Some(1.5), Some(2.5), None]) {
        point.precision_percent = percent;
        point.precise = Some(percent == Some(1.5));
    }
    let lines = lines(&facts);
    for line in [
        "3 to 30 repetitions, until within 2 %, in random order (seed 42), a checkpoint",
        "  before each",
        "  clients  runs  failed    tps  ±98%  mean ms  p95 ms  p99 ms",
        "        2     3       0  1,900  2.5%     1.05     1.5    12.2  █████████████████",
        "  not known within 2 %: 2, 4",
    ] {
        assert!(lines.iter().any(|l| l == line), "{line}\n{lines:#?}");
    }
    let comment = report(&facts).comment();
    for line in [
        "| clients | runs | failed | tps | ±98% | mean ms | p95 ms | p99 ms | nopm | of\\_an\\_author |",
        "| 1 | 3 | 0 | 1,000 | 1.5% | 1 | 1.5 | 12.2 | 61,234 ± 1.3% per minute | - |",
        "* not known within 2 %: 2, 4",
    ] {
        assert!(comment.lines().any(|l| l == line), "{line}\n{comment}");
    }
}

#[test]
fn of_what_never_ran_nothing_is_claimed() {
    let peak = |as_good: Option<Vec<i64>>, untested: &[i64], undecided: &[i64], points| {
        let peak = Peak {
            combination: String::new(),
            clients: 1,
            tps: 900.0,
            as_good_clients: as_good,
            untested_clients: Some(untested.to_vec()),
            undecided_clients: Some(undecided.to_vec()),
            margin_percent: 2.5,
        };
        about_peak(&peak, points)
    };
    assert_eq!(
        peak(Some(vec![1]), &[2, 3], &[], 3),
        [
            "peak: 900 tps at 1 client",
            "untested, fewer than two runs: 2, 3"
        ]
    );
    assert_eq!(
        peak(Some(vec![1]), &[3], &[], 3),
        [
            "peak: 900 tps at 1 client; every other one tested is worse",
            "untested, fewer than two runs: 3"
        ]
    );
    assert_eq!(
        peak(Some(vec![1]), &[], &[], 2),
        ["peak: 900 tps at 1 client; every other number is worse"]
    );
    assert_eq!(
        peak(Some(vec![1, 2]), &[], &[4, 8], 4),
        [
            "peak: 900 tps at 1 client; as good within 2.5 %: 2",
            "undecided, neither as good nor worse for sure: 4, 8"
        ]
    );
    assert_eq!(
        peak(Some(vec![1]), &[], &[2], 2),
        [
            "peak: 900 tps at 1 client; none is as good within 2.5 % for sure",
            "undecided, neither as good nor worse for sure: 2"
        ]
    );
    assert_eq!(
        peak(None, &[2], &[], 2),
        ["peak: 900 tps at 1 client; one run is too few to say how certain that is"]
    );
}

#[test]
fn the_law_tells_its_peak_or_limit() {
    let law = |peak: Option<f64>, limit: Option<f64>| Law {
        lambda: Some(123_456.7),
        sigma: Some(0.0277),
        kappa: Some(1.04e-4),
        sigma_error: Some(0.0091),
        kappa_error: Some(1.99e-5),
        r_squared: Some(0.98956),
        peak_clients: peak,
        peak_tps: peak.map(|clients| clients * 20.0),
        limit_tps: limit,
        reason: None,
        combination: String::new(),
    };
    assert_eq!(
        about_law(&law(Some(96.52), None)),
        "scalability law: 123,457 tps a client, contention 0.0277 ± 9.10e-3, coherency 1.04e-4 ± 1.99e-5, R² 0.9896; \
         peak: 1,930 tps at 96.5 clients"
    );
    let limited = about_law(&law(None, Some(378.2)));
    assert!(
        limited.ends_with("; no peak: tps approaches 378"),
        "{limited}"
    );
}

#[test]
fn a_comment_has_a_table_of_each_combination() {
    let mut facts = facts();
    facts.points[0].workload = "mine_|_x".to_owned();
    let comment = report(&facts).comment();
    for line in [
        "### pgperf: sweep 3 \"disk\": failed, 6 of 9 runs, 3 failed, 1 min 33 s",
        "**work\\_mem=4MB \\(workload: mine\\_\\|\\_x\\)**",
        "| 2 | 3 | 0 | 1,900 | 2.0% | 1.05 | 1.5 | 12.2 | 90,000 per minute | 0.25 ± 100.0% |",
        "| 4 | 0 | 3 | - | - | - | - | - | - | - |",
        "* peak: 1,900 tps at 2 clients; as good within 5 %: 1",
        "* untested, fewer than two runs: 4",
        "* scalability law: needs at least 3 numbers of clients",
    ] {
        assert!(comment.lines().any(|l| l == line), "{line}\n{comment}");
    }
}

#[test]
fn nothing_is_wider_than_80_columns() {
    let mut facts = facts();
    for point in &mut facts.points {
        *point = Point {
            tps: Some(1_234_567.0),
            ..self::point(point.clients * 1000, Some(1_234_567.0))
        };
        point.combination = "default_statistics_target=10000, ".repeat(4);
    }
    for line in lines(&facts) {
        assert!(line.chars().count() <= WIDTH, "{line}");
    }
}

#[test]
fn a_point_says_which_runs_had_the_caches_that_they_asked_for() {
    let mut facts = facts();
    facts.points[0].caches = Some(
        "cold in 1 of 5 runs: shared_buffers kept what they had: only PostgreSQL 17 and later can empty them without a restart".to_owned(),
    );
    facts.points[1].caches = Some("cold".to_owned());
    let clients = count(facts.points[0].clients, "client");
    let text = lines(&facts).join("\n");
    assert!(
        text.contains(&format!("{clients}: cold in 1 of 5 runs: shared_buffers")),
        "{text}"
    );
    assert_eq!(text.matches("cold").count(), 2);
    assert!(text.lines().all(|line| line.chars().count() <= 80));
}
