//! Settings of the server that a sweep or run has changed and, after a crash, not restored.

use super::finding::{Finding, Status};
use super::settings::Settings;
use crate::error::Result;
use crate::service::altered_settings::{Altered, Changer, left_behind, lost};

const CHECK: &str = "altered_settings";

pub fn check(_: &Settings) -> Result<Vec<Finding>> {
    let left = left_behind()?;
    let Some(first) = left.first() else {
        return Ok(vec![of_lost(&lost()?)]);
    };
    let detail = format!(
        "changed by what was interrupted, and not put back: {}",
        names(&left)
    );
    let fix = first.changer().map(|changer| match changer {
        Changer::Sweep(id) => format!("SELECT pgperf.stop_sweep({id})"),
        Changer::Run(id) => format!("SELECT pgperf.stop_run({id})"),
    });
    Ok(vec![
        Finding::new(CHECK, Status::Problem, detail).mended_by(fix),
    ])
}

/// Nothing can be stopped or deleted any more that has changed them.
fn of_lost(lost: &[Altered]) -> Finding {
    match lost.is_empty() {
        true => Finding::ok(
            CHECK,
            "no setting is as a sweep or run has left it".to_owned(),
        ),
        false => {
            let detail = format!(
                "changed by a sweep or run of an extension or database that is gone, and put back by the next run: {}",
                names(lost)
            );
            Finding::new(CHECK, Status::Problem, detail)
        }
    }
}

fn names(altered: &[Altered]) -> String {
    let names: Vec<&str> = (altered.iter()).map(|it| it.name.as_str()).collect();
    names.join(", ")
}
