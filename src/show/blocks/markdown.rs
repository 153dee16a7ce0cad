//! A report as a comment of a pull request.

use super::{Block, Listing, Report, Topic};
use crate::show::markdown::{code, escape, fenced, table};
use crate::show::page::table::Cell;
use crate::show::text::one_line;

/// Characters of code in a table, and of what rows are about: it may be a statement.
const CODE: usize = 100;

impl Report {
    /// In GitHub's Markdown, which GitLab reads as well.
    pub fn comment(&self) -> String {
        let mut parts = vec![format!("### pgperf: {}", escape(&self.title))];
        parts.extend(self.summary.iter().map(|text| escape(text)));
        let topics = self.topics.iter().filter(|topic| !topic.is_of_pages());
        parts.extend(topics.flat_map(Topic::comment));
        parts.retain(|part| !part.is_empty());
        parts.join("\n\n") + "\n"
    }
}

impl Topic {
    fn comment(&self) -> Vec<String> {
        let title = escape(&self.title);
        let [before, after] = match self.is_folded {
            true => [
                format!("<details><summary>{title}</summary>"),
                "</details>".to_owned(),
            ],
            false => [format!("**{title}**"), String::new()],
        };
        // The remarks that follow one another are one list.
        let is_remark = |block: &Block| matches!(block, Block::Remark(_) | Block::Folded(..));
        let lists = (self.blocks).chunk_by(|a, b| is_remark(a) && is_remark(b));
        let lists = lists.map(|list| list.iter().map(block).collect::<Vec<_>>().join("\n"));
        [before].into_iter().chain(lists).chain([after]).collect()
    }
}

fn block(block: &Block) -> String {
    match block {
        Block::Heading(text) => escape(text),
        Block::Table(listing) => listing.comment().join("\n"),
        Block::Remark(text) | Block::Folded(text, _) => format!("* {}", escape(text)),
        Block::Code(text) => fenced(text, "sql"),
        Block::Page(_) => String::new(),
    }
}

impl Listing {
    /// As lines of Markdown.
    pub fn comment(&self) -> Vec<String> {
        let columns = self.of_words();
        if columns.is_empty() {
            return Vec::new();
        }
        let heads = columns.iter().filter_map(|place| self.heads.get(*place));
        let has_names = self.names.iter().any(Option::is_some);
        let of = has_names.then(|| "of".to_owned());
        let heads: Vec<String> = of
            .into_iter()
            .chain(heads.map(|head| escape(head)))
            .collect();
        let heads: Vec<&str> = heads.iter().map(String::as_str).collect();
        let cell = |cell: &Cell| match cell {
            Cell::Code(text) if !text.is_empty() => code(&one_line(text, CODE)),
            other => escape(other.words("-")),
        };
        let rows = self.rows.iter().zip(&self.names);
        let of_row = |(row, name): (&Vec<Cell>, &Option<String>)| {
            let name = name.as_ref().map(|name| code(&one_line(name, CODE)));
            let name = has_names.then(|| name.unwrap_or_default());
            let cells = columns.iter().filter_map(|place| row.get(*place));
            name.into_iter().chain(cells.map(cell)).collect()
        };
        let rows = rows.map(of_row);
        table(&heads, &rows.collect::<Vec<_>>())
    }
}
