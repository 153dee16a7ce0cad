//! Settings of the server that take turns, and the check of all settings.

use super::{ARGUMENT, Alternation};
use crate::error::{Error, Result, hinted};
use crate::service::server_settings::{self, Scope};
use crate::workload::place::Place;
use measure::turns::Side;
use std::collections::BTreeMap;

const BOTH: [Side; 2] = [Side::A, Side::B];

impl Alternation {
    /// Checks that the server accepts the settings of both sides, and finds those that belong to the server itself.
    ///
    /// # Errors
    /// The first one that it does not accept, that nothing can change during a run, or that the caller may not change.
    pub fn check_settings(&mut self, place: &mut dyn Place) -> Result<()> {
        if place.server().is_none() {
            self.find_settings_of_server()?;
        }
        (BOTH.into_iter())
            .try_for_each(|side| place.check_settings(ARGUMENT, &self.side(side).collect()))
    }

    /// Tells the settings that the leader sets by ALTER SYSTEM.
    fn find_settings_of_server(&mut self) -> Result<()> {
        for name in self.settings.keys() {
            match server_settings::scope(name)? {
                Scope::Session => {}
                Scope::Reload => {
                    self.of_server.insert(name.clone());
                }
                scope => return Err(refused(name, scope)),
            }
        }
        if let Some(name) = self.of_server.first() {
            server_settings::check_caller(ARGUMENT, name)?;
        }
        for name in &self.of_server {
            let values = self.settings.get(name).into_iter().flatten();
            let values: Vec<String> = values.cloned().collect();
            server_settings::check(ARGUMENT, name, &values)?;
        }
        Ok(())
    }

    /// The values that the settings of the server have on a side.
    pub fn server_side(&self, side: Side) -> Vec<(String, String)> {
        (self.values(side))
            .filter(|(name, _)| self.of_server.contains(name))
            .collect()
    }

    /// The values of both sides, by setting.
    pub fn server_values(&self) -> BTreeMap<String, Vec<String>> {
        let of_server = |(name, _): &(&String, &[String; 2])| self.of_server.contains(*name);
        (self.settings.iter().filter(of_server))
            .map(|(name, both)| (name.clone(), both.to_vec()))
            .collect()
    }
}

fn refused(name: &str, scope: Scope) -> Error {
    let (reason, hint) = match scope {
        Scope::Restart => (
            "the server needs a restart for it",
            format!(
                "A sweep compares such settings: start_sweep(settings_grid => '{{\"{name}\": [...]}}')."
            ),
        ),
        Scope::NewSession => (
            "a session has it from its beginning",
            "Compare two runs, with ALTER SYSTEM and a reload between them.".to_owned(),
        ),
        _ => (
            "it cannot be changed",
            format!("{ARGUMENT} takes settings that SET or a reload of the server can change."),
        ),
    };
    hinted(
        format!("setting \"{name}\" cannot take turns: {reason}"),
        &hint,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_and_the_server_have_each_their_own() {
        let both = |a: &str, b: &str| [a.to_owned(), b.to_owned()];
        let alternation = Alternation {
            settings: [
                ("bgwriter_delay".to_owned(), both("10ms", "1s")),
                ("work_mem".to_owned(), both("4MB", "8MB")),
            ]
            .into(),
            of_server: ["bgwriter_delay".to_owned()].into(),
            scripts: None,
            every_s: 5.0,
            settle_s: 0.5,
        };
        let of_sessions: Vec<_> = alternation.side(Side::B).collect();
        assert_eq!(of_sessions, [("work_mem".to_owned(), "8MB".to_owned())]);
        let of_server = alternation.server_side(Side::B);
        assert_eq!(of_server, [("bgwriter_delay".to_owned(), "1s".to_owned())]);
        let values = alternation.server_values();
        assert_eq!(values["bgwriter_delay"], ["10ms", "1s"]);
        assert_eq!(values.len(), 1);
    }
}
