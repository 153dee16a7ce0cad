//! A superuser calls every function there is, from a session whose search_path has operators, functions and types that somebody
//! has planted: none is called with the superuser's rights. docs/security.md names these tests.

use super::calls::{Laboratory, Routine, routines};
use super::traps::{caught, planted};
use crate::common::runs::{PATIENCE, Runs};
use crate::common::{Cluster, cases, wait_until};
use postgres::Client;

/// The usual path, where the catalog comes first although it is not named, and one where it comes last.
const PATHS: [(&str, &[&str]); 2] = [
    ("\"$user\", evil", &BETTER),
    (
        "pg_temp, evil, public, pg_catalog",
        &["SELECT 1 = 1", "SELECT 'a'::text"],
    ),
];
/// What is found also where the catalog comes first.
const BETTER: [&str; 3] = [
    "SELECT 1::oid = 'pg_class'::regclass",
    "SELECT ARRAY['a'] = ARRAY['b']",
    "SELECT upper('a'::name)",
];

/// In schema evil, beside what has the types of the catalog's own: what fits values better than anything in there, so that it is found
/// also where the catalog comes first. Operators of an oid and a regclass, or of two arrays of texts; functions of a name where the
/// catalog has only one of a text. Also types with the names of the catalog's.
const BESIDE: &str = r#"
SET ROLE mallory;
DO $do$
DECLARE
    kinds regtype[] := '{oid,regclass,regnamespace,regproc,regtype,name,text,varchar,"\"char\"",int2,int4,int8,float8,numeric,
        timestamptz,interval,uuid,jsonb,pg_lsn,xid8,text[],int8[],oid[],pgperf.severity}';
    l regtype; r regtype; gives regtype; op text; f record; arguments text; made int := 0; planted text;
BEGIN
    FOREACH l IN ARRAY kinds LOOP FOREACH r IN ARRAY kinds LOOP
        FOREACH gives IN ARRAY ARRAY['bool', 'text', l]::regtype[] LOOP
            CONTINUE WHEN gives = l AND gives = 'text'::regtype;
            made := made + 1;
            planted := 'beside' || made;
            EXECUTE format('CREATE FUNCTION evil.%I(%s, %s) RETURNS %s LANGUAGE plpgsql AS $f$
                BEGIN PERFORM evil.trap(%L); RETURN NULL; END $f$', planted, l, r, gives, format('%s with %s', l, r));
            FOREACH op IN ARRAY CASE gives WHEN 'bool'::regtype THEN '{=,<>,<,>=,~}' WHEN 'text'::regtype THEN '{||,->>}' ELSE '{+,-,/}' END::text[] LOOP
                CONTINUE WHEN EXISTS (SELECT FROM pg_operator o WHERE o.oprnamespace = 'pg_catalog'::regnamespace
                                      AND (o.oprname, o.oprleft, o.oprright) = (op, l, r));
                EXECUTE format('CREATE OPERATOR evil.%s (LEFTARG = %s, RIGHTARG = %s, FUNCTION = evil.%I)', op, l, r, planted);
            END LOOP;
        END LOOP;
    END LOOP; END LOOP;
    FOR f IN SELECT p.proname, p.prorettype, p.proretset, p.proargtypes::oid[] AS types FROM pg_proc p
             WHERE p.pronamespace = 'pg_catalog'::regnamespace AND p.prokind = 'f' AND 'text'::regtype = ANY (p.proargtypes)
               AND p.provariadic = 0 AND NOT (p.proargtypes::oid[] && ARRAY['internal', 'cstring', '"any"']::regtype[]::oid[])
    LOOP
        FOREACH l IN ARRAY '{name,varchar}'::regtype[] LOOP
            arguments := (SELECT string_agg(CASE t WHEN 'text'::regtype THEN l ELSE t::regtype END::text, ', ' ORDER BY n)
                          FROM unnest(f.types) WITH ORDINALITY a (t, n));
            BEGIN
                EXECUTE format('CREATE FUNCTION evil.%I(%s) RETURNS %s %s LANGUAGE plpgsql AS $f$
                    BEGIN PERFORM evil.trap(%L); RETURN %s; END $f$', f.proname, arguments,
                    CASE WHEN f.proretset THEN 'SETOF' ELSE '' END, f.prorettype::regtype, format('%s(%s)', f.proname, arguments),
                    CASE WHEN f.proretset OR f.prorettype = 'void'::regtype THEN '' ELSE 'NULL' END);
            EXCEPTION WHEN OTHERS THEN NULL;
            END;
        END LOOP;
    END LOOP;
    FOREACH l IN ARRAY kinds LOOP
        CONTINUE WHEN l = 'pgperf.severity'::regtype;
        -- Not IS NOT NULL: 19 knows that it is true, and calls nothing.
        EXECUTE format('CREATE DOMAIN evil.%I AS %s CHECK (pg_catalog.num_nulls(evil.trap(%L)) OPERATOR(pg_catalog.<) 2)',
                       (SELECT t.typname FROM pg_type t WHERE t.oid = l), l, 'type ' || l);
    END LOOP;
END $do$;
RESET ROLE"#;

/// What starts or makes something that later calls are about, called outside a transaction block; all other calls are rolled back.
const COMMITTED: [&str; 8] = [
    "start_run",
    "start_load",
    "start_sweep",
    "find_best",
    "start_sampler",
    "create_workload",
    "create_workload_from_statements",
    "unsubscribe_history",
];

/// Functions whose call fails because there is nothing for them to do here, with the SQLSTATE.
const FAILS: &[(&str, &str)] = &[
    ("alter_run", "55000"),
    ("resume_run", "55000"),
    ("subscribe_history", "42704"),
    ("start_capture", "55000"),
    ("drop_capture", "42704"),
    ("export_capture", "42704"),
    ("test_statements", "22023"),
    ("import_capture", "22023"),
    ("capture_report", "42704"),
    ("alternation", "22023"),
    ("rate_search_json", "22023"),
    ("rate_search_report", "22023"),
    ("workload_fidelity", "22023"),
];

/// Take long, so that they are called with `make test-full` only.
const LONG: [&str; 2] = ["quickstart", "find_rate"];

/// Makes the call of a function; what is wrong with the outcome.
fn call(session: &mut Client, routine: &Routine, laboratory: &Laboratory) -> Option<String> {
    let values = laboratory.values(routine).unwrap_or_else(|argument| {
        let signature = &routine.signature;
        panic!("say in tests/privileges/calls.rs what argument {argument} of {signature} may be")
    });
    let name = routine.short_name();
    let call = routine.call(&values);
    let result = match routine.is_procedure || COMMITTED.contains(&name) {
        true => session.batch_execute(&call),
        false => {
            let result = session.batch_execute(&format!("BEGIN; {call}"));
            session
                .batch_execute("ROLLBACK")
                .expect("the end of the block");
            result
        }
    };
    let state = result.err().map(|error| match error.as_db_error() {
        Some(error) => format!("{} {}", error.code().code(), error.message()),
        None => format!("{error:?}"),
    });
    let expected = FAILS.iter().find(|(fails, _)| *fails == name);
    let is_expected = match (&state, expected) {
        (None, None) => true,
        (Some(state), Some((_, expected))) => state.starts_with(expected),
        _ => false,
    };
    (!is_expected).then(|| format!("{call}: {state:?}"))
}

/// The routines, those last that delete or end what the others are about.
fn in_order(superuser: &mut Client) -> Vec<Routine> {
    let mut routines = routines(superuser, &["pgperf"]);
    let is_full = cases(0, 1) == 1;
    routines.retain(|routine| is_full || !LONG.contains(&routine.short_name()));
    routines.sort_by_key(|routine| {
        let name = routine.short_name();
        ["delete_", "drop_", "stop_", "new_node"]
            .iter()
            .any(|last| name.starts_with(last))
    });
    assert!(routines.len() > 100, "{}", routines.len());
    routines
}

/// What is sprung by a statement of the session's own; empty: nothing.
fn sprung(cluster: &Cluster, before: usize) -> Vec<String> {
    caught(cluster, &["postgres"]).split_off(before)
}

/// That the traps work: each of these statements springs one.
fn expect_traps(cluster: &Cluster, session: &mut Client, statements: &[&str]) {
    for statement in statements {
        let before = caught(cluster, &["postgres"]).len();
        session.value(statement);
        assert!(!sprung(cluster, before).is_empty(), "{statement}");
    }
}

#[test]
fn no_call_of_a_superuser_picks_up_what_is_planted() {
    let (cluster, mut superuser) = planted();
    superuser.value("SET search_path = DEFAULT");
    superuser.batch_execute(BESIDE).expect("the traps");
    superuser
        .batch_execute(
            "SET search_path = pg_catalog; CREATE SCHEMA own; SELECT pgperf.snapshot(); SELECT pgperf.snapshot();
             SELECT public.pg_stat_statements_reset()",
        )
        .expect("a history");
    for _ in 0..3 {
        superuser.value(
            "SELECT a.abalance FROM public.pgbench_accounts a WHERE a.aid OPERATOR(pg_catalog.=) 7",
        );
    }
    let laboratory = Laboratory::of(
        &mut superuser,
        &mut cluster.connect_with("postgres", "-c search_path=pg_catalog"),
    );
    let routines = in_order(&mut superuser);
    let mut wrong = Vec::new();
    for (path, traps) in PATHS {
        let mut session = cluster.connect();
        session.value(&format!("SET search_path = {path}"));
        expect_traps(&cluster, &mut session, traps);
        for routine in &routines {
            let before = caught(&cluster, &["postgres"]).len();
            wrong.extend(call(&mut session, routine, &laboratory));
            if COMMITTED.contains(&routine.short_name()) {
                superuser.value("SELECT pgperf.stop_sampler(), count(pgperf.stop_sampler(server => server)) FROM pgperf.sampled_servers");
                wait_until("the end of runs and sweeps", PATIENCE, || {
                    superuser.workers() == 0
                });
            }
            let sprung = sprung(&cluster, before);
            wrong.extend(
                sprung
                    .first()
                    .map(|line| format!("{}: {line}", routine.signature)),
            );
        }
        superuser.value("SELECT pgperf.drop_workload('w'), pgperf.drop_workload('observed')");
        assert!(wrong.is_empty(), "{path}\n{}", wrong.join("\n"));
    }
}
