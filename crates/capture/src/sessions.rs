//! A capture read again: each session with its steps, and what every statement has to wait for.

use crate::code::Read;
use crate::record::{self, Ending, Record, Start, Statement, Visible, Work};
use crate::segment::{self, Rest};
use std::collections::{BTreeMap, HashMap};
use std::io;
use std::path::Path;

/// What was captured.
#[derive(Debug)]
pub struct Capture {
    pub sessions: Vec<Session>,
    /// Statements' texts by their hash.
    pub texts: HashMap<u64, Vec<u8>>,
    /// Transactions that found no room.
    pub dropped: u64,
    /// Transactions that wrote and committed.
    pub commits: u64,
    /// Whether the files end as they should.
    pub rest: Rest,
}

/// A session with its steps in order.
#[derive(Debug)]
pub struct Session {
    pub start: Start,
    pub steps: Vec<Step>,
}

/// What a session did next.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    Statement {
        statement: Statement,
        /// So many commits, in their order, it could see, or its locks came after: it may run when they are done.
        after: u64,
    },
    /// The end of a transaction, which the last statement brought about. `commit`: its place in the order of commits, from 1; None if it
    /// left nothing to see.
    End {
        end: record::End,
        commit: Option<u64>,
    },
    /// The end of the session.
    Closed { at: i64 },
}

/// A part of a capture, as it is read.
pub enum Part<'r> {
    Text {
        hash: u64,
        text: Vec<u8>,
    },
    /// A transaction of a session with its end, or the end of the session.
    Steps {
        session: u64,
        start: &'r Start,
        steps: Vec<Step>,
    },
}

/// Shows a capture part by part: nothing of it is held but the transactions whose end is still to come, which are left out if it does not.
/// Returns how many transactions found no room, and whether the files end as they should.
///
/// # Errors
/// Those of the file system, what is no capture, and those of `see`.
pub fn each(folder: &Path, mut see: impl FnMut(Part) -> io::Result<()>) -> io::Result<(u64, Rest)> {
    let mut sessions: HashMap<u64, Reading> = HashMap::new();
    let mut dropped = 0;
    let rest = segment::read(folder, |session, bytes| {
        let mut bytes = Read::new(bytes);
        while !bytes.is_empty() {
            let damaged = || io::Error::new(io::ErrorKind::InvalidData, "a record cannot be read");
            let record = record::read(&mut bytes).ok_or_else(damaged)?;
            match record {
                Record::Start(start) => {
                    sessions.insert(session, Reading::new(start));
                    continue;
                }
                Record::Text { hash, text } => {
                    see(Part::Text { hash, text })?;
                    continue;
                }
                Record::Dropped { transactions } => dropped += transactions,
                _ => {}
            }
            let Some(reading) = sessions.get_mut(&session) else {
                continue;
            };
            let is_over = matches!(record, Record::Closed { .. });
            if let Some(steps) = reading.add(record) {
                let start = &reading.start;
                see(Part::Steps {
                    session,
                    start,
                    steps,
                })?;
            }
            if is_over {
                sessions.remove(&session);
            }
        }
        Ok(())
    })?;
    Ok((dropped, rest))
}

impl Capture {
    /// Reads a capture's files. `between` is called now and then.
    ///
    /// # Errors
    /// Those of the file system, and what is no capture.
    pub fn read(folder: &Path, mut between: impl FnMut()) -> io::Result<Capture> {
        let mut sessions: BTreeMap<u64, Session> = BTreeMap::new();
        let mut texts = HashMap::new();
        let (dropped, rest) = each(folder, |part| {
            between();
            match part {
                Part::Text { hash, text } => {
                    texts.insert(hash, text);
                }
                Part::Steps {
                    session,
                    start,
                    steps,
                } => {
                    let session = sessions.entry(session).or_insert_with(|| Session {
                        start: start.clone(),
                        steps: Vec::new(),
                    });
                    session.steps.extend(steps);
                }
            }
            Ok(())
        })?;
        let mut sessions: Vec<Session> = sessions.into_values().collect();
        sessions.sort_by_key(|session| session.start.at);
        let commits = order(&mut sessions);
        Ok(Capture {
            sessions,
            texts,
            dropped,
            commits,
            rest,
        })
    }
}

/// A session while it is read.
struct Reading {
    start: Start,
    /// Of the transaction that has not ended yet.
    steps: Vec<Step>,
}

impl Reading {
    fn new(start: Start) -> Reading {
        Reading {
            start,
            steps: Vec::new(),
        }
    }

    /// Takes a record; what it ends.
    fn add(&mut self, record: Record) -> Option<Vec<Step>> {
        match record {
            Record::Statement(statement) => {
                self.steps.push(Step::Statement {
                    statement,
                    after: 0,
                });
                None
            }
            Record::End(end) => {
                // A portal that was open meanwhile was recorded after those that ran while it was.
                self.steps.sort_by_key(Step::at);
                self.steps.push(Step::End { end, commit: None });
                Some(std::mem::take(&mut self.steps))
            }
            Record::Dropped { .. } => {
                self.steps.clear();
                None
            }
            Record::Closed { at } => Some(vec![Step::Closed { at }]),
            Record::Start(_) | Record::Text { .. } => None,
        }
    }
}

impl Step {
    /// When it ended, microseconds since its session was first seen.
    pub fn ended(&self) -> i64 {
        match self {
            Step::Statement { statement, .. } => statement.started + statement.outcome.took,
            step => step.at(),
        }
    }

    /// When it began; of ends, when they were.
    pub fn at(&self) -> i64 {
        match self {
            Step::Statement { statement, .. } => statement.started,
            Step::End { end, .. } => end.at,
            Step::Closed { at } => *at,
        }
    }
}

/// A commit of the capture.
struct Commit {
    xid: u32,
    /// Its place in the order of commits, from 1.
    place: u64,
    /// When it was done, microseconds.
    at: i64,
}

/// Gives commits their places, and statements what they have to wait for. Returns the number of commits.
///
/// A statement may run when the last commit that its snapshot showed is done in the replay, and with it all before. One that changes or
/// locks rows, as any of a transaction that writes may do in a function, may have waited for another transaction: it comes after the
/// commits, too, that were done before it was, if the next statement of its transaction saw them. After the last one nothing tells what it
/// saw: it comes after all that were done before it was, and before its own commit. That order has no circle: all that a statement waits
/// for was over in the capture before it was.
fn order(sessions: &mut [Session]) -> u64 {
    let mut commits = Vec::new();
    for (number, session) in sessions.iter().enumerate() {
        for (at, step) in session.steps.iter().enumerate() {
            if let Step::End { end, .. } = step
                && end.ending == Ending::Committed
                && let Some(xid) = end.xid
            {
                commits.push((end.lsn, number, at, xid, session.start.at + end.at));
            }
        }
    }
    commits.sort_unstable();
    let mut done = Vec::with_capacity(commits.len());
    for (place, &(_, number, step, xid, at)) in (1..).zip(&commits) {
        if let Step::End { commit, .. } = &mut sessions[number].steps[step] {
            *commit = Some(place);
        }
        done.push(Commit { xid, place, at });
    }
    let last_over = |before: u64, moment: i64| {
        let earlier = commits[..before as usize - 1].iter().rev();
        let mut earlier = (1..before).rev().zip(earlier);
        let last = earlier.find(|(_, (.., at))| *at <= moment);
        last.map_or(0, |(place, _)| place)
    };
    let seen = Seen::new(done);
    for session in sessions {
        let at = session.start.at;
        let mut last = 0;
        let mut next: Option<Visible> = None;
        // A snapshot leaves out the transaction that has it.
        let mut own = None;
        let mut own_place = None;
        // From the end, so that what comes next is known.
        for step in session.steps.iter_mut().rev() {
            match step {
                Step::Statement { statement, after } => {
                    let ended = at + statement.started + statement.outcome.took;
                    let locks =
                        own.is_some() || matches!(statement.work, Work::Changes | Work::Utility);
                    let by_lock = match (&next, own_place) {
                        (Some(visible), _) if locks => seen.last_before(visible, own, ended),
                        (None, Some(place)) if statement.visible.is_some() => {
                            last_over(place, ended)
                        }
                        _ => 0,
                    };
                    let by_sight = statement
                        .visible
                        .as_ref()
                        .map_or(0, |visible| seen.last_before(visible, own, i64::MAX));
                    *after = by_lock.max(by_sight);
                    next = statement.visible.clone().or(next);
                }
                Step::End { end, commit } => {
                    next = None;
                    own = end.xid;
                    own_place = *commit;
                }
                Step::Closed { .. } => {}
            }
        }
        // What a session has seen stays seen.
        for step in &mut session.steps {
            if let Step::Statement { after, .. } = step {
                last = last.max(*after);
                *after = last;
            }
        }
    }
    commits.len() as u64
}

/// The commits by transaction number, for the question which of them is the last that a snapshot shows.
struct Seen {
    /// In the order of transaction numbers.
    commits: Vec<Commit>,
    /// Of each commit and all with smaller numbers the greatest place.
    greatest: Vec<u64>,
    /// The first transaction number: others are counted from here, since numbers go round.
    base: u32,
}

impl Seen {
    fn new(mut commits: Vec<Commit>) -> Seen {
        let base = commits
            .first()
            .map_or(0, |first| first.xid.wrapping_sub(1 << 30));
        commits.sort_by_key(|commit| commit.xid.wrapping_sub(base));
        let greatest = commits.iter().scan(0, |greatest: &mut u64, commit| {
            *greatest = commit.place.max(*greatest);
            Some(*greatest)
        });
        Seen {
            greatest: greatest.collect(),
            commits,
            base,
        }
    }

    /// The place of the last commit, but that of its own transaction, that a snapshot shows and that was done at this moment; 0: none.
    fn last_before(&self, visible: &Visible, own: Option<u32>, moment: i64) -> u64 {
        let offset = |xid: u32| xid.wrapping_sub(self.base);
        let end = self
            .commits
            .partition_point(|commit| offset(commit.xid) < offset(visible.xmax));
        let mut last = 0;
        for (commit, &greatest) in self.commits[..end].iter().zip(&self.greatest).rev() {
            if greatest <= last {
                break;
            }
            if commit.at <= moment
                && own != Some(commit.xid)
                && !visible.in_progress.contains(&commit.xid)
            {
                last = last.max(commit.place);
            }
        }
        last
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{End, Outcome, Protocol};

    fn session(at: i64, steps: Vec<Step>) -> Session {
        let start = Start {
            pid: 1,
            at,
            role: String::new(),
            application: String::new(),
            settings: Vec::new(),
        };
        Session { start, steps }
    }

    fn statement(started: i64, took: i64, work: Work, xmax: u32, in_progress: &[u32]) -> Step {
        let statement = Statement {
            hash: 1,
            protocol: Protocol::Simple,
            work,
            started,
            visible: Some(Visible {
                xmax,
                in_progress: in_progress.to_vec(),
            }),
            parameters: Vec::new(),
            outcome: Outcome {
                took,
                ..Outcome::default()
            },
        };
        Step::Statement {
            statement,
            after: 0,
        }
    }

    fn end(at: i64, xid: u32, lsn: u64) -> Step {
        let end = End {
            at,
            ending: Ending::Committed,
            xid: (xid != 0).then_some(xid),
            lsn,
            isolation: 1,
            read_only: false,
        };
        Step::End { end, commit: None }
    }

    fn afters(session: &Session) -> Vec<u64> {
        let after = |step: &Step| match step {
            Step::Statement { after, .. } => Some(*after),
            _ => None,
        };
        session.steps.iter().filter_map(after).collect()
    }

    #[test]
    fn a_statement_comes_after_what_its_snapshot_showed() {
        let mut sessions = [
            session(
                0,
                vec![statement(0, 1, Work::Changes, 10, &[]), end(10, 10, 100)],
            ),
            session(
                0,
                vec![statement(1, 1, Work::Changes, 11, &[10]), end(20, 11, 200)],
            ),
            session(
                0,
                vec![
                    // Both in progress, then the first is done, then both.
                    statement(5, 1, Work::Reads, 12, &[10, 11]),
                    end(6, 0, 0),
                    statement(15, 1, Work::Reads, 12, &[11]),
                    end(16, 0, 0),
                    statement(25, 1, Work::Reads, 12, &[]),
                    end(26, 0, 0),
                ],
            ),
        ];
        assert_eq!(order(&mut sessions), 2);
        assert_eq!(afters(&sessions[2]), [0, 1, 2]);
    }

    #[test]
    fn places_are_in_the_order_of_commits_not_of_numbers() {
        let mut sessions = [
            session(
                0,
                vec![statement(0, 1, Work::Changes, 10, &[]), end(30, 10, 300)],
            ),
            session(
                0,
                vec![statement(1, 1, Work::Changes, 11, &[10]), end(20, 11, 200)],
            ),
            // A later number that is seen, an earlier one that is not.
            session(
                0,
                vec![statement(25, 1, Work::Reads, 12, &[10]), end(26, 0, 0)],
            ),
        ];
        assert_eq!(order(&mut sessions), 2);
        assert_eq!(afters(&sessions[2]), [1]);
        let place = |session: &Session| match session.steps.last() {
            Some(Step::End { commit, .. }) => *commit,
            _ => None,
        };
        assert_eq!(sessions.each_ref().map(place), [Some(2), Some(1), None]);
    }

    #[test]
    fn one_that_waited_for_a_lock_comes_after_its_holder() {
        let mut sessions = [
            session(
                0,
                vec![statement(0, 1, Work::Changes, 10, &[]), end(50, 10, 100)],
            ),
            session(
                0,
                vec![
                    // Began before the holder's commit, and ended after it.
                    statement(10, 45, Work::Changes, 11, &[10]),
                    statement(60, 1, Work::Reads, 12, &[11]),
                    end(70, 11, 200),
                ],
            ),
            session(
                0,
                vec![
                    // One that only reads did not wait.
                    statement(10, 45, Work::Reads, 11, &[10]),
                    statement(60, 1, Work::Reads, 12, &[11]),
                    end(70, 0, 0),
                ],
            ),
        ];
        order(&mut sessions);
        assert_eq!(afters(&sessions[1]), [1, 1]);
        assert_eq!(afters(&sessions[2]), [0, 1]);
    }

    #[test]
    fn the_last_one_of_a_transaction_comes_after_what_was_over_before_it() {
        let mut sessions = [
            session(
                0,
                vec![statement(0, 1, Work::Changes, 10, &[]), end(50, 10, 100)],
            ),
            session(
                0,
                // It waited for the first one, which its snapshot did not show, and committed by itself.
                vec![
                    statement(10, 45, Work::Changes, 11, &[10]),
                    end(56, 11, 200),
                ],
            ),
            session(
                0,
                // It was done before both.
                vec![
                    statement(10, 20, Work::Changes, 12, &[10, 11]),
                    end(70, 12, 300),
                ],
            ),
            // It reads alone.
            session(
                0,
                vec![statement(10, 50, Work::Reads, 12, &[10, 11]), end(61, 0, 0)],
            ),
        ];
        order(&mut sessions);
        assert_eq!(sessions.each_ref().map(afters), [[0], [1], [0], [0]]);
    }

    #[test]
    fn nothing_waits_for_its_own_commit() {
        let mut sessions = [session(
            0,
            vec![
                statement(0, 1, Work::Changes, 10, &[]),
                // A later transaction has ended meanwhile, so that the snapshot goes beyond its own number.
                statement(5, 1, Work::Changes, 12, &[]),
                end(10, 10, 100),
            ],
        )];
        order(&mut sessions);
        assert_eq!(afters(&sessions[0]), [0, 0]);
    }

    #[test]
    fn transaction_numbers_go_round() {
        let before = u32::MAX;
        let mut sessions = [
            session(
                0,
                vec![
                    statement(0, 1, Work::Changes, before, &[]),
                    end(10, before, 100),
                ],
            ),
            session(
                0,
                vec![
                    statement(0, 1, Work::Changes, 3, &[before]),
                    end(20, 3, 200),
                ],
            ),
            session(
                0,
                vec![statement(30, 1, Work::Reads, 4, &[]), end(31, 0, 0)],
            ),
        ];
        order(&mut sessions);
        assert_eq!(afters(&sessions[2]), [2]);
        assert_eq!(afters(&sessions[1]), [0]);
    }
}
