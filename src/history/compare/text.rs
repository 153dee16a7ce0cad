//! A comparison as text of 80 columns: what lies beyond the usual first, then settings, then each table.

use super::rows::{FigureChange, Presence, Row, Verdict};
use super::{Beyond, Comparison, Pair};
use crate::history::window::Window;
use crate::show::number::{duration, integer, number};
use crate::show::section::cell;
use crate::show::section::text::{aligned, note};
use crate::show::section::{Kind, Layout};
use crate::show::text::{WIDTH, count, moment, one_line};

/// So many figures beyond the usual are listed, and rows of a table of objects.
const LISTED: usize = 20;
const ROWS: usize = 10;
const ROWS_OF_A_LIST: usize = 5;

/// The comparison, a line each.
pub fn lines(comparison: &Comparison) -> Vec<String> {
    let mut lines = vec![one_line(&title(comparison), WIDTH)];
    for (name, window) in [("a", &comparison.a), ("b", &comparison.b)] {
        lines.extend(note(&format!("{name}: {}", about(window))));
    }
    lines.extend(comparison.notes.iter().flat_map(|sentence| note(sentence)));
    lines.extend(heading("Beyond the usual"));
    lines.extend(note(&usual(comparison)));
    lines.extend(beyond(comparison));
    if !comparison.settings.is_empty() {
        lines.extend(heading("Settings that differ"));
        lines.extend(settings(comparison));
    }
    for part in &comparison.sections {
        lines.extend(heading(part.title));
        for (number, pair) in part.tables.iter().enumerate() {
            if number > 0 {
                lines.push(String::new());
            }
            lines.extend(table(pair));
        }
    }
    lines
}

fn heading(title: &str) -> [String; 3] {
    let line = "-".repeat(title.chars().count());
    [String::new(), title.to_owned(), line]
}

/// What the comparison is of.
pub fn title(comparison: &Comparison) -> String {
    let name = |window: &Window| {
        window
            .node_name
            .clone()
            .unwrap_or_else(|| window.span.node_id.clone())
    };
    let (a, b) = (name(&comparison.a), name(&comparison.b));
    if a == b {
        format!("History of {a}, compared")
    } else {
        format!("History of {a} and {b}, compared")
    }
}

/// A window in one line.
pub fn about(window: &Window) -> String {
    let run = (window.name.as_ref()).map_or_else(String::new, |name| format!("run {name}, "));
    format!(
        "{run}{} to {} ({}), {}",
        moment(&window.span.from),
        moment(&window.span.to),
        duration(window.span.seconds),
        count(window.samples, "sample")
    )
}

/// What is known of the usual, in one sentence.
pub fn usual(comparison: &Comparison) -> String {
    let usual = &comparison.usual;
    match &usual.why {
        Some(why) => format!("Unknown: {why}."),
        None => format!(
            "Of {} figures of b, {} lie outside the 99 % range of the same hour on {} earlier days; by chance, one in a hundred does.",
            integer(usual.figures as i64),
            integer(usual.beyond as i64),
            usual.days
        ),
    }
}

/// A value in its unit.
pub fn value(value: Option<f64>, kind: Kind) -> String {
    let shown = value.and_then(|value| cell::shown(&value.into(), kind));
    let unit = cell::unit(kind).map_or_else(String::new, |unit| format!(" {unit}"));
    shown.map_or_else(|| "-".to_owned(), |shown| format!("{shown}{unit}"))
}

/// How much b is more than a.
pub fn change(figure: &FigureChange) -> String {
    let Some(change) = figure.change else {
        return String::new();
    };
    let sign = if change > 0.0 { "+" } else { "" };
    let unit = if figure.kind == Kind::Percent {
        "points"
    } else {
        "%"
    };
    format!("{sign}{} {unit}", number(change))
}

/// The usual range of a figure.
pub fn range(figure: &FigureChange) -> String {
    figure.usual.map_or_else(String::new, |usual| {
        format!(
            "{} to {}",
            value(Some(usual.low), figure.kind),
            value(Some(usual.high), figure.kind)
        )
    })
}

fn mark(figure: &FigureChange) -> &'static str {
    figure.verdict.map_or("", Verdict::name)
}

fn beyond(comparison: &Comparison) -> Vec<String> {
    let beyond = comparison.beyond();
    if beyond.is_empty() {
        return Vec::new();
    }
    let mut lines = vec![row(["a", "b", "usual", "", "figure"])];
    for one in beyond.iter().take(LISTED) {
        let figure = one.figure;
        lines.push(row([
            &value(figure.a, figure.kind),
            &value(figure.b, figure.kind),
            &range(figure),
            mark(figure),
            &named(one),
        ]));
    }
    let mut lines = aligned(&lines);
    if beyond.len() > LISTED {
        lines.push(format!("  ... and {} more", beyond.len() - LISTED));
    }
    lines
}

/// A figure with its place; the only row of a table needs no name.
pub fn named(one: &Beyond) -> String {
    let of = name(one.row);
    let of = match one.pair.rows.len() {
        1 => String::new(),
        _ => format!(", {of}"),
    };
    format!("{}: {}{of}", one.part.title, one.figure.head)
}

/// What a row is about.
pub fn name(row: &Row) -> String {
    let parts = row.names.iter().filter(|part| !part.is_empty());
    parts.map(String::as_str).collect::<Vec<_>>().join("  ")
}

fn settings(comparison: &Comparison) -> Vec<String> {
    let mut lines = vec![row(["a", "b", "setting"])];
    for setting in &comparison.settings {
        let shown = |value: &Option<String>| {
            let text = value.as_deref().unwrap_or("default");
            one_line(if text.is_empty() { "''" } else { text }, 24)
        };
        lines.push(row([
            &shown(&setting.a),
            &shown(&setting.b),
            &whose(setting),
        ]));
    }
    aligned(&lines)
}

/// A setting's name, and for whom it is set.
pub fn whose(setting: &super::Difference) -> String {
    let database =
        (setting.database.as_ref()).map_or_else(String::new, |name| format!(" in database {name}"));
    let role = (setting.role.as_ref()).map_or_else(String::new, |name| format!(" of role {name}"));
    format!("{}{role}{database}", setting.name)
}

fn table(pair: &Pair) -> Vec<String> {
    let mut lines = vec![format!("{}:", pair.title)];
    match pair.table.layout {
        Layout::Figures => lines.extend(figures(pair)),
        Layout::Objects => lines.extend(objects(pair)),
    }
    lines
}

/// A line for each figure of each object.
fn figures(pair: &Pair) -> Vec<String> {
    let mut lines = vec![row(["a", "b", "change", "", ""])];
    for of in &pair.rows {
        let of_name = if pair.rows.len() > 1 {
            name(of)
        } else {
            String::new()
        };
        for figure in &of.figures {
            let head = match of_name.as_str() {
                "" => figure.head.to_owned(),
                of_name => format!("{}, {of_name}", figure.head),
            };
            lines.push(row([
                &value(figure.a, figure.kind),
                &value(figure.b, figure.kind),
                &change(figure),
                mark(figure),
                &head,
            ]));
        }
    }
    aligned(&lines)
}

/// A line for each object, with the first figure that tells them apart; those that changed most come first.
fn objects(pair: &Pair) -> Vec<String> {
    let columns = pair.table.columns.iter().filter(|column| column.in_text);
    let Some(column) = columns
        .into_iter()
        .find(|column| super::rows::is_figure(column))
    else {
        return Vec::new();
    };
    let figure = |row: &Row| {
        row.figures
            .iter()
            .find(|figure| figure.name == column.name)
            .map(|f| (f.a, f.b))
    };
    let difference = |row: &Row| {
        let (a, b) = figure(row).unwrap_or_default();
        (b.unwrap_or(0.0) - a.unwrap_or(0.0)).abs()
    };
    // Those of each list of the table together.
    let mut lists: Vec<(String, Vec<&Row>)> = Vec::new();
    for row in &pair.rows {
        let list = list_of(pair, row).to_owned();
        match lists.iter_mut().find(|(known, _)| *known == list) {
            Some((_, rows)) => rows.push(row),
            None => lists.push((list, vec![row])),
        }
    }
    let most = if lists.len() > 1 {
        ROWS_OF_A_LIST
    } else {
        ROWS
    };
    let mut left_out = 0;
    for (_, rows) in &mut lists {
        rows.sort_by(|x, y| difference(y).total_cmp(&difference(x)));
        left_out += rows.len().saturating_sub(most);
        rows.truncate(most);
    }
    let heads: Vec<&str> = pair.table.keys.iter().map(|key| key.head).collect();
    let mut lines = vec![row([
        &format!("{}: a", column.head),
        "b",
        "change",
        "",
        &heads.join(", "),
    ])];
    for of in lists.iter().flat_map(|(_, rows)| rows) {
        let found = of.figures.iter().find(|figure| figure.name == column.name);
        let of_presence = match of.presence {
            Some(Presence::New) => "new",
            Some(Presence::Gone) => "gone",
            _ => found.map_or("", mark),
        };
        lines.push(row([
            &value(found.and_then(|figure| figure.a), column.kind),
            &value(found.and_then(|figure| figure.b), column.kind),
            &found.map_or_else(String::new, change),
            of_presence,
            name(of).trim_start_matches(list_of(pair, of)),
        ]));
    }
    let mut aligned = aligned(&lines).into_iter();
    let mut lines: Vec<String> = aligned.by_ref().take(1).collect();
    for (list, rows) in &lists {
        if !list.is_empty() {
            lines.extend(note(list.trim_end()));
        }
        lines.extend(aligned.by_ref().take(rows.len()));
    }
    if left_out > 0 {
        lines.push(format!("  ... and {left_out} more"));
    }
    lines
}

/// The list of its table that a row is in, as its name begins; empty: the table has no lists.
fn list_of<'r>(pair: &Pair, row: &'r Row) -> &'r str {
    let first = row.names.first().map_or("", String::as_str);
    let end = first.find(": ").filter(|_| !pair.table.each.is_empty());
    end.map_or("", |end| &first[..end + 2])
}

fn row<const N: usize>(cells: [&str; N]) -> Vec<String> {
    cells.map(str::to_owned).to_vec()
}
