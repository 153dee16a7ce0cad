//! Tables of figures: names to the left, numbers to the right.

use crate::show::charts::{Bar, bar, change_cell};
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
    /// A change in percent as a place between these percentages down and up.
    Change(Option<f64>, f64),
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

    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        match self {
            Cell::Text(text) | Cell::Code(text) | Cell::Number(text) => text.is_empty(),
            Cell::Unknown | Cell::Change(None, _) => true,
            Cell::Bar(parts) => parts.is_empty(),
            Cell::Change(Some(_), _) => false,
        }
    }

    /// What it says; `dash`: of what nobody knows.
    pub fn words<'a>(&'a self, dash: &'a str) -> &'a str {
        match self {
            Cell::Text(text) | Cell::Code(text) | Cell::Number(text) => text,
            Cell::Unknown => dash,
            Cell::Bar(_) | Cell::Change(..) => "",
        }
    }
}

/// A table that is scrolled by itself where the page is too narrow for it.
pub fn table(heads: &[&str], rows: &[Vec<Cell>]) -> Markup {
    let is_number = |column: usize| {
        let first = rows.first().and_then(|row| row.get(column));
        first.is_some_and(Cell::is_number)
    };
    html! {
        div class="scroll" {
            table {
                thead {
                    tr {
                        @for (column, head) in heads.iter().enumerate() {
                            th scope="col" class=[is_number(column).then_some("number")] { (head) }
                        }
                    }
                }
                tbody {
                    @for row in rows { tr { @for cell in row { (render(cell)) } } }
                }
            }
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
        Cell::Change(Some(change), reach) => change_cell(*change, None, *reach, 1),
        Cell::Change(None, _) => html! { td class="change" {} },
    }
}
