//! The counts of a client, for the checks of a test.

use super::World;
use crate::*;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// What a client has counted.
#[derive(Default)]
pub struct Counted {
    pub latencies: Vec<u64>,
    pub late: u64,
    pub lags: Vec<u64>,
    pub failed: Vec<FailureKind>,
    pub retried: Vec<u64>,
    pub retry_times: Vec<u64>,
    pub skipped: u64,
    pub used: Usage,
    pub lost: Vec<Spent>,
    pub received: (u64, u64),
    pub warmup: u64,
    pub reconnected: Vec<u64>,
    pub followed: Vec<u64>,
    pub entries: Vec<Entry>,
    pub errors: Vec<ClientError>,
    pub commands: BTreeMap<usize, CommandStats>,
    pub scripts: BTreeMap<usize, ScriptStats>,
    /// How often commands were reported.
    pub reports: usize,
    /// How long an entry of the log waits.
    pub log_waits_ns: u64,
}

/// Where it counts.
pub struct Counts(pub Rc<World>, pub Rc<RefCell<Counted>>);

impl Sink for Counts {
    fn transaction(&mut self, latency_ns: u64) {
        self.1.borrow_mut().latencies.push(latency_ns);
    }

    fn late(&mut self) {
        self.1.borrow_mut().late += 1;
    }

    fn lag(&mut self, ns: u64) {
        self.1.borrow_mut().lags.push(ns);
    }

    fn failed(&mut self, kind: FailureKind) {
        self.1.borrow_mut().failed.push(kind);
    }

    fn retried(&mut self, retries: u64) {
        self.1.borrow_mut().retried.push(retries);
    }

    fn retry_time(&mut self, ns: u64) {
        self.1.borrow_mut().retry_times.push(ns);
    }

    fn skipped(&mut self) {
        self.1.borrow_mut().skipped += 1;
    }

    fn usage(&mut self, usage: &Usage) {
        self.1.borrow_mut().used.add(usage);
    }

    fn lost(&mut self, spent: &Spent) {
        self.1.borrow_mut().lost.push(*spent);
    }

    fn received(&mut self, rows: u64, bytes: u64) {
        self.1.borrow_mut().received = (rows, bytes);
    }

    fn warmup_transaction(&mut self) {
        self.1.borrow_mut().warmup += 1;
    }

    fn followed(&mut self, turn: u64) {
        self.1.borrow_mut().followed.push(turn);
    }

    fn reconnected(&mut self, took_ns: u64) {
        self.1.borrow_mut().reconnected.push(took_ns);
    }

    fn log(&mut self, entry: &Entry) -> u64 {
        let mut counted = self.1.borrow_mut();
        counted.entries.push(*entry);
        self.0.pass(counted.log_waits_ns);
        counted.log_waits_ns
    }

    fn error(&mut self, error: &ClientError) -> u64 {
        let mut counted = self.1.borrow_mut();
        let same = |other: &&ClientError| other.sqlstate == error.sqlstate;
        let before = counted.errors.iter().filter(same).count() as u64;
        counted.errors.push(error.clone());
        before
    }

    fn command(&mut self, index: usize, stats: &CommandStats) {
        let mut counted = self.1.borrow_mut();
        counted.reports += usize::from(index == 0);
        counted.commands.entry(index).or_default().merge(stats);
    }

    fn script(&mut self, number: usize, stats: &ScriptStats) {
        let mut counted = self.1.borrow_mut();
        counted.scripts.entry(number).or_default().merge(stats);
    }
}
