//! Bloat from a sample of pages: its error, its cost, and the treatment of relations that cannot be read.

use std::fs::OpenOptions;
use std::io::{Seek, SeekFrom, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::common::pair::{execute, number, row, rows};
use crate::common::runs::{Runs, error_of};
use crate::common::{Cluster, Ending, StopMode};
use postgres::Client;

/// Trials of the comparison with the truth.
const TRIALS: i64 = 200;
/// Tables with a known past, each larger than the size that is read whole (16 MB), and their primary keys.
const HISTORIES: &str = "
CREATE SCHEMA histories;
SET search_path = histories;
CREATE FUNCTION fill(name text, options text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('CREATE TABLE %I (id int, n int, filler text) %s', name, options);
    EXECUTE format('INSERT INTO %I SELECT i, 0, repeat(''x'', i %% 40) FROM generate_series(1, 800000) i', name);
    EXECUTE format('CREATE UNIQUE INDEX %I ON %I (id, n)', name || '_key', name);
END $$;
SELECT fill('fresh', '');
SELECT fill('updated', '');
UPDATE updated SET n = n + 1 WHERE hashint4(id) % 4 = 0;
VACUUM updated;
UPDATE updated SET n = n + 1 WHERE hashint4(id) % 7 = 0;
SELECT fill('ranged', '');
DELETE FROM ranged WHERE id BETWEEN 100000 AND 250000;
VACUUM (TRUNCATE off) ranged;
DELETE FROM ranged WHERE id BETWEEN 400000 AND 420000;
SELECT fill('hot', 'WITH (fillfactor = 80)');
DO $$ BEGIN
    FOR i IN 1..4 LOOP
        UPDATE hot SET filler = repeat('y', length(filler)) WHERE hashint4(id + i) % 3 = 0;
    END LOOP;
END $$;
SELECT fill('roomy', 'WITH (fillfactor = 70)');
SELECT fill('vacuumed', '');
DELETE FROM vacuumed WHERE hashint4(id) % 5 < 2;
VACUUM vacuumed;
CREATE TABLE wide (id int, doc text);
ALTER TABLE wide ALTER doc SET STORAGE external;
INSERT INTO wide SELECT i, repeat('x', 2500 + abs(hashint4(i)) % 2000) FROM generate_series(1, 22000) i;
DELETE FROM wide WHERE hashint4(id) % 12 = 0;
VACUUM wide;
";

/// What is compared: the seven tables (of `wide` its TOAST table) and six indexes.
const MEASURED: &str = "
SELECT array_agg(c.oid::regclass) FROM pg_class c
WHERE c.relkind IN ('r', 'i') AND c.relnamespace = 'histories'::regnamespace AND c.relname <> 'wide'
   OR c.oid = (SELECT reltoastrelid FROM pg_class WHERE oid = 'histories.wide'::regclass)";

/// Every percentage of a sample against the same of every page: relation, figure, error, margin.
const ERRORS: &str = "
WITH e AS (SELECT * FROM pgperf.bloat_history WHERE method = 'exact'),
     s AS (SELECT * FROM pgperf.bloat_history WHERE method = 'sampled')
SELECT relation_name, figure, abs(estimate - truth) AS error, s.error_margin_percent AS margin
FROM s JOIN e USING (schema_name, relation_name), LATERAL (VALUES
    ('live', s.live_percent, e.live_percent), ('dead', s.dead_percent, e.dead_percent),
    ('free', s.free_percent, e.free_percent), ('bloat', s.bloat_percent, e.bloat_percent),
    ('density', s.leaf_density_percent, e.leaf_density_percent),
    ('deleted', 800.0 * 1024 * s.deleted_pages / s.size_bytes, 800.0 * 1024 * e.deleted_pages / e.size_bytes))
    AS f (figure, estimate, truth)
WHERE truth IS NOT NULL";

fn quiet_cluster(conf: &[&str]) -> Cluster {
    Cluster::with_pgperf(&[&["autovacuum = off", "max_wal_size = 4GB"], conf].concat())
}

#[test]
fn a_sample_is_as_right_as_it_says() {
    let cluster = quiet_cluster(&["shared_buffers = 512MB", "work_mem = 64MB"]);
    let mut session = cluster.connect();
    let session = &mut session;
    // One at a time: VACUUM cannot share a transaction.
    for statement in HISTORIES
        .split_inclusive(";\n")
        .fold(Vec::new(), whole_statements)
    {
        execute(session, &statement);
    }
    execute(session, "RESET search_path");
    let all = row(session, MEASURED);
    let snapshot =
        |method: &str| format!("SELECT pgperf.snapshot_bloat('{all}'::regclass[], '{method}')");
    row(session, &snapshot("exact"));
    assert_eq!(
        number(session, "SELECT count(*) FROM pgperf.bloat_history"),
        13
    );
    exact_agrees_with_pgstattuple(session);

    let started = Instant::now();
    for _ in 0..TRIALS {
        row(session, &snapshot("sampled"));
    }
    eprintln!("{TRIALS} trials: {:?}", started.elapsed());
    let of_each = rows(
        session,
        &format!(
            "SELECT relation_name, figure, count(*), round(avg((error <= margin)::int), 3), \
                    max(error)::numeric(6, 3), avg(margin)::numeric(6, 3), count(*) FILTER (WHERE error > 1) \
             FROM ({ERRORS}) e GROUP BY 1, 2 ORDER BY 1, 2"
        ),
    );
    eprintln!("{}", of_each.join("\n"));
    // Seven tables with four figures, six indexes with six.
    assert_eq!(of_each.len(), 7 * 4 + 6 * 6);
    let wrong = rows(
        session,
        &format!(
            "SELECT relation_name, figure FROM ({ERRORS}) e GROUP BY 1, 2 \
             HAVING count(*) <> {TRIALS} OR avg((error <= margin)::int) < 0.93 OR max(error) > 1"
        ),
    );
    assert!(wrong.is_empty(), "{wrong:?}");
    // And it was a sample, whose margin keeps to the promise.
    let sampled = rows(
        session,
        "SELECT relation_name FROM pgperf.bloat_history WHERE method = 'sampled' \
         GROUP BY 1 HAVING max(error_margin_percent) BETWEEN 0.001 AND 1 AND min(pages_read * 8192) < max(size_bytes) / 2",
    );
    assert!(sampled.len() >= 12, "{sampled:?}");
    // A relation without waste has no bloat.
    let perfect = number(
        session,
        "SELECT max(bloat_bytes) FROM pgperf.bloat_history \
         WHERE method = 'exact' AND relation_name IN ('fresh_key', 'roomy_key')",
    );
    assert_eq!(perfect, 0);
    let nearly = row(
        session,
        "SELECT max(bloat_percent) < 1.5 FROM pgperf.bloat_history WHERE relation_name IN ('fresh', 'roomy')",
    );
    assert_eq!(nearly, "t");
}

/// Joins the pieces of a DO block or function body, which hold semicolons of their own.
fn whole_statements(mut statements: Vec<String>, piece: &str) -> Vec<String> {
    match statements.last_mut() {
        Some(last) if last.matches("$$").count() % 2 == 1 => last.push_str(piece),
        _ => statements.push(piece.to_owned()),
    }
    statements
}

fn exact_agrees_with_pgstattuple(session: &mut Client) {
    let differences = rows(
        session,
        "SELECT b.relation_name, b.live_tuples - t.tuple_count, b.live_bytes - t.tuple_len, \
                b.dead_tuples - t.dead_tuple_count, b.dead_bytes - t.dead_tuple_len, \
                b.free_bytes - t.free_space, b.size_bytes - t.table_len \
         FROM pgperf.bloat_history b, \
              LATERAL pgstattuple(format('%I.%I', b.schema_name, b.relation_name)::regclass) t",
    );
    assert_eq!(differences.len(), 13);
    for line in differences {
        assert!(line.ends_with("|0|0|0|0|0|0"), "{line}");
    }
    let trees = rows(
        session,
        "SELECT relation_name FROM pgperf.bloat_history b, \
              LATERAL pgstatindex(format('%I.%I', b.schema_name, b.relation_name)::regclass) t \
         WHERE relation_kind = 'index' \
           AND (round(b.leaf_density_percent::numeric, 2) <> t.avg_leaf_density::numeric \
             OR round(b.leaf_fragmentation_percent::numeric, 2) <> t.leaf_fragmentation::numeric \
             OR b.deleted_pages <> t.deleted_pages + t.empty_pages)",
    );
    assert!(trees.is_empty(), "{trees:?}");
}

/// VACUUM FULL is the judge: what it gives back was bloat.
#[test]
fn a_dropped_column_is_bloat_until_the_table_is_rewritten() {
    let cluster = quiet_cluster(&[]);
    let mut session = cluster.connect();
    session
        .batch_execute(
            "CREATE TABLE narrowed (id int, wide text, n numeric, short char(3), at timestamptz); \
             INSERT INTO narrowed SELECT g, repeat('x', 200 + g % 50), CASE WHEN g % 3 = 0 THEN g END, 'abc', now() FROM generate_series(1, 40000) g; \
             ALTER TABLE narrowed DROP COLUMN wide, ADD COLUMN later int; \
             UPDATE narrowed SET later = 1 WHERE id % 10 = 0",
        )
        .expect("the table");
    session.value("VACUUM narrowed");
    let measured = |session: &mut Client, method: &str| -> (i64, i64) {
        session.value(&format!(
            "SELECT count(*) FROM pgperf.snapshot_bloat('{{narrowed}}', '{method}')"
        ));
        let figure = |column: &str| {
            format!(
                "SELECT {column} FROM pgperf.bloat_history WHERE relation_name = 'narrowed' ORDER BY sample_id DESC LIMIT 1"
            )
        };
        (
            session.number(&figure("size_bytes")),
            session.number(&figure("bloat_bytes")),
        )
    };
    let (size, bloat) = measured(&mut session, "exact");
    session.value("VACUUM FULL narrowed");
    let (full, left) = measured(&mut session, "exact");
    let freed = size - full;
    assert!(freed > size / 2, "{size} to {full}");
    assert!(
        (bloat - freed).abs() <= size / 100,
        "{bloat} of {size}; VACUUM FULL gave {freed} back"
    );
    assert!(left <= size / 100, "{left}");
}

#[test]
fn a_temporary_table_is_measured_by_its_own_session_only() {
    let cluster = quiet_cluster(&[]);
    let (mut session, mut other) = (cluster.connect(), cluster.connect());
    let create = "CREATE TEMP TABLE passing AS SELECT generate_series(1, 1000) AS id";
    execute(&mut session, create);
    execute(&mut other, create);
    execute(&mut session, "CREATE TABLE lasting AS SELECT 1 AS id");
    let theirs = row(
        &mut other,
        "SELECT 'passing'::regclass::oid, pg_my_temp_schema()::regnamespace",
    );
    let (oid, schema) = theirs.split_once('|').expect("two values");
    for method in ["auto", "exact", "sampled", "approx"] {
        let (sqlstate, message, _) = error_of(
            &mut session,
            &format!("SELECT pgperf.snapshot_bloat(ARRAY[{oid}::regclass], '{method}')"),
        );
        assert_eq!(sqlstate, "0A000", "{method}");
        assert_eq!(
            message,
            format!("cannot access temporary table \"{schema}.passing\" of another session")
        );
    }
    row(
        &mut session,
        "SELECT pgperf.snapshot_bloat(ARRAY['passing'::regclass])",
    );
    // Unless they are named, neither is measured.
    assert_eq!(
        rows(
            &mut session,
            "SELECT status, rows, reason FROM pgperf.snapshot('{bloat}') WHERE collector = 'bloat'"
        ),
        ["ok|1|"]
    );
    assert_eq!(
        rows(
            &mut session,
            "SELECT relation_name, live_tuples FROM pgperf.bloat_history ORDER BY sample_id"
        ),
        ["passing|1000", "lasting|1"]
    );
}

#[test]
fn a_locked_table_is_left_out_at_once() {
    let cluster = quiet_cluster(&[]);
    let (mut session, mut holder) = (cluster.connect(), cluster.connect());
    execute(
        &mut session,
        "CREATE TABLE locked AS SELECT i FROM generate_series(1, 1000) i; CREATE TABLE other AS SELECT 1 AS one",
    );
    let mut holding = holder.transaction().expect("a transaction");
    holding
        .batch_execute("LOCK TABLE locked IN ACCESS EXCLUSIVE MODE")
        .expect("a lock");
    let started = Instant::now();
    let taken = rows(
        &mut session,
        "SELECT status, rows, reason FROM pgperf.snapshot('{bloat, wal}') WHERE collector = 'bloat'",
    );
    assert!(started.elapsed() < Duration::from_secs(5));
    assert_eq!(
        taken,
        ["ok|1|1 skipped: public.locked: it is locked by another session"]
    );
    // Alone it is an error, with the server's own code; the others of a sample are not touched.
    let error = session
        .batch_execute("SELECT pgperf.snapshot_bloat(ARRAY['locked'::regclass], 'sampled')")
        .expect_err("locked");
    assert_eq!(error.code().map(|code| code.code()), Some("55P03"));
    let outcomes = rows(
        &mut session,
        "SELECT collector, status FROM pgperf.snapshot('{bloat, wal, wraparound}') ORDER BY 1",
    );
    assert_eq!(outcomes, ["bloat|ok", "wal|ok", "wraparound|ok"]);
    holding.rollback().expect("rollback");
    execute(
        &mut session,
        "SELECT pgperf.snapshot_bloat(ARRAY['locked'::regclass], 'sampled')",
    );
}

/// Tables that are emptied, shortened and dropped all the time while they are sampled.
#[test]
fn what_changes_under_the_sampler_does_no_harm() {
    let cluster = quiet_cluster(&[]);
    let over = AtomicBool::new(false);
    let mut session = cluster.connect();
    execute(
        &mut session,
        "CREATE TABLE shrinking (id int, filler char(500)); CREATE INDEX ON shrinking (id)",
    );
    std::thread::scope(|scope| {
        let ending = Ending(&over);
        scope.spawn(|| {
            let mut changer = cluster.connect();
            while !over.load(Ordering::Relaxed) {
                execute(
                    &mut changer,
                    "INSERT INTO shrinking SELECT i, '' FROM generate_series(1, 40000) i; \
                     CREATE TABLE dropped AS TABLE shrinking; CREATE INDEX ON dropped (id)",
                );
                execute(&mut changer, "DELETE FROM shrinking WHERE id > 100");
                execute(&mut changer, "VACUUM shrinking");
                execute(&mut changer, "DROP TABLE dropped");
                execute(&mut changer, "TRUNCATE shrinking");
            }
        });
        let started = Instant::now();
        let (mut samples, mut failed) = (0, Vec::new());
        while started.elapsed() < Duration::from_secs(6) {
            let outcome = row(
                &mut session,
                "SELECT status, coalesce(reason, '') FROM pgperf.snapshot('{bloat}')",
            );
            samples += 1;
            if outcome.starts_with("failed") {
                failed.push(outcome);
            }
            execute(&mut session, "CALL pgperf.take_snapshot('{bloat}')");
        }
        drop(ending);
        assert!(samples > 10, "{samples}");
        assert!(failed.is_empty(), "{failed:?}");
    });
    // Of the larger table, samples were seen that read less than all of it.
    let measured = number(
        &mut session,
        "SELECT count(DISTINCT size_bytes) FROM pgperf.bloat_history WHERE relation_name = 'shrinking'",
    );
    assert!(measured > 1);
    // No reference or pin is left behind: the server would warn.
    assert!(!cluster.log().contains("leak"), "{}", cluster.log());
}

#[test]
fn a_corrupt_page_costs_its_relation_only() {
    for checksums in [false, true] {
        let cluster = quiet_cluster(&[]);
        let mut session = cluster.connect();
        execute(
            &mut session,
            "CREATE TABLE broken AS SELECT i, repeat('x', 100) AS filler FROM generate_series(1, 5000) i; \
             CREATE TABLE twisted AS TABLE broken; CREATE TABLE sound AS TABLE broken; \
             CREATE INDEX broken_tree ON sound (i); CHECKPOINT",
        );
        let file = |session: &mut Client, name: &str| {
            let path = row(session, &format!("SELECT pg_relation_filepath('{name}')"));
            cluster.data_dir().join(path)
        };
        let broken = file(&mut session, "broken");
        let twisted = file(&mut session, "twisted");
        let tree = file(&mut session, "broken_tree");
        drop(session);
        cluster.stop(StopMode::Fast);
        if checksums {
            cluster.enable_checksums();
        }
        let garbage: Vec<u8> = (0..8192u32).map(|i| (i * 37 % 251) as u8).collect();
        overwrite(&broken, 7 * 8192, &garbage);
        // Line pointers that point anywhere, below a header that looks right.
        overwrite(&twisted, 3 * 8192 + 24, &[0xA5; 64]);
        overwrite(&tree, 2 * 8192 + 24, &[0xA5; 64]);
        cluster.start();
        let mut session = cluster.connect();
        let outcomes = rows(
            &mut session,
            "SELECT collector, status FROM pgperf.snapshot('{bloat, wal}') ORDER BY 1",
        );
        assert_eq!(outcomes, ["bloat|ok", "wal|ok"]);
        let reason = row(
            &mut session,
            "SELECT reason FROM pgperf.sample_outcomes WHERE collector = 'bloat'",
        );
        for name in ["broken", "twisted", "broken_tree"] {
            assert!(
                reason.contains(&format!("public.{name}: invalid page")),
                "{reason}"
            );
        }
        assert!(reason.starts_with("3 skipped"), "{reason}");
        assert_eq!(
            rows(
                &mut session,
                "SELECT relation_name, live_tuples FROM pgperf.bloat_history WHERE schema_name = 'public'"
            ),
            ["sound|5000"]
        );
    }
}

fn overwrite(path: &std::path::Path, at: u64, bytes: &[u8]) {
    let mut file = OpenOptions::new().write(true).open(path).expect("the file");
    file.seek(SeekFrom::Start(at)).expect("its place");
    file.write_all(bytes).expect("written");
}
