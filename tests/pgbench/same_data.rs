//! The same seed leaves the same data as pgbench's, and `init` the same tables as `pgbench -i`.

use postgres::Client;

use crate::common::pair::{
    Load, OURS, QUERY_MODES, THEIRS, cluster_with_pair, execute, number, pgbench, pgbench_init,
    row, rows,
};
use crate::common::{Cluster, cases};

const CLIENTS: u32 = 4;
const TRANSACTIONS: u32 = 200;
/// Of all clients.
const TOTAL: i64 = 800;
/// The last one is all ones.
const SEEDS: [i64; 3] = [42, 0, -1];

/// What pgbench of PostgreSQL 15 and later leaves with seed 42 at scale 2: found once with pgbench itself.
const HISTORY_OF_SEED_42: &str = "95d6aef9c80e1499ff19531e0a1e3ec1";
const SUM_OF_SEED_42: i64 = -15328;

/// Back to what a fresh load holds.
const RENEW: &str = "TRUNCATE pgbench_history; \
    UPDATE pgbench_branches SET bbalance = 0; \
    UPDATE pgbench_tellers SET tbalance = 0; \
    UPDATE pgbench_accounts SET abalance = 0 WHERE abalance <> 0";

/// The md5 of the sorted rows of a table, or of those that a condition leaves.
fn sorted_rows(session: &mut Client, from: &str, key: &str) -> String {
    row(
        session,
        &format!("SELECT md5(string_agg(t::text, ';' ORDER BY {key})) FROM {from}"),
    )
}

/// What a load leaves in the tables; of the accounts those whose balance it changed, of history all but the
/// times.
#[derive(Debug, PartialEq)]
struct Contents {
    branches: String,
    tellers: String,
    accounts: String,
    history: String,
    history_rows: i64,
    sum_delta: i64,
}

impl Contents {
    fn of(session: &mut Client) -> Contents {
        Contents {
            branches: sorted_rows(session, "pgbench_branches t", "bid"),
            tellers: sorted_rows(session, "pgbench_tellers t", "tid"),
            accounts: sorted_rows(session, "pgbench_accounts t WHERE abalance <> 0", "aid"),
            history: row(
                session,
                "SELECT md5(string_agg(format('%s,%s,%s,%s', tid, bid, aid, delta), ';' \
                                       ORDER BY tid, bid, aid, delta)) \
                 FROM pgbench_history",
            ),
            history_rows: number(session, "SELECT count(mtime) FROM pgbench_history"),
            sum_delta: number(
                session,
                "SELECT coalesce(sum(delta), 0) FROM pgbench_history",
            ),
        }
    }
}

/// The loads that are compared: every query mode with every seed; in CI, with one of them.
fn loads(script: &'static str) -> impl Iterator<Item = Load> {
    let pairs = QUERY_MODES
        .into_iter()
        .flat_map(|query_mode| SEEDS.into_iter().map(move |seed| (query_mode, seed)));
    let chosen = pairs.filter(|(query_mode, seed)| {
        cases(0, 1) == 1 || *query_mode == QUERY_MODES[0] || *seed == SEEDS[0]
    });
    chosen.map(move |(query_mode, seed)| Load {
        script,
        query_mode,
        clients: CLIENTS,
        transactions: TRANSACTIONS,
        seed,
    })
}

/// Runs a load on both databases, each as fresh; returns what pgperf's holds, which is what pgbench's does.
fn same_contents(cluster: &Cluster, load: &Load) -> Contents {
    let (mut theirs, mut ours) = (cluster.connect_to(THEIRS), cluster.connect_to(OURS));
    for session in [&mut theirs, &mut ours] {
        execute(session, RENEW);
    }
    load.by_pgbench(cluster, THEIRS);
    load.by_pgperf(cluster, OURS);
    let contents = Contents::of(&mut ours);
    assert_eq!(Contents::of(&mut theirs), contents, "{load:?}");
    assert_eq!(contents.history_rows, TOTAL, "{load:?}");
    contents
}

#[test]
fn tpcb_like_leaves_the_data_that_pgbench_leaves() {
    let cluster = cluster_with_pair(2, &[]);
    let mut histories = Vec::new();
    for load in loads("tpcb-like") {
        let contents = same_contents(&cluster, &load);
        if load.seed == 42 {
            assert_eq!(contents.history, HISTORY_OF_SEED_42, "{load:?}");
            assert_eq!(contents.sum_delta, SUM_OF_SEED_42, "{load:?}");
        }
        histories.push(contents.history);
    }
    // Another seed is another history; another query mode is not.
    histories.sort();
    histories.dedup();
    assert_eq!(histories.len(), SEEDS.len());
}

#[test]
fn simple_update_leaves_the_data_that_pgbench_leaves() {
    let cluster = cluster_with_pair(2, &[]);
    for load in loads("simple-update") {
        same_contents(&cluster, &load);
    }
}

/// A SELECT leaves nothing to compare: a view in the table's place notes which accounts are read.
#[test]
fn select_only_reads_the_accounts_that_pgbench_reads() {
    const NOTE_READS: &str = "ALTER TABLE pgbench_accounts RENAME TO accounts; \
        CREATE TABLE reads (aid int); \
        CREATE FUNCTION noted(aid int) RETURNS boolean LANGUAGE sql VOLATILE \
            AS 'INSERT INTO reads VALUES (aid) RETURNING true'; \
        CREATE VIEW pgbench_accounts AS SELECT * FROM accounts WHERE noted(aid)";
    const READS: &str = "SELECT count(*), md5(string_agg(aid::text, ';' ORDER BY aid)) FROM reads";
    let cluster = cluster_with_pair(2, &[]);
    let (mut theirs, mut ours) = (cluster.connect_to(THEIRS), cluster.connect_to(OURS));
    for session in [&mut theirs, &mut ours] {
        execute(session, NOTE_READS);
    }
    for load in loads("select-only") {
        for session in [&mut theirs, &mut ours] {
            execute(session, "TRUNCATE reads");
        }
        load.by_pgbench(&cluster, THEIRS);
        load.by_pgperf(&cluster, OURS);
        let reads = row(&mut ours, READS);
        assert_eq!(row(&mut theirs, READS), reads, "{load:?}");
        assert!(reads.starts_with("800|"), "{load:?}: {reads}");
    }
}

/// Scripts that write what they drew, and which of them it was.
const SCRIPTS: [&str; 3] = [
    "\\set x random(1, 1000000)\n\
     INSERT INTO drawn VALUES (1, :client_id, :x, :scale);\n",
    "\\set x random_zipfian(1, 1000, 1.2) + permute(:client_id, 100)\n\
     \\if :client_id % 2 = 0\n\
     INSERT INTO drawn VALUES (2, :client_id, :x, :extra);\n\
     \\elif :client_id > 2\n\
     \\set y random(1, 10)\n\
     INSERT INTO drawn VALUES (3, :client_id, :y, :random_seed);\n\
     \\else\n\
     \\set z hash(:x)\n\
     INSERT INTO drawn VALUES (4, :client_id, :z, :default_seed);\n\
     \\endif\n",
    "INSERT INTO drawn VALUES (5, :client_id, -1, :scale);\n",
];
const DRAWN: &str = "CREATE TABLE drawn (script int, client int, value bigint, other numeric)";
const COUNTS: &str = "SELECT script, count(*) FROM drawn GROUP BY script ORDER BY script";

/// Runs a mix on both databases; returns how often each script was chosen.
fn same_mix(cluster: &Cluster, seed: i64, theirs_says: &[&str], ours_says: &str) -> Vec<String> {
    let (mut theirs, mut ours) = (cluster.connect_to(THEIRS), cluster.connect_to(OURS));
    for session in [&mut theirs, &mut ours] {
        execute(session, RENEW);
        execute(session, "TRUNCATE drawn");
    }
    let (clients, transactions) = (CLIENTS.to_string(), TRANSACTIONS.to_string());
    // As many threads as clients: pgbench chooses scripts by a stream of its thread's.
    let counts = ["-n", "-c", &clients, "-j", &clients, "-t", &transactions];
    let seed_option = format!("--random-seed={}", seed as u64);
    pgbench(
        cluster,
        &[&counts[..], &[&seed_option], theirs_says, &[THEIRS]].concat(),
    );
    let call = format!(
        "SELECT pgperf.start_run({ours_says}, clients => {CLIENTS}, \
         transactions_per_client => {TRANSACTIONS}, random_seed => {seed}, sample_interval => '1 h', collectors => '{{}}')"
    );
    row(&mut ours, &call);
    assert_eq!(row(&mut ours, "CALL pgperf.wait_run()"), "finished");
    let drawn = |session: &mut Client| sorted_rows(session, "drawn t", "t::text");
    assert_eq!(drawn(&mut theirs), drawn(&mut ours), "{call}");
    assert_eq!(Contents::of(&mut theirs), Contents::of(&mut ours), "{call}");
    let chosen = rows(&mut ours, COUNTS);
    assert_eq!(rows(&mut theirs, COUNTS), chosen);
    chosen
}

/// The scripts as files that pgbench reads.
fn script_files() -> (tempfile::TempDir, Vec<String>) {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let files = SCRIPTS.iter().enumerate().map(|(i, text)| {
        let path = dir.path().join(format!("{i}.sql"));
        std::fs::write(&path, text).expect("a script");
        path.to_str().expect("a path").to_owned()
    });
    let files = files.collect();
    (dir, files)
}

#[test]
fn mixes_choose_the_scripts_that_pgbench_chooses() {
    let cluster = cluster_with_pair(2, &[]);
    for database in [THEIRS, OURS] {
        execute(&mut cluster.connect_to(database), DRAWN);
    }
    let (_dir, files) = script_files();
    let weighted = |file: usize, weight: u32| format!("{}@{weight}", files[file]);
    let quoted: Vec<String> = SCRIPTS.iter().map(|text| format!("$s${text}$s$")).collect();
    let scripts = format!("scripts => ARRAY[{}]", quoted.join(", "));
    let mut counts = Vec::new();
    for seed in SEEDS {
        // Scripts alone: scale is 1 unless it is given; -D goes before what pgbench itself defines.
        let (a, b, c) = (weighted(0, 3), weighted(1, 2), weighted(2, 0));
        let files = ["-f", &a, "-f", &b, "-f", &c, "-D", "extra=7"];
        let ours = format!("{scripts}, weights => '{{3,2,0}}', variables => '{{\"extra\": 7}}'");
        counts.push(same_mix(&cluster, seed, &files, &ours));
        same_mix(
            &cluster,
            seed,
            &[&files[..], &["-s", "5"]].concat(),
            &format!("{ours}, scale => 5"),
        );
        let defined = [
            "-D",
            "scale=9",
            "-D",
            "default_seed=123",
            "-D",
            "random_seed=77",
        ];
        same_mix(
            &cluster,
            seed,
            &[&files[..], &defined].concat(),
            &format!(
                "{scripts}, weights => '{{3,2,0}}', variables => \
                 '{{\"extra\": 7, \"scale\": 9, \"default_seed\": 123, \"random_seed\": 77}}'"
            ),
        );
        same_mix(
            &cluster,
            seed,
            &[&files[..], &["-D", "client_id=3"]].concat(),
            &format!(
                "{scripts}, weights => '{{3,2,0}}', variables => '{{\"extra\": 7, \"client_id\": 3}}'"
            ),
        );
        // Two scripts of the user's and a built-in one: the scale is that of its tables.
        let (a, b) = (weighted(0, 3), weighted(1, 1));
        execute(
            &mut cluster.connect_to(OURS),
            &format!(
                "SELECT pgperf.create_workload('a', script => {}, replace => true), \
                 pgperf.create_workload('b', script => {}, variables => '{{\"extra\": 8}}', replace => true)",
                quoted[0], quoted[1]
            ),
        );
        same_mix(
            &cluster,
            seed,
            &[
                "-f",
                &a,
                "-f",
                &b,
                "-b",
                "select-only@2",
                "-b",
                "tpcb@1",
                "-D",
                "extra=8",
            ],
            "'a@3, b@1, select-only@2, tpcb@1'",
        );
    }
    for counts in &counts {
        assert_eq!(
            counts.len(),
            4,
            "every branch but that of weight 0: {counts:?}"
        );
    }
    counts.dedup();
    assert_eq!(counts.len(), SEEDS.len(), "another seed chooses otherwise");
}

/// Columns, storage options, constraints, indexes and sizes of pgbench's tables.
const DEFINITIONS: &str = "\
    SELECT c.relname, c.relkind, c.relpersistence, c.reloptions, c.reltablespace, \
           pg_relation_size(c.oid) AS size, \
           (SELECT string_agg(format('%s %s %s', a.attname, format_type(a.atttypid, a.atttypmod), \
                                     a.attnotnull), ', ' ORDER BY a.attnum) \
              FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0) AS columns, \
           (SELECT string_agg(format('%s %s', k.conname, pg_get_constraintdef(k.oid)), ', ' \
                              ORDER BY k.conname) \
              FROM pg_constraint k WHERE k.conrelid = c.oid) AS constraints, \
           CASE c.relkind WHEN 'i' THEN pg_get_indexdef(c.oid) END AS index, \
           c.relallvisible = c.relpages AS all_visible \
    FROM pg_class c WHERE c.relname LIKE 'pgbench%' ORDER BY c.relname";

#[test]
fn init_makes_the_tables_that_pgbench_makes() {
    let cluster = Cluster::with_pgperf(&["autovacuum = off"]);
    cluster.run_sql("CREATE DATABASE theirs");
    pgbench_init(&cluster, THEIRS, 2);
    let (mut theirs, mut ours) = (cluster.connect_to(THEIRS), cluster.connect());
    execute(&mut ours, "CALL pgperf.init('tpcb-like', scale => 2)");
    for (table, key) in [
        ("pgbench_branches t", "bid"),
        ("pgbench_tellers t", "tid"),
        ("pgbench_accounts t", "aid"),
    ] {
        assert_eq!(
            sorted_rows(&mut theirs, table, key),
            sorted_rows(&mut ours, table, key),
            "{table}"
        );
    }
    let history = number(&mut ours, "SELECT count(*) FROM pgbench_history");
    assert_eq!(history, 0);
    let definitions = rows(&mut ours, DEFINITIONS);
    assert_eq!(definitions.len(), 7, "four tables, three primary keys");
    assert_eq!(rows(&mut theirs, DEFINITIONS), definitions);
}

#[test]
fn check_passes_after_a_run_and_sees_a_wrong_balance() {
    const FAILED: &str =
        "SELECT count(*) FILTER (WHERE NOT passed) FROM pgperf.\"check\"('tpcb-like')";
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    execute(&mut session, "CALL pgperf.init('tpcb-like', scale => 1)");
    let load = Load {
        script: "tpcb-like",
        query_mode: "prepared",
        clients: CLIENTS,
        transactions: TRANSACTIONS,
        seed: 1,
    };
    load.by_pgperf(&cluster, "postgres");
    assert_eq!(
        number(&mut session, "SELECT count(*) FROM pgbench_history"),
        TOTAL
    );
    assert_eq!(number(&mut session, FAILED), 0);
    execute(
        &mut session,
        "UPDATE pgbench_tellers SET tbalance = tbalance + 1 WHERE tid = 3",
    );
    assert_eq!(number(&mut session, FAILED), 1);
}
