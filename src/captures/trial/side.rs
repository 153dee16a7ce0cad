//! A configuration under which statements are tested: settings, and SQL that is run before and rolled back afterwards.

use super::sampling::Sample;
use crate::error::{Error, Result, failure, invalid, sqlstate_code};
use crate::pg::encoding;
use crate::pg::error::SqlError;
use crate::pg::server;
use crate::pg::session::setting;
use crate::pg::sql::quote::quote_literal;
use crate::pg::sql::subxact::{rolled_back, subtransaction};
use crate::pg::sql::{analysis, foreign_code, generic_plan, spi};
use crate::show::plan;
use crate::workload::with_values;
use capture::Value;
use capture::record::Parameter;
use serde::Deserialize;
use std::collections::BTreeMap;

/// Settings of a session that decide what its statements mean.
const OF_SESSION: [&str; 3] = ["search_path", "TimeZone", "standard_conforming_strings"];
/// Types below are the same on every server.
const FIRST_OWN_TYPE: u32 = 16_384;

/// A configuration.
#[derive(PartialEq)]
pub struct Side {
    settings: BTreeMap<String, String>,
    sql: Option<String>,
    writes: bool,
}

/// What an execution did.
#[derive(Debug, Clone)]
pub struct Figures {
    pub ms: f64,
    pub blocks: f64,
    /// Its plan's shape.
    pub plan: String,
}

impl Side {
    pub fn new(
        settings: Option<BTreeMap<String, String>>,
        sql: Option<String>,
        writes: Option<bool>,
    ) -> Side {
        Side {
            settings: settings.unwrap_or_default(),
            sql,
            writes: writes == Some(true),
        }
    }

    /// Runs `body` in this configuration, of which nothing is left afterwards.
    ///
    /// # Errors
    /// Those of the settings and of the SQL.
    pub fn within<T>(&self, body: impl FnOnce() -> T) -> Result<T> {
        let configured = || -> Result<T> {
            if let Some(sql) = &self.sql {
                foreign_code::refused(|| spi::run_of_author(sql))?;
            }
            for (name, value) in &self.settings {
                setting::for_transaction(name, value);
            }
            Ok(body())
        };
        rolled_back(configured).map_err(refused)?
    }

    /// Runs a statement with the values of an execution. Within: the message of its error.
    ///
    /// # Errors
    /// Those of pgperf.
    pub fn run(&self, text: &str, sample: &Sample) -> Result<std::result::Result<Figures, String>> {
        let Some(role) = sample.role() else {
            return Ok(Err("the role that ran it is not here".to_owned()));
        };
        if !server::caller_controls(role) {
            return Ok(Err(format!(
                "the role \"{role}\" ran it, whose rights the caller does not have"
            )));
        }
        let Some(role) = server::role_oid(role) else {
            return Ok(Err(format!(
                "there is no role \"{role}\" here, which ran it"
            )));
        };
        let is_wanted =
            |name: &str| OF_SESSION.contains(&name) && !self.settings.contains_key(name);
        let settings = sample.settings.iter().filter(|(name, _)| is_wanted(name));
        let settings: Vec<(&str, &str)> = settings
            .map(|(name, value)| (name.as_str(), value.as_str()))
            .collect();
        let told = generic_plan::executed(role, &settings, self.writes, || {
            with_literals(text, sample.parameters)
        });
        match told {
            Ok(told) => Ok(Ok(figures(&told)?)),
            Err(error) => Ok(Err(error.message)),
        }
    }
}

fn refused(error: SqlError) -> Error {
    failure(sqlstate_code(&error.sqlstate), error.message)
}

fn figures(told: &str) -> Result<Figures> {
    let told: serde_json::Value = serde_json::from_str(told)?;
    let first = &told[0];
    let of_plan = |name: &str| first["Plan"][name].as_f64().unwrap_or(0.0);
    Ok(Figures {
        ms: first["Execution Time"].as_f64().unwrap_or(0.0),
        blocks: of_plan("Shared Hit Blocks") + of_plan("Shared Read Blocks"),
        plan: plan::shape(&told),
    })
}

/// The statement with its values in the text, each with the type that the server gives its parameter.
fn with_literals(text: &str, parameters: &[Parameter]) -> Result<String> {
    if parameters.is_empty() {
        return Ok(text.to_owned());
    }
    let types = types(text, parameters)?;
    Ok(with_values(text, |number| {
        let value = match parameters.get(number - 1).map(|it| &it.value) {
            Some(Value::Integer(number)) => quote_literal(&number.to_string()),
            Some(Value::Text(text)) => quote_literal(&encoding::decode(text)),
            Some(Value::Null) | None => "NULL".to_owned(),
        };
        let type_name = types.get(number - 1).map_or("text", String::as_str);
        format!("CAST({value} AS {type_name})")
    }))
}

/// The types of its parameters, as SQL writes them.
fn types(text: &str, parameters: &[Parameter]) -> Result<Vec<String>> {
    let given = parameters.iter().map(|it| {
        if it.type_oid < FIRST_OWN_TYPE {
            it.type_oid
        } else {
            0
        }
    });
    let given: Vec<u32> = given.collect();
    let encoded = encoding::c_string(text).map_err(|error| invalid(error.to_string()))?;
    let analyzed = subtransaction(|| analysis::analyze(&encoded, &given)).map_err(refused)?;
    let types = match analyzed {
        analysis::Analyzed::Query { types, .. } => types,
        _ => given,
    };
    #[derive(Deserialize)]
    struct Named {
        name: String,
    }
    let oids: Vec<i64> = types.into_iter().map(i64::from).collect();
    let names: Vec<Named> = spi::select(
        "SELECT pg_catalog.format_type(t.oid::pg_catalog.oid, -1) AS name \
           FROM ROWS FROM (pg_catalog.unnest($1::pg_catalog.int8[])) WITH ORDINALITY t (oid, n) ORDER BY t.n",
        &[oids.into()],
    )?;
    Ok(names.into_iter().map(|it| it.name).collect())
}
