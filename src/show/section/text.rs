//! A section as text of 80 columns: the figures of each table that fit, the names last, cut where they are too long.

use super::cell;
use super::part::{Curve, Drawing, Part, Row, Rows};
use super::{Column, Kind};
use crate::show::charts::Shape;
use crate::show::plan::side_by_side;
use crate::show::sparkline::sparkline;
use crate::show::text::{WIDTH, one_line, wrap};
use serde_json::Value;

/// Columns that a name has at least.
const NAME: usize = 30;
const GAP: usize = 2;
/// A text in a column of figures is cut after so many characters: no time is.
const CELL: usize = 25;

/// The section, a line each. `unicode`: whether its reader can show more than ASCII.
pub fn lines(part: &Part, unicode: bool) -> Vec<String> {
    let mut lines = vec![
        part.title.to_owned(),
        "-".repeat(part.title.chars().count()),
    ];
    if let Some(why) = &part.why {
        lines.extend(note(&format!("Nothing: {why}.")));
        return lines;
    }
    lines.extend(note(part.reading));
    lines.extend(part.notes.iter().flat_map(|sentence| note(sentence)));
    for chart in &part.charts {
        lines.extend(over_time(chart, unicode));
    }
    for table in &part.tables {
        lines.push(String::new());
        lines.push(format!("{}:", table.title));
        lines.extend(if table.is_turned() {
            figures(table)
        } else {
            objects(table)
        });
        if !table.table.note.is_empty() {
            lines.extend(note(table.table.note));
        }
    }
    lines.extend(note(&format!("More: {}", part.call)));
    lines
}

/// One line for the first curve of a chart, or for all of them together where they lie on top of one another.
fn over_time(chart: &Drawing, unicode: bool) -> Option<String> {
    let curve = chart.lines.first()?;
    let is_stack = (chart.chart.lines.iter()).all(|line| line.shape == Shape::Stacked);
    let values: Vec<f64> = match is_stack {
        true => stacked(&chart.lines),
        false => curve.values.iter().flatten().copied().collect(),
    };
    let highest = values.iter().copied().reduce(f64::max)?;
    if values.len() < 2 {
        return None;
    }
    let object = (chart.object.as_ref()).map_or_else(String::new, |object| format!(" of {object}"));
    let more = if chart.lines.len() > 1 && !is_stack {
        format!(" ({})", curve.name)
    } else {
        String::new()
    };
    let highest = chart.chart.unit.write(highest);
    // What tells the line from others stays whole, up to a quarter of it; the title is cut.
    let what = one_line(&format!("{more}{object}"), WIDTH / 4);
    let what = if what.is_empty() {
        what
    } else {
        format!(" {what}")
    };
    let left = (WIDTH / 2).saturating_sub(what.chars().count());
    let name = format!("{}{what}, up to {highest}: ", one_line(chart.title, left));
    let room = WIDTH.saturating_sub(name.chars().count()).max(8);
    // As many points as there is room for, each the mean of its part.
    let values = condensed(&values, room);
    Some(format!("{name}{}", sparkline(&values, room, unicode)))
}

/// The sums of curves, without the moments at which none is known.
fn stacked(curves: &[Curve]) -> Vec<f64> {
    let count = curves.iter().map(|curve| curve.values.len()).max();
    let known = |place: usize| {
        let values = curves
            .iter()
            .filter_map(move |curve| *curve.values.get(place)?);
        values.reduce(|a, b| a + b)
    };
    (0..count.unwrap_or(0)).filter_map(known).collect()
}

fn condensed(values: &[f64], room: usize) -> Vec<f64> {
    let size = values.len().div_ceil(room.max(1)).max(1);
    let mean = |part: &[f64]| part.iter().sum::<f64>() / part.len() as f64;
    values.chunks(size).map(mean).collect()
}

/// A line for each figure.
fn figures(table: &Rows) -> Vec<String> {
    let cut = |text: String| one_line(&text, CELL);
    let names = table.rows.iter().map(|row| cut(name(table, row)));
    let heads: Vec<String> = names.chain([String::new()]).collect();
    let lines = table.known_columns().map(|column| {
        let value = |row: &Row| cell::with_unit(row.get(column.name)?, column.kind);
        let cells = (table.rows.iter()).map(|row| value(row).map_or_else(dash, cut));
        cells.chain([column.head.to_owned()]).collect()
    });
    aligned(&std::iter::once(heads).chain(lines).collect::<Vec<_>>())
}

/// A line for each object.
fn objects(table: &Rows) -> Vec<String> {
    let columns: Vec<&Column> = (table.known_columns())
        .filter(|column| column.in_text && column.kind != Kind::Plan)
        .collect();
    let names = table.table.keys.iter().map(|key| key.head);
    let names: Vec<&str> = names.filter(|head| !head.is_empty()).collect();
    let heads = columns.iter().map(|column| head(column));
    let heads: Vec<String> = heads.chain([names.join(", ")]).collect();
    let lines = table.rows.iter().map(|row| {
        let cells = columns.iter().map(|column| cell(row, column));
        let cells = cells.map(|cell| cell.unwrap_or_else(dash));
        cells.chain([name(table, row)]).collect()
    });
    let mut lines = aligned(&std::iter::once(heads).chain(lines).collect::<Vec<_>>());
    lines.extend(table.more.then(|| "  ...".to_owned()));
    lines.extend(table.rows.iter().flat_map(|row| plans(table, row)));
    lines
}

/// In place of what is not known.
fn dash() -> String {
    "-".to_owned()
}

/// The plans of a row side by side, below its name.
fn plans(table: &Rows, row: &Row) -> Vec<String> {
    let is_shown = |column: &&Column| column.in_text && column.kind == Kind::Plan;
    let columns: Vec<&Column> = table.table.columns.iter().filter(is_shown).collect();
    let text = |column: &&Column| row.get(column.name).and_then(Value::as_str);
    let texts: Vec<&str> = columns.iter().filter_map(text).collect();
    let [before, after] = texts.as_slice() else {
        return Vec::new();
    };
    let heads = columns.iter().map(|column| column.head);
    let heads: Vec<&str> = heads.collect();
    let name = one_line(&name(table, row), WIDTH);
    let plans = side_by_side((heads[0], before), (heads[1], after));
    [vec![String::new(), name], plans].concat()
}

fn cell(row: &Row, column: &Column) -> Option<String> {
    let text = cell::shown(row.get(column.name)?, column.kind)?;
    Some(one_line(&text, CELL))
}

fn head(column: &Column) -> String {
    match cell::unit(column.kind) {
        Some(unit) => format!("{} {unit}", column.head),
        None => column.head.to_owned(),
    }
}

/// What a row is about.
fn name(table: &Rows, row: &Row) -> String {
    let parts = table
        .table
        .keys
        .iter()
        .filter_map(|key| row.get(key.name)?.as_str());
    parts
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join("  ")
}

/// Columns of figures to the right, as many as leave room for the last one, a name to the left, which is cut to fit.
pub fn aligned(lines: &[Vec<String>]) -> Vec<String> {
    let columns = lines.first().map_or(0, Vec::len).saturating_sub(1);
    let width = |column: usize| {
        let cells = lines.iter().filter_map(|line| line.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let longest = width(columns).min(NAME);
    let mut room = WIDTH.saturating_sub(longest + GAP);
    let widths: Vec<usize> = (0..columns)
        .map(width)
        .take_while(|width| {
            let fits = *width + GAP <= room;
            room = room.saturating_sub(if fits { *width + GAP } else { room });
            fits
        })
        .collect();
    let name_width = room + longest;
    let line = |line: &Vec<String>| {
        let figures = line.iter().zip(&widths);
        let mut text: String = figures
            .map(|(cell, &width)| format!("  {cell:>width$}"))
            .collect();
        if let Some(name) = line.last() {
            text.push_str("  ");
            text.push_str(&one_line(name, name_width));
        }
        text.trim_end().to_owned()
    };
    lines.iter().map(line).collect()
}

/// A sentence in lines that fit.
pub fn note(text: &str) -> Vec<String> {
    wrap(text, WIDTH - GAP)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(cells: &[&str]) -> Vec<String> {
        cells.iter().map(|cell| (*cell).to_owned()).collect()
    }

    #[test]
    fn a_long_name_is_cut_and_the_line_fits() {
        let lines = aligned(&[
            row(&["calls", "ms", "statement"]),
            row(&["12", "3.5", &"SELECT x ".repeat(40)]),
        ]);
        assert_eq!(lines[0], "  calls   ms  statement");
        assert_eq!(lines[1].chars().count(), WIDTH);
        assert!(lines[1].starts_with("     12  3.5  SELECT x SELECT") && lines[1].ends_with("..."));
    }

    #[test]
    fn figures_that_leave_no_room_for_the_name_are_left_out() {
        let wide = "1".repeat(20);
        let lines = aligned(&[
            row(&["a", "b", "c", "name"]),
            row(&[&wide, &wide, &wide, &"n".repeat(90)]),
        ]);
        assert!(lines.iter().all(|line| line.chars().count() <= WIDTH));
        assert!(
            lines[0].ends_with("a                     b  name"),
            "{}",
            lines[0]
        );
    }

    #[test]
    fn a_stack_is_the_sum_of_its_curves() {
        let curve = |values: [Option<f64>; 3]| Curve {
            name: "",
            values: values.to_vec(),
        };
        let curves = [
            curve([Some(1.0), None, None]),
            curve([Some(2.0), Some(4.0), None]),
        ];
        assert_eq!(stacked(&curves), [3.0, 4.0]);
    }

    #[test]
    fn many_points_are_condensed_to_the_room_there_is() {
        let values: Vec<f64> = (0..180).map(f64::from).collect();
        assert_eq!(condensed(&values, 60).len(), 60);
        assert_eq!(condensed(&values, 60)[0], 1.0);
        assert_eq!(condensed(&[1.0, 2.0], 60), [1.0, 2.0]);
    }
}
