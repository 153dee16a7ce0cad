//! `\gset` and `\aset`: a statement's results become variables.

use crate::error::SqlError;
use crate::results::KeptResult;
use crate::transport::Transport;
use script::{Capture, CapturedRows, Symbols, Value, VarId, Variables, is_valid_variable_name};

/// Which variables the columns of a command's results become: found when the command is first run, and
/// again only if the columns change.
#[derive(Default)]
pub struct Targets {
    results: Vec<Target>,
}

#[derive(Default)]
struct Target {
    /// The columns' names, as the result has them.
    names: Vec<u8>,
    /// `None` for a variable that no script mentions.
    variables: Vec<Option<VarId>>,
}

impl Targets {
    /// Sets the variables. Columns whose variable no script mentions are checked and left.
    ///
    /// # Errors
    /// As in pgbench: `\gset` of no or several rows, and names that no variable can have.
    pub fn store<T: Transport>(
        &mut self,
        capture: &Capture,
        session: &T,
        symbols: &Symbols,
        variables: &mut Variables,
    ) -> Result<(), SqlError> {
        let kept = session.kept();
        match capture.rows {
            CapturedRows::Only => {
                let (rows, result) = match kept.last() {
                    Some(result) => (result.rows, Some(result)),
                    None => (0, None),
                };
                let result = result.filter(|_| rows == 1).ok_or_else(|| {
                    SqlError::new("21000", &format!("expected one row, got {rows}"))
                })?;
                self.set(0, &capture.prefix, session, &result, symbols, variables)
            }
            CapturedRows::LastOfEach => kept
                .all()
                .enumerate()
                .filter(|(_, result)| result.rows > 0)
                .try_for_each(|(i, result)| {
                    self.set(i, &capture.prefix, session, &result, symbols, variables)
                }),
        }
    }

    fn set<T: Transport>(
        &mut self,
        i: usize,
        prefix: &str,
        session: &T,
        result: &KeptResult<'_>,
        symbols: &Symbols,
        variables: &mut Variables,
    ) -> Result<(), SqlError> {
        if i >= self.results.len() {
            self.results.resize_with(i + 1, Target::default);
        }
        let Some(target) = self.results.get_mut(i) else {
            return Ok(());
        };
        if target.names != result.names {
            *target = Target::find(prefix, session, result, symbols)?;
        }
        for (variable, value) in target.variables.iter().zip(result.values()) {
            if let Some(variable) = variable {
                variables.set(*variable, Value::Text((&*session.decode(value)).into()));
            }
        }
        Ok(())
    }
}

impl Target {
    fn find<T: Transport>(
        prefix: &str,
        session: &T,
        result: &KeptResult<'_>,
        symbols: &Symbols,
    ) -> Result<Target, SqlError> {
        let variables = result
            .names()
            .map(|name| {
                let name = format!("{prefix}{}", session.decode(name));
                if is_valid_variable_name(&name) {
                    Ok(symbols.lookup(&name))
                } else {
                    Err(SqlError {
                        detail: Some(format!("invalid variable name: \"{name}\"")),
                        ..SqlError::new("42602", &format!("error storing into variable {name}"))
                    })
                }
            })
            .collect::<Result<_, _>>()?;
        Ok(Target {
            names: result.names.to_vec(),
            variables,
        })
    }
}
