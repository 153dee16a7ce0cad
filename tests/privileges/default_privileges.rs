//! Default privileges of the extension's owner, which are meant for tables and functions of an application: they open nothing of pgperf.

use crate::common::Cluster;
use crate::common::releases::UPDATE;
use crate::common::runs::Runs;
use postgres::Client;

const DEFAULTS: &str = "CREATE ROLE app; CREATE ROLE grafana;
ALTER DEFAULT PRIVILEGES GRANT ALL ON TABLES TO app, PUBLIC;
ALTER DEFAULT PRIVILEGES GRANT INSERT, SELECT ON TABLES TO pg_monitor;
ALTER DEFAULT PRIVILEGES GRANT ALL ON SEQUENCES TO app, PUBLIC;
ALTER DEFAULT PRIVILEGES GRANT EXECUTE ON FUNCTIONS TO app WITH GRANT OPTION;
ALTER DEFAULT PRIVILEGES GRANT ALL ON SCHEMAS TO app, PUBLIC;";

/// What somebody may do who is neither the owner nor documented, as lines.
const OPEN: &str = "SELECT string_agg(line, E'\\n' ORDER BY line) FROM (
    SELECT DISTINCT format('%s of %s to %s', x.privilege_type, c.oid::regclass, x.grantee::regrole)
      FROM pg_class c, aclexplode(c.relacl) x
     WHERE c.relnamespace IN ('pgperf'::regnamespace, 'pgperf_internal'::regnamespace) AND x.grantee <> c.relowner
       AND NOT (x.grantee = 'pg_monitor'::regrole AND x.privilege_type = 'SELECT')
    UNION ALL
    SELECT format('%s to %s', p.oid::regprocedure, x.grantee::regrole) FROM pg_proc p, aclexplode(p.proacl) x
     WHERE p.pronamespace IN ('pgperf'::regnamespace, 'pgperf_internal'::regnamespace)
       AND x.grantee NOT IN (p.proowner, 0, 'pg_monitor'::regrole) AND NOT has_function_privilege('grafana', p.oid, 'EXECUTE')
    UNION ALL
    SELECT format('%s to %s', n.nspname, x.grantee::regrole) FROM pg_namespace n, aclexplode(n.nspacl) x
     WHERE n.nspname IN ('pgperf', 'pgperf_internal') AND x.grantee <> n.nspowner AND (x.grantee, x.privilege_type) <> (0, 'USAGE')
    ) o (line)";

const PARTS: &str = "SELECT count(*) FROM pg_class c WHERE c.relnamespace = 'pgperf_internal'::regnamespace AND c.relispartition";

/// A database with the default privileges.
fn with_defaults(cluster: &Cluster, name: &str) -> Client {
    cluster.run_sql(&format!("CREATE DATABASE {name}"));
    let mut session = cluster.connect_to(name);
    session.batch_execute(DEFAULTS).expect("default privileges");
    session
}

#[test]
fn nothing_of_the_extension_nor_of_what_it_makes_later_takes_default_privileges() {
    let cluster = Cluster::new(&[]);
    let mut session = with_defaults(&cluster, "defaults");
    session.value("CREATE EXTENSION pgperf CASCADE");
    assert_eq!(session.value(OPEN), "");
    let before = session.number(PARTS);
    session.value("SELECT count(*) FROM pgperf.snapshot('{wal,wraparound}')");
    // Some are put where their time is, others are reduced to samples of an hour.
    session.age_history("50 days");
    assert!(session.number("SELECT count(*) FROM pgperf.maintain()") > 0);
    let parts = session.number(PARTS) - before;
    assert!(parts > 20, "{parts} partitions");
    assert_eq!(session.value(OPEN), "");
    // Its tables give what they are meant to.
    session.value("SET ROLE pg_monitor");
    assert!(session.number("SELECT count(*) FROM pgperf.samples") > 0);
}

#[test]
fn the_update_takes_back_what_default_privileges_have_given() {
    let cluster = Cluster::new(&[]);
    let mut session = with_defaults(&cluster, "old");
    session.value("CREATE EXTENSION pgperf VERSION '1.1.0' CASCADE");
    session.value("SELECT count(*) FROM pgperf.make_partitions(3)");
    session.value(
        "GRANT SELECT ON pgperf.runs TO grafana; GRANT EXECUTE ON FUNCTION pgperf.start_run TO grafana",
    );
    session.value(UPDATE);
    let granted = "SELECT has_table_privilege('grafana', 'pgperf.runs', 'SELECT') \
                       AND bool_and(has_function_privilege('grafana', p.oid, 'EXECUTE')) \
                     FROM pg_proc p WHERE p.oid::regproc::text = 'pgperf.start_run'";
    assert_eq!(session.value(granted), "t");
    session.value(
        "REVOKE SELECT ON pgperf.runs FROM grafana; REVOKE EXECUTE ON FUNCTION pgperf.start_run FROM grafana",
    );
    assert_eq!(session.value(OPEN), "");
}
