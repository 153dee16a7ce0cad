//! The servers of a run, as they are looked at before it. Where there are several, the first decides, and the others have to be like it:
//! all clients run the same scripts.

use super::mix::Mix;
use super::preconditions::vacuum_sql;
use super::spec::Vacuum;
use super::targets::Targets;
use crate::error::{Error, Result, hinted};
use crate::workload::given::Given;
use crate::workload::place::{self, Place};
use crate::workload::{Named, Params, tables};
use std::collections::BTreeMap;
use std::iter::once;

/// This server, or the targets.
pub struct Places {
    pub first: Box<dyn Place>,
    others: Vec<Box<dyn Place>>,
}

impl Places {
    /// Connects to the targets.
    ///
    /// # Errors
    /// Those of the connections.
    pub fn open(targets: &Targets) -> Result<Places> {
        let mut all = targets.all().iter();
        let first = place::open(all.next().map(|target| target.server.as_str()))?;
        let others = all.map(|target| place::open(Some(&target.server)));
        Ok(Places {
            first,
            others: others.collect::<Result<_>>()?,
        })
    }

    pub fn all(&mut self) -> impl Iterator<Item = &mut dyn Place> {
        let others = self.others.iter_mut().map(|it| &mut **it as &mut dyn Place);
        once(&mut *self.first as &mut dyn Place).chain(others)
    }

    /// The search_path of the sessions on each.
    pub fn search_paths(&self, schema: Option<&str>) -> impl Iterator<Item = String> {
        let all = once(&self.first).chain(&self.others);
        all.map(move |place| place.search_path(schema))
    }

    /// Tries the settings of the clients' sessions on each.
    ///
    /// # Errors
    /// Those of [`Place::check_settings`].
    pub fn check_settings(&mut self, settings: &BTreeMap<String, String>) -> Result<()> {
        self.all()
            .try_for_each(|place| place.check_settings("settings", settings))
    }

    /// The parameters of the tables that these workloads run on. The scripts of the mix are made anew for them.
    ///
    /// # Errors
    /// A server lacks a table, or has other data than the first.
    pub fn find_tables(
        &mut self,
        mix: &mut Mix,
        schema: Option<&str>,
        given: &Given,
    ) -> Result<Vec<Params>> {
        let found = tables::find(&mut *self.first, mix.workloads(), schema, given)?;
        mix.make_scripts(&found)?;
        for place in &mut self.others {
            let there = tables::find(&mut **place, mix.workloads(), schema, given)?;
            let servers = [name(&*self.first), name(&**place)];
            check_alike(mix.workloads(), servers, [&found, &there])?;
            let mut other = mix.clone();
            other.make_scripts(&there)?;
            if !mix.does_the_same(&other) {
                return Err(unlike(servers, "the tables of the workload"));
            }
        }
        Ok(found)
    }

    /// The statements of the vacuum, which are those of each.
    ///
    /// # Errors
    /// Those of [`vacuum_sql`]; they differ.
    pub fn vacuum_sql(
        &mut self,
        vacuum: Vacuum,
        workload: Option<&Named>,
        schema: Option<&str>,
        given: &Given,
    ) -> Result<Vec<String>> {
        let statements = vacuum_sql(&mut *self.first, vacuum, workload, schema, given)?;
        for place in &mut self.others {
            if vacuum_sql(&mut **place, vacuum, workload, schema, given)? != statements {
                let servers = [name(&*self.first), name(&**place)];
                return Err(unlike(servers, "the tables of the vacuum"));
            }
        }
        Ok(statements)
    }
}

fn name(place: &dyn Place) -> &str {
    place.server().unwrap_or_default()
}

/// # Errors
/// The tables of a workload were loaded at different scales, or are in different schemas.
fn check_alike(
    workloads: &[Named],
    [first, other]: [&str; 2],
    [here, there]: [&[Params]; 2],
) -> Result<()> {
    for (workload, (here, there)) in workloads.iter().zip(here.iter().zip(there)) {
        let differ = |how: &str, here: &str, there: &str| {
            let name = workload.name();
            let message = format!(
                "the tables of workload \"{name}\" {how} {here} on server \"{first}\" and {there} on server \"{other}\""
            );
            Err(hinted(message, LOAD_ALIKE))
        };
        if here.scale != there.scale {
            let scales = [here, there].map(|it| it.scale.to_string());
            return differ("have scale", &scales[0], &scales[1]);
        }
        if here.schema != there.schema {
            return differ("are in schema", &here.schema, &there.schema);
        }
    }
    Ok(())
}

const LOAD_ALIKE: &str = "All clients of a run do the same: load the tables alike on all of its servers, init(…, server => …).";

fn unlike([first, other]: [&str; 2], what: &str) -> Error {
    hinted(
        format!("{what} differ between server \"{first}\" and server \"{other}\""),
        LOAD_ALIKE,
    )
}
