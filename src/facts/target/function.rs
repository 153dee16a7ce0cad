//! `pgperf.target_facts`: what a run on a target would store of it; `pgperf.target_figures`: its figures at a moment.

use super::environment;
use super::moment;
use super::settings;
use crate::error::Result;
use crate::facts::environment::fact::Fact;
use crate::pg::sql::text::Text;
use crate::target::control::Control;
use crate::target::standing::Standing;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;
use std::collections::BTreeMap;

#[pg_extern(sql = false)]
#[allow(clippy::type_complexity)] // pgrx reads the columns from it
fn target_facts(
    server: Text,
) -> std::result::Result<
    TableIterator<
        'static,
        (
            name!(category, Text),
            name!(name, Text),
            name!(value, Option<Text>),
            name!(unit, Option<Text>),
            name!(note, Option<Text>),
        ),
    >,
    ErrorReport,
> {
    let rows = read(&server)?.into_iter().map(|fact| {
        (
            fact.category.into(),
            fact.name.into(),
            fact.value.map(Text),
            fact.unit.map(Text),
            fact.note.map(Text),
        )
    });
    Ok(TableIterator::new(rows.collect::<Vec<_>>()))
}

struct Row {
    category: &'static str,
    name: String,
    value: Option<String>,
    unit: Option<String>,
    note: Option<String>,
}

fn read(server: &str) -> Result<Vec<Row>> {
    let mut control = Control::open(server)?;
    let standing = Standing::read(&mut control)?;
    let facts = environment::read(&mut control, &standing)?;
    let settings = settings::read(&mut control, &BTreeMap::new())?;
    let facts = facts.into_iter().map(|fact: Fact| Row {
        category: fact.category,
        name: fact.name,
        value: fact.value,
        unit: fact.unit.map(str::to_owned),
        note: fact.note,
    });
    let settings = settings.into_iter().map(|setting| {
        let (name, value, unit) = setting.into_parts();
        Row {
            category: "setting",
            name,
            value,
            unit,
            note: None,
        }
    });
    Ok(facts.chain(settings).collect())
}

/// A line as docs/figures.sql prints it.
#[pg_extern(sql = false)]
fn target_figures(server: Text) -> std::result::Result<Text, ErrorReport> {
    let mut control = Control::open(&server)?;
    let standing = Standing::read(&mut control)?;
    let figures = moment::read(&mut control, &standing)?;
    Ok(format!("pgperf figures {figures}").into())
}
