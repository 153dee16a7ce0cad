//! The values of `settings_grid` that the settings have without the sweep: those with which a server would go on.

use super::grid::{self, Axis, Part};
use super::server_settings;
use crate::error::Result;
use crate::pg::session::setting;
use crate::pg::sql::spi;
use crate::pg::sql::subxact::subtransaction;
use serde::Deserialize;
use std::collections::BTreeMap;

/// The current values among those of the axes, by the names of their settings, spelled as in the grid.
pub fn of(axes: &[Axis]) -> Result<BTreeMap<String, String>> {
    let mut current = BTreeMap::new();
    for axis in axes {
        let (part, name) = (axis.dimension.part, axis.dimension.name.as_str());
        let Some(before) = before(part, name)? else {
            continue;
        };
        for text in axis.values.iter().map(grid::text) {
            if meaning(part, name, &text)?.as_ref() == Some(&before) {
                current.insert(name.to_owned(), text);
                break;
            }
        }
    }
    Ok(current)
}

/// The meaning of a setting's value in a new session of the caller; None: it is no setting, or has none.
fn before(part: Part, name: &str) -> Result<Option<String>> {
    #[derive(Deserialize)]
    struct Stored {
        reset_val: Option<String>,
    }
    if matches!(part, Part::Run | Part::Load | Part::Way) {
        return Ok(None);
    }
    let stored: Option<Stored> = spi::select_one(
        "SELECT s.reset_val FROM pg_catalog.pg_settings s WHERE pg_catalog.lower(s.name) = $1",
        &[name.into()],
    )?;
    match stored.and_then(|stored| stored.reset_val) {
        Some(value) => meaning(part, name, &value),
        None => Ok(None),
    }
}

/// A value that means the same however it is spelled; None: it is not one of a setting.
pub fn meaning(part: Part, name: &str, value: &str) -> Result<Option<String>> {
    Ok(match part {
        Part::Run | Part::Load | Part::Way => None,
        Part::Restart => server_settings::meaning(name, value)?,
        Part::Setting | Part::Server => {
            let held = subtransaction(|| match part {
                Part::Server => setting::canonical_after_reload(name, value),
                _ => setting::canonical(name, value),
            });
            held.ok().flatten()
        }
    })
}
