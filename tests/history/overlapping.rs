//! Samples at the same time, as of the sampler and of a call of `pgperf.snapshot`: what one read later is no new beginning of a counter.

use crate::common::Cluster;
use crate::common::runs::Runs;
use postgres::Client;
use serde_json::Value;

/// Calls the statement, then takes a sample.
fn sample(session: &mut Client, calls: usize) -> i64 {
    for _ in 0..calls {
        session.value("SELECT 4711 AS both");
    }
    session.number("SELECT max(sample_id) FROM pgperf.snapshot('{statements}')")
}

/// As if the first of these samples had read its counters after the second, and neither had seen the other.
fn overlap(session: &mut Client, first: i64, second: i64) {
    session.value(&format!(
        "UPDATE pgperf.statement_history h \
            SET sample_id = s.sample_id, taken_at = s.taken_at, before_sample_id = f.before_sample_id \
           FROM pgperf.samples s, pgperf.statement_history f \
          WHERE h.queryid <> 0 AND h.sample_id IN ({first}, {second}) AND s.sample_id = {first} + {second} - h.sample_id \
            AND f.queryid = h.queryid AND f.userid = h.userid AND f.dbid = h.dbid AND f.toplevel = h.toplevel \
            AND f.sample_id = {first}"
    ));
}

/// Its calls from that moment on, as the report lists them.
fn calls(session: &mut Client, from: &str) -> String {
    let document = session.value(&format!(
        "SELECT pgperf.history_json('{from}'::timestamptz, clock_timestamp())"
    ));
    let document: Value = serde_json::from_str(&document).expect("JSON");
    let of = |list: &Value, name: &str, value: &str| -> Vec<Value> {
        let list = list.as_array().expect("a list").iter();
        let found = list.filter(|one| one[name].as_str().is_some_and(|v| v.starts_with(value)));
        found.cloned().collect()
    };
    let sections = of(&document["sections"], "name", "statements");
    let lists = of(&sections[0]["tables"], "title", "By calls");
    let rows = of(&lists[0]["rows"], "query", "SELECT $1 AS both");
    rows.first()
        .map_or_else(String::new, |row| row["calls"].to_string())
}

#[test]
fn overlapping_samples_are_no_new_beginning() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    // Of the very first ones, nobody knows what was called between them.
    let first = sample(&mut session, 1000);
    let between = session.value("SELECT clock_timestamp()");
    let second = sample(&mut session, 2);
    overlap(&mut session, first, second);
    assert_eq!(calls(&mut session, &between), "");
    sample(&mut session, 5);

    let from = session.value("SELECT clock_timestamp()");
    let first = sample(&mut session, 20);
    let second = sample(&mut session, 3);
    overlap(&mut session, first, second);
    sample(&mut session, 4);
    assert_eq!(calls(&mut session, &from), "27");

    // The next one saw only the first of them.
    let first = sample(&mut session, 8);
    let second = sample(&mut session, 2);
    overlap(&mut session, first, second);
    let last = sample(&mut session, 1);
    session.value(&format!(
        "UPDATE pgperf.statement_history SET before_sample_id = {first} WHERE queryid <> 0 AND sample_id = {last}"
    ));
    assert_eq!(calls(&mut session, &from), "38");

    // A reset beside them is one.
    session.value(
        "SELECT pg_stat_statements_reset(0, 0, (SELECT queryid FROM pg_stat_statements WHERE query LIKE '%AS both' LIMIT 1))",
    );
    let first = sample(&mut session, 30);
    let second = sample(&mut session, 1);
    overlap(&mut session, first, second);
    sample(&mut session, 6);
    assert_eq!(calls(&mut session, &from), "75");
}
