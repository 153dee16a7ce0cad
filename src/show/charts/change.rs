//! A change and its 95 % interval as a cell of a table.

use super::figure::percent;
use maud::{Markup, html};

/// A cell with a change and its 95 % interval around "no change"; `reach`: percent at the edges.
pub fn change_cell(change: f64, interval: Option<(f64, f64)>, reach: f64, color: u8) -> Markup {
    let place = |value: f64| (0.5 + value / reach / 2.0).clamp(0.0, 1.0);
    let beyond = |value: f64| value.abs() > reach;
    let (low, high) = interval.unwrap_or((change, change));
    html! {
        td class="change" {
            svg width="100%" height="16" aria-hidden="true" {
                line class="zero" x1="50%" x2="50%" y2="16" {}
                g class={ "c" (color) } {
                    line class="whisker" x1=(percent(place(low))) x2=(percent(place(high))) y1="8" y2="8" {}
                    @if beyond(change) {
                        // It lies further out than the scale goes.
                        svg x=(percent(place(change))) y="8" { path d=(if change > 0.0 { "M5 0l-8 -5v10z" } else { "M-5 0l8 -5v10z" }) {} }
                    } @else {
                        circle r="4" cx=(percent(place(change))) cy="8" {}
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_lies_right_of_the_middle_if_it_is_a_rise() {
        let cell = change_cell(5.0, Some((-5.0, 20.0)), 10.0, 3).into_string();
        assert!(
            cell.contains("cx=\"75%\"") && cell.contains("x1=\"25%\" x2=\"100%\""),
            "{cell}"
        );
        assert!(!cell.contains("<path"));
    }

    #[test]
    fn a_change_beyond_the_scale_is_an_arrow() {
        for (change, arrow) in [(500.0, "M5 0l-8"), (-500.0, "M-5 0l8")] {
            let cell = change_cell(change, None, 10.0, 3).into_string();
            assert!(cell.contains(arrow) && !cell.contains("<circle"), "{cell}");
        }
    }
}
