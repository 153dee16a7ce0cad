//! The race in reports.

use super::RaceSpec;
use super::standing::{Racer, Standings};
use crate::error::Result;
use crate::experiment::sweeps;
use crate::pg::catalog::role;
use crate::pg::sql::spi;
use crate::show::blocks::{Block, Listing, Topic, figure, name as column};
use crate::show::delta::percent;
use crate::show::number::{duration, number};
use crate::show::text::count;
use serde::Deserialize;

/// The race of a sweep; None: it has none. `sweep_id` None: the newest of this node.
///
/// # Errors
/// There is no such sweep, or the current user may not see it.
pub fn load(sweep_id: Option<i64>) -> Result<Option<Standings>> {
    let sweep = sweeps::by_id(sweep_id)?;
    sweep.check_visible()?;
    role::as_owner(|| of(&sweep.node_id, sweep.sweep_id))
}

/// The same. Runs as the extension's owner.
pub fn of(node_id: &str, sweep_id: i64) -> Result<Option<Standings>> {
    #[derive(Deserialize)]
    struct StoredRace {
        race: Option<RaceSpec>,
    }
    let stored: Option<StoredRace> = spi::select_one(
        "SELECT spec -> 'race' AS race FROM pgperf_internal.stored_sweeps \
          WHERE node_id = $1::pg_catalog.uuid AND sweep_id = $2",
        &[node_id.into(), sweep_id.into()],
    )?;
    let spec = stored.and_then(|stored| stored.race);
    spec.map(|spec| Standings::load(node_id, sweep_id, &spec))
        .transpose()
}

/// A point in words.
pub fn name(row: &Racer) -> String {
    let clients = count(i64::from(row.clients), "client");
    match row.combination.as_str() {
        "" => clients,
        combination => format!("{combination}, {clients}"),
    }
}

/// Who is the best, in one sentence.
pub fn winner(standings: &Standings) -> String {
    let rows = standings.rows();
    let metric = &standings.spec.metric;
    let Some(first) = rows.first().filter(|_| standings.course.leader.is_some()) else {
        return format!("Race by {metric}: nobody has run yet.");
    };
    let verb = match standings.course.is_over {
        true => "the best is",
        false => "so far the best is",
    };
    format!("Race by {metric}: {verb} {}.", name(first))
}

/// What it cost, beside the whole grid.
pub fn cost(standings: &Standings, elapsed_s: f64) -> String {
    let (runs, grid) = (standings.runs(), standings.runs_of_grid());
    let mut text = format!("{runs} of the grid's {grid} runs");
    if runs > 0 {
        let whole = elapsed_s * grid as f64 / runs as f64;
        text += &format!(", {} of about {}", duration(elapsed_s), duration(whole));
    }
    text
}

/// Who is the best, who left it when, and what it cost.
pub fn topic(standings: &Standings, elapsed_s: f64) -> Topic {
    // The first is what the others are compared with.
    let compared = |row: &Racer, change: Option<f64>| {
        let is_first = matches!(row.verdict, "best" | "leads");
        change.filter(|_| !is_first).map(percent)
    };
    let listing = Listing::of(
        &standings.rows(),
        vec![
            column("point", name),
            column("", |row: &Racer| row.verdict.to_owned()),
            figure("left after", |row: &Racer| {
                row.left_after.map(|round| format!("round {round}"))
            }),
            figure("runs", |row: &Racer| Some(row.runs.to_string())),
            figure("mean", |row: &Racer| row.mean.map(number)),
            figure("change", |row: &Racer| compared(row, row.change_percent)),
            figure("at worst", |row: &Racer| compared(row, row.worst_percent)),
        ],
    );
    let margin = 100.0 * standings.spec.rules.margin;
    let cost = cost(standings, elapsed_s);
    let blocks = vec![
        Block::Table(listing),
        Block::Remark(format!("{cost}; as good: within {margin} %")),
    ];
    Topic::new("race", winner(standings), blocks)
}
