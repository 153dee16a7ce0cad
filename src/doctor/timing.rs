//! The timing that the server measures, and the cost of measuring.

use super::finding::{Finding, Status};
use super::settings::Settings;
use crate::error::Result;
use crate::facts::environment::machine;

pub fn check(settings: &Settings) -> Result<Vec<Finding>> {
    let mut findings = vec![
        statements(settings),
        clock(&machine::clock_source(), machine::clock_reading_ns()),
    ];
    findings.extend(of_settings(settings));
    Ok(findings)
}

/// What the settings of any server tell.
pub fn of_settings(settings: &Settings) -> [Finding; 4] {
    [
        timed(
            settings,
            "track_io_timing",
            "reads and writes of data files",
        ),
        timed(settings, "track_wal_io_timing", "writes and syncs of WAL"),
        logging(settings),
        assertions(settings),
    ]
}

/// The library declares its setting while the server loads it; a mere placeholder has another context.
fn statements(settings: &Settings) -> Finding {
    const CHECK: &str = "pg_stat_statements";
    let declared = settings.get("pg_stat_statements.max");
    if declared.is_none_or(|setting| setting.context != "postmaster") {
        let detail =
            "not in shared_preload_libraries: no statistics of statements (takes a restart)";
        let fix = settings.preload(&["pg_stat_statements"]);
        return Finding::new(CHECK, Status::Warning, detail.to_owned()).mended_by(fix);
    }
    if settings.text("pg_stat_statements.track") == "none" {
        let fix = settings.fix("pg_stat_statements.track", "top");
        let detail = "preloaded, but it tracks nothing".to_owned();
        return Finding::new(CHECK, Status::Warning, detail).mended_by(fix);
    }
    Finding::ok(CHECK, "preloaded".to_owned())
}

fn timed(settings: &Settings, name: &'static str, what: &str) -> Finding {
    if settings.is_on(name) {
        return Finding::ok(name, format!("on: {what} are timed"));
    }
    Finding::new(name, Status::Warning, format!("off: {what} are not timed"))
        .mended_by(settings.fix(name, "on"))
}

/// A statement takes two readings and more: up to this a hundredth of the fastest.
const CHEAP_NS: f64 = 100.0;
const DEAR_NS: f64 = 500.0;

fn clock(source: &Option<String>, reading_ns: f64) -> Finding {
    let source = source.as_deref().unwrap_or("unknown");
    let detail = format!("reading the clock takes {reading_ns:.0} ns (clock source {source})");
    let status = match reading_ns {
        ..=CHEAP_NS => return Finding::ok("clock_source", detail),
        ..=DEAR_NS => Status::Warning,
        _ => Status::Problem,
    };
    Finding::new(
        "clock_source",
        status,
        format!(
            "{detail}: timing slows down what it times; see available_clocksource in /sys/devices/system/clocksource"
        ),
    )
}

/// A log line for each statement is most of the cost of a short one.
fn logging(settings: &Settings) -> Finding {
    const CHECK: &str = "statement_logging";
    let logs = [
        (
            "log_statement",
            settings.text("log_statement") == "all",
            "none",
        ),
        ("log_duration", settings.is_on("log_duration"), "off"),
        (
            "log_min_duration_statement",
            settings.number("log_min_duration_statement") == 0.0,
            "-1",
        ),
    ];
    match logs.into_iter().find(|(_, logs_all, _)| *logs_all) {
        Some((name, _, value)) => {
            let detail = format!("{name} logs every statement");
            Finding::new(CHECK, Status::Problem, detail).mended_by(settings.fix(name, value))
        }
        None => Finding::ok(CHECK, "not every statement is logged".to_owned()),
    }
}

fn assertions(settings: &Settings) -> Finding {
    const CHECK: &str = "debug_assertions";
    if settings.is_on(CHECK) {
        let detail = "the server was built with assertions, which slow it down";
        return Finding::new(CHECK, Status::Problem, detail.to_owned());
    }
    Finding::ok(CHECK, "the server was built without assertions".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slow_clock_is_told() {
        let status = |ns| clock(&Some("tsc".to_owned()), ns).status;
        assert_eq!(status(25.0), Status::Ok);
        assert_eq!(status(300.0), Status::Warning);
        assert_eq!(status(2000.0), Status::Problem);
    }

    #[test]
    fn libraries_that_are_preloaded_stay() {
        let file = "configuration file";
        let settings = Settings::of(&[("shared_preload_libraries", "pgperf, \"odd,name\"", file)]);
        assert_eq!(
            statements(&settings).fix.unwrap(),
            "ALTER SYSTEM SET shared_preload_libraries = 'pgperf', 'odd,name', 'pg_stat_statements'"
        );
        let preloaded = Settings::of(&[("pg_stat_statements.max", "5000", "default")]);
        assert_eq!(statements(&preloaded).status, Status::Ok);
        assert!(
            statements(&Settings::of(&[])).fix.is_none(),
            "not to be seen"
        );
    }

    #[test]
    fn logging_every_statement_is_a_problem() {
        let all = Settings::of(&[("log_min_duration_statement", "0", "user")]);
        let finding = logging(&all);
        assert_eq!(finding.status, Status::Problem);
        assert_eq!(
            finding.fix.unwrap(),
            "ALTER ROLE me RESET log_min_duration_statement"
        );
        let slow = Settings::of(&[("log_min_duration_statement", "1000", "default")]);
        assert_eq!(logging(&slow).status, Status::Ok);
    }
}
