//! Extensions that pgperf reads where they are installed: what they add to the history. Without them nothing else is missing.

use super::finding::{Finding, Status};
use super::settings::Settings;
use crate::collect::optional::{self, Optional};
use crate::error::Result;
use crate::pg::sql::spi;
use crate::subject::{plans, statements, waits};

/// One of them.
struct Extension {
    name: &'static str,
    /// A setting that its library declares while the server loads it; with its default, that it counts anything. None: it need not be preloaded.
    setting: Option<&'static str>,
    /// What the history has with it.
    gives: &'static str,
    /// A setting that had better be off, and what it does.
    harmful: Option<(&'static str, &'static str)>,
    /// Reads as the collector does.
    probe_sql: fn(&str) -> String,
}

const EXTENSIONS: [Extension; 4] = [
    Extension {
        name: statements::KERNEL,
        setting: Some("pg_stat_kcache.track"),
        gives: "CPU time, and what was read from devices and written to them, of each statement",
        harmful: None,
        probe_sql: statements::kernel_probe_sql,
    },
    Extension {
        name: waits::PROFILER,
        setting: Some("pg_wait_sampling.profile_period"),
        gives: "waits as it samples them, a hundred times a second by default",
        harmful: Some((
            "pg_wait_sampling.profile_pid",
            "its profile keeps a row for each process that ever was, and every sample reads all of them",
        )),
        probe_sql: waits::profile_probe_sql,
    },
    Extension {
        name: plans::PREDICATES,
        setting: Some("pg_qualstats.max"),
        gives: "the rows that conditions of statements find, by which indexes are proposed",
        harmful: None,
        probe_sql: plans::predicates_probe_sql,
    },
    Extension {
        name: plans::HYPOTHETICAL,
        setting: None,
        gives: "the cost of plans with the indexes that are proposed",
        harmful: None,
        probe_sql: plans::hypothetical_probe_sql,
    },
];

pub fn check(settings: &Settings) -> Result<Vec<Finding>> {
    EXTENSIONS
        .iter()
        .map(|one| examine(one, settings))
        .collect()
}

fn examine(extension: &Extension, settings: &Settings) -> Result<Finding> {
    let Extension { name, gives, .. } = extension;
    let read = optional::read(name, |schema| {
        spi::select_cells(&(extension.probe_sql)(schema))
    })?;
    let is_loaded = (extension.setting)
        .and_then(|setting| settings.get(setting))
        .is_some_and(|known| known.context != "user");
    Ok(match read {
        Optional::Read(_) if extension.setting.is_some() && !is_loaded => Finding::new(
            name,
            Status::Warning,
            "not preloaded: it knows nothing of other sessions, and the history has nothing of it"
                .to_owned(),
        ),
        Optional::Read(_) => match extension.harmful {
            Some((setting, harm)) if settings.is_on(setting) => Finding::new(
                name,
                Status::Warning,
                format!("in the history: {gives}; {setting} is on: {harm}"),
            )
            .mended_by(settings.fix(setting, "off")),
            _ => Finding::ok(name, format!("in the history: {gives}")),
        },
        Optional::Unreadable(reason) => Finding::new(
            name,
            Status::Warning,
            format!("nothing can be read, as in the history: {reason}"),
        ),
        Optional::Missing if is_loaded => Finding::new(
            name,
            Status::Warning,
            format!("preloaded, but not in this database; then the history has {gives}"),
        )
        .mended_by(Some(format!("CREATE EXTENSION {name}"))),
        Optional::Missing => {
            let is_not = match extension.setting {
                Some(_) => "preloaded",
                None => "installed",
            };
            Finding::ok(
                name,
                format!("not {is_not}, and not required; with it the history has {gives}"),
            )
        }
    })
}
