//! A target: whether it can be reached, what of it can be known, and settings with which its figures mean little.

use super::durability;
use super::finding::{Finding, Status};
use super::settings::Settings;
use super::timing;
use crate::error::{Error, Result};
use crate::target::connection;
use crate::target::control::Control;
use crate::target::standing::Standing;
use pgrx::pg_sys::errcodes::PgSqlErrorCode;

/// A finding, and what would help, in words: most of it is SQL for the target, which must not be run here.
pub struct Advice {
    pub finding: Finding,
    pub remedy: Option<String>,
}

/// # Errors
/// The caller may not use the server.
pub fn examine(server: &str) -> Result<Vec<Advice>> {
    let info = connection(server)?;
    let mut control = match Control::connect(server, &info) {
        Ok(control) => control,
        Err(error) => return Ok(vec![unreachable(&error)]),
    };
    let on_target = |finding: Finding| Advice {
        remedy: (finding.fix.as_ref()).map(|fix| format!("on the target: {fix}")),
        finding,
    };
    let findings = match ask(&mut control) {
        Ok(findings) => findings,
        Err(error) => vec![Finding::unknown(CONNECTION, text(&error))],
    };
    Ok(findings.into_iter().map(on_target).collect())
}

const CONNECTION: &str = "connection";

fn text(error: &Error) -> String {
    match error.detail() {
        Some(detail) => format!("{error}: {detail}"),
        None => error.to_string(),
    }
}

fn unreachable(error: &Error) -> Advice {
    let not_asked = PgSqlErrorCode::ERRCODE_S_R_E_PROHIBITED_SQL_STATEMENT_ATTEMPTED;
    let remedy = match error.sqlstate() == not_asked {
        true => {
            "on the target: pg_hba.conf has to ask the role for its password (scram-sha-256); or here, as a superuser: the option \
             password_required 'false' in the user mapping"
        }
        false => {
            "on the target: listen_addresses and pg_hba.conf have to let the role in; here: ALTER SERVER and ALTER USER MAPPING change \
             where and as whom it connects"
        }
    };
    Advice {
        finding: Finding::new(CONNECTION, Status::Problem, text(error)),
        remedy: Some(remedy.to_owned()),
    }
}

fn ask(control: &mut Control) -> Result<Vec<Finding>> {
    let standing = Standing::read(control)?;
    let settings = Settings::of_target(control)?;
    let mut findings = vec![
        version(&standing, control.round_trip_ms()?),
        recovery(&standing),
        pooler(&standing, control.named_pid()),
        rights(&standing, &settings),
        statements(&standing, &settings),
        tuples(&standing),
    ];
    findings.extend(timing::of_settings(&settings));
    findings.extend(durability::of_settings(&settings));
    // An older server has no such settings.
    let is_later = |finding: &Finding| matches!(finding.check, "track_wal_io_timing" | "jit");
    findings.retain(|finding| !is_later(finding) || settings.get(finding.check).is_some());
    Ok(findings)
}

/// Those that the tests know.
const KNOWN: std::ops::Range<u32> = 90_600..200_000;

fn version(standing: &Standing, round_trip_ms: f64) -> Finding {
    let detail = format!(
        "PostgreSQL {}, {round_trip_ms:.3} ms there and back",
        standing.major()
    );
    match KNOWN.contains(&standing.version) {
        true => Finding::ok(CONNECTION, detail),
        false => Finding::new(
            CONNECTION,
            Status::Warning,
            format!("{detail}: pgperf knows 9.6 to 19"),
        ),
    }
}

fn recovery(standing: &Standing) -> Finding {
    match standing.in_recovery {
        true => Finding::new(
            "recovery",
            Status::Warning,
            "a standby: only workloads that read can run there".to_owned(),
        ),
        false => Finding::ok("recovery", "a primary".to_owned()),
    }
}

/// A pooler gives its clients numbers of its own in place of those of the server's processes.
fn pooler(standing: &Standing, named_pid: i32) -> Finding {
    match standing.pid == named_pid {
        true => Finding::ok("pooler", "no pooler is in between".to_owned()),
        false => Finding::new(
            "pooler",
            Status::Warning,
            "a pooler answers: a client's transactions may be those of several sessions, so settings and prepared statements of a \
             session may be lost, and its clients connect to the pooler, not to the server"
                .to_owned(),
        ),
    }
}

fn rights(standing: &Standing, settings: &Settings) -> Finding {
    const CHECK: &str = "rights";
    let hidden =
        "statements and sessions of other roles, and some settings, are hidden from the role";
    match (standing.is_superuser, standing.is_monitor) {
        (true, _) => Finding::ok(CHECK, "a superuser".to_owned()),
        (false, Some(true)) => Finding::ok(CHECK, "those of pg_monitor".to_owned()),
        (false, Some(false)) => Finding::new(
            CHECK,
            Status::Warning,
            format!("not those of pg_monitor: {hidden}"),
        )
        .mended_by(Some(format!("GRANT pg_monitor TO {}", settings.role()))),
        (false, None) => Finding::new(
            CHECK,
            Status::Warning,
            format!("no superuser, and before 10 there is no pg_monitor: {hidden}"),
        ),
    }
}

fn statements(standing: &Standing, settings: &Settings) -> Finding {
    const CHECK: &str = "pg_stat_statements";
    let lacks = |detail: String| Finding::new(CHECK, Status::Warning, detail);
    let Some(found) = &standing.statements else {
        return lacks("not in the database: no statistics of statements".to_owned())
            .mended_by(Some(format!("CREATE EXTENSION {CHECK}")));
    };
    if !found.is_preloaded {
        return lacks("not preloaded: it counts nothing (takes a restart)".to_owned())
            .mended_by(settings.preload(&[CHECK]));
    }
    if !found.installed.is_readable {
        let schema = &found.installed.schema;
        let grant = format!("GRANT SELECT ON {schema}.{CHECK} TO {}", settings.role());
        return lacks("the role may not read it".to_owned()).mended_by(Some(grant));
    }
    if standing.reads_stats {
        return Finding::ok(CHECK, "counts statements of all roles".to_owned());
    }
    let grant = standing
        .is_monitor
        .map(|_| format!("GRANT pg_read_all_stats TO {}", settings.role()));
    lacks("statements of other roles are hidden from the role".to_owned()).mended_by(grant)
}

fn tuples(standing: &Standing) -> Finding {
    let detail = match &standing.tuples {
        Some(tuples) if tuples.is_readable => "tells the share of live rows of tables",
        Some(_) => "not for the role: the share of live rows of tables stays unknown",
        None => "not in the database: the share of live rows of tables stays unknown",
    };
    Finding::ok("pgstattuple", detail.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::failure;

    fn standing(version: u32) -> Standing {
        Standing {
            version,
            pid: 7,
            in_recovery: false,
            is_superuser: false,
            is_monitor: None,
            reads_stats: false,
            reads_control: true,
            statements: None,
            tuples: None,
        }
    }

    #[test]
    fn other_versions_than_those_known_are_told() {
        let status = |number| version(&standing(number), 0.1).status;
        assert_eq!(status(90_624), Status::Ok);
        assert_eq!(status(190_000), Status::Ok);
        assert_eq!(status(90_500), Status::Warning);
        assert_eq!(status(200_001), Status::Warning);
    }

    #[test]
    fn a_pooler_names_other_processes() {
        assert_eq!(pooler(&standing(150_000), 7).status, Status::Ok);
        assert_eq!(pooler(&standing(150_000), 8).status, Status::Warning);
    }

    #[test]
    fn missing_rights_have_a_remedy_where_there_is_a_role_for_them() {
        let of = |monitor, superuser| {
            let standing = Standing {
                is_monitor: monitor,
                is_superuser: superuser,
                ..standing(150_000)
            };
            let finding = rights(&standing, &Settings::of(&[]));
            (finding.status, finding.fix)
        };
        let grant = Some("GRANT pg_monitor TO me".to_owned());
        assert_eq!(of(Some(false), false), (Status::Warning, grant));
        assert_eq!(of(None, false), (Status::Warning, None));
        assert_eq!(of(Some(true), false), (Status::Ok, None));
        assert_eq!(of(None, true), (Status::Ok, None));
    }

    #[test]
    fn a_password_that_was_not_asked_for_has_a_remedy_of_its_own() {
        let remedy = |code| unreachable(&failure(code, "x")).remedy.unwrap();
        let not_asked = PgSqlErrorCode::ERRCODE_S_R_E_PROHIBITED_SQL_STATEMENT_ATTEMPTED;
        assert!(remedy(not_asked).contains("password_required"));
        let refused = PgSqlErrorCode::ERRCODE_SQLCLIENT_UNABLE_TO_ESTABLISH_SQLCONNECTION;
        assert!(remedy(refused).contains("listen_addresses"));
    }
}
