//! A window as text.

use super::findings;
use super::glance;
use super::model::History;
use super::timeline;
use crate::show::charts::Clock;
use crate::show::number::{duration, integer};
use crate::show::section;
use crate::show::text::{WIDTH, moment, one_line};

/// The report, a line each. `unicode`: whether its reader can show more than ASCII.
pub fn lines(history: &History, unicode: bool) -> Vec<String> {
    let mut lines = heading(history);
    lines.push(String::new());
    lines.push(findings::shown::counted(&history.findings));
    lines.extend(glance::lines(&history.glance, unicode));
    let clock = Clock::at(&history.window.span.from);
    lines.extend(timeline::lines(&history.timeline, clock, WIDTH));
    lines.extend(compared(history));
    lines.push(String::new());
    lines.extend(findings::shown::lines(
        &history.findings,
        history.muted_findings,
    ));
    for part in &history.sections {
        lines.push(String::new());
        lines.extend(section::text::lines(part, unicode));
    }
    lines
}

/// What the window is, in one sentence each.
pub fn about(history: &History) -> [String; 2] {
    let window = &history.window;
    let node = window.node_name.as_deref().unwrap_or(&window.span.node_id);
    let named = (window.name.as_ref()).map_or_else(String::new, |name| format!(", run {name}"));
    let samples = match window.samples {
        1 => "1 sample".to_owned(),
        samples => format!("{} samples", integer(samples)),
    };
    [
        format!("History of {node}{named}"),
        format!(
            "{} to {} ({}), {samples}",
            moment(&window.span.from),
            moment(&window.span.to),
            duration(window.span.seconds)
        ),
    ]
}

/// The server at the window's end, if it is known.
pub fn server(history: &History) -> Option<String> {
    let server = history.server.as_ref()?;
    let version = server.version.split(' ').next().unwrap_or_default();
    let uptime = duration(server.uptime_s);
    Some(format!(
        "PostgreSQL {version}, up for {uptime} at the window's end"
    ))
}

/// The call that compares the window with the same one a day before; nothing: there is none.
fn compared(history: &History) -> Vec<String> {
    const HEAD: &str = "The day before: SELECT pgperf.history_compare(";
    match comparison(history) {
        Some([from, to]) => vec![
            format!("{HEAD}'{from}',"),
            format!("{:width$}'{to}');", "", width = HEAD.len()),
        ],
        None => Vec::new(),
    }
}

/// The ends of the window, if the same one a day before can be compared with it.
pub fn comparison(history: &History) -> Option<[String; 2]> {
    let span = &history.window.span;
    let ends = [&span.from, &span.to].map(|end| moment(end));
    history.has_day_before.then_some(ends)
}

fn heading(history: &History) -> Vec<String> {
    let mut lines: Vec<String> = (about(history).into_iter().chain(server(history)))
        .map(|line| one_line(&line, WIDTH))
        .collect();
    lines.extend(
        history
            .notes
            .iter()
            .flat_map(|note| section::text::note(note)),
    );
    lines
}
