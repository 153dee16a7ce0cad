//! Curves of known counts, with figures worked out apart from this code.

use super::super::Follower;
use super::*;

/// How many of 20 parts of the arrivals missed at each size.
const MISSED: [u64; SIZES] = [19, 16, 13, 10, 8, 7, 6];

/// A window over 8,000 buffers, of which one in eight is followed.
fn window() -> Window {
    let mut window = Follower::new(8_000, 1).window().clone();
    assert_eq!(window.shift, 3);
    (window.looks, window.passed, window.replaced) = (10, 20_000, 2_000);
    (window.arrivals, window.extensions) = (3_200, 50);
    window.before = [1_000.0, 200.0];
    window.entries = [100, 150, 190, 260, 310, 370, 480];
    window.filled = [true; SIZES];
    for (tally, missed) in window.tallies.iter_mut().zip(MISSED) {
        // As many in each bucket.
        for number in 0..3_200u64 {
            tally.arrival(number << 48, number / 32 % 20 < missed);
        }
    }
    window
}

fn accesses(reads: u64, reads_have_extensions: bool) -> Accesses {
    Accesses {
        hits: 90_000,
        reads,
        reads_have_extensions,
    }
}

fn assert_near(value: Option<f64>, known: f64) {
    let value = value.unwrap();
    assert!((value - known).abs() < 1e-9, "{value} is not {known}");
}

/// The bounds, and the ratio between them, at some sizes.
fn assert_points(curve: &Curve, known: [(usize, f64, f64, f64); 3]) {
    for (size, low, ratio, high) in known {
        assert_near(curve.points[size].low, low);
        assert_near(curve.points[size].hit_percent, ratio);
        assert_near(curve.points[size].high, high);
    }
}

#[test]
fn extensions_are_no_misses_that_a_larger_size_saves() {
    let known = [
        (
            1,
            78.905_215_117_036_66,
            80.396_688_086_996_9,
            81.888_161_056_962_35,
        ),
        (
            4,
            88.142_120_260_459_08,
            89.929_560_059_317_85,
            91.716_999_858_176_6,
        ),
        (
            6,
            91.006_164_119_984_86,
            92.312_778_052_097_42,
            93.619_391_984_81,
        ),
    ];
    let curve = window().curve(&accesses(29_000, true));
    assert_eq!(curve.remark, None);
    assert_near(curve.points[0].hit_percent, 75.630_252_100_840_34);
    assert_points(&curve, known);
    // Where reads are only reads.
    let known = [
        (
            1,
            78.979_086_463_266_65,
            80.504_201_680_672_27,
            82.029_316_898_077_88,
        ),
        (
            3,
            86.095_800_003_545_56,
            87.815_126_050_420_16,
            89.534_452_097_294_77,
        ),
        (
            5,
            90.046_624_885_636_39,
            91.470_588_235_294_12,
            92.894_551_584_951_86,
        ),
    ];
    assert_points(&window().curve(&accesses(29_000, false)), known);
}

#[test]
fn reads_that_no_look_saw_may_be_saved_or_not() {
    let curve = window().curve(&accesses(40_000, true));
    let known = [
        (
            1,
            72.042_546_496_239_85,
            73.323_076_923_076_92,
            84.449_761_196_067_83,
        ),
        (
            4,
            79.973_054_339_271_6,
            81.507_692_307_692_31,
            92.888_484_122_266_85,
        ),
        (
            6,
            82.432_029_714_474,
            83.553_846_153_846_15,
            94.521_816_439_372_15,
        ),
    ];
    assert_points(&curve, known);
    assert!(matches!(curve.remark, Some(Remark::Unseen(percent)) if (percent - 32.0).abs() < 1e-9));
}

#[test]
fn bounds_that_are_far_apart_have_no_ratio_between_them() {
    let curve = window().curve(&accesses(90_000, true));
    let point = curve.points[1];
    assert!(point.low.unwrap() + WIDEST < point.high.unwrap());
    assert_eq!(point.hit_percent, None);
}

#[test]
fn a_size_that_nothing_has_left_misses_first_accesses_alone() {
    let mut window = window();
    window.filled[6] = false;
    assert_eq!(window.saved(6).map(|saved| saved.value), None);
    for number in 0..4_000 {
        window.firsts.arrival(number % 4 == 0);
    }
    let saved = window.saved(6).unwrap();
    assert!((saved.value - 0.75).abs() < 1e-9);
    assert!(saved.low > 0.7 && saved.low < 0.75, "{}", saved.low);
    assert!(saved.high > 0.75 && saved.high < 0.8, "{}", saved.high);
}

#[test]
fn few_arrivals_at_a_size_say_nothing() {
    let mut window = window();
    window.tallies[2] = Default::default();
    (1..LEAST_ARRIVALS).for_each(|number| window.tallies[2].arrival(number << 48, false));
    let curve = window.curve(&accesses(29_000, true));
    assert_eq!(curve.points[2].low, None);
    assert!(curve.points[3].low.is_some());
    window.arrivals = LEAST_ARRIVALS;
    assert_eq!(window.obstacle(), None);
    window.arrivals -= 1;
    assert_eq!(window.obstacle(), Some(Remark::FewArrivals(99)));
    window.passed = 160_000;
    assert_eq!(window.obstacle(), Some(Remark::FewArrivals(99)));
    window.passed = 160_001;
    assert!(matches!(window.obstacle(), Some(Remark::FewLooks(_))));
}

#[test]
fn a_clock_that_moves_without_replacing_says_that_everything_fits() {
    let mut window = window();
    window.replaced = 0;
    let curve = window.curve(&accesses(4_000, true));
    assert_eq!(curve.remark, Some(Remark::EverythingFits));
    window.replaced = 1;
    let curve = window.curve(&accesses(4_000, true));
    assert_ne!(curve.remark, Some(Remark::EverythingFits));
}
