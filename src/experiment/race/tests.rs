use super::standing::{Run, Standings};
use super::*;
use measure::statistics::simulation::Noise;
use serde_json::json;

fn spec(rounds: usize) -> RaceSpec {
    RaceSpec {
        metric: "tps".to_owned(),
        rules: Race {
            rounds,
            more_is_better: true,
            margin: 0.01,
        },
    }
}

/// A point's runs with these values; None: the run failed.
fn runs(point_no: i32, values: &[Option<f64>]) -> Vec<Run> {
    let run = |value: &Option<f64>| {
        let status = if value.is_some() {
            "finished"
        } else {
            "failed"
        };
        serde_json::from_value(json!({
            "point_no": point_no, "combination": format!("work_mem={point_no}MB"), "clients": 2, "status": status, "value": value
        }))
        .unwrap()
    };
    values.iter().map(run).collect()
}

/// A whole race, of points with these means, as the worker makes it: block by block.
fn raced(means: &[f64], rounds: usize) -> (Standings, Vec<Vec<i32>>) {
    let mut noise = Noise::seeded(11);
    let mut values: Vec<Vec<Option<f64>>> = vec![Vec::new(); means.len()];
    let mut blocks = Vec::new();
    loop {
        let all = (values.iter().enumerate())
            .flat_map(|(i, values)| {
                let mut all = runs(i as i32 + 1, values);
                // What is planned, and has not begun.
                all.extend(values.is_empty().then(|| {
                    serde_json::from_value::<Run>(json!({
                        "point_no": i + 1, "combination": "", "clients": 2, "status": "waiting", "value": null
                    }))
                    .unwrap()
                }));
                all
            })
            .collect();
        let standings = Standings::of(&spec(rounds), all);
        let block = next_block(&standings, 3);
        if block.is_empty() {
            return (standings, blocks);
        }
        for &point in &block {
            let i = point as usize - 1;
            values[i].push(Some(noise.normals(means[i], means[i] / 100.0, 1)[0]));
        }
        blocks.push(block);
    }
}

#[test]
fn the_worse_leave_and_the_best_is_named() {
    let (standings, blocks) = raced(&[100.0, 50.0, 103.0, 99.0], 10);
    assert!(standings.course.is_over);
    let rows = standings.rows();
    assert_eq!((rows[0].point_no, rows[0].verdict), (3, "best"));
    assert!(
        rows[1..].iter().all(|row| row.verdict == "worse"),
        "{rows:?}"
    );
    assert!(standings.runs() < standings.runs_of_grid());
    // Every round has each of those in the race once.
    assert_eq!(blocks[0].len(), 4);
    assert!(blocks.last().unwrap().len() < 4, "{blocks:?}");
    assert_eq!(
        report::winner(&standings),
        "Race by tps: the best is work_mem=3MB, 2 clients."
    );
    let cost = report::cost(&standings, 100.0);
    assert!(
        cost.contains(" of the grid's 40 runs, 1 min 40 s of about "),
        "{cost}"
    );
    let topic = report::topic(&standings, 100.0);
    assert_eq!(topic.title, report::winner(&standings));
}

#[test]
fn equals_are_as_good_or_undecided() {
    let (standings, _) = raced(&[100.0, 100.0], 10);
    let verdicts: Vec<_> = standings.rows().iter().map(|row| row.verdict).collect();
    assert_eq!(verdicts[0], "best");
    assert!(
        ["as good", "undecided"].contains(&verdicts[1]),
        "{verdicts:?}"
    );
}

#[test]
fn a_point_that_fails_is_out() {
    let mut all = runs(1, &[Some(100.0), Some(101.0)]);
    all.extend(runs(2, &[Some(100.5), Some(100.7)]));
    all.extend(runs(3, &[Some(300.0), None]));
    let standings = Standings::of(&spec(5), all);
    let rows = standings.rows();
    assert_eq!((rows[2].point_no, rows[2].verdict), (3, "failed"));
    let mut block = next_block(&standings, 1);
    block.sort_unstable();
    assert_eq!(block, [1, 2]);
}

/// A run that was deleted is repeated: until then nobody else goes on, and nobody runs a round twice.
#[test]
fn a_round_is_completed_first() {
    let mut all = runs(1, &[Some(100.0), Some(101.0), Some(102.0)]);
    all.extend(runs(2, &[Some(100.5), Some(100.7)]));
    assert_eq!(next_block(&Standings::of(&spec(5), all), 1), [2]);
}
