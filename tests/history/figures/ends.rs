//! The ends of a window: what counts from the sample before it, and what does not.

use super::sections::{parts_of, planted, read};
use super::{parts::Part, same};
use crate::common::runs::Runs;
use postgres::Client;

/// A figure of the row whose name contains this.
fn figure(parts: &[Part], place: &str, row: &str, name: &str) -> Option<String> {
    let part = parts.iter().find(|part| part.name == place)?;
    let row = part.rows.iter().find(|one| one.name.contains(row))?;
    let (_, value) = row.figures.iter().find(|(column, _)| column == name)?;
    Some(value.clone())
}

fn parts(session: &mut Client, window: &(String, String)) -> Vec<Part> {
    let document = read(session, window);
    parts_of(session, &document, &window.0)
}

/// Five times as much as in a unit of the counters from the sample before the window to the last one in it. A slot that came in the window began at 0.
#[test]
fn slots_and_subscriptions_count_from_the_sample_before_the_window() {
    let (cluster, [one, _]) = planted();
    let mut session = cluster.connect();
    session.value(&format!(
        "UPDATE pgperf.replication_history SET spill_bytes = spill_bytes - 563, apply_error_count = apply_error_count - 569 \
         WHERE node_id = pgperf.local_node() AND taken_at <= '{}'",
        one.0
    ));
    let found = parts(&mut session, &one);
    let value = |parts: &[Part], row: &str, name: &str| -> f64 {
        let value = figure(parts, "replication/objects", row, name);
        value.expect(name).parse().expect("a number")
    };
    assert!(same(
        value(&found, "slot | decoded", "spilled_bytes"),
        5.0 * 563.0
    ));
    assert!(same(
        value(&found, "subscription | feed", "apply_errors"),
        5.0 * 569.0
    ));
    session.value(&format!(
        "DELETE FROM pgperf.replication_history WHERE node_id = pgperf.local_node() AND taken_at <= '{}'",
        one.0
    ));
    let found = parts(&mut session, &one);
    assert!(same(
        value(&found, "slot | decoded", "spilled_bytes"),
        1_000_000.0 + 5.0 * 563.0
    ));
    // Of subscriptions a sample may lack some: from the first one that has it.
    assert!(same(
        value(&found, "subscription | feed", "apply_errors"),
        3.0 * 569.0
    ));
}

#[test]
fn the_most_of_a_tablespace_lies_in_the_window() {
    let (cluster, [one, _]) = planted();
    let mut session = cluster.connect();
    session.value(&format!(
        "UPDATE pgperf.tablespace_history SET size_bytes = 999999 WHERE taken_at <= '{}'",
        one.0
    ));
    let found = parts(&mut session, &one);
    let of_fast = |name: &str| figure(&found, "tablespaces/sizes", "/ fast", name);
    assert_eq!(of_fast("most_bytes"), Some((300 * 53).to_string()));
    assert_eq!(
        of_fast("growth_bytes"),
        Some((300 * 31 - 999_999).to_string())
    );
}

/// It is in the history of the window, and no longer in the catalog: nobody has locked its table.
#[test]
fn an_index_that_was_dropped_since_has_no_columns() {
    let (cluster, [one, _]) = planted();
    let mut session = cluster.connect();
    session.value("DROP INDEX zeta_idx");
    let found = parts(&mut session, &one);
    let indexes = found
        .iter()
        .find(|part| part.name == "indexes/use")
        .expect("the indexes");
    let names: Vec<&str> = indexes.rows.iter().map(|row| row.name.as_str()).collect();
    let dropped: Vec<&&str> = names
        .iter()
        .filter(|name| name.contains("zeta_idx"))
        .collect();
    assert!(
        !dropped.is_empty() && dropped.iter().all(|name| name.ends_with("zeta_idx |")),
        "{names:?}"
    );
}
