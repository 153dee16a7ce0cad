//! The p that decides a verdict: corrected for the number of tested metrics that vary.

use super::*;

const BASELINE: [f64; 5] = [1000.0, 1010.0, 990.0, 1005.0, 995.0];
/// By itself p is 0.0104: t = ln(1022.8 / 1000) / 0.00678 = 3.3276 with 8 degrees of freedom.
const HIGHER: [f64; 5] = [1023.0, 1031.0, 1008.0, 1040.0, 1012.0];
/// The same but for the order.
const AGAIN: [f64; 5] = [995.0, 1000.0, 1010.0, 990.0, 1005.0];

/// One metric that is higher, `m0`, beside `others` that vary and `constant` that do not.
fn with_others(others: usize, constant: usize) -> Comparison {
    let side = |first, tested: &[f64], other: &[f64]| {
        let mut values = vec![tested.to_vec()];
        values.extend(vec![other.to_vec(); others]);
        values.extend(vec![vec![1000.0; 5]; constant]);
        with_metrics(runs(first, &BASELINE), &values)
    };
    compare(
        side(1, &BASELINE, &BASELINE),
        side(11, &HIGHER, &AGAIN),
        None,
    )
    .unwrap()
}

fn beside(others: usize, constant: usize) -> Row {
    row(&with_others(others, constant), "m0").clone()
}

/// By itself it would be 0.010.
#[test]
fn the_p_that_decides_stands_beside_its_verdict() {
    let comparison = with_others(3, 6);
    let lines = report(&comparison, &Conditions::default(), None).lines();
    let line = lines.iter().find(|line| line.starts_with("  m0")).unwrap();
    assert!(line.ends_with("  0.042  differs"), "{line}");
    let comment = report(&comparison, &Conditions::default(), None).comment();
    assert!(comment.contains("| 0.042 | differs |"), "{comment}");
}

#[test]
fn the_corrected_p_decides_the_verdict() {
    let alone = beside(0, 0);
    assert_eq!(alone.verdict, Verdict::Differs);
    assert!((alone.delta.p_value.unwrap() - 0.010422).abs() < 1e-6);
    let one_of_ten = beside(9, 0);
    assert_eq!(one_of_ten.delta.p_value, alone.delta.p_value);
    assert!((one_of_ten.delta.p_adjusted.unwrap() - 0.10422).abs() < 1e-5);
    assert_eq!(one_of_ten.verdict, Verdict::NoDifference);
}

#[test]
fn what_is_the_same_in_all_runs_was_no_question() {
    let one_of_four = beside(3, 6);
    assert!((one_of_four.delta.p_adjusted.unwrap() - 0.041689).abs() < 1e-6);
    assert_eq!(one_of_four.verdict, Verdict::Differs);
}

/// A page more or less would be noise, but nobody has seen one.
#[test]
fn what_is_the_same_in_all_runs_has_no_interval() {
    let with_size = |first: i64, sizes: [i64; 2]| -> Vec<Facts> {
        let mut side = runs(first, &[1000.0, 1010.0]);
        for (facts, size) in side.iter_mut().zip(sizes) {
            facts.relations = vec![columns(
                json!({"schema_name": "public", "relation_name": "t", "relation_kind": "table",
                "start_size_bytes": 8192, "end_size_bytes": size}),
            )];
        }
        side
    };
    let compared = |sizes| compare(with_size(1, [8192; 2]), with_size(3, sizes), None).unwrap();
    let constant = compared([8192; 2]);
    let size = row(&constant, "size_bytes");
    assert_eq!(size.delta.change_percent, Some(0.0));
    assert_eq!(
        (size.delta.ci_low_percent, size.delta.ci_high_percent),
        (None, None)
    );
    assert_eq!(size.verdict, Verdict::NoDifference);
    assert_eq!(size.method, Some(judge::CONSTANT));
    let varying = compared([8192, 16384]);
    assert_eq!(row(&varying, "size_bytes").method, Some(judge::STUDENT));
    // Of pairs, of a run against several, of single runs with peers.
    let run_of = |id| runs(id, &[1000.0]);
    for (baseline, candidate, pair_by) in [
        (
            runs(1, &[5.0, 6.0]),
            runs(3, &[7.0, 9.0]),
            Some(PairBy::Repetition),
        ),
        (runs(1, &[5.0, 6.0]), run_of(3), None),
    ] {
        let comparison = compare(baseline, candidate, pair_by).unwrap();
        let failed = row(&comparison, "failed");
        assert_eq!(failed.method, Some(judge::CONSTANT));
        assert_eq!(failed.verdict, Verdict::NoDifference);
    }
    assert!(
        !constant
            .notes
            .iter()
            .any(|note| note == judge::CONSTANT.name)
    );
}

#[test]
fn two_runs_a_side_say_how_little_they_find() {
    let note = |count: usize, pair_by| {
        let side = |first| {
            let values = vec![BASELINE[..count].to_vec(), HIGHER[..count].to_vec()];
            with_metrics(runs(first, &BASELINE[..count]), &values)
        };
        let mut candidate = side(11);
        candidate[0].summary.insert("tps".to_owned(), json!(1020.0));
        let comparison = compare(side(1), candidate, pair_by).unwrap();
        let mut notes = comparison.notes.into_iter();
        notes.find(|note| note.contains("hardly anything"))
    };
    let two = note(2, None).unwrap();
    // The reach: exp(4.3027 s) - 1, where 4.3027 is SciPy's t.ppf(0.975, 2) and s = √(25 / 1005² + 25 / 1015²) the standard error of
    // the difference of logarithms.
    assert!(
        two.starts_with("2 + 2 runs find hardly anything: tps would have to change by more than 3.1 %, and one of "),
        "{two}"
    );
    assert!(two.ends_with("; take five runs a side"), "{two}");
    assert!(
        note(2, Some(PairBy::Repetition))
            .unwrap()
            .starts_with("2 pairs of runs")
    );
    assert_eq!(note(3, None), None);
}

#[test]
fn sums_of_other_relations_are_not_compared() {
    let with_indexes = |id, indexes: &[&str]| {
        let relation = |name: &str, kind: &str| {
            columns(
                json!({"schema_name": "public", "relation_name": name, "relation_kind": kind, "table_name": "t",
                "start_size_bytes": 8192, "end_size_bytes": 81920}),
            )
        };
        let mut facts = run(id, 1000.0);
        facts.relations = vec![relation("t", "table")];
        let indexes = indexes.iter().map(|name| relation(name, "index"));
        facts.relations.extend(indexes);
        vec![facts]
    };
    let verdict = |indexes: &[&str], metric| {
        let comparison = compare(with_indexes(1, &["a", "b"]), with_indexes(2, indexes), None);
        let comparison = comparison.unwrap();
        let found = row(&comparison, metric);
        (found.verdict.to_string(), found.delta.change_percent)
    };
    assert_eq!(
        verdict(&["a", "b"], "total_size_bytes"),
        ("single observation".to_owned(), Some(0.0))
    );
    let (why, change) = verdict(&["a"], "total_size_bytes");
    assert_eq!(why, "not comparable: not the sum of the same relations");
    assert_eq!(change, None);
    assert_eq!(verdict(&["a", "c"], "indexes_size_bytes").0, why);
}
