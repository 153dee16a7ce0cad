//! What tests cost: with `PGPERF_TEST_COSTS`, the name of a file, each server that a test stops adds a line to it with the seconds of CPU
//! time that its processes took, and the name of the test.

use std::fs;
use std::io::Write;

/// Of a server that is about to stop.
pub fn note(postmaster: u32) {
    let Some(path) = std::env::var_os("PGPERF_TEST_COSTS") else {
        return;
    };
    let processes = fs::read_dir("/proc").expect("/proc").flatten();
    let pids = processes.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let ticks: u64 = pids
        .filter_map(times)
        .map(|(pid, parent, its_own, of_the_ended)| match parent {
            _ if pid == postmaster => its_own + of_the_ended,
            parent if parent == postmaster => its_own,
            _ => 0,
        })
        .sum();
    let thread = std::thread::current();
    let line = format!(
        "{:.2} {}\n",
        ticks as f64 / TICKS_PER_SECOND,
        thread.name().unwrap_or("?")
    );
    let file = fs::OpenOptions::new().create(true).append(true).open(path);
    let written = file.and_then(|mut file| file.write_all(line.as_bytes()));
    written.expect("PGPERF_TEST_COSTS");
}

/// USER_HZ: the same wherever Linux runs on x86 and ARM.
const TICKS_PER_SECOND: f64 = 100.0;

/// A process, its parent, its CPU time in ticks, and that of its children that have ended (proc(5)).
fn times(pid: u32) -> Option<(u32, u32, u64, u64)> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name in parentheses may hold spaces.
    let (_, fields) = stat.rsplit_once(')')?;
    let fields: Vec<&str> = fields.split_whitespace().collect();
    let field = |number: usize| fields.get(number)?.parse::<u64>().ok();
    let parent = fields.get(1)?.parse().ok()?;
    Some((
        pid,
        parent,
        field(11)? + field(12)?,
        field(13)? + field(14)?,
    ))
}
