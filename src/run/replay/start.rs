//! The arguments of a replay. Everything is checked before anything is stored.

use super::spec::{ReplaySpec, Size};
use crate::captures;
use crate::error::{Result, failure, hinted, invalid};
use crate::pg::sql::interval::in_range;
use crate::run::client::here;
use crate::run::request::expectation;
use crate::run::request::mix::Mix;
use crate::run::request::of_this_server;
use crate::run::request::options::Options;
use crate::run::request::places::Places;
use crate::run::request::preconditions::check_limits;
use crate::run::request::spec::{Spec, Work};
use crate::workload::given;
use pgrx::pg_sys::errcodes::PgSqlErrorCode;
use replay::Plan;
use serde_json::Value;

/// What the name of a workload begins with that is a capture.
const PREFIX: &str = "capture:";
/// The arguments that a replay may have. All others are about scripts, their tables or the clients that run them.
const ARGUMENTS: [&str; 16] = [
    "workload",
    "options",
    "transport",
    "server",
    "duration",
    "settings",
    "before_sql",
    "after_sql",
    "sample_interval",
    "collectors",
    "limits",
    "label",
    "expect",
    "application_name",
    "disturbances",
    "plans",
];

/// The capture that a call names as its workload.
pub fn named(options: &Options) -> Option<String> {
    let name = options.workload.as_deref()?.trim().strip_prefix(PREFIX)?;
    Some(name.trim().to_owned())
}

/// The specification of a run that plays a capture.
///
/// # Errors
/// The capture is not there, the caller may not see its values, or an argument does not fit.
pub fn check(capture: &str, mut options: Options) -> Result<Spec> {
    check_arguments(&options)?;
    let given = given::parse(options.options.as_ref())?;
    let chosen = replay::Options::read(&given).map_err(|error| {
        hinted(
            error.to_string(),
            "For example: options => '{\"speed\": 2, \"order\": \"commit\", \"roles\": [\"app\"], \"application_names\": [\"shop\"]}'.",
        )
    })?;
    expectation::check_argument(options.expect.as_ref(), false)?;
    of_this_server::check(&options)?;
    let plan = Plan::new(captures::read(capture)?, chosen);
    if plan.clients.is_empty() {
        return Err(failure(
            PgSqlErrorCode::ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
            format!("capture \"{capture}\" has no session to be played"),
        )
        .hinting("pgperf.capture_report shows what it has; the options roles and application_names choose among its sessions."));
    }
    let mut places = Places::open(&options.targets()?)?;
    let duration_s = in_range("duration", options.duration, 0.001)?;
    let disturbing = options.disturbances.clone();
    if disturbing.is_some() && duration_s.is_none() {
        return Err(hinted(
            "the disturbances of a replay need duration",
            "Their times are parts of it.",
        ));
    }
    options.clients = i32::try_from(plan.clients.len())
        .map_err(|_| invalid("the capture has too many sessions at once"))?;
    options.workers = Some(1);
    let mut spec = options.into_spec(0, &Mix::none(), &Mix::none())?;
    for derived in ["clients", "workers"] {
        spec.call.remove(derived);
    }
    if spec.targets.is_here() {
        here::check()?;
        here::check_room(spec.clients)?;
    }
    places.check_settings(&spec.settings)?;
    spec.search_path = places.first.search_path(None);
    spec.disturbances =
        crate::run::disturbance::check::disturbances(disturbing.as_ref(), duration_s)?;
    // Without one, until all sessions are through.
    spec.duration_s = duration_s;
    spec.transaction_type = format!("{PREFIX}{capture}");
    check_limits(&spec.limits, spec.duration_s)?;
    spec.work = Work::Replay(Box::new(ReplaySpec {
        capture: capture.to_owned(),
        size: Size::of(&plan),
        options: replay::Options {
            given_settings: spec.settings.keys().cloned().collect(),
            ..plan.options
        },
        statements: plan.shown,
    }));
    Ok(spec)
}

/// # Errors
/// One is given that a replay cannot have, or the transport is not over the wire.
fn check_arguments(options: &Options) -> Result<()> {
    let (given, default) = (
        serde_json::to_value(options)?,
        serde_json::to_value(Options::default())?,
    );
    if let Value::Object(given) = given {
        let others = given.iter().filter(|(name, value)| {
            !ARGUMENTS.contains(&name.as_str()) && default.get(name.as_str()) != Some(value)
        });
        if let Some((name, _)) = others.into_iter().next() {
            return Err(hinted(
                format!("a replay has no argument {name}"),
                "Its sessions do what they did in the capture. Its options are speed, order, roles and application_names.",
            ));
        }
    }
    if options.transport == "inside" && options.server.is_none() {
        return Err(hinted(
            "a replay needs transport => 'wire'",
            "Its sessions are connections, as they were in the capture.",
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(change: impl FnOnce(&mut Options)) -> Options {
        let mut options = Options {
            workload: Some("capture: monday".to_owned()),
            transport: "wire".to_owned(),
            ..Options::default()
        };
        change(&mut options);
        options
    }

    #[test]
    fn a_capture_is_named_as_a_workload() {
        assert_eq!(named(&options(|_| ())).as_deref(), Some("monday"));
        let other = options(|it| it.workload = Some("tpcb-like".to_owned()));
        assert_eq!(named(&other), None);
        assert_eq!(named(&Options::default()), None);
    }

    #[test]
    fn arguments_about_scripts_and_clients_are_refused() {
        let refused = |change: fn(&mut Options)| {
            let error = check_arguments(&options(change)).unwrap_err();
            error.to_string()
        };
        assert!(check_arguments(&options(|it| it.label = Some("x".to_owned()))).is_ok());
        assert_eq!(
            refused(|it| it.clients = 2),
            "a replay has no argument clients"
        );
        assert_eq!(
            refused(|it| it.max_tries = 2),
            "a replay has no argument max_tries"
        );
        assert_eq!(
            refused(|it| it.transport = "inside".to_owned()),
            "a replay needs transport => 'wire'"
        );
    }
}
