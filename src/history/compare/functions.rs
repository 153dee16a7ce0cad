//! `pgperf.history_compare`, `history_compare_html`, `history_compare_json`, with the caller's rights on the history.

use super::report::report;
use super::{Comparison, load};
use crate::error::{Result, hinted};
use crate::history::window::{Window, looks_like_a_time};
use crate::pg::catalog::role::with_settings;
use crate::pg::session::setting;
use crate::pg::sql::called::{self, Called, Lines};
use crate::pg::sql::text::{Json, Text};
use pgrx::datum::{Interval, TimestampWithTimeZone};
use pgrx::prelude::*;

type Moment = Option<TimestampWithTimeZone>;
type Windows = Result<(Window, Window)>;

/// Both windows, read where nothing of the caller's is found by its name. Compiling the statements would take longer than running
/// them.
fn compared(windows: impl FnOnce() -> Windows) -> Result<Comparison> {
    with_settings(|| {
        setting::with("jit", "off", || {
            let (a, b) = windows()?;
            load(a.sampled()?, b.sampled()?)
        })
    })
}

/// A window, and the same one earlier, which comes first.
fn with_earlier(from_time: Moment, to_time: Moment, back: Option<Interval>) -> Windows {
    let b = Window::between(from_time, to_time, None)?;
    let a = match back {
        Some(back) => b.earlier(back)?,
        None => b.days_earlier(1)?,
    };
    Ok((a, b))
}

/// The ends of two windows, and their nodes.
type Ends = ([Moment; 4], [Option<Text>; 2]);

fn between(([from_a, to_a, from_b, to_b], [node_a, node_b]): Ends) -> Windows {
    if [&from_a, &to_a, &from_b, &to_b]
        .iter()
        .any(|time| time.is_none())
    {
        return Err(hinted(
            "from_a, to_a, from_b and to_b must not be null".to_owned(),
            "With two times, a window is compared with the same one a day earlier.",
        ));
    }
    Ok((
        Window::between(from_a, to_a, node_a.as_deref())?,
        Window::between(from_b, to_b, node_b.as_deref())?,
    ))
}

/// Two texts are the names of two runs. Two times without a type come here too: they are the ends of a window.
fn named(a: Option<&str>, b: Option<&str>) -> Windows {
    let (a, b) = match (a, b) {
        (Some(a), Some(b)) => (a, b),
        _ => return Ok((Window::of_run("a", a)?, Window::of_run("b", b)?)),
    };
    if looks_like_a_time(a) && looks_like_a_time(b) {
        if let (Ok(a), Ok(b)) = (Window::named(a), Window::named(b)) {
            return Ok((a, b));
        }
        let b = Window::between_texts(a, b)?;
        return Ok((b.days_earlier(1)?, b));
    }
    Ok((Window::named(a)?, Window::named(b)?))
}

fn lines(windows: impl FnOnce() -> Windows) -> Called<Lines> {
    Ok(called::lines(report(&compared(windows)?).lines()))
}

fn page(windows: impl FnOnce() -> Windows) -> Called<Text> {
    Ok(report(&compared(windows)?).page().into())
}

fn document(windows: impl FnOnce() -> Windows) -> Called<Json> {
    called::document(&compared(windows)?)
}

/// `pgperf.history_compare(from_time timestamptz, to_time timestamptz, back interval)`.
#[pg_extern(sql = false)]
fn history_compare(from_time: Moment, to_time: Moment, back: Option<Interval>) -> Called<Lines> {
    lines(|| with_earlier(from_time, to_time, back))
}

/// `pgperf.history_compare(from_a, to_a, from_b, to_b timestamptz, node_a, node_b text)`.
#[pg_extern(sql = false)]
pub fn history_compare_windows(
    from_a: Moment,
    to_a: Moment,
    from_b: Moment,
    to_b: Moment,
    node_a: Option<Text>,
    node_b: Option<Text>,
) -> Called<Lines> {
    lines(|| between(([from_a, to_a, from_b, to_b], [node_a, node_b])))
}

/// `pgperf.history_compare(a text, b text)`.
#[pg_extern(sql = false)]
fn history_compare_by_name(a: Option<Text>, b: Option<Text>) -> Called<Lines> {
    lines(|| named(a.as_deref(), b.as_deref()))
}

/// `pgperf.history_compare_html(from_time timestamptz, to_time timestamptz, back interval)`.
#[pg_extern(sql = false)]
fn history_compare_html(
    from_time: Moment,
    to_time: Moment,
    back: Option<Interval>,
) -> Called<Text> {
    page(|| with_earlier(from_time, to_time, back))
}

/// `pgperf.history_compare_html(from_a, to_a, from_b, to_b timestamptz, node_a, node_b text)`.
#[pg_extern(sql = false)]
pub fn history_compare_html_windows(
    from_a: Moment,
    to_a: Moment,
    from_b: Moment,
    to_b: Moment,
    node_a: Option<Text>,
    node_b: Option<Text>,
) -> Called<Text> {
    page(|| between(([from_a, to_a, from_b, to_b], [node_a, node_b])))
}

/// `pgperf.history_compare_html(a text, b text)`.
#[pg_extern(sql = false)]
fn history_compare_html_by_name(a: Option<Text>, b: Option<Text>) -> Called<Text> {
    page(|| named(a.as_deref(), b.as_deref()))
}

/// `pgperf.history_compare_json(from_time timestamptz, to_time timestamptz, back interval)`.
#[pg_extern(sql = false)]
fn history_compare_json(
    from_time: Moment,
    to_time: Moment,
    back: Option<Interval>,
) -> Called<Json> {
    document(|| with_earlier(from_time, to_time, back))
}

/// `pgperf.history_compare_json(from_a, to_a, from_b, to_b timestamptz, node_a, node_b text)`.
#[pg_extern(sql = false)]
pub fn history_compare_json_windows(
    from_a: Moment,
    to_a: Moment,
    from_b: Moment,
    to_b: Moment,
    node_a: Option<Text>,
    node_b: Option<Text>,
) -> Called<Json> {
    document(|| between(([from_a, to_a, from_b, to_b], [node_a, node_b])))
}

/// `pgperf.history_compare_json(a text, b text)`.
#[pg_extern(sql = false)]
fn history_compare_json_by_name(a: Option<Text>, b: Option<Text>) -> Called<Json> {
    document(|| named(a.as_deref(), b.as_deref()))
}
