//! The databases of `pgperf.sampler_databases`: which one is the home of the server's sampler, and which one is to be visited next.
//!
//! The home is the first database of the setting that has the extension, so it is the same after a restart.

use super::page::State;
use crate::service::as_owner::Target;
use pgrx::pg_sys::Oid;

/// A moment of the monotonic clock, in nanoseconds.
type Moment = u64;

/// How soon a visit that failed is tried again, and a database without the extension looked at again: later each time.
const SOONEST_NS: u64 = 5_000_000_000;
const LATEST_NS: u64 = 300_000_000_000;
/// At the latest, where somebody may be putting right what the log says.
const LATEST_OF_PROBLEM_NS: u64 = 30_000_000_000;

/// What is known of a database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Extension {
    Unknown,
    /// There is none, or none that could be used.
    Absent,
    Present(Target),
}

/// A database of the setting.
pub struct Database {
    pub name: String,
    pub oid: Oid,
    extension: Extension,
    pub state: State,
    /// When the next visit is due.
    due_at: Moment,
    /// In a row.
    failures: u32,
    /// Why its last visit brought nothing.
    problem: Option<String>,
}

impl Database {
    fn new(name: String, oid: Oid) -> Database {
        Database {
            name,
            oid,
            extension: Extension::Unknown,
            state: State::default(),
            due_at: 0,
            failures: 0,
            problem: None,
        }
    }

    /// The extension, if it is known to be there.
    pub fn target(&self) -> Option<Target> {
        match self.extension {
            Extension::Present(target) => Some(target),
            _ => None,
        }
    }

    /// It has the extension: the first visit is due.
    pub fn found(&mut self, target: Target, now: Moment) {
        self.extension = Extension::Present(target);
        (self.due_at, self.failures, self.problem) = (now, 0, None);
    }

    /// It has no extension, or, for the reason given, none that could be used.
    pub fn lacks(&mut self, problem: Option<String>, now: Moment) {
        self.extension = Extension::Absent;
        let latest = match &problem {
            Some(_) => LATEST_OF_PROBLEM_NS,
            None => LATEST_NS,
        };
        self.problem = problem;
        self.postpone(now, latest);
    }

    /// A visit has taken what was due.
    pub fn visited(&mut self, state: State, next_in_ns: u64, problem: Option<String>, now: Moment) {
        self.state = state;
        (self.failures, self.problem) = (0, problem);
        self.due_at = now + next_in_ns.min(LATEST_NS);
    }

    /// A worker there ended before it was done, or the extension is another one: that has to be looked for again.
    pub fn broke_off(&mut self, now: Moment) {
        self.extension = Extension::Unknown;
        self.postpone(now, LATEST_OF_PROBLEM_NS);
    }

    /// There is nothing to be done for a moment: it has a sampler that stays, or there is no worker slot.
    pub fn wait(&mut self, now: Moment) {
        self.due_at = now + SOONEST_NS;
    }

    fn postpone(&mut self, now: Moment, latest: u64) {
        let pause = SOONEST_NS << self.failures.min(16);
        self.due_at = now + pause.min(latest);
        self.failures += 1;
    }
}

/// All of them, in the order of the setting.
#[derive(Default)]
pub struct Rounds {
    databases: Vec<Database>,
}

impl Rounds {
    /// Takes over the databases of the setting. What is known of them stays; a database that was made again is another one.
    pub fn set(&mut self, listed: Vec<(String, Oid)>) {
        let mut known = std::mem::take(&mut self.databases);
        let take = |(name, oid): (String, Oid)| {
            let known = known
                .iter()
                .position(|database| database.oid == oid)
                .map(|at| known.swap_remove(at));
            match known {
                Some(database) => Database { name, ..database },
                None => Database::new(name, oid),
            }
        };
        self.databases = listed.into_iter().map(take).collect();
    }

    pub fn is_empty(&self) -> bool {
        self.databases.is_empty()
    }

    pub fn get(&mut self, oid: Oid) -> Option<&mut Database> {
        (self.databases.iter_mut()).find(|database| database.oid == oid)
    }

    /// The home; None: there is none, or it is not known yet. `has_sampler`: whether a sampler stays in a database.
    pub fn home(&self, has_sampler: impl Fn(Oid) -> bool) -> Option<&Database> {
        (self.databases.iter())
            .find(|database| database.extension != Extension::Absent || has_sampler(database.oid))
            .filter(|database| database.target().is_some() || has_sampler(database.oid))
    }

    /// The database whose visit has been due for the longest time.
    pub fn due(&self, home: Option<Oid>, now: Moment) -> Option<&Database> {
        self.awaited(home)
            .filter(|database| database.due_at <= now)
            .min_by_key(|database| database.due_at)
    }

    /// When the next visit is due.
    pub fn next_at(&self, home: Option<Oid>) -> Option<Moment> {
        self.awaited(home).map(|database| database.due_at).min()
    }

    fn awaited(&self, home: Option<Oid>) -> impl Iterator<Item = &Database> {
        (self.databases.iter()).filter(move |database| Some(database.oid) != home)
    }

    /// All databases without the extension are to be looked at now: somebody may just have made it.
    pub fn look_again(&mut self, now: Moment) {
        for database in &mut self.databases {
            if database.extension == Extension::Absent {
                (database.due_at, database.failures) = (now, 0);
            }
        }
    }

    /// Each problem of a database.
    pub fn problems(&self) -> impl Iterator<Item = String> {
        self.databases.iter().filter_map(|database| {
            let problem = database.problem.as_ref()?;
            Some(format!("database \"{}\": {problem}", database.name))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: u64 = 1_000_000_000;

    fn oid(number: u32) -> Oid {
        Oid::from(number)
    }

    fn target() -> Target {
        Target {
            owner: oid(10),
            extension: oid(100),
            xid: None,
        }
    }

    fn rounds(count: u32) -> Rounds {
        let mut rounds = Rounds::default();
        rounds.set((1..=count).map(|n| (format!("db{n}"), oid(n))).collect());
        rounds
    }

    fn due(rounds: &Rounds, home: u32, now: u64) -> Option<u32> {
        let due = rounds.due(Some(oid(home)), now);
        due.map(|database| database.oid.into())
    }

    fn home(rounds: &Rounds, has_sampler: u32) -> Option<u32> {
        let home = rounds.home(|database| database == oid(has_sampler));
        home.map(|database| database.oid.into())
    }

    #[test]
    fn the_first_with_the_extension_is_the_home() {
        let mut rounds = rounds(3);
        assert_eq!(home(&rounds, 0), None, "the first is not known yet");
        assert_eq!(due(&rounds, 0, 0), Some(1));
        rounds.get(oid(2)).unwrap().found(target(), 0);
        assert_eq!(home(&rounds, 0), None);
        rounds.get(oid(1)).unwrap().lacks(None, 0);
        assert_eq!(home(&rounds, 0), Some(2));
        // A sampler that stays shows that it has one.
        assert_eq!(home(&rounds, 1), Some(1));
        // Until it is known why its sampler has ended, no other takes its place.
        rounds.get(oid(2)).unwrap().broke_off(0);
        rounds.get(oid(3)).unwrap().found(target(), 0);
        assert_eq!(home(&rounds, 0), None);
        rounds.set(vec![("db3".to_owned(), oid(3)), ("db1".to_owned(), oid(1))]);
        assert_eq!(home(&rounds, 0), Some(3));
        rounds.set(vec![("db3".to_owned(), oid(4)), ("db1".to_owned(), oid(1))]);
        assert_eq!(home(&rounds, 0), None, "made again");
    }

    #[test]
    fn the_longest_due_is_next() {
        let mut rounds = rounds(3);
        for n in 1..=3 {
            rounds.get(oid(n)).unwrap().found(target(), 0);
        }
        assert_eq!(due(&rounds, 1, 0), Some(2));
        let visited = |rounds: &mut Rounds, n, next_in, now| {
            let database = rounds.get(oid(n)).unwrap();
            database.visited(State::default(), next_in, None, now);
        };
        visited(&mut rounds, 2, 60 * S, 0);
        visited(&mut rounds, 3, 20 * S, S);
        assert_eq!(due(&rounds, 1, 20 * S), None);
        assert_eq!(rounds.next_at(Some(oid(1))), Some(21 * S));
        assert_eq!(due(&rounds, 1, 21 * S), Some(3));
        assert_eq!(due(&rounds, 1, 70 * S), Some(3));
        // One that wants nothing is looked at all the same.
        visited(&mut rounds, 3, u64::MAX, 70 * S);
        assert_eq!(due(&rounds, 1, 100 * S), Some(2));
        rounds.get(oid(2)).unwrap().wait(100 * S);
        assert_eq!(rounds.next_at(Some(oid(1))), Some(105 * S));
    }

    #[test]
    fn what_fails_is_tried_less_and_less_often() {
        let mut rounds = rounds(1);
        let mut pauses = Vec::new();
        for _ in 0..8 {
            let database = rounds.get(oid(1)).unwrap();
            database.lacks(None, 0);
            pauses.push(database.due_at / S);
        }
        assert_eq!(pauses, [5, 10, 20, 40, 80, 160, 300, 300]);
        rounds.look_again(7 * S);
        assert_eq!(due(&rounds, 0, 7 * S), Some(1));
        let database = rounds.get(oid(1)).unwrap();
        database.lacks(Some("no login".to_owned()), 0);
        assert_eq!(database.due_at, 5 * S);
        for _ in 0..5 {
            let database = rounds.get(oid(1)).unwrap();
            database.lacks(Some("no login".to_owned()), 0);
        }
        assert_eq!(rounds.next_at(None), Some(30 * S));
        let problems: Vec<_> = rounds.problems().collect();
        assert_eq!(problems, ["database \"db1\": no login"]);
        rounds.get(oid(1)).unwrap().found(target(), 0);
        assert_eq!(rounds.problems().count(), 0);
    }
}
