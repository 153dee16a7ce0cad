//! A report as a comment of a pull request.

use super::{Block, Listing, Report};
use crate::show::markdown::{code, escape, fenced, table};
use crate::show::page::table::Cell;
use crate::show::text::one_line;

/// Characters of what rows are about, at most: it may be a statement.
const NAME: usize = 100;

impl Report {
    /// In GitHub's Markdown, which GitLab reads as well.
    pub fn comment(&self) -> String {
        let mut parts = vec![format!("### pgperf: {}", escape(&self.title))];
        parts.extend(self.summary.iter().map(|text| escape(text)));
        for topic in self.topics.iter().filter(|topic| !topic.is_of_pages()) {
            let title = escape(&topic.title);
            parts.push(match topic.is_folded {
                true => format!("<details><summary>{title}</summary>"),
                false => format!("**{title}**"),
            });
            // The remarks that follow one another are one list.
            let is_remark = |block: &Block| matches!(block, Block::Remark(_) | Block::Folded(..));
            let lists = (topic.blocks).chunk_by(|a, b| is_remark(a) && is_remark(b));
            parts.extend(lists.map(|list| {
                let blocks = list.iter().map(block);
                blocks.collect::<Vec<_>>().join("\n")
            }));
            parts.extend(topic.is_folded.then(|| "</details>".to_owned()));
        }
        parts.retain(|part| !part.is_empty());
        parts.join("\n\n") + "\n"
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
            Cell::Code(text) if !text.is_empty() => code(text),
            other => escape(other.words("-")),
        };
        let rows = self.rows.iter().zip(&self.names);
        let of_row = |(row, name): (&Vec<Cell>, &Option<String>)| {
            let name = name.as_ref().map(|name| code(&one_line(name, NAME)));
            let name = has_names.then(|| name.unwrap_or_default());
            let cells = columns.iter().filter_map(|place| row.get(*place));
            name.into_iter().chain(cells.map(cell)).collect()
        };
        let rows = rows.map(of_row);
        table(&heads, &rows.collect::<Vec<_>>())
    }
}
