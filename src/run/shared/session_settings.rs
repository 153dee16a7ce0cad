//! The settings of the first client's session, on their way to the leader: in a segment of shared memory of their own,
//! since their size is not known in advance.

use super::slot::{Counter, Slot};
use super::{Shared, pack, unpack};
use crate::facts::settings::{self, Setting};
use crate::pg::error::SqlError;
use crate::pg::process::dsm::Segment;
use crate::pg::server;
use crate::pg::sql::xact;
use std::collections::BTreeMap;
use std::sync::atomic::Ordering::Relaxed;

/// Leaves the settings, before the client is ready; `given` are those of the call. If this fails, the run continues
/// without them.
pub fn leave(slot: Slot, given: &BTreeMap<String, String>) {
    if let Err(error) = try_leave(slot, given) {
        server::log(&format!(
            "pgperf could not read the settings of a run: {}",
            error.message
        ));
    }
}

fn try_leave(slot: Slot, given: &BTreeMap<String, String>) -> Result<(), SqlError> {
    let document = serde_json::to_vec(&settings::read(given)?)
        .map_err(|error| SqlError::new("XX000", &error.to_string()))?;
    let segment = xact::catch(|| Segment::create(1 + document.len().div_ceil(8)))?;
    if let Some((length, words)) = segment.words().split_first() {
        length.store(document.len() as u64, Relaxed);
        for (word, bytes) in words.iter().zip(document.chunks(8)) {
            word.store(pack(bytes), Relaxed);
        }
    }
    // The state of the slot, set later, makes all of it visible.
    slot.set(Counter::SettingsSegment, u64::from(segment.handle()));
    Ok(())
}

/// Takes the settings that the client has left, once it is ready; outside a transaction.
pub fn take(shared: &Shared) -> Option<Vec<Setting>> {
    let handle = u32::try_from(shared.slot(0).get(Counter::SettingsSegment)).ok()?;
    let segment = (handle > 0).then(|| Segment::attach(handle))??;
    let (length, words) = segment.words().split_first()?;
    serde_json::from_slice(&unpack(words, length.load(Relaxed) as usize)).ok()
}
