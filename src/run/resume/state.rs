//! The sums of a run's earlier segments.

use crate::pg::server;
use crate::run::record::rows::ErrorRow;
use crate::run::shared::reading::Reading;
use engine::{CommandStats, ScriptStats};
use serde::{Deserialize, Serialize};

/// The part stored with each interval: `pgperf_internal.resume_points.state`. Empty in a run's first segment.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Carried {
    /// Segments that have begun to measure.
    pub segments: u32,
    /// Seconds measured so far.
    pub seconds: f64,
    /// Intervals stored so far.
    pub intervals: i32,
    pub reading: Reading,
    /// How long the clients of the first segment took to connect.
    pub connect_ns: u64,
    /// WAL that the server wrote while the leaders lived, in bytes.
    pub wal_written: u64,
    /// Resources that the leaders themselves have used.
    pub own_wal_bytes: u64,
    pub own_xids: u64,
}

/// The larger part, stored less often: `pgperf_internal.resume_points.details`.
#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Details {
    /// The statistics of each script, if there are several.
    pub scripts: Vec<ScriptStats>,
    /// The statistics of each command of all scripts.
    pub commands: Vec<CommandStats>,
    pub errors: Vec<ErrorRow>,
}

impl Carried {
    /// Where the run's WAL would begin if that of earlier segments came just before the WAL written from now on.
    pub fn start_lsn(&self) -> u64 {
        self.start_lsn_at(server::insert_position())
    }

    fn start_lsn_at(&self, position: u64) -> u64 {
        position.saturating_sub(self.wal_written)
    }

    /// The rest of a run's duration.
    pub fn seconds_left(&self, duration_s: f64) -> f64 {
        (duration_s - self.seconds).max(0.0)
    }
}

impl Details {
    /// The figures of a script or a command with those of earlier segments.
    pub fn script(&self, number: usize, mut stats: ScriptStats) -> ScriptStats {
        if let Some(earlier) = self.scripts.get(number) {
            stats.merge(earlier);
        }
        stats
    }

    pub fn command(&self, number: usize, mut stats: CommandStats) -> CommandStats {
        if let Some(earlier) = self.commands.get(number) {
            stats.merge(earlier);
        }
        stats
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_is_never_less_than_nothing() {
        let carried = Carried {
            seconds: 7.5,
            ..Carried::default()
        };
        assert_eq!(carried.seconds_left(10.0), 2.5);
        assert_eq!(carried.seconds_left(5.0), 0.0);
    }

    #[test]
    fn wal_of_earlier_segments_comes_before() {
        let carried = Carried {
            wal_written: 300,
            ..Carried::default()
        };
        // The stored figure of the next segment is the distance from there.
        assert_eq!(carried.start_lsn_at(10_000), 9_700);
        assert_eq!(Carried::default().start_lsn_at(10_000), 10_000);
    }

    #[test]
    fn figures_of_segments_add_up() {
        let command = |ns| {
            let mut stats = CommandStats::default();
            stats.record(ns);
            stats.rows = 3;
            stats
        };
        let earlier = Details {
            commands: vec![command(10), command(1000)],
            ..Details::default()
        };
        // As they come back from the table.
        let text = serde_json::to_string(&earlier).unwrap();
        let earlier: Details = serde_json::from_str(&text).unwrap();
        let both = earlier.command(1, command(3000));
        assert_eq!((both.latencies.moments.count, both.rows), (2, 6));
        assert_eq!(both.latencies.moments.max_ns, Some(3000));
        assert_eq!(both.latencies.histogram.count(), 2);
        let first = earlier.command(2, command(5));
        assert_eq!(first.latencies.moments.count, 1);
        assert!(
            serde_json::from_str::<Details>("{}")
                .unwrap()
                .errors
                .is_empty()
        );
    }
}
