//! Samples of a large catalog: neither a session's memory nor the sampler's grows with their number.

use crate::common::growth::{memory, warm_sampler};
use crate::common::runs::{NO_BUDGET, PATIENCE, Runs};
use crate::common::{Cluster, wait_until};

fn thousand_tables() -> Cluster {
    let cluster = Cluster::with_pgperf(&[
        "autovacuum = off",
        "max_locks_per_transaction = 512",
        NO_BUDGET,
    ]);
    cluster.connect().value(
        "DO $$ BEGIN FOR i IN 1..1000 LOOP \
             EXECUTE format('CREATE UNLOGGED TABLE many_%s (id int PRIMARY KEY)', i); \
             IF i % 500 = 0 THEN COMMIT; END IF; END LOOP; END $$",
    );
    cluster
}

/// What a process needs once (plans, caches, the largest sample) it has soon; then it must need no more.
fn expect_flat(early: f64, late: f64) {
    assert!(
        late < early + early / 10.0 + 1024.0,
        "{early} kB became {late} kB"
    );
}

#[test]
fn a_session_samples_a_thousand_tables_in_flat_memory() {
    let cluster = thousand_tables();
    let mut session = cluster.connect();
    let pid = session.number("SELECT pg_backend_pid()");
    let mut memory_after = |samples| {
        for _ in 0..samples {
            let failed = session.value(
                "SELECT string_agg(collector || ': ' || reason, '; ') FROM pgperf.snapshot() WHERE status = 'failed'",
            );
            assert_eq!(failed, "");
        }
        memory(pid).expect("the session")
    };
    let early = memory_after(20);
    expect_flat(early, memory_after(40));
}

#[test]
fn the_sampler_samples_a_thousand_tables_in_flat_memory() {
    let cluster = thousand_tables();
    let mut session = cluster.connect();
    session.value("UPDATE pgperf.collectors SET sample_interval = '1 s'");
    assert_eq!(session.value("SELECT pgperf.start_sampler()"), "t");
    let pid = warm_sampler(&mut session);
    let early = memory(pid).expect("the sampler");
    let samples = "SELECT count(*) FROM pgperf.samples WHERE cadence IS NOT NULL";
    let enough = session.number(samples) + 40;
    wait_until("samples of the sampler", PATIENCE, || {
        session.number(samples) >= enough
    });
    expect_flat(early, memory(pid).expect("the sampler"));
    let failed = "SELECT count(*) FROM pgperf.sample_outcomes WHERE status = 'failed'";
    assert_eq!(session.number(failed), 0);
}
