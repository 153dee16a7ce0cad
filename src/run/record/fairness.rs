//! How evenly the clients worked.

use crate::facts::metrics::Metric;

/// What one client did in the measured part.
#[derive(Clone, Copy, Debug)]
pub struct Share {
    pub transactions: u64,
    /// Time in these transactions.
    pub busy_ns: u64,
}

/// The metrics of a run's clients; None if nobody did anything.
pub fn metrics(clients: &[Share], shortest_ns: Option<u64>) -> Option<Vec<Metric>> {
    let shortest_ns = shortest_ns?;
    let transactions = spread(clients.iter().map(|client| client.transactions as f64))?;
    let seconds = spread(clients.iter().map(|client| client.busy_ns as f64 / 1e9))?;
    let known = |name, value| Metric::new(name, Some(value));
    Some(vec![
        known("latency_min_ms", shortest_ns as f64 / 1e6),
        known("client_transactions_stddev", transactions.1),
        known("client_time_avg_s", seconds.0),
        known("client_time_stddev_s", seconds.1),
    ])
}

/// Mean and standard deviation over all values, which are no sample of others; None without any.
fn spread(values: impl ExactSizeIterator<Item = f64> + Clone) -> Option<(f64, f64)> {
    let count = values.len() as f64;
    if count == 0.0 {
        return None;
    }
    let mean = values.clone().sum::<f64>() / count;
    let squares: f64 = values.map(|value| (value - mean).powi(2)).sum();
    Some((mean, (squares / count).sqrt()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn even_and_uneven_clients() {
        let share = |transactions, busy_ns| Share {
            transactions,
            busy_ns,
        };
        let values = |clients: &[Share]| -> Option<Vec<f64>> {
            let metrics = metrics(clients, Some(250_000))?;
            Some(
                metrics
                    .into_iter()
                    .filter_map(|metric| metric.value)
                    .collect(),
            )
        };
        let even = [share(20, 2_000_000_000); 3];
        assert_eq!(values(&even), Some(vec![0.25, 0.0, 2.0, 0.0]));
        let uneven = [share(10, 1_000_000_000), share(30, 3_000_000_000)];
        assert_eq!(values(&uneven), Some(vec![0.25, 10.0, 2.0, 1.0]));
        assert_eq!(values(&[]), None);
        assert!(metrics(&even, None).is_none());
    }
}
