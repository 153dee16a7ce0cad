//! Bars within the cells of a table: the table is the chart's text.

use super::figure::percent;
use maud::{Markup, html};

/// A part of a bar.
#[derive(Debug, Clone)]
pub struct BarSegment {
    /// 0 to 1.
    pub share: f64,
    /// Number of a colour of the page.
    pub color: u8,
    /// Text under the pointer.
    pub text: String,
}

/// Parts side by side.
pub type Bar = Vec<BarSegment>;

/// A cell with a bar.
pub fn bar(parts: &Bar) -> Markup {
    let starts = parts.iter().scan(0.0, |sum, part| {
        let start = *sum;
        *sum += part.share;
        Some(start)
    });
    html! {
        td class="bar" {
            svg width="100%" height="12" aria-hidden="true" {
                @for (part, start) in parts.iter().zip(starts) {
                    rect class={ "c" (part.color) } x=(percent(start)) width=(percent(part.share)) height="12" {
                        title { (part.text) }
                    }
                }
            }
        }
    }
}
