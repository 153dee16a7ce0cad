//! A restart of the server for a sweep: by the guards if there is a command, otherwise by the user, who sees the sweep's
//! status. Another worker continues after it.

use super::super::restarts::{self, Awaited, Ready};
use super::super::tables::Step;
use super::{GUARDS_INTERVAL_NS, Sweeper, WATCH_INTERVAL};
use crate::pg::error::SqlError;
use crate::pg::process::clock;
use crate::pg::server;
use crate::pg::session::setting;
use crate::service::altered_settings::{self, Altered, Changer, Pause};
use crate::service::guards::{self, Failed, Failure, Owner};
use serde_json::{Map, Value};
use std::io;

impl Sweeper {
    fn owner(&self) -> Owner {
        Owner::of(self.stored.sweep_id)
    }

    /// Before anything is changed: starts the guards, if they are to restart the server.
    pub(super) fn begin_guards(&mut self) {
        let Some(command) = restarts::command().filter(|_| self.stored.spec.restarts.is_some())
        else {
            return;
        };
        let lines: Vec<_> = self.altered.iter().flat_map(Altered::file_lines).collect();
        match guards::begin(self.owner(), &command, &lines) {
            Ok(()) => self.guarded_at = Some(clock::now()),
            Err(error) => self.restarted.unguarded = Some(error.to_string()),
        }
    }

    /// Starts guards anew that are gone. Where this fails it is tried again.
    pub(super) fn keep_guards(&mut self) {
        let now = clock::now();
        if self
            .guarded_at
            .is_some_and(|at| now > at + GUARDS_INTERVAL_NS)
        {
            let _ = guards::keep();
            self.guarded_at = Some(now);
        }
    }

    /// Goes on in place of the worker that has waited for a restart, and from now on puts settings back at its end.
    pub(super) fn take_over(&mut self) -> Result<(), SqlError> {
        if self.still_waits().is_some() {
            return Ok(());
        }
        // First: a worker that goes on takes what has been put back for what the server was restarted without.
        let is_last = |awaited: &Awaited| awaited.settings.is_empty() && !awaited.restarted;
        // Who has waited for the last restart remembers nothing else.
        let forget = match self.awaited.as_ref().is_some_and(is_last) {
            true => restarts::give_up,
            false => restarts::forget,
        };
        self.store(|stored| forget(&stored.node_id, stored.sweep_id))?;
        altered_settings::put_back_at_exit(self.altered.clone());
        let failure = self.guarded_at.and_then(|_| guards::failure());
        if let Some(awaited) = &self.awaited
            && (awaited.restarted || failure.is_some())
        {
            self.restarted.settings = Some(awaited.settings.clone());
        }
        self.restarted.failure = failure;
        self.acknowledge()
    }

    fn acknowledge(&self) -> Result<(), SqlError> {
        match self.guarded_at.map_or(Ok(()), |_| guards::acknowledge()) {
            Ok(()) => Ok(()),
            Err(error) => Err(SqlError::new("58030", &error.to_string())),
        }
    }

    /// The settings that the guards are restarting the server for, where the worker before this one was killed while it waited.
    pub(super) fn still_waits(&self) -> Option<Map<String, Value>> {
        self.guarded_at?;
        let awaited = self.awaited.as_ref().filter(|it| !it.restarted)?;
        match guards::failure() {
            None => Some(awaited.settings.clone()),
            Some(_) => None,
        }
    }

    /// Whether nothing is left to do but the end of the sweep.
    pub(super) fn has_waited_for_the_last_restart(&self) -> bool {
        (self.awaited.as_ref()).is_some_and(|awaited| awaited.settings.is_empty())
    }

    /// Gives the server the settings of the point that need a restart. An error is an outcome of the point.
    pub(super) fn prepare(&mut self, step: &Step) -> Ready {
        if self.stored.spec.restarts.is_none() {
            return Ready::Yes;
        }
        let restarted = std::mem::take(&mut self.restarted);
        let ready = self.store(|stored| restarts::prepare(stored, step, &restarted));
        self.restarted = restarted;
        ready.unwrap_or_else(|error| Ready::Never(error.into()))
    }

    /// Leaves the settings for the restart, and the sweep to the worker that comes after it; false: the server was not
    /// restarted, and this worker goes on.
    pub(super) fn restart(&mut self, settings: &Map<String, Value>) -> Result<bool, SqlError> {
        // First: if this worker is ended now, whoever comes next puts them back.
        altered_settings::leave();
        if self.guarded_at.is_none() {
            self.begin_guards();
        }
        let alone = self.guarded_at.is_some() && restarts::command().is_some();
        let reason = self.store(|stored| restarts::wait_for_restart(stored, settings, alone))?;
        self.log(&reason);
        if !alone {
            guards::end(self.owner());
            return Ok(true);
        }
        let failure = self.await_restart(settings.is_empty())?;
        self.log(&format!("the server was not restarted: {}", failure.why));
        self.store(|stored| restarts::give_up(&stored.node_id, stored.sweep_id))?;
        self.acknowledge()?;
        altered_settings::put_back_at_exit(self.altered.clone());
        self.restarted.settings = Some(settings.clone());
        self.restarted.failure = Some(failure);
        Ok(false)
    }

    /// Waits for the end of the server, and with it of this process; returns why it does not come. `last`: the sweep ends after it.
    fn await_restart(&mut self, mut last: bool) -> Result<Failure, SqlError> {
        let impossible = |error: io::Error| Failure {
            what: Failed::Command,
            why: error.to_string(),
        };
        if let Err(error) = guards::request() {
            return Ok(impossible(error));
        }
        loop {
            if let Some(failure) = guards::failure() {
                return Ok(failure);
            }
            if self.watch.stopping && !last {
                // The restart may be under way; the sweep is not to go on after it.
                last = true;
                let altered = self.altered.clone();
                self.store(|stored| {
                    restarts::wait_for_restart(stored, &Map::new(), true)?;
                    altered_settings::put_back_lines(&altered);
                    Ok(())
                })?;
            }
            self.keep_guards();
            self.watch.wait(WATCH_INTERVAL);
        }
    }

    fn has_failed_to_restart_last(&self) -> bool {
        let failure = self.restarted.failure.as_ref();
        failure.is_some_and(|failure| failure.what == Failed::Command)
            && (self.restarted.settings.as_ref()).is_some_and(Map::is_empty)
    }

    fn log(&self, what: &str) {
        server::log(&format!("pgperf sweep {}: {what}", self.stored.sweep_id));
    }

    /// Puts the settings back as they were before the sweep, which is not over before.
    fn put_back(&mut self) {
        let changer = Changer::Sweep(self.stored.sweep_id);
        let mut pause = Pause::default();
        let mut told = String::new();
        loop {
            let why = match self.store(|_| Ok(altered_settings::put_back()?.of(changer))) {
                Ok(None) => return,
                Ok(Some(error)) | Err(error) => error,
            };
            // The server's log has it in any case.
            if why.message != told && self.store(|stored| stored.cannot_end(&why)).is_ok() {
                told = why.message;
            }
            let until = clock::now() + pause.next().as_nanos() as u64;
            while clock::now() < until {
                self.keep_guards();
                self.watch.wait(WATCH_INTERVAL);
            }
        }
    }

    /// Puts the settings back, by one more restart where that is needed and possible, and stores the sweep's end.
    pub(super) fn finish(&mut self, stopped: bool) -> Result<(), SqlError> {
        self.put_back();
        if !self.has_failed_to_restart_last()
            && self.guarded_at.is_some()
            && self.store(restarts::last_is_due)?
        {
            self.altered.clear();
            if self.restart(&Map::new())? {
                return Ok(());
            }
        }
        if self.has_failed_to_restart_last() && self.altered.is_empty() {
            self.store(restarts::leave_last)?;
        }
        self.store(|stored| {
            // What ends the guards has to outlive a crash.
            setting::for_transaction("synchronous_commit", "local");
            stored.end(stopped)
        })?;
        // Last: until then the server is started again if it is killed.
        guards::end(self.owner());
        Ok(())
    }
}
