//! The options of servers and user mappings: those that postgres_fdw has, and who may set them.

use crate::common::Cluster;
use crate::common::runs::{Runs, error_of};
use postgres::Client;

/// A session of a superuser, and one of a role that may make servers.
fn sessions() -> (Cluster, Client, Client) {
    let cluster = Cluster::with_pgperf(&[]);
    let mut superuser = cluster.connect();
    superuser
        .batch_execute(
            "CREATE ROLE maker LOGIN; GRANT USAGE ON FOREIGN DATA WRAPPER pgperf_target TO maker",
        )
        .expect("a role");
    let maker = cluster.connect_as("maker");
    (cluster, superuser, maker)
}

#[test]
fn a_wrapper_is_for_superusers_until_it_is_granted() {
    let (cluster, mut superuser, mut maker) = sessions();
    superuser.value("CREATE ROLE stranger LOGIN");
    let mut stranger = cluster.connect_as("stranger");
    let make = "CREATE SERVER s FOREIGN DATA WRAPPER pgperf_target OPTIONS (host 'h')";
    let (code, message, _) = error_of(&mut stranger, make);
    assert_eq!(
        (code.as_str(), message.as_str()),
        (
            "42501",
            "permission denied for foreign-data wrapper pgperf_target"
        )
    );
    maker.batch_execute(make).expect("a server");
    let table = "CREATE FOREIGN TABLE t (i int) SERVER s";
    maker
        .batch_execute("GRANT USAGE ON FOREIGN SERVER s TO maker")
        .expect("its own");
    superuser.value("GRANT CREATE ON SCHEMA public TO maker");
    maker.batch_execute(table).expect("a definition");
    let (code, _, _) = error_of(&mut maker, "SELECT * FROM t");
    assert_eq!(code, "55000", "the wrapper has no handler");
}

#[test]
fn options_are_those_of_postgres_fdw_in_the_same_places() {
    let (_cluster, mut superuser, _) = sessions();
    superuser
        .batch_execute("CREATE EXTENSION postgres_fdw; CREATE SERVER theirs FOREIGN DATA WRAPPER postgres_fdw; CREATE SERVER ours FOREIGN DATA WRAPPER pgperf_target")
        .expect("servers");
    // The hint lists all of them.
    let mut valid = |statement: &str, server: &str| {
        let sql = statement.replace("{server}", server);
        let (code, message, _) = error_of(&mut superuser, &sql);
        assert_eq!(
            (code.as_str(), message.as_str()),
            ("HV00D", "invalid option \"nonsense\"")
        );
    };
    for statement in [
        "ALTER SERVER {server} OPTIONS (nonsense 'x')",
        "CREATE USER MAPPING FOR PUBLIC SERVER {server} OPTIONS (nonsense 'x')",
    ] {
        valid(statement, "theirs");
        valid(statement, "ours");
    }
    let (code, _, hint) = error_of(
        &mut superuser,
        "ALTER FOREIGN DATA WRAPPER pgperf_target OPTIONS (host 'h')",
    );
    assert_eq!(
        (code.as_str(), hint.as_str()),
        ("HV00D", "There are no valid options in this context.")
    );
    let settable = |session: &mut Client, server: &str, name: &str, object: &str| {
        let value = if name == "password_required" {
            "true"
        } else {
            "1"
        };
        let sql = match object {
            "server" => format!("BEGIN; ALTER SERVER {server} OPTIONS ({name} '{value}')"),
            _ => format!(
                "BEGIN; CREATE USER MAPPING FOR PUBLIC SERVER {server} OPTIONS ({name} '{value}')"
            ),
        };
        let settable = session.batch_execute(&sql).is_ok();
        session.batch_execute("ROLLBACK").expect("the end");
        settable
    };
    for name in [
        "host",
        "hostaddr",
        "port",
        "dbname",
        "user",
        "password",
        "passfile",
        "connect_timeout",
        "client_encoding",
        "options",
        "application_name",
        "fallback_application_name",
        "keepalives",
        "keepalives_idle",
        "tcp_user_timeout",
        "sslmode",
        "sslcert",
        "sslkey",
        "sslpassword",
        "sslrootcert",
        "sslcrl",
        "requirepeer",
        "krbsrvname",
        "gssencmode",
        "service",
        "replication",
        "target_session_attrs",
        "channel_binding",
        "password_required",
        "authtype",
        "servicefile",
        "sslkeylogfile",
        "oauth_client_id",
        "scram_client_key",
        "require_auth",
        "load_balance_hosts",
    ] {
        for object in ["server", "mapping"] {
            let theirs = settable(&mut superuser, "theirs", name, object);
            let ours = settable(&mut superuser, "ours", name, object);
            assert_eq!(ours, theirs, "{name} of a {object}");
        }
    }
}

#[test]
fn files_and_logins_without_password_are_for_superusers() {
    let (_cluster, mut superuser, mut maker) = sessions();
    maker
        .batch_execute("CREATE SERVER s FOREIGN DATA WRAPPER pgperf_target OPTIONS (host '/tmp')")
        .expect("a server");
    for option in ["passfile '/etc/passwd'", "service 'prod'"] {
        let sql = format!("ALTER SERVER s OPTIONS ({option})");
        let (code, message, hint) = error_of(&mut maker, &sql);
        let name = option.split(' ').next().expect("a name");
        assert_eq!(code, "42501", "{message}");
        assert_eq!(message, format!("only superusers may set {name}"));
        assert_eq!(
            hint,
            "Only a superuser can create or alter a server that has this option."
        );
    }
    let mapping =
        |options: &str| format!("CREATE USER MAPPING FOR maker SERVER s OPTIONS ({options})");
    for option in ["sslkey '/k'", "sslcert '/c'", "password_required 'false'"] {
        let (code, message, _) = error_of(&mut maker, &mapping(option));
        assert_eq!(code, "42501", "{message}");
    }
    for option in [
        "service 'prod'",
        "passfile '/f'",
        "options '-c work_mem=1GB'",
        "host 'h'",
    ] {
        let (code, message, hint) = error_of(&mut maker, &mapping(option));
        assert_eq!(code, "HV00D", "{message}");
        assert!(
            hint.starts_with("Valid options in this context are: "),
            "{hint}"
        );
    }
    // A mapping that a superuser has made is no longer its user's to alter.
    superuser
        .batch_execute(&mapping("user 'postgres', password_required 'false'"))
        .expect("a mapping");
    let (code, _, _) = error_of(
        &mut maker,
        "ALTER USER MAPPING FOR maker SERVER s OPTIONS (SET user 'somebody')",
    );
    assert_eq!(code, "42501");
}

#[test]
fn servers_are_the_users_and_are_dumped_with_their_options() {
    let (cluster, mut superuser, _) = sessions();
    superuser
        .batch_execute("CREATE SERVER old FOREIGN DATA WRAPPER pgperf_target OPTIONS (host 'h', port '5433'); CREATE USER MAPPING FOR postgres SERVER old OPTIONS (user 'u')")
        .expect("a target");
    let dump = cluster.program("pg_dump").output().expect("pg_dump");
    let dump = String::from_utf8(dump.stdout).expect("UTF-8");
    for text in [
        "CREATE SERVER old FOREIGN DATA WRAPPER pgperf_target OPTIONS (",
        "CREATE USER MAPPING FOR postgres SERVER old OPTIONS (",
    ] {
        assert!(dump.contains(text), "{text}");
    }
    assert!(!dump.contains("CREATE FOREIGN DATA WRAPPER"));
    cluster.run_sql("CREATE DATABASE other");
    let mut psql = cluster.program("psql");
    let output = crate::common::output_with(
        psql.args(["-X", "-q", "-v", "ON_ERROR_STOP=1", "-d", "other"]),
        dump.as_bytes(),
    );
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let options = cluster
        .connect_to("other")
        .value("SELECT array_to_string(srvoptions, ' ') FROM pg_foreign_server");
    assert_eq!(options, "host=h port=5433");
}
