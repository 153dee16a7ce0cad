//! Settings of the server that a sweep has changed and, after a crash, left so.

use super::finding::{Finding, Status};
use super::settings::Settings;
use crate::error::Result;
use crate::service::altered_settings::left_behind;

const CHECK: &str = "altered_settings";

pub fn check(_: &Settings) -> Result<Vec<Finding>> {
    let left = left_behind()?;
    let Some(first) = left.first() else {
        let detail = "no setting is as a sweep has left it".to_owned();
        return Ok(vec![Finding::ok(CHECK, detail)]);
    };
    let names: Vec<&str> = left.iter().map(|altered| altered.name.as_str()).collect();
    let detail = format!(
        "changed by a sweep that was interrupted, and not put back: {}",
        names.join(", ")
    );
    let fix = format!("SELECT pgperf.stop_sweep({})", first.sweep_id);
    Ok(vec![
        Finding::new(CHECK, Status::Problem, detail).mended_by(Some(fix)),
    ])
}
