//! Rights in the catalog: nothing is open that docs/security.md does not name, so that nothing new slips through.

use std::collections::BTreeSet;

use crate::common::runs::Runs;
use crate::common::{Cluster, document};
use postgres::Client;

/// Functions and procedures that commit, so that they cannot have a search_path of their own: every name in them is
/// qualified, which tools/lint-sql sees to.
const COMMITTING: &str = "'{run,init,quickstart,wait_run,take_snapshot,wait_sweep,find_rate,calibrate,compare_servers,subscribe_history}'";

/// What the extension in this session's database owns, in SQL: column oid.
fn members(catalog: &str) -> String {
    format!(
        "(SELECT c.* FROM pg_catalog.{catalog} c JOIN pg_catalog.pg_depend d \
             ON d.classid = 'pg_catalog.{catalog}'::regclass AND d.objid = c.oid AND d.deptype = 'e' \
           JOIN pg_catalog.pg_extension e ON d.refclassid = 'pg_catalog.pg_extension'::regclass AND e.oid = d.refobjid \
          WHERE e.extname = 'pgperf')"
    )
}

/// The lines of the first block after a heading of docs/security.md.
fn documented(heading: &str) -> BTreeSet<String> {
    let text = document("docs/security.md");
    let after = text
        .split_once(&format!("# {heading}\n"))
        .unwrap_or_else(|| panic!("no heading {heading}"))
        .1;
    let block = after.split("```").nth(1).expect("a block");
    let names: BTreeSet<String> = block
        .lines()
        .filter(|line| line.starts_with("pgperf"))
        .map(str::to_owned)
        .collect();
    assert!(!names.is_empty(), "{heading}");
    names
}

/// The first column of all rows.
fn list(session: &mut Client, sql: &str) -> BTreeSet<String> {
    session
        .query(sql, &[])
        .unwrap_or_else(|error| panic!("{sql}\n{error:?}"))
        .iter()
        .map(|row| row.get(0))
        .collect()
}

fn expect_none(session: &mut Client, what: &str, sql: &str) {
    assert_eq!(list(session, sql), BTreeSet::new(), "{what}");
}

fn with_a_stranger() -> (Cluster, Client) {
    let cluster = Cluster::for_runs(&[]);
    let mut session = cluster.connect();
    session
        .batch_execute(
            "CREATE ROLE stranger; CREATE ROLE watcher IN ROLE pg_monitor; SET search_path = ''; \
             SELECT pgperf.snapshot(); SELECT pgperf.maintain()",
        )
        .expect("roles and history");
    (cluster, session)
}

#[test]
fn functions_are_open_as_documented() {
    let (_cluster, mut session) = with_a_stranger();
    let executable = |role: &str| {
        format!(
            "SELECT p.oid::regprocedure::text FROM {} p WHERE has_function_privilege('{role}', p.oid, 'EXECUTE')",
            members("pg_proc")
        )
    };
    let everybody = list(&mut session, &executable("stranger"));
    assert_eq!(everybody, documented("Open to everybody"));
    let monitor = list(&mut session, &executable("watcher"));
    let only_monitor: BTreeSet<String> = monitor.difference(&everybody).cloned().collect();
    assert_eq!(only_monitor, documented("Open to members of pg_monitor"));
}

#[test]
fn functions_have_their_callers_rights_and_their_own_names() {
    let (_cluster, mut session) = with_a_stranger();
    let functions = members("pg_proc");
    let definer = list(
        &mut session,
        &format!("SELECT p.oid::regprocedure::text FROM {functions} p WHERE p.prosecdef"),
    );
    assert_eq!(
        definer,
        BTreeSet::from(
            [
                "pgperf.maintain(integer,interval)",
                "pgperf.publish_history(text)",
                "pgperf.unpublish_history(text)",
                "pgperf_internal.make_day(integer)",
            ]
            .map(str::to_owned)
        )
    );
    // Bodies in standard SQL were bound when they were made.
    expect_none(
        &mut session,
        "a body whose names its caller can redirect",
        &format!(
            "SELECT p.oid::regprocedure::text FROM {functions} p JOIN pg_catalog.pg_language l ON l.oid = p.prolang \
              WHERE l.lanname NOT IN ('c', 'internal') AND p.prosqlbody IS NULL \
                AND NOT COALESCE(p.proconfig[1] = 'search_path=pg_catalog, pg_temp', false) \
                AND NOT (p.prokind = 'p' AND p.proname = ANY ({COMMITTING}))"
        ),
    );
    expect_none(
        &mut session,
        "a function of another schema or owner",
        &format!(
            "SELECT p.oid::regprocedure::text FROM {functions} p \
              WHERE p.pronamespace NOT IN ('pgperf'::regnamespace, 'pgperf_internal'::regnamespace) OR p.proowner <> 'postgres'::regrole"
        ),
    );
    expect_none(
        &mut session,
        "a function in the schemas that is not the extension's",
        &format!(
            "SELECT p.oid::regprocedure::text FROM pg_catalog.pg_proc p \
              WHERE p.pronamespace IN ('pgperf'::regnamespace, 'pgperf_internal'::regnamespace) AND p.oid NOT IN (SELECT m.oid FROM {functions} m)"
        ),
    );
    expect_none(
        &mut session,
        "a function that tells the planner more than it may",
        &format!(
            "SELECT p.oid::regprocedure::text FROM {functions} p WHERE p.proleakproof OR p.prosupport <> 0"
        ),
    );
}

/// Of both schemas, so that partitions which were made since are among them.
#[test]
fn relations_are_read_by_pg_monitor_and_written_by_nobody() {
    let (_cluster, mut session) = with_a_stranger();
    let relations = "(SELECT c.oid, c.* FROM pg_catalog.pg_class c WHERE c.relnamespace IN ('pgperf'::regnamespace, 'pgperf_internal'::regnamespace) \
                        AND c.relkind NOT IN ('i', 'I', 'c', 't'))";
    let relations = relations.replace("c.oid, c.*", "c.*");
    let parts = session.number(&format!(
        "SELECT count(*) FROM {relations} c WHERE c.relispartition"
    ));
    assert!(parts > 50, "{parts} partitions");
    let table = "CASE WHEN c.relkind = 'S' THEN has_sequence_privilege(r, c.oid, 'USAGE, SELECT, UPDATE') ELSE \
                 has_table_privilege(r, c.oid, 'SELECT, INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER') \
                 OR has_any_column_privilege(r, c.oid, 'SELECT, INSERT, UPDATE, REFERENCES') END";
    expect_none(
        &mut session,
        "open to everybody",
        &format!(
            "SELECT c.oid::regclass::text FROM {relations} c WHERE {}",
            table.replace("r,", "'stranger',")
        ),
    );
    expect_none(
        &mut session,
        "written by pg_monitor",
        &format!(
            "SELECT c.oid::regclass::text FROM {relations} c \
              WHERE CASE WHEN c.relkind = 'S' THEN has_sequence_privilege('watcher', c.oid, 'USAGE, UPDATE') ELSE \
                    has_table_privilege('watcher', c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER') \
                    OR has_any_column_privilege('watcher', c.oid, 'INSERT, UPDATE, REFERENCES') END"
        ),
    );
    expect_none(
        &mut session,
        "granted to anybody else",
        &format!(
            "SELECT DISTINCT c.oid::regclass::text FROM {relations} c, pg_catalog.aclexplode(c.relacl) a \
              WHERE a.grantee NOT IN (c.relowner, 'pg_monitor'::regrole) OR a.is_grantable"
        ),
    );
    expect_none(
        &mut session,
        "of another owner",
        &format!(
            "SELECT c.oid::regclass::text FROM {relations} c WHERE c.relowner <> 'postgres'::regrole"
        ),
    );
    // A view reads as its owner, but calls functions as the caller: none may need more rights than pg_monitor has.
    let views = list(
        &mut session,
        &format!("SELECT c.oid::regclass::text FROM {relations} c WHERE c.relkind = 'v'"),
    );
    session.value("SET ROLE watcher");
    for view in views {
        session
            .batch_execute(&format!("SELECT * FROM {view} LIMIT 1"))
            .unwrap_or_else(|error| panic!("{view}: {error:?}"));
    }
    session.value("RESET ROLE");
    // Partitions that are made later are read as the others are.
    let hidden = format!(
        "SELECT c.oid::regclass::text FROM {relations} c WHERE c.relkind IN ('r', 'p', 'v') AND NOT c.relispartition \
            AND NOT has_table_privilege('watcher', c.oid, 'SELECT')"
    );
    expect_none(&mut session, "hidden from pg_monitor", &hidden);
}

#[test]
fn the_schema_types_and_triggers_offer_nothing_to_hold_on_to() {
    let (_cluster, mut session) = with_a_stranger();
    for schema in ["pgperf", "pgperf_internal"] {
        assert_eq!(
            session.value(&format!("SELECT has_schema_privilege('stranger', '{schema}', 'USAGE') AND NOT has_schema_privilege('stranger', '{schema}', 'CREATE') \
                              AND NOT has_schema_privilege('watcher', '{schema}', 'CREATE')")),
            "t"
        );
        assert_eq!(
            session.value(&format!("SELECT nspowner = 'postgres'::regrole FROM pg_catalog.pg_namespace WHERE nspname = '{schema}'")),
            "t"
        );
    }
    expect_none(
        &mut session,
        "a cast to a type of others, operator or event trigger that changes what others' statements mean",
        &format!(
            "SELECT c.oid::text FROM {} c WHERE c.casttarget NOT IN (SELECT y.oid FROM pg_catalog.pg_type y \
                WHERE y.typnamespace = 'pgperf'::regnamespace) UNION ALL SELECT oid::text FROM {} o UNION ALL SELECT oid::text FROM {} e",
            members("pg_cast"),
            members("pg_operator"),
            members("pg_event_trigger")
        ),
    );
    expect_none(
        &mut session,
        "a trigger whose function is not the extension's",
        &format!(
            "SELECT t.tgname::text FROM pg_catalog.pg_trigger t JOIN pg_catalog.pg_class c ON c.oid = t.tgrelid \
              WHERE c.relnamespace IN ('pgperf'::regnamespace, 'pgperf_internal'::regnamespace) AND NOT t.tgisinternal \
                AND t.tgfoid NOT IN (SELECT m.oid FROM {} m)",
            members("pg_proc")
        ),
    );
    let control = list(
        &mut session,
        "SELECT concat_ws(' ', superuser, trusted, relocatable) FROM pg_catalog.pg_available_extension_versions WHERE name = 'pgperf'",
    );
    assert_eq!(control, BTreeSet::from(["t f f".to_owned()]));
}
