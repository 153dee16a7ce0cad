//! What a run on targets cannot have: it is about the server that the run is started on.

use super::options::Options;
use crate::error::{Result, hinted};

/// # Errors
/// An argument that does not go together with `server` or `servers`.
pub fn check(options: &Options) -> Result<()> {
    let given = [
        ("collectors", options.collectors.is_some()),
        ("caches", options.caches.is_some()),
        ("disturbances", options.disturbances.is_some()),
        ("drain", options.drain.is_some()),
        ("drain_sql", options.drain_sql.is_some()),
        ("resume", options.resume),
    ];
    let targets = match (&options.server, &options.servers) {
        (None, None) => return Ok(()),
        (Some(_), _) => "server",
        (None, Some(_)) => "servers",
    };
    match given.iter().find(|(_, is_given)| *is_given) {
        Some((name, _)) => Err(hinted(
            format!("{name} and {targets} exclude each other"),
            &format!("{name} is about the server that the run is started on."),
        )),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_has_none_of_them() {
        let of = |server: Option<&str>| Options {
            server: server.map(str::to_owned),
            resume: true,
            ..Options::default()
        };
        assert!(check(&of(None)).is_ok());
        let error = check(&of(Some("old"))).unwrap_err();
        assert_eq!(error.to_string(), "resume and server exclude each other");
        let several = Options {
            servers: Some(Vec::new()),
            ..of(None)
        };
        let error = check(&several).unwrap_err();
        assert_eq!(error.to_string(), "resume and servers exclude each other");
    }
}
