//! Progress of a command in another process, from `pg_stat_progress_*`.

use super::activity;
use pgrx::pg_sys::{self, ProgressCommandType as Command};

/// Progress of a process within the current part of its command.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress {
    pub part: &'static str,
    /// From 0 to 1; None where the server does not report it.
    pub fraction: Option<f64>,
}

/// The share of scanning a table in a command that then writes an index or takes a sample.
const SCAN: f64 = 0.6;

impl Progress {
    /// About how much of the whole command is done, from 0 to 1.
    pub fn of_command(&self) -> f64 {
        let fraction = self.fraction.unwrap_or(0.0);
        match self.part {
            "scanned" => SCAN * fraction,
            _ => SCAN + (1.0 - SCAN) * fraction,
        }
    }
}

/// The progress of a process; None if its command reports none.
pub fn of_process(pid: i32) -> Option<Progress> {
    let (command, counters) = activity::read(|status| {
        (status.st_procpid == pid).then_some((status.st_progress_command, status.st_progress_param))
    })
    .pop()?;
    read(command, &counters)
}

fn read(command: Command::Type, counters: &[i64]) -> Option<Progress> {
    let counter = |name: u32| counters.get(name as usize).copied().unwrap_or(0) as f64;
    let part = |part, done, total| {
        let (done, total) = (counter(done), counter(total));
        Progress {
            part,
            fraction: (total > 0.0).then(|| (done / total).clamp(0.0, 1.0)),
        }
    };
    Some(match command {
        Command::PROGRESS_COMMAND_VACUUM => part(
            "scanned",
            pg_sys::PROGRESS_VACUUM_HEAP_BLKS_SCANNED,
            pg_sys::PROGRESS_VACUUM_TOTAL_HEAP_BLKS,
        ),
        Command::PROGRESS_COMMAND_ANALYZE => part(
            "analyzed",
            pg_sys::PROGRESS_ANALYZE_BLOCKS_DONE,
            pg_sys::PROGRESS_ANALYZE_BLOCKS_TOTAL,
        ),
        Command::PROGRESS_COMMAND_CREATE_INDEX
            if counter(pg_sys::PROGRESS_CREATEIDX_TUPLES_TOTAL) > 0.0 =>
        {
            part(
                "written",
                pg_sys::PROGRESS_CREATEIDX_TUPLES_DONE,
                pg_sys::PROGRESS_CREATEIDX_TUPLES_TOTAL,
            )
        }
        Command::PROGRESS_COMMAND_CREATE_INDEX => part(
            "scanned",
            pg_sys::PROGRESS_SCAN_BLOCKS_DONE,
            pg_sys::PROGRESS_SCAN_BLOCKS_TOTAL,
        ),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_is_scanned_for_then_written() {
        let mut counters = [0; 20];
        let index = Command::PROGRESS_COMMAND_CREATE_INDEX;
        counters[15] = 200;
        counters[16] = 50;
        let scanning = read(index, &counters).unwrap();
        assert_eq!((scanning.part, scanning.fraction), ("scanned", Some(0.25)));
        assert_eq!(scanning.of_command(), 0.15);
        counters[11] = 10;
        let writing = read(index, &counters).unwrap();
        assert_eq!((writing.part, writing.fraction), ("written", Some(0.0)));
        assert_eq!(writing.of_command(), 0.6);
        assert_eq!(read(Command::PROGRESS_COMMAND_INVALID, &counters), None);
    }
}
