//! An index that is missing: what the history proposes is built, and its estimates are compared with what the server then counts.

use crate::common::Cluster;
use crate::common::runs::Runs;
use postgres::Client;

/// Each customer has ten orders, far from each other.
const SHOP: &str = "CREATE SCHEMA shop;
    CREATE TABLE shop.orders (id int PRIMARY KEY, customer int, placed int, label text) WITH (autovacuum_enabled = false);
    INSERT INTO shop.orders SELECT n, n % 20000, n, repeat('x', 60) FROM generate_series(1, 200000) n;
    ANALYZE shop.orders;";

fn snapshot(session: &mut Client) {
    session.value("SELECT count(*) FROM pgperf.snapshot('{statements,plans}')");
}

/// So many calls, each of another customer: a third of the orders of each.
fn calls(session: &mut Client, count: usize) {
    for n in 0..count {
        let sql = format!(
            "SELECT sum(id) FROM shop.orders WHERE placed > 133333 AND customer = {}",
            n * 97
        );
        session.simple_query(&sql).expect("a call");
    }
}

/// Calls, milliseconds and blocks of the statement so far, and the time of all others.
fn counted(session: &mut Client) -> [f64; 4] {
    let row = session
        .query_one(
            "SELECT sum(calls) FILTER (WHERE x.it)::float8, sum(total_exec_time) FILTER (WHERE x.it), \
                    sum(shared_blks_hit + shared_blks_read) FILTER (WHERE x.it)::float8, sum(total_exec_time) \
             FROM pg_stat_statements, LATERAL (SELECT query LIKE 'SELECT sum(id) FROM shop.orders%' AS it) x \
             WHERE toplevel AND query !~* 'pgperf'",
            &[],
        )
        .expect("counters");
    [0, 1, 2, 3].map(|place| row.get(place))
}

const FINDING: &str = "FROM pgperf.findings((SELECT min(taken_at) FROM pgperf.samples), clock_timestamp()) WHERE rule = 'missing_index'";

#[test]
fn what_is_proposed_is_used_and_needs_as_many_blocks_as_estimated() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    session.batch_execute(SHOP).expect("a table");
    calls(&mut session, 1);
    snapshot(&mut session);
    let before = counted(&mut session);
    calls(&mut session, 200);
    let after = counted(&mut session);
    snapshot(&mut session);
    let [calls_made, time, blocks, of_all] =
        std::array::from_fn(|place| after[place] - before[place]);

    let figure = |session: &mut Client, name: &str| {
        session.float(&format!("SELECT figures ->> '{name}' {FINDING}"))
    };
    assert_eq!(
        session.value(&format!("SELECT string_agg(concat_ws(' ', severity, schema_name, object_name, figures ->> 'columns', figures ->> 'calls', part_of), ', ') {FINDING}")),
        "warning shop orders customer, placed 200"
    );
    let near = |told: f64, is: f64, by: f64| assert!((told - is).abs() <= by * is, "{told} {is}");
    near(
        figure(&mut session, "blocks_per_call"),
        blocks / calls_made,
        0.01,
    );
    let with_index = figure(&mut session, "blocks_with_index");
    let saved = time * (1.0 - with_index * calls_made / blocks);
    near(figure(&mut session, "saved_ms"), saved, 0.01);
    let share = session.float(&format!("SELECT time_percent {FINDING}"));
    near(share, 100.0 * saved / of_all, 0.05);
    near(figure(&mut session, "time_percent"), share, 0.0);

    // Statistics of a table are for those who may read it.
    session
        .batch_execute("CREATE ROLE watcher LOGIN; GRANT pg_monitor TO watcher; GRANT USAGE ON SCHEMA shop TO watcher")
        .expect("a role");
    let mut watcher = cluster.connect_as("watcher");
    let found = format!("SELECT count(*) {FINDING}");
    assert_eq!(watcher.value(&found), "0");
    session
        .batch_execute("GRANT SELECT ON shop.orders TO watcher")
        .expect("a grant");
    assert_eq!(watcher.value(&found), "1");

    let fix = session.value(&format!("SELECT fix_sql {FINDING}"));
    assert_eq!(
        fix,
        "CREATE INDEX CONCURRENTLY ON shop.orders (customer, placed)"
    );
    session.batch_execute(&fix).expect("what is proposed");
    session
        .batch_execute(
            "SET plan_cache_mode = force_generic_plan; PREPARE search(int, int) AS SELECT sum(id) FROM shop.orders WHERE placed > $1 AND customer = $2",
        )
        .expect("a statement");
    let plan = session
        .simple_query("EXPLAIN (COSTS off) EXECUTE search(1, 2)")
        .expect("a plan");
    let plan = format!("{plan:?}");
    assert!(plan.contains("orders_customer_placed_idx"), "{plan}");
    // Once is proposed enough.
    assert_eq!(session.value(&found), "0");

    let before = counted(&mut session);
    calls(&mut session, 200);
    let after = counted(&mut session);
    let [calls_made, time_now, blocks_now, _] =
        std::array::from_fn(|place| after[place] - before[place]);
    near(with_index, blocks_now / calls_made, 0.5);
    // Of the time of the statement nearly all is saved, as the blocks say.
    near((time - time_now) / time, saved / time, 0.1);
}
