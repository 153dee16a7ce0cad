//! Settings with which a server is faster, or slower, than in production.

use super::finding::{Finding, Status};
use super::settings::Settings;
use crate::error::Result;
use crate::pg::server;

pub fn check(settings: &Settings) -> Result<Vec<Finding>> {
    let mut findings = of_settings(settings);
    if server::in_recovery() {
        let detail = "a standby: runs need the primary".to_owned();
        findings.push(Finding::new("recovery", Status::Problem, detail));
    }
    Ok(findings)
}

/// What the settings of any server tell.
pub fn of_settings(settings: &Settings) -> Vec<Finding> {
    let switches = SWITCHES.iter().map(|switch| switch.finding(settings));
    let others = [checksums(settings), jit(settings), restart(settings)];
    switches.chain(others).collect()
}

/// A setting that should be on.
struct Switch {
    name: &'static str,
    status: Status,
    /// The problem if it is off.
    off: &'static str,
}

const SWITCHES: [Switch; 5] = [
    Switch {
        name: "fsync",
        status: Status::Problem,
        off: "off: nothing waits for the disk, and a crash of the machine destroys the cluster",
    },
    Switch {
        name: "full_page_writes",
        status: Status::Warning,
        off: "off: less WAL after each checkpoint than in production",
    },
    Switch {
        name: "synchronous_commit",
        status: Status::Warning,
        off: "off: commits do not wait for the disk",
    },
    Switch {
        name: "autovacuum",
        status: Status::Problem,
        off: "off: tables bloat, and a long run slows down by itself",
    },
    Switch {
        name: "track_counts",
        status: Status::Problem,
        off: "off: there are no statistics, and autovacuum does nothing",
    },
];

impl Switch {
    fn finding(&self, settings: &Settings) -> Finding {
        let Switch { name, status, off } = *self;
        match settings.text(name) {
            "off" => Finding::new(name, status, off.to_owned()).mended_by(settings.fix(name, "on")),
            value => Finding::ok(name, value.to_owned()),
        }
    }
}

/// Neither is wrong, but figures with and without differ.
fn checksums(settings: &Settings) -> Finding {
    let value = settings.text("data_checksums");
    Finding::ok(
        "data_checksums",
        format!("{value}: compare only with figures of clusters that have them {value}"),
    )
}

/// Below this cost even short statements are compiled, which takes longer than executing them.
const JIT_CHEAP: f64 = 10_000.0;

fn jit(settings: &Settings) -> Finding {
    let cost = settings.number("jit_above_cost");
    if !settings.is_on("jit") || cost < 0.0 {
        return Finding::ok("jit", "off".to_owned());
    }
    if cost < JIT_CHEAP {
        let detail = format!("on, from a cost of {cost}: short statements are compiled too");
        return Finding::new("jit", Status::Warning, detail)
            .mended_by(settings.fix("jit_above_cost", "100000"));
    }
    Finding::ok("jit", format!("on, from a cost of {cost}"))
}

fn restart(settings: &Settings) -> Finding {
    const CHECK: &str = "restart";
    let pending = settings.pending_restart();
    if pending.is_empty() {
        return Finding::ok(CHECK, "no setting waits for a restart".to_owned());
    }
    let detail = format!("the server has to be restarted for: {}", pending.join(", "));
    Finding::new(CHECK, Status::Warning, detail)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_off_is_to_be_switched_on() {
        let settings = Settings::of(&[
            ("fsync", "off", "configuration file"),
            ("synchronous_commit", "local", "default"),
        ]);
        let [fsync, _, commit, ..] = &SWITCHES;
        let finding = fsync.finding(&settings);
        assert_eq!(finding.status, Status::Problem);
        assert_eq!(finding.fix.unwrap(), "ALTER SYSTEM SET fsync = on");
        assert_eq!(commit.finding(&settings).status, Status::Ok);
    }

    #[test]
    fn compiling_everything_is_told() {
        let of = |on: &str, cost: &str| {
            jit(&Settings::of(&[
                ("jit", on, "default"),
                ("jit_above_cost", cost, "user"),
            ]))
            .status
        };
        assert_eq!(of("on", "100000"), Status::Ok);
        assert_eq!(of("on", "-1"), Status::Ok);
        assert_eq!(of("off", "0"), Status::Ok);
        assert_eq!(of("on", "0"), Status::Warning);
    }
}
