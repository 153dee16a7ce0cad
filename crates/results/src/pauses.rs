//! However long a text is, whoever reads it can be interrupted all the time.

use super::{Format, read};

/// So many lines without a pause take no time.
const MOST: u64 = 5_000;

#[test]
fn a_long_text_has_pauses_in_every_format() {
    const LINES: u64 = 100_000;
    let lines = |first: &str, line: &str| {
        format!("{first}\n{}", format!("{line}\n").repeat(LINES as usize))
    };
    let nothing = "a line of no program";
    for (format, text) in [
        (Some(Format::Pgbench), lines("", "0 7 512 0 1700000000 5")),
        (Some(Format::Pgbench), lines("", nothing)),
        (Some(Format::Sysbench), lines("sysbench 1.0.20", nothing)),
        (Some(Format::Hammerdb), lines("", nothing)),
        (
            Some(Format::PgStatStatements),
            lines("query,calls,total_exec_time", "SELECT 1,2,3.5"),
        ),
        (
            Some(Format::PgStatStatements),
            lines("query,calls,total_exec_time", "SELECT 1,none,3.5"),
        ),
        (None, lines("", nothing)),
        (None, lines("", "0 7 512 0 1700000000 5")),
    ] {
        let mut pauses = 0;
        let _ = read(&text, format, &mut || pauses += 1);
        assert!(pauses >= LINES / MOST, "{format:?}: {pauses} pauses");
    }
}
