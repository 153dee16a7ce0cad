//! The settings that a run of the caller would have: values set in this session do not count.

use crate::error::Result;
use crate::guc::split_names;
use crate::pg::sql::quote::{quote_ident, quote_literal};
use crate::pg::sql::spi;
use crate::target::control::Control;
use serde::Deserialize;
use std::collections::HashMap;

/// All that the caller may see.
#[derive(Default)]
pub struct Settings {
    by_name: HashMap<String, Setting>,
    /// For statements that name them, quoted.
    database: String,
    role: String,
}

#[derive(Debug, Clone, Deserialize)]
pub struct Setting {
    name: String,
    value: String,
    unit: Option<String>,
    source: String,
    pub context: String,
    pub pending_restart: bool,
}

#[derive(Default, Deserialize)]
struct Names {
    database: String,
    role: String,
}

const SETTINGS: &str = "SELECT s.name, COALESCE(s.reset_val, '') AS value, s.unit, s.source, s.context, s.pending_restart \
     FROM pg_catalog.pg_settings s";
const NAMES: &str = "SELECT pg_catalog.current_database() AS database, SESSION_USER AS role";

impl Settings {
    pub fn read() -> Result<Settings> {
        let settings = spi::select(SETTINGS, &[])?;
        let names: Option<Names> = spi::select_one(NAMES, &[])?;
        Ok(Settings::new(settings, names.unwrap_or_default()))
    }

    /// Those of a target.
    pub fn of_target(control: &mut Control) -> Result<Settings> {
        let settings = control.select(SETTINGS)?;
        Ok(Settings::new(settings, control.select_one(NAMES)?))
    }

    fn new(settings: Vec<Setting>, names: Names) -> Settings {
        let named = |setting: Setting| (setting.name.clone(), setting);
        Settings {
            by_name: settings.into_iter().map(named).collect(),
            database: quote_ident(&names.database),
            role: quote_ident(&names.role),
        }
    }

    /// The role that they are of, quoted.
    pub fn role(&self) -> &str {
        &self.role
    }

    /// None if there is none of that name, or the caller may not see it.
    pub fn get(&self, name: &str) -> Option<&Setting> {
        self.by_name.get(name)
    }

    pub fn text(&self, name: &str) -> &str {
        self.get(name).map_or("", |setting| &setting.value)
    }

    pub fn is_on(&self, name: &str) -> bool {
        self.text(name) == "on"
    }

    /// A number in its base unit: bytes, milliseconds, or none. NaN if it is no number.
    pub fn number(&self, name: &str) -> f64 {
        let Some(setting) = self.get(name) else {
            return f64::NAN;
        };
        let value: f64 = setting.value.parse().unwrap_or(f64::NAN);
        value * setting.unit.as_deref().map_or(1.0, factor)
    }

    /// The statement that gives a setting another value: if it is set for the role or the database, that setting has
    /// to be removed. None if it is set on the server's command line, which nothing overrides.
    pub fn fix(&self, name: &str, value: &str) -> Option<String> {
        let (database, role) = (&self.database, &self.role);
        match self.get(name)?.source.as_str() {
            "command line" => None,
            "database" => Some(format!("ALTER DATABASE {database} RESET {name}")),
            "user" => Some(format!("ALTER ROLE {role} RESET {name}")),
            "database user" => Some(format!(
                "ALTER ROLE {role} IN DATABASE {database} RESET {name}"
            )),
            _ => Some(format!("ALTER SYSTEM SET {name} = {value}")),
        }
    }

    /// The statement that preloads further libraries, after those that are. None as for [`Settings::fix`], or if the caller may not see the list.
    pub fn preload(&self, libraries: &[&str]) -> Option<String> {
        const LIST: &str = "shared_preload_libraries";
        let mut names = split_names(&self.get(LIST)?.value);
        for library in libraries {
            if !names.iter().any(|name| name == library) {
                names.push((*library).to_owned());
            }
        }
        let literals: Vec<String> = names.iter().map(|name| quote_literal(name)).collect();
        self.fix(LIST, &literals.join(", "))
    }

    /// Settings that wait for a restart, as far as this session has seen a reload.
    pub fn pending_restart(&self) -> Vec<&str> {
        let pending = self
            .by_name
            .values()
            .filter(|setting| setting.pending_restart);
        let mut names: Vec<&str> = pending.map(|setting| setting.name.as_str()).collect();
        names.sort_unstable();
        names
    }
}

/// A unit of pg_settings in bytes or milliseconds: `8kB`, `min`.
fn factor(unit: &str) -> f64 {
    let digits = unit.bytes().take_while(u8::is_ascii_digit).count();
    let (count, name) = unit.split_at(digits);
    let count: f64 = count.parse().unwrap_or(1.0);
    count
        * match name {
            "kB" => 1024.0,
            "MB" => 1_048_576.0,
            "GB" => 1_073_741_824.0,
            "us" => 0.001,
            "s" => 1000.0,
            "min" => 60_000.0,
            "h" => 3_600_000.0,
            "d" => 86_400_000.0,
            _ => 1.0,
        }
}

/// Settings for unit tests of checks.
#[cfg(test)]
impl Settings {
    /// Name, value and source of each.
    pub fn of(settings: &[(&str, &str, &str)]) -> Settings {
        let setting = |(name, value, source): &(&str, &str, &str)| {
            let setting = Setting {
                name: (*name).to_owned(),
                value: (*value).to_owned(),
                unit: None,
                source: (*source).to_owned(),
                context: "postmaster".to_owned(),
                pending_restart: false,
            };
            (setting.name.clone(), setting)
        };
        Settings {
            by_name: settings.iter().map(setting).collect(),
            database: "db".to_owned(),
            role: "me".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_have_their_factor() {
        assert_eq!(factor("8kB"), 8192.0);
        assert_eq!(factor("MB"), 1_048_576.0);
        assert_eq!(factor("min"), 60_000.0);
        assert_eq!(factor("ms"), 1.0);
    }

    #[test]
    fn a_setting_is_mended_where_it_was_set() {
        let settings = Settings::of(&[
            ("a", "off", "configuration file"),
            ("b", "off", "database"),
            ("c", "off", "user"),
            ("d", "off", "database user"),
            ("e", "off", "command line"),
        ]);
        let fix = |name| settings.fix(name, "on");
        assert_eq!(fix("a").unwrap(), "ALTER SYSTEM SET a = on");
        assert_eq!(fix("b").unwrap(), "ALTER DATABASE db RESET b");
        assert_eq!(fix("c").unwrap(), "ALTER ROLE me RESET c");
        assert_eq!(fix("d").unwrap(), "ALTER ROLE me IN DATABASE db RESET d");
        assert_eq!(fix("e"), None);
        assert_eq!(fix("unheard"), None);
    }
}
