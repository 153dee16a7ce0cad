//! The same seed leaves the same rows as inside the server, and as pgbench leaves.

use super::expect_nothing_left;
use crate::common::pair::{Load, OURS, QUERY_MODES, THEIRS, cluster_with_pair, execute, row};
use crate::common::runs::Runs;
use postgres::Client;

const RENEW: &str = "TRUNCATE pgbench_history; UPDATE pgbench_branches SET bbalance = 0; \
    UPDATE pgbench_tellers SET tbalance = 0; UPDATE pgbench_accounts SET abalance = 0 WHERE abalance <> 0";
const CONTENTS: &str = "SELECT (SELECT md5(string_agg(b::text, ';' ORDER BY bid)) FROM pgbench_branches b), \
    (SELECT md5(string_agg(t::text, ';' ORDER BY tid)) FROM pgbench_tellers t), \
    (SELECT md5(string_agg(a::text, ';' ORDER BY aid)) FROM pgbench_accounts a WHERE abalance <> 0), \
    (SELECT md5(string_agg(format('%s,%s,%s,%s', tid, bid, aid, delta), ';' ORDER BY tid, bid, aid, delta)) \
       FROM pgbench_history), (SELECT count(mtime) FROM pgbench_history)";
/// A view in the table's place notes which accounts are read.
const NOTE_READS: &str = "ALTER TABLE pgbench_accounts RENAME TO accounts; CREATE TABLE reads (aid int); \
    CREATE FUNCTION noted(aid int) RETURNS boolean LANGUAGE sql VOLATILE \
        AS 'INSERT INTO reads VALUES (aid) RETURNING true'; \
    CREATE VIEW pgbench_accounts AS SELECT * FROM accounts WHERE noted(aid)";
const READS: &str = "SELECT count(*), md5(string_agg(aid::text, ';' ORDER BY aid)) FROM reads";

#[test]
fn the_built_in_scripts_leave_what_they_leave_in_pgbench() {
    let cluster = cluster_with_pair(2, &[]);
    let (mut theirs, mut ours) = (cluster.connect_to(THEIRS), cluster.connect_to(OURS));
    for (script, contents) in [
        ("tpcb-like", CONTENTS),
        ("simple-update", CONTENTS),
        ("select-only", READS),
    ] {
        let renew = match contents {
            READS => "TRUNCATE reads",
            _ => RENEW,
        };
        if contents == READS {
            for session in [&mut theirs, &mut ours] {
                execute(session, NOTE_READS);
            }
        }
        for query_mode in QUERY_MODES {
            let load = Load {
                script,
                query_mode,
                clients: 4,
                transactions: 100,
                seed: 42,
            };
            for session in [&mut theirs, &mut ours] {
                execute(session, renew);
            }
            load.by_pgbench(&cluster, THEIRS);
            load.by_pgperf_over("wire", &cluster, OURS);
            assert_eq!(
                row(&mut theirs, contents),
                row(&mut ours, contents),
                "{load:?}"
            );
        }
    }
    expect_nothing_left(&mut ours, "runs over the wire");
}

/// Scripts with what the protocol is used for, each with the modes in which it can run. They write to `drawn`.
const SCRIPTS: &[(&str, &[&str])] = &[
    // Results as variables; NULL, the last row of several, none.
    (
        "\\set x random(1, 1000)\n\
         SELECT :x AS a, NULL AS b, '7' AS c \\gset p_\n\
         SELECT i AS n FROM generate_series(1, 3) i WHERE i <> :x \\aset\n\
         INSERT INTO drawn VALUES (:client_id, :p_a, (:n::int + :p_c::int)::text);\n",
        &QUERY_MODES,
    ),
    (
        "\\set x random(1, 1000)\n\
         SELECT :x AS a\\; SELECT :x + 1 AS b \\aset\n\
         INSERT INTO drawn VALUES (:client_id, :a, :b::text);\n",
        &["simple"],
    ),
    // Pipelines, with a sync, in a block and outside of one.
    (
        "\\set x random(1, 1000)\n\
         \\startpipeline\n\
         INSERT INTO drawn VALUES (:client_id, :x, 'one');\n\
         INSERT INTO drawn VALUES (:client_id, :x + 1, 'two');\n\
         \\endpipeline\n\
         \\startpipeline\n\
         BEGIN;\n\
         INSERT INTO drawn VALUES (:client_id, :x + 2, 'three');\n\
         END;\n\
         \\endpipeline\n",
        &["extended", "prepared"],
    ),
    // Values of every type, texts that need quotes, conditions, loops of pgbench's own.
    (
        "\\set i random(-5, 5)\n\
         \\set d :i * 0.25\n\
         \\set b :i > 0\n\
         BEGIN;\n\
         \\if :b\n\
         INSERT INTO drawn VALUES (:client_id, :i, (:d)::text);\n\
         \\else\n\
         INSERT INTO drawn VALUES (:client_id, 0 - :i, 'no \\\\ no');\n\
         \\endif\n\
         END;\n",
        &QUERY_MODES,
    ),
];
const DRAWN: &str =
    "SELECT count(*) || ' ' || md5(string_agg(d::text, ';' ORDER BY d::text)) FROM drawn d";

fn drawn(session: &mut Client, script: &str, mode: &str, transport: &str) -> String {
    session.value("TRUNCATE drawn");
    let run = session.finish_run(&format!(
        "script => $s${script}$s$, query_mode => '{mode}', transport => '{transport}', clients => 3, \
         transactions_per_client => 50, random_seed => 9"
    ));
    assert_eq!(session.total(run, "transactions"), 150);
    session.value(DRAWN)
}

#[test]
fn scripts_leave_what_they_leave_inside() {
    let cluster = super::cluster();
    let mut session = cluster.connect();
    session.value("CREATE TABLE drawn (client int, value int, note text)");
    for (script, modes) in SCRIPTS {
        for mode in *modes {
            let inside = drawn(&mut session, script, mode, "inside");
            let wire = drawn(&mut session, script, mode, "wire");
            assert_eq!(wire, inside, "{mode}: {script}");
        }
    }
    expect_nothing_left(&mut session, "scripts");
    cluster.expect_no_crash();
}

#[test]
fn retries_are_those_of_inside() {
    let cluster = super::cluster();
    let mut session = cluster.connect();
    session.value("CREATE TABLE hot (id int PRIMARY KEY, n int); INSERT INTO hot VALUES (1, 0)");
    let script = "BEGIN ISOLATION LEVEL REPEATABLE READ;\nSELECT n FROM hot;\nUPDATE hot SET n = n + 1;\nEND;\n";
    for max_tries in [1, 100] {
        session.value("UPDATE hot SET n = 0");
        let run = session.finish_run(&format!(
            "script => $s${script}$s$, transport => 'wire', clients => 4, transactions_per_client => 50, \
             max_tries => {max_tries}, random_seed => 1"
        ));
        let done = session.total(run, "transactions");
        // Each one that counts as done has left its row.
        assert_eq!(session.number("SELECT n FROM hot"), done);
        assert_eq!(done + session.total(run, "serialization_failures"), 200);
        let retried = session.total(run, "retries");
        assert_eq!(retried > 0, max_tries > 1, "{retried} retries");
        if max_tries > 1 {
            assert_eq!(done, 200);
        }
    }
}
