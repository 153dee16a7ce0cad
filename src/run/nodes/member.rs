//! A node of a run on several, as the run's conductor knows it.

use super::figures::Pooled;
use super::on_node::{Asked, Interval, PROGRESS, Progress, START, part_of, progress};
use crate::catalog::runs::ExistingRun;
use crate::error::{Error, Result};
use crate::pg::process::{lock, worker};
use crate::run::control::leader_pid;
use crate::run::record::run_row::StoredRun;
use crate::run::request::nodes::Node;
use crate::target::conversation::Conversation;
use pgrx::pg_sys::Oid;
use serde::Deserialize;
use std::collections::VecDeque;
use std::time::Duration;

/// How long a node may take to start its part, to tell how far that is, and to send all of it.
const START_PATIENCE: Duration = Duration::from_secs(30);
const PATIENCE: Duration = Duration::from_secs(5);
const DOCUMENT_PATIENCE: Duration = Duration::from_secs(300);

/// A run that is stored here.
#[derive(Debug, Clone, Deserialize)]
pub struct Key {
    /// uuid as text.
    pub node_id: String,
    pub run_id: i64,
}

/// A node and its part.
pub struct Member {
    pub node: Node,
    /// Its part, once that is here.
    pub key: Option<Key>,
    /// None: it is this server, or there is no connection.
    session: Option<Conversation>,
    /// What it told last, without the intervals.
    pub progress: Option<Progress>,
    /// Why it was given up, and how many seconds after the measured part began.
    pub lost: Option<(Error, f64)>,
    /// Whether it was looked for again since.
    pub was_looked_for: bool,
    /// Intervals that others have not told yet.
    pub waiting: VecDeque<Interval>,
    /// The number of the next interval.
    next: i32,
    /// What its intervals so far say together.
    pub sum: Sum,
}

/// The figures of a part from its intervals.
#[derive(Debug, Clone, Default)]
pub struct Sum {
    pub seconds: f64,
    pub transactions: u64,
    pub failed: u64,
    pub retried: u64,
    pub retries: u64,
    pub skipped: u64,
    pub late: u64,
    pub pooled: Pooled,
}

impl Sum {
    fn add(&mut self, interval: &Interval) -> Result<()> {
        self.seconds += interval.seconds;
        self.transactions += interval.transactions;
        self.failed += interval.failed;
        self.retried += interval.retried;
        self.retries += interval.retries;
        self.skipped += interval.skipped;
        self.late += interval.late;
        let histogram = interval.histogram.as_deref();
        (self.pooled).add(interval.transactions, &interval.latency, histogram)
    }
}

impl Member {
    /// `here`: the node of this server.
    pub fn new(node: Node, here: &str) -> Member {
        let part_here = node.run_there.filter(|_| node.is_here);
        Member {
            key: part_here.map(|run_id| Key {
                node_id: here.to_owned(),
                run_id,
            }),
            node,
            session: None,
            progress: None,
            lost: None,
            was_looked_for: false,
            waiting: VecDeque::new(),
            next: 0,
            sum: Sum::default(),
        }
    }

    /// Connects as this role does; nothing is to be done where it is this server.
    ///
    /// # Errors
    /// Those of the connection.
    pub fn connect(&mut self, role: Oid, name: &str) -> Result<()> {
        if !self.node.is_here {
            self.session = Some(Conversation::open(&self.node.node, role, name)?);
        }
        Ok(())
    }

    /// Starts its part, unless that has begun with the run.
    ///
    /// # Errors
    /// Those of the node.
    pub fn start(&mut self, run: &StoredRun, group_id: &str) -> Result<()> {
        let Some(session) = &mut self.session else {
            return Ok(());
        };
        let mut values =
            Asked::of(&run.spec, &self.node).values(&part_of(&run.spec, &self.node)?)?;
        values.push(group_id.to_owned());
        let values: Vec<&str> = values.iter().map(String::as_str).collect();
        self.node.run_there = Some(session.ask_for(START, &values, START_PATIENCE)?);
        Ok(())
    }

    /// Whether there is more to come of it.
    pub fn goes_on(&self) -> bool {
        let has_ended = self.progress.as_ref().is_some_and(Progress::has_ended);
        self.node.run_there.is_some() && self.lost.is_none() && !has_ended
    }

    pub fn has_ended(&self) -> bool {
        self.lost.is_none() && self.progress.as_ref().is_some_and(Progress::has_ended)
    }

    pub fn is_ready(&self) -> bool {
        self.progress.as_ref().is_some_and(|told| told.is_ready)
    }

    /// Asks how far it is.
    ///
    /// # Errors
    /// It does not tell.
    pub fn ask(&mut self, run: &mut StoredRun) -> Result<()> {
        let Some(part) = self.node.run_there else {
            return Ok(());
        };
        let told = match &mut self.session {
            Some(session) => {
                let values = [part, i64::from(self.next)].map(|value| value.to_string());
                let values = values.each_ref().map(String::as_str);
                Some(session.ask_for(PROGRESS, &values, PATIENCE)?)
            }
            None => ask_here(run, part, self.next),
        };
        if let Some(told) = told {
            self.take(told)?;
        }
        Ok(())
    }

    fn take(&mut self, mut told: Progress) -> Result<()> {
        for interval in std::mem::take(&mut told.intervals) {
            self.sum.add(&interval)?;
            self.next = interval.interval_no.saturating_add(1);
            self.waiting.push_back(interval);
        }
        self.progress = Some(told);
        Ok(())
    }

    /// Gives it up.
    pub fn lose(&mut self, error: Error, after_s: f64) {
        self.session = None;
        self.lost = Some((error, after_s));
    }

    /// Stops its part.
    ///
    /// # Errors
    /// It does not take it.
    pub fn stop(&mut self, run: &mut StoredRun) -> Result<()> {
        let Some(part) = self.node.run_there else {
            return Ok(());
        };
        match &mut self.session {
            Some(session) => {
                let sql = "SELECT pgperf.stop_run($1::pg_catalog.int8)";
                session.ask(sql, &[&part.to_string()], PATIENCE)?;
            }
            None => stop_here(run, part),
        }
        Ok(())
    }

    /// Its part as a document; None: it is here already.
    ///
    /// # Errors
    /// It cannot be had.
    pub fn document(&mut self, transactions: bool) -> Result<Option<String>> {
        let (Some(part), Some(session)) = (self.node.run_there, &mut self.session) else {
            return Ok(None);
        };
        let sql = "SELECT pgperf.export_run($1::pg_catalog.int8, $2::pg_catalog.bool)";
        let values = [part.to_string(), transactions.to_string()];
        let values = values.each_ref().map(String::as_str);
        session.ask(sql, &values, DOCUMENT_PATIENCE).map(Some)
    }
}

/// None: a table is locked at the moment.
fn ask_here(run: &mut StoredRun, part: i64, from_interval: i32) -> Option<Progress> {
    let existing = ExistingRun {
        node_id: run.node_id.clone(),
        run_id: part,
        role: String::new(),
    };
    let mut told = None;
    run.try_store(|_| {
        told = Some(progress(&existing, from_interval)?);
        Ok(())
    });
    told
}

fn stop_here(run: &mut StoredRun, part: i64) {
    run.try_store(|_| {
        if lock::leader_lives(part)
            && let Some(pid) = leader_pid(part)?
        {
            worker::signal(pid, worker::CANCEL);
        }
        Ok(())
    });
}
