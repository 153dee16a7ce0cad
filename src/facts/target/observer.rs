//! A run's view of its target: what it is when the run begins, and what has changed when it has ended.
//!
//! No session of the target is held meanwhile: a run may take days. Each call connects anew.

use super::environment;
use super::moment;
use super::settings;
use crate::error::{Result, invalid};
use crate::facts::environment::fact::Fact;
use crate::facts::settings::Setting;
use crate::pg::process::latch;
use crate::target::control::Control;
use crate::target::standing::Standing;
use results::figures::{Changes, Moment};
use std::collections::BTreeMap;
use std::time::Duration;

/// Sessions report what they have counted at most once a second.
const REPORTED: Duration = Duration::from_millis(1_500);
/// Before 15 a process reads the statistics that another one has written, at most so long ago.
const WRITTEN: Duration = Duration::from_millis(600);
const SHARED_STATISTICS: u32 = 150_000;

/// A target before the load begins.
pub struct Beginning {
    pub environment: Vec<Fact>,
    pub settings: Vec<Setting>,
    pub moment: Moment,
}

/// Reads all of it. `given`: settings of the call.
///
/// # Errors
/// Those of the connection, or somebody holds a lock on a relation.
pub fn begin(control: &mut Control, given: &BTreeMap<String, String>) -> Result<Beginning> {
    let standing = Standing::read(control)?;
    let mut environment = environment::read(control, &standing)?;
    environment.extend(environment::of_clients());
    let settings = settings::read(control, given)?;
    if standing.version < SHARED_STATISTICS {
        pause(WRITTEN);
    }
    Ok(Beginning {
        environment,
        settings,
        moment: read_moment(control, &standing)?,
    })
}

/// What has changed since, once the clients have left. `by_all`: by all sessions, not only by the clients', which have reported everything
/// when they left.
///
/// # Errors
/// The same.
pub fn end(control: &mut Control, began: &Moment, by_all: bool) -> Result<Changes> {
    let standing = Standing::read(control)?;
    if by_all {
        await_reports();
    } else if standing.version < SHARED_STATISTICS {
        pause(WRITTEN);
    }
    Ok(read_moment(control, &standing)?.since(began))
}

fn read_moment(control: &mut Control, standing: &Standing) -> Result<Moment> {
    let figures = moment::read(control, standing)?.to_string();
    let unknown = || invalid("the figures of a target have an unexpected form");
    Moment::read(&figures).ok_or_else(unknown)
}

/// Waits until sessions of another server that are idle have reported what they have counted.
pub fn await_reports() {
    pause(REPORTED);
}

fn pause(time: Duration) {
    latch::wait_until(time.as_nanos() as u64, || false);
}
