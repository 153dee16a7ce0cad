//! The machine: the speed of its CPUs, and their other work.

use super::finding::{Finding, Status};
use super::settings::Settings;
use crate::error::Result;
use crate::facts::environment::machine::{self, NO_GOVERNOR};
use procfs::{Current, LoadAverage};

pub fn check(_: &Settings) -> Result<Vec<Finding>> {
    Ok(vec![governor(machine::governor()), load()])
}

fn governor(governors: Option<String>) -> Finding {
    const CHECK: &str = "cpu_governor";
    match governors.as_deref() {
        None => Finding::unknown(CHECK, NO_GOVERNOR),
        Some("performance") => Finding::ok(CHECK, "performance".to_owned()),
        Some(other) => Finding::new(
            CHECK,
            Status::Warning,
            format!(
                "{other}: the frequency changes with the load (cpupower frequency-set -g performance)"
            ),
        ),
    }
}

fn load() -> Finding {
    match LoadAverage::current() {
        Ok(load) => of_load(f64::from(load.one), machine::cpus()),
        Err(error) => Finding::unknown("system_load", error),
    }
}

/// Of the last minute, including a run that has just ended.
fn of_load(load: f64, cpus: usize) -> Finding {
    let share = load / cpus.max(1) as f64;
    let detail = format!("{load:.2} on {cpus} CPUs in the last minute");
    let status = match share {
        ..=0.2 => return Finding::ok("system_load", detail),
        ..=0.8 => Status::Warning,
        _ => Status::Problem,
    };
    Finding::new(
        "system_load",
        status,
        format!("{detail}: something else is at work, or was a moment ago"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_full_speed_is_steady() {
        let status = |name: &str| governor(Some(name.to_owned())).status;
        assert_eq!(status("performance"), Status::Ok);
        assert_eq!(status("powersave"), Status::Warning);
        assert_eq!(status("performance, powersave"), Status::Warning);
        assert_eq!(governor(None).status, Status::Unknown);
    }

    #[test]
    fn load_is_seen_against_the_cpus() {
        assert_eq!(of_load(0.3, 2).status, Status::Ok);
        assert_eq!(of_load(1.0, 2).status, Status::Warning);
        assert_eq!(of_load(2.0, 2).status, Status::Problem);
    }
}
