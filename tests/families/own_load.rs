//! Workloads made out of observed statements: a run of one does what the statements did, and nobody sees more than before.

use crate::common::history::copy;
use crate::common::runs::{PATIENCE, Runs, error_of};
use crate::common::{Cluster, StopMode, run, wait_until};
use postgres::Client;

const RESET: &str = "SELECT pg_stat_statements_reset()";
/// As many statements as are of interest; others were called a few times, such as those of pgbench's start.
const COMMON: &str = "original_calls > 100";

/// Makes the workload `mine`; returns the number of statements that it has.
fn make(session: &mut Client, arguments: &str) -> i64 {
    session.number(&format!(
        "SELECT count(script) FROM pgperf.create_workload_from_statements('mine', replace => true, {arguments})"
    ))
}

/// Runs it, and returns what is not alike.
fn unlike(session: &mut Client, arguments: &str, rows: &str) -> String {
    session.finish_long_run(&format!("'mine', random_seed => 5, {arguments}"));
    deviating(session, &format!("{rows} AND {COMMON}"), "true")
}

/// What was not alike in the last run, of these rows; those of `blocks` alone count for blocks, and not all together, where those
/// that do not count are, too. The hit ratio is that of all together: it depends on the statement that comes first.
fn deviating(session: &mut Client, rows: &str, blocks: &str) -> String {
    session.value(&format!(
        "SELECT string_agg(concat_ws(' ', statement, calls, original_calls, 'mix', calls_percent, original_calls_percent, \
                                     'rows', rows_per_call, original_rows_per_call, 'blocks', blocks_per_call, original_blocks_per_call, \
                                     'hits', hit_percent, original_hit_percent), E'\\n') \
           FROM pgperf.workload_fidelity() \
          WHERE {rows} AND (abs(calls_percent - original_calls_percent) > 1 \
             OR abs(rows_per_call - original_rows_per_call) > 0.1 * original_rows_per_call \
             OR queryid IS NOT NULL AND {blocks} AND abs(blocks_per_call - original_blocks_per_call) > 0.1 * original_blocks_per_call \
             OR queryid IS NULL AND abs(hit_percent - original_hit_percent) > 2)"
    ))
}

fn pgbench(cluster: &Cluster, arguments: &[&str]) {
    let mut command = cluster.program("pgbench");
    run(command
        .args(["-n", "-c", "2"])
        .args(arguments)
        .arg("postgres"));
}

/// A session in a restored copy of the database.
fn restored(cluster: &Cluster, database: &str) -> Client {
    copy(cluster, cluster, database, "custom");
    let mut there = cluster.connect_to(database);
    there.value("VACUUM ANALYZE");
    there
}

/// Some rows of the history are there: its values are drawn from it.
fn new_tables(session: &mut Client) {
    session.value("CALL pgperf.init('tpcb-like')");
    session.value(
        "INSERT INTO pgbench_history SELECT 1, 1, i, 0, now() FROM generate_series(1, 1000) AS i",
    );
}

#[test]
fn runs_do_what_pgbench_did() {
    // Not all of the table fits, and the load finds what an earlier one has left.
    let cluster = Cluster::for_runs(&["shared_buffers = 6MB"]);
    let mut session = cluster.connect();
    session.value("VACUUM ANALYZE");
    pgbench(&cluster, &["-t", "2000", "-b", "select-only"]);
    session.value(RESET);
    pgbench(&cluster, &["-t", "4000", "-b", "select-only"]);
    assert_eq!(make(&mut session, "top => 1"), 1);
    let simple = "clients => 2, transactions_per_client => 4000";
    assert_eq!(unlike(&mut session, simple, "true"), "");
    let mut there = restored(&cluster, "reads");
    there.finish_long_run(&format!("'mine', {simple}"));
    assert_eq!(unlike(&mut there, simple, "true"), "");

    // Transactions: pgbench begins them by itself. What a change costs depends on those before, so both begin with new tables.
    new_tables(&mut session);
    session.value(RESET);
    pgbench(&cluster, &["-t", "2000", "-b", "tpcb-like"]);
    assert_eq!(make(&mut session, "top => 5"), 1);
    assert_eq!(make(&mut session, "top => 5, writes => true"), 5);
    let scripts = "SELECT string_agg(s ->> 'text', '') FROM pgperf.workloads, jsonb_array_elements(scripts) s WHERE name = 'mine'";
    let text = session.value(scripts);
    assert!(
        text.matches("BEGIN;").count() == 1 && text.ends_with("END;\n"),
        "{text}"
    );
    // The account that is read is the one that was changed.
    assert_eq!(text.matches("aid = :aid;").count(), 2, "{text}");
    new_tables(&mut session);
    let mut there = restored(&cluster, "changes");
    let paced =
        "clients => 2, transactions_per_client => 2000, rate => pgperf.observed_rate('mine')";
    // The pages of the two small tables depend on how the clients met.
    let others = "statement !~ 'branches|tellers'";
    assert_eq!(unlike(&mut session, paced, others), "");
    assert_eq!(unlike(&mut there, paced, others), "");

    // Without BEGIN each statement is a script, unless equal calls are to be enough.
    make(
        &mut session,
        "top => 5, writes => true, transactions => false",
    );
    assert_eq!(session.value(scripts).matches("BEGIN;").count(), 0);
    make(
        &mut session,
        "top => 5, writes => true, transactions => true",
    );
    assert_eq!(session.value(scripts).matches("BEGIN;").count(), 1);
}

#[test]
fn runs_do_what_sysbench_and_tpcc_did() {
    let cluster = Cluster::with_warehouses(&["shared_buffers = 256MB"]);
    let mut session = cluster.connect();
    session.value("UPDATE pgperf.collectors SET enabled = false WHERE cost <> 'light'");
    session.value("CALL pgperf.init('oltp_read_only', options => '{\"table_size\": 20000}')");
    session.value(RESET);
    // BEGIN is counted each time only if it is not prepared.
    let load = "clients => 2, transactions_per_client => 300, query_mode => 'simple'";
    session.finish_long_run(&format!("'oltp_read_only', {load}"));
    assert_eq!(make(&mut session, "by => 'calls', top => 5"), 5);
    let text =
        session.value("SELECT scripts -> 0 ->> 'text' FROM pgperf.workloads WHERE name = 'mine'");
    // One transaction with ten points, and ranges as wide as they were.
    assert!(text.contains("\\while :i <= 10\n"), "{text}");
    assert_eq!(text.matches(" + 99\n").count(), 3, "{text}");
    let run = "clients => 2, transactions_per_client => 600";
    assert_eq!(unlike(&mut session, run, "true"), "");
    let mut there = restored(&cluster, "ranges");
    assert_eq!(unlike(&mut there, run, "true"), "");

    // Of TPC-C's transactions: what is read.
    let load = |transactions: u32| {
        format!(
            "'tpcc-like-sql', clients => 2, transactions_per_client => {transactions}, max_tries => 100, \
             query_mode => 'simple', random_seed => 3"
        )
    };
    session.finish_long_run(&load(400));
    session.value(RESET);
    session.finish_long_run(&load(2500));
    assert_eq!(make(&mut session, "top => 100"), 9);
    let run = "clients => 2, transactions_per_client => 20000";
    // One statement has read what its own transaction had just changed, which this does not do. How many pages the few rows
    // of districts and warehouses fill depends on when they were vacuumed.
    let stable = "statement !~ 'sum\\(ol_amount|d_next_o_id FROM|w_tax FROM'";
    // The load that was observed had found its pages in the cache.
    let warmed_up = |session: &mut Client| {
        session.finish_long_run(&format!("'mine', {run}"));
        unlike(session, run, stable)
    };
    assert_eq!(warmed_up(&mut session), "");

    // A restored copy has other pages, and its own values.
    assert_eq!(warmed_up(&mut restored(&cluster, "orders")), "");
}

#[test]
fn runs_change_what_tpcc_changed() {
    let conf = ["shared_buffers = 256MB"];
    let cluster = Cluster::with_warehouses(&conf);
    let mut session = cluster.connect();
    session.value("UPDATE pgperf.collectors SET enabled = false WHERE cost <> 'light'");
    // Others than those before: the same ones would change the same rows.
    let load = |transactions: u32, seed: u32| {
        format!(
            "'tpcc-like-sql', clients => 2, transactions_per_client => {transactions}, max_tries => 100, \
             query_mode => 'simple', random_seed => {seed}"
        )
    };
    session.finish_long_run(&load(400, 31));
    session.value(RESET);
    session.finish_long_run(&load(1500, 32));
    let left_out = "SELECT string_agg(outcome || ': ' || statement, E'\\n') \
                      FROM pgperf.create_workload_from_statements('mine', writes => true, top => 100) WHERE script IS NULL";
    // The reset itself.
    let left_out = session.value(left_out);
    assert!(
        left_out.contains(RESET) && left_out.lines().count() == 1,
        "{left_out}"
    );
    let mut copy = restored(&cluster, "copied");
    let run = "'mine', clients => 2, transactions_per_client => 25000, max_tries => 100, random_seed => 5, caches => 'warm', warmup => '50 ms'";
    // What a change of a small table costs depends on how the clients met.
    let blocks = "statement !~ 'UPDATE (district|warehouse)'";
    // Orders are delivered one after the other, and so are those of the workload.
    let scripts = "SELECT string_agg(s ->> 'text', '') FROM pgperf.workloads, jsonb_array_elements(scripts) s WHERE name = 'mine'";
    let text = session.value(scripts);
    assert_eq!(text.matches("% pool_rows('order").count(), 2, "{text}");
    assert_eq!(text.matches("% pool_rows(").count(), 2, "{text}");
    // Some customers pay, and some goods are sold, more often than others; deliveries are to any.
    let popular = |counted: &str| text.matches(&format!("GREATEST({counted}::")).count() > 0;
    assert!(
        popular("c_payment_cnt") && popular("s_order_cnt") && !popular("c_delivery_cnt"),
        "{text}"
    );
    // Changes have left room in the pages that were observed.
    copy.finish_long_run(
        "'mine', clients => 2, transactions_per_client => 6700, max_tries => 100, random_seed => 6",
    );
    copy.finish_long_run(run);
    assert_eq!(deviating(&mut copy, "original_calls > 1000", blocks), "");

    // In the same pages a change finds the room that the application has left. So it would itself, which is the referee there.
    drop((session, copy));
    cluster.stop(StopMode::Fast);
    let twin = Cluster::copied(&cluster.data_dir(), &conf);
    cluster.start();
    twin.start();
    let mut session = cluster.connect();
    session.value(RESET);
    session.finish_long_run(&format!("{}, caches => 'warm'", load(1500, 33)));
    let itself = session.value(
        "SELECT jsonb_agg(jsonb_build_object('queryid', queryid, 'rows', rows / calls::float8, 'hits', shared_blks_hit, \
                                             'blocks', (shared_blks_hit + shared_blks_read) / calls::float8, 'calls', calls)) \
           FROM pg_stat_statements WHERE calls > 1000",
    );
    let mut session = twin.connect();
    session.finish_long_run(run);
    let unlike = format!(
        "WITH itself AS (SELECT * FROM jsonb_to_recordset('{itself}') AS i (queryid bigint, rows float8, hits float8, blocks float8, calls float8)), \
              pairs AS (SELECT f.*, i.rows, i.blocks, i.hits, i.calls AS its_calls, \
                               CASE WHEN statement ~ 'UPDATE (district|warehouse)' THEN 'Infinity' ELSE 0.1 END::float8 AS allowed \
                        FROM pgperf.workload_fidelity() f JOIN itself i USING (queryid)), \
              sums AS (SELECT count(*), sum(blocks_per_call * its_calls) AS own, sum(blocks * its_calls) AS its, sum(hits) AS hits FROM pairs) \
         SELECT string_agg(concat_ws(' ', statement, rows_per_call, rows, blocks_per_call, blocks), E'\\n') FROM pairs \
          WHERE abs(rows_per_call - rows) > 0.1 * rows OR abs(blocks_per_call - blocks) > allowed * blocks \
         UNION ALL \
         SELECT concat_ws(' ', 'all', count, own, its, hits) FROM sums \
          WHERE count < 20 OR abs(own - its) > 0.1 * its \
             OR abs(100 * hits / its - (SELECT hit_percent FROM pgperf.workload_fidelity() WHERE queryid IS NULL)) > 2 \
          ORDER BY 1 NULLS LAST LIMIT 1"
    );
    assert_eq!(session.value(&unlike), "");
}

#[test]
fn inserted_keys_are_new_in_all_sessions_and_parts_of_a_run() {
    let cluster = Cluster::for_runs(&[]);
    let mut session = cluster.connect();
    // Two keys, one of which has gaps, and one of two columns.
    session
        .batch_execute(
            "CREATE TABLE note (id int PRIMARY KEY, line bigint UNIQUE, day int, place int, text text, UNIQUE (day, place)); \
             INSERT INTO note SELECT i, -3 * i, i % 5, i, 'text ' || i FROM generate_series(1, 500) AS i; ANALYZE note",
        )
        .expect("a table");
    session.value(RESET);
    for id in 501..=520 {
        session.value(&format!(
            "INSERT INTO note VALUES ({id}, {id}, 7, {id}, 'a' || 'b') RETURNING id + 1"
        ));
    }
    assert_eq!(
        make(&mut session, "top => 1, by => 'calls', writes => true"),
        1
    );
    let added = |session: &mut Client| session.number("SELECT count(*) - 520 FROM note");
    // A key that is there would end its client, and with it the run.
    let run = "'mine', clients => 3, transactions_per_client => 50, reconnect => 7";
    session.finish_run(run);
    assert_eq!(added(&mut session), 150);
    session.finish_run(&format!("{run}, warmup => '0.3 s'"));
    assert!(added(&mut session) > 300);
    let run = session.start_busy_run("'mine', clients => 2, duration => '1 h', resume => true");
    cluster.crash();
    cluster.start();
    let mut session = cluster.connect();
    let before = added(&mut session);
    session.value("SELECT pgperf.resume_run()");
    session.wait_for_status(run, "running");
    wait_until("rows of the resumed run", PATIENCE, || {
        added(&mut session) > before + 10
    });
    session.value("SELECT pgperf.stop_run()");
    session.wait_for_status(run, "stopped");
    // The days are those of rows that were there.
    assert_eq!(
        session.value("SELECT count(DISTINCT day) BETWEEN 5 AND 6 FROM note"),
        "t"
    );
}

#[test]
fn a_window_of_the_history_is_enough_and_a_copy_has_its_own_values() {
    let cluster = Cluster::for_runs(&[]);
    let mut session = cluster.connect();
    session.value("VACUUM ANALYZE");
    pgbench(&cluster, &["-t", "300", "-b", "simple-update"]);
    session.value("SELECT count(*) FROM pgperf.snapshot('{statements}')");
    let from = session.value("SELECT clock_timestamp()");
    pgbench(&cluster, &["-t", "500", "-b", "select-only"]);
    session.value("SELECT count(*) FROM pgperf.snapshot('{statements}')");
    let to = session.value("SELECT clock_timestamp()");
    pgbench(&cluster, &["-t", "100", "-b", "select-only"]);
    session.value("SELECT count(*) FROM pgperf.snapshot('{statements}')");
    let window = format!("from_time => '{from}', to_time => '{to}'");
    let calls =
        "SELECT calls FROM pgperf.create_workload_from_statements('w', top => 1, by => 'calls', ";
    assert_eq!(session.number(&format!("{calls} {window})")), 1000);
    assert_eq!(
        session.number(&format!("{calls} replace => true, from_time => '{from}')")),
        1200
    );
    // Counters from before the window do not count, nor those of a statement that went on.
    assert_eq!(
        session.value(&format!(
            "SELECT count(*) FROM pgperf.create_workload_from_statements('w', replace => true, {window}) WHERE statement LIKE 'UPDATE%'"
        )),
        "0"
    );
    session.value("SELECT pgperf.start_run('w', transactions_per_client => 50, label => 'copied')");
    session.wait_for_status(1, "finished");
    assert_eq!(
        session.value(&format!(
            "SELECT original_calls FROM pgperf.workload_fidelity('copied', {window}) WHERE queryid IS NOT NULL LIMIT 1"
        )),
        "1000"
    );
    // The copy has fewer accounts, and its keys begin elsewhere.
    copy(&cluster, &cluster, "copied", "custom");
    let mut there = cluster.connect_to("copied");
    there.value("DELETE FROM pgbench_accounts WHERE aid > 1000");
    there.value("UPDATE pgbench_accounts SET aid = aid + 500000");
    there.value("VACUUM FULL ANALYZE pgbench_accounts");
    there.finish_run("'w', transactions_per_client => 200, random_seed => 3");
    assert_eq!(
        there.value("SELECT rows = calls FROM pgperf.run_statements WHERE is_sql ORDER BY run_id DESC LIMIT 1"),
        "t"
    );
}

#[test]
fn nobody_sees_or_reads_more_than_before() {
    let cluster = Cluster::for_runs(&[]);
    let mut superuser = cluster.connect();
    superuser
        .batch_execute(
            "CREATE ROLE author LOGIN; CREATE ROLE other LOGIN; CREATE ROLE watcher LOGIN IN ROLE pg_read_all_stats; \
             GRANT EXECUTE ON FUNCTION pgperf.create_workload_from_statements, pgperf.start_run TO author, other, watcher; \
             GRANT SELECT ON pgbench_accounts TO author, other; \
             CREATE TABLE secret AS SELECT i AS id, 'word ' || i AS word FROM generate_series(1, 100) i; ANALYZE",
        )
        .expect("roles");
    let mut author = cluster.connect_as("author");
    for id in 1..=20 {
        superuser.value(&format!("SELECT word FROM secret WHERE id = {id}"));
        author.value(&format!(
            "SELECT abalance FROM pgbench_accounts WHERE aid = {id}"
        ));
    }
    let outcomes = "SELECT string_agg(concat_ws('|', queryid IS NOT NULL, outcome, statement), E'\\n' ORDER BY statement) \
                      FROM pgperf.create_workload_from_statements('mine', top => 100, replace => true) \
                     WHERE queryid IS NULL OR statement ~ 'word|abalance'";
    // What others have called is hidden from the author.
    assert_eq!(
        author.value(outcomes),
        "t|included|SELECT abalance FROM pgbench_accounts WHERE aid = $1\nf|hidden: other roles have called it"
    );
    // A role that sees all texts still reads no table.
    let mut watcher = cluster.connect_as("watcher");
    let (_, message, hint) = error_of(
        &mut watcher,
        "SELECT * FROM pgperf.create_workload_from_statements('theirs')",
    );
    assert_eq!(message, "no statement can be part of a workload", "{hint}");
    // Those who may not know the statements cannot run them, nor ask for their figures.
    let run = author.number("SELECT pgperf.start_run('mine', transactions_per_client => 10)");
    superuser.wait_for_status(run, "finished");
    let mut other = cluster.connect_as("other");
    for call in [
        "SELECT pgperf.start_run('mine')".to_owned(),
        "SELECT pgperf.observed_rate('mine')".to_owned(),
        format!("SELECT * FROM pgperf.workload_fidelity({run})"),
    ] {
        assert_eq!(error_of(&mut other, &call).0, "42501", "{call}");
    }
    assert_eq!(
        author.number(&format!(
            "SELECT count(*) FROM pgperf.workload_fidelity({run})"
        )),
        2
    );
    // Values are read with the rights of the run's role when it begins.
    superuser.value("REVOKE SELECT ON pgbench_accounts FROM author");
    let run = author.number("SELECT pgperf.start_run('mine', transactions_per_client => 10)");
    superuser.wait_for_status(run, "failed");
    assert_eq!(
        superuser.value(&format!(
            "SELECT sqlstate || ' ' || command_no FROM pgperf.run_errors WHERE run_id = {run}"
        )),
        "42501 0"
    );
}
