//! The settings of pgperf, each with the reason for its default. All but one belong to the server's configuration (a reload
//! suffices): they control what the server does on its own, so no session may change them for itself. The other is a session's
//! question.

use crate::pg::encoding;
use pgrx::guc::{GucContext, GucFlags, GucRegistry, GucSetting};
use std::ffi::CString;
use std::time::Duration;

/// Empty: preloading the library alone must not begin to write to any database.
static SAMPLER_DATABASES: GucSetting<Option<CString>> =
    GucSetting::<Option<CString>>::new(Some(c""));

/// 1 % of one core, for all databases together: twice what the collectors cost at their default intervals in a database of a few hundred relations
/// (0.15 % seen, and at most 0.33 % for bloat), and too little to be noticed if a collector turns out to be expensive.
static SAMPLER_BUDGET_PERCENT: GucSetting<f64> = GucSetting::<f64>::new(1.0);

/// On: the extension is installed to create load. Off is for a server that should not have any, or not now.
static ALLOW_LOAD: GucSetting<bool> = GucSetting::<bool>::new(true);

/// No limit: soak tests take days, and a run requested without a duration takes a minute.
static MAX_RUN_TIME_S: GucSetting<i32> = GucSetting::<i32>::new(0);

/// None: with 8 slots by default, and parallel queries that can do without, a first run should have them all.
static RESERVE_WORKER_SLOTS: GucSetting<i32> = GucSetting::<i32>::new(0);

/// A year: last year's runs can still be compared. A run of days at one interval per second takes some 100 MB, logged
/// transactions far more.
static RUN_RETENTION_S: GucSetting<i32> = GucSetting::<i32>::new(365 * 86_400);

/// Every hour, as days begin and retentions end: with a sampler, nothing else is needed to keep the history from
/// filling the disk.
static MAINTAIN_INTERVAL_S: GucSetting<i32> = GucSetting::<i32>::new(3600);

/// Empty: who may restart the server, and how, is for its administrator to say.
static RESTART_COMMAND: GucSetting<Option<CString>> = GucSetting::<Option<CString>>::new(Some(c""));

/// Off: after a failover the history of a service goes on. A copy is promoted less often, and by somebody who knows.
static NEW_NODE_ON_PROMOTION: GucSetting<bool> = GucSetting::<bool>::new(false);

/// 64 MB: rings for 256 sessions, each of which holds what a session leaves in some seconds.
static CAPTURE_MEMORY_KB: GucSetting<i32> = GucSetting::<i32>::new(65_536);

/// Off: what differs between runs of two programs is mostly their way to the server.
static COMPARE_PROGRAMS: GucSetting<bool> = GucSetting::<bool>::new(false);

/// Declares them when the library is loaded.
pub fn define() {
    GucRegistry::define_string_guc(
        c"pgperf.sampler_databases",
        c"Databases that the continuous sampler takes samples of, separated by commas.",
        c"The first with pgperf is its home, the others are visited. Requires pgperf in shared_preload_libraries. Names are case-sensitive; a name with a comma needs double quotes.",
        &SAMPLER_DATABASES,
        GucContext::Sighup,
        GucFlags::default(),
    );
    GucRegistry::define_float_guc(
        c"pgperf.sampler_budget_percent",
        c"Maximum CPU time of the continuous sampler, in percent of one core.",
        c"Collectors that cost more are taken less often. Of several databases, the home of the sampler has half of it.",
        &SAMPLER_BUDGET_PERCENT,
        0.01,
        100.0,
        GucContext::Sighup,
        GucFlags::default(),
    );
    GucRegistry::define_bool_guc(
        c"pgperf.allow_load",
        c"Whether runs and loads may start and continue.",
        c"When it is turned off, running ones stop.",
        &ALLOW_LOAD,
        GucContext::Sighup,
        GucFlags::default(),
    );
    GucRegistry::define_int_guc(
        c"pgperf.max_run_time",
        c"Maximum duration of a run or load.",
        c"0: no limit. Longer ones are refused or, if they give no duration, stopped.",
        &MAX_RUN_TIME_S,
        0,
        i32::MAX,
        GucContext::Sighup,
        GucFlags::UNIT_S,
    );
    GucRegistry::define_int_guc(
        c"pgperf.run_retention",
        c"How long pgperf.maintain() keeps runs that have ended.",
        c"0: for ever. Pinned and imported runs are kept in any case.",
        &RUN_RETENTION_S,
        0,
        i32::MAX,
        GucContext::Sighup,
        GucFlags::UNIT_S,
    );
    GucRegistry::define_int_guc(
        c"pgperf.maintain_interval",
        c"How often a continuous sampler calls pgperf.maintain().",
        c"0: never; somebody else has to call it.",
        &MAINTAIN_INTERVAL_S,
        0,
        i32::MAX,
        GucContext::Sighup,
        GucFlags::UNIT_S,
    );
    GucRegistry::define_int_guc(
        c"pgperf.reserve_worker_slots",
        c"Worker slots that runs leave free for others.",
        c"Of max_worker_processes: for parallel queries, logical replication, other extensions.",
        &RESERVE_WORKER_SLOTS,
        0,
        262_143,
        GucContext::Sighup,
        GucFlags::default(),
    );
    GucRegistry::define_string_guc(
        c"pgperf.restart_command",
        c"Shell command that restarts the server for sweeps of settings that need it, and starts it where it is down.",
        c"Empty: such sweeps wait until somebody restarts the server. Runs as the operating system's user of the server. Requires pgperf in shared_preload_libraries.",
        &RESTART_COMMAND,
        GucContext::Sighup,
        GucFlags::SUPERUSER_ONLY,
    );
    GucRegistry::define_bool_guc(
        c"pgperf.new_node_on_promotion",
        c"Whether a promoted standby begins a node of its own.",
        c"When it is off, it goes on with the node of its former primary, as after a failover.",
        &NEW_NODE_ON_PROMOTION,
        GucContext::Sighup,
        GucFlags::default(),
    );
    GucRegistry::define_int_guc(
        c"pgperf.capture_memory",
        c"Shared memory of a capture.",
        c"256 kB for each session that is captured at a time, at most for max_connections. It is there while a capture is.",
        &CAPTURE_MEMORY_KB,
        256,
        i32::MAX,
        GucContext::Sighup,
        GucFlags::UNIT_KB,
    );
    GucRegistry::define_bool_guc(
        c"pgperf.compare_programs",
        c"Whether comparisons judge runs of different programs, or over different transports.",
        c"They begin with a caution then. When it is off, such runs are not comparable.",
        &COMPARE_PROGRAMS,
        GucContext::Userset,
        GucFlags::default(),
    );
}

/// `pgperf.capture_memory`, in bytes.
pub fn capture_memory() -> u64 {
    u64::try_from(CAPTURE_MEMORY_KB.get()).unwrap_or(0) * 1024
}

/// `pgperf.compare_programs`.
pub fn compare_programs() -> bool {
    COMPARE_PROGRAMS.get()
}

/// `pgperf.new_node_on_promotion`.
pub fn new_node_on_promotion() -> bool {
    NEW_NODE_ON_PROMOTION.get()
}

/// `pgperf.allow_load`.
pub fn allow_load() -> bool {
    ALLOW_LOAD.get()
}

/// `pgperf.max_run_time`; None: no limit.
pub fn max_run_time() -> Option<Duration> {
    unless_zero(&MAX_RUN_TIME_S)
}

/// `pgperf.maintain_interval`; None: never.
pub fn maintain_interval() -> Option<Duration> {
    unless_zero(&MAINTAIN_INTERVAL_S)
}

fn unless_zero(seconds: &GucSetting<i32>) -> Option<Duration> {
    let seconds = u64::try_from(seconds.get()).unwrap_or(0);
    (seconds > 0).then(|| Duration::from_secs(seconds))
}

/// `pgperf.reserve_worker_slots`.
pub fn reserved_worker_slots() -> i32 {
    RESERVE_WORKER_SLOTS.get()
}

/// `pgperf.restart_command`; None: nobody but people restarts the server.
pub fn restart_command() -> Option<String> {
    let command = encoding::from_c(&RESTART_COMMAND.get().unwrap_or_default());
    (!command.trim().is_empty()).then_some(command)
}

/// `pgperf.sampler_databases`.
pub fn sampler_databases() -> Vec<String> {
    let list = SAMPLER_DATABASES.get().unwrap_or_default();
    split_names(&encoding::from_c(&list))
}

/// `pgperf.sampler_budget_percent`, as a fraction.
pub fn sampler_budget() -> f64 {
    SAMPLER_BUDGET_PERCENT.get() / 100.0
}

/// Names between commas, once each; double quotes protect commas and spaces, two of them stand for one.
pub fn split_names(list: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let mut rest = list.chars().peekable();
    while rest.peek().is_some() {
        let (mut name, mut quoted, mut was_quoted) = (String::new(), false, false);
        while let Some(c) = rest.next() {
            match c {
                '"' if quoted && rest.peek() == Some(&'"') => {
                    rest.next();
                    name.push('"');
                }
                '"' => {
                    quoted = !quoted;
                    was_quoted = true;
                }
                ',' if !quoted => break,
                c if !quoted && c.is_whitespace() && (was_quoted || name.is_empty()) => {}
                c => name.push(c),
            }
        }
        if !was_quoted {
            name.truncate(name.trim_end().len());
        }
        if !name.is_empty() && !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_split_at_commas() {
        assert!(split_names("").is_empty() && split_names(" , ").is_empty());
        assert_eq!(split_names("app, Sales ,app"), ["app", "Sales"]);
        assert_eq!(
            split_names("\"a,b\" , \" c \"\"d\"\"\",e f"),
            ["a,b", " c \"d\"", "e f"]
        );
    }
}
