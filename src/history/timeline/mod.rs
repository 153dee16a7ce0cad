//! What happened in a window, and when: findings, what users noted, changed settings, restarts, checkpoints.

mod note;

use super::findings::Finding;
use crate::error::Result;
use crate::show::charts::{Clock, Event, Lane, Lanes, Mark, MarkKind};
use crate::show::span::samples::Samples;
use crate::show::text::wrap_names;
use maud::Markup;
use serde::{Deserialize, Serialize};

/// What an event is. In the order of the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum Happening {
    Finding,
    Note,
    Setting,
    Restart,
    Checkpoint,
}

impl Happening {
    const ALL: [Happening; 5] = [
        Happening::Finding,
        Happening::Note,
        Happening::Setting,
        Happening::Restart,
        Happening::Checkpoint,
    ];

    /// Of its lane.
    fn name(self) -> &'static str {
        match self {
            Happening::Finding => "findings",
            Happening::Note => "notes",
            Happening::Setting => "settings",
            Happening::Restart => "restarts",
            Happening::Checkpoint => "checkpoints",
        }
    }
}

/// Something that happened.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Occurrence {
    pub kind: Happening,
    /// Seconds since the window began, below 0 before it.
    pub at_s: f64,
    /// When it ended; the same as `at_s`: it was a moment.
    pub until_s: f64,
    pub text: String,
    /// The number of its finding on the page, and its name.
    #[serde(skip)]
    finding: Option<(usize, String)>,
    /// Number of a colour of the page.
    #[serde(skip)]
    color: u8,
}

/// What [`load`] reads itself.
const EVENTS: &str = include_str!("events.sql");

/// All of a window, in the order of time.
pub fn load(samples: &Samples, findings: &[Finding]) -> Result<Vec<Occurrence>> {
    #[derive(Deserialize)]
    struct Read {
        kind: Happening,
        at_s: f64,
        text: String,
    }
    let from = &samples.span.from;
    let rows: Vec<Read> = samples.select(EVENTS, None)?;
    let mut all: Vec<Occurrence> = (rows.into_iter())
        .map(|Read { kind, at_s, text }| Occurrence::at(kind, at_s, text))
        .collect();
    all.extend(of_findings(findings, from));
    let restarts = samples.restarts.iter().filter_map(|at| {
        let text = "counters began again: a restart, a crash or a reset of statistics";
        Some(Occurrence::at(
            Happening::Restart,
            Clock::elapsed(from, at)?,
            text.to_owned(),
        ))
    });
    all.extend(restarts);
    all.sort_by(|a, b| a.at_s.total_cmp(&b.at_s));
    Ok(all)
}

/// Those that are part of no other, where they have a time.
fn of_findings(findings: &[Finding], from: &str) -> Vec<Occurrence> {
    let seconds = |at: &Option<String>| Clock::elapsed(from, at.as_deref()?);
    let occurrence = |(place, whole): (usize, &Finding)| {
        let at_s = seconds(&whole.since).or(seconds(&whole.at))?;
        let is_setting = whole.rule == "setting_changed";
        let object = whole.object_name.as_deref().unwrap_or_default();
        let name = format!("{} {object}", whole.title).trim_end().to_owned();
        Some(Occurrence {
            // A setting changed between two samples.
            until_s: seconds(&whole.until).unwrap_or(at_s).max(at_s),
            finding: Some((place + 1, name.clone())),
            color: whole.severity.color(),
            ..Occurrence::at(
                if is_setting {
                    Happening::Setting
                } else {
                    Happening::Finding
                },
                at_s,
                format!("{}: {name}", whole.severity.name()),
            )
        })
    };
    Finding::wholes(findings)
        .enumerate()
        .filter_map(occurrence)
        .collect()
}

impl Occurrence {
    fn at(kind: Happening, at_s: f64, text: String) -> Occurrence {
        Occurrence {
            kind,
            at_s,
            until_s: at_s,
            text,
            finding: None,
            color: match kind {
                Happening::Note => 1,
                Happening::Restart => 4,
                _ => 7,
            },
        }
    }
}

/// The timeline of the page.
pub fn lanes(timeline: &[Occurrence], clock: Option<Clock>, end_s: f64) -> Markup {
    let lane = |kind: Happening| {
        let events = timeline.iter().filter(|it| it.kind == kind);
        let events: Vec<Event> = events
            .map(|it| {
                let (number, label) = it.finding.clone().unzip();
                Event {
                    from_s: it.at_s,
                    to_s: it.until_s,
                    text: it.text.clone(),
                    label,
                    color: it.color,
                    link: number.map(|number| format!("#finding-{number}")),
                }
            })
            .collect();
        (!events.is_empty()).then_some(Lane {
            name: kind.name(),
            events,
        })
    };
    let lanes = Lanes {
        title: "Timeline",
        lanes: Happening::ALL.into_iter().filter_map(lane).collect(),
        clock,
        end_s,
    };
    lanes.render()
}

/// What is marked in every chart of the page.
pub fn marks(timeline: &[Occurrence]) -> Vec<Mark> {
    let mark = |it: &Occurrence| {
        let kind = match it.kind {
            Happening::Note => MarkKind::Note,
            Happening::Restart => MarkKind::Restart,
            Happening::Finding | Happening::Setting | Happening::Checkpoint => return None,
        };
        Some(Mark {
            at_s: it.at_s,
            kind,
            text: it.text.clone(),
        })
    };
    timeline.iter().filter_map(mark).collect()
}

/// What users noted, as lines of a text; none: they noted nothing. `clock`: that of the window's beginning.
pub fn lines(timeline: &[Occurrence], clock: Option<Clock>, width: usize) -> Vec<String> {
    let notes = timeline.iter().filter(|it| it.kind == Happening::Note);
    notes
        .flat_map(|note| {
            let at = clock.map_or_else(String::new, |clock| clock.moment(note.at_s));
            wrap_names(&format!("Note, {at}: {}", note.text), width)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::findings::Severity;

    const FROM: &str = "2026-11-20T12:00:00+01:00";

    fn finding(rule: &'static str, since: Option<&str>, at: Option<&str>) -> Finding {
        Finding {
            severity: Severity::Warning,
            title: "it happened",
            object_name: Some("orders".to_owned()),
            since: since.map(str::to_owned),
            at: at.map(str::to_owned),
            until: at.map(str::to_owned),
            ..Finding::of(rule)
        }
    }

    #[test]
    fn findings_lie_where_they_were_seen_and_lead_to_themselves() {
        let part = Finding {
            part_of: Some("blocking orders".to_owned()),
            ..finding("connections", None, Some("2026-11-20T12:01:00+01:00"))
        };
        let findings = [
            finding(
                "blocking",
                Some("2026-11-20T12:01:00+01:00"),
                Some("2026-11-20T12:03:00.5+01:00"),
            ),
            part,
            finding("unused_index", None, None),
            finding("setting_changed", None, Some("2026-11-20T11:10:00+00:00")),
        ];
        let found = of_findings(&findings, FROM);
        let places: Vec<_> = (found.iter())
            .map(|it| {
                let number = it.finding.as_ref().map(|(number, _)| *number);
                (it.kind, it.at_s, it.until_s, number)
            })
            .collect();
        assert_eq!(
            places,
            [
                (Happening::Finding, 60.0, 180.5, Some(1)),
                (Happening::Setting, 600.0, 600.0, Some(3))
            ]
        );
        assert_eq!(found[0].text, "warning: it happened orders");
        let page = lanes(&found, Clock::at(FROM), 3600.0).into_string();
        assert!(
            page.contains("href=\"#finding-3\"") && !page.contains(">notes<"),
            "{page}"
        );
    }

    #[test]
    fn notes_are_marks_of_every_chart_and_lines_of_the_text() {
        let timeline = [
            Occurrence::at(Happening::Note, 65.0, "release 42 (role deploy)".to_owned()),
            Occurrence::at(Happening::Checkpoint, 70.0, "a checkpoint began".to_owned()),
        ];
        assert_eq!(marks(&timeline).len(), 1);
        assert_eq!(
            lines(&timeline, Clock::at(FROM), 80),
            ["Note, 11-20 12:01:05: release 42 (role deploy)"]
        );
    }
}
