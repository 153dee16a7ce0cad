//! The capture of sessions' transactions: hooks that see every statement at top level, in each session of a server that preloads the
//! library.
//!
//! * [`control`]: what all processes share: which capture is under way;
//! * `hooks`: the server's hooks and callbacks, which only look whether one is, and whether a statement is at top level;
//! * `session`: what a session leaves to the capture, by a [`capture::recorder`];
//! * `values`: parameters, written as text.
//!
//! A statement never fails for being captured, and waits for nothing.

pub mod control;
mod hooks;
mod session;
mod values;

/// Asks for shared memory, and to be called. While the server loads its libraries.
pub fn install() {
    control::ask_for_memory();
    hooks::install();
}
