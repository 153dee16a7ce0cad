//! Settings that cannot be put back now.

use super::{Altered, Changer};
use crate::error::{Result, failure, sqlstate_code};
use crate::pg::error::SqlError;
use std::time::Duration;

/// Settings that are still as they were changed, each with the reason.
#[derive(Debug, Default)]
pub struct Left(pub(super) Vec<(Altered, SqlError)>);

impl Left {
    /// Why those of a run or sweep are.
    pub fn of(&self, changer: Changer) -> Option<SqlError> {
        let left = (self.0.iter()).find(|(altered, _)| altered.changer() == Some(changer));
        left.map(|(altered, error)| SqlError {
            message: format!("cannot put back \"{}\": {}", altered.name, error.message),
            ..error.clone()
        })
    }

    /// Fails where those of a run or sweep are: it is not over.
    pub fn check(&self, changer: Changer) -> Result<()> {
        match self.of(changer) {
            Some(error) => Err(failure(sqlstate_code(&error.sqlstate), error.message).hinting(
                "Remove the obstacle and call again: until then the server has the changed value, and this is not over.",
            )),
            None => Ok(()),
        }
    }

    /// Whether it may become possible by itself: for want of room, or of access to a file.
    pub fn may_pass(&self) -> bool {
        let classes = ["53", "58"];
        let may_pass = |error: &SqlError| classes.iter().any(|it| error.sqlstate.starts_with(it));
        self.0.iter().any(|(_, error)| may_pass(error))
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// How long to wait until they are tried again: twice as long each time.
pub struct Pause(Duration);

impl Pause {
    const FIRST: Duration = Duration::from_millis(200);
    const LONGEST: Duration = Duration::from_secs(60);

    pub fn next(&mut self) -> Duration {
        let pause = self.0;
        self.0 = (pause * 2).min(Self::LONGEST);
        pause
    }
}

impl Default for Pause {
    fn default() -> Pause {
        Pause(Self::FIRST)
    }
}
