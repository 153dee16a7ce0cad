//! A report as a page.

use super::{Block, Report, Topic};
use crate::show::page::table::table;
use crate::show::page::{Chapter, page};
use maud::{Markup, Render, html};

/// A table of more columns is set closer.
const WIDE: usize = 10;

impl Report {
    /// As a page of its own.
    pub fn page(&self) -> String {
        let chapters: Vec<Chapter> = self.topics.iter().map(Topic::chapter).collect();
        let footer = html! { p { "Written by pgperf " (env!("CARGO_PKG_VERSION")) "." } };
        page(&self.name, self.header.clone(), &chapters, footer)
    }
}

impl Topic {
    /// As a part of a page.
    pub fn chapter(&self) -> Chapter {
        Chapter::new(self.id.as_str(), self.title.as_str(), self.body())
    }

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
            Block::Table(listing) => {
                let heads: Vec<&str> = listing.heads.iter().map(String::as_str).collect();
                let table = table(&heads, &listing.rows);
                match heads.len() > WIDE {
                    true => html! { div class="wide" { (table) } },
                    false => table,
                }
            }
            Block::Remark(text) => html! { p class="note" { (text) } },
            Block::Code(text) => html! { pre { (text) } },
            Block::Page(markup) => markup.clone(),
        }
    }
}
