//! The best point of a grid, by a race: `find_best` starts a sweep whose points run in rounds, and points that are
//! significantly worse than the leader drop out. Each round is added to the sweep's order of runs when the previous one is
//! over. The state of the race follows from the runs, so that a race can be resumed like any sweep.

pub mod find_best;
pub mod report;
pub mod standing;

use super::grid;
use crate::pg::sql::called::Called;
use crate::pg::sql::rows;
use measure::statistics::Race;
use pgrx::prelude::*;
use serde::{Deserialize, Serialize};
use standing::Standings;

/// Rounds that are planned from the beginning: nobody leaves before.
pub const PLANNED: usize = 2;

/// What the points race for; stored with the sweep.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RaceSpec {
    /// Name of the metric.
    pub metric: String,
    #[serde(flatten)]
    pub rules: Race,
}

/// The points of the next runs, in an order of their own in each round; empty: the race is over.
pub fn next_block(standings: &Standings, seed: u64) -> Vec<i32> {
    let course = &standings.course;
    if course.is_over {
        return Vec::new();
    }
    // Somebody may have run this round already, before another one was repeated.
    let due: Vec<i32> = (course.running.iter())
        .filter_map(|&i| standings.points.get(i))
        .filter(|point| point.entrant.values.len() <= course.rounds)
        .map(|point| point.point_no)
        .collect();
    let seed = seed.wrapping_add(course.rounds as u64);
    let order = grid::order(due.len(), 1, 1, true, seed);
    let places = order.into_iter().map(|place| place as usize - 1);
    places.filter_map(|place| due.get(place).copied()).collect()
}

/// `pgperf.sweep_race`.
#[pg_extern(sql = false)]
fn sweep_race(sweep_id: Option<i64>, fcinfo: pg_sys::FunctionCallInfo) -> Called<()> {
    let standings = report::load(sweep_id)?;
    let racers = standings.iter().flat_map(Standings::rows);
    Ok(rows::give(fcinfo, racers)?)
}

#[cfg(test)]
mod tests;
