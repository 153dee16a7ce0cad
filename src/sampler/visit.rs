//! A visit: a worker takes what is due in a database, leaves what the next visit has to know in the launcher's memory, and ends.
//!
//! A connection's role is for life: the first worker in a database only looks for the extension and its owner, and tells the launcher.

use super::begin::Watch;
use super::page::{Page, State, Visited};
use super::permanent::resume_sweep;
use super::timetable::{Micros, Wanted};
use super::upkeep::Upkeep;
use super::worker::Sampler;
use crate::collect::{Collector, InVisits};
use crate::pg::catalog::extension;
use crate::pg::server;
use crate::pg::sql::xact;
use crate::service::as_owner::Target;

/// Looks for the extension, as the bootstrap superuser.
pub fn find(page: u32) {
    let Some(page) = Page::attach(page) else {
        return;
    };
    page.report(&Visited::UnderWay);
    page.report(&match xact::transaction(Target::find) {
        Ok(Ok(found)) => Visited::of(found),
        Ok(Err(error)) => Visited::Failed(error.to_string()),
        Err(error) => Visited::Failed(error.message),
    });
}

/// Takes what is due, as the extension's owner.
pub fn run(page: u32, target: Target, watch: Watch) {
    let Some(page) = Page::attach(page) else {
        return;
    };
    page.report(&Visited::UnderWay);
    // What is known of it may be minutes old.
    let installed = xact::bare_transaction(extension::find).unwrap_or(None);
    let is_same = |installed: &extension::Installed| {
        (installed.oid, installed.owner) == (target.extension, target.owner)
            && installed.check_version().is_ok()
    };
    if !installed.as_ref().is_some_and(is_same) {
        return page.report(&Visited::Changed);
    }
    page.report(&visit(page.state(), Sampler::new(target.extension, watch)));
}

fn visit(state: State, mut sampler: Sampler) -> Visited {
    sampler.timetable = state.timetable;
    if state.upkeep.is_none() {
        resume_sweep(&mut sampler);
    }
    let mut upkeep = state.upkeep.unwrap_or_else(Upkeep::begin);
    match sampler.wanted() {
        Ok(wanted) => (sampler.timetable).set(&of_visits(&wanted), server::timestamp_now()),
        Err(error) => sampler.tell(&error.to_string()),
    }
    for due in sampler.timetable.due(server::timestamp_now()) {
        sampler.take(due);
    }
    let budget = sampler.watch.budget();
    (sampler.timetable).keep_within(budget, server::timestamp_now());
    if upkeep.take_if_due() {
        sampler.maintain();
    }
    let next_at = sampler.timetable.next_at().unwrap_or(Micros::MAX);
    Visited::Done {
        state: State {
            timetable: std::mem::take(&mut sampler.timetable),
            upkeep: Some(upkeep),
        },
        next_in: next_at.saturating_sub(server::timestamp_now()),
        problem: sampler.problem(),
    }
}

/// What visits take. Nothing keeps its interval at any cost: with many databases, that would be most of the server's samples.
fn of_visits(wanted: &[(&'static Collector, Micros)]) -> Vec<Wanted> {
    let when_due = wanted
        .iter()
        .filter(|(collector, _)| collector.in_visits == InVisits::WhenDue);
    let Some(shortest) = when_due.map(|(_, interval)| *interval).min() else {
        return Vec::new();
    };
    let interval = |collector: &Collector, interval: Micros| match collector.in_visits {
        InVisits::Never => None,
        InVisits::WhenDue => Some(interval),
        InVisits::Along => Some((interval + shortest - 1) / shortest.max(1) * shortest),
    };
    let wanted = wanted.iter().filter_map(|&(collector, asked)| {
        Some(Wanted {
            name: collector.name,
            interval: interval(collector, asked)?,
            keeps_interval: false,
        })
    });
    wanted.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::subject::ALL;

    #[test]
    fn a_visit_takes_what_is_the_database_s_and_the_rest_along() {
        let intervals = |tables: Micros| {
            let asked = |collector: &'static Collector| match collector.name {
                "tables" => Some((collector, tables)),
                "bloat" => Some((collector, 600)),
                "database" | "wal" => Some((collector, 10)),
                _ => None,
            };
            let asked: Vec<_> = ALL.into_iter().filter_map(asked).collect();
            let wanted = of_visits(&asked).into_iter();
            let wanted = wanted.map(|it| (it.name, it.interval));
            wanted.collect::<Vec<_>>()
        };
        let expected =
            |database, tables| [("database", database), ("tables", tables), ("bloat", 600)];
        assert_eq!(intervals(60), expected(60, 60));
        assert_eq!(intervals(4), expected(12, 4));
        let wal = ALL.into_iter().filter(|collector| collector.name == "wal");
        let only: Vec<_> = wal.map(|collector| (collector, 10)).collect();
        assert!(of_visits(&only).is_empty());
    }
}
