//! The presentation of figures: one form for each kind.
//!
//! * [`number`] and [`text`]: figures, names and columns; [`delta`]: a against b, and how likely that is by chance;
//!   [`sparkline`]; [`encoding`]: the characters that the client can show;
//! * [`blocks`]: a report as data, which is written as text, as [`markdown`] and as a [`page`], with [`charts`];
//! * [`contents`]: what devices hold, by which they are matched;
//! * [`section`]: a part of a report as data; [`span`]: the time span that it covers; [`metric`]: metrics as data.

pub mod blocks;
pub mod charts;
pub mod contents;
pub mod delta;
pub mod encoding;
pub mod markdown;
pub mod metric;
pub mod number;
pub mod page;
pub mod plan;
pub mod section;
pub mod span;
pub mod sparkline;
pub mod text;
