//! SQL of a workload's author with variables, as in scripts: `:name` is replaced by the value, `:'name'` by the value as a
//! literal.

use crate::error::{Result, failure, invalid, sqlstate_code};
use crate::pg::encoding;
use crate::pg::error::SqlError;
use crate::pg::session::refusal::{self, StatementKind};
use crate::pg::sql::subxact::subtransaction;
use pgrx::pg_sys::errcodes::PgSqlErrorCode::ERRCODE_SYNTAX_ERROR;
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
            return Err(failure(
                ERRCODE_SYNTAX_ERROR,
                format!("{argument} must not be empty"),
            ));
        }
        let script = script::parse(argument, text, &mut symbols)
            .map_err(|error| failure(ERRCODE_SYNTAX_ERROR, error.to_string()))?;
        let mut statements = Vec::new();
        for command in script.commands {
            match command.kind {
                CommandKind::Sql(sql) if sql.capture.is_none() => {
                    statements.push((command.line, sql));
                }
                _ => {
                    return Err(failure(
                        ERRCODE_SYNTAX_ERROR,
                        format!(
                            "{argument}, line {}: meta-commands are for scripts: {}",
                            command.line, command.text
                        ),
                    )
                    .hinting("The SQL of a data set has statements and variables only."));
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
    pub fn check_statements(&self, values: &Values) -> Result<()> {
        self.check(values, |kind| match kind {
            StatementKind::TransactionControl => Some("transactions must not begin or end here"),
            StatementKind::Query | StatementKind::Other => None,
        })
    }

    /// The same for SQL that has to be one query.
    pub fn check_query(&self, values: &Values) -> Result<()> {
        if self.statements.len() > 1 {
            return Err(invalid(format!("{} must be a single query", self.argument)));
        }
        self.check(values, |kind| match kind {
            StatementKind::Query => None,
            StatementKind::TransactionControl | StatementKind::Other => Some("this is no query"),
        })
    }

    fn check(
        &self,
        values: &Values,
        refused: impl Fn(StatementKind) -> Option<&'static str>,
    ) -> Result<()> {
        for ((line, _), text) in self.statements.iter().zip(self.statements(values)) {
            let argument = self.argument;
            let wrong = |SqlError {
                             sqlstate, message, ..
                         },
                         hint: Option<String>| {
                let message = format!("{argument}, line {line}: {message}");
                let error = failure(sqlstate_code(&sqlstate), message);
                match hint {
                    Some(hint) => error.hinting(hint),
                    None => error,
                }
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
                Err(syntax_error) => return Err(wrong(syntax_error, variables())),
                Ok(Err((error, hint))) => {
                    return Err(wrong(error, hint.map(str::to_owned)));
                }
                Ok(Ok(kind)) => {
                    if let Some(reason) = kind.and_then(&refused) {
                        return Err(wrong(SqlError::new("22023", reason), None));
                    }
                }
            }
        }
        Ok(())
    }
}
