//! Options of targets: the keywords of libpq, by the rules of postgres_fdw: which of them a server may have and which a user mapping,
//! and those that only superusers may set.

use crate::error::{Error, Result, failure};
use pgrx::pg_sys::errcodes::PgSqlErrorCode;
use wire::Keyword;

/// What has options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holder {
    Server,
    UserMapping,
    /// The wrapper itself.
    Other,
}

/// Of a user mapping, besides the keywords of libpq: whether the server has to ask its role for a password.
pub const PASSWORD_REQUIRED: &str = "password_required";

/// What pgperf sets itself.
const OWN: [&str; 2] = ["client_encoding", "fallback_application_name"];
/// In a user mapping as well as in a server, and there for superusers alone: files of the server's operating-system user.
const CERTIFICATES: [&str; 2] = ["sslcert", "sslkey"];
/// In a server for superusers alone: files of the server's operating-system user that have passwords.
const FILES: [&str; 3] = ["service", "servicefile", "passfile"];

/// Fails at the first option that the holder may not have, or not by this user.
///
/// # Errors
/// HV00D: there is no such option; 42501: only superusers may set it; 42601: its value is no boolean.
pub fn check(
    options: &[(String, String)],
    holder: Holder,
    keywords: &[Keyword],
    is_superuser: bool,
) -> Result<()> {
    for (name, value) in options {
        if !allowed(keywords, holder).any(|known| known == name) {
            return Err(unknown(name, holder, keywords));
        }
        let is_for_superusers = match (holder, name.as_str()) {
            (Holder::UserMapping, PASSWORD_REQUIRED) => !boolean(name, value)?,
            (Holder::UserMapping, name) => CERTIFICATES.contains(&name),
            (Holder::Server, name) => FILES.contains(&name),
            (Holder::Other, _) => false,
        };
        if is_for_superusers && !is_superuser {
            return Err(only_superusers(name, holder));
        }
    }
    Ok(())
}

/// The options that something may have.
fn allowed(keywords: &[Keyword], holder: Holder) -> impl Iterator<Item = &str> {
    let of_libpq = keywords
        .iter()
        .filter(move |keyword| is_allowed(keyword, holder));
    let of_pgperf = (holder == Holder::UserMapping).then_some(PASSWORD_REQUIRED);
    of_libpq
        .map(|keyword| keyword.name.as_str())
        .chain(of_pgperf)
}

/// Not those for debugging, `replication` among them; nor those of OAuth, which would have to talk to a user.
fn is_allowed(keyword: &Keyword, holder: Holder) -> bool {
    let name = keyword.name.as_str();
    if keyword.is_hidden || OWN.contains(&name) || name.starts_with("oauth_") {
        return false;
    }
    let is_of_user = keyword.is_secret || name == "user";
    match holder {
        Holder::Server => !is_of_user,
        Holder::UserMapping => is_of_user || CERTIFICATES.contains(&name),
        Holder::Other => false,
    }
}

fn unknown(name: &str, holder: Holder, keywords: &[Keyword]) -> Error {
    let valid: Vec<&str> = allowed(keywords, holder).collect();
    let error = failure(
        PgSqlErrorCode::ERRCODE_FDW_INVALID_OPTION_NAME,
        format!("invalid option \"{name}\""),
    );
    match valid.is_empty() {
        true => error.hinting("There are no valid options in this context."),
        false => error.hinting(format!(
            "Valid options in this context are: {}",
            valid.join(", ")
        )),
    }
}

fn only_superusers(option: &str, holder: Holder) -> Error {
    let holder = match holder {
        Holder::UserMapping => "user mapping",
        Holder::Server | Holder::Other => "server",
    };
    failure(
        PgSqlErrorCode::ERRCODE_INSUFFICIENT_PRIVILEGE,
        match option {
            PASSWORD_REQUIRED => format!("only superusers may set {option} to false"),
            _ => format!("only superusers may set {option}"),
        },
    )
    .hinting(format!(
        "Only a superuser can create or alter a {holder} that has this option."
    ))
}

/// As the server reads booleans of options.
pub fn boolean(name: &str, value: &str) -> Result<bool> {
    match value.to_ascii_lowercase().as_str() {
        "true" | "on" | "1" => Ok(true),
        "false" | "off" | "0" => Ok(false),
        _ => Err(failure(
            PgSqlErrorCode::ERRCODE_SYNTAX_ERROR,
            format!("{name} requires a Boolean value"),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keywords() -> Vec<Keyword> {
        let keyword = |name: &str, is_secret, is_hidden| Keyword {
            name: name.to_owned(),
            variable: None,
            is_secret,
            is_hidden,
        };
        let plain = |name| keyword(name, false, false);
        vec![
            plain("host"),
            plain("user"),
            keyword("password", true, false),
            plain("passfile"),
            plain("client_encoding"),
            plain("options"),
            keyword("replication", false, true),
            plain("service"),
            plain("sslcert"),
            plain("sslkey"),
            keyword("sslpassword", true, false),
            plain("oauth_client_id"),
        ]
    }

    fn names(holder: Holder) -> String {
        let keywords = keywords();
        let names: Vec<&str> = allowed(&keywords, holder).collect();
        names.join(" ")
    }

    #[test]
    fn each_option_has_its_place() {
        assert_eq!(
            names(Holder::Server),
            "host passfile options service sslcert sslkey"
        );
        assert_eq!(
            names(Holder::UserMapping),
            "user password sslcert sslkey sslpassword password_required"
        );
        assert_eq!(names(Holder::Other), "");
    }

    /// SQLSTATE of the error, or an empty text.
    fn checked(name: &str, value: &str, holder: Holder, is_superuser: bool) -> String {
        let options = [(name.to_owned(), value.to_owned())];
        match check(&options, holder, &keywords(), is_superuser) {
            Ok(()) => String::new(),
            Err(error) => format!("{:?}", error.sqlstate()),
        }
    }

    const INVALID: &str = "ERRCODE_FDW_INVALID_OPTION_NAME";
    const REFUSED: &str = "ERRCODE_INSUFFICIENT_PRIVILEGE";

    #[test]
    fn nobody_may_set_options_in_a_wrong_place() {
        for name in ["service", "options", "passfile", "host", "replication", "x"] {
            assert_eq!(checked(name, "v", Holder::UserMapping, true), INVALID);
        }
        for name in ["user", "password", "client_encoding", PASSWORD_REQUIRED] {
            assert_eq!(checked(name, "v", Holder::Server, true), INVALID);
        }
        assert_eq!(checked("host", "v", Holder::Other, true), INVALID);
    }

    #[test]
    fn files_and_logins_without_password_are_for_superusers() {
        let mapping =
            |name, value, is_superuser| checked(name, value, Holder::UserMapping, is_superuser);
        for (name, value) in [
            ("sslkey", "f"),
            ("sslcert", "f"),
            (PASSWORD_REQUIRED, "off"),
            (PASSWORD_REQUIRED, "FALSE"),
        ] {
            assert_eq!(mapping(name, value, false), REFUSED, "{name} {value}");
            assert_eq!(mapping(name, value, true), "", "{name} {value}");
        }
        assert_eq!(mapping(PASSWORD_REQUIRED, "true", false), "");
        assert_eq!(mapping("password", "secret", false), "");
        assert_eq!(
            mapping(PASSWORD_REQUIRED, "maybe", true),
            "ERRCODE_SYNTAX_ERROR"
        );
        for name in ["service", "passfile"] {
            assert_eq!(checked(name, "f", Holder::Server, false), REFUSED);
            assert_eq!(checked(name, "f", Holder::Server, true), "");
        }
        for name in ["host", "options", "sslcert", "sslkey"] {
            assert_eq!(checked(name, "f", Holder::Server, false), "");
        }
    }

    #[test]
    fn no_error_shows_a_value() {
        let options = [("passwort".to_owned(), "secret".to_owned())];
        let error = check(&options, Holder::UserMapping, &keywords(), true).unwrap_err();
        let texts = [error.to_string(), error.hint().unwrap_or_default()];
        assert!(texts.iter().all(|text| !text.contains("secret")));
        assert!(texts[1].contains("password, "), "{}", texts[1]);
    }
}
