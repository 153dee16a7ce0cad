//! The schedule of collectors. They are due at multiples of their interval on the clock, so that times do not drift, samples
//! of different intervals coincide, and a restart changes nothing. A missed tick is skipped.
//!
//! If the collectors' time on a CPU exceeds the budget, the most expensive one is taken half as often, then the next, until they fit.
//! The interval is shortened again only when the budget has ample room. Some keep their interval at any cost: an incident is
//! explained by them, and a busy server is when they cost most.

/// Microseconds, of time spent and since a fixed moment.
pub type Micros = i64;

/// When each collector is due.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Timetable {
    entries: Vec<Entry>,
}

/// A collector that the sampler is to take.
#[derive(Debug, Clone, Copy)]
pub struct Wanted {
    pub name: &'static str,
    pub interval: Micros,
    /// Whether it is never taken less often.
    pub keeps_interval: bool,
}

#[derive(Debug, Clone, PartialEq)]
struct Entry {
    name: &'static str,
    interval: Micros,
    keeps_interval: bool,
    /// How many intervals apart it is taken now.
    stretch: i64,
    /// The last tick of the grid that was seen.
    tick: i64,
    /// What taking it costs, smoothed.
    cost: Option<f64>,
    taken: bool,
}

/// Collectors that are due together.
#[derive(Debug, PartialEq, Eq)]
pub struct Due {
    /// How far apart they are taken.
    pub cadence: Micros,
    /// Each with the requested interval.
    pub collectors: Vec<(&'static str, Micros)>,
}

/// Weight of the latest cost in the smoothed one.
const WEIGHT: f64 = 0.3;
/// Intervals are stretched up to this.
const MAX_STRETCH: i64 = 1 << 16;
/// Collectors come back when their cost would then be below this part of the budget.
const ROOM: f64 = 0.8;

impl Entry {
    fn period(&self) -> Micros {
        self.interval.saturating_mul(self.stretch)
    }

    fn tick_at(&self, now: Micros) -> i64 {
        now.div_euclid(self.period())
    }

    /// The part of one CPU that it takes.
    fn share(&self) -> f64 {
        self.cost.map_or(0.0, |cost| cost / self.period() as f64)
    }

    fn stretch_to(&mut self, stretch: i64, now: Micros) {
        self.stretch = stretch;
        self.tick = self.tick_at(now);
    }
}

impl Timetable {
    /// Takes over the wanted collectors and their intervals. New or changed ones are due at the next tick of their grid.
    pub fn set(&mut self, wanted: &[Wanted], now: Micros) {
        self.entries
            .retain(|entry| wanted.iter().any(|wanted| wanted.name == entry.name));
        for wanted in wanted {
            let interval = wanted.interval.max(1);
            let known = (self.entries.iter_mut()).find(|entry| entry.name == wanted.name);
            match known {
                Some(entry) if entry.interval == interval => {}
                Some(entry) => {
                    entry.interval = interval;
                    entry.stretch_to(1, now);
                }
                None => self.entries.push(Entry {
                    name: wanted.name,
                    interval,
                    keeps_interval: wanted.keeps_interval,
                    stretch: 1,
                    tick: now.div_euclid(interval),
                    cost: None,
                    taken: false,
                }),
            }
        }
    }

    /// The collectors due now, the shortest cadence first.
    pub fn due(&mut self, now: Micros) -> Vec<Due> {
        let mut due: Vec<Due> = Vec::new();
        for entry in &mut self.entries {
            let tick = entry.tick_at(now);
            // Also after the clock was set back.
            if tick == entry.tick {
                continue;
            }
            entry.tick = tick;
            let (cadence, collector) = (entry.period(), (entry.name, entry.interval));
            match due.iter_mut().find(|due| due.cadence == cadence) {
                Some(due) => due.collectors.push(collector),
                None => due.push(Due {
                    cadence,
                    collectors: vec![collector],
                }),
            }
        }
        due.sort_by_key(|due| due.cadence);
        due
    }

    /// When the next is due; None: there is none.
    pub fn next_at(&self) -> Option<Micros> {
        let next = |entry: &Entry| entry.tick.saturating_add(1).saturating_mul(entry.period());
        self.entries.iter().map(next).min()
    }

    /// Records the cost of a collector: microseconds on a CPU. Its first time, which fills caches, does not count.
    pub fn spent(&mut self, name: &str, cost: f64) {
        let Some(entry) = self.entries.iter_mut().find(|entry| entry.name == name) else {
            return;
        };
        if entry.taken {
            let smoothed = |before: f64| before + (cost - before) * WEIGHT;
            entry.cost = Some(entry.cost.map_or(cost, smoothed));
        }
        entry.taken = true;
    }

    /// Adapts the cadences to a budget, a part of one CPU. What keeps its interval uses up half of it at most: the others are never left
    /// with nothing.
    pub fn keep_within(&mut self, budget: f64, now: Micros) {
        let kept = self.share(|entry| entry.keeps_interval);
        let budget = (budget - kept).max(budget / 2.0);
        while self.share(|entry| !entry.keeps_interval) > budget {
            let dearest = self
                .entries
                .iter_mut()
                .filter(|entry| !entry.keeps_interval && entry.stretch < MAX_STRETCH)
                .max_by(|a, b| a.share().total_cmp(&b.share()));
            match dearest {
                Some(entry) => entry.stretch_to(entry.stretch * 2, now),
                None => return,
            }
        }
        loop {
            let room = ROOM * budget - self.share(|entry| !entry.keeps_interval);
            let cheapest = self
                .entries
                .iter_mut()
                .filter(|entry| entry.stretch > 1)
                .min_by(|a, b| a.share().total_cmp(&b.share()));
            match cheapest {
                // Half the distance: as much again.
                Some(entry) if entry.share() <= room => entry.stretch_to(entry.stretch / 2, now),
                _ => return,
            }
        }
    }

    fn share(&self, of: impl Fn(&&Entry) -> bool) -> f64 {
        self.entries.iter().filter(of).map(Entry::share).sum()
    }

    /// As words, for another process. `names`: those of all collectors.
    pub fn encode(&self, names: &[&'static str]) -> Vec<[u64; ENTRY_WORDS]> {
        let encode = |entry: &Entry| {
            let number = names.iter().position(|name| *name == entry.name)?;
            Some([
                (number as u64) << 2
                    | u64::from(entry.keeps_interval) << 1
                    | u64::from(entry.taken),
                entry.interval as u64,
                entry.stretch as u64,
                entry.tick as u64,
                entry.cost.unwrap_or(f64::NAN).to_bits(),
            ])
        };
        self.entries.iter().filter_map(encode).collect()
    }

    /// And back.
    pub fn decode(words: &[[u64; ENTRY_WORDS]], names: &[&'static str]) -> Timetable {
        let decode = |&[head, interval, stretch, tick, cost]: &[u64; ENTRY_WORDS]| {
            Some(Entry {
                name: names.get((head >> 2) as usize)?,
                interval: interval as Micros,
                keeps_interval: head & 2 != 0,
                stretch: stretch as i64,
                tick: tick as i64,
                cost: Some(f64::from_bits(cost)).filter(|cost| !cost.is_nan()),
                taken: head & 1 != 0,
            })
        };
        Timetable {
            entries: words.iter().filter_map(decode).collect(),
        }
    }
}

/// The words of a collector's entry.
pub const ENTRY_WORDS: usize = 5;

#[cfg(test)]
mod tests {
    use super::*;

    const S: Micros = 1_000_000;

    fn wanted(name: &'static str, seconds: i64) -> Wanted {
        Wanted {
            name,
            interval: seconds * S,
            keeps_interval: false,
        }
    }

    fn names(due: &[Due]) -> Vec<Vec<&'static str>> {
        due.iter()
            .map(|due| due.collectors.iter().map(|(name, _)| *name).collect())
            .collect()
    }

    #[test]
    fn ticks_are_those_of_the_clock_and_missed_ones_are_over() {
        let mut table = Timetable::default();
        assert_eq!(table.next_at(), None);
        let some = [wanted("wal", 10), wanted("host", 10), wanted("bloat", 60)];
        table.set(&some, 1003 * S);
        assert!(table.due(1003 * S).is_empty());
        assert_eq!(table.next_at(), Some(1010 * S));
        assert_eq!(names(&table.due(1010 * S + 7)), [["wal", "host"]]);
        assert!(table.due(1019 * S).is_empty());
        // Late by more than one: taken once, and the next is on the grid again.
        assert_eq!(
            names(&table.due(1047 * S)),
            [vec!["wal", "host"], vec!["bloat"]]
        );
        assert!(table.due(1047 * S).is_empty());
        assert_eq!(table.next_at(), Some(1050 * S));
        // The clock is set back: no silence until it has come so far again.
        assert_eq!(names(&table.due(12 * S)).len(), 2);
        assert_eq!(table.next_at(), Some(20 * S));
        // Before the moment from which time counts.
        assert_eq!(names(&table.due(-5 * S)).len(), 2);
        assert_eq!(table.next_at(), Some(0));
    }

    #[test]
    fn a_changed_interval_counts_from_its_next_tick() {
        let mut table = Timetable::default();
        table.set(&[wanted("wal", 3600), wanted("host", 10)], 5 * S);
        table.set(&[wanted("wal", 2)], 7 * S);
        assert_eq!(table.next_at(), Some(8 * S));
        assert_eq!(names(&table.due(8 * S)), [["wal"]]);
        table.set(&[wanted("wal", 2)], 9 * S);
        assert_eq!(names(&table.due(10 * S)), [["wal"]]);
        table.set(&[], 11 * S);
        assert_eq!(table.next_at(), None);
    }

    #[test]
    fn the_most_expensive_is_pushed_back_until_all_fit_and_comes_back() {
        let mut table = Timetable::default();
        table.set(&[wanted("wal", 10), wanted("tables", 10)], 0);
        // 0.1 % and 9 % of the time; the first time does not count.
        for costs in [(9e6, 9e6), (1e4, 9e5)] {
            table.spent("wal", costs.0);
            table.spent("tables", costs.1);
        }
        table.keep_within(0.01, 0);
        // 9 % / 16 = 0.56 %.
        let due = table.due(160 * S);
        assert_eq!(
            due,
            [
                Due {
                    cadence: 10 * S,
                    collectors: vec![("wal", 10 * S)]
                },
                Due {
                    cadence: 160 * S,
                    collectors: vec![("tables", 10 * S)]
                }
            ]
        );
        // It became cheap: 1 ms.
        for _ in 0..60 {
            table.spent("tables", 1e3);
        }
        table.keep_within(0.01, 160 * S);
        assert_eq!(names(&table.due(170 * S)), [["wal", "tables"]]);
        // Just below the budget it does not go back and forth.
        table.spent("unknown", 1.0);
        for _ in 0..60 {
            table.spent("tables", 1.1e5);
        }
        table.keep_within(0.01, 170 * S);
        let stretched = table.due(180 * S).len();
        for _ in 0..3 {
            table.keep_within(0.01, 180 * S);
        }
        assert_eq!((stretched, table.due(190 * S).len()), (2, 1));
    }

    #[test]
    fn what_takes_most_of_the_time_is_pushed_back_not_what_takes_long() {
        let mut table = Timetable::default();
        table.set(&[wanted("bloat", 1000), wanted("wal", 1)], 0);
        // 2 s in 1,000 are 0.2 %, 50 ms in one are 5 %.
        for _ in 0..2 {
            table.spent("bloat", 2e6);
            table.spent("wal", 5e4);
        }
        table.keep_within(0.01, 0);
        let due = table.due(1024 * S);
        let cadences: Vec<_> = due.iter().map(|due| due.cadence).collect();
        assert_eq!(cadences, [8 * S, 1000 * S]);
        assert_eq!(names(&due), [["wal"], ["bloat"]]);
    }

    #[test]
    fn what_keeps_its_interval_is_never_pushed_back_and_the_others_make_room() {
        let mut table = Timetable::default();
        let sessions = Wanted {
            keeps_interval: true,
            ..wanted("sessions", 10)
        };
        table.set(&[sessions, wanted("wal", 10)], 0);
        // 0.9 % each: half of the budget is left.
        for _ in 0..2 {
            table.spent("sessions", 9e4);
            table.spent("wal", 9e4);
        }
        table.keep_within(0.01, 0);
        let due = table.due(640 * S);
        let cadences: Vec<_> = due.iter().map(|due| due.cadence).collect();
        assert_eq!(names(&due), [["sessions"], ["wal"]]);
        assert_eq!(cadences, [10 * S, 20 * S]);
        // It takes far more: the other has its half still.
        table.spent("sessions", 1e7);
        table.keep_within(0.01, 640 * S);
        assert_eq!(table.next_at(), Some(650 * S));
        assert_eq!(names(&table.due(660 * S)).len(), 2);
    }

    #[test]
    fn another_process_goes_on_with_it() {
        let names = ["bloat", "wal", "host"];
        let mut table = Timetable::default();
        let mut some = [wanted("wal", 10), wanted("host", 10)];
        some[1].keeps_interval = true;
        table.set(&some, 1003 * S);
        assert_eq!(table.due(1010 * S).len(), 1);
        for _ in 0..2 {
            table.spent("wal", 2.5e9);
        }
        table.keep_within(0.01, 1010 * S);
        assert_eq!(Timetable::decode(&table.encode(&names), &names), table);
        assert_eq!(Timetable::decode(&[], &names), Timetable::default());
    }

    #[test]
    fn what_never_fits_is_taken_very_seldom() {
        let mut table = Timetable::default();
        table.set(&[wanted("bloat", 1)], 0);
        for _ in 0..2 {
            table.spent("bloat", 1e15);
        }
        table.keep_within(0.01, 0);
        assert_eq!(table.next_at(), Some(MAX_STRETCH * S));
    }
}
