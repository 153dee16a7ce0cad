//! The Universal Scalability Law, fitted to throughput at several numbers of clients.
//!
//! N. J. Gunther, "A General Theory of Computational Scalability Based on Rational Functions" (2008): with N clients
//! X(N) = λ N / (1 + σ (N - 1) + κ N (N - 1)), where λ is the throughput of one client, σ the part of the work that
//! waits for others (contention) and κ the cost, for each pair of clients, of keeping copies consistent (coherency).
//! Fitted by
//! nonlinear least squares with λ > 0 and σ, κ >= 0, as R's package usl does.

/// Fewer loads than parameters leave the law undetermined.
pub const MIN_LOADS: usize = 3;

/// A parameter as fitted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    pub value: f64,
    /// None: as many observations as parameters, or the value is held at its bound of 0.
    pub standard_error: Option<f64>,
}

/// The law with the parameters that fit best.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scalability {
    /// Throughput of one client.
    pub lambda: Estimate,
    /// Contention.
    pub sigma: Estimate,
    /// Coherency.
    pub kappa: Estimate,
    /// Part of the variance that the law explains; None: the throughput does not vary.
    pub r_squared: Option<f64>,
    /// Standard deviation of the observations around the law; None: as many observations as parameters.
    pub residual_stddev: Option<f64>,
}

/// Where throughput is highest.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Peak {
    pub clients: f64,
    pub throughput: f64,
}

/// Why there is no fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoFit {
    TooFewLoads,
    NoThroughput,
    Diverges,
}

impl std::fmt::Display for NoFit {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            NoFit::TooFewLoads => write!(f, "needs at least {MIN_LOADS} numbers of clients"),
            NoFit::NoThroughput => write!(f, "there was no throughput"),
            NoFit::Diverges => write!(f, "the law does not fit"),
        }
    }
}

/// λ, σ, κ.
type Parameters = [f64; 3];
type Matrix = [[f64; 3]; 3];

const ITERATIONS: usize = 500;
/// Relative change of the sum of squares below which a fit is done.
const TOLERANCE: f64 = 1e-14;

/// Fits the law to observations of (clients, throughput), in any order; a number of clients may occur several times.
pub fn fit(observations: &[(f64, f64)]) -> Result<Scalability, NoFit> {
    let mut loads: Vec<f64> = observations.iter().map(|(n, _)| *n).collect();
    loads.sort_by(f64::total_cmp);
    loads.dedup();
    if loads.len() < MIN_LOADS {
        return Err(NoFit::TooFewLoads);
    }
    if observations.iter().all(|(_, x)| *x <= 0.0) {
        return Err(NoFit::NoThroughput);
    }
    // The best fit is inside the bounds, or on one of them or both.
    [
        [true, true, true],
        [true, true, false],
        [true, false, true],
        [true, false, false],
    ]
    .into_iter()
    .filter_map(|free| {
        let parameters = fit_free(observations, free)?;
        let within = parameters.iter().all(|value| *value >= 0.0) && parameters[0] > 0.0;
        within.then(|| (free, parameters, squares(observations, &parameters)))
    })
    .min_by(|(.., a), (.., b)| a.total_cmp(b))
    .map(|(free, parameters, squares)| describe(observations, free, &parameters, squares))
    .ok_or(NoFit::Diverges)
}

impl Scalability {
    /// Throughput with this number of clients.
    pub fn throughput(&self, clients: f64) -> f64 {
        let parameters = [self.lambda.value, self.sigma.value, self.kappa.value];
        parameters[0] * clients / denominator(&parameters, clients)
    }

    /// None: without coherency cost it grows for ever, see [`Scalability::limit`].
    pub fn peak(&self) -> Option<Peak> {
        if self.kappa.value <= 0.0 {
            return None;
        }
        let clients = ((1.0 - self.sigma.value) / self.kappa.value)
            .max(1.0)
            .sqrt();
        Some(Peak {
            clients,
            throughput: self.throughput(clients),
        })
    }

    /// The limit of throughput without a peak; None: there is a peak, or no limit either.
    pub fn limit(&self) -> Option<f64> {
        (self.kappa.value <= 0.0 && self.sigma.value > 0.0)
            .then(|| self.lambda.value / self.sigma.value)
    }
}

fn denominator(parameters: &Parameters, n: f64) -> f64 {
    1.0 + parameters[1] * (n - 1.0) + parameters[2] * n * (n - 1.0)
}

/// The sum of squared residuals; infinite where the law has a pole.
fn squares(observations: &[(f64, f64)], parameters: &Parameters) -> f64 {
    let mut sum = 0.0;
    for (n, x) in observations {
        let denominator = denominator(parameters, *n);
        if denominator <= 0.0 {
            return f64::INFINITY;
        }
        sum += (x - parameters[0] * n / denominator).powi(2);
    }
    sum
}

/// The parameters that are free, by Levenberg and Marquardt's method from several starts; the others are 0.
fn fit_free(observations: &[(f64, f64)], free: [bool; 3]) -> Option<Parameters> {
    starts(observations)
        .into_iter()
        .filter_map(|start| descend(observations, free, start))
        .min_by(|(_, a), (_, b)| a.total_cmp(b))
        .map(|(parameters, _)| parameters)
}

/// Little and much contention, at the throughput of a client at the smallest load.
fn starts(observations: &[(f64, f64)]) -> Vec<Parameters> {
    let working = observations.iter().filter(|(_, x)| *x > 0.0);
    let per_client = working
        .min_by(|a, b| a.0.total_cmp(&b.0))
        .map_or(1.0, |(n, x)| x / n);
    vec![
        [per_client, 0.01, 1e-4],
        [per_client, 0.1, 1e-2],
        [per_client, 0.5, 0.0],
    ]
}

fn descend(
    observations: &[(f64, f64)],
    free: [bool; 3],
    start: Parameters,
) -> Option<(Parameters, f64)> {
    let mut parameters = start;
    for (value, free) in parameters.iter_mut().zip(free) {
        *value = if free { *value } else { 0.0 };
    }
    let mut error = squares(observations, &parameters);
    let mut damping = 1e-3;
    for _ in 0..ITERATIONS {
        let (normal, gradient) = normal_equations(observations, free, &parameters);
        let mut damped = normal;
        for (i, row) in damped.iter_mut().enumerate() {
            row[i] *= 1.0 + damping;
        }
        let step = solve(damped, gradient)?;
        let next: Parameters = std::array::from_fn(|i| parameters[i] + step[i]);
        let next_error = squares(observations, &next);
        if next_error.is_finite() && next_error <= error {
            let done = error - next_error <= TOLERANCE * error;
            (parameters, error) = (next, next_error);
            damping = (damping * 0.1).max(1e-12);
            if done {
                return Some((parameters, error));
            }
        } else {
            damping *= 10.0;
            // No step is small enough to improve it: this is the minimum, to the last digit.
            if damping > 1e12 {
                return Some((parameters, error));
            }
        }
    }
    Some((parameters, error))
}

/// JᵀJ and Jᵀr of the free parameters; the row and column of one that is not free are those of the unit matrix.
fn normal_equations(
    observations: &[(f64, f64)],
    free: [bool; 3],
    parameters: &Parameters,
) -> (Matrix, Parameters) {
    let mut normal = Matrix::default();
    let mut gradient = Parameters::default();
    for (n, x) in observations {
        let denominator = denominator(parameters, *n);
        let unit = n / denominator;
        let slope = -parameters[0] * unit / denominator * (n - 1.0);
        let mut derivatives = [unit, slope, slope * n];
        for (derivative, free) in derivatives.iter_mut().zip(free) {
            *derivative = if free { *derivative } else { 0.0 };
        }
        let residual = x - parameters[0] * unit;
        for i in 0..3 {
            gradient[i] += derivatives[i] * residual;
            for j in 0..3 {
                normal[i][j] += derivatives[i] * derivatives[j];
            }
        }
    }
    for i in 0..3 {
        if !free[i] {
            normal[i][i] = 1.0;
        }
    }
    (normal, gradient)
}

/// Solves a symmetric positive definite system, scaled to a diagonal of ones since the parameters differ by orders of
/// magnitude; None: it is singular.
fn solve(matrix: Matrix, right: Parameters) -> Option<Parameters> {
    let scale: Parameters = std::array::from_fn(|i| matrix[i][i].sqrt());
    if scale
        .iter()
        .any(|scale| *scale <= 0.0 || !scale.is_finite())
    {
        return None;
    }
    let mut a: Matrix =
        std::array::from_fn(|i| std::array::from_fn(|j| matrix[i][j] / (scale[i] * scale[j])));
    let mut b: Parameters = std::array::from_fn(|i| right[i] / scale[i]);
    for pivot in 0..3 {
        if a[pivot][pivot] < 1e-13 {
            return None;
        }
        for row in pivot + 1..3 {
            let factor = a[row][pivot] / a[pivot][pivot];
            let above = a[pivot];
            for (value, above) in a[row].iter_mut().zip(above) {
                *value -= factor * above;
            }
            b[row] -= factor * b[pivot];
        }
    }
    for row in (0..3).rev() {
        let known: f64 = (row + 1..3).map(|column| a[row][column] * b[column]).sum();
        b[row] = (b[row] - known) / a[row][row];
    }
    Some(std::array::from_fn(|i| b[i] / scale[i]))
}

/// Errors as of a linear fit at the minimum: the residual variance times the inverse of JᵀJ.
fn describe(
    observations: &[(f64, f64)],
    free: [bool; 3],
    parameters: &Parameters,
    squares: f64,
) -> Scalability {
    let count = observations.len();
    let fitted = free.iter().filter(|free| **free).count();
    let variance = (count > fitted).then(|| squares / (count - fitted) as f64);
    let (normal, _) = normal_equations(observations, free, parameters);
    let estimate = |i: usize| {
        let mut unit = Parameters::default();
        unit[i] = 1.0;
        let inverse = solve(normal, unit).map(|column| column[i]);
        let error = variance
            .zip(inverse)
            .map(|(v, inverse)| (v * inverse).sqrt());
        Estimate {
            value: parameters[i],
            standard_error: error.filter(|_| free[i]),
        }
    };
    let mean = observations.iter().map(|(_, x)| x).sum::<f64>() / count as f64;
    let total: f64 = observations.iter().map(|(_, x)| (x - mean).powi(2)).sum();
    Scalability {
        lambda: estimate(0),
        sigma: estimate(1),
        kappa: estimate(2),
        r_squared: (total > 0.0).then(|| 1.0 - squares / total),
        residual_stddev: variance.map(f64::sqrt),
    }
}

#[cfg(test)]
mod tests;
