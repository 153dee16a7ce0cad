//! Lines that are told apart without their colours, and the keys of a legend.

use super::figure::short;
use maud::{Markup, html};

/// Strokes of lines; of more lines some are alike.
const STROKES: usize = 6;

/// A key of a legend, by its classes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Key {
    /// A piece of the line that it stands for.
    Line(String),
    /// A shape: an area, a mark.
    Shape(String),
}

impl Key {
    pub fn shape(shape: &str, color: u8) -> Key {
        Key::Shape(format!("key {shape} c{color}"))
    }

    pub fn render(&self) -> Markup {
        match self {
            Key::Line(class) => html! {
                svg class="key" width="28" height="8" aria-hidden="true" { line class=(class) x2="28" y1="4" y2="4" {} }
            },
            Key::Shape(class) => html! { i class=(class) {} },
        }
    }
}

/// The classes of a line: its colour, and a stroke of its own. `place`: among the lines of its chart, from 0.
pub fn line_class(color: u8, place: usize) -> String {
    match place % STROKES {
        0 => format!("line c{color}"),
        stroke => format!("line c{color} l{stroke}"),
    }
}

/// How many pixels to the right of its place a line's points are drawn, so that those of several lines do not hide each other.
pub fn aside(place: usize, lines: usize) -> String {
    const APART: f64 = 5.0;
    let middle = lines.saturating_sub(1) as f64 / 2.0;
    short(APART * (place as f64 - middle))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_line_has_a_stroke_of_its_own() {
        let classes: Vec<String> = (0..STROKES).map(|place| line_class(1, place)).collect();
        assert_eq!(classes[..2], ["line c1", "line c1 l1"]);
        let style = include_str!("../page/style.css");
        let strokes = classes.iter().skip(1).map(|class| {
            let name = class.rsplit(' ').next().unwrap();
            let rule = style.split(&format!(".{name} {{")).nth(1);
            rule.and_then(|rest| rest.split('}').next())
                .expect("a rule")
        });
        let strokes: Vec<&str> = strokes.collect();
        let different: std::collections::BTreeSet<&&str> = strokes.iter().collect();
        assert_eq!(different.len(), STROKES - 1, "{strokes:?}");
    }

    #[test]
    fn points_of_several_lines_lie_beside_each_other() {
        let all = |lines| -> Vec<String> { (0..lines).map(|place| aside(place, lines)).collect() };
        assert_eq!(all(1), ["0"]);
        assert_eq!(all(2), ["-2.5", "2.5"]);
        assert_eq!(all(3), ["-5", "0", "5"]);
    }
}
