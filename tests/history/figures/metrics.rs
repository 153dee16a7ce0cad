//! `pgperf.metrics()`: each figure is that of its column, in a base unit, of the newest sample of the node.

use super::{ELSEWHERE, add_elsewhere, evaluated, execute, same, value};
use crate::common::runs::Runs;
use crate::common::{Cluster, document};
use postgres::Transaction;
use std::collections::{BTreeMap, BTreeSet};

const ROWS: &str = include_str!("metrics.sql");
const DECOYS: &str = include_str!("decoys.sql");
const EXPECTED: &str = include_str!("metrics.txt");
/// An age may be so much higher than expected: the test takes its time.
const PATIENCE_S: f64 = 300.0;

/// The families of the documentation, which a unit test compares with the code: name and kind.
pub fn documented() -> BTreeMap<String, String> {
    let page = document("docs/openmetrics.md");
    let rows = page.lines().filter_map(|line| {
        let mut cells = line.strip_prefix("| `pgperf_")?.split(" | ");
        let name = cells.next()?.trim_end_matches('`');
        let kind = cells.next()?;
        let name = name.strip_suffix("_total").unwrap_or(name);
        ["counter", "gauge"]
            .contains(&kind)
            .then(|| (name.to_owned(), kind.to_owned()))
    });
    rows.collect()
}

/// The samples of a text: family with labels, and value. Of its heads, those that are not as they should be are complaints.
pub struct Exposed {
    pub samples: BTreeMap<String, f64>,
    pub heads: BTreeMap<String, String>,
}

impl Exposed {
    pub fn of(text: &str) -> Exposed {
        let mut exposed = Exposed {
            samples: BTreeMap::new(),
            heads: BTreeMap::new(),
        };
        for line in text.lines() {
            if let Some(head) = line.strip_prefix("# TYPE pgperf_") {
                let (name, kind) = head.split_once(' ').expect("a kind");
                // The older format has it in the name of the family, too.
                let name = name.strip_suffix("_total").unwrap_or(name);
                exposed.heads.insert(name.to_owned(), kind.to_owned());
            } else if let Some(sample) = line.strip_prefix("pgperf_") {
                let (name, value) = sample.rsplit_once(' ').expect("a value");
                let value = value.parse().expect("a number");
                let counter = |name: &str| name.strip_suffix("_total").map(str::to_owned);
                let name = match name.split_once('{') {
                    Some((name, labels)) => {
                        let name = counter(name).unwrap_or_else(|| name.to_owned());
                        format!("{name}{{{labels}")
                    }
                    None => counter(name).unwrap_or_else(|| name.to_owned()),
                };
                assert!(exposed.samples.insert(name, value).is_none(), "{line}");
            }
        }
        exposed
    }

    pub fn families(&self) -> BTreeSet<String> {
        self.samples.keys().map(|name| family(name)).collect()
    }
}

fn family(sample: &str) -> String {
    sample.split('{').next().unwrap_or_default().to_owned()
}

/// A line of the expectations.
struct Expected {
    sample: String,
    expression: String,
    is_age: bool,
}

fn expected(node: &str) -> Vec<Expected> {
    let lines = EXPECTED.split("\n\n").skip(1).flat_map(str::lines);
    let lines = lines.filter_map(|line| {
        for (place, holds) in [
            ("(elsewhere) ", node == ELSEWHERE),
            ("(here) ", node != ELSEWHERE),
        ] {
            if let Some(line) = line.strip_prefix(place) {
                return holds.then_some(line);
            }
        }
        Some(line)
    });
    let line = |line: &str| {
        let (sample, expression) = line.rsplit_once(" = ").expect(line);
        let (is_age, expression) = match expression.strip_prefix('~') {
            Some(age) => (true, age),
            None => (false, expression),
        };
        Expected {
            sample: sample.replace("{node}", node),
            expression: in_base_units(expression),
            is_age,
        }
    };
    lines.map(line).collect()
}

/// The factors of the units, by hand: 1 ms is a thousandth of a second, a sector has 512 bytes.
fn in_base_units(expression: &str) -> String {
    for (unit, factor) in [
        (" ms", " / 1000.0"),
        (" percent", " / 100.0"),
        (" blocks", " * current_setting('block_size')::integer"),
        (" sectors", " * 512"),
    ] {
        if let Some(number) = expression.strip_suffix(unit) {
            return format!("{number}{factor}");
        }
    }
    expression.to_owned()
}

/// Plants the rows of this node, and those around them.
fn plant(transaction: &mut Transaction, node: &str, other: &str) {
    for sql in [ROWS, DECOYS] {
        let sql = sql.replace("{node}", node).replace("{other}", other);
        execute(transaction, &sql);
    }
}

/// What a text has that it should not have, and what it lacks.
fn differences(transaction: &mut Transaction, text: &str, node: &str) -> Vec<String> {
    let exposed = Exposed::of(text);
    let expected = expected(node);
    let expressions: Vec<String> = expected.iter().map(|e| e.expression.clone()).collect();
    let values = evaluated(transaction, &expressions);
    let mut left = exposed.samples;
    let mut wrong = Vec::new();
    for (Expected { sample, is_age, .. }, wanted) in expected.iter().zip(values) {
        let wanted = wanted.as_f64().expect("a number");
        match left.remove(sample) {
            None => wrong.push(format!("{sample} is missing, {wanted} expected")),
            Some(age) if *is_age && (wanted..wanted + PATIENCE_S).contains(&age) => {}
            Some(found) if !is_age && same(found, wanted) => {}
            Some(found) => wrong.push(format!("{sample}: {found}, {wanted} expected")),
        }
    }
    let surplus = left
        .iter()
        .map(|(sample, value)| format!("{sample}: {value}, not expected"));
    wrong.extend(surplus);
    wrong
}

#[test]
fn every_family_has_an_expectation_and_its_kind() {
    let documented = documented();
    assert!(documented.len() > 150, "{documented:?}");
    let planted: BTreeSet<String> = expected("").iter().map(|e| family(&e.sample)).collect();
    let live = super::live_runs::FAMILIES.map(str::to_owned);
    // These have tests of their own: openmetrics.rs, series.rs.
    let apart = ["findings", "metrics_left_out"].map(str::to_owned);
    let judged: BTreeSet<String> = planted.into_iter().chain(live).chain(apart).collect();
    let all: BTreeSet<String> = documented.into_keys().collect();
    assert_eq!(judged, all);
}

#[test]
fn every_figure_is_that_of_its_column_in_base_units() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    let local = session.value("SELECT pgperf.local_node()");
    add_elsewhere(&mut session);
    // This server's history among another one's, and the other way round.
    let elsewhere = format!("SELECT pgperf.metrics('{ELSEWHERE}')");
    let older = format!("SELECT pgperf.metrics('{ELSEWHERE}', format => 'prometheus')");
    for (call, node, other) in [
        ("SELECT pgperf.metrics()", local.as_str(), ELSEWHERE),
        (
            "SELECT pgperf.metrics(format => 'prometheus')",
            &local,
            ELSEWHERE,
        ),
        (elsewhere.as_str(), ELSEWHERE, local.as_str()),
        (older.as_str(), ELSEWHERE, local.as_str()),
    ] {
        let mut transaction = session.transaction().expect("a transaction");
        plant(&mut transaction, node, other);
        let text = value(&mut transaction, call);
        let wrong = differences(&mut transaction, &text, node);
        assert!(wrong.is_empty(), "{call}:\n{}", wrong.join("\n"));
        let documented = documented();
        for (name, kind) in Exposed::of(&text).heads {
            assert_eq!(documented.get(&name), Some(&kind), "{name}");
        }
        transaction.rollback().expect("the end");
    }
}

/// A day, and of what is not in every sample an hour more.
#[test]
fn figures_vanish_when_they_are_a_day_old() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    let local = session.value("SELECT pgperf.local_node()");
    add_elsewhere(&mut session);
    let mut transaction = session.transaction().expect("a transaction");
    plant(&mut transaction, &local, ELSEWHERE);
    let samples = |transaction: &mut Transaction, older: &str| {
        let mut aged = transaction.transaction().expect("a savepoint");
        execute(
            &mut aged,
            &format!(
                "DO $$ DECLARE t text; BEGIN FOR t IN SELECT table_name FROM pgperf_internal.history_tables LOOP \
                 EXECUTE format('UPDATE pgperf.%I SET taken_at = taken_at - interval ''{older}'' WHERE node_id = ''{local}''', t); \
                 END LOOP; END $$"
            ),
        );
        let text = value(&mut aged, "SELECT pgperf.metrics()");
        aged.rollback().expect("the end");
        Exposed::of(&text)
    };
    // The sample is ten minutes old, the one that failed six.
    let names = |exposed: &Exposed| exposed.samples.keys().cloned().collect::<Vec<_>>();
    let young = samples(&mut transaction, "0 s");
    let nearly = samples(&mut transaction, "23 hours 49 min");
    // What the older of the good samples tells of the collector that failed since is too old.
    let mut still = names(&young);
    still.retain(|name| name != "collector_sample_age_seconds{collector=\"wal\"}");
    // So is the size, which the older one has, and a statement that was called within the last hour only before that.
    still.retain(|name| !name.starts_with("database_size_bytes"));
    assert_eq!(names(&nearly), still);
    let older = samples(&mut transaction, "23 hours 53 min");
    let of_all = |exposed: &Exposed, prefix: &str| {
        let names = exposed.samples.keys();
        names.filter(|name| name.starts_with(prefix)).count()
    };
    for prefix in [
        "wal_",
        "database_",
        "server_",
        "statement",
        "slru_",
        "lock_",
        "io_",
        "host_",
        "device_",
        "tablespace_",
        "replication_",
        "sessions",
        "waited_",
        "shared_buffers",
        "checkpoint",
    ] {
        assert_eq!(of_all(&older, prefix), 0, "{prefix}");
    }
    let lasting = [
        "collector_elapsed_seconds",
        "collector_interval_seconds",
        "collector_rows",
        "collector_status",
        "max_connections",
        "newest_sample_age_seconds",
        "node",
    ];
    let relations: BTreeSet<String> = young
        .families()
        .into_iter()
        .filter(|name| name.starts_with("relation_") && name != "relation_cached_bytes")
        .collect();
    let families = older.families();
    for name in relations.iter().map(String::as_str).chain(lasting) {
        assert!(families.contains(name), "{name}: {families:?}");
    }
    let gone = samples(&mut transaction, "24 hours 51 min").families();
    let always = [
        "collector_interval_seconds",
        "max_connections",
        "newest_sample_age_seconds",
        "node",
    ];
    assert_eq!(gone, always.map(str::to_owned).into_iter().collect());
}
