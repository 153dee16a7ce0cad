//! How much memory the workers of a load take.

use crate::common::Cluster;
use crate::common::growth::memory;
use crate::common::runs::Runs;
use std::thread::{scope, sleep};
use std::time::Duration;

/// Building an index takes what the server's settings give it; here it is the least. What is left is pgperf's own.
const SETTINGS: [&str; 2] = ["max_wal_size = 4GB", "maintenance_work_mem = 1MB"];

/// The most kilobytes that a worker has for itself during a load with two workers.
fn most(arguments: &str) -> f64 {
    let cluster = Cluster::with_pgperf(&SETTINGS);
    let mut session = cluster.connect();
    let mut most = 0.0_f64;
    scope(|scope| {
        let load = scope.spawn(|| {
            let call = format!("CALL pgperf.init({arguments}, jobs => 2)");
            cluster.connect().value(&call);
        });
        while !load.is_finished() {
            let workers = session.value(
                "SELECT string_agg(pid::text, ' ') FROM pg_stat_activity WHERE backend_type LIKE 'pgperf%'",
            );
            let sizes = workers.split_whitespace().filter_map(memory);
            most = sizes.fold(most, f64::max);
            sleep(Duration::from_millis(20));
        }
    });
    println!("{arguments}: {most} kB");
    most
}

#[test]
fn it_does_not_grow_with_the_scale() {
    let [small, large] = [1, 10].map(|scale| most(&format!("'tpcc-like', scale => {scale}")));
    assert!(
        small > 0.0 && large < small + 1024.0,
        "{small} kB, {large} kB"
    );
}

/// It has what comments are made of, which is the same at every scale.
#[test]
fn the_text_of_tpch_like_takes_less_than_200_mb() {
    let most = most("'tpch-like', scale => 0.1");
    assert!((50_000.0..200_000.0).contains(&most), "{most} kB");
}
