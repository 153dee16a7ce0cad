//! A capture as work: the transactions of its sessions, and the client that plays each.

use crate::options::Options;
use crate::texts::{Text, Texts};
use crate::transactions::{LeftOut, Reading, Transaction};
use capture::record::Start;
use capture::{Capture, Step};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// What is played.
#[derive(Debug)]
pub struct Plan {
    pub options: Options,
    pub sessions: Vec<Session>,
    /// The sessions of each client, one after the other. There are as many clients as sessions that were there at once.
    pub clients: Vec<Vec<usize>>,
    pub texts: Vec<Text>,
    /// What is shown of the texts: they have no constants.
    pub shown: Vec<String>,
    /// The client of each commit, in their order; None: it is not played.
    pub of_commits: Vec<Option<usize>>,
    /// Statements that are left out, by reason.
    pub left_out: LeftOut,
    /// Transactions that the capture itself does not have.
    pub dropped: u64,
}

/// A session.
#[derive(Debug)]
pub struct Session {
    /// Its number in the capture, from 1.
    pub number: usize,
    pub start: Start,
    /// Since the first session that is played, µs.
    pub from: i64,
    pub transactions: Vec<Transaction>,
}

impl Plan {
    /// What these options make of a capture.
    pub fn new(capture: Capture, options: Options) -> Plan {
        let mut texts = Texts::default();
        let mut left_out = LeftOut::default();
        let commits = usize::try_from(capture.commits).unwrap_or(usize::MAX);
        let played = (1..).zip(capture.sessions);
        let played: Vec<_> = played.filter(|(_, it)| options.takes(it)).collect();
        let first = played.iter().map(|(_, it)| it.start.at).min().unwrap_or(0);
        let mut sessions = Vec::with_capacity(played.len());
        let mut clients: Vec<Vec<usize>> = Vec::new();
        // When each client is free.
        let mut free: BinaryHeap<Reverse<(i64, usize)>> = BinaryHeap::new();
        let mut of_commits = vec![None; commits];
        for (number, session) in played {
            let from = session.start.at - first;
            let until = from + session.steps.iter().map(until).max().unwrap_or(0);
            let client = match free.peek() {
                Some(&Reverse((moment, client))) if moment < from => {
                    free.pop();
                    client
                }
                _ => {
                    clients.push(Vec::new());
                    clients.len() - 1
                }
            };
            free.push(Reverse((until, client)));
            clients[client].push(sessions.len());
            let read = Reading::new(&mut texts, &capture.texts, &mut left_out);
            let transactions = read.read(session.steps);
            for place in transactions.iter().flat_map(|it| &it.commits) {
                let at = usize::try_from(*place).unwrap_or(usize::MAX);
                if let Some(of_commit) = at.checked_sub(1).and_then(|at| of_commits.get_mut(at)) {
                    *of_commit = Some(client);
                }
            }
            sessions.push(Session {
                number,
                start: session.start,
                from,
                transactions,
            });
        }
        let (texts, shown) = texts.end();
        Plan {
            options,
            sessions,
            clients,
            texts,
            shown,
            of_commits,
            left_out,
            dropped: capture.dropped,
        }
    }

    /// How many transactions are played.
    pub fn transactions(&self) -> u64 {
        let all = self.sessions.iter().map(|it| it.transactions.len());
        all.sum::<usize>() as u64
    }

    /// How many statements are played.
    pub fn statements(&self) -> u64 {
        let all = self.sessions.iter().flat_map(|it| &it.transactions);
        all.map(|it| it.statements.len()).sum::<usize>() as u64
    }
}

/// When a step was over.
fn until(step: &Step) -> i64 {
    match step {
        Step::Statement { statement, .. } => statement.started + statement.outcome.took,
        Step::End { end, .. } => end.at,
        Step::Closed { at } => *at,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::capture::{Row, capture, text};

    #[test]
    fn a_client_plays_sessions_that_were_not_there_at_once() {
        let commit = |place| vec![text("UPDATE t"), Row::Commit(Some(place)), Row::Closed(50)];
        let captured = capture(&[
            (1_000, commit(1)),
            (1_010, commit(2)),
            (1_051, commit(3)),
            // As late as the second one is closed: it may have waited for that.
            (1_060, commit(4)),
        ]);
        let plan = Plan::new(captured, Options::default());
        assert_eq!(plan.clients, [vec![0, 2], vec![1], vec![3]]);
        assert_eq!(plan.of_commits, [Some(0), Some(1), Some(0), Some(2)]);
        let from: Vec<i64> = plan.sessions.iter().map(|it| it.from).collect();
        assert_eq!(from, [0, 10, 51, 60]);
        assert_eq!((plan.transactions(), plan.statements()), (4, 4));
    }

    #[test]
    fn sessions_are_chosen_by_role_and_application() {
        let mut captured = capture(&[
            (0, vec![text("UPDATE t"), Row::Commit(Some(1))]),
            (5, vec![text("UPDATE t"), Row::Commit(Some(2))]),
            (7, vec![text("UPDATE t"), Row::Commit(Some(3))]),
        ]);
        for (session, role) in captured.sessions.iter_mut().zip(["a", "b", "b"]) {
            session.start.role = role.to_owned();
        }
        captured.sessions[2].start.application = "shop".to_owned();
        let options = Options {
            roles: Some(vec!["b".to_owned()]),
            application_names: Some(vec!["shop".to_owned()]),
            ..Options::default()
        };
        let plan = Plan::new(captured, options);
        assert_eq!(plan.sessions.len(), 1);
        assert_eq!((plan.sessions[0].number, plan.sessions[0].from), (3, 0));
        assert_eq!(plan.of_commits, [None, None, Some(0)]);
    }
}
