use super::*;
use crate::statistics::simulation::{Noise, percent_of};

const TEN_ROUNDS: Race = Race {
    rounds: 10,
    more_is_better: true,
    margin: 0.01,
};

/// A whole race of candidates with these means and this noise (in percent); `drift` is what a round has in common.
fn run(race: Race, candidates: &[(f64, f64)], drift: f64, noise: &mut Noise) -> (Course, usize) {
    let mut entrants = vec![Entrant::default(); candidates.len()];
    loop {
        let course = race.course(&entrants);
        if course.is_over {
            let runs = entrants.iter().map(|entrant| entrant.values.len()).sum();
            return (course, runs);
        }
        let common = noise.normals(1.0, drift / 100.0, 1)[0];
        for i in course.running {
            let (mean, percent) = candidates[i];
            let value = common * noise.normals(mean, mean * percent / 100.0, 1)[0];
            entrants[i].values.push(value);
        }
    }
}

/// How often the first candidate wins, in percent, and the share of the grid's runs that it costs.
fn found(race: Race, candidates: &[(f64, f64)], drift: f64) -> (f64, f64) {
    let (mut runs, mut races) = (0, 0);
    let won = percent_of(2_000, |noise| {
        let (course, made) = run(race, candidates, drift, noise);
        runs += made;
        races += 1;
        course.leader == Some(0)
    });
    let grid = races * candidates.len() * race.rounds;
    (won, runs as f64 / grid as f64)
}

fn eight(best: (f64, f64), others: (f64, f64)) -> [(f64, f64); 8] {
    let mut candidates = [others; 8];
    candidates[0] = best;
    candidates
}

#[test]
fn the_best_of_eight_is_found_with_half_the_runs() {
    for drift in [0.0, 10.0] {
        let (won, share) = found(TEN_ROUNDS, &eight((105.0, 2.0), (100.0, 2.0)), drift);
        assert!(
            won >= 99.0 && share <= 0.5,
            "drift {drift}: {won} % with {share} of the runs"
        );
    }
    // Of a grid with twice as many, it takes but little more than a quarter.
    let twenty = Race {
        rounds: 20,
        ..TEN_ROUNDS
    };
    let (won, share) = found(twenty, &eight((105.0, 2.0), (100.0, 2.0)), 0.0);
    assert!(won >= 99.0 && share <= 0.3, "{won} % with {share}");
}

#[test]
fn the_lowest_latency_is_found_as_well() {
    let lowest = Race {
        more_is_better: false,
        ..TEN_ROUNDS
    };
    let (won, share) = found(lowest, &eight((95.0, 2.0), (100.0, 2.0)), 0.0);
    assert!(won >= 99.0 && share <= 0.5, "{won} % with {share}");
}

/// A best that is noisier than the others, or others noisier than it.
#[test]
fn unequal_noise_does_not_lose_the_best() {
    for (best, others) in [(4.0, 1.0), (1.0, 4.0)] {
        let (won, _) = found(TEN_ROUNDS, &eight((105.0, best), (100.0, others)), 0.0);
        assert!(won >= 95.0, "{best} {others}: {won} %");
    }
}

/// The hardest case for a best: all the others are as good, so that each may seem better by chance.
#[test]
fn one_of_equals_is_rarely_lost() {
    for count in [2, 3, 8, 20] {
        let lost = percent_of(1_000, |noise| {
            let (course, _) = run(TEN_ROUNDS, &vec![(100.0, 2.0); count], 0.0, noise);
            course.standings[0].left_after.is_some()
        });
        assert!(lost <= 6.0, "{count}: {lost} %");
    }
}

fn entrants(values: &[&[f64]]) -> Vec<Entrant> {
    let entrant = |values: &&[f64]| Entrant {
        values: values.to_vec(),
        failed: false,
    };
    values.iter().map(entrant).collect()
}

#[test]
fn the_clearly_worse_leaves_after_the_first_look() {
    let three = entrants(&[&[100.0, 102.0], &[101.0, 100.0], &[50.0, 51.0]]);
    let course = TEN_ROUNDS.course(&three);
    assert_eq!((course.rounds, course.is_over), (2, false));
    assert_eq!((course.running, course.leader), (vec![0, 1], Some(0)));
    assert_eq!(course.standings[2].left_after, Some(2));
    let change = course.standings[2].change.unwrap();
    assert!((change + 0.5).abs() < 0.01, "{change}");
    assert!(course.standings[2].worst.unwrap() < change);
    let lowest = Race {
        more_is_better: false,
        ..TEN_ROUNDS
    };
    let course = lowest.course(&three);
    assert_eq!((course.leader, course.is_over), (Some(2), true));
    assert!(course.standings[0].change.unwrap() > 0.9);
}

#[test]
fn a_race_waits_for_all_who_run() {
    let waiting = entrants(&[&[100.0, 102.0], &[101.0]]);
    let course = TEN_ROUNDS.course(&waiting);
    assert_eq!((course.rounds, course.is_over), (1, false));
    assert_eq!((course.leader, course.standings[0].worst), (Some(1), None));
    let course = TEN_ROUNDS.course(&entrants(&[&[], &[1.0]]));
    assert_eq!((course.rounds, course.leader), (0, None));
    assert!(TEN_ROUNDS.course(&[]).is_over);
}

/// It leaves the race where it fails, and takes nobody with it.
#[test]
fn who_cannot_run_is_out() {
    let mut three = entrants(&[&[100.0, 102.0], &[101.0, 100.0], &[200.0]]);
    assert!(!TEN_ROUNDS.course(&three).running.is_empty());
    three[2].failed = true;
    let course = TEN_ROUNDS.course(&three);
    assert_eq!((course.rounds, course.running), (2, vec![0, 1]));
    assert_eq!(course.standings[2].left_after, None);
    three[1].failed = true;
    let course = TEN_ROUNDS.course(&three);
    assert_eq!((course.running, course.is_over), (vec![0], true));
    assert_eq!(course.leader, Some(0));
}

#[test]
fn it_ends_where_all_are_alike() {
    let loose = Race {
        margin: 0.2,
        ..TEN_ROUNDS
    };
    let two = entrants(&[&[100.0, 100.5, 100.2, 99.8], &[99.9, 100.6, 100.1, 99.9]]);
    let course = loose.course(&two);
    assert!(course.is_over && course.rounds < 5, "{course:?}");
    assert_eq!(course.running, [0, 1]);
    assert!(course.standings[1].worst.unwrap() > -0.2);
    assert!(
        !TEN_ROUNDS
            .course(&entrants(&[&[100.0, 109.0], &[109.0, 100.0]]))
            .is_over
    );
}

#[test]
fn its_rounds_end_it() {
    let race = Race {
        rounds: 2,
        ..TEN_ROUNDS
    };
    let course = race.course(&entrants(&[&[100.0, 109.0], &[109.0, 101.0]]));
    assert!(course.is_over);
    assert_eq!((course.rounds, course.leader), (2, Some(1)));
}

#[test]
fn what_is_not_above_zero_is_no_obstacle() {
    let course = TEN_ROUNDS.course(&entrants(&[&[0.0, 0.0, 0.0], &[5.0, 5.1, 4.9]]));
    assert_eq!(course.leader, Some(1));
    assert_eq!(course.standings[0].left_after, Some(2));
}
