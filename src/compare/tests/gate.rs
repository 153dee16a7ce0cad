//! Reasons why a gate fails.

use super::*;
use crate::compare::gate;

#[test]
fn the_gate_fails_on_what_is_worse_than_allowed() {
    let baseline = || runs(1, &[1000.0, 1010.0, 990.0, 1005.0, 995.0]);
    let against = |factor: f64, limit: f64| {
        let candidate = runs(
            6,
            &[1000.0, 1010.0, 990.0, 1005.0, 995.0].map(|tps| tps * factor),
        );
        let comparison = compare(baseline(), candidate, None).unwrap();
        let checks = gate::checks(&comparison, limit, None).unwrap();
        checks.iter().filter(|check| !check.passed).count()
    };
    assert_eq!(against(1.0, 5.0), 0);
    assert_eq!(against(0.97, 5.0), 0);
    assert_eq!(against(0.9, 5.0), 3);
    // A shorter run than those of the baseline passes, unless transactions fail.
    let shorter = |failed: i64| {
        let mut facts = run(6, 1000.0);
        let seen = json!({"duration_s": 5, "transactions": 5000, "failed": failed});
        facts.summary.extend(columns(seen));
        let checks = |baseline| {
            let comparison = compare(baseline, vec![facts.clone()], None).unwrap();
            let checks = gate::checks(&comparison, 50.0, None).unwrap();
            let failed = checks.into_iter().filter(|check| !check.passed);
            failed.map(|check| check.name).collect::<Vec<_>>()
        };
        (checks(baseline()), checks(baseline()[..1].to_vec()))
    };
    assert_eq!(shorter(0), (vec![], vec![]));
    let share = || vec!["failed_percent".to_owned()];
    assert_eq!(shorter(2), (share(), share()));
    assert_eq!(against(1.2, 5.0), 0);

    let of = |metrics: &[&str], candidate: Facts| {
        let comparison = compare(runs(1, &[1000.0]), vec![candidate], None).unwrap();
        let metrics: Vec<String> = metrics.iter().map(|name| (*name).to_owned()).collect();
        gate::checks(&comparison, 5.0, Some(&metrics))
    };
    // The noise is unknown: the change counts.
    assert!(!of(&["tps"], run(2, 900.0)).unwrap()[0].passed);
    assert!(of(&["tps"], run(2, 960.0)).unwrap()[0].passed);
    let mut failing = run(2, 1000.0);
    failing.summary.insert("failed".to_owned(), 3.into());
    assert!(!of(&["failed"], failing).unwrap()[0].passed);
    let mut other = run(2, 1000.0);
    other.run.scale = Some(1);
    assert!(!of(&["tps"], other).unwrap()[0].passed);
    assert!(of(&["tpm"], run(2, 1000.0)).is_err());
    assert!(of(&["wal_bytes"], run(2, 1000.0)).is_err());

    assert_eq!(gate::limit("5%").unwrap(), 5.0);
    assert_eq!(gate::limit(" 2.5 % ").unwrap(), 2.5);
    assert!(gate::limit("-5%").is_err() && gate::limit("five").is_err());
}
