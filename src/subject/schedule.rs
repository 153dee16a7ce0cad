//! Which collectors a run takes, and when: all of them at its start and end, some in between, and those of an option if it asks.

use super::ALL;
use super::bloat;
use super::registry::by_name;
use crate::collect::collector::{Collector, Depth, InRuns};
use crate::error::{Result, invalid};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

/// A collector of a run, as its spec stores it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Choice {
    pub name: String,
    /// How often, in seconds; None: as it comes.
    pub every_s: Option<f64>,
}

/// The argument `collectors`: names, each with an interval after `@` or without. `seconds` reads an interval.
///
/// # Errors
/// An unknown name, one that is named twice, or an interval that is not above zero: 22023.
pub fn parse(
    items: &[Option<String>],
    seconds: impl Fn(&str) -> Result<f64>,
) -> Result<Vec<Choice>> {
    let choices: Vec<Choice> = items
        .iter()
        .map(|item| {
            let item = item.as_deref();
            let (name, every) = match item.and_then(|item| item.split_once('@')) {
                Some((name, every)) => (Some(name.trim()), Some(every.trim())),
                None => (item.map(str::trim), None),
            };
            let named = by_name(&[name.map(str::to_owned)])?;
            if named.iter().any(|named| named.in_runs == InRuns::IfAsked) {
                let name = name.unwrap_or_default();
                return Err(invalid(format!(
                    "collector \"{name}\" cannot be named in collectors"
                ))
                .hinting(format!(
                    "It belongs to an option of the run: {name} => true."
                )));
            }
            let name = name.unwrap_or_default().to_owned();
            let every_s = every.map(&seconds).transpose()?;
            if every_s.is_some_and(|every| every <= 0.0 || every.is_nan()) {
                return Err(invalid(format!(
                    "the interval of collector \"{name}\" must be greater than zero"
                ))
                .hinting("For example: '{bloat@1h, wraparound@1min}'."));
            }
            Ok(Choice { name, every_s })
        })
        .collect::<Result<_>>()?;
    let mut seen = HashSet::new();
    match choices.iter().find(|choice| !seen.insert(&choice.name)) {
        Some(Choice { name, .. }) => Err(invalid(format!("collector \"{name}\" is named twice"))
            .hinting("A run takes each of them once, at one interval.")),
        None => Ok(choices),
    }
}

/// Those of a load: all but bloat. At a load's start it would be measured of tables that are dropped next, and at its end of
/// tables and indexes in which nothing has changed since they were built.
pub fn of_load() -> Vec<Choice> {
    let is_wanted = |collector: &&&Collector| {
        !matches!(collector.in_runs, InRuns::IfAsked | InRuns::IfNamed)
            && collector.exists_here()
            && collector.name != bloat::COLLECTOR.name
    };
    let choice = |collector: &Collector| Choice {
        name: collector.name.to_owned(),
        every_s: None,
    };
    ALL.iter().filter(is_wanted).map(|it| choice(it)).collect()
}

/// Whether it reads the pages of relations, which is then in their statistics.
pub fn reads_relations(collector: &Collector) -> bool {
    collector.name == bloat::COLLECTOR.name
}

/// The times at which a run takes its collectors.
pub struct Schedule {
    entries: Vec<Entry>,
}

struct Entry {
    collector: &'static Collector,
    when: When,
}

enum When {
    /// At the start and end only.
    Ends,
    EveryInterval,
    /// At the first interval that ends `next_s` or later after the beginning.
    Every {
        every_s: f64,
        next_s: f64,
    },
}

impl Schedule {
    /// As chosen; without a choice all collectors, the cheap ones at every interval. Not those that an option of the run
    /// asks for, nor those that have to be named.
    pub fn new(choices: Option<&[Choice]>) -> Schedule {
        let entry = |collector: &'static Collector| match choices {
            _ if collector.in_runs == InRuns::IfAsked => None,
            None if collector.in_runs == InRuns::IfNamed => None,
            None if is_due_every_interval(collector) => Some(When::EveryInterval),
            None => Some(When::Ends),
            Some(choices) => {
                let choice = choices
                    .iter()
                    .find(|choice| choice.name == collector.name)?;
                Some(match choice.every_s {
                    Some(every_s) => When::Every {
                        every_s,
                        next_s: every_s,
                    },
                    None if collector.in_runs == InRuns::WithReceivers => When::Ends,
                    None if collector.in_runs != InRuns::Ends => When::EveryInterval,
                    None => When::Ends,
                })
            }
        };
        Schedule {
            entries: ALL
                .into_iter()
                .filter_map(|collector| entry(collector).map(|when| Entry { collector, when }))
                .collect(),
        }
    }

    /// That of a run on a target: all collectors that can read one, the cheap ones at every interval. What its version lacks is known
    /// only there.
    pub fn of_target() -> Schedule {
        let readable = ALL.into_iter().filter(|it| it.of_target.is_some());
        let entry = |collector: &'static Collector| Entry {
            collector,
            when: match collector.in_runs {
                InRuns::EveryInterval | InRuns::WithReceivers => When::EveryInterval,
                _ => When::Ends,
            },
        };
        Schedule {
            entries: readable.map(entry).collect(),
        }
    }

    /// Whether a server's receivers are followed is known when the run begins: then at every interval, unless somebody has
    /// chosen the collectors.
    pub fn watch_receivers(&mut self, there_are_some: bool) {
        let followed = self.entries.iter_mut();
        for entry in followed.filter(|entry| entry.collector.in_runs == InRuns::WithReceivers) {
            if there_are_some && matches!(entry.when, When::Ends) {
                entry.when = When::EveryInterval;
            }
        }
    }

    /// All that the run takes at its start and end.
    pub fn at_ends(&self) -> Vec<(&'static Collector, Depth)> {
        let full = |entry: &Entry| (entry.collector, Depth::Full);
        self.entries.iter().map(full).collect()
    }

    /// The same at the start: bloat before the others, so that what it reads is not taken for the run's.
    pub fn at_start(&self) -> Vec<(&'static Collector, Depth)> {
        let mut collectors = self.at_ends();
        collectors.sort_by_key(|(it, _)| !reads_relations(it));
        collectors
    }

    /// The collectors due at an interval that ends at this time after the beginning. Missed times are not made up.
    pub fn due(&mut self, elapsed_s: f64) -> Vec<(&'static Collector, Depth)> {
        let is_due = |entry: &mut Entry| match &mut entry.when {
            When::Ends => false,
            When::EveryInterval => true,
            // The clock of the intervals may be a moment early.
            When::Every { every_s, next_s } if elapsed_s + EARLY_S >= *next_s => {
                *next_s = (((elapsed_s + EARLY_S) / *every_s).floor() + 1.0) * *every_s;
                true
            }
            When::Every { .. } => false,
        };
        // Collectors watched at every interval are taken in full if somebody gives an interval.
        let depth = |entry: &Entry| match (entry.collector.in_runs, &entry.when) {
            (InRuns::EveryInterval, _) | (_, When::EveryInterval) => Depth::Tick,
            _ => Depth::Full,
        };
        self.entries
            .iter_mut()
            .filter_map(|entry| is_due(entry).then(|| (entry.collector, depth(entry))))
            .collect()
    }

    /// Whether the waits of the run's clients are wanted at its intervals.
    pub fn watches_waits(&self) -> bool {
        let wanted =
            |entry: &Entry| entry.collector.watches_clients && !matches!(entry.when, When::Ends);
        self.entries.iter().any(wanted)
    }
}

/// One that this server cannot have is not tried again and again.
fn is_due_every_interval(collector: &Collector) -> bool {
    let always = [InRuns::EveryInterval, InRuns::Watched];
    always.contains(&collector.in_runs) && collector.exists_here()
}

/// Intervals end on time within this.
const EARLY_S: f64 = 0.05;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collect::collector::SERVER_MAJOR;
    use crate::error::Error;

    fn parsed(items: &[&str]) -> Result<Vec<Choice>> {
        let items: Vec<_> = items.iter().map(|item| Some((*item).to_owned())).collect();
        parse(&items, |text| text.parse().map_err(|_| Error::NotInstalled))
    }

    fn names(due: Vec<(&'static Collector, Depth)>) -> Vec<&'static str> {
        due.into_iter()
            .map(|(collector, _)| collector.name)
            .collect()
    }

    #[test]
    fn names_carry_an_interval_or_not() {
        let choice = |name: &str, every_s| Choice {
            name: name.to_owned(),
            every_s,
        };
        assert_eq!(
            parsed(&["wal", " bloat @ 3600"]).unwrap(),
            [choice("wal", None), choice("bloat", Some(3600.0))]
        );
        assert!(parsed(&["wall"]).unwrap_err().to_string().contains("wall"));
        assert!(
            parsed(&["wal@0"]).is_err()
                && parsed(&["wal@-1"]).is_err()
                && parsed(&["wal@"]).is_err()
        );
        assert!(parse(&[None], |_| Ok(1.0)).is_err());
        assert!(parsed(&["hit_curve@1"]).is_err());
        assert!(parsed(&["wal", "bloat", "wal@2"]).is_err());
    }

    #[test]
    fn without_a_choice_all_at_the_ends_and_the_cheap_ones_in_between() {
        let mut schedule = Schedule::new(None);
        assert_eq!(schedule.at_ends().len(), ALL.len() - 4);
        for name in ["hit_curve", "sessions", "sequences", "plans"] {
            assert!(!names(schedule.at_ends()).contains(&name));
        }
        let mut schedule_of_sessions = Schedule::new(Some(&parsed(&["sessions"]).unwrap()));
        assert_eq!(names(schedule_of_sessions.due(1.0)), ["sessions"]);
        let due = names(schedule.due(1.0));
        assert!(due.contains(&"wal") && due.contains(&"waits") && !due.contains(&"bloat"));
        assert!(due.contains(&"tables"));
        assert_eq!(due.contains(&"io"), SERVER_MAJOR >= 16);
        assert!(schedule.watches_waits());
    }

    #[test]
    fn a_load_is_sampled_as_a_run_is_but_for_bloat() {
        let taken = |choices: Option<&[Choice]>| {
            let mut schedule = Schedule::new(choices);
            let at_ends = names(schedule.at_ends());
            let here = |name: &&str| ALL.iter().any(|it| it.name == *name && it.exists_here());
            let at_ends: Vec<_> = at_ends.into_iter().filter(here).collect();
            (at_ends, names(schedule.due(1.0)))
        };
        let (mut at_ends, due) = taken(None);
        at_ends.retain(|name| *name != "bloat");
        assert_eq!(taken(Some(&of_load())), (at_ends, due));
    }

    #[test]
    fn intervals_are_kept_and_missed_ones_are_not_made_up_for() {
        let mut schedule = Schedule::new(Some(&parsed(&["bloat@3", "wal", "settings"]).unwrap()));
        assert_eq!(names(schedule.at_ends()), ["wal", "settings", "bloat"]);
        assert_eq!(names(schedule.at_start()), ["bloat", "wal", "settings"]);
        assert!(!schedule.watches_waits());
        for (elapsed, due) in [
            (1.0, 1),
            (2.0, 1),
            (2.99, 2),
            (4.0, 1),
            (6.0, 2),
            (14.0, 2),
            (15.0, 2),
            (16.0, 1),
        ] {
            assert_eq!(schedule.due(elapsed).len(), due, "{elapsed}");
        }
        assert!(Schedule::new(Some(&[])).at_ends().is_empty());
    }

    #[test]
    fn what_is_watched_is_taken_in_full_at_the_ends_and_at_a_chosen_interval() {
        let depth = |items: &[&str], elapsed_s| {
            let mut schedule = Schedule::new(Some(&parsed(items).unwrap()));
            assert_eq!(schedule.at_ends()[0].1, Depth::Full);
            let due = schedule.due(elapsed_s);
            due.first().map(|(_, depth)| *depth)
        };
        assert_eq!(depth(&["tables"], 1.0), Some(Depth::Tick));
        assert_eq!(depth(&["tables@5"], 5.0), Some(Depth::Full));
        assert_eq!(depth(&["tables@5"], 1.0), None);
        assert_eq!(depth(&["wal@5"], 5.0), Some(Depth::Tick));
    }
}
