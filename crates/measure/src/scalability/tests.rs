//! Fits with known answers.

use super::*;

/// SPEC SDM91 on a SPARCcenter 2000 and a ray tracer on a NUMA machine: Gunther, "Guerrilla Capacity Planning"
/// (2007), tables 5.1 and 6.1 with their text; the data sets specsdm91 and raytracer of R's package usl.
const SPECSDM91: [(f64, f64); 7] = [
    (1.0, 64.9),
    (18.0, 995.9),
    (36.0, 1652.4),
    (72.0, 1853.2),
    (108.0, 1828.9),
    (144.0, 1775.0),
    (216.0, 1702.2),
];
const RAYTRACER: [(f64, f64); 11] = [
    (1.0, 20.0),
    (4.0, 78.0),
    (8.0, 130.0),
    (12.0, 170.0),
    (16.0, 190.0),
    (20.0, 200.0),
    (24.0, 210.0),
    (28.0, 230.0),
    (32.0, 260.0),
    (48.0, 280.0),
    (64.0, 310.0),
];

fn assert_close(found: f64, known: f64, tolerance: f64) {
    assert!(
        (found - known).abs() <= tolerance * known.abs(),
        "{found} is not {known}"
    );
}

fn assert_estimate(found: Estimate, value: f64, standard_error: f64) {
    assert_close(found.value, value, 1e-5);
    assert_close(found.standard_error.unwrap(), standard_error, 1e-4);
}

/// README.md of R's package usl: alpha 0.0277285 (0.0091217), beta 0.0001044 (0.0000199), gamma 89.9952330
/// (14.2134894), residual standard error 82.8 on 4 degrees of freedom; its tests: peak at 97, fitted values 90,
/// 1078, 1541, 1850, 1879, 1822, 1646. Further digits from SciPy's curve_fit.
#[test]
fn it_agrees_with_r_where_throughput_has_a_peak() {
    let law = fit(&SPECSDM91).unwrap();
    assert_estimate(law.lambda, 89.9952, 14.2135);
    assert_estimate(law.sigma, 0.0277284, 0.0091218);
    assert_estimate(law.kappa, 1.043658e-4, 1.98767e-5);
    assert_close(law.residual_stddev.unwrap(), 82.84583, 1e-6);
    assert_close(law.r_squared.unwrap(), 0.98956148, 1e-7);
    let peak = law.peak().unwrap();
    assert_close(peak.clients, 96.5196, 1e-4);
    assert_close(peak.throughput, law.throughput(96.5196), 1e-9);
    assert_eq!(law.limit(), None);
    let fitted = [90.0, 1078.0, 1541.0, 1850.0, 1879.0, 1822.0, 1646.0];
    for ((clients, _), known) in SPECSDM91.iter().zip(fitted) {
        assert_eq!(law.throughput(*clients).round(), known);
    }
}

/// R's usl holds beta at 0 here: gamma 21.848843, alpha 0.057771. Errors from SciPy's curve_fit without beta.
#[test]
fn it_agrees_with_r_where_throughput_only_saturates() {
    let law = fit(&RAYTRACER).unwrap();
    assert_estimate(law.lambda, 21.848843, 1.257779);
    assert_estimate(law.sigma, 0.05777078, 0.00525798);
    assert_eq!((law.kappa.value, law.kappa.standard_error), (0.0, None));
    assert_close(law.residual_stddev.unwrap(), 8.8017536, 1e-6);
    assert_close(law.r_squared.unwrap(), 0.99069492, 1e-7);
    assert_eq!(law.peak(), None);
    assert_close(law.limit().unwrap(), 378.199, 1e-5);
}

/// The test of R's usl for coef: 0.02, 0.02 and 1.
#[test]
fn it_finds_the_law_that_made_the_data() {
    let made = [
        (1.0, 1.0),
        (2.0, 1.8868),
        (4.0, 3.0769),
        (6.0, 3.5294),
        (8.0, 3.5398),
        (10.0, 3.3557),
    ];
    let law = fit(&made).unwrap();
    assert_close(law.sigma.value, 0.02, 1e-3);
    assert_close(law.kappa.value, 0.02, 1e-3);
    assert_close(law.lambda.value, 1.0, 1e-4);
    for (lambda, sigma, kappa) in [
        (5000.0, 0.0, 0.0),
        (12_345.6, 0.3, 0.0),
        (0.5, 0.0, 0.004),
        (100_000.0, 0.9, 0.05),
        (700.0, 1.4, 0.01),
    ] {
        let law = [lambda, sigma, kappa];
        let made = [1.0, 2.0, 4.0, 8.0, 16.0, 64.0].map(|n| (n, lambda * n / denominator(&law, n)));
        let found = fit(&made).unwrap();
        assert_close(found.lambda.value, lambda, 1e-6);
        assert!((found.sigma.value - sigma).abs() < 1e-6, "{found:?}");
        assert!((found.kappa.value - kappa).abs() < 1e-6, "{found:?}");
        assert_close(found.r_squared.unwrap(), 1.0, 1e-9);
    }
}

#[test]
fn order_and_units_do_not_matter() {
    let law = fit(&SPECSDM91).unwrap();
    let mut turned = SPECSDM91.map(|(n, x)| (n, x * 1e6));
    turned.reverse();
    let other = fit(&turned).unwrap();
    assert_close(other.lambda.value, law.lambda.value * 1e6, 1e-6);
    assert_close(other.sigma.value, law.sigma.value, 1e-6);
    assert_close(other.kappa.value, law.kappa.value, 1e-6);
}

#[test]
fn as_many_observations_as_parameters_leave_no_error() {
    let law = fit(&[(1.0, 100.0), (4.0, 300.0), (16.0, 500.0)]).unwrap();
    assert!(law.kappa.value > 0.0);
    assert_eq!(
        (law.lambda.standard_error, law.residual_stddev),
        (None, None)
    );
    assert_close(law.r_squared.unwrap(), 1.0, 1e-9);
}

#[test]
fn what_cannot_be_fitted_says_why() {
    assert_eq!(fit(&[]), Err(NoFit::TooFewLoads));
    assert_eq!(
        fit(&[(1.0, 5.0), (2.0, 9.0), (2.0, 8.0), (1.0, 6.0)]),
        Err(NoFit::TooFewLoads)
    );
    assert_eq!(
        fit(&[(1.0, 0.0), (2.0, 0.0), (4.0, 0.0)]),
        Err(NoFit::NoThroughput)
    );
    // The same throughput whatever the load: all of the work waits for others.
    let flat = fit(&[(1.0, 50.0), (2.0, 50.0), (4.0, 50.0), (8.0, 50.0)]).unwrap();
    assert_close(flat.sigma.value, 1.0, 1e-9);
    assert_eq!(flat.r_squared, None);
    // Falling from the first client on: the peak is there.
    let falling = fit(&[(1.0, 90.0), (2.0, 60.0), (4.0, 30.0), (8.0, 12.0)]).unwrap();
    assert_eq!(falling.peak().map(|peak| peak.clients), Some(1.0));
    // More than twice as much from twice as many: no contention, and none below none.
    let steep = fit(&[(1.0, 10.0), (2.0, 25.0), (4.0, 70.0)]).unwrap();
    assert_eq!((steep.sigma.value, steep.kappa.value), (0.0, 0.0));
    assert_eq!((steep.peak(), steep.limit()), (None, None));
}

#[test]
fn reasons_are_told_in_words() {
    assert_eq!(
        NoFit::TooFewLoads.to_string(),
        "needs at least 3 numbers of clients"
    );
    assert_eq!(NoFit::NoThroughput.to_string(), "there was no throughput");
    assert_eq!(NoFit::Diverges.to_string(), "the law does not fit");
}

#[test]
fn it_starts_from_the_throughput_of_a_client_at_the_smallest_load_that_has_some() {
    let observations = [(8.0, 200.0), (1.0, 0.0), (4.0, 120.0)];
    let clients = starts(&observations).into_iter().map(|start| start[0]);
    assert_eq!(clients.collect::<Vec<_>>(), [30.0; 3]);
    assert_eq!(starts(&[(1.0, 0.0)])[0][0], 1.0);
}

#[test]
fn equations_that_have_no_solution_are_told_apart() {
    let right = [2.0, 3.0, 4.0];
    let unit = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    assert_eq!(solve(unit, right), Some(right));
    let twice = [[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    assert_eq!(solve(twice, right), None);
    let nothing = [[1.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 1.0]];
    assert_eq!(solve(nothing, right), None);
    let endless = [[1.0, 0.0, 0.0], [0.0, f64::INFINITY, 0.0], [0.0, 0.0, 1.0]];
    assert_eq!(solve(endless, right), None);
}
