//! Effects of an update on existing data: before it, nothing goes wrong with the newer library; history survives it.

use std::io::{Read, Write};

use crate::common::history::UNIDENTIFIED;
use crate::common::releases::{
    EARLIER, FIRST, UPDATE, columns, old_database, place, tables, this, version,
};
use crate::common::runs::{PATIENCE, Runs, error_of, expect_next_run};
use crate::common::{Cluster, wait_until};
use postgres::Client;

/// A call of each C function with arguments that are not NULL, so that it gets as far as it can.
const CALLS: &str = "\
    SELECT p.oid::regprocedure::text, \
           format(CASE p.prokind WHEN 'p' THEN 'CALL pgperf.%I(%s)' ELSE 'SELECT * FROM pgperf.%I(%s)' END, p.proname, \
                  (SELECT string_agg(CASE t::regtype::text \
                       WHEN 'text' THEN '''x''' WHEN 'text[]' THEN '''{wraparound}''' WHEN 'jsonb' THEN '''{}''' WHEN 'bytea' THEN '''''' WHEN 'bytea[]' THEN '''{}''' \
                       WHEN 'interval' THEN '''1 s''' WHEN 'boolean' THEN 'true' WHEN 'uuid' THEN 'gen_random_uuid()' \
                       WHEN 'regclass[]' THEN '''{pgperf.nodes}''' WHEN 'timestamp with time zone' THEN 'now()' \
                       WHEN 'bigint[]' THEN '''{1}''' WHEN 'integer[]' THEN '''{1}''' WHEN 'double precision[]' THEN '''{0.5}''' \
                       ELSE '1' END || '::' || t::regtype, ', ' ORDER BY n) \
                   FROM unnest(p.proargtypes) WITH ORDINALITY a (t, n))) \
    FROM pg_proc p JOIN pg_language l ON l.oid = p.prolang \
    WHERE p.pronamespace = 'pgperf'::regnamespace AND l.lanname = 'c' AND NOT 2281 = ANY (p.proargtypes::oid[]) \
    ORDER BY 1";

/// Calls that would do something if they were let.
const REFUSED: &[&str] = &[
    "SELECT pgperf.start_run(script => 'SELECT 1;', duration => '1 s')",
    "CALL pgperf.run(script => 'SELECT 1;', duration => '1 s')",
    "SELECT pgperf.start_load()",
    "CALL pgperf.init()",
    "CALL pgperf.quickstart()",
    "SELECT pgperf.create_workload('w', script => 'SELECT 1;')",
    "SELECT pgperf.start_sweep(script => 'SELECT 1;', clients => '{1}')",
    "SELECT * FROM pgperf.snapshot()",
    "CALL pgperf.take_snapshot()",
    "SELECT pgperf.snapshot_wal()",
    "SELECT pgperf.snapshot_bloat()",
    "SELECT pgperf.start_sampler()",
    "SELECT pgperf.local_node()",
    "SELECT pgperf.new_node()",
    "SELECT pgperf.report()",
    "SELECT pgperf.stop_all()",
];

#[test]
fn until_the_update_everything_works_or_tells_what_to_do() {
    let preloaded = "shared_preload_libraries = 'pg_stat_statements, pgperf'";
    let cluster = Cluster::new(&[preloaded, "pgperf.sampler_databases = 'old'"]);
    let mut session = old_database(&cluster, "old", FIRST);
    let to_do = |session: &mut Client, call: &str| {
        let (sqlstate, message, hint) = error_of(session, call);
        assert_eq!(sqlstate, "55000", "{call}: {message}");
        assert!(
            message.contains(FIRST) && message.contains(&this()),
            "{call}: {message}"
        );
        assert_eq!(hint, format!("Update it: {UPDATE}"), "{call}");
    };
    for call in REFUSED {
        to_do(&mut session, call);
    }
    let calls = session.query(CALLS, &[]).expect("the calls");
    assert!(calls.len() > 50, "{}", calls.len());
    let mut working = 0;
    for call in &calls {
        let call: &str = call.get(1);
        match session.simple_query(call) {
            Ok(_) => working += 1,
            Err(error) => {
                let error = error
                    .as_db_error()
                    .unwrap_or_else(|| panic!("{call}: {error:?}"));
                let code = error.code().code();
                // Or the argument is nonsense, for a function that checks nothing else.
                assert!(
                    code == "55000" || code.starts_with("22") || ["25001", "42704"].contains(&code),
                    "{call}: {code} {}",
                    error.message()
                );
            }
        }
    }
    assert!(working > 4, "{working}");
    // What is there can be read.
    let views = session.value(
        "SELECT string_agg(relname, ' ') FROM pg_class WHERE relnamespace = 'pgperf'::regnamespace AND relkind = 'v'",
    );
    for view in views.split(' ') {
        session.value(&format!("SELECT count(*) FROM pgperf.{view}"));
    }
    session.value("SELECT count(*) FROM pgperf.maintain()");
    let told = format!(
        "no samples: database \"old\": the extension \"pgperf\" in this database has version {FIRST}"
    );
    wait_until("the launcher's complaint", PATIENCE, || {
        cluster.log().contains(&told)
    });
    assert_eq!(session.number("SELECT count(*) FROM pgperf.samples"), 0);
    assert_eq!(session.number("SELECT count(*) FROM pgperf.stored_runs"), 0);

    session.value(UPDATE);
    session.value("UPDATE pgperf.collectors SET sample_interval = '1 s' WHERE name = 'wraparound'");
    wait_until("a sample of the sampler", PATIENCE, || {
        session.number("SELECT count(*) FROM pgperf.samples") > 0
    });
    session.value("CALL pgperf.init()");
    expect_next_run(&mut session);
}

/// A database with history of every kind, made by this version.
fn with_history(cluster: &Cluster) -> Client {
    let mut session = cluster.connect();
    session.value("CALL pgperf.init()");
    session.value("SELECT count(*) FROM pgperf.snapshot()");
    session.age_history("50 days");
    session.value("SELECT count(*) FROM pgperf.maintain()");
    session.value("SELECT pgperf.create_workload('one', script => 'SELECT 1;')");
    session.finish_run(
        "'tpcb-like', clients => 2, duration => '1 s', sample_interval => '0.2 s', transaction_log => true",
    );
    session.value("SELECT pgperf.set_baseline('b', 1)");
    session.value("SELECT pgperf.pin_run(2)");
    session.value(
        "UPDATE pgperf.collectors SET sample_interval = '1 h', retention = '1 day' WHERE name = 'wal'",
    );
    session
}

/// Each partition that was made later, with its bounds and parent.
const PARTITIONS: &str = "SELECT string_agg(format('%s of %s %s, %s', c.relname, (SELECT p.relname FROM pg_class p WHERE p.oid = i.inhparent), \
           pg_get_expr(c.relpartbound, c.oid), (SELECT count(*) FROM pg_index x WHERE x.indrelid = c.oid)), E'\\n' ORDER BY c.relname) \
    FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE c.relnamespace::regnamespace::text IN ('pgperf', 'pgperf_internal')";

/// What was revoked from PUBLIC and pg_monitor, which is no part of the extension either.
const REVOKED: &str = "SELECT string_agg(p.proname, ' ' ORDER BY p.proname) FROM pg_proc p \
    WHERE p.pronamespace = 'pgperf'::regnamespace AND p.proname IN ('check', 'wraparound_forecast') \
      AND NOT EXISTS (SELECT FROM aclexplode(p.proacl) x WHERE x.grantee IN (0, 'pg_monitor'::regrole)) \
      AND (SELECT count(*) FROM pg_init_privs i, aclexplode(i.initprivs) y WHERE i.objoid = p.oid AND y.grantee = 'pg_monitor'::regrole) \
        = (p.proname = 'wraparound_forecast')::int";

/// What was granted to the role `tester` since the extension was made, so that a dump holds it.
const GRANTED: &str = "SELECT string_agg(p.proname, ' ' ORDER BY p.proname) FROM pg_proc p, aclexplode(p.proacl) x \
    WHERE p.pronamespace = 'pgperf'::regnamespace AND x.grantee = 'tester'::regrole AND NOT EXISTS ( \
        SELECT FROM pg_init_privs i, aclexplode(i.initprivs) y WHERE i.classoid = 'pg_proc'::regclass AND i.objoid = p.oid \
        AND y.grantee = x.grantee)";

/// Copies the rows and partitions of one database into one of an older version, as if they had been made there.
fn copy_history(from: &mut Client, to: &mut Client) {
    let missing = "SELECT table_name || ' ' || parent || ' ' || partition || ' ' || starts || ' ' || ends FROM ( \
           SELECT p.table_name, i.inhparent::regclass::text AS parent, p.partition_name AS partition, \
                  to_char(p.starts_at AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS starts, to_char(p.ends_at AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS ends \
           FROM pgperf.history_partitions p JOIN pg_inherits i ON i.inhrelid = p.partition WHERE p.ends_at IS NOT NULL) x";
    let partitions = from.query(missing, &[]).expect("the partitions");
    assert!(partitions.len() > 20, "{}", partitions.len());
    let make = to.value("SELECT oid::regproc FROM pg_proc WHERE proname = 'make_partition'");
    for partition in &partitions {
        let words: Vec<&str> = partition.get::<_, &str>(0).split(' ').collect();
        let [table, parent, name, starts, ends] = words[..] else {
            panic!("{words:?}");
        };
        // A collector that the release does not have.
        if to.value(&format!("SELECT to_regclass('pgperf.{table}') IS NULL")) == "t" {
            continue;
        }
        let (_, parent) = parent.split_once('.').expect("a schema");
        to.value(&format!(
            "SELECT {make}('{table}', '{parent}', '{name}', '{starts}', '{ends}')"
        ));
    }
    // With no foreign key in the way of any order.
    to.value("SET session_replication_role = replica");
    // Some rows belong to the version, not to the history.
    let own = to.value(
        "SELECT string_agg(c.relname, ' ') FROM pg_extension e, unnest(e.extconfig, e.extcondition) x (oid, condition) \
         JOIN pg_class c USING (oid) WHERE e.extname = 'pgperf' AND x.condition = 'WHERE false'",
    );
    assert!(own.contains("history_tables"), "{own}");
    for table in tables(to) {
        if own.split(' ').any(|name| name == table) {
            continue;
        }
        let columns = columns(to, &table);
        let (source, target) = (place(from, &table), place(to, &table));
        let select = format!("COPY (SELECT {columns} FROM {source}) TO STDOUT");
        let insert = format!("COPY {target} ({columns}) FROM STDIN");
        to.value(&format!("DELETE FROM {target}"));
        let mut rows = Vec::new();
        let mut source = from.copy_out(&select).expect(&select);
        source.read_to_end(&mut rows).expect("rows");
        drop(source);
        let mut target = to.copy_in(&insert).expect(&insert);
        target.write_all(&rows).expect("rows");
        target.finish().expect(&insert);
    }
    to.value("RESET session_replication_role");
    for sequence in ["run_id_seq", "sample_id_seq", "sweep_id_seq"] {
        let (source, target) = (place(from, sequence), place(to, sequence));
        let state = from.value(&format!(
            "SELECT last_value || ', ' || is_called FROM {source}"
        ));
        to.value(&format!("SELECT setval('{target}', {state})"));
    }
}

/// Number and checksum of each table's rows, in these columns.
fn contents(session: &mut Client, columns_of: &[(String, String)]) -> Vec<(String, String)> {
    let rows = |(table, columns): &(String, String)| {
        let place = place(session, table);
        let sql = format!(
            "SELECT count(*) || ' ' || COALESCE(md5(string_agg(t::text, E'\\n' ORDER BY t::text)), '') \
             FROM (SELECT {columns} FROM {place}) t"
        );
        (table.clone(), session.value(&sql))
    };
    columns_of.iter().map(rows).collect()
}

#[test]
fn history_of_each_release_survives_the_update() {
    for release in EARLIER {
        history_survives_the_update_from(release);
    }
}

fn history_survives_the_update_from(release: &str) {
    let cluster = Cluster::with_pgperf(&[]);
    let mut source = with_history(&cluster);
    let mut old = old_database(&cluster, "old", release);
    copy_history(&mut source, &mut old);
    // What describes the history's tables belongs to the version.
    let columns_of: Vec<_> = tables(&mut old)
        .into_iter()
        .filter(|table| table != "history_tables")
        .map(|table| {
            let columns = columns(&mut old, &table);
            (table, columns)
        })
        .collect();
    let before = contents(&mut old, &columns_of);
    for table in [
        "nodes",
        "stored_runs",
        "run_intervals",
        "samples",
        "wal_history",
        "collector_settings",
    ] {
        assert!(
            before
                .iter()
                .any(|(name, rows)| name == table && !rows.starts_with("0 ")),
            "{table}"
        );
    }
    let partitions = old.value(PARTITIONS);
    old.value("CREATE ROLE tester; GRANT EXECUTE ON FUNCTION pgperf.start_run TO tester; GRANT EXECUTE ON PROCEDURE pgperf.run TO tester; \
               REVOKE EXECUTE ON FUNCTION pgperf.check FROM PUBLIC; REVOKE EXECUTE ON FUNCTION pgperf.wraparound_forecast FROM pg_monitor");
    // A database of that version which was dumped is restored at that version, then updated.
    restore(&cluster, "old", "restored", release);
    let mut restored = cluster.connect_to("restored");
    assert_eq!(version(&mut restored), release);
    let summary = "SELECT md5(string_agg(s::text, E'\\n' ORDER BY run_id)) FROM pgperf.run_summary s \
                   WHERE node_id = (SELECT node_id FROM pgperf_internal.stored_runs WHERE run_id = 1)";
    let reported = "SELECT md5(string_agg(l, E'\\n')) FROM pgperf.report(\
                    (SELECT name || '/2' FROM pgperf.nodes WHERE node_id = (SELECT node_id FROM pgperf_internal.stored_runs WHERE run_id = 2))) l";
    // The release cannot have stored these.
    let is_there = |name: &String| columns_of.iter().any(|(table, _)| table == name);
    let mut new_history = tables(&mut source);
    new_history.retain(|table| table.ends_with("_history") && !is_there(table));
    for table in &new_history {
        source.value(&format!("DELETE FROM pgperf.{table}"));
    }
    let expected = [source.value(summary), source.value(reported)];
    for session in [&mut old, &mut restored] {
        session.value("CREATE PUBLICATION central FOR TABLES IN SCHEMA pgperf WITH (publish_via_partition_root = true)");
        let published = "SELECT string_agg(tablename, ' ' ORDER BY tablename) FROM pg_publication_tables WHERE pubname = 'central'";
        let published_before = session.value(published);
        // Only before 1.2 it is in that schema.
        let is_public = place(session, "stored_runs").starts_with("pgperf.");
        assert_eq!(published_before.contains("stored_runs"), is_public);
        session.value(UPDATE);
        assert_eq!(contents(session, &columns_of), before);
        // Tables that the release did not have bring their own.
        let is_new = |line: &&str| {
            let of_table = |(table, _): &(String, String)| line.starts_with(&format!("{table}_"));
            !columns_of.iter().any(of_table)
        };
        let now = session.value(PARTITIONS);
        let (added, kept): (Vec<_>, Vec<_>) = now.lines().partition(is_new);
        assert_eq!(kept, partitions.lines().collect::<Vec<_>>());
        let is_known = |line: &&str| {
            let of = |table: &String| line.starts_with(&format!("{table}_"));
            new_history.iter().any(of)
        };
        assert!(added.iter().all(is_known), "{added:?}");
        // Parts are where nobody has to see them, but still go where the tables go.
        let among_the_public = "SELECT count(*) FROM pg_class WHERE relnamespace = 'pgperf'::regnamespace AND relispartition";
        assert_eq!(session.number(among_the_public), 0);
        assert!(published_before.contains("samples"));
        let published: Vec<_> = session
            .value(published)
            .split(' ')
            .map(str::to_owned)
            .collect();
        let lost: Vec<_> = published_before
            .split(' ')
            .filter(|table| !published.iter().any(|one| one == table))
            .collect();
        assert_eq!(lost, [""; 0], "published no more");
        session.value("DROP PUBLICATION central");
        assert_eq!(session.value(GRANTED), "run start_run");
        assert_eq!(session.value(REVOKED), "check wraparound_forecast");
        // Old partitions, too, can be updated and deleted from while all tables are published.
        assert_eq!(session.value(UNIDENTIFIED), "");
        assert_eq!([session.value(summary), session.value(reported)], expected);
        // It goes on, with the partitions that are there.
        session.value("CALL pgperf.init()");
        expect_next_run(session);
        assert_eq!(session.number("SELECT max(run_id) FROM pgperf.runs"), 4);
        let failed = "SELECT count(*) FROM pgperf.snapshot() WHERE status = 'failed'";
        assert_eq!(session.number(failed), 0);
        session.age_history("3 years");
        let left =
            "SELECT count(*) FILTER (WHERE action = 'left') FROM pgperf.maintain(5, '10 min')";
        wait_until("nothing to be left", PATIENCE, || session.number(left) == 0);
    }
}

/// Restores a dump of one database into a new one that has the extension of the same version already.
fn restore(cluster: &Cluster, from: &str, to: &str, release: &str) {
    let file = cluster.socket_dir().join("dump");
    let mut dump = cluster.program("pg_dump");
    let made = dump
        .args(["--format=custom", "-d", from])
        .arg("-f")
        .arg(&file);
    assert!(made.status().expect("pg_dump").success());
    drop(old_database(cluster, to, release));
    let mut restore = cluster.program("pg_restore");
    let output = restore
        .args(["--exit-on-error", "-d", to])
        .arg(&file)
        .output();
    let output = output.expect("pg_restore");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn an_extension_whose_owner_is_gone_is_updated() {
    let cluster = Cluster::new(&[]);
    cluster.run_sql("CREATE ROLE gone LOGIN SUPERUSER");
    cluster.run_sql("CREATE DATABASE old");
    let mut session = cluster.connect_to("old");
    session.value("SET SESSION AUTHORIZATION gone");
    session.value("CREATE EXTENSION pgperf VERSION '1.1.0' CASCADE");
    session.value("RESET SESSION AUTHORIZATION");
    session.value("REASSIGN OWNED BY gone TO postgres");
    session.value("DROP OWNED BY gone");
    session.value("DROP ROLE gone");
    session.value(UPDATE);
    assert_eq!(version(&mut session), this());
}
