//! What a later release keeps of the SQL interface (docs/upgrading.md): whoever called or read something by name goes on doing so.

use postgres::Client;

use crate::common::releases::{EARLIER, old_database};
use crate::common::runs::Runs;
use crate::common::{Cluster, document};

/// The releases before did not promise it.
const SINCE: &str = "1.2.0";

/// The MD5 sums of released scripts.
const RELEASED: [(&str, &str); 3] = [
    ("pgperf--1.0.0", "0c4c83b8ffe8509264974b8144913d94"),
    ("pgperf--1.0.0--1.1.0", "f787236a0010973506f09ee69633c467"),
    ("pgperf--1.1.0--1.2.0", "6e3fd4e5856c602e6483ddb4f0cb7433"),
];

struct Object {
    name: String,
    inputs: Vec<String>,
    outputs: Vec<String>,
    defaults: i32,
}

impl Object {
    /// Whether it serves those who knew the earlier one: more arguments come last and have defaults, more columns come last.
    fn serves_as(&self, earlier: &Object) -> bool {
        let further = self.inputs.len().saturating_sub(earlier.inputs.len());
        let required = self.inputs.len() as i32 - self.defaults;
        let required_before = earlier.inputs.len() as i32 - earlier.defaults;
        self.name == earlier.name
            && self.inputs.starts_with(&earlier.inputs)
            && self.outputs.starts_with(&earlier.outputs)
            && further as i32 <= self.defaults
            && required <= required_before
    }
}

fn interface(session: &mut Client) -> Vec<Object> {
    let rows = session
        .query(include_str!("interface.sql"), &[])
        .expect("the interface");
    let object = |row: &postgres::Row| Object {
        name: row.get("name"),
        inputs: row.get("inputs"),
        outputs: row.get("outputs"),
        defaults: row.get("defaults"),
    };
    rows.iter().map(object).collect()
}

/// What of the earlier interface nothing serves for.
fn lost(earlier: &[Object], now: &[Object]) -> Vec<String> {
    earlier
        .iter()
        .filter(|old| !now.iter().any(|new| new.serves_as(old)))
        .map(|old| format!("{} {:?} {:?}", old.name, old.inputs, old.outputs))
        .collect()
}

#[test]
fn the_interface_of_earlier_releases_is_there() {
    let cluster = Cluster::with_pgperf(&[]);
    let now = interface(&mut cluster.connect());
    assert!(now.len() > 200, "{}", now.len());
    let since = EARLIER.iter().position(|release| *release == SINCE);
    for release in &EARLIER[since.expect("the release")..] {
        let mut session = old_database(&cluster, "old", release);
        let earlier = interface(&mut session);
        assert!(earlier.len() > 200, "{release}: {}", earlier.len());
        let lost = lost(&earlier, &now);
        assert!(
            lost.is_empty(),
            "{release} had, and this has not:\n{}",
            lost.join("\n")
        );
        drop(session);
        cluster.run_sql("DROP DATABASE old");
    }
}

#[test]
fn whatever_breaks_a_call_is_seen() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    let before = interface(&mut session);
    for change in [
        "ALTER FUNCTION pgperf.findings(text) RENAME TO finding",
        "ALTER FUNCTION pgperf.findings(text) SET SCHEMA pgperf_internal",
        "ALTER TABLE pgperf.run_intervals RENAME COLUMN tps TO rate",
        "ALTER VIEW pgperf.sampler_gaps RENAME TO gaps",
        "ALTER TYPE pgperf.severity RENAME VALUE 'note' TO 'hint'",
        "ALTER TABLE pgperf.run_relations ALTER COLUMN node_id TYPE text",
        "ALTER EXTENSION pgperf DROP VIEW pgperf.sampler_gaps",
    ] {
        session.value("BEGIN");
        session.value(change);
        let lost = lost(&before, &interface(&mut session));
        session.value("ROLLBACK");
        assert!(!lost.is_empty(), "not seen: {change}");
    }
    // More of everything is nothing lost.
    session.value("ALTER TABLE pgperf.nodes ADD COLUMN more integer");
    assert!(lost(&before, &interface(&mut session)).is_empty());
}

#[test]
fn released_scripts_never_change() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    for (name, sum) in RELEASED {
        let script = document(&format!("sql/{name}.sql"));
        let row = session.query_one("SELECT md5($1)", &[&script]);
        assert_eq!(row.expect("md5").get::<_, &str>(0), sum, "{name}");
    }
    // One is missing above for each release that is missing in it.
    assert_eq!(RELEASED.len(), EARLIER.len());
}
