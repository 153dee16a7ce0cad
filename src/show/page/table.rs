//! Tables of figures: names to the left, numbers to the right.

use crate::show::charts::{Bar, bar, change_cell};
use maud::{Markup, html};

/// The contents of a cell.
pub enum Cell {
    Text(String),
    /// In monospace.
    Code(String),
    Number(String),
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
        Cell::Number(value.unwrap_or_else(|| "\u{2013}".to_owned()))
    }
}

/// A table that is scrolled by itself where the page is too narrow for it.
pub fn table(heads: &[&str], rows: &[Vec<Cell>]) -> Markup {
    let is_number = |column: usize| {
        matches!(
            rows.first().and_then(|row| row.get(column)),
            Some(Cell::Number(_))
        )
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
        Cell::Number(text) => html! { td class="number" { (text) } },
        Cell::Bar(parts) => bar(parts),
        Cell::Change(Some(change), reach) => change_cell(*change, None, *reach, 1),
        Cell::Change(None, _) => html! { td class="change" {} },
    }
}
