//! `pgperf.doctor`: conditions that would falsify a measurement on this server, and the SQL that fixes them.
//!
//! * [`finding`]: the result of a check; [`settings`]: the settings that a run's clients would have;
//! * [`timing`]: the timing that the server measures, and its cost; [`durability`]: differences from a production server;
//! * [`memory`], [`storage`], [`checkpoints`]: memory, disk space and WAL, compared with data and run length;
//! * [`altered_settings`]: settings that a sweep or run has left changed;
//! * [`data_sets`]: the tables that runs will use;
//! * [`machine`], [`activity`]: the machine, and other activity;
//! * [`experiments`]: requirements of sweeps, cold caches and turns; other runs, and scheduled jobs;
//! * [`history`]: whether pgperf's measurements are stored; [`extensions`]: what other extensions add to them;
//! * [`target`]: another server, on which runs are to work.
//!
//! A check runs with the caller's rights. Facts that the caller may not see are `unknown`, with the reason.

mod activity;
mod altered_settings;
mod checkpoints;
mod data_sets;
mod durability;
mod experiments;
mod extensions;
mod finding;
mod history;
mod machine;
mod memory;
mod settings;
mod storage;
mod target;
mod timing;

use crate::error::Result;
use crate::pg::sql::called::Called;
use crate::pg::sql::rows;
use crate::pg::sql::subxact::subtransaction;
use crate::pg::sql::text::Text;
use finding::{Finding, Status};
use pgrx::prelude::*;
use serde_json::json;
use settings::Settings;

/// A group of checks: its findings, a row each.
type Check = fn(&Settings) -> Result<Vec<Finding>>;

/// With the name under which a failure of the group is reported.
const CHECKS: [(&str, Check); 15] = [
    ("workers", activity::workers),
    ("timing", timing::check),
    ("durability", durability::check),
    ("memory", memory::check),
    ("disk_space", storage::check),
    ("checkpoints", checkpoints::check),
    ("machine", machine::check),
    ("activity", activity::check),
    ("altered_settings", altered_settings::check),
    ("runs_under_way", experiments::under_way),
    ("scheduled_jobs", experiments::jobs),
    ("cold_caches", experiments::needs),
    ("data_sets", data_sets::check),
    ("history", history::check),
    ("extensions", extensions::check),
];

/// `pgperf.doctor`.
#[pg_extern(sql = false)]
fn doctor(fcinfo: pg_sys::FunctionCallInfo) -> Called<()> {
    let findings = examine()?.into_iter().map(|finding| {
        json!({
            "check_name": finding.check,
            "status": finding.status.name(),
            "detail": finding.detail,
            "fix_sql": finding.fix,
        })
    });
    Ok(rows::give(fcinfo, findings)?)
}

/// The same of a target.
#[pg_extern(sql = false)]
fn doctor_of_target(server: Text, fcinfo: pg_sys::FunctionCallInfo) -> Called<()> {
    let advice = target::examine(&server)?.into_iter().map(|advice| {
        json!({
            "check_name": advice.finding.check,
            "status": advice.finding.status.name(),
            "detail": advice.finding.detail,
            "remedy": advice.remedy,
        })
    });
    Ok(rows::give(fcinfo, advice)?)
}

fn examine() -> Result<Vec<Finding>> {
    let settings = Settings::read()?;
    let mut findings = Vec::new();
    for (name, check) in CHECKS {
        match subtransaction(|| check(&settings)) {
            Ok(found) => findings.extend(found?),
            Err(error) => findings.push(Finding::new(name, Status::Unknown, error.message)),
        }
    }
    findings.extend(reload(&findings));
    Ok(findings)
}

/// A reload reads what ALTER SYSTEM has written: it is the last statement, however the others were selected.
fn reload(findings: &[Finding]) -> Option<Finding> {
    let written = |finding: &&Finding| {
        let fix = finding.fix.as_deref();
        fix.is_some_and(|fix| fix.starts_with("ALTER SYSTEM"))
    };
    let worst = findings.iter().filter(written).map(|f| f.status).max()?;
    let detail =
        "settings changed by the statements above take effect after a reload, some after a restart";
    Some(
        Finding::new("reload", worst, detail.to_owned())
            .mended_by(Some("SELECT pg_catalog.pg_reload_conf()".to_owned())),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reload_comes_last_if_something_was_written() {
        let finding = |status, fix: Option<&str>| {
            Finding::new("x", status, String::new()).mended_by(fix.map(str::to_owned))
        };
        let harmless = [
            finding(Status::Problem, None),
            finding(Status::Warning, Some("ALTER ROLE a RESET jit")),
        ];
        assert!(reload(&harmless).is_none());
        let written = [
            finding(Status::Problem, None),
            finding(Status::Warning, Some("ALTER SYSTEM SET jit = 'off'")),
        ];
        let last = reload(&written).unwrap();
        assert_eq!(last.status, Status::Warning);
        assert_eq!(last.fix.unwrap(), "SELECT pg_catalog.pg_reload_conf()");
    }
}
