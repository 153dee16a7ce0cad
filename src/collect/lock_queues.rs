//! Who waits for whose lock, observed many times between two samples: chains from a head, which waits for nobody, to its victims.

use super::rows::Row;
use crate::error::Result;
use crate::pg::sql::spi;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap, HashSet};

/// Chains without a wait of so many seconds are not kept: they are many under load, and over before anybody could look into them.
const SHORTEST_S: f64 = 1.0;
/// Most rows that one sample stores; heads come first, then those that waited longest.
pub const MAX_ROWS: usize = 100;

/// Most waits and heads that are kept in memory.
const MAX_STAYS: usize = 1_000;

/// All sessions that wait for a lock, and those that they wait for. The lock of a row that a transaction has changed is that of the
/// transaction; the table is known by the lock of the row that the first waiter takes. The pid 0 stands for prepared transactions.
const CHAINS: &str = include_str!("lock_queues.sql");

/// A session of a chain, as [`CHAINS`] shows it.
#[derive(Debug, Clone, Deserialize)]
struct Member {
    pid: i64,
    /// Empty: it waits for nobody.
    blocked_by: Vec<i64>,
    /// When the session began and its wait, in seconds.
    started_s: Option<f64>,
    waiting_since_s: Option<f64>,
    /// How long it has waited.
    waited_s: Option<f64>,
    statement: Option<String>,
    /// The other columns of the history.
    #[serde(flatten)]
    columns: Map<String, Value>,
}

/// A wait, or a head, since the previous sample.
#[derive(Debug, Clone)]
struct Stay {
    member: Member,
    head: i64,
    depth: u32,
    /// In how many looks.
    seen: u32,
    /// Those behind it at once, at most.
    victims: u32,
}

/// A session, and when its wait began, in microseconds; a head has none.
type StayKey = (i64, i64, Option<i64>);

/// Chains since the previous sample.
#[derive(Debug, Clone, Default)]
pub struct LockQueues {
    looks: u32,
    stays: HashMap<StayKey, Stay>,
}

impl LockQueues {
    /// One look at all chains, in a transaction.
    pub fn look(&mut self) -> Result<()> {
        let members: Vec<Member> = spi::select(CHAINS, &[])?;
        self.add(members);
        Ok(())
    }

    fn add(&mut self, members: Vec<Member>) {
        self.looks += 1;
        let edges: BTreeMap<i64, Vec<i64>> = (members.iter())
            .map(|member| (member.pid, member.blocked_by.clone()))
            .collect();
        let places: HashMap<i64, Place> = (edges.keys())
            .map(|&pid| (pid, Place::of(pid, &edges)))
            .collect();
        let long: HashSet<i64> = (members.iter())
            .filter(|member| member.waited_s.is_some_and(|waited| waited >= SHORTEST_S))
            .filter_map(|member| Some(places.get(&member.pid)?.head(member.pid)))
            .collect();
        let mut victims: HashMap<i64, u32> = HashMap::new();
        for pid in places.values().flat_map(|place| &place.above) {
            *victims.entry(*pid).or_default() += 1;
        }
        for member in members {
            let Some(place) = places.get(&member.pid) else {
                continue;
            };
            if !long.contains(&place.head(member.pid)) {
                continue;
            }
            let micros = |seconds: f64| (seconds * 1e6) as i64;
            let since = member.waiting_since_s.map(micros);
            let started = member.started_s.map_or(0, micros);
            let key = (member.pid, started, since.filter(|_| place.depth() > 0));
            let before = self.stays.get(&key);
            let victims = victims.get(&member.pid).copied().unwrap_or(0);
            let stay = Stay {
                head: place.head(member.pid),
                depth: place.depth(),
                seen: before.map_or(0, |stay| stay.seen) + 1,
                victims: before.map_or(0, |stay| stay.victims).max(victims),
                member,
            };
            self.stays.insert(key, stay);
        }
        if self.stays.len() > MAX_STAYS {
            let mut stays: Vec<(StayKey, Stay)> = self.stays.drain().collect();
            stays.sort_by(|(_, a), (_, b)| heads_then_longest(a, b));
            self.stays = stays.into_iter().take(MAX_STAYS / 2).collect();
        }
    }

    /// A row for each wait and each head.
    pub fn rows(&self) -> Vec<Row> {
        let mut stays: Vec<&Stay> = self.stays.values().collect();
        stays.sort_by(|a, b| heads_then_longest(a, b));
        stays.truncate(MAX_ROWS);
        stays.into_iter().map(|stay| self.row(stay)).collect()
    }

    fn row(&self, stay: &Stay) -> Row {
        let member = &stay.member;
        let statement = member.statement.as_deref();
        // The name of a prepared transaction is no constant.
        let statement = statement.map(|text| match member.pid {
            0 => text.to_owned(),
            _ => script::without_literals(text),
        });
        let mut row = member.columns.clone();
        for (name, value) in [
            ("head_pid", json!(stay.head)),
            ("depth", json!(stay.depth)),
            ("pid", json!(member.pid)),
            ("blocked_by", json!(array(&member.blocked_by))),
            ("statement", json!(statement)),
            ("waited_s", json!(member.waited_s)),
            ("looks", json!(self.looks)),
            ("seen", json!(stay.seen)),
            ("victims", json!(stay.victims)),
        ] {
            row.insert(name.to_owned(), value);
        }
        row
    }
}

fn heads_then_longest(a: &Stay, b: &Stay) -> Ordering {
    let waited = |stay: &Stay| stay.member.waited_s.unwrap_or(0.0);
    (a.depth > 0)
        .cmp(&(b.depth > 0))
        .then_with(|| waited(b).total_cmp(&waited(a)))
        .then_with(|| a.member.pid.cmp(&b.member.pid))
}

/// As the server reads an array; None: nobody.
fn array(pids: &[i64]) -> Option<String> {
    let pids: Vec<String> = pids.iter().map(i64::to_string).collect();
    (!pids.is_empty()).then(|| format!("{{{}}}", pids.join(",")))
}

/// Where a session is in its chain.
struct Place {
    /// Those it waits for, from the nearest to the head.
    above: Vec<i64>,
}

impl Place {
    fn of(pid: i64, edges: &BTreeMap<i64, Vec<i64>>) -> Place {
        let (mut above, mut passed, mut at) = (Vec::new(), HashSet::from([pid]), pid);
        let waits = |pid: &i64| edges.get(pid).is_some_and(|ahead| !ahead.is_empty());
        while let Some(ahead) = edges.get(&at) {
            // A holder that waits for nobody is the shortest way to a head. What was passed is a deadlock, about to be broken.
            let new = || ahead.iter().filter(|next| !passed.contains(next));
            let Some(&next) = new().find(|next| !waits(next)).or_else(|| new().next()) else {
                break;
            };
            above.push(next);
            passed.insert(next);
            at = next;
        }
        Place { above }
    }

    fn depth(&self) -> u32 {
        self.above.len() as u32
    }

    fn head(&self, pid: i64) -> i64 {
        self.above.last().copied().unwrap_or(pid)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(pid: i64, blocked_by: &[i64], since: f64, waited: f64) -> Member {
        let waits = !blocked_by.is_empty();
        Member {
            pid,
            blocked_by: blocked_by.to_vec(),
            started_s: Some(1.0),
            waiting_since_s: waits.then_some(since),
            waited_s: waits.then_some(waited),
            statement: Some("DELETE FROM t WHERE id = 7".to_owned()),
            columns: Map::from_iter([("state".to_owned(), json!("active"))]),
        }
    }

    fn shown(queues: &LockQueues) -> Vec<[i64; 5]> {
        let number = |row: &Row, name: &str| row[name].as_i64().unwrap();
        (queues.rows().iter())
            .map(|row| {
                ["pid", "head_pid", "depth", "seen", "victims"].map(|name| number(row, name))
            })
            .collect()
    }

    #[test]
    fn a_queue_behind_ddl_has_one_head() {
        // A reader, DDL behind it, and two readers behind that: of the locks of both, and of the DDL alone.
        let queue = |waited| {
            vec![
                member(10, &[], 0.0, 0.0),
                member(20, &[10], 100.0, waited),
                member(30, &[20, 10], 101.0, waited - 1.0),
                member(40, &[20], 102.0, waited - 2.0),
            ]
        };
        let mut queues = LockQueues::default();
        queues.add(queue(5.0));
        queues.add(queue(6.0));
        assert_eq!(
            shown(&queues),
            [
                [10, 10, 0, 2, 3],
                [20, 10, 1, 2, 1],
                [30, 10, 1, 2, 0],
                [40, 10, 2, 2, 0]
            ]
        );
        let rows = queues.rows();
        assert_eq!(
            (&rows[1]["waited_s"], &rows[1]["looks"]),
            (&json!(6.0), &json!(2))
        );
        assert_eq!(rows[2]["blocked_by"], "{20,10}");
        assert_eq!(rows[0]["statement"], "DELETE FROM t WHERE id = ?");
        assert!(rows[0]["blocked_by"].is_null() && rows[0]["state"] == "active");
    }

    #[test]
    fn each_wait_is_a_row_and_a_deadlock_has_an_end() {
        let mut queues = LockQueues::default();
        queues.add(vec![member(1, &[], 0.0, 0.0), member(2, &[1], 10.0, 1.0)]);
        queues.add(vec![member(1, &[], 0.0, 0.0), member(2, &[1], 20.0, 3.0)]);
        assert_eq!(
            shown(&queues),
            [[1, 1, 0, 2, 1], [2, 1, 1, 1, 0], [2, 1, 1, 1, 0]]
        );
        let mut circle = LockQueues::default();
        circle.add(vec![member(1, &[2], 5.0, 1.0), member(2, &[1], 5.0, 1.0)]);
        assert_eq!(shown(&circle), [[1, 2, 1, 1, 1], [2, 1, 1, 1, 1]]);
    }

    #[test]
    fn heads_come_before_the_longest_waits_and_short_ones_are_not_kept() {
        let mut queues = LockQueues::default();
        queues.add(vec![
            member(1000, &[], 0.0, 0.0),
            member(1001, &[1000], 9.0, 0.9),
        ]);
        assert!(queues.rows().is_empty());
        let waiters = (2..500).map(|pid| member(pid, &[1], 10.0, pid as f64));
        queues.add(
            std::iter::once(member(1, &[], 0.0, 0.0))
                .chain(waiters)
                .collect(),
        );
        let shown = shown(&queues);
        assert_eq!((shown.len(), shown[0]), (MAX_ROWS, [1, 1, 0, 1, 498]));
        assert_eq!(shown[1][0], 499);
    }
}
