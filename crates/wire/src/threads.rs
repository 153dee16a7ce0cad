//! Threads beside a process of the server. Its signals are for its main thread alone, whose handlers expect to be called there.

use crate::ffi;
use std::thread::{Builder, JoinHandle};

/// Starts a thread of this name that gets no signal. It must not touch the server: what it runs lies in crates that cannot.
///
/// # Errors
/// The system has no thread left.
pub fn spawn<R: Send + 'static>(
    name: &str,
    stack: usize,
    work: impl FnOnce() -> R + Send + 'static,
) -> std::io::Result<JoinHandle<R>> {
    let thread = Builder::new().name(name.to_owned()).stack_size(stack);
    // Also those that it starts get none: threads inherit what is blocked.
    ffi::without_signals(|| thread.spawn(work))
}
