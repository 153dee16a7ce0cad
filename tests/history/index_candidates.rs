//! What pg_qualstats and hypopg add to the index that a plan lacks, against the rows themselves and the planner's own word.

use crate::common::runs::Runs;
use crate::common::{Cluster, StopMode};
use postgres::Client;

const PRELOADED: &str = "shared_preload_libraries = 'pg_stat_statements, pg_qualstats'";
const ALL_CALLS: &str = "pg_qualstats.sample_rate = 1";
/// In schemas whose names have to be quoted.
const QUALSTATS: &str =
    "CREATE SCHEMA \"Odd one\"; CREATE EXTENSION pg_qualstats SCHEMA \"Odd one\"";
const HYPOPG: &str = "CREATE SCHEMA \"Odd too\"; CREATE EXTENSION hypopg SCHEMA \"Odd too\"";

/// The town tells the zip: conditions on both hold together for far more rows than each for itself would say.
const SHOP: &str = "CREATE SCHEMA shop;
    CREATE TABLE shop.houses (id int PRIMARY KEY, town int, zip int, street int, label text) WITH (autovacuum_enabled = false);
    INSERT INTO shop.houses SELECT n, n % 500, n % 500, n % 20000, repeat('x', 60) FROM generate_series(1, 200000) n;
    ANALYZE shop.houses;";

fn snapshot(session: &mut Client) {
    session.value("SELECT count(*) FROM pgperf.snapshot('{statements,plans}') WHERE status <> 'ok' OR reason IS NOT NULL");
}

/// So many calls; every tenth finds nothing.
fn calls(session: &mut Client, count: i64) {
    for n in 0..count {
        let zip = if n % 10 == 0 { n + 1 } else { n };
        session
            .simple_query(&format!(
                "SELECT max(label) FROM shop.houses WHERE town = {n} AND zip = {zip}"
            ))
            .expect("a call");
    }
}

/// Columns of the newest row of the statement.
fn planned(session: &mut Client, columns: &str) -> String {
    session.value(&format!(
        "SELECT concat_ws('|', {columns}) FROM pgperf.plan_history h JOIN pgperf.statement_texts t USING (node_id, queryid, dbid) \
         WHERE t.query LIKE 'SELECT max(label)%' ORDER BY h.sample_id DESC LIMIT 1"
    ))
}

/// Of the finding.
fn found(session: &mut Client, columns: &str) -> String {
    session.value(&format!(
        "SELECT coalesce(string_agg(concat_ws('|', {columns}), ', '), 'none') \
         FROM pgperf.findings((SELECT min(taken_at) FROM pgperf.samples), clock_timestamp()) WHERE rule = 'missing_index'"
    ))
}

/// A table, calls between two samples, and the plan.
fn searched(session: &mut Client) {
    session.batch_execute(SHOP).expect("a table");
    calls(session, 10);
    snapshot(session);
    session
        .batch_execute("DELETE FROM pgperf.plan_history")
        .expect("planned again");
    calls(session, 100);
    snapshot(session);
}

#[test]
fn the_rows_that_an_index_finds_are_those_that_qualstats_counted() {
    let cluster = Cluster::with_pgperf(&[PRELOADED, ALL_CALLS]);
    let mut session = cluster.connect();
    session.batch_execute(QUALSTATS).expect("the extension");
    searched(&mut session);
    // Each town has 400 houses: nine of ten calls find all of them, where the statistics expect one.
    assert_eq!(
        planned(
            &mut session,
            "index_relation::regclass, index_columns, index_rows, index_cost"
        ),
        "shop.houses|town, zip|360"
    );
    let figures = "figures ->> 'columns', figures ->> 'rows_found', figures ->> 'rows_counted', round((figures ->> 'blocks_with_index')::numeric)";
    assert_eq!(
        found(&mut session, figures),
        format!("town, zip|360.0|true|{}", 3 + 2 + 360)
    );
    // A condition that the index does not have leaves the estimate: what passed all of them is less than what the index finds.
    session
        .batch_execute("UPDATE pgperf.plan_texts SET plan = replace(plan, '(houses.zip = $2)', '(length(houses.label) = $2)')")
        .expect("another plan");
    let estimate = "figures ->> 'columns', (figures ->> 'rows_found')::float8 BETWEEN 380 AND 420, figures ->> 'rows_counted'";
    assert_eq!(found(&mut session, estimate), "town|t|false");
}

#[test]
fn a_list_of_values_and_two_searches_of_one_table_are_estimated() {
    let cluster = Cluster::with_pgperf(&[PRELOADED, ALL_CALLS]);
    let mut session = cluster.connect();
    session.batch_execute(QUALSTATS).expect("the extension");
    session.batch_execute(SHOP).expect("a table");
    snapshot(&mut session);
    for n in 0..10 {
        session
            .simple_query(&format!(
                "SELECT max(label) FROM shop.houses WHERE street IN ({n}, {})",
                n + 1
            ))
            .expect("a call");
    }
    snapshot(&mut session);
    let columns = "index_columns, index_rows";
    assert_eq!(planned(&mut session, columns), "street");
    for n in 0..10 {
        session
            .simple_query(&format!("SELECT max(label) AS both FROM shop.houses WHERE zip = {n} AND label > (SELECT min(o.label) FROM shop.houses o WHERE o.town = {n})"))
            .expect("a call");
    }
    snapshot(&mut session);
    let both = session.value(&format!(
        "SELECT concat_ws('|', {columns}) FROM pgperf.plan_history h JOIN pgperf.statement_texts t USING (node_id, queryid, dbid) WHERE t.query LIKE '%AS both%'"
    ));
    assert!(["zip, label", "town"].contains(&both.as_str()), "{both}");
}

/// The cost that the planner gives the statement for any values, and the index that it would use.
fn planners_word(session: &mut Client) -> (f64, bool) {
    session
        .batch_execute("SET plan_cache_mode = force_generic_plan; DEALLOCATE ALL; PREPARE by_town(int, int) AS SELECT max(label) FROM shop.houses WHERE town = $1 AND zip = $2")
        .expect("a statement");
    let plan = session
        .simple_query("EXPLAIN EXECUTE by_town(1, 2)")
        .expect("a plan");
    let text = format!("{plan:?}");
    let (_, costs) = text.split_once("..").expect("costs");
    let cost = costs.split_once(' ').expect("their end").0;
    (
        cost.parse().expect("a cost"),
        text.contains("houses_town_zip_idx"),
    )
}

#[test]
fn the_cost_with_an_index_is_that_of_the_planner_once_it_is_there() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    session.batch_execute(HYPOPG).expect("the extension");
    searched(&mut session);
    let costs = planned(&mut session, "total_cost, index_cost");
    let (total, with_index) = costs.split_once('|').expect("two costs");
    let (total, with_index): (f64, f64) = (
        total.parse().expect("a cost"),
        with_index.parse().expect("a cost"),
    );
    assert_eq!(planners_word(&mut session), (total, false));
    let told = found(
        &mut session,
        "(figures ->> 'cost')::float8, (figures ->> 'cost_with_index')::float8, fix_sql, evidence LIKE '%(for the planner, a cost of % in place of %)%'",
    );
    let fix = "CREATE INDEX CONCURRENTLY ON shop.houses (town, zip)";
    assert_eq!(told, format!("{total}|{with_index}|{fix}|t"));
    // Nothing is left of it, neither in the catalog nor in the session.
    assert_eq!(
        session.value("SELECT count(*) FROM pg_index WHERE indrelid = 'shop.houses'::regclass"),
        "1"
    );
    assert_eq!(
        session.value("SELECT count(*) FROM \"Odd too\".hypopg()"),
        "0"
    );
    session.batch_execute(fix).expect("the index");
    let (cost, is_used) = planners_word(&mut session);
    assert!(is_used);
    assert!(
        (cost - with_index).abs() < 0.1 * cost,
        "{cost} {with_index}"
    );
}

#[test]
fn an_index_that_the_planner_of_the_role_would_not_use_is_not_proposed() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    session.batch_execute(HYPOPG).expect("the extension");
    session.batch_execute(SHOP).expect("a table");
    session
        .batch_execute(
            "CREATE ROLE app LOGIN; GRANT USAGE ON SCHEMA shop TO app; GRANT SELECT ON shop.houses TO app;
             ALTER ROLE app SET enable_indexscan = off; ALTER ROLE app SET enable_bitmapscan = off; ALTER ROLE app SET enable_indexonlyscan = off",
        )
        .expect("a role");
    let mut app = cluster.connect_as("app");
    calls(&mut app, 10);
    snapshot(&mut session);
    session
        .batch_execute("DELETE FROM pgperf.plan_history")
        .expect("planned again");
    calls(&mut app, 100);
    snapshot(&mut session);
    assert_eq!(
        planned(
            &mut session,
            "role_name, index_columns, index_cost >= total_cost"
        ),
        "app|town, zip|t"
    );
    assert_eq!(found(&mut session, "object_name"), "none");
    session
        .batch_execute("UPDATE pgperf.plan_history SET index_cost = NULL")
        .expect("as without hypopg");
    assert_eq!(found(&mut session, "object_name"), "houses");
}

#[test]
fn a_sessions_own_hypothetical_indexes_stay_and_are_in_no_plan() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    session.batch_execute(HYPOPG).expect("the extension");
    session.batch_execute(SHOP).expect("a table");
    session.value("SELECT count(*) FROM \"Odd too\".hypopg_create_index('CREATE INDEX ON shop.houses (town)')");
    calls(&mut session, 10);
    snapshot(&mut session);
    session
        .batch_execute("DELETE FROM pgperf.plan_history")
        .expect("planned again");
    calls(&mut session, 100);
    snapshot(&mut session);
    let plan = session.value(
        "SELECT string_agg(plan, ' ') FROM pgperf.statement_plans WHERE query LIKE 'SELECT max(label)%'",
    );
    assert!(plan.contains("Seq Scan on shop.houses"), "{plan}");
    assert_eq!(
        planned(&mut session, "index_columns, index_cost"),
        "town, zip"
    );
    assert_eq!(
        session.value("SELECT count(*) FROM \"Odd too\".hypopg()"),
        "1"
    );
}

#[test]
fn without_them_or_with_some_that_cannot_be_read_nothing_else_is_missing() {
    const OUTCOME: &str = "SELECT status || coalesce(': ' || reason, '') FROM pgperf.snapshot('{statements,plans}') WHERE collector = 'plans'";
    let doctor = |session: &mut Client, name: &str| {
        session.value(&format!(
            "SELECT status || ': ' || split_part(detail, ';', 1) || coalesce(': ' || fix_sql, '') FROM pgperf.doctor() WHERE check_name = '{name}'"
        ))
    };
    let cluster = Cluster::with_pgperf(&[PRELOADED]);
    let mut session = cluster.connect();
    assert_eq!(
        doctor(&mut session, "pg_qualstats"),
        "warning: preloaded, but not in this database: CREATE EXTENSION pg_qualstats"
    );
    assert_eq!(
        doctor(&mut session, "hypopg"),
        "ok: not installed, and not required"
    );
    searched(&mut session);
    let columns = "index_columns, index_rows, index_cost";
    assert_eq!(planned(&mut session, columns), "town, zip");
    assert_eq!(found(&mut session, "object_name"), "houses");
    session
        .batch_execute("CREATE EXTENSION pg_qualstats; CREATE EXTENSION hypopg")
        .expect("the extensions");
    for (name, gives) in [
        (
            "pg_qualstats",
            "the rows that conditions of statements find, by which indexes are proposed",
        ),
        (
            "hypopg",
            "the cost of plans with the indexes that are proposed",
        ),
    ] {
        let detail = doctor(&mut session, name);
        assert_eq!(detail, format!("ok: in the history: {gives}"));
    }
    drop(session);
    cluster.reconfigure(&["shared_preload_libraries = 'pg_stat_statements'"]);
    cluster.restart(StopMode::Fast);
    let mut session = cluster.connect();
    session
        .batch_execute("DELETE FROM pgperf.plan_history")
        .expect("planned again");
    calls(&mut session, 10);
    assert_eq!(session.value(OUTCOME), "ok");
    assert_eq!(
        doctor(&mut session, "pg_qualstats"),
        "warning: not preloaded: it knows nothing of other sessions, and the history has nothing of it"
    );
    let known = planned(
        &mut session,
        "index_columns, index_rows, index_cost < total_cost",
    );
    assert_eq!(known, "town, zip|t");
    // One whose function may not be called, and one without the columns.
    session
        .batch_execute("DELETE FROM pgperf.plan_history; DROP EXTENSION hypopg; DROP EXTENSION pg_qualstats; CREATE EXTENSION hypopg;
             CREATE FUNCTION public.pg_qualstats() RETURNS int LANGUAGE sql AS 'SELECT 1'; ALTER EXTENSION hypopg ADD FUNCTION public.pg_qualstats()")
        .expect("another one");
    session
        .batch_execute("UPDATE pg_extension SET extname = 'pg_qualstats' WHERE extname = 'hypopg'")
        .expect("in its place");
    calls(&mut session, 10);
    let outcome = session.value(OUTCOME);
    let reason = outcome.strip_prefix("ok: ").expect(&outcome);
    assert!(reason.starts_with("pg_qualstats: column "), "{reason}");
    let detail = doctor(&mut session, "pg_qualstats");
    let unreadable = "warning: nothing can be read, as in the history: pg_qualstats: column ";
    assert!(detail.starts_with(unreadable), "{detail}");
    assert_eq!(planned(&mut session, columns), "town, zip");
}
