//! The hit ratio at larger shared_buffers, on a run's page.

use crate::report::hit_curve::{note, size};
use crate::report::model::hit_curve::HitRatio;
use crate::show::charts::Part;
use crate::show::page::Chapter;
use crate::show::page::table::{Cell, table};
use maud::html;

/// None: the run did not ask for it.
pub fn section(curve: &[HitRatio]) -> Option<Chapter> {
    if curve.is_empty() {
        return None;
    }
    let percent = |value: Option<f64>| Cell::number(value.map(|value| format!("{value:.1} %")));
    let row = |ratio: &HitRatio| {
        let share = ratio.hit_percent.unwrap_or(0.0) / 100.0;
        vec![
            Cell::Number(size(ratio.shared_buffers_bytes)),
            Cell::Bar(vec![Part {
                share,
                color: 1,
                text: format!("{:.1} % of the accessed blocks", 100.0 * share),
            }]),
            percent(ratio.hit_percent),
            percent(ratio.low),
            percent(ratio.high),
        ]
    };
    let rows: Vec<Vec<Cell>> = curve.iter().map(row).collect();
    let content = html! {
        (table(&["shared_buffers", "found in them", "", "at least", "at most"], &rows))
        p class="note" {
            "The first size is the present one, with the ratio that was counted. The others are estimated from looks at a sample of \
             the buffers, with a 95 % interval."
            @if let Some(note) = note(curve) { " In this run: " (note) "." }
        }
    };
    Some(Chapter::new(
        "hit-curve",
        "Hit ratio by shared_buffers",
        content,
    ))
}
