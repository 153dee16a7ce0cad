//! The conductor of a run on several nodes: the run's worker in place of a leader, as the extension's owner. It starts a part on each node,
//! makes sure that all are ready before any begins, stores what they have done together, interval by interval, and brings the parts here when
//! they have ended.
//!
//! The parts begin by themselves at the moment that was agreed, and end by themselves: without the conductor they go on, and the run shows as
//! interrupted.

use super::begin::of_node;
use super::member::{Key, Member};
use super::{intervals, whole};
use crate::error::{Error, Result, failure};
use crate::pg::error::sqlstate_text;
use crate::pg::process::{clock, latch, lock, worker};
use crate::pg::server;
use crate::pg::sql::{document, spi};
use crate::run::record::run_row::{End, Milestone, StoredRun};
use crate::run::request::nodes::Node;
use crate::service::launch::LeaderLaunch;
use crate::service::permission::Reason;
use pgrx::pg_sys::errcodes::PgSqlErrorCode;
use std::time::Duration;

/// How long before the beginning all parts have to be ready: then those that are can still be stopped.
const READY_BEFORE_NS: u64 = 500_000_000;
/// How long before it the run's row says that it has begun.
const STORED_BEFORE_NS: u64 = 200_000_000;
/// How often it asks the nodes how far they are: at each sample interval, but no more and no less often than this.
const ASK_INTERVALS_S: (f64, f64) = (0.2, 2.0);
const WATCH_INTERVAL: Duration = Duration::from_millis(100);
const EXTENSION_INTERVAL_NS: u64 = 500_000_000;
/// How long parts that are stopped before they begin may take to end.
const END_GRACE_NS: u64 = 10_000_000_000;

/// Leads a run whose clients are on other nodes.
pub fn conduct(launch: LeaderLaunch, stored: StoredRun) {
    let member = |node: &Node| Member::new(node.clone(), &stored.node_id);
    let members = stored.spec.nodes.iter().map(member).collect();
    let mut conductor = Conductor {
        launch,
        stored,
        members,
        end: None,
        seen_at: clock::now(),
        next_interval: 0,
    };
    conductor.conduct();
}

struct Conductor {
    launch: LeaderLaunch,
    stored: StoredRun,
    members: Vec<Member>,
    /// Set once; why the run ends early.
    end: Option<End>,
    seen_at: u64,
    next_interval: i32,
}

impl Conductor {
    fn conduct(&mut self) {
        self.stored.milestone(&Milestone::Preparing);
        self.start_parts();
        self.await_ready();
        match self.end.is_none() {
            true => {
                self.begin();
                self.follow();
                self.bring();
                whole::store_totals(&mut self.stored, &self.members);
            }
            false => self.await_stopped(),
        }
        let end = self.end.clone().unwrap_or_else(|| self.ending());
        self.stored.end(&end);
    }

    fn start_parts(&mut self) {
        let name = format!("pgperf run {}", self.launch.run_id);
        let group_id = self.stored.spec.group_id.clone().unwrap_or_default();
        for number in 0..self.members.len() {
            self.pause(Duration::ZERO);
            if self.end.is_some() {
                return;
            }
            let member = &mut self.members[number];
            let started = member
                .connect(self.launch.caller, &name)
                .and_then(|()| member.start(&self.stored, &group_id));
            if let Err(error) = started {
                let error = of_node(&member.node.node, &error);
                return self.fail(&error);
            }
            let part = self.members[number].node.run_there;
            self.note(number, "run_there", part);
        }
    }

    /// Waits until all parts are ready; before it is too late to stop them.
    fn await_ready(&mut self) {
        let mut was_told = false;
        while self.end.is_none() {
            let too_late = self.moment(0.0).saturating_sub(READY_BEFORE_NS) <= clock::now();
            for number in 0..self.members.len() {
                self.ask(number);
                let member = &self.members[number];
                let name = &member.node.node;
                let told = member.progress.as_ref();
                let problem = match (&member.lost, told) {
                    (Some((error, _)), _) => of_node(name, error),
                    (_, Some(told)) if told.has_ended() => of_node(
                        name,
                        &problem(told.error.as_deref().unwrap_or(&told.status)),
                    ),
                    _ if too_late && !member.is_ready() => of_node(
                        name,
                        &problem("it was not ready at start_at, so nothing has begun"),
                    ),
                    _ => continue,
                };
                return self.fail(&problem);
            }
            let all = self.members.iter().all(Member::is_ready);
            if all && !was_told {
                was_told = true;
                self.stored.milestone(&Milestone::Ready);
            }
            if all && too_late {
                return;
            }
            self.pause(WATCH_INTERVAL);
        }
    }

    /// From a little before the parts begin until they measure.
    fn begin(&mut self) {
        let warmup_s = self.stored.spec.warmup_s;
        self.pause_until(self.moment(0.0).saturating_sub(STORED_BEFORE_NS));
        if warmup_s > 0.0 {
            self.stored.milestone(&Milestone::WarmingUp);
        }
        self.pause_until(self.moment(warmup_s).saturating_sub(STORED_BEFORE_NS));
        self.stored.milestone(&Milestone::Running {
            warmed_up: warmup_s > 0.0,
        });
    }

    /// Stores what the parts have done together, until all have ended or are lost.
    fn follow(&mut self) {
        let (least, most) = ASK_INTERVALS_S;
        let ask_s = self.stored.spec.sample_interval_s.clamp(least, most);
        let mut next_at = self.moment(self.stored.spec.warmup_s);
        loop {
            while self.members.iter().any(Member::goes_on) {
                next_at = next_at.max(clock::now()) + clock::nanoseconds(ask_s);
                self.pause_until(next_at);
                self.pause(WATCH_INTERVAL);
                (0..self.members.len()).for_each(|number| self.ask(number));
                self.store_intervals();
            }
            if !self.look_for_lost() {
                return;
            }
        }
    }

    /// Connects once more to those that are lost, when the others have ended; whether one of them still works.
    fn look_for_lost(&mut self) -> bool {
        let name = format!("pgperf run {}", self.launch.run_id);
        for number in 0..self.members.len() {
            let member = &mut self.members[number];
            if member.was_looked_for || member.lost.is_none() {
                continue;
            }
            member.was_looked_for = true;
            if member.connect(self.launch.caller, &name).is_ok() {
                let lost = member.lost.take();
                self.ask(number);
                let member = &mut self.members[number];
                if member.lost.is_some() {
                    member.lost = lost;
                }
            }
        }
        self.members.iter().any(Member::goes_on)
    }

    /// Asks a node how far it is.
    fn ask(&mut self, number: usize) {
        let after_s = self.elapsed_s();
        let member = &mut self.members[number];
        if !member.goes_on() {
            return;
        }
        if let Err(error) = member.ask(&mut self.stored) {
            let said = of_node(&member.node.node, &error);
            member.lose(error, after_s);
            self.say(&format!("{}; the others go on", in_full(&said)));
        }
    }

    /// The intervals that all parts have told, of which more is to come.
    fn store_intervals(&mut self) {
        loop {
            let number = self.next_interval;
            let has = |member: &Member| {
                member
                    .waiting
                    .front()
                    .is_some_and(|next| next.interval_no <= number)
            };
            let is_complete = self.members.iter().all(|it| has(it) || !it.goes_on());
            if !is_complete || !self.members.iter().any(has) {
                return;
            }
            intervals::store_interval(&mut self.stored, &mut self.members, number);
            self.next_interval += 1;
        }
    }

    /// Stores each part here, with all that belongs to it.
    fn bring(&mut self) {
        let log = self.stored.spec.sampling_rate.is_some();
        for number in 0..self.members.len() {
            let member = &mut self.members[number];
            if !member.has_ended() {
                continue;
            }
            let brought = member.document(log).and_then(|document| match document {
                Some(document) => self.import(&document).map(Some),
                None => Ok(None),
            });
            match brought {
                Ok(None) => {}
                Ok(Some(key)) => {
                    self.note(number, "run_id", Some(key.run_id));
                    self.members[number].key = Some(key);
                }
                Err(error) => {
                    let error = of_node(&self.members[number].node.node, &error).to_string();
                    server::log(&format!("pgperf run {}: {error}", self.launch.run_id));
                    self.stored.lose_rows_because(&error);
                }
            }
        }
    }

    /// Stores a document as a run of the caller; the key of that run.
    ///
    /// # Errors
    /// It is none, or that of a run that is stored here as somebody else's: a node may say what it likes.
    fn import(&mut self, document: &str) -> Result<Key> {
        let caller = self.launch.caller;
        let mut key = None;
        let is_stored = self.stored.try_store(|_| {
            let role = server::role_name(caller);
            let sql = "SELECT pgperf_internal.store_document($1::pg_catalog.jsonb, NULL, $2)";
            let values = [document.into(), role.as_deref().into()];
            let run_id = document::execute::<i64>(sql, &values)?;
            key = spi::select_one(
                "SELECT r.node_id, r.run_id FROM pgperf_internal.stored_runs r \
                  WHERE r.node_id::pg_catalog.text = $1::pg_catalog.jsonb #>> '{run,node_id}' AND r.role = $2 AND r.run_id = $3",
                &[document.into(), role.as_deref().into(), run_id.into()],
            )?;
            Ok(())
        });
        key.ok_or_else(|| match is_stored {
            true => problem("its document is that of a run of another role"),
            false => problem(self.stored.failure()),
        })
    }

    /// Has all parts stop; again when it is wanted again.
    fn stop(&mut self, reason: Option<Reason>) {
        self.end.get_or_insert(End::Stopped(reason));
        let after_s = self.elapsed_s();
        for member in self.members.iter_mut().filter(|member| member.goes_on()) {
            if let Err(error) = member.stop(&mut self.stored) {
                member.lose(error, after_s);
            }
        }
    }

    /// Nothing is to begin.
    fn fail(&mut self, error: &Error) {
        self.end.get_or_insert(End::Failed {
            sqlstate: sqlstate_text(error.sqlstate() as i32),
            message: in_full(error),
        });
        self.stop(None);
    }

    fn await_stopped(&mut self) {
        let until = clock::now() + END_GRACE_NS;
        while self.members.iter().any(Member::goes_on) && clock::now() < until {
            self.pause(WATCH_INTERVAL);
            (0..self.members.len()).for_each(|number| self.ask(number));
        }
    }

    /// How the run ended where nobody has ended it: as the worst of its parts.
    fn ending(&self) -> End {
        let mut ends = Vec::new();
        for member in &self.members {
            let name = &member.node.node;
            let told = member.progress.as_ref();
            if let Some((error, after_s)) = &member.lost {
                let lost = format!(
                    "node \"{name}\" was lost after {after_s:.1} s: {}",
                    in_full(error)
                );
                ends.push((2, "08006".to_owned(), lost));
            } else if let Some(told) = told.filter(|told| told.status != "finished") {
                let why = told
                    .error
                    .as_ref()
                    .map_or(String::new(), |why| format!(": {why}"));
                let rank = if told.status == "stopped" { 1 } else { 2 };
                let sqlstate = told.sqlstate.clone().unwrap_or_else(|| "57P01".to_owned());
                let ended = format!("node \"{name}\": its part was {}{why}", told.status);
                ends.push((rank, sqlstate, ended));
            }
        }
        ends.sort_by_key(|(rank, ..)| -rank);
        let messages: Vec<&str> = ends
            .iter()
            .map(|(_, _, message)| message.as_str())
            .collect();
        match ends.first() {
            None => End::Finished,
            Some((1, ..)) => End::Stopped(Some(Reason {
                sqlstate: "57014",
                message: messages.join("; "),
                hint: String::new(),
            })),
            Some((_, sqlstate, _)) => End::Failed {
                sqlstate: sqlstate.clone(),
                message: messages.join("; "),
            },
        }
    }

    /// What is wrong while the run goes on.
    fn say(&mut self, message: &str) {
        server::log(&format!("pgperf run {}: {message}", self.launch.run_id));
        self.stored.try_store(|run| {
            spi::execute(
                "UPDATE pgperf_internal.stored_runs SET error = $3 WHERE node_id = $1::pg_catalog.uuid AND run_id = $2",
                &[run.node_id.as_str().into(), run.run_id.into(), message.into()],
            )?;
            Ok(())
        });
    }

    /// The number of a node's run, in the row of the whole.
    fn note(&mut self, number: usize, name: &str, run_id: Option<i64>) {
        let Some(run_id) = run_id else {
            return;
        };
        self.stored.store(|run| {
            spi::execute(
                "UPDATE pgperf_internal.stored_runs r \
                    SET spec = pg_catalog.jsonb_set(r.spec, ARRAY['nodes', $3, $4], pg_catalog.to_jsonb($5)) \
                  WHERE r.node_id = $1::pg_catalog.uuid AND r.run_id = $2",
                &[
                    run.node_id.as_str().into(),
                    run.run_id.into(),
                    number.to_string().as_str().into(),
                    name.into(),
                    run_id.into(),
                ],
            )?;
            Ok(())
        });
    }

    /// The moment so many seconds after the parts begin, on the monotonic clock.
    fn moment(&self, later_s: f64) -> u64 {
        let start_at = self.stored.spec.start_at.as_ref();
        start_at.map_or_else(clock::now, |at| at.monotonic(later_s))
    }

    /// Since the measured part began.
    fn elapsed_s(&self) -> f64 {
        let began = self.moment(self.stored.spec.warmup_s);
        clock::now().saturating_sub(began) as f64 / 1e9
    }

    fn pause_until(&mut self, at: u64) {
        while self.end.is_none() && clock::now() < at {
            self.pause(Duration::from_nanos(at.saturating_sub(clock::now())));
        }
    }

    /// Waits for at most so long, and sees what is wanted of it.
    fn pause(&mut self, limit: Duration) {
        latch::wait(limit.min(WATCH_INTERVAL));
        if worker::cancel_requested() {
            self.stop(None);
        }
        let now = clock::now();
        if now >= self.seen_at + EXTENSION_INTERVAL_NS {
            self.seen_at = now;
            self.stored.check_extension();
        }
        if lock::database_is_being_dropped() || self.stored.extension_is_gone() {
            worker::exit();
        }
        if self.end.is_none() && self.stored.extension_was_updated() {
            self.stop(Some(Reason {
                sqlstate: "55000",
                message: "the extension was updated meanwhile".to_owned(),
                hint: String::new(),
            }));
        }
    }
}

/// An error with its detail.
fn in_full(error: &Error) -> String {
    match error.detail() {
        Some(detail) => format!("{error}: {detail}"),
        None => error.to_string(),
    }
}

fn problem(message: &str) -> Error {
    failure(
        PgSqlErrorCode::ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
        message,
    )
}
