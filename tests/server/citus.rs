//! Tables that Citus distributes: figures that this server cannot know are NULL, with the reason beside them.
//!
//! With Citus itself where that is installed (`make test-citus`); the rules themselves with its catalog alone, which a test
//! makes by hand.

use crate::common::runs::{Runs, error_of};
use crate::common::{Cluster, expect_near};
use postgres::Client;

const REASON: &str = "distributed by Citus";

/// Citus's catalog, as far as pgperf looks at it, with these tables.
fn declare_distributed(session: &mut Client, tables: &[&str]) {
    session
        .batch_execute(
            "SET allow_system_table_mods = on; \
             CREATE TABLE pg_catalog.pg_dist_partition (logicalrelid regclass NOT NULL, partmethod \"char\" NOT NULL, \
                partkey text, colocationid int NOT NULL DEFAULT 0, repmodel \"char\" NOT NULL DEFAULT 's', \
                autoconverted boolean NOT NULL DEFAULT false); \
             CREATE TABLE pg_catalog.pg_dist_shard (logicalrelid regclass NOT NULL, shardid bigint NOT NULL); \
             CREATE FUNCTION pg_catalog.column_to_column_name(regclass, text) RETURNS text LANGUAGE sql AS 'SELECT $2'; \
             GRANT SELECT ON pg_catalog.pg_dist_partition, pg_catalog.pg_dist_shard TO public; \
             RESET allow_system_table_mods",
        )
        .expect("the catalog");
    for table in tables {
        session.value(&format!(
            "INSERT INTO pg_catalog.pg_dist_partition VALUES ('{table}', 'a')"
        ));
    }
}

const SHORT: &str = "'tpcb-like', clients => 2, duration => '1.5 s', sample_interval => '0.5 s'";

/// Figures of a run that only a server with all of its data knows; returns the number of known ones.
fn known(session: &mut Client, run: i64) -> String {
    session.value(&format!(
        "SELECT format('%s summary, %s intervals, %s statements, %s metrics', \
            (SELECT num_nonnulls(wal_bytes, wal_records, wal_fpi, wal_bytes_per_tx, hit_percent, shared_blks_hit, \
                shared_blks_read, shared_blks_dirtied, database_growth_bytes) \
               FROM pgperf.run_summary WHERE run_id = {run}), \
            (SELECT count(wal_bytes) + count(shared_blks_hit) + count(shared_blks_read) > 0 \
               FROM pgperf.run_intervals WHERE run_id = {run}), \
            (SELECT count(wal_bytes) + count(shared_blks_hit) + count(shared_blks_read) > 0 \
               FROM pgperf.run_statements WHERE run_id = {run}), \
            (SELECT count(value) > 0 FROM pgperf.run_metrics \
              WHERE run_id = {run} AND category IN ('wal', 'size', 'vacuum', 'database')))"
    ))
}

/// The run's figures are those of all nodes, but for parts of it, and the reports say so.
fn expect_of_nodes(session: &mut Client, run: i64, nodes: &str) {
    let is_load = session.value(&format!(
        "SELECT kind FROM pgperf.runs WHERE run_id = {run}"
    )) == "load";
    assert_eq!(
        known(session, run),
        "8 summary, f intervals, f statements, t metrics"
    );
    let text = report(session, run);
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains(REASON) && text.contains(nodes), "{text}");
    let shown: &[&str] = match is_load {
        true => &["WAL in total", "database growth"],
        false => &PARTS,
    };
    for part in shown {
        assert!(text.contains(part), "{part}: {text}");
    }
    let parts = session.value(&format!(
        "SELECT count(value) FROM pgperf.run_metrics WHERE run_id = {run} \
           AND (category = 'vacuum' OR metric LIKE 'wal_bytes.%' OR metric IN ('table_growth_bytes', 'index_growth_bytes'))"
    ));
    assert_eq!(parts, "0", "figures of this node alone");
}

/// What is in the lines of a report that a run on tables of this server alone has.
const PARTS: [&str; 3] = ["WAL per transaction", "buffer hit ratio", "database growth"];

fn report(session: &mut Client, run: i64) -> String {
    let rows = session
        .query("SELECT pgperf.report($1::bigint)", &[&run])
        .expect("the report");
    let lines: Vec<String> = rows.iter().map(|row| row.get(0)).collect();
    lines.join("\n")
}

/// The run's figures are unknown, and the reports say why.
fn expect_unknown(session: &mut Client, run: i64) {
    assert_eq!(
        known(session, run),
        "0 summary, f intervals, f statements, f metrics"
    );
    let transactions = session.total(run, "transactions");
    assert!(transactions > 0, "what the clients did is known");
    let text = report(session, run);
    assert!(text.contains(REASON), "{text}");
    for part in PARTS {
        assert!(!text.contains(part), "{part}: {text}");
    }
    for page in ["report_html", "report_markdown"] {
        let page = session.value(&format!("SELECT pgperf.{page}({run})"));
        assert!(page.contains(REASON));
    }
    let fact = session.value(&format!(
        "SELECT note FROM pgperf.run_environment WHERE run_id = {run} AND name = 'distributed_tables'"
    ));
    assert!(fact.contains(REASON), "{fact}");
}

fn relation(session: &mut Client, run: i64, table: &str) -> String {
    session.value(&format!(
        "SELECT format('%s %s', num_nonnulls(start_size_bytes, end_size_bytes, start_live_tuples, end_live_tuples, \
            start_dead_tuples, end_dead_tuples, seq_scan, idx_scan, n_tup_ins, n_tup_upd, n_tup_hot_upd, n_tup_del, \
            vacuum_count, autovacuum_count, analyze_count, autoanalyze_count, blks_read, blks_hit) > 0, note) \
         FROM pgperf.run_relations WHERE run_id = {run} AND relation_name = '{table}'"
    ))
}

#[test]
fn figures_of_distributed_tables_are_unknown() {
    let cluster = Cluster::with_data(&[]);
    let mut session = cluster.connect();
    let before = session.finish_run(SHORT);
    assert_eq!(
        known(&mut session, before),
        "9 summary, t intervals, t statements, t metrics"
    );
    let text = report(&mut session, before);
    for part in PARTS {
        assert!(text.contains(part), "{part}: {text}");
    }

    declare_distributed(&mut session, &["pgbench_accounts", "pgbench_branches"]);
    let run = session.finish_run(SHORT);
    expect_unknown(&mut session, run);
    for table in ["pgbench_accounts", "pgbench_branches"] {
        let row = relation(&mut session, run, table);
        assert!(row.starts_with(&format!("f {REASON}")), "{row}");
    }
    assert_eq!(relation(&mut session, run, "pgbench_tellers"), "t ");
    assert_eq!(relation(&mut session, run, "pgbench_accounts_pkey"), "");
    // Both may be compared, in what both have.
    let rows = format!(
        "SELECT string_agg(DISTINCT metric, ' ' ORDER BY metric) FROM pgperf.compare({before}, {run}) \
         WHERE category = 'summary' AND verdict IN ('better', 'worse', 'same', 'differs') \
           AND metric IN ('tps', 'wal_bytes', 'wal_bytes_per_tx', 'hit_percent')"
    );
    let compared = session.value(&rows);
    assert!(
        !compared.contains("wal") && !compared.contains("hit"),
        "{compared}"
    );
}

#[test]
fn the_bloat_of_a_shell_is_not_measured() {
    let cluster = Cluster::with_data(&[]);
    let mut session = cluster.connect();
    session.value("CREATE TABLE wide (id int PRIMARY KEY, t text); ALTER TABLE wide ALTER t SET STORAGE EXTERNAL");
    session.value("INSERT INTO wide SELECT g, repeat('x', 3000) FROM generate_series(1, 100) g");
    let before = session.number("SELECT max(sample_id) FROM pgperf.samples");
    declare_distributed(&mut session, &["pgbench_accounts", "wide"]);
    let toast =
        session.value("SELECT reltoastrelid::regclass FROM pg_class WHERE relname = 'wide'");
    let toast_index = session.value(&format!(
        "SELECT indexrelid::regclass FROM pg_index WHERE indrelid = '{toast}'::regclass"
    ));
    for shell in [
        "pgbench_accounts",
        "pgbench_accounts_pkey",
        "wide",
        &toast,
        &toast_index,
    ] {
        let (sqlstate, message, hint) = error_of(
            &mut session,
            &format!("SELECT pgperf.snapshot_bloat(ARRAY['{shell}'::regclass])"),
        );
        assert_eq!(sqlstate, "0A000", "{shell}: {message}");
        assert!(message.contains(REASON), "{message}");
        assert!(hint.contains("shards"), "{hint}");
    }
    session.value("SELECT pgperf.snapshot_bloat(ARRAY['pgbench_tellers'::regclass])");
    let outcome =
        session.value("SELECT format('%s %s', status, reason) FROM pgperf.snapshot('{bloat}')");
    assert!(
        outcome.starts_with("ok ") || outcome.starts_with("partial "),
        "{outcome}"
    );
    assert!(
        outcome.contains("skipped") && outcome.contains(REASON),
        "{outcome}"
    );
    let measured = session.value(&format!(
        "SELECT string_agg(DISTINCT relation_name, ' ' ORDER BY relation_name) FROM pgperf.bloat_history \
         WHERE sample_id > {before}"
    ));
    assert!(measured.contains("pgbench_tellers"), "{measured}");
    assert!(
        !measured.contains("accounts") && !measured.contains("wide"),
        "{measured}"
    );
}

/// Nobody knows how to append the rows again as they were; and a load that is told to make local tables does.
#[test]
fn a_load_refuses_to_distribute_in_a_way_that_it_cannot_repeat() {
    let cluster = Cluster::with_data(&[]);
    let mut session = cluster.connect();
    declare_distributed(&mut session, &["pgbench_accounts"]);
    let rows = "SELECT format('%s %s', count(*), pg_catalog.pg_relation_filenode('pgbench_tellers')) FROM pgbench_accounts";
    let before = session.value(rows);
    for options in ["", ", replace => true", ", scale => 2, jobs => 2"] {
        let (sqlstate, message, hint) = error_of(
            &mut session,
            &format!("SELECT pgperf.start_load('tpcb-like'{options})"),
        );
        assert_eq!(sqlstate, "0A000", "{options}: {message}");
        assert!(
            message.contains("\"pgbench_accounts\" is distributed by Citus"),
            "{message}"
        );
        assert!(hint.contains("undistribute_table"), "{hint}");
    }
    let (sqlstate, message, _) = error_of(
        &mut session,
        &format!("SELECT pgperf.start_load('tpcb-like', steps => 'g', {LOCAL})"),
    );
    assert_eq!(sqlstate, "0A000", "{message}");
    assert!(message.contains("stays so"), "{message}");
    assert_eq!(session.value(rows), before);
    session.value("CREATE SCHEMA elsewhere");
    session.value("CALL pgperf.init('tpcb-like', schema => 'elsewhere')");
    session.value(&format!("CALL pgperf.init('tpcb-like', {LOCAL})"));
    assert_ne!(session.value(rows), before);
}

/// A table of that name elsewhere proves nothing.
#[test]
fn only_the_catalog_counts() {
    let cluster = Cluster::with_data(&[]);
    let mut session = cluster.connect();
    session.value("CREATE TABLE public.pg_dist_partition (logicalrelid regclass)");
    session.value("INSERT INTO public.pg_dist_partition VALUES ('pgbench_accounts')");
    session.value("CALL pgperf.init('tpcb-like')");
    session.value("SELECT pgperf.snapshot_bloat(ARRAY['pgbench_accounts'::regclass])");
}

#[test]
fn tables_are_distributed_by_citus_alone() {
    let cluster = Cluster::with_data(&[]);
    let mut session = cluster.connect();
    for workload in ["tpcb-like", "oltp_read_write", "tpcc-like"] {
        let (sqlstate, message, hint) = error_of(
            &mut session,
            &format!("CALL pgperf.init('{workload}', options => '{{\"distribute\": true}}')"),
        );
        assert_eq!(sqlstate, "0A000", "{message}");
        assert!(message.contains("citus"), "{message}");
        assert!(hint.contains("CREATE EXTENSION citus"), "{hint}");
    }
    assert_eq!(
        session.value("SELECT count(*) FROM pgbench_accounts"),
        "100000"
    );
}

/// Whether a test can have Citus; otherwise it is left out.
fn citus_is_there() -> bool {
    let control = crate::common::share_dir().join("extension/citus.control");
    if control.exists() {
        return true;
    }
    assert!(
        !citus_is_asked_for(),
        "Citus is not installed in the server of PG_CONFIG"
    );
    eprintln!("left out: Citus is not installed (make test-citus)");
    false
}

fn citus_is_asked_for() -> bool {
    std::env::var_os("PGPERF_CITUS").is_some()
}

/// Whether a test that takes long can have Citus: with `make test-citus` alone.
fn citus_has_time() -> bool {
    let has_time = citus_is_asked_for();
    if !has_time {
        eprintln!("left out: it takes long (make test-citus)");
    }
    has_time && citus_is_there()
}

/// A server with Citus.
fn node() -> Cluster {
    let cluster = Cluster::new(&[
        "shared_preload_libraries = 'citus, pg_stat_statements'",
        "listen_addresses = '127.0.0.1'",
        "max_connections = 100",
        "max_prepared_transactions = 50",
        "citus.enable_statistics_collection = off",
        "citus.shard_count = 4",
        // Whoever writes WAL is part of a test.
        "autovacuum = off",
        "checkpoint_timeout = '1h'",
    ]);
    cluster.run_sql("CREATE EXTENSION citus");
    cluster
}

/// A coordinator with pgperf, and its workers.
fn coordinator(workers: &[Cluster]) -> Cluster {
    let cluster = node();
    cluster.run_sql("CREATE EXTENSION pgperf CASCADE");
    cluster.run_sql(&format!(
        "SELECT citus_set_coordinator_host('127.0.0.1', {})",
        cluster.port()
    ));
    for worker in workers {
        cluster.run_sql(&format!(
            "SELECT citus_add_node('127.0.0.1', {})",
            worker.port()
        ));
    }
    cluster
}

/// The rows of a table, as its shards have them.
fn rows_in_shards(session: &mut Client, table: &str) -> i64 {
    session.number(&format!(
        "SELECT sum(result::bigint)::bigint FROM run_command_on_shards('{table}', 'SELECT count(*) FROM %s')"
    ))
}

const DISTRIBUTE: &str = "options => '{\"distribute\": true}'";
const LOCAL: &str = "options => '{\"distribute\": false}'";

/// Rows of each family are on the workers, as many as here without Citus, and its workloads leave them consistent.
#[test]
fn a_load_distributes_its_tables_over_the_workers() {
    if !citus_has_time() {
        return;
    }
    let workers = [node(), node()];
    let cluster = coordinator(&workers);
    let mut session = cluster.connect();
    session.value("SET client_min_messages = warning");
    session.value(&format!(
        "CALL pgperf.init('tpcb-like', scale => 2, {DISTRIBUTE})"
    ));
    let kinds = "SELECT string_agg(format('%s %s', logicalrelid, partmethod), ', ' ORDER BY logicalrelid::text) FROM pg_dist_partition";
    assert_eq!(
        session.value(kinds),
        "pgbench_accounts h, pgbench_branches n, pgbench_history h, pgbench_tellers n"
    );
    assert_eq!(rows_in_shards(&mut session, "pgbench_accounts"), 200_000);
    let holders = "SELECT count(DISTINCT nodeport) FROM citus_shards WHERE table_name = 'pgbench_accounts'::regclass";
    assert_eq!(session.number(holders), 2);
    assert_eq!(
        session.value("SELECT pg_relation_size('pgbench_accounts')"),
        "0"
    );
    for _ in 0..2 {
        let run = session.finish_run("'tpcb-like', clients => 4, transactions_per_client => 50");
        let done = format!(
            "SELECT transactions || ' ' || failed FROM pgperf.run_summary WHERE run_id = {run}"
        );
        assert_eq!(session.value(&done), "200 0");
        // Again with the tables made anew, which stay distributed.
        session.value(&format!(
            "CALL pgperf.init('tpcb-like', scale => 1, {DISTRIBUTE})"
        ));
        assert_eq!(rows_in_shards(&mut session, "pgbench_accounts"), 100_000);
    }
    session.finish_run("'tpcb-like', clients => 4, transactions_per_client => 50");
    let failed = "SELECT count(*) FROM pgperf.check('tpcb-like') WHERE NOT passed";
    assert_eq!(session.number(failed), 0);

    session.value(
        "CALL pgperf.init('oltp_read_write', options => '{\"tables\": 2, \"table_size\": 3000, \"distribute\": true}')",
    );
    for table in ["sbtest1", "sbtest2"] {
        assert_eq!(rows_in_shards(&mut session, table), 3000);
    }
    session.finish_run("'oltp_read_write', clients => 2, transactions_per_client => 20");

    let (sqlstate, message, _) = error_of(
        &mut session,
        "CALL pgperf.init('tpcc-like', options => '{\"distribute\": true, \"foreign_keys\": true}')",
    );
    assert_eq!(sqlstate, "22023", "{message}");
    session.value(&format!(
        "CALL pgperf.init('tpcc-like', scale => 1, {DISTRIBUTE})"
    ));
    assert_eq!(rows_in_shards(&mut session, "stock"), 100_000);
    assert_eq!(
        rows_in_shards(&mut session, "order_line"),
        session.number("SELECT sum(o_ol_cnt) FROM orders")
    );
    for workload in ["tpcc-like", "tpcc-like-sql"] {
        session.finish_run(&format!(
            "'{workload}', clients => 2, transactions_per_client => 20"
        ));
    }
    let failed = "SELECT count(*) FROM pgperf.check('tpcc-like') WHERE NOT passed";
    assert_eq!(session.number(failed), 0);
}

/// A coordinator that keeps the shards itself, after tables with rows were distributed: their local copies are still there.
#[test]
fn a_coordinator_of_citus() {
    if !citus_is_there() {
        return;
    }
    let cluster = coordinator(&[]);
    cluster.run_sql("CALL pgperf.init('tpcb-like', scale => 1)");
    let mut session = cluster.connect();
    // Citus alone changes nothing.
    let local = session.finish_run(SHORT);
    assert_eq!(
        known(&mut session, local),
        "9 summary, t intervals, t statements, t metrics"
    );
    session.value(&format!(
        "SELECT citus_set_node_property('127.0.0.1', {}, 'shouldhaveshards', true)",
        cluster.port()
    ));
    session.value("SET client_min_messages = warning");
    session.value("SELECT create_distributed_table('pgbench_accounts', 'aid', shard_count => 4)");
    session.value("SELECT create_reference_table('pgbench_branches')");
    let shell = session.number("SELECT pg_relation_size('pgbench_accounts')");
    println!("the shell of pgbench_accounts still has {shell} bytes");
    let run = session.finish_run(SHORT);
    expect_of_nodes(&mut session, run, "of the only node");
    let row = relation(&mut session, run, "pgbench_accounts");
    assert!(row.starts_with(&format!("f {REASON}")), "{row}");
    let (sqlstate, message, _) = error_of(
        &mut session,
        "SELECT pgperf.snapshot_bloat(ARRAY['pgbench_accounts'::regclass])",
    );
    assert_eq!(sqlstate, "0A000", "{message}");
    let outcomes = session.value(
        "SELECT format('%s %s', sample_id, reason) FROM pgperf.snapshot('{bloat,tables,statements}') WHERE collector = 'bloat'",
    );
    let (sample, reason) = outcomes.split_once(' ').expect("a number");
    assert!(reason.contains(REASON), "{reason}");
    let shells = format!(
        "SELECT count(*) FROM pgperf.bloat_history \
         WHERE sample_id = {sample} AND relation_name IN ('pgbench_accounts', 'pgbench_branches')"
    );
    assert_eq!(session.number(&shells), 0);
}

/// The tables of a schema with how they are distributed, by what, and over how many shards.
fn placements(session: &mut Client) -> String {
    session.value(
        "SELECT string_agg(format('%s %s%s %s %s', p.logicalrelid, p.partmethod, p.repmodel, \
                column_to_column_name(p.logicalrelid, p.partkey), \
                (SELECT count(*) FROM pg_dist_shard s WHERE s.logicalrelid = p.logicalrelid)), ', ' ORDER BY p.logicalrelid::text) \
         FROM pg_dist_partition p",
    )
}

/// Whether tables are only filled again, or made anew: they stay where they are, unless the load is told otherwise.
#[test]
fn loads_keep_how_tables_are_distributed() {
    if !citus_has_time() {
        return;
    }
    let workers = [node(), node()];
    let cluster = coordinator(&workers);
    let mut session = cluster.connect();
    session.value("SET client_min_messages = warning");
    session.value("CALL pgperf.init('tpcb-like')");
    for steps in ["g", "G", "gvp"] {
        let (sqlstate, message, hint) = error_of(
            &mut session,
            &format!("CALL pgperf.init('tpcb-like', steps => '{steps}', {DISTRIBUTE})"),
        );
        assert_eq!(sqlstate, "0A000", "{steps}: {message}");
        assert!(message.contains("is local, and stays so"), "{message}");
        assert!(hint.contains("steps"), "{hint}");
    }
    // Not as a load does it.
    session.value("SELECT create_distributed_table('pgbench_accounts', 'aid')");
    session.value("SELECT create_distributed_table('pgbench_history', 'bid', shard_count => 6)");
    session.value("SELECT create_reference_table('pgbench_branches')");
    session.value("SELECT citus_add_local_table_to_metadata('pgbench_tellers')");
    let before = "pgbench_accounts hs aid 4, pgbench_branches nt  1, pgbench_history hs bid 6, pgbench_tellers ns  1";
    assert_eq!(placements(&mut session), before);
    let oid = "SELECT 'pgbench_accounts'::regclass::oid";
    let filled = session.value(oid);
    for (call, scale) in [
        ("steps => 'g', replace => true", 1),
        ("steps => 'gv', scale => 2, jobs => 2, replace => true", 2),
        ("steps => 'G', scale => 1, replace => true", 1),
    ] {
        session.value(&format!("CALL pgperf.init('tpcb-like', {call})"));
        assert_eq!(session.value(oid), filled, "{call}");
        assert_eq!(placements(&mut session), before, "{call}");
        let rows = rows_in_shards(&mut session, "pgbench_accounts");
        assert_eq!(rows, scale * 100_000, "{call}");
        session.finish_run("'tpcb-like', clients => 2, transactions_per_client => 20");
    }
    session.value(&format!(
        "CREATE SERVER itself FOREIGN DATA WRAPPER pgperf_target OPTIONS (host '127.0.0.1', port '{}', dbname 'postgres'); \
         CREATE USER MAPPING FOR CURRENT_USER SERVER itself OPTIONS (user 'postgres')",
        cluster.port()
    ));
    for call in [
        "replace => true",
        "scale => 2, jobs => 2",
        "steps => 'dtGvp'",
        "server => 'itself', replace => true",
        "server => 'itself', steps => 'g'",
        "replace => true",
    ] {
        session.value(&format!("CALL pgperf.init('tpcb-like', {call})"));
        assert_ne!(session.value(oid), filled, "{call}");
        assert_eq!(placements(&mut session), before, "{call}");
    }
    let failed = "SELECT count(*) FROM pgperf.check('tpcb-like') WHERE NOT passed";
    assert_eq!(session.number(failed), 0);
    let (sqlstate, message, _) = error_of(
        &mut session,
        &format!("CALL pgperf.init('tpcb-like', steps => 'g', {LOCAL})"),
    );
    assert_eq!(sqlstate, "0A000", "{message}");
    session.value(&format!("CALL pgperf.init('tpcb-like', {LOCAL})"));
    let left = "SELECT count(*) FROM pg_dist_partition";
    assert_eq!(session.number(left), 0);
    assert_eq!(
        session.value("SELECT count(*) FROM pgbench_accounts"),
        "100000"
    );
}

/// A workload of a user, whose load knows nothing of Citus, or distributes its tables by itself.
#[test]
fn stored_workloads_keep_how_their_tables_are_distributed() {
    if !citus_has_time() {
        return;
    }
    let workers = [node()];
    let cluster = coordinator(&workers);
    let mut session = cluster.connect();
    session.value("SET client_min_messages = warning");
    session.value(
        "SELECT pgperf.create_workload('own', 'SELECT 1', \
            setup_sql => 'CREATE TABLE one (\"the id\" int, n int); CREATE TABLE everywhere (id int); \
                          CREATE TABLE single (id int); CREATE TABLE plain (id int); \
                          CREATE TABLE itself (id int); SELECT create_distributed_table(''itself'', ''id'')', \
            load_sql => 'INSERT INTO one SELECT g, g FROM generate_series(1, 100) g')",
    );
    session.value("CALL pgperf.init('own')");
    session.value("SELECT create_distributed_table('one', 'the id', shard_count => 3)");
    session.value("SELECT create_reference_table('everywhere')");
    session.value("SELECT create_distributed_table('single', NULL)");
    let before = placements(&mut session);
    assert_eq!(
        before,
        "everywhere nt  1, itself hs id 4, one hs the id 3, single ns  1"
    );
    session.value("CALL pgperf.init('own')");
    assert_eq!(placements(&mut session), before);
    assert_eq!(rows_in_shards(&mut session, "one"), 100);
}

/// Positions in the WAL, blocks that were hit, and the size of the database of each node, as the test itself reads them.
struct NodeFigures {
    wal: Vec<f64>,
    hit: Vec<f64>,
    size: Vec<f64>,
}

fn figures_of(nodes: &mut [Client]) -> NodeFigures {
    let mut of = |sql: &str| {
        nodes
            .iter_mut()
            .map(|node| node.number(sql) as f64)
            .collect()
    };
    NodeFigures {
        wal: of("SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::int8"),
        hit: of("SELECT blks_hit FROM pg_stat_database WHERE datname = current_database()"),
        size: of("SELECT pg_database_size(current_database())"),
    }
}

fn increases(before: &[f64], after: &[f64]) -> Vec<f64> {
    before
        .iter()
        .zip(after)
        .map(|(before, after)| after - before)
        .collect()
}

/// WAL, blocks and growth: the sums of what each node says of itself over a connection of its own. The coordinator writes pgperf's history, too,
/// which is no part of the run.
#[test]
fn figures_of_a_run_are_those_of_all_nodes() {
    if !citus_has_time() {
        return;
    }
    let workers = [node(), node()];
    let cluster = coordinator(&workers);
    let mut session = cluster.connect();
    let mut nodes = [
        cluster.connect(),
        workers[0].connect(),
        workers[1].connect(),
    ];
    session.value("SET client_min_messages = warning");
    let figure = |session: &mut Client, run: i64, column: &str| -> f64 {
        session.number(&format!(
            "SELECT {column}::int8 FROM pgperf.run_summary WHERE run_id = {run}"
        )) as f64
    };

    // Who may make objects on a node, and decide the search_path of its sessions, is not asked in place of the server.
    for (function, result) in [
        ("current_database()", "name"),
        ("clock_timestamp()", "timestamptz"),
        ("pg_current_wal_insert_lsn()", "pg_lsn"),
        ("pg_wal_lsn_diff(pg_lsn, pg_lsn)", "numeric"),
        ("pg_database_size(oid)", "bigint"),
    ] {
        nodes[1].value(&format!(
            "SET citus.enable_ddl_propagation = off; CREATE SCHEMA IF NOT EXISTS planted; \
             CREATE FUNCTION planted.{function} RETURNS {result} LANGUAGE plpgsql AS 'BEGIN RAISE ''planted''; END'"
        ));
    }
    nodes[1].value("CREATE VIEW planted.pg_stat_database AS SELECT 1 / 0 AS blks_hit");
    nodes[1].value("ALTER DATABASE postgres SET search_path = planted, pg_catalog, public");

    // The history has its first partitions.
    session.finish_run("script => 'SELECT 1', transactions_per_client => 1");

    // The first load finds no distributed table yet.
    let before = figures_of(&mut nodes);
    session.value(&format!(
        "CALL pgperf.init('tpcb-like', scale => 3, {DISTRIBUTE})"
    ));
    let load = session.number("SELECT max(run_id) FROM pgperf.runs");
    let after = figures_of(&mut nodes);
    expect_of_nodes(&mut session, load, "of 3 nodes together");
    let wal: f64 = increases(&before.wal, &after.wal).iter().sum();
    let own = figure(&mut session, load, "own_wal_bytes");
    expect_near(
        "WAL of the load",
        figure(&mut session, load, "wal_bytes"),
        wal - own,
        0.02,
    );
    let size: f64 = increases(&before.size, &after.size).iter().sum();
    let history = figure(&mut session, load, "own_history_bytes");
    let growth = figure(&mut session, load, "database_growth_bytes");
    expect_near("growth by the load", growth, size - history, 0.05);

    let before = figures_of(&mut nodes);
    let run = session.finish_run("'tpcb-like', clients => 4, duration => '4 s'");
    let after = figures_of(&mut nodes);
    expect_of_nodes(&mut session, run, "of 3 nodes together");
    let own = figure(&mut session, run, "own_wal_bytes");
    let wal = increases(&before.wal, &after.wal);
    println!("WAL of coordinator and workers: {wal:?}, pgperf's own {own}");
    let known = figure(&mut session, run, "wal_bytes");
    expect_near("WAL", known, wal.iter().sum::<f64>() - own, 0.02);
    // Of those here a part is pgperf's.
    let (hit, of_run) = (
        increases(&before.hit, &after.hit),
        figure(&mut session, run, "shared_blks_hit"),
    );
    println!("hits of coordinator and workers: {hit:?}, {of_run} of the run");
    let of_workers: f64 = hit[1..].iter().sum();
    assert!(0.95 * of_workers <= of_run && of_run <= of_workers + hit[0]);
    let metric = session.number(&format!(
        "SELECT value::int8 FROM pgperf.run_metrics WHERE run_id = {run} AND metric = 'wal_bytes'"
    ));
    assert_eq!(metric as f64, known);

    // All rows are on the workers, and a statement goes to one of them: nothing is prepared.
    session.value(
        "CALL pgperf.init('oltp_update_index', options => '{\"tables\": 2, \"table_size\": 20000, \"distribute\": true}')",
    );
    let before = figures_of(&mut nodes);
    let run =
        session.finish_run("'oltp_update_index', clients => 4, transactions_per_client => 3000");
    let after = figures_of(&mut nodes);
    let of_workers: f64 = increases(&before.wal[1..], &after.wal[1..]).iter().sum();
    expect_near(
        "WAL of the workers",
        figure(&mut session, run, "wal_bytes"),
        of_workers,
        0.02,
    );

    // A node that does not answer: its part is unknown, and so is the whole.
    session.value("CREATE SCHEMA here");
    session.value("CALL pgperf.init('tpcb-like', schema => 'here')");
    let [first, second] = workers;
    let port = second.port();
    drop((nodes, second));
    let run = session.finish_run(&format!("{SHORT}, schema => 'here'"));
    expect_unknown(&mut session, run);
    let note = session.value(&format!(
        "SELECT note FROM pgperf.run_environment WHERE run_id = {run} AND name = 'distributed_tables'"
    ));
    assert!(note.contains(&format!("127.0.0.1:{port}")), "{note}");
    drop(first);
}

/// Samples of a worker have its shards, each with the table that it is a part of, whoever takes them: Citus hides them from sessions, and from
/// background workers of extensions.
#[test]
fn samples_have_shards() {
    if !citus_has_time() {
        return;
    }
    let worker = node();
    worker.run_sql("CREATE EXTENSION pgperf CASCADE");
    let cluster = coordinator(std::slice::from_ref(&worker));
    let mut session = cluster.connect();
    let mut there = worker.connect();
    session.value("SET client_min_messages = warning");
    session.value(&format!("CALL pgperf.init('tpcb-like', {DISTRIBUTE})"));
    let long = "a".repeat(63);
    session.value(&format!("CREATE TABLE {long} (id int PRIMARY KEY)"));
    session.value(&format!(
        "SELECT create_distributed_table('{long}', 'id', shard_count => 1)"
    ));
    session.value(&format!(
        "INSERT INTO {long} SELECT g FROM generate_series(1, 1000) g"
    ));
    there.value("CREATE TABLE pgbench_accounts_7 (id int)");
    there.value("INSERT INTO pgbench_accounts_7 VALUES (1)");

    // pg_class has no shard for others.
    let shard = "^pgbench_accounts_[0-9]{5,}$";
    let hidden = format!("SELECT count(*) FROM pg_class WHERE relname ~ '{shard}'");
    assert_eq!(there.number(&hidden), 0);
    there.value("SELECT count(*) FROM pgperf.snapshot('{tables,bloat,buffers}')");
    assert_eq!(there.number(&hidden), 0, "the session is as before");
    let of_shards = |history: &str, columns: &str| {
        format!(
            "SELECT string_agg(DISTINCT concat_ws(' ', {columns}), ', ') || ' ' || count(DISTINCT relation_name) \
               FROM pgperf.{history} WHERE relation_name ~ '{shard}'"
        )
    };
    assert_eq!(
        there.value(&of_shards(
            "relation_history",
            "relation_kind, table_name, size_bytes > 0, reltuples > 0"
        )),
        "table pgbench_accounts t t 4"
    );
    assert_eq!(
        there.value(&of_shards(
            "bloat_history",
            "relation_kind, table_schema, table_name, live_tuples > 0"
        )),
        "table public pgbench_accounts t 4"
    );
    assert_eq!(
        there.value(&of_shards("buffer_usage_history", "relation_kind")),
        "table 4"
    );
    let row = |name: &str| {
        format!(
            "SELECT string_agg(DISTINCT concat_ws(' ', relation_kind, table_name, size_bytes), ', ') \
               FROM pgperf.relation_history WHERE relation_name ~ '{name}'"
        )
    };
    assert_eq!(there.value(&row("^pgbench_accounts_7$")), "table 8192");
    let hashed = there.value(&row(
        "^a+_[0-9a-f]+_[0-9]+$' AND relation_kind <> 'index' AND relation_name ~ '^a",
    ));
    assert!(hashed.starts_with(&format!("table {long} ")), "{hashed}");
    let index = there.value(
        "SELECT bool_and(table_name ~ '^pgbench_accounts_[0-9]+$' AND relation_kind = 'index') FROM pgperf.relation_history \
          WHERE relation_name ~ '^pgbench_accounts_pkey_[0-9]+$'",
    );
    assert_eq!(index, "t");

    // Shells, on every node.
    session.value("SELECT count(*) FROM pgperf.snapshot('{tables}')");
    for node in [&mut session, &mut there] {
        assert_eq!(node.value(&row("^pgbench_accounts$")), "distributed table");
        assert_eq!(node.value(&row("^pgbench_tellers$")), "distributed table");
        assert_eq!(
            node.value(&row("^pgbench_accounts_pkey$")),
            "index pgbench_accounts"
        );
    }

    // A background worker.
    session.value("UPDATE pgbench_accounts SET abalance = 1");
    let run = there.finish_run("script => 'SELECT 1', duration => '1 s'");
    let seen = there.number(&format!(
        "SELECT count(DISTINCT relation_name) FROM pgperf.relation_history WHERE run_id = {run} AND table_name = 'pgbench_accounts'"
    ));
    assert_eq!(seen, 4);
}

/// Citus commits on the other nodes, in two phases, within the commit here: that time is one of the commit, whether of END or of a statement alone.
#[test]
fn commits_of_other_nodes_are_time_of_the_commit() {
    if !citus_has_time() {
        return;
    }
    let workers = [node()];
    let cluster = coordinator(&workers);
    let mut session = cluster.connect();
    session.value("SET client_min_messages = warning");
    session.value(&format!("CALL pgperf.init('tpcb-like', {DISTRIBUTE})"));
    let prepared = "SELECT count(*) FROM pg_dist_transaction";
    let mut there = workers[0].connect();
    let shard = session.value("SELECT shard_name FROM citus_shards WHERE table_name = 'pgbench_tellers'::regclass LIMIT 1");
    // A deferred trigger runs when the worker prepares the transaction.
    there.value("SET citus.enable_ddl_propagation = off");
    there.value("CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(0.03); RETURN NULL; END'");
    there.value("SET citus.enable_manual_changes_to_shards = on");
    there.value(&format!(
        "CREATE CONSTRAINT TRIGGER slow AFTER UPDATE ON {shard} DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION slow()"
    ));
    let update = "UPDATE pgbench_tellers SET tbalance = tbalance + 1 WHERE tid = 1;";
    for (script, committing) in [
        (update.to_owned(), "UPDATE"),
        (format!("BEGIN;\n{update}\nEND;"), "END"),
    ] {
        let run = session.finish_run(&format!(
            "script => '{script}', transactions_per_client => 20"
        ));
        let split = session.value(&format!(
            "SELECT string_agg(split_part(statement, ' ', 1) || ' ' || (commit_ms >= 30) || ' ' || (execute_ms < 30), ', ') \
               FROM pgperf.run_statements WHERE run_id = {run} AND (commit_ms >= 30 OR execute_ms >= 30)"
        ));
        assert_eq!(split.replace(';', ""), format!("{committing} true true"));
        let whole = session.value(&format!(
            "SELECT commit_ms >= 30 AND execute_ms < 30 FROM pgperf.run_summary WHERE run_id = {run}"
        ));
        assert_eq!(whole, "t");
        println!("{} transactions prepared", session.value(prepared));
    }
}

/// What the page on repositories says of Citus: the history cannot be distributed, an archive of it can, and a query of a node's window is one
/// of a single shard.
#[test]
fn an_archive_of_the_history_is_distributed_by_node() {
    if !citus_has_time() {
        return;
    }
    let workers = [node(), node()];
    let cluster = coordinator(&workers);
    let mut session = cluster.connect();
    session.value("SET client_min_messages = warning");
    session.value("SELECT count(*) FROM pgperf.snapshot()");
    for (table, reason) in [
        ("wal_history", "multi-level partitioned"),
        ("run_metrics", "because it has triggers"),
    ] {
        let distribute = format!("SELECT create_distributed_table('pgperf.{table}', 'node_id')");
        let (_, message, _) = error_of(&mut session, &distribute);
        assert!(message.contains(reason), "{message}");
    }
    session.age_history("1 day");
    let page = crate::common::document("docs/repository.md");
    let (_, section) = page.split_once("## On Citus").expect("the section");
    for block in section.split("```sql\n").skip(1) {
        let (sql, _) = block.split_once("```").expect("the end of an example");
        session.value(sql);
    }
    let distributed = "SELECT count(*) FROM pg_dist_partition p JOIN pgperf_internal.history_tables h \
                         ON p.logicalrelid::text = 'archive.' || h.table_name";
    let all = "SELECT count(*) FROM pgperf_internal.history_tables";
    assert_eq!(session.number(distributed), session.number(all));
    for table in ["samples", "relation_history", "wal_history"] {
        let rows = |schema: &str| {
            format!("SELECT count(*) FROM {schema}.{table} WHERE taken_at < current_date")
        };
        let count = session.number(&rows("archive"));
        assert!(
            count > 0 && count == session.number(&rows("pgperf")),
            "{table}: {count}"
        );
    }
    let node_id = session.value("SELECT pgperf.local_node()");
    let explain = format!(
        "EXPLAIN SELECT w.insert_lsn, r.size_bytes FROM archive.wal_history w JOIN archive.relation_history r USING (node_id, sample_id) \
         WHERE w.node_id = '{node_id}' AND w.taken_at > now() - interval '2 days'"
    );
    let rows = session.query(&explain, &[]).expect("a plan");
    let plan: Vec<String> = rows.iter().map(|row| row.get(0)).collect();
    assert!(
        plan.iter().any(|line| line.trim() == "Task Count: 1"),
        "{plan:#?}"
    );
}
