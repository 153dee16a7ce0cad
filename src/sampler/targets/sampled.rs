//! A target that is sampled: its timetable, its connection, and what is to be asked next. Nothing here waits for it.

use super::super::begin::trouble_is_new;
use super::super::timetable::{Due, Micros, Timetable, Wanted};
use super::super::worker::parts;
use super::list::{Listed, News};
use crate::collect::of_target::TargetSampler;
use crate::collect::sample::of_target::TargetSample;
use crate::error::{Error, Result, failure};
use crate::pg::process::clock;
use crate::pg::server;
use crate::target;
use pgrx::pg_sys::Oid;
use pgrx::pg_sys::errcodes::PgSqlErrorCode;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;
use wire::{Conninfo, Waker};

/// The name of its sessions there.
const NAME: &str = "pgperf sampler";
/// How soon it is connected to again after a failure: later each time.
const SOONEST: Duration = Duration::from_secs(1);
const LATEST: Duration = Duration::from_secs(30);
/// What a sample costs a target is the least of so many: where it is busy, an answer takes longer and costs no more.
const COSTS: usize = 10;
/// Clocks of targets are apart by less than this.
const MOST_APART: u64 = 60_000_000;

pub struct Sampled {
    pub server: u32,
    name: String,
    role: Oid,
    /// When somebody has asked for it: each time it is another row of the list.
    started_at: String,
    timetable: Timetable,
    /// So much its clock is behind: of a hundred targets not all are asked at the same moment.
    behind: Micros,
    /// The last times that it has worked for a sample, by cadence.
    costs: HashMap<Micros, VecDeque<f64>>,
    /// See [`parts`].
    full_at: HashMap<&'static str, i64>,
    /// Samples that are due.
    waiting: VecDeque<Due>,
    /// The one that is asked for.
    asked: Option<Due>,
    session: Option<Session>,
    /// Before this moment it is not connected to.
    retry_at: u64,
    /// In a row.
    failures: u32,
    /// What its row in the list says, as far as this process has written it.
    noted: Option<News>,
    /// The last problem logged.
    problem: Option<String>,
}

/// The conversation with it, and how it was reached.
struct Session {
    sampler: TargetSampler,
    info: Conninfo,
}

impl Sampled {
    pub fn new(name: String, listed: Listed) -> Sampled {
        let Listed { server, role, .. } = listed;
        Sampled {
            server,
            name,
            role: Oid::from(role),
            started_at: listed.started_at,
            timetable: Timetable::default(),
            behind: behind(server),
            costs: HashMap::new(),
            full_at: HashMap::new(),
            waiting: VecDeque::new(),
            asked: None,
            session: None,
            retry_at: 0,
            failures: 0,
            noted: None,
            problem: None,
        }
    }

    /// Whether it is the same server under the same name, sampled as the same role.
    pub fn is(&self, listed: &Listed) -> bool {
        self.server == listed.server
            && listed.name.as_ref() == Some(&self.name)
            && u32::from(self.role) == listed.role
            && self.started_at == listed.started_at
    }

    pub fn set_wanted(&mut self, wanted: &[Wanted]) {
        self.timetable.set(wanted, self.now());
    }

    /// By its own clock.
    fn now(&self) -> Micros {
        server::timestamp_now() - self.behind
    }

    /// When something is due next; as the server counts time.
    pub fn next_at(&self) -> Option<Micros> {
        Some(self.timetable.next_at()? + self.behind)
    }

    /// How its role connects to it. In a transaction.
    ///
    /// # Errors
    /// The role may not, any more.
    pub fn connection(&self) -> Result<Conninfo> {
        if server::role_name(self.role).is_none() {
            return Err(failure(
                PgSqlErrorCode::ERRCODE_UNDEFINED_OBJECT,
                "the role for which it was sampled does not exist any more",
            ));
        }
        target::connection_of(self.role, &self.name)
    }

    /// Whether it is to be connected to now.
    pub fn wants_session(&self) -> bool {
        self.session.is_none() && clock::now() >= self.retry_at
    }

    /// Begins a conversation. `told`: woken by its answers.
    ///
    /// # Errors
    /// The system has no thread or no file descriptor left.
    pub fn begin(&mut self, info: Conninfo, told: &Arc<Waker>) -> Result<()> {
        let sampler = TargetSampler::start(&self.name, info.clone(), NAME, Some(Arc::clone(told)))?;
        self.session = Some(Session { sampler, info });
        Ok(())
    }

    /// Whether its role would still connect to it in the same way.
    pub fn is_reached_by(&self, info: &Conninfo) -> bool {
        (self.session.as_ref()).is_none_or(|session| session.info == *info)
    }

    /// It is connected to anew, as soon as it is due.
    pub fn reconnect(&mut self) {
        self.end_session();
        self.retry_at = 0;
    }

    /// It cannot be sampled: it is tried again, later each time.
    pub fn fail(&mut self, error: &Error) -> News {
        self.end_session();
        let pause = SOONEST.saturating_mul(1 << self.failures.min(10));
        self.retry_at = clock::now() + pause.min(LATEST).as_nanos() as u64;
        self.failures += 1;
        let reason = match error.detail() {
            Some(detail) => format!("{error}: {detail}"),
            None => error.to_string(),
        };
        self.tell(&format!("no samples: {reason}"));
        News::Failed(reason)
    }

    fn end_session(&mut self) {
        self.session = None;
        self.waiting.clear();
        self.asked = None;
    }

    /// What has come of it.
    pub fn sample(&mut self) -> Option<Result<TargetSample>> {
        let sample = self.session.as_mut()?.sampler.sample()?;
        let asked = self.asked.take();
        if let (Ok(sample), Some(due)) = (&sample, asked) {
            let costs = self.costs.entry(due.cadence).or_default();
            costs.truncate(COSTS - 1);
            costs.push_front(sample.worked.as_micros() as f64);
            let cost = costs.iter().copied().fold(f64::INFINITY, f64::min);
            // Of those that are taken together, nobody knows what each of them costs.
            let count = due.collectors.len().max(1) as f64;
            for (name, _) in due.collectors {
                self.timetable.spent(name, cost / count);
            }
        }
        Some(sample)
    }

    /// A sample was stored under this node.
    pub fn stored(&mut self, node_id: String, counting_since: String) -> Option<News> {
        let sampler = &mut self.session.as_mut()?.sampler;
        sampler.count_since(counting_since);
        let unknown = sampler.unknown();
        if self.problem.take().is_some() {
            self.log("sampled again");
        }
        self.failures = 0;
        Some(News::Sampled { node_id, unknown })
    }

    /// That a sample could not be stored, or that there is none.
    pub fn tell(&mut self, problem: &str) {
        if trouble_is_new(&mut self.problem, problem) {
            self.log(problem);
        }
    }

    fn log(&self, what: &str) {
        server::log(&format!("{NAME}: target \"{}\": {what}", self.name));
    }

    /// Whether its row does not say that yet.
    pub fn is_new(&self, news: &News) -> bool {
        self.noted.as_ref() != Some(news)
    }

    /// Its row says that.
    pub fn is_noted(&mut self, news: &News) {
        self.noted = Some(news.clone());
    }

    /// Asks for what is due, unless it has not answered yet. `budget`: the part of one CPU that it may work for that.
    pub fn ask(&mut self, budget: f64) {
        let now = self.now();
        self.timetable.keep_within(budget, now);
        let due = self.timetable.due(now);
        // Without a connection, ticks pass.
        let Some(Session { sampler, .. }) = &mut self.session else {
            return;
        };
        for due in due {
            // The one before is late: this one is left out.
            let is_late = |before: &Due| before.cadence == due.cadence;
            if !self.asked.iter().chain(&self.waiting).any(is_late) {
                self.waiting.push_back(due);
            }
        }
        if sampler.is_busy() {
            return;
        }
        if let Some(due) = self.waiting.pop_front() {
            let parts = parts(&due, &mut self.full_at, now);
            sampler.ask(parts, Some(due.cadence as f64 / 1e6));
            self.asked = Some(due);
        }
    }
}

/// Oids that follow each other are far apart.
fn behind(server: u32) -> Micros {
    (u64::from(server) * 37_082_039 % MOST_APART) as Micros
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_spread_over_a_minute() {
        let mut seconds: Vec<Micros> = (16_400..16_460)
            .map(|oid| behind(oid) / 5_000_000)
            .collect();
        seconds.sort_unstable();
        seconds.dedup();
        assert_eq!(seconds.len(), 12);
    }
}
