//! Pages: one file each, that needs no network and no script, for screens, phones and paper, light and dark.
//!
//! Every text goes through maud's escaping; the only other part of a page is [`style.css`](../style.css).

mod absent;
mod alternation;
mod checkpoints;
pub mod circumstances;
mod disturbances;
pub mod header;
mod hit_curve;
mod lines;
mod machine;
mod observer;
mod rate_search;
mod receivers;
mod relations;
mod series;
mod server;
mod statements;
pub mod table;
mod timeline;

use crate::pg::encoding::ascii::with_references;
use crate::report::model::Report;
use checkpoints::Checkpoints;
use maud::{DOCTYPE, Markup, PreEscaped, html};

const STYLE: &str = include_str!("style.css");

/// A part of a page, with its entry in the list of contents.
pub struct Section {
    id: String,
    title: String,
    body: Body,
}

enum Body {
    Shown(Markup),
    /// There is no data, for this reason.
    Missing(String),
}

impl Section {
    pub fn new(id: impl Into<String>, title: impl Into<String>, body: Markup) -> Section {
        Section {
            id: id.into(),
            title: title.into(),
            body: Body::Shown(body),
        }
    }

    /// A part that would be expected, and why it is not there: half a sentence without its full stop.
    pub fn missing(id: &str, title: &str, why: &str) -> Section {
        Section {
            id: id.to_owned(),
            title: title.to_owned(),
            body: Body::Missing(why.to_owned()),
        }
    }

    /// Gives a part that is missing another reason.
    fn missing_because(&mut self, why: &str) {
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

/// The page of a run.
pub fn run(report: &Report) -> String {
    let checkpoints = Checkpoints::of(report);
    let mut sections = vec![timeline::rates(report, &checkpoints)];
    if report.run.work().has_transactions {
        sections.push(timeline::latency(report, &checkpoints));
    }
    sections.extend(rate_search::section(report.rate_search.as_ref()));
    sections.extend(alternation::section(report.alternation.as_ref()));
    sections.extend(disturbances::section(&report.disturbances));
    sections.push(statements::section(report));
    sections.extend(server::sections(report, &checkpoints));
    sections.extend(circumstances::sections(report));
    sections.push(observer::section(report, &checkpoints));
    if report.run.spec.results.is_some() {
        for section in &mut sections {
            section.missing_because("not in the results of the program that measured");
        }
    }
    let title = header::title(&report.run);
    page(
        &title,
        header::header(report),
        &sections,
        header::footer(report),
    )
}

/// A whole page, whose parts without data are named in one line after the others; in ASCII, so that it is correct in
/// whatever encoding psql writes it, and in short lines.
pub fn page(title: &str, header: Markup, sections: &[Section], footer: Markup) -> String {
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
        let sections = [Section::missing("x", "Part", "no \u{1f418} </script>")];
        let page = page("<b>", html! { "h" }, &sections, html! {});
        assert!(page.is_ascii() && page.lines().all(|line| line.len() <= lines::WIDTH));
        let page = page.replace('\n', " ");
        assert!(page.contains("no &#128024; &lt;/script&gt;"));
        assert!(page.contains("<title>&lt;b&gt;</title>"));
        assert!(STYLE.is_ascii() && STYLE.lines().all(|line| line.len() <= lines::WIDTH));
        assert!(!STYLE.contains("url(") && !STYLE.contains("@import"));
    }
}
