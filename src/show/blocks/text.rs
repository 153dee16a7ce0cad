//! A report as text of 80 columns.

use super::{Block, Listing, Report, Topic};
use crate::show::page::table::Cell;
use crate::show::text::{WIDTH, one_line, wrap_names};

/// Characters of a bar, at most and at least.
const BAR: usize = 20;
const SHORT_BAR: usize = 10;
/// Characters of the head of a column.
const HEAD: usize = 30;

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
        Block::Remark(text) => indented(text),
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
}

fn texts(listing: &Listing) -> Vec<Texts> {
    let column = |place: usize| {
        let of_rows = || listing.rows.iter().filter_map(|row| row.get(place));
        let head = listing.heads.get(place).map_or("", String::as_str);
        let head = one_line(head, HEAD);
        let cells = of_rows().map(|cell| match cell {
            Cell::Code(text) => one_line(text, WIDTH - 2),
            other => one_line(other.words("-"), usize::MAX),
        });
        let cells: Vec<String> = std::iter::once(head).chain(cells).collect();
        let widths = cells.iter().map(|cell| cell.chars().count());
        Texts {
            width: widths.max().unwrap_or(0),
            is_name: of_rows().all(|cell| !cell.is_number()),
            cells,
        }
    };
    listing.of_words().into_iter().map(column).collect()
}

/// Names to the left, figures to the right. Where a row is too long, its name has a line of its own; where what follows a name is too
/// long even so, it is a sentence; columns without a name go on below.
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
        return with_bars(aligned(&columns.iter().collect::<Vec<_>>()), &listing.bars);
    }
    if first.is_name {
        let rest: Vec<Vec<String>> = if width(others) <= room {
            let lines = aligned(&others.iter().collect::<Vec<_>>()).into_iter();
            lines.map(|line| vec![line]).collect()
        } else {
            (0..first.cells.len())
                .map(|row| sentence(others, row))
                .collect()
        };
        let names = first.cells.iter().map(|name| indented(name));
        let lines = names
            .zip(rest)
            .flat_map(|(name, rest)| [name, rest].concat());
        // The head of the names has no place of its own.
        return lines.skip(1).collect();
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
        Some(head.map_or_else(|| cell.clone(), |head| format!("{head} {cell}")))
    });
    let text = parts.collect::<Vec<_>>().join(", ");
    let lines = wrap_names(&text, WIDTH - 4).into_iter();
    lines.map(|line| format!("    {line}")).collect()
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
