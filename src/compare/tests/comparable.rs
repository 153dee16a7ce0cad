//! Which runs may be compared, and the reasons given where they may not.

use super::*;
use crate::compare::build::Terms;
use crate::compare::compared_run::Origin;

#[test]
fn what_cannot_be_compared_says_why() {
    let why = |change: fn(&mut Facts), metric: &str| {
        let mut other = run(2, 1000.0);
        change(&mut other);
        let comparison = compare(vec![run(1, 1000.0)], vec![other], None).unwrap();
        row(&comparison, metric).verdict.to_string()
    };
    assert_eq!(
        why(|other| other.run.workload = "select-only".to_owned(), "tps"),
        "not comparable: different workload (tpcb-like, select-only)"
    );
    assert_eq!(
        why(|other| other.run.scale = Some(20), "tps"),
        "not comparable: different scale (10, 20)"
    );
    assert_eq!(
        why(|other| other.run.status = "failed".to_owned(), "tps"),
        "not comparable: run 2 failed"
    );
    assert_eq!(
        why(
            |other| {
                other.summary.remove("latency_p99_ms");
            },
            "latency_p99_ms"
        ),
        "not comparable: not in the candidate"
    );
    // After a reset of the server's counters a metric has no value.
    let growth = |id, value| {
        let mut facts = run(id, 1000.0);
        facts.metrics = vec![Figure {
            metric: "deadlocks".to_owned(),
            value,
            unit: "deadlocks".to_owned(),
            direction: None,
            category: "database".to_owned(),
        }];
        vec![facts]
    };
    let comparison = compare(growth(1, Some(0.0)), growth(2, None), None).unwrap();
    assert_eq!(
        row(&comparison, "deadlocks").verdict.to_string(),
        "not comparable: not known of the candidate, as after a reset of counters"
    );
    let longer: fn(&mut Facts) = |other| {
        other.summary.insert("duration_s".to_owned(), 40.into());
    };
    assert_eq!(
        why(longer, "wal_bytes"),
        "not comparable: different length of the runs"
    );
    assert_eq!(why(longer, "tps"), "single observation");
    // Events that never happened can be compared whatever the length.
    assert_eq!(why(longer, "failed"), "single observation");
}

#[test]
fn what_cannot_be_negative_does_not_fall_by_more_than_all_of_it() {
    let low = |shift: f64| {
        let side = |first, rates: [f64; 3]| runs(first, &rates.map(|tps| tps + shift));
        let wide = compare(
            side(1, [100.0, 150.0, 125.0]),
            side(4, [1.0, 200.0, 60.0]),
            None,
        );
        let wide = wide.unwrap();
        let tps = row(&wide, "tps");
        assert!(tps.delta.ci_high_percent.unwrap() > 0.0);
        tps.delta.ci_low_percent.unwrap()
    };
    // Amounts by their ratio, which has no end at nothing; then with a run of 0, and with one below.
    assert!(low(0.0) > -100.0);
    assert_eq!(low(-1.0), -100.0);
    assert!(low(-1.5) < -100.0);
}

#[test]
fn other_programs_are_compared_on_request_alone() {
    let imported = |id, program: &str| {
        let mut facts = with_intervals(run(id, 100.0), 100.0);
        facts.run.spec.results = Some(Origin {
            program: program.to_owned(),
            transport: None,
        });
        facts
    };
    let terms = |across_programs| Terms {
        pair_by: None,
        across_programs,
    };
    let own = || vec![with_intervals(run(1, 1000.0), 1000.0)];
    let compared = |across| compare(vec![imported(2, "pgbench")], own(), terms(across)).unwrap();
    let refused = compared(false);
    let tps = row(&refused, "tps");
    assert_eq!(
        tps.verdict.to_string(),
        "not comparable: different programs (pgbench, pgperf)"
    );
    assert_eq!((tps.delta.change_percent, tps.delta.p_value), (None, None));
    let asked = compared(true);
    assert_eq!(row(&asked, "tps").verdict, Verdict::Better);
    // On top of every form, whether they are compared or not.
    for (comparison, start) in [
        (&refused, "different programs (pgbench, pgperf)"),
        (&asked, "caution: different programs (pgbench, pgperf)"),
    ] {
        let marked = start.replace('(', "\\(").replace(')', "\\)");
        for report in [
            report(comparison, &Conditions::default(), None),
            versions::report(comparison, None).unwrap(),
        ] {
            let lines = report.lines();
            assert!(lines[1].starts_with(start), "{lines:?}");
            let comment = report.comment();
            let top = comment.lines().nth(2).unwrap();
            assert!(top.starts_with(&marked), "{top}");
        }
        // Its lines are short.
        let page = report(comparison, &Conditions::default(), None).page();
        let page = page.split_whitespace().collect::<Vec<_>>().join(" ");
        let (caution, answer) = (
            page.find(start).unwrap(),
            page.find("class=\"answer\"").unwrap(),
        );
        assert!(caution < answer);
    }
    let same = compare(
        vec![imported(1, "pgbench")],
        vec![imported(2, "pgbench")],
        None,
    );
    assert_eq!(same.unwrap().caution, None);
}

#[test]
fn the_scale_that_a_program_did_not_print_can_be_given() {
    let mut sysbench = run(2, 1000.0);
    sysbench.run.scale = None;
    // On either side.
    let why = |sysbench: Facts| {
        let verdict = |baseline: Facts, candidate: Facts| {
            let comparison = compare(vec![baseline], vec![candidate], None).unwrap();
            row(&comparison, "tps").verdict.to_string()
        };
        let other = verdict(sysbench.clone(), run(1, 1000.0)).replace("(none, 10)", "(10, none)");
        let verdict = verdict(run(1, 1000.0), sysbench);
        assert_eq!(verdict, other);
        verdict
    };
    assert_eq!(
        why(sysbench.clone()),
        "not comparable: different scale (10, none)"
    );
    sysbench.run.spec.results = Some(Origin {
        program: "pgperf".to_owned(),
        transport: Some("inside the server".to_owned()),
    });
    assert_eq!(
        why(sysbench),
        "not comparable: the scale of run 2 is not known: delete it, and import it again with scale => ..."
    );
}

#[test]
fn loads_are_compared_by_what_they_added_up_however_long_they_took() {
    let load = |id, seconds: f64| {
        let mut facts = run(id, 1000.0);
        facts.run.kind = "load".to_owned();
        facts.run.spec.duration_s = None;
        facts.summary = columns(json!({"duration_s": seconds, "wal_bytes": 5000.0 + seconds}));
        facts
    };
    let loads =
        |first, lengths: [f64; 3]| (first..).zip(lengths).map(|(i, s)| load(i, s)).collect();
    let comparison = compare(
        loads(1, [30.0, 31.0, 30.5]),
        loads(4, [20.0, 20.5, 20.1]),
        None,
    )
    .unwrap();
    assert_eq!(comparison.headline, "duration_s");
    assert_eq!(row(&comparison, "duration_s").verdict, Verdict::Better);
    assert_eq!(row(&comparison, "wal_bytes").verdict, Verdict::Differs);
}

#[test]
fn statements_are_matched_by_place_and_not_by_text() {
    let with = |id, statement: &str, ms: f64| {
        let mut facts = run(id, 1000.0);
        facts.statements = vec![
            columns(
                json!({"script_no": 1, "command_no": 1, "statement": "BEGIN;", "calls": 5, "latency_avg_ms": 1.0}),
            ),
            columns(
                json!({"script_no": 1, "command_no": 2, "statement": statement, "calls": 5, "latency_avg_ms": ms}),
            ),
        ];
        vec![facts]
    };
    let statement = |comparison: &Comparison, object: &str| {
        let mut rows = comparison.rows.iter();
        rows.find(|row| row.object.as_deref().is_some_and(|o| o.starts_with(object)))
            .map(|row| (row.candidate, row.verdict.clone()))
            .unwrap()
    };
    let same = compare(
        with(1, "SELECT 1;", 4.0),
        with(2, "SELECT\n  1;", 9.0),
        None,
    )
    .unwrap();
    assert_eq!(
        statement(&same, "1.2 SELECT 1;"),
        (Some(9.0), Verdict::SingleObservation)
    );
    // Of BEGIN nothing.
    let mean = statement(&same, "all statements").0.unwrap();
    assert!((mean - 9.0).abs() < 1e-9);
    let other = compare(with(1, "SELECT 1;", 4.0), with(2, "SELECT 2;", 9.0), None).unwrap();
    assert!(matches!(
        statement(&other, "1.2 "),
        (_, Verdict::NotComparable(_))
    ));
    // That both have BEGIN is nothing to compare.
    assert!(matches!(
        statement(&other, "all statements"),
        (_, Verdict::NotComparable(_))
    ));
    let said = |comparison: &Comparison, note: &str| {
        let lines = report(comparison, &Conditions::default(), None).lines();
        comparison.notes.iter().any(|n| n == note) && lines.iter().any(|line| line == note)
    };
    assert!(said(
        &other,
        "1 of 2 statements are not the same on both sides"
    ));
    let of_one = |id, text: &str| {
        let mut run = with(id, text, 4.0);
        run[0].statements.remove(0);
        run
    };
    let variant = compare(of_one(1, "SELECT 1;"), of_one(2, "SELECT 2;"), None).unwrap();
    assert!(matches!(
        statement(&variant, "all statements"),
        (_, Verdict::NotComparable(_))
    ));
    assert_eq!(row(&variant, "tps").verdict, Verdict::SingleObservation);
    assert!(said(
        &variant,
        "no statement is the same on both sides: other scripts, or a variant"
    ));
}
