//! What statements counted: from the first sample on, nested ones apart, through resets and evictions of one alone.

use crate::common::Cluster;
use crate::common::runs::Runs;
use postgres::Client;

/// The rows of statements whose text is like that: list, calls, and milliseconds where `times`.
fn listed(session: &mut Client, like: &str, figures: &str) -> String {
    session.value(&format!(
        "SELECT coalesce(string_agg(concat_ws('|', split_part(r ->> 'list', ':', 1), {figures}), ', ' ORDER BY r ->> 'list'), 'none') \
         FROM pgperf.history_json(now() - interval '1 hour', clock_timestamp()) d, jsonb_array_elements(d -> 'sections') s, \
              jsonb_array_elements(s -> 'tables') t, jsonb_array_elements(t -> 'rows') r \
         WHERE s ->> 'name' = 'statements' AND t ->> 'name' = 'top' AND r ->> 'query' LIKE '{like}' \
           AND r ->> 'list' IN ('By time', 'By calls') OR r ->> 'list' LIKE 'Nested%' AND r ->> 'query' LIKE '{like}'"
    ))
}

fn snapshot(session: &mut Client) {
    session.value("SELECT count(*) FROM pgperf.snapshot('{statements}')");
}

/// A new user's first report.
#[test]
fn what_was_called_before_the_first_sample_counts_from_there_on() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    let usual = "SELECT count(*) AS usual FROM generate_series(1, 1000)";
    session.value("SELECT count(pg_stat_statements_reset())");
    session.value(usual);
    snapshot(&mut session);
    for _ in 0..3 {
        session.value(usual);
    }
    for _ in 0..2 {
        session.value("SELECT sum(g) AS fresh FROM generate_series(1, 1000) g");
    }
    snapshot(&mut session);
    let calls = "r ->> 'calls'";
    let usual = listed(&mut session, "SELECT count(*) AS usual%", calls);
    assert_eq!(usual, "By calls|3, By time|3");
    // What the first sample, which held all statements, does not have counts whole.
    let fresh = listed(&mut session, "SELECT sum(g) AS fresh%", calls);
    assert_eq!(fresh, "By calls|2, By time|2");
    let rates = "SELECT string_agg(coalesce(calls::text, 'unknown'), ', ' ORDER BY sample_id) FROM pgperf.statement_rates WHERE query LIKE ";
    let of = |session: &mut Client, like: &str| session.value(&format!("{rates} '{like}'"));
    assert_eq!(of(&mut session, "SELECT count(*) AS usual%"), "unknown, 3");
    assert_eq!(of(&mut session, "SELECT sum(g) AS fresh%"), "2");
}

#[test]
fn nested_statements_have_a_list_of_their_own() {
    let cluster = Cluster::with_pgperf(&["pg_stat_statements.track = all"]);
    let mut session = cluster.connect();
    session.value(
        "CREATE FUNCTION calls_nested() RETURNS bigint LANGUAGE plpgsql AS \
         $$ DECLARE n bigint; BEGIN SELECT max(nested) INTO n FROM generate_series(1, 100000) nested; RETURN n; END $$",
    );
    snapshot(&mut session);
    session.value("SELECT calls_nested()");
    session.value("SELECT count(*) AS alone FROM generate_series(1, 1000)");
    snapshot(&mut session);
    let calls = "r ->> 'calls'";
    let nested = listed(&mut session, "SELECT max(nested)%", calls);
    assert_eq!(nested, "Nested|1");
    let caller = listed(&mut session, "SELECT calls_nested()", calls);
    assert_eq!(caller, "By calls|1, By time|1");
    // As the server's own view says of top-level ones; the row of all together, too.
    let together = session.value(
        "SELECT (SELECT calls FROM pgperf.statement_history WHERE queryid = 0 ORDER BY sample_id DESC LIMIT 1) \
                < (SELECT sum(calls) FROM pg_stat_statements), \
                (SELECT calls FROM pgperf.statement_history WHERE queryid = 0 ORDER BY sample_id DESC LIMIT 1) \
                <= (SELECT sum(calls) FROM pg_stat_statements WHERE toplevel)",
    );
    assert_eq!(together, "t");
}

/// Rows of one statement, ten and five minutes ago, with those of all together.
fn planted(session: &mut Client, earlier: &str, later: &str) -> String {
    session.value("TRUNCATE pgperf.statement_history, pgperf.statement_texts, pgperf.samples");
    session
        .batch_execute(&format!(
            "INSERT INTO pgperf.samples (node_id, sample_id, taken_at, epoch, elapsed_ms, rows, pages, wal_bytes, outcomes) \
             SELECT pgperf.local_node(), n, now() - make_interval(mins => 15 - 5 * n), 1, 1, 1, 1, 1, '{{\"statements\": {{\"status\": \"ok\"}}}}' \
             FROM generate_series(1, 2) n; \
             INSERT INTO pgperf.statement_history (node_id, sample_id, taken_at, queryid, userid, dbid, toplevel, statements, left_out, dealloc) \
             SELECT node_id, sample_id, taken_at, 0, 0, 0, true, 100, 0, CASE sample_id WHEN 1 THEN 3 ELSE 7 END FROM pgperf.samples; \
             INSERT INTO pgperf.statement_history (node_id, sample_id, taken_at, queryid, userid, dbid, toplevel, before_sample_id, \
                 calls, total_exec_time, min_exec_time, max_exec_time, exec_time_squares, rows, shared_blks_read, stats_since) \
             SELECT s.node_id, s.sample_id, s.taken_at, 4711, 10, 5, true, NULLIF(s.sample_id, 1) - 1, v.* \
             FROM pgperf.samples s JOIN LATERAL (SELECT {earlier} WHERE s.sample_id = 1 UNION ALL SELECT {later} WHERE s.sample_id = 2) v ON true; \
             INSERT INTO pgperf.statement_texts (node_id, queryid, dbid, taken_at, query) SELECT pgperf.local_node(), 4711, 5, now(), 'SELECT planted'"
        ))
        .expect("the rows");
    listed(
        session,
        "SELECT planted",
        "r ->> 'calls', round((r ->> 'exec_s')::numeric * 1000), r ->> 'rows'",
    )
    .replace("By calls|", "")
    .split(", ")
    .next()
    .unwrap_or_default()
    .to_owned()
}

/// Calls, milliseconds and rows of a statement, by what its rows were before and after.
#[test]
fn a_statement_that_was_reset_alone_counts_from_zero() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    for (earlier, later, counted) in [
        // calls, total, shortest, longest, squares, rows, blocks read, since when (version 1.11)
        (
            "100, 1000.0, 1.0, 50.0, 0.0, 100, 0, NULL::timestamptz",
            "150, 1500.0, 1.0, 50.0, 0.0, 150, 0, NULL",
            "50|500|50",
        ),
        // It began again, was called more often, and took less.
        (
            "100, 10000.0, 1.0, 150.0, 0.0, 100, 0, NULL::timestamptz",
            "150, 300.0, 1.0, 150.0, 0.0, 150, 0, NULL",
            "150|300|150",
        ),
        // The same, shown by its rows alone.
        (
            "100, 100.0, 1.0, 150.0, 0.0, 90000, 0, NULL::timestamptz",
            "150, 300.0, 1.0, 150.0, 0.0, 150, 0, NULL",
            "150|300|150",
        ),
        // By what it had read alone.
        (
            "100, 100.0, 1.0, 150.0, 0.0, 100, 5000, NULL::timestamptz",
            "150, 300.0, 1.0, 150.0, 0.0, 150, 7, NULL",
            "150|300|150",
        ),
        // Only its extremes were reset, which leaves its counters as they are.
        (
            "100, 1000.0, 1.0, 50.0, 0.0, 100, 0, now() - interval '1 day'",
            "150, 1500.0, 5.0, 6.0, 0.0, 150, 0, now() - interval '1 day'",
            "50|500|50",
        ),
        // Reset, and more than before already.
        (
            "100, 1000.0, 1.0, 50.0, 0.0, 100, 0, now() - interval '1 day'",
            "150, 1500.0, 1.0, 50.0, 0.0, 150, 0, now() - interval '8 minutes'",
            "150|1500|150",
        ),
    ] {
        assert_eq!(planted(&mut session, earlier, later), counted, "{later}");
        let below = "SELECT count(*) FROM pgperf.statement_deltas WHERE LEAST(calls, total_exec_time, rows, shared_blks_read) < 0";
        assert_eq!(session.number(below), 0, "{later}");
    }
    // Evictions are mentioned.
    let evicted = session.value(
        "SELECT string_agg(concat_ws('|', r ->> 'statements', r ->> 'evictions', coalesce(r ->> 'left_out', 'none')), ', ') \
         FROM pgperf.history_json(now() - interval '1 hour', clock_timestamp()) d, jsonb_array_elements(d -> 'sections') s, \
              jsonb_array_elements(s -> 'tables') t, jsonb_array_elements(t -> 'rows') r WHERE t ->> 'name' = 'kept'",
    );
    assert_eq!(evicted, "100|4|none");
}
