//! A comparison as a report: what lies beyond the usual first, then settings, then each table.

use super::identity::Presence;
use super::rows::{ComparedRow, FigureChange, Verdict, is_figure};
use super::settings::Difference;
use super::{Beyond, ComparedSection, Comparison, Pair};
use crate::history::glance::{self, Beside, GlanceFigure};
use crate::history::window::Window;
use crate::show::blocks::{Block, Column, Listing, Report, Topic, code, column, figure, name};
use crate::show::delta::{percent, short_percent};
use crate::show::number::{duration, integer};
use crate::show::page::table::Cell;
use crate::show::plan::side_by_side;
use crate::show::section::page::Axis;
use crate::show::section::{self, Key, Kind, Layout, cell};
use crate::show::text::{count, moment, one_line};
use maud::html;

/// So many figures beyond the usual are listed in a text, and rows of a table of objects.
const LISTED: usize = 20;
const ROWS: usize = 10;
const ROWS_OF_A_LIST: usize = 5;
/// Characters of a statement above its plans.
const LINE: usize = 200;

/// The report.
pub fn report(comparison: &Comparison) -> Report {
    let title = title(comparison);
    let windows = [("a", &comparison.a), ("b", &comparison.b)];
    let windows = windows.map(|(name, window)| format!("{name}: {}", about(window)));
    let mut blocks = vec![Block::Remark(usual(comparison))];
    let beyond = comparison.beyond();
    if !beyond.is_empty() {
        blocks.push(Block::Table(unusual(&beyond)));
    }
    let mut topics = Vec::new();
    if !comparison.glance.is_empty() {
        topics.push(Topic::new("glance", "At a glance", first(comparison)));
    }
    topics.push(Topic::new("beyond", "Beyond the usual", blocks));
    if !comparison.settings.is_empty() {
        let settings = Block::Table(settings(&comparison.settings));
        topics.push(Topic::new(
            "settings-that-differ",
            "Settings that differ",
            vec![settings],
        ));
    }
    topics.extend(comparison.sections.iter().map(topic));
    Report {
        header: html! {
            p class="kind" { "Two windows of the history" }
            h1 { (title) }
            @for window in &windows { p class="what" { (window) } }
            @for note in &comparison.notes { p class="warning" { (note) } }
        },
        name: title.clone(),
        title,
        summary: windows
            .into_iter()
            .chain(comparison.notes.iter().cloned())
            .collect(),
        topics,
    }
}

/// The figures to begin with: a table, and in the page their courses over each other.
fn first(comparison: &Comparison) -> Vec<Block> {
    let shown = |figure: &Option<GlanceFigure>| figure.as_ref().map(GlanceFigure::shown);
    let change = |pair: &Beside| {
        let (a, b) = (pair.a.as_ref()?.value, pair.b.as_ref()?.value);
        (pair.is_alike() && a != 0.0).then(|| percent(100.0 * (b - a) / a.abs()))
    };
    let title = |pair: &Beside| {
        let figure = pair.b.as_ref().or(pair.a.as_ref());
        figure.map_or_else(String::new, |figure| figure.title.to_owned())
    };
    let columns = vec![
        name("figure", title),
        figure("a", move |pair: &Beside| shown(&pair.a)),
        figure("b", move |pair: &Beside| shown(&pair.b)),
        figure("change", change),
    ];
    let axis = Axis {
        at_least: Some((0.0, comparison.b.span.seconds)),
        ..Axis::default()
    };
    vec![
        Block::Table(Listing::of(&comparison.glance, columns)),
        Block::Page(glance::over_each_other(&comparison.glance, &axis)),
    ]
}

/// What the comparison is of.
fn title(comparison: &Comparison) -> String {
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
fn about(window: &Window) -> String {
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
fn usual(comparison: &Comparison) -> String {
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

fn unusual(beyond: &[Beyond]) -> Listing {
    let mut columns = vec![name("figure", |one: &Beyond| place(one))];
    columns.extend(of_figures(|one: &Beyond| one.figure));
    Listing::of(beyond, columns).first(LISTED)
}

/// A figure's place; the only row of a table needs no name.
fn place(one: &Beyond) -> String {
    let of = match one.pair.rows.len() {
        1 => String::new(),
        _ => format!(", {}", about_row(one.row)),
    };
    format!("{}: {}{of}", one.part.title, one.figure.head)
}

/// What a row is about.
fn about_row(row: &ComparedRow) -> String {
    let parts = row.names.iter().filter(|part| !part.is_empty());
    parts.map(String::as_str).collect::<Vec<_>>().join("  ")
}

/// The objects of both windows that it is about, where these are matched by what they hold.
fn remark(row: &ComparedRow) -> String {
    let objects = row.remarks.iter().map(|remark| {
        let (a, b) = (remark.a.as_deref(), remark.b.as_deref());
        match a == b {
            true => a.unwrap_or_default().to_owned(),
            false => format!("{} / {}", a.unwrap_or("-"), b.unwrap_or("-")),
        }
    });
    objects.collect::<Vec<_>>().join(", ")
}

fn settings(settings: &[Difference]) -> Listing {
    let value = |value: &Option<String>| match value.as_deref() {
        None => "default".to_owned(),
        Some("") => "''".to_owned(),
        Some(text) => text.to_owned(),
    };
    let columns = vec![
        name("setting", whose),
        code("a", move |setting: &Difference| value(&setting.a)),
        code("b", move |setting: &Difference| value(&setting.b)),
    ];
    Listing::of(settings, columns)
}

/// A setting's name, and for whom it is set.
fn whose(setting: &Difference) -> String {
    let database =
        (setting.database.as_ref()).map_or_else(String::new, |name| format!(" in database {name}"));
    let role = (setting.role.as_ref()).map_or_else(String::new, |name| format!(" of role {name}"));
    format!("{}{role}{database}", setting.name)
}

fn topic(part: &ComparedSection) -> Topic {
    let tables = part.tables.iter().flat_map(|pair| {
        let table = match pair.table.layout {
            Layout::Figures => figures(pair),
            Layout::Objects => objects(pair),
        };
        let head = [Block::Heading(pair.title.to_owned()), Block::Table(table)];
        head.into_iter().chain(pair.rows.iter().flat_map(plans))
    });
    Topic::new(part.name, part.title, tables.collect())
}

/// The plans that differ, side by side.
fn plans(row: &ComparedRow) -> impl Iterator<Item = Block> {
    let about = format!("Another plan: {}", one_line(&about_row(row), LINE));
    row.plans.iter().flat_map(move |change| {
        let lines = side_by_side(("a", &change.a), ("b", &change.b));
        [Block::Remark(about.clone()), Block::Code(lines.join("\n"))]
    })
}

/// A row for each figure of each object.
fn figures(pair: &Pair) -> Listing {
    let rows = pair.rows.iter();
    let rows: Vec<(&ComparedRow, &FigureChange)> = rows
        .flat_map(|row| row.figures.iter().map(move |figure| (row, figure)))
        .collect();
    let mut columns = vec![name(
        "figure",
        |(_, figure): &(&ComparedRow, &FigureChange)| figure.head.to_owned(),
    )];
    columns.extend(of_figures(|(_, figure): &(&ComparedRow, &FigureChange)| {
        *figure
    }));
    let objects = rows.iter().map(|(row, _)| {
        let remark = remark(row);
        let objects = match remark.is_empty() {
            true => about_row(row),
            false => format!("{} ({remark})", about_row(row)),
        };
        (pair.rows.len() > 1).then_some(objects)
    });
    Listing::of(&rows, columns).grouped(objects)
}

/// The columns of a figure in both windows.
fn of_figures<'a, T: 'a>(of: fn(&T) -> &FigureChange) -> [Column<'a, T>; 5] {
    [
        figure("a", move |row| value(of(row).a, of(row).kind)),
        figure("b", move |row| value(of(row).b, of(row).kind)),
        figure("change", move |row| change(of(row))),
        figure("usual", move |row| range(of(row))),
        column("", move |row| {
            Cell::Verdict(of(row).verdict.map_or("", Verdict::name).to_owned())
        }),
    ]
}

/// A row for each object, with its figures of both windows: a text has the first one that tells them apart. Those that changed most come
/// first in each list.
fn objects(pair: &Pair) -> Listing {
    let figures = || (pair.table.columns.iter()).filter(|column| is_figure(column));
    let first = figures().find(|column| column.in_text);
    let difference = |row: &ComparedRow| {
        let found = first.and_then(|column| find(row, column.name));
        found.map_or(0.0, |it| (it.b.unwrap_or(0.0) - it.a.unwrap_or(0.0)).abs())
    };
    let mut lists: Vec<&str> = Vec::new();
    for list in pair.rows.iter().map(|row| list_of(pair, row)) {
        if !lists.contains(&list) {
            lists.push(list);
        }
    }
    let list = |row: &ComparedRow| lists.iter().position(|list| *list == list_of(pair, row));
    let mut rows: Vec<&ComparedRow> = pair.rows.iter().collect();
    rows.sort_by(|x, y| {
        let by_list = list(x).cmp(&list(y));
        by_list.then(difference(y).total_cmp(&difference(x)))
    });
    let key = |(place, key): (usize, &'static Key)| {
        column(key.head, move |row: &&ComparedRow| {
            let name = row.names.get(place).map_or("", String::as_str);
            // The first one begins with the list.
            let name = name.strip_prefix(list_of(pair, row)).unwrap_or(name);
            let cell = if key.code { Cell::Code } else { Cell::Text };
            cell(name.to_owned())
        })
    };
    let presence = |row: &&ComparedRow| match row.presence {
        Some(Presence::New) => "new".to_owned(),
        Some(Presence::Gone) => "gone".to_owned(),
        _ => String::new(),
    };
    let of_column = |column: &'static section::Column| {
        let shown = figure(column.head, |row: &&ComparedRow| {
            find(row, column.name).map(both)
        });
        match first {
            Some(first) if first.name == column.name => shown,
            _ => shown.of_pages(),
        }
    };
    let columns = (pair.table.keys.iter().enumerate().map(key))
        .chain([
            name("", |row: &&ComparedRow| remark(row)),
            name("", presence),
        ])
        .chain(figures().map(of_column));
    let titles = rows
        .iter()
        .map(|row| list_of(pair, row).trim_end_matches(": "));
    let titles = titles.map(|title| (!title.is_empty()).then(|| title.to_owned()));
    let most = if lists.len() > 1 {
        ROWS_OF_A_LIST
    } else {
        ROWS
    };
    Listing::of(&rows, columns.collect())
        .grouped(titles)
        .first(most)
}

fn find<'a>(row: &'a ComparedRow, name: &str) -> Option<&'a FigureChange> {
    row.figures.iter().find(|figure| figure.name == name)
}

/// The list of its table that a row is in, as its name begins; empty: the table has no lists.
fn list_of<'r>(pair: &Pair, row: &'r ComparedRow) -> &'r str {
    let first = row.names.first().map_or("", String::as_str);
    let end = first.find(": ").filter(|_| !pair.table.each.is_empty());
    end.map_or("", |end| &first[..end + 2])
}

/// A value in its unit.
fn value(value: Option<f64>, kind: Kind) -> Option<String> {
    cell::with_unit(&value?.into(), kind)
}

/// How much b is more than a.
fn change(figure: &FigureChange) -> Option<String> {
    Some(match figure.kind {
        Kind::Percent => format!("{} points", short_percent(figure.change?)),
        _ => percent(figure.change?),
    })
}

/// The usual range of a figure.
fn range(figure: &FigureChange) -> Option<String> {
    let usual = figure.usual?;
    let [low, high] = [usual.low, usual.high].map(|end| value(Some(end), figure.kind));
    Some(format!("{} to {}", low?, high?))
}

/// A figure of both windows, in the unit of the second one.
fn both(figure: &FigureChange) -> String {
    let shown = |value: Option<f64>| {
        let shown = value.and_then(|value| cell::shown(&value.into(), figure.kind));
        shown.unwrap_or_else(|| "-".to_owned())
    };
    let unit = cell::unit(figure.kind).map_or_else(String::new, |unit| format!(" {unit}"));
    let verdict = figure.verdict.map(|verdict| verdict.name().to_owned());
    let notes: Vec<String> = change(figure).into_iter().chain(verdict).collect();
    let notes = match notes.as_slice() {
        [] => String::new(),
        notes => format!(" ({})", notes.join(", ")),
    };
    format!("{} / {}{unit}{notes}", shown(figure.a), shown(figure.b))
}
