//! Every function and procedure, also the internal ones, called with odd arguments by a superuser, a member of pg_monitor and a role
//! without rights: none has an internal error, crashes the server, gives a right or leaves anything behind. docs/security.md names
//! these tests.

use super::calls::{Argument, Laboratory, Routine, routines};
use crate::common::aftermath::Aftermath;
use crate::common::runs::Runs;
use crate::common::{Cluster, cases};
use postgres::Client;

/// Longer than any of them should take: those that wait are ended by it.
const LIMIT: &str = "SET statement_timeout = '1s'";

/// Odd values of a type, in SQL.
fn odd(type_name: &str, laboratory: &Laboratory) -> Vec<String> {
    let literals =
        |texts: &[&str]| -> Vec<String> { texts.iter().map(|text| format!("'{text}'")).collect() };
    let type_name = type_name.replace('"', "");
    let mut values = match type_name.trim_start_matches("pg_catalog.") {
        "int2" | "int4" => literals(&["0", "-1", "1", "2147483647", "-2147483648"]),
        "int8" => literals(&[
            "0",
            "-1",
            "1",
            "2147483648",
            "9223372036854775807",
            "-9223372036854775808",
        ]),
        "float8" | "numeric" => literals(&["0", "-1", "NaN", "Infinity", "-Infinity", "1e300"]),
        "bool" => literals(&["true", "false"]),
        "text" => {
            let mut texts = literals(&[
                "",
                "x",
                "%s %n",
                "a''b\"c",
                "../../x",
                "pg_class",
                "-1",
                "1e400",
                "#1",
                "#99999999999999999999",
                "9223372036854775808",
                "a;b\nc",
                "\u{e4}\u{1f600}",
            ]);
            texts.push("pg_catalog.repeat('x', 100000)".to_owned());
            texts.push(format!("'{}'", laboratory.run));
            texts
        }
        "_text" | "_name" => {
            literals(&["{}", "{NULL}", "{\"\"}", "{x,x}", "{{a},{b}}", "{NULL,x}"])
        }
        "_int4" => literals(&[
            "{}",
            "{NULL}",
            "{0}",
            "{-1,2147483647}",
            "{{1},{2}}",
            "{1,NULL}",
        ]),
        "_int8" => literals(&[
            "{}",
            "{NULL}",
            "{0}",
            "{-1,9223372036854775807}",
            "{{1},{2}}",
            "{1,1}",
        ]),
        "_float8" => literals(&[
            "{}",
            "{NULL}",
            "{NaN}",
            "{Infinity,1}",
            "{1e300,-1e300}",
            "{{1},{2}}",
            "{0,0,0}",
        ]),
        "_bytea" => literals(&["{}", "{NULL}", "{\"\"}", "{{x},{y}}"]),
        "bytea" => literals(&["", "\\x00", "\\xffffffffffffffffffffffffffffffff"]),
        "jsonb" => {
            let mut documents = literals(&[
                "null",
                "1",
                "\"x\"",
                "[]",
                "{}",
                "[null]",
                "{\"a\": {\"b\": [1, null]}}",
                "{\"\": null}",
                "1e400",
                "[[[[]]]]",
                "{\"run\": {}}",
                "{\"format\": 1, \"node\": null, \"run\": [], \"tables\": {\"x\": 7}}",
            ]);
            documents.push("(pg_catalog.repeat('[', 1000) OPERATOR(pg_catalog.||) pg_catalog.repeat(']', 1000))".to_owned());
            documents
        }
        "interval" => literals(&[
            "0",
            "-1 s",
            "1 us",
            "178000000 years",
            "-178000000 years",
            "1 mon -30 d",
        ]),
        "_interval" => literals(&[
            "{}",
            "{NULL}",
            "{0}",
            "{-1 s,1 us}",
            "{{0},{1 s}}",
            "{1 s,1000 ms}",
        ]),
        "timestamptz" | "timestamp" => literals(&[
            "epoch",
            "infinity",
            "-infinity",
            "294276-12-31",
            "4713-01-01 BC",
        ]),
        "uuid" => {
            let mut ids = literals(&["00000000-0000-0000-0000-000000000000"]);
            ids.push("(SELECT pgperf.local_node())".to_owned());
            ids
        }
        "_uuid" => literals(&[
            "{}",
            "{NULL}",
            "{00000000-0000-0000-0000-000000000000}",
            "{{00000000-0000-0000-0000-000000000000}}",
        ]),
        "json" => literals(&["null", "1", "[]", "{}", "[null]", "[{\"node_id\": 7}]"]),
        "oid" => literals(&["0", "4294967295", "1259", "2662"]),
        "regclass" => literals(&[
            "0",
            "4294967295",
            "pg_catalog.pg_class",
            "pg_catalog.pg_stat_activity",
            "pg_catalog.pg_class_oid_index",
            "pgperf.samples",
            "pgperf.runs",
            "pgperf_internal.run_id_seq",
            "pgperf_internal.samples_rest",
            "public.pgbench_accounts",
            "odd.parted",
            "odd.seen",
        ]),
        "_regclass" => literals(&[
            "{}",
            "{NULL}",
            "{0}",
            "{pg_catalog.pg_class,pg_catalog.pg_class}",
            "{{odd.parted},{odd.seen}}",
            "{pgperf.runs}",
            "{pgperf_internal.run_id_seq}",
        ]),
        "rate" | "pgperf.rate" => literals(&[
            "null",
            "-1",
            "1e300",
            "[]",
            "{}",
            "\"x\"",
            "[{\"at\": null}]",
        ]),
        "pgperf_internal.history_tables" => {
            literals(&["(,,,,,,)", "(x,x,day,t,,{},)", "(samples,,day,f,,{},)"])
        }
        other => panic!("say in tests/privileges/odd_arguments.rs which values of {other} are odd"),
    };
    values.push("NULL".to_owned());
    values
}

/// The calls of a function: with NULL for everything, with what it takes, and with each argument in turn odd and the others as they
/// should be.
fn calls(routine: &Routine, laboratory: &Laboratory) -> Vec<String> {
    let usual = |argument: &Argument| {
        let value = laboratory.value(routine, argument);
        value.or_else(|| (!argument.has_default).then(|| "NULL".to_owned()))
    };
    let usual: Vec<Option<String>> = routine.arguments.iter().map(usual).collect();
    let mut calls = vec![routine.call(&usual)];
    calls.push(routine.call(&vec![Some("NULL".to_owned()); usual.len()]));
    for (place, argument) in routine.arguments.iter().enumerate() {
        for value in odd(&argument.type_name, laboratory) {
            let mut values = usual.clone();
            values[place] = Some(value);
            calls.push(routine.call(&values));
        }
    }
    calls.dedup();
    calls
}

/// What anybody could have gained: roles and their attributes, memberships, privileges, owners, functions that run as their owner, and
/// settings of roles and databases.
const RIGHTS: &str = "SELECT pg_catalog.md5(pg_catalog.string_agg(r.what, ' ' ORDER BY r.what COLLATE \"C\")) FROM (
    SELECT a.rolname::text || a.rolsuper || a.rolcreaterole || a.rolcreatedb || a.rolreplication || a.rolbypassrls || a.rolcanlogin AS what FROM pg_catalog.pg_roles a
    UNION ALL SELECT pg_catalog.concat('member ', m.roleid, ' ', m.member) FROM pg_catalog.pg_auth_members m
    UNION ALL SELECT pg_catalog.concat('function ', p.oid::regprocedure, ' ', p.proowner, ' ', p.proacl, ' ', p.prosecdef) FROM pg_catalog.pg_proc p
              WHERE p.pronamespace::regnamespace::text <> 'own'
    UNION ALL SELECT pg_catalog.concat('relation ', c.oid::regclass, ' ', c.relowner, ' ', c.relacl) FROM pg_catalog.pg_class c
              WHERE c.relnamespace::regnamespace::text !~ 'pg_toast|pg_temp|own|quickstart' AND c.relname !~ '_[0-9]{6,8}'
    UNION ALL SELECT pg_catalog.concat('schema ', n.nspname, ' ', n.nspowner, ' ', n.nspacl) FROM pg_catalog.pg_namespace n WHERE n.nspname !~ 'pg_toast|pg_temp|quickstart'
    UNION ALL SELECT pg_catalog.concat('setting ', s.setdatabase, ' ', s.setrole, ' ', s.setconfig) FROM pg_catalog.pg_db_role_setting s
    UNION ALL SELECT pg_catalog.concat('default ', d.defaclrole, ' ', d.defaclacl) FROM pg_catalog.pg_default_acl d) r";

/// Makes a call; what is wrong with its outcome. All is rolled back, but what a procedure commits.
fn try_call(session: &mut Client, routine: &Routine, call: &str) -> Option<String> {
    let result = match routine.is_procedure {
        true => session.batch_execute(call),
        false => {
            let result = session.batch_execute(&format!("BEGIN; {call}"));
            assert!(
                !session.is_closed(),
                "the server has ended the session: {call}"
            );
            session
                .batch_execute("ROLLBACK")
                .expect("the end of the block");
            result
        }
    };
    let error = result.err()?;
    let Some(error) = error.as_db_error() else {
        panic!("{call}\n{error:?}");
    };
    let code = error.code().code();
    (code.starts_with("XX") || code.starts_with("57P")).then(|| {
        format!(
            "{code} {}: {}",
            error.message(),
            &call[..call.len().min(400)]
        )
    })
}

/// Every `step`th call as each role.
fn try_all(step: usize) {
    let cluster = Cluster::with_data(&["autovacuum = off"]);
    let mut superuser = cluster.connect();
    superuser
        .batch_execute(
            "CREATE ROLE nobody LOGIN; CREATE ROLE watcher LOGIN IN ROLE pg_monitor;
             CREATE SCHEMA odd; GRANT ALL ON SCHEMA odd TO PUBLIC;
             CREATE TABLE odd.parted (taken_at timestamptz) PARTITION BY RANGE (taken_at);
             CREATE VIEW odd.seen AS SELECT 1 AS one;
             GRANT SELECT ON ALL TABLES IN SCHEMA odd, public TO PUBLIC;
             CREATE SCHEMA own; SELECT pgperf.snapshot(); SELECT pgperf.snapshot()",
        )
        .expect("a place for it");
    let laboratory = Laboratory::of(&mut superuser, &mut cluster.connect());
    let routines = routines(&mut superuser, &["pgperf", "pgperf_internal"]);
    let rights = superuser.value(RIGHTS);
    let began = std::time::Instant::now();
    let (mut wrong, mut made, mut number) = (Vec::new(), 0, 0);
    for role in ["nobody", "watcher", "postgres"] {
        let mut session = cluster.connect_as(role);
        session.value(LIMIT);
        for routine in &routines {
            for call in calls(routine, &laboratory) {
                number += 1;
                // Those with NULL are always made: a function that is not strict may forget it.
                let is_null = call.contains("NULL") && role != "watcher";
                if number % step != 0 && !is_null {
                    continue;
                }
                wrong.extend(
                    try_call(&mut session, routine, &call).map(|what| format!("{role}: {what}")),
                );
                made += 1;
            }
            if session.value("SELECT pg_catalog.concat(current_user, session_user)")
                != role.repeat(2)
            {
                wrong.push(format!(
                    "{role} is another role after {}",
                    routine.signature
                ));
            }
        }
        // A superuser has all rights, and its calls make tables.
        if role != "postgres" && superuser.value(RIGHTS) != rights {
            wrong.push(format!("{role} has gained a right"));
        }
        println!("{role}: {made} calls after {:?}", began.elapsed());
    }
    println!("{made} of {number} calls");
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    superuser.value("SELECT pgperf.stop_all()");
    superuser.value("SELECT pgperf.stop_sampler(), count(pgperf.stop_sampler(server => server)) FROM pgperf.sampled_servers");
    superuser.expect_nothing_left("the calls");
}

#[test]
fn odd_arguments_are_refused_or_answered() {
    try_all(cases(75, 1));
}
