//! A sample without a budget, of many transactions: between two steps it holds neither lock, snapshot nor
//! transaction id, so that it may take as long as it takes.

use super::bloat;
use super::collector::Collector;
use super::sample::{Draft, Sample};
use crate::error::Result;
use crate::pg::procedure::NonAtomic;
use crate::pg::role::as_owner;
use std::time::Instant;

/// Takes one sample, each collector in a transaction of its own, and relations one by one.
///
/// # Errors
/// As [`super::take_sample`]; what was stored until then stays.
pub fn take_stepwise(
    procedure: &NonAtomic,
    collectors: &[&'static Collector],
    sample_id: i64,
) -> Result<Sample> {
    let mut draft = in_transaction(procedure, || Draft::begin(None, None, Some(sample_id)))?;
    for collector in collectors {
        if collector.name == bloat::COLLECTOR.name {
            let started = Instant::now();
            let result = bloat::step_by_step(
                &draft.scope().node_id,
                |step| {
                    in_transaction(procedure, || {
                        draft.enter_transaction()?;
                        step()
                    })
                },
                |table, rows| draft.store_rows(vec![(table, rows)]),
            );
            draft.remember(collector.name, started, result);
        } else {
            in_transaction(procedure, || {
                draft.enter_transaction()?;
                draft.collect(collector.name, collector.read);
                Ok(())
            })?;
        }
    }
    in_transaction(procedure, || draft.store())
}

/// With a snapshot and as the extension's owner; committed afterwards.
fn in_transaction<T>(procedure: &NonAtomic, body: impl FnOnce() -> Result<T>) -> Result<T> {
    procedure.with_snapshot(|| as_owner(body))
}
