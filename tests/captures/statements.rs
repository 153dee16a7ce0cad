//! The statements of a capture under two configurations.

use super::{preloaded, refusal, start, stop, until};
use crate::common::pair::pgbench;
use crate::common::runs::Runs;

#[test]
fn a_statement_that_gets_slower_or_faster_is_named() {
    let cluster = preloaded(&[]);
    let mut session = cluster.connect();
    session
        .batch_execute(
            "CREATE SCHEMA shop; CREATE TYPE shop.state AS ENUM ('new', 'paid');
             CREATE TABLE shop.orders (id int PRIMARY KEY, customer int, state shop.state, at timestamptz);
             INSERT INTO shop.orders SELECT n, n % 2000, 'paid', now() FROM generate_series(1, 20000) n; ANALYZE shop.orders;
             CREATE FUNCTION shop.foreign_one() RETURNS int LANGUAGE sql AS 'SELECT 1';
             CREATE ROLE app; ALTER FUNCTION shop.foreign_one() OWNER TO app; GRANT USAGE ON SCHEMA shop TO app",
        )
        .expect("tables");
    start(&mut session, "monday", ", application_names => '{till}'");
    let mut till = cluster
        .config()
        .application_name("till")
        .options("-c search_path=shop")
        .connect(postgres::NoTls)
        .expect("a session");
    for id in 1..=30 {
        till.query("SELECT at FROM orders WHERE id = $1", &[&id])
            .expect("a row");
        till.query(
            "SELECT count(*) FROM orders WHERE customer = $1 AND at > $2",
            &[&id, &std::time::UNIX_EPOCH],
        )
        .expect("a row");
    }
    till.query(
        "SELECT count(*) FROM orders WHERE state = 'new' AND $1::text IS NULL",
        &[&"x"],
    )
    .expect("a row");
    till.batch_execute("SELECT foreign_one()").expect("a row");
    till.batch_execute("UPDATE orders SET at = now() WHERE id = 5")
        .expect("a change");
    drop(till);
    stop(&cluster, &mut session, "monday");

    let columns = "left(statement, 43) AS statement, calls, tested, verdict, plan_changed, baseline_blocks < candidate_blocks AS more, error";
    let ask = |arguments: &str| {
        format!(
            "SELECT string_agg(concat_ws(' ', statement, calls, tested, verdict, plan_changed, more, error), E'\\n' ORDER BY statement, calls) \
               FROM (SELECT {columns} FROM pgperf.test_statements('monday', {arguments})) r"
        )
    };
    // By the primary key, or without any index.
    let slower = session.value(&ask("candidate => '{\"enable_indexscan\": \"off\", \"enable_bitmapscan\": \"off\", \"enable_indexonlyscan\": \"off\"}'"));
    let line = |shown: &str, part: &str| {
        shown
            .lines()
            .find(|line| line.contains(part))
            .unwrap_or_else(|| panic!("{part} in {shown}"))
            .to_owned()
    };
    let by_key = line(&slower, "SELECT at FROM orders WHERE id");
    assert!(
        by_key.contains(" slower t t") && by_key.contains(" 30 "),
        "{by_key}"
    );
    assert!(line(&slower, "customer").contains(" f f"), "{slower}");
    assert!(
        line(&slower, "foreign_one").contains("another role"),
        "{slower}"
    );
    assert!(!slower.contains("UPDATE"), "{slower}");

    // An index that is there for the candidate alone.
    let faster = session.value(&ask(
        "candidate_sql => 'CREATE INDEX ON shop.orders (customer)', writes => true",
    ));
    let by_customer = line(&faster, "customer");
    assert!(by_customer.contains(" faster t f"), "{by_customer}");
    assert!(line(&faster, "UPDATE orders").contains(" 1 1 "), "{faster}");
    assert_eq!(
        session.number("SELECT count(*) FROM pg_index WHERE indrelid = 'shop.orders'::regclass"),
        1
    );
    assert_eq!(
        session.number("SELECT count(*) FROM shop.orders WHERE at < '2020-01-01'"),
        0
    );

    for (arguments, part) in [
        ("'monday'", "the same"),
        (
            "NULL, candidate => '{\"work_mem\": \"64MB\"}'",
            "capture must not be NULL",
        ),
        (
            "'tuesday', candidate => '{\"work_mem\": \"64MB\"}'",
            "no capture",
        ),
        (
            "'monday', candidate => '{\"work_mem\": \"much\"}'",
            "work_mem",
        ),
        ("'monday', candidate => '{\"no_such\": \"1\"}'", "no_such"),
        ("'monday', candidate => '[1]'", "candidate"),
        (
            "'monday', candidate_sql => 'CREATE INDEX ON nowhere (x)'",
            "nowhere",
        ),
        (
            "'monday', candidate => '{\"work_mem\": \"64MB\"}', samples => 1",
            "samples",
        ),
        (
            "'monday', candidate => '{\"work_mem\": \"64MB\"}', budget => '0'",
            "budget",
        ),
    ] {
        let refused = refusal(
            &mut session,
            &format!("pgperf.test_statements({arguments})"),
        );
        assert!(refused.contains(part), "{arguments}: {refused}");
    }
}

#[test]
fn blocks_are_those_of_the_capture_itself() {
    let cluster = preloaded(&["shared_preload_libraries = 'pg_stat_statements, pgperf'"]);
    let mut session = cluster.connect();
    pgbench(&cluster, &["-i", "-q", "-s", "5", "postgres"]);
    session.value("SELECT pg_stat_statements_reset()");
    start(&mut session, "a", ", application_names => '{pgbench}'");
    pgbench(
        &cluster,
        &[
            "-n", "-S", "-c", "1", "-t", "300", "-M", "prepared", "postgres",
        ],
    );
    until(
        &mut session,
        "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'pgbench'",
        "0",
    );
    stop(&cluster, &mut session, "a");
    let tested = session.float(
        "SELECT baseline_blocks FROM pgperf.test_statements('a', candidate => '{\"work_mem\": \"64MB\"}') WHERE statement LIKE 'SELECT abalance%'",
    );
    let counted = session.float(
        "SELECT (shared_blks_hit + shared_blks_read)::float8 / calls FROM pg_stat_statements WHERE query LIKE 'SELECT abalance%'",
    );
    assert!(
        (tested - counted).abs() <= 0.02 * counted + 0.5,
        "{tested} {counted}"
    );
}
