//! Samples of a large catalog: their cost, and that neither a session's nor the sampler's memory grows with them.

use std::time::Instant;

use crate::common::runs::{PATIENCE, Runs};
use crate::common::{Cluster, wait_until};
use postgres::Client;

/// Kilobytes that a process of the server has for itself.
fn memory(session: &mut Client, pid: i64) -> i64 {
    session.number(&format!(
        "SELECT substring(pg_read_file('/proc/{pid}/status') FROM 'RssAnon:\\s*(\\d+)')"
    ))
}

#[test]
fn a_thousand_tables_are_sampled_in_flat_memory() {
    let cluster = Cluster::with_pgperf(&[
        "autovacuum = off",
        "max_locks_per_transaction = 512",
        "pgperf.sampler_budget_percent = 100",
    ]);
    let mut session = cluster.connect();
    session.value(
        "DO $$ BEGIN FOR i IN 1..1000 LOOP \
             EXECUTE format('CREATE UNLOGGED TABLE many_%s (id int PRIMARY KEY)', i); \
             IF i % 500 = 0 THEN COMMIT; END IF; END LOOP; END $$",
    );
    session.value("UPDATE pgperf.collectors SET sample_interval = '1 s'");
    assert_eq!(session.value("SELECT pgperf.start_sampler()"), "t");
    let own = session.number("SELECT pg_backend_pid()");
    let find = "SELECT pid FROM pg_stat_activity WHERE backend_type = 'pgperf sampler'";
    wait_until("the sampler", PATIENCE, || !session.value(find).is_empty());
    let sampler = session.number(find);

    // What a process needs once (plans, caches, the largest sample) it has soon; then it must need no more.
    let by_sampler = "SELECT count(*) FROM pgperf.samples WHERE cadence IS NOT NULL";
    let mut memory_after = |samples: i64| {
        let began = Instant::now();
        for _ in 0..samples {
            let failed = session.value(
                "SELECT string_agg(collector || ': ' || reason, '; ') FROM pgperf.snapshot() WHERE status = 'failed'",
            );
            assert_eq!(failed, "");
        }
        let enough = session.number(by_sampler) + samples / 2;
        wait_until("samples of the sampler", PATIENCE, || {
            session.number(by_sampler) >= enough
        });
        let memory = [own, sampler].map(|pid| memory(&mut session, pid));
        println!("{samples} samples: {:?}, {memory:?} kB", began.elapsed());
        memory
    };
    let early = memory_after(20);
    let late = memory_after(40);
    for (early, late) in early.iter().zip(late) {
        assert!(
            late < early + early / 10 + 1024,
            "{early} kB became {late} kB"
        );
    }
    assert_eq!(session.value("SELECT pgperf.stop_sampler()"), "t");
}
