//! Who may connect to a target: by the rules of postgres_fdw, and without a password in any text.

use crate::common::Cluster;
use crate::common::runs::{Runs, error_of};
use postgres::Client;

const PASSWORD: &str = "correct horse battery staple";

/// A target that asks for passwords, in a cluster with a role that has nothing there yet.
fn laboratory() -> (Cluster, Cluster, Client, Client) {
    let target = Cluster::new(&[]);
    target.run_sql(&format!("CREATE ROLE bench LOGIN PASSWORD '{PASSWORD}'"));
    target.ask_for_passwords();
    let cluster = Cluster::with_pgperf(&["log_min_messages = debug1"]);
    cluster.add_target("target", &target);
    let mut superuser = cluster.connect();
    superuser.value("CREATE ROLE tester LOGIN");
    let tester = cluster.connect_as("tester");
    (target, cluster, superuser, tester)
}

fn map(superuser: &mut Client, role: &str, options: &str) {
    superuser.value(&format!(
        "DROP USER MAPPING IF EXISTS FOR {role} SERVER target"
    ));
    superuser.value(&format!(
        "CREATE USER MAPPING FOR {role} SERVER target OPTIONS ({options})"
    ));
}

const FACTS: &str = "SELECT count(*) FROM pgperf.target_facts('target')";
const CALLS: [&str; 3] = [
    FACTS,
    "SELECT pgperf.target_figures('target')",
    "SELECT * FROM pgperf.doctor(server => 'target')",
];

fn expect_error(session: &mut Client, expected: (&str, &str)) {
    for call in CALLS {
        let (code, message, _) = error_of(session, call);
        assert_eq!((code.as_str(), message.as_str()), expected, "{call}");
    }
}

#[test]
fn a_role_needs_usage_a_mapping_and_a_password() {
    let (_target, _cluster, mut superuser, mut tester) = laboratory();
    expect_error(
        &mut tester,
        (
            "42704",
            "user mapping not found for \"tester\", server \"target\"",
        ),
    );
    let (_, _, hint) = error_of(&mut tester, FACTS);
    assert_eq!(
        hint,
        "Make one: CREATE USER MAPPING FOR tester SERVER target OPTIONS (user …, password …)."
    );
    map(&mut superuser, "tester", "user 'bench'");
    expect_error(&mut tester, ("2F003", "password is required"));
    map(&mut superuser, "tester", "user 'bench', password ''");
    expect_error(&mut tester, ("2F003", "password is required"));
    map(
        &mut superuser,
        "tester",
        &format!("user 'bench', password '{PASSWORD}'"),
    );
    assert!(tester.number(FACTS) > 10);
    superuser.value("REVOKE USAGE ON FOREIGN SERVER target FROM PUBLIC");
    expect_error(
        &mut tester,
        ("42501", "permission denied for foreign server target"),
    );
    // One for everybody is as good as an own one.
    superuser.value("GRANT USAGE ON FOREIGN SERVER target TO tester; DROP USER MAPPING FOR tester SERVER target");
    map(
        &mut superuser,
        "public",
        &format!("user 'bench', password '{PASSWORD}'"),
    );
    assert!(tester.number(FACTS) > 10);
}

#[test]
fn only_servers_of_the_wrapper_are_targets() {
    let (_target, _cluster, mut superuser, _) = laboratory();
    superuser
        .batch_execute(
            "CREATE EXTENSION postgres_fdw; CREATE SERVER theirs FOREIGN DATA WRAPPER postgres_fdw",
        )
        .expect("a server");
    let facts = |name: &str| format!("SELECT * FROM pgperf.target_facts('{name}')");
    let (code, message, _) = error_of(&mut superuser, &facts("theirs"));
    assert_eq!(
        (code.as_str(), message.as_str()),
        (
            "42809",
            "server \"theirs\" belongs to the wrapper postgres_fdw"
        )
    );
    let (code, message, _) = error_of(&mut superuser, &facts("no such"));
    assert_eq!(
        (code.as_str(), message.as_str()),
        ("42704", "server \"no such\" does not exist")
    );
}

/// The server's own operating-system user gets in everywhere by peer, by trust, by certificates: nobody else may use that.
#[test]
fn a_password_has_to_be_asked_for() {
    let (target, cluster, mut superuser, mut tester) = laboratory();
    // Any password, as a superuser there, who is trusted.
    map(
        &mut superuser,
        "tester",
        "user 'postgres', password 'anything'",
    );
    for call in &CALLS[..2] {
        let (code, message, _) = error_of(&mut tester, call);
        assert_eq!(
            (code.as_str(), message.as_str()),
            ("2F003", "password is required")
        );
    }
    let finding = tester.value(
        "SELECT concat_ws('; ', status, detail, remedy) FROM pgperf.doctor(server => 'target') WHERE check_name = 'connection'",
    );
    assert!(
        finding.starts_with("problem; password is required: Non-superuser cannot connect")
            && finding.contains("pg_hba.conf"),
        "{finding}"
    );
    // A server that he makes himself leads no further: to this very cluster, whose socket he knows.
    superuser.value("GRANT USAGE ON FOREIGN DATA WRAPPER pgperf_target TO tester");
    tester
        .batch_execute(&format!(
            "CREATE SERVER trick FOREIGN DATA WRAPPER pgperf_target OPTIONS (host '{}', port '{}', options '-c is_superuser=on'); \
             CREATE USER MAPPING FOR tester SERVER trick OPTIONS (user 'postgres', password 'anything')",
            cluster.socket_dir().display(),
            cluster.port()
        ))
        .expect("a server");
    let (code, _, _) = error_of(&mut tester, "SELECT pgperf.target_figures('trick')");
    assert!(["2F003", "08001"].contains(&code.as_str()), "{code}");
    tester.value("ALTER SERVER trick OPTIONS (DROP options)");
    let (code, _, _) = error_of(&mut tester, "SELECT pgperf.target_figures('trick')");
    assert_eq!(code, "2F003");
    // Unless a superuser wants it so.
    map(
        &mut superuser,
        "tester",
        "user 'postgres', password_required 'false'",
    );
    assert!(tester.number(FACTS) > 10);
    // A superuser needs none.
    map(&mut superuser, "postgres", "user 'postgres'");
    assert!(superuser.number(FACTS) > 10);
    // What counts are the rights of the caller, not those of the session.
    superuser.value("SET ROLE tester");
    map_as_self(&mut superuser);
    let (code, _, _) = error_of(&mut superuser, FACTS);
    assert_eq!(code, "2F003");
    assert!(target.is_running());
}

fn map_as_self(session: &mut Client) {
    session.value("RESET ROLE");
    map(session, "tester", "user 'postgres', password 'anything'");
    session.value("SET ROLE tester");
}

/// All that an error, a notice or the log says of it.
fn error_texts(session: &mut Client, sql: &str) -> String {
    let error = session.simple_query(sql).expect_err("an error");
    let error = error.as_db_error().expect("the server's");
    format!("{error:?}")
}

#[test]
fn passwords_are_in_no_text() {
    let (target, cluster, mut superuser, mut tester) = laboratory();
    const WRONG: &str = "wrong-hunter2";
    map(
        &mut superuser,
        "tester",
        &format!("user 'bench', password '{WRONG}'"),
    );
    let mut texts = Vec::new();
    for call in &CALLS[..2] {
        texts.push(error_texts(&mut tester, call));
    }
    assert!(
        texts[0].contains("could not connect to server"),
        "{}",
        texts[0]
    );
    assert!(
        texts[0].contains("password authentication failed"),
        "{}",
        texts[0]
    );
    let doctor = "SELECT string_agg(d::text, ' ') FROM pgperf.doctor(server => 'target') d";
    texts.push(tester.value(doctor));
    for (option, value) in [
        ("port", "1"),
        ("host", "no-such-host.invalid"),
        ("dbname", "nowhere"),
    ] {
        superuser.value(&format!(
            "ALTER SERVER target OPTIONS (SET {option} '{value}')"
        ));
        texts.push(error_texts(&mut tester, FACTS));
        texts.push(tester.value(doctor));
    }
    texts.push(cluster.log());
    texts.push(target.log());
    texts.push(superuser.value("SELECT string_agg(a::text, ' ') FROM pg_stat_activity a"));
    // Those who may see the options are told by the catalog, and by nothing of pgperf.
    for text in texts {
        let mentioned = text.lines().find(|line| line.contains(WRONG));
        assert!(mentioned.is_none(), "{mentioned:?}");
    }
}
