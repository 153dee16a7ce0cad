//! The figures as lines of a text and as cards of a page.

use super::{Beside, GlanceFigure, Number};
use crate::show::charts::{Point, Series, Shape, TimeChart};
use crate::show::number::{Unit, number};
use crate::show::section::page::Axis;
use crate::show::sparkline::sparkline;
use crate::show::text::{WIDTH, one_line};
use maud::{Markup, html};

/// Characters of a line's values over time.
const SPARK: usize = 18;
/// Pixels of a card's.
const HEIGHT: f64 = 36.0;

/// A line for each figure. `unicode`: whether its reader can show more than ASCII.
pub fn lines(figures: &[GlanceFigure], unicode: bool) -> Vec<String> {
    let titles = figures.iter().map(|figure| figure.title.chars().count());
    let width = titles.max().unwrap_or(0);
    let line = |figure: &GlanceFigure| {
        let values: Vec<f64> = figure.values.iter().flatten().copied().collect();
        let spark = sparkline(&values, SPARK, unicode);
        let told = [Some(figure.shown()), figure.beside(), figure.object.clone()];
        let told: Vec<String> = told.into_iter().flatten().collect();
        let told = one_line(&told.join(", "), WIDTH.saturating_sub(width + SPARK + 4));
        format!("{:width$}  {spark:SPARK$}  {told}", figure.title)
    };
    figures.iter().map(line).collect()
}

/// A card for each figure.
pub fn cards(figures: &[GlanceFigure], axis: &Axis) -> Markup {
    html! {
        @if !figures.is_empty() {
            ul class="cards" {
                @for figure in figures {
                    @let shown = figure.shown();
                    @let (value, unit) = shown.split_once(' ').unwrap_or((&shown, ""));
                    li {
                        span class="name" { (figure.title) }
                        span class="value" { (value) @if !unit.is_empty() { " " small { (unit) } } }
                        @if let Some(beside) = figure.beside() { span class="more" { (beside) } }
                        @if let Some(object) = &figure.object { span class="more object" { code { (object) } } }
                        @if !figure.values.is_empty() { (figure.chart(axis)) }
                    }
                }
            }
        }
    }
}

impl GlanceFigure {
    fn shown(&self) -> String {
        self.kind.unit.write(self.value)
    }

    /// Its values in a few words.
    fn beside(&self) -> Option<String> {
        let mut values = self.values.iter().flatten().copied();
        let (name, value) = match self.kind.beside {
            Beside::Lowest => ("at least", values.reduce(f64::min)),
            Beside::Highest => ("at most", values.reduce(f64::max)),
            Beside::Latest => ("latest", values.next_back()),
        };
        let write = |value| match self.kind.unit {
            Unit::Count(_) => number(value),
            unit => unit.write(value),
        };
        Some(format!("{name} {}", write(value?)))
    }

    /// Its values over time; a mean is dotted.
    fn chart(&self, axis: &Axis) -> Markup {
        let points = (self.at_s.iter().zip(&self.seconds))
            .map(|(&at_s, &seconds)| Point { at_s, seconds })
            .collect();
        let mut series = vec![Series {
            name: self.title.to_owned(),
            color: 1,
            shape: Shape::Line,
            values: self.values.clone(),
        }];
        if matches!(self.kind.number, Number::Whole | Number::Mean(..)) {
            series.push(Series {
                name: "window".to_owned(),
                color: 7,
                shape: Shape::Dotted,
                values: vec![Some(self.value); self.values.len()],
            });
        }
        let mut chart = TimeChart::new(self.title, self.kind.unit, points, series);
        chart.height = HEIGHT;
        axis.of_chart(chart).small()
    }
}

#[cfg(test)]
mod tests {
    use super::super::KINDS;
    use super::*;

    fn figure(name: &str, value: f64, values: &[Option<f64>]) -> GlanceFigure {
        let kind = KINDS.iter().find(|kind| kind.name == name).unwrap();
        GlanceFigure {
            name: kind.name,
            title: kind.title,
            object: None,
            of_window: kind.number.name(),
            value,
            unit: kind.unit.name().to_owned(),
            at_s: (0..values.len()).map(|n| n as f64).collect(),
            seconds: vec![1.0; values.len()],
            values: values.to_vec(),
            kind,
        }
    }

    #[test]
    fn a_figure_is_read_against_the_values_of_its_chart() {
        let statement = GlanceFigure {
            object: Some("SELECT ".repeat(20)),
            ..figure("statement", 1.5, &[Some(1.0), None, Some(2.0)])
        };
        let figures = [
            figure("transactions", 500.0, &[Some(0.0), Some(1000.0)]),
            statement,
            figure("growth", 2048.0, &[]),
        ];
        let lines = lines(&figures, false);
        assert_eq!(
            lines[0],
            "Transactions committed    _#                  500 per second, at least 0"
        );
        assert!(lines[1].contains("=#                  1.5 ms, latest 2 ms, "));
        assert!(lines[2].ends_with("  2 kB"));
        assert!(lines.iter().all(|line| line.chars().count() <= WIDTH));
        let page = cards(&figures, &Axis::default()).into_string();
        assert_eq!(page.matches("<li>").count(), 3);
        // A mean is drawn beside its values.
        assert_eq!(page.matches("<svg class=\"small\" role=\"img\"").count(), 2);
        assert_eq!(page.matches("dotted").count(), 2);
        assert!(page.contains("500 <small>per second</small>"));
        assert_eq!(cards(&[], &Axis::default()).into_string(), "");
    }
}
