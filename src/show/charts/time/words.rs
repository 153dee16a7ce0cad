//! What a chart says: its legend, its summary, its table, and the values under the pointer.

use super::mark::Look;
use super::{Bands, Mark, MarkKind, Point, Shape, TimeChart};
use crate::show::charts::figure::ChartFrame;
use crate::show::charts::key::Key;
use crate::show::number::duration;
use crate::show::text::count;
use std::fmt::Write;

/// Number of the colour of bands that have no other one.
const GREY: u8 = 7;

impl TimeChart {
    pub(super) fn values_at(&self, number: usize) -> Vec<String> {
        let Some(point) = self.points.get(number) else {
            return Vec::new();
        };
        let mut lines = vec![self.when(point)];
        for series in &self.series {
            if let Some(Some(value)) = series.values.get(number) {
                lines.push(format!("{}: {}", series.name, self.unit.write(*value)));
            }
        }
        let bands = self.bands.iter().filter(|bands| bands.cover_part_of(point));
        lines.extend(bands.map(|bands| bands.name.clone()));
        lines.extend(
            self.marks_in(number, point)
                .take(3)
                .map(|mark| mark.text.clone()),
        );
        lines
    }

    /// Each mark that is drawn belongs to one point: up to where the next begins, the last one's up to its end.
    fn marks_in(&self, number: usize, point: &Point) -> impl Iterator<Item = &Mark> {
        let until = self.points.get(number + 1).map(|next| next.at_s);
        let (start, end) = (point.at_s, point.at_s + point.seconds);
        let is_first = number == 0;
        self.marks.iter().filter(move |mark| {
            (mark.at_s >= start || is_first && mark.at_s >= 0.0)
                && until.map_or(mark.at_s <= end, |until| mark.at_s < until)
        })
    }

    /// The kinds of stretches of which some show.
    fn bands_shown(&self) -> impl Iterator<Item = (&Bands, usize)> {
        let (start, end) = self.extent();
        let shown = (self.bands.iter()).map(move |bands| (bands, bands.shown(start, end)));
        shown.filter(|(_, spans)| *spans > 0)
    }

    pub(super) fn frame(&self) -> ChartFrame<'_> {
        let (start, end) = self.extent();
        let mut summary = format!("{}, over {}", self.title, duration(end - start));
        let mut legend = Vec::new();
        let mut range = None;
        for (number, series) in self.series.iter().enumerate() {
            let values: Vec<f64> = series.values.iter().flatten().copied().collect();
            let Some(lowest) = values.iter().copied().reduce(f64::min) else {
                continue;
            };
            let highest = values.iter().copied().fold(lowest, f64::max);
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            let _ = write!(
                summary,
                ". {}: mean {}, from {} to {}",
                series.name,
                self.unit.write(mean),
                self.unit.write(lowest),
                self.unit.write(highest)
            );
            match series.shape {
                Shape::Line | Shape::Dotted => {
                    let key = Key::Line(self.line_class(number, series));
                    legend.push((key, series.name.clone()));
                }
                Shape::Stacked => {
                    let key = Key::shape("area", series.color);
                    legend.push((key, series.name.clone()));
                }
                Shape::RangeFrom if range.is_none() => {
                    let key = Key::shape("range", series.color);
                    range = Some((key, "lowest to highest".to_owned()));
                }
                Shape::RangeFrom | Shape::RangeTo => {}
            }
        }
        // A single series needs no key, since the title names it; bands are explained after the lines.
        if legend.len() == 1 && range.is_none() {
            legend.clear();
        }
        legend.extend(range);
        let mut told = Vec::new();
        for bands in &self.bands {
            if bands.shown(start, end) == 0 {
                let _ = write!(summary, ". No {}", bands.name);
            }
        }
        for (bands, spans) in self.bands_shown() {
            let key = Key::shape("span", bands.color.unwrap_or(GREY));
            legend.push((key, bands.name.clone()));
            told.push(count(spans as i64, &bands.name));
        }
        for kind in MarkKind::ALL {
            let of_kind = |mark: &&Mark| mark.kind == kind && (start..=end).contains(&mark.at_s);
            let marks = self.marks.iter().filter(of_kind).count() as i64;
            if marks > 0 {
                let Look {
                    name, color, key, ..
                } = kind.look();
                legend.push((Key::shape(key, color), name.to_owned()));
                told.push(count(marks, name));
            }
        }
        if !told.is_empty() {
            let _ = write!(summary, ". Marked: {}", told.join(", "));
        }
        let mut heads = vec!["time"];
        heads.extend(self.series.iter().map(|series| series.name.as_str()));
        heads.extend(self.bands_shown().map(|(bands, _)| bands.name.as_str()));
        heads.extend((!self.marks.is_empty()).then_some("marks"));
        ChartFrame {
            title: &self.title,
            note: self.note.as_deref(),
            summary,
            legend,
            height: self.height,
            heads,
            rows: self.rows(),
        }
    }

    fn when(&self, point: &Point) -> String {
        let end_s = point.at_s + point.seconds;
        let write = |at_s| {
            self.clock
                .map_or_else(|| duration(at_s), |clock| clock.moment(at_s))
        };
        if point.seconds < 2.0 {
            return write(end_s);
        }
        let (from, to) = (write(point.at_s), write(end_s));
        // The day is told once.
        let day = (from.split_inclusive(' ').next()).filter(|_| self.clock.is_some());
        let to = day.and_then(|day| to.strip_prefix(day)).unwrap_or(&to);
        format!("{from} to {to}")
    }

    fn rows(&self) -> Vec<Vec<String>> {
        let row = |(number, point): (usize, &Point)| {
            let mut row = vec![self.when(point)];
            row.extend(self.series.iter().map(|series| {
                let value = series.values.get(number).copied().flatten();
                value.map_or_else(|| "-".to_owned(), |value| self.unit.write(value))
            }));
            row.extend(
                self.bands_shown()
                    .map(|(bands, _)| match bands.cover_part_of(point) {
                        true => "yes".to_owned(),
                        false => String::new(),
                    }),
            );
            if !self.marks.is_empty() {
                let marks = self.marks_in(number, point);
                let texts: Vec<&str> = marks.map(|mark| mark.text.as_str()).collect();
                row.push(texts.join("; "));
            }
            row
        };
        self.points.iter().enumerate().map(row).collect()
    }
}
