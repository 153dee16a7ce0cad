//! The race in reports.

use super::RaceSpec;
use super::standing::{Row, Standings};
use crate::error::Result;
use crate::experiment::sweeps;
use crate::pg::catalog::role;
use crate::pg::sql::spi;
use crate::show::number::number;
use crate::show::text::{count, narrow_columns, one_line, wrap};
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
    struct Stored {
        race: Option<RaceSpec>,
    }
    let stored: Option<Stored> = spi::select_one(
        "SELECT spec -> 'race' AS race FROM pgperf_internal.stored_sweeps \
          WHERE node_id = $1::pg_catalog.uuid AND sweep_id = $2",
        &[node_id.into(), sweep_id.into()],
    )?;
    let spec = stored.and_then(|stored| stored.race);
    spec.map(|spec| Standings::load(node_id, sweep_id, &spec))
        .transpose()
}

/// A point in words.
pub fn name(row: &Row) -> String {
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
        text += &format!(", {elapsed_s:.0} s of about {whole:.0} s");
    }
    text
}

/// Rows of texts: runs, mean, change, the worst that it may be, verdict, name.
pub fn cells(standings: &Standings) -> Vec<[String; 6]> {
    let percent =
        |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |value| format!("{value:+.1}%"));
    let is_first = |row: &Row| matches!(row.verdict, "best" | "leads");
    (standings.rows().iter())
        .map(|row| {
            let compared = |value: Option<f64>| percent(value.filter(|_| !is_first(row)));
            let verdict = match row.left_after {
                Some(round) => format!("{}, left after round {round}", row.verdict),
                None => row.verdict.to_owned(),
            };
            [
                row.runs.to_string(),
                row.mean.map_or_else(|| "-".to_owned(), number),
                compared(row.change_percent),
                compared(row.worst_percent),
                verdict,
                name(row),
            ]
        })
        .collect()
}

pub const HEADS: [&str; 6] = ["runs", "mean", "change", "at worst", "", ""];

/// The lines of a text report.
pub fn lines(standings: &Standings, elapsed_s: f64, width: usize) -> Vec<String> {
    let margin = 100.0 * standings.spec.rules.margin;
    let mut lines = vec![String::new()];
    lines.extend(wrap(&winner(standings), width));
    let (rows, names): (Vec<Vec<String>>, Vec<String>) = (cells(standings).into_iter())
        .map(|[runs, mean, change, worst, verdict, name]| {
            // Who left has as many runs as there were rounds before.
            let verdict = verdict.split(',').next().unwrap_or_default().to_owned();
            (vec![runs, mean, change, worst, verdict], name)
        })
        .unzip();
    let table = narrow_columns(&["runs", "mean", "change", "at worst", ""], &rows);
    let longest = table.iter().map(|line| line.trim_end().chars().count());
    let longest = longest.max().unwrap_or(0);
    let names = std::iter::once(String::new()).chain(names);
    for (line, name) in table.iter().zip(names) {
        let whole = format!("{:<longest$}  {name}", line.trim_end());
        if whole.chars().count() <= width {
            lines.push(whole.trim_end().to_owned());
        } else {
            lines.push(line.trim_end().to_owned());
            lines.push(format!(
                "        {}",
                one_line(&name, width.saturating_sub(8))
            ));
        }
    }
    lines.push(format!(
        "  {}; as good: within {margin} %",
        cost(standings, elapsed_s)
    ));
    lines
}
