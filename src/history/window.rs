//! A window of the history as somebody asked for it.

use crate::catalog::runs;
use crate::catalog::{error as catalog_error, node};
use crate::error::{Error, Result, failure, hinted};
use crate::pg::sql::spi;
use crate::show::span::Span;
use crate::show::span::samples::{self, Samples};
use pgrx::datum::{DatumWithOid, Interval, TimestampWithTimeZone};
use pgrx::pg_sys::errcodes::PgSqlErrorCode::ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE;
use serde::{Deserialize, Serialize};

/// A window that was found to be possible.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Window {
    #[serde(flatten)]
    pub span: Span,
    pub node_name: Option<String>,
    /// The node's database.
    pub database_name: Option<String>,
    /// The run whose measured part it is, as it was asked for.
    pub name: Option<String>,
    /// Whether it is cut: the end that was asked for is in the future.
    pub cut: bool,
    /// The number of samples in it.
    pub samples: i64,
    /// The first and the last of them.
    pub first_sample_at: Option<String>,
    pub last_sample_at: Option<String>,
    /// Samples before which the server's counters may have begun again: a restart, a crash, a reset of statistics.
    pub restarts: Vec<String>,
    /// The database with the figures of the server, where the sampler only visits this one.
    #[serde(skip)]
    pub home: Option<String>,
}

/// What is known of a stretch of time before its samples are read.
#[derive(Deserialize)]
struct Times {
    from_time: String,
    to_time: String,
    from_finite: bool,
    to_finite: bool,
    ordered: bool,
    future: bool,
    cut: bool,
    seconds: Option<f64>,
}

/// The times as texts, and what is wrong with them. $1 and $2: the ends, each of which may be missing.
const TIMES: &str = "SELECT w.from_time, w.to_time, pg_catalog.isfinite(w.from_time) AS from_finite, \
        pg_catalog.isfinite(w.asked) AS to_finite, w.from_time < w.asked AS ordered, \
        w.from_time >= w.now AS future, w.asked > w.now AS cut, \
        CASE WHEN pg_catalog.isfinite(w.from_time) THEN EXTRACT(epoch FROM w.to_time - w.from_time)::pg_catalog.float8 END AS seconds \
    FROM (SELECT COALESCE($1, COALESCE($2, n.now) - '1 hour'::pg_catalog.interval) AS from_time, \
                 COALESCE($2, n.now) AS asked, LEAST(COALESCE($2, n.now), n.now) AS to_time, n.now \
          FROM (SELECT pg_catalog.clock_timestamp() AS now) n) w";

/// The node of the window; $1: its id.
const NODE: &str =
    "SELECT n.name, n.database_name FROM pgperf.nodes n WHERE n.node_id = $1::pg_catalog.uuid";

/// The measured part of a run; that of an interrupted one ends with its last interval.
const RUN: &str = "SELECT w.from_time, w.to_time, EXTRACT(epoch FROM w.to_time - w.from_time)::pg_catalog.float8 AS seconds, w.is_over \
    FROM (SELECT COALESCE(r.measured_at, r.started_at) AS from_time, \
                 CASE WHEN r.status <> 'interrupted' THEN COALESCE(r.ended_at, pg_catalog.clock_timestamp()) \
                      ELSE COALESCE((SELECT pg_catalog.max(i.started_at + pg_catalog.make_interval(secs => i.seconds)) FROM pgperf.run_intervals i \
                                      WHERE i.node_id = r.node_id AND i.run_id = r.run_id), r.measured_at, r.requested_at) END AS to_time, \
                 r.status IN ('finished', 'stopped', 'failed', 'interrupted') AS is_over \
            FROM pgperf.runs r WHERE r.node_id = $1::pg_catalog.uuid AND r.run_id = $2) w";

impl Window {
    /// The window between two moments of a node, by its name or id. None: the end is now, the start an hour before the end; this node.
    ///
    /// # Errors
    /// An end is infinite, the start is not before the end or lies in the future; there is no such node.
    pub fn between(
        from: Option<TimestampWithTimeZone>,
        to: Option<TimestampWithTimeZone>,
        node: Option<&str>,
    ) -> Result<Window> {
        Window::possible(spi::select_one(TIMES, &[from.into(), to.into()])?, node)
    }

    /// The same of this node between two moments given as texts.
    pub fn between_texts(from: &str, to: &str) -> Result<Window> {
        const CAST: &str =
            "SELECT $1::pg_catalog.timestamptz AS from_time, $2::pg_catalog.timestamptz AS to_time";
        let sql = format!(
            "SELECT t.* FROM ({CAST}) c, LATERAL ({}) t",
            TIMES
                .replace("$1", "c.from_time")
                .replace("$2", "c.to_time")
        );
        Window::possible(spi::select_one(&sql, &[from.into(), to.into()])?, None)
    }

    /// A window of the same length so many days earlier, at the same hour of the clock.
    pub fn days_earlier(&self, days: i32) -> Result<Window> {
        self.shifted("pg_catalog.make_interval(days => $3)", days.into())
    }

    /// A window of the same length an interval earlier.
    ///
    /// # Errors
    /// The interval is not above 0: 22023.
    pub fn earlier(&self, back: Interval) -> Result<Window> {
        self.shifted("$3", back.into())
    }

    fn shifted(&self, back: &str, argument: DatumWithOid) -> Result<Window> {
        #[derive(Deserialize)]
        struct Shifted {
            from_time: String,
            to_time: String,
            is_earlier: bool,
        }
        // The length in seconds: a day in between may have 23 hours.
        let sql = format!(
            "SELECT w.from_time, w.from_time + pg_catalog.make_interval(secs => $2) AS to_time, \
                    w.from_time < $1::pg_catalog.timestamptz AS is_earlier \
             FROM (SELECT $1::pg_catalog.timestamptz - {back} AS from_time) w"
        );
        let args = [
            self.span.from.as_str().into(),
            self.span.seconds.into(),
            argument,
        ];
        let shifted: Option<Shifted> = spi::select_one(&sql, &args)?;
        let shifted = shifted.filter(|shifted| shifted.is_earlier);
        let shifted = shifted.ok_or_else(|| {
            hinted(
                "back must be above 0",
                "It is an interval such as '1 day' or '1 week'.",
            )
        })?;
        let times = (shifted.from_time, shifted.to_time, self.span.seconds);
        Window::of(self.span.node_id.clone(), None, times)
    }

    fn possible(times: Option<Times>, node: Option<&str>) -> Result<Window> {
        let times = times.ok_or_else(not_ordered)?;
        if !times.to_finite {
            return Err(infinite("to_time"));
        }
        if !times.from_finite {
            return Err(infinite("from_time"));
        }
        if !times.ordered {
            return Err(not_ordered());
        }
        let seconds = times.seconds.filter(|_| !times.future);
        let seconds = seconds.ok_or_else(|| {
            hinted(
                format!("the window begins in the future, at {}", times.from_time),
                "Samples are of the past: choose an earlier from_time.",
            )
        })?;
        let node_id = node::named(node)?;
        let window = Window::of(node_id, None, (times.from_time, times.to_time, seconds))?;
        let cut = times.cut;
        Ok(Window { cut, ..window })
    }

    /// The same as [`Window::named`], of an argument with this name.
    ///
    /// # Errors
    /// It is NULL (22023), and those of [`Window::named`].
    pub fn of_run(argument: &'static str, name: Option<&str>) -> Result<Window> {
        Window::named(name.ok_or_else(|| {
            hinted(
                format!("{argument} must not be NULL"),
                "Name a run by its label, number or 'node name/run_id', or give two times.",
            )
        })?)
    }

    /// The measured part of a run, of this or an imported one: by label, `node name/run_id`, or its number as text.
    ///
    /// # Errors
    /// There is no such run (42704), the caller may not see it (42501), it has not begun (55000).
    pub fn named(name: &str) -> Result<Window> {
        let found = match runs::by_name(name) {
            Err(error) if catalog_error::is_unknown_run(&error) && looks_like_a_time(name) => {
                return Err(hinted(
                    format!("run \"{name}\" does not exist"),
                    "A single text is the name of a run. For a window from that time until now, write timestamptz '...'.",
                ));
            }
            found => found?,
        };
        found.check_visible()?;
        #[derive(Deserialize)]
        struct Measured {
            from_time: Option<String>,
            to_time: String,
            seconds: Option<f64>,
            is_over: bool,
        }
        let args = [found.node_id.as_str().into(), found.run_id.into()];
        let measured: Option<Measured> = spi::select_one(RUN, &args)?;
        let is_over = measured.as_ref().is_some_and(|run| run.is_over);
        let times = measured.and_then(|run| Some((run.from_time?, run.to_time, run.seconds?)));
        let times = times.filter(|(_, _, seconds)| *seconds > 0.0);
        let run_id = found.run_id;
        let times = times.ok_or_else(|| {
            let (yet, hint) = match is_over {
                true => (
                    "",
                    "Either it ended before its clients had connected, or it is another program's and was imported without its time: import_results(…, started => …) gives it.",
                ),
                false => (
                    " yet",
                    "Wait until its clients have connected; the view pgperf.runs has its status.",
                ),
            };
            let message = format!("run {run_id} has no measured part{yet}");
            failure(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE, message).hinting(hint)
        })?;
        Window::of(found.node_id, Some(name.to_owned()), times)
    }

    fn of(
        node_id: String,
        name: Option<String>,
        (from, to, seconds): (String, String, f64),
    ) -> Result<Window> {
        #[derive(Deserialize)]
        struct Node {
            name: String,
            database_name: Option<String>,
        }
        let node: Option<Node> = spi::select_one(NODE, &[node_id.as_str().into()])?;
        let local = node::is_local(&node_id)?;
        Ok(Window {
            span: Span {
                node_id,
                from,
                to,
                seconds,
                local,
                run: None,
            },
            node_name: node.as_ref().map(|node| node.name.clone()),
            database_name: node.and_then(|node| node.database_name),
            name,
            cut: false,
            samples: 0,
            first_sample_at: None,
            last_sample_at: None,
            restarts: Vec::new(),
            home: None,
        })
    }

    /// With what is known of its samples.
    pub fn with(self, samples: &Samples) -> Window {
        Window {
            samples: samples.count,
            first_sample_at: samples.first_at.clone(),
            last_sample_at: samples.last_at.clone(),
            restarts: samples.restarts.clone(),
            home: samples.home.clone(),
            ..self
        }
    }

    /// With its samples.
    pub fn sampled(self) -> Result<(Window, Samples)> {
        let samples = samples::load(self.span.clone())?;
        Ok((self.with(&samples), samples))
    }

    /// What a reader has to know before the figures: each a sentence.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.cut {
            notes.push(
                "The window ends now: the end that was asked for is in the future.".to_owned(),
            );
        }
        match self.samples {
            0 => notes.push("No samples were taken in this window.".to_owned()),
            1 => notes.push(
                "A single sample was taken in this window: differences are known only from the sample before it, if that is near."
                    .to_owned(),
            ),
            _ => {}
        }
        if let Some(home) = &self.home {
            notes.push(format!(
                "The sampler visits this database: the figures of the server as a whole are in the history of database \"{home}\"."
            ));
        }
        if !self.restarts.is_empty() {
            let moments: Vec<String> = (self.restarts.iter())
                .map(|at| crate::show::text::moment(at))
                .collect();
            notes.push(format!(
                "Counters began again before {} (a restart, a crash or a reset of statistics): what was counted across that is unknown.",
                shown(&moments)
            ));
        }
        notes
    }
}

/// The first few of many.
fn shown(moments: &[String]) -> String {
    const SHOWN: usize = 3;
    let first: Vec<&str> = moments.iter().take(SHOWN).map(String::as_str).collect();
    match moments.len().saturating_sub(SHOWN) {
        0 => crate::show::text::listed(&first),
        more => format!("{} and {more} more", first.join(", ")),
    }
}

/// Whether a text that is no name of a run was meant as a time.
pub fn looks_like_a_time(name: &str) -> bool {
    let digits = name.bytes().take_while(u8::is_ascii_digit).count();
    (1..=4).contains(&digits) && name[digits..].starts_with(['-', ':', '.', '/'])
        || ["today", "yesterday", "now"].contains(&name.trim())
}

fn infinite(argument: &str) -> Error {
    hinted(
        format!("{argument} must be finite"),
        "Give times such as '2026-11-22 12:00', or leave both out for the last hour.",
    )
}

/// The window would have no length.
fn not_ordered() -> Error {
    hinted(
        "from_time must be before to_time",
        "The window is what lies after from_time, up to to_time. Without to_time it ends now.",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_given_as_the_only_text_is_recognized() {
        assert!(looks_like_a_time("2026-11-22 12:00"));
        assert!(looks_like_a_time("12:00"));
        assert!(looks_like_a_time("yesterday"));
        assert!(!looks_like_a_time("nightly"));
        assert!(!looks_like_a_time("db1/7"));
        assert!(!looks_like_a_time(""));
    }

    #[test]
    fn of_many_restarts_three_are_named() {
        let many: Vec<String> = (1..=5).map(|n| n.to_string()).collect();
        assert_eq!(shown(&many), "1, 2, 3 and 2 more");
        assert_eq!(shown(&many[..2]), "1 and 2");
    }
}
