//! The order of commits: which are done in the replay, who waits for them, and whose statement may be blocked by one that waits.
//!
//! A statement waits until all commits up to a place are done. The client whose commit comes next never waits here: all that its statements
//! wait for has a smaller place. So the replay stands still only where that client's statement waits for a lock of a session that waits
//! here: in the capture the locks were taken in another order, which no snapshot shows, as with advisory ones. The server knows
//! that. It is asked once the statement has taken a while, and a wait is broken only where that statement waits for the one who waits.

use std::collections::BTreeSet;

/// A statement that has taken so long may wait for a lock, ns.
const PATIENCE_NS: u64 = 100_000_000;
/// How often one that waits looks whether somebody waits for it, ns.
pub const LOOK_AGAIN_NS: u64 = PATIENCE_NS;

/// A statement that is run.
#[derive(Debug, Clone, Copy)]
struct Running {
    since: u64,
    /// The process of its session.
    pid: i32,
}

/// The commits of a replay.
#[derive(Debug)]
pub struct Commits {
    /// All up to this place are done.
    done: u64,
    /// Later ones that are done.
    beyond: BTreeSet<u64>,
    /// The client of each place, from the first; None: its session is not played.
    clients: Vec<Option<usize>>,
    /// Clients that wait, with the place that they wait for.
    waiting: BTreeSet<(u64, usize)>,
    /// The statement of each client.
    running: Vec<Option<Running>>,
}

impl Commits {
    /// None is done but those of sessions that are not played.
    pub fn new(of_places: Vec<Option<usize>>, clients: usize) -> Commits {
        let mut commits = Commits {
            done: 0,
            beyond: BTreeSet::new(),
            clients: of_places,
            waiting: BTreeSet::new(),
            running: vec![None; clients],
        };
        commits.advance();
        commits
    }

    /// Whether all up to this place are done.
    pub fn are_done(&self, place: u64) -> bool {
        self.done >= place
    }

    /// One is done, or will never be. The clients that may go on now.
    pub fn done(&mut self, place: u64) -> Vec<usize> {
        if place > self.done {
            self.beyond.insert(place);
        }
        self.advance();
        let later = self.waiting.split_off(&(self.done + 1, 0));
        let free = std::mem::replace(&mut self.waiting, later);
        free.into_iter().map(|(_, client)| client).collect()
    }

    fn advance(&mut self) {
        while self.beyond.remove(&(self.done + 1))
            || self.clients.get(self.done as usize) == Some(&None)
        {
            self.done += 1;
        }
    }

    /// A client begins a statement.
    pub fn begins(&mut self, client: usize, now: u64, pid: i32) {
        self.running[client] = Some(Running { since: now, pid });
    }

    /// The statement of a client has ended.
    pub fn ends(&mut self, client: usize) {
        self.running[client] = None;
    }

    /// A client waits for a place from now on.
    pub fn wait(&mut self, client: usize, place: u64) {
        self.waiting.insert((place, client));
    }

    /// It waits no longer.
    pub fn go_on(&mut self, client: usize, place: u64) {
        self.waiting.remove(&(place, client));
    }

    /// Whether all of so many clients wait, and this one for the smallest place: what they wait for would never be done. A capture that is as
    /// it should be has no such circle.
    pub fn stand_still(&self, client: usize, clients: usize) -> bool {
        let first = self.waiting.first();
        self.waiting.len() >= clients && first.is_some_and(|(_, first)| *first == client)
    }

    /// The process whose statement may wait for a lock of one that waits here: that of the next commit, if it has taken a while.
    pub fn may_be_blocked(&self, now: u64) -> Option<i32> {
        let next = self.clients.get(self.done as usize).copied().flatten()?;
        let running = self.running[next]?;
        (now.saturating_sub(running.since) >= PATIENCE_NS).then_some(running.pid)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_done_out_of_order_count_once_all_before_are() {
        let mut commits = Commits::new(vec![Some(0), Some(1), None, Some(0)], 3);
        assert!(commits.are_done(0) && !commits.are_done(1));
        commits.wait(2, 3);
        commits.wait(1, 4);
        assert!(commits.done(2).is_empty());
        assert!(!commits.are_done(1));
        assert_eq!(commits.done(1), [2]);
        assert!(commits.are_done(3) && !commits.are_done(4));
        commits.go_on(1, 4);
        assert!(commits.done(4).is_empty());
        assert!(commits.are_done(4));
        // Once more, as where a session is given up.
        assert!(commits.done(2).is_empty());
        assert!(!commits.are_done(5));
    }

    #[test]
    fn those_of_sessions_that_are_not_played_are_done() {
        assert!(Commits::new(vec![None, None, Some(0)], 1).are_done(2));
    }

    #[test]
    fn all_wait_only_where_each_does() {
        let mut commits = Commits::new(vec![Some(0), Some(1)], 2);
        commits.wait(0, 2);
        assert!(!commits.stand_still(0, 2));
        commits.wait(1, 1);
        assert!(commits.stand_still(1, 2) && !commits.stand_still(0, 2));
    }

    #[test]
    fn the_statement_of_the_next_commit_may_be_blocked_once_it_has_taken_a_while() {
        let mut commits = Commits::new(vec![Some(0), Some(1)], 2);
        assert_eq!(commits.may_be_blocked(PATIENCE_NS), None);
        commits.begins(1, 0, 11);
        assert_eq!(commits.may_be_blocked(PATIENCE_NS), None);
        commits.begins(0, 5, 10);
        assert_eq!(commits.may_be_blocked(PATIENCE_NS), None);
        assert_eq!(commits.may_be_blocked(PATIENCE_NS + 5), Some(10));
        commits.ends(0);
        assert_eq!(commits.may_be_blocked(PATIENCE_NS + 5), None);
        commits.done(1);
        assert_eq!(commits.may_be_blocked(PATIENCE_NS), Some(11));
        commits.done(2);
        assert_eq!(commits.may_be_blocked(PATIENCE_NS), None);
    }
}
