//! The attempts of a sweep's runs: each has the run it made, and how that ended.

use super::{Step, Stored};
use crate::error::Result;
use crate::pg::catalog::role;
use crate::pg::sql::spi;
use serde::Deserialize;

/// How a run ended, or why there was none.
#[derive(Debug, Clone, Deserialize)]
pub struct Outcome {
    pub status: String,
    pub sqlstate: Option<String>,
    pub error: Option<String>,
}

/// An attempt whose outcome is not known: the previous worker did not see its end.
#[derive(Debug, Deserialize)]
pub struct Open {
    position: i32,
    attempt: i32,
    pub run_id: Option<i64>,
    pub load_run_id: Option<i64>,
}

/// The two parts of an attempt; each is a run of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    Load,
    Run,
}

impl Outcome {
    pub fn of(status: &str) -> Outcome {
        Outcome {
            status: status.to_owned(),
            sqlstate: None,
            error: None,
        }
    }

    pub fn failed(sqlstate: &str, error: &str) -> Outcome {
        Outcome {
            status: "failed".to_owned(),
            sqlstate: Some(sqlstate.to_owned()),
            error: Some(error.to_owned()),
        }
    }
}

impl Stored {
    /// The attempts that the previous worker left open.
    pub fn open_attempts(&self) -> Result<Vec<Open>> {
        role::as_owner(|| {
            spi::select(
                "SELECT position, attempt, run_id, load_run_id FROM pgperf_internal.sweep_attempts \
                  WHERE node_id = $1::pg_catalog.uuid AND sweep_id = $2 AND outcome IS NULL",
                &[self.node_id.as_str().into(), self.sweep_id.into()],
            )
        })
    }

    pub fn begin_attempt(&self, step: &Step) -> Result<()> {
        role::as_owner(|| {
            spi::execute(
                "INSERT INTO pgperf_internal.sweep_attempts (node_id, sweep_id, position, attempt, point_no, repetition) \
                 VALUES ($1::pg_catalog.uuid, $2, $3, $4, $5, $6)",
                &[
                    self.node_id.as_str().into(),
                    self.sweep_id.into(),
                    step.run.position.into(),
                    step.run.attempt.into(),
                    step.run.point_no.into(),
                    step.run.repetition.into(),
                ],
            )
        })?;
        Ok(())
    }

    /// Stores the run of a part of an attempt, in the transaction that starts this run.
    pub fn attempt_runs(&self, step: &Step, part: Part, run_id: i64) -> Result<()> {
        let sql = match part {
            Part::Load => {
                "UPDATE pgperf_internal.sweep_attempts SET load_run_id = $5 \
                  WHERE node_id = $1::pg_catalog.uuid AND sweep_id = $2 AND position = $3 AND attempt = $4"
            }
            Part::Run => {
                "UPDATE pgperf_internal.sweep_attempts SET run_id = $5 \
                  WHERE node_id = $1::pg_catalog.uuid AND sweep_id = $2 AND position = $3 AND attempt = $4"
            }
        };
        role::as_owner(|| {
            spi::execute(
                sql,
                &[
                    self.node_id.as_str().into(),
                    self.sweep_id.into(),
                    step.run.position.into(),
                    step.run.attempt.into(),
                    run_id.into(),
                ],
            )
        })?;
        Ok(())
    }

    pub fn end_attempt(&self, step: &Step, outcome: &Outcome) -> Result<()> {
        self.close(step.run.position, step.run.attempt, outcome)
    }

    /// Closes an attempt that was left open, with the outcome that its run has had since.
    pub fn close_attempt(&self, open: &Open, outcome: &Outcome) -> Result<()> {
        self.close(open.position, open.attempt, outcome)
    }

    /// An attempt ended when its run did, if the run has an end.
    fn close(&self, position: i32, attempt: i32, outcome: &Outcome) -> Result<()> {
        role::as_owner(|| {
            spi::execute(
                "UPDATE pgperf_internal.sweep_attempts a \
                    SET outcome = $5, sqlstate = $6, error = $7, \
                        ended_at = coalesce((SELECT r.ended_at FROM pgperf_internal.stored_runs r \
                                              WHERE r.node_id = a.node_id AND r.run_id = a.run_id), \
                                            pg_catalog.clock_timestamp()) \
                  WHERE node_id = $1::pg_catalog.uuid AND sweep_id = $2 AND position = $3 AND attempt = $4",
                &[
                    self.node_id.as_str().into(),
                    self.sweep_id.into(),
                    position.into(),
                    attempt.into(),
                    outcome.status.as_str().into(),
                    outcome.sqlstate.as_deref().into(),
                    outcome.error.as_deref().into(),
                ],
            )
        })?;
        Ok(())
    }

    /// The outcome of a run whose leader is gone.
    pub fn run_outcome(&self, run_id: i64) -> Result<Outcome> {
        let outcome: Option<Outcome> = role::as_owner(|| {
            spi::select_one(
                "SELECT status, sqlstate, error FROM pgperf.runs \
                  WHERE node_id = $1::pg_catalog.uuid AND run_id = $2",
                &[self.node_id.as_str().into(), run_id.into()],
            )
        })?;
        Ok(outcome.unwrap_or_else(|| Outcome::of("interrupted")))
    }

    /// The process id of a run's leader.
    pub fn leader(&self, run_id: i64) -> Result<Option<i32>> {
        #[derive(Deserialize)]
        struct Leader {
            leader_pid: Option<i32>,
        }
        let leader: Option<Leader> = role::as_owner(|| {
            spi::select_one(
                "SELECT leader_pid FROM pgperf_internal.stored_runs \
                  WHERE node_id = $1::pg_catalog.uuid AND run_id = $2",
                &[self.node_id.as_str().into(), run_id.into()],
            )
        })?;
        Ok(leader.and_then(|leader| leader.leader_pid))
    }
}
