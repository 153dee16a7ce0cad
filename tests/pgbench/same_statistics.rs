//! The server's own statistics see a run as they see pgbench: statements, tables, autovacuum, commits.

use std::time::Duration;

use postgres::Client;

use crate::common::pair::{
    Load, OURS, QUERY_MODES, THEIRS, cluster_with_pair, execute, number, row, rows,
};
use crate::common::{Cluster, wait_until};

const SCRIPTS: [&str; 3] = ["tpcb-like", "simple-update", "select-only"];

/// What pg_stat_statements holds of this database.
fn statements(session: &mut Client, condition: &str) -> Vec<String> {
    rows(
        session,
        &format!(
            "SELECT s.queryid, s.toplevel, s.calls, s.plans, s.rows, s.query \
             FROM pg_stat_statements s JOIN pg_database d ON d.oid = s.dbid \
             WHERE d.datname = current_database() AND ({condition}) \
             ORDER BY s.query, s.queryid, s.toplevel"
        ),
    )
}

/// A queryid depends on the tables' OIDs, so both run in one database, one after the other. The number of
/// plans is compared too: that the plan cache goes over to generic plans at the same execution.
#[test]
fn pg_stat_statements_shows_the_same_statements() {
    // Not what pgbench itself asks before it begins, nor what the leader does.
    const SCRIPT_STATEMENTS: &str = "s.query ~ '^(BEGIN|END|INSERT INTO pgbench_|UPDATE pgbench_\
                                     |SELECT abalance FROM pgbench_)'";
    // Nothing else runs with every transaction.
    const AS_OFTEN_AS_TRANSACTIONS: &str = "s.calls >= 800";
    let cluster = cluster_with_pair(
        1,
        &[
            "pg_stat_statements.track = all",
            "pg_stat_statements.track_planning = on",
        ],
    );
    let mut session = cluster.connect_to(OURS);
    for (script, expected) in SCRIPTS.into_iter().zip([7, 5, 1]) {
        for query_mode in QUERY_MODES {
            let load = Load {
                script,
                query_mode,
                clients: 4,
                transactions: 200,
                seed: 3,
            };
            let mut shown = |run: &dyn Fn()| {
                row(&mut session, "SELECT pg_stat_statements_reset()");
                run();
                (
                    statements(&mut session, SCRIPT_STATEMENTS),
                    statements(&mut session, AS_OFTEN_AS_TRANSACTIONS),
                )
            };
            let theirs = shown(&|| load.by_pgbench(&cluster, OURS));
            let ours = shown(&|| load.by_pgperf(&cluster, OURS));
            assert_eq!(theirs.0.len(), expected, "{load:?}");
            assert_eq!(theirs, ours, "{load:?}");
        }
    }
}

#[test]
fn table_statistics_count_the_same_work() {
    const COUNTERS: &str = "SELECT t.relname, t.idx_scan, t.idx_tup_fetch, t.n_tup_ins, \
            t.n_tup_upd, t.n_tup_hot_upd, t.n_tup_del, t.n_live_tup, t.n_dead_tup, \
            t.n_mod_since_analyze, t.n_ins_since_vacuum \
        FROM pg_stat_user_tables t WHERE t.relname LIKE 'pgbench%' ORDER BY t.relname";
    let cluster = cluster_with_pair(1, &[]);
    let load = Load {
        script: "tpcb-like",
        query_mode: "prepared",
        clients: 1,
        transactions: 1000,
        seed: 3,
    };
    load.by_pgbench(&cluster, THEIRS);
    load.by_pgperf(&cluster, OURS);
    let (mut theirs, mut ours) = (cluster.connect_to(THEIRS), cluster.connect_to(OURS));
    // A process that ends reports what it has left; pgbench does not wait for that.
    let inserts = |session: &mut Client| {
        number(
            session,
            "SELECT sum(n_tup_ins)::bigint FROM pg_stat_user_tables \
             WHERE relname = 'pgbench_history'",
        )
    };
    wait_until("pgbench's statistics", Duration::from_secs(10), || {
        inserts(&mut theirs) == 1000
    });
    let counters = rows(&mut ours, COUNTERS);
    assert_eq!(counters.len(), 4);
    assert_eq!(rows(&mut theirs, COUNTERS), counters);
}

/// None of this happens unless the clients report their statistics, which the server's main loop does for
/// a backend and nobody for a worker.
#[test]
fn statistics_move_and_autovacuum_works_during_a_run() {
    const LIMIT: Duration = Duration::from_secs(20);
    // Far more than this session, the leader and autovacuum do in that time.
    const MANY: i64 = 1000;
    const COMMITS: &str =
        "SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()";
    const UPDATES: &str =
        "SELECT n_tup_upd FROM pg_stat_user_tables WHERE relname = 'pgbench_accounts'";
    const VACUUMED: &str = "SELECT count(*) FROM pg_stat_user_tables \
        WHERE autovacuum_count > 0 AND autoanalyze_count > 0 \
          AND relname IN ('pgbench_branches', 'pgbench_tellers', 'pgbench_accounts')";
    let cluster = Cluster::with_pgperf(&[
        "autovacuum_naptime = 1s",
        "autovacuum_vacuum_threshold = 100",
        "autovacuum_vacuum_scale_factor = 0",
        "autovacuum_analyze_threshold = 100",
        "autovacuum_analyze_scale_factor = 0",
        "autovacuum_vacuum_cost_delay = 0",
    ]);
    let mut session = cluster.connect();
    execute(&mut session, "CALL pgperf.init('tpcb-like', scale => 1)");
    execute(
        &mut session,
        "SELECT pgperf.start_run('tpcb-like', clients => 2, duration => '5 min')",
    );
    for query in [COMMITS, UPDATES] {
        for time in ["first", "second"] {
            let before = number(&mut session, query);
            wait_until(&format!("{query} moves for the {time} time"), LIMIT, || {
                number(&mut session, query) > before + MANY
            });
        }
    }
    wait_until("autovacuum of three tables", LIMIT, || {
        number(&mut session, VACUUMED) == 3
    });
    assert_eq!(
        row(&mut session, "SELECT pgperf.run_status()"),
        "running",
        "all that happened during the run"
    );
    assert_eq!(row(&mut session, "SELECT pgperf.stop_run()"), "t");
    assert_eq!(row(&mut session, "CALL pgperf.wait_run()"), "stopped");
}
