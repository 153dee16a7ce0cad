//! Checkpoints: their number and writes, the latest one, and whether one is being written.

use crate::collect::collector::{Collector, Cost, InRuns, InVisits, Read, Reading, Scope};
use crate::collect::of_target::{Dialect, TargetSource, source::only};
use crate::collect::rows;
use crate::error::{Result, unsupported};
use crate::pg::server::checkpoint::Checkpoint;

/// See the module.
pub const COLLECTOR: Collector = Collector {
    name: "checkpoints",
    cost: Cost::Light,
    sample_interval_s: 10,
    keeps_interval: false,
    in_runs: InRuns::EveryInterval,
    in_visits: InVisits::Never,
    since_major: None,
    needs: None,
    watches_clients: false,
    report: None,
    history_tables: &["checkpoint_history"],
    description: "checkpoints and the background writer: counters, the newest checkpoint, whether one is in progress",
    // Whether one is written now, only a process of the server sees.
    of_target: Some(TargetSource {
        since_major: None,
        queries: |asking| Ok(vec![sql(&asking.dialect())]),
        reading: |_, answers| {
            Ok(Reading::of(
                "checkpoint_history",
                rows::values(only(answers)),
            ))
        },
    }),
    read: Read::AtOnce(read),
};

fn read(_: &Scope) -> Result<Reading> {
    let checkpoint =
        Checkpoint::now().ok_or_else(|| unsupported("the control file could not be read"))?;
    let mut rows = rows::select(&sql(&Dialect::HERE), &[])?;
    for row in &mut rows {
        row.insert("in_progress".to_owned(), checkpoint.in_progress().into());
    }
    Ok(Reading::of("checkpoint_history", rows::values(rows)))
}

/// The counters under 17's names. 17 gave the checkpointer a view of its own; before, all was in the background
/// writer's. Each can be reset separately: the later reset stands for both.
fn sql(server: &Dialect) -> String {
    let counters = if server.has(17) {
        "b.buffers_clean, b.maxwritten_clean, b.buffers_alloc, c.*, \
         GREATEST(b.stats_reset, c.stats_reset) AS stats_reset \
         FROM pg_catalog.pg_stat_checkpointer c CROSS JOIN pg_catalog.pg_stat_bgwriter b"
    } else {
        "b.*, b.checkpoints_timed AS num_timed, b.checkpoints_req AS num_requested, \
         b.checkpoint_write_time AS write_time, b.checkpoint_sync_time AS sync_time, \
         b.buffers_checkpoint AS buffers_written \
         FROM pg_catalog.pg_stat_bgwriter b"
    };
    format!(
        "SELECT control.redo_lsn, control.checkpoint_lsn, control.checkpoint_time, {counters} \
         CROSS JOIN {} control",
        server.checkpoint()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn from_17_on_the_checkpointer_has_its_own_view() {
        let of = |version| {
            sql(&Dialect {
                version,
                ..Dialect::HERE
            })
        };
        assert!(!of(160_000).contains("pg_stat_checkpointer"));
        assert!(of(170_000).contains("pg_stat_checkpointer"));
    }
}
