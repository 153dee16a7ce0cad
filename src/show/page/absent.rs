//! Parts of a page that have no data.

use super::{Body, Chapter};
use crate::show::text::listed;
use maud::{Markup, html};

/// One line with all of them, those with the same reason together.
pub fn line(sections: &[Chapter]) -> Markup {
    let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
    for section in sections {
        let Body::Missing(why) = &section.body else {
            continue;
        };
        match reasons.iter_mut().find(|(reason, _)| reason == why) {
            Some((_, titles)) => titles.push(&section.title),
            None => reasons.push((why, vec![&section.title])),
        }
    }
    html! {
        @if !reasons.is_empty() {
            p id="absent" class="why" {
                "Without data: "
                @for (number, (why, titles)) in reasons.iter().enumerate() {
                    @if number > 0 { "; " }
                    strong { (listed(titles)) } " (" (why) ")"
                }
                "."
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_with_the_same_reason_are_named_together() {
        let sections = [
            Chapter::missing("a", "Waits", "not sampled"),
            Chapter::new("b", "WAL", html! {}),
            Chapter::missing("c", "Settings", "never began"),
            Chapter::missing("d", "Devices", "not sampled"),
            Chapter::missing("e", "<CPU>", "not sampled"),
        ];
        let line = line(&sections).into_string();
        assert!(
            line.ends_with(
                "Without data: <strong>Waits, Devices and &lt;CPU&gt;</strong> (not sampled); \
                 <strong>Settings</strong> (never began).</p>"
            ),
            "{line}"
        );
    }

    #[test]
    fn a_page_with_all_its_parts_has_no_such_line() {
        let sections = [Chapter::new("b", "WAL", html! {})];
        assert_eq!(line(&sections).into_string(), "");
    }
}
