//! Data from the first client for the leader, before the run begins: the settings of its session, and the plans of its
//! statements. They are in a separate segment of shared memory, since their size is not known in advance.

use super::slot::{Counter, Slot};
use super::{Shared, pack, unpack};
use crate::facts::plans::Plan;
use crate::facts::settings::{self, Setting};
use crate::pg::error::SqlError;
use crate::pg::process::dsm::Segment;
use crate::pg::server;
use crate::pg::sql::xact;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::atomic::Ordering::Relaxed;

/// What it tells.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Told {
    pub settings: Vec<Setting>,
    pub plans: Vec<Plan>,
}

/// Leaves the settings and these plans, before the client is ready; `given` are the settings of the call. If this fails, the run
/// continues without them.
pub fn leave(slot: Slot, given: &BTreeMap<String, String>, plans: Vec<Plan>) {
    if let Err(error) = try_leave(slot, given, plans) {
        server::log(&format!(
            "pgperf could not read the settings and plans of a run: {}",
            error.message
        ));
    }
}

fn try_leave(
    slot: Slot,
    given: &BTreeMap<String, String>,
    plans: Vec<Plan>,
) -> Result<(), SqlError> {
    let settings = settings::read(given)?;
    let document = serde_json::to_vec(&Told { settings, plans })
        .map_err(|error| SqlError::new("XX000", &error.to_string()))?;
    let segment = xact::catch(|| Segment::create(1 + document.len().div_ceil(8)))?;
    if let Some((length, words)) = segment.words().split_first() {
        length.store(document.len() as u64, Relaxed);
        for (word, bytes) in words.iter().zip(document.chunks(8)) {
            word.store(pack(bytes), Relaxed);
        }
    }
    // The state of the slot, set later, makes all of it visible.
    slot.set(Counter::ToldSegment, u64::from(segment.handle()));
    Ok(())
}

/// Takes what the client has left, once it is ready; outside a transaction.
pub fn take(shared: &Shared) -> Option<Told> {
    let handle = u32::try_from(shared.slot(0).get(Counter::ToldSegment)).ok()?;
    let segment = (handle > 0).then(|| Segment::attach(handle))??;
    let (length, words) = segment.words().split_first()?;
    serde_json::from_slice(&unpack(words, length.load(Relaxed) as usize)).ok()
}
