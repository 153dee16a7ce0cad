//! The tables of a workload: their schema, the scale they were loaded at, and whether a load may create them.

use super::data_set::{Effect, Step};
use super::error::tables::{incomplete, missing, not_loaded};
use super::family::Family;
use super::given::{self, Given};
use super::named::Named;
use super::params::Params;
use super::place::{Container, Place};
pub use super::registered::ForeignTable;
use super::registered::{self, Loaded};
use super::scale::Scale;
use crate::catalog::distributed::{Placement, PlacementKind};
use crate::error::{Error, Result, failure, hinted, unsupported};
use crate::pg::error::say;
use crate::pg::sql::quote::quote_ident;
use pgrx::PgLogLevel;
use pgrx::pg_sys::errcodes::PgSqlErrorCode::{
    ERRCODE_DUPLICATE_TABLE, ERRCODE_INSUFFICIENT_PRIVILEGE, ERRCODE_INVALID_SCHEMA_NAME,
    ERRCODE_UNDEFINED_FUNCTION, ERRCODE_UNDEFINED_OBJECT,
};

/// Where nobody's tables belong: `DROP EXTENSION` would stop at them.
const OWN_SCHEMAS: [&str; 2] = ["pgperf", "pgperf_internal"];

/// The tables of a workload, as they were found.
#[derive(Debug)]
pub struct Tables<'a> {
    workload: &'a Named,
    loaded: Loaded,
}

impl<'a> Tables<'a> {
    /// Looks for the tables, in this schema or in the search_path. `given`: the options of the run.
    ///
    /// # Errors
    /// One of them does not exist.
    pub fn of(
        place: &mut dyn Place,
        workload: &'a Named,
        schema: Option<&str>,
        given: &Given,
    ) -> Result<Tables<'a>> {
        let family = workload.family();
        let none = Given::new();
        let expected = Params::of_run(family, "", Scale::NONE, &none, given);
        let first = workload.relations(&expected).into_iter().next();
        let found = match (first, schema) {
            (Some(first), _) => schemas_of(place, workload, &[first], schema, given)?
                .into_iter()
                .next(),
            (None, Some(schema)) => Some(schema.to_owned()),
            // The tables are those that a load has registered.
            (None, None) if family.has_data_set() => place.data_set_schema(family)?,
            (None, None) => None,
        };
        let found = found.unwrap_or_default();
        let registered = place.data_set(family, &found)?;
        let loaded = registered::loaded(registered.as_ref(), family, &found, given);
        let relations = workload.relations(loaded.params());
        if relations.is_empty() && family.has_data_set() {
            return Err(not_loaded(place.server(), workload.name(), schema));
        }
        schemas_of(place, workload, &relations, schema, given)?;
        Ok(Tables { workload, loaded })
    }

    /// Their schema and options; the scale is missing.
    pub fn params(&self) -> &Params {
        self.loaded.params()
    }

    /// Their scale, whoever loaded them. If the tables show it, that one counts: somebody may have loaded them again
    /// since pgperf did. None if they are empty, or if their scale is not known or 0.
    pub fn scale(&self, place: &mut dyn Place) -> Result<Option<Scale>> {
        let family = self.workload.family();
        // A load into a target fills one table after the other: that with the scale may have its rows already.
        let is_incomplete = matches!(self.loaded, Loaded::Here { scale: None, .. });
        if is_incomplete && place.server().is_some() {
            return Ok(None);
        }
        if let Some(sql) = family.count_scale(self.params()) {
            let sql = format!("SELECT s.count::pg_catalog.float8 FROM ({sql}) AS s (count)");
            let scale = place.count(&sql)?.filter(|&scale| scale > 0.0);
            return Ok(scale.map(Scale::new));
        }
        Ok(match self.loaded {
            Loaded::Here { scale, .. } => scale,
            Loaded::InPart(_) => None,
            Loaded::Elsewhere(_) => family.foreign_scale(),
        })
    }

    /// The error for tables without a scale.
    fn without_scale(&self, server: Option<&str>, relation: &str) -> Error {
        let workload = self.workload.name();
        match &self.loaded {
            Loaded::Here {
                params,
                scale: None,
            } => incomplete(server, workload, &params.schema),
            _ => missing(server, relation, workload, None, &Given::new()),
        }
    }

    /// # Errors
    /// pgperf has begun to load them and has not ended.
    pub fn check_complete(&self) -> Result<()> {
        match &self.loaded {
            Loaded::Here { scale: None, .. } => Err(self.without_scale(None, "")),
            _ => Ok(()),
        }
    }
}

/// The parameters of the tables that each of these workloads runs on, with their scale. As in pgbench, it is that of the
/// tables, not the one that was asked for. `given`: the options of the run.
///
/// # Errors
/// The caller cannot find a table, or the scale is not known.
pub fn find(
    place: &mut dyn Place,
    workloads: &[Named],
    schema: Option<&str>,
    given: &Given,
) -> Result<Vec<Params>> {
    let tables = workloads
        .iter()
        .map(|workload| Tables::of(place, workload, schema, given));
    let mut found: Vec<Params> = Vec::new();
    for tables in tables.collect::<Result<Vec<_>>>()? {
        let (workload, params) = (tables.workload, tables.params());
        let relations = workload.relations(params);
        let same = |(other, known): &(&Named, &Params)| {
            other.family().name() == workload.family().name() && known.schema == params.schema
        };
        let known = workloads.iter().zip(&found).find(same);
        let scale = match (known, relations.first()) {
            (Some((_, known)), _) => known.scale,
            (None, None) => Scale::NONE,
            (None, Some(first)) => tables
                .scale(place)?
                .ok_or_else(|| tables.without_scale(place.server(), first))?,
        };
        let params = Params {
            scale,
            ..params.clone()
        };
        workload.family().check_run(&params)?;
        check_functions(place, workload, &params)?;
        found.push(params);
    }
    Ok(found)
}

/// # Errors
/// A function that the workload calls does not exist where its tables are.
fn check_functions(place: &mut dyn Place, workload: &Named, params: &Params) -> Result<()> {
    let family = workload.family();
    for &function in family.functions(workload.name()) {
        if !place.has_function(&params.schema, function)? {
            let mut others = family.workloads().iter();
            let other = others.find(|other| family.functions(other.name).is_empty());
            let (workload, schema) = (workload.name(), &params.schema);
            let load = format!(
                "CALL pgperf.init('{workload}', schema => '{}')",
                schema.replace('\'', "''")
            );
            let hint = match other {
                Some(other) => format!(
                    "The tables are of another program: run {}, or load tables with the functions: {load}",
                    other.name
                ),
                None => format!("Load the tables with the functions: {load}"),
            };
            let message = format!(
                "function \"{function}\" of workload \"{workload}\" does not exist in schema \"{schema}\""
            );
            return Err(failure(ERRCODE_UNDEFINED_FUNCTION, message).hinting(hint));
        }
    }
    Ok(())
}

/// The scale of a run on the tables that were found for these workloads: that of the first.
pub fn data_scale(workloads: &[Named], found: &[Params], given: Option<Scale>) -> Option<Scale> {
    let mut scales = workloads
        .iter()
        .zip(found.iter().map(|params| params.scale));
    let Some((workload, scale)) = scales.find(|(_, scale)| *scale != Scale::NONE) else {
        return given;
    };
    if let Some(given) = given.filter(|given| *given != scale) {
        let ignored = format!(
            "scale {given} is ignored: the tables of workload \"{}\" were loaded at scale {scale}",
            workload.name()
        );
        say(PgLogLevel::WARNING, ignored);
    }
    Some(scale)
}

/// The schema of each of these tables. `given`: the options of the run.
///
/// # Errors
/// One of them does not exist.
pub fn schemas_of(
    place: &mut dyn Place,
    workload: &Named,
    relations: &[String],
    schema: Option<&str>,
    given: &Given,
) -> Result<Vec<String>> {
    let mut schemas = Vec::new();
    for relation in relations {
        let found = place.schema_of(relation, schema)?.ok_or_else(|| {
            let options = given::of_load(workload.family(), given);
            missing(place.server(), relation, workload.name(), schema, &options)
        })?;
        schemas.push(found);
    }
    Ok(schemas)
}

/// The schema where `init` creates its tables: the given one, which must exist, or the first of the search_path.
///
/// # Errors
/// It does not exist, the role may not create tables in it, or it is one of the extension's own.
pub fn creation_schema(place: &mut dyn Place, schema: Option<&str>) -> Result<String> {
    match (place.schema(schema)?, schema) {
        (
            Some(Container {
                name,
                may_create: true,
            }),
            _,
        ) => not_own(name),
        (Some(Container { name, .. }), _) => Err(failure(
            ERRCODE_INSUFFICIENT_PRIVILEGE,
            format!("permission denied to create tables in schema \"{name}\""),
        )),
        (_, Some(schema)) => Err(failure(
            ERRCODE_INVALID_SCHEMA_NAME,
            format!("schema \"{schema}\" does not exist"),
        )
        .hinting(format!("CREATE SCHEMA {}", quote_ident(schema)))),
        (_, None) => Err(hinted(
            "no schema to create the tables in".to_owned(),
            "Give schema => '...' or set search_path.",
        )),
    }
}

fn not_own(schema: String) -> Result<String> {
    if OWN_SCHEMAS.contains(&schema.as_str()) {
        return Err(hinted(
            format!("schema \"{schema}\" is the extension's own"),
            "Create the tables in another schema: schema => '...', or set search_path.",
        ));
    }
    Ok(schema)
}

/// Checks, before a load drops anything, that a tablespace exists and that the role may create tables in it.
pub fn check_tablespace(place: &mut dyn Place, name: &str) -> Result<()> {
    match place.tablespace(name)? {
        Some(Container {
            may_create: true, ..
        }) => Ok(()),
        Some(_) => Err(failure(
            ERRCODE_INSUFFICIENT_PRIVILEGE,
            format!("permission denied for tablespace {name}"),
        )),
        None => Err(failure(
            ERRCODE_UNDEFINED_OBJECT,
            format!("tablespace \"{name}\" does not exist"),
        )),
    }
}

/// Refuses to drop or truncate tables that pgperf did not create for this data set.
pub fn refuse_foreign_tables(
    place: &mut dyn Place,
    tables: &[String],
    schema: &str,
    data_set: &str,
) -> Result<()> {
    match place.foreign_table(tables, schema, data_set)? {
        Some(ForeignTable { relation, data_set }) => {
            let whose = match data_set {
                None => "was not created by pgperf".to_owned(),
                Some(data_set) => format!("belongs to the data set \"{data_set}\""),
            };
            let message = format!("relation \"{relation}\" already exists and {whose}");
            Err(failure(ERRCODE_DUPLICATE_TABLE, message).hinting(
                "Use another schema => '...', drop the table, or let the load drop it: replace => true.",
            ))
        }
        None => Ok(()),
    }
}

/// The tables that Citus distributes and that a load has to distribute again, since it makes them anew. `told`: as `distribution::told` has
/// it; a load that is told to distribute its tables does so by itself. `dropped`: its tables and those that it drops.
///
/// # Errors
/// There is no Citus to distribute them. No step creates the tables, so that they stay where they are. A table is distributed in a way that
/// a load cannot repeat.
pub fn distributed_again(
    place: &mut dyn Place,
    told: Option<bool>,
    steps: &[Step],
    dropped: &[String],
    schema: &str,
) -> Result<Vec<Placement>> {
    if told == Some(true) && !place.distributes()? {
        return Err(unsupported(
            "distribute needs the extension citus, which is not in this database",
        )
        .hinting("CREATE EXTENSION citus; or leave the option out."));
    }
    let found = place.placements(dropped, schema)?;
    if !steps.iter().any(|step| step.effect == Effect::Creates) {
        let is_local = |table: &&String| found.iter().all(|it| it.relation != **table);
        return match (told, found.first(), dropped.iter().find(is_local)) {
            (Some(true), _, Some(local)) => Err(stays(local, "local")),
            (Some(false), Some(table), _) => Err(stays(&table.relation, "distributed")),
            _ => Ok(Vec::new()),
        };
    }
    if told.is_some() {
        return Ok(Vec::new());
    }
    let other = found.iter().find(|it| it.kind == PlacementKind::Other);
    match other.map(|it| &it.relation) {
        Some(relation) => Err(unsupported(format!(
            "relation \"{relation}\" is distributed by Citus in a way that a load cannot repeat"
        ))
        .hinting(
            "Say how the new tables are to be: options => '{\"distribute\": true}', or false. Or use another schema => '...', or make it local with undistribute_table().",
        )),
        None => Ok(found),
    }
}

/// That a load only fills a table that it should move.
fn stays(relation: &str, is: &str) -> Error {
    unsupported(format!(
        "relation \"{relation}\" is {is}, and stays so: no step creates it anew"
    ))
    .hinting("Give steps that drop and create the tables, or leave distribute out of the options.")
}

/// Refuses options of a load that the target's major does not have.
pub fn refuse_newer_options(place: &dyn Place, family: &dyn Family, params: &Params) -> Result<()> {
    let (Some(server), Some(version)) = (place.server(), place.target_version()) else {
        return Ok(());
    };
    let needed = family.needed_majors(params).into_iter();
    match needed.max_by_key(|(_, major)| *major) {
        Some((what, major)) if version < major * 10_000 => Err(unsupported(format!(
            "{what} needs PostgreSQL {major}, and server \"{server}\" has {}",
            major_of(version)
        ))),
        _ => Ok(()),
    }
}

/// As in its name: 9.6, 10, 17.
fn major_of(version: u32) -> String {
    match version / 10_000 {
        major @ 10.. => major.to_string(),
        first => format!("{first}.{}", version / 100 % 100),
    }
}
