//! Tables of figures: names to the left, numbers to the right.

use crate::show::charts::{Bar, bar, change_cell};
use crate::show::number::number;
use maud::{Markup, html};

/// The contents of a cell.
pub enum Cell {
    Text(String),
    /// In monospace.
    Code(String),
    Number(String),
    /// A figure that nobody knows.
    Unknown,
    Bar(Bar),
    /// A change in percent with the ends of its interval, as places between these percentages down and up, in a colour.
    Change {
        percent: Option<f64>,
        ends: Option<(f64, f64)>,
        reach: f64,
        color: u8,
    },
    /// Better or worse.
    Verdict(String),
}

impl Cell {
    pub fn text(text: impl Into<String>) -> Cell {
        Cell::Text(text.into())
    }

    /// A dash where there is none.
    pub fn number(value: Option<String>) -> Cell {
        value.map_or(Cell::Unknown, Cell::Number)
    }

    pub fn is_number(&self) -> bool {
        matches!(self, Cell::Number(_) | Cell::Unknown)
    }

    /// Whether only a page can show it.
    pub fn is_picture(&self) -> bool {
        matches!(self, Cell::Bar(_) | Cell::Change { .. })
    }

    /// Whether there is anything to see.
    pub fn says_something(&self) -> bool {
        match self {
            Cell::Bar(parts) => !parts.is_empty(),
            Cell::Change { percent, .. } => percent.is_some(),
            other => !other.words("").is_empty(),
        }
    }

    /// What it says; `dash`: of what nobody knows.
    pub fn words<'a>(&'a self, dash: &'a str) -> &'a str {
        match self {
            Cell::Text(text) | Cell::Code(text) | Cell::Number(text) | Cell::Verdict(text) => text,
            Cell::Unknown => dash,
            Cell::Bar(_) | Cell::Change { .. } => "",
        }
    }
}

/// A table that is scrolled by itself where the page is too narrow for it. Its rows stand below the name of what they are about, where they
/// have one.
pub fn grouped(heads: &[&str], groups: &[(Option<&str>, &[Vec<Cell>])]) -> Markup {
    let first = groups.iter().find_map(|(_, rows)| rows.first());
    let first = |column: usize| first.and_then(|row| row.get(column));
    let has_changes =
        (0..heads.len()).any(|column| matches!(first(column), Some(Cell::Change { .. })));
    html! {
        div class="scroll" {
            table class=[has_changes.then_some("changes")] {
                thead {
                    tr { @for (column, head) in heads.iter().enumerate() { (self::head(head, first(column))) } }
                }
                @for (name, rows) in groups {
                    tbody {
                        @if let Some(name) = name {
                            tr class="object" { th scope="rowgroup" colspan=(heads.len()) { (name) } }
                        }
                        @for row in *rows { tr { @for cell in row { (render(cell)) } } }
                    }
                }
            }
        }
    }
}

/// The head of a column: that of changes is their scale.
fn head(head: &str, first: Option<&Cell>) -> Markup {
    match first {
        Some(Cell::Change { reach, .. }) => html! {
            th scope="col" class="change" {
                div { span { "\u{2212}" (number(*reach)) " %" } span { "0" } span { "+" (number(*reach)) " %" } }
            }
        },
        first => {
            let class = first.filter(|cell| cell.is_number()).map(|_| "number");
            html! { th scope="col" class=[class] { (head) } }
        }
    }
}

fn render(cell: &Cell) -> Markup {
    match cell {
        Cell::Text(text) => html! { td { (text) } },
        Cell::Code(text) => html! { td class="code" { code { (text) } } },
        Cell::Number(_) | Cell::Unknown => {
            html! { td class="number" { (cell.words("\u{2013}")) } }
        }
        Cell::Bar(parts) => bar(parts),
        Cell::Change {
            percent: Some(percent),
            ends,
            reach,
            color,
        } => change_cell(*percent, *ends, *reach, *color),
        Cell::Change { .. } => html! { td class="change" {} },
        Cell::Verdict(text) => html! { td class={ "verdict " (text) } { (text) } },
    }
}
