//! The estimate against what a server of that size really has.

mod loads;
mod server;

use super::{Accesses, Curve, Follower, Remark, TIMES};
use loads::{Load, Random, cyclic, growing, orders, scanned, uniform, zipfian};
use server::{Server, hit_percent};

const ACCESSES: u64 = 300_000;

/// The curve from looks at that many buffers, after they have been under load for a while.
fn curve(mut load: Load, buffers: usize, coarser: u32, looks_a_round: f64) -> (Curve, Accesses) {
    let mut server = Server::new(buffers);
    let mut random = Random(7);
    for _ in 0..ACCESSES {
        server.access(load(&mut random));
    }
    let mut follower = Follower::new(buffers as u32, coarser);
    server.look(&mut follower);
    let (load, random) = (&mut load, &mut random);
    server.run(load, random, ACCESSES, &mut follower, looks_a_round);
    (server.counted, _) = (Accesses::default(), follower.begin());
    server.run(load, random, ACCESSES, &mut follower, looks_a_round);
    (follower.window().curve(&server.counted), server.counted)
}

fn at(curve: &Curve, times: f64) -> super::Point {
    curve.points[TIMES.iter().position(|known| *known == times).unwrap()]
}

/// How far the estimate is off at two and four times the size, in points; and whether the truth is within its bounds.
fn errors(load: &dyn Fn() -> Load, buffers: usize, coarser: u32, looks: f64) -> Vec<(f64, bool)> {
    let (curve, _) = curve(load(), buffers, coarser, looks);
    let error = |times: f64| {
        let point = at(&curve, times);
        let real = hit_percent(load(), (buffers as f64 * times) as usize, ACCESSES);
        let (low, high) = (point.low.unwrap(), point.high.unwrap());
        let error = point.hit_percent.unwrap() - real;
        if std::env::var_os("PGPERF_SHOW").is_some() {
            println!(
                "{buffers} x {times}: {real:.2}, estimated {:.2} ({low:.2} to {high:.2})",
                real + error
            );
        }
        // The truth itself is from a run of some length.
        (error, low - 0.5 <= real && real <= high + 0.5)
    };
    [2.0, 4.0].map(error).to_vec()
}

type Maker = Box<dyn Fn() -> Load>;

fn loads() -> [(&'static str, Maker); 7] {
    [
        ("uniform", Box::new(|| uniform(20_000))),
        ("small", Box::new(|| uniform(4_000))),
        ("slightly skewed", Box::new(|| zipfian(20_000, 0.8))),
        ("skewed", Box::new(|| zipfian(40_000, 1.1))),
        ("one warehouse", Box::new(|| orders(1))),
        ("four warehouses", Box::new(|| orders(4))),
        ("cyclic", Box::new(|| cyclic(1_000, 6_000))),
    ]
}

#[test]
fn the_estimate_is_within_two_points_of_the_real_ratio() {
    let mut within = Vec::new();
    for (name, load) in loads() {
        for (error, bounded) in errors(&*load, 2_048, 0, 4.0) {
            assert!(error.abs() < 2.0, "{name}: {error}");
            within.push(bounded);
        }
    }
    let outside = within.iter().filter(|bounded| !**bounded).count();
    assert!(outside <= 1, "{within:?}");
}

#[test]
fn few_looks_and_few_pages_still_do() {
    for (name, load) in loads() {
        for (error, _) in errors(&*load, 2_048, 1, 1.0) {
            assert!(error.abs() < 4.0, "{name}: {error}");
        }
    }
}

#[test]
fn too_few_looks_give_no_ratio() {
    let (curve, accesses) = curve(uniform(20_000), 1_024, 0, 0.2);
    assert!(matches!(curve.remark, Some(Remark::FewLooks(looks)) if looks < 0.5));
    assert_eq!(at(&curve, 2.0).high, None);
    let present = 100.0 * accesses.hits as f64 / (accesses.hits + accesses.reads) as f64;
    assert_eq!(at(&curve, 1.0).hit_percent, Some(present));
}

#[test]
fn where_nothing_has_to_leave_no_size_has_more_hits() {
    let (curve, _) = curve(uniform(1_000), 2_048, 0, 4.0);
    assert_eq!(curve.remark, Some(Remark::EverythingFits));
    assert!(
        curve
            .points
            .iter()
            .all(|point| point.hit_percent == Some(100.0))
    );
    assert_eq!(at(&curve, 4.0).low, None);
}

#[test]
fn without_accesses_there_is_no_ratio() {
    let mut server = Server::new(1_024);
    let mut load = uniform(20_000);
    let mut random = Random(1);
    let mut follower = Follower::new(1_024, 0);
    server.run(&mut load, &mut random, 20_000, &mut follower, 4.0);
    let nothing = follower.window().curve(&Accesses::default());
    assert!(
        nothing
            .points
            .iter()
            .all(|point| point.hit_percent.is_none())
    );
}

#[test]
fn a_few_reads_are_too_few() {
    let mut server = Server::new(2_048);
    let (mut load, mut random) = (uniform(20_000), Random(1));
    let mut follower = Follower::new(2_048, 0);
    server.run(&mut load, &mut random, 20_000, &mut follower, 4.0);
    follower.begin();
    server.counted = Accesses::default();
    server.run(&mut load, &mut random, 300, &mut follower, 4.0);
    let curve = follower.window().curve(&server.counted);
    assert!(matches!(curve.remark, Some(Remark::FewArrivals(1..100))));
    assert_eq!(at(&curve, 4.0).hit_percent, None);
}

#[test]
fn pages_of_scans_that_nobody_sees_are_in_the_bounds() {
    let (curve, accesses) = curve(scanned(4_000, 20_000), 2_048, 0, 4.0);
    let Some(Remark::Unseen(percent)) = curve.remark else {
        panic!("{:?}", curve.remark);
    };
    assert!((40.0..80.0).contains(&percent), "{percent}");
    // The larger one holds all pages but the scan's, which is half of all accesses.
    let point = at(&curve, 4.0);
    assert!(
        point.low.unwrap() < 51.0 && point.high.unwrap() > 95.0,
        "{point:?} {accesses:?}"
    );
    assert_eq!(point.hit_percent, None);
}

#[test]
fn what_is_added_to_a_file_is_no_read() {
    let (curve, accesses) = curve(growing(), 512, 0, 4.0);
    // Nothing comes back once it is gone.
    assert!(accesses.reads < 100, "{accesses:?}");
    assert!(matches!(curve.remark, Some(Remark::FewArrivals(_))));

    // A server that counts them as reads has misses that no size saves.
    let mut server = Server::new(512);
    let (mut load, mut random) = (growing(), Random(3));
    let mut follower = Follower::new(512, 0);
    server.run(&mut load, &mut random, 50_000, &mut follower, 4.0);
    let window = follower.window();
    assert!(
        window.extensions > 1_000 && window.arrivals < 100,
        "{} {}",
        window.extensions,
        window.arrivals
    );
}

#[test]
fn only_pages_that_are_somewhere_are_kept_in_mind() {
    let mut server = Server::new(1_024);
    let (mut load, mut random) = (uniform(50_000), Random(5));
    let mut follower = Follower::new(1_024, 0);
    server.run(&mut load, &mut random, 400_000, &mut follower, 4.0);
    // Those of the largest miniature, and some that only a smaller one or the server still has.
    assert!(follower.known() < 6 * 1_024 / 4, "{}", follower.known());
}
