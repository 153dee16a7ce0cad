//! Pages for screens, phones and paper, light and dark. A page is one file, without network access or scripts.
//!
//! Every text goes through maud's escaping; the only other part of a page is [`style.css`](style.css).

mod absent;
mod lines;
pub mod table;

use crate::pg::encoding::ascii::with_references;
use maud::{DOCTYPE, Markup, PreEscaped, html};

const STYLE: &str = include_str!("page/style.css");

/// A part of a page, with its entry in the list of contents.
pub struct Chapter {
    id: String,
    title: String,
    body: Body,
}

enum Body {
    Shown(Markup),
    /// There is no data, for this reason.
    Missing(String),
}

impl Chapter {
    pub fn new(id: impl Into<String>, title: impl Into<String>, body: Markup) -> Chapter {
        Chapter {
            id: id.into(),
            title: title.into(),
            body: Body::Shown(body),
        }
    }

    /// A part that would be expected, and why it is not there: half a sentence without its full stop.
    pub fn missing(id: &str, title: &str, why: &str) -> Chapter {
        Chapter {
            id: id.to_owned(),
            title: title.to_owned(),
            body: Body::Missing(why.to_owned()),
        }
    }

    /// The part, or why it is not there.
    pub fn of(id: &str, title: &str, body: Option<Markup>, why: &str) -> Chapter {
        match body {
            Some(body) => Chapter::new(id, title, body),
            None => Chapter::missing(id, title, why),
        }
    }

    /// Gives a part that is missing another reason.
    pub fn missing_because(&mut self, why: &str) {
        if let Body::Missing(reason) = &mut self.body {
            why.clone_into(reason);
        }
    }

    fn shown(&self) -> Option<&Markup> {
        match &self.body {
            Body::Shown(body) => Some(body),
            Body::Missing(_) => None,
        }
    }
}

/// A whole page, whose parts without data are named in one line after the others; in ASCII, so that it is correct in
/// whatever encoding psql writes it, and in short lines.
pub fn page(title: &str, header: Markup, sections: &[Chapter], footer: Markup) -> String {
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
                    @for section in sections.iter().filter(|section| section.shown().is_some()) {
                        a href={ "#" (section.id) } { (section.title) }
                    }
                }
                main {
                    @for section in sections {
                        @if let Some(body) = section.shown() {
                            section id=(section.id) { h2 { (section.title) } (body) }
                        }
                    }
                    (absent::line(sections))
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
        let sections = [Chapter::missing("x", "Part", "no \u{1f418} </script>")];
        let page = page("<b>", html! { "h" }, &sections, html! {});
        assert!(page.is_ascii() && page.lines().all(|line| line.len() <= lines::WIDTH));
        let page = page.replace('\n', " ");
        assert!(page.contains("no &#128024; &lt;/script&gt;"));
        assert!(page.contains("<title>&lt;b&gt;</title>"));
        assert!(STYLE.is_ascii() && STYLE.lines().all(|line| line.len() <= lines::WIDTH));
        assert!(!STYLE.contains("url(") && !STYLE.contains("@import"));
    }
}
