//! Random streams, choice of the script and variables, with answers of pgbench where it has been asked.

use super::fake::*;
use crate::Share;
use script::Value;

#[test]
fn the_first_draws_are_those_of_pgbench() {
    let script = "\\set a random(10, 19)\n\\set b random_exponential(100, 199, 10.0)\n\
                  \\set c random_gaussian(1000, 1999, 10.0)\n\\set d random_zipfian(1, 9, 1.3)\n\
                  SELECT :a, :b, :c, :d;\n";
    let run = Run::of(script, 1).with(|spec| spec.random_seed = 5432);
    run.runs(all_well);
    assert_eq!(run.sent(), ["simple SELECT 17, 104, 1498, 3;"]);
}

#[test]
fn a_whole_run_draws_what_pgbench_draws() {
    // pgbench --random-seed=42 -c 4 -t 200 at scale 2: sum(delta) of its history.
    let script = "\\set aid random(1, 100000 * :scale)\n\\set bid random(1, 1 * :scale)\n\
                  \\set tid random(1, 10 * :scale)\n\\set delta random(-5000, 5000)\n\
                  INSERT :delta;\n";
    let mut sum = 0;
    for number in 0..4 {
        let mut run = Run::of(script, 200).with(|spec| {
            spec.clients = 4;
            spec.script_scale = Value::Int(2);
        });
        run.number = number;
        run.runs(all_well);
        let sent = run.sent();
        assert_eq!(sent.len(), 200);
        sum += sent
            .iter()
            .map(|text| {
                let delta = text
                    .trim_start_matches("simple INSERT ")
                    .trim_end_matches(';');
                delta.parse::<i64>().unwrap()
            })
            .sum::<i64>();
    }
    assert_eq!(sum, -15328);
}

#[test]
fn scripts_are_chosen_as_by_pgbench() {
    // The log of pgbench --random-seed=99 -c 2 -j 2 -l -f a@3 -f b@1 -f c@6.
    let expected = [
        [2, 2, 2, 2, 2, 2, 2, 2, 0, 2, 2, 1],
        [0, 0, 2, 2, 0, 2, 2, 2, 0, 1, 2, 1],
    ];
    for (number, expected) in expected.into_iter().enumerate() {
        let mut run = Run::of("", 12).with(|spec| {
            spec.scripts = scripts(&[("S0;", 3), ("S1;", 1), ("S2;", 6)]);
            spec.clients = 2;
            spec.random_seed = 99;
        });
        run.number = number;
        run.runs(all_well);
        assert_eq!(
            run.sent(),
            expected.map(|script| format!("simple S{script};"))
        );
        let counted = run.counted.borrow();
        for script in 0..3 {
            let chosen = expected.iter().filter(|&&number| number == script).count() as u64;
            let stats = &counted.scripts[&script];
            assert_eq!(stats.latencies.moments.count, chosen);
            assert_eq!(counted.commands[&script].latencies.moments.count, chosen);
        }
    }
}

#[test]
fn a_script_of_weight_zero_is_not_chosen() {
    let run = Run::of("", 100).with(|spec| {
        spec.scripts = scripts(&[("S0;", 0), ("S1;", 1), ("S2;", 0)]);
    });
    run.runs(all_well);
    assert_eq!(run.sent(), vec!["simple S1;"; 100]);
}

#[test]
fn a_script_has_the_variables_of_pgbench() {
    let script = "SELECT :scale, :client_id, :random_seed, :default_seed, :own;";
    let drawn = script::Streams::derive(42, 3, 3, None).default_seed;
    let mut run = Run::of(script, 1).with(|spec| {
        spec.clients = 3;
        spec.script_scale = Value::Int(7);
        spec.variables.insert("own".to_owned(), "a b".to_owned());
    });
    run.number = 2;
    run.runs(all_well);
    assert_eq!(
        run.sent(),
        [format!("simple SELECT 7, 2, 42, {drawn}, a b;")]
    );
    // Those of the call win.
    let run = Run::of("SELECT :scale, :client_id, :random_seed, :default_seed;", 1).with(|spec| {
        for (name, value) in [
            ("scale", "5"),
            ("client_id", "6"),
            ("random_seed", "x"),
            ("default_seed", "8"),
        ] {
            spec.variables.insert(name.to_owned(), value.to_owned());
        }
    });
    run.runs(all_well);
    assert_eq!(run.sent(), ["simple SELECT 5, 6, x, 8;"]);
}

#[test]
fn clients_of_a_share_are_counted_with_those_of_others() {
    let mut run = Run::of("SELECT :client_id, :pgperf_clients;", 1).with(|spec| {
        spec.clients = 3;
        spec.share = Some(Share {
            first_client: 4,
            clients: 9,
        });
    });
    run.number = 2;
    run.runs(all_well);
    assert_eq!(run.sent(), ["simple SELECT 6, 9;"]);
}

#[test]
fn a_given_default_seed_saves_a_draw() {
    let choices = |given: Option<&str>| {
        let run = Run::of("", 50).with(|spec| {
            spec.scripts = scripts(&[("S0;", 1), ("S1;", 1)]);
            if let Some(given) = given {
                spec.variables
                    .insert("default_seed".to_owned(), given.to_owned());
            }
        });
        run.runs(all_well);
        run.sent()
    };
    let expected = |default_seed| {
        let mut streams = script::Streams::derive(42, 1, 1, default_seed);
        let choice = &mut streams.threads[0].choice;
        let choose = |_| format!("simple S{};", script::choose_script(choice, &[1, 1]));
        (0..50).map(choose).collect::<Vec<_>>()
    };
    assert_eq!(choices(None), expected(None));
    assert_eq!(choices(Some("8")), expected(Some(8)));
    assert_eq!(choices(Some("eight")), expected(Some(0)));
    assert_ne!(expected(None), expected(Some(8)));
}

#[test]
fn a_further_segment_draws_anew_with_the_same_default_seed() {
    let draws = |segment| {
        let run = Run::of(
            "\\set x random(1, 1000000000)\nSELECT :default_seed, :x;",
            3,
        )
        .with(|spec| spec.segment = segment);
        run.runs(all_well);
        let sent = run.sent();
        let words = |text: &String| {
            let (seed, draw) = text.split_once(", ").unwrap();
            (seed.to_owned(), draw.to_owned())
        };
        sent.iter().map(words).collect::<Vec<_>>()
    };
    let segments: Vec<_> = (0..3).map(draws).collect();
    for (one, other) in [(0, 1), (0, 2), (1, 2)] {
        assert_eq!(segments[one][0].0, segments[other][0].0);
        for draw in &segments[one] {
            assert!(!segments[other].contains(draw), "{segments:?}");
        }
    }
    assert_eq!(draws(1), segments[1]);
    // Its streams derive from the seed and its number together.
    let seed = script::Prng::new(42 ^ 2).next_u64();
    let mut prng = script::Streams::derive(seed, 1, 1, Some(0)).clients[0];
    let first = script::random::uniform(&mut prng, 1, 1_000_000_000);
    assert_eq!(segments[2][0].1, format!("{first};"));
}

#[test]
fn a_client_beyond_the_streams_still_draws() {
    let mut run = Run::of("SELECT 1;", 1);
    run.number = 5;
    run.spec.sampling_rate = Some(1.0);
    run.runs(all_well);
    assert_eq!(run.sent(), ["simple SELECT 1;"]);
    assert_eq!(
        run.counted.borrow().entries,
        [],
        "it has no stream for the log"
    );
}
