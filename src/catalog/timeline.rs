//! The timeline of the server's WAL, by which a node notices that its server was promoted: a standby has the node of its primary, which may go on
//! with it. Nobody can tell a failover, after which the history goes on, from a copy, which should have its own. So the node stays, unless it
//! is said otherwise, but numbers of runs, sweeps and samples never meet.
//!
//! What cannot be known: a copy that starts without a promotion (a base backup or a snapshot of the disks beside its original), and two copies
//! promoted from one server that do not know of each other, are on the same timeline.

use crate::error::Result;
use crate::pg::error::warn;
use crate::pg::server;
use crate::pg::sql::spi;
use crate::pg::sql::xact::with_latest_snapshot;

/// The numbers that runs, sweeps and samples of a node have for themselves on one timeline: more than a server makes in its life, with a sample each
/// second for thirty years.
const NUMBERS_OF_A_TIMELINE: i64 = 1_000_000_000;

/// The present timeline; None on a standby, whose timeline is that of the primary.
pub fn current() -> Option<i64> {
    (!server::in_recovery()).then(|| server::timeline().into())
}

/// The present timeline if it is another one than that on which a node was last in use, and a transaction can store that.
pub fn changed(last: Option<i64>) -> Option<i64> {
    current().filter(|now| last != Some(*now) && !server::transaction_is_read_only())
}

/// What the present timeline adds to the numbers of a node that began on timeline `first`; None: on the first of all.
pub fn range_of_numbers(first: Option<i64>) -> i64 {
    let later = current().map_or(0, |now| now - first.unwrap_or(1));
    later.max(0) * NUMBERS_OF_A_TIMELINE
}

/// Stores that a node goes on under this timeline; false: somebody else does. They are not waited for, since their transaction may be long.
///
/// # Errors
/// Those of SQL.
pub fn note(node_id: &str, timeline: i64) -> Result<bool> {
    let noted = with_latest_snapshot(|| {
        spi::execute(
            "UPDATE pgperf.nodes n SET timeline = $2, timeline_since = pg_catalog.clock_timestamp() \
               FROM (SELECT l.node_id FROM pgperf.nodes l \
                      WHERE l.node_id = $1::pg_catalog.uuid AND l.timeline IS DISTINCT FROM $2 FOR UPDATE SKIP LOCKED) l \
              WHERE n.node_id = l.node_id",
            &[node_id.into(), timeline.into()],
        )
    })?;
    Ok(noted > 0)
}

/// Warns that a node goes on after a promotion.
pub fn warn_of_the_same_node(timeline: i64, name: &str, range: i64) {
    warn(
        format!(
            "the server was promoted to timeline {timeline}: node \"{name}\" goes on here, with numbers of runs and samples above {range}"
        ),
        "If its former primary goes on, too, give one of the two a node of its own: SELECT pgperf.new_node()."
            .to_owned(),
    );
}

/// Warns that a node of its own begins after a promotion.
pub fn warn_of_a_new_node(timeline: i64, name: &str, former: &str) {
    warn(
        format!(
            "the server was promoted to timeline {timeline}: its history goes on as node \"{name}\""
        ),
        format!(
            "What was recorded before is that of node \"{former}\"; pgperf.new_node_on_promotion is on."
        ),
    );
}
