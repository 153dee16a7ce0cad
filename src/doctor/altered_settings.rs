//! Settings of the server that a sweep or run has changed and, after a crash, left so.

use super::finding::{Finding, Status};
use super::settings::Settings;
use crate::error::Result;
use crate::service::altered_settings::{Changer, left_behind};

const CHECK: &str = "altered_settings";

pub fn check(_: &Settings) -> Result<Vec<Finding>> {
    let left = left_behind()?;
    let Some(first) = left.first() else {
        let detail = "no setting is as a sweep or run has left it".to_owned();
        return Ok(vec![Finding::ok(CHECK, detail)]);
    };
    let names: Vec<&str> = left.iter().map(|altered| altered.name.as_str()).collect();
    let detail = format!(
        "changed by what was interrupted, and not put back: {}",
        names.join(", ")
    );
    let fix = first.changer().map(|changer| match changer {
        Changer::Sweep(id) => format!("SELECT pgperf.stop_sweep({id})"),
        Changer::Run(id) => format!("SELECT pgperf.stop_run({id})"),
    });
    Ok(vec![
        Finding::new(CHECK, Status::Problem, detail).mended_by(fix),
    ])
}
