//! A repository with its sources, over real connections: whatever happens to a source or to its subscription, the repository has each row
//! once, and what both keep is the same.

use crate::common::clock::Clock;
use crate::common::history::UNIDENTIFIED;
use crate::common::runs::{NO_BUDGET, PATIENCE, Runs, error_of};
use crate::common::{Cluster, StopMode, wait_for, wait_until};
use postgres::Client;

const LOGICAL: &[&str] = &["wal_level = logical", "max_wal_senders = 10", NO_BUDGET];
/// What a subscription says whose source is away.
const AWAY: &[&str] = &[
    "could not connect to the publisher",
    "could not receive data from WAL stream",
    "could not send end-of-streaming message",
    "could not send data to WAL stream",
    "connection to server on socket",
];

/// A server whose history is published, named after itself.
fn source(name: &str) -> Cluster {
    let cluster = Cluster::with_pgperf(LOGICAL);
    let mut session = cluster.connect();
    session.value(&format!("SELECT pgperf.set_node_name('{name}')"));
    assert_eq!(
        session.value("SELECT pgperf.publish_history()::text"),
        "{pgperf_history,pgperf_history_samples}"
    );
    cluster
}

/// Makes a source known to a repository, and subscribes it.
fn subscribe(repository: &Cluster, name: &str, source: &Cluster) {
    repository.add_target(name, source);
    let mut session = repository.connect();
    session.value(&format!(
        "CREATE USER MAPPING FOR postgres SERVER {name} OPTIONS (user 'postgres')"
    ));
    assert_eq!(
        session.value(&format!("CALL pgperf.subscribe_history('{name}')")),
        format!("pgperf_{name}")
    );
}

/// Waits until a repository has applied all that a source has written so far.
fn wait_for_repository(source: &mut Client) {
    let lsn = source.value("SELECT pg_current_wal_insert_lsn()");
    wait_until("the repository", PATIENCE, || {
        // Something has to be decoded for the position to advance.
        source.value("SELECT pg_logical_emit_message(true, 'pgperf test', '')");
        source.value(&format!(
            "SELECT coalesce(bool_and(confirmed_flush_lsn >= '{lsn}'), false) FROM pg_replication_slots"
        )) == "t"
    });
}

/// The number of rows of each published table of a node, and their hash. What only the node's own server needs is left out.
fn contents(session: &mut Client, node: &str, tables: &[String]) -> Vec<String> {
    let rows = |table: &String| {
        let columns = match table.as_str() {
            "pgperf.nodes" => "to_jsonb(t) - '{first_of,database_oid,group_name}'::text[]",
            // Those of the source are none of the repository's.
            "pgperf_internal.stored_runs" | "pgperf_internal.stored_sweeps" => {
                "to_jsonb(t) - '{role,role_oid,origin_role}'::text[] || jsonb_build_object('role', coalesce(t.origin_role, t.role))"
            }
            _ => "to_jsonb(t)",
        };
        session.value(&format!(
            "SELECT concat_ws(' ', '{table}', count(*), md5(string_agg(r, E'\\n' ORDER BY r))) \
             FROM (SELECT ({columns})::text AS r FROM {table} t WHERE t.node_id = '{node}') x"
        ))
    };
    tables.iter().map(rows).collect()
}

fn published(source: &mut Client) -> Vec<String> {
    let names = source.value(
        "SELECT string_agg(schemaname || '.' || tablename, ' ' ORDER BY 1) FROM pg_publication_tables",
    );
    names.split(' ').map(str::to_owned).collect()
}

/// Expects that the repository has what a source has.
fn expect_the_same(repository: &mut Client, source: &mut Client) {
    wait_for_repository(source);
    let node = source.value("SELECT pgperf.local_node()");
    let tables = published(source);
    assert!(tables.len() > 50, "{tables:?}");
    assert_eq!(
        contents(repository, &node, &tables),
        contents(source, &node, &tables)
    );
    let twice = "SELECT count(*) FROM (SELECT node_id, sample_id FROM pgperf.samples GROUP BY 1, 2 HAVING count(*) > 1) x";
    assert_eq!(repository.number(twice), 0);
}

/// Expects that nothing failed but to reach a source that was away.
fn expect_no_errors(cluster: &Cluster) {
    let log = cluster.log();
    let errors: Vec<&str> = (log.lines())
        .filter(|line| line.contains("ERROR:") && !AWAY.iter().any(|away| line.contains(away)))
        .collect();
    assert!(errors.is_empty(), "{}", errors.join("\n"));
}

fn status(repository: &mut Client, server: &str) -> String {
    repository.value(&format!(
        "SELECT status FROM pgperf.repository_status() WHERE server = '{server}'"
    ))
}

/// A run with samples of its own.
fn run(session: &mut Client) -> i64 {
    session.finish_run(
        "script => 'SELECT 1;', transactions_per_client => 20, collectors => '{wal, database, statements, tables}'",
    )
}

fn start_sampler(session: &mut Client) {
    session.value("UPDATE pgperf.collectors SET sample_interval = '1 s' WHERE sample_interval IS NOT NULL AND cost = 'light'");
    session.value("SELECT pgperf.start_sampler()");
    await_samples(session, 3);
}

fn await_samples(session: &mut Client, more: i64) {
    let samples = "SELECT count(*) FROM pgperf.samples WHERE cadence IS NOT NULL AND complete";
    let before = session.number(samples);
    wait_until("samples", PATIENCE, || {
        session.number(samples) >= before + more
    });
}

fn stop_sampler(session: &mut Client) {
    session.value("SELECT pgperf.stop_sampler()");
    session.expect_no_workers("stop_sampler");
}

#[test]
fn a_repository_has_what_its_sources_have() {
    let (one, two) = (source("one"), source("two"));
    let repository = Cluster::with_pgperf(&[NO_BUDGET]);
    let (mut first, mut second, mut session) = (one.connect(), two.connect(), repository.connect());
    // Before: what is copied.
    let mut runs = Vec::new();
    for source in [&mut first, &mut second] {
        source.value("CALL pgperf.take_snapshot()");
        runs.push(run(source));
        source.value("SELECT pgperf.note('release 42')");
    }
    subscribe(&repository, "one", &one);
    subscribe(&repository, "two", &two);
    expect_the_same(&mut session, &mut first);
    // After: what is sent, while a run lives.
    for source in [&mut first, &mut second] {
        start_sampler(source);
    }
    let live = first
        .start_busy_run("script => 'SELECT 1;', duration => '1 h', sample_interval => '0.2 s'");
    let seen = format!(
        "SELECT r.status || ' ' || (r.heard_at > now() - interval '10 s') FROM pgperf.runs r JOIN pgperf.nodes n USING (node_id) \
         WHERE n.name = 'one' AND r.run_id = {live}"
    );
    wait_for("the live run", "running true", PATIENCE, || {
        session.value(&seen)
    });
    first.value(&format!("SELECT pgperf.stop_run({live})"));
    first.wait_for_status(live, "stopped");
    for source in [&mut first, &mut second] {
        runs.push(run(source));
        source.value("SELECT count(*) FROM pgperf.maintain()");
    }
    session.value("SELECT count(*) FROM pgperf.maintain()");

    // Away for a while.
    two.restart(StopMode::Fast);
    let mut second = two.connect();
    second.value("SELECT pgperf.start_sampler()");
    await_samples(&mut second, 2);
    wait_for("the source that was away", "ok", PATIENCE, || {
        status(&mut session, "two")
    });

    // A target's node comes with its samples.
    one.add_target("spare", &two);
    first.value("CREATE USER MAPPING FOR postgres SERVER spare OPTIONS (user 'postgres')");
    let away =
        first.finish_run("script => 'SELECT 1;', transactions_per_client => 20, server => 'spare'");
    wait_for_repository(&mut first);
    let targets = "SELECT count(*) FROM pgperf.nodes t JOIN pgperf.nodes n ON n.node_id = t.sampled_by AND n.name = 'one' \
                   WHERE EXISTS (SELECT FROM pgperf.samples s WHERE s.node_id = t.node_id)";
    assert_eq!(session.number(targets), 1);
    first.value(&format!("SELECT pgperf.delete_run({away})"));

    // Deleted there, and deleted here with its samples; forgotten by the retention there, and kept here.
    let (deleted, forgotten) = (runs[2], runs[0]);
    first.value(&format!("SELECT pgperf.delete_run({deleted})"));
    first.value(&format!("UPDATE pgperf_internal.stored_runs SET ended_at = ended_at - interval '400 days' WHERE run_id = {forgotten}"));
    one.reconfigure(&["pgperf.run_retention = '365d'"]);
    first.value("SELECT count(*) FROM pgperf.maintain()");
    wait_for_repository(&mut first);
    for (id, rows) in [(deleted, 0), (forgotten, 1)] {
        let count = |table: &str| {
            format!(
                "SELECT count(*) FROM {table} t JOIN pgperf.nodes n USING (node_id) WHERE n.name = 'one' AND t.run_id = {id}"
            )
        };
        for table in ["pgperf_internal.stored_runs", "pgperf_internal.run_totals"] {
            assert_eq!(session.number(&count(table)), rows, "{table} of {id}");
        }
        assert_eq!(
            session.number(&count("pgperf.samples")) > 0,
            rows > 0,
            "{id}"
        );
    }
    assert_eq!(
        first.number(&format!(
            "SELECT count(*) FROM pgperf.runs WHERE run_id <> {live}"
        )),
        0
    );

    // The repository's own retention is for its own runs, unless it is told.
    repository.reconfigure(&["pgperf.run_retention = '365d'"]);
    let stays = format!(
        "SELECT count(*) FROM pgperf.runs WHERE run_id = {forgotten} AND ended_at < now() - interval '1 year'"
    );
    session.value("SELECT count(*) FROM pgperf.maintain()");
    assert_eq!(session.number(&stays), 1);
    session.value(
        "UPDATE pgperf_internal.sources SET run_retention = '365 days' WHERE server = 'one'",
    );
    session.value("SELECT count(*) FROM pgperf.maintain()");
    assert_eq!(session.number(&stays), 0);

    // Subscribed anew, after it has gone on alone. What it has lost, as with a failover, stays here.
    session.value("SELECT pgperf.set_node_group('east', 'two')");
    assert_eq!(
        session.value("SELECT pgperf.unsubscribe_history('two')"),
        "t"
    );
    assert_eq!(
        second.number("SELECT count(*) FROM pg_replication_slots"),
        0
    );
    await_samples(&mut second, 2);
    second.value(&format!("SELECT pgperf.delete_run({})", runs[1]));
    run(&mut second);
    assert_eq!(status(&mut session, "two"), "not subscribed");
    session.value("CALL pgperf.subscribe_history('two')");
    assert_eq!(
        session.value("SELECT group_name FROM pgperf.nodes WHERE name = 'two'"),
        "east"
    );
    await_samples(&mut second, 2);
    stop_sampler(&mut second);
    stop_sampler(&mut first);
    expect_the_same(&mut session, &mut second);
    // Runs of both, side by side.
    let compared = session.value(&format!(
        "SELECT count(*) > 0 FROM pgperf.compare('one/{live}', 'two/{}')",
        runs[3]
    ));
    assert_eq!(compared, "t");
    for cluster in [&one, &two, &repository] {
        expect_no_errors(cluster);
    }
    for name in ["one", "two"] {
        wait_for(name, "ok", PATIENCE, || status(&mut session, name));
        session.value(&format!("SELECT pgperf.unsubscribe_history('{name}')"));
    }
    assert_eq!(first.value("SELECT pgperf.unpublish_history()"), "t");
    assert_eq!(first.value("SELECT pgperf.unpublish_history()"), "f");
}

/// A slot that was lost is told, and what came since is there once the source is subscribed anew.
#[test]
fn a_source_whose_slot_was_lost_is_subscribed_anew() {
    let source = source("one");
    let repository = Cluster::with_pgperf(&[NO_BUDGET]);
    let (mut theirs, mut session) = (source.connect(), repository.connect());
    run(&mut theirs);
    subscribe(&repository, "one", &source);
    expect_the_same(&mut session, &mut theirs);
    session.value("ALTER SUBSCRIPTION pgperf_one DISABLE");
    wait_for("a subscription at rest", "disabled", PATIENCE, || {
        status(&mut session, "one")
    });
    source.reconfigure(&["max_slot_wal_keep_size = '1MB'"]);
    run(&mut theirs);
    let lost = "SELECT wal_status FROM pg_replication_slots";
    wait_for("the loss", "lost", PATIENCE, || {
        theirs.value("SELECT pg_switch_wal()");
        theirs.value("CREATE TABLE filler AS SELECT generate_series(1, 20000)");
        theirs.value("DROP TABLE filler");
        theirs.value("CHECKPOINT");
        theirs.value(lost)
    });
    assert_eq!(
        status(&mut session, "one"),
        "its slot has lost WAL that the subscription needs"
    );
    let remedy = session.value("SELECT remedy FROM pgperf.repository_status()");
    for call in remedy.split_inclusive(';') {
        session.value(call);
    }
    expect_the_same(&mut session, &mut theirs);
    assert_eq!(
        session.value("SELECT gaps FROM pgperf.repository_status()"),
        ""
    );
    session.value("SELECT pgperf.unsubscribe_history('one')");
}

/// What stands in the way is said before anything is made.
#[test]
fn what_cannot_be_subscribed_is_told() {
    let source = Cluster::with_pgperf(LOGICAL);
    let repository = Cluster::with_pgperf(&[]);
    let mut theirs = source.connect();
    let mut session = repository.connect();
    let call = "CALL pgperf.subscribe_history('one')";
    let expect = |session: &mut Client, message: &str| {
        let (_, told, _) = error_of(session, call);
        assert!(told.contains(message), "{told}");
    };
    expect(&mut session, "server \"one\" does not exist");
    repository.add_target("one", &source);
    expect(&mut session, "user mapping not found");
    session.value("CREATE USER MAPPING FOR postgres SERVER one OPTIONS (user 'postgres')");
    expect(
        &mut session,
        "has no publication \"pgperf_history\" of its history",
    );
    theirs.value("SELECT pgperf.publish_history()");
    theirs.value("ALTER SYSTEM SET max_replication_slots = 1");
    source.restart(StopMode::Fast);
    expect(&mut session, "has no two free replication slots");
    let mut theirs = source.connect();
    theirs.value("ALTER SYSTEM SET max_replication_slots = 4");
    theirs.value("ALTER SYSTEM SET wal_level = replica");
    source.restart(StopMode::Fast);
    expect(
        &mut session,
        "wal_level of server \"one\" is replica, not logical",
    );
    let mut theirs = source.connect();
    theirs.value("ALTER SYSTEM RESET wal_level");
    source.restart(StopMode::Fast);
    let mut theirs = source.connect();
    theirs.value("CREATE ROLE monitor LOGIN IN ROLE pg_monitor");
    session.value("ALTER USER MAPPING FOR postgres SERVER one OPTIONS (SET user 'monitor')");
    expect(&mut session, "may not replicate");
    theirs.value("ALTER ROLE monitor REPLICATION");
    session.value(call);
    expect(&mut session, "is subscribed already, as \"pgperf_one\"");
    // Its rows are those of the role's rights alone.
    theirs.value("SELECT count(*) FROM pgperf.snapshot('{wal}')");
    wait_for_repository(&mut theirs);
    assert_eq!(session.number("SELECT count(*) FROM pgperf.wal_history"), 1);
    // It is itself.
    repository.add_target("itself", &repository);
    session.value("CREATE USER MAPPING FOR postgres SERVER itself OPTIONS (user 'postgres')");
    session.value("SELECT pgperf.publish_history()");
    let (_, told, _) = error_of(&mut session, "CALL pgperf.subscribe_history('itself')");
    assert!(told.contains("is a repository itself"), "{told}");
    let user = "CREATE ROLE somebody LOGIN";
    session.value(user);
    let mut somebody = repository.connect_as("somebody");
    let (sqlstate, _, _) = error_of(&mut somebody, call);
    assert_eq!(sqlstate, "42501");
    session.value("SELECT pgperf.unsubscribe_history('one')");
}

/// A publication of any kind sees each row once, also where rows came before their partition and are moved.
#[test]
fn rows_that_are_moved_are_not_published_again() {
    let source = Cluster::with_pgperf(LOGICAL);
    let mut theirs = source.connect();
    for (name, what) in [
        (
            "everything",
            "FOR ALL TABLES WITH (publish_via_partition_root = true)",
        ),
        (
            "schemas",
            "FOR TABLES IN SCHEMA pgperf, pgperf_internal WITH (publish_via_partition_root = true)",
        ),
        (
            "added",
            "FOR ALL TABLES WITH (publish = 'insert', publish_via_partition_root = true)",
        ),
    ] {
        theirs.value(&format!("CREATE PUBLICATION {name} {what}"));
    }
    let kinds = ["everything", "schemas", "added"];
    let repositories: Vec<Cluster> = kinds.iter().map(|_| Cluster::with_pgperf(&[])).collect();
    let mut sessions: Vec<Client> = repositories.iter().map(Cluster::connect).collect();
    for (kind, session) in kinds.iter().zip(&mut sessions) {
        session.value("DELETE FROM pgperf_internal.history_tables");
        session.value(&format!(
            "CREATE SUBSCRIPTION {kind} CONNECTION 'host={} port={} user=postgres dbname=postgres' PUBLICATION {kind} \
             WITH (copy_data = false)",
            source.socket_dir().display(),
            source.port()
        ));
    }
    theirs.value("SELECT count(*) FROM pgperf.maintain()");
    let stray = "INSERT INTO pgperf.database_history (node_id, sample_id, taken_at, xact_commit) \
        SELECT pgperf.local_node(), n, date_trunc('day', now()) - interval '3 days' + n * interval '1 h', n FROM generate_series(1, 30) n";
    theirs.value(stray);
    let moved = theirs.value(
        "SELECT string_agg(action, ' ') FROM pgperf.maintain() WHERE table_name = 'database_history' AND action <> 'created'",
    );
    assert_eq!(moved, "moved moved");
    let rows =
        "SELECT concat_ws(' ', count(*), count(DISTINCT sample_id)) FROM pgperf.database_history";
    assert_eq!(theirs.value(rows), "30 30");
    let rest = "SELECT count(*) FROM pgperf_internal.database_history_rest";
    assert_eq!(theirs.number(rest), 0);
    wait_for_repository(&mut theirs);
    for (kind, session) in kinds.iter().zip(&mut sessions) {
        assert_eq!(session.value(rows), "30 30", "{kind}");
        session.value(&format!("DROP SUBSCRIPTION {kind}"));
    }
    assert_eq!(theirs.value(UNIDENTIFIED), "");
}

/// A source whose clock is a day ahead stores in partitions that its repository has made ahead; one that lags, in those of the days before.
#[test]
fn a_day_that_changes_on_a_source_has_its_partition_here() {
    const DAY: i64 = 24 * 3600;
    let source = Cluster::with_clock(Clock::new(), LOGICAL);
    let repository = Cluster::with_pgperf(&[NO_BUDGET]);
    let (mut theirs, mut session) = (source.connect(), repository.connect());
    theirs.value("SELECT pgperf.publish_history()");
    theirs.value("SELECT count(*) FROM pgperf.snapshot('{wal,database}')");
    subscribe(&repository, "one", &source);
    start_sampler(&mut theirs);
    for days in [1, 0, -1] {
        source.set_clock(days * DAY);
        await_samples(&mut theirs, 2);
    }
    stop_sampler(&mut theirs);
    wait_for_repository(&mut theirs);
    for session in [&mut theirs, &mut session] {
        session.value("SELECT count(*) FROM pgperf.maintain()");
    }
    expect_the_same(&mut session, &mut theirs);
    let rest = "SELECT count(*) FROM pgperf_internal.samples_rest";
    assert_eq!(session.number(rest), 0);
    for cluster in [&source, &repository] {
        expect_no_errors(cluster);
    }
}
