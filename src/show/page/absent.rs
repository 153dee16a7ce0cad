//! Parts of a page that have no data.

use crate::show::blocks::Topic;
use crate::show::text::listed;
use maud::{Markup, html};

/// One line with all of them, those with the same reason together.
pub fn line(topics: &[Topic]) -> Markup {
    let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
    for topic in topics {
        let Some(why) = topic.why_missing() else {
            continue;
        };
        match reasons.iter_mut().find(|(reason, _)| *reason == why) {
            Some((_, titles)) => titles.push(&topic.title),
            None => reasons.push((why, vec![&topic.title])),
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
            Topic::missing("a", "Waits", "not sampled"),
            Topic::page("b", "WAL", html! {}),
            Topic::missing("c", "Settings", "never began"),
            Topic::missing("d", "Devices", "not sampled"),
            Topic::missing("e", "<CPU>", "not sampled"),
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
        let sections = [Topic::page("b", "WAL", html! {})];
        assert_eq!(line(&sections).into_string(), "");
    }
}
