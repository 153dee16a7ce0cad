//! Settings of the server in `settings_grid`: those that only a reload or a restart can change.

use super::grid::{self, Axis, Part};
use crate::error::Result;
use crate::pg::catalog::role;
use crate::pg::session::setting;
use crate::pg::sql::spi;
use crate::service::server_settings::{self, Scope};
pub use crate::service::server_settings::{RELOAD_NS, expected, missing, not_taken, write};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

const ARGUMENT: &str = "settings_grid";

/// The values that a sweep gives to each of them.
pub type ServerSettings = BTreeMap<String, Vec<String>>;

/// The restarts of the server that a sweep needs.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Restarts {
    /// The settings that need them.
    pub settings: BTreeSet<String>,
    /// How many runs there are from one restart to the next.
    pub runs: i32,
}

impl Restarts {
    /// None: no axis needs one.
    pub fn of(axes: &[Axis], repetitions: usize) -> Option<Restarts> {
        let (with, without): (Vec<&Axis>, Vec<&Axis>) = axes
            .iter()
            .partition(|axis| axis.dimension.part == Part::Restart);
        let points: usize = without.iter().map(|axis| axis.values.len()).product();
        (!with.is_empty()).then(|| Restarts {
            settings: (with.iter().map(|axis| axis.dimension.name.clone())).collect(),
            runs: (points * repetitions) as i32,
        })
    }
}

/// What a setting belongs to.
pub fn part_of(name: &str) -> Result<Part> {
    Ok(match server_settings::scope(name)? {
        Scope::Reload => Part::Server,
        Scope::Restart => Part::Restart,
        // The server's own error says why a session cannot change one.
        Scope::Session | Scope::NewSession | Scope::Fixed => Part::Setting,
    })
}

/// Those of a grid, checked: a caller who may change them, and values that the server takes.
pub fn of(axes: &[Axis]) -> Result<ServerSettings> {
    let of_server = axes
        .iter()
        .filter(|axis| matches!(axis.dimension.part, Part::Server | Part::Restart));
    let settings: ServerSettings = of_server
        .map(|axis| {
            let values = axis.values.iter().map(grid::text).collect();
            (axis.dimension.name.clone(), values)
        })
        .collect();
    if let Some(name) = settings.keys().next() {
        server_settings::check_caller(ARGUMENT, name)?;
    }
    for (name, values) in &settings {
        server_settings::check(ARGUMENT, name, values)?;
    }
    Ok(settings)
}

/// A value that means the same however it is spelled, of a setting that needs a restart.
pub fn meaning(name: &str, value: &str) -> Result<Option<String>> {
    let vartype = server_settings::known(name)?.map(|known| known.vartype);
    Ok(vartype.and_then(|vartype| setting::parsed(name, &vartype, value)))
}

/// Whether the server has this value, which it needs a restart for, and has it from ALTER SYSTEM. It is the server's own code that
/// compares.
pub fn is_in_force(name: &str, value: &str) -> Result<bool> {
    role::as_owner(|| {
        spi::holds(
            "EXISTS (SELECT FROM pg_catalog.pg_file_settings f \
                       JOIN pg_catalog.pg_settings s ON pg_catalog.lower(s.name) = pg_catalog.lower(f.name) \
                      WHERE pg_catalog.lower(f.name) = $1 AND f.setting = $2 AND f.applied \
                        AND f.sourcefile LIKE '%postgresql.auto.conf' AND s.source <> 'command line')",
            &[name.into(), value.into()],
        )
    })
}
