//! A target's settings: those that are not at their defaults, as a run stores them.

use crate::error::Result;
use crate::facts::settings::Setting;
use crate::subject::settings::without_passwords;
use crate::target::control::Control;
use std::collections::BTreeMap;

/// Settings of the sessions of a run, whose call has `given` some. As far as the role may see them.
pub fn read(control: &mut Control, given: &BTreeMap<String, String>) -> Result<Vec<Setting>> {
    let mut settings: Vec<Setting> = control.select(&sql())?;
    for (name, value) in given {
        let name = name.to_lowercase();
        match settings
            .iter_mut()
            .find(|it| it.name.to_lowercase() == name)
        {
            Some(setting) => setting.give(value),
            None => settings.push(Setting::given(name, value)),
        }
    }
    Ok(settings)
}

/// Of those that the control connection sets itself, the values that it began with. Names of one session are no settings of a run.
fn sql() -> String {
    let value = without_passwords("s.name", "s.reset_val");
    format!(
        "SELECT s.name, {value} AS setting, s.unit, \
                CASE s.source WHEN 'session' THEN 'configuration file' ELSE s.source END AS source, s.boot_val AS default_setting \
           FROM pg_settings s \
          WHERE s.source NOT IN ('default', 'client') AND s.reset_val IS DISTINCT FROM s.boot_val AND s.context <> 'internal' \
            AND s.name NOT IN ('application_name', 'transaction_isolation', 'transaction_read_only', 'transaction_deferrable') \
          ORDER BY 1"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_are_left_out_of_every_value() {
        assert!(sql().contains("password=********"));
    }
}
