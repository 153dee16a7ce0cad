//! What happened when: lanes of marks over one axis of time.

use super::clock::Clock;
use super::figure::{ChartFrame, percent, short, time_axis};
use super::scale::time_ticks;
use maud::{Markup, html};

/// Pixels of a track: one of a lane's, or all of it.
const TRACK: f64 = 20.0;
/// A lane has so many tracks at most, so that events at the same time lie below each other.
const TRACKS: usize = 16;
/// The least width of a mark, as a share of all: it has to be seen, and hit.
const LEAST: f64 = 0.005;
/// The room for the label of a mark, as a share of all; what is too long for it is cut. A mark that is wide enough has it inside, others beside.
const LABEL: f64 = 0.2;

/// Something that happened: at a moment, or over a stretch of time. Seconds on the axis.
#[derive(Debug, Clone)]
pub struct Event {
    pub from_s: f64,
    pub to_s: f64,
    pub text: String,
    /// What stands in or beside its mark.
    pub label: Option<String>,
    /// Number of a colour of the page, 1 to 8.
    pub color: u8,
    /// Where more of it stands: an anchor of the page.
    pub link: Option<String>,
}

/// Events of one kind.
#[derive(Debug, Clone)]
pub struct Lane {
    pub name: &'static str,
    pub events: Vec<Event>,
}

/// Lanes below each other.
#[derive(Debug, Clone)]
pub struct Lanes {
    pub title: &'static str,
    pub lanes: Vec<Lane>,
    /// The time of day at 0; None: times are since the beginning.
    pub clock: Option<Clock>,
    pub end_s: f64,
}

impl Lanes {
    /// The lanes; nothing if there are none.
    pub fn render(&self) -> Markup {
        if self.lanes.is_empty() {
            return html! {};
        }
        let end = self.end_s.max(f64::MIN_POSITIVE);
        let lanes: Vec<(&str, Vec<Vec<&Event>>)> = (self.lanes.iter())
            .map(|lane| (lane.name, lane.tracks(end)))
            .collect();
        let heights = lanes.iter().map(|(_, tracks)| TRACK * tracks.len() as f64);
        let tops = heights.clone().scan(0.0, |top, height| {
            *top += height;
            Some(*top - height)
        });
        let height: f64 = heights.clone().sum();
        let ticks = match self.clock {
            Some(clock) => clock.ticks(0.0, end),
            None => time_ticks(0.0, end),
        };
        let frame = ChartFrame {
            title: self.title,
            note: None,
            summary: format!("Timeline: {}; the table has all of it", self.counts()),
            legend: Vec::new(),
            height,
            heads: vec!["at", "what", ""],
            rows: self.rows(),
        };
        html! { div class="lanes" {
            (frame.around(html! {
                @for (((name, tracks), top), high) in lanes.iter().zip(tops).zip(heights.clone()) {
                    g class="axis" {
                        line x2="100%" y1=(short(top + high)) y2=(short(top + high)) {}
                        text x="-8" y=(short(top + TRACK / 2.0)) dy="4" text-anchor="end" { (name) }
                    }
                    @for (track, y) in tracks.iter().zip((0..).map(|place| top + TRACK * f64::from(place))) {
                        @for event in track { (mark(event, end, y)) }
                    }
                }
                (time_axis(&ticks, 0.0, end, height))
            }))
        } }
    }

    fn counts(&self) -> String {
        let counts = self
            .lanes
            .iter()
            .map(|lane| format!("{} {}", lane.events.len(), lane.name));
        counts.collect::<Vec<_>>().join(", ")
    }

    /// All events in the order of time.
    fn rows(&self) -> Vec<Vec<String>> {
        let all = self.lanes.iter().flat_map(|lane| {
            let of_lane = lane.events.iter();
            of_lane.map(|event| (lane.name, event))
        });
        let mut all: Vec<_> = all.collect();
        all.sort_by(|(_, a), (_, b)| a.from_s.total_cmp(&b.from_s));
        let at = |second: f64| match self.clock {
            Some(clock) => clock.moment(second),
            None => format!("{} s", short(second)),
        };
        let row = |(lane, event): (&str, &Event)| {
            vec![at(event.from_s), lane.to_owned(), event.text.clone()]
        };
        all.into_iter().map(row).collect()
    }
}

impl Lane {
    /// Its events in tracks: each in the first that is free then, or the last.
    fn tracks(&self, end: f64) -> Vec<Vec<&Event>> {
        let mut events: Vec<&Event> = self.events.iter().collect();
        events.sort_by(|a, b| a.room(end).0.total_cmp(&b.room(end).0));
        let mut tracks: Vec<(f64, Vec<&Event>)> = Vec::new();
        for event in events {
            let (from, to) = event.room(end);
            let free = tracks.iter().position(|(until, _)| *until < from);
            let track = free.unwrap_or(tracks.len()).min(TRACKS - 1);
            if track == tracks.len() {
                tracks.push((0.0, Vec::new()));
            }
            if let Some((until, events)) = tracks.get_mut(track) {
                *until = until.max(to);
                events.push(event);
            }
        }
        tracks.into_iter().map(|(_, events)| events).collect()
    }
}

impl Event {
    /// Where it begins and its width, as shares of an axis that ends then.
    fn place(&self, end: f64) -> (f64, f64) {
        let across = |second: f64| (second / end).clamp(0.0, 1.0);
        let width = (across(self.to_s) - across(self.from_s)).max(LEAST);
        (across(self.from_s).min(1.0 - width), width)
    }

    /// Where its label lies: inside the mark, after it, or where it is too near to the end, before it.
    fn label(&self, end: f64) -> Option<Label<'_>> {
        let text = self.label.as_deref()?;
        let (from, width) = self.place(end);
        let (side, from, width) = match from + width + LABEL {
            _ if width >= LABEL => ("inside", from, width),
            to if to <= 1.0 => ("after", from + width, LABEL),
            _ => ("before", from - LABEL, LABEL),
        };
        Some(Label {
            text,
            side,
            from,
            width,
        })
    }

    /// From where to where nothing else has room, its label among it.
    fn room(&self, end: f64) -> (f64, f64) {
        let (from, width) = self.place(end);
        let label = self
            .label(end)
            .map(|label| (label.from, label.from + label.width));
        let (first, last) = label.unwrap_or((from, from));
        (from.min(first), (from + width).max(last))
    }
}

/// A label and its place, as shares of the axis.
struct Label<'a> {
    text: &'a str,
    side: &'static str,
    from: f64,
    width: f64,
}

impl Label<'_> {
    /// At the height of its mark.
    fn render(&self, y: &str, height: &str) -> Markup {
        let (x, anchor) = match self.side {
            "before" => ("100%", "end"),
            _ => ("0", "start"),
        };
        html! {
            svg class={ "label " (self.side) } x=(percent(self.from)) width=(percent(self.width)) y=(y) height=(height) {
                text x=(x) dx=[(anchor == "start").then_some("5")] y="10" text-anchor=(anchor) { (self.text) }
            }
        }
    }
}

fn mark(event: &Event, end: f64, y: f64) -> Markup {
    let (from, width) = event.place(end);
    let (y, height) = (short(y + 4.0), short(TRACK - 7.0));
    let shape = html! {
        rect class={ "event c" (event.color) } x=(percent(from)) width=(percent(width)) y=(y) height=(height) rx="2" {
            title { (event.text) }
        }
        @if let Some(label) = event.label(end) { (label.render(&y, &height)) }
    };
    html! {
        @match &event.link {
            Some(link) => a href=(link) { (shape) },
            None => (shape),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(from_s: f64, to_s: f64, link: Option<&str>) -> Event {
        Event {
            from_s,
            to_s,
            text: "release 42".to_owned(),
            label: None,
            color: 1,
            link: link.map(str::to_owned),
        }
    }

    #[test]
    fn an_event_lies_at_its_time_and_leads_to_more() {
        let lanes = Lanes {
            title: "Timeline",
            lanes: vec![Lane {
                name: "notes",
                events: vec![
                    event(50.0, 75.0, Some("#finding-1")),
                    event(10.0, 10.0, None),
                ],
            }],
            clock: None,
            end_s: 100.0,
        };
        let page = lanes.render().into_string();
        assert!(page.contains("<a href=\"#finding-1\"><rect"), "{page}");
        assert!(
            page.contains("x=\"50%\" width=\"25%\"") && page.contains("x=\"10%\" width=\"0.5%\"")
        );
        assert!(page.contains("aria-label=\"Timeline: 2 notes;"));
        let rows = lanes.rows();
        assert_eq!((rows[0][0].as_str(), rows[1][0].as_str()), ("10 s", "50 s"));
    }

    #[test]
    fn events_at_the_same_time_lie_below_each_other() {
        let lane = |events: Vec<Event>| Lane {
            name: "findings",
            events,
        };
        let places = |lane: &Lane| -> Vec<Vec<f64>> {
            let tracks = lane.tracks(100.0).into_iter();
            tracks
                .map(|track| track.iter().map(|event| event.from_s).collect())
                .collect()
        };
        let some = lane(vec![
            event(50.0, 60.0, None),
            event(0.0, 100.0, None),
            event(10.0, 20.0, None),
            event(55.0, 58.0, None),
        ]);
        assert_eq!(places(&some), [vec![0.0], vec![10.0, 50.0], vec![55.0]]);
        let many = lane(vec![event(0.0, 100.0, None); TRACKS + 4]);
        let counts: Vec<usize> = places(&many).iter().map(Vec::len).collect();
        assert_eq!(counts.len(), TRACKS);
        assert_eq!(counts.split_last(), Some((&5, [1; TRACKS - 1].as_slice())));
    }

    #[test]
    fn a_label_is_in_its_mark_or_beside_it() {
        let named = |from_s, to_s| Event {
            label: Some("42".to_owned()),
            ..event(from_s, to_s, None)
        };
        let place = |event: Event| {
            let label = event.label(100.0).expect("a label");
            (label.side, label.from, event.room(100.0))
        };
        assert_eq!(place(named(0.0, 20.0)), ("inside", 0.0, (0.0, 0.2)));
        assert_eq!(place(named(0.0, 10.0)), ("after", 0.1, (0.0, 0.1 + LABEL)));
        assert_eq!(
            place(named(90.0, 100.0)),
            ("before", 0.9 - LABEL, (0.9 - LABEL, 1.0))
        );
        let page = |event: Event| mark(&event, 100.0, 0.0).into_string();
        assert!(page(named(0.0, 10.0)).contains(">42</text>"));
        assert!(!page(event(0.0, 10.0, None)).contains("<text"));
    }

    #[test]
    fn what_began_before_or_goes_on_is_cut_at_the_ends() {
        let page = |event| mark(&event, 100.0, 0.0).into_string();
        assert!(page(event(-50.0, 10.0, None)).contains("x=\"0%\" width=\"10%\""));
        assert!(page(event(90.0, 500.0, None)).contains("x=\"90%\" width=\"10%\""));
        assert!(page(event(100.0, 100.0, None)).contains("x=\"99.5%\" width=\"0.5%\""));
    }
}
