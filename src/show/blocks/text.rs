//! A report as text of 80 columns.

use super::{Block, Listing, Report, Topic};
use crate::show::page::table::Cell;
use crate::show::text::{WIDTH, one_line, wrap_names};

/// Characters of a bar, at most and at least.
const BAR: usize = 20;
const SHORT_BAR: usize = 10;
/// Characters of the head of a column.
const HEAD: usize = 30;
/// Of a cell of code, which may be a statement: a line of its own.
const CODE: usize = WIDTH - 2;
/// Characters from which on names stand before the rest of their rows, where there is no room for all of them.
const SHORT_NAMES: usize = 18;

impl Report {
    /// As lines of text.
    pub fn lines(&self) -> Vec<String> {
        let head = std::iter::once(&self.title).chain(&self.summary);
        let mut lines: Vec<String> = head.flat_map(|text| wrap_names(text, WIDTH)).collect();
        for topic in self.topics.iter().filter(|topic| !topic.is_of_pages()) {
            lines.push(String::new());
            lines.extend(topic.lines());
        }
        lines
    }
}

impl Topic {
    /// As lines of text, the title first.
    pub fn lines(&self) -> Vec<String> {
        let mut lines = wrap_names(&self.title, WIDTH);
        let shown = (self.blocks.iter()).filter(|one| !matches!(one, Block::Page(_)));
        let mut follows = false;
        for one in shown {
            lines.extend((follows && matches!(one, Block::Table(_))).then(String::new));
            lines.extend(block(one));
            follows = !matches!(one, Block::Heading(_));
        }
        lines
    }
}

fn block(block: &Block) -> Vec<String> {
    match block {
        Block::Heading(text) => [vec![String::new()], wrap_names(text, WIDTH)].concat(),
        Block::Table(listing) => table(listing),
        Block::Remark(text) | Block::Folded(text, _) => indented(text),
        Block::Code(text) => text.lines().map(str::to_owned).collect(),
        Block::Page(_) => Vec::new(),
    }
}

fn indented(text: &str) -> Vec<String> {
    let lines = wrap_names(text, WIDTH - 2).into_iter();
    lines.map(|line| format!("  {line}")).collect()
}

/// A column of texts, the head first.
struct Texts {
    cells: Vec<String>,
    width: usize,
    is_name: bool,
    is_code: bool,
}

/// The rows that a text has, with what they are about.
fn rows(listing: &Listing) -> impl Iterator<Item = (&Vec<Cell>, &Option<String>)> {
    let mut rest = listing.rows.iter();
    let groups = listing.names.chunk_by(|a, b| a == b);
    let groups = groups.map(move |names| {
        rest.by_ref()
            .take(names.len())
            .zip(names)
            .collect::<Vec<_>>()
    });
    groups.flat_map(|group| group.into_iter().take(listing.first))
}

fn texts(listing: &Listing) -> Vec<Texts> {
    let column = |place: usize| {
        let of_rows = || rows(listing).filter_map(|(row, _)| row.get(place));
        let head = listing.heads.get(place).map_or("", String::as_str);
        let head = one_line(head, HEAD);
        let cells = of_rows().map(|cell| match cell {
            Cell::Code(text) => one_line(text, CODE),
            other => one_line(other.words("-"), usize::MAX),
        });
        let indent = |(cell, name): (String, &Option<String>)| match (name, place) {
            (Some(_), 0) => format!("  {cell}"),
            _ => cell,
        };
        let cells = cells.zip(rows(listing).map(|(_, name)| name)).map(indent);
        let cells: Vec<String> = std::iter::once(head).chain(cells).collect();
        let widths = cells.iter().map(|cell| cell.chars().count());
        Texts {
            width: widths.max().unwrap_or(0),
            is_name: of_rows().all(|cell| !cell.is_number()),
            is_code: of_rows().any(|cell| matches!(cell, Cell::Code(_))),
            cells,
        }
    };
    listing.of_words().into_iter().map(column).collect()
}

/// Names to the left, figures to the right. Where rows are too long, code is cut, and a name that leaves no room has a line of its own; where
/// what follows a name is too long even so, it is a sentence; columns without a name go on below.
fn table(listing: &Listing) -> Vec<String> {
    let columns = texts(listing);
    let of_bars = if listing.bars.is_empty() {
        0
    } else {
        SHORT_BAR + 2
    };
    let room = WIDTH - of_bars;
    let Some((first, others)) = columns.split_first() else {
        return Vec::new();
    };
    let width = |columns: &[Texts]| columns.iter().map(|it| it.width + 2).sum::<usize>();
    if width(&columns) <= room {
        let lines = with_bars(aligned(&columns.iter().collect::<Vec<_>>()), &listing.bars);
        return grouped(listing, lines.into_iter().map(|line| vec![line]));
    }
    if first.is_name {
        let name = |row: usize| first.cells.get(row).map_or("", String::as_str);
        // The head of the names has no place of its own.
        let own = |row: usize| match row {
            0 => Vec::new(),
            row => own_line(name(row)),
        };
        if width(others) > room {
            let rows = 0..first.cells.len();
            return grouped(
                listing,
                rows.map(|row| [own(row), sentence(others, row)].concat()),
            );
        }
        let left = match room - width(others) {
            left @ SHORT_NAMES.. => left,
            _ => 0,
        };
        let rest = aligned(&others.iter().collect::<Vec<_>>()).into_iter();
        let rows = rest
            .enumerate()
            .map(|(row, rest)| match format!("  {}", name(row)) {
                name if name.chars().count() <= left => vec![format!("{name:<left$}{rest}")],
                name if first.is_code && left > 0 => {
                    let start: String = name.chars().take(left - 3).collect();
                    vec![format!("{start}...{rest}")]
                }
                _ => [own(row), vec![format!("{:left$}{rest}", "")]].concat(),
            });
        return grouped(listing, rows);
    }
    let mut lines = Vec::new();
    let mut rest = others;
    while !rest.is_empty() {
        let room = if lines.is_empty() { room } else { WIDTH };
        let mut left = room.saturating_sub(first.width + 2);
        let fitting = rest.iter().take_while(|column| {
            let fits = column.width + 2 <= left;
            left = left.saturating_sub(column.width + 2);
            fits
        });
        let fitting = fitting.count().clamp(1, rest.len());
        let (these, others) = rest.split_at(fitting);
        let part = aligned(&std::iter::once(first).chain(these).collect::<Vec<_>>());
        if lines.is_empty() {
            lines = with_bars(part, &listing.bars);
        } else {
            lines.push(String::new());
            lines.extend(part);
        }
        rest = others;
    }
    lines
}

/// The lines of all rows, below the names of what they are about; those of the heads come first.
fn grouped(listing: &Listing, rows: impl Iterator<Item = Vec<String>>) -> Vec<String> {
    let mut lines = Vec::new();
    let mut above = &None;
    let names = self::rows(listing).map(|(_, name)| name);
    for (rows, name) in rows.zip(std::iter::once(&None).chain(names)) {
        if let Some(name) = name.as_ref().filter(|_| name != above) {
            lines.push(format!("  {}", one_line(name, WIDTH - 2)));
        }
        above = name;
        lines.extend(rows);
    }
    let more = listing.rows.len() - self::rows(listing).count();
    lines.extend((more > 0).then(|| format!("  ... and {more} more")));
    lines
}

/// A name by itself.
fn own_line(name: &str) -> Vec<String> {
    match name.trim_start() {
        _ if name.chars().count() <= WIDTH - 2 => vec![format!("  {name}")],
        words => indented(words),
    }
}

fn aligned(columns: &[&Texts]) -> Vec<String> {
    let rows = columns.first().map_or(0, |column| column.cells.len());
    let line = |row: usize| {
        let cells = columns.iter().filter_map(|column| {
            let (cell, width) = (column.cells.get(row)?, column.width);
            Some(match column.is_name {
                true => format!("  {cell:<width$}"),
                false => format!("  {cell:>width$}"),
            })
        });
        cells.collect::<String>().trim_end().to_owned()
    };
    (0..rows).map(line).collect()
}

/// A row as a sentence; that of the heads is empty.
fn sentence(columns: &[Texts], row: usize) -> Vec<String> {
    if row == 0 {
        return Vec::new();
    }
    let parts = columns.iter().filter_map(|column| {
        let cell = column.cells.get(row).filter(|cell| !cell.is_empty())?;
        let head = column.cells.first().filter(|head| !head.is_empty());
        Some(head.map_or_else(|| cell.clone(), |head| said(head, cell)))
    });
    let text = parts.collect::<Vec<_>>().join(", ");
    let lines = wrap_names(&text, WIDTH - 4).into_iter();
    lines.map(|line| format!("    {line}")).collect()
}

/// A figure with its head; the unit of the head follows the figure.
fn said(head: &str, cell: &str) -> String {
    let units = [" ms", " %"].iter();
    let mut parts = units.filter_map(|unit| Some((head.strip_suffix(unit)?, unit)));
    match parts.next() {
        Some((head, unit)) => format!("{head} {cell}{unit}"),
        None => format!("{head} {cell}"),
    }
}

/// The lines with bars behind all but the first, in eighths of a character.
fn with_bars(mut lines: Vec<String>, bars: &[f64]) -> Vec<String> {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let width = |line: &String| line.chars().count();
    let longest = lines.iter().map(width).max().unwrap_or(0);
    let most = BAR.min(WIDTH.saturating_sub(longest + 2)) as f64;
    for (line, share) in lines.iter_mut().skip(1).zip(bars) {
        let eighths = (share.clamp(0.0, 1.0) * most * 8.0).round() as usize;
        let rest = EIGHTHS.get(eighths % 8).copied().unwrap_or_default();
        let bar = format!("{line:<longest$}  {}{rest}", "█".repeat(eighths / 8));
        *line = bar.trim_end().to_owned();
    }
    lines
}
