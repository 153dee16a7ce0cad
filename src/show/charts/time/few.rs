//! Charts with values at one or two points as figures: dots without a line between them say less than numbers do.

use super::{Series, TimeChart};
use crate::show::blocks::{Listing, figure, name};
use crate::show::number::{Unit, short_percent};
use maud::{Markup, html};

/// A chart has at least so many points.
const FEWEST: usize = 3;
const HEADS: [&str; 4] = ["mean", "start", "end", "change"];

impl TimeChart {
    /// Whether it has values at too few points for a chart.
    pub fn has_few_points(&self) -> bool {
        self.known().count() < FEWEST
    }

    /// The places of the points at which some series has a value.
    fn known(&self) -> impl Iterator<Item = usize> {
        let has_value = |place: &usize| {
            let mut series = self.series.iter();
            series.any(|series| value(series, *place).is_some())
        };
        (0..self.points.len()).filter(has_value)
    }

    /// The cells of a series, those of [`HEADS`]; None: it has no value.
    fn cells(&self, series: &Series) -> Option<[String; 4]> {
        let write = |value: Option<f64>| value.map_or_else(String::new, |it| self.unit.write(it));
        let nothing = String::new;
        let places: Vec<usize> = self.known().collect();
        let values: Vec<Option<f64>> = places.iter().map(|place| value(series, *place)).collect();
        match values.as_slice() {
            [Some(a), Some(b)] => {
                let change = change(self.unit, *a, *b).unwrap_or_default();
                Some([nothing(), write(Some(*a)), write(Some(*b)), change])
            }
            [None, None] | [None] | [] => None,
            [a, b, ..] => Some([nothing(), write(*a), write(*b), nothing()]),
            [one] => {
                let place = places.first().copied().unwrap_or_default();
                let point = self.points.get(place);
                if point.is_some_and(|point| point.seconds > 0.0) {
                    Some([write(*one), nothing(), nothing(), nothing()])
                } else if place == 0 && self.points.len() > 1 {
                    Some([nothing(), write(*one), nothing(), nothing()])
                } else {
                    Some([nothing(), nothing(), write(*one), nothing()])
                }
            }
        }
    }
}

fn value(series: &Series, place: usize) -> Option<f64> {
    series.values.get(place).copied().flatten()
}

/// Of a percentage in points.
fn change(unit: Unit, a: f64, b: f64) -> Option<String> {
    match unit {
        Unit::Percent => Some(format!("{} points", short_percent(b - a))),
        _ if a == 0.0 => None,
        _ => Some(format!("{} %", short_percent(100.0 * (b - a) / a.abs()))),
    }
}

/// The figures of such charts, a table of all of them; nothing if no series has a value.
pub fn figures(charts: &[TimeChart]) -> Markup {
    let rows = charts.iter().flat_map(|chart| {
        let named = chart.series.len() > 1;
        chart.series.iter().filter_map(move |series| {
            let name = match named {
                true => format!("{}, {}", chart.title, series.name),
                false => chart.title.clone(),
            };
            Some((name, chart.cells(series)?))
        })
    });
    let rows: Vec<(String, [String; 4])> = rows.collect();
    type Row = (String, [String; 4]);
    let title = name("", |(name, _): &Row| name.clone());
    let cells = HEADS.into_iter().enumerate();
    let cells =
        cells.map(|(place, head)| figure(head, move |(_, cells): &Row| cells.get(place).cloned()));
    let listing = Listing::of(&rows, std::iter::once(title).chain(cells).collect());
    html! { @if !rows.is_empty() { div class="figures" { (listing) } } }
}

#[cfg(test)]
mod tests {
    use super::super::{Point, Shape};
    use super::*;

    fn chart(title: &str, unit: Unit, seconds: f64, values: &[&[Option<f64>]]) -> TimeChart {
        let points = (0..values[0].len()).map(|number| Point {
            at_s: 10.0 * number as f64,
            seconds,
        });
        let series = values.iter().enumerate().map(|(number, values)| Series {
            name: format!("line {number}"),
            color: 1,
            shape: Shape::Line,
            values: values.to_vec(),
        });
        TimeChart::new(title, unit, points.collect(), series.collect())
    }

    #[test]
    fn two_moments_are_a_start_an_end_and_a_change() {
        let size = chart("Size", Unit::Bytes, 0.0, &[&[Some(1e6), Some(2e6)]]);
        let share = chart(
            "Share",
            Unit::Percent,
            0.0,
            &[&[Some(50.0), Some(60.0)], &[None, Some(1.0)]],
        );
        let rate = chart("Rate", Unit::Count("per second"), 9.0, &[&[Some(7.0)]]);
        let page = figures(&[size.clone(), share, rate]).into_string();
        for part in [
            "<td>Size</td>",
            "+100 %",
            "<td>Share, line 0</td>",
            "+10.0 points",
            "<td>Share, line 1</td>",
            "<td>Rate</td><td class=\"number\">7",
        ] {
            assert!(page.contains(part), "{part}: {page}");
        }
        assert!(size.has_few_points());
        let alone = size.render().into_string();
        assert!(
            !alone.contains("<svg") && !alone.contains("mean"),
            "{alone}"
        );
    }

    /// A table that the samples between start and end had no row of.
    #[test]
    fn points_without_a_value_do_not_count() {
        let end: [Option<f64>; 5] = [None, None, None, None, Some(8.0)];
        let start: [Option<f64>; 5] = [Some(7.0), None, None, None, None];
        let both: [Option<f64>; 5] = [Some(7.0), None, None, None, Some(8.0)];
        for (values, cells) in [
            (end, "<td class=\"number\">8</td>"),
            (start, "<td class=\"number\">7</td>"),
            (
                both,
                "<td class=\"number\">7</td><td class=\"number\">8</td><td class=\"number\">+14.3 %</td>",
            ),
        ] {
            let page = chart("Age", Unit::Count(""), 0.0, &[&values]).render();
            let page = page.into_string();
            assert!(!page.contains("<svg") && page.contains(cells), "{page}");
        }
        let three = [Some(1.0), None, Some(2.0), None, Some(3.0)];
        let page = chart("Age", Unit::Count(""), 0.0, &[&three]).render();
        assert!(page.into_string().contains("<svg"));
    }

    #[test]
    fn without_a_value_there_is_nothing() {
        let none = chart("Size", Unit::Bytes, 0.0, &[&[None, None]]);
        assert!(figures(&[none]).into_string().is_empty());
        let three = chart("Size", Unit::Bytes, 0.0, &[&[Some(1.0); 3]]);
        assert!(three.render().into_string().contains("<svg"));
    }
}
