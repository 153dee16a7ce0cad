//! What a run on a target cannot have: it is about the server that the run is started on.

use super::options::Options;
use crate::error::{Result, hinted};

/// # Errors
/// An argument that does not go together with `server`.
pub fn check(options: &Options) -> Result<()> {
    let given = [
        ("collectors", options.collectors.is_some()),
        ("caches", options.caches.is_some()),
        ("disturbances", options.disturbances.is_some()),
        ("drain", options.drain.is_some()),
        ("drain_sql", options.drain_sql.is_some()),
        ("resume", options.resume),
    ];
    match given.iter().find(|(_, is_given)| *is_given) {
        Some((name, _)) if options.server.is_some() => Err(hinted(
            format!("{name} and server exclude each other"),
            &format!("{name} is about the server that the run is started on."),
        )),
        _ => Ok(()),
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
    }
}
