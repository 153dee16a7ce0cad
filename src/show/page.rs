//! Pages for screens, phones and paper, light and dark. A page is one file, without network access or scripts.
//!
//! Every text goes through maud's escaping; the only other part of a page is [`style.css`](style.css).

mod absent;
pub mod card;
mod lines;
pub mod table;

use super::blocks::Topic;
use crate::pg::encoding::ascii::with_references;
use maud::{DOCTYPE, Markup, PreEscaped, html};

const STYLE: &str = include_str!("page/style.css");

/// A whole page, whose parts without data are named in one line after the others; in ASCII, so that it is correct in
/// whatever encoding psql writes it, and in short lines.
pub fn page(title: &str, header: Markup, topics: &[Topic], footer: Markup) -> String {
    let shown = || topics.iter().filter(|topic| topic.why_missing().is_none());
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="generator" content={ "pgperf " (env!("CARGO_PKG_VERSION")) };
                // An empty icon; otherwise a browser asks the server for one.
                link rel="icon" href="data:,";
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                header { (header) }
                nav aria-label="Contents" {
                    @for topic in shown() { a href={ "#" (topic.id) } { (topic.title) } }
                }
                main {
                    @for topic in shown() { section id=(topic.id) { h2 { (topic.title) } (topic.body()) } }
                    (absent::line(topics))
                }
                footer { (footer) }
            }
        }
    };
    // A style sheet must not have any reference, so it has no such character.
    lines::short(&with_references(&page.into_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_ascii_and_escapes_what_it_shows() {
        let topics = [Topic::missing("x", "Part", "no \u{1f418} </script>")];
        let page = page("<b>", html! { "h" }, &topics, html! {});
        assert!(page.is_ascii() && page.lines().all(|line| line.len() <= lines::WIDTH));
        let page = page.replace('\n', " ");
        assert!(page.contains("no &#128024; &lt;/script&gt;"));
        assert!(page.contains("<title>&lt;b&gt;</title>"));
        assert!(STYLE.is_ascii() && STYLE.lines().all(|line| line.len() <= lines::WIDTH));
        assert!(!STYLE.contains("url(") && !STYLE.contains("@import"));
    }
}
