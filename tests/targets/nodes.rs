//! Runs with parts on several servers that have pgperf.

use super::several::expect_sums;
use crate::common::runs::{PATIENCE, Runs, error_of};
use crate::common::{Cluster, bindir, wait_until};
use postgres::Client;
use std::thread;

/// A script that notes who runs it when.
const NOTES: &str = "script => 'INSERT INTO noted VALUES (:client_id, :pgperf_clients, :random_seed, clock_timestamp());'";
/// One that leaves the processors to others, for as long as nobody ends it.
const CALM: &str = "script => 'INSERT INTO noted VALUES (:client_id);', rate => 60, duration => '1 h', sample_interval => '0.2 s', collectors => '{}'";

/// This server, and two that are nodes of runs for its superuser.
struct Laboratory {
    here: Cluster,
    one: Cluster,
    two: Cluster,
}

/// A server of its own: copies of one would be the same.
fn node() -> Cluster {
    let node = Cluster::of(bindir(), &[]);
    node.run_sql("CREATE EXTENSION pgperf CASCADE");
    node.run_sql("UPDATE pgperf.collectors SET enabled = false WHERE cost <> 'light'");
    node
}

impl Laboratory {
    fn new() -> Laboratory {
        let laboratory = Laboratory {
            here: Cluster::for_scripts(&[]),
            one: node(),
            two: node(),
        };
        for (name, cluster) in laboratory.all() {
            let mut session = cluster.connect();
            session.value(&format!("SELECT pgperf.set_node_name('{name}')"));
            session
                .value("CREATE TABLE noted (client int, clients int, seed bigint, at timestamptz)");
        }
        for (name, node) in [("one", &laboratory.one), ("two", &laboratory.two)] {
            laboratory.here.add_target(name, node);
            laboratory.here.run_sql(&format!(
                "CREATE USER MAPPING FOR postgres SERVER {name} OPTIONS (user 'postgres')"
            ));
        }
        laboratory
    }

    fn all(&self) -> [(&'static str, &Cluster); 3] {
        [("here", &self.here), ("one", &self.one), ("two", &self.two)]
    }

    /// The part of a run on a node.
    fn part(&self, cluster: &Cluster, group: &str, column: &str) -> String {
        cluster.connect().value(&format!(
            "SELECT {column} FROM pgperf.runs WHERE spec ->> 'group_id' = '{group}' AND spec ? 'share' AND origin_node_id IS NULL"
        ))
    }
}

/// How many seconds beforehand runs are started, at last: on a busy machine nodes take longer to be ready.
const LEADS: [u32; 4] = [3, 6, 12, 24];

/// Starts a run that all of its nodes are ready for in time; its number, the moment, and how long before it was started.
fn begin(session: &mut Client, arguments: &str) -> (i64, String, u32) {
    for lead in LEADS {
        let at = session.value(&format!("SELECT now() + {lead} * interval '1 s'"));
        let run = session.start_run(&format!("{arguments}, start_at => '{at}'"));
        wait_until("the beginning", PATIENCE, || {
            !["waiting", "preparing"].contains(&session.status(run).as_str())
        });
        if session.status(run) != "failed" {
            return (run, at, lead);
        }
        let error = error(session, run);
        assert!(error.contains("not ready"), "{error}");
    }
    panic!("the nodes are not ready within {LEADS:?} s");
}

fn group_of(session: &mut Client, run: i64) -> String {
    session.value(&format!(
        "SELECT spec ->> 'group_id' FROM pgperf.runs WHERE run_id = {run}"
    ))
}

/// Waits for the failure of a run, and expects these parts of its error.
fn await_failure(session: &mut Client, run: i64, parts: &[&str]) {
    wait_until("the run", PATIENCE, || session.status(run) == "failed");
    let error = error(session, run);
    assert!(parts.iter().all(|part| error.contains(part)), "{error}");
}

fn error(session: &mut Client, run: i64) -> String {
    session.value(&format!(
        "SELECT error FROM pgperf.runs WHERE run_id = {run}"
    ))
}

#[test]
fn parts_begin_together_and_one_report_has_them_all() {
    let laboratory = Laboratory::new();
    let mut session = laboratory.here.connect();
    let (run, at, _) = begin(
        &mut session,
        &format!(
            "{NOTES}, nodes => '{{here, one@2, two}}', clients => 8, duration => '2 s', sample_interval => '0.5 s', random_seed => 42, \
             label => 'all'"
        ),
    );
    expect_lines_of_all(&laboratory.here, &mut session, run);
    let group = group_of(&mut session, run);
    let mut rows = 0;
    for ((name, cluster), (clients, seed)) in
        laboratory
            .all()
            .into_iter()
            .zip([("0 1", 42), ("2 3 4 5", 43), ("6 7", 44)])
    {
        let mut there = cluster.connect();
        let known = there.value(
            "SELECT concat_ws(', ', string_agg(DISTINCT client::text, ' '), min(clients), max(clients), min(seed), max(seed)) FROM noted",
        );
        assert_eq!(known, format!("{clients}, 8, 8, {seed}, {seed}"), "{name}");
        rows += there.number("SELECT count(*) FROM noted");
        // All have the clock of this machine.
        let late = there.float(&format!(
            "SELECT EXTRACT(epoch FROM min(at) - '{at}'::timestamptz)::float8 FROM noted"
        ));
        assert!((-0.02..0.15).contains(&late), "{name} began {late} s late");
        let measured = laboratory.part(
            cluster,
            &group,
            &format!("abs(EXTRACT(epoch FROM measured_at - '{at}'::timestamptz)) < 0.02"),
        );
        assert_eq!(measured, "t", "{name}");
        let label = laboratory.part(cluster, &group, "label");
        assert_eq!(label, format!("all on {name}"));
        there.expect_no_workers(name);
    }
    let measured = session.value(&format!(
        "SELECT measured_at = '{at}'::timestamptz FROM pgperf.runs WHERE run_id = {run}"
    ));
    assert_eq!(measured, "t");
    assert_eq!(session.total(run, "transactions"), rows);
    expect_sums(&mut session, run);
    expect_parts_here(&mut session, run, &group);
    expect_percentiles(&mut session, run);
    expect_report(&mut session, run);
}

/// Waits for a run, and expects lines of progress with the rates of all nodes.
fn expect_lines_of_all(here: &Cluster, session: &mut Client, run: i64) {
    let told = here.psql(&format!("CALL pgperf.wait_run({run}, progress => true)"));
    let told = String::from_utf8_lossy(&told.stderr).into_owned();
    assert_eq!(session.status(run), "finished", "{told}");
    let lines = session.value(&format!(
        "SELECT string_agg(format('progress: %s s, %s tps', round(0.5 * (i.interval_no + 1), 1), pgperf.round(v.tps, 1)), '; ' ORDER BY i.interval_no) \
           FROM pgperf.run_intervals i, LATERAL (SELECT sum(s.transactions) / i.seconds AS tps FROM pgperf.run_server_intervals s \
                 WHERE s.run_id = i.run_id AND s.interval_no = i.interval_no) v WHERE i.run_id = {run} AND i.interval_no < 3"
    ));
    for line in lines.split("; ") {
        assert!(told.contains(line), "{line}: {told}");
    }
}

/// The runs of all nodes are stored here, and what is asked without a number is the whole.
fn expect_parts_here(session: &mut Client, run: i64, group: &str) {
    let parts = session.value(&format!(
        "SELECT string_agg(concat_ws(' ', n.name, r.clients, r.spec -> 'share' ->> 'first_client'), ', ' ORDER BY n.name) \
           FROM pgperf.runs r JOIN pgperf.nodes n USING (node_id) WHERE spec ->> 'group_id' = '{group}' AND spec ? 'share'"
    ));
    assert_eq!(parts, "here 2 0, one 4 2, two 2 6");
    let known = session.value(&format!(
        "SELECT string_agg(concat_ws(' ', e ->> 'node', s.transactions = v.transactions), ', ' ORDER BY v.server_no) \
           FROM pgperf.runs r, jsonb_array_elements(r.spec -> 'nodes') WITH ORDINALITY e (e, no) \
           JOIN pgperf.run_summary s ON s.run_id = (e ->> 'run_id')::bigint \
           JOIN pgperf.run_servers v ON v.server_no = no - 1 AND v.run_id = {run} WHERE r.run_id = {run}"
    ));
    assert_eq!(known, "here t, one t, two t");
    let newest =
        session.value("SELECT string_agg(line, ' ') ~ 'nodes: here' FROM pgperf.report() line");
    assert_eq!(newest, "t");
}

/// Those of the whole are those of all transactions: counted bucket by bucket over the parts.
fn expect_percentiles(session: &mut Client, run: i64) {
    let wrong = session.value(&format!(
        "WITH buckets AS ( \
             SELECT b.to_ms, sum(b.count) AS count FROM pgperf.runs r, jsonb_array_elements(r.spec -> 'nodes') e \
               JOIN pgperf_internal.run_totals t ON t.run_id = (e ->> 'run_id')::bigint, LATERAL pgperf.histogram_buckets(t.histogram) b \
              WHERE r.run_id = {run} GROUP BY b.to_ms), \
         ranks AS (SELECT to_ms, sum(count) OVER (ORDER BY to_ms) AS so_far, sum(count) OVER () AS count FROM buckets) \
         SELECT string_agg(concat_ws(' ', q, s.told, x.counted), ', ') \
           FROM pgperf.run_summary r, LATERAL (VALUES (0.5, r.latency_p50_ms), (0.95, r.latency_p95_ms), (0.99, r.latency_p99_ms)) s (q, told), \
                LATERAL (SELECT least(min(to_ms) - 0.000001, r.latency_max_ms) AS counted FROM ranks WHERE so_far >= q * count) x \
          WHERE r.run_id = {run} AND abs(s.told - x.counted) > 1e-9"
    ));
    assert_eq!(wrong, "");
}

fn expect_report(session: &mut Client, run: i64) {
    let text = session.value(&format!(
        "SELECT regexp_replace(string_agg(line, ' '), '\\s+', ' ', 'g') FROM pgperf.report({run}) line"
    ));
    for part in [
        "nodes: here@1, one@2, two@1",
        "number of clients: 8",
        " Nodes ",
        "are those of the nodes' own runs: here: run",
        "nodes => ARRAY['here', 'one@2', 'two']",
        "INSERT INTO noted",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!text.contains("start_at"), "{text}");
    let page = session.page(&format!("pgperf.report_html({run})"));
    assert!(page.contains("Transactions of each node"));
    let document = session.value(&format!(
        "SELECT concat_ws(' ', jsonb_array_length(j -> 'servers'), j -> 'run' -> 'spec' -> 'nodes' -> 1 ->> 'first_client', \
                abs((j -> 'run' -> 'spec' -> 'nodes' -> 1 ->> 'clock_ahead_ms')::float8) < 20) FROM pgperf.report_json({run}) j"
    ));
    assert_eq!(document, "3 2 t");
}

#[test]
fn a_stop_stops_all_and_the_loss_of_a_node_or_of_the_conductor_is_said() {
    let laboratory = Laboratory::new();
    let mut session = laboratory.here.connect();
    let arguments = format!("{CALM}, nodes => '{{here, one}}', clients => 2");
    let (run, _, lead) = begin(&mut session, &arguments);
    session.await_intervals(run, 2);
    let group = group_of(&mut session, run);
    assert_eq!(
        session.value(&format!("SELECT pgperf.stop_run({run})")),
        "t"
    );
    session.wait_for_status(run, "stopped");
    for cluster in [&laboratory.here, &laboratory.one] {
        assert_eq!(laboratory.part(cluster, &group, "status"), "stopped");
    }
    assert!(session.total(run, "transactions") > 0);
    expect_sums(&mut session, run);
    let later = format!(
        "{arguments}, start_at => now() + {} * interval '1 s'",
        2 * lead
    );
    expect_cancel(&laboratory, &mut session, &later);
    expect_an_end_without_conductor(&laboratory, &mut session);
    // A node that goes away takes nothing of the others with it.
    let (run, ..) = begin(
        &mut session,
        "script => 'INSERT INTO noted VALUES (:client_id);', rate => 60, duration => '5 s', sample_interval => '0.2 s', \
         nodes => '{one, two}', clients => 4",
    );
    session.await_intervals(run, 2);
    laboratory.two.crash();
    wait_until("what is said", PATIENCE, || {
        error(&mut session, run).contains("node \"two\"")
    });
    assert_eq!(session.status(run), "running");
    await_failure(&mut session, run, &["node \"two\" was lost after "]);
    let known = session.value(&format!(
        "SELECT string_agg(concat_ws(' ', server, clients, aborted, transactions > 30), ', ' ORDER BY server_no) FROM pgperf.run_servers WHERE run_id = {run}"
    ));
    assert_eq!(known, "one 2 0 t, two 2 2 f");
    let whole = session.value(&format!(
        "SELECT s.transactions = v.one + v.two AND v.one > 100 AND v.seconds > 4.5 \
           FROM pgperf.run_summary s, (SELECT sum(transactions) FILTER (WHERE server = 'one') AS one, \
                sum(transactions) FILTER (WHERE server = 'two') AS two, max(seconds) AS seconds FROM pgperf.run_servers WHERE run_id = {run}) v \
          WHERE s.run_id = {run}"
    ));
    assert_eq!(whole, "t");
}

/// Ctrl-C of the call that waits.
fn expect_cancel(laboratory: &Laboratory, session: &mut Client, arguments: &str) {
    let mut caller = laboratory.here.connect();
    let pid = caller.number("SELECT pg_backend_pid()");
    let call = format!("CALL pgperf.run({arguments}, label => 'called')");
    let thread = thread::spawn(move || {
        caller
            .batch_execute(&call)
            .map_err(|error| error.to_string())
    });
    let run = "SELECT run_id FROM pgperf.runs WHERE label = 'called'";
    wait_until("the run", PATIENCE, || !session.value(run).is_empty());
    let run = session.number(run);
    wait_until("two intervals", PATIENCE, || session.intervals(run) >= 2);
    session.value(&format!("SELECT pg_cancel_backend({pid})"));
    thread.join().expect("the call").expect("its report");
    assert_eq!(session.status(run), "stopped");
    let group = group_of(session, run);
    assert_eq!(
        laboratory.part(&laboratory.one, &group, "status"),
        "stopped"
    );
}

/// The parts end by themselves.
fn expect_an_end_without_conductor(laboratory: &Laboratory, session: &mut Client) {
    let (run, ..) = begin(
        session,
        "script => 'INSERT INTO noted VALUES (:client_id);', rate => 60, duration => '3 s', sample_interval => '0.2 s', \
         nodes => '{one}', clients => 2",
    );
    session.await_intervals(run, 2);
    let group = group_of(session, run);
    let conductor = session.leader(run);
    session.value(&format!("SELECT pg_terminate_backend({conductor})"));
    session.wait_for_status(run, "interrupted");
    wait_until("the end of the part", PATIENCE, || {
        laboratory.part(&laboratory.one, &group, "status") == "finished"
    });
}

#[test]
fn what_a_node_cannot_do_is_refused_before_anything_starts() {
    let laboratory = Laboratory::new();
    let mut session = laboratory.here.connect();
    let bare = Cluster::of(bindir(), &[]);
    laboratory.here.add_target("itself", &laboratory.here);
    laboratory.here.add_target("bare", &bare);
    laboratory.here.add_target("weak", &laboratory.two);
    laboratory
        .two
        .run_sql("CREATE ROLE weak LOGIN; GRANT ALL ON noted TO weak");
    session.value(
        "CREATE USER MAPPING FOR postgres SERVER itself OPTIONS (user 'postgres'); \
         CREATE USER MAPPING FOR postgres SERVER bare OPTIONS (user 'postgres'); \
         CREATE USER MAPPING FOR postgres SERVER weak OPTIONS (user 'weak'); CREATE TABLE only_here (i int)",
    );
    let script =
        "script => 'INSERT INTO noted VALUES (:client_id);', clients => 2, duration => '1 s'";
    for (arguments, code, part) in [
        (
            "nodes => '{one, one@2}'",
            "22023",
            "node \"one\" is in nodes twice",
        ),
        (
            "nodes => '{one, nobody}'",
            "42704",
            "node \"nobody\": server \"nobody\" does not exist",
        ),
        (
            "nodes => '{here, itself}'",
            "22023",
            "nodes \"here\" and \"itself\" are the same server",
        ),
        (
            "nodes => '{one, bare}'",
            "55000",
            "node \"bare\": pgperf is not installed",
        ),
        (
            "nodes => '{one, weak}'",
            "42501",
            "node \"weak\": permission denied for function start_run",
        ),
        (
            "nodes => '{one, two, here}'",
            "22023",
            "clients must be at least the number of nodes, 3, not 2",
        ),
        (
            "nodes => '{one, here}', settings => '{\"no_such\": 1}'",
            "42704",
            "no_such",
        ),
        (
            "nodes => '{one}', start_at => '2020-01-01'",
            "22023",
            "start_at has passed",
        ),
    ] {
        let (found, message, _) = error_of(
            &mut session,
            &format!("SELECT pgperf.start_run({script}, {arguments})"),
        );
        assert!(
            found == code && message.contains(part),
            "{arguments}: {found} {message}"
        );
    }
    let (code, lacking, _) = error_of(
        &mut session,
        "SELECT pgperf.start_run('select-only', nodes => '{one, two}', clients => 2)",
    );
    assert!(
        code == "42P01" && lacking.contains("node \"one\": "),
        "{code} {lacking}"
    );
    // Whoever may use neither the server nor a run here.
    session.value("CREATE ROLE user_here LOGIN; GRANT EXECUTE ON FUNCTION pgperf.start_run TO user_here; GRANT ALL ON noted TO user_here");
    let mut other = laboratory.here.connect_as("user_here");
    let call = format!("SELECT pgperf.start_run({script}, nodes => '{{one}}')");
    let (_, refused, _) = error_of(&mut other, &call);
    assert!(refused.contains("user mapping not found"), "{refused}");
    session.value("CREATE USER MAPPING FOR user_here SERVER one OPTIONS (user 'postgres')");
    let (_, refused, _) = error_of(&mut other, &call);
    assert!(refused.contains("password is required"), "{refused}");
    for (name, cluster) in laboratory.all() {
        let runs = cluster.connect().number("SELECT count(*) FROM pgperf.runs");
        assert_eq!(runs, 0, "{name}");
    }
    expect_nothing_begins(&laboratory, &mut session);
    expect_no_run_of_others(&laboratory, &mut session);
}

/// A node that names a run of another role as its part, so that its figures would be shown to the caller.
fn expect_no_run_of_others(laboratory: &Laboratory, session: &mut Client) {
    let secret =
        session.finish_run("script => 'SELECT 1 AS secret;', transactions_per_client => 1");
    let here = session.value("SELECT pgperf.local_node()");
    laboratory.two.run_sql(&format!(
        "CREATE OR REPLACE FUNCTION pgperf.export_run(run_id bigint DEFAULT NULL, transactions boolean DEFAULT false) RETURNS jsonb \
         LANGUAGE sql AS $$ SELECT '{{\"format\": \"pgperf-run\", \"version\": 1, \"node\": {{\"node_id\": \"{here}\"}}, \
             \"run\": {{\"node_id\": \"{here}\", \"run_id\": {secret}, \"spec\": {{}}}}, \"contents\": {{}}, \"tables\": {{}}}}'::jsonb $$"
    ));
    session.value("CREATE USER MAPPING FOR user_here SERVER two OPTIONS (user 'postgres', password_required 'false')");
    let mut other = laboratory.here.connect_as("user_here");
    let lead = LEADS[LEADS.len() - 2];
    let run = other.number(&format!(
        "SELECT pgperf.start_run(script => 'SELECT 2;', duration => '0.5 s', nodes => '{{two}}', collectors => '{{}}', \
                                 start_at => now() + {lead} * interval '1 s')"
    ));
    session.wait_for_status(run, "finished");
    let known = session.value(&format!(
        "SELECT concat_ws(' ', history_error ~ 'run of another role', (SELECT count(*) FROM pgperf.run_statements s WHERE s.run_id = {run}), \
                (SELECT transactions > 0 FROM pgperf.run_summary s WHERE s.run_id = {run})) FROM pgperf.runs WHERE run_id = {run}"
    ));
    assert_eq!(known, "t 0 t");
}

/// Where one is not ready, none begins.
fn expect_nothing_begins(laboratory: &Laboratory, session: &mut Client) {
    laboratory
        .two
        .run_sql("CREATE FUNCTION slow() RETURNS void LANGUAGE sql AS 'SELECT pg_sleep(8)'");
    laboratory
        .one
        .run_sql("CREATE FUNCTION slow() RETURNS void LANGUAGE sql AS ''");
    let run = session.start_run(&format!(
        "{NOTES}, clients => 2, duration => '1 s', nodes => '{{one, two}}', before_sql => 'SELECT slow()', \
         start_at => now() + interval '4 s'"
    ));
    await_failure(session, run, &["node \"two\"", "not ready"]);
    let group = group_of(session, run);
    for cluster in [&laboratory.one, &laboratory.two] {
        assert_eq!(cluster.connect().number("SELECT count(*) FROM noted"), 0);
        wait_until("the end of the part", PATIENCE, || {
            ["stopped", "failed"].contains(&laboratory.part(cluster, &group, "status").as_str())
        });
    }
}
