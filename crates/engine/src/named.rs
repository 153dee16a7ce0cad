//! Statements whose names have variables in them, such as `sbtest:t`: one prepared statement for each text of the names.

use crate::error::SqlError;
use crate::transport::{Completion, Transport};
use script::{SqlCommand, Variables};
use std::collections::HashMap;

/// How many a client keeps of one command. Beyond them it parses each time, so that names that are always new do not
/// fill the session's memory.
const MAX_STATEMENTS: usize = 1000;

/// The prepared statements of a command, by the texts of its names.
pub struct NamedStatements<S> {
    by_key: HashMap<Box<str>, S>,
}

impl<S> Default for NamedStatements<S> {
    fn default() -> Self {
        NamedStatements {
            by_key: HashMap::new(),
        }
    }
}

impl<S> NamedStatements<S> {
    /// Gives up all of them.
    pub fn forget<T: Transport<Statement = S>>(&mut self, session: &mut T) {
        for (_, statement) in self.by_key.drain() {
            session.forget(statement);
        }
    }

    /// Runs a command, prepared if there is room for that; `text` is a buffer.
    pub fn execute<T: Transport<Statement = S>>(
        &mut self,
        session: &mut T,
        sql: &SqlCommand,
        variables: &Variables,
        text: &mut String,
    ) -> Result<Completion, SqlError> {
        text.clear();
        sql.name_key(variables, text);
        if let Some(statement) = self.by_key.get(text.as_str()) {
            return session.execute(statement, sql.arguments(variables));
        }
        let key = text.as_str().into();
        text.clear();
        sql.fill_names(variables, text);
        if self.by_key.len() >= MAX_STATEMENTS {
            return session.execute_unprepared(text, sql.arguments(variables));
        }
        let statement = session.prepare(text, sql.params.len())?;
        let statement = self.by_key.entry(key).or_insert(statement);
        session.execute(statement, sql.arguments(variables))
    }
}
