//! A heat map of two dimensions as a table: the table is the chart's text.

use maud::{Markup, html};

/// The shades of a cell, as numbers of colours of the page, the faintest first.
const SHADES: [u8; 5] = [10, 11, 12, 14, 15];

/// A cell.
#[derive(Debug, Clone)]
pub struct GridCell {
    /// From 0 to 1, the better the higher.
    pub share: f64,
    pub text: String,
    /// Below it, smaller.
    pub more: String,
}

/// Rows and columns with their names.
#[derive(Debug, Clone)]
pub struct Grid<'a> {
    pub title: &'a str,
    pub note: &'a str,
    /// What the rows are, and the columns.
    pub dimensions: [&'a str; 2],
    pub columns: Vec<&'a str>,
    /// None: there is nothing to show.
    pub rows: Vec<(&'a str, Vec<Option<GridCell>>)>,
}

impl Grid<'_> {
    pub fn render(&self) -> Markup {
        let [down, across] = self.dimensions;
        html! {
            figure class="chart heat" {
                figcaption {
                    h3 { (self.title) }
                    p class="note" { (self.note) }
                }
                div class="scroll" {
                    table {
                        thead {
                            tr { th scope="col" { (down) } th scope="colgroup" colspan=(self.columns.len()) { (across) } }
                            tr { td {} @for column in &self.columns { th scope="col" { (column) } } }
                        }
                        tbody {
                            @for (name, cells) in &self.rows {
                                tr {
                                    th scope="row" { (name) }
                                    @for cell in cells { (of_cell(cell.as_ref())) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn of_cell(cell: Option<&GridCell>) -> Markup {
    let Some(GridCell { share, text, more }) = cell else {
        return html! { td { "\u{2013}" } };
    };
    let last = SHADES.len() - 1;
    let shade = (share.clamp(0.0, 1.0) * SHADES.len() as f64) as usize;
    let color = SHADES.get(shade.min(last)).copied().unwrap_or_default();
    html! { td class={ "c" (color) } { (text) @if !more.is_empty() { br; small { (more) } } } }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_cell_has_the_strongest_colour() {
        let cell = |share, text: &str| {
            Some(GridCell {
                share,
                text: text.to_owned(),
                more: "+1 %".to_owned(),
            })
        };
        let grid = Grid {
            title: "tps",
            note: "the stronger, the better",
            dimensions: ["shared_buffers", "work_mem"],
            columns: vec!["4MB", "<8MB>"],
            rows: vec![
                ("1GB", vec![cell(0.0, "1,000"), cell(1.0, "2,000")]),
                ("2GB", vec![None, cell(0.5, "1,500")]),
            ],
        };
        let page = grid.render().into_string();
        for part in [
            "<td class=\"c10\">1,000<br><small>+1 %</small></td>",
            "<td class=\"c15\">2,000",
            "<td class=\"c12\">1,500",
            "<td>\u{2013}</td>",
            "<th scope=\"col\">&lt;8MB&gt;</th>",
        ] {
            assert!(page.contains(part), "{part}: {page}");
        }
    }
}
