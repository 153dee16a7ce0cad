//! Settings of the server that alternate within a run: at each turn the leader sets them by ALTER SYSTEM and a reload. The
//! previous values are stored first, and restored for whatever reason the run ends.

use super::{Leader, WATCH_INTERVAL};
use crate::pg::error::SqlError;
use crate::pg::process::{clock, lock};
use crate::pg::server::alter_system;
use crate::pg::sql::xact;
use crate::run::record::intervals::Intervals;
use crate::run::record::run_row::End;
use crate::run::request::alternate::Alternation;
use crate::service::altered_settings::{self, Changer, Pause};
use crate::service::server_settings::{self, Expected, RELOAD_NS, expected};
use measure::turns::Side;
use std::collections::BTreeSet;

/// The settings of both sides, and those that the server was given last.
pub struct ServerSides {
    sides: [SideSettings; 2],
    given: Option<Side>,
    /// The side whose settings the server was last seen to have.
    seen: Option<Side>,
    /// Since when it has not read what is new to it; monotonic ns.
    unread_since: Option<u64>,
}

struct SideSettings {
    settings: Vec<(String, String)>,
    /// What this process shows once the server has read them.
    expected: Vec<Expected>,
}

impl ServerSides {
    /// In no transaction.
    fn new(alternation: &Alternation) -> Result<ServerSides, SqlError> {
        let values = |side| {
            let settings = alternation.server_side(side);
            let expected = expected(&settings);
            SideSettings { settings, expected }
        };
        let sides = xact::transaction(|| [values(Side::A), values(Side::B)])?;
        Ok(ServerSides {
            sides,
            given: None,
            seen: None,
            unread_since: None,
        })
    }

    fn of(&self, side: Side) -> &SideSettings {
        let [a, b] = &self.sides;
        match side {
            Side::A => a,
            Side::B => b,
        }
    }

    /// Gives the server the settings of a side, also if it has them already: all turns begin alike. Fails where somebody else has set one.
    fn give(&mut self, side: Side) -> Result<(), SqlError> {
        let before = self.given.map(|before| &self.of(before).settings);
        let settings = &self.of(side).settings;
        xact::bare_transaction(|| {
            let is_foreign = |(name, value): &&(String, String)| {
                alter_system::line(name).as_ref() != Some(value)
            };
            if let Some((name, _)) = before.into_iter().flatten().find(is_foreign) {
                return Err(SqlError::new(
                    "55006",
                    &format!("somebody else has changed \"{name}\" by ALTER SYSTEM"),
                ));
            }
            for (name, value) in settings {
                alter_system::set(name, Some(value));
            }
            alter_system::reload();
            Ok(())
        })??;
        self.given = Some(side);
        if self.seen != self.given {
            self.unread_since.get_or_insert(clock::now());
        }
        Ok(())
    }

    /// The first setting that the server has not read yet. Once this process has read all, the server has told its processes.
    fn missing(&self) -> Option<&str> {
        server_settings::missing(&self.of(self.given?).expected)
    }

    /// Looks whether the server has read what is new to it. Returns a setting that it has not read for too long. That it still has those of
    /// the side before says nothing.
    fn look(&mut self, now: u64) -> Option<String> {
        let missing = self.missing().map(str::to_owned);
        if missing.is_none() && self.seen != self.given {
            self.seen = self.given;
            self.unread_since = None;
        }
        let overdue = (self.unread_since).is_some_and(|since| now > since + RELOAD_NS);
        missing.filter(|_| overdue)
    }
}

impl Leader {
    /// Before the clients start: remembers what the settings were, and gives the server those of side A. Whatever other runs or sweeps
    /// have left behind is put back, too.
    pub(super) fn take_server_settings(&mut self) {
        (self.stored).try_store(|_| altered_settings::put_back_left_behind().map(drop));
        let alternation = self.spec.alternate.clone();
        let Some(alternation) = alternation.filter(|it| !it.of_server.is_empty()) else {
            return;
        };
        if self.end.is_some() {
            return;
        }
        while !lock::try_hold_server_settings() {
            if self.end.is_some() {
                return;
            }
            self.watch(WATCH_INTERVAL);
        }
        let values = alternation.server_values();
        let mut altered = Vec::new();
        let remembered = self.stored.keep_trying(|stored| {
            stored.try_store(|run| {
                altered_settings::put_back()?;
                let changer = Changer::Run(run.run_id);
                altered =
                    altered_settings::remember(&run.node_id, changer, &values, &BTreeSet::new())?;
                Ok(())
            })
        });
        if !remembered {
            return self.fail(
                "55000",
                "the settings of the server could not be stored, so they are not changed (see the server log)".to_owned(),
            );
        }
        altered_settings::put_back_at_exit(altered);
        match ServerSides::new(&alternation) {
            Ok(sides) => self.server_sides = Some(sides),
            Err(error) => return self.fail(&error.sqlstate, error.message),
        }
        self.give_server(Side::A);
        while self.end.is_none() && !self.server_is_ready() {
            self.watch(WATCH_INTERVAL);
        }
    }

    /// Another turn has begun. Its settle time begins when the server has been told.
    pub(super) fn begin_turn(&mut self, intervals: &mut Intervals) {
        if self.server_sides.is_some()
            && let Some(side) = intervals.side_of_turn()
        {
            self.give_server(side);
            intervals.settle_from(clock::now());
        }
    }

    fn give_server(&mut self, side: Side) {
        let given = self.server_sides.as_mut().map(|sides| sides.give(side));
        if let Some(Err(error)) = given {
            self.fail(&error.sqlstate, error.message);
        }
    }

    /// Whether the server has read what it was given.
    pub(super) fn server_is_ready(&self) -> bool {
        let sides = self.server_sides.as_ref();
        sides.is_none_or(|sides| sides.missing().is_none())
    }

    /// Ends the run if the server does not read its settings.
    pub(super) fn watch_server_settings(&mut self, now: u64) {
        let overdue = (self.server_sides.as_mut()).and_then(|sides| sides.look(now));
        if let Some(name) = overdue.filter(|_| self.end.is_none()) {
            self.fail("55000", server_settings::not_taken(&name));
        }
    }

    /// Puts the settings back as they were before the run. The run is not over before: a full disk keeps the server from writing its
    /// configuration, and what was told of the run would no longer be true.
    pub(super) fn put_back_server_settings(&mut self) {
        self.server_sides = None;
        if !altered_settings::any() {
            return;
        }
        let changer = Changer::Run(self.launch.run_id);
        let mut pause = Pause::default();
        let mut told = String::new();
        loop {
            let mut left = None;
            let stored = self.stored.try_store(|_| {
                left = altered_settings::put_back()?.of(changer);
                Ok(())
            });
            if stored && left.is_none() {
                return;
            }
            self.end.get_or_insert(End::Finished);
            if let Some(error) = left.filter(|error| error.message != told)
                && self.stored.cannot_end(&error)
            {
                told = error.message;
            }
            let until = clock::now() + pause.next().as_nanos() as u64;
            while clock::now() < until {
                self.watch(WATCH_INTERVAL);
            }
        }
    }
}
