//! A report as data, made once: topics with sentences, tables and remarks. [`text`] writes it for a terminal, [`markdown`] for a
//! pull request, [`page`] for a browser.

mod markdown;
mod page;
mod text;

use super::charts::BarSegment;
use super::number::{Unit, bytes, duration, integer, number};
use super::page::table::Cell;
use maud::Markup;

/// A report.
pub struct Report {
    /// In a page's title bar.
    pub name: String,
    /// The first line; a comment of a pull request puts pgperf before it.
    pub title: String,
    /// What has to be known before all else.
    pub summary: Vec<String>,
    /// What a page has in place of both.
    pub header: Markup,
    pub topics: Vec<Topic>,
}

/// A part of a report, under a title.
pub struct Topic {
    /// Of its place in a page.
    pub id: String,
    pub title: String,
    pub blocks: Vec<Block>,
    /// Whether a comment has no more than the title until somebody opens it.
    is_folded: bool,
    /// Why a page that would be expected to have it has not; None: it has.
    missing: Option<String>,
}

/// What a topic consists of.
pub enum Block {
    /// Of the table that follows.
    Heading(String),
    Table(Listing),
    /// About what stands above.
    Remark(String),
    /// SQL.
    Code(String),
    /// A table for pages alone, under a remark that opens it there.
    Folded(String, Listing),
    /// For pages alone: charts, and what a page has room for.
    Page(Markup),
}

/// Rows in columns.
pub struct Listing {
    heads: Vec<String>,
    rows: Vec<Vec<Cell>>,
    /// Whether a column is for pages alone, as pictures are.
    of_pages: Vec<bool>,
    /// What each row is about, where that is above the rows.
    names: Vec<Option<String>>,
    /// Of each thing that rows are about, a text has so many.
    first: usize,
    /// Shares of 1, which a text shows as bars behind the rows; empty: none.
    bars: Vec<f64>,
}

/// A column, which writes its value of a row.
pub struct Column<'a, T> {
    head: String,
    is_of_pages: bool,
    /// Whether it stays where no row has anything.
    is_kept: bool,
    cell: Box<dyn Fn(&T) -> Cell + 'a>,
}

impl<T> Column<'_, T> {
    /// For pages alone, which have room for it.
    pub fn of_pages(mut self) -> Self {
        self.is_of_pages = true;
        self
    }

    /// Which stays where no row has anything.
    pub fn kept(mut self) -> Self {
        self.is_kept = true;
        self
    }
}

/// A column of figures.
pub fn figure<'a, T>(head: &str, value: impl Fn(&T) -> Option<String> + 'a) -> Column<'a, T> {
    column(head, move |row| Cell::number(value(row)))
}

/// A column of whole numbers.
pub fn count<'a, T>(head: &str, value: impl Fn(&T) -> Option<i64> + 'a) -> Column<'a, T> {
    figure(head, move |row| value(row).map(integer))
}

/// A column of sizes, which are given in bytes.
pub fn size<'a, T>(head: &str, value: impl Fn(&T) -> Option<i64> + 'a) -> Column<'a, T> {
    figure(head, move |row| Some(bytes(value(row)? as f64)))
}

/// A column of lengths of time, which are given in seconds.
pub fn time<'a, T>(head: &str, value: impl Fn(&T) -> Option<f64> + 'a) -> Column<'a, T> {
    figure(head, move |row| value(row).map(duration))
}

/// A column of numbers whose unit is known from the head.
pub fn plain<'a, T>(head: &str, value: impl Fn(&T) -> Option<f64> + 'a) -> Column<'a, T> {
    figure(head, move |row| value(row).map(number))
}

/// A column of percentages.
pub fn percent<'a, T>(head: &str, value: impl Fn(&T) -> Option<f64> + 'a) -> Column<'a, T> {
    figure(head, move |row| {
        value(row).map(|percent| format!("{percent:.1} %"))
    })
}

/// A column of names.
pub fn name<'a, T>(head: &str, value: impl Fn(&T) -> String + 'a) -> Column<'a, T> {
    column(head, move |row| Cell::Text(value(row)))
}

/// A column of what users wrote: statements, names of settings. Where there is no room for all of it, it is cut.
pub fn code<'a, T>(head: &str, value: impl Fn(&T) -> String + 'a) -> Column<'a, T> {
    column(head, move |row| Cell::Code(value(row)))
}

/// A column of pages alone: percentages as bars.
pub fn bar<'a, T>(percent: impl Fn(&T) -> Option<f64> + 'a) -> Column<'a, T> {
    let part = |percent: f64| BarSegment {
        share: percent / 100.0,
        color: 1,
        text: Unit::Percent.write(percent),
    };
    let cell = move |row: &T| Cell::Bar(percent(row).map(part).into_iter().collect());
    column("", cell)
}

/// A column of pages alone: changes in percent as places between as much down and up.
pub fn change<'a, T>(percent: impl Fn(&T) -> Option<f64> + 'a, reach: f64) -> Column<'a, T> {
    let cell = move |row: &T| Cell::Change {
        percent: percent(row),
        ends: None,
        reach,
        color: 1,
    };
    column("", cell)
}

/// A column of any cells.
pub fn column<'a, T>(head: &str, cell: impl Fn(&T) -> Cell + 'a) -> Column<'a, T> {
    Column {
        head: head.to_owned(),
        is_of_pages: false,
        is_kept: false,
        cell: Box::new(cell),
    }
}

impl Listing {
    /// The rows in these columns, without those in which no row has anything.
    pub fn of<'r, T: 'r>(
        rows: impl IntoIterator<Item = &'r T>,
        columns: Vec<Column<'_, T>>,
    ) -> Listing {
        let rows: Vec<&T> = rows.into_iter().collect();
        let mut listing = Listing {
            heads: Vec::new(),
            rows: rows.iter().map(|_| Vec::new()).collect(),
            of_pages: Vec::new(),
            names: vec![None; rows.len()],
            first: usize::MAX,
            bars: Vec::new(),
        };
        for Column {
            head,
            is_of_pages,
            is_kept,
            cell,
        } in columns
        {
            let cells: Vec<Cell> = rows.iter().map(|row| cell(row)).collect();
            if is_kept || cells.iter().any(Cell::says_something) {
                listing.heads.push(head);
                let is_picture = cells.iter().any(Cell::is_picture);
                listing.of_pages.push(is_of_pages || is_picture);
                let to = listing.rows.iter_mut().zip(cells);
                to.for_each(|(row, cell)| row.push(cell));
            }
        }
        listing
    }

    pub fn width(&self) -> usize {
        self.heads.len()
    }

    /// The numbers of the columns that a text can show.
    fn of_words(&self) -> Vec<usize> {
        let is_of_words = |place: &usize| self.of_pages.get(*place) == Some(&false);
        (0..self.heads.len()).filter(is_of_words).collect()
    }

    pub fn with_bars(self, bars: Vec<f64>) -> Listing {
        Listing { bars, ..self }
    }

    /// With the name of what each row is about, if it has one: written once above rows with the same name.
    pub fn grouped(mut self, names: impl IntoIterator<Item = Option<String>>) -> Listing {
        self.names = names.into_iter().collect();
        self
    }

    /// Of which a text has so many rows, of each thing that rows are about.
    pub fn first(self, first: usize) -> Listing {
        Listing { first, ..self }
    }
}

impl Topic {
    pub fn new(id: impl Into<String>, title: impl Into<String>, blocks: Vec<Block>) -> Topic {
        Topic {
            id: id.into(),
            title: title.into(),
            blocks,
            is_folded: false,
            missing: None,
        }
    }

    /// For a page alone.
    pub fn page(id: &str, title: &str, body: Markup) -> Topic {
        Topic::new(id, title, vec![Block::Page(body)])
    }

    /// A part that a page would be expected to have, and why it has not: half a sentence without its full stop.
    pub fn missing(id: &str, title: &str, why: &str) -> Topic {
        Topic {
            missing: Some(why.to_owned()),
            ..Topic::new(id, title, Vec::new())
        }
    }

    /// The part of a page, or why it is not there.
    pub fn of(id: &str, title: &str, body: Option<Markup>, why: &str) -> Topic {
        match body {
            Some(body) => Topic::page(id, title, body),
            None => Topic::missing(id, title, why),
        }
    }

    /// Gives a part that is missing another reason.
    pub fn missing_because(&mut self, why: &str) {
        if let Some(reason) = &mut self.missing {
            why.clone_into(reason);
        }
    }

    /// Why it is not there.
    pub fn why_missing(&self) -> Option<&str> {
        self.missing.as_deref()
    }

    /// A table and what follows it; None: it has no rows.
    pub fn of_rows(
        id: &str,
        title: &str,
        listing: Listing,
        rest: impl IntoIterator<Item = Block>,
    ) -> Option<Topic> {
        let is_empty = listing.rows.is_empty();
        let blocks = std::iter::once(Block::Table(listing)).chain(rest);
        (!is_empty).then(|| Topic::new(id, title, blocks.collect()))
    }

    /// Of which a comment shows the title alone until somebody opens it.
    pub fn folded(mut self) -> Topic {
        self.is_folded = true;
        self
    }

    /// Whether a text and a comment have nothing of it.
    fn is_of_pages(&self) -> bool {
        let mut blocks = self.blocks.iter();
        blocks.all(|block| matches!(block, Block::Page(_)))
    }
}

#[cfg(test)]
mod tests;
