//! Why a section has no data, or a part of it is missing: which collector, setting, extension or server version.

use super::of_span;
use super::samples::Samples;
use crate::collect::{Collector, InVisits, SERVER_MAJOR};
use crate::error::Result;
use crate::pg::sql::spi;
use crate::show::section::{NO_SAMPLES, Section, Source};
use serde::Deserialize;
use std::collections::HashMap;

/// The sources that the span's node had.
pub struct Sources<'a> {
    samples: &'a Samples,
    /// The latest reason of each collector that could not run.
    reasons: HashMap<String, String>,
    /// Collectors that are switched off here, and the UPDATE that switches each on.
    off: HashMap<String, String>,
    /// Settings that sections name, at the end of the window; without those that are not known.
    settings: HashMap<String, String>,
    /// Extensions of this database.
    extensions: Vec<String>,
}

#[derive(Deserialize)]
struct NamedValue {
    name: String,
    value: Option<String>,
}

/// The latest reason for which a collector was skipped or failed.
const REASONS: &str = "SELECT DISTINCT ON (c.key) c.key AS name, \
        COALESCE(c.value OPERATOR(pg_catalog.->>) 'reason', c.value OPERATOR(pg_catalog.->>) 'status') AS value \
    FROM pgperf.samples h, LATERAL pg_catalog.jsonb_each(h.outcomes) c \
    WHERE h.node_id = $1::pg_catalog.uuid AND h.taken_at > $2::pg_catalog.timestamptz AND h.taken_at <= $3::pg_catalog.timestamptz \
      AND h.sample_id > $4 AND c.value OPERATOR(pg_catalog.->>) 'status' <> 'ok'{of_run} \
    ORDER BY c.key, h.sample_id DESC";
/// Reasons are looked for among so many of the newest samples.
const RECENT: i64 = 1_000;

const OFF: &str = "SELECT c.name, CASE WHEN NOT c.enabled THEN 'enabled = true' ELSE 'sample_interval = ''1 min''' END AS value \
    FROM pgperf.collectors c WHERE NOT c.enabled OR c.sample_interval IS NULL";

/// The settings of the server that the history has a row of, up to the window's end. $4: their names.
const SETTINGS: &str = "SELECT n.name, CASE \
        WHEN h.value IS NOT NULL THEN h.value \
        WHEN EXISTS (SELECT FROM pgperf.settings_history x \
                     WHERE x.node_id = $1::pg_catalog.uuid AND x.taken_at <= $3::pg_catalog.timestamptz) THEN 'off' \
        WHEN $5 THEN pg_catalog.current_setting(n.name, true) END AS value \
    FROM pg_catalog.unnest($4) n(name) \
    LEFT JOIN LATERAL (SELECT x.value FROM pgperf.settings_history x \
        WHERE x.node_id = $1::pg_catalog.uuid AND x.name = n.name AND x.taken_at <= $3::pg_catalog.timestamptz \
          AND x.database_name IS NULL AND x.role_name IS NULL \
        ORDER BY x.sample_id DESC LIMIT 1) h ON true";

impl<'a> Sources<'a> {
    /// Reads what is known of the sources of these sections.
    pub fn load(samples: &'a Samples, sections: &[&Section]) -> Result<Sources<'a>> {
        let span = &samples.span;
        let mut of_recent = span.key()?;
        of_recent.push((samples.last_id - RECENT).into());
        let mut of_settings = span.key()?;
        of_settings.push(settings_of(sections).into());
        of_settings.push(span.local.into());
        let off = if span.local {
            named(OFF, &[])?
        } else {
            HashMap::new()
        };
        let extensions = named(
            "SELECT e.extname AS name, e.extversion AS value FROM pg_catalog.pg_extension e",
            &[],
        )?;
        Ok(Sources {
            samples,
            reasons: named(&of_span(REASONS, span.run), &of_recent)?,
            off,
            settings: named(SETTINGS, &of_settings)?,
            extensions: extensions.into_keys().collect(),
        })
    }

    /// Why a section without any row has none: half a sentence.
    pub fn why_empty(&self, section: &Section) -> String {
        let collectors = section.sources.iter().filter_map(|source| match source {
            Source::Collector(collector) => Some(*collector),
            _ => None,
        });
        let lacking = collectors
            .filter_map(|collector| self.lacks(collector))
            .next();
        lacking.unwrap_or_else(|| section.nothing.to_owned())
    }

    /// Why a collector has too few samples in the window, if it has.
    fn lacks(&self, source: &Collector) -> Option<String> {
        let collector = source.name;
        let inside = self.samples.inside(collector);
        if inside > 1 || inside == 1 && self.samples.of(collector).len() > 1 {
            return None;
        }
        if inside == 1 && self.samples.span.run.is_none() {
            return Some(format!(
                "a single sample of collector {collector} lies in the window, and differences need two"
            ));
        }
        let reason = if let Some(major) = source.since_major
            && self.samples.span.local
            && SERVER_MAJOR < major
        {
            format!("the server counts it from PostgreSQL {major} on")
        } else if let Some(reason) = self.reasons.get(collector) {
            format!("collector {collector} could not run: {reason}")
        } else if self.samples.span.run.is_some() {
            NO_SAMPLES.to_owned()
        } else if source.in_visits == InVisits::Never
            && let Some(home) = &self.samples.home
        {
            format!("the figures of the server are in the history of database \"{home}\"")
        } else if let Some(change) = self.off.get(collector) {
            format!(
                "collector {collector} is switched off: UPDATE pgperf.collectors SET {change} WHERE name = '{collector}'"
            )
        } else if self.samples.count == 0 {
            "no samples were taken in this window".to_owned()
        } else {
            format!("no sample of collector {collector} lies in the window")
        };
        Some(reason)
    }

    /// The parts of a section that are missing, each a sentence.
    pub fn notes(&self, section: &Section) -> Vec<String> {
        let span = &self.samples.span;
        let shown = (section.sources.iter())
            .filter(|source| source.of().is_none_or(|of| section.shows(of, span)));
        let note = |source: &Source| match *source {
            Source::Setting { name, figures, .. } => {
                let value = self.settings.get(name)?;
                (value == "off")
                    .then(|| format!("Without {name} (it is off), {figures} are unknown."))
            }
            Source::Extension { name, figures, .. } => {
                let missing =
                    self.samples.span.local && !self.extensions.iter().any(|known| known == name);
                missing.then(|| format!("Without the extension {name}, {figures} are unknown: CREATE EXTENSION {name}."))
            }
            Source::Server { major, figures, .. } => {
                let missing = self.samples.span.local && SERVER_MAJOR < major;
                missing.then(|| format!("Before PostgreSQL {major}, {figures} are unknown."))
            }
            Source::Collector(_) => None,
        };
        shown.filter_map(note).collect()
    }
}

/// The settings that these sections name.
fn settings_of(sections: &[&Section]) -> Vec<&'static str> {
    let sources = sections.iter().flat_map(|section| section.sources);
    sources
        .filter_map(|source| match source {
            Source::Setting { name, .. } => Some(*name),
            _ => None,
        })
        .collect()
}

fn named(sql: &str, args: &[pgrx::datum::DatumWithOid]) -> Result<HashMap<String, String>> {
    let rows: Vec<NamedValue> = spi::select(sql, args)?;
    let known = rows
        .into_iter()
        .filter_map(|row| Some((row.name, row.value?)));
    Ok(known.collect())
}
