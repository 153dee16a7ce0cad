//! The conditions of runs: server, machine, storage, data, how they ran, and the settings that were not at their defaults. A report
//! of one or several runs has them first in one line, and in full at its end, with a column for each of the sides that it compares.

mod described;
mod gathered;

use super::model::Key;
use crate::error::Result;
use crate::show::blocks::{Block, Listing, Topic, code, name};
use crate::show::number::setting;
use described::{CONDITIONS, DescribedCondition, Prominence};
use gathered::{Gathered, listed};
use serde::Serialize;
use std::collections::BTreeMap;

/// The conditions of each side, in the order given.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(into = "StatedConditions")]
pub struct Conditions(Vec<Gathered>);

impl Conditions {
    /// Those of the runs of each side. The current user must be able to read pgperf's tables.
    pub fn load<'a>(sides: impl IntoIterator<Item = &'a [Key<'a>]>) -> Result<Conditions> {
        let sides = sides.into_iter().map(Gathered::load);
        Ok(Conditions(sides.collect::<Result<_>>()?))
    }

    /// Those of several, as sides of one.
    pub fn beside<'a>(all: impl IntoIterator<Item = &'a Conditions>) -> Conditions {
        let sides = all.into_iter().flat_map(|it| it.0.iter().cloned());
        Conditions(sides.collect())
    }

    /// The most important ones in one line, without what is in parentheses; where sides differ, each of them.
    /// None: nothing is known.
    pub fn line(&self) -> Option<String> {
        self.line_of(&[Prominence::Machine, Prominence::Line, Prominence::Range])
    }

    /// The line of the machine alone.
    pub fn machine(&self) -> Option<String> {
        self.line_of(&[Prominence::Machine])
    }

    fn line_of(&self, shown: &[Prominence]) -> Option<String> {
        let conditions = CONDITIONS
            .iter()
            .filter(|it| shown.contains(&it.prominence));
        let together = Gathered::together(&self.0);
        let parts = conditions.filter_map(|condition| {
            let of_all = (condition.of)(&together);
            if condition.prominence == Prominence::Range && of_all.len() == 1 {
                return listed_in_brief(&of_all);
            }
            let of_sides = self
                .0
                .iter()
                .map(|side| listed_in_brief(&(condition.of)(side)));
            let mut texts: Vec<String> = Vec::new();
            for text in of_sides.flatten() {
                if !texts.contains(&text) {
                    texts.push(text);
                }
            }
            (!texts.is_empty()).then(|| texts.join(" | "))
        });
        let parts: Vec<String> = parts.collect();
        (!parts.is_empty()).then(|| parts.join("; "))
    }

    /// CPUs of the machine; None: not known, or not the same for all runs.
    pub fn cpus(&self) -> Option<i64> {
        let mut of_sides = self.0.iter().map(|side| side.one("cpu", "cpus"));
        let first = of_sides.next()??;
        let is_same = of_sides.all(|other| other == Some(first));
        first.parse().ok().filter(|_| is_same)
    }

    /// All of them: what all sides have in common once, the rest with a column for each side. `heads`: the names of the sides.
    pub fn topic(&self, heads: &[&str]) -> Option<Topic> {
        let (common, different): (Vec<SideValues>, Vec<SideValues>) = self
            .described()
            .into_iter()
            .partition(SideValues::is_common);
        let (settings, of_sides): (Vec<SideValues>, Vec<SideValues>) =
            self.settings().into_iter().partition(SideValues::is_common);
        let different = different.into_iter().chain(of_sides).collect();
        let blocks = [
            table("", common, &[""]),
            table("", different, heads),
            table("setting", settings, &[""]),
        ];
        let blocks: Vec<Block> = blocks.into_iter().flatten().collect();
        (!blocks.is_empty()).then(|| Topic::new("conditions", "Conditions", blocks).folded())
    }

    fn described(&self) -> Vec<SideValues> {
        let row = |condition: &DescribedCondition| SideValues {
            name: condition.name.to_owned(),
            values: self.of_sides(|side| Some((condition.of)(side).join("; "))),
        };
        CONDITIONS.iter().map(row).collect()
    }

    /// Those that were not at their defaults on any side.
    fn settings(&self) -> Vec<SideValues> {
        let names = self.0.iter().flat_map(|side| side.names("setting"));
        let units: BTreeMap<&str, Option<&str>> =
            names.filter(|(name, _)| !PLACES.contains(name)).collect();
        let row = |(name, unit): (&str, Option<&str>)| SideValues {
            name: name.to_owned(),
            values: self.of_sides(|side| {
                let all = side.all("setting", name);
                let all: Vec<String> = all.iter().map(|value| setting(value, unit)).collect();
                // Where a side has stored no setting, or its role could not see this one, nothing is known.
                let is_at_default = all.is_empty()
                    && side.names("setting").next().is_some()
                    && side.names("setting").all(|(other, _)| other != name);
                match is_at_default {
                    true => Some(DEFAULT.to_owned()),
                    false => listed(&all.iter().map(String::as_str).collect::<Vec<_>>()),
                }
            }),
        };
        units.into_iter().map(row).collect()
    }

    fn of_sides(&self, of: impl Fn(&Gathered) -> Option<String>) -> Vec<String> {
        let texts = self.0.iter().map(|side| of(side).unwrap_or_default());
        texts.collect()
    }
}

/// A table with a column for each side.
fn table(head: &'static str, rows: Vec<SideValues>, heads: &[&str]) -> Option<Block> {
    let is_known = |row: &&SideValues| row.values.iter().any(|value| !value.is_empty());
    let rows: Vec<&SideValues> = rows.iter().filter(is_known).collect();
    let first = match head {
        "" => name(head, |row: &&SideValues| row.name.clone()),
        head => code(head, |row: &&SideValues| row.name.clone()),
    };
    let value = |(place, head): (usize, &&str)| {
        name(head, move |row: &&SideValues| {
            row.values.get(place).cloned().unwrap_or_default()
        })
    };
    let columns = std::iter::once(first).chain(heads.iter().enumerate().map(value));
    (!rows.is_empty()).then(|| Block::Table(Listing::of(&rows, columns.collect())))
}

/// Those of the first side, as documents have them.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct StatedConditions {
    /// Server, machine and data of its runs.
    conditions: Vec<Stated>,
    /// The settings of its runs that were not at their defaults.
    settings: Vec<Stated>,
}

impl From<Conditions> for StatedConditions {
    fn from(all: Conditions) -> StatedConditions {
        StatedConditions {
            conditions: stated(all.described()),
            settings: stated(all.settings()),
        }
    }
}

/// A condition or a setting, as documents have it.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Stated {
    name: String,
    /// All values that it had.
    value: String,
}

fn stated(rows: Vec<SideValues>) -> Vec<Stated> {
    let of_row = |row: SideValues| {
        let value = row.values.into_iter().next()?;
        let name = row.name;
        (!value.is_empty()).then_some(Stated { name, value })
    };
    rows.into_iter().filter_map(of_row).collect()
}

/// A condition with its value on each side.
struct SideValues {
    name: String,
    values: Vec<String>,
}

impl SideValues {
    /// Whether all sides have the same.
    fn is_common(&self) -> bool {
        self.values.windows(2).all(|two| two.first() == two.last())
    }
}

/// A setting or argument that is not stored has its default.
pub const DEFAULT: &str = "(default)";

/// Where a server has its files, and where it listens: no two servers have these in common, and no reader needs them.
pub const PLACES: [&str; 7] = [
    "config_file",
    "data_directory",
    "external_pid_file",
    "hba_file",
    "ident_file",
    "port",
    "unix_socket_directories",
];

/// Values without what is in parentheses.
fn listed_in_brief(values: &[String]) -> Option<String> {
    let brief = |value: &'_ String| match value.split_once(" (") {
        Some((brief, _)) => brief.to_owned(),
        None => value.clone(),
    };
    let mut values: Vec<String> = values.iter().map(brief).collect();
    values.dedup();
    listed(&values.iter().map(String::as_str).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests;
