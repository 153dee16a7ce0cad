//! Figures at the top of a page.

use maud::{Markup, html};

/// A figure with its name; `more`: what belongs to it.
pub fn card(name: &str, value: &str, unit: &str, more: Markup) -> Markup {
    html! {
        li {
            span class="name" { (name) }
            span class="value" { (value) @if !unit.is_empty() { " " small { (unit) } } }
            (more)
        }
    }
}

/// The same, of a value whose first word is the figure, the rest its unit.
pub fn of_words(name: &str, value: &str, more: Markup) -> Markup {
    let (figure, unit) = value.split_once(' ').unwrap_or((value, ""));
    card(name, figure, unit, more)
}
