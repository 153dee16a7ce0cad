//! C functions as the install scripts of earlier releases declare them: such an extension is created with this library, too, and
//! then updated.

use super::compare::functions as compare;
use super::{findings, functions};
use crate::pg::sql::called::{Called, Lines};
use crate::pg::sql::text::{Json, Text};
use pgrx::datum::TimestampWithTimeZone;
use pgrx::prelude::*;

type Moment = Option<TimestampWithTimeZone>;

#[pg_extern(sql = false)]
fn findings(from_time: Moment, to_time: Moment) -> Called<Json> {
    findings::functions::findings_between(from_time, to_time, None)
}

#[pg_extern(sql = false)]
fn history_report(from_time: Moment, to_time: Moment) -> Called<Lines> {
    functions::history_report_between(from_time, to_time, None)
}

#[pg_extern(sql = false)]
fn history_html(from_time: Moment, to_time: Moment) -> Called<Text> {
    functions::history_html_between(from_time, to_time, None)
}

#[pg_extern(sql = false)]
fn history_json(from_time: Moment, to_time: Moment) -> Called<Json> {
    functions::history_json_between(from_time, to_time, None)
}

#[pg_extern(sql = false)]
fn history_compare_between(
    from_a: Moment,
    to_a: Moment,
    from_b: Moment,
    to_b: Moment,
) -> Called<Lines> {
    compare::history_compare_windows(from_a, to_a, from_b, to_b, None, None)
}

#[pg_extern(sql = false)]
fn history_compare_html_between(
    from_a: Moment,
    to_a: Moment,
    from_b: Moment,
    to_b: Moment,
) -> Called<Text> {
    compare::history_compare_html_windows(from_a, to_a, from_b, to_b, None, None)
}

#[pg_extern(sql = false)]
fn history_compare_json_between(
    from_a: Moment,
    to_a: Moment,
    from_b: Moment,
    to_b: Moment,
) -> Called<Json> {
    compare::history_compare_json_windows(from_a, to_a, from_b, to_b, None, None)
}
