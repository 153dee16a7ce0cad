//! Stretches of time marked in a chart, as bands behind its contents.

use super::Point;
use crate::show::charts::figure::{percent, short};
use maud::{Markup, html};

/// A stretch of time that is marked; seconds since the measured part began.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Span {
    pub from_s: f64,
    pub to_s: f64,
}

impl Span {
    /// Stretches, in order: those in a row are one span; a time of which nothing is stored ends it.
    pub fn joined(stretches: impl Iterator<Item = Point>) -> Vec<Span> {
        let mut spans: Vec<Span> = Vec::new();
        for Point { at_s, seconds } in stretches {
            let to_s = at_s + seconds;
            match spans.last_mut() {
                Some(last) if at_s - last.to_s < seconds / 2.0 => last.to_s = to_s,
                _ => spans.push(Span { from_s: at_s, to_s }),
            }
        }
        spans
    }

    /// Whether some of it lies between the two moments.
    pub fn shows(&self, start_s: f64, end_s: f64) -> bool {
        self.to_s > start_s && self.from_s < end_s
    }

    /// Whether the point, or a hundredth of it, lies in the span: spans are made of whole stretches, whose ends lie
    /// microseconds apart or over each other.
    pub fn covers_part_of(&self, point: &Point) -> bool {
        let end_s = point.at_s + point.seconds;
        let common = end_s.min(self.to_s) - point.at_s.max(self.from_s);
        if point.seconds > 0.0 {
            common > 0.01 * point.seconds
        } else {
            common >= 0.0
        }
    }
}

/// Stretches that mean the same.
#[derive(Debug, Clone)]
pub struct Bands {
    /// What one of them is.
    pub name: String,
    /// Number of a colour of the page; None: that of no curve.
    pub color: Option<u8>,
    pub spans: Vec<Span>,
}

impl Bands {
    pub fn new(name: &str, spans: Vec<Span>) -> Bands {
        Bands {
            name: name.to_owned(),
            color: None,
            spans,
        }
    }

    fn class(&self) -> String {
        let color = self.color.map(|color| format!(" c{color}"));
        format!("span{}", color.unwrap_or_default())
    }

    /// Those that show between two moments.
    pub fn shown(&self, start_s: f64, end_s: f64) -> usize {
        let spans = self.spans.iter();
        spans.filter(|span| span.shows(start_s, end_s)).count()
    }

    pub fn cover_part_of(&self, point: &Point) -> bool {
        self.spans.iter().any(|span| span.covers_part_of(point))
    }
}

/// The bands of those that show between `start` and `end`, seconds, each kind in a part of the height, from the top; `height` in pixels.
pub fn bands(all: &[Bands], (start, end): (f64, f64), height: f64) -> Markup {
    let across = |at_s: f64| ((at_s - start) / (end - start)).clamp(0.0, 1.0);
    let part = height / all.len().max(1) as f64;
    html! {
        @for (number, bands) in all.iter().enumerate() {
            @for span in bands.spans.iter().filter(|span| span.shows(start, end)) {
                @let (from, to) = (across(span.from_s), across(span.to_s));
                rect class=(bands.class()) x=(percent(from)) y=[(number > 0).then(|| short(part * number as f64))]
                    width=(percent((to - from).max(0.002))) height=(short(part)) {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_band_ends_where_the_chart_does() {
        let spans = [(-5.0, -1.0), (-1.0, 2.0), (8.0, 12.0), (12.0, 13.0)]
            .map(|(from_s, to_s)| Span { from_s, to_s });
        let all = [Bands::new("checkpoint", spans.to_vec())];
        let page = bands(&all, (0.0, 10.0), 50.0).into_string();
        assert_eq!(page.matches("<rect").count(), 2, "{page}");
        assert!(
            page.contains("x=\"0%\" width=\"20%\"") && page.contains("x=\"80%\" width=\"20%\"")
        );
    }

    #[test]
    fn two_kinds_share_the_height() {
        let span = Span {
            from_s: 0.0,
            to_s: 5.0,
        };
        let all = ["baseline", "candidate"].map(|name| Bands::new(name, vec![span]));
        let page = bands(&all, (0.0, 10.0), 50.0).into_string();
        assert!(
            page.contains("x=\"0%\" width=\"50%\" height=\"25\""),
            "{page}"
        );
        assert!(
            page.contains("x=\"0%\" y=\"25\" width=\"50%\" height=\"25\""),
            "{page}"
        );
    }

    #[test]
    fn a_long_stretch_with_a_short_checkpoint_is_in_it() {
        let point = |at_s, seconds| Point { at_s, seconds };
        let span = Span {
            from_s: 12.0,
            to_s: 14.0,
        };
        assert!(span.covers_part_of(&point(10.0, 10.0)));
        assert!(span.covers_part_of(&point(13.0, 0.0)));
        assert!(!span.covers_part_of(&point(11.0, 0.0)));
        // Neighbours overlap by a microsecond.
        assert!(!span.covers_part_of(&point(13.999_999, 1.0)));
    }
}
