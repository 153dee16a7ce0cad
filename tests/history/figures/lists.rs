//! Sections of many objects: the first ones are those with the most, in order, as many as a list has room for.

use super::execute;
use crate::common::Cluster;
use crate::common::runs::Runs;
use postgres::Transaction;
use serde_json::Value;

/// See its head.
const KINDS: &str = include_str!("lists.sql");
/// So many objects more than are shown.
const MORE: usize = 3;

/// A table, or charts of one object each.
#[derive(Debug)]
struct List {
    is_chart: bool,
    section: String,
    name: String,
    /// How its title begins.
    title: String,
    shown: usize,
    /// What puts its objects in order.
    by: usize,
}

/// The lists of a block, and the SQL that inserts their objects.
fn lists(block: &str) -> (Vec<List>, &str) {
    let (head, sql) = block.split_once('\n').expect(block);
    let head = head.trim_start_matches("-- ");
    let (place, all) = match head.split_once(": ") {
        Some((place, lists)) => (place, lists),
        None => head.split_at(head.find(" of ").expect(head)),
    };
    let (section, name) = place
        .trim_start_matches("chart ")
        .split_once('/')
        .expect(head);
    let list = |one: &str| {
        let (title, numbers) = one.split_once(" of ").expect(one);
        let (shown, by) = numbers.split_once(" by ").expect(one);
        List {
            is_chart: place.starts_with("chart "),
            section: section.to_owned(),
            name: name.to_owned(),
            title: title.to_owned(),
            shown: shown.parse().expect(one),
            by: by.parse().expect(one),
        }
    };
    (all.split("; ").map(list).collect(), sql)
}

/// How much of p the object has: the same as the function m of the rows.
fn amount(object: usize, by: usize, count: usize) -> usize {
    1 + (object * by) % count
}

/// The document of a window with these rows, which are gone afterwards.
fn document(transaction: &mut Transaction, sql: &str, count: usize) -> Value {
    let node = super::value(transaction, "SELECT pgperf.local_node()::text");
    execute(
        transaction,
        &format!(
            "CREATE TEMP TABLE tick ON COMMIT DROP AS SELECT '{node}'::uuid AS node_id, 5001 + n AS sample_id, \
                 now() - interval '2 hours' + n * interval '30 min' AS taken_at, n FROM generate_series(0::bigint, 1) n; \
             CREATE TEMP TABLE object ON COMMIT DROP AS SELECT g FROM generate_series(1, {count}) g; \
             CREATE FUNCTION pg_temp.m(g bigint, p bigint) RETURNS bigint LANGUAGE sql RETURN 1 + (g * p) % {count}; \
             INSERT INTO pgperf.samples (node_id, sample_id, taken_at, epoch, elapsed_ms, rows, pages, wal_bytes, outcomes) \
             SELECT node_id, sample_id, taken_at, 1, 1, 1, 1, 1, (SELECT jsonb_object_agg(c.name, '{{\"status\": \"ok\"}}'::jsonb) FROM pgperf.collectors c) FROM tick; \
             INSERT INTO pgperf.statement_history (node_id, sample_id, taken_at, queryid, userid, dbid, toplevel, left_out, dealloc) \
             SELECT node_id, sample_id, taken_at, 0, 0, 0, true, 0, 0 FROM tick; \
             SET LOCAL search_path = public, pg_temp"
        ),
    );
    execute(transaction, &sql.replace("m(g,", "pg_temp.m(g,"));
    let text = super::value(
        transaction,
        "SELECT pgperf.history_json(now() - interval '100 min', now() - interval '1 hour')::text",
    );
    serde_json::from_str(&text).expect("a document")
}

/// The number in a name such as `public.o12`, or of the first text with one.
fn number(texts: &[&Value]) -> usize {
    let digits = |text: &str| {
        let (_, digits) = text.rsplit_once('o')?;
        digits.parse().ok()
    };
    let texts = texts.iter().filter_map(|text| text.as_str());
    let mut numbers = texts.filter_map(digits);
    numbers.next().unwrap_or_else(|| panic!("no object"))
}

/// The objects that a list shows, and whether it says that there are more.
fn shown(document: &Value, list: &List) -> (Vec<usize>, bool) {
    let named = |values: &Value, name: &str| -> Vec<Value> {
        let all = values.as_array().expect("a list").iter();
        all.filter(|one| one["name"] == name).cloned().collect()
    };
    let section = &named(&document["sections"], &list.section)[0];
    if list.is_chart {
        let charts = named(&section["charts"], &list.name);
        let objects = charts.iter().map(|chart| number(&[&chart["object"]]));
        return (objects.collect(), false);
    }
    let tables = named(&section["tables"], &list.name);
    let has_title = |table: &&Value| {
        let title = table["title"].as_str().unwrap_or_default();
        title.starts_with(&list.title)
    };
    let table = tables.iter().find(has_title);
    let table = table.unwrap_or_else(|| panic!("no {list:?}"));
    let rows = table["rows"].as_array().expect("rows").iter();
    let keys = [
        "event",
        "resource_manager",
        "name",
        "backend_type",
        "relation",
        "lock_type",
        "detail",
        "database_name",
    ];
    let objects = rows.map(|row| number(&keys.map(|key| &row[key])));
    (objects.collect(), table["more"] == true)
}

#[test]
fn the_first_of_many_are_those_with_the_most() {
    let cluster = Cluster::with_pgperf(&["autovacuum = off"]);
    let mut session = cluster.connect();
    session.value("SELECT pgperf.local_node()");
    let mut wrong = Vec::new();
    for block in KINDS.trim_end().split("\n\n").skip(1) {
        let (lists, sql) = lists(block);
        let count = lists[0].shown + MORE;
        let mut transaction = session.transaction().expect("a transaction");
        let document = document(&mut transaction, sql, count);
        transaction.rollback().expect("the end");
        for list in &lists {
            let mut expected: Vec<usize> = (1..=count).collect();
            expected.sort_by_key(|g| count - amount(*g, list.by, count));
            expected.truncate(list.shown);
            let (mut found, more) = shown(&document, list);
            // Of charts the order is another one.
            if list.is_chart {
                expected.sort_unstable();
                found.sort_unstable();
            }
            if found != expected {
                wrong.push(format!("{list:?}: {found:?}, {expected:?} expected"));
            }
            // A table of one list knows that there are more.
            if !list.is_chart && list.title.is_empty() && !more {
                wrong.push(format!("{list:?}: nothing is said of more"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
