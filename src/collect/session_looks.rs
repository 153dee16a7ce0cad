//! Sessions of the server, observed many times between two samples: counted by what they are and do.

use super::rows::Row;
use crate::pg::server::sessions::{BackendKind, Session, State, waits_for_work, worker_kind};
use crate::pg::server::waits;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::hash::Hash;

/// Most rows that one sample stores.
pub const MAX_ROWS: usize = 200;
/// Most groups that are kept in memory.
const MAX_GROUPS: usize = 5_000;
/// The application that stands for all those that have no row of their own.
const OTHERS: &str = "(others)";

/// Sessions counted since the previous sample.
#[derive(Debug, Clone, Default)]
pub struct SessionLooks {
    looks: u32,
    /// Those that work, or are in a transaction.
    groups: HashMap<Group, Seen>,
    /// All connections of clients, by client and together.
    connections: HashMap<Client, Seen>,
    together: Seen,
    /// What background workers call themselves, by pid and start.
    workers: HashMap<(i32, i64), String>,
}

/// What sessions that are counted together have in common.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Group {
    client: Client,
    kind: BackendKind,
    /// Of a background worker, how it calls itself.
    worker: Option<String>,
    state: Option<State>,
    /// 0: none, or unknown.
    query_id: i64,
    /// 0: none.
    event: u32,
}

/// Who has a connection.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Client {
    database: u32,
    role: u32,
    application: String,
}

#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Seen {
    /// In all looks together.
    seen: u32,
    /// In one of them.
    most: u32,
    /// Of the look that goes on.
    now: u32,
    /// Age of the oldest statement and transaction, in microseconds.
    statement: i64,
    transaction: i64,
}

impl Seen {
    fn see(&mut self) {
        self.seen += 1;
        self.now += 1;
    }

    fn end_look(&mut self) {
        self.most = self.most.max(self.now);
        self.now = 0;
    }

    fn add(&mut self, other: &Seen) {
        self.seen += other.seen;
        // They need not have been there at the same time.
        self.most = self.most.max(other.most);
        self.statement = self.statement.max(other.statement);
        self.transaction = self.transaction.max(other.transaction);
    }
}

impl SessionLooks {
    /// One look at these sessions. `now`: microseconds as the server counts them.
    pub fn look(&mut self, sessions: &[Session], now: i64) {
        self.looks += 1;
        let mut workers = HashMap::new();
        for session in sessions {
            if session.kind.is_client() {
                let client = Client::of(session);
                self.connections.entry(client).or_default().see();
                self.together.see();
            }
            if session.state == Some(State::Idle) || waits_for_work(session.event) {
                continue;
            }
            let worker = self.worker(session, &mut workers);
            let group = Group::of(session, worker);
            let seen = self.groups.entry(group).or_default();
            seen.see();
            let age = |since: i64| if since == 0 { 0 } else { (now - since).max(0) };
            // Of a session idle in its transaction, the statement has ended.
            if session.state == Some(State::Active) {
                seen.statement = seen.statement.max(age(session.statement_at));
            }
            seen.transaction = seen.transaction.max(age(session.transaction_at));
        }
        self.workers = workers;
        self.groups.values_mut().for_each(Seen::end_look);
        self.connections.values_mut().for_each(Seen::end_look);
        self.together.end_look();
        if self.groups.len() > MAX_GROUPS {
            self.groups = folded(
                std::mem::take(&mut self.groups),
                MAX_GROUPS / 2,
                &Group::FOLDS,
            )
            .into_iter()
            .collect();
        }
        if self.connections.len() > MAX_GROUPS {
            let connections = std::mem::take(&mut self.connections);
            self.connections = folded(connections, MAX_GROUPS / 2, &Client::FOLDS)
                .into_iter()
                .collect();
        }
    }

    /// How a background worker calls itself.
    fn worker(
        &self,
        session: &Session,
        workers: &mut HashMap<(i32, i64), String>,
    ) -> Option<String> {
        let key = (session.pid, session.started_at);
        if !session.kind.is_worker() {
            return None;
        }
        let known = self.workers.get(&key).cloned();
        let name = known.or_else(|| worker_kind(session.pid))?;
        workers.insert(key, name.clone());
        Some(name)
    }

    /// How often was looked.
    pub fn looks(&self) -> u32 {
        self.looks
    }

    /// A row for each group, with the OIDs of database and role; the first [`MAX_ROWS`] by the sessions seen, the others together. If
    /// nobody was seen, a row says so.
    pub fn rows(&self) -> Vec<Row> {
        let groups = folded(self.groups.clone(), MAX_ROWS, &Group::FOLDS);
        let mut rows: Vec<Row> = (groups.iter())
            .map(|(group, seen)| self.row(group, seen))
            .collect();
        if rows.is_empty() && self.looks > 0 {
            rows.push(self.counted(&Seen::default()));
        }
        rows
    }

    /// A row for each client that has connections, as [`SessionLooks::rows`].
    pub fn connections(&self) -> Vec<Row> {
        let clients = folded(self.connections.clone(), MAX_ROWS, &Client::FOLDS);
        let row = |(client, seen): &(Client, Seen)| {
            let mut row = self.counted(seen);
            row.extend(client.columns());
            row.insert("most_together".to_owned(), json!(self.together.most));
            row
        };
        clients.iter().map(row).collect()
    }

    fn counted(&self, seen: &Seen) -> Row {
        Row::from_iter([
            ("looks".to_owned(), json!(self.looks)),
            ("seen".to_owned(), json!(seen.seen)),
            ("most".to_owned(), json!(seen.most)),
        ])
    }

    fn row(&self, group: &Group, seen: &Seen) -> Row {
        let (event_type, event) = waits::name(group.event).unzip();
        let worker = group.worker.clone();
        let backend_type = worker.unwrap_or_else(|| group.kind.name());
        let seconds = |age: i64| (age > 0).then_some(age as f64 / 1e6);
        let mut row = self.counted(seen);
        row.extend(group.client.columns());
        for (name, value) in [
            ("backend_type", json!(backend_type)),
            ("state", json!(group.state.map(State::name))),
            (
                "query_id",
                json!((group.query_id != 0).then_some(group.query_id)),
            ),
            ("wait_event_type", json!(event_type)),
            ("wait_event", json!(event)),
            ("longest_statement_s", json!(seconds(seen.statement))),
            ("longest_transaction_s", json!(seconds(seen.transaction))),
        ] {
            row.insert(name.to_owned(), value);
        }
        row
    }
}

/// Makes one group of several.
type Fold<T> = fn(T) -> T;

impl Client {
    /// The application that stands for all those that have no row of their own.
    const FOLDS: [Fold<Client>; 1] = [|_| Client {
        database: 0,
        role: 0,
        application: OTHERS.to_owned(),
    }];

    fn of(session: &Session) -> Client {
        Client {
            database: session.database,
            role: session.role,
            application: application(&session.application),
        }
    }

    fn columns(&self) -> [(String, Value); 3] {
        let oid = |oid: u32| json!((oid != 0).then_some(oid));
        [
            ("database_oid".to_owned(), oid(self.database)),
            ("role_oid".to_owned(), oid(self.role)),
            ("application_name".to_owned(), json!(self.application)),
        ]
    }
}

impl Group {
    /// First without their statements, then by what they wait for alone.
    const FOLDS: [Fold<Group>; 2] = [
        |group| Group {
            query_id: 0,
            ..group
        },
        |group| Group {
            query_id: 0,
            client: Client::FOLDS[0](group.client),
            ..group
        },
    ];

    fn of(session: &Session, worker: Option<String>) -> Group {
        Group {
            client: Client::of(session),
            kind: session.kind,
            worker,
            state: session.state,
            query_id: session.query_id,
            event: session.event,
        }
    }
}

/// The clients of a run are one application, not one each.
fn application(name: &str) -> String {
    let run = name.strip_prefix("pgperf run ").and_then(|rest| {
        let (run, client) = rest.split_once(" client ")?;
        client.parse::<u32>().ok()?;
        Some(run)
    });
    match run {
        Some(run) => format!("pgperf run {run}"),
        None => name.to_owned(),
    }
}

/// The largest groups, and the others together.
fn folded<T: Eq + Hash + Ord>(
    groups: HashMap<T, Seen>,
    most: usize,
    folds: &[Fold<T>],
) -> Vec<(T, Seen)> {
    let by_size =
        |a: &(T, Seen), b: &(T, Seen)| b.1.seen.cmp(&a.1.seen).then_with(|| a.0.cmp(&b.0));
    let mut groups: Vec<(T, Seen)> = groups.into_iter().collect();
    groups.sort_by(by_size);
    for fold in folds {
        if groups.len() <= most {
            break;
        }
        let mut merged: HashMap<T, Seen> = HashMap::new();
        for (place, (group, seen)) in groups.into_iter().enumerate() {
            let group = if place < most / 2 { group } else { fold(group) };
            merged.entry(group).or_default().add(&seen);
        }
        groups = merged.into_iter().collect();
        groups.sort_by(by_size);
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use pgrx::pg_sys::BackendType::B_BACKEND;

    const CLIENT: BackendKind = BackendKind(B_BACKEND);

    fn session(pid: i32, state: State, query_id: i64, event: u32) -> Session {
        Session {
            pid,
            kind: CLIENT,
            state: Some(state),
            database: 5,
            role: 10,
            application: "shop".to_owned(),
            query_id,
            started_at: 1,
            transaction_at: 4_000_000,
            statement_at: 7_000_000,
            event,
        }
    }

    fn client(application: &str) -> Client {
        Client {
            database: 5,
            role: 10,
            application: application.to_owned(),
        }
    }

    fn group(query_id: i64, event: u32, application: &str) -> Group {
        Group {
            client: client(application),
            kind: CLIENT,
            worker: None,
            state: Some(State::Active),
            query_id,
            event,
        }
    }

    #[test]
    fn clients_of_a_run_are_one_application() {
        assert_eq!(application("pgperf run 7 client 31"), "pgperf run 7");
        assert_eq!(application("pgperf run 7"), "pgperf run 7");
        assert_eq!(
            application("pgperf run 7 client x"),
            "pgperf run 7 client x"
        );
        assert_eq!(application("psql"), "psql");
    }

    #[test]
    fn connections_are_all_and_groups_those_at_work() {
        let mut looks = SessionLooks::default();
        let active = |pid, query_id| session(pid, State::Active, query_id, 0);
        looks.look(
            &[active(1, 7), active(2, 7), session(3, State::Idle, 7, 0)],
            9_000_000,
        );
        looks.look(
            &[active(1, 8), session(2, State::InTransaction, 7, 0)],
            9_000_000,
        );
        let connections = &looks.connections[&client("shop")];
        assert_eq!((connections.seen, connections.most), (5, 3));
        let at_work: u32 = looks.groups.values().map(|seen| seen.seen).sum();
        assert_eq!((looks.groups.len(), at_work), (3, 4));
        let of = |query_id, state| {
            let mut group = group(query_id, 0, "shop");
            group.state = Some(state);
            looks.groups[&group]
        };
        let busy = of(7, State::Active);
        assert_eq!((busy.seen, busy.most, busy.statement), (2, 2, 2_000_000));
        let idle = of(7, State::InTransaction);
        assert_eq!((idle.statement, idle.transaction), (0, 5_000_000));
    }

    /// Not the sum of what each application had at most.
    #[test]
    fn connections_are_counted_together_at_each_look() {
        let mut looks = SessionLooks::default();
        let idle = |pid, application: &str| Session {
            application: application.to_owned(),
            ..session(pid, State::Idle, 0, 0)
        };
        looks.look(&[idle(1, "shop"), idle(2, "shop"), idle(3, "batch")], 0);
        looks.look(&[idle(1, "shop"), idle(3, "batch"), idle(4, "batch")], 0);
        let figures: Vec<_> = (looks.connections().iter())
            .map(|row| (row["most"].clone(), row["most_together"].clone()))
            .collect();
        assert_eq!(figures, [(json!(2), json!(3)), (json!(2), json!(3))]);
    }

    #[test]
    fn small_groups_lose_their_statement_then_their_application_and_nobody_is_lost() {
        let mut groups = HashMap::new();
        for number in 1..=40_u32 {
            let seen = Seen {
                seen: number,
                most: 1,
                ..Seen::default()
            };
            groups.insert(group(i64::from(number), 0, "shop"), seen);
        }
        let few = folded(groups.clone(), 10, &Group::FOLDS);
        // The five largest, and the others without a statement.
        assert_eq!(few.len(), 6);
        let total = |few: &[(Group, Seen)]| few.iter().map(|(_, seen)| seen.seen).sum::<u32>();
        assert_eq!((total(&few), few[0].0.query_id), ((1..=40).sum(), 0));
        let largest: Vec<i64> = few[1..].iter().map(|(group, _)| group.query_id).collect();
        assert_eq!(largest, [40, 39, 38, 37, 36]);
        // Each an application of its own.
        let apart = (groups.into_iter())
            .map(|(group, seen)| {
                let client = client(&format!("job {}", group.query_id));
                (Group { client, ..group }, seen)
            })
            .collect();
        let few = folded(apart, 10, &Group::FOLDS);
        assert_eq!((few.len(), total(&few)), (6, (1..=40).sum()));
        assert_eq!(few[0].0.client.application, OTHERS);
    }
}
