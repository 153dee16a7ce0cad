//! A report as a page.

use super::{Block, Listing, Report, Topic};
use crate::show::page::page;
use crate::show::page::table::{Cell, grouped};
use maud::{Markup, Render, html};

/// A table of more columns is set closer, one with columns for pages alone sooner; and of still more closer yet.
const WIDE: usize = 10;
const WIDE_OF_PAGES: usize = 5;
const CROWDED: usize = 14;

impl Report {
    /// As a page of its own.
    pub fn page(&self) -> String {
        let footer = html! { p { "Written by pgperf " (env!("CARGO_PKG_VERSION")) "." } };
        page(&self.name, self.header.clone(), &self.topics, footer)
    }
}

impl Topic {
    /// Without the title.
    pub fn body(&self) -> Markup {
        html! { @for block in &self.blocks { (block) } }
    }
}

/// Within a part of a page.
impl Render for Topic {
    fn render(&self) -> Markup {
        html! { h3 { (self.title) } (self.body()) }
    }
}

impl Render for Block {
    fn render(&self) -> Markup {
        match self {
            Block::Heading(text) => html! { h3 { (text) } },
            Block::Table(listing) => listing.render(),
            Block::Remark(text) => html! { p class="note" { (text) } },
            Block::Code(text) => html! { pre { (text) } },
            Block::Folded(title, listing) => html! { details { summary { (title) } (listing) } },
            Block::Page(markup) => markup.clone(),
        }
    }
}

impl Listing {
    /// Without what tells how close it is set.
    pub fn table(&self) -> Markup {
        let heads: Vec<&str> = self.heads.iter().map(String::as_str).collect();
        let mut rest = self.rows.as_slice();
        let groups = self.names.chunk_by(|a, b| a == b).map(|names| {
            let rows: &[Vec<Cell>] = rest.split_off(..names.len()).unwrap_or_default();
            (names.first().and_then(Option::as_deref), rows)
        });
        grouped(&heads, &groups.collect::<Vec<_>>())
    }
}

impl Render for Listing {
    fn render(&self) -> Markup {
        let table = self.table();
        let wide = match self.of_pages.contains(&true) {
            true => WIDE_OF_PAGES,
            false => WIDE,
        };
        if self.width() <= wide {
            table
        } else if self.width() <= CROWDED {
            html! { div class="wide" { (table) } }
        } else {
            html! { div class="wide crowded" { (table) } }
        }
    }
}
