//! SQL of a workload's author with variables, as in scripts: `:name` is replaced by the value, `:'name'` by the value as a
//! literal.

use crate::pg::encoding;
use crate::pg::error::SqlError;
use crate::pg::session::refusal::{self, Kind};
use crate::pg::sql::subxact::subtransaction;
use crate::workload::error::ScriptError;
use crate::workload::error::{Result, WorkloadError};
use script::{CommandKind, SqlCommand, Symbols, Variables};
use std::collections::BTreeMap;

/// Values of variables, by name.
pub type Values = BTreeMap<String, script::Value>;

/// An author's SQL, in statements.
#[derive(Clone, Debug)]
pub struct AuthorSql {
    /// The argument of `create_workload`.
    argument: &'static str,
    /// With the line on which each begins.
    statements: Vec<(u32, SqlCommand)>,
    symbols: Symbols,
}

impl AuthorSql {
    /// # Errors
    /// It has no statement, or a meta-command.
    pub fn parse(argument: &'static str, text: &str) -> Result<AuthorSql> {
        let mut symbols = Symbols::new();
        if text.trim().is_empty() {
            return Err(WorkloadError::BadSql(format!(
                "{argument} must not be empty"
            )));
        }
        let script = script::parse(argument, text, &mut symbols)
            .map_err(|error| WorkloadError::BadSql(error.to_string()))?;
        let mut statements = Vec::new();
        for command in script.commands {
            match command.kind {
                CommandKind::Sql(sql) if sql.capture.is_none() => {
                    statements.push((command.line, sql));
                }
                _ => {
                    return Err(WorkloadError::MetaCommand {
                        argument,
                        line: command.line,
                        command: command.text,
                    });
                }
            }
        }
        Ok(AuthorSql {
            argument,
            statements,
            symbols,
        })
    }

    /// # Errors
    /// As [`AuthorSql::parse`].
    pub fn optional(argument: &'static str, text: Option<&str>) -> Result<Option<AuthorSql>> {
        text.map(|text| AuthorSql::parse(argument, text))
            .transpose()
    }

    /// The statements with these values. Names without a value stay as they are.
    pub fn statements(&self, values: &Values) -> Vec<String> {
        let mut variables = Variables::new(&self.symbols);
        for (name, value) in values {
            if let Some(id) = self.symbols.lookup(name) {
                variables.set(id, value.clone());
            }
        }
        let statements = self.statements.iter();
        statements
            .map(|(_, sql)| {
                let mut text = String::new();
                sql.interpolate(&variables, &mut text);
                text
            })
            .collect()
    }

    /// The only statement, without its semicolon.
    pub fn query(&self, values: &Values) -> String {
        let text = self.statements(values).into_iter().next();
        let text = text.unwrap_or_default();
        text.trim_end().trim_end_matches(';').to_owned()
    }

    /// Has the server parse statements as far as it can without access to tables. The values are examples.
    pub fn check_statements(&self, values: &Values) -> crate::error::Result<()> {
        self.check(values, |kind| match kind {
            Kind::TransactionControl => Some("transactions must not begin or end here"),
            Kind::Query | Kind::Other => None,
        })
    }

    /// The same for SQL that has to be one query.
    pub fn check_query(&self, values: &Values) -> crate::error::Result<()> {
        if self.statements.len() > 1 {
            return Err(WorkloadError::NoQuery(self.argument).into());
        }
        self.check(values, |kind| match kind {
            Kind::Query => None,
            Kind::TransactionControl | Kind::Other => Some("this is no query"),
        })
    }

    fn check(
        &self,
        values: &Values,
        refused: impl Fn(Kind) -> Option<&'static str>,
    ) -> crate::error::Result<()> {
        for ((line, _), text) in self.statements.iter().zip(self.statements(values)) {
            let wrong = |error: SqlError, hint: Option<String>| ScriptError::Author {
                argument: self.argument,
                line: *line,
                sqlstate: error.sqlstate,
                message: error.message,
                hint,
            };
            let names: Vec<String> = values.keys().map(|name| format!(":{name}")).collect();
            let variables = || Some(format!("Its variables are {}.", names.join(", ")));
            let text = encoding::c_string(&text).map_err(|_| {
                wrong(
                    SqlError::new("22021", "a text must not contain a NUL byte"),
                    None,
                )
            })?;
            let checked = subtransaction(|| {
                refusal::check_command(&text, true)?;
                Ok(refusal::kind_of(&text))
            });
            match checked {
                Err(syntax_error) => return Err(wrong(syntax_error, variables()).into()),
                Ok(Err((error, hint))) => {
                    return Err(wrong(error, hint.map(str::to_owned)).into());
                }
                Ok(Ok(kind)) => {
                    if let Some(reason) = kind.and_then(&refused) {
                        return Err(wrong(SqlError::new("22023", reason), None).into());
                    }
                }
            }
        }
        Ok(())
    }
}
