//! Puts small mistakes into a copy of the sources: `tools/mutants-server` builds the copy and chooses one after the other.
//!
//! ```text
//! pgperf-mutator plant SOURCES COPY COUNT SEED [without ...]   writes COPY, prints a line per mistake
//! pgperf-mutator broken LIST                                   compiler messages (JSON) on stdin: numbers of the mistakes at fault
//! pgperf-mutator patch LIST NUMBER FILE ...                    changes the text of a mistake in SQL where a file holds it
//! ```
//!
//! A line of the list is separated by tabs: number, file, line, kind, what it was, what it is, and the bytes of the file that it
//! takes (mistakes in Rust) or 0.

mod found;
mod list;
mod patch;
mod plant;
mod rust;
mod sql;

use std::error::Error;
use std::process::ExitCode;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match words.as_slice() {
        ["plant", sources, copy, count, seed, without @ ..] => {
            plant::plant(sources, copy, count, seed, without)
        }
        ["broken", list] => list::broken(list),
        ["patch", list, number, files @ ..] => patch::patch(list, number, files),
        _ => Err("usage: pgperf-mutator plant | broken | patch …".into()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
