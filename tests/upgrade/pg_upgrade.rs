//! From an older major to this one: pg_upgrade, a dump, and runs as documents.
//!
//! `PGPERF_OLD_PG_CONFIG` names the older server's pg_config; pgperf is installed there, too. `make test-pg-upgrade`
//! provides both.

use std::path::PathBuf;
use std::process::Command;

use crate::common::history::{contents, copy, fill};
use crate::common::runs::{PATIENCE, Runs, expect_next_run};
use crate::common::{
    Cluster, StopMode, as_server, bindir, major, major_of, output, text_of, wait_until,
};
use postgres::Client;

/// Where the older server's programs are.
fn old_bindir() -> PathBuf {
    let pg_config = std::env::var_os("PGPERF_OLD_PG_CONFIG")
        .expect("PGPERF_OLD_PG_CONFIG names the pg_config of an older server");
    let bindir = PathBuf::from(text_of(Command::new(pg_config).arg("--bindir")));
    assert!(major_of(&bindir) < major(), "{}", bindir.display());
    bindir
}

/// Samplers come with the server, unless it is one that pg_upgrade runs.
const PRELOADED: &str = "shared_preload_libraries = 'pg_stat_statements, pgperf'";
const SAMPLED: &str = "pgperf.sampler_databases = 'postgres'";
/// The server's log then has each worker that is registered or started.
const TELLS_OF_WORKERS: &str = "log_min_messages = debug1";
const NOT_SAMPLED: &str = "pgperf.sampler_databases = ''";

/// Upgrades a stopped cluster with pg_upgrade; returns the logs of both servers.
fn pg_upgrade(old: &Cluster, new: &Cluster) -> String {
    let work = new.socket_dir();
    let mut command = as_server(bindir().join("pg_upgrade"));
    command
        .current_dir(work)
        .args(["--retain", "-U", crate::common::SUPERUSER])
        .arg("-b")
        .arg(old_bindir())
        .arg("-B")
        .arg(bindir())
        .arg("-d")
        .arg(old.data_dir())
        .arg("-D")
        .arg(new.data_dir())
        .arg("-s")
        .arg(work)
        .args(["-p", &old.port().to_string()])
        .args(["-P", &new.port().to_string()]);
    let upgrade = output(&mut command);
    let logs = new.data_dir().join("pg_upgrade_output.d");
    let logs = text_of(Command::new("grep").args(["-rh", ""]).arg(logs));
    assert!(
        upgrade.status.success(),
        "{}\n{}",
        String::from_utf8_lossy(&upgrade.stdout),
        logs.lines()
            .filter(|line| line.contains("error")
                || line.contains("ERROR")
                || line.contains("Command was"))
            .collect::<Vec<_>>()
            .join("\n")
    );
    logs
}

/// How many objects of each kind belong to the extension, and which of its tables are dumped. pg_upgrade adds the types of
/// their rows, which is all the same.
fn members(session: &mut Client) -> String {
    session.value(
        "SELECT concat_ws(E'\\n', \
           (SELECT string_agg(x, ' ') FROM (SELECT classid::regclass || ' ' || count(*) AS x FROM pg_depend d \
              WHERE d.refobjid = e.oid AND d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e' AND d.classid <> 'pg_type'::regclass \
              GROUP BY classid ORDER BY 1) k), \
           (SELECT string_agg(t::regclass || ' ' || c, ' ' ORDER BY t::regclass::text) FROM unnest(e.extconfig, e.extcondition) d (t, c)), \
           e.extversion) \
         FROM pg_extension e WHERE e.extname = 'pgperf'",
    )
}

/// The partitions of the history and where they belong.
fn partitions(session: &mut Client) -> String {
    session.value(
        "SELECT string_agg(format('%s %s %s %s', table_name, level, partition_name, starts_at), E'\\n' ORDER BY partition_name) \
         FROM pgperf.history_partitions",
    )
}

/// The report of a run as it reads wherever it is.
fn report(session: &mut Client, run: &str) -> String {
    session.value(&format!(
        "SELECT string_agg(l, E'\\n') FROM pgperf.report('{run}') l"
    ))
}

fn expect_samples(session: &mut Client) {
    let statuses = "SELECT string_agg(collector || ': ' || reason, '; ') FROM pgperf.snapshot() WHERE status NOT IN ('ok', 'skipped')";
    assert_eq!(session.value(statuses), "");
}

#[test]
#[ignore = "takes a server of an older major: make test-pg-upgrade"]
fn pg_upgrade_keeps_the_history() {
    let old = Cluster::of(&old_bindir(), &[PRELOADED]);
    old.run_sql("CREATE EXTENSION pgperf CASCADE");
    let mut session = old.connect();
    fill(&mut session);
    // A second database, which is to stay the node that it is.
    old.run_sql("CREATE DATABASE other");
    let mut other = old.connect_to("other");
    other.value("CREATE EXTENSION pgperf CASCADE");
    for _ in 0..2 {
        other.value("SELECT pgperf.snapshot_wal()");
    }
    old.reconfigure(&[SAMPLED]);
    let sampled =
        "SELECT count(*) FROM pgperf.samples WHERE cadence IS NOT NULL AND run_id IS NULL";
    session.value("UPDATE pgperf.collectors SET sample_interval = '1 s' WHERE name = 'wraparound'");
    wait_until("a sample of the sampler", PATIENCE, || {
        session.number(sampled) > 0
    });
    old.reconfigure(&[NOT_SAMPLED]);
    wait_until("the sampler's end", PATIENCE, || {
        session
            .number("SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'pgperf sampler'")
            == 0
    });
    let before = contents(&mut session);
    let rows: i64 = before.iter().map(|(_, rows, _)| rows).sum();
    assert!(rows > 500, "{rows}");
    let objects = members(&mut session);
    let parts = partitions(&mut session);
    let old_node = session.value("SELECT pgperf.local_node()");
    let other_node = other.value("SELECT pgperf.local_node()");
    let name = session.value(&format!(
        "SELECT name || '/2' FROM pgperf.nodes WHERE node_id = '{old_node}'"
    ));
    let reported = report(&mut session, &name);
    assert!(reported.lines().count() > 20, "{reported}");
    let epoch = other.value("SELECT epoch FROM pgperf.samples ORDER BY sample_id DESC LIMIT 1");
    drop((session, other));
    old.stop(StopMode::Fast);

    // Both are preloaded and name a database to be sampled: that must not begin meanwhile.
    let new = Cluster::stopped(&[PRELOADED, SAMPLED, TELLS_OF_WORKERS]);
    old.add_settings(&[SAMPLED, TELLS_OF_WORKERS]);
    let log = pg_upgrade(&old, &new);
    assert!(log.contains("database system is ready"), "{log}");
    let of_pgperf = "background worker \"pgperf";
    assert!(!log.contains(of_pgperf), "{log}");
    new.add_settings(&[NOT_SAMPLED]);
    new.start();
    assert!(new.log().contains(of_pgperf), "{}", new.log());

    let mut session = new.connect();
    assert_eq!(contents(&mut session), before);
    assert_eq!(members(&mut session), objects);
    assert_eq!(partitions(&mut session), parts);
    assert_eq!(report(&mut session, &name), reported);
    // As the extensions were, and as pg_upgrade advises to update them.
    expect_samples(&mut session);
    let updates = session.value(
        "SELECT string_agg(format('ALTER EXTENSION %I UPDATE', x.name), '; ') FROM pg_available_extensions x \
         WHERE x.installed_version <> x.default_version",
    );
    assert!(updates.contains("pg_stat_statements"), "{updates}");
    session.value(&updates);
    expect_samples(&mut session);

    // It continues as a node of its own: for its counters this is another server.
    let new_node = session.value("SELECT pgperf.local_node()");
    assert_ne!(new_node, old_node);
    let last_run = session.number("SELECT max(run_id) FROM pgperf.runs");
    session.value("CALL pgperf.init(replace => true)");
    expect_next_run(&mut session);
    assert_eq!(
        session.number("SELECT max(run_id) FROM pgperf.runs"),
        last_run + 2
    );
    session.value("UPDATE pgperf.collectors SET sample_interval = '1 s' WHERE name = 'wraparound'");
    new.reconfigure(&[SAMPLED]);
    let sampled = format!("{sampled} AND node_id = '{new_node}'");
    wait_until("a sample of the sampler", PATIENCE, || {
        session.number(&sampled) > 0
    });
    session.value("SELECT count(*) FROM pgperf.maintain()");

    // Or as the same node, as docs/upgrading.md says.
    let mut other = new.connect_to("other");
    other.value(
        "UPDATE pgperf.nodes SET \
             system_identifier = (SELECT system_identifier FROM pg_control_system()), \
             database_oid = (SELECT oid FROM pg_database WHERE datname = current_database()) \
         WHERE created_at = (SELECT max(created_at) FROM pgperf.nodes)",
    );
    other.value("SELECT pgperf.snapshot_wal()");
    assert_eq!(other.value("SELECT pgperf.local_node()"), other_node);
    let last = "FROM pgperf.samples ORDER BY sample_id DESC LIMIT 1";
    assert_eq!(
        other.value(&format!(
            "SELECT node_id = '{other_node}' AND epoch <> {epoch} {last}"
        )),
        "t"
    );
    // The counters began anew: no difference is made of them.
    let first = "SELECT wal_bytes IS NULL FROM pgperf.wal_deltas ORDER BY sample_id DESC LIMIT 1";
    assert_eq!(other.value(first), "t");
    other.value("SELECT pgperf.snapshot_wal()");
    assert_eq!(other.value(first), "f");
}

#[test]
#[ignore = "takes a server of an older major: make test-pg-upgrade"]
fn a_dump_of_an_older_server_is_restored_whole() {
    let old = Cluster::of(&old_bindir(), &[]);
    old.run_sql("CREATE EXTENSION pgperf CASCADE");
    let mut session = old.connect();
    fill(&mut session);
    let before = contents(&mut session);
    let new = Cluster::new(&[]);
    for (database, format) in [("plain", "plain"), ("custom", "custom")] {
        copy(&old, &new, database, format);
        let mut copied = new.connect_to(database);
        assert_eq!(contents(&mut copied), before, "{format}");
        expect_samples(&mut copied);
        copied.value("CALL pgperf.init(replace => true)");
        expect_next_run(&mut copied);
    }
}

#[test]
#[ignore = "takes a server of an older major: make test-pg-upgrade"]
fn a_run_of_an_older_server_is_imported_and_compared() {
    let old = Cluster::of(&old_bindir(), &[]);
    old.run_sql("CREATE EXTENSION pgperf CASCADE");
    old.run_sql("CALL pgperf.init()");
    let new = Cluster::with_data(&[]);
    // As many intervals as tell something of their mean also where neighbours resemble each other.
    let arguments = "'tpcb-like', clients => 2, duration => '12 s', sample_interval => '0.2 s'";
    let mut there = old.connect();
    let mut here = new.connect();
    let theirs = there.finish_run(arguments);
    let own = here.finish_run(arguments);
    let document = there.value(&format!("SELECT pgperf.export_run({theirs})"));
    let import = format!("SELECT pgperf.import_run($doc${document}$doc$::jsonb)");
    let imported = here.number(&import);
    assert_eq!(imported, own + 1);
    let runs = "SELECT count(*) FROM pgperf.runs";
    let before = here.number(runs);
    assert_eq!(here.number(&import), imported);
    assert_eq!(here.number(runs), before);

    let summary = |run: i64| {
        format!(
            "SELECT to_jsonb(s) - '{{node_id,run_id}}'::text[] FROM pgperf.run_summary s WHERE run_id = {run}"
        )
    };
    assert_eq!(
        here.value(&summary(imported)),
        there.value(&summary(theirs))
    );
    let compared = format!(
        "SELECT string_agg(verdict, ' ') FROM pgperf.compare({imported}, {own}) WHERE metric = 'tps'"
    );
    let verdict = here.value(&compared);
    assert!(
        ["better", "worse", "no significant difference"].contains(&verdict.as_str()),
        "{verdict}"
    );
    let lines =
        format!("SELECT string_agg(l, E'\\n') FROM pgperf.compare_report({imported}, {own}) l");
    let report = here.value(&lines);
    for version in [major_of(&old_bindir()), major()] {
        assert!(report.contains(&version.to_string()), "{report}");
    }
    // And back: what the newer one exports, the older one has already.
    let back = here.value(&format!("SELECT pgperf.export_run({imported})"));
    assert_eq!(
        there.number(&format!(
            "SELECT pgperf.import_run($doc${back}$doc$::jsonb)"
        )),
        theirs
    );
    // A run of the newer one is imported into the older one, as far as that one knows what it has.
    let newer = here.value(&format!("SELECT pgperf.export_run({own})"));
    let arrived = there.number(&format!(
        "SELECT pgperf.import_run($doc${newer}$doc$::jsonb)"
    ));
    assert_eq!(there.value(&summary(arrived)), here.value(&summary(own)));
}

#[test]
#[ignore = "takes a server of an older major: make test-pg-upgrade"]
fn a_sweep_of_an_older_server_is_imported_and_shown_beside_another() {
    let old = Cluster::of(&old_bindir(), &[]);
    old.run_sql("CREATE EXTENSION pgperf CASCADE");
    let new = Cluster::with_pgperf(&[]);
    let (mut there, mut here) = (old.connect(), new.connect());
    let mut swept = Vec::new();
    for session in [&mut there, &mut here] {
        let sweep = session.number(
            "SELECT pgperf.start_sweep(script => 'SELECT 1;', clients => '{1,2}', repetitions => 2, transactions_per_client => 20, label => 'majors')",
        );
        session.value(&format!("CALL pgperf.wait_sweep({sweep})"));
        swept.push(sweep);
    }
    let document = there.value(&format!("SELECT pgperf.export_sweep({})", swept[0]));
    let imported = here.number(&format!(
        "SELECT pgperf.import_sweep($doc${document}$doc$::jsonb)"
    ));
    let points = |sweep: i64| {
        format!(
            "SELECT string_agg((to_jsonb(p) - '{{sweep_id,run_ids}}'::text[])::text, ',' ORDER BY point_no) \
             FROM pgperf.sweep_points p WHERE sweep_id = {sweep}"
        )
    };
    assert_eq!(
        here.value(&points(imported)),
        there.value(&points(swept[0]))
    );
    let shown = here.value(
        "SELECT string_agg(s ->> 'server_version', ' ') FROM jsonb_array_elements(pgperf.sweep_json('majors') -> 'sweeps') s",
    );
    for version in [major_of(&old_bindir()), major()] {
        // 15.18, or 19rc1.
        let major = |known: &str| {
            known.split(|c: char| !c.is_ascii_digit()).next() == Some(&version.to_string())
        };
        assert!(shown.split(' ').any(major), "{version}: {shown}");
    }
    let page = here.value("SELECT pgperf.sweep_html('majors')");
    assert!(page.contains("2 sweeps side by side"));
}
