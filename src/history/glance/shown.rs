//! The figures as lines of a text and as cards of a page.

use super::{Beside, Extreme, GlanceFigure, Number};
use crate::show::charts::{Point, Series, Shape, TimeChart};
use crate::show::number::{Unit, number};
use crate::show::page::card;
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
        let most = figure.most.as_ref().map(|most| format!("most {most}"));
        let told = [
            Some(figure.shown()),
            most,
            figure.beside(),
            figure.object.clone(),
        ];
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
                    (card::of_words(figure.title, &figure.shown(), html! {
                        @if let Some(beside) = figure.beside() { span class="more" { (beside) } }
                        @if let Some(most) = &figure.most { span class="more" { "most " (most) } }
                        @if let Some(object) = &figure.object { span class="more object" { code { (object) } } }
                        @if !figure.values.is_empty() { (figure.chart(axis)) }
                    }))
                }
            }
        }
    }
}

/// A card for each figure of two windows: b's values, and a's behind them.
pub fn over_each_other(pairs: &[Beside], axis: &Axis) -> Markup {
    html! {
        ul class="cards" {
            @for pair in pairs {
                @if let Some(figure) = pair.b.as_ref().or(pair.a.as_ref()) {
                    li {
                        span class="name" { (figure.title) }
                        @for (name, of) in [("b", &pair.b), ("a", &pair.a)] {
                            span class="more" { (name) ": " (of.as_ref().map_or_else(|| "unknown".to_owned(), GlanceFigure::shown)) }
                        }
                        @if let Some(chart) = pair.chart(axis) { (chart) }
                    }
                }
            }
        }
    }
}

impl Beside {
    /// Whether both are about the same.
    pub fn is_alike(&self) -> bool {
        let object = |figure: &Option<GlanceFigure>| figure.as_ref().map(|it| it.object.clone());
        object(&self.a) == object(&self.b)
    }

    /// The values of b over time, those of a dotted, each from the beginning of its window.
    fn chart(&self, axis: &Axis) -> Option<Markup> {
        let b = self.b.as_ref().filter(|figure| !figure.values.is_empty())?;
        let mut series = vec![Series::new("b", 1, Shape::Line, b.values.clone())];
        if let Some(a) = &self.a {
            let values = b.middles().map(|at_s| a.near(at_s));
            series.push(Series::new("a", 7, Shape::Dotted, values));
        }
        Some(b.drawn(series, axis))
    }
}

impl GlanceFigure {
    fn drawn(&self, series: Vec<Series>, axis: &Axis) -> Markup {
        let points = Point::along(&self.at_s, &self.seconds);
        let chart = TimeChart::new(self.title, self.kind.unit, points, series);
        axis.of_chart(chart.with_height(HEIGHT)).small()
    }

    /// Where its values are drawn.
    fn middles(&self) -> impl Iterator<Item = f64> {
        let points = self.at_s.iter().zip(&self.seconds);
        points.map(|(at_s, seconds)| at_s + seconds / 2.0)
    }

    /// The value nearest to a time, no further than its usual distance from its neighbours.
    fn near(&self, at_s: f64) -> Option<f64> {
        let (first, last) = (self.middles().next()?, self.middles().last()?);
        let apart = (last - first) / (self.values.len().saturating_sub(1).max(1)) as f64;
        let distance = |middle: f64| (middle - at_s).abs();
        let nearest = (self.middles().zip(&self.values))
            .min_by(|(one, _), (other, _)| distance(*one).total_cmp(&distance(*other)));
        let (middle, value) = nearest?;
        value.filter(|_| distance(middle) <= apart.max(1.0))
    }

    /// With its unit.
    pub fn shown(&self) -> String {
        self.kind.unit.write(self.value)
    }

    /// Without the unit of what is counted.
    pub fn short(&self) -> String {
        self.write(self.value)
    }

    fn write(&self, value: f64) -> String {
        match self.kind.unit {
            Unit::Count(_) => number(value),
            unit => unit.write(value),
        }
    }

    /// Its values in a few words.
    fn beside(&self) -> Option<String> {
        let mut values = self.values.iter().flatten().copied();
        let (name, value) = match self.kind.beside {
            Extreme::Lowest => ("at least", values.reduce(f64::min)),
            Extreme::Highest => ("at most", values.reduce(f64::max)),
            Extreme::Latest => ("latest", values.next_back()),
        };
        Some(format!("{name} {}", self.write(value?)))
    }

    /// Its values over time; a mean is dotted.
    fn chart(&self, axis: &Axis) -> Markup {
        let mut series = vec![Series::new(self.title, 1, Shape::Line, self.values.clone())];
        if matches!(self.kind.number, Number::Whole | Number::Mean(..)) {
            let mean = vec![Some(self.value); self.values.len()];
            series.push(Series::new("window", 7, Shape::Dotted, mean));
        }
        self.drawn(series, axis)
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
            most: None,
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
            GlanceFigure {
                most: Some("orders 1 kB".to_owned()),
                ..figure("growth", 2048.0, &[])
            },
        ];
        let lines = lines(&figures, false);
        assert_eq!(
            lines[0],
            "Transactions committed    _#                  500 per second, at least 0"
        );
        assert!(lines[1].contains("=#                  1.5 ms, latest 2 ms, "));
        assert!(lines[2].ends_with("  2 kB, most orders 1 kB"));
        assert!(lines.iter().all(|line| line.chars().count() <= WIDTH));
        let page = cards(&figures, &Axis::default()).into_string();
        assert_eq!(page.matches("<li>").count(), 3);
        // A mean is drawn beside its values.
        assert_eq!(page.matches("<svg class=\"small\" role=\"img\"").count(), 2);
        assert_eq!(page.matches("dotted").count(), 2);
        assert!(page.contains("500 <small>per second</small>"));
        assert_eq!(cards(&[], &Axis::default()).into_string(), "");
    }

    #[test]
    fn two_windows_are_drawn_from_their_beginnings() {
        let a = figure(
            "transactions",
            500.0,
            &[Some(1.0), Some(2.0), None, Some(4.0)],
        );
        // Half a second later, and twice as long.
        assert_eq!(
            [0.2, 1.4, 2.5, 3.9, 4.6].map(|at_s| a.near(at_s)),
            [Some(1.0), Some(2.0), None, Some(4.0), None]
        );
        let b = figure("transactions", 700.0, &[Some(7.0), Some(8.0)]);
        let pair = Beside {
            a: Some(a),
            b: Some(b),
        };
        let page = over_each_other(std::slice::from_ref(&pair), &Axis::default()).into_string();
        assert!(
            page.contains("b: 700 per second") && page.contains("a: 500 per second"),
            "{page}"
        );
        assert!(page.contains("dotted") && pair.is_alike());
        let gone = Beside { b: None, ..pair };
        assert!(
            over_each_other(&[gone], &Axis::default())
                .into_string()
                .contains("b: unknown")
        );
    }
}
