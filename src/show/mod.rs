//! The presentation of figures: one form for each kind.
//!
//! * [`number`] and [`text`]: figures, names and columns; [`change`]: changes and how likely they are by chance;
//!   [`sparkline`]; [`encoding`]: the characters that the client can show;
//! * [`page`]: pages, with [`charts`];
//! * [`section`]: a part of a report as data; [`span`]: the time span that it covers; [`metric`]: metrics as data.

pub mod change;
pub mod charts;
pub mod encoding;
pub mod metric;
pub mod number;
pub mod page;
pub mod section;
pub mod span;
pub mod sparkline;
pub mod text;
