//! docs/questions.md: every query runs, has an answer where there is a history, and returns the columns that the page
//! shows.

use crate::common::runs::{NO_BUDGET, PATIENCE, Runs};
use crate::common::{Cluster, StopMode, document, templates, wait_until};
use postgres::Client;

/// A query of the page, and the columns of the output that stands below it.
struct Question {
    title: String,
    sql: String,
    columns: Vec<String>,
}

/// The page's hours, and their times in this test: its samples are from this moment.
const HOURS: &[(&str, &str)] = &[
    (
        "timestamptz '2026-11-22 11:00'",
        "now() - interval '90 minutes'",
    ),
    (
        "timestamptz '2026-11-22 12:00'",
        "now() - interval '30 minutes'",
    ),
];

fn questions() -> Vec<Question> {
    let page = document("docs/questions.md");
    let mut questions = Vec::new();
    let mut title = "";
    let mut rest = page.lines();
    while let Some(line) = rest.next() {
        if let Some(heading) = line.strip_prefix("### ") {
            title = heading;
        } else if line == "```sql" {
            let mut sql = block(&mut rest);
            assert_eq!(rest.next(), Some(""), "{title}: after the query");
            assert_eq!(rest.next(), Some("```text"), "{title}: no output is shown");
            let shown = block(&mut rest);
            for (hour, now) in HOURS {
                sql = sql.replace(hour, now);
            }
            let heading = shown.lines().next().unwrap_or_default();
            questions.push(Question {
                title: title.to_owned(),
                sql: sql.trim_end().trim_end_matches(';').to_owned(),
                columns: heading
                    .split('|')
                    .map(|name| name.trim().to_owned())
                    .collect(),
            });
        }
    }
    questions
}

/// The lines up to the end of a fenced block.
fn block<'a>(lines: &mut impl Iterator<Item = &'a str>) -> String {
    let inside: Vec<&str> = lines.take_while(|line| *line != "```").collect();
    inside.join("\n")
}

fn snapshot(session: &mut Client) {
    session.value("SELECT pg_stat_force_next_flush()");
    session.value("SELECT count(*) FROM pgperf.snapshot()");
}

/// A history with something of everything that the page asks for.
fn fill(cluster: &Cluster, session: &mut Client) {
    session.value("CREATE EXTENSION IF NOT EXISTS pg_walinspect");
    session.value(
        "CREATE TABLE grown AS SELECT g AS id, 'one' AS word FROM generate_series(1, 1000) g",
    );
    session.value("CREATE INDEX grown_word_idx ON grown (word)");
    session.value("SELECT pg_create_physical_replication_slot('slot', true)");
    // Active, waiting, and holding the horizon.
    let mut holder = cluster.connect();
    std::thread::spawn(move || {
        // It ends with its server.
        let _ = holder.batch_execute("BEGIN; SELECT pg_current_xact_id(); SELECT pg_sleep(600)");
    });
    wait_until("the holder", PATIENCE, || {
        session.value("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'") == "1"
    });
    snapshot(session);
    session.value("INSERT INTO grown SELECT g, 'two' FROM generate_series(1, 20000) g");
    session.value("UPDATE grown SET word = 'three' WHERE id <= 500");
    session.value("ALTER SYSTEM SET work_mem = '17MB'");
    session.value("SELECT pg_reload_conf()");
    wait_until("the setting", PATIENCE, || {
        session.value("SHOW work_mem") == "17MB"
    });
    snapshot(session);

    // Run 2, with a standby.
    session.value("SELECT pg_create_physical_replication_slot('standby_slot', true)");
    let standby = cluster.standby("standby_slot");
    session
        .batch_execute("CALL pgperf.init()")
        .expect("the tables");
    session
        .batch_execute("CALL pgperf.run(duration => '2 s', collectors => '{replication@0.5s}')")
        .expect("a run");
    standby.stop(StopMode::Fast);

    // Run 3, with turns.
    session
        .batch_execute(
            r#"CALL pgperf.run(script => 'SELECT 1;', transactions_per_client => 1, collectors => '{}',
                   alternate => '{"work_mem": ["4MB", "64MB"]}', settle => '0')"#,
        )
        .expect("a run with turns");

    session.value("UPDATE pgperf.collectors SET sample_interval = CASE name WHEN 'wal' THEN interval '1 s' END");
    session.value("SELECT pgperf.start_sampler()");
    wait_until("a sample of the sampler", PATIENCE, || {
        session.number(
            "SELECT count(*) FROM pgperf.samples WHERE cadence IS NOT NULL AND outcomes ? 'wal'",
        ) > 0
    });
    session.value("SELECT pgperf.stop_sampler()");
    // An interval without a sample.
    wait_until("a gap", PATIENCE, || {
        session.number("SELECT count(*) FROM pgperf.sampler_gaps") > 0
    });
}

#[test]
fn every_question_has_an_answer() {
    let conf = ["wal_level = replica", "max_wal_senders = 4", NO_BUDGET];
    let cluster = Cluster::on_disk(templates::with_pgperf(), &conf);
    let mut session = cluster.connect();
    fill(&cluster, &mut session);
    let questions = questions();
    assert!(questions.len() > 15, "{}", questions.len());
    for Question {
        title,
        sql,
        columns,
    } in questions
    {
        let statement = session
            .prepare(&sql)
            .unwrap_or_else(|error| panic!("{title}: {error}\n{sql}"));
        let names: Vec<&str> = statement.columns().iter().map(|c| c.name()).collect();
        assert_eq!(names, columns, "{title}: the columns that are shown");
        let rows = session.number(&format!("SELECT count(*) FROM ({sql}) answer"));
        // In a container the server's file system may have no device.
        let expected = title != "Is the disk busy?"
            || session.number("SELECT count(*) FROM pgperf.device_history") > 0;
        assert!(rows > 0 || !expected, "{title}: no answer\n{sql}");
    }
}
