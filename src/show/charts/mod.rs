//! Charts as SVG that can be read without a mouse, a script or eyes: axes, units, a legend, values
//! where the pointer is, a sentence for screen readers and a table of the data.
//!
//! An SVG here is as wide as the page. Horizontal positions are percentages, heights are pixels, and only lines are
//! stretched, in an inner SVG. So text has the same size on a phone and on paper.

mod bars;
mod change;
mod clients;
mod clock;
mod distribution;
mod figure;
mod grid;
mod heat;
mod key;
mod lanes;
pub mod scale;
mod shares;
mod time;

pub use bars::{Bars, ValueBar};
pub use change::change_cell;
pub use clients::{ClientsChart, Curve, Measured};
pub use clock::Clock;
pub use distribution::Distribution;
pub use grid::{Grid, GridCell};
pub use heat::HeatMap;
pub use lanes::{Event, Lane, Lanes};
pub use shares::{Bar, BarSegment, bar};
pub use time::{Bands, Mark, MarkKind, Point, Series, Shape, Span, TimeChart, figures_of};
