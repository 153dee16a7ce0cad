//! `pgperf.note`: what a user wants to find on the timeline.

use crate::catalog::node;
use crate::error::{Result, invalid};
use crate::pg::catalog::role;
use crate::pg::sql::called::Called;
use crate::pg::sql::spi;
use crate::pg::sql::text::Text;
use pgrx::datum::TimestampWithTimeZone;
use pgrx::prelude::*;
use serde::Deserialize;

/// Characters of a note, at most: it is a line of a report.
const LONGEST: usize = 200;

/// `pgperf.note`.
#[pg_extern(sql = false)]
fn note(note: Option<Text>, at: Option<TimestampWithTimeZone>) -> Called<TimestampWithTimeZone> {
    Ok(add(note.as_deref(), at)?)
}

/// # Errors
/// The text is missing, empty or too long, or the time is infinite: 22023.
fn add(note: Option<&str>, at: Option<TimestampWithTimeZone>) -> Result<TimestampWithTimeZone> {
    #[derive(Deserialize)]
    struct Times {
        at: String,
        is_finite: bool,
        role: String,
    }
    let note = note.map(str::trim).filter(|note| !note.is_empty());
    let note = note.ok_or_else(|| {
        invalid("note must not be null or empty")
            .hinting("Say what happened, such as 'release 42'.")
    })?;
    let length = note.chars().count();
    if length > LONGEST {
        return Err(invalid(format!(
            "note must have at most {LONGEST} characters, but has {length}"
        )));
    }
    let times: Option<Times> = spi::select_one(
        "SELECT t.at, pg_catalog.isfinite(t.at) AS is_finite, CURRENT_USER::pg_catalog.text AS role \
         FROM (SELECT COALESCE($1, pg_catalog.clock_timestamp()) AS at) t",
        &[at.into()],
    )?;
    let times = times.filter(|times| times.is_finite);
    let times =
        times.ok_or_else(|| invalid("at must be finite").hinting("Leave it out for now."))?;
    let node = node::local_node()?;
    role::as_owner(|| {
        spi::execute(
            "INSERT INTO pgperf.notes (node_id, at, note, role_name) \
             VALUES ($1::pg_catalog.uuid, $2::pg_catalog.timestamptz, $3, $4) ON CONFLICT DO NOTHING",
            &[
                node.as_str().into(),
                times.at.as_str().into(),
                note.into(),
                times.role.as_str().into(),
            ],
        )
    })?;
    crate::show::span::moment(&times.at)
}
